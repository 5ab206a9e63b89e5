/* SPDX-License-Identifier: MIT
 * Lists of neighbours in any space, of the case runner: counts, offsets, and of some of the
 * rows indices with all that goes beside them, against all pairs and their images. */
#include "cases.h"

#include "reference.h"

#include <crosslane/neighbors.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SCRATCH_OF_COUNT = SCENE_ARRAYS,
    COUNTS,
    OFFSETS,
    INDICES,
    DISTANCES,
    VECTORS,
    SHIFTS,
    SUMS,
    KERNEL_SUMS
};

/* Sums of whole numbers, so that the order of visits does not show. */
#define VISIT(real, real4)                                                                         \
    real " visit(" real " sum, " real " distance2, uint i, uint j, " real4 " params)\n{\n"         \
         "    return sum + params.y * (" real ")(j % 7u) + (" real ")(i & 1u) +\n"                 \
         "           (distance2 >= 0 ? 1 : 1000);\n}"
static const char visit_narrow[] = VISIT("float", "float4"),
                  visit_wide[] = VISIT("double", "double4");
enum { VISIT_START = 3, VISIT_FACTOR = 2 };

/* The same sums by a kernel that includes the search. */
static const char sum_kernel[] =
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void add(XL_NEIGHBORS_PARAMETERS(all), __global REAL *out, ulong at)\n{\n"
    "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&all))\n        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
    "    REAL sum = 3;\n"
    "    XL_FOR_NEIGHBORS(near, all)\n"
    "        sum += (REAL)(2u * (near.index % 7u) + (near.self & 1u) + 1u);\n"
    "    out[at + near.self] = near.incomplete ? (REAL)NAN : sum;\n}\n";

static xl_status open_kernel(const fuzz_case *c, open_plan *plan)
{
    char text[2048];
    cl_int code = CL_SUCCESS;
    const int periodic = c->of[SPACE] < SPACE_BOX ? 0 : c->of[SPACE] == SPACE_BOX ? 1 : 2;
    snprintf(text, sizeof text,
             "#define XL_NEIGHBORS_PERIODIC %d\n#define XL_NEIGHBORS_BATCH %d\n"
             "#define XL_NEIGHBORS_F64 %d\n#define REAL %s\n%s",
             periodic, c->of[BATCH] ? 1 : 0, c->of[SCALAR] ? 1 : 0,
             c->of[SCALAR] ? "double" : "float", sum_kernel);
    const xl_status status = xl_program_create(plan->ctx, text, NULL, &plan->of.space.program);
    if (status != XL_SUCCESS)
        return status;
    plan->of.space.kernel = clCreateKernel(plan->of.space.program, "add", &code);
    XLT_CL(code);
    return XL_SUCCESS;
}

/* Neighbours that a row has room for; 0: rows follow each other. */
static uint32_t row_room(const fuzz_case *c)
{
    static const uint8_t rooms[] = {0, 1, 6, 40};
    return rooms[c->of[ROW_ROOM]];
}

static xl_status open_search(const fuzz_case *c, open_plan *plan, xl_plan *grid)
{
    const tuned_way way = way_of(c);
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    double *const table = c->of[RADII] == XL_RADII_TYPES ? make_pair_radii(c) : NULL;
    desc.radius = table ? 0 : scene_radius(c);
    desc.num_types = table ? types_of(c) : 0;
    desc.pair_radii = table;
    desc.inclusive = (uint32_t)c->of[INCLUSIVE];
    desc.include_self = (uint32_t)c->of[SELF];
    desc.half = (uint32_t)c->of[HALF];
    desc.radii = (uint32_t)c->of[RADII];
    desc.queries = c->of[AROUND] ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.details = !c->of[DETAILS];
    desc.sorted = !c->of[UNSORTED];
    desc.row_capacity = row_room(c);
    desc.keep_nearest = (uint32_t)c->of[KEEP_NEAREST];
    desc.visit = !c->of[VISITS] ? NULL : c->of[SCALAR] ? visit_wide : visit_narrow;
    desc.tunables = way.search;
    desc.num_tunables = way.num_search;
    const xl_status status = xl_neighbors_create(grid, &desc, &plan->of.space.near);
    return status;
}

static xl_status open_near(const fuzz_case *c, open_plan *plan)
{
    xl_plan *grid = NULL;
    xl_status status = make_kind(c, plan, &grid);
    if (status == XL_SUCCESS)
        status = open_search(c, plan, grid);
    xl_plan_destroy(grid);
    return status == XL_SUCCESS && c->of[KERNEL] ? open_kernel(c, plan) : status;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

typedef struct answer {
    uint32_t *counts, *indices;
    uint64_t *offsets, *begins; /* begins: of the rows that the calls work on, from 0 */
    void *distances2, *vectors; /* of `dimensions` numbers each */
    int32_t *shifts;
    void *sums; /* of visits */
} answer;

/* Fills in a search of either precision: the two structures have the same fields. */
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
        (search).query_stride = (s)->stride;                                                       \
        (search).radii = (s)->radii;                                                               \
        (search).point_radii =                                                                     \
            (c)->of[RADII] != XL_RADII_LARGER || (s)->point_radii ? (s)->point_radii : (s)->radii; \
        (search).pair_radii = table;                                                               \
        (search).num_types = types_of(c);                                                          \
        (search).types = (s)->types;                                                               \
        (search).point_types = (s)->point_types ? (s)->point_types : (s)->types;                   \
        (search).systems = (s)->systems;                                                           \
        (search).query_systems = (s)->query_systems;                                               \
        (search).half = (c)->of[HALF] != 0;                                                        \
    } while (0)

static void search_wide(const fuzz_case *c, const scene *s, const double *table, answer *a,
                        ref_pairs_f64 *pairs)
{
    ref_search_f64 search = {.radius = s->radius,
                             .cell = c->of[SPACE] == SPACE_CELL ? s->repeats : NULL,
                             .cells = s->own_repeats};
    FILL_SEARCH(search, c, s);
    memcpy(search.period, s->period, sizeof search.period);
    a->indices = ref_neighbors_pairs_f64(&search, a->offsets, pairs);
}

static void search_narrow(const fuzz_case *c, const scene *s, const double *table, answer *a,
                          ref_pairs *pairs)
{
    ref_search search = {.radius = (float)s->radius,
                         .cell = c->of[SPACE] == SPACE_CELL ? s->narrow : NULL,
                         .cells = s->own_narrow};
    FILL_SEARCH(search, c, s);
    for (size_t axis = 0; axis < 3; ++axis)
        search.period[axis] = (float)s->period[axis];
    a->indices = ref_neighbors_pairs(&search, a->offsets, pairs);
}

/* Shifts between the points given, from those between the points that the build moved. */
static void add_moves(const scene *s, const answer *a, int32_t *shifts)
{
    for (size_t i = 0; s->moves && i < s->rows; ++i)
        for (uint64_t k = a->offsets[i]; k < a->offsets[i + 1]; ++k)
            for (size_t axis = 0; axis < 3; ++axis)
                shifts[3 * k + axis] +=
                    (s->queries ? 0 : s->moves[3 * i + axis]) - s->moves[3 * a->indices[k] + axis];
}

/* Copies vectors and shifts, which have three numbers for each pair, to `dimensions` numbers
 * each. */
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

static void sum_visits(const scene *s, answer *a)
{
    a->sums = make_bytes(s->rows, s->bytes);
    for (size_t i = 0; i < s->rows; ++i) {
        double sum = s->spoilt > 0 ? (double)NAN : VISIT_START;
        for (uint64_t k = a->offsets[i]; k < a->offsets[i + 1]; ++k)
            sum += VISIT_FACTOR * (double)(a->indices[k] % 7) + (double)(i & 1) + 1;
        set_scalar(s, a->sums, i, sum);
    }
}

/* After a failed build there are no neighbours; the last offset is UINT64_MAX, or each
 * count if rows have room. */
static answer find_answer(const fuzz_case *c, const scene *s)
{
    answer a = {.counts = make_bytes(s->rows, sizeof *a.counts),
                .offsets = make_bytes(s->rows + 1, sizeof *a.offsets),
                .begins = make_bytes(s->num + 1, sizeof *a.begins)};
    ref_pairs narrow = {0};
    ref_pairs_f64 wide = {0};
    double *const table = s->types ? make_pair_radii(c) : NULL;
    if (s->spoilt > 0) {
        sum_visits(s, &a);
        memset(a.counts, row_room(c) > 0 ? 0xff : 0, s->rows * sizeof *a.counts);
        return a;
    }
    if (s->wide)
        search_wide(c, s, table, &a, &wide);
    else
        search_narrow(c, s, table, &a, &narrow);
    keep_bytes(a.indices);
    for (size_t i = 0; i < s->rows; ++i)
        a.counts[i] = (uint32_t)(a.offsets[i + 1] - a.offsets[i]);
    for (size_t i = 0; i <= s->num; ++i)
        a.begins[i] = a.offsets[s->first + i] - a.offsets[s->first];
    add_moves(s, &a, s->wide ? wide.shifts : narrow.shifts);
    pack(s, &a, s->wide ? (const void *)wide.vectors : narrow.vectors,
         s->wide ? wide.shifts : narrow.shifts, (size_t)a.offsets[s->rows]);
    a.distances2 = keep_bytes(s->wide ? (void *)wide.distances2 : narrow.distances2);
    wide.distances2 = NULL;
    narrow.distances2 = NULL;
    ref_pairs_free_f64(&wide);
    ref_pairs_free(&narrow);
    sum_visits(s, &a);
    return a;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static scene *running; /* what enqueue() works on */
static const open_plan *running_plan;
static const answer *wanted;

/* The inputs of all calls, and the room that counts may use. */
static xl_neighbors_args args_of(const call_array *a)
{
    return (xl_neighbors_args){.num_queries = running->queries ? running->rows : 0,
                               .queries = array_view(&a[QUERY_POINTS]),
                               .queries_y = array_view(&a[QUERY_Y]),
                               .queries_z = array_view(&a[QUERY_Z]),
                               .radii = array_view(&a[QUERY_RADII]),
                               .point_radii = array_view(&a[POINT_RADII]),
                               .types = array_view(&a[QUERY_TYPES]),
                               .point_types = array_view(&a[POINT_TYPES]),
                               .query_systems = array_view(&a[OF_QUERY_SYSTEMS]),
                               .start = VISIT_START,
                               .params = {0, VISIT_FACTOR, 0, 0},
                               .scratch = array_view(&a[SCRATCH_OF_COUNT])};
}

static xl_status enqueue_count(const open_plan *plan, const call_array *a, const flight *f,
                               const cl_event *built, cl_event *counted)
{
    xl_neighbors_args args = args_of(a);
    args.first_row = running->first;
    args.num_rows = running->num;
    args.counts = array_view(&a[COUNTS]);
    args.offsets = array_view(&a[OFFSETS]);
    return xl_neighbors_count_enqueue(plan->of.space.near, plan->of.space.index, f->queue, &args, 1,
                                      built, counted);
}

/* Where row i of the rows that are filled begins in the list. */
static size_t row_begin(const fuzz_case *c, size_t i)
{
    return row_room(c) > 0 ? i * row_room(c) : (size_t)wanted->begins[i];
}

static xl_view part_of(const call_array *a, size_t from)
{
    xl_view view = array_view(a);
    view.offset += a->name ? from : 0;
    return view;
}

/* A list of the rows from `first` on, of those that are filled. */
static void add_list(const fuzz_case *c, const call_array *a, size_t first, size_t num,
                     xl_neighbors_args *args)
{
    const size_t at = row_begin(c, first), d = running->dimensions;
    const size_t capacity = num < running->num ? row_begin(c, first + num) - at : a[INDICES].n;
    args->capacity = row_room(c) > 0 ? 0 : capacity;
    args->first_row = running->first + first;
    args->num_rows = num;
    args->offsets = part_of(&a[OFFSETS], first);
    args->indices = part_of(&a[INDICES], at);
    args->distances2 = part_of(&a[DISTANCES], at);
    args->vectors = part_of(&a[VECTORS], at * d);
    args->shifts = part_of(&a[SHIFTS], at * d);
    if (row_room(c) > 0)
        args->counts = part_of(&a[COUNTS], first);
}

static xl_status enqueue_part(const fuzz_case *c, const open_plan *plan, const call_array *a,
                              const flight *f, const cl_event *counted, size_t first, size_t num)
{
    xl_neighbors_args args = args_of(a);
    add_list(c, a, first, num, &args);
    return xl_neighbors_fill_enqueue(plan->of.space.near, plan->of.space.index, f->queue, &args, 1,
                                     counted, NULL);
}

/* Sums in one call, with counts and the list if wanted. */
static xl_status enqueue_sums(const fuzz_case *c, const open_plan *plan, const call_array *a,
                              const flight *f, const cl_event *built, bool list)
{
    xl_neighbors_args args = args_of(a);
    if (list)
        add_list(c, a, 0, running->num, &args);
    if (list)
        args.counts = array_view(&a[COUNTS]);
    args.first_row = running->first;
    args.num_rows = running->num;
    args.sums = array_view(&a[SUMS]);
    return xl_neighbors_enqueue(plan->of.space.near, plan->of.space.index, f->queue, &args, 1,
                                built, NULL);
}

/* In parts, of which some may have no rows. */
static xl_status enqueue_fill(const fuzz_case *c, const open_plan *plan, const call_array *a,
                              const flight *f, const cl_event *counted)
{
    const size_t parts = 1 + (size_t)c->of[FILLS], num = running->num;
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < parts && status == XL_SUCCESS; ++k) {
        const size_t first = num * k / parts, end = num * (k + 1) / parts;
        if (end > first || parts == 1)
            status = enqueue_part(c, plan, a, f, counted, first, end - first);
    }
    return status;
}

static xl_status enqueue_kernel(const fuzz_case *c, const open_plan *plan, const call_array *a,
                                const flight *f, const cl_event *built)
{
    cl_uint next = 0;
    const size_t items = running->n;
    const cl_kernel kernel = plan->of.space.kernel;
    const xl_neighbors_kernel_args args = {
        .kernel = kernel, .radius = running->radius, .inclusive = (uint32_t)c->of[INCLUSIVE]};
    const xl_view out = array_view(&a[KERNEL_SUMS]);
    const cl_ulong at = out.offset;
    const xl_status status = xl_grid_index_set_kernel_args(plan->of.space.index, &args, &next);
    if (status != XL_SUCCESS)
        return status;
    XLT_CL(clSetKernelArg(kernel, next, sizeof out.buffer, &out.buffer));
    XLT_CL(clSetKernelArg(kernel, next + 1, sizeof at, &at));
    if (items > 0)
        XLT_CL(clEnqueueNDRangeKernel(f->queue, kernel, 1, NULL, &items, NULL, 1, built, NULL));
    return XL_SUCCESS;
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    cl_event built = NULL, counted = NULL;
    xl_status status = build_scene(c, plan, a, f, &built);
    const bool at_once = c->of[AT_ONCE] != 0;
    if (status == XL_SUCCESS && !at_once && row_room(c) == 0)
        status = enqueue_count(plan, a, f, &built, &counted);
    if (status == XL_SUCCESS && !at_once)
        status = enqueue_fill(c, plan, a, f, counted ? &counted : &built);
    if (status == XL_SUCCESS && (at_once || c->of[VISITS]))
        status = enqueue_sums(c, plan, a, f, &built, at_once);
    if (status == XL_SUCCESS && c->of[KERNEL])
        status = enqueue_kernel(c, plan, a, f, &built);
    if (built)
        clReleaseEvent(built);
    if (counted)
        clReleaseEvent(counted);
    return status;
}

/* ---- results -------------------------------------------------------------------------- */

/* Entries of a row by index, images of one point by the shifts of z, then y, then x: insertion. */
static bool is_before(const call_array *a, size_t x, size_t y)
{
    const uint32_t *const indices = a[INDICES].got;
    const int32_t *const shifts = a[SHIFTS].got;
    const size_t d = running->dimensions;
    if (indices[x] != indices[y] || !shifts)
        return indices[x] < indices[y];
    for (size_t axis = d; axis-- > 0;)
        if (shifts[x * d + axis] != shifts[y * d + axis])
            return shifts[x * d + axis] < shifts[y * d + axis];
    return false;
}

/* Whether two entries of a row may be exchanged: of all where rows are in no order, and of one
 * point's images in a cell, whose order follows the basis that the library chooses. */
static bool may_change(const fuzz_case *c, const call_array *a, size_t x, size_t y)
{
    const uint32_t *const indices = a[INDICES].got;
    return c->of[UNSORTED] || (c->of[SPACE] >= SPACE_CELL && indices[x] == indices[y]);
}

static void order_row(const fuzz_case *c, const call_array *a, size_t begin, size_t count,
                      size_t *places)
{
    for (size_t k = 0; k < count; ++k) {
        size_t at = k;
        for (; at > 0 && may_change(c, a, begin + k, places[at - 1]) &&
               is_before(a, begin + k, places[at - 1]);
             --at)
            places[at] = places[at - 1];
        places[at] = begin + k;
    }
}

static bool same_numbers(const call_array *a, size_t got, const void *from, size_t at, size_t each)
{
    for (size_t i = 0; a->got && i < each; ++i) {
        const char *const x = (const char *)a->got + (got * each + i) * a->size,
                          *const y = (const char *)from + (at * each + i) * a->size;
        if (memcmp(x, y, a->size) != 0 && (a->size != 4 || !is_alike(x, y)))
            return false;
    }
    return true;
}

static bool same_entry(outcome *o, const call_array *a, size_t row, size_t got, size_t at)
{
    const size_t d = running->dimensions;
    const uint32_t index = ((const uint32_t *)a[INDICES].got)[got];
    if (index != wanted->indices[at])
        return failed(o, "row %zu: an entry is %u, not %u", row, (unsigned)index,
                      (unsigned)wanted->indices[at]);
    if (!same_numbers(&a[DISTANCES], got, wanted->distances2, at, 1) ||
        !same_numbers(&a[VECTORS], got, wanted->vectors, at, d) ||
        (a[SHIFTS].got &&
         memcmp((const int32_t *)a[SHIFTS].got + got * d, wanted->shifts + at * d, 4 * d) != 0))
        return failed(o, "row %zu: distance, vector or shift of %u is wrong", row, (unsigned)index);
    return true;
}

/* Checks that a part of the list, and of its details, was not written. */
static bool check_untouched(outcome *o, const call_array *a, size_t from, size_t to, size_t row)
{
    for (size_t k = INDICES; k <= SHIFTS; ++k) {
        const size_t bytes = a[k].got && a[k].n > 0 ? a[k].n / a[INDICES].n * a[k].size : 0;
        for (size_t at = from * bytes; at < to * bytes; ++at)
            if (((const unsigned char *)a[k].got)[at] != UNTOUCHED)
                return failed(
                    o, "%s: written behind row %zu, which ends before or passes the capacity",
                    a[k].name, row);
    }
    return true;
}

/* Whether a row keeps entry k of its neighbours, which ascend by index and then by image. */
static bool is_kept(size_t begin, size_t count, size_t room, size_t k)
{
    size_t nearer = 0;
    const double own = scalar_of(running, wanted->distances2, begin + k);
    for (size_t j = 0; room > 0 && room < count && j < count; ++j) {
        const double other = scalar_of(running, wanted->distances2, begin + j);
        nearer += other < own || (other == own && j < k) ? 1 : 0;
    }
    return room == 0 || nearer < room;
}

/* Whether the room of a row ends among images of one point at one distance. */
static bool ends_among_images(size_t begin, size_t count, size_t room)
{
    bool among = false;
    for (size_t k = 0; k < count; ++k)
        for (size_t j = k; j-- > 0 && wanted->indices[begin + j] == wanted->indices[begin + k];)
            among |= scalar_of(running, wanted->distances2, begin + j) ==
                         scalar_of(running, wanted->distances2, begin + k) &&
                     is_kept(begin, count, room, j) != is_kept(begin, count, room, k);
    return among;
}

/* A row that has more neighbours than room keeps the nearest, or may hold anything. In a cell, the
 * order of images of one point follows the basis that the library chooses. */
static bool check_row(outcome *o, const fuzz_case *c, const call_array *a, size_t i, size_t *places)
{
    const size_t row = running->first + i, begin = row_begin(c, i), room = row_room(c);
    const size_t count = wanted->counts[row], at = (size_t)wanted->offsets[row];
    const size_t kept = room > 0 && count > room ? room : count;
    if (kept < count && (!c->of[KEEP_NEAREST] ||
                         (c->of[SPACE] >= SPACE_CELL && ends_among_images(at, count, room))))
        return true;
    if (room == 0 && begin + count > a[INDICES].n)
        return check_untouched(o, a, begin, a[INDICES].n, row);
    order_row(c, a, begin, kept, places);
    for (size_t k = 0, got = 0; k < count; ++k)
        if (is_kept(at, count, room, k) && !same_entry(o, a, row, places[got++], at + k))
            return false;
    return room == 0 || check_untouched(o, a, begin + kept, begin + room, row);
}

/* ---- the report -------------------------------------------------------------------------- */

static xl_neighbors_report report_wanted(const fuzz_case *c)
{
    const scene *const s = running;
    xl_neighbors_report r = {.queries = s->rows, .first_non_finite = UINT64_MAX};
    for (size_t i = s->queries ? s->rows : 0; i-- > 0;) {
        bool finite = true;
        for (size_t axis = 0; axis < s->dimensions; ++axis)
            finite = finite && isfinite(scalar_of(s, s->queries, i * s->stride + axis));
        r.non_finite += finite ? 0 : 1;
        r.first_non_finite = finite ? r.first_non_finite : i;
    }
    for (size_t i = s->first; i < s->first + s->num && row_room(c) > 0; ++i)
        r.longest_row = wanted->counts[i] > r.longest_row ? wanted->counts[i] : r.longest_row;
    if (row_room(c) == 0)
        r.pairs = wanted->offsets[s->first + s->num] - wanted->offsets[s->first];
    return r;
}

/* The status reports the rows that were filled; `less` room than they need is too little. */
static bool check_status(outcome *o, const fuzz_case *c, const call_array *a, uint64_t less)
{
    const xl_neighbors_report right = report_wanted(c);
    xl_neighbors_report got = right;
    const bool rooms = row_room(c) > 0,
               short_of = less > 0 || (right.longest_row > row_room(c) && !c->of[KEEP_NEAREST]);
    const xl_status status = running->spoilt > 0    ? build_status(running)
                             : right.non_finite > 0 ? XL_ERROR_NON_FINITE
                             : short_of             ? XL_ERROR_CAPACITY
                                                    : XL_SUCCESS;
    xl_neighbors_args args = args_of(a);
    args.capacity = rooms ? 0 : right.pairs - less;
    args.offsets = array_view(&a[OFFSETS]);
    args.indices = array_view(&a[INDICES]);
    args.counts = rooms ? array_view(&a[COUNTS]) : xl_no_view();
    args.first_row = running->first;
    args.num_rows = running->num;
    const xl_status said =
        xl_neighbors_status(running_plan->of.space.near, running_plan->of.space.index, xlt_queue(),
                            &args, &got, 0, NULL);
    if (said != status)
        return failed(o, "the status is %s, not %s: %.300s", xl_status_name(said),
                      xl_status_name(status), xl_context_error(running_plan->ctx));
    if (got.queries == right.queries && got.pairs == right.pairs &&
        got.longest_row == right.longest_row && got.non_finite == right.non_finite &&
        got.first_non_finite == right.first_non_finite)
        return true;
    return failed(o, "the report has %llu pairs, a row of %llu and %llu bad queries from %llu on",
                  (unsigned long long)got.pairs, (unsigned long long)got.longest_row,
                  (unsigned long long)got.non_finite, (unsigned long long)got.first_non_finite);
}

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    const uint64_t *const offsets = a[OFFSETS].got;
    bool good = check_build(o, running_plan, running);
    if (good && running->spoilt > 0 && offsets && offsets[running->num] != UINT64_MAX)
        return failed(o, "there is no index, and the offsets do not say so");
    if (!good || running->spoilt > 0)
        return good && check_status(o, c, a, 0);
    size_t *places = make_bytes((size_t)wanted->offsets[running->rows], sizeof *places);
    for (size_t i = 0; good && i < running->num; ++i)
        good = check_row(o, c, a, i, places);
    if (good && c->of[CUT] == CUT_MORE)
        good = check_untouched(o, a, row_begin(c, running->num), a[INDICES].n, running->num);
    return good && check_status(o, c, a, 0) &&
           (report_wanted(c).pairs == 0 || check_status(o, c, a, 1));
}

static bool is_nan_or_alike(const void *got, const void *x)
{
    const double a = scalar_of(running, got, 0), b = scalar_of(running, x, 0);
    return a == b || (isnan(a) && isnan(b));
}

/* All that is written, of the rows from s->first on. */
static void add_outputs(const fuzz_case *c, const scene *s, const answer *a, call_array *arrays)
{
    const bool rooms = row_room(c) > 0, details = !c->of[DETAILS], spoilt = s->spoilt > 0;
    const uint64_t without = c->of[LEFT_OUT];
    const char *const first_sum = a->sums ? (const char *)a->sums + s->first * s->bytes : NULL;
    const size_t at = (size_t)c->of[OUT_AT], d = s->dimensions,
                 all = rooms    ? s->num * row_room(c)
                       : spoilt ? 10
                                : row_begin(c, s->num),
                 entries = c->of[CUT] == CUT_HALF ? all / 2
                           : c->of[CUT]           ? all + 7
                                                  : all;
    arrays[COUNTS] =
        output_array(without & NO_COUNT ? NULL : "counts", a->counts + s->first, s->num, 4, at);
    arrays[OFFSETS] =
        output_array(rooms ? NULL : "offsets", spoilt ? NULL : a->begins, s->num + 1, 8, at / 2);
    arrays[INDICES] = output_array("indices", NULL, entries, 4, at / 3);
    arrays[DISTANCES] = output_array(details && !(without & NO_DISTANCES) ? "distances2" : NULL,
                                     NULL, entries, s->bytes, at);
    arrays[VECTORS] = output_array(details && !(without & NO_VECTORS) ? "vectors" : NULL, NULL,
                                   entries * d, s->bytes, at / 4);
    arrays[SHIFTS] = output_array(details && !(without & NO_SHIFTS) ? "shifts" : NULL, NULL,
                                  entries * d, 4, at / 5);
    arrays[SUMS] = output_array(c->of[VISITS] ? "sums" : NULL, first_sum, s->num, s->bytes, at / 7);
    arrays[KERNEL_SUMS] =
        output_array(c->of[KERNEL] ? "kernel's sums" : NULL, a->sums, s->rows, s->bytes, at / 6);
    arrays[SUMS].will_do = arrays[KERNEL_SUMS].will_do = is_nan_or_alike;
}

static void run_near(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"a list", enqueue, holds};
    call_array arrays[CALL_ARRAYS] = {{0}};
    scene s = make_scene(c);
    answer a = find_answer(c, &s);
    size_t bytes = 0;
    running = &s;
    running_plan = plan;
    wanted = &a;
    if (make_grid(o, c, plan, &s) &&
        succeeded(o, plan->ctx,
                  xl_neighbors_scratch(plan->of.space.near,
                                       &(xl_neighbors_args){.num_queries = s.rows}, &bytes),
                  "xl_neighbors_scratch")) {
        add_scene(c, plan, &s, arrays);
        arrays[SCRATCH_OF_COUNT] = scratch_array(c, row_room(c) > 0 ? 0 : bytes);
        add_outputs(c, &s, &a, arrays);
        run_exact(o, c, plan, &call, arrays);
    }
}

const primitive near_primitive = {open_near, run_near, close_space};
