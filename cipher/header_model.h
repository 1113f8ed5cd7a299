/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How much a message header is worth as evidence that a decryption is right.
 *
 * Every message of the protocol starts with its size and its type, two little-endian 16-bit
 * numbers; the size counts the header. A model knows which types there are and which sizes each may
 * have. It is a probability distribution over the 2^32 possible headers: evidence is how many times
 * likelier a header is under it than in random bytes, as a logarithm. What the model does not list
 * is unlikely, never impossible, so that types and sizes private to a server cost evidence only.
 *
 * Where a TCP segment ends is given, not predicted. A message that ends with its segment has that
 * size, and the question is which types go with it.
 */
#ifndef TQ_HEADER_MODEL_H
#define TQ_HEADER_MODEL_H

#include "tq_cipher.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Size of a message header in bytes. */
#define TQ_HEADER_SIZE 4

/** Largest message of the protocol in bytes; what lists no maximum ends here. */
#define TQ_MESSAGE_MAX 1024

/** Evidence is counted in units of 1/16 bit. */
#define TQ_EVIDENCE_BIT 16

/** Sizes in bytes that messages of one type may have. A type may have several ranges. */
typedef struct tq_size_range {
    uint16_t type;     /**< as in the header */
    uint16_t min_size; /**< header included */
    uint16_t max_size; /**< the same as min_size where the size is fixed */
} tq_size_range;

/** A model; constant once made, and to be shared by any number of recoveries and threads. */
typedef struct tq_header_model tq_header_model;

/**
 * Makes a model.
 * @param ranges  sorted by type; copied
 * @param count   how many, at least one
 * @return the model, for tq_header_model_free(); NULL if @p ranges is empty or unsorted, or memory
 *         is short
 */
TQ_API tq_header_model *tq_header_model_new(const tq_size_range *ranges, size_t count);

/**
 * Frees a model, which no recovery may use any longer.
 * @param model  the model; NULL is allowed
 */
TQ_API void tq_header_model_free(tq_header_model *model);

/**
 * Weighs one header.
 * @param model  the model
 * @param size   size field of the header
 * @param type   type field of the header
 * @param rest   bytes from the header's start to the end of its TCP segment, where most messages
 *               end; 0 if not known
 * @return the evidence in units of 1 / #TQ_EVIDENCE_BIT bit; negative if the header speaks against
 *         the decryption
 */
TQ_API int tq_header_evidence(const tq_header_model *model, unsigned size, unsigned type,
                              size_t rest);

/**
 * Whether the model lists a type.
 * @param model  the model
 * @param type   the type
 * @return true if there is a range for it
 */
TQ_API bool tq_header_type_listed(const tq_header_model *model, unsigned type);

/**
 * Whether the model lists a type with this high byte.
 * @param model  the model
 * @param high   the type divided by 256
 * @return true if there is a range for one
 */
TQ_API bool tq_header_type_high_listed(const tq_header_model *model, uint8_t high);

/**
 * Weighs a header as if the model did not list its type; all such types weigh the same.
 * @param size  as for tq_header_evidence()
 * @param rest  as for tq_header_evidence()
 * @return as for tq_header_evidence()
 */
TQ_API int tq_header_evidence_unlisted(unsigned size, size_t rest);

/** Most types that tq_header_types_of() writes. */
#define TQ_SIZE_TYPES_MAX 512

/**
 * Lists the types whose messages may have a size.
 * @param model      the model
 * @param size       the size
 * @param max_width  only ranges of at most so many sizes count
 * @param everyday   only types that make up much of the traffic count
 * @param types      where to write the types, rising; at most #TQ_SIZE_TYPES_MAX
 * @return how many were written
 */
TQ_API size_t tq_header_types_of(const tq_header_model *model, unsigned size, unsigned max_width,
                                 bool everyday, uint16_t *types);

#ifdef __cplusplus
}
#endif

#endif
