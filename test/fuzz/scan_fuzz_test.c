/* SPDX-License-Identifier: MIT
 * Scans and reductions made of four numbers, against the serial reference.
 *
 *   scan_fuzz_test                    the cases of corpus.txt
 *   scan_fuzz_test --random N [SEED]  N cases made from a seed, which is printed
 *   scan_fuzz_test N OFFSETS BITS SEED  one case, as a failure prints it */
#include "reduce_support.h"
#include "scan_users.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct numbers {
    uint64_t n, offsets, bits, seed;
} numbers;

/* Takes a choice of `count` from the number. */
static uint64_t choose(uint64_t *bits, uint64_t count)
{
    const uint64_t chosen = *bits % count;
    *bits /= count;
    return chosen;
}

/* What the bits of a case say. */
typedef struct recipe {
    job j;
    bool reduces;
    unsigned tuning;
    bool in_place, own_scratch, cut;
} recipe;

static const char *const tunings[] = {
    NULL,
    "scan.tile_bytes = 512\nscan.item_bytes = 16\nscan.group_size = 32\nscan.hold_back = 5\n"
    "reduce.run_elements = 256\n",
    "scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\nscan.spin_limit = 2\n"
    "reduce.serial = 0\nreduce.group_size = 32\nreduce.whole_size = 32\nreduce.part_groups = 3\n",
    "scan.shape = 0\nscan.tile_bytes = 256\nscan.run_elements = 1024\nscan.run_groups = 64\n"
    "reduce.serial = 1\nreduce.run_elements = 256\n",
};
enum { NUM_TUNINGS = sizeof tunings / sizeof tunings[0] };

static const xl_type vectors[] = {XL_U8X3, XL_I16X2, XL_F32X4, XL_U32X3, XL_I64X2};

/* Type and operator: a built-in one, a vector, or one of the user's. */
static void choose_element(recipe *r, uint64_t *bits)
{
    const uint64_t t = choose(bits, 16 + NUM_USER_CASES), o = choose(bits, 9);
    const xl_scan_kind kind = choose(bits, 2) ? XL_INCLUSIVE : XL_EXCLUSIVE;
    const bool init = choose(bits, 2), place = r->reduces && o >= 7 && t < 11;
    if (t >= 16) {
        const user_case *c = &user_cases[t - 16];
        user_case_make(&r->j, c, r->reduces ? XL_INCLUSIVE : kind,
                       c->init && (init || !c->op->identity));
        return;
    }
    const xl_type type = t < 11 ? (xl_type)(XL_I8 + t) : vectors[t % 5];
    xl_op op = place ? (xl_op)(XL_ARG_MIN + o - 7) : (xl_op)(XL_SUM + o % 7);
    if (!place && !xli_ref_op_of((xl_type)((unsigned)type & 0xff), op))
        op = XL_SUM;
    job_make(&r->j, "", type, op, r->reduces ? XL_INCLUSIVE : kind,
             init && !place ? odd_init(type) : NULL);
    if (place) {
        r->j.ref.out_bytes = 8;
        r->j.out_type = XL_U64;
    }
}

static void choose_segments(recipe *r, uint64_t *bits, uint64_t seed)
{
    static const xl_segments kinds[] = {
        XL_SEGMENTS_NONE,    XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_HEAD_BITS, XL_SEGMENTS_KEYS,
        XL_SEGMENTS_OFFSETS, XL_SEGMENTS_OFFSETS,    XL_SEGMENTS_WIDTH,     XL_SEGMENTS_MASK};
    xl_scan_desc *desc = &r->j.desc;
    desc->segments = kinds[choose(bits, 8)];
    const uint64_t type = choose(bits, 8);
    r->j.pattern = (pattern)choose(bits, NUM_PATTERNS);
    const uint64_t width = choose(bits, 64) + 1;
    if (desc->segments == XL_SEGMENTS_KEYS)
        desc->segment_type = (xl_type)(XL_I8 + type);
    if (desc->segments == XL_SEGMENTS_OFFSETS)
        desc->segment_type = type % 2 ? XL_U64 : XL_U32;
    if (desc->segments == XL_SEGMENTS_WIDTH)
        desc->segment_width = type > 4 ? 97 * width : width;
    if (desc->segments == XL_SEGMENTS_MASK) {
        desc->segment_width = width;
        desc->segment_mask = seed * 0x9e3779b97f4a7c15u;
    }
}

static void cook(recipe *r, const numbers *from)
{
    uint64_t bits = from->bits;
    memset(r, 0, sizeof *r);
    r->reduces = choose(&bits, 3) == 0;
    r->tuning = (unsigned)choose(&bits, NUM_TUNINGS);
    choose_element(r, &bits);
    choose_segments(r, &bits, from->seed);
    r->j.desc.algorithm = (xl_scan_algorithm)choose(&bits, 5);
    r->j.desc.determinism = (xl_determinism)choose(&bits, 3);
    r->in_place = choose(&bits, 2);
    r->own_scratch = choose(&bits, 2);
    r->cut = choose(&bits, 2);
    r->j.seed = from->seed;
}

static xl_context *contexts[NUM_TUNINGS];

static void run_scan(xl_context *ctx, const recipe *r, const numbers *from)
{
    xl_scan *plan = NULL;
    const placing place = {from->offsets % 8, from->offsets / 8 % 8, r->in_place, r->own_scratch};
    const xl_status status =
        job_ends_the_process(&r->j) ? XL_ERROR_UNSUPPORTED : xl_scan_create(ctx, &r->j.desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED)
        return; /* an algorithm or a type that this device, or this operator, does not take */
    ok(ctx, status, r->j.what);
    job_check(ctx, plan, &r->j, (size_t)from->n, place);
    xl_scan_destroy(plan);
}

/* Its name is in messages as the four numbers. */
static void run_case(const numbers *from)
{
    recipe r;
    char what[128];
    cook(&r, from);
    snprintf(what, sizeof what, "case %" PRIu64 " %" PRIu64 " 0x%" PRIx64 " %" PRIu64, from->n,
             from->offsets, from->bits, from->seed);
    r.j.what = what;
    if (!contexts[r.tuning])
        contexts[r.tuning] = open_context(tunings[r.tuning], NULL);
    xl_context *ctx = contexts[r.tuning];
    if (!r.reduces) {
        run_scan(ctx, &r, from);
        return;
    }
    xl_reduce *plan = reduce_plan(ctx, &r.j);
    if (plan)
        reduce_check(ctx, plan, &r.j, (size_t)from->n, r.cut);
    xl_reduce_destroy(plan);
}

/* ---- the corpus -------------------------------------------------------------------- */

static void corpus(void **state)
{
    (void)state;
    char line[256];
    size_t count = 0;
    FILE *file = fopen(XLT_FUZZ_CORPUS, "r");
    if (!file)
        XLT_FAIL("no %s", XLT_FUZZ_CORPUS);
    while (fgets(line, sizeof line, file)) {
        numbers c;
        if (sscanf(line, "%" SCNu64 " %" SCNu64 " 0x%" SCNx64 " %" SCNu64, &c.n, &c.offsets,
                   &c.bits, &c.seed) != 4)
            continue; /* a comment */
        ++count;
        if (xlt_small() && (c.n > 1000 || count % 4 != 0))
            continue;
        run_case(&c);
    }
    fclose(file);
    assert_true(count > 0);
}

/* ---- by chance ------------------------------------------------------------------------- */

static uint64_t how_many, first_seed;

/* Sizes near powers of two and of a few tiles, more small ones than large. */
static uint64_t any_size(xlt_random *random)
{
    const uint32_t power = xlt_below(random, xlt_small() ? 9 : 16);
    const uint64_t n = ((uint64_t)1 << power) + xlt_below(random, 3);
    return xlt_below(random, 2) ? n - 1 : xlt_below(random, (uint32_t)n * 2);
}

static void by_chance(void **state)
{
    (void)state;
    xlt_random random = {first_seed};
    for (uint64_t k = 0; k < how_many; ++k) {
        const numbers c = {any_size(&random), xlt_below(&random, 64), xlt_next(&random) >> 4,
                           xlt_next(&random) >> 40};
        run_case(&c);
    }
}

static numbers the_case;

static void one_case(void **state)
{
    (void)state;
    run_case(&the_case);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest replay[] = {cmocka_unit_test(corpus)};
    const struct CMUnitTest random[] = {cmocka_unit_test(by_chance)};
    const struct CMUnitTest one[] = {cmocka_unit_test(one_case)};
    int failed;
    if (argc > 2 && strcmp(argv[1], "--random") == 0) {
        how_many = strtoull(argv[2], NULL, 0);
        first_seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)time(NULL);
        printf("%" PRIu64 " cases from seed %" PRIu64 "\n", how_many, first_seed);
        failed = cmocka_run_group_tests(random, NULL, NULL);
    } else if (argc > 4) {
        the_case = (numbers){strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0),
                             strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0)};
        failed = cmocka_run_group_tests(one, NULL, NULL);
    } else {
        failed = cmocka_run_group_tests(replay, NULL, NULL);
    }
    for (size_t t = 0; t < NUM_TUNINGS; ++t)
        xl_context_destroy(contexts[t]);
    xlt_finish();
    return failed;
}
