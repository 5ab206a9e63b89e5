/* SPDX-License-Identifier: MIT
 * The kernels of a top-k selection from a whole array. */
#include "key.h"
#include "topk_plan.h"

#include <string.h>

static void add_text(xli_text *text, const xli_topk_problem *problem, const xli_topk_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_TOPK_SHAPE", shape->tune.shape},
        {"XL_TOPK_GROUP", shape->group_size},
        {"XL_TOPK_ITEMS", shape->tune.items},
        {"XL_TOPK_ROOM", shape->room},
    };
    xli_key_text(text, problem->key, problem->largest, problem->equal_zeros);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

typedef struct wanted {
    const char *name;
    xli_kernel *kernel;
    bool is_wanted, by_group;
} wanted;

enum { NUM_KERNELS = sizeof(xli_topk_kernels) / sizeof(xli_kernel) };
static void list_kernels(xli_topk_plan *plan, wanted list[NUM_KERNELS])
{
    xli_topk_kernels *k = &plan->kernels;
    const bool sorted = plan->problem.sorted, wide = xli_topk_is_wide(&plan->problem);
    const bool samples = plan->shape.room > 0;
    const wanted all[NUM_KERNELS] = {
        {"xl_topk_begin", &k->begin, true, false},
        {"xl_topk_count", &k->count, true, true},
        {"xl_topk_sample", &k->sample, samples, true},
        {"xl_topk_bound", &k->bound, samples, true},
        {"xl_topk_tally", &k->tally, true, true},
        {"xl_topk_write", &k->write, true, true},
        {"xl_topk_rank_keys", &k->rank, sorted && wide, false},
        {"xl_topk_gather", &k->gather, sorted, false},
        {"xl_topk_say", &k->say, true, false},
    };
    memcpy(list, all, sizeof all);
}

xl_status xli_topk_build(xli_topk_plan *plan, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    wanted list[NUM_KERNELS];
    xli_topk_drop_kernels(plan);
    list_kernels(plan, list);
    add_text(&text, &plan->problem, &plan->shape);
    if (text.failed)
        XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY,
                        "no memory for the source of a top-k"));
    *most = SIZE_MAX;
    XL_TRY(xli_program_get(plan->base.ctx, "topk", text.data, &program));
    for (size_t i = 0; i < NUM_KERNELS; ++i) {
        if (!list[i].is_wanted)
            continue;
        XL_TRY(xli_kernel_create(plan->base.ctx, program, list[i].name, list[i].kernel));
        if (list[i].by_group)
            *most = xli_min(*most, list[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

void xli_topk_drop_kernels(xli_topk_plan *plan)
{
    wanted list[NUM_KERNELS];
    list_kernels(plan, list);
    for (size_t i = 0; i < NUM_KERNELS; ++i)
        xli_kernel_destroy(list[i].kernel);
}
