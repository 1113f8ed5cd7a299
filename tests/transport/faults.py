# SPDX-License-Identifier: GPL-2.0-or-later
"""What happens to segments between their sender and a capture file.

Each takes a conversation and changes the list of its segments in place. None touches what is in
`keep`: a number of segments at the start."""

import wire
from traffic import C2S, S2C, Segment, other


def data_indices(c, keep=0):
    return [i for i, s in enumerate(c.segments) if i >= keep and s.has_data]


def lose(c, share, keep=0):
    c.segments = [s for i, s in enumerate(c.segments)
                  if i < keep or not s.has_data or c.rng.random() >= share]


def lose_burst(c, keep=0):
    """A stretch of the capture is missing, in both directions."""
    at = c.rng.randrange(keep, max(keep + 1, len(c.segments)))
    count = c.rng.randrange(2, 12)
    c.segments = [s for i, s in enumerate(c.segments) if not (at <= i < at + count and s.has_data)]


def insert_later(c, i, segment, distance):
    c.segments.insert(min(len(c.segments), i + c.rng.randrange(1, distance + 1)), segment)


def repeat(c, share, keep=0):
    """Plain retransmissions; some far later."""
    for i in reversed(data_indices(c, keep)):
        if c.rng.random() < share:
            insert_later(c, i, c.segments[i].copy(), c.rng.choice((1, 3, 20)))


def repeat_overlapping(c, share, keep=0):
    """Retransmissions that are cut anew: a part, or together with bytes before and after."""
    for i in reversed(data_indices(c, keep)):
        if c.rng.random() >= share:
            continue
        s = c.segments[i]
        start = max(0, s.start + c.rng.randrange(-40, 20))
        sent = max(x.end for x in c.segments[:i + 1] if x.direction == s.direction)
        end = min(sent, s.end + c.rng.randrange(-20, 20))
        if start < end:
            insert_later(c, i, s.copy(start, end), 3)


def extend_back(c, share, keep=0):
    """Retransmissions that carry new data too: a segment begins before its place."""
    for i in data_indices(c, keep):
        if c.rng.random() < share:
            s = c.segments[i]
            s.start = max(0, s.start - c.rng.randrange(1, 60))


def delay(c, share, distance, keep=0):
    """Segments come late: seen by the capture only when sent again, or out of order."""
    for i in reversed(data_indices(c, keep)):
        if c.rng.random() < share:
            s = c.segments.pop(i)
            insert_later(c, i - 1, s, distance)


def swap_blocks(c):
    """The capture file's second part is before its first."""
    at = c.rng.randrange(1, len(c.segments))
    c.segments = c.segments[at:] + c.segments[:at]


def shuffle(c, keep=0):
    rest = c.segments[keep:]
    c.rng.shuffle(rest)
    c.segments[keep:] = rest


def reverse(c):
    c.segments.reverse()


def move_syn(c):
    """Data before the SYNs in the file."""
    syns = [s for s in c.segments if s.flags & wire.SYN]
    rest = [s for s in c.segments if not s.flags & wire.SYN]
    at = c.rng.randrange(1, min(12, len(rest)))
    c.segments = rest[:at] + syns + rest[at:]


def drop_syn(c):
    c.segments = [s for s in c.segments if not s.flags & wire.SYN]


def keep_alive(c, share):
    for i in reversed(data_indices(c)):
        if c.rng.random() < share:
            s = c.segments[i]
            sent = max(x.end for x in c.segments[:i + 1] if x.direction == s.direction)
            if c.rng.random() < 0.5:
                probe = Segment(s.direction, sent - 1, sent - 1, wire.ACK)
            else:
                # With one byte, which stands for nothing.
                probe = Segment(s.direction, sent - 1, sent, wire.ACK, payload=b"\0")
            insert_later(c, i, probe, 1)


def probe_zero_window(c, share, keep=0):
    """One byte of new data, then a segment with that byte again."""
    for i in reversed(data_indices(c, keep)):
        s = c.segments[i]
        if s.end - s.start > 1 and c.rng.random() < share:
            c.segments.insert(i, s.copy(s.start, s.start + 1))


def finish_with_data(c):
    """Each side's last segment with data carries FIN."""
    c.segments = [s for s in c.segments if not s.flags & wire.FIN]
    for direction in (C2S, S2C):
        for s in [s for s in c.segments if s.direction == direction and s.has_data][-1:]:
            s.flags |= wire.FIN


def reset(c):
    """One side ends with RST. (With a payload, that would be a cause, and not the stream's.)"""
    for s in c.segments:
        if s.flags & wire.FIN:
            s.flags = wire.RST | wire.ACK


def open_with_data(c):
    """The client's SYN carries its first bytes."""
    syn = next(s for s in c.segments if s.flags == wire.SYN)
    first = next(s for s in c.segments if s.direction == C2S and s.has_data and s.start == 0)
    syn.end = c.rng.randrange(1, first.end + 1)
    if syn.end == first.end:
        c.segments.remove(first)
    else:
        first.start = c.rng.choice((0, syn.end))


def snap(c, share, keep=0):
    for i in data_indices(c, keep):
        if c.rng.random() < share:
            s = c.segments[i]
            s.snap = c.rng.randrange(0, s.end - s.start)


def begin_late(c, share):
    """The capture begins within the connection."""
    at = c.rng.randrange(4, max(5, int(len(c.segments) * share)))
    c.segments = c.segments[at:]
