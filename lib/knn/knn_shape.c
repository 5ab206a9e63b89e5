/* SPDX-License-Identifier: MIT
 * The shape of a search for nearest neighbours. */
#include "knn_plan.h"

/* Eight work-items share 65,535 rounds (lib/ocl/rusticl.c). */
enum { MOST_ROUNDS = 8000 };

xli_knn_shape xli_knn_shape_of(const xli_tune_device *device, const xli_tune *tune)
{
    return (xli_knn_shape){
        .group = (uint32_t)xli_max(1, xli_min(tune->knn.group, device->max_work_group)),
        .items = device->ends_loops ? 1 : tune->knn.items,
        .aim = tune->knn.aim,
        .planes = tune->grid.planes,
        .most_rounds = device->ends_loops ? MOST_ROUNDS : 0};
}
