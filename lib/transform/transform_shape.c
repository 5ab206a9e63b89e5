/* SPDX-License-Identifier: MIT
 * The shape of a transform, and the sizes that follow from it. Pure, see transform_shape.h. */
#include "transform_shape.h"

bool xli_transform_moves(uint32_t kind)
{
    return kind == XL_TRANSFORM_GATHER || kind == XL_TRANSFORM_SCATTER;
}

/* Elements of a vector: those of the widest type that fit into `bytes`. */
static uint32_t vector_of(const xli_transform_problem *problem, size_t bytes)
{
    enum { MOST = 16 };
    size_t widest = problem->out.bytes;
    bool scalars = xli_element_is_scalar(&problem->out);
    for (size_t k = 0; k < problem->arrays; ++k) {
        widest = xli_max(widest, problem->in[k].bytes);
        scalars = scalars && xli_element_is_scalar(&problem->in[k]);
    }
    return scalars ? (uint32_t)xli_min(bytes / widest, MOST) : 1;
}

void xli_transform_shape_of(const xli_transform_problem *problem, const xli_tune_device *device,
                            const xli_tune_transform *tune, size_t most, xli_transform_shape *shape)
{
    /* A lane of a GPU loads 16 bytes at once; a cache line of a CPU has 64. */
    enum { LANE = 16, LINE = 64, LEAST = 128 };
    const bool adjacent = problem->kind == XL_TRANSFORM_ADJACENT;
    const size_t group = xli_min(xli_min(tune->group, most), device->max_work_group);
    *shape = (xli_transform_shape){.serial = tune->serial != 0,
                                   .group_size = (uint32_t)xli_max(1, group),
                                   .items = tune->items,
                                   .stream_bytes = xli_mul(tune->stream_kib, 1024)};
    if (xli_transform_moves(problem->kind)) {
        shape->serial = false;
        return;
    }
    shape->vector = adjacent ? 1 : vector_of(problem, shape->serial ? LINE : LANE);
    size_t tile = (size_t)shape->group_size * shape->items * shape->vector;
    if (adjacent && tile < LEAST) /* each tile costs an element of scratch */
        shape->serial = true;
    if (shape->serial) {
        tile = xli_max(tune->chunk / problem->out.bytes, LEAST);
        shape->group_size = 1;
    }
    shape->tile = (uint32_t)xli_round_up(tile, shape->vector);
}

size_t xli_transform_scratch_bytes(const xli_transform_problem *problem,
                                   const xli_transform_shape *shape, size_t n)
{
    if (problem->kind != XL_TRANSFORM_ADJACENT || n <= shape->tile)
        return 0;
    const size_t bytes = xli_mul(xli_ceil_div(n, shape->tile), problem->in[0].bytes);
    return xli_round_up(bytes, XLI_SCRATCH_ALIGN);
}
