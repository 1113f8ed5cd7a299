# SPDX-License-Identifier: GPL-2.0-or-later
"""Walks the dictionary: a message of every layout, and every field of it at its place with its
value. Built from the dictionary, so it covers what is added to it."""

import itertools
import random
import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree

import dictionary as d

DICTIONARY = d.Dictionary()
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RECORDS = 3
FIELDS = set(d.WIDTHS) | {"flags", "text", "pstring", "bytes", "strings", "records"}


class Unfit(Exception):
    """The values tried do not make a message of the layout."""


def fields_of(element):
    return [field for field in element if field.tag in FIELDS]


def all_fields(element):
    for field in fields_of(element):
        yield field
        if field.tag == "records":
            yield from all_fields(field)


def width(field):
    return d.WIDTHS.get(field.tag) or int(field.get("size" if field.tag == "flags" else "length",
                                                    0))


class Builder:
    """Builds one message of a layout, and lists what a dissector must find in it."""

    def __init__(self, message, layout, chosen, direction, seed):
        self.layout = layout
        self.message = message
        self.chosen = chosen
        self.direction = direction
        self.random = random.Random(seed)
        self.data = bytearray(4)
        self.values = {}
        self.expected = []
        self.places = []
        self.prefix = d.prefix(message.get("name"))
        self.type = int(layout.get("wire-type") or message.get("type"))

    def put(self, at, data):
        if len(self.data) < at + len(data):
            self.data.extend(bytes(at + len(data) - len(self.data)))
        self.data[at:at + len(data)] = data

    def expect(self, name, at, size, value):
        self.expected.append(("%s.%s" % (self.prefix, name), at, size, value))

    def holds(self, source):
        server = self.layout.get("server") or self.message.get("server")
        names = dict(self.values, type=self.type, server=1 if server == "account" else 2,
                     sender=self.direction)
        return source is None or bool(DICTIONARY.evaluate(source, names, fields_of(self.layout)))

    def random_text(self, size):
        return "".join(self.random.choice(LETTERS) for _ in range(size))

    def random_number(self, field):
        bits = 8 * width(field)
        enumeration = DICTIONARY.enumerations.get(field.get("enum"))
        if field.tag == "bool":
            return self.random.randrange(2)
        if enumeration is not None and field.tag != "flags":
            numbers = [int(v.get("number"), 0) for v in enumeration.findall("value")]
            numbers = [n for n in numbers if n < 1 << (bits - (field.tag[0] == "i"))]
            if numbers:
                return self.random.choice(numbers)
        number = self.random.randrange(1, 1 << bits)
        return number - (1 << bits) if field.tag[0] == "i" and number >> (bits - 1) else number

    def put_number(self, field, at, number):
        size = width(field)
        self.put(at, (number & ((1 << 8 * size) - 1)).to_bytes(size, "little"))
        self.expect(field.get("name"), at, size, number)
        if field.tag == "flags":
            self.expect_bits(field, at, size, number)
        self.expect_kind(field, at, size, number)

    def expect_bits(self, field, at, size, number):
        for value in DICTIONARY.enumerations[field.get("enum")].findall("value"):
            mask = int(value.get("number"), 0)
            if mask and mask >> 8 * size == 0:
                self.expect(field.get("name") + "." + value.get("name"), at, size,
                            int(number & mask != 0))

    def expect_kind(self, field, at, size, number):
        kind = DICTIONARY.kind(field.get("kind"))
        if kind is None:
            return
        if kind.get("hidden") and 0 < number < 1 << 32:
            self.expected.append((kind.get("hidden"), at, size, number))
        for derived in kind.findall("derived"):
            names = {"this": number}
            if derived.get("when") and not DICTIONARY.evaluate(derived.get("when"), names, []):
                continue
            if derived.get("display") == "milliseconds":
                continue
            value = DICTIONARY.evaluate(derived.get("value"), names, []) & 0xFFFFFFFF
            self.expect(field.get("name") + "." + derived.get("name"), at, size, value)

    def put_text(self, field, name, at, size, start, capacity, full):
        """size bytes from start on belong to the text, which is capacity long at most."""
        text = self.random_text(capacity if full else max(1, capacity - 2))
        kind = DICTIONARY.kind(field.get("kind"))
        self.put(start, text.encode().ljust(capacity, b"\0"))
        if kind is not None and kind.get("conceal"):
            self.expect(name, at, size, "<hidden by preference>")
            return
        self.expect(name, at, size, text)
        if kind is not None and kind.get("hidden") == "name":
            self.expected.append(("name", at, size, text))

    def put_counted_text(self, field, name, at):
        length = self.random.randrange(1, 12)
        self.put(at, bytes([length]))
        self.put_text(field, name, at, 1 + length, at + 1, length, True)
        return at + 1 + length

    def put_strings(self, field, at):
        strings = field.findall("string")
        names = [string.get("name") for string in strings] or ["string", "string"]
        self.put(at, bytes([len(names)]))
        self.expect(field.get("name"), at, None, len(names))
        end = at + 1
        for index, name in enumerate(names):
            end = self.put_counted_text(strings[index] if strings else field, name, end)

    def put_records(self, field, base):
        at = base + int(field.get("at"))
        stride = int(field.get("stride"))
        count = field.get("count")
        number = int(count) if count and count.isdigit() else self.values.get(count, RECORDS)
        self.expect(field.get("name"), at, number * stride, number)
        self.put(at, bytes(number * stride))
        for index in range(number):
            self.put_fields(field, at + index * stride)

    def put_field(self, field, base):
        name = field.get("name")
        at = base + int(field.get("at"))
        if field.tag == "records":
            self.put_records(field, base)
        elif field.tag == "strings":
            self.put_strings(field, at)
        elif field.tag == "pstring":
            self.put_counted_text(field, name, at)
        elif field.tag == "text":
            size = width(field)
            self.put_text(field, name, at, size, at, size, False)
        elif field.tag == "bytes":
            data = bytes(self.random.randrange(256) for _ in range(width(field) or 5))
            self.put(at, data)
            self.expect(name, at, len(data), data.hex())
        else:
            number = self.chosen.get(name) if base == 0 else None
            number = self.random_number(field) if number is None else number
            if base == 0:
                self.values[name] = number
            self.put_number(field, at, number)

    def put_fields(self, element, base=0):
        for field in fields_of(element):
            if self.holds(field.get("when")):
                self.put_field(field, base)

    def put_protobuf(self):
        for field in fields_of(self.layout):
            number = self.random.randrange(1, 1 << 31)
            self.put(len(self.data), bytes([int(field.get("id")) << 3]))
            start = len(self.data)
            value = number
            while value >= 128:
                self.data.append(value & 127 | 128)
                value >>= 7
            self.data.append(value)
            self.expect(field.get("name"), start, len(self.data) - start, number)

    def expect_derived(self):
        for derived in self.message.findall("derived") + self.layout.findall("derived"):
            field = [f for f in fields_of(self.layout) if f.get("name") == derived.get("field")]
            try:
                if not field or not self.holds(derived.get("when")):
                    continue
                value = DICTIONARY.evaluate(derived.get("value"), self.values,
                                            fields_of(self.layout))
            except (KeyError, NameError):
                continue  # for other layouts
            self.expect(derived.get("field") + "." + derived.get("name"), int(field[0].get("at")),
                        width(field[0]), value & 0xFFFFFFFF)

    def build(self):
        if self.layout.get("encoding") == "protobuf":
            self.put_protobuf()
        else:
            self.put_fields(self.layout)
            size = int(self.layout.get("size", 0))
            if len(self.data) < size:
                self.put(len(self.data), bytes(size - len(self.data)))
            self.values["size"] = len(self.data)
            if not self.holds(self.layout.get("select")):
                raise Unfit
            self.expect_derived()
        struct.pack_into("<HH", self.data, 0, len(self.data), self.type)
        return bytes(self.data)


def directions(message, layout):
    sender = layout.get("sender") or message.get("sender") or "both"
    return {"client": [d.CLIENT], "server": [d.SERVER], "both": [d.SERVER, d.CLIENT]}[sender]


def conditions(message, layout):
    sources = [layout.get("select")] + [field.get("when") for field in fields_of(layout)]
    sources += [derived.get("when")
                for derived in message.findall("derived") + layout.findall("derived")]
    return [source for source in sources if source]


def candidates(message, layout):
    """For each field that a condition looks at, the values worth trying."""
    text = " ".join(conditions(message, layout))
    fields = fields_of(layout)
    numbers = {int(n, 0) for n in re.findall(r"\b(?:0x[0-9a-fA-F]+|\d+)\b", text)}
    for word in re.findall(r"'(\w+)'", text):
        try:
            numbers.add(DICTIONARY.number_of(fields, word))
        except KeyError:
            pass  # 'client', or a word of another layout
    numbers |= {number + 1 for number in numbers} | {0}
    counts = {field.get("count") for field in all_fields(layout) if field.tag == "records"}
    tried = {}
    for field in fields:
        name = field.get("name")
        if field.tag not in d.WIDTHS or field.tag == "bool":
            continue
        if name in counts:
            tried[name] = [RECORDS]
        elif re.search(r"\b%s\b" % name, text) and (field.get("enum") or width(field) < 8):
            tried[name] = sorted(n for n in numbers if n < 1 << (8 * width(field) - 1)) + [None]
    return tried


def build_messages(message, layout):
    """Messages that together have every field of the layout."""
    tried = candidates(message, layout)
    wanted = {id(field) for field in fields_of(layout)}
    built = []
    seen = set()
    combinations = itertools.islice(itertools.product(*tried.values()), 4000)
    for combination in combinations:
        for direction in directions(message, layout):
            builder = Builder(message, layout, dict(zip(tried, combination)), direction, len(built))
            try:
                data = builder.build()
            except Unfit:
                continue
            held = {id(field) for field in fields_of(layout) if builder.holds(field.get("when"))}
            key = (direction, frozenset(held), len(builder.expected))
            if key in seen:
                continue
            seen.add(key)
            built.append((data, direction, builder))
            wanted -= held
    if wanted:
        raise AssertionError("%s, patch %s: no message with all fields"
                             % (message.get("name"), layout.get("patch")))
    return built


def isolate(message, layout):
    """The message with this layout alone, so that nothing but its own conditions choose it."""
    alone = ElementTree.Element("message", dict(message.attrib, replace="yes"))
    alone.extend(message.findall("derived"))
    alone.append(layout)
    return alone


def shown_equals(show, value):
    if isinstance(value, str):
        return show == value or show.replace(":", "") in (value, value.encode().hex())
    if show in ("True", "False"):
        return (show == "True") == bool(value)
    try:
        return int(show, 0) == value or int(show, 0) == value & 0xFFFFFFFFFFFFFFFF
    except ValueError:
        # A name that is text in one layout and a number in another is shown as bytes.
        size = len(show.replace(":", "")) // 2
        return show.replace(":", "") == (value & ((1 << 8 * size) - 1)).to_bytes(size,
                                                                                 "little").hex()


class Walk(unittest.TestCase):
    def check(self, packet, builder, title):
        have = {}
        for name, at, size, show in packet.fields:
            have.setdefault(name, []).append((at, size, show))
        for name, at, size, value in builder.expected:
            found = have.get("conquer." + name, [])
            good = any(at == place and size in (None, length) and shown_equals(show, value)
                       for place, length, show in found)
            self.assertTrue(good, "%s: %s = %r, %s bytes at %d, not among %s"
                            % (title, name, value, size, at, found))
        self.assertEqual(set(), packet.experts, title)
        self.assertFalse(packet.malformed, title)
        self.assertEqual([], packet.values("unknown"), title)

    def walk_round(self, number):
        """Shows a message of the layout with this number of each message that has one."""
        document = ElementTree.Element("dictionary")
        cases = []
        for message in DICTIONARY.messages:
            layouts = message.findall("layout")
            if number < len(layouts):
                document.append(isolate(message, layouts[number]))
                cases += [(case, message, layouts[number])
                          for case in build_messages(message, layouts[number])]
        text = ElementTree.tostring(document, encoding="unicode")
        packets, errors = d.show([case[:2] for case, _, _ in cases], {"walk.xml": text})
        self.assertNotIn("dictionary", errors)
        self.assertEqual(len(cases), len(packets))
        for (case, message, layout), packet in zip(cases, packets):
            title = "%s, patch %s" % (message.get("name"), layout.get("patch"))
            self.assertEqual(int(layout.get("patch")), packet.number("patch"), title)
            self.check(packet, case[2], title)
        return len({id(layout) for _, _, layout in cases}), len(cases), \
            sum(len(case[2].expected) for case, _, _ in cases)

    def test_every_layout(self):
        rounds = max(len(message.findall("layout")) for message in DICTIONARY.messages)
        totals = [self.walk_round(number) for number in range(rounds)]
        layouts, messages, fields = (sum(column) for column in zip(*totals))
        self.assertEqual(sum(len(m.findall("layout")) for m in DICTIONARY.messages), layouts)
        print("%d layouts, %d messages, %d fields found" % (layouts, messages, fields))


if __name__ == "__main__":
    unittest.main()
