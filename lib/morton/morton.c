/* SPDX-License-Identifier: MIT
 * Morton codes: one launch of one kernel (cl/morton/morton_codes.cl); and the boxes of a range. */
#include "primitive.h"
#include "space_check.h"

#include <crosslane/morton.h>
#include <string.h>

typedef struct morton_plan {
    xl_plan base;
    uint32_t dimensions, stride;
    size_t code_bytes;
    cl_float4 lower;
    float scale;           /* cells in a unit of length, a power of two */
    uint32_t group, items; /* work-items of a group, points of a work-item */
    xli_kernel kernel;
} morton_plan;

static const xl_morton_desc defaults = {
    .space = {.dimensions = 3, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN},
    .stride = 3,
    .code = XL_U64};

/* The box is in *space. */
static xl_status read_desc(xl_context *ctx, const xl_morton_desc *desc, xli_space *space)
{
    xl_status status;
    XL_TRY(xli_space_read_box(ctx, &desc->space, space));
    if (desc->code != XL_U32 && desc->code != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.code: %s (%d); must be u32 or u64",
                        xl_type_name(desc->code), (int)desc->code);
    if (desc->stride < space->dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.stride: %u; must be at least desc.space.dimensions, %u",
                        (unsigned)desc->stride, (unsigned)space->dimensions);
done:
    return status;
}

/* Bits of a cell's number along an axis. */
static unsigned bits_of(const xli_space *space, bool wide)
{
    return space->dimensions == 2 ? (wide ? 32 : 16) : (wide ? 21 : 10);
}

/* The largest power of two such that 2^bits cells cover the longest side. A loop, because the
 * library does not link libm. The result is a normal number. */
static float scale_of(const xli_space *space, bool wide)
{
    const double cells = (double)((uint64_t)1 << bits_of(space, wide));
    double longest = 0, scale = 0x1p127;
    for (uint32_t a = 0; a < space->dimensions; ++a) {
        const double side = space->cell[a][a];
        longest = side > longest ? side : longest;
    }
    while (longest * scale > cells && scale > 0x1p-126)
        scale /= 2;
    return (float)scale;
}

static xl_status build(morton_plan *plan)
{
    xl_status status;
    xli_text text = {0};
    const xli_wanted kernel = {"xl_morton_codes", &plan->kernel, true};
    const xli_definition lines[] = {{"XL_ITEMS", plan->items},
                                    {"XL_DIMENSIONS", plan->dimensions},
                                    {"XL_STRIDE", plan->stride},
                                    {"XL_MORTON_WIDE", plan->code_bytes == sizeof(cl_ulong)}};
    xli_text_define(&text, lines, XLI_COUNT(lines));
    XL_TRY(xli_kernels_build(plan->base.ctx, "morton_codes", &text, &kernel, 1, NULL));
    plan->group = (uint32_t)xli_min(plan->group, plan->kernel.max_group);
done:
    xli_text_free(&text);
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_morton_desc *const desc = of;
    morton_plan *const plan = (morton_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    xli_space space;
    XL_TRY(read_desc(base->ctx, desc, &space));
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_MORTON, desc), &device,
                            &tune));
    plan->dimensions = space.dimensions;
    plan->stride = desc->stride;
    plan->code_bytes = xl_type_size(desc->code);
    plan->scale = scale_of(&space, desc->code == XL_U64);
    for (uint32_t a = 0; a < space.dimensions; ++a)
        plan->lower.s[a] = (float)space.lower[a];
    plan->group = (uint32_t)xli_max(1, xli_min(tune.morton.group, device.max_work_group));
    plan->items = tune.morton.items;
    XL_TRY(build(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_kernel_destroy(&((morton_plan *)base)->kernel);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const morton_plan *const plan = (const morton_plan *)base;
    (void)n;
    details->work_group_size = plan->group;
    details->item_elements = plan->items;
    details->tile_elements = (uint64_t)plan->group * plan->items;
    strcpy(details->algorithm, "map");
}

static xl_status count(const xl_plan *base, const void *of)
{
    const size_t n = ((const xl_morton_args *)of)->n;
    if (n > SIZE_MAX / 64 || n > SIZE_MAX / ((const morton_plan *)base)->stride)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.n: %zu; the points exceed the address space", n);
    return XL_SUCCESS;
}

enum { POINTS, CODES, ARRAYS };

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_morton_args *const args = of;
    const morton_plan *const plan = (const morton_plan *)base;
    const size_t n = args->n;
    const size_t scalars = n > 0 ? (n - 1) * plan->stride + plan->dimensions : 0;
    arrays[POINTS] = xli_input("args.points", args->points, scalars, sizeof(cl_float));
    arrays[CODES] = xli_output("args.codes", args->codes, n, plan->code_bytes);
    return ARRAYS;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    morton_plan *const plan = (morton_plan *)base;
    const size_t n = ((const xl_morton_args *)of)->n, tile = (size_t)plan->group * plan->items;
    const xli_span *const points = &spans[POINTS], *const codes = &spans[CODES];
    (void)scratch;
    if (n == 0)
        return XL_SUCCESS;
    return XLI_LAUNCH(seq, &plan->kernel, xli_ceil_div(n, tile), plan->group, XLI_U64(n),
                      XLI_MEM(points->buffer), XLI_U64(points->offset),
                      XLI_BYTES(&plan->lower, sizeof plan->lower),
                      XLI_BYTES(&plan->scale, sizeof plan->scale), XLI_MEM(codes->buffer),
                      XLI_U64(codes->offset));
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(morton, morton_plan),
                                        .count = count, .launch = launch};
XLI_PUBLIC_CALLS(morton)

/* ---- the boxes of a range of codes ----------------------------------------------------------- */

/* The largest number of `bits` bits. */
static uint64_t ones(unsigned bits)
{
    return bits > 0 ? UINT64_MAX >> (64 - bits) : 0;
}

/* The box of the 2^level cells along each axis that begin with code `first`. */
static xl_morton_box box_of(const xli_space *space, double edge, uint64_t first, unsigned level)
{
    const unsigned axes = space->dimensions;
    xl_morton_box box = {.first = first, .last = first + ones(axes * level)};
    for (unsigned a = 0; a < axes; ++a) {
        uint64_t cell = 0;
        for (unsigned b = 0; b * axes + a < 64; ++b)
            cell |= (first >> (b * axes + a) & 1) << b;
        box.lower[a] = space->lower[a] + (double)cell * edge;
        box.upper[a] = space->lower[a] + (double)(cell + ((uint64_t)1 << level)) * edge;
    }
    return box;
}

/* The highest level of a box that begins with code `first` and ends with `last` or before. */
static unsigned level_of(unsigned axes, unsigned bits, uint64_t first, uint64_t last)
{
    while (bits > 0 && ((first & ones(axes * bits)) > 0 || last - first < ones(axes * bits)))
        --bits;
    return bits;
}

static xl_status check_range(uint64_t first, uint64_t last, uint64_t most)
{
    if (first > last)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "first: %llu; must be at most last, %llu",
                        (unsigned long long)first, (unsigned long long)last);
    if (last > most)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "last: %llu; must be at most %llu, the largest code",
                        (unsigned long long)last, (unsigned long long)most);
    return XL_SUCCESS;
}

xl_status xl_morton_boxes(const xl_morton_desc *given, uint64_t first, uint64_t last,
                          size_t capacity, xl_morton_box *boxes, size_t *count)
{
    xl_status status;
    xl_morton_desc desc = defaults;
    xli_space space;
    if (!count || (!boxes && capacity > 0))
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", count ? "boxes" : "count");
    *count = 0;
    XL_TRY(xli_desc_read(NULL, &primitive.desc, given, &desc));
    XL_TRY(read_desc(NULL, &desc, &space));
    const bool wide = desc.code == XL_U64;
    const unsigned axes = space.dimensions, bits = bits_of(&space, wide);
    const double edge = 1 / (double)scale_of(&space, wide);
    XL_TRY(check_range(first, last, ones(axes * bits)));
    uint64_t end = first - 1; /* the last code of the boxes so far */
    do {
        const unsigned level = level_of(axes, bits, end + 1, last);
        if (*count < capacity)
            boxes[*count] = box_of(&space, edge, end + 1, level);
        end += ones(axes * level) + 1;
        ++*count;
    } while (end != last);
    if (*count > capacity)
        XL_TRY(xli_fail(NULL, XL_ERROR_CAPACITY, "capacity: %zu; the range has %zu boxes", capacity,
                        *count));
done:
    return status;
}
