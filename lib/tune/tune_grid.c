/* SPDX-License-Identifier: MIT
 * Tuning of the grid: a table by kind of device, overridden by the tuning file. */
#include "tune_grid.h"

/* On a GPU a work-item takes one point, so that each load of a work-group is one
 * run of memory; on a CPU a work-group is some vectors wide and walks far.
 *
 * A work-item never walks very far, though: llvmpipe (Mesa 22.3, seen 2026-11) ends
 * the loops of a work-item, all of them together, after 65,535 rounds without a
 * word. So a search takes one point per work-item on CPUs too, and a crowd is sorted
 * by as many work-items as a work-group has. */
static const xli_tune_grid gpu = {.group = 256,
                                  .items = 1,
                                  .bounds_groups = 4,
                                  .crowd = 256,
                                  .crowd_groups = 1,
                                  .crowd_group = 1024,
                                  .search_group = 128,
                                  .search_items = 1,
                                  .staged = 48};
static const xli_tune_grid cpu = {.group = 16,
                                  .items = 64,
                                  .bounds_groups = 4,
                                  .crowd = 64,
                                  .crowd_groups = 2,
                                  .crowd_group = 1024,
                                  .search_group = 64,
                                  .search_items = 1,
                                  .staged = 0};

/* Local memory of a work-item that looks for the box: xl_grid_found. */
#define FOUND_BYTES 40

void xli_tune_grid_get(const xl_context *ctx, const xli_facts *facts, xli_tune_grid *tune)
{
    const uint32_t units = facts->info.compute_units > 0 ? facts->info.compute_units : 1;
    const xli_tunable fields[] = {
        {"grid.group", &tune->group},
        {"grid.items", &tune->items},
        {"grid.bounds_groups", &tune->bounds_groups},
        {"grid.crowd", &tune->crowd},
        {"grid.crowd_groups", &tune->crowd_groups},
        {"grid.crowd_group", &tune->crowd_group},
        {"neighbors.group", &tune->search_group},
        {"neighbors.items", &tune->search_items},
        {"neighbors.staged", &tune->staged},
    };
    *tune = facts->is_cpu ? cpu : gpu;
    tune->bounds_groups *= units;
    tune->crowd_groups *= units;
    xli_context_tune(ctx, fields, XLI_COUNT(fields));
    /* A quarter of local memory is left to the compiler and the driver. */
    const uint64_t room = facts->info.local_bytes / 4 * 3;
    while ((uint64_t)tune->staged * tune->search_group * 4 > room)
        tune->staged /= 2;
    while (tune->group > 1 && (uint64_t)tune->group * FOUND_BYTES > room)
        tune->group /= 2;
}
