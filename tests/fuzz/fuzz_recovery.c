/* fuzz_recovery.c
 * Recovery of counter and key, fed with segments, gaps and repetitions.
 *
 * Input: 8 bits options, 16 bits counter; then segments: 8 bits step (signed, from where the last
 * one ended), 16 bits length, the bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fuzz.h"

#include "recovery.h"
#include "tests/recovery/conquer_sizes.h"

#define BUDGET 100000
/* One feed may go beyond the budget by what a segment costs at most. */
#define WORK_MAX (8 * BUDGET + 4000000)
#define X 0x12345678

enum { FROM_CLIENT = 1, COUNTER_KNOWN = 2, GIVEN_X = 4, ENCIPHERED = 8, ALTERNATE = 16 };

static tq_header_model *models[2]; /* by whether the client sends */
static tq_key base, alternate;
static tq_tables from_client, from_client_alternate, from_server;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    models[0] = tq_header_model_new(conquer_server_sizes,
                                    sizeof conquer_server_sizes / sizeof conquer_server_sizes[0]);
    models[1] = tq_header_model_new(conquer_client_sizes,
                                    sizeof conquer_client_sizes / sizeof conquer_client_sizes[0]);
    tq_key_generate(&base, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_key_alternate_from_x(&alternate, &base, X);
    tq_tables_prepare(&from_client, &base, TQ_ROLE_CLIENT);
    tq_tables_prepare(&from_client_alternate, &alternate, TQ_ROLE_CLIENT);
    tq_tables_prepare(&from_server, &base, TQ_ROLE_SERVER);
    return 0;
}

static void check_result(const tq_recovery *recovery, tq_recovery_state state)
{
    const tq_recovered *result = tq_recovery_result(recovery);

    FUZZ_CHECK(tq_recovery_work(recovery) <= WORK_MAX);
    if (state == TQ_RECOVERY_FOUND)
        FUZZ_CHECK(result && result->from == 0 && result->until == UINT64_MAX);
    if (state == TQ_RECOVERY_PARTIAL)
        FUZZ_CHECK(result && result->from < result->until);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t given[] = {1, X};
    fuzz_input_t input = {data, size};
    unsigned options = fuzz_take(&input, 1);
    uint16_t counter = (uint16_t)fuzz_take(&input, 2);
    tq_recovery_config config = {
        .key = &base,
        .model = models[options & FROM_CLIENT],
        .from_client = options & FROM_CLIENT,
        .x = given,
        .x_count = options & GIVEN_X ? 2 : 0,
        .counter_known = options & COUNTER_KNOWN,
        .counter_at_0 = counter,
        .budget = BUDGET,
    };
    tq_recovery *recovery = tq_recovery_new(&config);
    const tq_tables *tables = !(options & FROM_CLIENT) ? &from_server
                              : options & ALTERNATE    ? &from_client_alternate
                                                       : &from_client;
    uint64_t position = UINT64_C(1) << 32;

    FUZZ_CHECK(recovery);
    while (input.left > 0) {
        size_t length;
        position += (uint64_t)(int64_t)(int8_t)fuzz_take(&input, 1);
        size_t wanted = fuzz_take(&input, 2);
        const uint8_t *bytes = fuzz_take_bytes(&input, wanted, &length);
        uint8_t *segment = fuzz_copy(bytes, length);
        if (options & ENCIPHERED)
            tq_crypt(tables, (uint16_t)(counter + position), segment, segment, length);
        check_result(recovery, tq_recovery_feed(recovery, position, segment, length));
        free(segment);
        position += length;
    }
    tq_recovery_free(recovery);
    return 0;
}
