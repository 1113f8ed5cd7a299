# SPDX-License-Identifier: GPL-2.0-or-later
"""The TQ cipher as its two ends use it, written from the protocol's description for whole streams.

Shares nothing with the plugin, which works as an observer and at any position."""

SWAP = bytes((i << 4 | i >> 4) & 255 for i in range(256))
FROM_CLIENT = bytes(b ^ 0xab for b in SWAP)       # swapnibbles(i) ^ ab
FROM_SERVER = bytes(SWAP[i ^ 0xab] for i in range(256))  # swapnibbles(i ^ ab)


def make_tables(p=(0x9d, 0x0f, 0xfa, 0x13), g=(0x62, 0x79, 0x5c, 0x6d)):
    p, g, key1, key2 = list(p), list(g), [], []
    for _ in range(256):
        key1.append(p[0])
        key2.append(g[0])
        p[0] = ((p[1] + p[0] * p[2]) * p[0] + p[3]) & 255
        g[0] = ((g[1] - g[0] * g[2]) * g[0] + g[3]) & 255
    return key1, key2


def make_keystream(key1, key2):
    """What is combined with the bytes at each of the 65,536 values of the counter."""
    return bytes(a ^ b for b in key2 for a in key1)


BASE = make_tables()
BASE_KEYSTREAM = make_keystream(*BASE)


def alternate_keystream(token, account_id):
    x = ((token + account_id) & 0xffffffff ^ 0x4321) ^ token
    y = x * x & 0xffffffff
    bytes_of = lambda word: [word >> 8 * i & 255 for i in range(4)]
    return make_keystream([b ^ bytes_of(x)[i % 4] for i, b in enumerate(BASE[0])],
                          [b ^ bytes_of(y)[i % 4] for i, b in enumerate(BASE[1])])


def combine(data, keystream, counter):
    counter &= 0xffff
    size = len(data)
    stream = (keystream * (2 + size // len(keystream)))[counter:counter + size]
    return (int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")) \
        .to_bytes(size, "little")


def encrypt_client(data, counter, keystream=BASE_KEYSTREAM):
    return combine(data, keystream, counter).translate(FROM_CLIENT)


def encrypt_server(data, counter, keystream=BASE_KEYSTREAM):
    return combine(data.translate(FROM_SERVER), keystream, counter)
