/* replay.c
 * Runs a fuzz target over files and folders of inputs, where there is no libFuzzer: what was found
 * once is tried again in every build.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include <glib.h>

#include "fuzz.h"

static unsigned replayed;

static void replay_file(const char *path)
{
    char *bytes;
    gsize size;
    GError *error = NULL;

    if (!g_file_get_contents(path, &bytes, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        exit(EXIT_FAILURE);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
    g_free(bytes);
    replayed++;
}

static void replay_folder(const char *path)
{
    GDir *folder = g_dir_open(path, 0, NULL);
    const char *name;

    while (folder && (name = g_dir_read_name(folder)) != NULL) {
        char *file = g_build_filename(path, name, NULL);
        replay_file(file);
        g_free(file);
    }
    if (folder)
        g_dir_close(folder);
}

int main(int argc, char **argv)
{
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (g_file_test(argv[i], G_FILE_TEST_IS_DIR))
            replay_folder(argv[i]);
        else
            replay_file(argv[i]);
    }
    printf("%u inputs\n", replayed);
    return EXIT_SUCCESS;
}
