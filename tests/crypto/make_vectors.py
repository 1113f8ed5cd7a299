#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the vectors in data/ that begin with "openssl_", with OpenSSL's libcrypto as the reference.

Blowfish, CAST5 and CFB are OpenSSL's; RC5, scan codes and Diffie-Hellman are those of
../generate_session.py, which is itself checked against the published vectors in the other files.
"""
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import generate_session as gs  # noqa: E402

rng = random.Random(5018)


def pattern(length):
    """The plaintext of all cfb64 vectors."""
    return bytes((i * 31 + (i >> 8) * 17 + 11) & 255 for i in range(length))


def write(name, columns, lines):
    with open(os.path.join(HERE, 'data', name), 'w', encoding='ascii') as out:
        out.write('# SPDX-License-Identifier: GPL-2.0-or-later\n# Made by make_vectors.py\n')
        out.write(f'# {columns}\n')
        out.writelines(line + '\n' for line in lines)


def cfb64_lines():
    keys = [('cast5', b'BC234xs45nme7HU9'), ('cast5', b'C238xs65pjy7HU9Q'),
            ('cast5', rng.randbytes(16)), ('cast5', rng.randbytes(64)),
            ('blowfish', b'R3Xx97ra5j8D6uZz'), ('blowfish', b'k'), ('blowfish', rng.randbytes(57)),
            # Two equal entries in an S-box: libgcrypt calls it weak.
            ('blowfish', b'weak key 0005463')]
    for algorithm, key in keys:
        for length in (1, 7, 8, 9, 64, 257):
            for iv in (bytes(8), bytes(range(8))):
                out = gs.Cfb64(algorithm, key, iv).encrypt(pattern(length))
                yield f'{algorithm} {key.hex()} {iv.hex()} {out.hex()}'


def exchange_line(e):
    return ' '.join('%X' % n for n in (e.p, e.g, e.server_private, e.client_private,
                                       e.server_public, e.client_public, e.secret))


def exchanges():
    yield gs.Exchange(rng)
    yield gs.Exchange(rng, zero_public=1)
    yield gs.Exchange(rng, zero_secret=1)
    yield gs.Exchange(rng, p=gs.find_prime(256, rng), g=0xF0)
    yield gs.Exchange(rng, p=gs.find_prime(768, rng), g=7)


def inner_zero(e):
    return 0 in gs.number_bytes(e.secret)[:16]


def session_lines():
    some = [gs.Exchange(rng), gs.Exchange(rng, zero_secret=1)]
    while True:
        e = gs.Exchange(rng)
        if inner_zero(e):
            some.append(e)
            break
    some.append(gs.Exchange(rng, p=gs.find_prime(96, rng)))
    some.append(gs.Exchange(rng, p=gs.find_prime(768, rng)))
    for e in some:
        for cipher, (algorithm, _, _) in gs.CIPHERS.items():
            key = gs.derive_key(cipher, e.secret)
            ivs = [rng.randbytes(8), rng.randbytes(8)]
            plain = [b''.join(build(rng, 1000001) + footer for _ in range(12))
                     for build, footer in ((gs.server_message, gs.SERVER_FOOTER),
                                           (gs.client_message, gs.CLIENT_FOOTER))]
            text = [gs.Cfb64(algorithm, key, iv).encrypt(p).hex() for iv, p in zip(ivs, plain)]
            yield ' '.join([cipher, gs.number_bytes(e.secret).hex(), ivs[0].hex(), ivs[1].hex(),
                            *text])


def password_lines():
    cases = [('testacct01', 'Secret12', None, 0, 16), ('TestAccount', 'Secret12', 10000, 5187, 16),
             ('TestAccount', 'a.b-C_d>9', 10000, 5187, 16), ('x', '!@#$%^&*()', 1, 5187, 16),
             ('TestAccount', 'Secret12', 10000, 5517, 16), ('player', 'Pass@2-1340', 7, 5517, 32),
             ('player', 'abcdefghijklmnopqrstuvwxyz', 0xffffffff, 5517, 32),
             ('player', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 3, 5517, 32),
             ('\xe9\xe8\xff', 'Secret12', 77, 5517, 16), ('testacct01', 'sixteen bytes ok', None, 0, 16)]
    for account, password, seed, patch, size in cases:
        name = account.encode('latin-1')
        field = gs.encrypt_password(password, name, seed, patch, size)
        # Also with the patch unknown, except where that leaves a doubt.
        for known in {patch, patch if set(password) & set('!#$%^&*()') else 0}:
            yield ' '.join(['-' if seed is None else '%08x' % seed, name.hex(), str(known),
                            field.hex(), password.encode().hex(),
                            'scan-codes' if patch else 'plain'])


write('openssl_cfb64.txt', 'algorithm key IV ciphertext', cfb64_lines())
write('openssl_exchanges.txt', 'P G server-private client-private server-public client-public secret',
      [exchange_line(e) for e in exchanges()])
write('openssl_sessions.txt', 'cipher secret server-IV client-IV server-stream client-stream',
      session_lines())
write('openssl_passwords.txt', 'seed account patch field password form', password_lines())
