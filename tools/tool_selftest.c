/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: every primitive on one device against serial references,
 * at many sizes; a line for each family of checks. */
#include "selftest.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- grid and neighbours ---- */

typedef struct points {
    const char *name;
    void (*make)(size_t n, float *xyz);
    float radius;
} points;

static void make_random(size_t n, float *xyz)
{
    uint64_t state = n + 11;
    for (size_t i = 0; i < 3 * n; ++i)
        xyz[i] = (float)((double)(selftest_random(&state) >> 40) * 0x1p-24 * 20 - 10);
}

/* Whole numbers: many points at exactly the radius, all on faces of cells. */
static void make_lattice(size_t n, float *xyz)
{
    for (size_t i = 0; i < n; ++i) {
        const size_t at[3] = {i % 13, i / 13 % 13, i / 169};
        for (size_t axis = 0; axis < 3; ++axis)
            xyz[3 * i + axis] = (float)at[axis] - 6;
    }
}

static void make_coincident(size_t n, float *xyz)
{
    for (size_t i = 0; i < 3 * n; ++i)
        xyz[i] = i / 3 % 40 == 7 ? 1.5f : -0.25f;
}

static void make_outlier(size_t n, float *xyz)
{
    make_random(n, xyz);
    for (size_t i = 0; n > 1 && i < 3; ++i)
        xyz[3 * (n / 2) + i] = 3e7f;
}

static const points clouds[] = {{"random", make_random, 1.7f},
                                {"lattice", make_lattice, 2.0f},
                                {"coincident points", make_coincident, 0.5f},
                                {"one far outlier", make_outlier, 1.7f}};

static const char count_visits[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
    "{\n"
    "    return sum + params.x + (float)(j % 3) * params.y;\n"
    "}\n";

/* The plans and buffers of one search. */
typedef struct search {
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *plan;
    cl_mem points, counts, offsets, indices, sums;
} search;

static void search_free(search *q)
{
    xl_neighbors_destroy(q->plan);
    xl_grid_index_destroy(q->index);
    xl_grid_destroy(q->grid);
    cl_mem *buffers[] = {&q->points, &q->counts, &q->offsets, &q->indices, &q->sums};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
}

static bool make_search(const selftest *t, family *f, search *q, const ref_search *r,
                        xl_grid_algorithm algorithm, uint64_t pairs)
{
    xl_grid_desc grid;
    xl_neighbors_desc find;
    xl_grid_desc_init(&grid);
    grid.cell_size = r->radius;
    grid.algorithm = algorithm;
    xl_neighbors_desc_init(&find);
    find.radius = r->radius;
    find.inclusive = r->inclusive;
    find.visit = count_visits;
    q->points = selftest_array(t, f, r->points, 3 * r->n * sizeof(float));
    q->counts = selftest_array(t, f, NULL, r->n * sizeof(uint32_t));
    q->offsets = selftest_array(t, f, NULL, (r->n + 1) * sizeof(uint64_t));
    q->indices = selftest_array(t, f, NULL, (size_t)pairs * sizeof(uint32_t));
    q->sums = selftest_array(t, f, NULL, r->n * sizeof(float));
    return family_passed(t, f, xl_grid_create(t->s.ctx, &grid, &q->grid), "grid plan", r->n) &&
           family_passed(t, f, xl_grid_index_create(t->s.ctx, &q->index), "index", r->n) &&
           family_passed(t, f, xl_neighbors_create(t->s.ctx, &find, &q->plan), "search plan", r->n);
}

static bool run_search(const selftest *t, family *f, search *q, const ref_search *r, uint64_t pairs)
{
    static const float params[4] = {1, 0.25f, 0, 0};
    cl_command_queue queue = t->s.queue;
    xl_view counts = xl_view_of(q->counts, 0), offsets = xl_view_of(q->offsets, 0);
    return family_passed(t, f,
                         xl_grid_build_enqueue(
                             q->grid, q->index, queue,
                             &(xl_grid_build_args){.n = r->n, .points = xl_view_of(q->points, 0)},
                             0, NULL, NULL),
                         "grid build", r->n) &&
           family_passed(t, f, xl_grid_index_status(q->index, queue, NULL, 0, NULL), "grid status",
                         r->n) &&
           family_passed(t, f,
                         xl_neighbors_count_enqueue(
                             q->plan, q->index, queue,
                             &(xl_neighbors_count_args){.counts = counts, .offsets = offsets}, 0,
                             NULL, NULL),
                         "count", r->n) &&
           family_passed(t, f,
                         xl_neighbors_fill_enqueue(
                             q->plan, q->index, queue,
                             &(xl_neighbors_fill_args){.offsets = offsets,
                                                       .indices = xl_view_of(q->indices, 0),
                                                       .capacity = pairs},
                             0, NULL, NULL),
                         "fill", r->n) &&
           family_passed(t, f,
                         xl_neighbors_visit_enqueue(
                             q->plan, q->index, queue,
                             &(xl_neighbors_visit_args){
                                 .start = 0.5f,
                                 .params = {params[0], params[1], params[2], params[3]},
                                 .out = xl_view_of(q->sums, 0)},
                             0, NULL, NULL),
                         "visit", r->n);
}

/* What the device gives, beside what the reference has. */
typedef struct lists {
    uint64_t *offsets, *want_offsets;
    uint32_t *indices, *want_indices, *counts;
    float *sums;
} lists;

static bool same_lists(family *f, const lists *l, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.5;
        for (uint64_t k = l->want_offsets[i]; k < l->want_offsets[i + 1]; ++k)
            sum += 1 + 0.25 * (l->want_indices[k] % 3);
        if (l->counts[i] != l->want_offsets[i + 1] - l->want_offsets[i])
            return family_note(f, "n %zu: point %zu has %" PRIu32 " neighbours", n, i,
                               l->counts[i]);
        if ((double)l->sums[i] != sum)
            return family_note(f, "n %zu: the visits of point %zu give %g", n, i,
                               (double)l->sums[i]);
    }
    if (memcmp(l->offsets, l->want_offsets, (n + 1) * sizeof *l->offsets) != 0)
        return family_note(f, "n %zu: offsets differ", n);
    if (memcmp(l->indices, l->want_indices, (size_t)l->offsets[n] * sizeof *l->indices) != 0)
        return family_note(f, "n %zu: indices differ", n);
    return true;
}

static void check_search(const selftest *t, family *f, const ref_search *r,
                         xl_grid_algorithm algorithm, lists *l)
{
    size_t n = r->n;
    search q = {.grid = NULL};
    uint64_t pairs = l->want_offsets[n];
    ++f->cases;
    l->indices = malloc((size_t)pairs * sizeof *l->indices + 1);
    if (!l->indices)
        family_note(f, "no memory for %" PRIu64 " pairs", pairs);
    else if (make_search(t, f, &q, r, algorithm, pairs) && run_search(t, f, &q, r, pairs) &&
             selftest_read(t, f, q.counts, n * sizeof *l->counts, l->counts) &&
             selftest_read(t, f, q.offsets, (n + 1) * sizeof *l->offsets, l->offsets) &&
             selftest_read(t, f, q.indices, (size_t)pairs * sizeof *l->indices, l->indices) &&
             selftest_read(t, f, q.sums, n * sizeof *l->sums, l->sums))
        (void)same_lists(f, l, n);
    search_free(&q);
    free(l->indices);
    l->indices = NULL;
}

static void check_cloud(const selftest *t, family *f, const points *p, xl_grid_algorithm algorithm,
                        size_t n, bool inclusive)
{
    float *xyz = malloc(3 * n * sizeof *xyz + 1);
    const ref_search r = {
        .points = xyz, .n = n, .stride = 3, .radius = p->radius, .inclusive = inclusive};
    lists l = {.offsets = malloc((n + 1) * sizeof *l.offsets),
               .want_offsets = malloc((n + 1) * sizeof *l.want_offsets),
               .counts = malloc(n * sizeof *l.counts + 1),
               .sums = malloc(n * sizeof *l.sums + 1)};
    if (xyz && l.offsets && l.want_offsets && l.counts && l.sums) {
        p->make(n, xyz);
        l.want_indices = ref_neighbors(&r, l.want_offsets);
    }
    if (l.want_indices)
        check_search(t, f, &r, algorithm, &l);
    else
        family_note(f, "no memory for %zu points", n);
    free(xyz);
    free(l.offsets);
    free(l.want_offsets);
    free(l.want_indices);
    free(l.counts);
    free(l.sums);
}

static const struct {
    xl_grid_algorithm algorithm;
    const char *name;
} builds[] = {{XL_GRID_COUNTING, "counting"}, {XL_GRID_BITONIC, "bitonic"}};

static void check_neighbors(selftest *t)
{
    static const size_t sizes[] = {0, 1, 2, 33, 257, 2197};
    for (size_t i = 0; i < TOOL_COUNT(clouds) * TOOL_COUNT(builds); ++i) {
        const points *p = &clouds[i / TOOL_COUNT(builds)];
        family f;
        if (!family_begin(t, &f, "neighbours, %s, %s", p->name,
                          builds[i % TOOL_COUNT(builds)].name))
            continue;
        for (size_t k = 0; k < 2 * TOOL_COUNT(sizes) && !f.unsupported; ++k)
            check_cloud(t, &f, p, builds[i % TOOL_COUNT(builds)].algorithm, sizes[k / 2], k % 2);
        family_end(t, &f);
    }
}

/* A NaN must be found, and named by the first index. */
static void check_non_finite(selftest *t)
{
    enum { N = 1000, FIRST = 321 };
    static float xyz[3 * N];
    family f;
    if (!family_begin(t, &f, "grid, points that are not finite"))
        return;
    make_random(N, xyz);
    xyz[3 * FIRST + 1] = NAN;
    xyz[3 * (FIRST + 100)] = INFINITY;
    for (size_t i = 0; i < TOOL_COUNT(builds); ++i) {
        xl_grid_report report = {0};
        const ref_search r = {.points = xyz, .n = N, .stride = 3, .radius = 1};
        search q = {.grid = NULL};
        ++f.cases;
        if (make_search(t, &f, &q, &r, builds[i].algorithm, 1) &&
            family_passed(t, &f,
                          xl_grid_build_enqueue(
                              q.grid, q.index, t->s.queue,
                              &(xl_grid_build_args){.n = N, .points = xl_view_of(q.points, 0)}, 0,
                              NULL, NULL),
                          "grid build", N)) {
            xl_status status = xl_grid_index_status(q.index, t->s.queue, &report, 0, NULL);
            if (status != XL_ERROR_NON_FINITE || report.first_non_finite != FIRST ||
                report.non_finite != 2)
                family_note(&f, "%s build: %s, first at %" PRIu64, builds[i].name,
                            xl_status_name(status), report.first_non_finite);
        }
        search_free(&q);
    }
    family_end(t, &f);
}

/* Points gathered in cell order are all of the points, each once. */
static void check_reorder(selftest *t)
{
    enum { N = 5000 };
    static float xyz[3 * N];
    static uint32_t order[N], got[N];
    static bool seen[N];
    family f;
    if (!family_begin(t, &f, "grid, reorder"))
        return;
    make_random(N, xyz);
    for (uint32_t i = 0; i < N; ++i)
        order[i] = i;
    for (size_t i = 0; i < TOOL_COUNT(builds); ++i) {
        const ref_search r = {.points = xyz, .n = N, .stride = 3, .radius = 1};
        search q = {.grid = NULL};
        cl_mem in = selftest_array(t, &f, order, sizeof order);
        cl_mem out = selftest_array(t, &f, NULL, sizeof got);
        ++f.cases;
        memset(seen, 0, sizeof seen);
        if (make_search(t, &f, &q, &r, builds[i].algorithm, 1) &&
            family_passed(t, &f,
                          xl_grid_build_enqueue(
                              q.grid, q.index, t->s.queue,
                              &(xl_grid_build_args){.n = N, .points = xl_view_of(q.points, 0)}, 0,
                              NULL, NULL),
                          "grid build", N) &&
            family_passed(
                t, &f,
                xl_grid_reorder_enqueue(q.grid, q.index, t->s.queue,
                                        &(xl_grid_reorder_args){.element_bytes = sizeof *order,
                                                                .in = xl_view_of(in, 0),
                                                                .out = xl_view_of(out, 0)},
                                        0, NULL, NULL),
                "reorder", N) &&
            selftest_read(t, &f, out, sizeof got, got)) {
            size_t k = 0;
            for (; k < N && got[k] < N && !seen[got[k]]; ++k)
                seen[got[k]] = true;
            if (k < N)
                family_note(&f, "%s build: place %zu holds %" PRIu32, builds[i].name, k, got[k]);
        }
        session_release(&in);
        session_release(&out);
        search_free(&q);
    }
    family_end(t, &f);
}

int tool_selftest(int argc, char **argv)
{
    const char *device = NULL, *tune_file = NULL;
    const tool_option options[] = {
        {"device", OPTION_TEXT, &device, "SEL", "which device; see crosslane devices", NULL},
        TUNE_FILE_OPTION(tune_file)};
    const tool_syntax syntax = {
        .name = "selftest",
        .files = "[NAME...]",
        .max_files = TOOL_MAX_FILES,
        .about = "Checks scan, reduce, sort, top-k, grid and neighbour search on a device against\n"
                 "serial code, at many sizes. What a device cannot do is said with the feature it\n"
                 "lacks. Exit status 1 if anything is wrong.\n\n"
                 "NAME: only the checks whose line of the report has this in its name, such as\n"
                 "\"sort\" or \"scan by keys, look-back\".",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *names[TOOL_MAX_FILES];
    selftest t = {.names = names};
    int result = options_parse(&syntax, argc, argv, names);
    if (result == TOOL_OK)
        result = session_open(&t.s, device, tune_file);
    if (result != TOOL_OK)
        return result;
    printf("%s, %s, sub-group size %" PRIu32 " by %s\n", t.s.info.name, t.s.info.opencl_c,
           t.s.info.sub_group_size, t.s.info.cross_lane);
    result = tool_flush(); /* before minutes of work of which nothing would be seen */
    if (result != TOOL_OK) {
        session_close(&t.s);
        return result;
    }
    selftest_scans(&t);
    selftest_reductions(&t);
    selftest_sorts(&t);
    selftest_segmented_sorts(&t);
    selftest_selections(&t);
    selftest_compaction(&t);
    selftest_merges(&t);
    selftest_searches(&t);
    selftest_histograms(&t);
    selftest_transforms(&t);
    check_neighbors(&t);
    check_non_finite(&t);
    check_reorder(&t);
    selftest_nearest(&t);
    selftest_nearest_approximate(&t);
    printf("%u families, %u cases: %u failures, %u families unsupported\n", t.families, t.cases,
           t.failures, t.unsupported);
    session_close(&t.s);
    if (t.failures)
        return tool_fail("selftest: %u cases failed", t.failures);
    for (size_t i = 0; i < TOOL_MAX_FILES && names[i]; ++i)
        if (!t.known[i])
            return tool_misuse("selftest: no check has \"%s\" in its name", names[i]);
    return TOOL_OK;
}
