# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tap tests share: the messages of the truth files by TCP stream, and when they came."""

import collections
import functools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tqtest

# A mistake of the dissector is to end tshark, not to become a line in its output.
os.environ["WIRESHARK_ABORT_ON_DISSECTOR_BUG"] = "1"

CLEAN = ["login_5017", "login_4330", "register_5017", "segmentation_5017", "counter_wrap_5017",
         "blowfish_5065"]
DISTURBED = ["dropped_5017", "reordered_5017", "retransmissions_5017"]

# One message: from_client; plaintext without footer; last frame needed; account server or game.
Message = collections.namedtuple("Message", "from_client plain frame server client_end server_end")


def run(name, arguments, two_passes=False, preferences=()):
    return tqtest.tshark(tqtest.capture(name), arguments,
                         list(tqtest.PREFERENCES.get(name, [])) + list(preferences), two_passes)


def to_messages(rows):
    for row in rows:
        if row.get("captured", "full") != "full" or row.get("kind", "msg") != "msg":
            continue
        plain = bytes.fromhex(row["hex"])
        yield Message(row["dir"] == "c2s", plain[:int.from_bytes(plain[:2], "little")],
                      row["frame_last"], row["stream"], row["client_addr"], row["server_addr"])


@functools.lru_cache(maxsize=None)
def messages(name):
    """The messages of a capture's truth file, in the order of sending."""
    return list(to_messages(tqtest.truth_rows(os.path.join(tqtest.TRUTH, name + ".jsonl"))))


@functools.lru_cache(maxsize=None)
def times(name):
    """Times of the frames, in whole nanoseconds as text says them."""
    rows = tqtest.fields(tqtest.capture(name), ["frame.number", "frame.time_epoch"])
    return {int(row[0][0]): int(row[1][0].replace(".", "")) for row in rows}


@functools.lru_cache(maxsize=None)
def streams(name):
    """Number of the TCP stream by (client end, server end)."""
    rows = tqtest.fields(tqtest.capture(name),
                         ["tcp.stream", "ip.src", "tcp.srcport", "ip.dst", "tcp.dstport"], "tcp")
    result = {}
    for stream, source, source_port, target, target_port in rows:
        ends = [source[0] + ":" + source_port[0], target[0] + ":" + target_port[0]]
        result[tuple(ends)] = result[tuple(reversed(ends))] = int(stream[0])
    return result


def by_stream(name):
    """The messages by number of the TCP stream."""
    result = collections.defaultdict(list)
    for message in messages(name):
        result[streams(name)[message.client_end, message.server_end]].append(message)
    return result


def type_of(message):
    return int.from_bytes(message.plain[2:4], "little")
