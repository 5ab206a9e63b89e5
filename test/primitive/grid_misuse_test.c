/* SPDX-License-Identifier: MIT
 * Grids: descriptors and arguments that are refused, the memory that an index takes, and the
 * smallest box. */
#include "grid_support.h"

#include "grid/grid_plan.h"
#include "xlt_misuse.h"

#include <crosslane/neighbors.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };
static const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlaps = XL_ERROR_OVERLAP,
                       unsupported = XL_ERROR_UNSUPPORTED;

/* ---- descriptors ---------------------------------------------------------------------------- */

static xl_grid_desc unit_box(uint32_t scalar)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.space.scalar = scalar;
    desc.space.bounds = XL_BOUNDS_GIVEN;
    for (size_t a = 0; a < 3; ++a)
        desc.space.cell[a][a] = 1;
    desc.cell_size = 0.25;
    return desc;
}

static void refuse_desc(xl_status wanted, const char *text, const xl_grid_desc *desc)
{
    xl_plan *grid = (xl_plan *)&wanted;
    xlt_refused(xlt_context(), xl_grid_create(xlt_context(), desc, &grid), wanted, text);
    assert_null(grid);
}

#define REFUSE_DESC(status, text, field, value)                                                    \
    do {                                                                                           \
        xl_grid_desc wrong = good;                                                                 \
        wrong.field = (value);                                                                     \
        refuse_desc((status), (text), &wrong);                                                     \
    } while (0)

XLT_TEST(descriptors)
{
    const double sizes[] = {-1, (double)NAN, (double)INFINITY, 1e39, 1e-60};
    xl_grid_desc good = unit_box(XL_F32);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        REFUSE_DESC(bad, "desc.cell_size", cell_size, sizes[k]);
        REFUSE_DESC(bad, "desc.points_per_cell", points_per_cell, sizes[k]);
    }
    REFUSE_DESC(bad, "desc.stride: 2", stride, 2);
    REFUSE_DESC(bad, "desc.layout: 2", layout, 2);
    REFUSE_DESC(bad, "desc.algorithm", algorithm, (xl_grid_algorithm)7);
    REFUSE_DESC(bad, "desc.version", version, 0);
    refuse_desc(bad, "desc", NULL);
    XLT_FAILS(xl_grid_create(xlt_context(), &good, NULL), bad);
    xl_plan *grid;
    assert_int_equal(xl_grid_create(NULL, &good, &grid), bad);
    good.space.dimensions = 1;
    REFUSE_DESC(bad, "desc.stride: 0", stride, 0);
    xl_plan_destroy(NULL);
    xl_grid_desc_init(NULL);
}

XLT_TEST(spaces)
{
    const double nan = (double)NAN;
    xl_grid_desc good = unit_box(XL_F32);
    REFUSE_DESC(bad, "desc.space.dimensions: 4", space.dimensions, 4);
    REFUSE_DESC(bad, "desc.space.dimensions: 0", space.dimensions, 0);
    REFUSE_DESC(bad, "desc.space.scalar: f16", space.scalar, XL_F16);
    REFUSE_DESC(bad, "desc.space.bounds: 3", space.bounds, 3);
    REFUSE_DESC(bad, "desc.space.num_systems: 0; must be above 0", space.bounds,
                XL_BOUNDS_PER_SYSTEM);
    REFUSE_DESC(bad, "desc.space.periodic: 8", space.periodic, 8);
    REFUSE_DESC(bad, "desc.space.num_systems", space.num_systems, (1u << 20) + 1);
    REFUSE_DESC(bad, "desc.space.cell[0][0]: 1; requires", space.bounds, XL_BOUNDS_FOUND);
    REFUSE_DESC(bad, "desc.space.origin[2]: nan", space.origin[2], nan);
    REFUSE_DESC(bad, "desc.space.cell[1][1]: 1e+39", space.cell[1][1], 1e39);
    REFUSE_DESC(bad, "desc.space.wrap: 1; requires desc.space.periodic", space.wrap, 1);
    REFUSE_DESC(bad, "desc.space.cell: ", space.cell[1][1], -1e-44); /* no box, and too flat */
    good.space.cell[1][1] = 0;                                       /* a flat box */
    good.space.periodic = 5;
    xl_plan *grid;
    XLT_OK(xl_grid_create(xlt_context(), &good, &grid));
    xl_plan_destroy(grid);
    REFUSE_DESC(bad, "desc.space.cell[1][1]: 0; a period", space.periodic, 2);
    REFUSE_DESC(bad, "desc.space.origin[0]: 1e+09; too far from 0", space.origin[0], 1e9);
    good = unit_box(XL_F32);
    memset(good.space.cell, 0, sizeof good.space.cell);
    good.space.bounds = XL_BOUNDS_FOUND;
    REFUSE_DESC(bad, "desc.space.periodic: 1; requires", space.periodic, 1);
    REFUSE_DESC(bad, "desc.space.origin[1]: 2; requires", space.origin[1], 2);
    REFUSE_DESC(bad, "desc.space.wrap: 1; requires desc.space.bounds", space.wrap, 1);
    good.space.bounds = XL_BOUNDS_PER_SYSTEM;
    good.space.num_systems = 2;
    REFUSE_DESC(bad, "desc.space.periodic: 1; requires", space.periodic, 1);
    REFUSE_DESC(bad, "desc.space.cell[2][2]: 2; requires", space.cell[2][2], 2);
}

static bool has_doubles(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64;
}

XLT_TEST(descriptors_of_double_precision)
{
    xl_grid_desc good = unit_box(XL_F64);
    if (!has_doubles()) {
        refuse_desc(unsupported, "cl_khr_fp64", &good);
        return;
    }
    REFUSE_DESC(bad, "desc.space.cell[1][1]: nan", space.cell[1][1], (double)NAN);
    good.space.cell[1][1] = DBL_MAX;
    REFUSE_DESC(bad, "desc.space.cell[1][1]", space.origin[1], DBL_MAX);
    good = unit_box(XL_F64);
    good.space.periodic = 1;
    REFUSE_DESC(bad, "desc.space.cell[0][0]: 0; a period", space.cell[0][0], 0);
    REFUSE_DESC(bad, "desc.space.origin[0]: 1e+17; too far from 0", space.origin[0], 1e17);
}

/* ---- calls ---------------------------------------------------------------------------------- */

typedef struct stand {
    xl_plan *grid;
    xl_grid_index *index;
    xlt_buffer points, storage, out;
    cl_mem own; /* `storage` */
    size_t at;  /* its offset in bytes */
} stand;

/* Nothing is built yet. */
static stand stand_make(void)
{
    size_t bytes;
    cloud c = cloud_uniform(N, 0.0f, 1.0f, 1);
    const xl_grid_desc desc = grid_desc_of(&c, 0.3f);
    stand s = {.points = xlt_buffer_make(c.xyz, 3 * N, 4, 0),
               .out = xlt_buffer_make(NULL, 1, 4, 1)};
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &s.index));
    XLT_OK(xl_grid_scratch(s.grid, &(xl_grid_build_args){.n = N}, &bytes));
    s.storage = xlt_scratch_make(bytes + 256);
    s.own = s.storage.mem;
    s.at = xlt_view(&s.storage).offset;
    cloud_free(&c);
    return s;
}

static void stand_build(const stand *s)
{
    const xl_grid_build_args args = {
        .n = N, .points = xlt_view(&s->points), .storage = xlt_view(&s->storage)};
    XLT_OK(xl_grid_build_enqueue(s->grid, s->index, xlt_queue(), &args, 0, NULL, NULL));
}

static void stand_free(stand *s)
{
    XLT_CL(clFinish(xlt_queue()));
    xlt_check_guards(&s->storage, "storage");
    xlt_check_unwritten(&s->out, "out");
    xl_grid_index_destroy(s->index);
    xl_plan_destroy(s->grid);
    xlt_buffer_free(&s->points);
    xlt_buffer_free(&s->storage);
    xlt_buffer_free(&s->out);
}

/* A call with `field` changed, whose event must stay NULL. */
#define REFUSE(call, status, text, field, value)                                                   \
    do {                                                                                           \
        call##_args wrong = good;                                                                  \
        cl_event event = (cl_event)&s;                                                             \
        wrong.field = (value);                                                                     \
        xlt_refused(xlt_context(),                                                                 \
                    call##_enqueue(s.grid, s.index, xlt_queue(), &wrong, 0, NULL, &event),         \
                    (status), (text));                                                             \
        assert_null(event);                                                                        \
    } while (0)

/* The other arguments of a call. */
#define REFUSE_THE_REST(call)                                                                      \
    do {                                                                                           \
        assert_int_equal(call##_enqueue(NULL, s.index, xlt_queue(), &good, 0, NULL, NULL), bad);   \
        XLT_FAILS(call##_enqueue(s.grid, NULL, xlt_queue(), &good, 0, NULL, NULL), bad);           \
        XLT_FAILS(call##_enqueue(s.grid, s.index, NULL, &good, 0, NULL, NULL), bad);               \
        XLT_FAILS(call##_enqueue(s.grid, s.index, xlt_queue(), NULL, 0, NULL, NULL), bad);         \
        XLT_FAILS(call##_enqueue(s.grid, s.index, xlt_queue(), &good, 1, NULL, NULL), bad);        \
    } while (0)

XLT_TEST(builds)
{
    stand s = stand_make();
    size_t bytes;
    xlt_buffer small = xlt_scratch_make(512);
    const xl_grid_build_args good = {
        .n = N, .points = xlt_view(&s.points), .storage = xlt_view(&s.storage)};
    REFUSE(xl_grid_build, bad, "points", points, xl_no_view());
    REFUSE(xl_grid_build, bad, "points", n, 1000000);
    REFUSE(xl_grid_build, bad, "n: ", n, UINT32_MAX);
    REFUSE(xl_grid_build, XL_ERROR_SCRATCH_TOO_SMALL, "scratch", storage, xlt_view(&small));
    REFUSE(xl_grid_build, XL_ERROR_MISALIGNED, "scratch", storage, xl_view_of(s.own, s.at + 4));
    REFUSE(xl_grid_build, overlaps, "points", points, xl_view_of(s.own, s.at / 4));
    REFUSE_THE_REST(xl_grid_build);
    XLT_FAILS(xl_grid_scratch(s.grid, &(xl_grid_build_args){.n = 1}, NULL), bad);
    XLT_FAILS(xl_grid_scratch(s.grid, &(xl_grid_build_args){.n = UINT32_MAX}, &bytes), bad);
    xl_grid_index *none = (xl_grid_index *)&s;
    assert_int_equal(xl_grid_index_create(NULL, &none), bad);
    assert_null(none);
    XLT_FAILS(xl_grid_index_create(xlt_context(), NULL), bad);
    XLT_FAILS(xl_grid_index_status(s.index, xlt_queue(), NULL, 0, NULL), bad);
    stand_build(&s); /* a call that is refused leaves the index as it was */
    REFUSE(xl_grid_build, bad, "points", n, 1000000);
    XLT_OK(xl_grid_index_status(s.index, xlt_queue(), NULL, 0, NULL));
    xl_grid_index_destroy(NULL);
    xlt_check_guards(&small, "small");
    xlt_buffer_free(&small);
    stand_free(&s);
}

/* Arrays of axes that are missing, too short, in the storage, or not asked for. */
XLT_TEST(axes)
{
    stand s = stand_make();
    xl_grid_desc desc;
    size_t bytes;
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.3;
    desc.space.dimensions = desc.stride = 2;
    const xl_view x = xlt_view(&s.points), y = xl_view_of(x.buffer, x.offset + N);
    xl_grid_build_args good = {.n = N / 2, .points = x, .points_y = y};
    xl_plan_destroy(s.grid);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    REFUSE(xl_grid_build, bad,
           "args.points_y: given; must not be given, because desc.layout is XL_POINTS_AOS", n,
           N / 2);
    xl_plan_destroy(s.grid);
    desc.layout = XL_POINTS_SOA;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    good.n = N;
    REFUSE(xl_grid_build, bad, "points_y", points_y, xl_no_view());
    REFUSE(xl_grid_build, bad, "points_y: 100", points_y, xl_view_n(y.buffer, y.offset, N - 1));
    REFUSE(xl_grid_build, bad,
           "args.points_z: given; must not be given, because points have fewer dimensions",
           points_z, y);
    XLT_OK(xl_grid_scratch(s.grid, &(xl_grid_build_args){.n = N}, &bytes));
    xlt_buffer storage = xlt_scratch_make(bytes);
    good.storage = xlt_view(&storage);
    REFUSE(xl_grid_build, overlaps, "points_y", points_y,
           xl_view_of(storage.mem, good.storage.offset / 4 + 3));
    XLT_OK(xl_grid_build_enqueue(s.grid, s.index, xlt_queue(), &good, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    stand_free(&s);
    xlt_buffer_free(&storage);
}

XLT_TEST(orders)
{
    stand s = stand_make();
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0);
    const xl_view in = xlt_view(&s.points);
    const xl_grid_reorder_args good = {.element_bytes = 4, .in = in, .out = xlt_view(&out)};
    REFUSE(xl_grid_reorder, bad, "not built", back, 0);
    stand_build(&s);
    REFUSE(xl_grid_reorder, bad, "element_bytes", element_bytes, 6);
    REFUSE(xl_grid_reorder, bad, "element_bytes", element_bytes, 0);
    REFUSE(xl_grid_reorder, overlaps, "out", out, in);
    xl_grid_reorder_args back = good;
    back.back = 1;
    back.out = in;
    XLT_FAILS(xl_grid_reorder_enqueue(s.grid, s.index, xlt_queue(), &back, 0, NULL, NULL),
              overlaps);
    REFUSE_THE_REST(xl_grid_reorder);
    xlt_check_unwritten(&out, "out");
    stand_free(&s);
    xlt_buffer_free(&out);
}

XLT_TEST(moves)
{
    stand s = stand_make();
    xlt_strangers strangers = xlt_strangers_make(4);
    const xl_view points = xlt_view(&s.points), storage = xl_view_of(s.own, s.at / 4);
    const double distances[] = {-1, (double)NAN, (double)INFINITY, 1e-30, 1e30};
    const xl_grid_moved_args good = {.distance = 1, .points = points, .moved = xlt_view(&s.out)};
    REFUSE(xl_grid_moved, bad, "not built", distance, 1);
    stand_build(&s);
    for (size_t k = 0; k < sizeof distances / sizeof distances[0]; ++k)
        REFUSE(xl_grid_moved, bad, "distance: ", distance, distances[k]);
    REFUSE(xl_grid_moved, bad, "points: ", points, xl_no_view());
    REFUSE(xl_grid_moved, bad, "points: ", points,
           xl_view_n(points.buffer, points.offset, 3 * N - 1));
    REFUSE(xl_grid_moved, overlaps, "storage", points, storage);
    REFUSE(xl_grid_moved, bad, "moved: ", moved, xl_no_view());
    REFUSE(xl_grid_moved, overlaps, "moved", moved, points);
    REFUSE(xl_grid_moved, overlaps, "storage", moved, storage);
    REFUSE(xl_grid_moved, bad, "moved: ", moved, xl_view_of(strangers.read_only, 0));
    REFUSE(xl_grid_moved, bad, "moved: ", moved, xl_view_of(strangers.write_only, 0));
    REFUSE_THE_REST(xl_grid_moved);
    xlt_strangers_free(&strangers);
    stand_free(&s);
}

/* The index is of another context, of other dimensions, or laid out otherwise. */
XLT_TEST(other_indices)
{
    stand s = stand_make();
    xl_context *elsewhere;
    xl_grid_index *const own = s.index;
    xl_plan *const plan = s.grid;
    xl_grid_desc desc;
    const xl_grid_moved_args good = {
        .distance = 1, .points = xlt_view(&s.points), .moved = xlt_view(&s.out)};
    stand_build(&s);
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), NULL,
                            &elsewhere));
    XLT_OK(xl_grid_index_create(elsewhere, &s.index));
    REFUSE(xl_grid_moved, bad, "another context", distance, 1);
    xl_grid_index_destroy(s.index);
    xl_context_destroy(elsewhere);
    s.index = own;
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.3;
    desc.space.dimensions = 1;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    REFUSE(xl_grid_moved, bad, "index: built with desc.space.dimensions 3; the plan has 1",
           distance, 1);
    xl_plan_destroy(s.grid);
    desc = unit_box(XL_F32);
    desc.space.periodic = desc.space.wrap = 1;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    REFUSE(xl_grid_moved, bad, "index: built with desc.space.wrap 0; the plan has 1", distance, 1);
    xl_plan_destroy(s.grid);
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.3;
    desc.tunables = &(xl_tunable){"grid.planes", own->planes ? 0 : 1};
    desc.num_tunables = 1;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    REFUSE(xl_grid_moved, bad, "grid.planes", distance, 1);
    xl_plan_destroy(s.grid);
    s.grid = plan;
    stand_free(&s);
}

/* A search with one cell for all systems, and one of more heights than there may be. */
static void searches_with_cells(xl_plan *grid, xl_grid_index *index)
{
    xl_grid_desc desc = unit_box(XL_F32);
    xl_neighbors_desc search;
    xl_plan *other, *plans[2];
    xlt_buffer counts = xlt_buffer_make(NULL, N, sizeof(cl_uint), 0);
    const xl_neighbors_args args = {.counts = xlt_view(&counts)};
    desc.space.num_systems = 2;
    desc.space.periodic = 7;
    desc.space.cell[1][0] = 0.5;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &other));
    xl_neighbors_desc_init(&search);
    search.radius = 2e6;
    XLT_OK(xl_neighbors_create(other, &search, &plans[0]));
    XLT_OK(xl_neighbors_create(grid, &search, &plans[1]));
    xlt_refused(xlt_context(),
                xl_neighbors_count_enqueue(plans[0], index, xlt_queue(), &args, 0, NULL, NULL), bad,
                "index: in cells per system; the plan is made from a grid in a periodic cell");
    xlt_refused(xlt_context(),
                xl_neighbors_count_enqueue(plans[1], index, xlt_queue(), &args, 0, NULL, NULL),
                unsupported,
                "desc.radius: 2e+06; must be at most 1.04858e+06, which is 2^20 heights of");
    for (int k = 0; k < 2; ++k)
        xl_plan_destroy(plans[k]);
    xl_plan_destroy(other);
    xlt_buffer_free(&counts);
}

/* Cells per system: each is checked, and the error has the system. */
XLT_TEST(cells)
{
    stand s = stand_make();
    xl_plan *const plan = s.grid;
    xl_grid_desc desc;
    xl_grid_report report;
    cl_uint systems[N] = {0};
    const double nan = (double)NAN;
    xl_system_cell two[2] = {{.periodic = 0}, {.cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    systems[N - 1] = 1;
    xlt_buffer numbers = xlt_buffer_make(systems, N, sizeof *systems, 0);
    xl_grid_build_args good = {
        .n = N, .points = xlt_view(&s.points), .systems = xlt_view(&numbers), .cells = two};
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.3;
    desc.space.num_systems = 2;
    desc.space.bounds = XL_BOUNDS_PER_SYSTEM;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    REFUSE(xl_grid_build, bad, "args.cells: NULL; must be given", cells, NULL);
#define REFUSE_CELL(text, field, value)                                                            \
    do {                                                                                           \
        const xl_system_cell was = two[1];                                                         \
        two[1].field = value;                                                                      \
        REFUSE(xl_grid_build, bad, text, n, N);                                                    \
        two[1] = was;                                                                              \
    } while (0)
    REFUSE_CELL("args.cells[1].periodic: 8; must have bits", periodic, 8);
    REFUSE_CELL("args.cells[1].origin[2]: nan; must be", origin[2], nan);
    REFUSE_CELL("args.cells[1].cell[0][1]: 1e+39; must be", cell[0][1], 1e39);
    REFUSE_CELL("args.cells[1].cell: ", cell[1][1], -1e-44);
    two[1].periodic = 2;
    REFUSE_CELL("args.cells[1].cell[1][1]: 0; a period", cell[1][1], 0);
    REFUSE_CELL("args.cells[1].origin[1]: 1e+09; too far from 0", origin[1], 1e9);
#undef REFUSE_CELL
    XLT_OK(xl_grid_build_enqueue(s.grid, s.index, xlt_queue(), &good, 0, NULL, NULL));
    XLT_OK(xl_grid_index_status(s.index, xlt_queue(), &report, 0, NULL));
    const xl_neighbors_kernel_args args = {.radius = 1};
    assert_int_equal(xl_grid_index_set_kernel_args(s.index, &args, NULL), XL_ERROR_UNSUPPORTED);
    searches_with_cells(s.grid, s.index);
    two[1].origin[0] = 5;
    XLT_OK(xl_grid_build_enqueue(s.grid, s.index, xlt_queue(), &good, 0, NULL, NULL));
    assert_int_equal(xl_grid_index_status(s.index, xlt_queue(), &report, 0, NULL),
                     XL_ERROR_OUT_OF_DOMAIN);
    assert_non_null(strstr(xl_context_error(xlt_context()), "outside the box of their system"));
    assert_true(report.out_of_domain == 1 && report.first_out_of_domain == N - 1);
    xl_plan_destroy(s.grid);
    s.grid = plan;
    good.systems = xl_no_view();
    REFUSE(xl_grid_build, bad, "args.cells: given; must not be given", n, N);
    xlt_buffer_free(&numbers);
    stand_free(&s);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* An index of n points takes about `each` bytes a point, and no fewer than one of less points. */
static void check_memory(xl_plan *grid, size_t each, size_t most_n)
{
    size_t last = 0, bytes;
    for (size_t n = 1; n < most_n; n = n * 5 / 4 + 1) {
        XLT_OK(xl_grid_scratch(grid, &(xl_grid_build_args){.n = n}, &bytes));
        if (bytes < last || bytes > each * n + (64 << 10) + n / 1000 * each)
            XLT_FAIL("an index of %zu points takes %zu bytes, one of fewer %zu; promised: %zu a "
                     "point",
                     n, bytes, last, each);
        last = bytes;
    }
}

/* What xl_grid_scratch() promises, with the values of any device's table. */
XLT_TEST(memory)
{
    static const xl_tunable gpu[] = {{"grid.table", 4}, {"grid.sampled", 1 << 20}};
    static const xl_tunable cpu[] = {{"grid.table", 0}, {"grid.sampled", 0}};
    enum { MANY = 1 << 27 };
    static const struct {
        xl_grid_algorithm algorithm;
        const xl_tunable *tunables;
        size_t bytes, most_n;
        uint32_t scalar;
    } kinds[] = {
        {XL_GRID_COUNTING, gpu, 37, 1 << 20, XL_F32}, {XL_GRID_COUNTING, gpu, 40, MANY, XL_F32},
        {XL_GRID_BITONIC, gpu, 40, MANY, XL_F32},     {XL_GRID_AUTO, cpu, 40, MANY, XL_F32},
        {XL_GRID_COUNTING, gpu, 61, 1 << 20, XL_F64}, {XL_GRID_AUTO, cpu, 64, MANY, XL_F64}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        xl_plan *grid;
        xl_grid_desc desc;
        xl_grid_desc_init(&desc);
        desc.cell_size = 0.01;
        desc.algorithm = kinds[k].algorithm;
        desc.tunables = kinds[k].tunables;
        desc.num_tunables = 2;
        desc.space.scalar = kinds[k].scalar;
        if (desc.space.scalar == XL_F64 && !has_doubles())
            continue;
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        const size_t sorted = desc.space.scalar == XL_F64 ? 64 : 40;
        check_memory(grid, xli_grid_of(grid)->sorts ? sorted : kinds[k].bytes, kinds[k].most_n);
        xl_plan_destroy(grid);
    }
}

/* The number of buckets of a build of n points; `alone` is grid.sampled_alone. */
static size_t buckets_of(size_t n, bool bounded, cl_ulong alone)
{
    const xl_tunable tunables[] = {{"grid.table", 4},
                                   {"grid.sampled", 1 << 20},
                                   {"grid.sampled_alone", alone},
                                   {"grid.bucket", 16}};
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 16);
    xl_grid_desc desc = unit_box(XL_F32);
    desc.cell_size = 1e-4;
    desc.space.bounds = bounded ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
    desc.algorithm = XL_GRID_COUNTING;
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof *tunables;
    if (!bounded)
        memset(desc.space.cell, 0, sizeof desc.space.cell);
    built b = build_grid(&c, &desc);
    const size_t buckets = b.index->layout.buckets;
    built_free(&b);
    cloud_free(&c);
    return buckets;
}

/* If rows are known to be listed, as in a given box of very many cells, grid.sampled_alone says how
 * many points are sampled; else grid.sampled does. */
XLT_TEST(rows_known_to_be_listed_are_sampled_less)
{
    for (int k = 0; k < 4; ++k) {
        const size_t buckets = buckets_of(N, k < 2, k % 2 ? N : N - 1);
        assert_int_equal(buckets, k == 0 ? 0 : N / 16);
    }
}

/* In floats the box and all points are 0, in the smallest cells that there are, which are thin. */
XLT_TEST(box_without_an_edge_in_floats)
{
    const double points[6] = {0, 0, 0, 0x1p-201, 0x1p-200, 0};
    const xl_tunable tunables[] = {{"grid.table", 64}, {"grid.thin", 8}};
    xl_grid_desc desc = unit_box(XL_F64);
    xl_plan *grid;
    xl_grid_index *index;
    xl_grid_report report;
    if (!has_doubles())
        skip();
    desc.cell_size = (double)FLT_MIN;
    desc.algorithm = XL_GRID_COUNTING;
    desc.tunables = tunables;
    desc.num_tunables = 2;
    for (int a = 0; a < 3; ++a)
        desc.space.cell[a][a] = 0x1p-200;
    xlt_buffer given = xlt_buffer_make(points, 6, 8, 0);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    XLT_OK(xl_grid_build_enqueue(grid, index, xlt_queue(),
                                 &(xl_grid_build_args){.n = 2, .points = xlt_view(&given)}, 0, NULL,
                                 NULL));
    XLT_OK(xl_grid_index_status(index, xlt_queue(), &report, 0, NULL));
    assert_true(report.sparse || report.table_cells == 1);
    xl_grid_index_destroy(index);
    xl_plan_destroy(grid);
    xlt_buffer_free(&given);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
