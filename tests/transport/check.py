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

Fault = collections.namedtuple("Fault", "index direction missing extra")


class Capture:
    """A capture of one profile and seed in a folder of its own."""

    def __init__(self, profile, seed, count):
        self.profile, self.seed = profile, seed
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, profile + ".pcap")
        made = generate.PROFILES[profile]
        self.conversations = [made.make(profile, seed, i) for i in range(count)]
        self.frames = generate.write(self.path, self.conversations, made.link, seed)
        self.preferences = []
        if made.blowfish:
            with open(self.path + ".keylog", "w") as out:
                out.writelines(c.key_log for c in self.conversations)
            self.preferences = ["tq.keylog_file:" + out.name]
        os.chmod(self.folder.name, 0o755)
        self.wanted = {}
        for i, c in enumerate(self.conversations):
            key = generate.endpoint(c.client), generate.endpoint(c.server)
            for d in (C2S, S2C):
                self.wanted[key + (d,)] = i, collections.Counter(m.plain.hex()
                                                                 for m in c.complete(d))

    def total(self):
        return sum(sum(counter.values()) for _, counter in self.wanted.values())

    def show(self, preferences=(), two_passes=False):
        shown = collections.defaultdict(collections.Counter)
        found = tqtest.shown_messages(self.path, self.preferences + list(preferences), two_passes)
        for (client, server, direction, plain), n in found.items():
            shown[client, server, direction][plain] += n
        return shown

    def compare(self, shown, two_passes=False):
        """The faults of directions that do not show what was demanded."""
        faults = []
        for key in set(shown) | set(self.wanted):
            index, wanted = self.wanted.get(key, (None, collections.Counter()))
            demand = generate.STRICT if index is None else self.conversations[index].demand[key[2]]
            missing, extra = wanted - shown[key], shown[key] - wanted
            if demand == generate.ANY or (demand == generate.SECOND and not two_passes):
                missing = collections.Counter()
            if missing or extra:
                faults.append(Fault(index, key[2], list(missing.elements()),
                                    list(extra.elements())))
        return sorted(faults, key=lambda fault: (fault.index is None, fault.index))

    def describe(self, faults):
        lines = []
        for f in faults[:8]:
            lines.append("  generate.py --profile %s --seed %d --only %s: %s: %d missing %s, %d extra "
                         "%s" % (self.profile, self.seed, f.index, f.direction, len(f.missing),
                                 [p[:24] for p in f.missing[:4]], len(f.extra),
                                 [p[:24] for p in f.extra[:4]]))
        return "\n".join(lines)
