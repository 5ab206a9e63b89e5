/* SPDX-License-Identifier: MIT
 * Bitonic sorts that are asked to leave equal keys in order: every n up to two tiles, in both
 * shapes, of values and of indices. */
#include "sort_trial.h"

#include <stdio.h>
#include <string.h>

static const struct shape {
    const char *tuning, *mask;
} shapes[] = {
    {"sort.shape = 0\nsort.group_log = 5\nsort.items_log = 1\n", NULL},
    {"sort.shape = 1\nsort.serial_tile_log = 4\n", NULL},
    {"sort.shape = 0\nsort.group_log = 6\nsort.items_log = 2\n", "width=1"},
    {"sort.shape = 0\nsort.group_log = 6\nsort.items_log = 3\n", NULL},
    {"sort.shape = 1\nsort.serial_tile_log = 7\n", NULL},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static const sort_pattern patterns[] = {SORT_FEW_DISTINCT, SORT_ALL_EQUAL, SORT_ONE_BIT,
                                        SORT_ALL_ONES, SORT_RANDOM};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* Keys of every type, of which many are equal, with values or their places in turn. */
static xl_sort_desc desc_of(size_t k, bool indices, xl_sort_algorithm algorithm)
{
    xl_sort_desc desc = sort_desc(sort_key_types[k], indices ? XL_SORT_INDICES : XL_U32,
                                  k % 2 ? XL_DESCENDING : XL_ASCENDING, algorithm);
    desc.stable = 1;
    return desc;
}

static sort_trial trial_of(const xl_sort_desc *desc, xl_sort *plan, const char *what)
{
    sort_trial t = sort_trial_of(desc, plan, 0, SORT_FEW_DISTINCT);
    t.what = what;
    return t;
}

/* In place where the form allows that: values that are made have no place of before. */
static void check_at(sort_trial t, size_t n, size_t i)
{
    t.n = n;
    t.pattern = patterns[i % PATTERNS];
    t.own_scratch = i % 3 == 0;
    sort_trial_place(&t, t.desc->value == XL_SORT_INDICES ? 2 * (i / PATTERNS) % 4 : i / PATTERNS);
    sort_check(&t);
}

static void every_n_of_two_tiles(void **state)
{
    (void)state;
    for (size_t s = 0; s < (xlt_few_programs() ? 2 : SHAPES); ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        for (size_t i = 0; i < 2 * SORT_KEY_TYPES; ++i) {
            if (xlt_small() || xlt_few_programs() ? i % 11 != s : false)
                continue;
            const xl_sort_desc desc = desc_of(i / 2, i % 2, XL_SORT_BITONIC);
            xl_sort *plan = sort_plan(ctx, &desc, shapes[s].tuning);
            const size_t tile = sort_tile(plan, 1), step = xlt_on_oclgrind() ? tile / 3 : 1;
            for (size_t n = 0; n <= 2 * tile; n += tile > 100 && n > 3 ? step + 6 : step)
                for (size_t p = 0; p < (tile > 100 ? 2 : PATTERNS); ++p)
                    check_at(trial_of(&desc, plan, shapes[s].tuning), n, n * PATTERNS + p);
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* As built in, and whatever is taken: many tiles. */
static void many_tiles(void **state)
{
    (void)state;
    static const xl_sort_algorithm algorithms[] = {XL_SORT_BITONIC, XL_SORT_AUTO};
    for (size_t i = 0; i < 4; ++i) {
        const xl_sort_desc desc = desc_of(i < 2 ? 0 : 2, i % 2, algorithms[i % 2]);
        xl_sort *plan = sort_plan(xlt_context(), &desc, "as it is");
        const size_t tile = sort_tile(plan, 1);
        const size_t sizes[] = {tile, tile + 1, 2 * tile, 5 * tile + 3, 37 * tile - 1};
        for (size_t k = 0; k < (xlt_on_oclgrind() ? 0 : xlt_small() ? 3 : 5); ++k)
            for (size_t p = 0; p < PATTERNS; ++p)
                check_at(trial_of(&desc, plan, "as it is"), sizes[k], k * PATTERNS + p);
        xl_sort_destroy(plan);
    }
}

/* Keys by themselves are the same program either way. */
static void keys_alone(void **state)
{
    (void)state;
    xl_sort_desc desc = sort_desc(XL_F32, XL_NONE, XL_ASCENDING, XL_SORT_BITONIC);
    desc.stable = 1;
    xl_sort *plan = sort_plan(xlt_context(), &desc, "keys alone");
    for (size_t n = 0; n < 200; n += 33)
        check_at(trial_of(&desc, plan, "keys alone"), n, n);
    xl_sort_destroy(plan);
}

/* A truth value: any other number than 0 is as good as 1. */
static void any_number(void **state)
{
    (void)state;
    xl_sort_desc desc = sort_desc(XL_F32, XL_U32, XL_ASCENDING, XL_SORT_BITONIC);
    desc.stable = 1u << 31;
    xl_sort *plan = sort_plan(xlt_context(), &desc, "any number");
    check_at(trial_of(&desc, plan, "any number"), 777, 1);
    xl_sort_destroy(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_n_of_two_tiles),
        cmocka_unit_test(many_tiles),
        cmocka_unit_test(keys_alone),
        cmocka_unit_test(any_number),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
