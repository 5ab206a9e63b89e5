/* SPDX-License-Identifier: MIT
 * Neighbour search: exact counts of lattices, brute force on awkward clouds and on
 * a real one, sums over pairs, what happens on failed grids, what is refused. */
#include "grid_support.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- closed figures ------------------------------------------------------ */

/* Ordered pairs of an open side^3 lattice: over each offset (x, y, z) that is near
 * enough, the number of points that have such a neighbour. */
static uint64_t lattice_pairs(int side, float radius)
{
    uint64_t pairs = 0;
    int far = (int)radius + 1;
    for (int z = -far; z <= far; ++z)
        for (int y = -far; y <= far; ++y)
            for (int x = -far; x <= far; ++x) {
                float square = (float)(x * x + y * y + z * z);
                if (square > 0 && square < radius * radius)
                    pairs += (uint64_t)(side - abs(x)) * (uint64_t)(side - abs(y)) *
                             (uint64_t)(side - abs(z));
            }
    return pairs;
}

static void check_lattice(int side, float radius, float cell_size, uint64_t wanted)
{
    const float spacing = 0.013f;
    cloud c = cloud_lattice((size_t)side, spacing, 0, 0);
    xl_grid_desc desc = grid_desc_of(&c, cell_size * spacing);
    xl_neighbors_desc search = search_desc_of(radius * spacing);
    built b = build_grid(&c, &desc);
    uint64_t got = pairs_of(&b, &search);
    if (got != wanted || wanted != lattice_pairs(side, radius))
        XLT_FAIL("%d^3 points, radius %g spacings: %llu pairs, not %llu", side, (double)radius,
                 (unsigned long long)got, (unsigned long long)wanted);
    built_free(&b);
    cloud_free(&c);
}

static void open_lattices_have_their_pairs(void **state)
{
    (void)state;
    const float radii[] = {1.1f, 1.5f, 1.8f, 2.1f, 2.5f, 3.1f};
    const uint64_t of_6[] = {1080, 2880, 3880, 4744, 10024, 13744};
    const uint64_t of_10[] = {5400, 15120, 20952, 25752, 58584, 84288};
    const uint64_t of_32[] = {190464, 559488, 797816, 982136, 2388296, 3581672};
    for (size_t k = 0; k < 6; k += xlt_on_oclgrind() ? 3 : 1) {
        check_lattice(6, radii[k], radii[k], of_6[k]);
        if (xlt_small())
            continue;
        check_lattice(10, radii[k], radii[k], of_10[k]);
        check_lattice(10, radii[k], 0.4f, of_10[k]);
        check_lattice(10, radii[k], 5.0f, of_10[k]);
        check_lattice(32, radii[k], radii[k], of_32[k]);
    }
    if (!xlt_small())
        check_lattice(128, 1.5f, 1.5f, 37258752);
}

static void ties_are_as_asked(void **state)
{
    (void)state;
    const int side = xlt_small() ? 5 : 12;
    cloud c = cloud_lattice((size_t)side, 1.0f, 0, 0);
    xl_grid_desc desc = grid_desc_of(&c, 1.0f);
    xl_neighbors_desc search = search_desc_of(1.0f);
    built b = build_grid(&c, &desc);
    assert_int_equal(pairs_of(&b, &search), 0);
    search.inclusive = 1;
    list l = list_of(&b, &search);
    size_t middle = (size_t)((2 * side + 2) * side + 2);
    assert_int_equal(l.offsets[middle + 1] - l.offsets[middle], 6);
    assert_int_equal(l.offsets[l.n], 6 * side * side * (side - 1));
    list_free(&l);
    built_free(&b);
    cloud_free(&c);
}

static const char poly6[] = "/* sum of (h^2 - d^2)^3 */\n"
                            "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
                            "{\n"
                            "    float t = p.x - distance2;\n"
                            "    return sum + p.y * (t * t * t);\n"
                            "}\n";

static float *visit_sums(const built *b, const xl_neighbors_desc *search, float start,
                         const float *params)
{
    xl_neighbors *plan;
    float *sums = malloc((b->cloud->n + 1) * sizeof *sums);
    assert_non_null(sums);
    xlt_buffer out = xlt_buffer_make(NULL, b->cloud->n, sizeof *sums, 5);
    XLT_OK(xl_neighbors_create(xlt_context(), search, &plan));
    xl_neighbors_visit_args args = {.start = start, .out = xlt_view(&out)};
    if (params)
        memcpy(args.params, params, sizeof args.params);
    XLT_OK(xl_neighbors_visit_enqueue(plan, b->index, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&out, sums);
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&out);
    xl_neighbors_destroy(plan);
    return sums;
}

/* Poly6 density of a cubic lattice with h = 2 spacings, over the true one: sums of
 * (4 - d^2)^3 of 330, 267, 214 and 170 inside, on a face, an edge and a corner. */
static void poly6_density_of_a_lattice(void **state)
{
    (void)state;
    enum { SIDE = 7 };
    const double pi = 3.14159265358979323846;
    const double norm = 315.0 / (64.0 * pi * 512.0);
    const struct {
        size_t x, y, z;
        double density;
    } wanted[] = {{3, 3, 3, 1.009775167},
                  {0, 3, 3, 0.816999908},
                  {0, 3, 0, 0.654823895},
                  {6, 0, 6, 0.520187207}};
    cloud c = cloud_lattice(SIDE, 1.0f, 0, 0);
    xl_grid_desc desc = grid_desc_of(&c, 2.0f);
    xl_neighbors_desc search = search_desc_of(2.0f);
    const float params[4] = {4.0f, (float)norm, 0, 0};
    search.include_self = 1;
    search.visit = poly6;
    built b = build_grid(&c, &desc);
    float *sums = visit_sums(&b, &search, 0, params);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        float got = sums[(wanted[k].z * SIDE + wanted[k].y) * SIDE + wanted[k].x];
        if (fabs((double)got - wanted[k].density) > 2e-6)
            XLT_FAIL("density at (%zu, %zu, %zu) is %.9f, not %.9f", wanted[k].x, wanted[k].y,
                     wanted[k].z, (double)got, wanted[k].density);
    }
    free(sums);
    built_free(&b);
    cloud_free(&c);
}

/* ---- brute force --------------------------------------------------------- */

/* The cloud with each cell size, on both sides of the comparison, with and without
 * the points themselves. On a simulator in two of these ways, and the others the next time. */
static void check_cloud(const char *what, const cloud *c, float radius)
{
    static unsigned turn;
    ++turn;
    const float cells[] = {1.0f, 0.3f, 4.0f};
    for (unsigned k = 0; k < (xlt_few_programs() ? 1u : 3u); ++k)
        for (unsigned way = 0; way < 4; ++way) {
            if (xlt_on_oclgrind() && (way + turn) % 2 != 0)
                continue;
            xl_grid_desc desc = grid_desc_of(c, radius * cells[k]);
            xl_neighbors_desc search = search_desc_of(radius);
            search.inclusive = way & 1;
            search.include_self = way >> 1 & 1;
            search.sorted = way != 3;
            desc.algorithm = way == 2 ? XL_GRID_BITONIC : XL_GRID_AUTO;
            tune_as(way == 1 ? TUNED_TABLE : way == 3 ? TUNED_ROWS : TUNED_AS_IS, &desc, &search);
            (void)check_search(what, c, &desc, &search);
        }
}

static size_t sized(size_t n)
{
    return xlt_small() ? n / 8 : n;
}

static void awkward_clouds(void **state)
{
    (void)state;
    cloud c = cloud_uniform(sized(1500), -0.7f, 1.4f, 1);
    check_cloud("negative coordinates", &c, 0.1f);
    for (size_t i = 0; i < c.n; ++i)
        c.xyz[3 * i + 2] = -0.25f;
    check_cloud("a flat box", &c, 0.06f);
    for (size_t i = 0; i < c.n; ++i)
        cloud_set(&c, i, (float)(i % 5) * 0.1f, (float)(i % 3) * 0.1f, (float)(i % 2) * 0.1f);
    check_cloud("coincident points on faces", &c, 0.1f);
    cloud_free(&c);
    c = cloud_lattice(xlt_small() ? 5 : 11, 0.25f, 0, 0);
    check_cloud("points on faces, ties everywhere", &c, 0.25f);
    for (size_t i = 0; i < 3 * c.n; ++i)
        c.xyz[i] = -c.xyz[i];
    check_cloud("points on faces, negative", &c, 0.5f);
    cloud_free(&c);
    c = cloud_uniform(sized(800), 0.0f, 1e-3f, 6);
    check_cloud("small numbers", &c, 1e-4f);
    cloud_free(&c);
}

static void far_from_the_origin(void **state)
{
    (void)state;
    const float far[] = {1e6f, -4e6f, 1.6777216e7f, 1e9f};
    for (size_t k = 0; k < 4; k += xlt_few_programs() ? 3 : 1) {
        cloud c = cloud_uniform(sized(800), far[k], fabsf(far[k]) * 1e-5f, 5 + k);
        check_cloud("far from the origin", &c, fabsf(far[k]) * 1e-6f);
        cloud_free(&c);
    }
}

static void outliers(void **state)
{
    (void)state;
    const float far[] = {1000.0f, -1e9f, 1e30f, 3e38f};
    cloud c = cloud_uniform(sized(1200), 0.0f, 1.0f, 17);
    for (size_t k = 0; k < 4; k += xlt_few_programs() ? 3 : 1) {
        cloud_set(&c, 100, far[k], far[k], far[k]);
        cloud_set(&c, 50, far[k], far[k], far[k]);
        check_cloud("an outlier", &c, 0.09f);
        cloud_set(&c, 7, -far[k], far[k], 0);
        check_cloud("outliers", &c, 0.09f);
    }
    cloud_free(&c);
}

static void few_points(void **state)
{
    (void)state;
    cloud c = cloud_make(1, 3);
    cloud_set(&c, 0, 0.3f, -5, 1e20f);
    check_cloud("one point", &c, 1.0f);
    cloud_free(&c);
    c = cloud_make(2, 3);
    cloud_set(&c, 0, 0, 0, 0);
    cloud_set(&c, 1, 3, 0, 4);
    check_cloud("two points at exactly the radius", &c, 5.0f);
    check_cloud("two points inside", &c, nextafterf(5.0f, 9.0f));
    cloud_set(&c, 1, 0, 0, 0);
    check_cloud("two points in one place", &c, 1e-3f);
    cloud_set(&c, 1, 3e38f, -3e38f, 3e38f);
    check_cloud("two points across all of space", &c, 1e19f);
    cloud_free(&c);
}

/* Many rows longer than what is sorted by insertion. */
static void crowds(void **state)
{
    (void)state;
    size_t n = sized(1000);
    cloud c = cloud_make(n, 3);
    for (size_t i = 0; i < n; ++i)
        cloud_set(&c, i, 0.5f, 0.5f, i % 9 == 0 ? 0.5f : 0.5001f);
    check_cloud("two crowds", &c, 0.001f);
    cloud_free(&c);
    c = cloud_uniform(xlt_small() ? 200 : 5000, 0.0f, 1.0f, 23);
    xl_grid_desc desc = grid_desc_of(&c, 50.0f);
    xl_neighbors_desc search = search_desc_of(0.05f);
    (void)check_search("all in one cell", &c, &desc, &search);
    cloud_free(&c);
}

static void radius_and_cell_of_any_ratio(void **state)
{
    (void)state;
    const float cells[] = {1e-30f, 1e-6f, 0.003f, 0.7f, 30.0f, 1e30f};
    const float radii[] = {1e-6f, 0.02f, 0.4f, 1.0f, 100.0f, 1e18f};
    cloud c = cloud_uniform(xlt_small() ? 60 : 300, -0.5f, 1.0f, 29);
    for (size_t k = 0; k < 6; ++k)
        for (size_t j = 0; j < 6; ++j) {
            if (xlt_few_programs() && j != k && j != 5 - k) /* both diagonals have the extremes */
                continue;
            xl_grid_desc desc = grid_desc_of(&c, cells[k]);
            xl_neighbors_desc search = search_desc_of(radii[j]);
            (void)check_search("radius and cell", &c, &desc, &search);
        }
    cloud_free(&c);
}

/* Few points, and one far off, of rows that are listed; searches reach further and further. */
static void listed_rows_bring_no_point_twice(void **state)
{
    (void)state;
    cloud c = cloud_uniform(64, 0.0f, 1.0f, 37);
    cloud_set(&c, 0, 500.0f, 0, 0);
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    for (int k = 1; k < 9; ++k) {
        xl_neighbors_desc search = search_desc_of(0.1f * (float)k);
        xl_grid_report r = check_search("listed rows", &c, &desc, &search);
        if (k == 1)
            assert_int_equal(r.sparse, 1);
    }
    cloud_free(&c);
}

/* Every way to keep and to search gives one list. */
static void tables_and_rows_agree(void **state)
{
    (void)state;
    cloud c = cloud_uniform(sized(2000), 0.0f, 1.0f, 41);
    xl_neighbors_desc search = search_desc_of(0.08f);
    list wanted = list_by_brute_force(&c, &search);
    for (int way = TUNED_AS_IS; way < TUNED_WAYS; ++way) {
        if (xlt_few_programs() && way == TUNED_ROWS)
            continue;
        for (int fine = 0; fine < 2; ++fine) {
            xl_grid_desc desc = grid_desc_of(&c, fine ? 0.01f : 0.1f);
            tune_as((tuned)way, &desc, &search);
            built b = build_grid(&c, &desc);
            if (way != TUNED_AS_IS)
                assert_int_equal(report_of(&b).sparse, fine || way == TUNED_ROWS);
            list got = list_of(&b, &search);
            lists_equal(fine ? "fine cells" : "cells", &got, &wanted);
            list_free(&got);
            built_free(&b);
        }
    }
    list_free(&wanted);
    cloud_free(&c);
}

/* A walk through a table takes all points at once then. */
static void tables_of_more_rows_than_points(void **state)
{
    (void)state;
    cloud c = cloud_make(12, 3);
    for (size_t i = 0; i < c.n; ++i)
        cloud_set(&c, i, 0, (float)(i * 7 % 5), (float)(i % 4));
    xl_grid_desc desc = grid_desc_of(&c, 1.0f);
    xl_neighbors_desc search = search_desc_of(0);
    tune_as(TUNED_TABLE, &desc, &search);
    for (float radius = 1.5f; radius < 20; radius *= 2) {
        search.radius = radius;
        assert_int_equal(check_search("more rows than points", &c, &desc, &search).sparse, 0);
    }
    cloud_free(&c);
}

static void given_box(void **state)
{
    (void)state;
    cloud c = cloud_uniform(xlt_small() ? 200 : 1000, 0.0f, 1.0f, 43);
    for (size_t i = 0; i < c.n; i += 7)
        c.xyz[3 * i + i % 3] = i % 2 ? 1.0f : 0.0f;
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    xl_neighbors_desc search = search_desc_of(0.13f);
    desc.bounded = 1;
    for (size_t a = 0; a < 3; ++a)
        desc.upper[a] = 1.0f;
    tune_as(TUNED_TABLE, &desc, &search);
    xl_grid_report r = check_search("a given box", &c, &desc, &search);
    assert_int_equal(r.sparse, 0);
    assert_int_equal(r.cells[0], 81); /* a point on the upper face begins a cell */
    assert_int_equal(r.cells[1], 11);
    desc.cell_size = 1e-3f;
    r = check_search("a given box of many cells", &c, &desc, &search);
    assert_int_equal(r.sparse, 1);
    cloud_free(&c);
}

/* The last work-items of a group write rows together as well where they are fewer than 32. */
static void groups_of_any_size(void **state)
{
    static const uint32_t groups[] = {8, 40};
    (void)state;
    cloud c = cloud_uniform(300, 0.0f, 1.0f, 41);
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; ++k) {
        const xl_tunable tunables[] = {{"grid.planes", 0},
                                       {"neighbors.walk", 0},
                                       {"neighbors.staged", 16},
                                       {"neighbors.group", groups[k]}};
        xl_grid_desc desc = grid_desc_of(&c, 0.2f);
        xl_neighbors_desc search = search_desc_of(0.2f);
        tune_as(TUNED_TABLE, &desc, &search);
        search.tunables = tunables;
        search.num_tunables = sizeof tunables / sizeof tunables[0];
        (void)check_search("groups of any size", &c, &desc, &search);
    }
    cloud_free(&c);
}

static void strides(void **state)
{
    (void)state;
    for (size_t stride = 3; stride < 9; stride += xlt_on_oclgrind() ? 4 : 1) {
        cloud from = cloud_uniform(sized(400), 0.0f, 1.0f, 47);
        cloud c = cloud_make(from.n, stride);
        for (size_t i = 0; i < c.n; ++i)
            cloud_set(&c, i, from.xyz[3 * i], from.xyz[3 * i + 1], from.xyz[3 * i + 2]);
        xl_grid_desc desc = grid_desc_of(&c, 0.1f);
        xl_neighbors_desc search = search_desc_of(0.15f);
        (void)check_search("stride", &c, &desc, &search);
        cloud_free(&from);
        cloud_free(&c);
    }
}

/* What is not read is NaN, and buffers end with the last coordinate. */
static void fewer_dimensions(void **state)
{
    (void)state;
    cloud from = cloud_uniform(sized(900), 0.0f, 1.0f, 83);
    for (size_t dimensions = 1; dimensions < 4; ++dimensions)
        for (size_t stride = dimensions; stride < 5; stride += 4 - dimensions) {
            if (xlt_few_programs() && (stride == dimensions || dimensions == 3))
                continue;
            cloud c = cloud_make(from.n, stride);
            c.dimensions = dimensions;
            for (size_t i = 0; i < c.n; ++i)
                memcpy(c.xyz + i * stride, from.xyz + 3 * i, dimensions * sizeof(float));
            xl_grid_desc desc = grid_desc_of(&c, 0.05f);
            xl_neighbors_desc search = search_desc_of(0.05f);
            desc.bounded = stride > dimensions;
            desc.upper[0] = desc.upper[1] = desc.upper[2] = 1.0f;
            desc.lower[1] = desc.lower[2] = dimensions == 1 ? NAN : 0.0f;
            const xl_grid_report r = check_search("fewer dimensions", &c, &desc, &search);
            assert_true(r.upper[0] > 0.9f && (dimensions > 1 || r.upper[1] == 0));
            assert_true(dimensions == 3 ? r.upper[2] > 0.9f : r.upper[2] == 0);
            cloud_free(&c);
        }
    cloud_free(&from);
}

/* Square lattices: ordered pairs by the sum over the offsets that are near enough. */
static void flat_lattices_have_their_pairs(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    const struct {
        float radius;
        int32_t in_plane;
        uint64_t pairs;
    } wanted[] = {{1.1f, 4, 6240}, {1.5f, 8, 12324}, {2.1f, 12, 18404}, {2.3f, 20, 30260}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k += xlt_on_oclgrind() ? 4 : 1) {
        cloud c = cloud_make(SIDE * SIDE, 2);
        c.dimensions = 2;
        for (size_t i = 0; i < c.n; ++i) {
            c.xyz[2 * i] = (float)(i % SIDE);
            c.xyz[2 * i + 1] = (float)(i / SIDE);
        }
        xl_grid_desc desc = grid_desc_of(&c, wanted[k].radius);
        xl_neighbors_desc search = search_desc_of(wanted[k].radius);
        built b = build_grid(&c, &desc);
        list l = list_of(&b, &search);
        const size_t middle = SIDE * SIDE / 2 + SIDE / 2;
        assert_int_equal(l.offsets[middle + 1] - l.offsets[middle], wanted[k].in_plane);
        assert_int_equal(l.offsets[c.n], wanted[k].pairs);
        list_free(&l);
        built_free(&b);
        cloud_free(&c);
    }
}

/* ---- a real cloud -------------------------------------------------------- */

/* The floats of a .npy file of (n, 3), or no points when the file is not there. */
static cloud read_npy(const char *path)
{
    unsigned char head[10];
    cloud c = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return c;
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    assert_memory_equal(head, "\x93NUMPY\x01", 7);
    long start = 10 + head[8] + 256 * head[9];
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t n = (size_t)(ftell(file) - start) / 12;
    assert_int_equal(fseek(file, start, SEEK_SET), 0);
    c = cloud_make(n, 3);
    assert_int_equal(fread(c.xyz, 12, n, file), n);
    fclose(file);
    return c;
}

static void bunny(void **state)
{
    (void)state;
    const char path[] = XLT_SHARED_DATA "/stanford-bunny.npy";
    cloud c = xlt_small() ? (cloud){0} : read_npy(path);
    if (c.n == 0) {
        print_message("skipped: %s\n", xlt_small() ? "a small run" : "no " XLT_SHARED_DATA);
        return;
    }
    assert_int_equal(c.n, 35947);
    xl_neighbors_desc search = search_desc_of(0.002f);
    xl_grid_desc desc = grid_desc_of(&c, 0.002f);
    built b = build_grid(&c, &desc);
    list got = list_of(&b, &search), wanted = list_by_brute_force(&c, &search);
    lists_equal("bunny", &got, &wanted);
    list_free(&got);
    list_free(&wanted);
    built_free(&b);
    cloud_free(&c);
}

/* ---- sums ---------------------------------------------------------------- */

static void visits_see_each_pair_once(void **state)
{
    (void)state;
    /* Integer-valued sums below 2^24 are exact in any order. */
    static const char text[] = "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
                               "{ return sum + (i == j ? 100.0f : (float)((j ^ i) & 15u)) + p.w; }";
    cloud c = cloud_uniform(sized(900), 0.0f, 1.0f, 53);
    const float params[4] = {0, 0, 0, 3};
    for (uint32_t include_self = 0; include_self < 2; ++include_self) {
        xl_grid_desc desc = grid_desc_of(&c, include_self ? 0.01f : 0.1f);
        xl_neighbors_desc search = search_desc_of(0.15f);
        search.include_self = include_self;
        search.visit = text;
        built b = build_grid(&c, &desc);
        list l = list_by_brute_force(&c, &search);
        float *sums = visit_sums(&b, &search, 5.0f, params);
        for (size_t i = 0; i < c.n; ++i) {
            float sum = 5.0f;
            for (uint64_t k = l.offsets[i]; k < l.offsets[i + 1]; ++k)
                sum += (l.indices[k] == i ? 100.0f : (float)((l.indices[k] ^ i) & 15)) + 3.0f;
            if (sums[i] != sum)
                XLT_FAIL("sum of point %zu is %g, not %g", i, (double)sums[i], (double)sum);
        }
        free(sums);
        list_free(&l);
        built_free(&b);
    }
    cloud_free(&c);
}

/* Sums that round, twice: the same bits. */
static void visits_repeat(void **state)
{
    (void)state;
    cloud c = cloud_uniform(xlt_small() ? 200 : 4000, 0.0f, 1.0f, 59);
    const float params[4] = {0.0144f, 1.7e5f, 0, 0};
    for (int hashed = 0; hashed < 2; ++hashed) {
        float *first = NULL;
        xl_grid_desc desc = grid_desc_of(&c, hashed ? 0.02f : 0.12f);
        xl_neighbors_desc search = search_desc_of(0.12f);
        search.visit = poly6;
        for (int run = 0; run < (xlt_small() ? 2 : 6); ++run) {
            desc.algorithm = run % 2 ? XL_GRID_BITONIC : XL_GRID_COUNTING;
            built b = build_grid(&c, &desc);
            float *sums = visit_sums(&b, &search, 0, params);
            if (first)
                assert_memory_equal(first, sums, c.n * sizeof *sums);
            else
                first = sums, sums = NULL;
            free(sums);
            built_free(&b);
        }
        free(first);
    }
    cloud_free(&c);
}

static void errors_in_visit_point_into_it(void **state)
{
    (void)state;
    xl_neighbors *plan;
    xl_neighbors_desc search = search_desc_of(1.0f);
    search.visit = "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
                   "{\n"
                   "    return sum + no_such_name;\n"
                   "}\n";
    XLT_FAILS(xl_neighbors_create(xlt_context(), &search, &plan), XL_ERROR_BUILD);
    assert_null(plan);
    const char *text = xl_context_error(xlt_context());
    if (!strstr(text, "visit:3") || !strstr(text, "no_such_name"))
        XLT_FAIL("neither line 3 nor the name is in: %.900s", text);
}

/* ---- failed grids, short lists, empty clouds ----------------------------- */

enum { N_OF_FAILED = 300 };

static void check_failed(const cloud *c, const xl_grid_desc *desc)
{
    enum { N = N_OF_FAILED };
    uint32_t counts[N], indices[N];
    uint64_t offsets[N + 1];
    xl_neighbors *plan;
    xl_neighbors_desc search = search_desc_of(0.2f);
    search.visit = poly6;
    built b = build_grid(c, desc);
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    xlt_buffer narrow = xlt_buffer_make(NULL, N, 4, 0), wide = xlt_buffer_make(NULL, N + 1, 8, 0);
    xlt_buffer rows = xlt_buffer_make(NULL, N, 4, 0);
    XLT_OK(xl_neighbors_count_enqueue(
        plan, b.index, xlt_queue(),
        &(xl_neighbors_count_args){.counts = xlt_view(&narrow), .offsets = xlt_view(&wide)}, 0,
        NULL, NULL));
    XLT_OK(xl_neighbors_fill_enqueue(plan, b.index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.offsets = xlt_view(&wide),
                                                               .indices = xlt_view(&rows),
                                                               .capacity = N},
                                     0, NULL, NULL));
    xlt_read(&narrow, counts);
    xlt_read(&wide, offsets);
    xlt_read(&rows, indices);
    float *sums = visit_sums(&b, &search, 1.0f, NULL);
    for (size_t i = 0; i < N; ++i)
        if (counts[i] != 0 || offsets[i] != 0 || indices[i] != 0xa5a5a5a5u || !isnan(sums[i]))
            XLT_FAIL("point %zu of a failed grid: count %u, offset %llu, index %x, sum %g", i,
                     counts[i], (unsigned long long)offsets[i], indices[i], (double)sums[i]);
    assert_true(offsets[N] == UINT64_MAX);
    free(sums);
    xlt_buffer_free(&narrow);
    xlt_buffer_free(&wide);
    xlt_buffer_free(&rows);
    xl_neighbors_destroy(plan);
    built_free(&b);
}

/* As the device's table has it, and by counting cells, which looks at points by itself. */
static void failed_grids_give_nothing(void **state)
{
    (void)state;
    static const xl_tunable table[] = {{"grid.table", 64}};
    cloud c = cloud_uniform(N_OF_FAILED, 0.0f, 1.0f, 61);
    c.xyz[3 * 100 + 1] = NAN;
    c.xyz[3 * 200 + 1] = -INFINITY;
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    check_failed(&c, &desc);
    desc.tunables = table;
    desc.num_tunables = 1;
    check_failed(&c, &desc);
    cloud_free(&c);
}

/* Rows that end beyond the capacity are left alone; offsets of another search give
 * no write outside of the rows they name. */
static void short_lists_are_never_overrun(void **state)
{
    (void)state;
    xl_neighbors *plan;
    cloud c = cloud_uniform(sized(600), 0.0f, 1.0f, 67);
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    xl_neighbors_desc search = search_desc_of(0.2f);
    built b = build_grid(&c, &desc);
    list l = list_of(&b, &search);
    uint64_t all = l.offsets[c.n], capacity = all * 2 / 3;
    uint32_t *got = malloc(capacity * sizeof *got);
    assert_non_null(got);
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    xlt_buffer offsets = xlt_buffer_make(l.offsets, c.n + 1, 8, 0);
    xlt_buffer rows = xlt_buffer_make(NULL, (size_t)capacity, 4, 1);
    XLT_OK(xl_neighbors_fill_enqueue(plan, b.index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.offsets = xlt_view(&offsets),
                                                               .indices = xlt_view(&rows),
                                                               .capacity = capacity},
                                     0, NULL, NULL));
    xlt_read(&rows, got);
    xlt_check_guards(&rows, "indices");
    for (size_t i = 0; i < c.n; ++i)
        for (uint64_t k = l.offsets[i]; k < l.offsets[i + 1] && k < capacity; ++k)
            if (got[k] != (l.offsets[i + 1] <= capacity ? l.indices[k] : 0xa5a5a5a5u))
                XLT_FAIL("indices[%llu] of row %zu is %u", (unsigned long long)k, i, got[k]);
    for (size_t i = 0; i <= c.n; ++i)
        l.offsets[i] = capacity / (c.n + 1) * i;
    xlt_buffer_free(&offsets);
    offsets = xlt_buffer_make(l.offsets, c.n + 1, 8, 0);
    XLT_OK(xl_neighbors_fill_enqueue(plan, b.index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.offsets = xlt_view(&offsets),
                                                               .indices = xlt_view(&rows),
                                                               .capacity = capacity},
                                     0, NULL, NULL));
    xlt_check_guards(&rows, "indices");
    free(got);
    list_free(&l);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&rows);
    xl_neighbors_destroy(plan);
    built_free(&b);
    cloud_free(&c);
}

static void no_points_no_pairs(void **state)
{
    (void)state;
    uint64_t zero = 1;
    xl_neighbors *plan;
    cl_event event = NULL;
    cloud c = cloud_make(0, 3);
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    xl_neighbors_desc search = search_desc_of(0.2f);
    search.visit = poly6;
    built b = build_grid(&c, &desc);
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    xlt_buffer offsets = xlt_buffer_make(NULL, 1, 8, 1);
    XLT_OK(xl_neighbors_count_enqueue(plan, b.index, xlt_queue(),
                                      &(xl_neighbors_count_args){.offsets = xlt_view(&offsets)}, 0,
                                      NULL, NULL));
    xlt_read(&offsets, &zero);
    assert_int_equal(zero, 0);
    XLT_OK(xl_neighbors_count_enqueue(plan, b.index, xlt_queue(), &(xl_neighbors_count_args){0}, 0,
                                      NULL, NULL));
    XLT_OK(xl_neighbors_fill_enqueue(
        plan, b.index, xlt_queue(),
        &(xl_neighbors_fill_args){.offsets = xlt_view(&offsets), .capacity = 0}, 0, NULL, NULL));
    XLT_OK(xl_neighbors_visit_enqueue(plan, b.index, xlt_queue(),
                                      &(xl_neighbors_visit_args){.start = 0}, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    xlt_check_guards(&offsets, "offsets");
    xlt_buffer_free(&offsets);
    xl_neighbors_destroy(plan);
    built_free(&b);
    cloud_free(&c);
}

/* Build, count, fill and visit chained by events alone. */
static void out_of_order_queue(void **state)
{
    (void)state;
    cl_event e[4];
    xl_neighbors *plan;
    cl_command_queue queue = xlt_out_of_order_queue();
    cloud c = cloud_uniform(xlt_small() ? 100 : 2000, 0.0f, 1.0f, 71);
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    xl_neighbors_desc search = search_desc_of(0.1f);
    search.visit = poly6;
    list wanted = list_by_brute_force(&c, &search), got = list_by_brute_force(&c, &search);
    built b = build_grid(&c, &desc);
    XLT_CL(clFinish(xlt_queue())); /* the builds below replace this one */
    size_t pairs = (size_t)wanted.offsets[c.n];
    xlt_buffer offsets = xlt_buffer_make(NULL, c.n + 1, 8, 0);
    xlt_buffer rows = xlt_buffer_make(NULL, pairs, 4, 0), sums = xlt_buffer_make(NULL, c.n, 4, 0);
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    for (int run = 0; run < 5; ++run) {
        XLT_OK(xl_grid_build_enqueue(b.grid, b.index, queue,
                                     &(xl_grid_build_args){.n = c.n,
                                                           .points = xlt_view(&b.points),
                                                           .storage = xlt_view(&b.storage)},
                                     0, NULL, &e[0]));
        XLT_OK(xl_neighbors_count_enqueue(plan, b.index, queue,
                                          &(xl_neighbors_count_args){.offsets = xlt_view(&offsets)},
                                          1, &e[0], &e[1]));
        XLT_OK(xl_neighbors_fill_enqueue(plan, b.index, queue,
                                         &(xl_neighbors_fill_args){.offsets = xlt_view(&offsets),
                                                                   .indices = xlt_view(&rows),
                                                                   .capacity = pairs},
                                         1, &e[1], &e[2]));
        XLT_OK(xl_neighbors_visit_enqueue(
            plan, b.index, queue, &(xl_neighbors_visit_args){.start = 0, .out = xlt_view(&sums)}, 1,
            &e[2], &e[3]));
        XLT_CL(clWaitForEvents(1, &e[3]));
        xlt_read(&offsets, got.offsets);
        xlt_read(&rows, got.indices);
        lists_equal("out of order", &got, &wanted);
        for (int k = 0; k < 4; ++k)
            XLT_CL(clReleaseEvent(e[k]));
    }
    xl_neighbors_destroy(plan);
    list_free(&wanted);
    list_free(&got);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&rows);
    xlt_buffer_free(&sums);
    built_free(&b);
    cloud_free(&c);
    XLT_CL(clReleaseCommandQueue(queue));
}

/* ---- what is refused ----------------------------------------------------- */

static void bad_descriptors_are_refused(void **state)
{
    (void)state;
    const float radii[] = {0, -1, NAN, INFINITY, 1e-30f, 3e19f};
    xl_neighbors *plan = (xl_neighbors *)&plan;
    for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k) {
        xl_neighbors_desc desc = search_desc_of(radii[k]);
        XLT_FAILS(xl_neighbors_create(xlt_context(), &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
        assert_null(plan);
        assert_non_null(strstr(xl_context_error(xlt_context()), "radius"));
    }
    xl_neighbors_desc desc = search_desc_of(1);
    XLT_FAILS(xl_neighbors_create(xlt_context(), NULL, &plan), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_neighbors_create(xlt_context(), &desc, NULL), XL_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 5;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
    xl_neighbors_desc_init(NULL);
    xl_neighbors_destroy(NULL);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    const xl_view none = xl_no_view();
    cl_command_queue q = xlt_queue();
    cl_event event = (cl_event)&bad;
    xl_neighbors *plan;
    xl_grid_index *empty;
    cloud c = cloud_uniform(100, 0.0f, 1.0f, 73);
    xl_grid_desc grid = grid_desc_of(&c, 0.2f);
    xl_neighbors_desc search = search_desc_of(0.2f);
    built b = build_grid(&c, &grid);
    XLT_OK(xl_grid_index_create(xlt_context(), &empty));
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    xlt_buffer big = xlt_buffer_make(NULL, 4096, 8, 0), tiny = xlt_buffer_make(NULL, 1, 4, 0);
    xl_view v = xlt_view(&big), end = xl_view_of(v.buffer, v.offset + 2000);
    xl_view rows = xl_view_of(v.buffer, 2 * v.offset + 4000), s = xlt_view(&b.storage);
    XLT_FAILS(xl_neighbors_count_enqueue(plan, empty, q, &(xl_neighbors_count_args){.offsets = v},
                                         0, NULL, &event),
              bad);
    assert_null(event);
    XLT_FAILS(xl_neighbors_count_enqueue(plan, NULL, q, &(xl_neighbors_count_args){.offsets = v}, 0,
                                         NULL, NULL),
              bad);
    XLT_FAILS(xl_neighbors_count_enqueue(plan, b.index, NULL,
                                         &(xl_neighbors_count_args){.offsets = v}, 0, NULL, NULL),
              bad);
    XLT_FAILS(
        xl_neighbors_count_enqueue(plan, b.index, q, &(xl_neighbors_count_args){0}, 0, NULL, NULL),
        bad);
    XLT_FAILS(xl_neighbors_count_enqueue(
                  plan, b.index, q, &(xl_neighbors_count_args){.counts = xl_view_of(tiny.mem, 200)},
                  0, NULL, NULL),
              bad);
    XLT_FAILS(
        xl_neighbors_count_enqueue(
            plan, b.index, q,
            &(xl_neighbors_count_args){.counts = xl_view_of(v.buffer, 2 * v.offset), .offsets = v},
            0, NULL, NULL),
        XL_ERROR_OVERLAP);
    XLT_FAILS(xl_neighbors_count_enqueue(
                  plan, b.index, q,
                  &(xl_neighbors_count_args){.counts = xl_view_of(s.buffer, s.offset / 4)}, 0, NULL,
                  NULL),
              XL_ERROR_OVERLAP);
    XLT_FAILS(xl_neighbors_fill_enqueue(
                  plan, b.index, q,
                  &(xl_neighbors_fill_args){.offsets = v, .indices = none, .capacity = 10}, 0, NULL,
                  NULL),
              bad);
    /* Room for 100 offsets, not 101, at the end of a buffer. */
    size_t big_bytes;
    XLT_CL(clGetMemObjectInfo(big.mem, CL_MEM_SIZE, sizeof big_bytes, &big_bytes, NULL));
    xl_view short_by_1 = xl_view_of(big.mem, big_bytes / 8 - 100), first = xl_view_of(big.mem, 0);
    XLT_FAILS(
        xl_neighbors_fill_enqueue(
            plan, b.index, q,
            &(xl_neighbors_fill_args){.offsets = short_by_1, .indices = first, .capacity = 10}, 0,
            NULL, NULL),
        bad);
    XLT_FAILS(xl_neighbors_count_enqueue(plan, b.index, q,
                                         &(xl_neighbors_count_args){.offsets = short_by_1}, 0, NULL,
                                         NULL),
              bad);
    XLT_FAILS(xl_neighbors_fill_enqueue(plan, b.index, q,
                                        &(xl_neighbors_fill_args){.indices = rows, .capacity = 10},
                                        0, NULL, NULL),
              bad);
    XLT_FAILS(xl_neighbors_fill_enqueue(
                  plan, b.index, q,
                  &(xl_neighbors_fill_args){.offsets = v, .indices = rows, .capacity = 1 << 30}, 0,
                  NULL, NULL),
              bad);
    XLT_FAILS(xl_neighbors_fill_enqueue(
                  plan, b.index, q,
                  &(xl_neighbors_fill_args){.offsets = v,
                                            .indices = xl_view_of(v.buffer, 2 * v.offset + 8),
                                            .capacity = 10},
                  0, NULL, NULL),
              XL_ERROR_OVERLAP);
    XLT_FAILS(xl_neighbors_visit_enqueue(plan, b.index, q,
                                         &(xl_neighbors_visit_args){.start = 0, .out = end}, 0,
                                         NULL, NULL),
              bad);
    assert_int_equal(xl_neighbors_count_enqueue(
                         NULL, b.index, q, &(xl_neighbors_count_args){.offsets = v}, 0, NULL, NULL),
                     bad);
    XLT_FAILS(xl_neighbors_scratch(plan, 1, NULL, NULL), bad);
    xlt_check_guards(&big, "big");
    xl_neighbors_destroy(plan);
    xl_grid_index_destroy(empty);
    xlt_buffer_free(&big);
    xlt_buffer_free(&tiny);
    built_free(&b);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_lattices_have_their_pairs),
        cmocka_unit_test(ties_are_as_asked),
        cmocka_unit_test(poly6_density_of_a_lattice),
        cmocka_unit_test(awkward_clouds),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(outliers),
        cmocka_unit_test(few_points),
        cmocka_unit_test(crowds),
        cmocka_unit_test(radius_and_cell_of_any_ratio),
        cmocka_unit_test(listed_rows_bring_no_point_twice),
        cmocka_unit_test(tables_and_rows_agree),
        cmocka_unit_test(tables_of_more_rows_than_points),
        cmocka_unit_test(given_box),
        cmocka_unit_test(groups_of_any_size),
        cmocka_unit_test(strides),
        cmocka_unit_test(fewer_dimensions),
        cmocka_unit_test(flat_lattices_have_their_pairs),
        cmocka_unit_test(bunny),
        cmocka_unit_test(visits_see_each_pair_once),
        cmocka_unit_test(visits_repeat),
        cmocka_unit_test(errors_in_visit_point_into_it),
        cmocka_unit_test(failed_grids_give_nothing),
        cmocka_unit_test(short_lists_are_never_overrun),
        cmocka_unit_test(no_points_no_pairs),
        cmocka_unit_test(out_of_order_queue),
        cmocka_unit_test(bad_descriptors_are_refused),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
