# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames on the wire: TCP in IPv4 or IPv6 on several kinds of link, and pcap files of them."""

import ipaddress
import struct

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16

# Name -> LINKTYPE_ value of pcap.
LINKS = {"null": 0, "ethernet": 1, "raw": 101, "loopback": 108, "cooked": 113}


def tcp(source_port, target_port, seq, ack, flags, payload, window=0xffff):
    # Checksums are left 0: network cards fill them in after the capture, too.
    return struct.pack(">HHIIBBHHH", source_port, target_port, seq & 0xffffffff, ack & 0xffffffff,
                       5 << 4, flags, window, 0, 0) + payload


def ip(source, target, payload):
    source, target = ipaddress.ip_address(source), ipaddress.ip_address(target)
    if source.version == 6:
        return struct.pack(">IHBB", 6 << 28, len(payload), 6, 64) + source.packed + target.packed \
            + payload
    return struct.pack(">BBHHHBBH", 0x45, 0, min(20 + len(payload), 0xffff), 0, 0x4000, 64, 6, 0) \
        + source.packed + target.packed + payload


def link(kind, packet, vlans=()):
    """Puts an IP packet on a link; vlans are the tags on Ethernet, outermost first."""
    is_6 = packet[0] >> 4 == 6
    ether_type = 0x86dd if is_6 else 0x0800
    if kind == "raw":
        return packet
    if kind in ("null", "loopback"):
        return struct.pack("<I" if kind == "null" else ">I", 24 if is_6 else 2) + packet
    if kind == "cooked":
        return struct.pack(">HHH8sH", 0, 1, 6, bytes(8), ether_type) + packet
    tags = b"".join(struct.pack(">HH", 0x8100, vlan) for vlan in vlans)
    return bytes.fromhex("020000000002020000000001") + tags + struct.pack(">H", ether_type) + packet


def write_pcap(path, kind, frames):
    """Writes frames, as (seconds, bytes on the wire, bytes captured)."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, LINKS[kind]))
        for time, data, captured in frames:
            out.write(struct.pack("<IIII", int(time), int(time % 1 * 1000000), captured, len(data)))
            out.write(data[:captured])
