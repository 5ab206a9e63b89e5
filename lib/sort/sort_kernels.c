/* SPDX-License-Identifier: MIT
 * The kernels of a sort: which of them a problem and shape need, and their definitions. */
#include "element.h"
#include "key.h"
#include "sort_plan.h"

#include <string.h>

static void add_radix_text(xli_text *text, const xli_sort_problem *problem,
                           const xli_sort_shape *shape, const xli_radix_size *size)
{
    const xli_tune_sort *t = &shape->tune;
    const xli_definition lines[] = {
        {"XL_GROUP_SIZE", size->group},
        {"XL_ITEMS", size->items},
        {"XL_MOST_SUB_GROUPS", size->sub_groups},
        {"XL_BIT_RANGE", xli_sort_has_range(problem)},
    };
    const xli_definition sweep[] = {
        {"XL_RING_TILES", t->ring_tiles},  {"XL_SWEEP_DEPTH", size->depth},
        {"XL_REGISTERS", size->registers}, {"XL_SPIN_LIMIT", t->spin_limit},
        {"XL_LATE", t->inject_delay},
    };
    const xli_definition buckets[] = {{"XL_RADIX_BUCKETS", shape->buckets}};
    const xli_definition large[] = {
        {"XL_LARGE", problem->value == XL_U64 ? 2 : 1},
        {"XL_PART_TILES", shape->part_tiles},
        {"XL_INJECT_PLACES", t->inject_places},
    };
    xli_text_define(text, lines, XLI_COUNT(lines));
    xli_text_define(text, buckets, shape->buckets);
    xli_text_define(text, large, problem->large ? XLI_COUNT(large) : 0);
    if (shape->radix == XLI_RADIX_SWEEP)
        xli_text_define(text, sweep, XLI_COUNT(sweep));
}

static void add_text(xli_text *text, const xli_capabilities *capabilities,
                     const xli_sort_problem *problem, const xli_sort_shape *shape,
                     xli_sort_part part)
{
    const xli_tune_sort *t = &shape->tune;
    const bool packs = part == XLI_SORT_PACKED,
               samples = part == XLI_SORT_SAMPLES || part == XLI_SORT_SAMPLES_LARGE;
    const xli_sample_size *const size = &shape->sample[part == XLI_SORT_SAMPLES_LARGE];
    const uint32_t items_log = samples ? size->items_log : t->items_log;
    const bool serial = t->shape == XLI_SORT_SERIAL;
    const unsigned values = problem->value == XL_NONE ? 0 : problem->values_only ? 2 : 1;
    const xli_definition lines[] = {
        {"XL_SERIAL", serial},
        {"XL_SORT_VALUES", values},
        {"XL_SORT_INDICES", problem->indices},
        {"XL_SORT_STABLE", !problem->compares && problem->stable && problem->value != XL_NONE},
        {"XL_SORT_GROUP", samples ? size->group : shape->group_size},
        {serial ? "XL_SORT_TILE_LOG" : "XL_SORT_GROUP_LOG", serial    ? t->serial_tile_log
                                                            : samples ? size->tile_log - items_log
                                                                      : t->group_log},
        {serial ? NULL : "XL_SORT_ITEMS_LOG", items_log},
        {serial && problem->compares ? "XL_VALUES" : NULL, values > 0},
        {!serial && problem->compares ? "XL_SORT_PACKED" : NULL, packs},
    };
    if (problem->compares)
        xli_comparator_text(text, capabilities, &problem->element, problem->comparator,
                            problem->descending);
    else
        xli_key_text(text, problem->key, problem->descending, problem->equal_zeros);
    xli_text_define(text, lines, XLI_COUNT(lines));
    if (problem->segments != XL_NONE)
        xli_text_add(text, "#define XL_SEG %s\n", problem->segments == XL_U64 ? "ulong" : "uint");
}

typedef struct wanted {
    xli_sort_part part;
    const char *program, *name;
    xli_kernel *kernel;
    bool is_wanted;
} wanted;

enum { NUM_KERNELS = sizeof(xli_sort_kernels) / sizeof(xli_kernel) };
static void list_kernels(xli_sort_plan *plan, wanted list[NUM_KERNELS])
{
    xli_sort_kernels *k = &plan->kernels;
    const bool segments = plan->problem.segments != XL_NONE, queue = plan->shape.queue,
               samples = plan->shape.samples > 0, bitonic = plan->shape.bitonic && !segments,
               radix = plan->shape.radix == XLI_RADIX_CHUNKS,
               serial = radix && plan->shape.radix_size[0].group == 1,
               buckets = plan->shape.buckets, sweep = plan->shape.radix == XLI_RADIX_SWEEP,
               small = plan->shape.small_sweeps > 0, rows = segments && xli_sort_has_rows(plan);
    const char *const chunks = serial ? "radix_serial" : "radix_group";
    const wanted all[NUM_KERNELS] = {
        {XLI_SORT_PLAIN, "sort_bitonic", "xl_sort_tiles", &k->tiles, bitonic},
        {XLI_SORT_PLAIN, "sort_bitonic", "xl_sort_merge", &k->merge, bitonic},
        {XLI_SORT_SAMPLES, "sort_samples", "xl_sample_runs", &k->sample_runs[0], samples},
        {XLI_SORT_SAMPLES, "sort_samples", "xl_sample_rank", &k->sample_rank[0], samples},
        {XLI_SORT_SAMPLES, "sort_samples", "xl_sample_merge", &k->sample_merge[0], samples},
        {XLI_SORT_SAMPLES_LARGE, "sort_samples", "xl_sample_runs", &k->sample_runs[1], samples},
        {XLI_SORT_SAMPLES_LARGE, "sort_samples", "xl_sample_rank", &k->sample_rank[1], samples},
        {XLI_SORT_SAMPLES_LARGE, "sort_samples", "xl_sample_merge", &k->sample_merge[1], samples},
        {XLI_SORT_RADIX, chunks, "xl_radix_bits", &k->bits, radix},
        {XLI_SORT_RADIX, chunks, "xl_radix_begin", &k->begin, radix},
        {XLI_SORT_RADIX, chunks, "xl_radix_count", &k->count, radix},
        {XLI_SORT_RADIX, chunks, "xl_radix_offsets", &k->offsets, radix},
        {XLI_SORT_RADIX, chunks, "xl_radix_scatter", &k->scatter, radix},
        {XLI_SORT_RADIX, chunks, "xl_radix_end", &k->end, radix},
        {XLI_SORT_RADIX, chunks, "xl_radix_alone", &k->alone, serial},
        {XLI_SORT_RADIX, chunks, "xl_radix_sample", &k->sample, buckets},
        {XLI_SORT_RADIX, chunks, "xl_radix_bucket_count", &k->bucket_count, buckets},
        {XLI_SORT_RADIX, chunks, "xl_radix_bucket_starts", &k->bucket_starts, buckets},
        {XLI_SORT_RADIX, chunks, "xl_radix_bucket_scatter", &k->bucket_scatter, buckets},
        {XLI_SORT_RADIX, chunks, "xl_radix_buckets", &k->buckets, buckets},
        {XLI_SORT_RADIX, "sort_onesweep", "xl_radix_clear", &k->clear[0], sweep},
        {XLI_SORT_RADIX, "sort_onesweep", "xl_radix_histogram", &k->histogram[0], sweep},
        {XLI_SORT_RADIX, "sort_onesweep", "xl_radix_sweep", &k->sweep[0], sweep},
        {XLI_SORT_RADIX_SMALL, "sort_onesweep", "xl_radix_clear", &k->clear[1], small},
        {XLI_SORT_RADIX_SMALL, "sort_onesweep", "xl_radix_histogram", &k->histogram[1], small},
        {XLI_SORT_RADIX_SMALL, "sort_onesweep", "xl_radix_sweep", &k->sweep[1], small},
        {XLI_SORT_PACKED, "segment_short", "xl_segment_places", &k->places, segments},
        {XLI_SORT_PLAIN, "segment_rows", "xl_segment_rows", &k->rows, rows},
        {rows ? XLI_SORT_PLAIN : XLI_SORT_PACKED, rows ? "segment_rows" : "segment_short",
         rows ? "xl_segment_lengths" : "xl_segment_short", &k->others, segments},
        {XLI_SORT_PLAIN, "segment_long", "xl_segment_tiles", &k->long_tiles, segments && !queue},
        {XLI_SORT_PLAIN, "segment_long", "xl_segment_merge", &k->long_merge, segments && !queue},
        {XLI_SORT_PLAIN, "segment_queue", "xl_segment_all", &k->long_all, segments && queue},
    };
    memcpy(list, all, sizeof all);
}

/* The definitions that the programs of a part are compiled with. */
static xl_status write_text(const xli_sort_plan *plan, const xli_capabilities *capabilities,
                            xli_sort_part part, xli_text *text)
{
    if (part == XLI_SORT_RADIX || part == XLI_SORT_RADIX_SMALL)
        add_radix_text(text, &plan->problem, &plan->shape,
                       &plan->shape.radix_size[part == XLI_SORT_RADIX_SMALL]);
    add_text(text, capabilities, &plan->problem, &plan->shape, part);
    if (text->failed)
        return xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the sort's source");
    return XL_SUCCESS;
}

/* The work-items that a kernel allows in a group, if it requires `group` of them. NVIDIA's driver
 * (580.159) reports 256 for kernels that require 384, 512 or 1024, but runs them. */
static size_t group_of(const xli_capabilities *capabilities, const xli_kernel *kernel, size_t group)
{
    enum { TOLD = 256 };
    const bool less = capabilities->nv_capability > 0 && kernel->max_group >= TOLD;
    return less ? xli_max(group, kernel->max_group) : kernel->max_group;
}

/* The kernels require groups of the shape's size, which the device allows. */
static xl_status check_group(const xli_sort_plan *plan, const xli_capabilities *capabilities,
                             const wanted *w, size_t group)
{
    const size_t most = group_of(capabilities, w->kernel, group);
    return group <= most
               ? XL_SUCCESS
               : xli_fail(plan->base.ctx, XL_ERROR_UNSUPPORTED,
                          "kernel \"%s\": requires %zu work-items in a group; this device "
                          "runs it in groups of at most %zu",
                          w->name, group, most);
}

static xl_status build_kernel(xli_sort_plan *plan, const xli_capabilities *capabilities,
                              const wanted *w, const char *text)
{
    xl_status status;
    xli_program *program;
    const xli_element *const key = &plan->problem.element;
    const bool radix = w->part == XLI_SORT_RADIX || w->part == XLI_SORT_RADIX_SMALL;
    const bool samples = w->part == XLI_SORT_SAMPLES || w->part == XLI_SORT_SAMPLES_LARGE;
    const xli_radix_size *const size = &plan->shape.radix_size[w->part == XLI_SORT_RADIX_SMALL];
    const size_t group = radix     ? size->group
                         : samples ? plan->shape.sample[w->part == XLI_SORT_SAMPLES_LARGE].group
                                   : plan->shape.group_size;
    status = xli_program_get_limited(plan->base.ctx, w->program, text, radix ? size->registers : 0,
                                     &program);
    if (status == XL_ERROR_BUILD && plan->problem.compares)
        status = xli_element_explain(plan->base.ctx, capabilities, &key, 1);
    XL_TRY(status);
    XL_TRY(xli_kernel_create(plan->base.ctx, program, w->name, w->kernel));
    XL_TRY(check_group(plan, capabilities, w, group));
    plan->sub_group[w->part] =
        xli_program_sub_group(plan->base.ctx, program, plan->shape.sub_group);
done:
    if (status != XL_SUCCESS)
        xli_kernel_destroy(w->kernel);
    return status;
}

unsigned xli_sort_parts(xli_sort_plan *plan)
{
    unsigned parts = 0;
    wanted list[NUM_KERNELS];
    list_kernels(plan, list);
    for (const wanted *w = list; w < list + NUM_KERNELS; ++w)
        parts |= (unsigned)w->is_wanted << w->part;
    return parts;
}

static xl_status build_part(void *of, unsigned part)
{
    xl_status status;
    xli_text text = {0};
    wanted list[NUM_KERNELS];
    const xli_capabilities *capabilities;
    xli_sort_plan *const plan = of;
    list_kernels(plan, list);
    XL_TRY(xli_context_capabilities(plan->base.ctx, &capabilities));
    XL_TRY(write_text(plan, capabilities, (xli_sort_part)part, &text));
    for (const wanted *w = list; w < list + NUM_KERNELS; ++w)
        if (w->is_wanted && w->part == part && !w->kernel->cl)
            XL_TRY(build_kernel(plan, capabilities, w, text.data));
done:
    xli_text_free(&text);
    return status;
}

xl_status xli_sort_build(xli_sort_plan *plan, unsigned parts)
{
    xl_status status = XL_SUCCESS;
    for (unsigned part = 0; part < XLI_SORT_PARTS; ++part)
        if (parts >> part & 1u)
            XL_TRY(xli_parts_build(&plan->parts, part, build_part, plan));
done:
    return status;
}

void xli_sort_drop_kernels(xli_sort_plan *plan)
{
    wanted list[NUM_KERNELS];
    list_kernels(plan, list);
    for (size_t i = 0; i < NUM_KERNELS; ++i)
        xli_kernel_destroy(list[i].kernel);
}
