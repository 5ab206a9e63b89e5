/* SPDX-License-Identifier: MIT
 * The values of a plan: built-in, then the tuning file's, then the descriptor's. */
#include "tune.h"

static void take_built_in(const xli_tune_device *device, xli_tune *tune)
{
    xli_tune_scan_table(device, &tune->scan);
    xli_tune_reduce_table(device, &tune->reduce);
    xli_tune_sort_table(device, &tune->sort);
    xli_tune_grid_table(device, &tune->grid);
    xli_tune_neighbors_table(device, &tune->neighbors);
    xli_tune_nearest_table(device, &tune->nearest);
    xli_tune_top_k_table(device, &tune->top_k);
    xli_tune_select_table(device, &tune->select);
    xli_tune_merge_table(device, &tune->merge);
    xli_tune_search_table(device, &tune->search);
    xli_tune_histogram_table(device, &tune->histogram);
    xli_tune_transform_table(device, &tune->transform);
    xli_tune_morton_table(device, &tune->morton);
    xli_tune_nearest_approximate_table(device, &tune->nearest_approximate);
}

static void take_file(const xli_tuning *file, xli_tune *tune)
{
    for (size_t i = 0; i < XLI_TUNABLES; ++i)
        if (file->given[i])
            xli_tunable_set(&xli_tunables[i], tune,
                            xli_tunable_value(&xli_tunables[i], &file->tune));
}

/* The largest value on a driver that ends the loops of a work-item after 65,535 rounds in total
 * (lib/ocl/rusticl.c). */
static const struct {
    const char *name;
    uint32_t most;
} loop_limits[] = {
    {"scan.tile_bytes", 1 << 16},
    {"scan.chunk_elements", 1 << 19}, /* a round takes 16 */
    {"reduce.chunk_elements", 1 << 15},
    {"reduce.chunk_elements_csr", 1 << 13},
    {"reduce.single_group_tiles", 8},
    {"reduce.single_group_vectors", 64},
    {"sort.serial_tile_log", 11}, /* half of it may be segments of one element */
    {"sort.radix_chunks", 0},
    {"top_k.shape", XLI_TOP_K_GROUP},
    {"top_k.items", 16},
    {"top_k.sample", 0}, /* the list of a chunk is sorted in one loop */
    {"select.serial", 0},
    {"merge.chunk", 1 << 14},
    {"search.queries", 1 << 10},
    {"histogram.serial", 0},
    {"transform.chunk", 1 << 12},
    {"morton.items", 1 << 8},
};

/* 0 of a value that is limited means any number, or is the least one. */
void xli_tune_limit_loops(const xli_tune_device *device, xli_tune *tune)
{
    for (size_t i = 0; i < XLI_COUNT(loop_limits) && device->most_rounds < SIZE_MAX; ++i) {
        const xli_tunable *const tunable = xli_tunable_find(loop_limits[i].name);
        const uint32_t value = xli_tunable_value(tunable, tune), most = loop_limits[i].most;
        if (value == 0 || value > most)
            xli_tunable_set(tunable, tune, most);
    }
}

/* The names that a plan takes: "scan.group_size, ...". */
static void add_known(const xli_tune_wish *wish, xli_text *why)
{
    const char *comma = "";
    for (size_t i = 0; i < XLI_TUNABLES; ++i) {
        if (!(xli_tunables[i].primitive & wish->primitives) || xli_tunables[i].for_tests)
            continue;
        xli_text_add(why, "%s%s", comma, xli_tunables[i].name);
        comma = ", ";
    }
}

static xl_status take_one(const xli_tune_wish *wish, uint32_t i, xli_text *why, xli_tune *tune)
{
    const xl_tunable *given = &wish->tunables[i];
    const xli_tunable *known = given->name ? xli_tunable_of_user(given->name) : NULL;
    char range[XLI_RANGE_BYTES];
    if (!given->name) {
        xli_text_add(why, "tunables[%u].name: NULL", (unsigned)i);
    } else if (!known || !(known->primitive & wish->primitives)) {
        xli_text_add(why, "tunables[%u]: %s \"%s\" (this plan takes: ", (unsigned)i,
                     known ? "another primitive's" : "unknown name", given->name);
        add_known(wish, why);
        xli_text_add(why, ")");
    } else if (!xli_tunable_takes(known, given->value)) {
        xli_text_add(why, "tunables[%u]: %s = %llu, not %s", (unsigned)i, given->name,
                     (unsigned long long)given->value, xli_tunable_range(known, range));
    } else {
        xli_tunable_set(known, tune, (uint32_t)given->value);
        return XL_SUCCESS;
    }
    return XL_ERROR_INVALID_ARGUMENT;
}

xl_status xli_tune_choose(const xli_tune_device *device, const xli_tuning *file,
                          const xli_tune_wish *wish, xli_text *why, xli_tune *tune)
{
    xl_status status = XL_SUCCESS;
    take_built_in(device, tune);
    if (file)
        take_file(file, tune);
    if (wish->count > 0 && !wish->tunables) {
        xli_text_add(why, "tunables: NULL, but num_tunables is %u", (unsigned)wish->count);
        return XL_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < wish->count; ++i)
        XL_TRY(take_one(wish, i, why, tune));
    xli_tune_limit_loops(device, tune);
done:
    return status;
}

uint32_t xli_tune_part(const xli_tune_wish *wish, unsigned primitive, xl_tunable *part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wish->count; ++i)
        if (xli_tunable_find(wish->tunables[i].name)->primitive == primitive)
            part[count++] = wish->tunables[i];
    return count;
}
