/* SPDX-License-Identifier: MIT
 * Fuzz target: any bytes as a file of the program cache, as they are, with the key they name,
 * and as the binary behind a header that fits, of which then one bit is turned. */
#include "fuzz_target.h"
#include "private.h"

#include <string.h>

/* As cache_folder.c has it. */
enum { MAGIC = 16, HASH = 64, HEADER = MAGIC + 2 * HASH };

/* Bytes that are no file of a key are one of no key. */
static void try_file(const uint8_t *data, size_t size)
{
    static const char other[65] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    char key[65] = "";
    if (size >= HEADER)
        memcpy(key, data + MAGIC, HASH);
    if (memcmp(key, other, HASH) != 0)
        FUZZ_HOLDS(!xli_cache_intact((const char *)data, size, other));
    if (xli_cache_intact((const char *)data, size, key))
        FUZZ_HOLDS(size > HEADER && memcmp(data, "crosslane cache1", MAGIC) == 0);
}

static void try_binary(const uint8_t *data, size_t size)
{
    static const char key[65] = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
    char hex[65];
    xli_sha256 hash;
    char *file = malloc(HEADER + size);
    FUZZ_HOLDS(file);
    xli_sha256_init(&hash);
    xli_sha256_add(&hash, data, size);
    xli_sha256_hex(&hash, hex);
    memcpy(file, "crosslane cache1", MAGIC);
    memcpy(file + MAGIC, key, HASH);
    memcpy(file + MAGIC + HASH, hex, HASH);
    memcpy(file + HEADER, data, size);
    FUZZ_HOLDS(xli_cache_intact(file, HEADER + size, key));
    FUZZ_HOLDS(!xli_cache_intact(file, HEADER + size - 1, key));
    file[(data[0] * 251u + size) % (HEADER + size)] ^= (char)(1 << data[size - 1] % 8);
    FUZZ_HOLDS(!xli_cache_intact(file, HEADER + size, key));
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_file(data, size);
    if (size > 0)
        try_binary(data, size);
    return 0;
}
