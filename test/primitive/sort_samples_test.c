/* SPDX-License-Identifier: MIT
 * Sorts by samples against the serial reference: every n of small tiles up to where they end, all
 * patterns of keys, which among equal ones are to fill no bucket more than others. */
#include "sort_trial.h"

#include <stdlib.h>
#include <string.h>

/* Where both sizes are to be one, the larger is as small as can be. */
#define MOST                                                                                       \
    "sort.shape = 0\nsort.sample_most = 100000\nsort.sample_wide_most = 100000\n"                  \
    "sort.sample_pair_most = 100000\n"
#define ONE "sort.sample_large_group_log = 1\nsort.sample_large_items_log = 1\n"

/* `most`: elements that are sorted this way. */
static const struct {
    const char *tuning, *mask;
    size_t most;
} shapes[] = {
    {MOST ONE "sort.sample_group_log = 5\nsort.sample_items_log = 1\n", NULL, 64 * 16},
    {MOST ONE "sort.sample_group_log = 3\nsort.sample_items_log = 1\n", NULL, 16 * 4},
    {MOST ONE "sort.sample_group_log = 6\nsort.sample_items_log = 3\n", "width=1", 512 * 32},
    {MOST "sort.sample_group_log = 4\nsort.sample_items_log = 2\nsort.sample_runs = 4\n"
          "sort.sample_large_group_log = 5\nsort.sample_large_items_log = 2\n"
          "sort.sample_large_from = 300\n",
     NULL, 128 * 16},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], FORMS = 8 };

/* Pairs and keys alone, of all sizes, stable or not, and places that the sort makes. */
static xl_sort_desc desc_of(size_t form)
{
    static const xl_type keys[FORMS] = {XL_U32, XL_U32, XL_U64, XL_F32,
                                        XL_U8,  XL_F64, XL_I16, XL_U32};
    xl_sort_desc desc = sort_desc(keys[form], form % 3 == 1 ? XL_NONE : XL_U32,
                                  form % 2 ? XL_DESCENDING : XL_ASCENDING, XL_SORT_AUTO);
    desc.stable = form == 3 || form == 0;
    if (form == 6)
        desc.value = XL_SORT_INDICES;
    return desc;
}

static void check_at(const xl_sort_desc *desc, xl_sort *plan, const char *what, size_t n, size_t i)
{
    sort_trial t = sort_trial_of(desc, plan, n, (sort_pattern)(i % SORT_PATTERNS));
    t.what = what;
    t.offset = i % 5;
    t.own_scratch = i % 3 == 0;
    if (desc->value != XL_SORT_INDICES)
        sort_trial_place(&t, i / SORT_PATTERNS);
    sort_check(&t);
}

static bool takes_samples(const xl_sort *plan, size_t n)
{
    xl_plan_info info;
    XLT_OK(xl_sort_info(plan, n, &info));
    return strcmp(info.algorithm, "samples") == 0;
}

static void every_n(void **state)
{
    (void)state;
    size_t i = 0;
    for (size_t s = 0; s < (xlt_few_programs() ? 2 : SHAPES); ++s) {
        xl_context *ctx = open_context(shapes[s].tuning, shapes[s].mask);
        for (size_t form = 0; form < FORMS; ++form) {
            if ((xlt_few_programs() && form % 2 != s) || (xlt_small() && form != 3 * s))
                continue;
            const xl_sort_desc desc = desc_of(form);
            xl_sort *plan = sort_plan(ctx, &desc, shapes[s].tuning);
            const size_t most = shapes[s].most;
            assert_true(takes_samples(plan, most) && !takes_samples(plan, most + 1));
            const size_t parts = xlt_on_oclgrind() ? 6 : xlt_few_programs() ? 13 : 97;
            const size_t step = most < parts ? 1 : most / parts;
            for (size_t n = 0; n <= most; n += n < 20 && !xlt_on_oclgrind() ? 1 : step)
                check_at(&desc, plan, shapes[s].tuning, n, i++);
            for (size_t p = 0; p < (xlt_on_oclgrind() ? 2 : SORT_PATTERNS); ++p)
                check_at(&desc, plan, shapes[s].tuning, most - p % 2, SORT_FALLING + p);
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* Runs that are shorter than a group can hold, for more groups to have one. */
static void short_runs(void **state)
{
    (void)state;
    static const size_t sizes[] = {2049, 3072, 5000, 16384, 16385, 65536, 99999};
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    xl_context *ctx =
        open_context(MOST ONE "sort.sample_group_log = 8\nsort.sample_items_log = 3\n", NULL);
    for (size_t form = 0; form < (xlt_few_programs() ? 1 : 2); ++form) {
        const xl_sort_desc desc = desc_of(form);
        xl_sort *plan = sort_plan(ctx, &desc, "short runs");
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
            for (size_t p = k % 3; p < SORT_PATTERNS; p += xlt_few_programs() ? 3 : 1)
                check_at(&desc, plan, "short runs", sizes[k], k * SORT_PATTERNS + p);
        xl_sort_destroy(plan);
    }
    xl_context_destroy(ctx);
}

/* Fewer elements than the host knows of, whose number stands on the device. */
static void fewer_on_the_device(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const uint64_t lengths[] = {0, 1, 63, 64, 65, 500, 999, 1000, 77777};
    const xl_sort_desc desc = desc_of(0);
    xl_context *ctx = open_context(shapes[0].tuning, NULL);
    xl_sort *plan = sort_plan(ctx, &desc, "n on the device");
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
        const size_t n = lengths[k] < N ? (size_t)lengths[k] : N;
        uint32_t keys[N], values[N], sorted[N], got[N];
        sort_fill(keys, SORT_FEW_DISTINCT, XL_U32, N, k);
        for (size_t i = 0; i < N; ++i)
            values[i] = (uint32_t)i;
        memcpy(sorted, keys, sizeof keys);
        assert_true(ref_sort(XL_U32, false, n, sorted, NULL));
        xlt_buffer key = xlt_buffer_make(keys, N, 4, 0), value = xlt_buffer_make(values, N, 4, 0);
        xlt_buffer length = xlt_buffer_make(&lengths[k], 1, 8, 0);
        const xl_sort_args args = {.n = N,
                                   .keys_in = xlt_view(&key),
                                   .keys_out = xlt_view(&key),
                                   .values_in = xlt_view(&value),
                                   .values_out = xlt_view(&value),
                                   .n_device = xlt_view(&length)};
        ok(ctx, xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), "n on the device");
        xlt_read(&key, got);
        assert_memory_equal(got, sorted, sizeof sorted);
        xlt_read(&value, got);
        for (size_t i = 0; i < N; ++i)
            assert_true(keys[got[i]] == sorted[i]);
        xlt_buffer_free(&key);
        xlt_buffer_free(&value);
        xlt_buffer_free(&length);
    }
    xl_sort_destroy(plan);
    xl_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_n),
        cmocka_unit_test(short_runs),
        cmocka_unit_test(fewer_on_the_device),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
