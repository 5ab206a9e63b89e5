/* SPDX-License-Identifier: MIT
 * What is compiled for problem and shape of a sort. */
#include "sort_plan.h"

#include <string.h>

static void add_text(xli_text *text, const xli_sort_problem *problem, const xli_sort_shape *shape)
{
    const xli_tune_sort *t = &shape->tune;
    const bool serial = t->shape == XLI_SORT_SERIAL;
    const xl_type key = problem->key;
    const struct {
        const char *name;
        unsigned value;
    } lines[] = {
        {"XL_SORT_SHAPE", t->shape},
        {"XL_SORT_WIDE_KEY", key == XL_U64},
        {"XL_SORT_KIND", key == XL_I32   ? 1
                         : key == XL_F32 ? 2
                                         : 0},
        {"XL_SORT_DESCENDING", problem->descending},
        {"XL_SORT_VALUES", problem->value != XL_NONE},
        {"XL_SORT_GROUP", shape->group_size},
        {serial ? "XL_SORT_TILE_LOG" : "XL_SORT_GROUP_LOG",
         serial ? t->serial_tile_log : t->group_log},
        {serial ? NULL : "XL_SORT_ITEMS_LOG", t->items_log},
    };
    for (size_t i = 0; i < XLI_COUNT(lines); ++i)
        if (lines[i].name)
            xli_text_add(text, "#define %s %u\n", lines[i].name, lines[i].value);
}

typedef struct wanted {
    const char *program, *name;
    xli_kernel *kernel;
    bool is_wanted;
} wanted;

enum { NUM_KERNELS = sizeof(xli_sort_kernels) / sizeof(xli_kernel) };
static void list_kernels(xl_sort *plan, wanted list[NUM_KERNELS])
{
    xli_sort_kernels *k = &plan->kernels;
    const bool bitonic = plan->shape.bitonic, radix = plan->shape.radix;
    const wanted all[NUM_KERNELS] = {
        {"sort_bitonic", "xl_sort_tiles", &k->tiles, bitonic},
        {"sort_bitonic", "xl_sort_merge", &k->merge, bitonic},
        {"sort_radix", "xl_radix_bits", &k->bits, radix},
        {"sort_radix", "xl_radix_begin", &k->begin, radix},
        {"sort_radix", "xl_radix_count", &k->count, radix},
        {"sort_radix", "xl_radix_offsets", &k->offsets, radix},
        {"sort_radix", "xl_radix_scatter", &k->scatter, radix},
        {"sort_radix", "xl_radix_end", &k->end, radix},
    };
    memcpy(list, all, sizeof all);
}

xl_status xli_sort_build(xl_sort *plan, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    wanted list[NUM_KERNELS];
    xli_sort_drop_kernels(plan);
    list_kernels(plan, list);
    add_text(&text, &plan->problem, &plan->shape);
    if (text.failed)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the sort's source"));
    *most = SIZE_MAX;
    for (size_t i = 0; i < NUM_KERNELS; ++i) {
        xli_program *program;
        if (!list[i].is_wanted)
            continue;
        XL_TRY(xli_program_get(plan->ctx, list[i].program, text.data, &program));
        plan->shape.sub_group = xli_program_sub_group(plan->ctx, program, plan->shape.sub_group);
        XL_TRY(xli_kernel_create(plan->ctx, program, list[i].name, list[i].kernel));
        *most = xli_min(*most, list[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

void xli_sort_drop_kernels(xl_sort *plan)
{
    wanted list[NUM_KERNELS];
    list_kernels(plan, list);
    for (size_t i = 0; i < NUM_KERNELS; ++i)
        xli_kernel_destroy(list[i].kernel);
}
