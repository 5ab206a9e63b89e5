/* SPDX-License-Identifier: MIT
 * The built-in values of the grid and of the searches on it, by kind of device, and their limits by
 * the device's memory. */
#include "tune.h"

/* On a GPU a work-item takes one point, so that each load of a work-group is one run of memory; on a
 * CPU it walks far, alone: groups of 16 were not faster, and took twice as long to compile. */
static const xli_tune_grid gpu = {.group = 256,
                                  .items = 1,
                                  .bounds_groups = 2,
                                  .overfull_points = 256,
                                  .overfull_groups = 6,
                                  .overfull_group_size = 256,
                                  .table = 4,
                                  .thin = 4,
                                  .sampled = 1 << 23,
                                  .sampled_alone = 15 << 16,
                                  .bucket = 256,
                                  .window = 1 << 22};
static const xli_tune_grid cpu = {.group = 1,
                                  .items = 1024,
                                  .bounds_groups = 4,
                                  .overfull_points = 64,
                                  .overfull_groups = 2,
                                  .overfull_group_size = 1024,
                                  .table = 0,
                                  .thin = 2,
                                  .planes = 1,
                                  .sampled_alone = 15 << 16,
                                  .bucket = 512};
static const xli_tune_neighbors gpu_search = {.group = 128, .staged = 56, .together = 2};
static const xli_tune_neighbors cpu_search = {.group = 64, .staged = 0, .walk = 256, .together = 1};

/* Local memory of a work-item that looks for the box: xl_grid_found. */
#define FOUND_BYTES 40
/* And for each point that a bucket has on average: XL_GRID_ROOM of cl/grid/grid_list.cl keys.
 */
#define BUCKET_BYTES 64

/* The groups above are for each compute unit. */
void xli_tune_grid_table(const xli_tune_device *device, xli_tune_grid *tune)
{
    enum { MOST_UNITS = 16384 }; /* within the range of both */
    const uint32_t units = (uint32_t)xli_max(1, xli_min(device->compute_units, MOST_UNITS));
    *tune = device->is_cpu ? cpu : gpu;
    tune->bounds_groups *= units;
    tune->overfull_groups *= units;
}

void xli_tune_neighbors_table(const xli_tune_device *device, xli_tune_neighbors *tune)
{
    *tune = device->is_cpu ? cpu_search : gpu_search;
}

/* A quarter of local memory is left to the compiler and the driver. */
static uint64_t room(const xli_tune_device *device)
{
    return device->local_bytes / 4 * 3;
}

void xli_tune_grid_fit(const xli_tune_device *device, xli_tune_grid *tune)
{
    while (tune->group > 1 && (uint64_t)tune->group * FOUND_BYTES > room(device))
        tune->group /= 2;
    while (tune->bucket > 1 && (uint64_t)tune->bucket * BUCKET_BYTES > room(device))
        tune->bucket /= 2;
}

/* Local memory has, for each work-item, the row that it stages, and its place and length. */
static uint32_t most_staged(const xli_tune_device *device, uint32_t group)
{
    enum { MOST = 64 };
    const uint64_t bytes = room(device) / group, rows = bytes > 12 ? (bytes - 12) / 4 : 0;
    return rows < MOST ? (uint32_t)rows : MOST;
}

/* Intel's compiler for CPUs (2026.2, November 2026) crashes, and the process with it, where a row
 * of more is put into order in registers. */
enum { INTEL = 0x8086, INTEL_CPU_STAGED = 16 };

void xli_tune_neighbors_fit(const xli_tune_device *device, xli_tune_neighbors *tune)
{
    tune->staged = (uint32_t)xli_min(tune->staged, most_staged(device, tune->group));
    if (!device->is_cpu)
        tune->walk = 0;
    if (device->is_cpu && device->vendor_id == INTEL)
        tune->staged = (uint32_t)xli_min(tune->staged, INTEL_CPU_STAGED);
}

void xli_tune_nearest_fit(const xli_tune_device *device, xli_tune_nearest *tune)
{
    if (!device->is_cpu)
        tune->walk = 0;
}
