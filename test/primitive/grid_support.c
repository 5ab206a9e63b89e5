/* SPDX-License-Identifier: MIT
 * Support of the tests of the grid and of the neighbour lists. */
#include "grid_support.h"

#include <math.h>
#include <stdlib.h>

cloud cloud_make(size_t n, size_t stride)
{
    cloud c = {.n = n, .stride = stride, .xyz = malloc((n * stride + 1) * sizeof(float))};
    assert_non_null(c.xyz);
    for (size_t i = 0; i < n * stride; ++i)
        c.xyz[i] = NAN;
    return c;
}

void cloud_free(cloud *c)
{
    free(c->xyz);
    *c = (cloud){0};
}

void cloud_set(cloud *c, size_t i, float x, float y, float z)
{
    c->xyz[i * c->stride] = x;
    c->xyz[i * c->stride + 1] = y;
    c->xyz[i * c->stride + 2] = z;
}

xlt_buffer cloud_buffer(const cloud *c, size_t dimensions, size_t offset)
{
    const size_t scalars = c->n > 0 ? (c->n - 1) * c->stride + dimensions : 0;
    return xlt_buffer_make(c->xyz, scalars, sizeof *c->xyz, offset);
}

cloud cloud_uniform(size_t n, float low, float edge, uint64_t seed)
{
    xlt_random random = {seed};
    cloud c = cloud_make(n, 3);
    for (size_t i = 0; i < 3 * n; ++i)
        c.xyz[i] = low + edge * xlt_unit(&random);
    return c;
}

/* Each three points in a row: the first is alone, the second has a companion at its coordinate, and
 * the third is at the next larger float. */
cloud cloud_line(size_t n, int axis, float extent)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {19};
    for (size_t i = 0; i < n; ++i) {
        float x = extent * (2 * xlt_unit(&random) - 1);
        float *p = c.xyz + 3 * i;
        if (i % 3 != 0)
            x = p[-3 + axis % 3];
        if (i % 3 == 2)
            x = nextafterf(x, INFINITY);
        for (int a = 0; a < 3; ++a)
            p[a] = a == axis || axis == 3 ? x : (float)(i % 3) * 0.25f;
    }
    return c;
}

cloud cloud_block_and_stray(size_t n, float away)
{
    cloud c = cloud_uniform(n, 0.0f, cbrtf((float)n), 23);
    cloud_set(&c, n / 2, away, -away, away);
    return c;
}

xl_grid_desc grid_desc_of(const cloud *c, float cell_size)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.stride = (uint32_t)c->stride;
    if (c->dimensions > 0)
        desc.space.dimensions = (uint32_t)c->dimensions;
    desc.cell_size = (double)cell_size;
    return desc;
}

xl_neighbors_desc search_desc_of(float radius)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = (double)radius;
    return desc;
}

void tune_as(tuned how, xl_grid_desc *grid, xl_neighbors_desc *search)
{
    static const xl_tunable cells[TUNED_WAYS][3] = {
        [TUNED_TABLE] = {{"grid.planes", 0}, {"grid.table", 64}, {"grid.thin", 8}},
        [TUNED_ROWS] = {{"grid.planes", 0}, {"grid.table", 0}, {"grid.sampled", 1 << 20}},
        [TUNED_WALK] = {{"grid.planes", 0}, {"grid.table", 64}, {"grid.thin", 3}}};
    static const xl_tunable searches[TUNED_WAYS][3] = {
        [TUNED_TABLE] = {{"neighbors.walk", 0},
                         {"neighbors.staged", 12},
                         {"neighbors.together", 2}},
        [TUNED_ROWS] = {{"neighbors.walk", 0}, {"neighbors.staged", 0}, {"neighbors.together", 1}},
        [TUNED_WALK] = {
            {"neighbors.walk", 37}, {"neighbors.staged", 0}, {"neighbors.together", 2}}};
    grid->tunables = how == TUNED_AS_IS ? NULL : cells[how];
    search->tunables = how == TUNED_AS_IS ? NULL : searches[how];
    grid->num_tunables = how == TUNED_AS_IS ? 0 : 3;
    search->num_tunables = how == TUNED_AS_IS ? 0 : 3;
}

built build_grid(const cloud *c, const xl_grid_desc *desc)
{
    built b = {.cloud = c};
    size_t bytes;
    XLT_OK(xl_grid_create(xlt_context(), desc, &b.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &b.index));
    XLT_OK(xl_grid_scratch(b.grid, &(xl_grid_build_args){.n = c->n}, &bytes));
    b.storage = xlt_scratch_make(bytes);
    b.points = cloud_buffer(c, desc->space.dimensions, 3);
    if (desc->space.num_systems > 0)
        b.systems = xlt_buffer_make(c->systems, c->n, sizeof *c->systems, 2);
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c->n,
                                                       .points = xlt_view(&b.points),
                                                       .storage = xlt_view(&b.storage),
                                                       .systems = xlt_view(&b.systems)},
                                 0, NULL, NULL));
    return b;
}

void built_free(built *b)
{
    xlt_check_guards(&b->points, "points");
    xlt_check_guards(&b->storage, "storage");
    xl_grid_index_destroy(b->index);
    xl_plan_destroy(b->grid);
    xlt_buffer_free(&b->points);
    xlt_buffer_free(&b->storage);
    if (b->systems.mem) {
        xlt_check_guards(&b->systems, "systems");
        xlt_buffer_free(&b->systems);
    }
}

xl_grid_report report_of(const built *b)
{
    xl_grid_report report;
    XLT_OK(xl_grid_index_status(b->index, xlt_queue(), &report, 0, NULL));
    return report;
}

uint32_t *order_of(const built *b)
{
    size_t n = b->cloud->n;
    uint32_t *numbers = malloc((n + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < n; ++i)
        numbers[i] = (uint32_t)i;
    xlt_buffer in = xlt_buffer_make(numbers, n, sizeof *numbers, 1);
    xlt_buffer out = xlt_buffer_make(NULL, n, sizeof *numbers, 2);
    XLT_OK(xl_grid_reorder_enqueue(b->grid, b->index, xlt_queue(),
                                   &(xl_grid_reorder_args){.element_bytes = sizeof *numbers,
                                                           .in = xlt_view(&in),
                                                           .out = xlt_view(&out)},
                                   0, NULL, NULL));
    xlt_read(&out, numbers);
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    return numbers;
}

static list list_make(size_t n)
{
    list l = {.n = n, .offsets = malloc((n + 1) * sizeof *l.offsets)};
    assert_non_null(l.offsets);
    return l;
}

static void list_make_rows(list *l)
{
    l->indices = malloc((l->offsets[l->n] + 1) * sizeof *l->indices);
    assert_non_null(l->indices);
}

void list_free(list *l)
{
    free(l->offsets);
    free(l->indices);
    *l = (list){0};
}

/* The sums of the counts must be the offsets. */
static void check_counts(const list *l, const uint32_t *counts)
{
    for (size_t i = 0; i < l->n; ++i)
        if (l->offsets[i + 1] - l->offsets[i] != counts[i])
            XLT_FAIL("offsets[%zu] to [%zu] differ by %llu, counts[%zu] is %u", i, i + 1,
                     (unsigned long long)(l->offsets[i + 1] - l->offsets[i]), i, counts[i]);
}

static void count_into(const built *b, xl_plan *plan, list *l)
{
    size_t bytes;
    uint32_t *counts = malloc((l->n + 1) * sizeof *counts);
    assert_non_null(counts);
    XLT_OK(xl_neighbors_scratch(plan, &(xl_neighbors_args){.num_queries = l->n}, &bytes));
    xlt_buffer scratch = xlt_scratch_make(bytes);
    xlt_buffer narrow = xlt_buffer_make(NULL, l->n, sizeof *counts, 1);
    xlt_buffer offsets = xlt_buffer_make(NULL, l->n + 1, sizeof *l->offsets, 1);
    XLT_OK(xl_neighbors_count_enqueue(plan, b->index, xlt_queue(),
                                      &(xl_neighbors_args){.counts = xlt_view(&narrow),
                                                           .offsets = xlt_view(&offsets),
                                                           .scratch = xlt_view(&scratch)},
                                      0, NULL, NULL));
    xlt_read(&narrow, counts);
    xlt_read(&offsets, l->offsets);
    check_counts(l, counts);
    xlt_check_guards(&narrow, "counts");
    xlt_check_guards(&offsets, "offsets");
    if (bytes)
        xlt_check_guards(&scratch, "scratch");
    free(counts);
    xlt_buffer_free(&scratch);
    xlt_buffer_free(&narrow);
    xlt_buffer_free(&offsets);
}

static void fill_into(const built *b, xl_plan *plan, list *l)
{
    uint64_t capacity = l->offsets[l->n];
    xlt_buffer offsets = xlt_buffer_make(l->offsets, l->n + 1, sizeof *l->offsets, 0);
    xlt_buffer indices = xlt_buffer_make(NULL, (size_t)capacity, sizeof *l->indices, 3);
    XLT_OK(xl_neighbors_fill_enqueue(plan, b->index, xlt_queue(),
                                     &(xl_neighbors_args){.offsets = xlt_view(&offsets),
                                                          .indices = xlt_view(&indices),
                                                          .capacity = capacity},
                                     0, NULL, NULL));
    xlt_read(&indices, l->indices);
    xlt_check_guards(&offsets, "offsets");
    xlt_check_guards(&indices, "indices");
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&indices);
}

list list_of(const built *b, const xl_neighbors_desc *desc)
{
    xl_plan *plan;
    list l = list_make(b->cloud->n);
    XLT_OK(xl_neighbors_create(b->grid, desc, &plan));
    count_into(b, plan, &l);
    list_make_rows(&l);
    fill_into(b, plan, &l);
    xl_plan_destroy(plan);
    return l;
}

static ref_search search_of(const cloud *c, const xl_neighbors_desc *desc)
{
    return (ref_search){.points = c->xyz,
                        .n = c->n,
                        .stride = c->stride,
                        .dimensions = c->dimensions,
                        .radius = (float)desc->radius,
                        .inclusive = desc->inclusive != 0,
                        .include_self = desc->include_self != 0};
}

list list_by_brute_force(const cloud *c, const xl_neighbors_desc *desc)
{
    list l = list_make(c->n);
    ref_search search = search_of(c, desc);
    l.indices = ref_neighbors(&search, l.offsets);
    assert_non_null(l.indices);
    return l;
}

typedef struct place {
    float x;
    uint32_t i;
} place;

static int by_place(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* The neighbours of place k into `row`, or counted where that is NULL. */
static uint64_t sweep(const ref_search *search, const place *places, size_t k, uint32_t *row)
{
    const double reach = (double)search->radius * (1 + 1e-5);
    uint64_t count = 0;
    for (int up = 0; up < 2; ++up)
        for (size_t q = k; up ? q < search->n : q-- > 0; q += (size_t)up) {
            if (fabs((double)places[q].x - (double)places[k].x) > reach)
                break;
            if (!ref_near(search, places[k].i, places[q].i))
                continue;
            if (row)
                row[count] = places[q].i;
            ++count;
        }
    return count;
}

static size_t longest_axis(const cloud *c)
{
    size_t longest = 0;
    double length = -1;
    for (size_t a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < c->n; ++i) {
            low = fmin(low, (double)c->xyz[i * c->stride + a]);
            high = fmax(high, (double)c->xyz[i * c->stride + a]);
        }
        if (high - low > length)
            longest = a, length = high - low;
    }
    return longest;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void sort_rows(list *l)
{
    for (size_t i = 0; i < l->n; ++i)
        qsort(l->indices + l->offsets[i], (size_t)(l->offsets[i + 1] - l->offsets[i]),
              sizeof *l->indices, by_value);
}

list list_by_sweep(const cloud *c, const xl_neighbors_desc *desc)
{
    list l = list_make(c->n);
    ref_search search = search_of(c, desc);
    place *places = malloc((c->n + 1) * sizeof *places);
    assert_non_null(places);
    const float *along = c->xyz + longest_axis(c);
    for (size_t i = 0; i < c->n; ++i)
        places[i] = (place){.x = along[i * c->stride], .i = (uint32_t)i};
    qsort(places, c->n, sizeof *places, by_place);
    l.offsets[0] = 0;
    for (size_t k = 0; k < c->n; ++k)
        l.offsets[places[k].i + 1] = sweep(&search, places, k, NULL);
    for (size_t i = 0; i < c->n; ++i)
        l.offsets[i + 1] += l.offsets[i];
    list_make_rows(&l);
    for (size_t k = 0; k < c->n; ++k)
        (void)sweep(&search, places, k, l.indices + l.offsets[places[k].i]);
    sort_rows(&l);
    free(places);
    return l;
}

static void offsets_equal(const char *what, const uint64_t *got, const uint64_t *wanted, size_t n)
{
    for (size_t i = 0; i <= n; ++i)
        if (got[i] != wanted[i])
            XLT_FAIL("%s: offsets[%zu] is %llu, not %llu", what, i, (unsigned long long)got[i],
                     (unsigned long long)wanted[i]);
}

void lists_equal(const char *what, const list *got, const list *wanted)
{
    assert_int_equal(got->n, wanted->n);
    offsets_equal(what, got->offsets, wanted->offsets, got->n);
    for (size_t i = 0; i < got->n; ++i)
        for (uint64_t k = got->offsets[i]; k < got->offsets[i + 1]; ++k)
            if (got->indices[k] != wanted->indices[k])
                XLT_FAIL("%s: neighbour %llu of point %zu is %u, not %u", what,
                         (unsigned long long)(k - got->offsets[i]), i, got->indices[k],
                         wanted->indices[k]);
}

uint64_t pairs_of(const built *b, const xl_neighbors_desc *desc)
{
    xl_plan *plan;
    uint64_t pairs;
    list l = list_make(b->cloud->n);
    XLT_OK(xl_neighbors_create(b->grid, desc, &plan));
    count_into(b, plan, &l);
    pairs = l.offsets[l.n];
    xl_plan_destroy(plan);
    list_free(&l);
    return pairs;
}

xl_grid_report check_search(const char *what, const cloud *c, const xl_grid_desc *grid,
                            const xl_neighbors_desc *search)
{
    built b = build_grid(c, grid);
    xl_grid_report report = report_of(&b);
    list got = list_of(&b, search), wanted = list_by_brute_force(c, search);
    if (!search->sorted)
        sort_rows(&got);
    lists_equal(what, &got, &wanted);
    list_free(&got);
    list_free(&wanted);
    built_free(&b);
    return report;
}
