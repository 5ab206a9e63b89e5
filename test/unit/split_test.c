/* SPDX-License-Identifier: MIT
 * Exact splitters over places that are threads: every cut against a serial division of all elements,
 * with and without weights, with equal codes, places without elements and parts without elements. */
#define _GNU_SOURCE
#include "xlt.h"

#include <crosslane/split.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 5, MOST_PARTS = 7, MOST_N = 300, MOST_VALUES = 256 * MOST_PARTS };

/* The data that all places share. */
typedef struct exchange {
    pthread_barrier_t barrier;
    unsigned places;
    uint64_t *values[MOST_PLACES];
} exchange;

typedef struct place {
    exchange *all;
    unsigned number;
    xl_split_args args;
    uint64_t codes[MOST_N], weights[MOST_N], cuts[MOST_PARTS + 1];
    unsigned fail_after; /* the call of find that fails, from 1; 0: none */
    unsigned finds, sums;
    bool descends; /* codes to find did not ascend */
    xl_status status;
} place;

static xl_status find(void *user, size_t count, const uint64_t *codes, uint64_t *found)
{
    place *const p = user;
    for (size_t k = 0; k < count; ++k) {
        p->descends |= k > 0 && codes[k] < codes[k - 1];
        for (found[k] = 0; found[k] < p->args.n && p->codes[found[k]] < codes[k];)
            ++found[k];
    }
    return ++p->finds == p->fail_after ? XL_ERROR_OPENCL : XL_SUCCESS;
}

static xl_status weigh(void *user, size_t count, const uint64_t *values, uint64_t *found)
{
    const place *const p = user;
    for (size_t k = 0; k < count; ++k) {
        found[k] = 0;
        for (uint64_t i = 0; i < values[k]; ++i)
            found[k] += p->weights[i];
    }
    return XL_SUCCESS;
}

static xl_status find_weight(void *user, size_t count, const uint64_t *values, uint64_t *found)
{
    const place *const p = user;
    for (size_t k = 0; k < count; ++k) {
        uint64_t weight = 0;
        for (found[k] = 0; found[k] < p->args.n && weight < values[k];)
            weight += p->weights[found[k]++];
    }
    return XL_SUCCESS;
}

static xl_status sum(void *user, int exclusive, size_t count, uint64_t *values)
{
    place *const p = user;
    exchange *const all = p->all;
    uint64_t *const sums = calloc(count, sizeof *sums);
    all->values[p->number] = values;
    ++p->sums;
    pthread_barrier_wait(&all->barrier);
    for (unsigned q = 0; sums && q < (exclusive ? p->number : all->places); ++q)
        for (size_t k = 0; k < count; ++k)
            sums[k] += all->values[q][k];
    pthread_barrier_wait(&all->barrier);
    if (sums)
        memcpy(values, sums, count * sizeof *sums);
    free(sums);
    return sums ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
}

static void *run(void *user)
{
    place *const p = user;
    p->status = xl_split(&p->args);
    return NULL;
}

static int by_code(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct division {
    unsigned places, parts, bits;
    uint64_t distinct; /* codes are below it; 0: any */
    bool weighted;
    size_t most_n;
} division;

static place places[MOST_PLACES];
static uint64_t targets[MOST_PARTS + 1];

static void draw(const division *d, xlt_random *random, exchange *all)
{
    uint64_t total = 0;
    all->places = d->places;
    for (unsigned q = 0; q < d->places; ++q) {
        place *const p = &places[q];
        *p = (place){.all = all, .number = q};
        p->args =
            (xl_split_args){.n = xlt_next(random) % 4 == 0 ? 0 : xlt_next(random) % (d->most_n + 1),
                            .code_bits = d->bits,
                            .num_parts = d->parts,
                            .targets = targets,
                            .user = p,
                            .find = find,
                            .weigh = d->weighted ? weigh : NULL,
                            .find_weight = d->weighted ? find_weight : NULL,
                            .sum = d->places > 1 ? sum : NULL,
                            .cuts = p->cuts};
        for (uint64_t i = 0; i < p->args.n; ++i) {
            const uint64_t x = (uint64_t)xlt_next(random) << 32 ^ xlt_next(random);
            p->codes[i] =
                (d->distinct ? UINT64_MAX - x % d->distinct : x) & UINT64_MAX >> (64 - d->bits);
            p->weights[i] = d->weighted ? 1 + xlt_next(random) % 50 : 1;
            total += p->weights[i];
        }
        qsort(p->codes, p->args.n, sizeof p->codes[0], by_code);
    }
    targets[0] = 0;
    targets[d->parts] = total;
    for (unsigned k = 1; k < d->parts; ++k)
        targets[k] = xlt_next(random) % (total + 1);
    qsort(targets, d->parts + 1, sizeof targets[0], by_code);
}

/* Counts the elements of each place before each part, one element after the other. */
static void divide(const division *d, uint64_t cuts[MOST_PLACES][MOST_PARTS + 1])
{
    uint64_t at[MOST_PLACES] = {0}, weight = 0;
    memset(cuts, 0, MOST_PLACES * sizeof cuts[0]);
    for (;;) {
        unsigned next = MOST_PLACES;
        for (unsigned q = 0; q < d->places; ++q)
            if (at[q] < places[q].args.n &&
                (next == MOST_PLACES || places[q].codes[at[q]] < places[next].codes[at[next]]))
                next = q;
        if (next == MOST_PLACES)
            break;
        for (unsigned k = 0; k <= d->parts; ++k)
            cuts[next][k] += weight < targets[k];
        weight += places[next].weights[at[next]++];
    }
}

/* On a thread for each place. */
static void split(const division *d)
{
    pthread_t threads[MOST_PLACES];
    for (unsigned q = 0; q < d->places; ++q) {
        places[q].args.scratch = malloc(xl_split_scratch(d->parts) + 1);
        assert_non_null(places[q].args.scratch);
    }
    assert_int_equal(pthread_barrier_init(&places[0].all->barrier, NULL, d->places), 0);
    for (unsigned q = 0; q < d->places; ++q)
        assert_int_equal(pthread_create(&threads[q], NULL, run, &places[q]), 0);
    for (unsigned q = 0; q < d->places; ++q)
        assert_int_equal(pthread_join(threads[q], NULL), 0);
    pthread_barrier_destroy(&places[0].all->barrier);
    for (unsigned q = 0; q < d->places; ++q)
        free(places[q].args.scratch);
}

XLT_TEST(cuts)
{
    static const uint64_t distinct[] = {0, 1, 2, 300};
    static const unsigned bits[] = {1, 8, 13, 32, 64};
    uint64_t wanted[MOST_PLACES][MOST_PARTS + 1];
    xlt_random random = {17};
    exchange all;
    for (unsigned round = 0; round < 1000; ++round) {
        const division d = {.places = 1 + round % MOST_PLACES,
                            .parts = 1 + (unsigned)(xlt_next(&random) % MOST_PARTS),
                            .bits = bits[xlt_next(&random) % 5],
                            .distinct = distinct[xlt_next(&random) % 4],
                            .weighted = xlt_next(&random) % 2,
                            .most_n = round % 3 == 0 ? 3 : MOST_N};
        draw(&d, &random, &all);
        divide(&d, wanted);
        split(&d);
        for (unsigned q = 0; q < d.places; ++q) {
            XLT_OK(places[q].status);
            assert_false(places[q].descends);
            assert_true(places[q].sums <= 1 + (d.bits + 7) / 8);
            for (unsigned k = 0; k <= d.parts; ++k)
                if (places[q].cuts[k] != wanted[q][k])
                    XLT_FAIL("round %u, place %u of %u, part %u of %u: %llu, not %llu", round, q,
                             d.places, k, d.parts, (unsigned long long)places[q].cuts[k],
                             (unsigned long long)wanted[q][k]);
        }
    }
}

/* A failed search: the place returns its error, no other one waits or fails. */
XLT_TEST(a_place_fails)
{
    xlt_random random = {18};
    exchange all;
    const division d = {.places = 3, .parts = 4, .bits = 32, .distinct = 300, .most_n = MOST_N};
    for (unsigned fail_after = 1; fail_after <= 6; ++fail_after) {
        do
            draw(&d, &random, &all);
        while (places[1].args.n < 10 || targets[1] == 0);
        places[1].fail_after = fail_after;
        split(&d);
        XLT_OK(places[0].status);
        assert_int_equal(places[1].status, XL_ERROR_OPENCL);
        XLT_OK(places[2].status);
        assert_int_equal(places[0].sums, places[1].sums);
        assert_int_equal(places[0].sums, places[2].sums);
    }
}

static xl_status fail_sum(void *user, int exclusive, size_t count, uint64_t *values)
{
    (void)user, (void)exclusive, (void)count, (void)values;
    return XL_ERROR_MPI;
}

static void refused(const xl_split_args *args, const char *text)
{
    XLT_FAILS(xl_split(args), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(NULL), text);
}

XLT_TEST(refusals)
{
    xlt_random random = {19};
    exchange all;
    uint64_t scratch[4096];
    const division d = {.places = 1, .parts = 3, .bits = 32, .most_n = MOST_N};
    do
        draw(&d, &random, &all);
    while (targets[1] == 0);
    assert_int_equal(xl_split_scratch(0), 0);
    assert_int_equal(xl_split_scratch(1), 0);
    assert_true(xl_split_scratch(3) <= sizeof scratch);
    xl_split_args args = places[0].args;
    refused(NULL, "args: NULL");
    refused(&args, "args.scratch: NULL");
    args.scratch = scratch;
    args.weigh = weigh;
    refused(&args, "args.find_weight: NULL");
    args.weigh = NULL;
    args.find_weight = find_weight;
    refused(&args, "args.weigh: NULL");
    args.find_weight = NULL;
    args.code_bits = 65;
    refused(&args, "args.code_bits: 65; must be 1 to 64");
    args.code_bits = 0;
    refused(&args, "args.code_bits: 0; must be 1 to 64");
    args.code_bits = 32;
    args.num_parts = 0;
    refused(&args, "args.num_parts: 0; must be at least 1");
    args.num_parts = 3;
    const uint64_t falls[] = {0, 2, 1, 3}, late[] = {1, 2, 3, 3};
    args.targets = falls;
    refused(&args, "args.targets[2]: 1; must ascend from 0");
    args.targets = late;
    refused(&args, "args.targets[0]: 1; must ascend from 0");
    args.targets = NULL;
    refused(&args, "args.targets: NULL");
    args.targets = targets;
    args.cuts = NULL;
    refused(&args, "args.cuts: NULL");
    args.cuts = places[0].cuts;
    args.find = NULL;
    refused(&args, "args.find: NULL");
    args.find = find;
    args.sum = fail_sum;
    XLT_FAILS(xl_split(&args), XL_ERROR_MPI);
    args.sum = NULL;
    XLT_OK(xl_split(&args));
}

XLT_MAIN(NULL, NULL)
