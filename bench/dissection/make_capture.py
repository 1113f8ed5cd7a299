#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a large capture of TQ-cipher game connections; the same arguments make the same file.

usage: make_capture.py [--messages N] [--connections N] [--seed N] OUTPUT.pcap

Each connection begins with its SYN and MsgConnect; then both sides send messages of a game in
play, mostly one a segment. The connections are interleaved."""

import argparse
import random
import struct
import sys

P, G = 0x13FA0F9D, 0x6D5C7962
PAGE = 65536
SWAP_AB = bytes(((b ^ 0xAB) << 4 & 0xF0) | (b ^ 0xAB) >> 4 for b in range(256))
SWAP = bytes((b << 4 & 0xF0) | b >> 4 for b in range(256))


def key_tables():
    """The base key, as in cipher/key.c."""
    p, g = bytearray(P.to_bytes(4, "little")), bytearray(G.to_bytes(4, "little"))
    first, second = bytearray(256), bytearray(256)
    for i in range(256):
        first[i], second[i] = p[0], g[0]
        p[0] = ((p[1] + p[0] * p[2]) * p[0] + p[3]) & 255
        g[0] = ((g[1] - g[0] * g[2]) * g[0] + g[3]) & 255
    return first, second


def keystream(first, second):
    """All 65,536 bytes of it, twice, so that a slice never wraps."""
    return bytes(first[c & 255] ^ second[c >> 8] for c in range(PAGE)) * 2


def alternate(first, second, token, account):
    x = ((token + account & 0xFFFFFFFF) ^ 0x4321) ^ token
    y = x * x & 0xFFFFFFFF
    xs, ys = x.to_bytes(4, "little"), y.to_bytes(4, "little")
    return (bytes(first[i] ^ xs[i & 3] for i in range(256)),
            bytes(second[i] ^ ys[i & 3] for i in range(256)))


def xor(data, stream, counter):
    part = stream[counter:counter + len(data)]
    return (int.from_bytes(data, "little") ^ int.from_bytes(part, "little")).to_bytes(
        len(data), "little")


def message(kind, *body):
    text = b"".join(body)
    return struct.pack("<HH", 4 + len(text), kind) + text


def strings(*texts):
    return bytes([len(texts)]) + b"".join(bytes([len(t)]) + t for t in texts)


def client_message(r, hero):
    choice = r.random()
    if choice < 0.5:
        return message(1005, struct.pack("<IBBH", hero, r.randrange(8), r.randrange(2), 0))
    if choice < 0.75:
        return message(1010, struct.pack("<IIHHHHHH", r.getrandbits(30), hero, r.randrange(600),
                                         r.randrange(600), r.randrange(600), r.randrange(600),
                                         r.randrange(8), 133))
    if choice < 0.9:
        return message(1009, struct.pack("<IIIII", hero, 0, 27, r.getrandbits(30), 0))
    return message(1004, struct.pack("<IHHIII", 0xFFFFFF, 2000, 0, 0, 0, 0),
                   strings(b"Hero%06d" % (hero % 1000000), b"All", b"",
                           b"line %d of talk" % r.randrange(1000)))


def server_message(r, hero):
    choice = r.random()
    other = 1000000 + r.randrange(100000)
    if choice < 0.45:
        return message(1005, struct.pack("<IBBH", other, r.randrange(8), r.randrange(2), 0))
    if choice < 0.65:
        return message(1010, struct.pack("<IIHHHHHH", r.getrandbits(30), other, r.randrange(600),
                                         r.randrange(600), r.randrange(600), r.randrange(600),
                                         r.randrange(8), 133))
    if choice < 0.85:
        return message(1017, struct.pack("<IIII", other, 1, 0, r.randrange(1000)))
    if choice < 0.95:
        return message(1022, struct.pack("<IIIHHIII", r.getrandbits(30), other, hero,
                                         r.randrange(600), r.randrange(600), 2, r.randrange(500),
                                         0))
    return message(1004, struct.pack("<IHHIII", 0xFFFFFF, 2005, 0, 0, 0, 0),
                   strings(b"SYSTEM", b"ALLUSERS", b"", b"notice %d" % r.randrange(1000)))


class Connection:
    def __init__(self, r, number, first, second, base_stream):
        self.random = r
        self.client = (0x0A000000 | number + 1, 1024 + number % 60000)
        self.server = (0x0A800001, 5816)
        self.seq = [r.getrandbits(32), r.getrandbits(32)]
        self.counter = [0, 0]
        self.hero = 1000000 + number
        self.token = r.getrandbits(32)
        self.streams = [base_stream, base_stream]
        alternate_key = alternate(first, second, self.token, self.hero)
        self.alternate_stream = keystream(*alternate_key)

    def segment(self, direction, flags, payload=b""):
        """One IPv4 packet. Checksums are left zero, as offloading does."""
        ends = (self.client, self.server) if direction == 0 else (self.server, self.client)
        tcp = struct.pack(">HHIIBBHHH", ends[0][1], ends[1][1], self.seq[direction],
                          self.seq[1 - direction], 0x50, flags, 64240, 0, 0)
        ip = struct.pack(">BBHHHBBHII", 0x45, 0, 40 + len(payload), 0, 0x4000, 64, 6, 0,
                         ends[0][0], ends[1][0])
        self.seq[direction] = self.seq[direction] + len(payload) + (1 if flags & 2 else 0) \
            & 0xFFFFFFFF
        return ip + tcp + payload

    def encipher(self, direction, plain):
        counter = self.counter[direction]
        self.counter[direction] = (counter + len(plain)) % PAGE
        if direction == 1:  # what a server does
            return xor(plain.translate(SWAP_AB), self.streams[1], counter)
        # What a client does: the inverse.
        return xor(plain, self.streams[0], counter).translate(SWAP).translate(
            bytes(b ^ 0xAB for b in range(256)))

    def open(self):
        yield self.segment(0, 0x02)
        yield self.segment(1, 0x12)
        connect = message(1052, struct.pack("<IIH10sI", self.hero, self.token, 1017, b"En", 10))
        yield self.segment(0, 0x18, self.encipher(0, connect))
        self.streams[0] = self.alternate_stream

    def send(self, count):
        direction = 1 if self.random.random() < 0.7 else 0
        make = server_message if direction else client_message
        plain = b"".join(make(self.random, self.hero) for _ in range(count))
        return self.segment(direction, 0x18, self.encipher(direction, plain))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=200000)
    parser.add_argument("--connections", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("output")
    arguments = parser.parse_args()
    if not 0 < arguments.connections <= arguments.messages:
        parser.error("each connection has a message at least, and there is one at least")

    r = random.Random(arguments.seed)
    first, second = key_tables()
    base_stream = keystream(first, second)
    with open(arguments.output, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))  # raw IP
        time = 0

        def write(packet):
            nonlocal time
            time += 50
            file.write(struct.pack("<IIII", 1700000000 + time // 1000000, time % 1000000,
                                   len(packet), len(packet)))
            file.write(packet)

        connections = [Connection(r, n, first, second, base_stream)
                       for n in range(arguments.connections)]
        for connection in connections:
            for packet in connection.open():
                write(packet)
        left = arguments.messages - arguments.connections
        while left > 0:
            count = min(left, 1 if r.random() < 0.9 else r.randrange(2, 6))
            write(r.choice(connections).send(count))
            left -= count


if __name__ == "__main__":
    sys.exit(main())
