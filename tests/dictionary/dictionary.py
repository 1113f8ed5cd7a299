# SPDX-License-Identifier: GPL-2.0-or-later
"""What the dictionary tests share: messages as exported PDUs, shown by tshark, and a reading of the
dictionary's files that is independent of the plugin's."""

import os
import re
import shutil
import struct
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tqtest  # noqa: E402

MESSAGES = os.path.join(tqtest.SOURCE, "messages")
CLIENT, SERVER, UNKNOWN = 0, 1, None
WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "bool": 1}

# Link type of "Wireshark upper PDU", and the tags of its header that are needed here.
LINKTYPE_UPPER_PDU = 252
TAG_END, TAG_DISSECTOR, TAG_DIRECTION = 0, 12, 35


class Packet:
    """One dissected message: its fields as (name, position, size, shown value)."""

    def __init__(self, element, start):
        self.fields = []
        for field in element.iter("field"):
            name = field.get("name", "")
            if not name.startswith("conquer."):
                continue
            self.fields.append((name, int(field.get("pos", 0)) - start, int(field.get("size", 0)),
                                field.get("show", "")))
        self.experts = {field.get("name") for field in element.iter("field")
                        if re.match(r"conquer\.(unknown_type|no_layout|truncated|longer|"
                                    r"strings_overrun|records_overrun|invalid_text)$",
                                    field.get("name", ""))}
        # An expert info of the group "malformed" hides the same protocol in its packet.
        self.malformed = any(proto.get("name") == "_ws.malformed" and proto.get("hide") != "yes"
                             for proto in element.iter("proto"))

    def values(self, name):
        return [show for field, _, _, show in self.fields if field == "conquer." + name]

    def number(self, name):
        values = self.values(name)
        return int(values[0], 0) if values else None


def encapsulate(message, direction):
    """The message as an exported PDU for the dissector conquer. Returns header and whole."""
    header = struct.pack(">HH8s", TAG_DISSECTOR, 8, b"conquer")
    if direction is not UNKNOWN:
        header += struct.pack(">HHI", TAG_DIRECTION, 4, direction)
    header += struct.pack(">HH", TAG_END, 0)
    return header, header + message


def write_capture(path, messages):
    """Writes (message, direction) pairs. Returns where each message starts in its frame."""
    starts = []
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, LINKTYPE_UPPER_PDU))
        for number, (message, direction) in enumerate(messages):
            header, whole = encapsulate(message, direction)
            starts.append(len(header))
            file.write(struct.pack("<IIII", 1, number % 1000000, len(whole), len(whole)) + whole)
    return starts


class Home:
    """A configuration folder of its own, with dictionary files in it, of text or bytes; removed at the
    end."""

    def __init__(self, files=None):
        self.path = tempfile.mkdtemp()
        self.folder = os.path.join(self.path, ".config", "wireshark", "tq")
        os.makedirs(self.folder)
        for name, text in (files or {}).items():
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(text.encode() if isinstance(text, str) else text)
        for root, folders, names in os.walk(self.path):
            for name in folders + names:
                os.chmod(os.path.join(root, name), 0o777)

    def __enter__(self):
        self.saved = dict(os.environ)
        os.environ.update(TQ_HOME=self.path, HOME=self.path,
                          XDG_CONFIG_HOME=os.path.join(self.path, ".config"))
        return self

    def __exit__(self, *_):
        os.environ.clear()
        os.environ.update(self.saved)
        shutil.rmtree(self.path)


def show(messages, files=None, arguments=(), preferences=()):
    """Has tshark show messages, (bytes, direction) pairs, with files in the personal folder.
    Returns the packets and what tshark said on stderr."""
    with Home(files) as home:
        path = os.path.join(home.path, "messages.pcap")
        starts = write_capture(path, messages)
        done = tqtest.run(tqtest.options(preferences) + list(arguments)
                          + ["-r", path, "-T", "pdml"])
    tree = ElementTree.fromstring(done.stdout)
    packets = [Packet(element, start) for element, start in zip(tree.findall("packet"), starts)]
    return packets, done.stderr


def info_lines(messages, files=None, preferences=()):
    with Home(files) as home:
        path = os.path.join(home.path, "messages.pcap")
        write_capture(path, messages)
        return tqtest.run(tqtest.options(preferences)
                          + ["-r", path, "-T", "fields", "-e", "_ws.col.Info"]).stdout.splitlines()


def prefix(name):
    """MsgPKStatistic -> pk_statistic."""
    name = name[3:] if name.startswith("Msg") else name
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return name.lower()


def rotate(value, bits, width):
    value &= (1 << width) - 1
    bits %= width
    return (value >> bits | value << (width - bits)) & ((1 << width) - 1)


FUNCTIONS = {
    "ror16": lambda value, bits: rotate(value, bits, 16),
    "ror32": lambda value, bits: rotate(value, bits, 32),
    "__builtins__": {},
}


class Dictionary:
    """All files of the built-in dictionary."""

    def __init__(self):
        self.messages = []
        self.enumerations = {}
        self.kinds = {}
        for name in sorted(os.listdir(MESSAGES)):
            if name.endswith(".xml"):
                root = ElementTree.parse(os.path.join(MESSAGES, name)).getroot()
                self.messages += root.findall("message")
                self.enumerations.update((e.get("name"), e) for e in root.findall("enumeration"))
                self.kinds.update((k.get("name"), k) for k in root.findall("kind"))

    def kind(self, name):
        kind = self.kinds.get(name)
        return self.kinds[kind.get("like")] if kind is not None and kind.get("like") else kind

    def number_of(self, fields, word):
        """The number of 'word' in the first enumeration of some fields that has it."""
        for field in fields:
            enumeration = self.enumerations.get(field.get("enum"))
            for value in enumeration if enumeration is not None else ():
                if value.get("name") == word:
                    return int(value.get("number"), 0)
        raise KeyError(word)

    def evaluate(self, source, names, fields):
        """Evaluates an expression; its grammar is nearly Python's."""
        known = {"account": 1, "game": 2, "client": CLIENT, "server": SERVER}

        def replace(match):
            word = match.group(1)
            return str(known[word] if word in known else self.number_of(fields, word))

        source = re.sub(r"'(\w+)'", replace, source).replace("/", "//")
        return int(eval(source, dict(FUNCTIONS), names))
