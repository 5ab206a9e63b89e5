/* SPDX-License-Identifier: MIT
 * Single parts of grids: offsets beyond 32 bits, buckets of a sample, kernels over storage with
 * wrong numbers, and a bound of rounding. */
#include "grid_support.h"

#include "grid/grid_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const xli_source *xlt_source_find(const char *name);

enum { STRIDE = 5, GROUP = 16 };

static xli_kernel piece(const char *name)
{
    xli_program *program;
    xli_kernel kernel;
    XLT_OK(
        xli_program_get_source(xlt_context(), xlt_source_find("grid_pieces"),
                               "#define XL_ITEMS 1\n#define XL_STRIDE 5\n#define XL_PLANES 0\n"
                               "#define XL_SOA 0\n#define XL_DIMENSIONS 3\n#define XL_BOUNDED 0\n"
                               "#define XL_REPEATS 0\n",
                               &program));
    XLT_OK(xli_kernel_create(xlt_context(), program, name, &kernel));
    return kernel;
}

/* Launches a kernel and waits for it. */
#define RUN(kernel, groups, ...)                                                                   \
    do {                                                                                           \
        xli_seq seq;                                                                               \
        XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, NULL));                    \
        XLT_OK(XLI_LAUNCH(&seq, (kernel), (groups), GROUP, __VA_ARGS__));                          \
        XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));                                               \
        XLT_CL(clFinish(xlt_queue()));                                                             \
    } while (0)

/* A buffer of `bytes`, filled from `host` if that is given. */
static cl_mem plain(size_t bytes, const void *host)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, bytes, NULL, &code);
    XLT_CL(code);
    if (host)
        XLT_CL(clEnqueueWriteBuffer(xlt_queue(), mem, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    return mem;
}

/* Reads all of a buffer and releases it. */
static void fetch(cl_mem mem, size_t bytes, void *host)
{
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), mem, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    XLT_CL(clReleaseMemObject(mem));
}

/* ---- beyond 32 bits ------------------------------------------------------ */

XLT_TEST(points_start_beyond_32_bits)
{
    enum { N = 16 };
    uint32_t points[N];
    uint64_t at[N];
    for (uint32_t i = 0; i < N; ++i)
        points[i] = i < 8 ? i : UINT32_MAX - (i - 8) * 400000000u;
    xli_kernel kernel = piece("xl_test_points");
    cl_mem in = plain(sizeof points, points), out = plain(sizeof at, NULL);
    RUN(&kernel, 1, XLI_MEM(in), XLI_U32(N), XLI_MEM(out));
    fetch(out, sizeof at, at);
    XLT_CL(clReleaseMemObject(in));
    for (size_t i = 0; i < N; ++i)
        assert_true(at[i] == (uint64_t)points[i] * STRIDE);
    xli_kernel_destroy(&kernel);
}

/* ---- buckets that a sample gives ------------------------------------------ */

enum { IN_BUCKET = 16, OF_SAMPLE = 4 }; /* points, on average; keys of the sample */

/* Points are in order with any splitters. Only if all of the sample is compared does each bucket
 * have its part of it. */
XLT_TEST(buckets_have_their_part_of_the_sample)
{
    static const xl_tunable tunables[] = {{"grid.table", 0},
                                          {"grid.sampled", 1 << 20},
                                          {"grid.bucket", IN_BUCKET},
                                          {"grid.bounds_groups", 5}};
    const size_t n = xlt_small() ? 400 : 6000;
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 41);
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof *tunables;
    built b = build_grid(&c, &desc);
    const xli_grid_layout *const layout = &b.index->layout;
    const size_t buckets = layout->buckets;
    assert_int_equal(buckets, n / IN_BUCKET);
    xli_grid_part *parts = calloc(buckets, sizeof *parts);
    assert_non_null(parts);
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), b.index->storage, CL_TRUE,
                               b.index->storage_at + layout->parts, buckets * sizeof *parts, parts,
                               0, NULL, NULL));
    for (size_t k = 0; k < buckets; ++k) {
        const size_t end = k + 1 < buckets ? parts[k + 1].begin : n;
        if (end < parts[k].begin + OF_SAMPLE)
            XLT_FAIL("bucket %zu of %zu has points %u to %zu, fewer than %d", k, buckets,
                     parts[k].begin, end, OF_SAMPLE);
    }
    free(parts);
    built_free(&b);
    cloud_free(&c);
}

/* ---- kernels of the build over wrong numbers ------------------------------ */

enum { POINTS = 200, TABLE = 65, BUCKETS = 9, OVERFULL = 5, GAP = 1024 };

/* Parts of the storage that the test makes, GAP words apart. */
enum {
    HEADER,
    STARTS,
    ENTRIES,
    RANKS,
    ARRIVED,
    SORTED,
    KEYS,
    VALUES,
    ROWS,
    BEGINS,
    CROWDED,
    PLACES,
    SPLITTERS,
    BUCKET_PARTS,
    PARTS
};

#define FLAG 0x80000000u

typedef struct wrong {
    uint32_t *words;
    size_t num_words;
    size_t at[PARTS], length[PARTS];
    cl_mem mem;
} wrong;

/* Numbers just past the end, or any; each part is followed by 0x5c. */
static void fill_part(wrong *w, int part, uint32_t end, bool any, xlt_random *random)
{
    for (size_t k = 0; k < w->length[part]; ++k)
        w->words[w->at[part] + k] =
            any ? (uint32_t)xlt_next(random) : end - 20 + xlt_below(random, 60);
}

/* A header that says dense and leads past the table, or says anything. */
static void fill_header(wrong *w, bool any, bool listed, xlt_random *random)
{
    xli_grid_header header = {.counted = 3 * TABLE,
                              .sorted = POINTS,
                              .sorted_again = 2 * POINTS,
                              .flagged = 3 * POINTS,
                              .big = 3 * POINTS,
                              .buckets = 3 * BUCKETS,
                              .cells = {10, 10, 10},
                              .rows = 2 * POINTS,
                              .together = 1,
                              .y_bits = 77,
                              .inverse = 10.0f,
                              .thin = 1.0f,
                              .beyond = 1,
                              .sparse = listed};
    if (any)
        fill_part(w, HEADER, 0, true, random);
    else
        memcpy(w->words + w->at[HEADER], &header, sizeof header);
    /* Not failed, which would put points into entries by their indices. */
    w->words[w->at[HEADER] + offsetof(xli_grid_header, failed) / 4] = 0;
}

static wrong wrong_make(bool any, bool listed, uint64_t seed)
{
    static const struct {
        size_t length;
        uint32_t end; /* of its numbers */
    } parts[PARTS] = {[HEADER] = {64, 0},
                      [STARTS] = {TABLE + 1, POINTS},
                      [ENTRIES] = {POINTS, TABLE},
                      [RANKS] = {POINTS, TABLE},
                      [ARRIVED] = {POINTS, POINTS},
                      [SORTED] = {4 * POINTS, POINTS},
                      [KEYS] = {2 * POINTS, POINTS},
                      [VALUES] = {POINTS, POINTS},
                      [ROWS] = {2 * POINTS, POINTS},
                      [BEGINS] = {POINTS + 1, POINTS},
                      [CROWDED] = {OVERFULL, TABLE},
                      [PLACES] = {4 * BUCKETS, 4 * BUCKETS},
                      [SPLITTERS] = {4 * BUCKETS, POINTS},
                      [BUCKET_PARTS] = {sizeof(xli_grid_part) / 4 * BUCKETS, POINTS}};
    wrong w = {.num_words = GAP};
    xlt_random random = {seed};
    for (int part = 0; part < PARTS; ++part) {
        w.at[part] = w.num_words;
        w.length[part] = parts[part].length;
        w.num_words += (parts[part].length + 63) / 64 * 64 + GAP;
    }
    w.words = malloc(w.num_words * 4);
    assert_non_null(w.words);
    memset(w.words, 0x5c, w.num_words * 4);
    fill_header(&w, any, listed, &random);
    for (int part = STARTS; part < PARTS; ++part)
        fill_part(&w, part, parts[part].end, any, &random);
    w.mem = plain(w.num_words * 4, w.words);
    return w;
}

/* No gap was written, and `part` has no word of one. */
static void wrong_check(const char *kernel, wrong *w, int part)
{
    fetch(w->mem, w->num_words * 4, w->words);
    size_t k = 0;
    for (int p = 0; p < PARTS; ++p) {
        for (; k < w->at[p]; ++k)
            if (w->words[k] != 0x5c5c5c5cu)
                XLT_FAIL("%s wrote %x to word %zu, %zu before part %d", kernel, w->words[k], k,
                         w->at[p] - k, p);
        k += w->length[p];
    }
    for (; k < w->num_words; ++k)
        assert_int_equal(w->words[k], 0x5c5c5c5cu);
    for (k = 0; k < w->length[part]; ++k)
        if (w->words[w->at[part] + k] == 0x5c5c5c5cu)
            XLT_FAIL("%s copied from beyond the points", kernel);
    free(w->words);
}

/* Every other bucket holds all points, one more than the list of overfull buckets has room for. */
static void crowd_all(wrong *w)
{
    uint32_t *starts = w->words + w->at[STARTS];
    for (uint32_t b = 0; b <= TABLE; ++b)
        starts[b] = b % 2 ? POINTS + 30 : 0;
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), w->mem, CL_TRUE, 0, w->num_words * 4, w->words, 0,
                                NULL, NULL));
}

#define AT(part) XLI_U64(w.at[part])

/* Launches a kernel over wrong numbers, and checks the part that it writes. */
#define TRY(number, groups, part, ...)                                                             \
    {                                                                                              \
        wrong w = wrong_make(any, listed, seed);                                                   \
        RUN(&kernels[number], groups, __VA_ARGS__);                                                \
        wrong_check(#number, &w, part);                                                            \
    }

/* The points three times: x, y and z are in one array. */
#define GIVEN given, from, given, from, given, from

/* The kernels of counting, over a header of a table or of listed rows. Each has a storage. `points`
 * has guards of 0x5c. */
static void count_wrong_numbers(xl_plan *grid, const xlt_buffer *points, bool any, bool listed,
                                uint64_t seed)
{
    const xli_arg given = XLI_MEM(points->mem), from = XLI_U64(xlt_view(points).offset);
    const xli_arg n = XLI_U32(POINTS), table = XLI_U32(TABLE), buckets = XLI_U32(BUCKETS);
    const cl_float4 corner = {{0}};
    const xli_arg box = XLI_BYTES(&corner, sizeof corner);
    xli_kernel *kernels = xli_grid_of(grid)->kernels;
    const size_t groups = xli_ceil_div(POINTS, GROUP);
    TRY(XLI_GRID_SPLIT, groups, SPLITTERS, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), buckets,
        AT(PLACES), AT(SPLITTERS))
    TRY(XLI_GRID_KEYS, groups, ENTRIES, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table, buckets, box,
        box, AT(SPLITTERS), AT(STARTS), AT(ENTRIES), AT(RANKS))
    for (uint32_t windows = 1; windows < 4; ++windows)
        TRY(XLI_GRID_SCATTER, groups * windows, ARRIVED, XLI_MEM(w.mem), AT(HEADER), n, table,
            buckets, XLI_U32(FLAG), AT(STARTS), AT(ENTRIES), AT(RANKS), AT(ARRIVED),
            XLI_U32(windows), XLI_U32(1))
    for (uint32_t crowd = 0; crowd <= POINTS; crowd += POINTS)
        for (uint32_t flagged = 0; flagged < 2; ++flagged) {
            wrong w = wrong_make(any, listed, seed);
            if (crowd == 0)
                crowd_all(&w);
            RUN(&kernels[XLI_GRID_ORDER], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table,
                XLI_U32(flagged ? FLAG : 0), AT(STARTS), AT(ARRIVED), AT(SORTED), AT(CROWDED),
                XLI_U32(crowd), XLI_U32(OVERFULL));
            wrong_check("xl_grid_order", &w, SORTED);
        }
    TRY(XLI_GRID_OVERFULL, 2, SORTED, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table, AT(STARTS),
        AT(ARRIVED), AT(SORTED), AT(CROWDED), XLI_U32(OVERFULL), AT(BUCKET_PARTS), buckets,
        XLI_U32(FLAG))
    TRY(XLI_GRID_LIST_PARTS, 2, BEGINS, XLI_MEM(w.mem), AT(HEADER), n, AT(SORTED), AT(BUCKET_PARTS),
        buckets, AT(ROWS), AT(BEGINS))
}

/* The kernels of sorting. */
static void sort_wrong_numbers(xl_plan *grid, const xlt_buffer *points, bool any, bool listed,
                               uint64_t seed)
{
    const xli_arg given = XLI_MEM(points->mem), from = XLI_U64(xlt_view(points).offset);
    const xli_arg n = XLI_U32(POINTS), table = XLI_U32(TABLE);
    xli_kernel *kernels = xli_grid_of(grid)->kernels;
    const size_t groups = xli_ceil_div(POINTS, GROUP);
    TRY(XLI_GRID_SORT_KEYS, groups, KEYS, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table, AT(KEYS),
        AT(VALUES))
    TRY(XLI_GRID_SORT_AGAIN, groups, KEYS, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table, AT(KEYS),
        AT(VALUES))
    TRY(XLI_GRID_HEADS, groups, VALUES, XLI_MEM(w.mem), AT(HEADER), n, AT(KEYS), AT(VALUES))
    TRY(XLI_GRID_LIST, groups, BEGINS, XLI_MEM(w.mem), AT(HEADER), n, AT(KEYS), AT(VALUES),
        AT(ROWS), AT(BEGINS))
    if (listed) /* there is no table */
        return;
    TRY(XLI_GRID_STARTS, groups, STARTS, XLI_MEM(w.mem), AT(HEADER), n, AT(STARTS), table, AT(KEYS))
    TRY(XLI_GRID_GATHER, groups, SORTED, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), AT(VALUES),
        AT(SORTED))
}

/* The storage of a grid and the points may be written to while a build runs. */
XLT_TEST(builds_over_wrong_numbers_stay_inside)
{
    cloud c = cloud_uniform(POINTS, 0.0f, 1.0f, 37);
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    xl_neighbors_desc search = search_desc_of(0.1f);
    xl_plan *grid;
    tune_as(TUNED_TABLE, &desc, &search);
    c.xyz[3] = NAN;
    c.xyz[7] = INFINITY;
    c.xyz[11] = -3e38f;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xli_grid_build_program(xli_grid_of(grid), XLI_GRID_SORTING));
    xlt_buffer points = xlt_buffer_make(c.xyz, 3 * POINTS, 4, 0);
    for (uint64_t seed = 1; seed < 12; ++seed) {
        for (int listed = 0; listed < 2; ++listed) {
            count_wrong_numbers(grid, &points, seed > 4, listed != 0, seed);
            sort_wrong_numbers(grid, &points, seed > 4, listed != 0, seed);
        }
    }
    xlt_check_guards(&points, "points");
    xlt_buffer_free(&points);
    xl_plan_destroy(grid);
    cloud_free(&c);
}

/* ---- rounding of images ------------------------------------------------------------------------ */

static double real_of(const xli_grid_lattice *l, const xli_grid_reals *of, int at)
{
    return l->wide ? of->f64[at] : (double)of->f32[at];
}

/* xl_cell_reach() of cl/grid/grid_cell.cl for one position. */
static double reach_at(const xli_grid_plan *grid, const double *at, double reach)
{
    const xli_grid_lattice *l = &grid->lattice;
    const double *lower = grid->space.lower, *upper = grid->space.upper;
    const double slack = (l->wide ? 0x1p-53 : 0x1p-24) * l->whole.s[9];
    double all = reach, extent = 0, largest = 0;
    for (int vector = 0; vector < 3; ++vector) {
        double middle = 0, part = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const int k = 3 * vector + axis;
            const double of = k < 8 ? real_of(l, &l->rounding, k) : real_of(l, &l->cell, 15);
            middle += of * (at[axis] - (lower[axis] + upper[axis]) / 2);
            part += fabs(of) * ((upper[axis] - lower[axis]) / 2 + reach);
        }
        all += fabs(middle) + part;
    }
    for (int axis = 0; axis < 3; ++axis) {
        extent = fmax(extent,
                      fmax(fabs(lower[axis]), fmax(fabs(upper[axis]), upper[axis] - lower[axis])));
        largest = fmax(largest, fabs(at[axis]));
    }
    return all + slack * (extent + largest + reach);
}

/* The host's bound for points in the box is as large as the kernels' bound for each of them. */
XLT_TEST(points_in_the_box_round_by_no_more)
{
    static const double cells[][9] = {{1, 0, 0, 0.25, 1, 0, 0.5, -0.25, 1},
                                      {8, 5, 0, 8, 5.02, 0, 0, 0, 3},
                                      {1, 40, 41, 0, 1, 1, 101, 1, 100}};
    xl_device_info info;
    xlt_random random = {41};
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    for (int k = 0; k < (info.has_fp64 ? 6 : 3); ++k) {
        xl_plan *plan;
        xl_grid_desc desc;
        xl_grid_desc_init(&desc);
        desc.cell_size = 1;
        desc.space.scalar = k < 3 ? XL_F32 : XL_F64;
        desc.space.bounds = XL_BOUNDS_GIVEN;
        desc.space.periodic = 7;
        desc.space.origin[1] = 100;
        memcpy(desc.space.cell, cells[k % 3], sizeof desc.space.cell);
        XLT_OK(xl_grid_create(xlt_context(), &desc, &plan));
        const xli_grid_plan *grid = xli_grid_of(plan);
        cl_float narrow[2];
        double inside[2], at[3];
        memcpy(inside, &grid->lattice.whole.s[12], sizeof inside);
        memcpy(narrow, &grid->lattice.whole.s[12], sizeof narrow);
        for (int bound = 0; k < 3 && bound < 2; ++bound)
            inside[bound] = (double)narrow[bound];
        for (int draw = 0; draw < 100; ++draw) {
            const double reach = draw % 3 * 0.75;
            for (int axis = 0; axis < 3; ++axis) {
                const double part = draw < 8 ? draw >> axis & 1 : (double)xlt_unit(&random);
                at[axis] = grid->space.lower[axis] +
                           part * (grid->space.upper[axis] - grid->space.lower[axis]);
            }
            assert_true(reach_at(grid, at, reach) <= reach + (inside[0] + inside[1] * reach));
        }
        xl_plan_destroy(plan);
    }
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
