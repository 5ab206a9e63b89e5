/* SPDX-License-Identifier: MIT
 * Makes input files for the tests of the program, and compares its output files with the results of
 * reference/.
 *
 *   tool_oracle make DTYPE N FILE            random numbers; DTYPE as "f4"
 *   tool_oracle list DTYPE FILE [NUMBER...]  these whole numbers
 *   tool_oracle table DTYPE FILE COLUMNS [NUMBER...]  the same as rows of a table
 *   tool_oracle bits DTYPE FILE [NUMBER...]  elements with these bits, such as 0x80000000
 *   tool_oracle sort ORDER IN OUT [V W]      stable; the values V come out as W
 *   tool_oracle points, box, neighbors, nearest, density ...: see tool_oracle_points.c */
#include "tool_oracle.h"

#include "reference.h"

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

static xl_type type_of(char kind, uint32_t bytes)
{
    static const struct {
        char kind;
        uint32_t bytes;
        xl_type type;
    } types[] = {{'b', 1, XL_U8},  {'u', 1, XL_U8},  {'u', 2, XL_U16}, {'u', 4, XL_U32},
                 {'u', 8, XL_U64}, {'i', 1, XL_I8},  {'i', 2, XL_I16}, {'i', 4, XL_I32},
                 {'i', 8, XL_I64}, {'f', 2, XL_F16}, {'f', 4, XL_F32}, {'f', 8, XL_F64}};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k)
        if (types[k].kind == kind && types[k].bytes == bytes)
            return types[k].type;
    die("%c%u is no type", kind, (unsigned)bytes);
}

static int64_t whole_of(const xli_npy *a, size_t i)
{
    const unsigned unused = 64 - 8 * a->item_bytes;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)a->data + i * a->item_bytes, a->item_bytes); /* little-endian */
    return a->kind == 'i' ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

/* The input in order, and the places that its elements had. */
static xli_npy sorted(const char *order, const char *path, uint32_t **places)
{
    xli_npy a = load(path);
    *places = memory(a.count * sizeof **places);
    for (size_t i = 0; i < a.count; ++i)
        (*places)[i] = (uint32_t)i;
    if (!ref_sort(type_of(a.kind, a.item_bytes), strcmp(order, "descending") == 0, a.count, a.data,
                  *places))
        die("no memory");
    return a;
}

/* `values`: two files, or none. */
static void check_sort(const char *order, const char *in, const char *out_path, char **values)
{
    uint32_t *places;
    xli_npy wanted = sorted(order, in, &places), out = load(out_path);
    check_like(&out, wanted.kind, wanted.item_bytes, wanted.count, out_path);
    if (memcmp(out.data, wanted.data, out.count * out.item_bytes) != 0)
        die("%s: not in order", out_path);
    if (!values)
        return;
    xli_npy v = load(values[0]), w = load(values[1]);
    check_like(&w, v.kind, v.item_bytes, wanted.count, values[1]);
    for (size_t i = 0; i < w.count; ++i)
        if (whole_of(&w, i) != whole_of(&v, places[i]))
            die("%s: element %zu is wrong", values[1], i);
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
    else if (strcmp(what, "sort") == 0 && (argc == 5 || argc == 7))
        check_sort(a[0], a[1], a[2], argc == 7 ? a + 3 : NULL);
    else if (!oracle_points(argc, argv))
        die("\"%s\" with %d arguments is unknown", what, argc - 2);
    fflush(stdout);
    _Exit(0); /* nothing is freed */
}
