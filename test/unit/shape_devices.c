/* SPDX-License-Identifier: MIT
 * Devices that need not be there. */
#include "shape_devices.h"

#include <stdio.h>
#include <string.h>

const device devices[DEVICES] = {
    [H200] = {"NVIDIA H200", false, true, XLI_LANE_PTX, XLI_VENDOR_NVIDIA, 9, 32, 132, 1024, 49152},
    [NARROW] = {"a GPU without lanes", false, true, XLI_LANE_LOCAL, 0, 0, 1, 16, 256, 32768},
    [WIDE] = {"a GPU with lanes", false, true, XLI_LANE_KHR, 0, 0, 64, 40, 1024, 65536},
    [POCL] = {"pthread-cpu", true, true, XLI_LANE_LOCAL, 0, 0, 1, 2, 4096, 524288},
    [INTEL] = {"Intel(R) Xeon(R) CPU", true, true, XLI_LANE_KHR, 0x8086, 0, 16, 2, 8192, 32768},
    [LLVMPIPE] = {"llvmpipe (LLVM 15)", true, false, XLI_LANE_LOCAL, 0, 0, 1, 2, 1024, 32768},
};

/* As lib/ocl/probe.c finds. */
static bool ends_loops(const device *d)
{
    return strncmp(d->name, "llvmpipe", 8) == 0;
}

xli_capabilities facts_of(const device *d)
{
    xli_capabilities capabilities = {.lane_way = d->lane_way,
                                     .is_cpu = d->is_cpu,
                                     .can_publish = d->can_publish,
                                     .vendor_id = d->vendor_id,
                                     .nv_capability = d->capability,
                                     .most_rounds = ends_loops(d) ? 1 << 15 : SIZE_MAX};
    snprintf(capabilities.info.name, sizeof capabilities.info.name, "%s", d->name);
    capabilities.info.sub_group_size = d->width;
    capabilities.info.compute_units = d->units;
    capabilities.info.max_work_group_size = d->group;
    capabilities.info.local_bytes = d->local_bytes;
    capabilities.info.has_fp64 = true;
    return capabilities;
}

xli_tune_device known_of(const xli_capabilities *capabilities)
{
    return (xli_tune_device){.vendor_id = capabilities->vendor_id,
                             .capability = capabilities->nv_capability,
                             .is_cpu = capabilities->is_cpu,
                             .has_lanes = capabilities->lane_way != XLI_LANE_LOCAL,
                             .max_work_group = capabilities->info.max_work_group_size,
                             .local_bytes = capabilities->info.local_bytes,
                             .compute_units = capabilities->info.compute_units,
                             .most_rounds = capabilities->most_rounds};
}
