# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the project's pages: README.md and docs/*.md."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tqtest

PAGES = [os.path.join(tqtest.SOURCE, "README.md")] + \
    sorted(glob.glob(os.path.join(tqtest.SOURCE, "docs", "*.md")))


def name(path):
    return os.path.relpath(path, tqtest.SOURCE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(path, language):
    """The code blocks of a language: tuples of line number, the line of text before, and the code."""
    text = read(path)
    found = []
    for match in re.finditer(r"^( *)```%s\n(.*?)^ *```$" % language, text, re.M | re.S):
        before = text[:match.start()].rstrip().rpartition("\n\n")[2]
        indent = len(match[1])
        code = "\n".join(line[indent:] for line in match[2].splitlines())
        found.append((text.count("\n", 0, match.start()) + 1, before, code))
    return found


def prose(path):
    """The text without code blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", read(path), flags=re.M | re.S)


def tables(path):
    """The tables: lists of rows, of which the first is the heading; a row is a list of cells."""
    found, rows = [], []
    for line in prose(path).splitlines() + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
        elif rows:
            found.append([rows[0]] + rows[2:])
            rows = []
    return found


def codes(cell):
    return re.findall(r"`([^`]+)`", cell)
