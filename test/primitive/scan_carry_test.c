/* SPDX-License-Identifier: MIT
 * An array that is scanned in parts, each starting from what the one before has left: cut at
 * every place, and into many parts, it gives the bytes of the whole. */
#include "scan_users.h"
#include "xlt_misuse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 12 };

/* The whole: its input, where its segments begin, and its results by serial code. */
typedef struct whole {
    const job *j;
    size_t n;
    xl_context *ctx;
    xl_scan *plan;
    segments cuts;
    unsigned char *in, *wanted;
    xlt_buffer a, carry[2];
} whole;

static uint64_t integer_of(const segments *s, size_t i)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)s->array + i * s->bytes, s->bytes);
    return value;
}

static void put_integer(void *array, size_t bytes, size_t i, uint64_t value)
{
    memcpy((char *)array + i * bytes, &value, bytes);
}

/* A part of the array: elements [from, to). Part number `turn` is given a carry, unless it is 0.
 * device_n: the host says one element more, the device how many there are. */
typedef struct part {
    size_t from, to;
    unsigned turn;
    bool device_n;
} part;

/* The segments' array of a part, at an offset that fits: flags, keys with the one before, bits
 * from bit 0 on, offsets that count from the part's first element. If a carry is given and no
 * element stands before, some key does, which must not matter. */
static xlt_buffer part_of_segments(const whole *w, const part *p, xl_view *view)
{
    const segments *s = &w->cuts;
    const xl_segments kind = (xl_segments)w->j->desc.segments;
    const size_t from = p->from, to = p->to, more = p->device_n;
    const size_t room = s->count + to - from + 3, before = kind == XL_SEGMENTS_KEYS && p->turn > 0;
    xlt_buffer made = {0};
    size_t count = to - from + before;
    *view = xl_no_view();
    if (s->bytes == 0)
        return made;
    unsigned char *array = calloc(room, s->bytes);
    assert_non_null(array);
    if (kind == XL_SEGMENTS_FLAG_BITMASK) {
        count = (to - from + more + 31) / 32;
        for (size_t i = from; i < to; ++i)
            ((uint32_t *)(void *)array)[(i - from) / 32] |=
                (uint32_t)(integer_of(s, i / 32) >> i % 32 & 1) << (i - from) % 32;
    } else if (kind == XL_SEGMENTS_OFFSETS) {
        count = 0;
        for (size_t k = 0; k < s->count; ++k)
            if (integer_of(s, k) >= from && integer_of(s, k) < to)
                put_integer(array, s->bytes, count++, integer_of(s, k) - from);
        put_integer(array, s->bytes, count++, to - from);
    } else {
        const bool there = before && from > 0;
        memcpy(array + (before - there) * s->bytes,
               (const char *)s->array + (from - there) * s->bytes, (to - from + there) * s->bytes);
        if (before && !there)
            memcpy(array, s->array, s->bytes);
        count += more;
    }
    made = xlt_buffer_make(array, count, s->bytes, 0);
    *view = xlt_view(&made);
    view->offset += before;
    view->count = kind == XL_SEGMENTS_OFFSETS ? count : 0;
    free(array);
    return made;
}

/* Scans one part into `out`; reads the one carry and leaves the other. */
static void scan_part(whole *w, const part *p, xl_view out)
{
    xl_view heads;
    xlt_buffer s = part_of_segments(w, p, &heads);
    const uint64_t length = p->to - p->from;
    xlt_buffer n = xlt_buffer_make(&length, 1, 8, 0);
    xl_scan_args args = {.n = p->to - p->from + p->device_n,
                         .in = xlt_view(&w->a),
                         .segments = heads,
                         .out = out,
                         .carry_in = p->turn > 0 ? xlt_view(&w->carry[p->turn % 2]) : xl_no_view(),
                         .carry_out = xlt_view(&w->carry[1 - p->turn % 2]),
                         .first_index = p->from};
    args.in.offset += p->from;
    args.out.offset += p->from;
    if (p->device_n)
        args.n_device = xlt_view(&n);
    ok(w->ctx, xl_scan_enqueue(w->plan, xlt_queue(), &args, 0, NULL, NULL), w->j->what);
    XLT_CL(clFinish(xlt_queue()));
    if (s.mem)
        xlt_buffer_free(&s);
    xlt_buffer_free(&n);
}

/* Carries as they are before the first part: nothing that a part may take for one. */
static void carries_make(whole *w)
{
    const bool flagged = w->j->desc.user_op && !w->j->desc.user_op->identity && !w->j->desc.init;
    unsigned char *garbage = bytes_for(2, w->j->ref.bytes);
    memset(garbage, 0xee, 2 * w->j->ref.bytes);
    for (size_t i = 0; i < 2; ++i)
        w->carry[i] = xlt_buffer_make(garbage, flagged ? 2 : 1, w->j->ref.bytes, i);
    free(garbage);
}

/* Parts between cuts[0] = 0 <= cuts[1] <= ... <= cuts[count] = n. Of some the device says how long
 * they are: of every other one, but of the last, behind which nothing is. */
static void check_cuts(whole *w, const size_t *cuts, size_t count)
{
    const size_t size = w->j->ref.out_bytes;
    unsigned char *got = bytes_for(w->n, size);
    xlt_buffer b = xlt_buffer_make(NULL, w->n, size, 1);
    carries_make(w);
    for (size_t k = 0; k < count; ++k) {
        const part p = {cuts[k], cuts[k + 1], (unsigned)k, k % 2 == 1 && cuts[k + 1] < w->n};
        scan_part(w, &p, xlt_view(&b));
    }
    xlt_read(&b, got);
    xlt_check_guards(&b, "out");
    for (size_t i = 0; i < 2; ++i) {
        xlt_check_guards(&w->carry[i], "carry");
        xlt_buffer_free(&w->carry[i]);
    }
    for (size_t i = 0; i < w->n * size; ++i)
        if (got[i] != w->wanted[i])
            XLT_FAIL("%s, segments %u, %zu parts, the first of %zu: element %zu differs",
                     w->j->what, (unsigned)w->j->desc.segments, count, cuts[1], i / size);
    xlt_buffer_free(&b);
    free(got);
}

/* There the library refuses what would end the process. */
static bool dies_of_byte_carries(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return strcmp(info.platform, "rusticl") == 0 && strncmp(info.driver, "22.", 3) == 0;
}

static void refuses_bytes(xl_context *ctx, const job *j)
{
    xl_scan *plan;
    const xl_scan_desc desc = job_desc(j);
    xlt_refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_UNSUPPORTED, "carry: ");
}

static void check_whole(xl_context *ctx, job *j, size_t n, size_t step)
{
    if (j->ref.bytes == 1 && dies_of_byte_carries()) {
        refuses_bytes(ctx, j);
        return;
    }
    whole w = {.j = j, .n = n, .ctx = ctx, .plan = job_plan(ctx, j)};
    xlt_random random = {17};
    if (!w.plan)
        return;
    const xl_scan_desc desc = job_desc(j);
    w.cuts = segments_make(&desc, j->pattern, n, tile_of(ctx, w.plan), 5);
    w.in = bytes_for(n, j->ref.in_bytes);
    w.wanted = bytes_for(n, j->ref.out_bytes);
    for (size_t i = 0; i < n; ++i)
        if (j->fill)
            j->fill(&random, i, w.in + i * j->ref.in_bytes);
        else
            fill_element(j->in_type, (xl_op)j->desc.op, &random, i, w.in + i * j->ref.in_bytes);
    ref_scan(&j->ref, n, w.in, w.cuts.heads, w.wanted);
    w.a = xlt_buffer_make(w.in, n, j->ref.in_bytes, 0);
    for (size_t cut = 0; cut <= n; cut += step)
        check_cuts(&w, (const size_t[]){0, cut, n}, 2);
    for (int round = 0; round < (xlt_small() ? 2 : 10); ++round) {
        size_t cuts[MOST_PARTS + 1] = {0};
        const size_t parts = 3 + xlt_below(&random, MOST_PARTS - 2);
        for (size_t k = 1; k < parts; ++k) /* some of them empty */
            cuts[k] =
                cuts[k - 1] + xlt_below(&random, (uint32_t)((n - cuts[k - 1]) / (parts - k) + 1));
        cuts[parts] = n;
        check_cuts(&w, cuts, parts);
    }
    check_cuts(&w, (const size_t[]){0, 0, 0, 0, 5, 5, 12, 12, n}, 8);
    xlt_buffer_free(&w.a);
    xl_scan_destroy(w.plan);
    segments_free(&w.cuts);
    free(w.in);
    free(w.wanted);
}

static const struct {
    xl_segments kind;
    xl_type type;
    uint64_t width, mask;
} forms[] = {
    {XL_SEGMENTS_NONE, XL_NONE, 0, 0},         {XL_SEGMENTS_HEAD_FLAGS, XL_NONE, 0, 0},
    {XL_SEGMENTS_FLAG_BITMASK, XL_NONE, 0, 0}, {XL_SEGMENTS_KEYS, XL_U16, 0, 0},
    {XL_SEGMENTS_OFFSETS, XL_U32, 0, 0},       {XL_SEGMENTS_WIDTH, XL_NONE, 100, 0},
    {XL_SEGMENTS_WIDTH, XL_NONE, 7, 0},        {XL_SEGMENTS_MASK, XL_NONE, 13, 0x912},
};
enum { NUM_FORMS = sizeof forms / sizeof forms[0] };

/* The blocks of the textbook scans have a fixed size, and so need more elements; the tiles of the
 * reproducible one too. */
static const struct {
    const char *name, *tune;
    xl_scan_algorithm algorithm;
    size_t n, step;
} ways[] = {
    {"serial, two passes", "scan.shape = 0\nscan.tile_bytes = 256\n", XL_SCAN_REDUCE_THEN_SCAN, 331,
     1},
    {"groups, two passes", "scan.shape = 1\nscan.item_bytes = 16\nscan.group_size = 16\n",
     XL_SCAN_REDUCE_THEN_SCAN, 331, 1},
    {"serial look-back", "scan.pipelined = 0\nscan.shape = 0\nscan.tile_bytes = 256\n",
     XL_SCAN_LOOKBACK, 331, 1},
    {"look-back",
     "scan.pipelined = 0\nscan.shape = 1\nscan.item_bytes = 16\nscan.group_size = 16\n",
     XL_SCAN_LOOKBACK, 331, 1},
    {"pipelined",
     "scan.shape = 1\nscan.pipelined = 1\nscan.pipelined_size = 64\nscan.pipelined_bytes = 16\n"
     "scan.pipelined_wide_size = 64\nscan.pipelined_wide_bytes = 16\nscan.pipelined_flag_size = "
     "64\n"
     "scan.pipelined_flag_bytes = 16\n",
     XL_SCAN_LOOKBACK, 331, 1},
    {"Kogge and Stone", "", XL_SCAN_KOGGE_STONE, 9001, 997},
    {"Blelloch", "", XL_SCAN_BLELLOCH, 9001, 997},
    {"reproducible", "", XL_SCAN_AUTO, 23001, 2503},
    {"reproducible, groups", "scan.shape = 1\n", XL_SCAN_AUTO, 23001, 2503},
};
enum { NUM_WAYS = sizeof ways / sizeof ways[0], PIPELINED = 4 };

/* Types, kinds and starting values take turns with forms and ways. */
static void make_job(job *j, size_t f, size_t way, size_t turn)
{
    static const uint32_t start = 1000003;
    const xl_scan_kind kind = (f + way + turn) % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE;
    switch ((f + 2 * way + turn) % 4) {
    case 0:
        job_make(j, ways[way].name, XL_U32, XL_SUM, kind, &start);
        break;
    case 1:
        job_make(j, ways[way].name, XL_I8, XL_MAX, kind, NULL);
        break;
    case 2:
        user_case_make(j, &user_cases[USER_CASE_SPAN], kind, kind == XL_EXCLUSIVE);
        break;
    default:
        job_make(j, ways[way].name, XL_U64, XL_SUM, kind, NULL);
    }
    if (ways[way].algorithm == XL_SCAN_AUTO) { /* of an operator that rounds */
        if (!j->desc.user_op)
            job_make(j, ways[way].name, XL_F32, XL_SUM, kind, NULL);
        j->desc.determinism = XL_REPRODUCIBLE;
    }
    j->what = ways[way].name;
    j->desc.carry = 1;
    j->desc.algorithm = ways[way].algorithm;
    j->desc.segments = forms[f].kind;
    j->desc.segment_type = forms[f].type;
    j->desc.segment_width = forms[f].width;
    j->desc.segment_mask = forms[f].mask;
    j->pattern = turn % 2 ? SHORT_RUNS : MIXED;
}

static void check_way(size_t way)
{
    if (ways[way].algorithm == XL_SCAN_LOOKBACK && !can_publish())
        skip();
    if (way == PIPELINED && !can_pipeline())
        skip();
    if (way == 1 || way == 3)
        if (loses_narrow_states())
            skip();
    xl_context *ctx = open_context(ways[way].tune, NULL);
    /* Of few programs each way has a third of the forms, and the next way others. */
    const size_t few = xlt_few_programs() ? 5 : 1;
    for (size_t f = way % few; f < NUM_FORMS; f += few)
        for (size_t turn = 0; turn < (xlt_few_programs() ? 1 : 4); ++turn) {
            job j;
            make_job(&j, f, way, turn + f / 2);
            if (!job_ends_the_process(&j))
                check_whole(ctx, &j, ways[way].n, ways[way].step * (xlt_small() ? 13 : 1));
        }
    xl_context_destroy(ctx);
}

#define WAY(name, number)                                                                          \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_way(number);                                                                         \
    }
WAY(serial_in_two_passes, 0)
WAY(groups_in_two_passes, 1)
WAY(serial_look_back, 2)
WAY(groups_look_back, 3)
WAY(posted_ahead, PIPELINED)
WAY(kogge_stone, 5)
WAY(blelloch, 6)
WAY(reproducible, 7)
WAY(reproducible_by_groups, 8)

/* ---- no element yet, and an operator that has no identity ---- */

#define LEFT(type, device)                                                                         \
    static void left_of_##type(void *to, const void *left, const void *right)                      \
    {                                                                                              \
        (void)right;                                                                               \
        memmove(to, left, sizeof(type));                                                           \
    }                                                                                              \
    static const xl_user_op left_##type = {                                                        \
        "left", #device " left(" #device " a, " #device " b) { return a; }", NULL, 0};
LEFT(uint8_t, uchar)
LEFT(uint16_t, ushort)
LEFT(uint32_t, uint)
LEFT(uint64_t, ulong)

/* Whose flags behind a carry are as wide as they can be. */
static const user_case left_ones[] = {
    {"the left of bytes", XL_U8, NULL, &left_uint8_t, left_of_uint8_t, NULL, NULL, NULL},
    {"the left of u16", XL_U16, NULL, &left_uint16_t, left_of_uint16_t, NULL, NULL, NULL},
    {"the left of u32", XL_U32, NULL, &left_uint32_t, left_of_uint32_t, NULL, NULL, NULL},
    {"the left of u64", XL_U64, NULL, &left_uint64_t, left_of_uint64_t, NULL, NULL, NULL},
};

/* An operator that keeps its left operand spreads over the whole array whatever empty parts in
 * front leave. */
static void empty_parts_in_front_leave_nothing(void **state)
{
    (void)state;
    for (size_t way = 0; way < NUM_WAYS; ++way) {
        if ((ways[way].algorithm == XL_SCAN_LOOKBACK && !can_publish()) ||
            (way == PIPELINED && !can_pipeline()) ||
            ((way == 1 || way == 3) && loses_narrow_states()))
            continue;
        xl_context *ctx = open_context(ways[way].tune, NULL);
        for (size_t t = 0; t < sizeof left_ones / sizeof left_ones[0]; ++t) {
            job j;
            if (xlt_few_programs() && t != way % 4)
                continue;
            user_case_make(&j, &left_ones[t], XL_INCLUSIVE, false);
            j.what = ways[way].name;
            j.desc.carry = 1;
            j.desc.algorithm = ways[way].algorithm;
            j.desc.segments = way % 2 ? XL_SEGMENTS_KEYS : XL_SEGMENTS_NONE;
            j.desc.segment_type = way % 2 ? XL_U16 : XL_NONE;
            j.pattern = ONE_SEGMENT;
            if (ways[way].algorithm == XL_SCAN_AUTO)
                j.desc.determinism = XL_REPRODUCIBLE;
            check_whole(ctx, &j, ways[way].n, ways[way].n);
        }
        xl_context_destroy(ctx);
    }
}

/* By CSR offsets, none of which lies in the first tiles of a part that continues a segment. */
static void one_segment_goes_on_over_tiles(void **state)
{
    (void)state;
    static const size_t serial[] = {0, 2};
    for (size_t k = 0; k < 2; ++k) {
        const size_t way = serial[k];
        if (ways[way].algorithm == XL_SCAN_LOOKBACK && !can_publish())
            continue;
        xl_context *ctx = open_context(ways[way].tune, NULL);
        job j;
        job_make(&j, ways[way].name, XL_U64, XL_SUM, XL_EXCLUSIVE, NULL);
        j.desc.carry = 1;
        j.desc.algorithm = ways[way].algorithm;
        j.desc.segments = XL_SEGMENTS_OFFSETS;
        j.desc.segment_type = XL_U32;
        j.pattern = ONE_SEGMENT;
        check_whole(ctx, &j, 200, 29);
        xl_context_destroy(ctx);
    }
}

/* What is left by a part of no elements, whether the host knows of it or the device. */
static void nothing_passes_the_carry_on(void **state)
{
    (void)state;
    static const uint64_t init = 7, carry = 70, none = 0;
    for (size_t way = 0; way < NUM_WAYS; ++way) {
        if ((ways[way].algorithm == XL_SCAN_LOOKBACK && !can_publish()) || way == 1 ||
            way == PIPELINED)
            continue;
        xl_context *ctx = open_context(ways[way].tune, NULL);
        job j;
        job_make(&j, ways[way].name, XL_U64, XL_SUM, XL_EXCLUSIVE, &init);
        j.desc.carry = 1;
        j.desc.algorithm = ways[way].algorithm;
        xl_scan *plan = job_plan(ctx, &j);
        xlt_buffer a = xlt_buffer_make(NULL, 5000, 8, 0), in = xlt_buffer_make(&carry, 1, 8, 0);
        xlt_buffer n = xlt_buffer_make(&none, 1, 8, 0);
        for (int given = 0; plan && given < 2; ++given)
            for (int device = 0; device < 2; ++device) {
                uint64_t got = 0;
                xlt_buffer out = xlt_buffer_make(NULL, 1, 8, 0);
                ok(ctx,
                   xl_scan_enqueue(plan, xlt_queue(),
                                   &(xl_scan_args){.n = device ? 5000 : 0,
                                                   .n_device = device ? xlt_view(&n) : xl_no_view(),
                                                   .in = xlt_view(&a),
                                                   .out = xlt_view(&a),
                                                   .carry_in = given ? xlt_view(&in) : xl_no_view(),
                                                   .carry_out = xlt_view(&out)},
                                   0, NULL, NULL),
                   "no elements");
                xlt_read(&out, &got);
                if (got != (given ? carry : init))
                    XLT_FAIL("%s: %llu is left, with%s a carry, n on the %s", ways[way].name,
                             (unsigned long long)got, given ? "" : "out",
                             device ? "device" : "host");
                xlt_buffer_free(&out);
            }
        xlt_buffer_free(&a);
        xlt_buffer_free(&in);
        xlt_buffer_free(&n);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* Expressions know the place in the whole array; n may stand on the device. */
static void expressions_count_from_first_index(void **state)
{
    (void)state;
    enum { N = 700, FIRST = 123456 };
    static const uint64_t n = N;
    static uint64_t got[N];
    job j;
    job_make(&j, "places", XL_U64, XL_SUM, XL_INCLUSIVE, NULL);
    j.desc.carry = 1;
    j.desc.load = "i";
    j.desc.store = "x + i * 1000000000ul";
    xl_scan *plan = job_plan(xlt_context(), &j);
    if (!plan)
        skip();
    xlt_buffer a = xlt_buffer_make(NULL, N, 8, 0), length = xlt_buffer_make(&n, 1, 8, 0);
    ok(xlt_context(),
       xl_scan_enqueue(plan, xlt_queue(),
                       &(xl_scan_args){.n = N,
                                       .n_device = xlt_view(&length),
                                       .in = xlt_view(&a),
                                       .out = xlt_view(&a),
                                       .first_index = FIRST},
                       0, NULL, NULL),
       "places");
    xlt_read(&a, got);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < N; ++i) {
        sum += FIRST + i;
        if (got[i] != sum + (FIRST + i) * 1000000000u)
            XLT_FAIL("element %llu", (unsigned long long)i);
    }
    xlt_buffer_free(&a);
    xlt_buffer_free(&length);
    xl_scan_destroy(plan);
}

static void refuses(void **state)
{
    (void)state;
    enum { N = 100 };
    xl_context *ctx = xlt_context();
    xl_scan *plain, *keys;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(ctx, &desc, &plain));
    desc.carry = 1;
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_scan_create(ctx, &desc, &keys));
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer s = xlt_buffer_make(NULL, N + 1, 4, 0), c = xlt_buffer_make(NULL, 2, 4, 0);
    const xl_view in = xlt_view(&a), out = xlt_view(&b), one = xlt_view(&c), at_0 = {s.mem, 0, 0};
    const xl_view other = {c.mem, one.offset + 1, 0};
#define CALL(plan, ...)                                                                            \
    xl_scan_enqueue(plan, xlt_queue(), &(xl_scan_args){.n = N, .in = in, .out = out, __VA_ARGS__}, \
                    0, NULL, NULL)
#define WRONG(status, text, ...) xlt_refused(ctx, CALL(__VA_ARGS__), XL_ERROR_##status, text)
    WRONG(INVALID_ARGUMENT, "carry_in: given, but", plain, .carry_in = one);
    WRONG(INVALID_ARGUMENT, "carry_out: given, but", plain, .carry_out = one);
    WRONG(INVALID_ARGUMENT, "first_index: given, but", plain, .first_index = 1);
    WRONG(INVALID_ARGUMENT, "offset of 1", keys, .segments = at_0, .carry_in = one);
    WRONG(INVALID_ARGUMENT, "carry_out: ", keys, .segments = xlt_view(&s),
          .carry_out = xl_view_of(c.mem, 1000));
    WRONG(OVERLAP, "carry_in", keys, .segments = xlt_view(&s), .carry_in = one, .carry_out = one);
    WRONG(OVERLAP, "carry_in", keys, .segments = xlt_view(&s), .carry_in = out);
    WRONG(OVERLAP, "carry_out", keys, .segments = xlt_view(&s), .carry_out = in);
    WRONG(OVERLAP, "carry_out", keys, .segments = xlt_view(&s), .carry_out = xlt_view(&s));
    XLT_OK(CALL(keys, .segments = xl_view_of(s.mem, xlt_view(&s).offset + 1), .carry_in = one,
                .carry_out = other));
    XLT_CL(clFinish(xlt_queue()));
    xl_scan_destroy(plain);
    xl_scan_destroy(keys);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xlt_buffer_free(&c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serial_in_two_passes),
        cmocka_unit_test(groups_in_two_passes),
        cmocka_unit_test(serial_look_back),
        cmocka_unit_test(groups_look_back),
        cmocka_unit_test(posted_ahead),
        cmocka_unit_test(kogge_stone),
        cmocka_unit_test(blelloch),
        cmocka_unit_test(reproducible),
        cmocka_unit_test(reproducible_by_groups),
        cmocka_unit_test(one_segment_goes_on_over_tiles),
        cmocka_unit_test(empty_parts_in_front_leave_nothing),
        cmocka_unit_test(nothing_passes_the_carry_on),
        cmocka_unit_test(expressions_count_from_first_index),
        cmocka_unit_test(refuses),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
