/* SPDX-License-Identifier: MIT
 * Makes input files for the tests of the program and checks its output files, by
 * the plainest serial code there is. A second oracle on purpose: it shares nothing with
 * reference/, of which the program itself is made for its self-test and for half precision.
 *
 *   tool_oracle make DTYPE N FILE            random numbers; DTYPE as "f4"
 *   tool_oracle list DTYPE FILE [NUMBER...]  these whole numbers
 *   tool_oracle bits DTYPE FILE [NUMBER...]  elements with these bits, such as 0x80000000
 *   tool_oracle heads FORM DTYPE N FILE      random segments: flags, bits, keys or offsets
 *   tool_oracle scan OP KIND INIT FORM WHERE IN OUT   INIT: a number, or "none"
 *   tool_oracle reduce OP INIT FORM WHERE IN OUT [KEYS_OUT]
 *                       FORM WHERE: "none -", a file of flags, bits, keys or offsets, "width
 *                       W", or "mask W:M"
 *   tool_oracle sort ORDER IN OUT
 *   tool_oracle argsort ORDER IN ORDER_FILE
 *   tool_oracle pairs ORDER IN OUT V W
 *   tool_oracle points, box, neighbors, knn, density ...: see tool_oracle_points.c */
#include "tool_oracle.h"

#include <inttypes.h>
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

/* ---- numbers of any kind ---- */

typedef struct number {
    char kind;
    uint64_t bits; /* 'i' and 'u': the value modulo 2^64 */
    double real;   /* 'f' */
} number;

/* Half precision, from the definition of the format. */
static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double size = exponent ? ldexp(1 + (bits & 1023) / 1024.0, exponent - 15)
                           : ldexp((bits & 1023) / 1024.0, -14);
    if (exponent == 31)
        size = bits & 1023 ? NAN : INFINITY;
    return bits >> 15 ? -size : size;
}

/* The first `bytes` of memory as a whole number: this machine is little-endian. */
static number get(const xli_npy *a, size_t i)
{
    const char *at = (const char *)a->data + i * a->item_bytes;
    const unsigned unused = 64 - 8 * a->item_bytes;
    number x = {a->kind, 0, 0};
    float narrow;
    if (!a->data)
        return x;
    memcpy(&x.bits, at, a->item_bytes);
    if (a->kind == 'i')
        x.bits = (uint64_t)((int64_t)(x.bits << unused) >> unused);
    if (a->kind == 'f' && a->item_bytes == 2) {
        x.real = half((uint16_t)x.bits);
    } else if (a->kind == 'f' && a->item_bytes == 4) {
        memcpy(&narrow, at, 4);
        x.real = (double)narrow;
    } else if (a->kind == 'f') {
        memcpy(&x.real, at, 8);
    }
    return x;
}

static bool less(number a, number b)
{
    if (a.kind == 'f')
        return a.real < b.real;
    return a.kind == 'i' ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

/* Modulo 2^(8 bytes), as the sums of integers are. */
static bool equal(number a, number b, uint32_t bytes)
{
    if (a.kind == 'f')
        return a.real == b.real;
    return (a.bits ^ b.bits) << (64 - 8 * bytes) == 0;
}

static number combine(const char *op, number a, number b)
{
    if (strcmp(op, "min") == 0)
        return less(b, a) ? b : a;
    if (strcmp(op, "max") == 0)
        return less(a, b) ? b : a;
    a.real = strcmp(op, "sum") == 0 ? a.real + b.real : a.real * b.real;
    a.bits = strcmp(op, "sum") == 0    ? a.bits + b.bits
             : strcmp(op, "prod") == 0 ? a.bits * b.bits
             : strcmp(op, "and") == 0  ? a.bits & b.bits
             : strcmp(op, "or") == 0   ? a.bits | b.bits
                                       : a.bits ^ b.bits;
    return a;
}

/* What a scan starts from: INIT, or the operator's identity. */
static number start_of(const char *op, const char *init, const xli_npy *in)
{
    const unsigned unused = 64 - 8 * in->item_bytes;
    number x = {in->kind, (uint64_t)strtoll(init, NULL, 10), strtod(init, NULL)};
    if (strcmp(init, "none") != 0)
        return x;
    const bool highest = strcmp(op, "min") == 0, lowest = strcmp(op, "max") == 0;
    x.bits = strcmp(op, "prod") == 0;
    if (strcmp(op, "and") == 0)
        x.bits = UINT64_MAX;
    if (highest)
        x.bits = in->kind == 'i' ? INT64_MAX >> unused : UINT64_MAX >> unused;
    if (lowest)
        x.bits = in->kind == 'i' ? (uint64_t)(INT64_MIN >> unused) : 0;
    x.real = highest ? INFINITY : lowest ? -INFINITY : (double)x.bits;
    return x;
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
    free(data);
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
    free(data);
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
    free(data);
}

/* ---- checking files ---- */

void check_like(const xli_npy *a, char kind, uint32_t bytes, size_t n, const char *name)
{
    if (a->kind != kind || a->item_bytes != bytes || a->dimensions != 1 || a->count != n)
        die("%s: %c%u with %zu elements; %c%u with %zu expected", name, a->kind,
            8 * (unsigned)a->item_bytes, a->count, kind, 8 * (unsigned)bytes, n);
}

/* The first elements of segments, one after the other and `n` in the end, empty
 * segments and all. */
typedef struct cuts {
    size_t *at, count; /* segments */
    xli_npy array;
} cuts;

static bool begins(const cuts *c, const char *form, const char *where, size_t i)
{
    char *mask = NULL;
    const uint64_t width = strtoull(where, &mask, 10);
    if (strcmp(form, "none") == 0)
        return i == 0;
    if (strcmp(form, "width") == 0)
        return i % width == 0;
    if (strcmp(form, "mask") == 0)
        return i % width == 0 || strtoull(mask + 1, NULL, 0) >> i % width & 1;
    if (strcmp(form, "flags") == 0)
        return i == 0 || get(&c->array, i).bits != 0;
    if (strcmp(form, "bits") == 0)
        return i == 0 || get(&c->array, i / 32).bits >> i % 32 & 1;
    return i == 0 || get(&c->array, i).bits != get(&c->array, i - 1).bits;
}

static cuts cut(const char *form, const char *where, size_t n)
{
    cuts c = {.count = 0};
    const bool file =
        strcmp(form, "none") != 0 && strcmp(form, "width") != 0 && strcmp(form, "mask") != 0;
    if (file)
        c.array = load(where);
    if (strcmp(form, "offsets") == 0) {
        c.count = c.array.count - 1;
        c.at = memory(c.array.count * sizeof *c.at);
        for (size_t i = 0; i <= c.count; ++i)
            c.at[i] = (size_t)get(&c.array, i).bits;
        return c;
    }
    c.at = memory((n + 2) * sizeof *c.at);
    for (size_t i = 0; i < n; ++i)
        if (begins(&c, form, where, i))
            c.at[c.count++] = i;
    if (strcmp(form, "none") == 0)
        c.count = 1;
    c.at[c.count] = n;
    return c;
}

/* The form of a scan's or a reduction's results: sums and products have 64 bits; those of real
 * numbers have the 32 of f4 if the variable `real` says so. */
static void check_results(const xli_npy *out, const xli_npy *in, const char *op, size_t n,
                          const char *name)
{
    const bool arg = strncmp(op, "arg", 3) == 0;
    const bool total = strcmp(op, "sum") == 0 || strcmp(op, "prod") == 0;
    const char kind = arg || in->kind == 'b' ? 'u' : in->kind, *real = getenv("real");
    const bool single = kind == 'f' && real && strcmp(real, "f4") == 0;
    check_like(out, kind, arg ? 8 : !total ? in->item_bytes : single ? 4 : 8, n, name);
}

static void check_scan(char **a)
{
    const char *op = a[0], *in_path = a[5], *out_path = a[6];
    xli_npy in = load(in_path), out = load(out_path);
    const bool inclusive = strcmp(a[1], "inclusive") == 0;
    const number start = start_of(op, a[2], &in);
    cuts c = cut(a[3], a[4], in.count);
    check_results(&out, &in, op, in.count, out_path);
    for (size_t s = 0; s < c.count; ++s) {
        number running = start;
        for (size_t i = c.at[s]; i < c.at[s + 1]; ++i) {
            const number after = combine(op, running, get(&in, i));
            if (!equal(get(&out, i), inclusive ? after : running, out.item_bytes))
                die("%s: element %zu is wrong", out_path, i);
            running = after;
        }
    }
    printf("%zu elements, %zu segments\n", in.count, c.count);
    free(c.at);
    xli_npy_free(&c.array);
    xli_npy_free(&in);
    xli_npy_free(&out);
}

static number reduced(const char *op, number start, const xli_npy *in, size_t from, size_t end)
{
    const bool least = strcmp(op, "arg-min") == 0, most = strcmp(op, "arg-max") == 0;
    number best = {'u', UINT64_MAX, 0};
    for (size_t i = from; i < end; ++i) {
        const number x = get(in, i);
        if (!least && !most)
            start = combine(op, start, x);
        else if (x.kind == 'f' && isnan(x.real))
            continue;
        else if (best.bits == UINT64_MAX || (least ? less(x, get(in, (size_t)best.bits))
                                                   : less(get(in, (size_t)best.bits), x)))
            best.bits = i;
    }
    return least || most ? best : start;
}

static void check_reduce(int count, char **a)
{
    const char *op = a[0], *in_path = a[4], *out_path = a[5];
    xli_npy in = load(in_path), out = load(out_path), keys = {0};
    const number start = start_of(op, a[1], &in);
    cuts c = cut(a[2], a[3], in.count);
    check_results(&out, &in, op, c.count, out_path);
    for (size_t s = 0; s < c.count; ++s)
        if (!equal(get(&out, s), reduced(op, start, &in, c.at[s], c.at[s + 1]), out.item_bytes))
            die("%s: segment %zu is wrong", out_path, s);
    if (count > 6) {
        keys = load(a[6]);
        check_like(&keys, c.array.kind, c.array.item_bytes, c.count, a[6]);
        for (size_t s = 0; s < c.count; ++s)
            if (get(&keys, s).bits != get(&c.array, c.at[s]).bits)
                die("%s: key %zu is wrong", a[6], s);
    }
    printf("%zu elements, %zu segments\n", in.count, c.count);
    free(c.at);
    xli_npy_free(&c.array);
    xli_npy_free(&keys);
    xli_npy_free(&in);
    xli_npy_free(&out);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Every element of `a` as often as in `b`. */
static void check_same_elements(const xli_npy *a, const xli_npy *b, const char *name)
{
    uint64_t *x = memory(a->count * sizeof *x), *y = memory(a->count * sizeof *y);
    for (size_t i = 0; i < a->count; ++i) {
        memcpy(&x[i], (char *)a->data + i * a->item_bytes, a->item_bytes);
        memcpy(&y[i], (char *)b->data + i * b->item_bytes, b->item_bytes);
    }
    qsort(x, a->count, sizeof *x, compare_words);
    qsort(y, a->count, sizeof *y, compare_words);
    if (memcmp(x, y, a->count * sizeof *x) != 0)
        die("%s: other elements than before", name);
    free(x);
    free(y);
}

static void check_order(const char *order, const xli_npy *keys, const char *name)
{
    bool down = strcmp(order, "descending") == 0;
    for (size_t i = 1; i < keys->count; ++i)
        if (down ? less(get(keys, i - 1), get(keys, i)) : less(get(keys, i), get(keys, i - 1)))
            die("%s: elements %zu and %zu are not %s", name, i - 1, i, order);
}

static void check_sort(const char *order, const char *in_path, const char *out_path)
{
    xli_npy in = load(in_path), out = load(out_path);
    check_like(&out, in.kind, in.item_bytes, in.count, out_path);
    check_order(order, &out, out_path);
    check_same_elements(&in, &out, out_path);
    xli_npy_free(&in);
    xli_npy_free(&out);
}

static void check_argsort(const char *order, const char *in_path, const char *out_path)
{
    xli_npy in = load(in_path), out = load(out_path);
    check_like(&out, 'u', 4, in.count, out_path);
    bool *seen = memory(in.count);
    char *gathered = memory(in.count * in.item_bytes);
    for (size_t i = 0; i < in.count; ++i) {
        uint32_t from = (uint32_t)get(&out, i).bits;
        if (from >= in.count || seen[from])
            die("%s: element %zu, %" PRIu32 ", is twice or too large", out_path, i, from);
        seen[from] = true;
        memcpy(gathered + i * in.item_bytes, (char *)in.data + from * in.item_bytes, in.item_bytes);
    }
    xli_npy keys = in;
    keys.data = gathered;
    check_order(order, &keys, out_path);
    free(seen);
    free(gathered);
    xli_npy_free(&in);
    xli_npy_free(&out);
}

/* A key and its value side by side, as one word that travels as a whole. */
static xli_npy zip(const char *key_path, const char *value_path)
{
    xli_npy keys = load(key_path), values = load(value_path);
    check_like(&values, values.kind, 4, keys.count, value_path);
    if (keys.item_bytes != 4)
        die("%s: keys of 4 bytes expected", key_path);
    char *words = memory(8 * keys.count);
    for (size_t i = 0; i < keys.count; ++i) {
        memcpy(words + 8 * i, (char *)keys.data + 4 * i, 4);
        memcpy(words + 8 * i + 4, (char *)values.data + 4 * i, 4);
    }
    xli_npy whole = xli_npy_vector('u', 8, keys.count, words);
    xli_npy_free(&keys);
    xli_npy_free(&values);
    return whole;
}

static void check_pairs(const char *order, const char *in, const char *out, const char *v,
                        const char *w)
{
    check_sort(order, in, out);
    xli_npy before = zip(in, v), after = zip(out, w);
    check_same_elements(&before, &after, w);
    xli_npy_free(&before);
    xli_npy_free(&after);
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
    else if (strcmp(what, "sort") == 0 && argc == 5)
        check_sort(a[0], a[1], a[2]);
    else if (strcmp(what, "argsort") == 0 && argc == 5)
        check_argsort(a[0], a[1], a[2]);
    else if (strcmp(what, "pairs") == 0 && argc == 7)
        check_pairs(a[0], a[1], a[2], a[3], a[4]);
    else if (!oracle_points(argc, argv))
        die("\"%s\" with %d arguments is unknown", what, argc - 2);
    return 0;
}
