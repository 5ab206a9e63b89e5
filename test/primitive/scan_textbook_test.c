/* SPDX-License-Identifier: MIT
 * The textbook scans, and the one that XL_SCAN_AUTO takes with XL_REPRODUCIBLE, against plain
 * models of their trees, bit for bit: sizes around blocks and levels, operators, segments,
 * placement, groups of every size, and that sums of floating-point numbers have the same bits on
 * every device. */
#include "reference.h"
#include "scan_models.h"
#include "xlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const xl_scan_algorithm both[] = {XL_SCAN_KOGGE_STONE, XL_SCAN_BLELLOCH};
/* With AUTO plans are made reproducible. */
static const xl_scan_algorithm three[] = {XL_SCAN_KOGGE_STONE, XL_SCAN_BLELLOCH, XL_SCAN_AUTO};
static const char *const names[] = {[XL_SCAN_AUTO] = "reproducible",
                                    [XL_SCAN_KOGGE_STONE] = "Kogge-Stone",
                                    [XL_SCAN_BLELLOCH] = "Blelloch"};

/* ---- operators ------------------------------------------------------------- */

#define OPERATOR(name, type, expression)                                                           \
    static void name(void *to, const void *left, const void *right)                                \
    {                                                                                              \
        type a, b, c;                                                                              \
        memcpy(&a, left, sizeof a);                                                                \
        memcpy(&b, right, sizeof b);                                                               \
        expression;                                                                                \
        memcpy(to, &c, sizeof c);                                                                  \
    }

typedef struct matrix {
    uint32_t m[4];
} matrix;
typedef struct pair {
    int32_t low, high;
} pair;

static matrix matrix_product(matrix a, matrix b)
{
    const matrix c = {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                       a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
    return c;
}

OPERATOR(add_u32, uint32_t, c = a + b)
OPERATOR(add_u64, uint64_t, c = a + b)
OPERATOR(add_f16, uint16_t, c = ref_half_of(ref_half_value(a) + ref_half_value(b)))
OPERATOR(add_f32, float, c = a + b)
OPERATOR(add_f64, double, c = a + b)
OPERATOR(min_f32, float, c = b < a || a != a ? b : a)
OPERATOR(mul_matrix, matrix, c = matrix_product(a, b))
OPERATOR(span_pair, pair, (c.low = a.low, c.high = b.high))

static const unsigned char zeros[MOST_BYTES];
static const float infinite = INFINITY;
static const matrix unit_matrix = {{1, 0, 0, 1}};

static const monoid u32_sum = {"u32 sum", 4, 8, add_u32, zeros};
static const monoid u64_sum = {"u64 sum", 8, 16, add_u64, zeros};
static const monoid f16_sum = {"f16 sum", 2, 8, add_f16, zeros};
static const monoid f32_sum = {"f32 sum", 4, 8, add_f32, zeros};
static const monoid f64_sum = {"f64 sum", 8, 16, add_f64, zeros};
static const monoid f32_min = {"f32 min", 4, 8, min_f32, &infinite};
static const monoid matrices = {"2x2 matrices", 16, 20, mul_matrix, &unit_matrix};
static const monoid loose_matrices = {"2x2 matrices in order", 16, 20, mul_matrix, &unit_matrix};
static const monoid wides = {"200 bytes", 200, 204, mul_matrix, &unit_matrix};
static const monoid pairs = {"no identity", 8, 12, span_pair, zeros};

static const xl_user_type matrix_type = {"matrix", sizeof(matrix), 4,
                                         "typedef struct { uint a, b, c, d; } matrix;"};
static const xl_user_op matrix_op = {
    "product",
    "matrix product(matrix x, matrix y)\n{\n    matrix z;\n"
    "    z.a = x.a * y.a + x.b * y.c;\n    z.b = x.a * y.b + x.b * y.d;\n"
    "    z.c = x.c * y.a + x.d * y.c;\n    z.d = x.c * y.b + x.d * y.d;\n    return z;\n}",
    &unit_matrix, XL_OP_STRICTLY_ASSOCIATIVE};
/* The same, but nothing is said of the order. */
static const xl_user_op loose_op = {
    "product",
    "matrix product(matrix x, matrix y)\n{\n    matrix z;\n"
    "    z.a = x.a * y.a + x.b * y.c;\n    z.b = x.a * y.b + x.b * y.d;\n"
    "    z.c = x.c * y.a + x.d * y.c;\n    z.d = x.c * y.b + x.d * y.d;\n    return z;\n}",
    &unit_matrix, 0};
static const xl_user_type pair_type = {"pair", sizeof(pair), 4,
                                       "typedef struct { int low, high; } pair;"};
static const xl_user_op pair_op = {
    "span", "pair span(pair a, pair b) { pair c; c.low = a.low; c.high = b.high; return c; }", NULL,
    0};
/* So large that blocks are small, and there are more levels of them. */
static const struct {
    matrix first;
    uint32_t rest[46];
} unit_wide = {{{1, 0, 0, 1}}, {0}};
static const xl_user_type wide_type = {"wide", sizeof unit_wide, 4,
                                       "typedef struct { uint m[50]; } wide;"};
static const xl_user_op wide_op = {
    "product",
    "wide product(wide a, wide b)\n{\n    wide c = a;\n"
    "    c.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];\n"
    "    c.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];\n"
    "    c.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];\n"
    "    c.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];\n    return c;\n}",
    &unit_wide, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- one verified call ------------------------------------------------------ */

typedef struct job {
    const monoid *m;
    xl_scan_desc desc;
    uint32_t spread; /* about so many elements of a segment; 0: 7 */
    size_t in_offset, out_offset;
    bool in_place;
    size_t most;    /* not 0: n stands on the device, and this is the most it may be */
    bool doubles;   /* the load expression is 2 * x, the store expression x + i */
    size_t empties; /* empty segments at one place, CSR */
    bool tree_only; /* leave the textbook scans out */
} job;

static job make_job(const monoid *m, xl_type type, xl_op op, xl_scan_kind kind)
{
    job j = {.m = m};
    xl_scan_desc_init(&j.desc);
    j.desc.type = type;
    j.desc.op = op;
    j.desc.kind = kind;
    return j;
}

static job user_job(const monoid *m, const xl_user_type *type, const xl_user_op *op,
                    xl_scan_kind kind)
{
    job j = make_job(m, XL_USER_TYPE, XL_USER_OP, kind);
    j.desc.user_type = type;
    j.desc.user_op = op;
    return j;
}

/* Numbers of very different size, of either sign, so that every rounding shows. */
static double rough(xlt_random *random, int digits, int range)
{
    const double whole = (double)(xlt_next(random) >> (64 - digits));
    const int exponent = (int)xlt_below(random, (uint32_t)(2 * range)) - range;
    const double x = ldexp(whole, exponent - digits);
    return xlt_below(random, 2) ? x : -x;
}

static void fill(const monoid *m, size_t n, unsigned char *to)
{
    xlt_random random = {n + 77};
    memset(to, 0, n * m->bytes);
    for (size_t i = 0; i < n; ++i) {
        unsigned char *at = to + i * m->bytes;
        const float f = (float)rough(&random, 24, 30);
        const double d = rough(&random, 53, 60);
        const uint16_t h = ref_half_of(rough(&random, 11, 7));
        const uint64_t bits = xlt_next(&random);
        const pair p = {(int32_t)i, (int32_t)(i + bits % 3)};
        const matrix a = {{1, (uint32_t)(bits & 3), (uint32_t)(bits >> 8 & 1), 1}};
        const void *const value = m == &f32_sum || m == &f32_min   ? (const void *)&f
                                  : m == &f64_sum                  ? (const void *)&d
                                  : m == &f16_sum                  ? (const void *)&h
                                  : m == &pairs                    ? (const void *)&p
                                  : m == &u32_sum || m == &u64_sum ? (const void *)&bits
                                                                   : (const void *)&a;
        memcpy(at, value, m->bytes < MOST_BYTES ? m->bytes : MOST_BYTES);
    }
}

/* Where segments begin, and the array that tells the library so. */
typedef struct heads {
    bool *head;
    void *array;
    size_t count, size;
} heads;

static heads make_heads(const job *j, size_t n)
{
    heads h = {.head = calloc(n + 1, 1)};
    xlt_random random = {n + 5};
    const uint32_t spread = j->spread ? j->spread : 7;
    uint8_t *const flags = calloc(n + 1, 1);
    uint32_t *const keys = calloc(n + 1, 4);
    uint64_t *const offsets = calloc(n + n / 2 + j->empties + 9, 8);
    for (size_t i = 0; i < n; ++i) {
        h.head[i] = i == 0 || xlt_below(&random, spread) == 0;
        flags[i] = h.head[i] ? (uint8_t)(1 + i % 255) : 0;
        keys[i] = i == 0 ? 3 : keys[i - 1] + (h.head[i] ? 1 : 0);
        /* Before some heads lie empty segments, all at one place. */
        const size_t times = i > 0 && h.head[i] && i % 5 == 0 ? 2 : h.head[i] ? 1 : 0;
        for (size_t k = 0; k < times; ++k)
            offsets[h.count++] = i;
        for (size_t k = 0; k < j->empties && i == n / 2 && h.head[i]; ++k)
            offsets[h.count++] = i;
    }
    offsets[h.count++] = n;
    h.array = j->desc.segments == XL_SEGMENTS_HEAD_FLAGS ? (void *)flags
              : j->desc.segments == XL_SEGMENTS_KEYS     ? (void *)keys
                                                         : (void *)offsets;
    h.size = j->desc.segments == XL_SEGMENTS_HEAD_FLAGS ? 1
             : j->desc.segments == XL_SEGMENTS_KEYS     ? 4
                                                        : 8;
    if (h.size != 8)
        h.count = n;
    if (h.array != flags)
        free(flags);
    if (h.array != keys)
        free(keys);
    if (h.array != offsets)
        free(offsets);
    return h;
}

/* What is larger takes Kogge and Stone's. */
static bool has_tree(const monoid *m, bool flags)
{
    return (flags ? m->accumulator_bytes : m->bytes) <= 16;
}

/* The results as the model has them. The expressions are for u32. */
static void expect(const job *j, xl_scan_algorithm algorithm, size_t n, const unsigned char *in,
                   const heads *h, unsigned char *out)
{
    const bool segments = j->desc.segments != XL_SEGMENTS_NONE;
    const bool flags = segments || (j->desc.user_op && !j->desc.user_op->identity);
    const monoid *m = j->m;
    const bool textbook = algorithm != XL_SCAN_AUTO;
    const model o = make_model(m, textbook ? algorithm : XL_SCAN_KOGGE_STONE, flags);
    const tree t = make_tree(&o, flags);
    const size_t told = m->bytes < MOST_BYTES ? m->bytes : MOST_BYTES;
    partial *x = calloc(n + 1, sizeof *x), *before = calloc(n + 1, sizeof *before);
    partial *sums = calloc(n + 1, sizeof *sums);
    partial start = {.some = !segments && (j->desc.init || j->desc.kind == XL_EXCLUSIVE)};
    const void *const first = j->desc.init ? j->desc.init : m->first;
    memcpy(start.value, first, told);
    for (size_t i = 0; i < n; ++i) {
        x[i].some = true;
        x[i].head = segments && h->head[i];
        memcpy(x[i].value, in + i * m->bytes, told);
        if (j->doubles)
            m->op(x[i].value, x[i].value, x[i].value);
        if (x[i].head && j->desc.init)
            m->op(x[i].value, first, x[i].value);
    }
    if (textbook || !has_tree(m, flags)) {
        model_scan(&o, x, n, &start, before);
        for (size_t i = 0; i < n; ++i)
            sums[i] = join(&o, &before[i], &x[i]);
    } else {
        tree_scan(&t, x, n, &start, before, sums);
    }
    memset(out, 0, n * m->bytes);
    for (size_t i = 0; i < n; ++i) {
        const void *const result = j->desc.kind == XL_INCLUSIVE ? sums[i].value
                                   : x[i].head                  ? first
                                                                : before[i].value;
        memcpy(out + i * m->bytes, result, told);
        const uint32_t index = (uint32_t)i;
        if (j->doubles)
            m->op(out + i * m->bytes, out + i * m->bytes, &index);
    }
    free(x);
    free(before);
    free(sums);
}

static void compare(const job *j, xl_scan_algorithm algorithm, size_t n, const unsigned char *got,
                    const unsigned char *wanted)
{
    const size_t size = j->m->bytes;
    for (size_t i = 0; i < n; ++i)
        if (memcmp(got + i * size, wanted + i * size, size) != 0) {
            uint64_t bits[2] = {0, 0};
            memcpy(&bits[0], got + i * size, size < 8 ? size : 8);
            memcpy(&bits[1], wanted + i * size, size < 8 ? size : 8);
            XLT_FAIL("%s, %s, %s, segments %d, n %zu: element %zu is 0x%llx, not 0x%llx",
                     names[algorithm], j->m->name,
                     j->desc.kind == XL_INCLUSIVE ? "inclusive" : "exclusive",
                     (int)j->desc.segments, n, i, (unsigned long long)bits[0],
                     (unsigned long long)bits[1]);
        }
}

static xl_view room_of(const xlt_buffer *scratch)
{
    return scratch->mem ? xlt_view(scratch) : xl_no_view();
}

static void run(xl_context *ctx, xl_scan *plan, const job *j, size_t n, const xlt_buffer *in,
                const xlt_buffer *segments, const xlt_buffer *out)
{
    size_t bytes, alignment;
    const size_t most = j->most ? j->most : n;
    const cl_ulong count = n;
    xl_status status = xl_scan_scratch(plan, most, &bytes, &alignment);
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment), length = {0};
    xl_view s = segments->mem ? xlt_view(segments) : xl_no_view();
    s.count = segments->n;
    if (status == XL_SUCCESS && j->most) {
        length = xlt_buffer_make(&count, 1, sizeof count, 3);
        status = xl_scan_enqueue(plan, xlt_queue(),
                                 &(xl_scan_args){.n = most,
                                                 .n_device = xlt_view(&length),
                                                 .in = xlt_view(in),
                                                 .segments = s,
                                                 .out = xlt_view(out),
                                                 .scratch = xlt_view(&scratch)},
                                 0, NULL, NULL);
    } else if (status == XL_SUCCESS) {
        status = xl_scan_enqueue(plan, xlt_queue(),
                                 &(xl_scan_args){.n = n,
                                                 .in = xlt_view(in),
                                                 .segments = s,
                                                 .out = xlt_view(out),
                                                 .scratch = room_of(&scratch)},
                                 0, NULL, NULL);
    }
    if (status != XL_SUCCESS)
        XLT_FAIL("%s, n %zu: %.500s", j->m->name, n, xl_context_error(ctx));
    XLT_CL(clFinish(xlt_queue()));
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    xlt_buffer_free(&scratch);
    xlt_buffer_free(&length);
}

/* Runs a plan of job `j` on n elements and holds every bit against the model. */
static void check(xl_context *ctx, xl_scan *plan, const job *j, xl_scan_algorithm algorithm,
                  size_t n)
{
    const size_t size = j->m->bytes, room = j->most ? j->most : n;
    unsigned char *in = malloc(room * size + 1), *wanted = malloc(n * size + 1);
    unsigned char *got = malloc(room * size + 1);
    heads h = make_heads(j, n);
    fill(j->m, room, in);
    fill(j->m, n, in);
    expect(j, algorithm, n, in, &h, wanted);
    const bool segments = j->desc.segments != XL_SEGMENTS_NONE;
    xlt_buffer a = xlt_buffer_make(in, room, size, j->in_offset), b = a, s = {0};
    if (segments)
        s = xlt_buffer_make(h.array, h.count, h.size, 1);
    if (!j->in_place)
        b = xlt_buffer_make(NULL, room, size, j->out_offset);
    run(ctx, plan, j, n, &a, &s, &b);
    xlt_read(&b, got);
    compare(j, algorithm, n, got, wanted);
    for (size_t i = n * size; i < room * size && !j->in_place; ++i)
        if (got[i] != 0xa5)
            XLT_FAIL("%s: byte %zu past n %zu was written", j->m->name, i - n * size, n);
    xlt_check_guards(&b, "out");
    if (!j->in_place)
        xlt_buffer_free(&b);
    xlt_buffer_free(&a);
    xlt_buffer_free(&s);
    free(in);
    free(wanted);
    free(got);
    free(h.head);
    free(h.array);
}

/* Operators that do not round take any algorithm. */
static bool is_ordered(const job *j)
{
    const bool floats = j->desc.type == XL_F16 || j->desc.type == XL_F32 || j->desc.type == XL_F64;
    return j->desc.user_op ? !(j->desc.user_op->flags & XL_OP_STRICTLY_ASSOCIATIVE)
                           : floats && j->desc.op == XL_SUM;
}

/* Whether a plan says so of the algorithm that it takes. */
static bool says(const xl_scan *plan, const job *j, xl_scan_algorithm algorithm, size_t n)
{
    const bool flags =
        j->desc.segments != XL_SEGMENTS_NONE || (j->desc.user_op && !j->desc.user_op->identity);
    const xl_scan_algorithm used = xl_scan_algorithm_used(plan, n);
    if (algorithm != XL_SCAN_AUTO)
        return used == algorithm;
    return has_tree(j->m, flags) ? used == XL_SCAN_REDUCE_THEN_SCAN || used == XL_SCAN_LOOKBACK
                                 : used == XL_SCAN_KOGGE_STONE;
}

/* Makes the plans of a job and runs them on several sizes. */
static void check_job(xl_context *ctx, job j, const size_t *sizes, size_t num_sizes)
{
    for (size_t a = j.tree_only ? 2 : 0; a < (is_ordered(&j) && !getenv("CROSSLANE_SCAN") ? 3 : 2);
         ++a) {
        xl_scan *plan;
        j.desc.algorithm = three[a];
        if (three[a] == XL_SCAN_AUTO)
            j.desc.determinism = XL_REPRODUCIBLE;
        const xl_status status = xl_scan_create(ctx, &j.desc, &plan);
        if (status == XL_ERROR_UNSUPPORTED) {
            print_message("%s: %s left out: %s\n", xlt_device(), j.m->name, xl_context_error(ctx));
            return;
        }
        if (status != XL_SUCCESS)
            XLT_FAIL("%s, %s: %.900s", names[three[a]], j.m->name, xl_context_error(ctx));
        assert_true(says(plan, &j, three[a], 1) && says(plan, &j, three[a], 10000000));
        for (size_t i = 0; i < num_sizes; ++i)
            check(ctx, plan, &j, three[a], sizes[i]);
        xl_scan_destroy(plan);
    }
}
#define CHECK_JOB(ctx, job, sizes) check_job((ctx), (job), (sizes), sizeof(sizes) / sizeof *(sizes))

/* ---- tests ------------------------------------------------------------------ */

static bool slow_compiler(void)
{
    return strstr(xlt_device(), "llvmpipe") != NULL;
}

/* Blocks of u32 are of 1024 elements, those of 200 bytes of 32: of 32^3 + 1 elements there are
 * four levels. */
static void borders(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,    1,    2,    7,    8,    9,    31,   32,  33,
                                   1016, 1023, 1024, 1025, 2047, 2048, 2049, 3000};
    static const size_t large[] = {65537, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};
    static const size_t levels[] = {1, 31, 32, 33, 1023, 1024, 1025};
    static const size_t deep[] = {32767, 32768, 32769};
    for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind) {
        const job u = make_job(&u32_sum, XL_U32, XL_SUM, (xl_scan_kind)kind);
        const job w = user_job(&wides, &wide_type, &wide_op, (xl_scan_kind)kind);
        CHECK_JOB(xlt_context(), u, sizes);
        if (!xlt_small() && slow_compiler()) {
            print_message("%s: its compiler takes minutes over states of 200 bytes\n",
                          xlt_device());
            CHECK_JOB(xlt_context(), u, large);
        } else if (!xlt_small()) {
            CHECK_JOB(xlt_context(), w, levels);
            CHECK_JOB(xlt_context(), u, large);
            CHECK_JOB(xlt_context(), w, deep);
        }
    }
}

/* Sub-tiles, tiles and windows of the reproducible tree: 1408, 11264 and 512 times 11264 elements
 * of f32, 480, 1920 and 983040 of 16 bytes, 384 and 6144 of f32 with flags. */
static void tree_borders(void **state)
{
    (void)state;
    static const size_t words[] = {0,    1,    3,    4,     5,     127,   128,  129,
                                   1407, 1408, 1409, 11263, 11264, 11265, 33793};
    static const size_t flagged[] = {1, 383, 385, 6143, 6145, 12289};
    static const size_t of_16_bytes[] = {1, 479, 481, 1919, 1921, 3841};
    static const size_t windows_of_words[] = {5767168, 5800003};
    static const size_t windows_of_wides[] = {983039, 983041, 2000003};
    job f = make_job(&f32_sum, XL_F32, XL_SUM, XL_EXCLUSIVE);
    job s = make_job(&f32_sum, XL_F32, XL_SUM, XL_INCLUSIVE);
    job w = user_job(&loose_matrices, &matrix_type, &loose_op, XL_INCLUSIVE);
    f.tree_only = s.tree_only = w.tree_only = true;
    s.spread = 2000;
    CHECK_JOB(xlt_context(), f, words);
    if (!xlt_small())
        CHECK_JOB(xlt_context(), f, windows_of_words);
    CHECK_JOB(xlt_context(), w, of_16_bytes);
    if (!xlt_small())
        CHECK_JOB(xlt_context(), w, windows_of_wides);
    s.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    CHECK_JOB(xlt_context(), s, flagged);
}

static const uint32_t odd_start = 1000003;
static const float odd_float = -3.25e-5f;
static const pair odd_pair = {-7, -8};

/* Some of everything; `every`: each so many-th job only. `groups`: where there is a choice, by
 * groups of many work-items, the tree that has the choice alone. */
static void check_mixed(xl_context *ctx, unsigned every, bool groups)
{
    static const xl_tunable by_groups = {"scan.shape", 1};
    static const size_t sizes[] = {1, 100, 511, 513, 1025, 2100};
    static const size_t large[] = {60001, 270000};
    job jobs[32];
    size_t count = 0;
    for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind) {
        const xl_scan_kind k = (xl_scan_kind)kind;
        jobs[count] = make_job(&u64_sum, XL_U64, XL_SUM, k);
        jobs[count++].in_offset = 3;
        jobs[count] = user_job(&matrices, &matrix_type, &matrix_op, k);
        jobs[count++].in_place = true;
        jobs[count] = user_job(&pairs, &pair_type, &pair_op, k);
        jobs[count++].desc.init = k == XL_EXCLUSIVE ? &odd_pair : NULL;
        jobs[count] = make_job(&f32_min, XL_F32, XL_MIN, k);
        jobs[count++].out_offset = 5;
        jobs[count] = make_job(&f32_sum, XL_F32, XL_SUM, k);
        jobs[count].in_place = true;
        jobs[count].in_offset = 1;
        jobs[count++].desc.init = &odd_float;
        jobs[count] = make_job(&f32_sum, XL_F32, XL_SUM, k);
        jobs[count++].desc.segments = XL_SEGMENTS_HEAD_FLAGS;
        jobs[count] = make_job(&u32_sum, XL_U32, XL_SUM, k);
        jobs[count].desc.segments = XL_SEGMENTS_OFFSETS;
        jobs[count].desc.segment_type = XL_U64;
        jobs[count++].desc.init = &odd_start;
        jobs[count] = make_job(&f64_sum, XL_F64, XL_SUM, k);
        jobs[count].desc.segments = XL_SEGMENTS_KEYS;
        jobs[count].desc.segment_type = XL_U32;
        jobs[count].spread = 500;
        jobs[count++].in_place = true;
        jobs[count] = user_job(&matrices, &matrix_type, &matrix_op, k);
        jobs[count].desc.segments = XL_SEGMENTS_OFFSETS;
        jobs[count].desc.segment_type = XL_U64;
        jobs[count].spread = 1;
        jobs[count++].empties = xlt_small() ? 5000 : 100000;
        jobs[count] = user_job(&pairs, &pair_type, &pair_op, k);
        jobs[count].desc.segments = XL_SEGMENTS_HEAD_FLAGS;
        jobs[count++].desc.init = &odd_pair;
        jobs[count] = make_job(&u32_sum, XL_U32, XL_SUM, k);
        jobs[count].most = 5000;
        jobs[count].doubles = true;
        jobs[count].desc.load = "2u * x";
        jobs[count++].desc.store = "x + (uint)i";
        jobs[count] = make_job(&f16_sum, XL_F16, XL_SUM, k);
        ++count;
        jobs[count] = make_job(&f32_sum, XL_F32, XL_SUM, k);
        jobs[count].desc.segments = XL_SEGMENTS_OFFSETS;
        jobs[count].desc.segment_type = XL_U64;
        jobs[count].tree_only = true;
        jobs[count++].spread = 300;
        jobs[count] = user_job(&loose_matrices, &matrix_type, &loose_op, k);
        jobs[count].tree_only = true;
        jobs[count++].in_offset = 1;
        jobs[count] = make_job(&f64_sum, XL_F64, XL_SUM, k);
        jobs[count].tree_only = true;
        jobs[count++].in_place = true;
    }
    for (size_t i = 0; i < count; ++i) {
        if (i % every != 0 || (groups && !is_ordered(&jobs[i])))
            continue;
        if (groups) {
            jobs[i].tree_only = true;
            jobs[i].desc.tunables = &by_groups;
            jobs[i].desc.num_tunables = 1;
        }
        check_job(ctx, jobs[i], sizes, xlt_small() ? 5 : 6);
        if (!xlt_small() && every == 1) {
            jobs[i].most = jobs[i].most ? 3000000 : 0;
            CHECK_JOB(ctx, jobs[i], large);
        }
    }
}

static void everything(void **state)
{
    (void)state;
    check_mixed(xlt_context(), xlt_few_programs() ? 17 : 1, false);
}

/* Trees must not depend on how many work-items share a block. */
static void groups_of_any_size(void **state)
{
    (void)state;
    static const char *const masks[] = {"work-group=1", "work-group=8", "width=1"};
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; ++i) {
        xl_context *ctx = NULL;
        xl_context_desc desc;
        xl_context_desc_init(&desc);
        desc.mask = masks[i];
        XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()),
                                &desc, &ctx));
        check_mixed(ctx, xlt_few_programs() ? 31 : 5, false);
        xl_context_destroy(ctx);
    }
}

/* Nor on whether a work-item walks a tile or a group holds a part of it. */
static void trees_by_groups(void **state)
{
    (void)state;
    check_mixed(xlt_context(), xlt_few_programs() || slow_compiler() ? 5 : 1, true);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* What results of the model hash to. */
static uint64_t hash_model(const job *j, xl_scan_algorithm algorithm, size_t n)
{
    const size_t bytes = n * j->m->bytes;
    unsigned char *in = malloc(bytes), *out = malloc(bytes);
    const heads none = {0};
    fill(j->m, n, in);
    expect(j, algorithm, n, in, &none, out);
    const uint64_t hash = hash_of(out, bytes);
    free(in);
    free(out);
    return hash;
}

/* Inclusive sums of f32, f64 and f16, Kogge-Stone's, Blelloch's and AUTO's. Every device gives what
 * the model gives, on every host and in every later version. */
static const struct {
    size_t n;
    uint64_t hash[3][3];
} fixed[] = {
    {1,
     {{0x95bf7354e6afb282u, 0x95bf7354e6afb282u, 0x95bf7354e6afb282u},
      {0x2adf696e72288a69u, 0x2adf696e72288a69u, 0x2adf696e72288a69u},
      {0xae14107b73315eeu, 0xae14107b73315eeu, 0xae14107b73315eeu}}},
    {1000,
     {{0xd8f33f85d13bf6e0u, 0x83ca1f60d4d9801cu, 0x94d235e3096fd2dbu},
      {0xfccbeaba321f4b68u, 0x76c0c44de542480u, 0x1993ba539225ba37u},
      {0x40a2401e4eefd23au, 0x2bbba236ff7ae010u, 0xb0bcbe5fa84d60f4u}}},
    {1024,
     {{0xdfe293a06b16f429u, 0xbb38d79142d11cdu, 0x1e919251e09b4b79u},
      {0xb78d601ca460452cu, 0x13724a593dc4ed89u, 0x9badcab10f08574bu},
      {0xdbfe37a0067de29fu, 0xca5848fa006e0c0eu, 0x6efba8cd4c0da608u}}},
    {1025,
     {{0xffd9d8f18ee92997u, 0xe365ff437185b976u, 0xd5d52aac26bda536u},
      {0x3881c04a8dac6630u, 0xf0cc830beda56c25u, 0xfc8018921de44180u},
      {0x52f27347e98f8d8u, 0xaa327de88c0a720u, 0x625373b0687d084du}}},
    {100003,
     {{0x4c2cc28ef2d9bdb9u, 0xe137828c5a71cdb5u, 0xc60059e7389d941du},
      {0x1ec5bebfacb98392u, 0x32740bacb2b970e2u, 0xddfcbd88c6717a78u},
      {0xba6a541dfd6e2a64u, 0x8957c8445c4ee63fu, 0x1fad0524c8bed90u}}},
    {(1 << 20) + 7,
     {{0x249eca8291a44928u, 0x15f0677dfcd4aef3u, 0xb0d44a26b45af1cbu},
      {0x25848d9736ffd41du, 0xdc38f643e11e6208u, 0x80b7e936d960bffbu},
      {0x35ce77b6f4d67fc0u, 0xc5e5b26317e2a279u, 0x620c109a4b778dcfu}}},
};

static void the_same_bits_everywhere(void **state)
{
    (void)state;
    static const monoid *const sums[] = {&f32_sum, &f64_sum, &f16_sum};
    static const xl_type types[] = {XL_F32, XL_F64, XL_F16};
    const size_t count = xlt_small() ? 4 : sizeof fixed / sizeof fixed[0];
    for (size_t t = 0; t < 9; ++t) {
        size_t sizes[sizeof fixed / sizeof fixed[0]];
        job j = make_job(sums[t / 3], types[t / 3], XL_SUM, XL_INCLUSIVE);
        j.desc.determinism = XL_REPRODUCIBLE;
        for (size_t i = 0; i < count; ++i) {
            const uint64_t hash = hash_model(&j, three[t % 3], sizes[i] = fixed[i].n);
            if (hash != fixed[i].hash[t / 3][t % 3])
                XLT_FAIL("%s, %s, n %zu: hash 0x%llx", names[three[t % 3]], j.m->name, fixed[i].n,
                         (unsigned long long)hash);
        }
        if (t % 3 == 2)
            check_job(xlt_context(), j, sizes, count);
    }
}

static void repeats(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 1500 : 100003;
    const int rounds = xlt_small() ? 5 : 200;
    float *in = malloc(n * sizeof *in), *first = calloc(n, sizeof *in);
    float *got = calloc(n, sizeof *in);
    fill(&f32_sum, n, (unsigned char *)in);
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 0);
    for (size_t k = 0; k < 2; ++k) {
        xl_scan *plan;
        job j = make_job(&f32_sum, XL_F32, XL_SUM, XL_EXCLUSIVE);
        j.desc.algorithm = both[k];
        XLT_OK(xl_scan_create(xlt_context(), &j.desc, &plan));
        for (int round = 0; round < rounds; ++round) {
            XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                                   &(xl_scan_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&b)},
                                   0, NULL, NULL));
            xlt_read(&b, round == 0 ? first : got);
            if (round > 0 && memcmp(first, got, n * sizeof *in) != 0)
                XLT_FAIL("%s: run %d differs from the first", names[both[k]], round);
        }
        xl_scan_destroy(plan);
    }
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    free(in);
    free(first);
    free(got);
}

static void published_example(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; ++k) {
        cl_uint host[1024];
        xl_scan *plan;
        job j = make_job(&u32_sum, XL_U32, XL_SUM, XL_EXCLUSIVE);
        for (cl_uint i = 0; i < 1024; ++i)
            host[i] = i + 1;
        xlt_buffer a = xlt_buffer_make(host, 1024, 4, 0);
        j.desc.algorithm = both[k];
        XLT_OK(xl_scan_create(xlt_context(), &j.desc, &plan));
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                               &(xl_scan_args){.n = 1024, .in = xlt_view(&a), .out = xlt_view(&a)},
                               0, NULL, NULL));
        xlt_read(&a, host);
        assert_int_equal(host[0], 0);
        assert_int_equal(host[1], 1);
        assert_int_equal(host[1023], 523776);
        xlt_buffer_free(&a);
        xl_scan_destroy(plan);
    }
}

/* Sums whose parts are denormal numbers, and of zeros with signs. */
static void small_numbers(void **state)
{
    (void)state;
    enum { N = 1500 };
    uint32_t in[N], got[N];
    cl_device_fp_config config = 0;
    XLT_CL(clGetDeviceInfo(xl_context_device(xlt_context()), CL_DEVICE_SINGLE_FP_CONFIG,
                           sizeof config, &config, NULL));
    for (size_t k = 0; k < 4; ++k) {
        const bool denormal = k < 2;
        xl_scan *plan;
        job j = make_job(&f32_sum, XL_F32, XL_SUM, XL_INCLUSIVE);
        if (denormal && !(config & CL_FP_DENORM)) {
            print_message("%s: keeps no denormal f32\n", xlt_device());
            continue;
        }
        for (uint32_t i = 0; i < N; ++i)
            in[i] = denormal ? i % 7 : 0x80000000u; /* i % 7 times 2^-149; -0 */
        xlt_buffer a = xlt_buffer_make(in, N, 4, 0);
        j.desc.algorithm = both[k % 2];
        XLT_OK(xl_scan_create(xlt_context(), &j.desc, &plan));
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                               &(xl_scan_args){.n = N, .in = xlt_view(&a), .out = xlt_view(&a)}, 0,
                               NULL, NULL));
        xlt_read(&a, got);
        uint32_t sum = denormal ? 0 : 0x80000000u;
        for (uint32_t i = 0; i < N; ++i) {
            sum += denormal ? i % 7 : 0;
            if (got[i] != sum)
                XLT_FAIL("%s: element %u is 0x%x, not 0x%x", names[both[k % 2]], (unsigned)i,
                         (unsigned)got[i], (unsigned)sum);
        }
        xlt_buffer_free(&a);
        xl_scan_destroy(plan);
    }
}

static void refused(const xl_scan_desc *desc)
{
    xl_scan *plan;
    const xl_status status = xl_scan_create(xlt_context(), desc, &plan);
    if (status != XL_ERROR_UNSUPPORTED ||
        !strstr(xl_context_error(xlt_context()), "XL_SCAN_KOGGE_STONE"))
        XLT_FAIL("got %s \"%.200s\"", xl_status_name(status), xl_context_error(xlt_context()));
    assert_null(plan);
}

static xl_scan_algorithm taken(const xl_scan_desc *desc)
{
    xl_scan *plan;
    XLT_OK(xl_scan_create(xlt_context(), desc, &plan));
    const xl_scan_algorithm used = xl_scan_algorithm_used(plan, 5000000);
    xl_scan_destroy(plan);
    return used;
}

/* Which algorithm a plan takes, and which it may not. */
static void choices(void **state)
{
    (void)state;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    if (getenv("CROSSLANE_SCAN"))
        skip();
    const xl_scan_algorithm usual = taken(&desc);
    assert_true(usual == XL_SCAN_LOOKBACK || usual == XL_SCAN_REDUCE_THEN_SCAN);
    desc.determinism = XL_REPRODUCIBLE; /* integers are so anyway */
    assert_int_equal(taken(&desc), usual);
    desc.type = XL_F32;
    desc.op = XL_MAX;
    assert_int_equal(taken(&desc), usual);
    desc.op = XL_SUM;
    const xl_scan_algorithm ordered = taken(&desc);
    assert_true(ordered == XL_SCAN_LOOKBACK || ordered == XL_SCAN_REDUCE_THEN_SCAN);
    desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    refused(&desc);
    desc.algorithm = XL_SCAN_LOOKBACK;
    refused(&desc);
    for (int d = XL_DETERMINISTIC; d <= XL_REPRODUCIBLE; ++d)
        for (size_t k = 0; k < 2; ++k) {
            desc.determinism = (xl_determinism)d;
            desc.algorithm = both[k];
            assert_int_equal(taken(&desc), both[k]);
        }
}

/* Room grows with n, and none is needed for one block. */
static void scratch_grows(void **state)
{
    (void)state;
    xl_scan *plan;
    xl_scan_desc desc;
    size_t bytes, alignment, before = 0;
    xl_scan_desc_init(&desc);
    desc.algorithm = XL_SCAN_BLELLOCH;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_scan_scratch(plan, 1024, &bytes, &alignment));
    assert_int_equal(bytes, 0);
    for (size_t n = 1025; n < (size_t)1 << 40; n += n / 3) {
        XLT_OK(xl_scan_scratch(plan, n, &bytes, &alignment));
        if (bytes < before || bytes < n / 1024 * 4)
            XLT_FAIL("%zu bytes for n %zu", bytes, n);
        before = bytes;
    }
    xl_scan_destroy(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_example),
        cmocka_unit_test(choices),
        cmocka_unit_test(scratch_grows),
        cmocka_unit_test(borders),
        cmocka_unit_test(everything),
        cmocka_unit_test(groups_of_any_size),
        cmocka_unit_test(tree_borders),
        cmocka_unit_test(trees_by_groups),
        cmocka_unit_test(the_same_bits_everywhere),
        cmocka_unit_test(repeats),
        cmocka_unit_test(small_numbers),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
