/* SPDX-License-Identifier: MIT
 * Prefix sums of counters: see grid_sums.h. */
#include "grid_sums.h"

#include "element.h"

/* Groups for each compute unit. Two tiles take less time in one launch than two launches take. */
enum { UNIT_GROUPS = 8, ONE_GROUP_TILES = 2 };

/* Rounds of loops for each counter of a work-item. */
enum { ROUNDS = 4 };

/* *most: lowered to the work-items that the kernels allow in a group. */
static xl_status build(xl_context *ctx, xli_sums *sums, size_t items, size_t *most)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_element sum;
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_sums_totals", &sums->totals, true},
                               {"xl_sums_write", &sums->write, true}};
    const xli_definition lines[] = {{"XL_GROUP_SIZE", sums->group}, {"XL_ITEMS", items}};
    xli_sums_drop(sums);
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_element_resolve(ctx, capabilities, "sum", XL_U64, NULL, &sum));
    xli_element_text(&text, capabilities, (const xli_element *[]){&sum}, 1, XL_SUM, NULL);
    xli_text_define(&text, lines, XLI_COUNT(lines));
    XL_TRY(xli_kernels_build(ctx, "grid_sums", &text, list, XLI_COUNT(list), most));
done:
    xli_text_free(&text);
    return status;
}

xl_status xli_sums_make(xl_context *ctx, const xli_tune_device *device, xli_sums *sums)
{
    enum { GROUP = 128, ITEMS = 8 };
    xl_status status;
    size_t items = device->is_cpu ? 1 : ITEMS;
    size_t most = xli_min(device->is_cpu ? 1 : GROUP, device->max_work_group);
    do {
        sums->group = xli_power_below(most);
        while (items > 1 && sums->group * (items + 2) * sizeof(cl_ulong) > device->local_bytes)
            items /= 2;
        XL_TRY(build(ctx, sums, items, &most));
    } while (sums->group > most);
    sums->tile = sums->group * items;
    sums->most_groups = xli_mul(xli_max(1, device->compute_units), UNIT_GROUPS);
    sums->longest = xli_mul(xli_max(1, device->most_rounds / (ROUNDS * items)), sums->tile);
done:
    return status;
}

void xli_sums_drop(xli_sums *sums)
{
    xli_kernel_destroy(&sums->totals);
    xli_kernel_destroy(&sums->write);
}

static size_t groups_of(const xli_sums *sums, size_t n)
{
    const size_t tiles = xli_ceil_div(n, sums->tile);
    const size_t least = xli_ceil_div(n, sums->longest);
    return tiles <= ONE_GROUP_TILES ? 1 : xli_max(least, xli_min(tiles, sums->most_groups));
}

size_t xli_sums_scratch(const xli_sums *sums, size_t n)
{
    return xli_mul(groups_of(sums, n), sizeof(cl_ulong));
}

xl_status xli_sums_launch(const xli_sums *sums, xli_seq *seq, const xli_sums_call *call)
{
    xl_status status = XL_SUCCESS;
    const size_t groups = groups_of(sums, call->n);
    const bool counted = call->n_device.buffer != NULL;
    /* A launch changes the kernel, under its lock. */
    xli_sums *const own = (xli_sums *)sums;
    xli_args args = {{XLI_MEM(call->words), XLI_U64(call->at), XLI_U32(call->wide),
                      XLI_U64(call->n), XLI_U32(counted),
                      XLI_MEM(counted ? call->n_device.buffer : call->totals),
                      XLI_U64(counted ? call->n_device.offset : 0), XLI_MEM(call->totals),
                      XLI_U64(call->totals_at / sizeof(cl_ulong))},
                     9};
    if (call->n == 0)
        return XL_SUCCESS;
    if (groups > 1)
        XL_TRY(xli_seq_launch_args(seq, &own->totals, groups, sums->group, &args, 0));
    xli_args_add(&args, XLI_U32(call->inclusive));
    XL_TRY(xli_seq_launch_args(seq, &own->write, groups, sums->group, &args, 0));
done:
    return status;
}
