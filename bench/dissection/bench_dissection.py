#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what the plugin costs tshark, in time and memory.

usage: bench_dissection.py [--messages N] [--connections N] [--rounds N] [--json FILE] [CAPTURE]

Without a capture it makes one (make_capture.py). Runs tshark in turn with the protocol enabled,
disabled, and disabled but with a Lua script that only deciphers (decrypt_only.lua), in several
modes, so that noise falls on all alike; prints medians and ratios to "disabled". TQ_BUILD names the
build tree. A plain `tshark -q` dissects nothing, hence the tap."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TSHARK = os.path.join(HERE, "..", "..", "tools", "tshark.sh")
LUA = os.path.join(HERE, "decrypt_only.lua")

MODES = {
    "plain read": ["-q", "-z", "io,stat,0"],
    "-2": ["-2", "-q", "-z", "io,stat,0"],
    "-V": ["-V"],
    "-T json": ["-T", "json"],
}
WAYS = {
    "disabled": ["--disable-protocol", "tq", "--disable-protocol", "conquer"],
    "enabled": [],
    "Lua": ["--disable-protocol", "tq", "--disable-protocol", "conquer", "-X",
            "lua_script:" + LUA],
}


def run(command, **options):
    """Runs a program; ends with what it says if it fails."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode:
        sys.exit("bench_dissection: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


def mode_names(text):
    names = text.split(",")
    if not set(names) <= set(MODES):
        raise argparse.ArgumentTypeError("of " + ", ".join(MODES))
    return names


def measure(arguments):
    """Runs tshark; returns its seconds of processor time and its peak memory in KiB."""
    with tempfile.NamedTemporaryFile("r") as report:
        run(["/usr/bin/time", "-o", report.name, "-f", "%U %S %M", TSHARK] + arguments,
            stdout=subprocess.DEVNULL)
        user, system, memory = report.read().split()
    return float(user) + float(system), int(memory)


def count_messages(capture):
    out = run([TSHARK, "-r", capture, "-q", "-z", "io,stat,0,COUNT(tq.type)tq.type"],
              stdout=subprocess.PIPE)
    found = re.findall(r"<> *[0-9.]+ *\| *(\d+) \|", out)
    if not found or found[-1] == "0":
        sys.exit("bench_dissection: no messages in " + capture)
    return int(found[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=positive, default=200000)
    parser.add_argument("--connections", type=positive, default=400)
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--modes", type=mode_names, default=list(MODES), help="comma-separated")
    parser.add_argument("--json", help="file to write the figures to")
    parser.add_argument("capture", nargs="?")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        # Nobody's preferences; tshark may run as nobody.
        os.chmod(home, 0o755)
        os.environ["TQ_HOME"] = home
        compare(arguments)


def compare(arguments):

    made = None
    if not arguments.capture:
        made = tempfile.NamedTemporaryFile(suffix=".pcap")
        run([sys.executable, os.path.join(HERE, "make_capture.py"), "--messages",
             str(arguments.messages), "--connections", str(arguments.connections), made.name])
    capture = arguments.capture or made.name
    messages = count_messages(capture)
    modes = arguments.modes

    times = {(mode, way): [] for mode in modes for way in WAYS}
    memory = {key: 0 for key in times}
    for _ in range(arguments.rounds):
        for mode, way in times:
            seconds, kib = measure(["-r", capture] + MODES[mode] + WAYS[way])
            times[mode, way].append(seconds)
            memory[mode, way] = max(memory[mode, way], kib)

    print("%d messages; processor seconds, medians of %d; memory is the peak above disabled"
          % (messages, arguments.rounds))
    print("%-12s %-9s %8s %7s %16s" % ("mode", "way", "seconds", "ratio", "bytes/message"))
    rows = []
    for mode in modes:
        base = statistics.median(times[mode, "disabled"])
        for way in WAYS:
            seconds = statistics.median(times[mode, way])
            above = (memory[mode, way] - memory[mode, "disabled"]) * 1024 / messages
            print("%-12s %-9s %8.2f %7.2f %16.0f" % (mode, way, seconds, seconds / base, above))
            rows.append({"mode": mode, "way": way, "seconds": seconds, "ratio": seconds / base,
                         "bytes_per_message": above})
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"messages": messages, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
