/* SPDX-License-Identifier: MIT
 * A transform of the case runner: maps, gathers, scatters, and functions of neighbours. */
#include "cases.h"

#include "reference.h"

#include <crosslane/transform.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IN, PLACES = IN + XL_TRANSFORM_ARRAYS, OUT, LENGTH = OUT + XL_TRANSFORM_ARRAYS, ROOM };

static bool moves(const fuzz_case *c)
{
    return c->of[MOVE] == XL_TRANSFORM_GATHER || c->of[MOVE] == XL_TRANSFORM_SCATTER;
}

static size_t count_arrays(const fuzz_case *c)
{
    return 1 + (size_t)c->of[ARRAYS];
}

/* Further inputs of a map are integers; a gather and a scatter move elements of any size. */
static xl_type type_of(const fuzz_case *c, size_t k)
{
    static const xl_type of_maps[] = {XL_NONE, XL_U16, XL_U32, XL_I8},
                         of_moves[] = {XL_NONE, XL_U16, XL_F32X4, XL_I64};
    return k == 0 ? element_of(c)->type : (moves(c) ? of_moves : of_maps)[k];
}

static size_t bytes_of(const fuzz_case *c, size_t k)
{
    return k == 0 ? element_of(c)->bytes : xl_type_size(type_of(c, k));
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void write_map(const fuzz_case *c, char *text, size_t room)
{
    static const char *const first[] = {"(ulong)(x & 7) + i", "(ulong)(x > 0) + i", "i"},
                             *const more[] = {"", " + (ulong)y * 3", " + (ulong)y * 3 + z",
                                              " + (ulong)y * 3 + z + (ulong)(w & 1)"};
    snprintf(text, room, "%s%s", first[kind_of(c)], more[c->of[ARRAYS]]);
}

static xl_status open_transform(const fuzz_case *c, open_plan *plan)
{
    char text[160];
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.kind = (uint32_t)c->of[MOVE];
    desc.num_arrays = (uint32_t)count_arrays(c);
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k)
        desc.types[k] = k < count_arrays(c) ? type_of(c, k) : XL_NONE;
    desc.user_types[0] = element_of(c)->user_type;
    if (moves(c))
        desc.index_type = c->of[INDEX] ? XL_U32 : XL_U64;
    write_map(c, text, sizeof text);
    if (c->of[TEXT] && c->of[MOVE] == XL_TRANSFORM_MAP)
        desc.out_type = XL_U64;
    if (c->of[TEXT])
        desc.expression = c->of[MOVE] == XL_TRANSFORM_MAP ? text
                          : kind_of(c) == INTEGERS        ? "(x & 7) + (p & 7)"
                                                          : "p";
    return xl_transform_create(plan->ctx, &desc, &plan->of.array_plan);
}

/* ---- the call -------------------------------------------------------------------------------- */

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    xl_transform_args args = {.n = case_most(c),
                              .n_device = array_view(&a[LENGTH]),
                              .range = moves(c) ? (size_t)c->of[OTHER] : 0,
                              .indices = array_view(&a[PLACES]),
                              .scratch = array_view(&a[ROOM])};
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k) {
        args.in[k] = array_view(&a[IN + k]);
        args.out[k] = array_view(&a[OUT + k]);
    }
    if (c->of[PLACE])
        args.out[0] = args.in[0];
    return xl_transform_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f),
                                f->event);
}

/* ---- inputs ---------------------------------------------------------------------------- */

static unsigned char *make_array(const fuzz_case *c, size_t k, size_t n)
{
    const size_t bytes = n * bytes_of(c, k);
    xlt_random random = random_of(c->of[SEED], 50 + k);
    if (k == 0)
        return make_input(c, n);
    unsigned char *array = make_bytes(n, bytes_of(c, k));
    for (size_t i = 0; i < bytes; ++i)
        array[i] = (unsigned char)xlt_next(&random);
    return array;
}

/* Some that are not below the range; of a scatter no two that are and are equal. */
static uint64_t *make_places(const fuzz_case *c, size_t n)
{
    const uint64_t range = c->of[OTHER];
    xlt_random random = random_of(c->of[SEED], 55);
    uint64_t *places = make_bytes(n, sizeof *places);
    const uint64_t step = 1 + 2 * (uint64_t)xlt_below(&random, 4);
    for (size_t i = 0; i < n; ++i)
        if (xlt_below(&random, 16) == 0)
            places[i] = range + (c->of[INDEX] ? xlt_below(&random, 1000) : xlt_next(&random) >> 2);
        else if (c->of[MOVE] == XL_TRANSFORM_GATHER)
            places[i] = xlt_below(&random, (uint32_t)range + 1);
        else
            places[i] = c->of[DATA] == REVERSED && i < range ? range - 1 - i : i * step;
    return places;
}

static void *encode_places(const fuzz_case *c, const uint64_t *places, size_t n)
{
    const size_t bytes = c->of[INDEX] ? 4 : 8;
    unsigned char *array = make_bytes(n, bytes);
    for (size_t i = 0; i < n; ++i)
        memcpy(array + i * bytes, &places[i], bytes);
    return array;
}

/* ---- expected results -------------------------------------------------------------------- */

static uint64_t mapped(const fuzz_case *c, unsigned char *const in[XL_TRANSFORM_ARRAYS], size_t i)
{
    const element *e = element_of(c);
    const unsigned char *const x = in[0] + i * e->bytes;
    uint16_t y;
    uint32_t z;
    uint64_t sum = i;
    if (kind_of(c) == INTEGERS)
        sum += lane_bits(e, x) & 7;
    else if (kind_of(c) == FLOATS)
        sum += lane_number(e, x) > 0;
    if (c->of[ARRAYS] > 0)
        sum += 3 * (uint64_t)(memcpy(&y, in[1] + i * 2, 2), y);
    if (c->of[ARRAYS] > 1)
        sum += (memcpy(&z, in[2] + i * 4, 4), z);
    return sum + (c->of[ARRAYS] > 2 ? in[3][i] & 1 : 0);
}

/* x - p in one lane. The difference of two halves is exact in a double, so it is rounded once. */
static void subtract(const element *e, unsigned char *to, const unsigned char *x,
                     const unsigned char *p)
{
    if (e->numbers == FLOATING) {
        const double a = (double)lane_number(e, x), b = (double)lane_number(e, p);
        lane_set_number(
            e, to, e->lane_bytes == 4 ? (long double)((float)a - (float)b) : (long double)(a - b));
        return;
    }
    const uint64_t difference = lane_bits(e, x) - lane_bits(e, p);
    memcpy(to, &difference, e->lane_bytes);
}

static void make_adjacent(const fuzz_case *c, const unsigned char *in, size_t i, unsigned char *to)
{
    const element *e = element_of(c);
    const unsigned char *const x = in + i * e->bytes, *const p = x - (i > 0 ? e->bytes : 0);
    if (i == 0 || (c->of[TEXT] && kind_of(c) != INTEGERS)) {
        memcpy(to, p, e->bytes);
        return;
    }
    const uint64_t sum = (lane_bits(e, x) & 7) + (lane_bits(e, p) & 7);
    if (c->of[TEXT])
        memcpy(to, &sum, e->bytes);
    for (size_t lane = 0; lane < e->lanes && !c->of[TEXT]; ++lane)
        subtract(e, to + lane * e->lane_bytes, x + lane * e->lane_bytes, p + lane * e->lane_bytes);
}

static void make_results(const fuzz_case *c, unsigned char *const in[XL_TRANSFORM_ARRAYS],
                         unsigned char *to)
{
    const size_t bytes = out_bytes_of(c);
    for (size_t i = 0; i < c->of[N]; ++i, to += bytes)
        if (c->of[MOVE] == XL_TRANSFORM_ADJACENT) {
            make_adjacent(c, in[0], i, to);
        } else if (c->of[TEXT]) {
            const uint64_t x = mapped(c, in, i);
            memcpy(to, &x, sizeof x);
        } else {
            memcpy(to, in[0] + i * bytes, bytes);
        }
}

/* Expected contents of output k. */
static unsigned char *find_results(const fuzz_case *c, size_t k,
                                   unsigned char *const in[XL_TRANSFORM_ARRAYS],
                                   const uint64_t *places)
{
    const bool scatters = c->of[MOVE] == XL_TRANSFORM_SCATTER;
    const size_t n = (size_t)c->of[N], range = (size_t)c->of[OTHER],
                 rows = scatters ? range : case_most(c),
                 bytes = moves(c) ? bytes_of(c, k) : out_bytes_of(c);
    unsigned char *to = make_untouched(rows, bytes);
    if (c->of[PLACE])
        memcpy(to, in[0], rows * bytes);
    if (scatters)
        ref_scatter(bytes, n, places, range, in[k], to);
    else if (moves(c))
        ref_gather(bytes, n, places, range, in[k], to);
    else
        make_results(c, in, to);
    return to;
}

static const element *compared; /* an element of results that are numbers, or NULL */

/* Any NaN equals any other, and the padding of an element is not kept. */
static bool is_same(const void *got, const void *wanted)
{
    const element *e = compared;
    const unsigned char *a = got, *b = wanted;
    if (!e)
        return false;
    if (e->numbers == STRUCT)
        return memcmp(a, b, e->known_bytes) == 0;
    for (size_t lane = 0; lane < e->lanes; ++lane, a += e->lane_bytes, b += e->lane_bytes)
        if (memcmp(a, b, e->lane_bytes) != 0 &&
            (e->numbers != FLOATING || !isnan(lane_number(e, a)) || !isnan(lane_number(e, b))) &&
            (e->numbers != FLOATING || !zeros_are_alike() || lane_number(e, a) != 0 ||
             lane_number(e, b) != 0))
            return false;
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void add_arrays(const fuzz_case *c, unsigned char *const in[XL_TRANSFORM_ARRAYS],
                       unsigned char *const wanted[XL_TRANSFORM_ARRAYS], call_array *arrays)
{
    const size_t most = case_most(c), in_at = (size_t)c->of[IN_AT], out_at = (size_t)c->of[OUT_AT],
                 range = (size_t)c->of[OTHER],
                 taken = c->of[MOVE] == XL_TRANSFORM_GATHER ? range : most,
                 given = c->of[MOVE] == XL_TRANSFORM_SCATTER ? range : most;
    for (size_t k = 0; k < count_arrays(c); ++k) {
        if (k == 0 && c->of[PLACE])
            arrays[IN] = in_place_array("in place", in[0], wanted[0], most, bytes_of(c, 0), in_at);
        else
            arrays[IN + k] = input_array("in", in[k], taken, bytes_of(c, k), in_at / (k + 1));
        if ((k == 0 && !c->of[PLACE]) || moves(c))
            arrays[OUT + k] =
                output_array("out", wanted[k], given, moves(c) ? bytes_of(c, k) : out_bytes_of(c),
                             out_at / (k + 1));
        arrays[OUT + k].will_do = arrays[IN + k].will_do = is_same;
    }
}

static void run_transform(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"xl_transform_enqueue", enqueue, NULL};
    const size_t most = case_most(c),
                 taken = c->of[MOVE] == XL_TRANSFORM_GATHER ? (size_t)c->of[OTHER] : most;
    const uint64_t count = count_of(c);
    unsigned char *in[XL_TRANSFORM_ARRAYS] = {0}, *wanted[XL_TRANSFORM_ARRAYS] = {0};
    uint64_t *places = make_places(c, most);
    void *indices = encode_places(c, places, most);
    call_array arrays[CALL_ARRAYS] = {{0}};
    size_t scratch = 0;
    for (size_t k = 0; k < count_arrays(c); ++k)
        in[k] = make_array(c, k, taken);
    for (size_t k = 0; k < (moves(c) ? count_arrays(c) : 1); ++k)
        wanted[k] = find_results(c, k, in, places);
    compared = moves(c) || (c->of[TEXT] && c->of[MOVE] == XL_TRANSFORM_MAP) ? NULL : element_of(c);
    if (succeeded(
            o, plan->ctx,
            xl_transform_scratch(plan->of.array_plan, &(xl_transform_args){.n = most}, &scratch),
            "xl_transform_scratch")) {
        add_arrays(c, in, wanted, arrays);
        arrays[PLACES] = input_array(moves(c) ? "indices" : NULL, indices, most,
                                     c->of[INDEX] ? 4 : 8, (size_t)c->of[OUT_AT] / 2);
        arrays[LENGTH] = count_array(c, &count);
        arrays[ROOM] = scratch_array(c, scratch);
        run_exact(o, c, plan, &call, arrays);
    }
}

const primitive transform_primitive = {open_transform, run_transform, close_array_plan};
