#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the cipher's part of vectors.json into initialisers for test_vectors.c.

usage: vectors_to_c.py vectors.json vectors.inc

A C array spares the tests a JSON library, so that they also run on processors that only an emulator
and a cross-compiler are at hand for.
"""
import json
import sys

NUMBERS = ("length", "counter", "A", "B", "bytes_before")
STRINGS = ("op", "key", "output", "output_first16", "output_last16", "output_sha256", "K1", "K2")
HEX_NUMBERS = ("P", "G")


def initialiser(vector):
    members = [f".{name} = {vector[name]}u" for name in NUMBERS if name in vector]
    members += [f".{name} = 0x{vector[name]}u" for name in HEX_NUMBERS if name in vector]
    members += [f'.{name} = "{vector[name]}"' for name in STRINGS if name in vector]
    return "{" + ", ".join(members) + "},\n"


def main(source, target):
    with open(source, encoding="utf-8") as file:
        data = json.load(file)
    with open(target, "w", encoding="utf-8") as file:
        for vector in data["tq_vectors"] + data["tq_client_vectors"]:
            file.write(initialiser(vector))


if __name__ == "__main__":
    main(*sys.argv[1:])
