/* epan_harness.h
 * Wireshark's dissection engine with the plugin linked in, for fuzz targets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <epan/packet.h>

/* Starts the engine, once. A dissector's bug and a failed assertion of GLib's end the process. */
void harness_start(void);

/* Hands frames of harness_frame() with this encapsulation (WTAP_ENCAP_*) to a dissector. */
void harness_register(int encapsulation, dissector_t dissector);

/* Sets a preference, "tcp.desegment_tcp_streams:TRUE". */
void harness_set(const char *preference);

/* Begins and ends a capture file. Wireshark reads its tables of names each time, which takes longer
 * than most inputs. */
void harness_begin(void);
void harness_end(void);

/* Dissects the next frame of the file for the first time, of which the first `captured` bytes are
 * there. `visible`: with all texts of the tree. The bytes must stay as long as the frame may be
 * dissected again. */
void harness_frame(int encapsulation, const uint8_t *bytes, size_t captured, size_t reported,
                   bool visible);

/* Frames of the file so far. */
unsigned harness_count(void);

/* Dissects the frames from the one after `first` on once more, the last one first. */
void harness_again(unsigned first);
