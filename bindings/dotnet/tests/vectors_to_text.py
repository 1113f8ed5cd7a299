#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the cipher's part of vectors.json into lines of NAME=VALUE, which spare the tests a JSON
library.

usage: vectors_to_text.py vectors.json vectors.txt
"""
import json
import sys

NAMES = ("op", "P", "G", "A", "B", "length", "counter", "bytes_before", "K1", "K2", "output",
         "output_sha256")


def main(source, target):
    with open(source, encoding="utf-8") as file:
        data = json.load(file)
    with open(target, "w", encoding="utf-8") as file:
        for vector in data["tq_vectors"] + data["tq_client_vectors"]:
            words = ["%s=%s" % (name, vector[name]) for name in NAMES if name in vector]
            file.write(" ".join(words) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
