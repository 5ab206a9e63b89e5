/* SPDX-License-Identifier: MIT
 * Gives a fuzz target the files named on the command line, one after the other, without
 * libFuzzer. Exits with 1 if there is none or one cannot be read. */
#include "fuzz_target.h"

static int replay(const char *path)
{
    uint8_t *data = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    for (int byte; file && (byte = fgetc(file)) != EOF; ++size) {
        uint8_t *grown = realloc(data, size + 1);
        FUZZ_HOLDS(grown);
        data = grown;
        data[size] = (uint8_t)byte;
    }
    const int failed = !file || ferror(file);
    /* What ends the process is the last that is named. */
    fprintf(stderr, failed ? "%s cannot be read\n" : "%s\n", path);
    if (!failed)
        (void)LLVMFuzzerTestOneInput(data, size);
    if (file)
        fclose(file);
    free(data);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; ++i)
        failed |= replay(argv[i]);
    return failed;
}
