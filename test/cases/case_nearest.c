/* SPDX-License-Identifier: MIT
 * The k nearest points in any space, against a look at all points and
 * their images: all rows, or some. */
#include "cases.h"

#include "reference.h"

#include <crosslane/nearest.h>
#include <math.h>
#include <string.h>

enum { INDICES = SCENE_ARRAYS, DISTANCES };
/* On either side of the nearest one: see make_space() and points_of() in space.c. */
enum { IMAGES = 3 };

uint32_t nearest_of(const fuzz_case *c)
{
    static const uint16_t ks[] = {8, 1, 17, 65, 200, 1024};
    return ks[c->of[NEIGHBORS]];
}

static xl_status open_nearest(const fuzz_case *c, open_plan *plan)
{
    xl_plan *grid = NULL;
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = nearest_of(c);
    desc.max_radius = c->of[LIMITED] ? scene_radius(c) : 0;
    desc.include_self = (uint32_t)c->of[SELF];
    desc.queries = c->of[AROUND] ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    xl_status status = make_kind(c, plan, &grid);
    if (status == XL_SUCCESS)
        status = xl_nearest_create(grid, &desc, &plan->of.space.nearest);
    xl_plan_destroy(grid);
    return status;
}

/* For either precision: the two structures have the same fields. */
#define FILL_SEARCH(search, c, s)                                                                  \
    do {                                                                                           \
        (search).points = (s)->points;                                                             \
        (search).n = (s)->n;                                                                       \
        (search).stride = (s)->stride;                                                             \
        (search).dimensions = (s)->dimensions;                                                     \
        (search).queries = (s)->queries;                                                           \
        (search).query_stride = (s)->stride;                                                       \
        (search).k = nearest_of(c);                                                                \
        (search).include_self = (c)->of[SELF] != 0;                                                \
        (search).systems = (s)->systems;                                                           \
        (search).query_systems = (s)->query_systems;                                               \
        (search).images = IMAGES;                                                                  \
    } while (0)

/* The cell of a row's system. */
static const scene_cell *cell_of_row(const scene *s, size_t row)
{
    const uint32_t system = s->own ? (s->queries ? s->query_systems : s->systems)[row] : 0;
    return s->own ? &s->own[system < s->num_systems ? system : 0] : &s->all;
}

#define SEARCH_ROWS(search, s, real, find)                                                         \
    for (size_t i = 0; i < (s)->num; ++i) {                                                        \
        const scene_cell *const cell = cell_of_row(s, (s)->first + i);                             \
        for (size_t axis = 0; axis < 3; ++axis) {                                                  \
            (search).period[axis] = (real)cell->period[axis];                                      \
            (search).tilt[axis] = (real)cell->tilt[axis];                                          \
        }                                                                                          \
        find(&(search), (s)->first + i, indices + i * (search).k, distances2 + i * (search).k);    \
    }

static void search_wide(const fuzz_case *c, const scene *s, uint32_t *indices, double *distances2)
{
    ref_nearest_search_f64 search = {.radius2 = c->of[LIMITED] ? s->radius * s->radius : 0};
    FILL_SEARCH(search, c, s);
    SEARCH_ROWS(search, s, double, ref_nearest_f64)
}

static void search_narrow(const fuzz_case *c, const scene *s, uint32_t *indices, float *distances2)
{
    const float radius = (float)s->radius;
    ref_nearest_search search = {.radius2 = c->of[LIMITED] ? radius * radius : 0};
    FILL_SEARCH(search, c, s);
    SEARCH_ROWS(search, s, float, ref_nearest)
}

static const scene *running; /* what enqueue() works on */
static const open_plan *running_plan;

static xl_nearest_args args_of(const call_array *a)
{
    return (xl_nearest_args){.num_queries = running->queries ? running->rows : 0,
                             .queries = array_view(&a[QUERY_POINTS]),
                             .queries_y = array_view(&a[QUERY_Y]),
                             .queries_z = array_view(&a[QUERY_Z]),
                             .indices = array_view(&a[INDICES]),
                             .distances2 = array_view(&a[DISTANCES]),
                             .query_systems = array_view(&a[OF_QUERY_SYSTEMS]),
                             .first_row = running->first,
                             .num_rows = running->num};
}

static bool check_status(outcome *o, const fuzz_case *c, const call_array *a)
{
    const xl_nearest_args args = args_of(a);
    const uint32_t *const wanted = a[INDICES].wanted;
    const size_t k = nearest_of(c);
    size_t few = 0;
    xl_nearest_report r = {0};
    const xl_status needed = build_status(running),
                    status = xl_nearest_status(running_plan->of.space.nearest,
                                               running_plan->of.space.index, xlt_queue(), &args, &r,
                                               0, NULL);
    for (size_t i = 0; i < running->num; ++i)
        few += wanted[i * k + k - 1] == UINT32_MAX;
    if (status != needed)
        return failed(o, "the status is %s, not %s: %.300s", xl_status_name(status),
                      xl_status_name(needed), xl_context_error(running_plan->ctx));
    return status != XL_SUCCESS ||
           (r.rows == running->num && r.short_rows == few && r.given_up == 0) ||
           failed(o, "the status reports %llu rows, %llu short, %llu given up",
                  (unsigned long long)r.rows, (unsigned long long)r.short_rows,
                  (unsigned long long)r.given_up);
}

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    return check_build(o, running_plan, running) && check_status(o, c, a);
}

/* If the build failed, no row has neighbours. */
static void search_none(const scene *s, size_t places, uint32_t *indices, void *distances2)
{
    for (size_t i = 0; i < places; ++i) {
        indices[i] = UINT32_MAX;
        set_scalar(s, distances2, i, (double)INFINITY);
    }
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    cl_event built = NULL;
    xl_status status = build_scene(c, plan, a, f, &built);
    const xl_nearest_args args = args_of(a);
    if (status == XL_SUCCESS)
        status = xl_nearest_enqueue(plan->of.space.nearest, plan->of.space.index, f->queue, &args,
                                    1, &built, NULL);
    if (built)
        clReleaseEvent(built);
    return status;
}

static void run_nearest(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"the nearest", enqueue, holds};
    call_array arrays[CALL_ARRAYS] = {{0}};
    scene s = make_scene(c);
    const size_t places = s.num * nearest_of(c), at = (size_t)c->of[OUT_AT];
    uint32_t *indices = make_bytes(places, sizeof *indices);
    void *distances2 = make_bytes(places, s.bytes);
    if (s.spoilt > 0)
        search_none(&s, places, indices, distances2);
    else if (s.wide)
        search_wide(c, &s, indices, distances2);
    else
        search_narrow(c, &s, indices, distances2);
    if (make_grid(o, c, plan, &s)) {
        add_scene(c, plan, &s, arrays);
        arrays[INDICES] = output_array("indices", indices, places, 4, at);
        arrays[DISTANCES] =
            output_array(c->of[DETAILS] ? NULL : "distances2", distances2, places, s.bytes, at / 2);
        if (!s.wide)
            arrays[DISTANCES].will_do = is_alike;
        running = &s;
        running_plan = plan;
        run_exact(o, c, plan, &call, arrays);
    }
}

const primitive nearest_primitive = {open_nearest, run_nearest, close_space};
