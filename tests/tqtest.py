# SPDX-License-Identifier: GPL-2.0-or-later
"""What the capture tests share: running tshark with the plugin, and reading truth files.

The environment says where things are: TQ_SOURCE and TQ_BUILD are the source and the build tree."""

import atexit
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TQ_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURES = os.path.join(SOURCE, "captures")
TRUTH = os.path.join(SOURCE, "tests", "truth")
# The user's own configuration is not to matter.
os.environ.setdefault("TQ_HOME", tempfile.mkdtemp())
atexit.register(shutil.rmtree, os.environ["TQ_HOME"], ignore_errors=True)
sys.path.insert(0, os.path.join(SOURCE, "tests", "transport"))
WRAPPER = os.path.join(SOURCE, "tools", "tshark.sh")
TIMEOUT = 300

# Preferences that a capture needs.
PREFERENCES = {
    "blowfish_5065": ["tq.keylog_file:" + os.path.join(CAPTURES, "blowfish_5065.keylog")],
}


def hide_global_dictionary():
    """Nor is the dictionary of all users to matter: if there is one, Wireshark gets a folder of links
    to all else that is for all users."""
    folders = subprocess.run([WRAPPER, "-G", "folders"], capture_output=True, text=True,
                             env=dict(os.environ, TQ_PROGRAM="tshark")).stdout
    source = re.search(r"^Global configuration:\s*(.*)$", folders, re.M)
    if not source or not os.path.exists(os.path.join(source[1], "tq")):
        return
    links = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, links)
    os.chmod(links, 0o755)
    for name in os.listdir(source[1]):
        if name != "tq":
            os.symlink(os.path.join(source[1], name), os.path.join(links, name))
    os.environ["WIRESHARK_DATA_DIR"] = links


hide_global_dictionary()


def capture(name):
    return os.path.join(CAPTURES, name + ".pcapng")


def run(arguments, program="tshark", check=True, stdin=None):
    """Runs a program of Wireshark's with the plugin; returns what it printed. Bytes that are no
    UTF-8 become surrogates: a dissector of Wireshark's prints some where a capture is damaged."""
    done = subprocess.run([WRAPPER] + arguments, capture_output=True, encoding="utf-8",
                          errors="surrogateescape", input=stdin, timeout=TIMEOUT,
                          env=dict(os.environ, TQ_PROGRAM=program))
    if check and done.returncode != 0:
        raise AssertionError("%s %s: exit status %d: %s"
                             % (program, " ".join(arguments), done.returncode, done.stderr[-2000:]))
    # The sanitizers say what they found on stderr, and a plugin that does not load is told there.
    for word in ("runtime error", "ERROR: AddressSanitizer", "Couldn't load plugin"):
        if word in done.stderr:
            raise AssertionError(done.stderr[-8000:])
    leaks = [block for block in done.stderr.split("\n\n")
             if "leak of" in block and SOURCE + "/" in block]
    if leaks:
        raise AssertionError("\n\n".join(leaks))
    return done


def options(preferences):
    return [word for preference in preferences for word in ("-o", preference)]


def tshark(path, arguments=(), preferences=(), two_passes=False):
    """Runs tshark over a capture; returns its standard output."""
    passes = ["-2"] if two_passes else []
    return run(passes + options(preferences) + ["-r", path] + list(arguments)).stdout


def fields(path, names, display_filter=None, preferences=(), two_passes=False):
    """The values of fields: a list of tuples of lists, one tuple a frame."""
    arguments = ["-T", "fields", "-E", "occurrence=a", "-E", "aggregator=\x1f"]
    for name in names:
        arguments += ["-e", name]
    if display_filter:
        arguments += ["-Y", display_filter]
    rows = tshark(path, arguments, preferences, two_passes).splitlines()
    return [tuple(value.split("\x1f") if value else [] for value in row.split("\t"))
            for row in rows]


def write_noise(path, display_filter="tcp", game_port=5816):
    """Writes login_5017 with random bytes for what the game connection carries; the packets of a
    display filter only."""
    import wire
    rng, frames = random.Random(5017), []
    for time, stream, *ends, seq, ack, flags, payload in fields(
            capture("login_5017"), ["frame.time_epoch", "tcp.stream", "tcp.srcport", "tcp.dstport",
                                    "tcp.seq_raw", "tcp.ack_raw", "tcp.flags", "tcp.payload"],
            display_filter):
        data = bytes.fromhex(payload[0].replace(":", "")) if payload else b""
        if stream == ["1"]:
            data = rng.randbytes(len(data))
        ports = [game_port if port == ["5816"] else int(port[0]) for port in ends]
        segment = wire.tcp(ports[0], ports[1], int(seq[0]), int(ack[0]),
                           int(flags[0], 16) & 0xff, data)
        frame = wire.ip("127.0.0.1", "127.0.0.1", segment)
        frames.append((float(time[0]), frame, len(frame)))
    wire.write_pcap(path, "raw", frames)
    os.chmod(path, 0o644)


def truth_rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def expected_messages(rows):
    """Counts the messages of a truth file that are wholly in the capture."""
    wanted = collections.Counter()
    for row in rows:
        if row.get("captured", "full") != "full" or row.get("kind", "msg") != "msg":
            continue
        plain = row["hex"]
        # A footer is not part of the message; the header's own size says where it ends.
        plain = plain[:2 * int(plain[2:4] + plain[0:2], 16)]
        wanted[(row["client_addr"], row["server_addr"], row["dir"], plain)] += 1
    return wanted


def shown_messages(path, preferences=(), two_passes=False, display_filter="tq.plaintext"):
    """Counts the messages that tshark shows, as expected_messages() does."""
    names = ["ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport",
             "tq.direction", "tq.plaintext"]
    shown = collections.Counter()
    for row in fields(path, names, display_filter, preferences, two_passes):
        source = (row[0] or row[1])[-1] + ":" + row[2][-1]
        target = (row[3] or row[4])[-1] + ":" + row[5][-1]
        for direction, plain in zip(row[6], row[7]):
            if int(direction) == 0:
                shown[(source, target, "c2s", plain.replace(":", ""))] += 1
            else:
                shown[(target, source, "s2c", plain.replace(":", ""))] += 1
    return shown


class TestCase(unittest.TestCase):
    maxDiff = 2000

    def assert_messages(self, wanted, shown, what=""):
        missing, extra = wanted - shown, shown - wanted
        if missing or extra:
            sample = [(k[0], k[1], k[2], k[3][:40]) for k in list(missing)[:3] + list(extra)[:3]]
            self.fail("%s: %d of %d messages missing, %d extra; first ones: %s"
                      % (what, sum(missing.values()), sum(wanted.values()), sum(extra.values()),
                         sample))
