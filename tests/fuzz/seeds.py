#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the seeds of the fuzz targets from captures, truth files, dumps and the dictionary.

    seeds.py SOURCE SEEDS
"""

import glob
import json
import os
import re
import struct
import sys

FROM_SERVER, ENCIPHER, ALTERNATE, SYN = 1, 2, 4, 32
OPENED, AGAIN, RECOVER = 32, 64, 128
CONNECT_SIZE = 28

source, seeds = sys.argv[1:3]


def write(target, name, data):
    folder = os.path.join(seeds, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


def frames(path):
    """The frames of a pcapng file with one interface: TCP segments in IPv4 in Ethernet."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            captured = struct.unpack_from("<I", data, at + 20)[0]
            yield data[at + 28:at + 28 + captured]
        at += length


def segments(path):
    """(whether the server sends, connection, sequence number, SYN, payload)"""
    connections = []
    for frame in frames(path):
        if frame[12:14] != b"\x08\x00":
            continue
        ip = frame[14:14 + struct.unpack_from(">H", frame, 16)[0]]
        tcp = ip[(ip[0] & 15) * 4:]
        ports = struct.unpack_from(">HH", tcp)
        client = max(ports)
        if client not in connections:
            connections.append(client)
        yield (ports[0] != client, connections.index(client), struct.unpack_from(">I", tcp, 4)[0],
               bool(tcp[13] & 2), tcp[(tcp[12] >> 4) * 4:])


def segment(flags, connection, payload, step=None):
    extra = b"" if step is None else struct.pack("<I", step & 0xffffffff)
    return struct.pack("<BBH", flags | (0 if step is None else 16), connection & 3,
                       len(payload)) + extra + payload


def capture_seeds(path, name):
    """The front and a part of the middle of a capture, as it is."""
    parts, following = [], {}
    for server, connection, seq, syn, payload in segments(path):
        if syn:
            following[server, connection] = seq + 1
        if not payload or len(payload) > 4095:
            continue
        step = seq - following.setdefault((server, connection), seq)
        following[server, connection] = max(following[server, connection], seq + len(payload))
        parts.append(segment(FROM_SERVER * server, connection, payload, step or None))
    for suffix, chosen in (("front", parts[:40]), ("middle", parts[len(parts) // 2:][:60])):
        options = AGAIN | (OPENED if suffix == "front" and "mid" not in name else RECOVER)
        write("transport", name + "_" + suffix, bytes([options]) + b"".join(chosen)[:16000])
    for direction in (0, 1):
        data = bytes([direction, 0, 0])
        for server, connection, seq, syn, payload in segments(path):
            if connection == 0 and server == bool(direction == 0) and payload and len(data) < 4000:
                data += struct.pack("<BH", 0, len(payload)) + payload
        write("recovery", "%s_%d" % (name, direction), data)


def truth_rows(path):
    with open(path) as file:
        return [row for row in map(json.loads, file) if row.get("kind", "msg") == "msg"]


def truth_seeds(path, name):
    """The same plaintext, which the target enciphers: so mutations reach the messages."""
    parts, said, connections = [], {}, []
    for row in truth_rows(path):
        if row["client_addr"] not in connections:
            connections.append(row["client_addr"])
        connection, server = connections.index(row["client_addr"]), row["dir"] == "s2c"
        plain = bytes.fromhex(row["hex"])
        flags = ENCIPHER | (FROM_SERVER if server else 0)
        if not server and connection and said.get(connection, 0) >= CONNECT_SIZE:
            flags |= ALTERNATE
        if not server:
            said[connection] = said.get(connection, 0) + len(plain)
        if len(plain) < 4096:
            parts.append(segment(flags, connection, plain))
        write("conquer", "%d_%d" % (struct.unpack_from("<H", plain, 2)[0], len(plain)),
              struct.pack("<BHB", 128 | 4 | 2 * server, 5017, 0) + plain)
    write("transport", name + "_plain", bytes([OPENED | AGAIN]) + b"".join(parts[:60])[:16000])
    write("transport", name + "_late", bytes([AGAIN | RECOVER]) + b"".join(parts[60:120])[:16000])
    data = bytes([8, 0, 0])
    for row in truth_rows(path):
        if row["dir"] == "s2c" and row["stream"] != "auth" and len(data) < 4000:
            plain = bytes.fromhex(row["hex"])
            data += struct.pack("<BH", 0, len(plain)) + plain
    write("recovery", name + "_plain", data)


def dump_seeds():
    with open(os.path.join(source, "tests", "dictionary", "dumps.json")) as file:
        for dump in json.load(file):
            write("conquer", dump["id"], struct.pack("<BHB", 128 | 2, 0, 0) +
                  bytes.fromhex(dump["hex"]))


def counted(data):
    return struct.pack("<I", len(data)) + data


def handshake_seeds():
    number = b"B2" * 64
    fields = [b"junk12345", bytes(8), bytes(8), number, b"05", number]
    body = b"".join(map(counted, fields)) + b"TQServer"
    write("handshake", "hello", b"\0" + bytes(11) + struct.pack("<I", len(body) + 4) + body)
    body = b"".join(map(counted, [b"junk12345", number])) + b"TQClient"
    write("handshake", "reply", b"\1" + bytes(7) + struct.pack("<I", len(body) + 4) + body)
    for frame in segments(os.path.join(source, "captures", "blowfish_5065.pcapng")):
        if len(frame[4]) > 100 and frame[0]:
            write("handshake", "enciphered_%d" % frame[1], b"\2" + frame[4])


def dictionary_seeds():
    for path in glob.glob(os.path.join(source, "messages", "*.xml")):
        with open(path) as file:
            text = file.read()
        for number, item in enumerate(re.findall(
                r"  <(?:message|enumeration|kind) .*?\n  </(?:message|enumeration|kind)>", text,
                re.S)):
            if len(item) < 3000 and number % 4 == 0:
                write("dictionary", "%s_%d" % (os.path.basename(path), number),
                      ("<dictionary>\n%s\n</dictionary>\n" % item).encode())


def main():
    for path in glob.glob(os.path.join(source, "captures", "*.pcapng")):
        capture_seeds(path, os.path.splitext(os.path.basename(path))[0])
    for path in glob.glob(os.path.join(source, "tests", "truth", "*.jsonl")):
        truth_seeds(path, os.path.splitext(os.path.basename(path))[0])
    dump_seeds()
    handshake_seeds()
    dictionary_seeds()
    with open(os.path.join(source, "captures", "blowfish_5065.keylog"), "rb") as file:
        write("keylog", "blowfish", b"\x80" + file.read())
    write("keylog", "kinds", b"\x40# a comment\nTQ_SECRET B2C3D4 0123456789abcdef\r\n"
          b"TQ_SERVER_PRIVATE b2c3d4 1F\nTQ_CLIENT_PRIVATE 1234 2B\nTQ_SECRET 00B2C3D4 77")
    write("servers", "two", b"10.0.0.1\t5816\tgame\t5065\t13FA0F9D\t0x6D5C7962\t0x00112233\n"
          b"\t0\tby its messages\tauto\t\t\tC238xs65pjy7HU9Q")
    for length in (0, 1, 3, 4, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 500):
        write("cipher", str(length), struct.pack("<IIHBB", 0x13FA0F9D, 0x6D5C7962, (0xFFE0 + length) % 65536,
                                                 length % 251, length % 256) + bytes(length))
    write(".", "made", b"")


if __name__ == "__main__":
    main()
