/* SPDX-License-Identifier: MIT
 * Calls of a grid, in any space: the order of its points, and how many of them have moved since the
 * build. */
#include "cases.h"

#include "reference.h"

#include <crosslane/grid.h>
#include <math.h>
#include <string.h>

enum { NOW = SCENE_ARRAYS, NOW_Y, NOW_Z, COUNT_OUT, OWN, ORDERED, BACK };

/* A grid is all there is, and it is each case's own; this one tells whether there can be one. */
static xl_status open_moved(const fuzz_case *c, open_plan *plan)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.space.scalar = c->of[SCALAR] ? XL_F64 : XL_F32;
    desc.cell_size = 1;
    desc.space.wrap = c->of[SPACE] < SPACE_BOX && c->of[WRAP];
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
            to[k % 3] += times[k / 3] * cell_of_point(s, i)->repeats[k];
        for (uint32_t a = 0; a < s->dimensions; ++a)
            set_scalar(s, now, i * s->stride + a, to[a]);
        if (stays && !jumps) /* as they were given */
            memcpy((char *)now + i * s->stride * s->bytes,
                   (char *)s->given + i * s->stride * s->bytes, s->dimensions * s->bytes);
        if (xlt_below(random, 100) == 0)
            set_scalar(s, now, i * s->stride, (double)NAN);
    }
    return now;
}

/* Where a grid that moves points inside has them now. Where rounding may decide it, they have not
 * moved. */
static void *wrap_now(const scene *s, void *now)
{
    void *const wrapped = make_bytes(s->n * s->stride, s->bytes);
    memcpy(wrapped, now, s->n * s->stride * s->bytes);
    for (size_t i = 0; s->moves && i < s->n; ++i) {
        const scene_cell *const of = cell_of_point(s, i);
        const size_t at = i * s->stride;
        double moved[3];
        int32_t whole[3];
        if (wrap_point(s, of, now, at, moved, whole)) {
            for (uint32_t a = 0; a < s->dimensions; ++a)
                set_scalar(s, wrapped, at + a, moved[a]);
        } else if (of->skewed || s->own) {
            memcpy((char *)now + at * s->bytes, (char *)s->given + at * s->bytes,
                   s->dimensions * s->bytes);
            memcpy((char *)wrapped + at * s->bytes, (char *)s->points + at * s->bytes,
                   s->dimensions * s->bytes);
        }
    }
    return wrapped;
}

/* Points that are nowhere: some so far away that the quotient of a period rounds. All have moved.
 */
static void send_away(const scene *s, void *now)
{
    static const double places[] = {(double)NAN, (double)INFINITY, 1e12, -3e38};
    for (size_t i = 0; i < s->n; ++i)
        if (isnan(scalar_of(s, now, i * s->stride)))
            set_scalar(s, now, i * s->stride, places[i % 4]);
}

/* Counts the moved points among from..from + n - 1, which share a cell. */
#define COUNT_MOVED(name, structure, real, call, own_cells, cell_of_all)                           \
    static uint32_t name(const fuzz_case *c, const scene *s, const void *now, double distance,     \
                         size_t from, size_t n)                                                    \
    {                                                                                              \
        structure m = {.was = (const real *)s->points + from * s->stride,                          \
                       .now = (const real *)now + from * s->stride,                                \
                       .was_stride = s->stride,                                                    \
                       .now_stride = s->stride,                                                    \
                       .n = n,                                                                     \
                       .dimensions = s->dimensions,                                                \
                       .distance = (real)distance,                                                 \
                       .cell = s->own                       ? s->own_cells + 9 * s->systems[from]  \
                               : c->of[SPACE] == SPACE_CELL ? s->cell_of_all                       \
                                                            : NULL};                               \
        for (size_t axis = 0; axis < 3; ++axis)                                                    \
            m.period[axis] = (real)s->period[axis];                                                \
        return call(&m);                                                                           \
    }
COUNT_MOVED(count_wide, ref_moved_f64, double, ref_count_moved_f64, own_repeats, repeats)
COUNT_MOVED(count_narrow, ref_moved, float, ref_count_moved, own_narrow, narrow)

static uint32_t count_moved(const fuzz_case *c, const scene *s, const void *now, double distance)
{
    const size_t each = s->own ? 1 : s->n;
    uint32_t count = 0;
    for (size_t i = 0; i < s->n; i += each)
        count += (s->wide ? count_wide : count_narrow)(c, s, now, distance, i, each);
    return count;
}

static const scene *running; /* what enqueue() works on */
static const open_plan *running_plan;

/* ---- the order ------------------------------------------------------------------------------ */

static size_t words_of(const fuzz_case *c)
{
    return 1 + (size_t)c->of[SHAPE] % 8;
}

/* An element for each point: its index, then numbers that only it has. */
static uint32_t *make_own(const fuzz_case *c, size_t n)
{
    const size_t words = words_of(c);
    uint32_t *const own = make_bytes(n, words * sizeof *own);
    for (size_t i = 0; i < n * words; ++i)
        own[i] = i % words == 0 ? (uint32_t)(i / words) : (uint32_t)i * 2654435761u;
    return own;
}

/* Each element is there once. */
static bool check_elements(outcome *o, const call_array *own, const call_array *ordered)
{
    unsigned char *const seen = make_bytes(own->n, 1);
    bool good = true;
    for (size_t k = 0; good && k < own->n; ++k) {
        const unsigned char *const got = (const unsigned char *)ordered->got + k * own->size;
        uint32_t i;
        memcpy(&i, got, sizeof i);
        good = i < own->n && !seen[i] &&
               memcmp(got, (const char *)own->host + i * own->size, own->size) == 0;
        if (!good)
            failed(o, "slot %zu has an element that begins with %u", k, (unsigned)i);
        else
            seen[i] = 1;
    }
    return good;
}

static uint32_t point_at(const call_array *ordered, size_t slot)
{
    uint32_t i;
    memcpy(&i, (const char *)ordered->got + slot * ordered->size, sizeof i);
    return i;
}

/* Whether point j may follow point i in a row: by x, -0 before 0, then by index. */
static bool may_follow_in_row(const scene *s, uint32_t i, uint32_t j)
{
    const double x = scalar_of(s, s->points, i * s->stride),
                 next = scalar_of(s, s->points, j * s->stride);
    return x < next || (x == next && (signbit(x) == signbit(next) ? i < j : signbit(x) != 0));
}

/* The same in any space, if it is known that they share a row; x is rounded to a float. */
static bool may_follow(const scene *s, uint32_t i, uint32_t j)
{
    bool same = !s->systems || s->systems[i] == s->systems[j];
    for (uint32_t a = 1; a < s->dimensions; ++a)
        same = same && scalar_of(s, s->points, i * s->stride + a) ==
                           scalar_of(s, s->points, j * s->stride + a);
    return !same || may_follow_in_row(s, i, j) ||
           (s->wide &&
            scalar_of(s, s->points, i * s->stride) != scalar_of(s, s->points, j * s->stride));
}

/* The number of a row along an axis: whole cells from 0. From 2^24 cells on each float has a
 * separate row; the number then grows with the float and stays finite. */
static double row_number(const scene *s, float inverse, uint32_t i, uint32_t axis)
{
    const float most = 16777216.0f, beyond = most / inverse;
    const float x = axis < s->dimensions ? (float)scalar_of(s, s->points, i * s->stride + axis) : 0;
    if (fabsf(x) < beyond)
        return (double)fminf(fmaxf(floorf(x * inverse), -most), most);
    return copysign((double)most + ((double)fabsf(x) - (double)beyond) * (double)inverse,
                    (double)x);
}

/* Rows are in the order of z, then y. There are as many listed rows as the report says. */
static bool check_rows(outcome *o, const call_array *ordered, const xl_grid_report *r,
                       float inverse)
{
    uint32_t rows = ordered->n > 0;
    for (size_t k = 1; k < ordered->n; ++k) {
        const uint32_t i = point_at(ordered, k - 1), j = point_at(ordered, k);
        const double y = row_number(running, inverse, j, 1), z = row_number(running, inverse, j, 2),
                     last_y = row_number(running, inverse, i, 1),
                     last_z = row_number(running, inverse, i, 2);
        const bool begins = z != last_z || y != last_y;
        if (z < last_z || (z == last_z && y < last_y) ||
            (!begins && !may_follow_in_row(running, i, j)))
            return failed(o, "slot %zu: point %u of row (%g, %g) follows point %u of row (%g, %g)",
                          k, (unsigned)j, y, z, (unsigned)i, last_y, last_z);
        rows += begins;
    }
    return !r->sparse || rows == r->table_cells ||
           failed(o, "the report has %u rows, not %u", (unsigned)r->table_cells, (unsigned)rows);
}

static bool check_order(outcome *o, const fuzz_case *c, const call_array *ordered)
{
    const scene *const s = running;
    xl_grid_report r;
    if (!succeeded(o, running_plan->ctx,
                   xl_grid_index_status(running_plan->of.space.index, xlt_queue(), &r, 0, NULL),
                   "xl_grid_index_status"))
        return false;
    for (size_t k = 1; k < ordered->n; ++k) {
        const uint32_t i = point_at(ordered, k - 1), j = point_at(ordered, k);
        if (!may_follow(s, i, j))
            return failed(o, "slot %zu: point %u follows point %u", k, (unsigned)j, (unsigned)i);
    }
    return s->wide || s->systems || c->of[SPACE] > SPACE_BOUNDED ||
           check_rows(o, ordered, &r, 1.0f / cell_size_of(c));
}

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    return check_build(o, running_plan, running) && check_elements(o, &a[OWN], &a[ORDERED]) &&
           (running->spoilt > 0 || check_order(o, c, &a[ORDERED]));
}

/* Into the order of the index, then back. */
static xl_status enqueue_orders(const open_plan *plan, const call_array *a, const flight *f,
                                const cl_event *built)
{
    cl_event ordered = NULL;
    xl_grid_reorder_args args = {
        .element_bytes = a[OWN].size, .in = array_view(&a[OWN]), .out = array_view(&a[ORDERED])};
    xl_status status = xl_grid_reorder_enqueue(plan->of.space.grid, plan->of.space.index, f->queue,
                                               &args, 1, built, &ordered);
    args.in = args.out;
    args.out = array_view(&a[BACK]);
    args.back = 1 + (uint32_t)a[OWN].size % 7;
    if (status == XL_SUCCESS)
        status = xl_grid_reorder_enqueue(plan->of.space.grid, plan->of.space.index, f->queue, &args,
                                         1, &ordered, NULL);
    if (ordered)
        clReleaseEvent(ordered);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    cl_event built = NULL;
    xl_status status = build_scene(c, plan, a, f, &built);
    const double distance = distance_of(c, running);
    const xl_grid_moved_args args = {.distance = distance,
                                     .points = array_view(&a[NOW]),
                                     .points_y = array_view(&a[NOW_Y]),
                                     .points_z = array_view(&a[NOW_Z]),
                                     .moved = array_view(&a[COUNT_OUT])};
    if (status == XL_SUCCESS)
        status = xl_grid_moved_enqueue(plan->of.space.grid, plan->of.space.index, f->queue, &args,
                                       1, &built, NULL);
    if (status == XL_SUCCESS)
        status = enqueue_orders(plan, a, f, &built);
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
    uint32_t *const own = make_own(c, s.n);
    void *const wrapped = wrap_now(&s, now);
    const double distance = distance_of(c, &s);
    const uint32_t wanted = s.spoilt > 0 ? UINT32_MAX : count_moved(c, &s, wrapped, distance);
    send_away(&s, now);
    if (make_grid(o, c, plan, &s)) {
        const size_t at = (size_t)c->of[OUT_AT];
        add_scene(c, plan, &s, arrays);
        add_points(&s, arrays + NOW, "points now", now, s.n, s.stride, c->of[LAYOUT] != 0, at);
        arrays[COUNT_OUT] = output_array("moved", &wanted, 1, sizeof wanted, at);
        arrays[OWN] = input_array("in", own, s.n, 4 * words_of(c), at / 2);
        arrays[ORDERED] = output_array("ordered", NULL, s.n, 4 * words_of(c), at / 3);
        arrays[BACK] = output_array("back", own, s.n, 4 * words_of(c), at);
        running = &s;
        running_plan = plan;
        run_exact(o, c, plan, &call, arrays);
    }
}

const primitive moved_primitive = {open_moved, run_moved, close_space};
