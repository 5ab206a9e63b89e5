/* SPDX-License-Identifier: MIT
 * Segmented sorts against the serial reference: every pattern of lengths, key types, values and
 * their indices, in place and apart, in both shapes; offsets that break their rule; misuse. */
#include "sort_trial.h"
#include "xlt_misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- offsets ------------------------------------------------------------------ */

typedef enum lengths {
    ONE_OF_ALL, /* a single offset, 0 */
    ALL_AND_END,
    ALL_EMPTY, /* all at n: nothing is in a segment */
    NONE_LONGER_THAN_ONE,
    UP_TO_TEN,
    UP_TO_A_WINDOW,
    UP_TO_TWO_TILES,
    AROUND_HALF_A_TILE, /* which is where segments begin to be long */
    AROUND_A_TILE,
    MANY_TILES,
    CROWDED, /* more empty ones at one place than a tile has elements */
    LENGTHS
} lengths;

static const char *const length_names[LENGTHS] = {
    "one of all",      "one, and n",         "all empty",           "none longer than one",
    "up to ten",       "up to half a tile",  "up to two tiles",     "around half a tile",
    "around one tile", "up to eleven tiles", "crowds of empty ones"};

static size_t draw_length(lengths kind, size_t tile, xlt_random *random)
{
    const uint32_t t = (uint32_t)tile;
    switch (kind) {
    case NONE_LONGER_THAN_ONE:
        return xlt_below(random, 4) > 0;
    case UP_TO_TEN:
        return xlt_below(random, 11);
    case UP_TO_A_WINDOW:
        return xlt_below(random, t / 2 + 1);
    case AROUND_HALF_A_TILE:
        return t / 2 - 1 + xlt_below(random, 3);
    case AROUND_A_TILE:
        return t - 1 + xlt_below(random, 3);
    case MANY_TILES:
        return xlt_below(random, 3) == 0 ? xlt_below(random, 11 * t) : xlt_below(random, 5);
    case CROWDED:
        return xlt_below(random, 2 * t) == 0 ? xlt_below(random, 2 * t) : 0;
    default:
        return xlt_below(random, 6) == 0 ? 0 : 1 + xlt_below(random, 2 * t + 1);
    }
}

typedef struct offsets {
    uint64_t *at;
    size_t count;
} offsets;

/* The first may be above 0, and the last below n. */
static offsets draw_offsets(lengths kind, size_t n, size_t tile, xlt_random *random)
{
    const size_t most = kind == CROWDED ? 8 * tile + n : 2 * n + 3;
    offsets o = {bytes_for(most + 2, sizeof *o.at), 0};
    size_t at = kind == ALL_EMPTY ? n : 0;
    if (kind > ALL_EMPTY && n > 0 && xlt_below(random, 2) == 0)
        at = xlt_below(random, (uint32_t)(n < 3 * tile ? n : 3 * tile));
    o.at[o.count++] = at;
    if (kind == ALL_AND_END)
        o.at[o.count++] = n;
    if (kind == ALL_EMPTY)
        while (o.count < most && o.count < 300)
            o.at[o.count++] = n;
    while (kind > ALL_EMPTY && o.count < most) {
        at += draw_length(kind, tile, random);
        if (at > n)
            break;
        o.at[o.count++] = at;
    }
    if (kind > ALL_EMPTY && xlt_below(random, 3) > 0)
        o.at[o.count++] = n;
    return o;
}

/* Of the type that the plan wants. */
static xlt_buffer offsets_buffer(const offsets *o, uint32_t type, size_t offset)
{
    if (type == XL_U64)
        return xlt_buffer_make(o->at, o->count, sizeof(uint64_t), offset);
    uint32_t *narrow = bytes_for(o->count, sizeof *narrow);
    for (size_t i = 0; i < o->count; ++i)
        narrow[i] = (uint32_t)o->at[i];
    const xlt_buffer made = xlt_buffer_make(narrow, o->count, sizeof *narrow, offset);
    free(narrow);
    return made;
}

/* ---- one sort, checked --------------------------------------------------------- */

typedef struct trial {
    sort_trial sort;
    lengths lengths;
    uint64_t seed;
} trial;

static const char *describe(const trial *t)
{
    static char text[400];
    const xl_sort_desc *d = t->sort.desc;
    snprintf(text, sizeof text,
             "%s keys, values %u, order %u, offsets %s, n %zu, lengths %s%s%s%s, seed %llu, %s",
             xl_type_name((xl_type)d->key), (unsigned)d->value, (unsigned)d->order,
             xl_type_name((xl_type)d->segment_type), t->sort.n, length_names[t->lengths],
             t->sort.in_place ? ", in place" : "", t->sort.keys_stay ? ", keys in place" : "",
             t->sort.values_stay ? ", values in place" : "", (unsigned long long)t->seed,
             t->sort.what);
    return text;
}

static xl_status enqueue(const trial *t, const sort_arrays *a, const xlt_buffer *csr)
{
    const bool made = t->sort.desc->value == XL_SORT_INDICES;
    return xl_sort_enqueue(
        t->sort.plan, t->sort.queue,
        &(xl_sort_args){.n = t->sort.n,
                        .keys_in = xlt_view(&a->keys_in),
                        .values_in = made ? xl_no_view() : xlt_view(&a->values_in),
                        .keys_out = xlt_view(&a->keys_out),
                        .values_out = xlt_view(&a->values_out),
                        .scratch = xlt_view(&a->scratch),
                        .segments = xl_view_n(csr->mem, xlt_view(csr).offset, csr->n)},
        0, NULL, NULL);
}

static void check_equal(const trial *t, const xlt_buffer *got, const void *wanted, const char *name)
{
    unsigned char *now = bytes_for(got->n, got->size);
    xlt_read(got, now);
    for (size_t i = 0; i < got->n; ++i)
        if (memcmp(now + i * got->size, (const char *)wanted + i * got->size, got->size) != 0)
            XLT_FAIL("%s: %s differs at %zu", describe(t), name, i);
    xlt_check_guards(got, name);
    free(now);
}

/* `are_right`: else only what stands beside the arrays is looked at. */
static void run(const trial *t, const offsets *o, bool are_right)
{
    const xl_sort_desc *d = t->sort.desc;
    const xl_type key = (xl_type)d->key;
    const size_t n = t->sort.n;
    void *keys = bytes_for(n, xl_type_size(key)), *wanted = bytes_for(n, xl_type_size(key));
    uint32_t *values = sort_numbers(n), *wanted_values = sort_numbers(n);
    sort_fill(keys, t->sort.pattern, key, n, t->seed);
    memcpy(wanted, keys, n * xl_type_size(key));
    sort_arrays a = sort_arrays_make(&t->sort, keys, values);
    xlt_buffer csr = offsets_buffer(o, d->segment_type, t->seed % 3);
    XLT_OK(enqueue(t, &a, &csr));
    if (are_right) {
        assert_true(ref_sort_segments(key, d->order == XL_DESCENDING, n, o->at, o->count, wanted,
                                      wanted_values));
        check_equal(t, &a.keys_out, wanted, "keys_out");
        if (d->value != XL_NONE)
            check_equal(t, &a.values_out, wanted_values, "values_out");
    }
    xlt_check_guards(&a.keys_out, "keys_out");
    if (a.values_out.mem)
        xlt_check_guards(&a.values_out, "values_out");
    xlt_check_guards(&csr, "segments");
    if (a.scratch.mem)
        xlt_check_guards(&a.scratch, "scratch");
    if (a.keys_in.mem != a.keys_out.mem)
        sort_check_same(&t->sort, &a.keys_in, keys, "keys_in");
    if (a.values_in.mem && a.values_in.mem != a.values_out.mem)
        sort_check_same(&t->sort, &a.values_in, values, "values_in");
    xlt_buffer_free(&csr);
    sort_arrays_free(&a);
    free(keys);
    free(wanted);
    free(values);
    free(wanted_values);
}

static void check_lengths(trial t, lengths kind, size_t tile)
{
    xlt_random random = {t.seed * 2654435761u + 99};
    t.lengths = kind;
    offsets o = draw_offsets(kind, t.sort.n, tile, &random);
    run(&t, &o, true);
    free(o.at);
}

/* ---- plans ------------------------------------------------------------------------ */

static xl_sort_desc desc_of(size_t k, size_t form)
{
    static const uint32_t values[] = {XL_NONE, XL_U32, XL_SORT_INDICES};
    xl_sort_desc desc = sort_desc(sort_key_types[k % SORT_KEY_TYPES], values[form % 3],
                                  form / 3 % 2 ? XL_DESCENDING : XL_ASCENDING,
                                  form % 2 ? XL_SORT_AUTO : XL_SORT_BITONIC);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = form / 6 % 2 ? XL_U64 : XL_U32;
    return desc;
}

static trial trial_of(const xl_sort_desc *desc, xl_sort *plan, const char *what, uint64_t seed)
{
    trial t = {.sort = sort_trial_of(desc, plan, 0, SORT_RANDOM), .seed = seed};
    t.sort.what = what;
    t.sort.pattern = (sort_pattern)(seed % SORT_PATTERNS);
    t.sort.offset = (size_t)(seed % 5);
    t.sort.own_scratch = seed % 4 == 0;
    /* Values that are made have no place of before. */
    sort_trial_place(&t.sort,
                     (size_t)(desc->value == XL_SORT_INDICES ? seed / 3 % 2 * 2 : seed / 3));
    return t;
}

static const struct shape {
    const char *tuning, *mask;
} shapes[] = {
    {"sort.shape = 0\nsort.segment_group_log = 5\nsort.segment_items_log = 1\n", NULL},
    {"sort.shape = 1\nsort.serial_tile_log = 4\n", NULL},
    {"sort.shape = 0\nsort.segment_group_log = 5\nsort.segment_items_log = 2\n"
     "sort.segment_queue = 1\nsort.spin_limit = 3\n",
     NULL},
    {"sort.shape = 0\nsort.segment_group_log = 6\nsort.segment_items_log = 3\n", NULL},
    {"sort.shape = 0\nsort.segment_group_log = 4\nsort.segment_items_log = 2\n", "width=1"},
    {"sort.shape = 1\nsort.serial_tile_log = 8\n", NULL},
    {"sort.shape = 0\nsort.segment_items_log = 1\n", "work-group=1"},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], FORMS = 12 };

enum { QUEUE = 2 };

/* PoCL takes longer to compile a launch that works through a queue than all else together: of few
 * programs it has none, which are the other devices'. */
static bool has_queue(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return !xlt_few_programs() || !strstr(info.platform, "Portable Computing Language");
}

/* How many of them are tested: two in groups and one by one work-item, or all. */
static size_t shapes_here(size_t all)
{
    return !xlt_few_programs() ? all : has_queue() ? QUEUE + 1 : QUEUE;
}

/* Which of all plans is the one of shape s where there are few programs. The last is that of
 * corrupt_keys_test: it takes longest to compile. */
static size_t the_one(size_t s)
{
    static const size_t plans[] = {4 * FORMS + 10, 2 * FORMS + 5, 1};
    return plans[s];
}

/* What shape s sorts, where any will do. */
static xl_sort_desc some_desc(size_t s, size_t key, size_t form)
{
    return xlt_few_programs() ? desc_of(the_one(s) / FORMS, the_one(s) % FORMS)
                              : desc_of(key, form);
}

static void every_pattern_of_lengths(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t s = 0; s < shapes_here(SHAPES); ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        for (size_t i = 0; i < FORMS * SORT_KEY_TYPES; ++i) {
            if (xlt_few_programs() ? i != the_one(s) : i % SHAPES != s)
                continue;
            const xl_sort_desc desc = desc_of(i / FORMS, i % FORMS);
            xl_sort *plan = sort_plan(ctx, &desc, shapes[s].tuning);
            const size_t tile = sort_tile(plan, 1);
            const size_t sizes[] = {0,        1,        tile / 2,     tile / 2 + 1, tile,
                                    tile + 1, 4 * tile, 9 * tile - 2, 33 * tile + 7};
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
                for (int kind = 0; kind < LENGTHS; ++kind) {
                    trial t = trial_of(&desc, plan, shapes[s].tuning, seed++);
                    t.sort.n = sizes[k];
                    if (!xlt_on_oclgrind() || (sizes[k] < 900 && kind % 3 == (int)k % 3))
                        check_lengths(t, (lengths)kind, tile);
                }
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

static void as_built_in(void **state)
{
    (void)state;
    uint64_t seed = 1000;
    for (size_t form = 0; form < 3; ++form) {
        const xl_sort_desc desc = desc_of(2 * form, form);
        xl_sort *plan = sort_plan(xlt_context(), &desc, "as built in");
        const size_t tile = sort_tile(plan, 1);
        for (int kind = 0; kind < (xlt_on_oclgrind() ? 0 : LENGTHS); ++kind) {
            trial t = trial_of(&desc, plan, "as built in", seed++);
            t.sort.n = (xlt_small() ? 5 : 41) * tile + 11;
            check_lengths(t, (lengths)kind, tile);
        }
        xl_sort_destroy(plan);
    }
}

/* Plans as GPUs have them, whatever this device is. */
static void as_gpus_have_it(void **state)
{
    (void)state;
    uint64_t seed = 2000;
    xl_context *ctx = open_context("sort.shape = 0\n", NULL);
    for (size_t form = 0; form < (xlt_on_oclgrind() || xlt_few_programs() ? 0 : 3); ++form) {
        const xl_sort_desc desc = desc_of(form, 5 - form);
        xl_sort *plan = sort_plan(ctx, &desc, "as GPUs have it");
        const size_t tile = sort_tile(plan, 1);
        for (int kind = 0; kind < LENGTHS; ++kind) {
            trial t = trial_of(&desc, plan, "as GPUs have it", seed++);
            t.sort.n = 5 * tile + 11;
            check_lengths(t, (lengths)kind, tile);
        }
        xl_sort_destroy(plan);
    }
    xl_context_destroy(ctx);
}

/* All of one length, for every one up to two tiles. */
static void every_length(void **state)
{
    (void)state;
    for (size_t s = 0; s < shapes_here(xlt_small() ? 3 : 4); ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        const xl_sort_desc desc = some_desc(s, s, 1 + 4 * s);
        xl_sort *plan = sort_plan(ctx, &desc, shapes[s].tuning);
        const size_t tile = sort_tile(plan, 1);
        for (size_t length = 1; length <= 2 * tile + 1;
             length += xlt_on_oclgrind() ? 31 : 1 + tile / 100) {
            trial t = trial_of(&desc, plan, shapes[s].tuning, length);
            t.sort.n = 5 * tile + length % 7;
            t.lengths = ONE_OF_ALL;
            offsets o = {bytes_for(t.sort.n / length + 1, sizeof *o.at), 0};
            while (o.count * length < t.sort.n)
                o.at[o.count] = o.count * length, ++o.count;
            run(&t, &o, true);
            free(o.at);
        }
        xl_sort_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* Groups of 4, which GPUs have for large keys, are part of a sub-group. */
static void groups_smaller_than_a_sub_group(void **state)
{
    (void)state;
    static const char *const tuning = "sort.shape = 0\nsort.segment_group_log = 2\n"
                                      "sort.segment_items_log = 4\n";
    uint64_t seed = 4000;
    xl_context *ctx = open_context(tuning, NULL);
    const xl_sort_desc desc = desc_of(0, 1);
    xl_sort *plan = sort_plan(ctx, &desc, tuning);
    const size_t tile = sort_tile(plan, 1);
    for (int kind = 0; kind < LENGTHS; ++kind)
        for (size_t n = 9 * tile; n <= (xlt_on_oclgrind() ? 9 : 99) * tile; n += 45 * tile) {
            trial t = trial_of(&desc, plan, tuning, seed++);
            t.sort.n = n + 7;
            check_lengths(t, (lengths)kind, tile);
        }
    xl_sort_destroy(plan);
    xl_context_destroy(ctx);
}

/* One segment of so many tiles that work-groups which run side by side meet at empty slots of the
 * queue, leave them, and have others fill what comes next. */
static void many_tiles_by_a_queue(void **state)
{
    (void)state;
    enum { TIMES = 4 };
    if (!has_queue()) {
        print_message("%s: its compiler takes long over queues\n", xlt_device());
        skip();
    }
    xl_context *ctx = open_context(shapes[QUEUE].tuning, shapes[QUEUE].mask);
    const xl_sort_desc desc = some_desc(QUEUE, QUEUE, 1 + 4 * QUEUE);
    xl_sort *plan = sort_plan(ctx, &desc, shapes[QUEUE].tuning);
    const size_t tile = sort_tile(plan, 1);
    for (uint64_t seed = 3001; seed < (xlt_on_oclgrind() ? 0 : 3001 + TIMES); ++seed) {
        trial t = trial_of(&desc, plan, shapes[QUEUE].tuning, seed);
        t.sort.n = 500 * tile + 3;
        check_lengths(t, ONE_OF_ALL, tile);
    }
    xl_sort_destroy(plan);
    xl_context_destroy(ctx);
}

/* Offsets that fall, or pass n, or are anything: nothing beside the arrays is written or read. By
 * the keys' own order, and by a comparator. */
static void broken_offsets(void **state)
{
    (void)state;
    static const xl_user_comparator less = {"less", "bool less(uint a, uint b) { return a < b; }"};
    for (size_t at = 0; at == 0 || xlt_place_closely(at - 1); ++at)
        for (size_t k = 0; k < 2 * shapes_here(xlt_small() ? 3 : SHAPES); ++k) {
            const size_t s = k / 2;
            /* A comparator's launches in groups are compiled long, too: on PoCL it has the other
             * shape's, elsewhere those without a queue. */
            if (xlt_few_programs() && k % 2 && (s == QUEUE || (s == 0 && !has_queue())))
                continue;
            xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
            xl_sort_desc desc = k % 2 ? desc_of(0, s % 2 ? 7 : 1) : some_desc(s, 0, s % 2 ? 7 : 1);
            desc.comparator = k % 2 ? &less : NULL;
            xl_sort *plan = sort_plan(ctx, &desc, shapes[s].tuning);
            const size_t tile = sort_tile(plan, 1);
            for (uint64_t seed = 0; seed < (xlt_on_oclgrind() ? 4 : 40); ++seed) {
                xlt_random random = {seed * 77 + 5};
                trial t = trial_of(&desc, plan, shapes[s].tuning, seed);
                t.sort.n = 1 + xlt_below(&random, (uint32_t)(9 * tile));
                t.sort.offset = xlt_placed_closely() ? 0 : t.sort.offset;
                offsets o = draw_offsets((lengths)(seed % LENGTHS), t.sort.n, tile, &random);
                for (size_t i = 0; i < o.count; ++i)
                    if (xlt_below(&random, 4) == 0)
                        o.at[i] = seed % 3 == 0   ? xlt_next(&random)
                                  : seed % 3 == 1 ? xlt_below(&random, (uint32_t)t.sort.n + 1)
                                                  : xlt_below(&random, 2) * t.sort.n;
                run(&t, &o, false);
                free(o.at);
            }
            xl_sort_destroy(plan);
            xl_context_destroy(ctx);
        }
}

/* ---- misuse --------------------------------------------------------------- */

static void fails(xl_status got, xl_status wanted, const char *said)
{
    xlt_refused(xlt_context(), got, wanted, said);
}

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        uint32_t segments, type, algorithm, end_bit;
        xl_status status;
    } cases[] = {
        {"desc.segments: 3", XL_SEGMENTS_KEYS, XL_U32, 0, 0, XL_ERROR_INVALID_ARGUMENT},
        {"desc.segments: 77", 77, XL_NONE, 0, 0, XL_ERROR_INVALID_ARGUMENT},
        {"desc.segment_type: i32", XL_SEGMENTS_OFFSETS, XL_I32, 0, 0, XL_ERROR_INVALID_ARGUMENT},
        {"not u32 or u64", XL_SEGMENTS_OFFSETS, XL_NONE, 0, 0, XL_ERROR_INVALID_ARGUMENT},
        {"desc.segment_type: u32", XL_SEGMENTS_NONE, XL_U32, 0, 0, XL_ERROR_INVALID_ARGUMENT},
        {"desc.begin_bit, end_bit", XL_SEGMENTS_OFFSETS, XL_U32, 0, 5, XL_ERROR_UNSUPPORTED},
        {"desc.algorithm: XL_SORT_RADIX", XL_SEGMENTS_OFFSETS, XL_U32, XL_SORT_RADIX, 0,
         XL_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_sort *plan;
        xl_sort_desc desc;
        xl_sort_desc_init(&desc);
        desc.segments = cases[i].segments;
        desc.segment_type = cases[i].type;
        desc.algorithm = cases[i].algorithm;
        desc.end_bit = cases[i].end_bit;
        fails(xl_sort_create(xlt_context(), &desc, &plan), cases[i].status, cases[i].said);
        assert_null(plan);
    }
}

static void wrong_arguments(void **state)
{
    (void)state;
    enum { N = 40, COUNT = 5 };
    uint32_t zeros[N + 4 * COUNT] = {0};
    const xl_sort_desc desc = desc_of(0, 0), plain = sort_desc(XL_U32, XL_NONE, XL_ASCENDING, 0);
    xl_sort *plan = sort_plan(xlt_context(), &desc, "misuse");
    xl_sort *whole = sort_plan(xlt_context(), &plain, "misuse");
    xlt_buffer keys = xlt_buffer_make(zeros, N + COUNT, 4, 0);
    xlt_buffer csr = xlt_buffer_make(zeros, COUNT, 4, 0);
    const xl_sort_args good = {.n = N,
                               .keys_in = xl_view_of(keys.mem, xlt_view(&keys).offset),
                               .keys_out = xl_view_of(keys.mem, xlt_view(&keys).offset),
                               .segments = xl_view_n(csr.mem, xlt_view(&csr).offset, COUNT)};
    xl_sort_args args = good;
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    fails(xl_sort_enqueue(whole, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_INVALID_ARGUMENT,
          "segments: given, but the plan sorts the whole array");
    args.segments = xl_view_of(csr.mem, xlt_view(&csr).offset);
    fails(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_INVALID_ARGUMENT,
          "segments: 0 CSR offsets");
    args.segments = xl_no_view();
    fails(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_INVALID_ARGUMENT,
          "segments: 0 CSR offsets");
    args.segments = xl_view_n(csr.mem, xlt_view(&csr).offset, 1000000);
    fails(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_INVALID_ARGUMENT,
          "segments: elements from element");
    args.segments = xl_view_n(keys.mem, xlt_view(&keys).offset + N - 1, COUNT);
    fails(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_OVERLAP, "segments");
    args = good;
    args.keys_out.count = N - 1;
    fails(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_INVALID_ARGUMENT,
          "keys_out: 40 elements asked for of a view that counts 39");
    size_t bytes, alignment;
    XLT_OK(xl_sort_scratch(plan, N, &bytes, &alignment));
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    args = good;
    args.scratch = xlt_view(&scratch);
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    args.segments = xl_view_n(scratch.mem, args.scratch.offset / sizeof(uint32_t) + 1, 1);
    fails(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_OVERLAP, "segments");
    xlt_buffer_free(&scratch);
    args = (xl_sort_args){.n = 0};
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_buffer_free(&keys);
    xlt_buffer_free(&csr);
    xl_sort_destroy(plan);
    xl_sort_destroy(whole);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_of_lengths),
        cmocka_unit_test(as_built_in),
        cmocka_unit_test(as_gpus_have_it),
        cmocka_unit_test(every_length),
        cmocka_unit_test(groups_smaller_than_a_sub_group),
        cmocka_unit_test(many_tiles_by_a_queue),
        cmocka_unit_test(broken_offsets),
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_arguments),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
