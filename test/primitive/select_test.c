/* SPDX-License-Identifier: MIT
 * Compaction against its serial reference: every kind and type, any n, all outputs, too little
 * room, both shapes of tiles with and without look-back, and what scratch holds. */
#include "select_trial.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const xl_user_type triple = {"triple", 3, 1, "typedef struct { uchar key, b, c; } triple;"};
static const xl_user_type dozen = {"dozen", 12, 4,
                                   "typedef struct { uchar key; uchar b[3]; uint c, d; } dozen;"};
static const xl_user_type holes = {
    "holes", 24, 8, "typedef struct { uchar key; uchar b[7]; ulong c; uint d, e; } holes;"};

/* One call after the other of one plan: outputs, offsets, room and scratch change. */
static void run(select_trial t, unsigned *turn)
{
    const unsigned outputs[] = {SELECT_OUTPUTS,
                                SELECT_OUT | SELECT_COUNT,
                                SELECT_INDICES,
                                SELECT_COUNT,
                                SELECT_OUTPUTS,
                                SELECT_OUT | SELECT_LENGTHS,
                                SELECT_VALUES | SELECT_OUT};
    const size_t rooms[] = {0, 0, t.n / 3 + 1, 0, 1, t.n, t.n / 2 + 1};
    t.outputs = outputs[*turn % COUNT(outputs)];
    t.capacity = rooms[*turn / 3 % COUNT(rooms)];
    t.offset = *turn % 5;
    t.own_scratch = *turn % 3 == 1;
    t.n_device = *turn % 4 == 3 ? (*turn % 8 == 7 ? t.n + 9 : t.n - t.n / 3) : SIZE_MAX;
    t.longest = *turn % 11 == 0 ? 300 : 7;
    select_check(&t);
    ++*turn;
}

static void run_sizes(const xl_select_desc *desc, xl_select *plan, const char *device, size_t most,
                      unsigned *turn)
{
    static const size_t sizes[] = {1,  2,  3,   31,  32,  33,   63,   64,
                                   65, 66, 255, 256, 257, 1000, 4097, 12301};
    for (size_t s = 0; s < COUNT(sizes) && sizes[s] <= most; ++s) {
        select_trial t = select_trial_of(desc, plan, sizes[s], SELECT_HALF);
        t.device = device;
        for (t.pattern = 0; t.pattern < SELECT_PATTERNS; ++t.pattern)
            if ((t.pattern + s + *turn / 8) % (xlt_small() ? 5 : 3) == 0)
                run(t, turn);
    }
}

/* ---- every type ------------------------------------------------------------ */

typedef struct form {
    xl_select_kind kind;
    xl_select_by by;
    uint32_t type, value, more[2];
    const xl_user_type *user;
} form;

/* Of a push the first of them; each type is there. */
static const form forms[] = {
    {XL_SELECT_IF, 0, XL_U32, XL_NONE, {0}, NULL},
    {XL_SELECT_IF, 1, XL_F64, XL_U32, {XL_F64}, NULL},
    {XL_SELECT_PARTITION, 0, XL_I16, XL_U8, {0}, NULL},
    {XL_SELECT_PARTITION3, 0, XL_F32, XL_U64, {XL_SELECT_BYTES(12)}, NULL},
    {XL_SELECT_UNIQUE, 0, XL_U64, XL_NONE, {0}, NULL},
    {XL_SELECT_RUNS, 0, XL_U8, XL_F32X4, {0}, NULL},
    {XL_SELECT_REPEAT, 0, XL_I32, XL_U16, {XL_SELECT_BYTES(5)}, NULL},
    {XL_SELECT_IF, 2, XL_USER_TYPE, XL_NONE, {0}, &triple},
    {XL_SELECT_RUNS, 0, XL_USER_TYPE, XL_U32, {0}, &holes},
    {XL_SELECT_PARTITION3, 1, XL_F32X3, XL_NONE, {0}, NULL},
    {XL_SELECT_PARTITION, 2, XL_I8, XL_NONE, {0}, NULL},
    {XL_SELECT_IF, 0, XL_USER_TYPE, XL_I8, {0}, &dozen},
    {XL_SELECT_UNIQUE, 0, XL_I32X2, XL_U32, {0}, NULL},
    {XL_SELECT_RUNS, 0, XL_F32, XL_NONE, {0}, NULL},
    {XL_SELECT_IF, 0, XL_I64X4, XL_NONE, {0}, NULL},
    {XL_SELECT_PARTITION, 0, XL_U16, XL_NONE, {0}, NULL},
    {XL_SELECT_UNIQUE, 0, XL_I64, XL_SELECT_BYTES(48), {0}, NULL},
    {XL_SELECT_REPEAT, 0, XL_USER_TYPE, XL_NONE, {0}, &holes},
};

static xl_select_desc desc_of(const form *f)
{
    xl_select_desc desc = select_desc(f->kind, f->by, (xl_type)f->type, f->value);
    memcpy(desc.more_values, f->more, sizeof f->more);
    desc.user_type = f->user;
    desc.index = f->type == XL_F32 ? XL_U64 : XL_U32;
    return desc;
}

static void every_form(void **state)
{
    (void)state;
    unsigned turn = 0;
    for (size_t i = 0; i < COUNT(forms); ++i) {
        xl_select *plan;
        const xl_select_desc desc = desc_of(&forms[i]);
        if ((xlt_few_programs() && i >= 10) || (xlt_on_oclgrind() && i % 3 != 0))
            continue;
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        run_sizes(&desc, plan, "plain",
                  xlt_on_oclgrind() ? 66
                  : xlt_small()     ? 300
                                    : SIZE_MAX,
                  &turn);
        xl_select_destroy(plan);
    }
}

/* ---- zeros of both signs ----------------------------------------------------- */

/* Zeros of either sign, and a few that are 2 or so, in n elements of so many lanes. */
static unsigned char *zeros_make(xl_type scalar, size_t n, size_t lanes)
{
    const size_t size = xl_type_size(scalar);
    unsigned char *made = calloc(n * lanes + 1, size);
    xlt_random random = {n + size};
    assert_non_null(made);
    for (size_t i = 0; i < n * lanes; ++i) /* sign and exponent stand in the last byte */
        made[i * size + size - 1] =
            (unsigned char)(xlt_below(&random, 2) << 7 | (xlt_below(&random, 6) == 0 ? 0x40 : 0));
    return made;
}

/* Runs that the device finds, and those that bytes have, without the signs of zeros if these are
 * equal. */
static void check_zeros(const xl_select_desc *desc, xl_select *plan, bool equal, size_t n)
{
    const xl_type scalar = (xl_type)(desc->type & 0xff);
    const size_t lanes = desc->type >> 8 ? desc->type >> 8 : 1,
                 bytes = lanes * xl_type_size(scalar);
    unsigned char *in = zeros_make(scalar, n, lanes), *compared = zeros_make(scalar, n, lanes);
    unsigned char *kept = calloc(n, bytes);
    uint32_t *places = calloc(n, 4);
    uint64_t count, runs = 0;
    assert_true(kept && places);
    if (equal)
        ref_equal_zeros(scalar, n * lanes, compared);
    xlt_buffer a = xlt_buffer_make(in, n, bytes, 0), b = xlt_buffer_make(NULL, n, bytes, 1);
    xlt_buffer i = xlt_buffer_make(NULL, n, 4, 1), c = xlt_buffer_make(NULL, 1, 8, 0);
    XLT_OK(xl_select_enqueue(plan, xlt_queue(),
                             &(xl_select_args){.n = n,
                                               .in = xlt_view(&a),
                                               .out = xlt_view(&b),
                                               .indices_out = xlt_view(&i),
                                               .count_out = xlt_view(&c)},
                             0, NULL, NULL));
    xlt_read(&b, kept);
    xlt_read(&i, places);
    xlt_read(&c, &count);
    for (size_t e = 0; e < n; ++e) {
        if (e > 0 && memcmp(compared + e * bytes, compared + (e - 1) * bytes, bytes) == 0)
            continue;
        if (runs >= count || places[runs] != e ||
            memcmp(kept + runs * bytes, in + e * bytes, bytes) != 0)
            XLT_FAIL("%s, zeros %s, n %zu: run %llu is wrong", xl_type_name((xl_type)desc->type),
                     equal ? "equal" : "in order", n, (unsigned long long)runs);
        ++runs;
    }
    assert_int_equal(count, runs);
    xlt_buffer *const all[] = {&a, &b, &i, &c};
    for (size_t k = 0; k < COUNT(all); ++k)
        xlt_buffer_free(all[k]);
    free(in);
    free(compared);
    free(kept);
    free(places);
}

/* Both may be in one run, or not, and the first of a run keeps its sign. */
static void zeros_of_both_signs(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_F32, XL_F32X2, XL_F64, XL_F16, XL_F64X4, XL_I32};
    for (uint32_t i = 0; i < 4 * COUNT(types); ++i) {
        const xl_tunable tunables[] = {{"select.serial", i / 2 % 2}};
        xl_select_desc desc;
        xl_select *plan;
        xl_select_desc_init(&desc);
        assert_int_equal(desc.equal_zeros, 1);
        desc.type = types[i / 4];
        desc.kind = i % 3 == 0 ? XL_SELECT_RUNS : XL_SELECT_UNIQUE;
        desc.equal_zeros = i % 2;
        if (i % 4 == 1) { /* a caller of an older version, whose structure ends before */
            desc.struct_size = offsetof(xl_select_desc, equal_zeros);
            desc.equal_zeros = 0;
        }
        desc.tunables = tunables;
        desc.num_tunables = 1;
        if ((xlt_few_programs() || xlt_on_oclgrind()) && i % 4 != i / 4 % 4)
            continue;
        const xl_status status = xl_select_create(xlt_context(), &desc, &plan);
        if (status == XL_ERROR_UNSUPPORTED) {
            print_message("left out: %s\n", xl_context_error(xlt_context()));
            continue;
        }
        XLT_OK(status);
        for (size_t n = 1; n < (xlt_small() ? 300 : 20000); n = 2 * n + 1)
            check_zeros(&desc, plan, i % 2, n);
        xl_select_destroy(plan);
    }
}

/* ---- other shapes ---------------------------------------------------------- */

enum { LATE = 1, TORN = 2 };
static const struct variant {
    const char *name, *mask;
    uint32_t serial, look_back, group, item_bytes, tile_bytes, piece, inject, window;
    int only; /* with few programs the form that it is shown by; -1: all four */
} variants[] = {
    {"groups, look-back", NULL, 0, 1, 64, 6, 0, 0, 0, 0, -1},
    {"groups, look-back in windows", NULL, 0, 1, 64, 6, 0, 3000, 0, 64, -1},
    {"groups, chunks", NULL, 0, 0, 64, 5, 0, 0, 0, 0, -1},
    {"one work-item, look-back, in pieces", NULL, 1, 1, 0, 0, 400, 3000, 0, 0, 2},
    {"one work-item, chunks", NULL, 1, 0, 0, 0, 400, 0, 0, 0, -1},
    {"groups, look-back, late tiles", NULL, 0, 1, 32, 4, 0, 0, LATE, 0, 0},
    {"groups, look-back in windows, late tiles", NULL, 0, 1, 64, 4, 0, 0, LATE, 64, 0},
    {"groups, look-back in windows, late and torn tiles", NULL, 0, 1, 64, 4, 0, 0, LATE | TORN, 128,
     2},
    {"one work-item, look-back, late and torn tiles", NULL, 1, 1, 0, 0, 256, 0, LATE | TORN, 0, 2},
    {"groups of 8 at most", "work-group=8", 0, 1, 64, 32, 0, 900, 0, 64, 0},
    {"groups of 1", "work-group=1", 0, 0, 64, 20, 0, 0, 0, 0, 1},
    {"no lanes", "width=1", 0, 1, 128, 4, 0, 2500, LATE, 64, 2},
};

static void run_variant(const struct variant *v, const form *f, unsigned *turn)
{
    const xl_tunable all[] = {{"select.serial", v->serial},
                              {"select.look_back", v->look_back},
                              {"select.spin_limit", v->inject ? 20 : 1 << 12},
                              {"select.inject_delay", v->inject ? 3 : 0},
                              {"select.inject_tear", v->inject & TORN ? 1 : 0},
                              {"select.group", v->group ? v->group : 64},
                              {"select.window", v->window},
                              {"select.item_bytes", v->item_bytes ? v->item_bytes : 16},
                              {"select.tile_bytes", v->tile_bytes ? v->tile_bytes : 4096},
                              {"select.piece", v->piece ? v->piece : 1u << 31}};
    xl_context *ctx;
    xl_context_desc context;
    xl_select_desc desc = desc_of(f);
    xl_select *plan;
    desc.tunables = all;
    desc.num_tunables = COUNT(all);
    xl_context_desc_init(&context);
    context.mask = v->mask;
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()),
                            &context, &ctx));
    if (xl_select_create(ctx, &desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", v->name, xl_context_error(ctx));
    xlt_watch_start(v->name, NULL);
    run_sizes(&desc, plan, v->name, xlt_on_oclgrind() ? 66 : xlt_small() ? 1000 : SIZE_MAX, turn);
    if (v->window > 0 && !v->piece && !xlt_on_oclgrind()) { /* tiles of several windows */
        select_trial t = select_trial_of(&desc, plan, 40003, SELECT_HALF);
        t.device = v->name;
        select_check(&t);
    }
    xlt_watch_stop();
    xl_select_destroy(plan);
    xl_context_destroy(ctx);
}

static bool is_one_pass(xl_select_kind kind)
{
    return kind == XL_SELECT_IF || kind == XL_SELECT_UNIQUE || kind == XL_SELECT_RUNS;
}

static void other_shapes(void **state)
{
    (void)state;
    /* IF, PARTITION3, RUNS, REPEAT, and in a full run others. */
    static const size_t shown[] = {0, 3, 5, 6, 1, 4, 8, 11};
    unsigned turn = 0;
    for (size_t i = 0; i < COUNT(variants); ++i)
        for (size_t k = 0; k < (xlt_few_programs() ? 4 : COUNT(shown)); ++k) {
            const form *f = &forms[shown[k]];
            if (variants[i].look_back && !is_one_pass(f->kind))
                continue;
            if (xlt_few_programs() && variants[i].only >= 0 && (size_t)variants[i].only != k)
                continue;
            run_variant(&variants[i], f, &turn);
        }
}

/* Every n from one tile to two. */
static void every_size_of_two_tiles(void **state)
{
    (void)state;
    static const form shown[] = {{XL_SELECT_IF, 0, XL_U32, XL_NONE, {0}, NULL},
                                 {XL_SELECT_RUNS, 0, XL_U8, XL_F32X4, {0}, NULL}};
    const xl_tunable small[] = {
        {"select.tile_bytes", 256}, {"select.group", 64}, {"select.item_bytes", 4}};
    for (size_t k = 0; k < COUNT(shown); ++k) {
        xl_select_desc desc = desc_of(&shown[k]);
        xl_plan_info info;
        xl_select *plan;
        desc.tunables = small;
        desc.num_tunables = COUNT(small);
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        XLT_OK(xl_select_info(plan, 1000, &info));
        const size_t tile = (size_t)info.tile_elements, step = xlt_small() ? 29 : 1;
        for (size_t n = tile - 1; n <= 2 * tile + 1; n += step) {
            select_trial t = select_trial_of(&desc, plan, n, (select_pattern)(n % 3));
            t.own_scratch = n % 2;
            select_check(&t);
        }
        xl_select_destroy(plan);
    }
}

/* Room for any number of elements less than there are. */
static void too_little_room(void **state)
{
    (void)state;
    static const size_t shown[] = {0, 2, 5, 6};
    for (size_t k = 0; k < COUNT(shown); ++k) {
        const xl_select_desc desc = desc_of(&forms[shown[k]]);
        xl_select *plan;
        if (xlt_on_oclgrind() && k % 2)
            continue;
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        for (size_t capacity = 1; capacity <= 200; capacity += xlt_small() ? 23 : 1) {
            select_trial t = select_trial_of(&desc, plan, 150, SELECT_HALF);
            t.capacity = capacity;
            t.offset = capacity % 3;
            select_check(&t);
        }
        xl_select_destroy(plan);
    }
}

static void large_sizes(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    static const size_t sizes[] = {65537, ((size_t)1 << 20) - 1, ((size_t)1 << 24) + 1};
    static const size_t shown[] = {0, 5, 6, 3, 2, 4};
    for (size_t k = 0; k < (xlt_few_programs() ? 3 : COUNT(shown)); ++k) {
        const xl_select_desc desc = desc_of(&forms[shown[k]]);
        xl_select *plan;
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        for (size_t s = 0; s < (k == 0 ? 3u : 2u); ++s) {
            select_trial t =
                select_trial_of(&desc, plan, sizes[s], (select_pattern)((s + k) % SELECT_PATTERNS));
            t.capacity = desc.kind == XL_SELECT_REPEAT ? 5 * sizes[s] : 0;
            t.longest = s == 1 ? 100000 : 7;
            t.own_scratch = s % 2;
            if (s == 2)
                t.outputs = SELECT_OUT | SELECT_COUNT;
            select_check(&t);
        }
        xl_select_destroy(plan);
    }
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    static const size_t shown[] = {0, 3, 5, 6};
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t k = 0; k < COUNT(shown); ++k) {
            static const size_t sizes[] = {1, 33, 500, 5000};
            const xl_select_desc desc = desc_of(&forms[shown[k]]);
            xl_select *plan;
            XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
            for (size_t s = 0; s < (xlt_small() ? 2u : COUNT(sizes)); ++s) {
                select_trial t = select_trial_of(&desc, plan, sizes[s], SELECT_HALF);
                select_check(&t);
                t.capacity = sizes[s] / 3 + 1;
                t.pattern = SELECT_MOST;
                select_check(&t);
            }
            xl_select_destroy(plan);
        }
}

/* ---- what scratch holds ---------------------------------------------------- */

/* As xl_select_scratch() promises: below 1 % of what is read and 1 MiB, and never less for more. */
static void scratch_is_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < 9; ++i) {
        const xl_select_desc desc = desc_of(&forms[i]);
        size_t before = 0, alignment;
        xl_select *plan;
        if (xlt_few_programs() && i % 3 != 0 && i != 5)
            continue;
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        for (size_t n = 1; n < (size_t)1 << 30; n = n * 3 / 2 + 1) {
            const size_t length = desc.kind == XL_SELECT_REPEAT ? 4 : 0;
            size_t bytes;
            XLT_OK(xl_select_scratch(plan, n, &bytes, &alignment));
            assert_true(bytes >= before);
            assert_true(bytes <= n / 100 * (select_bytes(&desc) + length) + ((size_t)1 << 20));
            before = bytes;
        }
        xl_select_destroy(plan);
    }
}

/* Ten calls from one scratch, which nobody cleans, then from the plan's own. */
static void repeats_are_the_same(void **state)
{
    (void)state;
    static const size_t shown[] = {0, 3, 5, 6};
    for (size_t k = 0; k < COUNT(shown); ++k) {
        const xl_select_desc desc = desc_of(&forms[shown[k]]);
        xl_select *plan;
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        select_trial t = select_trial_of(&desc, plan,
                                         xlt_on_oclgrind() ? 70
                                         : xlt_small()     ? 600
                                                           : 100003,
                                         SELECT_HALF);
        for (t.own_scratch = false;; t.own_scratch = true) {
            select_host h = select_host_make(&t);
            select_arrays a = select_arrays_make(&t, &h);
            for (int i = 0; i < 10; ++i) {
                XLT_OK(xl_select_enqueue(plan, t.queue, &a.args, 0, NULL, NULL));
                select_check_result(&t, &a, &h);
            }
            select_arrays_free(&a);
            select_host_free(&h);
            if (t.own_scratch)
                break;
        }
        xl_select_destroy(plan);
    }
}

/* ---- queues and events ------------------------------------------------------ */

/* What is kept goes straight on to be taken apart in runs: n is on the device, and never on the
 * host. The first call waits for an event that the host sets late. */
static void out_of_order_by_events(void **state)
{
    (void)state;
    const xl_select_desc descs[2] = {desc_of(&forms[0]), desc_of(&forms[4])};
    const size_t n = xlt_small() ? 100 : 9000;
    cl_command_queue queue = xlt_out_of_order_queue();
    cl_event events[3] = {xlt_user_event()};
    xl_select *plans[2];
    uint32_t *keys = calloc(n, 4), *got = calloc(n, 8), wanted = 0;
    uint64_t count = 0;
    xlt_random random = {3};
    for (size_t i = 0; i < n; ++i)
        keys[i] = xlt_below(&random, 7);
    xl_select_desc unique = descs[1];
    unique.type = XL_U32;
    xlt_buffer in = xlt_buffer_make(keys, n, 4, 0), middle = xlt_buffer_make(NULL, n, 4, 1),
               out = xlt_buffer_make(NULL, n, 4, 2), counts = xlt_buffer_make(NULL, 2, 8, 0);
    const size_t at = xlt_view(&counts).offset;
    XLT_OK(xl_select_create(xlt_context(), &descs[0], &plans[0]));
    XLT_OK(xl_select_create(xlt_context(), &unique, &plans[1]));
    XLT_OK(xl_select_enqueue(plans[0], queue,
                             &(xl_select_args){.n = n,
                                               .in = xlt_view(&in),
                                               .out = xlt_view(&middle),
                                               .count_out = xl_view_of(counts.mem, at)},
                             1, &events[0], &events[1]));
    XLT_OK(xl_select_enqueue(plans[1], queue,
                             &(xl_select_args){.n = n,
                                               .n_device = xl_view_of(counts.mem, at),
                                               .in = xlt_view(&middle),
                                               .out = xlt_view(&out),
                                               .count_out = xl_view_of(counts.mem, at + 1)},
                             1, &events[1], &events[2]));
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[2]));
    uint64_t both[2];
    xlt_read(&counts, both);
    xlt_read(&out, got);
    for (size_t i = 0; i < n; ++i)
        if (keys[i] >= 5 && keys[i] != wanted) {
            wanted = keys[i];
            assert_int_equal(got[count++], wanted);
        }
    assert_int_equal(both[1], count);
    for (int i = 0; i < 3; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    for (int i = 0; i < 2; ++i)
        xl_select_destroy(plans[i]);
    XLT_CL(clReleaseCommandQueue(queue));
    xlt_buffer_free(&in);
    xlt_buffer_free(&middle);
    xlt_buffer_free(&out);
    xlt_buffer_free(&counts);
    free(keys);
    free(got);
}

/* No elements: an event, and counts of 0. */
static void nothing_yields_an_event(void **state)
{
    (void)state;
    static const size_t shown[] = {0, 3, 6};
    for (size_t k = 0; k < COUNT(shown); ++k) {
        const xl_select_desc desc = desc_of(&forms[shown[k]]);
        xlt_buffer count = xlt_buffer_make(NULL, 2, 8, 1);
        uint64_t counted[2] = {9, 9};
        cl_event event = NULL;
        xl_select *plan;
        XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
        xl_select_args args = {.n = 0};
        XLT_OK(xl_select_enqueue(plan, xlt_queue(), &args, 0, NULL, &event));
        XLT_CL(clWaitForEvents(1, &event));
        XLT_CL(clReleaseEvent(event));
        args.count_out = xlt_view(&count);
        XLT_OK(xl_select_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&count, counted);
        assert_int_equal(counted[0], 0);
        if (desc.kind == XL_SELECT_PARTITION3)
            assert_int_equal(counted[1], 0);
        xl_select_destroy(plan);
        xlt_buffer_free(&count);
    }
    xl_select_destroy(NULL);
    xl_select_desc_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(every_size_of_two_tiles),
        cmocka_unit_test(too_little_room),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(scratch_is_small),
        cmocka_unit_test(repeats_are_the_same),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
