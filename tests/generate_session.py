#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a capture of a Blowfish or CAST5 session, with its key log and the plaintext that it holds.

Writes NAME.pcap, NAME.keylog and NAME.truth.jsonl: an account connection under the TQ cipher, then
a game connection that opens with the Diffie-Hellman exchange. The truth has one row per message;
"captured" is "full" where the capture holds all that it takes to decipher it, and that includes
the 8 to 15 bytes before it from which CFB takes its feedback.

Nothing is shared with the plugin: Blowfish, CAST5 and CFB come from OpenSSL's libcrypto, the rest
is written here from the protocol's description. The same options give the same files.

    generate_session.py --cipher cast5-md5 --segments random --lose 3 /tmp/example
"""
import argparse
import ctypes
import ctypes.util
import hashlib
import json
import random
import struct

# The group of the servers for 5065 to 60xx.
P_512 = int('E7A69EBDF105F2A6BBDEAD7E798F76A209AD73FB466431E2E7352ED262F8C558'
            'F10BEFEA977DE9E21DCEE9B04D245F300ECCBBA03E72630556D011023F9E857F', 16)

SERVER_FOOTER = b'TQServer'
CLIENT_FOOTER = b'TQClient'

# name -> algorithm under the session key, algorithm under the initial key, initial key
CIPHERS = {
    'blowfish': ('blowfish', 'blowfish', b'DR654dt34trg4UI6'),
    'blowfish-md5': ('blowfish', 'blowfish', b'DR654dt34trg4UI6'),
    'cast5': ('cast5', 'cast5', b'BC234xs45nme7HU9'),
    'cast5-md5': ('cast5', 'cast5', b'C238xs65pjy7HU9Q'),
}

# ---------------------------------------------------------------------------------------------
# Ciphers


def load_libcrypto():
    lib = ctypes.CDLL(ctypes.util.find_library('crypto') or 'libcrypto.so.3')
    for name in ('BF_set_key', 'BF_cfb64_encrypt', 'CAST_set_key', 'CAST_cfb64_encrypt'):
        getattr(lib, name).restype = None
    return lib


class Cfb64:
    """One direction of a 64-bit CFB stream; keeps its place from call to call."""
    lib = None

    def __init__(self, algorithm, key, iv=bytes(8)):
        Cfb64.lib = Cfb64.lib or load_libcrypto()
        prefix = {'blowfish': 'BF', 'cast5': 'CAST'}[algorithm]
        key = key[:16] if algorithm == 'cast5' else key[:72]
        self.key = ctypes.create_string_buffer(8192)
        getattr(self.lib, prefix + '_set_key')(self.key, ctypes.c_int(len(key)), key)
        self.crypt = getattr(self.lib, prefix + '_cfb64_encrypt')
        self.iv = ctypes.create_string_buffer(iv, 8)
        self.num = ctypes.c_int(0)

    def encrypt(self, data):
        out = ctypes.create_string_buffer(len(data))
        self.crypt(data, out, ctypes.c_long(len(data)), self.key, self.iv, ctypes.byref(self.num),
                   ctypes.c_int(1))
        return out.raw


class Tq:
    """One direction of the TQ cipher, under the base key."""

    def __init__(self, from_server):
        self.from_server = from_server
        self.counter = 0
        self.k1, self.k2 = bytearray(), bytearray()
        p, g = list(b'\x9d\x0f\xfa\x13'), list(b'\x62\x79\x5c\x6d')
        for _ in range(256):
            self.k1.append(p[0])
            self.k2.append(g[0])
            p[0] = ((p[1] + p[0] * p[2]) * p[0] + p[3]) & 255
            g[0] = ((g[1] - g[0] * g[2]) * g[0] + g[3]) & 255

    def encrypt(self, data):
        out = bytearray()
        for byte in data:
            key = self.k1[self.counter & 255] ^ self.k2[self.counter >> 8]
            if self.from_server:
                byte ^= 0xab
                byte = (byte >> 4 | byte << 4) & 255 ^ key
            else:
                byte ^= key
                byte = (byte >> 4 | byte << 4) & 255 ^ 0xab
            out.append(byte)
            self.counter = self.counter + 1 & 0xffff
        return bytes(out)


def rotate(value, count):
    count &= 31
    return (value << count | value >> 32 - count) & 0xffffffff


def draw_bytes(seed, count=16):
    """Low bytes of what rand() of Microsoft's C run-time gives after srand(seed)."""
    out = bytearray()
    for _ in range(count):
        seed = seed * 0x343fd + 0x269ec3 & 0xffffffff
        out.append(seed >> 16 & 255)
    return bytes(out)


STATIC_RC5_KEY = bytes.fromhex('3cdcfee8c454d67e16a6f81ae8d038be')


def encrypt_rc5(key, data):
    words = list(struct.unpack('<4I', key))
    s = [0xb7e15163 + i * 0x9e3779b9 & 0xffffffff for i in range(26)]
    a = b = 0
    for i in range(78):
        a = s[i % 26] = rotate(s[i % 26] + a + b & 0xffffffff, 3)
        b = words[i % 4] = rotate(words[i % 4] + a + b & 0xffffffff, a + b)
    out = b''
    for a, b in struct.iter_unpack('<2I', data):
        a, b = a + s[0] & 0xffffffff, b + s[1] & 0xffffffff
        for i in range(1, 13):
            a = rotate(a ^ b, b) + s[2 * i] & 0xffffffff
            b = rotate(b ^ a, a) + s[2 * i + 1] & 0xffffffff
        out += struct.pack('<2I', a, b)
    return out


def scan_code(char, patch):
    """The key that types a character; of several, the one that the client's table has first."""
    rows = [(0x02, '1234567890-', '1@34567890_' if patch >= 5517 else '!@#$%^&*()_'),
            (0x10, 'qwertyuiop', 'QWERTYUIOP'), (0x1e, 'asdfghjkl', 'ASDFGHJKL'),
            (0x2c, 'zxcvbnm', 'ZXCVBNM'), (0x34, '.', '>')]
    for shifted in (True, False):
        for first, plain, shift in rows:
            index = (shift if shifted else plain).find(char)
            if index >= 0:
                return first + index + (0x80 if shifted else 0)
    raise ValueError(f'no key types {char!r}')


def substitute(account, password, patch):
    total = sum(b - 256 if b > 127 else b for b in account)
    salt = draw_bytes(total & 0xffffffff)
    table = [[i, i ^ salt[i & 15]] for i in range(256)]
    table[0] = [0, 0]
    for i in range(1, 256):
        for j in range(i + 1, 256):
            if table[i][1] < table[j][1]:
                table[i], table[j] = table[j], table[i]
    index = {code: i for i, (code, _) in enumerate(table)}
    return bytes(index[scan_code(char, patch)] for char in password)


def encrypt_password(password, account=b'', seed=None, patch=0, size=16):
    """Patch 0: RC5 alone."""
    data = substitute(account, password, patch) if patch else password.encode()
    key = STATIC_RC5_KEY if seed is None else draw_bytes(seed)
    return encrypt_rc5(key, data.ljust(size, b'\0'))


# ---------------------------------------------------------------------------------------------
# Diffie-Hellman


def number_bytes(number):
    return number.to_bytes((number.bit_length() + 7) // 8, 'big')


def is_prime(n, rng):
    if any(n % q == 0 for q in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)):
        return False
    d, r = n - 1, 0
    while d % 2 == 0:
        d, r = d // 2, r + 1
    for _ in range(16):
        x = pow(rng.randrange(2, n - 1), d, n)
        if x in (1, n - 1):
            continue
        for _ in range(r - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def find_prime(bits, rng):
    while True:
        n = rng.getrandbits(bits) | 1 << bits - 1 | 1
        if is_prime(n, rng):
            return n


def derive_key(cipher, secret):
    raw = number_bytes(secret)
    if not cipher.endswith('-md5'):
        return raw.ljust(16, b'\0') if cipher == 'cast5' else raw
    first = hashlib.md5(raw.split(b'\0')[0]).hexdigest()
    return (first + hashlib.md5((first + first).encode()).hexdigest()).encode()


class Exchange:
    """Both sides' numbers. Exponents are drawn until the keys are as short as asked for."""

    def __init__(self, rng, p=P_512, g=5, zero_public=0, zero_secret=0):
        self.p, self.g = p, g
        size = len(number_bytes(p))
        while True:
            self.server_private = rng.getrandbits(256) | 1
            self.client_private = rng.getrandbits(256) | 1
            self.server_public = pow(g, self.server_private, p)
            self.client_public = pow(g, self.client_private, p)
            self.secret = pow(self.server_public, self.client_private, p)
            if (self.server_public.bit_length() <= 8 * (size - zero_public) and
                    self.secret.bit_length() <= 8 * (size - zero_secret)):
                return


def counted(data):
    return struct.pack('<I', len(data)) + data


def hex_text(number, digits=0, lower=False):
    return (('%x' if lower else '%X') % number).rjust(digits, '0').encode()


def build_hello(rng, exchange, junk, ivs, digits=0, lower=False, terminated=False):
    end = b'\0' if terminated else b''
    body = (counted(rng.randbytes(junk)) + counted(ivs[0]) + counted(ivs[1]) +
            counted(hex_text(exchange.p, 0, lower) + end) +
            counted(hex_text(exchange.g, 2, lower) + end) +
            counted(hex_text(exchange.server_public, digits, lower) + end) + SERVER_FOOTER)
    return rng.randbytes(11) + struct.pack('<I', len(body) + 4) + body


def build_reply(rng, exchange, junk, digits=0, lower=False):
    body = (counted(rng.randbytes(junk)) +
            counted(hex_text(exchange.client_public, digits, lower)) + CLIENT_FOOTER)
    return rng.randbytes(7) + struct.pack('<I', len(body) + 4) + body


# ---------------------------------------------------------------------------------------------
# Messages


def message(kind, body):
    return struct.pack('<HH', len(body) + 4, kind) + body


def strings(*items):
    data = bytes([len(items)])
    for item in items:
        data += bytes([len(item)]) + item
    return data


def talk(channel, sender, recipient, words):
    return message(1004, struct.pack('<IIII', 0xffffff, channel, 0, 0) +
                   strings(sender, recipient, b'', words))


def server_message(rng, hero):
    kind = rng.randrange(5)
    if kind == 0:
        return talk(2000, b'Tester%d' % rng.randrange(100), b'All', b'x' * rng.randrange(200))
    if kind == 1:
        return message(1110, struct.pack('<III', 1002, 1002, 0))
    if kind == 2:
        return message(1022, struct.pack('<IIIHHIHHI', 0, hero, hero + 1, 400, 300, 2, 8, 0, 0))
    if kind == 3:
        return message(1009, struct.pack('<IIIII', hero, 0, 27, rng.getrandbits(32), 0))
    return message(20000 + rng.randrange(9), rng.randbytes(rng.randrange(120)))


def client_message(rng, hero):
    kind = rng.randrange(3)
    if kind == 0:
        return talk(2000, b'Player', b'All', b'hello %d' % rng.randrange(10000))
    if kind == 1:
        return message(1009, struct.pack('<IIIII', hero, 0, 27, rng.getrandbits(32), 0))
    return message(1022, struct.pack('<IIIHHIHHI', rng.getrandbits(31), hero, 0, 400, 300, 2, 0, 0,
                                     0))


# ---------------------------------------------------------------------------------------------
# TCP


def checksum(data):
    if len(data) % 2:
        data += b'\0'
    total = sum(struct.unpack('>%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


FIN, SYN, PSH, ACK = 1, 2, 8, 16


class Endpoint:
    def __init__(self, address, port, sequence):
        self.address, self.port, self.sequence = address, port, sequence
        self.next = 0  # stream offset of the next byte

    def __str__(self):
        return '%s:%d' % ('.'.join(map(str, self.address)), self.port)


class Frame:
    """A TCP segment. `start` is the stream offset of its payload in its direction."""

    def __init__(self, time, data, direction=None, start=0, payload=b''):
        self.time, self.data = time, data
        self.direction, self.start, self.payload = direction, start, payload


class Connection:
    """Turns what the two sides say into frames."""

    def __init__(self, client, server, clock):
        self.ends = {'c2s': client, 's2c': server}
        self.clock, self.frames, self.identification = clock, [], 1
        self.send('c2s', SYN)
        self.send('s2c', SYN | ACK)
        self.send('c2s', ACK)

    def send(self, direction, flags, payload=b''):
        source = self.ends[direction]
        target = self.ends['s2c' if direction == 'c2s' else 'c2s']
        ack = target.sequence if flags & ACK else 0
        segment = struct.pack('>HHIIBBHHH', source.port, target.port, source.sequence, ack, 5 << 4,
                              flags, 0xffff, 0, 0) + payload
        addresses = bytes(source.address) + bytes(target.address)
        pseudo = addresses + struct.pack('>BBH', 0, 6, len(segment))
        segment = segment[:16] + struct.pack('>H', checksum(pseudo + segment)) + segment[18:]
        ip = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(segment), self.identification, 0x4000, 64,
                         6, 0) + addresses
        ip = ip[:10] + struct.pack('>H', checksum(ip)) + ip[12:]
        ethernet = bytes.fromhex('020000000002' '020000000001' '0800')
        self.frames.append(Frame(next(self.clock), ethernet + ip + segment, direction, source.next,
                                 payload))
        self.identification += 1
        source.sequence = source.sequence + len(payload) + bool(flags & (SYN | FIN)) & 0xffffffff
        source.next += len(payload)

    def say(self, direction, chunks):
        for chunk in chunks:
            self.send(direction, PSH | ACK, chunk)
        self.send('s2c' if direction == 'c2s' else 'c2s', ACK)

    def close(self):
        self.send('c2s', FIN | ACK)
        self.send('s2c', FIN | ACK)
        self.send('c2s', ACK)


def segment(messages, how, rng):
    """Cuts what one side says at a time into TCP payloads."""
    data = b''.join(messages)
    if how == 'message':
        return messages
    if how == 'turn':
        return [data[i:i + 1400] for i in range(0, len(data), 1400)]
    if how == 'byte':
        return [data[i:i + 1] for i in range(len(data))]
    chunks = []
    while data:
        n = rng.randrange(1, 60)
        chunks.append(data[:n])
        data = data[n:]
    return chunks


def cut(messages, at):
    """The same bytes in two payloads."""
    data = b''.join(messages)
    return [part for part in (data[:at], data[at:]) if part]


# ---------------------------------------------------------------------------------------------
# A session


class Session:
    def __init__(self, options):
        self.o = options
        self.rng = random.Random(options.random)
        self.rows = []
        self.clock = iter(range(0, 1 << 40, 1500))  # microseconds
        self.connections = []
        self.lengths = {}  # (connection, direction) -> bytes said so far

    def record(self, stream, connection, direction, plain, footer, **more):
        """Adds a row of the truth for what is about to be said."""
        end = connection.ends[direction]
        offset = self.skip(connection, direction, len(plain) + len(footer))
        row = {'stream': stream, 'client': 'c1', 'dir': direction,
               'client_addr': str(connection.ends['c2s']),
               'server_addr': str(connection.ends['s2c']), 'stream_offset': offset,
               'len': len(plain) + len(footer), 'type': struct.unpack('<H', plain[2:4])[0],
               'hex': (plain + footer).hex(), 'end': end, 'epoch': offset}
        row.update(more)
        if row['key'] == 'session':  # the stream under this key began with the first such row
            row['epoch'] = next((other['epoch'] for other in self.rows
                                 if other['end'] is end and other['key'] == 'session'), offset)
        self.rows.append(row)

    def skip(self, connection, direction, length):
        """Counts bytes of a stream; returns where they begin."""
        key = id(connection), direction
        self.lengths[key] = self.lengths.get(key, 0) + length
        return self.lengths[key] - length

    def connect(self, client_port, server_port):
        client = Endpoint((10, 0, 0, 2), client_port, self.rng.getrandbits(32))
        server = Endpoint((10, 0, 0, 1), server_port, self.rng.getrandbits(32))
        connection = Connection(client, server, self.clock)
        self.connections.append(connection)
        return connection

    def run_account(self):
        o = self.o
        connection = self.connect(50001, o.account_port)
        ciphers = {'c2s': Tq(False), 's2c': Tq(True)}

        def say(direction, plain):
            self.record('auth', connection, direction, plain, b'', key='base',
                        counter=ciphers[direction].counter)
            connection.say(direction, [ciphers[direction].encrypt(plain)])

        name = o.account.encode()
        if o.password_seed is None:
            password = encrypt_password(o.password)
            say('c2s', message(1051, name.ljust(16, b'\0') + password + b'Test'.ljust(16, b'\0')))
        else:
            password = encrypt_password(o.password, name, o.password_seed, o.patch)
            say('s2c', message(1059, struct.pack('<I', o.password_seed)))
            say('c2s', message(1086, name.ljust(128, b'\0') + password.ljust(128, b'\0') +
                               b'Test'.ljust(16, b'\0')))
        say('s2c', message(1055, struct.pack('<II', o.account_id, o.token) +
                           b'10.0.0.1'.ljust(16, b'\0') + struct.pack('<I', o.game_port)))
        say('c2s', message(1052, struct.pack('<IIII8s', o.account_id, o.token, 0, 0, b'res.dat')))
        connection.close()

    def run_game(self):
        o, rng = self.o, self.rng
        p = P_512 if o.p_bits == 512 else find_prime(o.p_bits, rng)
        self.exchange = exchange = Exchange(rng, p, o.g, o.zero_public, o.zero_secret)
        digits = len('%X' % p) if o.pad_keys else 0
        ivs = [bytes(8), bytes(8)] if o.zero_ivs else [rng.randbytes(8), rng.randbytes(8)]
        hello = build_hello(rng, exchange, o.server_junk, ivs, digits, o.lower, o.terminated)
        reply = build_reply(rng, exchange, o.client_junk, digits, o.lower)

        algorithm, first_algorithm, first_key = CIPHERS[o.cipher]
        first_key = o.initial_key.encode() if o.initial_key else first_key
        first_algorithm = o.initial_cipher or first_algorithm
        ciphers = {d: Cfb64(first_algorithm, first_key) for d in ('c2s', 's2c')}
        connection = self.connect(50002, o.game_port)

        self.record('game', connection, 's2c', hello, b'', key='initial', kind='dh-server',
                    type=None)
        connection.say('s2c', segment([ciphers['s2c'].encrypt(hello)], o.segments, rng))

        opening = []
        if o.dummy:
            dummy = rng.randbytes(o.dummy)
            self.skip(connection, 'c2s', o.dummy)
            opening.append(ciphers['c2s'].encrypt(dummy) if o.dummy_enciphered else dummy)
        self.record('game', connection, 'c2s', reply, b'', key='initial', kind='dh-client',
                    type=None)
        opening.append(ciphers['c2s'].encrypt(reply))

        # From here on both directions are new streams.
        key = derive_key(o.cipher, exchange.secret)
        if o.swap_ivs:
            ivs.reverse()
        ciphers = {'s2c': Cfb64(algorithm, key, ivs[0]), 'c2s': Cfb64(algorithm, key, ivs[1])}

        def encipher(direction, plain):
            footer = SERVER_FOOTER if direction == 's2c' else CLIENT_FOOTER
            self.record('game', connection, direction, plain, footer, key='session', kind='msg')
            return ciphers[direction].encrypt(plain + footer)

        hero = 1000001
        connect = message(1052, struct.pack('<IIHHIII', o.account_id, o.token, o.patch & 0xffff, 0,
                                            0, 0, 10))
        rekey = sum(map(len, opening))
        opening.append(encipher('c2s', connect))
        if o.cut is not None:
            connection.say('c2s', cut(opening, max(0, rekey + o.cut)))
        elif o.coalesce:
            connection.say('c2s', [b''.join(opening)])
        else:
            connection.say('c2s', segment(opening, o.segments, rng))

        answer = [talk(2101, b'SYSTEM', b'ALLUSERS', b'ANSWER_OK'),
                  message(1006, struct.pack('<I', hero) + bytes(62) + strings(b'Player', b'None'))]
        connection.say('s2c', segment([encipher('s2c', m) for m in answer], o.segments, rng))

        sent = 0
        while sent < o.messages:
            for direction, build in (('c2s', client_message), ('s2c', server_message)):
                count = min(rng.randrange(1, 5), o.messages - sent)
                turn = [encipher(direction, build(rng, hero)) for _ in range(count)]
                sent += count
                if turn:
                    connection.say(direction, segment(turn, o.segments, rng))
        connection.close()

    def capture(self):
        """All frames, with losses, repeats and disorder where asked for. Connections keep order."""
        o, rng = self.o, self.rng
        frames = [frame for connection in self.connections[:-1] for frame in connection.frames]
        game = []
        for frame in self.connections[-1].frames:
            if not frame.payload:
                game.append(frame)
                continue
            if rng.random() * 100 < o.lose:
                continue
            game.append(frame)
            if rng.random() * 100 < o.repeat:
                game.append(frame)
        i = 3  # after the three-way handshake
        while i + 1 < len(game):
            if game[i].payload and game[i + 1].payload and rng.random() * 100 < o.reorder:
                game[i], game[i + 1] = game[i + 1], game[i]
                i += 1
            i += 1
        return frames + game

    def finish_rows(self, frames):
        """Says for each message which frames hold it."""
        carriers = {}
        for number, frame in enumerate(frames, 1):
            ends = next(c.ends for c in self.connections
                        if any(f is frame for f in c.frames)) if frame.payload else None
            for offset in range(frame.start, frame.start + len(frame.payload)):
                carriers.setdefault((id(ends[frame.direction]), offset), number)
        for i, row in enumerate(self.rows):
            end, epoch, start = row.pop('end'), row.pop('epoch'), row['stream_offset']
            stop = start + len(row['hex']) // 2
            feedback = max(epoch, start - (start - epoch) % 8 - 8)
            needed = [carriers.get((id(end), at)) for at in range(feedback, stop)]
            own = needed[start - feedback:]
            row['captured'] = ('none' if not any(own) else 'full' if all(needed) else 'partial')
            row['frame_first'] = own[0]
            row['frame_last'] = max(needed) if all(needed) else None
            self.rows[i] = {'i': i, **row}

    def key_log(self):
        e = self.exchange
        label, *numbers = {
            'secret': ('TQ_SECRET', e.server_public, e.secret),
            'secret-by-client': ('TQ_SECRET', e.client_public, e.secret),
            'server': ('TQ_SERVER_PRIVATE', e.server_public, e.server_private),
            'client': ('TQ_CLIENT_PRIVATE', e.client_public, e.client_private),
        }[self.o.keylog]
        line = ' '.join([label] + [number_bytes(n).hex().upper() for n in numbers])
        return f'# {self.o.cipher}\n{line}\n'

    def write(self, name):
        frames = self.capture()
        self.finish_rows(frames)
        with open(name + '.pcap', 'wb') as out:
            out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
            start = 1700000000
            for i, frame in enumerate(frames):
                time = max(frame.time, i)  # moved frames keep their time
                out.write(struct.pack('<IIII', start + time // 1000000, time % 1000000,
                                      len(frame.data), len(frame.data)) + frame.data)
        with open(name + '.truth.jsonl', 'w', encoding='ascii') as out:
            for row in self.rows:
                out.write(json.dumps(row) + '\n')
        with open(name + '.keylog', 'w', encoding='ascii') as out:
            out.write(self.key_log())


def parse_arguments(arguments=None):
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    add = ap.add_argument
    add('name', help='path of the files to write, without extension')
    add('--random', type=int, default=1, help='seed of everything random')
    add('--messages', type=int, default=60, help='messages after the login')
    add('--cipher', choices=CIPHERS, default='blowfish', help='session cipher and derivation')
    add('--initial-key', help='16 characters, where not the usual one')
    add('--initial-cipher', choices=('blowfish', 'cast5'))
    add('--server-junk', type=int, default=12)
    add('--client-junk', type=int, default=16)
    add('--zero-ivs', action='store_true')
    add('--swap-ivs', action='store_true', help="use the hello's IVs the other way round")
    add('--p-bits', type=int, default=512, help='512: the usual P; else a new one')
    add('--g', type=int, default=5)
    add('--zero-public', type=int, default=0, help="leading zero bytes of the server's public key")
    add('--zero-secret', type=int, default=0, help='leading zero bytes of the secret')
    add('--pad-keys', action='store_true', help='send leading zeros of public keys')
    add('--lower', action='store_true', help='send numbers in lower case')
    add('--terminated', action='store_true', help='send a zero byte after each number')
    add('--dummy', type=int, default=0, help='bytes the client sends before its reply')
    add('--dummy-enciphered', action='store_true', help='send them through the cipher')
    add('--segments', choices=('message', 'turn', 'byte', 'random'), default='message')
    add('--coalesce', action='store_true', help='reply and first message in one segment')
    add('--cut', type=int, help='send reply and first message in two segments, cut this many bytes '
                                'after the end of the reply')
    add('--lose', type=float, default=0, help='percent of game segments')
    add('--repeat', type=float, default=0, help='percent of game segments')
    add('--reorder', type=float, default=0, help='percent of game segments')
    add('--keylog', choices=('secret', 'secret-by-client', 'server', 'client'), default='secret')
    add('--patch', type=int, default=5065)
    add('--account', default='testacct01')
    add('--password', default='Secret12')
    add('--password-seed', type=int, help='of MsgEncryptCode; also brings the scan codes')
    add('--account-id', type=int, default=1000001)
    add('--token', type=lambda s: int(s, 0), default=0x12345678)
    add('--account-port', type=int, default=9958)
    add('--game-port', type=int, default=5816)
    return ap.parse_args(arguments)


def main():
    options = parse_arguments()
    session = Session(options)
    session.run_account()
    session.run_game()
    session.write(options.name)


if __name__ == '__main__':
    main()
