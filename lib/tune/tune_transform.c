/* SPDX-License-Identifier: MIT
 * The built-in values of transforms. */
#include "tune.h"

void xli_tune_transform_table(const xli_tune_device *device, xli_tune_transform *tune)
{
    *tune = (xli_tune_transform){.serial = device->is_cpu,
                                 .group = 256,
                                 .items = 4,
                                 .chunk = 1 << 16,
                                 .stream_kib = 1 << 13};
}
