/* SPDX-License-Identifier: MIT
 * The built-in values of approximate searches for the nearest points, by kind of device. */
#include "tune.h"

static const xli_tune_knn_approximate gpu = {.group = 128};
static const xli_tune_knn_approximate cpu = {.group = 64};

void xli_tune_knn_approximate_table(const xli_tune_device *device, xli_tune_knn_approximate *tune)
{
    *tune = device->is_cpu ? cpu : gpu;
}
