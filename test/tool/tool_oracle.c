/* SPDX-License-Identifier: MIT
 * Makes input files for the tests of the program, and compares its output files with the results of
 * reference/.
 *
 *   tool_oracle make DTYPE N FILE            random numbers; DTYPE as "f4"
 *   tool_oracle list DTYPE FILE [NUMBER...]  these whole numbers
 *   tool_oracle bits DTYPE FILE [NUMBER...]  elements with these bits, such as 0x80000000
 *   tool_oracle heads FORM DTYPE N FILE      random segments: flags, bits, keys or offsets
 *   tool_oracle scan OP KIND INIT FORM WHERE IN OUT   INIT: a number, or "none"
 *   tool_oracle reduce OP INIT FORM WHERE IN OUT [KEYS_OUT]
 *                       FORM WHERE: "none -", a file of flags, bits, keys or offsets, "width
 *                       W", or "mask W:M"
 *   tool_oracle sort ORDER IN OUT [V W]      stable; the values V come out as W
 *   tool_oracle argsort ORDER IN ORDER_FILE
 *   tool_oracle points, box, neighbors, knn, density ...: see tool_oracle_points.c */
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

static void list(const char *dtype, const char *path, size_t n, char **numbers, bool as_bits)
{
    uint32_t bytes = (uint32_t)(dtype[1] - '0');
    char *data = memory(n * bytes);
    for (size_t i = 0; i < n; ++i)
        put(as_bits ? 'u' : dtype[0], bytes,
            numbers[i][0] == '-' ? strtoll(numbers[i], NULL, 0)
                                 : (int64_t)strtoull(numbers[i], NULL, 0),
            data + i * bytes);
    xli_npy a = xli_npy_vector(dtype[0], bytes, n, data);
    save(path, &a);
}

/* Segments of 1 to some hundred elements; the first element's flag is not always set;
 * every fourth of the offsets begins an empty segment, as do the first and the last. */
static void make_heads(const char *form, const char *dtype, size_t n, const char *path)
{
    const uint32_t bytes = (uint32_t)(dtype[1] - '0');
    const bool bits = strcmp(form, "bits") == 0, offsets = strcmp(form, "offsets") == 0;
    const bool keys = strcmp(form, "keys") == 0;
    char *data = memory((2 * n + 4) * bytes);
    uint32_t *words = (uint32_t *)(void *)data;
    uint64_t state = n + 17;
    int64_t key = -3;
    size_t count = offsets ? 2 : bits ? (n + 31) / 32 : n;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t r = next_random(&state);
        const bool head = r % (r >> 20 & 1 ? 3 : 200) == 0;
        key += head ? 1 + (int64_t)(r >> 30 & 1) : 0;
        if (offsets)
            for (int k = head ? 1 + (r % 4 == 0) : 0; k > 0 && i > 0; --k)
                put(dtype[0], bytes, (int64_t)i, data + count++ * bytes);
        else if (bits)
            words[i / 32] |= (uint32_t)head << i % 32;
        else
            put(dtype[0], bytes, keys ? key : head ? 1 + (int64_t)(r % 100) : 0, data + i * bytes);
    }
    if (offsets) {
        put(dtype[0], bytes, (int64_t)n, data + count++ * bytes);
        put(dtype[0], bytes, (int64_t)n, data + count++ * bytes);
    }
    xli_npy a = xli_npy_vector(dtype[0], bytes, count, data);
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

static double real_of(const xli_npy *a, size_t i)
{
    uint16_t half;
    float narrow;
    double wide;
    if (a->item_bytes == 2)
        return memcpy(&half, (const char *)a->data + 2 * i, 2), ref_half_value(half);
    if (a->item_bytes == 4)
        return memcpy(&narrow, (const char *)a->data + 4 * i, 4), (double)narrow;
    return memcpy(&wide, (const char *)a->data + 8 * i, 8), wide;
}

static int64_t whole_of(const xli_npy *a, size_t i)
{
    const unsigned unused = 64 - 8 * a->item_bytes;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)a->data + i * a->item_bytes, a->item_bytes); /* little-endian */
    return a->kind == 'i' ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

/* The elements of `a` with the type of a total: 64 bits, or f32. */
static void *widen(const xli_npy *a, char kind, uint32_t bytes)
{
    char *to = memory(a->count * bytes);
    for (size_t i = 0; i < a->count; ++i) {
        const double wide = a->kind == 'f' ? real_of(a, i) : 0;
        const float narrow = (float)wide;
        const int64_t whole = a->kind == 'f' ? 0 : whole_of(a, i);
        memcpy(to + i * bytes,
               kind != 'f'  ? (const void *)&whole
               : bytes == 4 ? (const void *)&narrow
                            : (const void *)&wide,
               bytes);
    }
    return to;
}

/* What segments of n elements a form has. */
typedef struct cuts {
    uint8_t *heads;
    uint64_t *begin;
    size_t count;
    xli_npy array;
} cuts;

static cuts cut(const char *form, const char *where, size_t n)
{
    static const struct {
        const char *name;
        xl_segments form;
        bool file;
    } forms[] = {{"none", XL_SEGMENTS_NONE, false},        {"width", XL_SEGMENTS_WIDTH, false},
                 {"mask", XL_SEGMENTS_MASK, false},        {"flags", XL_SEGMENTS_HEAD_FLAGS, true},
                 {"bits", XL_SEGMENTS_FLAG_BITMASK, true}, {"keys", XL_SEGMENTS_KEYS, true},
                 {"offsets", XL_SEGMENTS_OFFSETS, true}};
    cuts c = {.heads = memory(n + 1)};
    char *mask = NULL;
    size_t k = 0;
    while (k + 1 < sizeof forms / sizeof forms[0] && strcmp(forms[k].name, form) != 0)
        ++k;
    if (forms[k].file)
        c.array = load(where);
    const uint64_t width = forms[k].form >= XL_SEGMENTS_WIDTH ? strtoull(where, &mask, 10) : 0;
    const xl_type type = forms[k].file ? type_of(c.array.kind, c.array.item_bytes) : XL_NONE;
    c.begin = memory((n + c.array.count + 2) * sizeof *c.begin);
    ref_heads(forms[k].form, type, width, mask && *mask ? strtoull(mask + 1, NULL, 0) : 0,
              c.array.data, c.array.count, n, c.heads);
    c.count = ref_begins(forms[k].form, type, c.array.data, c.array.count, n, c.heads, c.begin);
    return c;
}

/* What a scan or reduction computes, and its input in the type of its results. */
typedef struct total {
    ref_flat flat;
    xli_npy in;
    void *wide, *init;
} total;

static xl_op op_of(const char *name)
{
    static const char *const names[] = {"sum", "prod", "min",     "max",    "and",
                                        "or",  "xor",  "arg-min", "arg-max"};
    size_t k = 0;
    while (k < 8 && strcmp(names[k], name) != 0)
        ++k;
    return (xl_op)(XL_SUM + k);
}

/* Sums and products have 64 bits; those of real numbers have the 32 of f4 if the variable `real`
 * says so. An index has 64 bits. */
static void read_total(total *t, const char *op_name, const char *init, const char *path,
                       bool inclusive, const xli_npy *out, size_t results, const char *out_path)
{
    t->in = load(path);
    const xl_op op = op_of(op_name);
    const bool arg = op >= XL_ARG_MIN, sums = op <= XL_PROD;
    const char kind = arg || t->in.kind == 'b' ? 'u' : t->in.kind, *const real = getenv("real");
    const uint32_t bytes = arg                                              ? 8
                           : !sums                                          ? t->in.item_bytes
                           : kind == 'f' && real && strcmp(real, "f4") == 0 ? 4
                                                                            : 8;
    check_like(out, kind, bytes, results, out_path);
    t->wide = sums ? widen(&t->in, kind, bytes) : memory(t->in.count * t->in.item_bytes);
    if (!sums)
        memcpy(t->wide, t->in.data, t->in.count * t->in.item_bytes);
    t->init = memory(8);
    put(kind, bytes, atoll(init), t->init);
    ref_flat_of(&t->flat, arg ? type_of(t->in.kind, t->in.item_bytes) : type_of(kind, bytes), op,
                inclusive, strcmp(init, "none") == 0 ? NULL : t->init);
}

/* Numbers that are equal. Zeros of either sign are. */
static void check_equal(const xli_npy *out, const void *wanted, const char *path)
{
    const xli_npy w = xli_npy_vector(out->kind, out->item_bytes, out->count, (void *)wanted);
    for (size_t i = 0; i < out->count; ++i)
        if (out->kind == 'f' ? real_of(out, i) != real_of(&w, i)
                             : whole_of(out, i) != whole_of(&w, i))
            die("%s: element %zu is wrong", path, i);
}

static void check_scan(char **a)
{
    const char *const path = a[6];
    xli_npy out = load(path);
    total t;
    read_total(&t, a[0], a[2], a[5], strcmp(a[1], "inclusive") == 0, &out, out.count, path);
    cuts c = cut(a[3], a[4], t.in.count);
    void *const wanted = memory(out.count * 8);
    if (out.count != t.in.count)
        die("%s: %zu elements, not %zu", path, out.count, t.in.count);
    ref_scan(&t.flat, t.in.count, t.wide, c.heads, wanted);
    check_equal(&out, wanted, path);
}

static void check_keys(const char *path, const cuts *c)
{
    xli_npy keys = load(path);
    check_like(&keys, c->array.kind, c->array.item_bytes, c->count, path);
    for (size_t s = 0; s < c->count; ++s)
        if (whole_of(&keys, s) != whole_of(&c->array, (size_t)c->begin[s]))
            die("%s: key %zu is wrong", path, s);
}

static void check_reduce(int count, char **a)
{
    xli_npy out = load(a[5]), in = load(a[4]);
    cuts c = cut(a[2], a[3], in.count);
    total t;
    read_total(&t, a[0], a[1], a[4], true, &out, c.count, a[5]);
    void *const wanted = memory(c.count * 8);
    ref_reduce(&t.flat, t.wide, c.begin, c.count, wanted);
    check_equal(&out, wanted, a[5]);
    if (count > 6)
        check_keys(a[6], &c);
    printf("%zu elements, %zu segments\n", in.count, c.count);
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

static void check_argsort(const char *order, const char *in, const char *out_path)
{
    uint32_t *places;
    xli_npy wanted = sorted(order, in, &places), out = load(out_path);
    check_like(&out, 'u', 4, wanted.count, out_path);
    if (memcmp(out.data, places, out.count * 4) != 0)
        die("%s: not the order", out_path);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char **a = argv + 2;
    if (strcmp(what, "make") == 0 && argc == 5)
        make(a[0], (size_t)atoll(a[1]), a[2]);
    else if (strcmp(what, "list") == 0 && argc >= 4)
        list(a[0], a[1], (size_t)argc - 4, a + 2, false);
    else if (strcmp(what, "bits") == 0 && argc >= 4)
        list(a[0], a[1], (size_t)argc - 4, a + 2, true);
    else if (strcmp(what, "heads") == 0 && argc == 6)
        make_heads(a[0], a[1], (size_t)atoll(a[2]), a[3]);
    else if (strcmp(what, "scan") == 0 && argc == 9)
        check_scan(a);
    else if (strcmp(what, "reduce") == 0 && (argc == 8 || argc == 9))
        check_reduce(argc - 2, a);
    else if (strcmp(what, "sort") == 0 && (argc == 5 || argc == 7))
        check_sort(a[0], a[1], a[2], argc == 7 ? a + 3 : NULL);
    else if (strcmp(what, "argsort") == 0 && argc == 5)
        check_argsort(a[0], a[1], a[2]);
    else if (!oracle_points(argc, argv))
        die("\"%s\" with %d arguments is unknown", what, argc - 2);
    fflush(stdout);
    _Exit(0); /* nothing is freed */
}
