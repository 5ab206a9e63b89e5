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
    if (!file || ferror(file)) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 1;
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the one that ends the process is the last */
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; ++i)
        failed |= replay(argv[i]);
    return failed;
}
