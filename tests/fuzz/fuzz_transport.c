/* fuzz_transport.c
 * Whole TCP conversations with faults, through Wireshark's own dissectors.
 *
 * Input: 8 bits options; then segments:
 *     8 bits   flags, see below
 *     8 bits   connection (2 bits), and how many bytes of the segment are not captured (6 bits)
 *     16 bits  length of the payload, modulo 4096
 *     16 or 32 bits, where the flags say so: step from the sequence number that would be next
 *     the payload, which is enciphered first if the flags say so
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "epan_harness.h"
#include "fuzz.h"

#include <wiretap/wtap.h>

#include "cipher/tq_cipher.h"

/* Of the whole. */
enum {
    PORTS = 3,
    OUT_OF_ORDER = 4,
    NO_ANALYSIS = 8,
    NO_DESEGMENT = 16,
    OPENED = 32,
    AGAIN = 64,
    RECOVER = 128
};

/* Of a segment. */
enum { FROM_SERVER = 1, ENCIPHER = 2, ALTERNATE = 4, STEP = 24, SYN = 32, FIN = 64 };

/* STEP: the next one in order, a step of 16 or 32 bits, or the last one again. */
enum { STEP_NONE = 0, STEP_SMALL = 8, STEP_LARGE = 16, STEP_REPEAT = 24 };

#define CONNECTIONS 4
#define SEGMENTS_MAX 256
#define HEADERS 40
#define ISN 0xFFFFF000 /* sequence numbers wrap soon */
#define CONNECT_SIZE 28
#define CLIENT_IP 0x0A000001
#define SERVER_IP 0x0A010000
#define TOKEN 0x11223344
#define ACCOUNT_ID 1000000

/* So many inputs share a capture file, with its budget for the recovery of keys; each has addresses
 * of its own. */
#define RUNS_PER_FILE 4096

static unsigned runs;

typedef struct {
    uint32_t next, last;
} sender_t;

typedef struct {
    sender_t senders[2];
    bool begun;
} connection_t;

static tq_tables from_client, from_client_alternate, from_server;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    tq_key key;

    (void)argc;
    (void)argv;
    harness_start();
    harness_begin();
    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_tables_prepare(&from_client, &key, TQ_ROLE_CLIENT);
    tq_tables_prepare(&from_server, &key, TQ_ROLE_SERVER);
    tq_key_alternate(&key, &key, TOKEN, ACCOUNT_ID);
    tq_tables_prepare(&from_client_alternate, &key, TQ_ROLE_CLIENT);
    return 0;
}

/* Setting a preference costs more than a conversation. */
static void set_preferences(unsigned options)
{
    static unsigned now = RECOVER; /* the defaults */
    unsigned changed = (now ^ options) & (OUT_OF_ORDER | NO_ANALYSIS | NO_DESEGMENT | RECOVER);

    now ^= changed;
    if (changed & OUT_OF_ORDER)
        harness_set(now & OUT_OF_ORDER ? "tcp.reassemble_out_of_order:TRUE"
                                       : "tcp.reassemble_out_of_order:FALSE");
    if (changed & NO_ANALYSIS)
        harness_set(now & NO_ANALYSIS ? "tcp.analyze_sequence_numbers:FALSE"
                                      : "tcp.analyze_sequence_numbers:TRUE");
    if (changed & NO_DESEGMENT)
        harness_set(now & NO_DESEGMENT ? "tcp.desegment_tcp_streams:FALSE"
                                       : "tcp.desegment_tcp_streams:TRUE");
    if (changed & RECOVER)
        harness_set(now & RECOVER ? "tq.recover_keys:TRUE" : "tq.recover_keys:FALSE");
}

static void put_16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static void put_32(uint8_t *to, uint32_t value)
{
    put_16(to, value >> 16);
    put_16(to + 2, value & 0xFFFF);
}

static void encipher(uint8_t *payload, size_t length, unsigned flags, uint32_t seq)
{
    const tq_tables *tables = &from_server;

    if (!(flags & FROM_SERVER))
        tables =
            flags & ALTERNATE && seq - ISN > CONNECT_SIZE ? &from_client_alternate : &from_client;
    tq_crypt(tables, (uint16_t)(seq - ISN - 1), payload, payload, length);
}

static void send(unsigned options, unsigned connection, unsigned flags, uint32_t seq,
                 const uint8_t *payload, size_t length, size_t missing, GPtrArray *kept)
{
    static const uint16_t ports[CONNECTIONS] = {9958, 5816, 5816, 40000};
    bool from_server_side = flags & FROM_SERVER;
    unsigned server = ports[(connection + options) & PORTS], client = 50000 + connection;
    size_t size = HEADERS + length, captured = missing < length ? size - missing : HEADERS;
    uint32_t server_ip = SERVER_IP + runs % RUNS_PER_FILE;
    uint8_t *frame = g_malloc0(size);

    frame[0] = 0x45;
    put_16(frame + 2, (unsigned)size);
    frame[8] = 64;
    frame[9] = 6;
    put_32(frame + 12, from_server_side ? server_ip : CLIENT_IP);
    put_32(frame + 16, from_server_side ? CLIENT_IP : server_ip);
    put_16(frame + 20, from_server_side ? server : client);
    put_16(frame + 22, from_server_side ? client : server);
    put_32(frame + 24, seq);
    frame[32] = 5 << 4;
    frame[33] = (uint8_t)(flags & SYN ? from_server_side ? 0x12 : 0x02 : flags & FIN ? 0x11 : 0x18);
    put_16(frame + 34, 0xFFFF);
    if (length)
        memcpy(frame + HEADERS, payload, length);
    if (flags & ENCIPHER)
        encipher(frame + HEADERS, length, flags, seq);

    /* Of its own size exactly. */
    uint8_t *copy = fuzz_copy(frame, captured);
    g_free(frame);
    g_ptr_array_add(kept, copy);
    harness_frame(WTAP_ENCAP_RAW_IP, copy, captured, size, false);
}

static uint32_t place(fuzz_input_t *input, sender_t *sender, unsigned flags)
{
    switch (flags & STEP) {
    case STEP_SMALL:
        return sender->next + (uint32_t)(int32_t)(int16_t)fuzz_take(input, 2);
    case STEP_LARGE:
        return sender->next + fuzz_take(input, 4);
    case STEP_REPEAT:
        return sender->last;
    default:
        return sender->next;
    }
}

static void begin(connection_t *connection, unsigned options, unsigned number, GPtrArray *kept)
{
    connection->begun = true;
    connection->senders[0] = connection->senders[1] = (sender_t){ISN + 1, ISN + 1};
    if (options & OPENED) {
        send(options, number, SYN, ISN, NULL, 0, 0, kept);
        send(options, number, SYN | FROM_SERVER, ISN, NULL, 0, 0, kept);
    }
}

static void send_next(fuzz_input_t *input, unsigned options, connection_t connections[CONNECTIONS],
                      GPtrArray *kept)
{
    unsigned flags = fuzz_take(input, 1), where = fuzz_take(input, 1);
    size_t length = fuzz_take(input, 2) & 0xFFF, missing = where >> 2;
    unsigned number = where & (CONNECTIONS - 1);
    connection_t *connection = &connections[number];

    if (!connection->begun)
        begin(connection, options, number, kept);
    sender_t *sender = &connection->senders[flags & FROM_SERVER];
    uint32_t seq = place(input, sender, flags);
    const uint8_t *payload = fuzz_take_bytes(input, length, &length);

    send(options, number, flags, seq, payload, length, missing, kept);
    sender->last = seq;
    if ((int32_t)(seq + length - sender->next) > 0)
        sender->next = seq + (uint32_t)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = {data, size};
    unsigned options = fuzz_take(&input, 1);
    connection_t connections[CONNECTIONS] = {0};
    GPtrArray *kept = g_ptr_array_new_with_free_func(free);

    set_preferences(options);
    if (runs++ % RUNS_PER_FILE == 0) {
        harness_end();
        harness_begin();
    }
    unsigned first = harness_count();
    while (input.left > 0 && kept->len < SEGMENTS_MAX)
        send_next(&input, options, connections, kept);
    if (options & AGAIN)
        harness_again(first);
    g_ptr_array_free(kept, TRUE);
    return 0;
}
