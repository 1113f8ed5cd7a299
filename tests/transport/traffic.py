# SPDX-License-Identifier: GPL-2.0-or-later
"""Random conversations with TQ servers as TCP segments, and the faults that captures have.

A conversation's segments only name stretches of its two streams, so whatever is done to them, the
bytes stay right, and what of the streams is in the capture is known."""

import collections
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import cipher
import generate_session as blowfish
import wire

TRUTH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "truth")

Message = collections.namedtuple("Message", "offset size plain")

C2S, S2C = "c2s", "s2c"


def other(direction):
    return S2C if direction == C2S else C2S


class Pool:
    """Messages of real sessions, by direction. 1052 is left out: it changes the key."""
    loaded = {}

    def __init__(self, names):
        self.messages = {C2S: [], S2C: []}
        for name in names:
            with open(os.path.join(TRUTH, name + ".jsonl")) as file:
                for line in file:
                    row = json.loads(line)
                    plain = bytes.fromhex(row["hex"])
                    if row["stream"] == "game" and row["type"] not in (None, 1052):
                        plain = plain[:struct.unpack_from("<H", plain)[0]]
                        self.messages[row["dir"]].append(plain)

    @classmethod
    def get(cls, *names):
        if names not in cls.loaded:
            cls.loaded[names] = cls(names)
        return cls.loaded[names]


def message(kind, body):
    return struct.pack("<HH", len(body) + 4, kind) + body


def private_message(rng):
    """Of a type that nobody knows, and of any size."""
    size = rng.choice((rng.randrange(0, 60), rng.randrange(0, 60), rng.randrange(0, 1020)))
    return message(rng.randrange(20000, 60000), rng.randbytes(size))


class Stream:
    """What one side says on a connection."""

    def __init__(self, isn):
        self.isn = isn
        self.messages = []  # Message
        self.data = bytearray()

    def say(self, plain, wire_bytes):
        self.messages.append(Message(len(self.data), len(wire_bytes), plain))
        self.data += wire_bytes


class Segment:
    """A stretch of one side's stream. Offset -1 is the SYN's place."""

    def __init__(self, direction, start, end, flags=wire.PSH | wire.ACK, payload=None):
        self.direction, self.start, self.end, self.flags = direction, start, end, flags
        self.payload = payload  # bytes that are not the stream's (a keep-alive's), or None
        self.snap = None        # bytes of payload that are captured, None for all
        self.ack = 0

    def copy(self, start=None, end=None):
        flags = self.flags & ~(wire.SYN | wire.FIN | wire.RST)
        again = Segment(self.direction, self.start if start is None else start,
                        self.end if end is None else end, flags | wire.ACK)
        again.ack = self.ack
        return again

    @property
    def has_data(self):
        return self.end > self.start and self.start >= 0

    def captured(self):
        """The stretch of the stream that the capture has of it."""
        start = max(self.start, 0)
        end = self.end if self.snap is None else min(self.end, start + self.snap)
        return (start, end) if self.payload is None and end > start else None


class Conversation:
    """One TCP connection. turns: lists of (direction, messages), in the order they are said."""

    def __init__(self, rng, client, server, isn=None):
        self.rng, self.client, self.server = rng, client, server
        isn = isn or {C2S: rng.getrandbits(32), S2C: rng.getrandbits(32)}
        self.streams = {d: Stream(isn[d]) for d in (C2S, S2C)}
        self.turns = []
        self.segments = []
        self.vlans = ()
        self.key_log = ""
        self.start = None  # when it begins, relative to others; None for at random
        self.handshake = {C2S: 0, S2C: 0}  # bytes at the start that are no messages
        self.feeds_back = False            # the cipher is CFB with blocks of 8 bytes
        self.opens = 0                     # bytes of the client's that tell its key

    def say(self, direction, plains, encipher):
        stream, start = self.streams[direction], len(self.streams[direction].data)
        for plain in plains:
            stream.say(plain, encipher(plain, len(stream.data)))
        self.turns.append((direction, start, len(stream.data)))

    # ---- Segments ----

    def cut(self, how):
        """Cuts what was said into segments, with handshake and farewell."""
        self.segments = [Segment(C2S, -1, 0, wire.SYN), Segment(S2C, -1, 0, wire.SYN | wire.ACK),
                         Segment(C2S, 0, 0, wire.ACK)]
        for direction, start, end in self.turns:
            for part in self.parts(direction, start, end, how):
                self.segments.append(Segment(direction, *part))
            if self.rng.random() < 0.3:
                at = max(s.end for s in self.segments if s.direction == other(direction))
                self.segments.append(Segment(other(direction), at, at, wire.ACK))
        for direction in (C2S, S2C):
            end = len(self.streams[direction].data)
            self.segments.append(Segment(direction, end, end, wire.FIN | wire.ACK))
        sent = {C2S: -1, S2C: -1}
        for segment in self.segments:
            sent[segment.direction] = max(sent[segment.direction], segment.end)
            segment.ack = sent[other(segment.direction)]

    def parts(self, direction, start, end, how):
        rng = self.rng
        if how == "mixed":
            how = rng.choice(("message", "message", "message", "turn", "random", "mss"))
        if how == "message":
            ends = [m.offset + m.size for m in self.streams[direction].messages
                    if start <= m.offset < end]
        elif how == "turn":
            ends = []
        elif how == "byte":
            ends = range(start + 1, end)
        else:
            longest = 9 if how == "crumbs" else 39
            ends, at = [], start
            while at < end:
                at += 88 if how == "mss" else rng.randint(1, longest)
                ends.append(at)
        for stop in sorted({min(e, end) for e in ends} | {end}):
            while start < stop:
                yield start, min(stop, start + 1400)
                start = min(stop, start + 1400)

    # ---- Truth ----

    def coverage(self, direction):
        """The stretches of a stream that the capture has, ascending and apart."""
        found = sorted(filter(None, (s.captured() for s in self.segments
                                     if s.direction == direction)))
        merged = []
        for start, end in found:
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        return merged

    def complete(self, direction):
        """The messages that can be read: what is needed of them is in the capture."""
        covered = self.coverage(direction)
        first = self.handshake[direction]
        return [m for m in self.streams[direction].messages if m.offset >= first and
                any(a <= self.needed_from(m, first) and m.offset + m.size <= b
                    for a, b in covered)]

    def implied(self, direction):
        """Offsets at which a message is known to begin: the first, and those behind a message that is
        itself known and whose header can be read. All others are to be searched for in what follows
        a gap."""
        covered = self.coverage(direction)
        first = self.handshake[direction]
        known = set()
        for m in self.streams[direction].messages:
            known.add(m.offset)
            start = self.needed_from(m, first) if m.offset >= first else m.offset
            if not any(a <= start and m.offset + 4 <= b for a, b in covered):
                break
        return known

    def needed_from(self, m, first):
        """Where the bytes begin that a message needs. A block under CFB needs the whole of the one
        before, but the first block, which has the IV."""
        if not self.feeds_back:
            return m.offset
        return first + max(0, (m.offset - first) // 8 * 8 - 8)

    def frame(self, segment, kind):
        """The segment as (bytes on the wire, bytes captured)."""
        ends = [self.client, self.server] if segment.direction == C2S else [self.server,
                                                                            self.client]
        data = segment.payload
        if data is None:
            data = bytes(self.streams[segment.direction].data[max(segment.start, 0):segment.end])
        seq = self.streams[segment.direction].isn + 1 + segment.start
        ack = self.streams[other(segment.direction)].isn + 1 + segment.ack
        packet = wire.tcp(ends[0][1], ends[1][1], seq, ack, segment.flags, data)
        packet = wire.link(kind, wire.ip(ends[0][0], ends[1][0], packet), self.vlans)
        captured = len(packet)
        if segment.snap is not None:
            captured -= max(0, len(data) - segment.snap)
        return packet, captured


# ---- Conversations ----


def draw(rng, pool, direction, private):
    return private_message(rng) if rng.random() < private else rng.choice(pool.messages[direction])


def fill(conversation, rng, pool, count, private, encipher):
    """Lets both sides talk for about `count` messages."""
    while count > 0:
        direction = rng.choice((C2S, S2C))
        some = min(count, rng.choice((1, 1, 1, 2, 2, 3, 5, 9)))
        conversation.say(direction, [draw(rng, pool, direction, private) for _ in range(some)],
                         encipher[direction])
        count -= some


def tq_ciphers(token, account_id, switch_at):
    alternate = cipher.alternate_keystream(token, account_id)

    def from_client(plain, at):
        if switch_at is None or at < switch_at:
            return cipher.encrypt_client(plain, at)
        return cipher.encrypt_client(plain, at, alternate)

    return {C2S: from_client, S2C: cipher.encrypt_server}


def answer_ok():
    return blowfish.talk(2101, b"SYSTEM", b"ALLUSERS", b"ANSWER_OK")


def talk_to_game(conversation, token, account_id, count, private, names):
    """A game connection of 4267 to 5017."""
    rng = conversation.rng
    connect = message(1052, struct.pack("<II", account_id, token) +
                      struct.pack("<HH8sI", 5017, 0, b"En", 10))
    encipher = tq_ciphers(token, account_id, 28)
    conversation.opens = 28
    conversation.say(C2S, [connect + bytes(28 - len(connect))], encipher[C2S])
    conversation.say(S2C, [answer_ok()], encipher[S2C])
    fill(conversation, rng, Pool.get(*names), count, private, encipher)


def talk_to_account(conversation, token, account_id, game):
    """An account connection of 4267 to 5017."""
    encipher = tq_ciphers(token, account_id, None)
    name = b"test%08x" % conversation.rng.getrandbits(32)
    conversation.say(C2S, [message(1051, name.ljust(16, b"\0") + conversation.rng.randbytes(16) +
                                   b"Dragon".ljust(16, b"\0"))], encipher[C2S])
    conversation.say(S2C, [message(1055, struct.pack("<II16sI", account_id, token,
                                                     game[0].encode(), game[1]))], encipher[S2C])
    conversation.say(C2S, [message(1052, struct.pack("<II8sII", account_id, token, b"res.dat", 0,
                                                     0))], encipher[C2S])


def talk_under_blowfish(conversation, token, account_id, count, private, names):
    """A game connection of 5065. Returns the line for the key log."""
    rng = conversation.rng
    exchange = blowfish.Exchange(rng)
    ivs = [rng.randbytes(8), rng.randbytes(8)]
    first = {d: blowfish.Cfb64("blowfish", blowfish.CIPHERS["blowfish"][2]) for d in (C2S, S2C)}
    hello = blowfish.build_hello(rng, exchange, 12, ivs)
    reply = blowfish.build_reply(rng, exchange, 16)
    conversation.say(S2C, [hello], lambda plain, at: first[S2C].encrypt(plain))
    conversation.say(C2S, [reply], lambda plain, at: first[C2S].encrypt(plain))
    conversation.handshake = {C2S: len(reply), S2C: len(hello)}
    conversation.feeds_back = True
    key = blowfish.derive_key("blowfish", exchange.secret)
    session = {S2C: blowfish.Cfb64("blowfish", key, ivs[0]),
               C2S: blowfish.Cfb64("blowfish", key, ivs[1])}
    encipher = {C2S: lambda plain, at: session[C2S].encrypt(plain + b"TQClient"),
                S2C: lambda plain, at: session[S2C].encrypt(plain + b"TQServer")}
    connect = message(1052, struct.pack("<IIHHIII", account_id, token, 5065, 0, 0, 0, 10))
    conversation.say(C2S, [connect], encipher[C2S])
    conversation.opens = len(conversation.streams[C2S].data)
    fill(conversation, rng, Pool.get(*names), count, private, encipher)
    number = lambda n: blowfish.number_bytes(n).hex().upper()
    return "TQ_SECRET %s %s\n" % (number(exchange.server_public), number(exchange.secret))
