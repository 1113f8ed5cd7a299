# SPDX-License-Identifier: GPL-2.0-or-later
"""How much the plugin adds to tshark's start. Processor time, the least of several runs each, so
that a busy machine matters little."""

import os
import resource
import tempfile
import unittest

import dictionary as d
import tqtest

RUNS = 8
AIM = 1.15
# Sanitizers slow the plugin alone, and a failure should mean more than a bad day.
LIMIT = 1.30


def processor_time(build, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.environ["TQ_BUILD"] = build
    tqtest.run(["-r", path])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Startup(unittest.TestCase):
    def test_startup(self):
        if os.environ.get("TQ_PRELOAD"):
            self.skipTest("skipped: the sanitizers' own cost hides the plugin's")
        with d.Home() as home, tempfile.TemporaryDirectory() as empty:
            os.mkdir(os.path.join(empty, "plugins"))
            for folder in (empty, os.path.join(empty, "plugins")):
                os.chmod(folder, 0o755)
            path = os.path.join(home.path, "empty.pcap")
            d.write_capture(path, [])
            build = os.environ["TQ_BUILD"]
            times = [(processor_time(build, path), processor_time(empty, path))
                     for _ in range(RUNS)]
        with_plugin, without = (min(column) for column in zip(*times))
        ratio = with_plugin / without
        print("start-up %.0f ms with the plugin, %.0f ms without: ratio %.2f (aim: under %.2f)"
              % (1000 * with_plugin, 1000 * without, ratio, AIM))
        self.assertLess(ratio, LIMIT)


if __name__ == "__main__":
    unittest.main()
