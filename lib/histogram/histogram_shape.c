/* SPDX-License-Identifier: MIT
 * The shape of a histogram, and the sizes that follow from it. Pure, see histogram_shape.h. */
#include "histogram_shape.h"

enum {
    LONGEST = 1 << 30, /* places in a chunk, and a few past it, have 32 bits */
    OTHER = 256        /* bytes of local memory beside counters and levels */
};

/* A serial work-item also counts elements outside all bins. */
static size_t bytes_of(const xli_histogram_shape *shape, size_t bins)
{
    return ((bins + shape->serial) << shape->copies_log) * shape->amount_bytes;
}

/* Levels that take at most a quarter of local memory are kept there, with about two buckets for
 * each. */
static void place_levels(const xli_histogram_problem *problem, const xli_tune_device *device,
                         xli_histogram_shape *shape)
{
    enum { LEAST = 64, MOST = 2048 };
    const size_t levels = problem->bins + 1;
    uint32_t buckets = LEAST;
    while (buckets < MOST && buckets < 2 * levels)
        buckets *= 2;
    const size_t bytes = levels * problem->value.bytes;
    if (problem->kind != XL_HISTOGRAM_LEVELS || shape->serial ||
        bytes + (buckets + 1) * sizeof(cl_uint) > xli_size(device->local_bytes) / 4)
        return;
    shape->buckets = buckets;
    shape->level_bytes = bytes;
}

/* The counters are in local memory if all of them fit, or if a few passes over the array suffice,
 * with one range of bins each. Then there are as many copies of each counter as fit. */
static void place_counters(const xli_histogram_problem *problem, const xli_tune_device *device,
                           const xli_tune_histogram *tune, xli_histogram_shape *shape)
{
    const size_t local = xli_size(device->local_bytes);
    const size_t other = OTHER + shape->level_bytes + (shape->buckets + 1) * sizeof(cl_uint);
    const size_t room = local > other ? local - other : 0;
    const size_t wanted = xli_min(room, (size_t)tune->local_kib << 10);
    const size_t most = room / shape->amount_bytes;
    const size_t ranges = most > 0 ? xli_ceil_div(problem->bins, most) : SIZE_MAX;
    const bool fits =
        shape->serial ? bytes_of(shape, problem->bins) <= wanted : ranges <= tune->passes;
    shape->ranges = 1;
    if (!fits)
        return;
    shape->ranges = (uint32_t)ranges;
    shape->range_bins = (uint32_t)xli_ceil_div(problem->bins, ranges);
    while (2u << shape->copies_log <= tune->copies) {
        ++shape->copies_log;
        if (bytes_of(shape, shape->range_bins) > wanted) {
            --shape->copies_log;
            break;
        }
    }
}

/* An element costs a round of a loop, or up to 22 with levels. */
static size_t longest_chunk(const xli_histogram_problem *problem, const xli_tune_device *device,
                            uint32_t group_size)
{
    enum { ROUNDS = 4, LEVELS_ROUNDS = 32 };
    const size_t each = problem->kind == XL_HISTOGRAM_LEVELS ? LEVELS_ROUNDS : ROUNDS;
    return xli_min(LONGEST, xli_mul(device->most_rounds / each, group_size));
}

/* Doubles the groups of two kinds of histogram: those that need much local memory, so that as many
 * work-items fit in a compute unit, and those with floating-point weights. */
static void widen(const xli_histogram_problem *problem, size_t most, xli_histogram_shape *shape)
{
    enum { BYTES = 64 }; /* of local memory for each work-item */
    const size_t bytes = xli_histogram_local_bytes(shape) + shape->level_bytes;
    const bool steps = problem->adds == XLI_ADDS_EXPONENT || problem->adds == XLI_ADDS_STEPS;
    const bool much = shape->ranges == 1 && bytes > (size_t)shape->group_size * BYTES;
    if (shape->serial || !(steps || much) || 2 * (size_t)shape->group_size > most)
        return;
    shape->group_size *= 2;
    shape->vectors = (shape->vectors + 1) / 2;
    shape->chunks = (shape->chunks + 1) / 2;
}

void xli_histogram_shape_of(const xli_histogram_problem *problem, const xli_tune_device *device,
                            const xli_tune_histogram *tune, size_t most, xli_histogram_shape *shape)
{
    const size_t group = xli_min(xli_min(tune->group, most), device->max_work_group);
    const bool scalar = xli_element_is_scalar(&problem->in);
    *shape = (xli_histogram_shape){
        .serial = tune->serial != 0,
        .vector = scalar ? (uint32_t)(16 / problem->in.bytes) : 1,
        .vectors = tune->vectors,
        .amount_bytes =
            (uint32_t)(problem->adds == XLI_ADDS_ONE ? sizeof(cl_uint) : problem->sum_bytes),
        .units = device->compute_units,
        .chunks = tune->chunks,
        .least = tune->chunk};
    shape->group_size = shape->serial ? 1 : xli_power_below(xli_max(group, 1));
    place_levels(problem, device, shape);
    place_counters(problem, device, tune, shape);
    widen(problem, xli_min(most, device->max_work_group), shape);
    shape->longest = longest_chunk(problem, device, shape->group_size);
}

size_t xli_histogram_local_bytes(const xli_histogram_shape *shape)
{
    return shape->range_bins > 0 ? bytes_of(shape, shape->range_bins) : 0;
}

/* A chunk has enough elements to make up for its counters, which are cleared before it and added to
 * the bins after it: short ones are made twice as long. */
xli_histogram_chunks xli_histogram_chunks_of(const xli_histogram_shape *shape, size_t n)
{
    enum { PER_BIN = 4, STEP = 64, SHORT = 1 << 16 };
    const size_t count = xli_max(1, xli_mul(shape->units, shape->chunks));
    const size_t least = xli_max(shape->least, (size_t)shape->range_bins * PER_BIN);
    const size_t each = xli_ceil_div(n, count);
    const size_t wanted = xli_round_up(xli_max(each < SHORT ? 2 * each : each, least), STEP);
    xli_histogram_chunks chunks = {xli_min(wanted, shape->longest), 0};
    chunks.count = xli_ceil_div(n, chunks.elements);
    return chunks;
}
