/* SPDX-License-Identifier: MIT
 * Makes input files for the tests of the program.
 *
 *   tool_oracle make DTYPE N FILE            random numbers; DTYPE as "f4"
 *   tool_oracle list DTYPE FILE [NUMBER...]  these whole numbers
 *   tool_oracle table DTYPE FILE COLUMNS [NUMBER...]  the same as rows of a table
 *   tool_oracle bits DTYPE FILE [NUMBER...]  elements with these bits, such as 0x80000000
 *   tool_oracle points, box, neighbors, nearest, density ...: see tool_oracle_points.c */
#include "tool_oracle.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("tool_oracle: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

xli_npy load(const char *path)
{
    xli_npy a;
    xli_npy_error error;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        die("%s: cannot be opened", path);
    if (!xli_npy_read(stream, &a, &error))
        die("%s: %s", path, error.text);
    fclose(stream);
    return a;
}

void save(const char *path, const xli_npy *a)
{
    FILE *stream = fopen(path, "wb");
    if (!stream || !xli_npy_write(stream, a) || fclose(stream) != 0)
        die("%s: cannot be written", path);
}

void *memory(size_t bytes)
{
    void *m = calloc(bytes ? bytes : 1, 1);
    if (!m)
        die("no memory");
    return m;
}

uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33 ^ *state << 31;
}

/* ---- making files ---- */

/* A whole number as an element of any type; for half precision up to 2048. */
static void put(char kind, uint32_t bytes, int64_t value, void *to)
{
    const double wide = (double)value;
    const float narrow = (float)value;
    unsigned parts = value < 0 ? 0x8000 : 0;
    int exponent;
    if (value != 0) {
        const double fraction = frexp(fabs(wide), &exponent);
        parts |= (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 1023);
    }
    const uint16_t small = (uint16_t)parts;
    const void *from = kind != 'f'  ? (const void *)&value
                       : bytes == 2 ? (const void *)&small
                       : bytes == 4 ? (const void *)&narrow
                                    : (const void *)&wide;
    memcpy(to, from, bytes);
}

/* Sums of floating-point numbers from here are exact. */
static void make(const char *dtype, size_t n, const char *path)
{
    uint32_t bytes = (uint32_t)(dtype[1] - '0');
    char *data = memory(n * bytes);
    uint64_t state = n + 5;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t bits = next_random(&state);
        const int64_t small = bytes == 2 ? (int64_t)(bits % 3) - 1 : (int64_t)(bits & 15) - 6;
        put(dtype[0], bytes, dtype[0] == 'f' ? small : (int64_t)bits, data + i * bytes);
    }
    xli_npy a = xli_npy_vector(dtype[0], bytes, n, data);
    save(path, &a);
}

/* columns 0: one dimension. */
static void list(const char *dtype, const char *path, size_t columns, size_t n, char **numbers,
                 bool as_bits)
{
    uint32_t bytes = (uint32_t)(dtype[1] - '0');
    char *data = memory(n * bytes);
    for (size_t i = 0; i < n; ++i)
        put(as_bits ? 'u' : dtype[0], bytes,
            numbers[i][0] == '-' ? strtoll(numbers[i], NULL, 0)
                                 : (int64_t)strtoull(numbers[i], NULL, 0),
            data + i * bytes);
    xli_npy a = xli_npy_vector(dtype[0], bytes, n, data);
    if (columns) {
        a.dimensions = 2;
        a.shape[0] = n / columns;
        a.shape[1] = columns;
    }
    save(path, &a);
}

/* ---- checking files ---- */

void check_like(const xli_npy *a, char kind, uint32_t bytes, size_t n, const char *name)
{
    if (a->kind != kind || a->item_bytes != bytes || a->dimensions != 1 || a->count != n)
        die("%s: %c%u with %zu elements; %c%u with %zu expected", name, a->kind,
            8 * (unsigned)a->item_bytes, a->count, kind, 8 * (unsigned)bytes, n);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char **a = argv + 2;
    if (strcmp(what, "make") == 0 && argc == 5)
        make(a[0], (size_t)atoll(a[1]), a[2]);
    else if (strcmp(what, "list") == 0 && argc >= 4)
        list(a[0], a[1], 0, (size_t)argc - 4, a + 2, false);
    else if (strcmp(what, "table") == 0 && argc >= 5)
        list(a[0], a[1], (size_t)atoll(a[2]), (size_t)argc - 5, a + 3, false);
    else if (strcmp(what, "bits") == 0 && argc >= 4)
        list(a[0], a[1], 0, (size_t)argc - 4, a + 2, true);
    else if (!oracle_points(argc, argv))
        die("\"%s\" with %d arguments is unknown", what, argc - 2);
    fflush(stdout);
    _Exit(0); /* nothing is freed */
}
