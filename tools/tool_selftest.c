/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: every primitive on one device against serial references,
 * at many sizes; a line for each family of checks. */
#include "tool_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One line of the report. */
typedef struct family {
    char name[64];
    unsigned cases, failures;
    char text[512]; /* the first failure, or why the device cannot do this */
    bool unsupported;
} family;

typedef struct selftest {
    session s;
    unsigned families, cases, failures, unsupported;
} selftest;

static family family_begin(const char *format, ...) TOOL_PRINTF(1, 2);
static family family_begin(const char *format, ...)
{
    family f = {.cases = 0};
    va_list args;
    va_start(args, format);
    vsnprintf(f.name, sizeof f.name, format, args);
    va_end(args);
    progress_say("checking %s", f.name);
    return f;
}

static void family_end(selftest *t, const family *f)
{
    progress_clear();
    ++t->families;
    t->cases += f->cases;
    t->failures += f->failures;
    t->unsupported += f->unsupported;
    if (f->failures)
        printf("FAILED       %-38s %5u of %u cases: %s\n", f->name, f->failures, f->cases, f->text);
    else if (f->unsupported)
        printf("UNSUPPORTED  %-38s %s\n", f->name, f->text);
    else
        printf("ok           %-38s %5u cases\n", f->name, f->cases);
    fflush(stdout);
}

/* Notes a failed case; the first one's text is kept. */
static bool note(family *f, const char *format, ...) TOOL_PRINTF(2, 3);
static bool note(family *f, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (f->failures++ == 0)
        tool_one_line(f->text, sizeof f->text, text);
    return false;
}

/* True for XL_SUCCESS. A feature that the device lacks is no failure. */
static bool passed(const selftest *t, family *f, xl_status status, const char *what, size_t n)
{
    const char *text = xl_context_error(t->s.ctx);
    if (status == XL_SUCCESS)
        return true;
    if (status != XL_ERROR_UNSUPPORTED)
        return note(f, "%s, n %zu: %s: %.300s", what, n, xl_status_name(status), text);
    f->unsupported = true;
    tool_one_line(f->text, sizeof f->text, text);
    return false;
}

/* Filled with 0xA5, so that what is not written shows. */
static cl_mem device_array(const selftest *t, family *f, const void *data, size_t bytes)
{
    static const unsigned char unwritten = 0xa5;
    cl_int code;
    cl_mem mem =
        clCreateBuffer(xl_context_cl(t->s.ctx), CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    if (code == CL_SUCCESS && data && bytes)
        code = clEnqueueWriteBuffer(t->s.queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    else if (code == CL_SUCCESS)
        code = clEnqueueFillBuffer(t->s.queue, mem, &unwritten, 1, 0, bytes ? bytes : 1, 0, NULL,
                                   NULL);
    if (code != CL_SUCCESS)
        note(f, "a buffer of %zu bytes: OpenCL error %d", bytes, (int)code);
    return mem;
}

static bool read_array(const selftest *t, family *f, cl_mem mem, size_t bytes, void *data)
{
    cl_int code = bytes
                      ? clEnqueueReadBuffer(t->s.queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL)
                      : clFinish(t->s.queue);
    return code == CL_SUCCESS || note(f, "reading %zu bytes: OpenCL error %d", bytes, (int)code);
}

/* ---- scan ---- */

static const size_t scan_sizes[] = {0,   1,   2,    31,   32,   33,    63,    64,    65,
                                    255, 256, 1000, 4095, 4097, 16385, 65537, 262147};
enum { MAX_SCAN = 262147, MAX_SORT = 65537 };

static void check_scan_size(const selftest *t, family *f, xl_scan *plan, const xl_scan_desc *d,
                            size_t n)
{
    size_t size = xl_type_size(d->type), bytes = n * size;
    char *in = malloc(bytes + 1), *got = malloc(bytes + 1), *want = malloc(bytes + 1);
    cl_mem from = NULL, to = NULL;
    ++f->cases;
    if (!in || !got || !want) {
        note(f, "no memory for %zu elements", n);
        goto done;
    }
    reference_fill(d->type, d->op == XL_SUM, n + 7, n, in);
    reference_scan(d->type, d->op, d->kind == XL_INCLUSIVE, d->init, in, n, want);
    from = device_array(t, f, in, bytes);
    to = device_array(t, f, NULL, bytes);
    if (!passed(t, f,
                xl_scan_enqueue(plan, t->s.queue, n, xl_view_of(from, 0), xl_no_view(),
                                xl_view_of(to, 0), xl_no_view(), 0, NULL, NULL),
                xl_op_name(d->op), n) ||
        !read_array(t, f, to, bytes, got))
        goto done;
    for (size_t i = 0; i < n; ++i)
        if (!reference_same(d->type, got + i * size, want + i * size)) {
            note(f, "%s %s, n %zu: element %zu differs", d->kind ? "inclusive" : "exclusive",
                 xl_op_name(d->op), n, i);
            break;
        }
done:
    session_release(&from);
    session_release(&to);
    free(in);
    free(got);
    free(want);
}

/* An inclusive scan is checked with a start value, an exclusive one without. */
static bool check_scan(const selftest *t, family *f, xl_type type, xl_op op, xl_scan_kind kind,
                       xl_scan_algorithm algorithm)
{
    static const double f64_start = 5;
    static const float f32_start = 5;
    static const uint64_t start = 5;
    static const uint32_t short_start = 5;
    xl_scan *plan = NULL;
    xl_scan_desc d;
    xl_scan_desc_init(&d);
    d.type = type;
    d.op = op;
    d.kind = kind;
    d.algorithm = algorithm;
    d.determinism = XL_UNORDERED; /* the sums that are checked are exact in any order */
    if (kind == XL_INCLUSIVE)
        d.init = type == XL_F64                             ? (const void *)&f64_start
                 : type == XL_F32                           ? (const void *)&f32_start
                 : xl_type_size(type) == sizeof short_start ? (const void *)&short_start
                                                            : (const void *)&start;
    if (!passed(t, f, xl_scan_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return !f->unsupported;
    }
    for (size_t i = 0; i < TOOL_COUNT(scan_sizes); ++i)
        check_scan_size(t, f, plan, &d, scan_sizes[i]);
    xl_scan_destroy(plan);
    return true;
}

static void check_scans(selftest *t)
{
    static const xl_type types[] = {XL_U32, XL_I32, XL_F32, XL_U64, XL_I64, XL_F64};
    static const xl_op ops[] = {XL_SUM, XL_MIN, XL_MAX};
    static const struct {
        xl_scan_algorithm algorithm;
        const char *name;
    } ways[] = {{XL_SCAN_LOOKBACK, "look-back"},
                {XL_SCAN_REDUCE_THEN_SCAN, "reduce-then-scan"},
                {XL_SCAN_KOGGE_STONE, "kogge-stone"},
                {XL_SCAN_BLELLOCH, "blelloch"}};
    for (size_t i = 0; i < TOOL_COUNT(types) * TOOL_COUNT(ways); ++i) {
        xl_type type = types[i / TOOL_COUNT(ways)];
        family f = family_begin("scan %s, %s", xl_type_name(type), ways[i % TOOL_COUNT(ways)].name);
        bool able = true;
        for (size_t k = 0; able && k < 2 * TOOL_COUNT(ops); ++k)
            able = check_scan(t, &f, type, ops[k / 2], k % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                              ways[i % TOOL_COUNT(ways)].algorithm);
        family_end(t, &f);
    }
}

/* ---- sort ---- */

static const size_t sort_sizes[] = {0,   1,   2,   3,    31,   32,   33,    63,      65,
                                    255, 256, 257, 1000, 4096, 4097, 16385, MAX_SORT};

/* Sorted keys as the reference has them; values a permutation that leads from
 * each key to where it came from. */
static bool sorted_right(family *f, const xl_sort_desc *d, size_t n, const char *in,
                         const char *got, const char *want, const uint32_t *values)
{
    size_t size = xl_type_size(d->key);
    bool *seen = calloc(n + 1, sizeof *seen), good = seen != NULL;
    const char *order = d->order ? "descending" : "ascending";
    for (size_t i = 0; good && i < n; ++i) {
        good = reference_same(d->key, got + i * size, want + i * size);
        if (good && d->value)
            good = values[i] < n && !seen[values[i]] &&
                   memcmp(got + i * size, in + values[i] * size, size) == 0;
        if (good && d->value)
            seen[values[i]] = true;
        if (!good)
            note(f, "%s, n %zu: element %zu is wrong", order, n, i);
    }
    free(seen);
    return good;
}

static void check_sort_size(const selftest *t, family *f, xl_sort *plan, const xl_sort_desc *d,
                            size_t n)
{
    size_t bytes = n * xl_type_size(d->key), value_bytes = d->value ? n * sizeof(uint32_t) : 0;
    char *in = malloc(bytes + 1), *got = malloc(bytes + 1), *want = malloc(bytes + 1);
    uint32_t *values = malloc(value_bytes + 1);
    cl_mem keys = NULL, extra = NULL;
    ++f->cases;
    if (!in || !got || !want || !values) {
        note(f, "no memory for %zu keys", n);
        goto done;
    }
    reference_fill(d->key, false, n + 3, n, in);
    memcpy(want, in, bytes);
    for (size_t i = 0; d->value && i < n; ++i)
        values[i] = (uint32_t)i;
    if (!reference_sort(d->key, d->order == XL_DESCENDING, n, want)) {
        note(f, "no memory for %zu keys", n);
        goto done;
    }
    keys = device_array(t, f, in, bytes);
    if (d->value)
        extra = device_array(t, f, values, value_bytes);
    xl_view k = xl_view_of(keys, 0), v = xl_view_of(extra, 0);
    if (passed(t, f, xl_sort_enqueue(plan, t->s.queue, n, k, v, k, v, xl_no_view(), 0, NULL, NULL),
               "sort", n) &&
        read_array(t, f, keys, bytes, got) &&
        (!d->value || read_array(t, f, extra, value_bytes, values)))
        (void)sorted_right(f, d, n, in, got, want, values);
done:
    session_release(&keys);
    session_release(&extra);
    free(in);
    free(got);
    free(want);
    free(values);
}

static bool check_sort(const selftest *t, family *f, xl_type key, xl_type value,
                       xl_sort_order order)
{
    xl_sort *plan = NULL;
    xl_sort_desc d;
    xl_sort_desc_init(&d);
    d.key = key;
    d.value = value;
    d.order = order;
    d.algorithm = XL_SORT_BITONIC;
    if (!passed(t, f, xl_sort_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return !f->unsupported;
    }
    for (size_t i = 0; i < TOOL_COUNT(sort_sizes); ++i)
        check_sort_size(t, f, plan, &d, sort_sizes[i]);
    xl_sort_destroy(plan);
    return true;
}

static void check_sorts(selftest *t)
{
    static const xl_type keys[] = {XL_U32, XL_I32, XL_U64, XL_F32};
    static const xl_type values[] = {XL_NONE, XL_U32};
    for (size_t i = 0; i < TOOL_COUNT(keys) * TOOL_COUNT(values); ++i) {
        xl_type key = keys[i / 2], value = values[i % 2];
        family f = family_begin("bitonic sort %s%s", xl_type_name(key), value ? " with u32" : "");
        if (check_sort(t, &f, key, value, XL_ASCENDING))
            (void)check_sort(t, &f, key, value, XL_DESCENDING);
        family_end(t, &f);
    }
}

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
        xyz[i] = (float)((double)(reference_random(&state) >> 40) * 0x1p-24 * 20 - 10);
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
    xl_neighbors *plan;
    cl_mem points, counts, offsets, indices, sums;
} search;

static void search_free(search *q)
{
    xl_neighbors_destroy(q->plan);
    xl_grid_destroy(q->grid);
    cl_mem *buffers[] = {&q->points, &q->counts, &q->offsets, &q->indices, &q->sums};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
}

static bool make_search(const selftest *t, family *f, search *q, const reference_search *r,
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
    q->points = device_array(t, f, r->xyz, 3 * r->n * sizeof(float));
    q->counts = device_array(t, f, NULL, r->n * sizeof(uint32_t));
    q->offsets = device_array(t, f, NULL, (r->n + 1) * sizeof(uint64_t));
    q->indices = device_array(t, f, NULL, (size_t)pairs * sizeof(uint32_t));
    q->sums = device_array(t, f, NULL, r->n * sizeof(float));
    return passed(t, f, xl_grid_create(t->s.ctx, &grid, &q->grid), "grid plan", r->n) &&
           passed(t, f, xl_neighbors_create(t->s.ctx, &find, &q->plan), "search plan", r->n);
}

static bool run_search(const selftest *t, family *f, search *q, const reference_search *r,
                       uint64_t pairs)
{
    static const float params[4] = {1, 0.25f, 0, 0};
    cl_command_queue queue = t->s.queue;
    xl_view counts = xl_view_of(q->counts, 0), offsets = xl_view_of(q->offsets, 0);
    return passed(t, f,
                  xl_grid_build_enqueue(q->grid, queue, r->n, xl_view_of(q->points, 0),
                                        xl_no_view(), 0, NULL, NULL),
                  "grid build", r->n) &&
           passed(t, f, xl_grid_status(q->grid, queue, NULL, 0, NULL), "grid status", r->n) &&
           passed(t, f,
                  xl_neighbors_count_enqueue(q->plan, q->grid, queue, counts, offsets, xl_no_view(),
                                             0, NULL, NULL),
                  "count", r->n) &&
           passed(t, f,
                  xl_neighbors_fill_enqueue(q->plan, q->grid, queue, offsets,
                                            xl_view_of(q->indices, 0), pairs, 0, NULL, NULL),
                  "fill", r->n) &&
           passed(t, f,
                  xl_neighbors_visit_enqueue(q->plan, q->grid, queue, 0.5f, params,
                                             xl_view_of(q->sums, 0), 0, NULL, NULL),
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
            return note(f, "n %zu: point %zu has %" PRIu32 " neighbours", n, i, l->counts[i]);
        if ((double)l->sums[i] != sum)
            return note(f, "n %zu: the visits of point %zu give %g", n, i, (double)l->sums[i]);
    }
    if (memcmp(l->offsets, l->want_offsets, (n + 1) * sizeof *l->offsets) != 0)
        return note(f, "n %zu: offsets differ", n);
    if (memcmp(l->indices, l->want_indices, (size_t)l->offsets[n] * sizeof *l->indices) != 0)
        return note(f, "n %zu: indices differ", n);
    return true;
}

static void check_search(const selftest *t, family *f, const reference_search *r,
                         xl_grid_algorithm algorithm, lists *l)
{
    size_t n = r->n;
    search q = {.grid = NULL};
    uint64_t pairs = l->want_offsets[n];
    ++f->cases;
    l->indices = malloc((size_t)pairs * sizeof *l->indices + 1);
    if (!l->indices)
        note(f, "no memory for %" PRIu64 " pairs", pairs);
    else if (make_search(t, f, &q, r, algorithm, pairs) && run_search(t, f, &q, r, pairs) &&
             read_array(t, f, q.counts, n * sizeof *l->counts, l->counts) &&
             read_array(t, f, q.offsets, (n + 1) * sizeof *l->offsets, l->offsets) &&
             read_array(t, f, q.indices, (size_t)pairs * sizeof *l->indices, l->indices) &&
             read_array(t, f, q.sums, n * sizeof *l->sums, l->sums))
        (void)same_lists(f, l, n);
    search_free(&q);
    free(l->indices);
    l->indices = NULL;
}

static void check_cloud(const selftest *t, family *f, const points *p, xl_grid_algorithm algorithm,
                        size_t n, bool inclusive)
{
    float *xyz = malloc(3 * n * sizeof *xyz + 1);
    const reference_search r = {p->radius, inclusive, n, xyz};
    lists l = {.offsets = malloc((n + 1) * sizeof *l.offsets),
               .want_offsets = malloc((n + 1) * sizeof *l.want_offsets),
               .counts = malloc(n * sizeof *l.counts + 1),
               .sums = malloc(n * sizeof *l.sums + 1)};
    if (xyz && l.offsets && l.want_offsets && l.counts && l.sums) {
        p->make(n, xyz);
        reference_neighbors(&r, l.want_offsets, &l.want_indices);
    }
    if (l.want_indices)
        check_search(t, f, &r, algorithm, &l);
    else
        note(f, "no memory for %zu points", n);
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
        family f = family_begin("neighbours, %s, %s", p->name, builds[i % TOOL_COUNT(builds)].name);
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
    family f = family_begin("grid, points that are not finite");
    make_random(N, xyz);
    xyz[3 * FIRST + 1] = NAN;
    xyz[3 * (FIRST + 100)] = INFINITY;
    for (size_t i = 0; i < TOOL_COUNT(builds); ++i) {
        xl_grid_report report = {0};
        const reference_search r = {1, false, N, xyz};
        search q = {.grid = NULL};
        ++f.cases;
        if (make_search(t, &f, &q, &r, builds[i].algorithm, 1) &&
            passed(t, &f,
                   xl_grid_build_enqueue(q.grid, t->s.queue, N, xl_view_of(q.points, 0),
                                         xl_no_view(), 0, NULL, NULL),
                   "grid build", N)) {
            xl_status status = xl_grid_status(q.grid, t->s.queue, &report, 0, NULL);
            if (status != XL_ERROR_NON_FINITE || report.first_non_finite != FIRST ||
                report.non_finite != 2)
                note(&f, "%s build: %s, first at %" PRIu64, builds[i].name, xl_status_name(status),
                     report.first_non_finite);
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
    family f = family_begin("grid, reorder");
    make_random(N, xyz);
    for (uint32_t i = 0; i < N; ++i)
        order[i] = i;
    for (size_t i = 0; i < TOOL_COUNT(builds); ++i) {
        const reference_search r = {1, false, N, xyz};
        search q = {.grid = NULL};
        cl_mem in = device_array(t, &f, order, sizeof order);
        cl_mem out = device_array(t, &f, NULL, sizeof got);
        ++f.cases;
        memset(seen, 0, sizeof seen);
        if (make_search(t, &f, &q, &r, builds[i].algorithm, 1) &&
            passed(t, &f,
                   xl_grid_build_enqueue(q.grid, t->s.queue, N, xl_view_of(q.points, 0),
                                         xl_no_view(), 0, NULL, NULL),
                   "grid build", N) &&
            passed(t, &f,
                   xl_grid_reorder_enqueue(q.grid, t->s.queue, sizeof *order, xl_view_of(in, 0),
                                           xl_view_of(out, 0), 0, NULL, NULL),
                   "reorder", N) &&
            read_array(t, &f, out, sizeof got, got)) {
            size_t k = 0;
            for (; k < N && got[k] < N && !seen[got[k]]; ++k)
                seen[got[k]] = true;
            if (k < N)
                note(&f, "%s build: place %zu holds %" PRIu32, builds[i].name, k, got[k]);
        }
        session_release(&in);
        session_release(&out);
        search_free(&q);
    }
    family_end(t, &f);
}

int tool_selftest(int argc, char **argv)
{
    const char *device = NULL;
    const tool_option options[] = {
        {"device", OPTION_TEXT, &device, "SEL", "which device; see crosslane devices", NULL}};
    const tool_syntax syntax = {
        .name = "selftest",
        .about =
            "Checks scan, sort, grid and neighbour search on a device against serial code, at\n"
            "many sizes. What a device cannot do is said with the feature it lacks. Exit\n"
            "status 1 if anything is wrong.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    selftest t = {.families = 0};
    int result = options_parse(&syntax, argc, argv, files);
    if (result == TOOL_OK)
        result = session_open(&t.s, device);
    if (result != TOOL_OK)
        return result;
    printf("%s, %s, lane width %" PRIu32 " by %s\n", t.s.info.name, t.s.info.opencl_c,
           t.s.info.lane_width, t.s.info.lane_way);
    check_scans(&t);
    check_sorts(&t);
    check_neighbors(&t);
    check_non_finite(&t);
    check_reorder(&t);
    printf("%u families, %u cases: %u failures, %u families unsupported\n", t.families, t.cases,
           t.failures, t.unsupported);
    session_close(&t.s);
    return t.failures ? tool_fail("selftest: %u cases failed", t.failures) : TOOL_OK;
}
