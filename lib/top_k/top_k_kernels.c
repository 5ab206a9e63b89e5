/* SPDX-License-Identifier: MIT
 * The kernels of a top-k selection: which of them a problem needs, and their definitions. */
#include "key.h"
#include "top_k_plan.h"

#include <string.h>

static void add_text(xli_text *text, const xli_top_k_plan *plan)
{
    const xli_top_k_problem *const problem = &plan->problem;
    const xli_top_k_shape *const shape = &plan->shape;
    const xli_definition lines[] = {{"XL_TOP_K_SHAPE", shape->tune.shape},
                                    {"XL_GROUP_SIZE", shape->group_size}};
    const xli_definition whole[] = {{"XL_TOP_K_ITEMS", shape->tune.items},
                                    {"XL_TOP_K_ROOM", shape->room}};
    const xli_definition segments[] = {{"XL_TOP_K_TILE_LOG", plan->tile_log}};
    xli_key_text(text, problem->key, problem->largest, problem->equal_zeros);
    xli_text_define(text, lines, XLI_COUNT(lines));
    if (problem->segments == XL_NONE) {
        xli_text_define(text, whole, XLI_COUNT(whole));
        return;
    }
    xli_text_define(text, segments, XLI_COUNT(segments));
    xli_text_add(text, "#define XL_SEG %s\n", problem->segments == XL_U64 ? "ulong" : "uint");
}

enum { NUM_KERNELS = sizeof(xli_top_k_kernels) / sizeof(xli_kernel) };
static void list_kernels(xli_top_k_plan *plan, xli_wanted list[NUM_KERNELS])
{
    xli_top_k_kernels *const k = &plan->kernels;
    xli_top_k_segment_kernels *const s = &k->segments;
    const bool segments = plan->problem.segments != XL_NONE, whole = !segments;
    const bool sorted = whole && plan->problem.sorted;
    const xli_wanted all[NUM_KERNELS] = {
        {"xl_top_k_begin", &k->begin, whole},
        {"xl_top_k_count", &k->count, whole},
        {"xl_top_k_tally", &k->tally, whole},
        {"xl_top_k_write", &k->write, whole},
        {"xl_top_k_order", &k->order, sorted},
        {"xl_top_k_gather", &k->gather, sorted},
        {"xl_top_k_store_count", &k->store_count, whole},
        {"xl_top_k_segments_begin", &s->begin, segments},
        {"xl_top_k_segments_short", &s->rows, segments},
        {"xl_top_k_segments_count", &s->count, segments},
        {"xl_top_k_segments_find", &s->find, segments},
        {"xl_top_k_segments_tally", &s->tally, segments},
        {"xl_top_k_segments_places", &s->places, segments},
        {"xl_top_k_segments_write", &s->write, segments},
        {"xl_top_k_segments_gather", &s->gather, segments},
    };
    memcpy(list, all, sizeof all);
}

xl_status xli_top_k_build(xli_top_k_plan *plan, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_wanted list[NUM_KERNELS];
    const char *const name = plan->problem.segments != XL_NONE ? "top_k_segments" : "top_k";
    xli_top_k_drop_kernels(plan);
    XL_TRY(xli_parts_create(plan->base.ctx, &plan->parts));
    list_kernels(plan, list);
    add_text(&text, plan);
    *most = SIZE_MAX;
    XL_TRY(xli_kernels_build(plan->base.ctx, name, &text, list, NUM_KERNELS, most));
    XL_TRY(xli_top_k_values_build(plan));
done:
    xli_text_free(&text);
    return status;
}

/* After a failed build, it creates only the missing kernels. */
static xl_status build_sampling(void *of, unsigned part)
{
    xli_text text = {0};
    xli_top_k_plan *const plan = of;
    const xli_wanted list[] = {{"xl_top_k_sample", &plan->sample, !plan->sample.cl},
                               {"xl_top_k_bound", &plan->bound, !plan->bound.cl}};
    (void)part;
    add_text(&text, plan);
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "top_k_sample", &text, list, XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

xl_status xli_top_k_build_sampling(xli_top_k_plan *plan)
{
    return xli_parts_build(&plan->parts, 0, build_sampling, plan);
}

void xli_top_k_drop_kernels(xli_top_k_plan *plan)
{
    xli_wanted list[NUM_KERNELS];
    list_kernels(plan, list);
    for (size_t i = 0; i < NUM_KERNELS; ++i)
        xli_kernel_destroy(list[i].kernel);
    for (size_t i = 0; i < XLI_VALUES; ++i)
        xli_kernel_destroy(&plan->values[i]);
    xli_kernel_destroy(&plan->sample);
    xli_kernel_destroy(&plan->bound);
    xli_parts_destroy(&plan->parts);
}
