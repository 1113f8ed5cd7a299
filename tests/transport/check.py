# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the plugin shows of generated captures with what they hold."""

import collections
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import generate
import tqtest
from traffic import C2S, S2C

# Of the messages whose place is to be searched for behind a gap, one in so many may stay unfound: a
# short message of a rare type that stands alone between two gaps, at no segment's start, looks no
# different from a piece of another message.
UNFOUND = 100

Direction = collections.namedtuple("Direction", "indices strict lenient demands")
Fault = collections.namedtuple("Fault", "indices direction missing extra")


def count(messages):
    return collections.Counter(m.plain.hex() for m in messages)


class Capture:
    """A capture of one profile and seed in a folder of its own."""

    def __init__(self, profile, seed, number):
        self.profile, self.seed = profile, seed
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.path = os.path.join(self.folder.name, profile + ".pcap")
        made = generate.PROFILES[profile]
        groups = [made.make(profile, seed, i) for i in range(number)]
        conversations = [c for group in groups for c in group]
        self.frames = generate.write(self.path, conversations, made.link, seed)
        self.preferences = []
        if made.blowfish:
            with open(self.path + ".keylog", "w") as out:
                out.writelines(c.key_log for c in conversations)
            self.preferences = ["tq.keylog_file:" + out.name]
        self.wanted = {}  # (client, server, direction) -> Direction
        for i, group in enumerate(groups):
            for c in group:
                for direction in (C2S, S2C):
                    self.want(i, c, direction)

    def want(self, index, c, direction):
        key = generate.endpoint(c.client), generate.endpoint(c.server), direction
        there = self.wanted.setdefault(key, Direction([], collections.Counter(),
                                                      collections.Counter(), []))
        implied = c.implied(direction) if c.demand[direction] == generate.STRICT else ()
        complete = c.complete(direction)
        there.indices.append(index)
        there.demands.append(c.demand[direction])
        there.strict.update(count(m for m in complete if m.offset in implied))
        there.lenient.update(count(m for m in complete if m.offset not in implied))

    def remove(self):
        self.folder.cleanup()

    def total(self):
        return sum(sum(d.strict.values()) + sum(d.lenient.values()) for d in self.wanted.values())

    def show(self, preferences=(), two_passes=False):
        shown = collections.defaultdict(collections.Counter)
        found = tqtest.shown_messages(self.path, self.preferences + list(preferences), two_passes)
        for (client, server, direction, plain), n in found.items():
            shown[client, server, direction][plain] += n
        return shown

    def compare(self, shown, two_passes=False):
        """Compares with what was demanded. Returns the faults, and of the messages that were to be
        searched for, how many there are and how many were not found."""
        nobody = Direction([], collections.Counter(), collections.Counter(), [generate.STRICT])
        faults, searched, unfound = [], 0, 0
        for key in set(shown) | set(self.wanted):
            there = self.wanted.get(key, nobody)
            missing = there.strict - shown[key]
            extra = shown[key] - (there.strict + there.lenient)
            lost = there.lenient - (shown[key] - there.strict)
            if generate.ANY in there.demands or (generate.SECOND in there.demands and
                                                 not two_passes):
                missing, lost = collections.Counter(), collections.Counter()
            else:
                searched += sum(there.lenient.values())
            unfound += sum(lost.values())
            if missing or extra:
                faults.append(Fault(there.indices, key, list(missing.elements()),
                                    list(extra.elements())))
        return faults, searched, unfound

    def describe(self, faults):
        lines = []
        for f in faults[:8]:
            lines.append("generate.py --profile %s --seed %d --only %s /tmp/one.pcap: %s: "
                         "%d missing %s, %d extra %s"
                         % (self.profile, self.seed, "/".join(map(str, f.indices)) or "?",
                            " ".join(f.direction), len(f.missing), [p[:24] for p in f.missing[:4]],
                            len(f.extra), [p[:24] for p in f.extra[:4]]))
        return "\n".join(lines)
