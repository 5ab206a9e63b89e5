/* SPDX-License-Identifier: MIT
 * The self-test's reductions: of whole arrays and of every form of segments. */
#include "selftest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 2, 33, 257, 4097, 65537};

typedef struct reduce_case {
    xl_type type;
    xl_op op;
    xl_segments segments;
} reduce_case;

/* What one size is checked with. */
typedef struct reduce_run {
    cuts cuts;
    size_t n, item_bytes; /* of a result */
    char *in, *got, *want;
    cl_mem from, to, heads, keys, count;
} reduce_run;

static bool gives_index(const reduce_case *c)
{
    return c->op == XL_ARG_MIN || c->op == XL_ARG_MAX;
}

static bool is_counted(xl_segments form)
{
    return form == XL_SEGMENTS_HEAD_FLAGS || form == XL_SEGMENTS_FLAG_BITMASK ||
           form == XL_SEGMENTS_KEYS;
}

static bool run_prepare(const selftest *t, family *f, const reduce_case *c, reduce_run *r)
{
    ref_flat what;
    const size_t bytes = r->n * xl_type_size(c->type);
    if (!cuts_make(c->segments, r->n, &r->cuts))
        return family_note(f, "no memory for %zu elements", r->n);
    r->item_bytes = gives_index(c) ? sizeof(uint64_t) : xl_type_size(c->type);
    r->in = malloc(bytes + 1);
    r->got = malloc(r->cuts.count * r->item_bytes + 1);
    r->want = malloc(r->cuts.count * r->item_bytes + 1);
    if (!r->in || !r->got || !r->want)
        return family_note(f, "no memory for %zu elements", r->n);
    selftest_fill(c->type, c->op, r->n + 7, r->n, r->in);
    ref_flat_of(&what, c->type, c->op, true, NULL);
    ref_reduce(&what, r->in, r->cuts.at, r->cuts.count, r->want);
    r->from = selftest_array(t, f, r->in, bytes);
    r->to = selftest_array(t, f, NULL, r->cuts.count * r->item_bytes);
    if (r->cuts.array)
        r->heads = selftest_array(t, f, r->cuts.array, r->cuts.array_bytes);
    if (c->segments == XL_SEGMENTS_KEYS)
        r->keys = selftest_array(t, f, NULL, r->cuts.count * sizeof(int16_t));
    if (is_counted(c->segments))
        r->count = selftest_array(t, f, NULL, sizeof(uint64_t));
    return true;
}

static void run_free(reduce_run *r)
{
    cl_mem *buffers[] = {&r->from, &r->to, &r->heads, &r->keys, &r->count};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    cuts_free(&r->cuts);
    free(r->in);
    free(r->got);
    free(r->want);
}

static bool check_results(family *f, const reduce_case *c, const reduce_run *r)
{
    const xl_type type = gives_index(c) ? XL_U64 : c->type;
    const size_t size = r->item_bytes;
    bool (*same)(xl_type, const void *, const void *) =
        c->op == XL_SUM ? selftest_same_sum : selftest_same;
    for (size_t s = 0; s < r->cuts.count; ++s)
        if (!same(type, r->got + s * size, r->want + s * size))
            return family_note(f, "%s %s, n %zu: segment %zu of %zu differs", xl_type_name(c->type),
                               xl_op_name(c->op), r->n, s, r->cuts.count);
    return true;
}

/* What comes out beside the results. */
static bool check_keys(const selftest *t, family *f, const reduce_run *r)
{
    uint64_t count = 0;
    int16_t key = 0;
    if (r->count && !selftest_read(t, f, r->count, sizeof count, &count))
        return false;
    if (r->count && count != r->cuts.count)
        return family_note(f, "n %zu: %" PRIu64 " segments are counted, not %zu", r->n, count,
                           r->cuts.count);
    int16_t *keys = r->keys ? malloc(r->cuts.count * sizeof key + 1) : NULL;
    bool good = !keys || selftest_read(t, f, r->keys, r->cuts.count * sizeof key, keys);
    for (size_t s = 0; keys && good && s < r->cuts.count; ++s) {
        key = ((const int16_t *)r->cuts.array)[r->cuts.at[s]];
        good = keys[s] == key || family_note(f, "n %zu: key %zu differs", r->n, s);
    }
    free(keys);
    return good;
}

static void check_size(const selftest *t, family *f, xl_reduce *plan, const reduce_case *c,
                       size_t n)
{
    reduce_run r = {.n = n};
    ++f->cases;
    if (!run_prepare(t, f, c, &r))
        goto done;
    const xl_view heads = r.heads ? xl_view_n(r.heads, 0, r.cuts.array_count) : xl_no_view();
    if (family_passed(
            t, f,
            xl_reduce_enqueue(plan, t->s.queue,
                              &(xl_reduce_args){.n = n,
                                                .in = xl_view_of(r.from, 0),
                                                .segments = heads,
                                                .out = xl_view_n(r.to, 0, r.cuts.count),
                                                .keys_out = xl_view_of(r.keys, 0),
                                                .num_segments_out = xl_view_of(r.count, 0)},
                              0, NULL, NULL),
            xl_op_name(c->op), n) &&
        selftest_read(t, f, r.to, r.cuts.count * r.item_bytes, r.got) && check_results(f, c, &r))
        (void)check_keys(t, f, &r);
done:
    run_free(&r);
}

/* Fills in the descriptor's segments as the reference makes them. */
static bool describe_segments(family *f, xl_segments form, xl_reduce_desc *d)
{
    cuts none;
    const bool good = cuts_make(form, 0, &none);
    d->segments = form;
    d->segment_type = none.type;
    d->segment_width = none.width;
    d->segment_mask = none.mask;
    cuts_free(&none);
    return good || family_note(f, "no memory");
}

static void check_case(const selftest *t, family *f, const reduce_case *c)
{
    xl_reduce *plan = NULL;
    xl_reduce_desc d;
    xl_reduce_desc_init(&d);
    d.type = c->type;
    d.op = c->op;
    if (!describe_segments(f, c->segments, &d))
        return;
    if (!family_passed(t, f, xl_reduce_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return;
    }
    for (size_t i = 0; i < TOOL_COUNT(sizes); ++i)
        check_size(t, f, plan, c, sizes[i]);
    xl_reduce_destroy(plan);
}

static void check_whole(selftest *t)
{
    static const xl_type types[] = {XL_U32, XL_I64, XL_F32, XL_F64, XL_I16, XL_U8, XL_F16};
    static const xl_op ops[] = {XL_SUM, XL_MAX, XL_ARG_MIN};
    for (size_t i = 0; i < TOOL_COUNT(types); ++i) {
        family f;
        if (!family_begin(t, &f, "reduce %s", xl_type_name(types[i])))
            continue;
        for (size_t k = 0; k < TOOL_COUNT(ops) && !f.unsupported; ++k)
            check_case(t, &f, &(reduce_case){types[i], ops[k], XL_SEGMENTS_NONE});
        family_end(t, &f);
    }
}

static void check_segments(selftest *t)
{
    static const struct {
        xl_segments form;
        const char *name;
    } forms[] = {{XL_SEGMENTS_HEAD_FLAGS, "flags"}, {XL_SEGMENTS_FLAG_BITMASK, "bits"},
                 {XL_SEGMENTS_KEYS, "keys"},        {XL_SEGMENTS_OFFSETS, "offsets"},
                 {XL_SEGMENTS_WIDTH, "width"},      {XL_SEGMENTS_MASK, "mask"}};
    for (size_t i = 0; i < TOOL_COUNT(forms); ++i) {
        const xl_segments form = forms[i].form;
        family f;
        if (!family_begin(t, &f, "reduce by %s", forms[i].name))
            continue;
        check_case(t, &f, &(reduce_case){XL_U32, XL_SUM, form});
        check_case(t, &f, &(reduce_case){XL_F32, i % 2 ? XL_ARG_MAX : XL_MIN, form});
        family_end(t, &f);
    }
}

/* ---- sums that round ---- */

enum { ROUND_N = 150001, ROUND_WIDTH = 37, ROUND_REPEATS = 5 };

typedef struct rounding_case {
    xl_segments form; /* none, or of ROUND_WIDTH elements */
    xl_determinism determinism;
    uint64_t hash; /* of what comes out on every device, or 0 */
} rounding_case;

/* What tells segments of ROUND_WIDTH elements by flags, keys or CSR offsets; else nothing. */
static cl_mem rounding_heads(const selftest *t, family *f, xl_segments form, size_t *count)
{
    static uint8_t flags[ROUND_N];
    static uint32_t keys[ROUND_N], offsets[ROUND_N / ROUND_WIDTH + 2];
    *count = ROUND_N;
    for (size_t i = 0; i < ROUND_N; ++i) {
        flags[i] = i % ROUND_WIDTH == 0;
        keys[i] = (uint32_t)(i / ROUND_WIDTH);
        offsets[i / ROUND_WIDTH] = (uint32_t)(i / ROUND_WIDTH * ROUND_WIDTH);
    }
    offsets[TOOL_COUNT(offsets) - 1] = ROUND_N;
    if (form == XL_SEGMENTS_HEAD_FLAGS)
        return selftest_array(t, f, flags, sizeof flags);
    if (form == XL_SEGMENTS_KEYS)
        return selftest_array(t, f, keys, sizeof keys);
    *count = TOOL_COUNT(offsets);
    return form == XL_SEGMENTS_OFFSETS ? selftest_array(t, f, offsets, sizeof offsets) : NULL;
}

static bool sum_once(const selftest *t, family *f, const rounding_case *c, cl_mem from, size_t n,
                     float *got)
{
    size_t count;
    xl_reduce *plan = NULL;
    xl_reduce_desc d;
    xl_reduce_desc_init(&d);
    d.type = XL_F32;
    d.segments = c->form;
    d.segment_width = c->form == XL_SEGMENTS_WIDTH ? ROUND_WIDTH : 0;
    if (c->form == XL_SEGMENTS_KEYS || c->form == XL_SEGMENTS_OFFSETS)
        d.segment_type = XL_U32;
    d.determinism = c->determinism;
    cl_mem heads = rounding_heads(t, f, c->form, &count);
    cl_mem to = selftest_array(t, f, NULL, n * sizeof *got);
    const bool good =
        family_passed(t, f, xl_reduce_create(t->s.ctx, &d, &plan), "plan", 0) &&
        family_passed(
            t, f,
            xl_reduce_enqueue(
                plan, t->s.queue,
                &(xl_reduce_args){.n = ROUND_N,
                                  .in = xl_view_of(from, 0),
                                  .segments = heads ? xl_view_n(heads, 0, count) : xl_no_view(),
                                  .out = xl_view_n(to, 0, n)},
                0, NULL, NULL),
            "sum", ROUND_N) &&
        selftest_read(t, f, to, n * sizeof *got, got);
    session_release(&heads);
    session_release(&to);
    xl_reduce_destroy(plan);
    return good;
}

/* Again and again the same, and where that is promised the same as elsewhere. */
static void check_rounding(const selftest *t, family *f, const rounding_case *c)
{
    static float in[ROUND_N], first[ROUND_N], got[ROUND_N];
    const bool whole = c->form == XL_SEGMENTS_NONE;
    const size_t n = whole ? 1 : (ROUND_N + ROUND_WIDTH - 1) / ROUND_WIDTH;
    selftest_fill_rounding(ROUND_N, in);
    cl_mem from = selftest_array(t, f, in, sizeof in);
    for (unsigned k = 0; k < ROUND_REPEATS; ++k) {
        ++f->cases;
        if (!sum_once(t, f, c, from, n, got))
            break;
        if (k == 0)
            memcpy(first, got, sizeof got);
        const uint64_t hash = selftest_hash(n, got);
        if (memcmp(first, got, n * sizeof *got) != 0)
            family_note(f, "%s: other bits in call %u than in the first",
                        whole ? "one sum" : "sums of segments", k + 1);
        else if (c->hash != 0 && hash != c->hash)
            family_note(f, "%s: not the bits of other devices: %016" PRIx64 ", not %016" PRIx64,
                        whole ? "one sum" : "sums of segments", hash, c->hash);
    }
    session_release(&from);
}

/* The hashes are those of PoCL; to change them breaks what XL_REPRODUCIBLE promises. Runs are cut
 * by elements, but by CSR offsets by elements and segments. */
static void check_bits(selftest *t)
{
    static const struct {
        xl_segments form;
        uint64_t hash;
    } rows[] = {
        {XL_SEGMENTS_NONE, UINT64_C(0xa2fc05aba67128da)},
        {XL_SEGMENTS_WIDTH, UINT64_C(0xb59db88541cc336e)},
        {XL_SEGMENTS_HEAD_FLAGS, UINT64_C(0xb59db88541cc336e)},
        {XL_SEGMENTS_KEYS, UINT64_C(0xb59db88541cc336e)},
        {XL_SEGMENTS_OFFSETS, UINT64_C(0x80d90d52d9603724)},
    };
    static const xl_determinism kinds[] = {XL_DETERMINISTIC, XL_REPRODUCIBLE};
    for (size_t k = 0; k < TOOL_COUNT(kinds); ++k) {
        const bool everywhere = kinds[k] == XL_REPRODUCIBLE;
        family f;
        if (!family_begin(t, &f, "bits of f32 reductions same %s",
                          everywhere ? "everywhere" : "again"))
            continue;
        for (size_t i = 0; i < TOOL_COUNT(rows); ++i)
            check_rounding(t, &f,
                           &(rounding_case){rows[i].form, kinds[k], everywhere ? rows[i].hash : 0});
        family_end(t, &f);
    }
}

void selftest_reductions(selftest *t)
{
    check_whole(t);
    check_segments(t);
    check_bits(t);
}
