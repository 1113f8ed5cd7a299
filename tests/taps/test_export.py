# SPDX-License-Identifier: GPL-2.0-or-later
"""Export: the plaintext as PDUs of OSI layer 7, and account names as credentials."""

import collections
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree

import taptest
import tqtest

LAYER7 = "OSI layer 7"


def export(name, path, two_passes=True):
    taptest.run(name, ["-U", LAYER7, "-w", path], two_passes)


def conquer_fields(path, preferences=(), two_passes=False):
    """All fields of "conquer", with what they show, a list for each message."""
    text = tqtest.tshark(path, ["-T", "pdml", "-J", "conquer"], preferences, two_passes)
    return [[(field.get("name"), field.get("show")) for field in protocol.iter("field")]
            for packet in xml.etree.ElementTree.fromstring(text).iter("packet")
            for protocol in packet.findall("proto") if protocol.get("name") == "conquer"]


class Export(tqtest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o777)
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "export.pcapng")

    def test_messages(self):
        """Payload, ends and direction of each PDU are the message's."""
        names = ["exported_pdu.exported_pdu", "exported_pdu.ipv4_src", "exported_pdu.src_port",
                 "exported_pdu.ipv4_dst", "exported_pdu.dst_port", "exported_pdu.p2p_dir",
                 "exported_pdu.prot_name"]
        for name in taptest.CLEAN + taptest.DISTURBED:
            for two_passes in (False, True):
                with self.subTest(name, two_passes=two_passes):
                    export(name, self.path, two_passes)
                    shown = collections.Counter(
                        tuple(value[0] for value in row)
                        for row in tqtest.fields(self.path, names))
                    wanted = collections.Counter()
                    for message in taptest.messages(name):
                        ends = (message.client_end + ":" + message.server_end).split(":")
                        if not message.from_client:
                            ends = ends[2:] + ends[:2]
                        wanted[(message.plain.hex(), *ends,
                                "0" if message.from_client else "1", "conquer")] += 1
                    self.assertEqual(wanted, shown)

    def test_original_frames(self):
        export("login_5017", self.path)
        frames = tqtest.fields(self.path, ["exported_pdu.orig_fno"])
        self.assertEqual(sorted(m.frame for m in taptest.messages("login_5017")),
                         sorted(int(row[0][0]) for row in frames))

    def test_same_fields(self):
        """It opens with no key, and every message reads the same."""
        for name in taptest.CLEAN + taptest.DISTURBED + ["mid_game_5017"]:
            with self.subTest(name):
                export(name, self.path)
                original = conquer_fields(tqtest.capture(name),
                                          tqtest.PREFERENCES.get(name, ()), two_passes=True)
                exported = conquer_fields(self.path)
                self.assertGreater(len(original), 0)
                self.assertEqual(len(original), len(exported))
                for before, after in zip(original, exported):
                    self.assertEqual(before, after)

    def test_part_reads_the_same(self):
        """A message does not need the others that told the patch."""
        part = os.path.join(self.folder.name, "part.pcapng")
        export("blowfish_5065", self.path)
        tqtest.tshark(self.path, ["-Y", "conquer.type == 2030", "-w", part])
        whole = [m for m in conquer_fields(self.path) if ("conquer.type", "2030") in m]
        self.assertGreater(len(whole), 0)
        self.assertEqual(whole, conquer_fields(part))

    def test_columns(self):
        export("login_5017", self.path)
        line = tqtest.tshark(self.path, ["-c", "1"])
        self.assertRegex(line, r" TQ .*MsgAccount testacct01")


class Credentials(tqtest.TestCase):
    def test_accounts(self):
        for name in ("login_5017", "login_4330", "blowfish_5065", "register_5017"):
            with self.subTest(name):
                text = taptest.run(name, ["-q", "-z", "credentials"])
                wanted = [(m.frame, m.plain[4:20].split(b"\0")[0].decode())
                          for m in taptest.messages(name) if taptest.type_of(m) == 1051]
                shown = re.findall(r"^(\d+) +TQ +(\S+)", text, re.MULTILINE)
                self.assertEqual(wanted, [(int(frame), account) for frame, account in shown])


if __name__ == "__main__":
    unittest.main()
