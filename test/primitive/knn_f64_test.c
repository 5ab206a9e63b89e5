/* SPDX-License-Identifier: MIT
 * The k nearest of points of double precision, against all of them and their images. */
#include "wide_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ref_knn_search_f64 nearest_wanted(const wide_case *a, const xl_knn_desc *desc)
{
    const ref_search_f64 r = wide_reference_of(a);
    ref_knn_search_f64 s = {.points = r.points,
                            .n = r.n,
                            .stride = r.stride,
                            .dimensions = r.dimensions,
                            .queries = r.queries,
                            .query_stride = r.query_stride,
                            .k = desc->k,
                            .include_self = desc->include_self || r.queries,
                            .radius2 = desc->max_radius_f64 * desc->max_radius_f64,
                            .images = 2};
    memcpy(s.period, r.period, sizeof s.period);
    return s;
}

static void rows_are_nearest(const char *what, const wide_case *a, const xl_knn_desc *desc,
                             const uint32_t *indices, const double *distances2, size_t n)
{
    const ref_knn_search_f64 search = nearest_wanted(a, desc);
    uint32_t wanted[64];
    double far[64];
    for (size_t i = 0; i < n; ++i) {
        ref_knn_f64(&search, i, wanted, far);
        for (size_t j = 0; j < desc->k; ++j) {
            const size_t at = i * desc->k + j;
            if (indices[at] != wanted[j] || distances2[at] != far[j])
                XLT_FAIL("%s: row %zu, place %zu: %u, %.17g far, not %u, %.17g", what, i, j,
                         indices[at], distances2[at], wanted[j], far[j]);
        }
    }
}

/* The first third of the rows, then the others. */
static void check_nearest(const char *what, const wide_case *a, xl_knn_desc desc)
{
    const size_t n = a->queries ? a->queries->n : a->points->n, room = n * desc.k;
    wide_index b = wide_index_make(a);
    given queries = {0};
    xl_knn *plan;
    desc.scalar = XL_F64;
    desc.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    desc.query_stride = a->queries ? (uint32_t)a->queries->stride : 3;
    desc.dimensions = a->grid.dimensions;
    desc.periodic = a->grid.periodic != 0;
    uint32_t *indices = malloc((room + 1) * sizeof *indices);
    double *distances2 = malloc((room + 1) * sizeof *distances2);
    assert_true(indices && distances2);
    xlt_buffer near = xlt_buffer_make(NULL, room, 4, 1), far = xlt_buffer_make(NULL, room, 8, 2);
    if (a->queries)
        queries = given_make(a->queries, a->grid.dimensions, a->soa);
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    for (int part = 0; part < 2; ++part) {
        const size_t first = part == 0 ? 0 : n / 3;
        xl_view indices_at = xlt_view(&near), distances2_at = xlt_view(&far);
        indices_at.offset += first * desc.k;
        distances2_at.offset += first * desc.k;
        XLT_OK(xl_knn_enqueue(plan, b.index, xlt_queue(),
                              &(xl_knn_args){.num_queries = a->queries ? n : 0,
                                             .queries = queries.view[0],
                                             .queries_y = queries.view[1],
                                             .queries_z = queries.view[2],
                                             .indices = indices_at,
                                             .distances2 = distances2_at,
                                             .first_row = first,
                                             .num_rows = part == 0 ? n / 3 : 0},
                              0, NULL, NULL));
    }
    xlt_read(&near, indices);
    xlt_read(&far, distances2);
    xlt_check_guards(&near, "indices");
    xlt_check_guards(&far, "distances2");
    rows_are_nearest(what, a, &desc, indices, distances2, n);
    xl_knn_destroy(plan);
    xlt_buffer_free(&near);
    xlt_buffer_free(&far);
    free(indices);
    free(distances2);
    given_free(&queries);
    wide_index_free(&b);
}

static void the_nearest(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    xl_knn_desc desc;
    xl_knn_desc_init(&desc);
    desc.k = 5;
    places p =
        places_lattice(xlt_small() ? 5 : 8, 0.0, 0.1); /* ties, and those that only seem so */
    wide_case a = wide_case_of(&p, 0.1);
    check_nearest("of a lattice", &a, desc);
    wide_give_box(&a, 0.0, xlt_small() ? 0.5 : 0.8, 7);
    check_nearest("of one that repeats", &a, desc);
    free(p.xyz);
    p = places_lattice(5, 1e9, 1e-3);
    a = wide_case_of(&p, 1.8e-3);
    wide_give_box(&a, 1e9 - 1, 1e9 + 1, 0);
    check_nearest("far off", &a, desc);
    free(p.xyz);
}

static void the_nearest_of_queries(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    xl_knn_desc desc;
    xl_knn_desc_init(&desc);
    desc.k = 12;
    places p = places_uniform(wide_sized(400), 3, 0.0, 1.0, 14);
    places q = places_uniform(wide_sized(200), 4, -0.5, 2.0, 15);
    for (size_t i = 0; i < p.n; i += 9)
        places_set(&p, i, i % 2 ? 1e60 : -1e39, 1e-60, p.xyz[3 * i]);
    places_set(&q, 1, 1e59, 0, 0);
    places_set(&q, 2, NAN, 0, 0);
    wide_case a = wide_case_of(&p, 0.2);
    a.queries = &q;
    a.soa = true;
    check_nearest("of queries", &a, desc);
    desc.max_radius_f64 = 0.3;
    check_nearest("within a radius", &a, desc);
    free(p.xyz);
    free(q.xyz);
}

static void nearest_that_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    places p = places_uniform(20, 3, 0.0, 1.0, 90);
    const wide_case a = wide_case_of(&p, 0.5);
    xl_knn *plan;
    xl_knn_desc right, wrong;
    xl_knn_desc_init(&right);
    right.k = 2;
    right.scalar = XL_F64;
#define REFUSED(field, value, status)                                                              \
    wrong = right;                                                                                 \
    wrong.field = (value);                                                                         \
    XLT_FAILS(xl_knn_create(xlt_context(), &wrong, &plan), (status))
    REFUSED(scalar, XL_U32, XL_ERROR_UNSUPPORTED);
    REFUSED(max_radius, 1, bad);
    REFUSED(max_radius_f64, -1, bad);
    REFUSED(max_radius_f64, 1e160, bad);
    REFUSED(query_layout, 2, bad);
#undef REFUSED
    wide_index b = wide_index_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, 40, 4, 0);
    right.scalar = XL_F32; /* of an index of doubles */
    XLT_OK(xl_knn_create(xlt_context(), &right, &plan));
    XLT_FAILS(xl_knn_enqueue(plan, b.index, xlt_queue(), &(xl_knn_args){.indices = xlt_view(&out)},
                             0, NULL, NULL),
              bad);
    xl_knn_destroy(plan);
    xlt_check_unwritten(&out, "indices");
    xlt_buffer_free(&out);
    wide_index_free(&b);
    free(p.xyz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest),
        cmocka_unit_test(the_nearest_of_queries),
        cmocka_unit_test(nearest_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
