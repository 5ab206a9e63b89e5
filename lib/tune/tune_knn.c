/* SPDX-License-Identifier: MIT
 * The built-in values of searches for the nearest points, by kind of device. A work-item searches
 * for one query: on a GPU so that a group reads the same points, on CPUs because their loops are
 * long. If the list of a query does not fit into registers, a group of a GPU searches for it. */
#include "tune.h"

static const xli_tune_knn gpu = {.group = 128, .items = 1, .aim = 150, .together = 128};
static const xli_tune_knn cpu = {.group = 64, .items = 1, .aim = 150, .together = 1};

void xli_tune_knn_table(const xli_tune_device *device, xli_tune_knn *tune)
{
    *tune = device->is_cpu ? cpu : gpu;
}
