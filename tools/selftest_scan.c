/* SPDX-License-Identifier: MIT
 * The self-test's scans: all types, operators and forms of segments by the algorithms, and
 * the bits of sums that round. */
#include "selftest.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t all_sizes[] = {0,   1,   2,    31,   32,   33,    63,    64,    65,
                                   255, 256, 1000, 4095, 4097, 16385, 65537, 262147};
static const size_t few_sizes[] = {0, 1, 33, 257, 4097, 65537};
enum { START = 5 };

/* A plan that is checked, and at which sizes. */
typedef struct scan_case {
    xl_type type;
    xl_op op;
    bool inclusive; /* checked with a start value; else without */
    xl_scan_algorithm algorithm;
    xl_segments segments;
    const size_t *sizes;
    size_t num_sizes;
} scan_case;

/* What one size is checked with. */
typedef struct scan_run {
    cuts cuts;
    size_t n, bytes;
    char *in, *got, *want;
    cl_mem from, to, heads;
} scan_run;

static bool run_prepare(const selftest *t, family *f, const scan_case *c, const ref_flat *what,
                        scan_run *r)
{
    r->bytes = r->n * xl_type_size(c->type);
    r->in = malloc(r->bytes + 1);
    r->got = malloc(r->bytes + 1);
    r->want = malloc(r->bytes + 1);
    if (!cuts_make(c->segments, r->n, &r->cuts) || !r->in || !r->got || !r->want)
        return family_note(f, "no memory for %zu elements", r->n);
    selftest_fill(c->type, c->op, r->n + 7, r->n, r->in);
    ref_scan(what, r->n, r->in, r->cuts.heads, r->want);
    r->from = selftest_array(t, f, r->in, r->bytes);
    r->to = selftest_array(t, f, NULL, r->bytes);
    if (r->cuts.array)
        r->heads = selftest_array(t, f, r->cuts.array, r->cuts.array_bytes);
    return true;
}

static void run_free(scan_run *r)
{
    session_release(&r->from);
    session_release(&r->to);
    session_release(&r->heads);
    cuts_free(&r->cuts);
    free(r->in);
    free(r->got);
    free(r->want);
}

static void check_size(const selftest *t, family *f, xl_scan *plan, const scan_case *c,
                       const ref_flat *what, size_t n)
{
    scan_run r = {.n = n};
    const size_t size = xl_type_size(c->type);
    ++f->cases;
    if (!run_prepare(t, f, c, what, &r))
        goto done;
    const xl_view heads = r.heads ? xl_view_n(r.heads, 0, r.cuts.array_count) : xl_no_view();
    if (!family_passed(t, f,
                       xl_scan_enqueue(plan, t->s.queue,
                                       &(xl_scan_args){.n = n,
                                                       .in = xl_view_of(r.from, 0),
                                                       .segments = heads,
                                                       .out = xl_view_of(r.to, 0)},
                                       0, NULL, NULL),
                       xl_op_name(c->op), n) ||
        !selftest_read(t, f, r.to, r.bytes, r.got))
        goto done;
    bool (*same)(xl_type, const void *, const void *) =
        c->op == XL_SUM ? selftest_same_sum : selftest_same;
    for (size_t i = 0; i < n; ++i)
        if (!same(c->type, r.got + i * size, r.want + i * size)) {
            family_note(f, "%s %s %s, n %zu: element %zu differs",
                        c->inclusive ? "inclusive" : "exclusive", xl_type_name(c->type),
                        xl_op_name(c->op), n, i);
            break;
        }
done:
    run_free(&r);
}

/* False where the device cannot do it. */
static bool check_case(const selftest *t, family *f, const scan_case *c)
{
    uint64_t start = 0;
    xl_scan *plan = NULL;
    xl_scan_desc d;
    cuts form = {.form = XL_SEGMENTS_NONE};
    selftest_whole(c->type, START, &start);
    ref_flat what;
    ref_flat_of(&what, c->type, c->op, c->inclusive, c->inclusive ? &start : NULL);
    if (!cuts_make(c->segments, 0, &form))
        return family_note(f, "no memory");
    xl_scan_desc_init(&d);
    d.type = c->type;
    d.op = c->op;
    d.kind = c->inclusive ? XL_INCLUSIVE : XL_EXCLUSIVE;
    d.init = what.init;
    d.algorithm = c->algorithm;
    d.segments = c->segments;
    d.segment_type = form.type;
    d.segment_width = form.width;
    d.segment_mask = form.mask;
    cuts_free(&form);
    if (!family_passed(t, f, xl_scan_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return !f->unsupported;
    }
    for (size_t i = 0; i < c->num_sizes; ++i)
        check_size(t, f, plan, c, &what, c->sizes[i]);
    xl_scan_destroy(plan);
    return true;
}

static const struct {
    xl_scan_algorithm algorithm;
    const char *name;
} ways[] = {{XL_SCAN_LOOKBACK, "look-back"},
            {XL_SCAN_REDUCE_THEN_SCAN, "reduce-then-scan"},
            {XL_SCAN_KOGGE_STONE, "kogge-stone"},
            {XL_SCAN_BLELLOCH, "blelloch"}};

static void check_types(selftest *t)
{
    static const xl_type types[] = {XL_U32, XL_I32, XL_F32, XL_U64, XL_I64, XL_F64};
    static const xl_op ops[] = {XL_SUM, XL_MIN, XL_MAX};
    for (size_t i = 0; i < TOOL_COUNT(types) * TOOL_COUNT(ways); ++i) {
        const size_t way = i % TOOL_COUNT(ways);
        scan_case c = {.type = types[i / TOOL_COUNT(ways)],
                       .algorithm = ways[way].algorithm,
                       .sizes = all_sizes,
                       .num_sizes = TOOL_COUNT(all_sizes)};
        family f;
        if (!family_begin(t, &f, "scan %s, %s", xl_type_name(c.type), ways[way].name))
            continue;
        /* By look-back, which is what is taken, all; else each operator with one kind, and
         * of the textbook scans fewer. */
        const size_t step = way < 2 ? way + 1 : 3, first = way == 1 ? i / TOOL_COUNT(ways) % 2 : 0;
        bool able = true;
        for (size_t k = first; able && k < 2 * TOOL_COUNT(ops); k += step) {
            c.op = ops[k / 2];
            c.inclusive = k % 2;
            able = check_case(t, &f, &c);
        }
        family_end(t, &f);
    }
}

/* Types of less than a word. */
static void check_narrow(selftest *t)
{
    static const xl_type types[] = {XL_U8, XL_I8, XL_U16, XL_I16, XL_F16};
    static const xl_op ops[] = {XL_SUM, XL_MAX};
    for (size_t i = 0; i < TOOL_COUNT(types); ++i) {
        scan_case c = {.type = types[i], .sizes = few_sizes, .num_sizes = TOOL_COUNT(few_sizes)};
        family f;
        if (!family_begin(t, &f, "scan %s", xl_type_name(c.type)))
            continue;
        bool able = true;
        for (size_t k = 0; able && k < 2 * TOOL_COUNT(ops); ++k) {
            c.op = ops[k / 2];
            c.inclusive = k % 2;
            able = check_case(t, &f, &c);
        }
        family_end(t, &f);
    }
}

static void check_operators(selftest *t)
{
    static const xl_op ops[] = {XL_PROD, XL_AND, XL_OR, XL_XOR};
    static const xl_type types[] = {XL_U32, XL_I64, XL_I16, XL_F32};
    for (size_t i = 0; i < TOOL_COUNT(ops); ++i) {
        scan_case c = {.op = ops[i], .sizes = few_sizes, .num_sizes = TOOL_COUNT(few_sizes)};
        family f;
        if (!family_begin(t, &f, "scan, %s", xl_op_name(c.op)))
            continue;
        for (size_t k = 0; k < TOOL_COUNT(types) - (ops[i] != XL_PROD); ++k) {
            c.type = types[k];
            c.inclusive = k % 2;
            (void)check_case(t, &f, &c);
        }
        family_end(t, &f);
    }
}

/* Each form of segments, by each algorithm. */
static void check_segments(selftest *t)
{
    static const struct {
        xl_segments form;
        const char *name;
    } forms[] = {{XL_SEGMENTS_HEAD_FLAGS, "flags"}, {XL_SEGMENTS_FLAG_BITMASK, "bits"},
                 {XL_SEGMENTS_KEYS, "keys"},        {XL_SEGMENTS_OFFSETS, "offsets"},
                 {XL_SEGMENTS_WIDTH, "width"},      {XL_SEGMENTS_MASK, "mask"}};
    for (size_t i = 0; i < TOOL_COUNT(forms) * TOOL_COUNT(ways); ++i) {
        const size_t way = i % TOOL_COUNT(ways), form = i / TOOL_COUNT(ways);
        scan_case c = {.type = XL_U32,
                       .op = XL_SUM,
                       .algorithm = ways[way].algorithm,
                       .segments = forms[form].form,
                       .sizes = few_sizes,
                       .num_sizes = TOOL_COUNT(few_sizes)};
        family f;
        if (!family_begin(t, &f, "scan by %s, %s", forms[form].name, ways[way].name))
            continue;
        if (check_case(t, &f, &c) && way < 2) {
            c.type = form % 2 ? XL_F32 : XL_I16;
            c.op = form % 2 ? XL_MIN : XL_SUM;
            c.inclusive = true;
            (void)check_case(t, &f, &c);
        }
        family_end(t, &f);
    }
}

/* ---- sums that round ---- */

enum { ROUND_N = 150001, ROUND_REPEATS = 5 };

/* Within the error of any order: 2^-24 for each of at most n roundings. */
static bool near_sum(family *f, const float *in, const float *got)
{
    double sum = 0, size = 0;
    for (size_t i = 0; i < ROUND_N; ++i) {
        if (!(fabs((double)got[i] - sum) <= 0x1p-24 * (double)(i + 1) * size))
            return family_note(f, "element %zu is %.9g, not %.9g", i, (double)got[i], sum);
        sum += (double)in[i];
        size += fabs((double)in[i]);
    }
    return true;
}

/* Sums with these settings come out the same again and again; `hash` is what they hold on
 * every device, or 0. */
static bool check_rounding(const selftest *t, family *f, xl_scan_algorithm algorithm,
                           xl_determinism determinism, uint64_t hash)
{
    static float in[ROUND_N], first[ROUND_N], got[ROUND_N];
    cl_mem from = NULL, to = NULL;
    xl_scan *plan = NULL;
    xl_scan_desc d;
    xl_scan_desc_init(&d);
    d.type = XL_F32;
    d.algorithm = algorithm;
    d.determinism = determinism;
    if (!family_passed(t, f, xl_scan_create(t->s.ctx, &d, &plan), "plan", 0))
        return false;
    selftest_fill_rounding(ROUND_N, in);
    from = selftest_array(t, f, in, sizeof in);
    to = selftest_array(t, f, NULL, sizeof got);
    for (unsigned k = 0; k < ROUND_REPEATS; ++k) {
        ++f->cases;
        if (!family_passed(t, f,
                           xl_scan_enqueue(plan, t->s.queue,
                                           &(xl_scan_args){.n = ROUND_N,
                                                           .in = xl_view_of(from, 0),
                                                           .out = xl_view_of(to, 0)},
                                           0, NULL, NULL),
                           "sum", ROUND_N) ||
            !selftest_read(t, f, to, sizeof got, got))
            break;
        if (k == 0)
            memcpy(first, got, sizeof got);
        if (k == 0 && !near_sum(f, in, got))
            break;
        if (memcmp(first, got, sizeof got) != 0)
            family_note(f, "other bits in call %u than in the first", k + 1);
        if (hash != 0 && selftest_hash(ROUND_N, got) != hash)
            family_note(f, "not the bits of other devices: %016" PRIx64 ", not %016" PRIx64,
                        selftest_hash(ROUND_N, got), hash);
    }
    session_release(&from);
    session_release(&to);
    xl_scan_destroy(plan);
    return true;
}

/* The hashes are those of PoCL; to change them breaks what XL_REPRODUCIBLE promises. */
static void check_bits(selftest *t)
{
    static const struct {
        xl_scan_algorithm algorithm;
        xl_determinism determinism;
        const char *name;
        uint64_t hash;
    } cases[] = {
        {XL_SCAN_LOOKBACK, XL_DETERMINISTIC, "same again, look-back", 0},
        {XL_SCAN_REDUCE_THEN_SCAN, XL_DETERMINISTIC, "same again, reduce-then-scan", 0},
        {XL_SCAN_AUTO, XL_REPRODUCIBLE, "same everywhere, auto", UINT64_C(0x7a81843d277eca1f)},
        {XL_SCAN_KOGGE_STONE, XL_REPRODUCIBLE, "same everywhere, kogge-stone",
         UINT64_C(0x01627b5993ad6aaf)},
        {XL_SCAN_BLELLOCH, XL_REPRODUCIBLE, "same everywhere, blelloch",
         UINT64_C(0xd6d678f57fbdef9d)},
    };
    for (size_t i = 0; i < TOOL_COUNT(cases); ++i) {
        family f;
        if (!family_begin(t, &f, "bits of f32 sums %s", cases[i].name))
            continue;
        (void)check_rounding(t, &f, cases[i].algorithm, cases[i].determinism, cases[i].hash);
        family_end(t, &f);
    }
}

void selftest_scans(selftest *t)
{
    check_types(t);
    check_narrow(t);
    check_operators(t);
    check_segments(t);
    check_bits(t);
}
