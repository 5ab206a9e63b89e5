/* SPDX-License-Identifier: MIT
 * Lists of neighbours in any space, of the differential runner: counts, offsets, and of some of the
 * rows indices with all that goes beside them, against all pairs and their images. */
#include "differential.h"

#include "reference.h"

#include <crosslane/neighbors.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_OF_COUNT = SCENE_ARRAYS, COUNTS, OFFSETS, INDICES, DISTANCES, VECTORS, SHIFTS };

static xl_status open_near(const fuzz_case *c, open_plan *plan)
{
    const tuned_way way = way_of(c);
    const bool wide = c->of[SCALAR] != 0;
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.scalar = wide ? XL_F64 : XL_F32;
    desc.radius = wide ? 0 : (float)scene_radius(c);
    desc.radius_f64 = wide ? scene_radius(c) : 0;
    desc.dimensions = desc.query_stride = 3 - (uint32_t)c->of[DIMENSIONS];
    desc.inclusive = (uint32_t)c->of[INCLUSIVE];
    desc.include_self = (uint32_t)c->of[SELF];
    desc.half = (uint32_t)c->of[HALF];
    desc.radii = (uint32_t)c->of[RADII];
    desc.queries = c->of[AROUND] ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.periodic = scene_repeats(c);
    desc.batch = (uint32_t)c->of[BATCH];
    desc.details = 1;
    desc.tunables = way.search;
    desc.num_tunables = way.num_search;
    return xl_neighbors_create(plan->ctx, &desc, &plan->of.space.near);
}

/* ---- all pairs ------------------------------------------------------------------------------ */

typedef struct answer {
    uint32_t *counts, *indices;
    uint64_t *offsets;
    void *distances2, *vectors; /* of `dimensions` numbers each */
    int32_t *shifts;
} answer;

/* Of either precision: these two have the same fields. */
#define FILL_SEARCH(search, c, s)                                                                  \
    do {                                                                                           \
        (search).points = (s)->points;                                                             \
        (search).n = (s)->n;                                                                       \
        (search).stride = (s)->stride;                                                             \
        (search).inclusive = (c)->of[INCLUSIVE] != 0;                                              \
        (search).include_self = (c)->of[SELF] != 0;                                                \
        (search).dimensions = (s)->dimensions;                                                     \
        (search).queries = (s)->queries;                                                           \
        (search).num_queries = (s)->rows;                                                          \
        (search).query_stride = (s)->dimensions;                                                   \
        (search).radii = (s)->radii;                                                               \
        (search).systems = (s)->systems;                                                           \
        (search).query_systems = (s)->query_systems;                                               \
        (search).half = (c)->of[HALF] != 0;                                                        \
    } while (0)

static void search_wide(const fuzz_case *c, const scene *s, answer *a, ref_pairs_f64 *pairs)
{
    ref_search_f64 search = {.radius = s->radius};
    FILL_SEARCH(search, c, s);
    for (size_t axis = 0; axis < 3; ++axis) {
        search.period[axis] = s->period[axis];
        search.tilt[axis] = s->tilt[axis];
    }
    a->indices = ref_neighbors_pairs_f64(&search, a->offsets, pairs);
}

static void search_narrow(const fuzz_case *c, const scene *s, answer *a, ref_pairs *pairs)
{
    ref_search search = {.radius = (float)s->radius};
    FILL_SEARCH(search, c, s);
    for (size_t axis = 0; axis < 3; ++axis) {
        search.period[axis] = (float)s->period[axis];
        search.tilt[axis] = (float)s->tilt[axis];
    }
    a->indices = ref_neighbors_pairs(&search, a->offsets, pairs);
}

/* Of three numbers each those that there are. */
static void pack(const scene *s, answer *a, const void *vectors, const int32_t *shifts,
                 size_t pairs)
{
    const size_t d = s->dimensions;
    a->vectors = make_bytes(pairs * d, s->bytes);
    a->shifts = make_bytes(pairs * d, sizeof *a->shifts);
    for (size_t i = 0; i < pairs * d; ++i) {
        set_scalar(s, a->vectors, i, scalar_of(s, vectors, i / d * 3 + i % d));
        a->shifts[i] = shifts[i / d * 3 + i % d];
    }
}

static answer find_answer(const fuzz_case *c, const scene *s)
{
    answer a = {.counts = make_bytes(s->rows, sizeof *a.counts),
                .offsets = make_bytes(s->rows + 1, sizeof *a.offsets)};
    ref_pairs narrow = {0};
    ref_pairs_f64 wide = {0};
    if (s->wide)
        search_wide(c, s, &a, &wide);
    else
        search_narrow(c, s, &a, &narrow);
    assert_non_null(a.indices);
    for (size_t i = 0; i < s->rows; ++i)
        a.counts[i] = (uint32_t)(a.offsets[i + 1] - a.offsets[i]);
    pack(s, &a, s->wide ? (const void *)wide.vectors : narrow.vectors,
         s->wide ? wide.shifts : narrow.shifts, (size_t)a.offsets[s->rows]);
    a.distances2 = s->wide ? (void *)wide.distances2 : narrow.distances2;
    wide.distances2 = NULL;
    narrow.distances2 = NULL;
    ref_pairs_free_f64(&wide);
    ref_pairs_free(&narrow);
    return a;
}

static void free_answer(answer *a)
{
    free(a->counts);
    free(a->offsets);
    free(a->indices);
    free(a->distances2);
    free(a->vectors);
    free(a->shifts);
}

/* ---- a device that ends long loops -----------------------------------------------------------
 * says so of a row, and of all offsets; it then has no list. */

static bool was_cut;

static bool is_cut(const void *got, const void *wanted)
{
    uint32_t count;
    (void)wanted;
    memcpy(&count, got, sizeof count);
    const bool cut = zeros_are_alike() && count == UINT32_MAX;
    was_cut = was_cut || cut;
    return cut;
}

static bool is_of_cut(const void *got, const void *wanted)
{
    (void)got;
    (void)wanted;
    return was_cut;
}

static bool is_alike_or_cut(const void *got, const void *wanted)
{
    return was_cut || is_alike(got, wanted);
}

static bool says_cut(outcome *o, const fuzz_case *c, const call_array *arrays)
{
    const uint64_t *const offsets = arrays[OFFSETS].got;
    (void)c;
    return !was_cut || offsets[arrays[OFFSETS].n - 1] == UINT64_MAX ||
           failed(o, "a row was given up, and the offsets do not say so");
}

/* ---- the calls ------------------------------------------------------------------------------ */

static const scene *running; /* what enqueue() works on */

static xl_status enqueue_count(const open_plan *plan, const call_array *a, const flight *f,
                               const cl_event *built, cl_event *counted)
{
    const bool given = running->queries != NULL;
    const xl_neighbors_count_args args = {.counts = array_view(&a[COUNTS]),
                                          .offsets = array_view(&a[OFFSETS]),
                                          .scratch = array_view(&a[SCRATCH_OF_COUNT]),
                                          .num_queries = given ? running->rows : 0,
                                          .queries = array_view(&a[QUERY_POINTS]),
                                          .radii = array_view(&a[QUERY_RADII]),
                                          .query_systems = array_view(&a[OF_QUERY_SYSTEMS])};
    return xl_neighbors_count_enqueue(plan->of.space.near, plan->of.space.index, f->queue, &args, 1,
                                      built, counted);
}

static xl_status enqueue_fill(const open_plan *plan, const call_array *a, const flight *f,
                              const cl_event *counted)
{
    const bool given = running->queries != NULL;
    const xl_neighbors_fill_args args = {.capacity = a[INDICES].n,
                                         .offsets = array_view(&a[OFFSETS]),
                                         .indices = array_view(&a[INDICES]),
                                         .num_queries = given ? running->rows : 0,
                                         .queries = array_view(&a[QUERY_POINTS]),
                                         .radii = array_view(&a[QUERY_RADII]),
                                         .first_row = running->first,
                                         .num_rows = running->num,
                                         .distances2 = array_view(&a[DISTANCES]),
                                         .vectors = array_view(&a[VECTORS]),
                                         .shifts = array_view(&a[SHIFTS]),
                                         .query_systems = array_view(&a[OF_QUERY_SYSTEMS])};
    return xl_neighbors_fill_enqueue(plan->of.space.near, plan->of.space.index, f->queue, &args, 1,
                                     counted, NULL);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    cl_event built = NULL, counted = NULL;
    xl_status status = build_scene(c, plan, a, f, &built);
    if (status == XL_SUCCESS)
        status = enqueue_count(plan, a, f, &built, &counted);
    if (status == XL_SUCCESS)
        status = enqueue_fill(plan, a, f, &counted);
    if (built)
        clReleaseEvent(built);
    if (counted)
        clReleaseEvent(counted);
    return status;
}

/* All that is written, of which rows from s->first on are listed. */
static void add_outputs(const fuzz_case *c, const scene *s, const answer *a, call_array *arrays)
{
    const size_t at = (size_t)c->of[OUT_AT], from = (size_t)a->offsets[s->first],
                 pairs = (size_t)a->offsets[s->first + s->num] - from, d = s->dimensions;
    arrays[COUNTS] = output_array("counts", a->counts, s->rows, 4, at);
    arrays[OFFSETS] = output_array("offsets", a->offsets, s->rows + 1, 8, at / 2);
    arrays[INDICES] = output_array("indices", a->indices + from, pairs, 4, at / 3);
    arrays[DISTANCES] = output_array("distances2", (const char *)a->distances2 + from * s->bytes,
                                     pairs, s->bytes, at);
    arrays[VECTORS] = output_array("vectors", (const char *)a->vectors + from * d * s->bytes,
                                   pairs * d, s->bytes, at / 4);
    arrays[SHIFTS] = output_array("shifts", a->shifts + from * d, pairs * d, 4, at / 5);
    was_cut = false;
    arrays[COUNTS].will_do = is_cut;
    arrays[OFFSETS].will_do = arrays[INDICES].will_do = arrays[SHIFTS].will_do = is_of_cut;
    if (!s->wide)
        arrays[DISTANCES].will_do = arrays[VECTORS].will_do = is_alike_or_cut;
}

static void run_near(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"a list", enqueue, says_cut};
    call_array arrays[CALL_ARRAYS] = {{0}};
    scene s = make_scene(c);
    answer a = find_answer(c, &s);
    size_t bytes = 0, alignment = 1;
    if (make_grid(o, c, plan, &s) &&
        succeeded(o, plan->ctx,
                  xl_neighbors_scratch(plan->of.space.near, s.rows, &bytes, &alignment),
                  "xl_neighbors_scratch")) {
        add_scene(c, plan, &s, arrays);
        arrays[SCRATCH_OF_COUNT] = scratch_array(c, bytes, alignment);
        add_outputs(c, &s, &a, arrays);
        running = &s;
        run_exact(o, c, plan, &call, arrays);
    }
    free_answer(&a);
    free_scene(&s);
}

const primitive near_primitive = {open_near, run_near, close_space};
