/* SPDX-License-Identifier: MIT */
/* A game conversation read from a truth file: one JSON object a line, one line a message. */
#ifndef TRUTH_H
#define TRUTH_H

#include <glib.h>

#include "tq_cipher.h"

/* Size of MsgConnect, the one client message under the base key. */
#define CONNECT_SIZE 28

/* One direction of one connection. Coordinates are offsets in its stream. */
typedef struct direction {
    GByteArray *plain;
    GByteArray *cipher;
    GArray *starts; /* guint: offset of each message, and at last the stream's length */
    guint32 x;      /* of the alternate key; 0 from the server */
} direction;

/* Both directions of the game connection in a file, enciphered anew: [0] from the server, [1] from
   the client. Exits with a message if the file is not as expected. */
void truth_read(const char *path, direction directions[2]);

void truth_clear(direction directions[2]);

#endif
