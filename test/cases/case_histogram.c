/* SPDX-License-Identifier: MIT
 * A histogram of the case runner, with bins of every kind. */
#include "cases.h"

#include "reference.h"

#include <crosslane/histogram.h>
#include <math.h>
#include <string.h>

enum { IN, LEVELS, WEIGHTS, BINS, LENGTH, ROOM };

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
    desc.counter = counter_of(c)->type;
    desc.weight = weight_of(c) ? weight_of(c)->type : XL_NONE;
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
    if (c->of[FROM])
        desc.load_type = source_of(c)->type;
    return xl_histogram_create(plan->ctx, &desc, &plan->of.array_plan);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const xl_histogram_args args = {.n = case_most(c),
                                    .n_device = array_view(&a[LENGTH]),
                                    .in = array_view(&a[IN]),
                                    .levels = array_view(&a[LEVELS]),
                                    .weights = array_view(&a[WEIGHTS]),
                                    .bins = array_view(&a[BINS]),
                                    .scratch = array_view(&a[ROOM])};
    return xl_histogram_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f),
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

static void make_any(const fuzz_case *c, xlt_random *random, bool level, void *to)
{
    if (!level && c->of[DATA] == ODD && xlt_below(random, 3) == 0)
        make_odd(c, random, to);
    else
        make_one(c, random, to);
}

/* A number of the type that is converted. */
static void make_source(const fuzz_case *c, xlt_random *random, void *to)
{
    const element *source = source_of(c);
    unsigned char value[8] = {0};
    make_any(c, random, false, value);
    if (source->numbers == FLOATING)
        lane_set_number(source, to, lane_number(element_of(c), value));
    else
        memcpy(to, value, source->bytes);
}

/* The element that element i repeats is this many before it; 0: none. */
static size_t repeats(const fuzz_case *c, size_t i)
{
    enum { PERIOD = 4, RUN = 901 };
    switch (c->of[DATA]) {
    case EQUAL:
        return i > 0;
    case SORTED:
        return i >= PERIOD ? PERIOD : 0;
    case REVERSED:
        return i % RUN > 0;
    default:
        return 0;
    }
}

static unsigned char *make_numbers(const fuzz_case *c, size_t n, bool levels)
{
    const size_t bytes = levels ? element_of(c)->bytes : in_bytes_of(c);
    xlt_random random = random_of(c->of[SEED], levels ? 41 : 40);
    unsigned char *numbers = make_bytes(n, bytes);
    for (size_t i = 0; i < n; ++i) {
        unsigned char *const to = numbers + i * bytes;
        const size_t before = levels ? 0 : repeats(c, i);
        if (before > 0)
            memcpy(to, to - before * bytes, bytes);
        else if (!levels && c->of[FROM])
            make_source(c, &random, to);
        else
            make_any(c, &random, levels, to);
    }
    if (levels)
        XLT_TRUE(ref_sort(element_of(c)->type, false, n, numbers, NULL));
    return numbers;
}

/* Weights of one bin whose sum is hard to round: large ones cancel, or it is just above a tie. */
static double hard_weight(const fuzz_case *c, double unit, size_t i)
{
    const bool wide = counter_of(c)->bytes == 8;
    const double tie[] = {1, wide ? 0x1p-53 : 0x1p-24, wide ? 0x1p-100 : 0x1p-40};
    if (c->of[SEED] % 2)
        return i < 3 ? tie[i] : 0;
    return i % 4 < 2 ? (i % 2 ? -0x1p30 : 0x1p30) : ldexp(unit, -10);
}

/* Floating-point weights of many sizes. With ODD some are infinite or NaN, and sums may overflow or
 * be denormal. With EQUAL all are in one bin. */
static double real_weight(const fuzz_case *c, xlt_random *random, size_t i)
{
    static const double odd[] = {3e38, -3e38, 1e-45, -1e-40, -0.0, 1e308, -1e308, 5e-324, 2e-308},
                        special[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const double unit = (double)xlt_unit(random) - 0.25;
    if (c->of[DATA] == EQUAL)
        return hard_weight(c, unit, i);
    if (c->of[DATA] == ZEROS)
        return 0;
    if (c->of[DATA] == MINUS_ZEROS)
        return -0.0;
    if (c->of[DATA] == ODD && xlt_below(random, 50) == 0)
        return special[xlt_below(random, 3)];
    if (c->of[DATA] == ODD && xlt_below(random, 4) == 0)
        return odd[xlt_below(random, 9)];
    return c->of[DATA] == REAL ? unit : ldexp(unit, (int)xlt_below(random, 90) - 45);
}

static unsigned char *make_weights(const fuzz_case *c, size_t n)
{
    const element *e = weight_of(c);
    xlt_random random = random_of(c->of[SEED], 42);
    unsigned char *weights = make_bytes(n, e->bytes);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t bits = xlt_next(&random);
        if (e->numbers == FLOATING)
            lane_set_number(e, weights + i * e->bytes, (long double)real_weight(c, &random, i));
        else
            memcpy(weights + i * e->bytes, &bits, e->bytes);
    }
    return weights;
}

/* ---- expected bins ---------------------------------------------------------------------- */

static uint64_t bin_of(const fuzz_case *c, const ref_histogram *h, const unsigned char *in,
                       size_t i)
{
    unsigned char value[8] = {0};
    if (loads(c))
        set_integer(element_of(c), value, (in[i] + i) % 5);
    else if (c->of[FROM])
        convert_element(c, value, in + i * in_bytes_of(c));
    else
        memcpy(value, in + i * element_of(c)->bytes, element_of(c)->bytes);
    return ref_bin_of(h, value);
}

/* A weight, rounded to the type of the bins. */
static double weight_as_counter(const fuzz_case *c, const unsigned char *weight)
{
    const element *e = weight_of(c);
    const bool wide = counter_of(c)->bytes == 8;
    const uint64_t bits = e->numbers == FLOATING ? 0 : lane_bits(e, weight);
    if (e->numbers == FLOATING) {
        const double x = (double)lane_number(e, weight);
        return wide ? x : (double)(float)x;
    }
    if (e->numbers == SIGNED)
        return wide ? (double)(int64_t)bits : (double)(float)(int64_t)bits;
    return wide ? (double)bits : (double)(float)bits;
}

/* Before the call: numbers from which a sum of 32 bits wraps soon. */
static void set_before(const fuzz_case *c, size_t k, void *bin)
{
    const element *e = counter_of(c);
    const uint64_t bits = UINT32_MAX - (k & 3);
    if (e->numbers == FLOATING)
        lane_set_number(e, bin, (long double)(k & 3) + 0.125L);
    else
        memcpy(bin, &bits, e->bytes);
}

static void add_integers(const fuzz_case *c, const uint64_t *bins, const unsigned char *weights,
                         unsigned char *sums)
{
    const size_t bytes = counter_of(c)->bytes;
    const element *e = weight_of(c);
    for (size_t i = 0; i < c->of[N]; ++i) {
        uint64_t sum = 0;
        if (bins[i] >= c->of[NUM_BINS])
            continue;
        memcpy(&sum, sums + bins[i] * bytes, bytes);
        sum += e ? lane_bits(e, weights + i * e->bytes) : 1;
        memcpy(sums + bins[i] * bytes, &sum, bytes);
    }
}

static int bits_of(uint64_t n)
{
    int bits = 0;
    for (; n > 0; n >>= 1)
        ++bits;
    return bits;
}

/* The weights of each bin, one bin after another, and where each begins. */
static double *by_bin(const fuzz_case *c, const uint64_t *bins, const unsigned char *weights,
                      size_t *begin)
{
    const size_t num = (size_t)c->of[NUM_BINS];
    double *sorted = make_bytes((size_t)c->of[N], sizeof *sorted);
    for (size_t i = 0; i < c->of[N]; ++i)
        if (bins[i] < num)
            ++begin[bins[i] + 2];
    for (size_t k = 2; k <= num; ++k)
        begin[k] += begin[k - 1];
    for (size_t i = 0; i < c->of[N]; ++i)
        if (bins[i] < num)
            sorted[begin[bins[i] + 1]++] = weight_as_counter(c, weights + i * weight_of(c)->bytes);
    return sorted;
}

static void add_reals(const fuzz_case *c, const uint64_t *bins, const unsigned char *weights,
                      unsigned char *sums)
{
    const element *e = counter_of(c);
    const bool wide = e->bytes == 8;
    size_t *begin = make_bytes((size_t)c->of[NUM_BINS] + 2, sizeof *begin);
    double *sorted = by_bin(c, bins, weights, begin);
    for (size_t k = 0; k < c->of[NUM_BINS]; ++k) {
        const size_t n = begin[k + 1] - begin[k];
        if (n == 0)
            continue;
        const double sum = ref_weights_sum(wide, bits_of(c->of[N]), n, sorted + begin[k]),
                     before = (double)lane_number(e, sums + k * e->bytes);
        lane_set_number(e, sums + k * e->bytes,
                        (long double)(wide ? before + sum : (double)((float)before + (float)sum)));
    }
}

static bool both_are_nan(const void *got, const void *wanted, size_t bytes)
{
    const element *e = scalar_number(bytes == 8 ? 5 : 4);
    return isnan(lane_number(e, got)) && isnan(lane_number(e, wanted));
}

static bool is_nan_of_f32(const void *got, const void *wanted)
{
    return both_are_nan(got, wanted, 4);
}

static bool is_nan_of_f64(const void *got, const void *wanted)
{
    return both_are_nan(got, wanted, 8);
}

/* The bins before the call. */
static unsigned char *make_bins(const fuzz_case *c)
{
    const size_t bytes = counter_of(c)->bytes;
    unsigned char *bins = make_bytes((size_t)c->of[NUM_BINS], bytes);
    for (size_t k = 0; c->of[ADDS] && k < c->of[NUM_BINS]; ++k)
        set_before(c, k, bins + k * bytes);
    return bins;
}

static call_array bins_array(const fuzz_case *c, const void *before, const void *after)
{
    const element *e = counter_of(c);
    const size_t n = (size_t)c->of[NUM_BINS], at = (size_t)c->of[OUT_AT];
    call_array bins = c->of[ADDS] ? in_place_array("bins", before, after, n, e->bytes, at)
                                  : output_array("bins", after, n, e->bytes, at);
    if (e->numbers == FLOATING)
        bins.will_do = e->bytes == 8 ? is_nan_of_f64 : is_nan_of_f32;
    return bins;
}

static unsigned char *expected_bins(const fuzz_case *c, const ref_histogram *h,
                                    const unsigned char *in, const unsigned char *weights)
{
    unsigned char *after = make_bins(c);
    uint64_t *bins = make_bytes((size_t)c->of[N], sizeof *bins);
    for (size_t i = 0; i < c->of[N]; ++i)
        bins[i] = bin_of(c, h, in, i);
    (counter_of(c)->numbers == FLOATING ? add_reals : add_integers)(c, bins, weights, after);
    return after;
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const unsigned char *in,
                       const ref_histogram *h)
{
    static const exact_call call = {"xl_histogram_enqueue", enqueue, NULL};
    const element *e = weight_of(c);
    const size_t at = (size_t)c->of[OUT_AT], bytes = element_of(c)->bytes, most = case_most(c);
    const uint64_t count = count_of(c);
    call_array arrays[CALL_ARRAYS] = {{0}};
    size_t scratch = 0;
    unsigned char *weights = e ? make_weights(c, most) : NULL, *before = make_bins(c),
                  *after = expected_bins(c, h, in, weights);
    if (succeeded(
            o, plan->ctx,
            xl_histogram_scratch(plan->of.array_plan, &(xl_histogram_args){.n = most}, &scratch),
            "xl_histogram_scratch")) {
        arrays[IN] = input_array("in", in, most, in_bytes_of(c), (size_t)c->of[IN_AT]);
        arrays[LEVELS] = input_array(h->levels ? "levels" : NULL, h->levels,
                                     (size_t)h->num_bins + 1, bytes, at / 2);
        arrays[WEIGHTS] = input_array(e ? "weights" : NULL, weights, most, e ? e->bytes : 0,
                                      (size_t)c->of[IN_AT] / 2);
        arrays[BINS] = bins_array(c, before, after);
        arrays[LENGTH] = count_array(c, &count);
        arrays[ROOM] = scratch_array(c, scratch);
        run_exact(o, c, plan, &call, arrays);
    }
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
}

const primitive histogram_primitive = {open_histogram, run_histogram, close_array_plan};
