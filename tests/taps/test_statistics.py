# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics -> TQ, TQ Sessions and Service Response Time, compared with what the servers logged."""

import collections
import os
import random
import re
import tempfile
import unittest

import taptest
import tqtest
import generate  # in tests/transport, which tqtest puts on the path
import traffic

SERVERS = {"auth": "Account server", "game": "Game server"}
DIRECTIONS = {True: "Client to server", False: "Server to client"}


def parse_tree(text):
    """Counts of a statistics tree by path; a type is its number. An item is indented by its depth
    less one."""
    counts, path = {}, []
    for line in text[text.index("Messages "):].splitlines():
        found = re.match(r"( *)(\S.*?) {2,}(\d+) ", line)
        if not found:
            break
        indent, item, count = found.groups()
        number = re.search(r"\((\d+)\)$", item)
        path = path[:len(indent)] + [int(number.group(1)) if number else item]
        counts[tuple(path)] = int(count)
    return counts


def expected_tree(messages):
    counts = collections.Counter()
    for message in messages:
        server, direction = SERVERS[message.server], DIRECTIONS[message.from_client]
        for unit, amount in (("Messages", 1), ("Bytes", len(message.plain))):
            for path in ((), ("By server",), ("By server", server),
                         ("By server", server, direction), ("By direction",),
                         ("By direction", direction), ("By type",),
                         ("By type", taptest.type_of(message)),
                         ("By type", taptest.type_of(message), direction)):
                counts[(unit,) + path] += amount
    return dict(counts)


class Tree(tqtest.TestCase):
    def test_counts(self):
        for name in taptest.CLEAN + taptest.DISTURBED:
            for two_passes in (False, True):
                with self.subTest(name, two_passes=two_passes):
                    text = taptest.run(name, ["-q", "-z", "tq,tree"], two_passes)
                    self.assertEqual(expected_tree(taptest.messages(name)), parse_tree(text))

    def test_filter(self):
        text = taptest.run("login_5017", ["-q", "-z", "tq,tree,tcp.stream==0"])
        self.assertEqual(expected_tree(taptest.by_stream("login_5017")[0]), parse_tree(text))

    def test_exported(self):
        """Exported PDUs give the same counts as the connections that they are from."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            path = os.path.join(folder, "plain.pcapng")
            for name in ("login_5017", "blowfish_5065"):
                taptest.run(name, ["-U", "OSI layer 7", "-w", path])
                for two_passes in (False, True):
                    text = tqtest.tshark(path, ["-q", "-z", "tq,tree"], two_passes=two_passes)
                    self.assertEqual(expected_tree(taptest.messages(name)), parse_tree(text))
                # What needs connections stays empty.
                text = tqtest.tshark(path, ["-q", "-z", "tq,sessions", "-z", "tq,srt", "-z",
                                            "follow,tq,raw,0"])
                self.assertNotIn("127.0.0.1", text)
                self.assertNotRegex(text, r"\d  Msg")
                # No message is exported a second time.
                again = os.path.join(folder, "again.pcapng")
                tqtest.tshark(path, ["-U", "OSI layer 7", "-w", again])
                self.assertEqual("", tqtest.tshark(again))
                text = tqtest.tshark(path, ["-q", "-z", "credentials"])
                self.assertRegex(text, r"TQ +%s" % account_of(name))

    def test_names(self):
        text = taptest.run("login_5017", ["-q", "-z", "tq,tree"])
        self.assertRegex(text, r"MsgWalk \(1005\) +72 ")

    def test_nothing_there(self):
        text = taptest.run("mid_game_5017", ["-q", "-z", "tq,tree"],
                           preferences=["tq.recover_keys:FALSE"])
        self.assertRegex(text, r"Messages +0 ")


Session = collections.namedtuple(
    "Session", "stream kind account client server first last messages size patch cipher key")


def sessions(name, two_passes=False, preferences=(), tap="tq,sessions"):
    text = taptest.run(name, ["-q", "-z", tap], two_passes, preferences)
    lines = text[text.index("\nTQ Sessions\n"):].splitlines()[2:]
    return [Session(*(cell.strip() for cell in line.rstrip("|").split("|")))
            for line in lines if "|" in line]


def account_of(name):
    """The name in MsgAccount: 16 bytes behind the header, the same up to patch 5173."""
    for message in taptest.messages(name):
        if taptest.type_of(message) == 1051:
            return message.plain[4:20].split(b"\0")[0].decode()
    return ""


# Patch, cipher and keys of the game connection.
GAME_STATE = {
    "login_5017": (5017, "TQ cipher", "Alternate key / Base key"),
    "dropped_5017": (5017, "TQ cipher", "Alternate key / Base key"),
    "login_4330": (4330, "TQ cipher", "Alternate key / Base key"),
    "blowfish_5065": (5065, "Blowfish-CFB64", "Session key / Session key"),
}


def patch_fits(text, patch):
    if text == "unknown":
        return True
    bounds = [int(number) for number in re.findall(r"\d+", text)]
    low = 0 if text.startswith("up to") else bounds[0]
    high = 65535 if text.startswith("from") else bounds[-1]
    return low <= patch <= high


def announce(path, seeds):
    """Writes logins, one a seed, and a game connection of random bytes whose start is missing, of
    which the server speaks first, and whose client has the lower port."""
    game_server, made = ("192.0.2.5", 25000), []
    for turn, seed in enumerate(seeds):
        rng = random.Random(seed)
        login = traffic.Conversation(rng, ("10.2.0.1", 50000 + turn), ("192.0.2.4", 9958))
        traffic.talk_to_account(login, turn, 1000000, game_server)
        made.append(login)
    game = traffic.Conversation(random.Random(3), ("10.2.0.1", 20000), game_server)
    for direction in (traffic.S2C, traffic.C2S) * 5:
        game.say(direction, [game.rng.randbytes(40)], lambda plain, at: plain)
    made.append(game)
    for turn, conversation in enumerate(made):
        conversation.cut("turn")
        conversation.start = 2 * turn
    game.segments = game.segments[3:]
    generate.write(path, made, "ethernet")
    os.chmod(path, 0o644)


class Sessions(tqtest.TestCase):
    def test_rows(self):
        for name in taptest.CLEAN + taptest.DISTURBED:
            for two_passes in (False, True):
                with self.subTest(name, two_passes=two_passes):
                    shown = {int(row.stream): row for row in sessions(name, two_passes)}
                    for stream, messages in taptest.by_stream(name).items():
                        row = shown[stream]
                        self.assertEqual((messages[0].client_end, messages[0].server_end),
                                         (row.client, row.server))
                        self.assertEqual(SERVERS[messages[0].server], row.kind)
                        self.assertEqual((len(messages), sum(len(m.plain) for m in messages)),
                                         (int(row.messages), int(row.size)))

    def test_account(self):
        for name in ("login_5017", "login_4330", "blowfish_5065"):
            self.assertEqual([account_of(name)] * 2, [row.account for row in sessions(name)])

    def test_frames(self):
        """First and last frame are those of the bytes of the connection."""
        for name in ("login_5017", "login_4330"):
            for row in sessions(name):
                frames = [int(number[0]) for number, in tqtest.fields(
                    tqtest.capture(name), ["frame.number"],
                    "tcp.stream == %s && tcp.len > 0" % row.stream)]
                self.assertEqual((frames[0], frames[-1]), (int(row.first), int(row.last)))

    def test_state(self):
        for name, (patch, cipher, key) in GAME_STATE.items():
            with self.subTest(name):
                account, game = sessions(name)
                self.assertTrue(patch_fits(account.patch, patch), account.patch)
                self.assertTrue(patch_fits(game.patch, patch), game.patch)
                self.assertEqual(("TQ cipher", "Base key / Base key"),
                                 (account.cipher, account.key))
                self.assertEqual((cipher, key), (game.cipher, game.key))

    def test_key_missing(self):
        text = tqtest.tshark(tqtest.capture("blowfish_5065"), ["-q", "-z", "tq,sessions"])
        self.assertRegex(text, r"Game server +\|%s +\|.*\| +0 \| +0 \|.*Blowfish-CFB64 \|None / None"
                         % account_of("blowfish_5065"))

    def test_ends_of_the_undeciphered(self):
        """The server speaks first, nothing is deciphered: its port tells it, or the login does."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        path = os.path.join(folder.name, "noise.pcap")
        row = 'uat:tq_servers:"127.0.0.1","60000","","","","",""'
        for packets, port, preferences in (
                ("tcp.stream == 1 && frame.number > 15", 5816, []),
                ("tcp.stream == 1 && frame.number > 15", 60000, [row]),
                ("tcp.stream == 0 || frame.number > 40", 5816, ["tq.tcp.port:9958"])):
            tqtest.write_noise(path, packets, port)
            text = tqtest.tshark(path, ["-q", "-z", "tq,sessions"], preferences)
            self.assertRegex(text, r"\|127\.0\.0\.1:55462 +\|127\.0\.0\.1:%d +\|" % port)

    def test_announced(self):
        """The logins before a game connection that cannot be read name its server, and its account
        unless they are of two."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        path = os.path.join(folder.name, "announced.pcap")
        for seeds in ((1,), (1, 1), (1, 2)):
            announce(path, seeds)
            names = {row[0][0] for row in tqtest.fields(path, ["conquer.account.account"],
                                                        "conquer.account.account")}
            self.assertEqual(len(set(seeds)), len(names))
            for two_passes in (False, True):
                text = tqtest.tshark(path, ["-q", "-z", "tq,sessions"], two_passes=two_passes)
                shown = re.findall(r"\|(\w*) +\|10\.2\.0\.1:20000 +\|192\.0\.2\.5:25000 ", text)
                self.assertEqual(list(names) if len(names) == 1 else [""], shown, text)

    def test_recovered(self):
        row, = sessions("mid_game_5017", two_passes=True)
        self.assertEqual("Recovered key / Recovered key", row.key)
        self.assertTrue(patch_fits(row.patch, 5017), row.patch)
        self.assertEqual(len(taptest.messages("mid_game_5017")), int(row.messages))

    def test_filter(self):
        """Of the packets of a filter; the account is known though its login is none of them."""
        self.assertEqual([("1", account_of("login_5017"))], [
            (row.stream, row.account)
            for row in sessions("login_5017", tap="tq,sessions,tcp.stream==1")])


# Requests and answers: (server, request types, answer type).
EXCHANGES = {
    "MsgAccount -> MsgConnectEx": ("auth", (1051,), 1055),
    "MsgConnect -> MsgTalk": ("game", (1052,), 1004),
    "MsgAction -> its echo": ("game", (1010,), 1010),
}


def echo_key(message):
    """What an action and its echo share, up to patch 5164: the hero at 8, the action at 22."""
    if taptest.type_of(message) != 1010:
        return b""
    return message.plain[8:12] + message.plain[22:24]


def expected_times(name):
    """Nanoseconds from each answered request to its answer."""
    result, times = collections.defaultdict(list), taptest.times(name)
    for messages in taptest.by_stream(name).values():
        # As the capture shows them; of one frame in the order of sending.
        pending = {}
        for message in sorted(messages, key=lambda m: m.frame):
            for label, (server, requests, answer) in EXCHANGES.items():
                key = label, echo_key(message)
                if message.server != server:
                    continue
                if message.from_client and taptest.type_of(message) in requests:
                    pending[key] = message.frame
                elif not message.from_client and taptest.type_of(message) == answer and \
                        key in pending:
                    result[label].append(times[message.frame] - times[pending.pop(key)])
    return result


def microseconds(text):
    return int(text.replace(".", ""))


class ResponseTimes(tqtest.TestCase):
    def test_times(self):
        for name in ("login_5017", "login_4330", "segmentation_5017", "blowfish_5065"):
            for two_passes in (False, True):
                with self.subTest(name, two_passes=two_passes):
                    text = taptest.run(name, ["-q", "-z", "tq,srt"], two_passes)
                    rows = re.findall(r"^ +\d+  (Msg.*?) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) ",
                                      text, re.MULTILINE)
                    expected = expected_times(name)
                    self.assertEqual(set(expected), {row[0] for row in rows})
                    for label, calls, least, most, mean in rows:
                        durations = expected[label]
                        self.assertEqual(len(durations), int(calls), label)
                        for wanted, shown in ((min(durations), least), (max(durations), most),
                                              (sum(durations) / len(durations), mean)):
                            self.assertAlmostEqual(wanted / 1000, microseconds(shown), delta=1)


if __name__ == "__main__":
    unittest.main()
