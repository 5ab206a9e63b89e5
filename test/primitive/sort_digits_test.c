/* SPDX-License-Identifier: MIT
 * The sort by digits, in chunks as CPUs have it and in sweeps as GPUs do: stable, in place or not,
 * whatever is late, and whatever stood in scratch. */
#include "sort_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- in chunks ------------------------------------------------------------- */

/* All patterns, each of which needs other passes; keys and values in place, apart, and one of them
 * in place; from no scratch to the plan's own. */
static void sort_patterns(sort_trial t, const size_t *sizes, size_t num_sizes, size_t most)
{
    for (size_t i = 0; i < SORT_PATTERNS * num_sizes; ++i) {
        t.n = sizes[i / SORT_PATTERNS];
        t.pattern = (sort_pattern)(i % SORT_PATTERNS);
        if (t.n > most)
            continue;
        sort_trial_place(&t, i % 3 + i / 7);
        t.own_scratch = i % 5 == 1;
        t.offset = i % 7;
        sort_check(&t);
    }
}

/* Where the device has no sort by chunks. */
static void skip_chunks(void)
{
    print_message("%s: ends long loops, as a work-item has here\n", xlt_device());
    skip();
}

/* By all digits and by buckets, in chunks that hold less than a line, and many; buckets that are
 * parted again; one work-item. The lengths are no part of the programs. */
static void by_chunks(void **state)
{
    (void)state;
    static const struct {
        const char *what, *tune;
        bool every_n;
    } chunks[] = {
        {"all digits, chunks of 5",
         "sort.shape = 1\nsort.radix_alone = 0\nsort.radix_buckets = 0\n"
         "sort.radix_chunks = 200\nsort.radix_least = 5\nsort.radix_most = 5\n",
         true},
        {"all digits, chunks of 1000",
         "sort.shape = 1\nsort.radix_alone = 0\nsort.radix_buckets = 0\n"
         "sort.radix_chunks = 1\nsort.radix_least = 1000\nsort.radix_most = 1000\n",
         true},
        {"buckets, chunks of 5",
         "sort.shape = 1\nsort.radix_alone = 0\nsort.radix_bucket_bytes = 1000\n"
         "sort.radix_chunks = 200\nsort.radix_least = 5\nsort.radix_most = 5\n",
         true},
        {"short buckets, chunks of 1000",
         "sort.shape = 1\nsort.radix_alone = 90\nsort.radix_bucket_bytes = 16\n"
         "sort.radix_chunks = 1\nsort.radix_least = 1000\nsort.radix_most = 1000\n",
         true},
        {"as tuned", "sort.shape = 1\n", false},
    };
    enum { CHUNKS = sizeof chunks / sizeof chunks[0] };
    const size_t sizes[] = {0, 1, 2, 5, 17, 64, 255, 1000, 4097, 20011, 70001};
    /* On a GPU, which takes no such sort by itself, one work-item is slow. */
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    const bool slow = xlt_small() || !(info.device_type & CL_DEVICE_TYPE_CPU);
    const size_t most = xlt_on_oclgrind() ? 64 : slow ? 1000 : SIZE_MAX;
    size_t plans = 0;
    for (size_t v = 0; v < CHUNKS; ++v) {
        xl_context *ctx = open_context(chunks[v].tune, NULL);
        for (size_t i = 0; i < 4 * SORT_KEY_TYPES; ++i) {
            const size_t k = i / 4, form = i % 4;
            /* Of few programs each type has one form, by all digits or by buckets. */
            const bool is_one = form == (k + k / 4) % 4 && k % 2 == (v < 2);
            if ((xlt_few_programs() && !is_one) || (xlt_on_oclgrind() && k > 3))
                continue;
            const xl_sort_desc desc = sort_desc_of_form(k, form, XL_SORT_RADIX);
            xl_sort *plan = sort_plan_by_digits(ctx, &desc, chunks[v].what);
            if (!plan)
                continue;
            ++plans;
            sort_trial t = sort_trial_of(&desc, plan, 0, SORT_FEW_DISTINCT);
            t.what = chunks[v].what;
            for (t.n = 0; chunks[v].every_n && t.n < 80; t.n += xlt_small() ? 13 : 1)
                sort_check(&t);
            sort_patterns(t, sizes, sizeof sizes / sizeof sizes[0], most);
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
    if (plans == 0)
        skip_chunks();
}

/* More than a cache holds, where lines are stored past it: 8 MiB of keys. */
static void past_the_caches(void **state)
{
    (void)state;
    static const sort_pattern patterns[] = {SORT_RANDOM, SORT_FEW_DISTINCT, SORT_SPECIAL,
                                            SORT_FALLING};
    if (xlt_small()) {
        print_message("CROSSLANE_TEST_SMALL\n");
        skip();
    }
    for (size_t i = 0; i < (xlt_few_programs() ? 3 : 4); ++i) {
        xl_tunable tunables[] = {{"sort.shape", 1}, {"sort.radix_buckets", i < 2}};
        xl_sort_desc desc = sort_desc_of_form(i % 2 ? 8 : 0, i % 2, XL_SORT_RADIX);
        desc.tunables = tunables;
        desc.num_tunables = 2;
        xl_sort *plan = sort_plan_by_digits(xlt_context(), &desc, "past the caches");
        if (!plan)
            skip_chunks();
        for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; ++k) {
            sort_trial t = sort_trial_of(&desc, plan, ((size_t)1 << 21) + 4099, patterns[k]);
            sort_trial_place(&t, k);
            t.offset = k;
            sort_check(&t);
        }
        xl_sort_destroy(plan);
    }
}

/* Keys whose upper bits decide little: what is sorted by these is left to an insertion sort, which
 * gives up, and all bits are sorted by. */
static void lower_bits_decide(void **state)
{
    (void)state;
    enum { N = 5000 };
    const xl_tunable tunables[] = {{"sort.shape", 1}};
    xl_sort_desc desc = sort_desc(XL_U64, XL_U32, XL_ASCENDING, XL_SORT_RADIX);
    desc.tunables = tunables;
    desc.num_tunables = 1;
    xl_sort *plan = sort_plan_by_digits(xlt_context(), &desc, "lower bits");
    xlt_random random = {3};
    if (!plan)
        skip_chunks();
    for (size_t place = 0; place < 4; ++place)
        for (uint32_t upper = 1; upper <= 4; upper += 3) {
            sort_trial t = sort_trial_of(&desc, plan, xlt_small() ? N / 10 : N, SORT_RANDOM);
            uint64_t keys[N];
            uint32_t *const values = sort_numbers(t.n);
            for (size_t i = 0; i < t.n; ++i)
                keys[i] = (uint64_t)xlt_below(&random, upper + 1) << 60 | xlt_next(&random) >> 50;
            /* Or in two digits, of nine bits each. */
            for (size_t i = 0; upper > 1 && i < t.n; ++i)
                keys[i] |= (uint64_t)xlt_below(&random, upper + 1) << 45;
            sort_trial_place(&t, place);
            void *const wanted = sort_wanted(&t, keys);
            sort_arrays a = sort_arrays_make(&t, keys, values);
            XLT_OK(sort_enqueue(&t, &a, 0, NULL, NULL));
            XLT_CL(clFinish(t.queue));
            sort_check_result(&t, &a, keys, values, wanted);
            sort_arrays_free(&a);
            free(values);
            free(wanted);
        }
    xl_sort_destroy(plan);
}

/* ---- in sweeps --------------------------------------------------------------- */

/* Tuning values of a plan. Each of these is another program. */
typedef struct sweep {
    const char *what;
    unsigned group, bytes, ring, depth, spin, delay;
} sweep;

enum { TUNABLES = 16, RING = 1024 };
static const sweep sweeps[] = {
    {"tiles of a key each", 256, 4, RING, 4, 1 << 12, 0},
    {"room for one tile", 256, 8, 1, 4, 100, 0},
    {"every tile late", 256, 4, RING, 1, 3, 1},
    {"room for two tiles, every other late", 256, 4, 2, 4, 2, 2},
    {"larger groups, room for four", 320, 12, 4, 1, 100, 0},
    {"every third late", 256, 8, RING, 4, 3, 3},
    {"room for four tiles, every one late", 256, 4, 4, 4, 0, 1},
};
enum { SWEEPS = sizeof sweeps / sizeof sweeps[0] };

typedef struct sweep_plan {
    xl_tunable tunables[TUNABLES];
    xl_sort_desc desc;
    xl_sort *plan; /* NULL: the device has no such sort */
} sweep_plan;

/* `s` NULL: as built in. */
static sweep_plan *sweep_make(const xl_sort_desc *desc, const sweep *s)
{
    sweep_plan *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->desc = *desc;
    made->desc.tunables = made->tunables;
    made->tunables[made->desc.num_tunables++] = (xl_tunable){"sort.shape", 0};
    if (s) {
        const xl_tunable all[] = {
            {"sort.sweep_group", s->group},      {"sort.sweep_bytes", s->bytes},
            {"sort.sweep_wide_group", s->group}, {"sort.sweep_wide_bytes", s->bytes},
            {"sort.sweep_pair_group", s->group}, {"sort.sweep_pair_bytes", s->bytes},
            {"sort.ring_tiles", s->ring},        {"sort.sweep_depth", s->depth},
            {"sort.spin_limit", s->spin},        {"sort.inject_delay", s->delay}};
        memcpy(made->tunables + made->desc.num_tunables, all, sizeof all);
        made->desc.num_tunables += sizeof all / sizeof all[0];
    }
    made->plan = sort_plan_by_digits(xlt_context(), &made->desc, s ? s->what : "as built in");
    return made;
}

static void sweep_end(sweep_plan *p)
{
    xl_sort_destroy(p->plan);
    free(p);
}

static sort_trial sweep_trial(const sweep_plan *p, const sweep *s, size_t n, sort_pattern keys)
{
    sort_trial t = sort_trial_of(&p->desc, p->plan, n, keys);
    t.what = s ? s->what : "as built in";
    return t;
}

/* Skips the test, with a line of why, where there are none. */
static void needs_sweeps(void)
{
    if (!sort_takes_sweeps()) {
        print_message("%s: no sub-groups that exchange values, or no messages between groups\n",
                      xlt_device());
        skip();
    }
}

/* Every form of every key type, and every row of `sweeps`: all of one with some of the other; of
 * few programs one of each row. */
static void every_type_by_sweeps(void **state)
{
    (void)state;
    needs_sweeps();
    for (size_t i = 0; i < 4 * SORT_KEY_TYPES * SWEEPS; ++i) {
        const size_t k = i / SWEEPS / 4, form = i / SWEEPS % 4, w = i % SWEEPS;
        if (xlt_few_programs() ? form != k % 4 || w != k : (k + form) % 4 != w % 4)
            continue;
        const xl_sort_desc desc = sort_desc_of_form(k, form, XL_SORT_RADIX);
        sweep_plan *p = sweep_make(&desc, &sweeps[w]);
        const size_t tile = sort_tile(p->plan, 1);
        const size_t sizes[] = {
            0,        1,        2,        77,           tile - 1,     tile,
            tile + 1, 2 * tile, 4 * tile, 4 * tile + 1, 9 * tile + 3, 40 * tile - 5};
        /* Tiles that nobody publishes are counted by all behind them. */
        const size_t longest = xlt_small() ? 9 * tile + 3 : 40 * tile;
        sort_patterns(sweep_trial(p, &sweeps[w], 0, SORT_RANDOM), sizes,
                      sizeof sizes / sizeof sizes[0], sweeps[w].delay == 1 ? longest / 2 : longest);
        sweep_end(p);
    }
}

/* From no key to past two tiles, whose last elements there may be or not. */
static void every_n_of_two_tiles(void **state)
{
    (void)state;
    needs_sweeps();
    for (size_t i = 0; i < 2; ++i) {
        const xl_sort_desc desc = sort_desc_of_form(i ? 3 : 0, i ? 3 : 0, XL_SORT_RADIX);
        const sweep *const s = &sweeps[i ? 3 : 0];
        sweep_plan *p = sweep_make(&desc, s);
        const size_t end = SORT_PATTERNS * (2 * sort_tile(p->plan, 1) + 2);
        for (size_t k = 0; k < end; ++k) {
            sort_trial t = sweep_trial(p, s, k / SORT_PATTERNS, (sort_pattern)(k % SORT_PATTERNS));
            if (xlt_small() && t.n % SORT_PATTERNS != t.pattern)
                continue;
            sort_trial_place(&t, k % 5);
            t.own_scratch = k % 3 == 1;
            sort_check(&t);
        }
        sweep_end(p);
    }
}

/* As many keys as the built-in values are for, where that does not take too long. */
static void as_built_in(void **state)
{
    (void)state;
    needs_sweeps();
    for (size_t i = 0; i < (xlt_small() ? 1 : xlt_few_programs() ? 2 : 4); ++i) {
        const xl_sort_desc desc = sort_desc_of_form(i ? 8 : 0, i, XL_SORT_RADIX);
        sweep_plan *p = sweep_make(&desc, NULL);
        const size_t tile = sort_tile(p->plan, 1);
        const size_t sizes[] = {tile - 1, tile + 1, 3 * tile + 5, ((size_t)1 << 20) + 3, 16000001};
        sort_patterns(sweep_trial(p, NULL, 0, SORT_RANDOM), sizes, xlt_few_programs() ? 4 : 5,
                      xlt_small() ? 3 * tile + 5 : SIZE_MAX);
        sweep_end(p);
    }
}

/* ---- scratch ------------------------------------------------------------------- */

/* What stands in scratch is cleared by each call: what it was made with, bits of all kinds, and
 * what a call before left, which looks just like what this one is to write. That shows where this
 * one's tiles publish nothing: of two plans alike but for that one sorts after the other. */
static void garbage_in_scratch(void **state)
{
    (void)state;
    enum { CALLS = 4 * SORT_PATTERNS };
    needs_sweeps();
    const xl_sort_desc desc = sort_desc_of_form(0, 0, XL_SORT_RADIX);
    const sweep *const of[2] = {&sweeps[0], &sweeps[2]};
    size_t bytes, alignment, other_bytes;
    xlt_random random = {5};
    sweep_plan *p[2] = {sweep_make(&desc, of[0]), sweep_make(&desc, of[1])};
    const size_t n = 11 * sort_tile(p[0]->plan, 1) + 7;
    XLT_OK(xl_sort_scratch(p[0]->plan, n, &bytes, &alignment));
    XLT_OK(xl_sort_scratch(p[1]->plan, n, &other_bytes, &alignment));
    assert_int_equal(bytes, other_bytes);
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    uint64_t *garbage = bytes_for(bytes / 8 + 1, 8);
    for (size_t call = 0; call < CALLS; ++call) {
        sort_trial t =
            sweep_trial(p[call % 2], of[call % 2], n, (sort_pattern)(call % SORT_PATTERNS));
        for (size_t b = 0; b <= bytes / 8; ++b)
            garbage[b] = call % 3 == 1 ? UINT64_MAX : xlt_next(&random);
        if (call % 4 == 2)
            XLT_CL(clEnqueueWriteBuffer(xlt_queue(), scratch.mem, CL_TRUE,
                                        xlt_view(&scratch).offset, bytes, garbage, 0, NULL, NULL));
        t.scratch = &scratch;
        sort_trial_place(&t, call / 2);
        sort_check(&t);
    }
    free(garbage);
    xlt_buffer_free(&scratch);
    sweep_end(p[0]);
    sweep_end(p[1]);
}

/* Counted by others than the owner, in all passes of a call whose scratch this is. Nine headers of
 * 64 bytes, 4096 counts, and descriptors stand at its end: cl/sort/sort_onesweep.cl. */
static size_t fallbacks_in(const xlt_buffer *scratch, size_t descriptors)
{
    enum { HEADERS = 9, HEADER = 64, COUNTS = 2 * 8 * 256 * 4, DESCRIPTOR = 2048, FALLBACKS = 3 };
    const size_t behind = HEADERS * HEADER + COUNTS + descriptors * DESCRIPTOR;
    unsigned char *bytes = bytes_for(scratch->n, 1);
    size_t sum = 0;
    xlt_read(scratch, bytes);
    for (size_t pass = 0; pass < HEADERS; ++pass) {
        uint32_t count;
        memcpy(&count, bytes + scratch->n - behind + pass * HEADER + FALLBACKS * sizeof count,
               sizeof count);
        sum += count;
    }
    free(bytes);
    return sum;
}

/* Tiles that publish nothing are counted by others, and never do two runs differ. */
static void late_tiles_again_and_again(void **state)
{
    (void)state;
    enum { REPEATS = 20 };
    needs_sweeps();
    for (size_t w = 0; w < SWEEPS; ++w) {
        const xl_sort_desc desc = sort_desc_of_form(0, 0, XL_SORT_RADIX);
        const sweep *const s = &sweeps[w];
        const size_t tiles = xlt_small() ? 9 : 30;
        size_t bytes, alignment, fallbacks = 0;
        if (xlt_few_programs() && w != 0 && w != 2 && w != 3)
            continue;
        sweep_plan *p = sweep_make(&desc, s);
        sort_trial t = sweep_trial(p, s, tiles * sort_tile(p->plan, 1) - 3, SORT_RANDOM);
        XLT_OK(xl_sort_scratch(p->plan, t.n, &bytes, &alignment));
        xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
        t.scratch = &scratch;
        for (size_t i = 0; i < REPEATS; ++i) {
            sort_trial_place(&t, i / 10);
            sort_check(&t);
            fallbacks += fallbacks_in(&scratch, s->ring < tiles ? s->ring : tiles);
        }
        if (s->delay > 0 && fallbacks == 0)
            XLT_FAIL("%s: nobody has counted a tile that published nothing", s->what);
        xlt_buffer_free(&scratch);
        sweep_end(p);
    }
}

/* Keys of one digit go there and back; of none that differs they stay. */
static void one_byte_keys_in_place(void **state)
{
    (void)state;
    needs_sweeps();
    for (size_t form = 0; form < 4; ++form) {
        const size_t k = 3; /* u8 */
        if (xlt_few_programs() && form % 3 != 0)
            continue;
        const xl_sort_desc desc = sort_desc_of_form(k, form, XL_SORT_RADIX);
        const sweep *const s = &sweeps[3];
        sweep_plan *p = sweep_make(&desc, s);
        assert_int_equal(xl_type_size(desc.key), 1);
        for (size_t i = 0; i < 3 * SORT_PATTERNS; ++i) {
            sort_trial t = sweep_trial(p, s, i * i * 9 + 1, (sort_pattern)(i % SORT_PATTERNS));
            sort_trial_place(&t, 1 + i % 3);
            sort_check(&t);
        }
        sweep_end(p);
    }
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    needs_sweeps();
    for (size_t i = 0; i < (xlt_few_programs() ? 2 : 4); ++i) {
        const xl_sort_desc desc = sort_desc_of_form(i % 2 ? 3 : 0, i % 2 ? 3 : 0, XL_SORT_RADIX);
        const sweep *const s = &sweeps[i < 2 ? 3 * i : i];
        sweep_plan *p = sweep_make(&desc, s);
        const size_t tile = sort_tile(p->plan, 1);
        const size_t sizes[] = {1, 63, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 3};
        for (size_t at = 0; xlt_place_closely(at); ++at)
            for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; ++k) {
                sort_trial t = sweep_trial(p, s, sizes[k / 2], k % 2 ? SORT_RANDOM : SORT_ONE_BIT);
                sort_trial_place(&t, k);
                sort_check(&t);
            }
        sweep_end(p);
    }
}

/* ---- who takes which -------------------------------------------------------------- */

typedef struct from_row {
    const char *name;
    xl_type key, value;
} from_row;

/* The numbers that a tuning file may set, each for keys of its kind. */
static void check_from(const from_row *rows, size_t num_rows, uint32_t shape)
{
    for (size_t r = 0; r < num_rows; ++r) {
        const xl_tunable tunables[] = {
            {"sort.shape", shape},        {rows[0].name, 900},
            {rows[1].name, 900},          {rows[2].name, 900},
            {rows[r].name, 500},          {"sort.sweep_bytes", 8}, /* what is compiled fast */
            {"sort.sweep_pair_bytes", 8}, {"sort.group_log", 5},
            {"sort.items_log", 1}};
        xl_sort_desc desc = sort_desc(rows[r].key, rows[r].value, XL_ASCENDING, XL_SORT_AUTO);
        desc.tunables = tunables;
        desc.num_tunables = sizeof tunables / sizeof tunables[0];
        xl_sort *plan = sort_plan(xlt_context(), &desc, rows[r].name);
        for (size_t n = 499; n <= 500; ++n) {
            xl_plan_info info;
            sort_trial t = sort_trial_of(&desc, plan, n, SORT_RANDOM);
            XLT_OK(xl_sort_info(plan, n, &info));
            assert_string_equal(info.algorithm, n < 500 ? "bitonic" : "radix");
            sort_check(&t);
        }
        xl_sort_destroy(plan);
    }
}

static void from_a_number_on(void **state)
{
    (void)state;
    static const from_row rows[] = {{"sort.sweep_from", XL_U16, XL_NONE},
                                    {"sort.sweep_wide_from", XL_F64, XL_NONE},
                                    {"sort.sweep_pair_from", XL_U64, XL_U32}};
    needs_sweeps();
    check_from(rows, sizeof rows / sizeof rows[0], 0);
}

/* Few keys have tiles of their own, up to the number that is for their kind, and more keys never
 * take less scratch. */
static void smaller_tiles_of_few_keys(void **state)
{
    (void)state;
    enum { GROUP = 256, ITEMS = 3, SMALL_ITEMS = 2, WORD = 4, MOST = 2100 };
    static const from_row rows[] = {{"sort.sweep_small_most", XL_U32, XL_NONE},
                                    {"sort.sweep_small_pair_most", XL_F32, XL_U32},
                                    {"sort.sweep_small_most", XL_I16, XL_NONE}};
    needs_sweeps();
    for (size_t r = 0; r < (xlt_few_programs() ? 2 : sizeof rows / sizeof rows[0]); ++r) {
        const xl_tunable tunables[] = {{"sort.shape", 0},
                                       {"sort.sweep_group", GROUP},
                                       {"sort.sweep_pair_group", GROUP},
                                       {"sort.sweep_bytes", ITEMS * WORD},
                                       {"sort.sweep_pair_bytes", ITEMS * WORD},
                                       {rows[r != 1].name, 900},
                                       {rows[r].name, MOST},
                                       {"sort.sweep_small_group", GROUP},
                                       {"sort.sweep_small_bytes", SMALL_ITEMS * WORD},
                                       {"sort.inject_delay", 3},
                                       {"sort.spin_limit", 3}};
        const size_t sizes[] = {MOST - 1, MOST, MOST + 1, 1, 2 * MOST};
        size_t few, more, alignment;
        xl_sort_desc desc = sort_desc(rows[r].key, rows[r].value, XL_ASCENDING, XL_SORT_RADIX);
        desc.tunables = tunables;
        desc.num_tunables = sizeof tunables / sizeof tunables[0];
        xl_sort *plan = sort_plan(xlt_context(), &desc, rows[r].name);
        for (size_t i = 0; i < 5 * SORT_PATTERNS; ++i) {
            const size_t n = sizes[i / SORT_PATTERNS];
            sort_trial t = sort_trial_of(&desc, plan, n, (sort_pattern)(i % SORT_PATTERNS));
            assert_int_equal(sort_tile(plan, n), GROUP * (n > MOST ? ITEMS : SMALL_ITEMS));
            sort_trial_place(&t, i);
            sort_check(&t);
        }
        XLT_OK(xl_sort_scratch(plan, MOST, &few, &alignment));
        XLT_OK(xl_sort_scratch(plan, MOST + 1, &more, &alignment));
        assert_true(few <= more);
        xl_sort_destroy(plan);
    }
}

static void chunks_from_a_number_on(void **state)
{
    (void)state;
    static const from_row rows[] = {{"sort.radix_from", XL_U32, XL_NONE},
                                    {"sort.radix_wide_from", XL_U64, XL_NONE},
                                    {"sort.radix_pair_from", XL_U64, XL_U32}};
    const xl_tunable tunables[] = {{"sort.shape", 1}};
    xl_sort_desc desc = sort_desc(XL_U32, XL_NONE, XL_ASCENDING, XL_SORT_RADIX);
    desc.tunables = tunables;
    desc.num_tunables = 1;
    xl_sort *plan = sort_plan_by_digits(xlt_context(), &desc, "chunks");
    if (!plan)
        skip_chunks();
    xl_sort_destroy(plan);
    check_from(rows, sizeof rows / sizeof rows[0], 1);
}

/* In three launches a pass, by groups: where messages do not pass, where there are no sub-groups,
 * and where a tuning value says so. Chunks of several tiles, and of less than one. */
static void without_messages(void **state)
{
    (void)state;
    static const struct {
        const char *mask, *tune;
    } ways[] = {{"no-look-back", "sort.radix_bytes = 8\nsort.radix_chunks = 1\n"},
                {"width=1", "sort.radix_bytes = 8\nsort.radix_most = 300\nsort.radix_least = 1\n"},
                {NULL, "sort.sweep = 0\nsort.radix_bytes = 8\nsort.radix_least = 2500\n"}};
    const size_t sizes[] = {0, 1, 2, 255, 256, 257, 511, 513, 1000, 4099, 20011};
    const size_t most = xlt_on_oclgrind() ? 300 : xlt_small() ? 1000 : SIZE_MAX;
    for (size_t w = 0; w < (xlt_on_oclgrind() ? 1 : sizeof ways / sizeof ways[0]); ++w) {
        char tune[200];
        snprintf(tune, sizeof tune, "sort.shape = 0\n%s", ways[w].tune);
        xl_context *ctx = open_context(tune, ways[w].mask);
        /* Of few programs one of each way, as few take longer to compile: u32, u8, f64. */
        const size_t first = xlt_few_programs() ? 3 * w : w;
        for (size_t k = first; k < SORT_KEY_TYPES; k += xlt_few_programs() ? SORT_KEY_TYPES : 1) {
            const xl_sort_desc desc = sort_desc_of_form(k, (k + 2 * w) % 4, XL_SORT_RADIX);
            xl_sort *plan = sort_plan_by_digits(ctx, &desc, tune);
            if (!plan)
                continue;
            sort_trial t = sort_trial_of(&desc, plan, 0, SORT_RANDOM);
            t.what = tune;
            sort_patterns(t, sizes, sizeof sizes / sizeof sizes[0], most);
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_chunks),
        cmocka_unit_test(past_the_caches),
        cmocka_unit_test(lower_bits_decide),
        cmocka_unit_test(every_type_by_sweeps),
        cmocka_unit_test(every_n_of_two_tiles),
        cmocka_unit_test(as_built_in),
        cmocka_unit_test(garbage_in_scratch),
        cmocka_unit_test(late_tiles_again_and_again),
        cmocka_unit_test(one_byte_keys_in_place),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(from_a_number_on),
        cmocka_unit_test(smaller_tiles_of_few_keys),
        cmocka_unit_test(chunks_from_a_number_on),
        cmocka_unit_test(without_messages),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
