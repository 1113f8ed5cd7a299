#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes captures of many random conversations with faults, and tells which messages they hold.

    generate.py --profile lose --seed 7 --count 100 /tmp/lose.pcap
    generate.py --profile lose --seed 7 --only 33 /tmp/one.pcap

The second makes the 34th conversation of the first alone. With --truth the messages that are wholly
in the capture are printed, one JSON object a line."""

import argparse
import ipaddress
import json
import random

import faults
import traffic
import wire
from traffic import C2S, S2C, Conversation

# What is asked of a direction, besides that nothing is shown that was not said:
STRICT = "strict"  # every message that is wholly captured, on every pass
SECOND = "second"  # the same on the second pass; on the first one some may be missing
ANY = "any"        # nothing more

NAMES_5017, NAMES_4330 = ("login_5017", "register_5017"), ("login_4330",)
NAMES_5065 = ("blowfish_5065",)


class Profile:
    """How conversations of one kind are made. `spoil` applies the faults; see the list below."""

    def __init__(self, spoil, link="ethernet", blowfish=False, messages=(5, 60), private=0.0,
                 keep=True, demand=STRICT, cuts=("message", "turn", "random", "mss", "mixed"),
                 port=5816):
        self.spoil, self.link, self.blowfish, self.cuts = spoil, link, blowfish, cuts
        self.messages, self.private, self.keep, self.demand = messages, private, keep, demand
        self.port = port

    def make(self, name, seed, index):
        """The conversations that belong together, mostly one."""
        return [self.make_one(name, seed, index)]

    def make_one(self, name, seed, index):
        rng = random.Random("%s/%d/%d" % (name, seed, index))
        client = ("10.%d.%d.%d" % (1 + index // 60000, index // 250 % 250, 1 + index % 250),
                  rng.randrange(1024, 65536))
        server = ("192.0.2.%d" % rng.choice((1, 2, 3)), self.port)
        if rng.random() < 0.2 and self.link != "null":
            client = ("2001:db8::%x:%x" % (index >> 16, index & 0xffff), client[1])
            server = ("2001:db8:ffff::1", self.port)
        isn = {d: rng.choice((rng.getrandbits(32), (1 << 32) - rng.randrange(1, 3000)))
               for d in (C2S, S2C)}
        c = Conversation(rng, client, server, isn)
        if self.link == "ethernet" and rng.random() < 0.2:
            c.vlans = (5,) * rng.randrange(1, 3)
        count = rng.randrange(*self.messages)
        token, account_id = rng.getrandbits(32), rng.randrange(1, 1 << 32)
        if self.blowfish:
            c.key_log = traffic.talk_under_blowfish(c, token, account_id, count, self.private,
                                                    NAMES_5065)
        else:
            traffic.talk_to_game(c, token, account_id, count, self.private,
                                 rng.choice((NAMES_5017, NAMES_4330)))
        c.cut(rng.choice(self.cuts))
        c.demand = {C2S: self.demand, S2C: self.demand}
        self.spoil(c, self.first_free(c) if self.keep else 0)
        return c

    @staticmethod
    def first_free(c):
        """Index of the first segment after those that show how the connection begins."""
        shown = {C2S: -1, S2C: -1}
        for i, s in enumerate(c.segments):
            shown[s.direction] = max(shown[s.direction], s.end)
            if shown[C2S] >= c.opens and shown[S2C] >= max(4, c.handshake[S2C]):
                return i + 1
        return len(c.segments)


class Logins(Profile):
    """Two connections of a login, the game on a port that only the account server names, and later
    another connection on the same ports. Or the account server itself has an unusual port."""

    def make(self, name, seed, index):
        rng = random.Random("%s/%d/%d" % (name, seed, index))
        address = "10.2.%d.%d" % (index // 250, 1 + index % 250)
        usual = rng.random() < 0.5
        account_server = ("192.0.2.4", rng.choice((9958, 9959, 9960)) if usual else 16000)
        game_server = ("192.0.2.%d" % rng.randrange(4, 8), rng.randrange(20000, 30000))
        # Ports below may be another dissector's, which TCP asks before all heuristics.
        ports = rng.sample(range(49152, 65536), 2)
        made = []
        for turn in range(2):
            token, account_id = rng.getrandbits(32), rng.randrange(1, 1 << 32)
            account = Conversation(rng, (address, ports[0]), account_server)
            traffic.talk_to_account(account, token, account_id, game_server)
            game = Conversation(rng, (address, ports[1]), game_server)
            traffic.talk_to_game(game, token, account_id, rng.randrange(*self.messages), 0,
                                 NAMES_5017)
            for c, start in ((account, 0.0), (game, 1.0)):
                c.cut(rng.choice(self.cuts))
                c.start = index + 2 * turn + start
                c.demand = {C2S: STRICT, S2C: STRICT}
                self.spoil(c, self.first_free(c))
                made.append(c)
        return made


def lose(c, keep):
    faults.lose(c, c.rng.choice((0.01, 0.03, 0.1, 0.3)), keep)
    if c.rng.random() < 0.3:
        faults.lose_burst(c, keep)


def retransmit(c, keep):
    faults.repeat(c, 0.1, keep)
    faults.repeat_overlapping(c, 0.1, keep)
    faults.extend_back(c, 0.05, keep)
    faults.keep_alive(c, 0.05)
    faults.probe_zero_window(c, 0.05, keep)


def reorder(c, keep):
    faults.delay(c, c.rng.choice((0.02, 0.1, 0.5)), c.rng.randrange(1, 11), keep)


def everything(c, keep):
    lose(c, keep)
    faults.repeat(c, 0.1, keep)
    faults.repeat_overlapping(c, 0.1, keep)
    faults.extend_back(c, 0.05, keep)
    faults.probe_zero_window(c, 0.05, keep)
    faults.delay(c, 0.05, 5, keep)
    if c.rng.random() < 0.2:
        faults.snap(c, 0.05, keep)


def misplace(c, keep):
    """Frames out of order in the file, from the first one on."""
    c.rng.choice((faults.swap_blocks, faults.reverse, faults.shuffle, faults.move_syn,
                  lambda c: faults.delay(c, 0.3, 10)))(c)


def bend_ends(c, keep):
    """How a connection begins and ends."""
    if c.rng.random() < 0.5:
        faults.open_with_data(c)
    elif c.rng.random() < 0.5:
        faults.drop_syn(c)
    c.rng.choice((faults.finish_with_data, faults.reset))(c)


def begin_late(c, keep):
    faults.begin_late(c, 0.3)


def begin_late_and_lose(c, keep):
    faults.begin_late(c, 0.3)
    faults.lose(c, 0.02)
    faults.repeat_overlapping(c, 0.05)
    faults.delay(c, 0.05, 5)


def leave(c, keep):
    pass


PROFILES = {
    "plain": Profile(leave, private=0.1, keep=False),
    "retransmit": Profile(retransmit, private=0.1, keep=False),
    "reorder": Profile(reorder),
    "reorder-private": Profile(reorder, private=0.1),
    "lose": Profile(lose),
    "lose-private": Profile(lose, private=0.2, demand=ANY),
    "everything": Profile(everything),
    "snap": Profile(lambda c, keep: faults.snap(c, 0.05, keep)),
    "bytes": Profile(retransmit, cuts=("byte",), messages=(3, 12)),
    "ends": Profile(bend_ends, keep=False),
    "misplaced": Profile(misplace, keep=False, demand=SECOND),
    "late": Profile(begin_late, messages=(150, 300), keep=False, demand=SECOND),
    "late-lose": Profile(begin_late_and_lose, messages=(150, 300), keep=False, demand=SECOND),
    "late-elsewhere": Profile(begin_late, messages=(150, 300), keep=False, demand=SECOND,
                              port=7007),
    "late-crumbs": Profile(begin_late, messages=(150, 300), keep=False, demand=SECOND,
                           cuts=("crumbs", "byte")),
    "wrap": Profile(everything, messages=(2500, 3500)),
    "logins": Logins(everything),
    "null": Profile(everything, link="null"),
    "loopback": Profile(everything, link="loopback"),
    "raw": Profile(everything, link="raw"),
    "cooked": Profile(everything, link="cooked"),
    "blowfish": Profile(leave, blowfish=True, private=0.1),
    "blowfish-retransmit": Profile(retransmit, blowfish=True, private=0.1, keep=False),
    "blowfish-reorder": Profile(reorder, blowfish=True, private=0.1),
    "blowfish-lose": Profile(lose, blowfish=True),
    "blowfish-everything": Profile(everything, blowfish=True),
}


def interleave(rng, conversations):
    """All segments, each conversation's in its order; several conversations at a time."""
    keyed = []
    for c in conversations:
        start, length = rng.random() * len(conversations), 1 + rng.random() * 5
        if c.start is not None:
            start, length = c.start, 1
        count = len(c.segments) + 1
        for i, segment in enumerate(c.segments):
            keyed.append((start + length * i / count, c, segment))
    keyed.sort(key=lambda item: item[0])
    return keyed


def write(path, conversations, link, seed=0):
    frames = []
    for time, c, segment in interleave(random.Random(seed), conversations):
        data, captured = c.frame(segment, link)
        frames.append((1700000000 + time, data, captured))
    wire.write_pcap(path, link, frames)
    return len(frames)


def endpoint(end):
    return "%s:%d" % (ipaddress.ip_address(end[0]), end[1])


def truth_rows(conversations):
    for i, c in enumerate(conversations):
        for direction in (C2S, S2C):
            for m in c.complete(direction):
                yield {"conversation": i, "client_addr": endpoint(c.client),
                       "server_addr": endpoint(c.server), "dir": direction,
                       "stream_offset": m.offset, "hex": m.plain.hex(),
                       "demand": c.demand[direction]}


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("path")
    ap.add_argument("--profile", choices=PROFILES, required=True)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--only", type=int, help="one conversation, by its number from 0")
    ap.add_argument("--truth", action="store_true")
    o = ap.parse_args()

    profile = PROFILES[o.profile]
    numbers = range(o.count) if o.only is None else [o.only]
    conversations = [c for i in numbers for c in profile.make(o.profile, o.seed, i)]
    write(o.path, conversations, profile.link, o.seed)
    if profile.blowfish:
        with open(o.path + ".keylog", "w") as out:
            out.writelines(c.key_log for c in conversations)
    if o.truth:
        for row in truth_rows(conversations):
            print(json.dumps(row))


if __name__ == "__main__":
    main()
