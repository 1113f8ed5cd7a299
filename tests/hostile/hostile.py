# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests with hostile captures share: making them, and running tshark over them with its
time and memory measured."""

import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "transport")]
import cipher  # noqa: E402
import tqtest  # noqa: E402
import wire  # noqa: E402

CLIENT, SERVER = "10.0.0.2", "10.0.0.1"
GAME_PORT = 5816
SLOW = os.environ.get("TQ_SLOW") == "1"


def frame(port, seq, payload=b"", flags=wire.ACK, server=False, client_ip=CLIENT):
    """A TCP segment between a client's port and the game server's."""
    ends = [(client_ip, port), (SERVER, GAME_PORT)]
    source, target = reversed(ends) if server else ends
    return wire.ip(source[0], target[0],
                   wire.tcp(source[1], target[1], seq, 0, flags, payload))


def opening(port, client_ip=CLIENT):
    return [frame(port, 0, flags=wire.SYN, client_ip=client_ip),
            frame(port, 0, flags=wire.SYN | wire.ACK, server=True, client_ip=client_ip)]


def connect_message():
    return struct.pack("<HHIIHH8sI", 28, 1052, 1000000, 7, 5017, 0, b"En", 10)


def stream(port, plain, server=False, step=1400):
    """Segments of a direction whose plaintext, from its first byte on, is given."""
    encrypt = cipher.encrypt_server if server else cipher.encrypt_client
    data = encrypt(plain, 0)
    return [frame(port, 1 + at, data[at:at + step], server=server)
            for at in range(0, len(data), step)]


def talk(plain, port=50000):
    """A login, and what the server says then: its key does not change."""
    return (opening(port) + stream(port, connect_message()) + stream(port, plain, server=True))


class Capture:
    """A capture in a folder of its own. packets: IP packets, whole or as (packet, captured)."""

    def __init__(self, packets, times=None):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.path = os.path.join(self.folder.name, "hostile.pcap")
        times = times or itertools.count()
        wire.write_pcap(self.path, "raw",
                        ((t / 1000, p, len(p)) for t, p in zip(times, packets)))

    def remove(self):
        self.folder.cleanup()


def measure(path, arguments=()):
    """Runs tshark over a capture. Returns its processor time in seconds and its peak memory in
    MiB."""
    done = subprocess.run(["time", "-f", "%U %S %M", tqtest.WRAPPER, "-r", path] + list(arguments),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=3600)
    user, system, memory = done.stderr.split("\n")[-2].split()
    if done.returncode != 0:
        raise AssertionError(done.stderr[-2000:])
    return float(user) + float(system), int(memory) / 1024


def compare(path, name, arguments=()):
    """Measures with the protocol enabled and disabled; prints both."""
    measure(path, ["-c", "1"])  # files into the cache
    enabled = measure(path, arguments)
    disabled = measure(path, ["--disable-protocol", "tq"] + list(arguments))
    print("%s: %.2f s, %.0f MiB; disabled %.2f s, %.0f MiB; ratio %.2f"
          % (name, enabled[0], enabled[1], disabled[0], disabled[1], enabled[0] / disabled[0]))
    return enabled, disabled


def own_lines(text):
    """The lines of tshark's output that are the plugin's: the packet list's and trees."""
    own = False
    for line in text.split("\n"):
        if line[:1] != " ":
            own = line.startswith(("TQ", "Conquer"))
        if own or re.match(r" *\d+ +\d+\.\d+ .* TQ ", line):
            yield line


def is_utf8(text):
    return not any("\ud800" <= character <= "\udfff" for character in text)


def show(path, arguments=(), check=True):
    """Runs tshark with packet list and trees printed; a bug that Wireshark itself finds in a dissector
    fails, and so does text of the plugin's that is no UTF-8. Returns what it printed."""
    os.environ["WIRESHARK_ABORT_ON_DISSECTOR_BUG"] = "1"
    text = tqtest.run(["-PV", "-r", path] + list(arguments), check=check).stdout
    wrong = [line for line in own_lines(text) if not is_utf8(line)]
    if wrong:
        raise AssertionError("no UTF-8: %s" % ascii(wrong[:3]))
    return text


def counted(pattern, text):
    return len(re.findall(pattern, text))
