/* SPDX-License-Identifier: MIT
 * A histogram of the case runner, with bins of every kind. */
#include "cases.h"

#include "reference.h"

#include <crosslane/histogram.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN, LEVELS, BINS, LENGTH, ROOM };

static bool loads(const fuzz_case *c)
{
    return c->of[MAP] == MAP_LOAD;
}

/* Bounds of even bins, which the plan has: of integers in the type's range. */
static int64_t least_of(const fuzz_case *c)
{
    const element *e = element_of(c);
    if (e->numbers == UNSIGNED)
        return e->bytes == 8 ? 3 : 1;
    return e->bytes == 8 ? -((int64_t)1 << 40) : -50;
}

static int64_t past_of(const fuzz_case *c)
{
    return element_of(c)->bytes == 8 ? INT64_MAX / 3 : element_of(c)->bytes == 4 ? 70001 : 120;
}

static ref_histogram describe(const fuzz_case *c)
{
    const bool even = c->of[BINNING] == XL_HISTOGRAM_EVEN,
               real = element_of(c)->numbers == FLOATING;
    return (ref_histogram){.kind = (ref_bins)c->of[BINNING],
                           .type = element_of(c)->type,
                           .num_bins = c->of[NUM_BINS],
                           .lower = even && real ? -3.25 : 0,
                           .upper = even && real ? 11 : 0,
                           .lower_integer = even && !real ? least_of(c) : 0,
                           .upper_integer = even && !real ? past_of(c) : 0};
}

static xl_status open_histogram(const fuzz_case *c, open_plan *plan)
{
    const ref_histogram h = describe(c);
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.kind = (uint32_t)c->of[BINNING];
    desc.type = h.type;
    desc.counter = c->of[COUNTER] ? XL_U64 : XL_U32;
    desc.accumulate = (uint32_t)c->of[ADDS];
    desc.num_bins = h.num_bins;
    desc.lower = h.lower;
    desc.upper = h.upper;
    desc.lower_integer = h.lower_integer;
    desc.upper_integer = h.upper_integer;
    if (loads(c)) {
        desc.load = MAP_LOAD_TEXT;
        desc.load_type = XL_U8;
    }
    return xl_histogram_create(plan->ctx, &desc, &plan->of.histogram);
}

static void close_histogram(open_plan *plan)
{
    xl_plan_destroy(plan->of.histogram);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const xl_histogram_args args = {.n = case_most(c),
                                    .n_device = array_view(&a[LENGTH]),
                                    .in = array_view(&a[IN]),
                                    .levels = array_view(&a[LEVELS]),
                                    .bins = array_view(&a[BINS]),
                                    .scratch = array_view(&a[ROOM])};
    return xl_histogram_enqueue(plan->of.histogram, f->queue, &args, num_waits(f), waits(f),
                                f->event);
}

/* ---- what goes in ---------------------------------------------------------------------------- */

static void set_integer(const element *e, void *to, uint64_t x)
{
    if (e->numbers == FLOATING)
        lane_set_number(e, to, (long double)(int64_t)x);
    else
        memcpy(to, &x, e->bytes); /* the least byte first, as on every host we know */
}

/* A number in the bins or near them. */
static void make_one(const fuzz_case *c, xlt_random *random, void *to)
{
    const element *e = element_of(c);
    const ref_histogram h = describe(c);
    const double part = 1.4 * (double)xlt_unit(random) - 0.2;
    if (c->of[BINNING] == XL_HISTOGRAM_KEYS)
        set_integer(e, to, xlt_below(random, (uint32_t)h.num_bins + (uint32_t)h.num_bins / 4 + 2));
    else if (c->of[BINNING] == XL_HISTOGRAM_LEVELS)
        set_integer(e, to, xlt_below(random, 2 * (uint32_t)h.num_bins + 9) - 4);
    else if (e->numbers == FLOATING)
        lane_set_number(e, to, (long double)(h.lower + part * (h.upper - h.lower)));
    else
        set_integer(e, to,
                    (uint64_t)((double)h.lower_integer +
                               part * (double)(h.upper_integer - h.lower_integer)));
}

static void make_odd(const fuzz_case *c, xlt_random *random, void *to)
{
    const ref_histogram h = describe(c);
    const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0, 0,
                          h.lower,     h.upper};
    const element *e = element_of(c);
    const uint64_t any = xlt_next(random);
    if (e->numbers == FLOATING)
        lane_set_number(e, to, (long double)odd[xlt_below(random, 7)]);
    else
        memcpy(to, &any, e->bytes);
}

static unsigned char *make_numbers(const fuzz_case *c, size_t n, bool levels)
{
    const size_t bytes = element_of(c)->bytes;
    xlt_random random = random_of(c->of[SEED], levels ? 41 : 40);
    unsigned char *numbers = make_bytes(n, bytes);
    for (size_t i = 0; i < n; ++i) {
        unsigned char *const to = numbers + i * bytes;
        if (!levels && c->of[DATA] == EQUAL && i > 0)
            memcpy(to, numbers, bytes);
        else if (!levels && c->of[DATA] == ODD && xlt_below(&random, 3) == 0)
            make_odd(c, &random, to);
        else
            make_one(c, &random, to);
    }
    if (levels)
        XLT_TRUE(ref_sort(element_of(c)->type, false, n, numbers, NULL));
    return numbers;
}

/* ---- expected counts -------------------------------------------------------------------- */

static void count_one(const fuzz_case *c, const ref_histogram *h, const unsigned char *in, size_t i,
                      uint64_t *bins)
{
    unsigned char value[8] = {0};
    if (loads(c))
        set_integer(element_of(c), value, (in[i] + i) % 5);
    else
        memcpy(value, in + i * element_of(c)->bytes, element_of(c)->bytes);
    const uint64_t bin = ref_bin_of(h, value);
    if (bin < h->num_bins)
        ++bins[bin];
}

/* Counters as they are before and after. */
static void *make_bins(const fuzz_case *c, const uint64_t *counts)
{
    const size_t bytes = c->of[COUNTER] ? 8 : 4;
    unsigned char *bins = make_bytes((size_t)c->of[NUM_BINS], bytes);
    for (size_t k = 0; k < c->of[NUM_BINS]; ++k) {
        const uint64_t x = (c->of[ADDS] ? UINT32_MAX - (k & 3) : 0) + (counts ? counts[k] : 0);
        memcpy(bins + k * bytes, &x, bytes);
    }
    return bins;
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const unsigned char *in,
                       const ref_histogram *h)
{
    static const exact_call call = {"xl_histogram_enqueue", enqueue, NULL};
    const size_t bins = (size_t)c->of[NUM_BINS], at = (size_t)c->of[OUT_AT],
                 bytes = element_of(c)->bytes;
    const uint64_t count = count_of(c);
    uint64_t *counts = make_bytes(bins, sizeof *counts);
    call_array arrays[CALL_ARRAYS] = {{0}};
    size_t scratch = 0;
    for (size_t i = 0; i < c->of[N]; ++i)
        count_one(c, h, in, i, counts);
    void *before = make_bins(c, NULL), *after = make_bins(c, counts);
    if (succeeded(o, plan->ctx,
                  xl_histogram_scratch(plan->of.histogram, &(xl_histogram_args){.n = case_most(c)},
                                       &scratch),
                  "xl_histogram_scratch")) {
        arrays[IN] = input_array("in", in, case_most(c), in_bytes_of(c), (size_t)c->of[IN_AT]);
        arrays[LEVELS] =
            input_array(h->levels ? "levels" : NULL, h->levels, bins + 1, bytes, at / 2);
        arrays[BINS] = c->of[ADDS]
                           ? in_place_array("bins", before, after, bins, c->of[COUNTER] ? 8 : 4, at)
                           : output_array("bins", after, bins, c->of[COUNTER] ? 8 : 4, at);
        arrays[LENGTH] = count_array(c, &count);
        arrays[ROOM] = scratch_array(c, scratch);
        run_exact(o, c, plan, &call, arrays);
    }
    free(before);
    free(after);
    free(counts);
}

static void run_histogram(const fuzz_case *c, open_plan *plan, outcome *o)
{
    ref_histogram h = describe(c);
    unsigned char *in =
                      loads(c) ? make_input(c, case_most(c)) : make_numbers(c, case_most(c), false),
                  *levels = NULL;
    if (c->of[BINNING] == XL_HISTOGRAM_LEVELS)
        h.levels = levels = make_numbers(c, (size_t)c->of[NUM_BINS] + 1, true);
    run_arrays(c, plan, o, in, &h);
    free(levels);
    free(in);
}

const primitive histogram_primitive = {open_histogram, run_histogram, close_histogram};
