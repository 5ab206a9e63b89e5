/* SPDX-License-Identifier: MIT
 * How many points have moved since a build, in any space. */
#include "cases.h"

#include "reference.h"

#include <crosslane/grid.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = SCENE_ARRAYS, NOW_Y, NOW_Z, COUNT_OUT };

/* A grid is all there is, and it is each case's own; this one tells whether there can be one. */
static xl_status open_moved(const fuzz_case *c, open_plan *plan)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.scalar = c->of[SCALAR] ? XL_F64 : XL_F32;
    desc.cell_size = 1;
    return xl_grid_create(plan->ctx, &desc, &plan->of.space.grid);
}

static double distance_of(const fuzz_case *c, const scene *s)
{
    static const double distances[] = {0, 1e-3, 0.05, 0.1, 0.15, 1};
    return distances[c->of[SHAPE] % (s->radius < 1 ? 5 : 6)];
}

/* Each by up to 0.1 along each axis; some do not move, some are put some periods off, and one in
 * 100 is nowhere. */
static void *move(const scene *s, xlt_random *random)
{
    void *now = make_bytes(s->n * s->stride, s->bytes);
    memcpy(now, s->points, s->n * s->stride * s->bytes);
    for (size_t i = 0; i < s->n; ++i) {
        const bool stays = xlt_below(random, 4) == 0, jumps = xlt_below(random, 3) == 0;
        double to[3] = {0, 0, 0}, times[3] = {0, 0, 0};
        for (uint32_t a = 0; a < s->dimensions; ++a) {
            times[a] = jumps ? (double)xlt_below(random, 5) - 2 : 0;
            to[a] += scalar_of(s, s->points, i * s->stride + a);
            to[a] += stays ? 0 : 0.2 * ((double)xlt_unit(random) - 0.5);
        }
        for (size_t k = 0; k < 9; ++k)
            to[k % 3] += times[k / 3] * s->repeats[k];
        for (uint32_t a = 0; a < s->dimensions; ++a)
            set_scalar(s, now, i * s->stride + a, to[a]);
        if (xlt_below(random, 100) == 0)
            set_scalar(s, now, i * s->stride, i % 2 ? (double)NAN : (double)INFINITY);
    }
    return now;
}

static uint32_t count_wide(const fuzz_case *c, const scene *s, const void *now, double distance)
{
    ref_moved_f64 m = {.was = s->points,
                       .now = now,
                       .was_stride = s->stride,
                       .now_stride = s->stride,
                       .n = s->n,
                       .dimensions = s->dimensions,
                       .distance = distance,
                       .cell = c->of[SPACE] == SPACE_CELL ? s->repeats : NULL};
    memcpy(m.period, s->period, sizeof m.period);
    return ref_count_moved_f64(&m);
}

static uint32_t count_narrow(const fuzz_case *c, const scene *s, const void *now, double distance)
{
    ref_moved m = {.was = s->points,
                   .now = now,
                   .was_stride = s->stride,
                   .now_stride = s->stride,
                   .n = s->n,
                   .dimensions = s->dimensions,
                   .distance = (float)distance,
                   .cell = c->of[SPACE] == SPACE_CELL ? s->narrow : NULL};
    for (size_t axis = 0; axis < 3; ++axis)
        m.period[axis] = (float)s->period[axis];
    return ref_count_moved(&m);
}

static const scene *running; /* what enqueue() works on */
static const open_plan *running_plan;

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    (void)c;
    (void)a;
    return check_build(o, running_plan, running);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    cl_event built = NULL;
    xl_status status = build_scene(c, plan, a, f, &built);
    const double distance = distance_of(c, running);
    const xl_grid_moved_args args = {.distance = running->wide ? 0 : (float)distance,
                                     .distance_f64 = running->wide ? distance : 0,
                                     .points = array_view(&a[NOW]),
                                     .points_y = array_view(&a[NOW_Y]),
                                     .points_z = array_view(&a[NOW_Z]),
                                     .moved = array_view(&a[COUNT_OUT])};
    if (status == XL_SUCCESS)
        status = xl_grid_moved_enqueue(plan->of.space.grid, plan->of.space.index, f->queue, &args,
                                       1, &built, NULL);
    if (built)
        clReleaseEvent(built);
    return status;
}

static void run_moved(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"xl_grid_moved_enqueue", enqueue, holds};
    call_array arrays[CALL_ARRAYS] = {{0}};
    xlt_random random = random_of(c->of[SEED], 7);
    scene s = make_scene(c);
    void *now = move(&s, &random);
    const double distance = distance_of(c, &s);
    const uint32_t wanted = s.spoilt > 0 ? UINT32_MAX
                            : s.wide     ? count_wide(c, &s, now, distance)
                                         : count_narrow(c, &s, now, distance);
    if (make_grid(o, c, plan, &s)) {
        const size_t at = (size_t)c->of[OUT_AT];
        add_scene(c, plan, &s, arrays);
        add_points(&s, arrays + NOW, "points now", now, s.n, s.stride, c->of[LAYOUT] != 0, at);
        arrays[COUNT_OUT] = output_array("moved", &wanted, 1, sizeof wanted, at);
        running = &s;
        running_plan = plan;
        run_exact(o, c, plan, &call, arrays);
    }
    free(now);
    free_scene(&s);
}

const primitive moved_primitive = {open_moved, run_moved, close_space};
