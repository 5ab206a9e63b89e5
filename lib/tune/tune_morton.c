/* SPDX-License-Identifier: MIT
 * The built-in values of Morton codes, by kind of device. */
#include "tune.h"

static const xli_tune_morton gpu = {.group = 256, .items = 2};
static const xli_tune_morton cpu = {.group = 16, .items = 64};

void xli_tune_morton_table(const xli_tune_device *device, xli_tune_morton *tune)
{
    *tune = device->is_cpu ? cpu : gpu;
}
