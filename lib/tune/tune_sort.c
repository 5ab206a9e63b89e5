/* SPDX-License-Identifier: MIT
 * Tunables of the sort: built-in choices, overrides, limits of the device. */
#include "tune_sort.h"

static uint32_t log2_floor(uint64_t x)
{
    uint32_t log = 0;
    while (x >>= 1)
        ++log;
    return log;
}

/* Local memory of a group: the tile, skewed by one element in 32, and the search. */
static uint64_t group_bytes(const xli_sort_tuning *t, uint64_t element_bytes)
{
    uint64_t tile = (uint64_t)1 << (t->group_log + t->held_log);
    uint64_t search = 8u * (((uint64_t)1 << t->group_log) + 1u);
    return (tile + tile / 32u) * element_bytes + search + 64u;
}

void xli_tune_sort(const xl_context *ctx, const xli_facts *facts, size_t key_bytes,
                   size_t value_bytes, xli_sort_tuning *t)
{
    const xl_device_info *info = &facts->info;
    uint64_t element_bytes = key_bytes + value_bytes;
    const xli_tunable fields[] = {
        {"sort.shape", &t->shape},       {"sort.group_log", &t->group_log},
        {"sort.held_log", &t->held_log}, {"sort.run_log", &t->run_log},
        {"sort.seek_log", &t->seek_log}, {"sort.seek_busy_log", &t->seek_busy_log},
        {"sort.busy", &t->busy},
    };
    *t = (xli_sort_tuning){.shape = facts->is_cpu ? XLI_SORT_BY_RUN : XLI_SORT_BY_GROUP,
                           .group_log = 8,
                           .held_log = 3,
                           .run_log = 12,
                           .seek_log = 8,
                           .seek_busy_log = 5,
                           .busy = info->compute_units};
    xli_context_tune(ctx, fields, XLI_COUNT(fields));
    while (t->group_log > log2_floor(info->max_work_group_size))
        --t->group_log;
    while (t->group_log > 0 && group_bytes(t, element_bytes) > info->local_bytes)
        --t->group_log;
    while (t->run_log > 4 && (element_bytes << t->run_log) + 64u > info->local_bytes)
        --t->run_log;
}
