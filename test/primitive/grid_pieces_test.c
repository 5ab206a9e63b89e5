/* SPDX-License-Identifier: MIT
 * Pieces of the grid by themselves: numbers of cells of any float, how many points a search
 * looks at, offsets beyond 32 bits, and kernels of the build over storage full of wrong numbers. */
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
                               "#define XL_SOA 0\n#define XL_DIMENSIONS 3\n#define XL_BOUNDED 0\n",
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

/* Reads all of a buffer and lets go of it. */
static void fetch(cl_mem mem, size_t bytes, void *host)
{
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), mem, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    XLT_CL(clReleaseMemObject(mem));
}

/* ---- numbers of cells ---------------------------------------------------- */

static int by_float(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Floats of every size and sign, their neighbours, and those around `beyond`; in order. */
static void make_floats(float *x, size_t n, float beyond)
{
    xlt_random random = {31};
    for (size_t i = 0; i < n; i += 4) {
        float scale = i % 8 == 0 ? ldexpf(1.0f, (int)xlt_below(&random, 250) - 125) : beyond;
        float v = scale * (i % 16 < 8 ? 1.0f : 0.999f + 0.002f * xlt_unit(&random));
        v = isfinite(v) ? v : 3.4e38f;
        v = xlt_below(&random, 2) ? v : -v;
        x[i] = v;
        x[i + 1] = nextafterf(v, INFINITY);
        x[i + 2] = nextafterf(v, -INFINITY);
        x[i + 3] = -v;
    }
    x[0] = INFINITY;
    x[1] = -INFINITY;
    x[2] = 3.40282347e38f;
    x[3] = -3.40282347e38f;
    qsort(x, n, sizeof *x, by_float);
}

/* In order, and of its own for each float from `beyond` on. */
static void check_cells(const float *x, const int32_t *cells, size_t n, float beyond)
{
    for (size_t i = 0; i < n; ++i)
        assert_true(abs(cells[i]) <= INT32_MAX - (1 << 27));
    for (size_t i = 1; i < n; ++i) {
        bool far = x[i] != x[i - 1] && (x[i - 1] >= beyond || x[i] <= -beyond);
        if (cells[i] < cells[i - 1] || (far && cells[i] == cells[i - 1]))
            XLT_FAIL("%a has cell %d, %a has cell %d; numbered by bits from %a on",
                     (double)x[i - 1], cells[i - 1], (double)x[i], cells[i], (double)beyond);
    }
}

static void cells_are_in_the_order_of_the_floats(void **state)
{
    (void)state;
    enum { N = 1024 };
    const float sizes[] = {0x1p-149f, 0x1p-126f, 1e-30f, 1e-3f, 0.3f, 1.0f, 7.0f, 1e30f, 3e38f};
    static float x[N];
    static int32_t cells[N];
    cloud none = cloud_make(0, 3);
    xli_kernel kernel = piece("xl_test_cells");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        xl_grid *grid;
        xl_grid_desc desc = grid_desc_of(&none, sizes[k]);
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        make_floats(x, N, grid->beyond);
        cl_mem in = plain(sizeof x, x), out = plain(sizeof cells, NULL);
        RUN(&kernel, N / GROUP, XLI_MEM(in), XLI_U32(N), XLI_BYTES(&grid->inverse, sizeof(float)),
            XLI_BYTES(&grid->beyond, sizeof(float)), XLI_MEM(out));
        fetch(out, sizeof cells, cells);
        XLT_CL(clReleaseMemObject(in));
        check_cells(x, cells, N, grid->beyond);
        xl_grid_destroy(grid);
    }
    xli_kernel_destroy(&kernel);
    cloud_free(&none);
}

/* ---- how many points a search looks at ----------------------------------- */

static double candidates_of(const cloud *c, float cell_size, float radius)
{
    xl_grid_desc desc = grid_desc_of(c, cell_size);
    xl_neighbors_desc search = search_desc_of(radius);
    tune_as(TUNED_ROWS, &desc, &search);
    built b = build_grid(c, &desc);
    uint32_t *counts = malloc(c->n * sizeof *counts);
    uint64_t sum = 0;
    assert_non_null(counts);
    assert_int_equal(report_of(&b).sparse, 1);
    xli_kernel kernel = piece("xl_test_candidates");
    cl_mem out = plain(c->n * sizeof *counts, NULL);
    RUN(&kernel, xli_ceil_div(c->n, GROUP), XLI_MEM(b.index->storage),
        XLI_GRID_PART(b.index, header), XLI_GRID_PART(b.index, starts),
        XLI_GRID_PART(b.index, begins), XLI_GRID_PART(b.index, sorted), XLI_U32(c->n),
        XLI_U32(b.index->layout.table), XLI_BYTES(&radius, sizeof radius), XLI_MEM(out));
    fetch(out, c->n * sizeof *counts, counts);
    for (size_t i = 0; i < c->n; ++i)
        sum += counts[i];
    free(counts);
    xli_kernel_destroy(&kernel);
    built_free(&b);
    return (double)sum / (double)c->n;
}

/* Stretches of nine rows, of three points or so each; the points of a line stand in threes. */
static void expect_few(const char *what, const cloud *c, float cell_size, float radius)
{
    double got = candidates_of(c, cell_size, radius);
    if (!(got >= 1 && got < 100))
        XLT_FAIL("%s: %g candidates a query in cells of %g", what, got, (double)cell_size);
}

static void far_queries_look_at_few_points(void **state)
{
    (void)state;
    const float extents[] = {0x1p20f, 0x1p24f, 0x1p30f, 0x1p40f, 0x1p100f, 3.4e38f};
    const float away[] = {1e9f, 1e30f, 3e38f};
    const size_t n = xlt_small() ? 600 : 60000;
    for (size_t k = 0; k < sizeof extents / sizeof extents[0]; ++k)
        for (int axis = 0; axis < 4; ++axis) {
            cloud c = cloud_line(n, axis, extents[k]);
            expect_few("a line", &c, 1.0f, 1.0f);
            expect_few("a line in small cells", &c, 0x1p-62f, 0x1p-62f);
            cloud_free(&c);
        }
    for (size_t k = 0; k < sizeof away / sizeof away[0]; ++k) {
        cloud c = cloud_block_and_stray(n, away[k]);
        expect_few("a block and a stray", &c, 1.0f, 1.0f);
        cloud_free(&c);
    }
}

/* ---- beyond 32 bits ------------------------------------------------------ */

static void points_start_beyond_32_bits(void **state)
{
    (void)state;
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

/* Whatever the splitters are, all points are in order in the end. But only where each is the key
 * that its place in the whole sample says is every OF_SAMPLE-th of that in a bucket of its own. */
static void buckets_have_their_part_of_the_sample(void **state)
{
    (void)state;
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
    if (b.grid->sorts) {
        built_free(&b);
        cloud_free(&c);
        print_message("%s sorts keys instead, as it ends long loops\n", xlt_device());
        skip();
    }
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

/* Parts of a storage of our own, GAP words apart. */
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
                              .cells = {7, 7, 7},
                              .rows = 2 * POINTS,
                              .together = 1,
                              .y_bits = 77,
                              .inverse = 10.0f,
                              .thin = 1.0f,
                              .beyond = 1,
                              .sparse = listed};
    for (int a = 0; a < 3; ++a)
        header.last[a] = 9;
    if (any)
        fill_part(w, HEADER, 0, true, random);
    else
        memcpy(w->words + w->at[HEADER], &header, sizeof header);
    /* Not failed, which would put points into entries by their indices. */
    w->words[w->at[HEADER] + offsetof(xli_grid_header, failed) / 4] = 0;
}

static wrong wrong_make(bool any, bool listed, uint64_t seed)
{
    const size_t lengths[PARTS] = {64,          TABLE + 1,
                                   POINTS,      POINTS,
                                   POINTS,      4 * POINTS,
                                   2 * POINTS,  POINTS,
                                   2 * POINTS,  POINTS + 1,
                                   OVERFULL,    4 * BUCKETS,
                                   4 * BUCKETS, sizeof(xli_grid_part) / 4 * BUCKETS};
    wrong w = {.num_words = GAP};
    xlt_random random = {seed};
    for (int part = 0; part < PARTS; ++part) {
        w.at[part] = w.num_words;
        w.length[part] = lengths[part];
        w.num_words += (lengths[part] + 63) / 64 * 64 + GAP;
    }
    w.words = malloc(w.num_words * 4);
    assert_non_null(w.words);
    memset(w.words, 0x5c, w.num_words * 4);
    fill_header(&w, any, listed, &random);
    fill_part(&w, STARTS, POINTS, any, &random);
    fill_part(&w, ENTRIES, TABLE, any, &random);
    fill_part(&w, RANKS, TABLE, any, &random);
    fill_part(&w, CROWDED, TABLE, any, &random);
    fill_part(&w, PLACES, 4 * BUCKETS, any, &random);
    fill_part(&w, SPLITTERS, POINTS, any, &random);
    fill_part(&w, BUCKET_PARTS, POINTS, any, &random);
    fill_part(&w, ARRIVED, POINTS, any, &random);
    fill_part(&w, SORTED, POINTS, any, &random);
    fill_part(&w, KEYS, POINTS, any, &random);
    fill_part(&w, VALUES, POINTS, any, &random);
    fill_part(&w, ROWS, POINTS, any, &random);
    fill_part(&w, BEGINS, POINTS, any, &random);
    w.mem = plain(w.num_words * 4, w.words);
    return w;
}

/* No gap was written, and `part` got nothing out of one. */
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

/* The points, as x, y and z each have them where they lie side by side. */
#define GIVEN given, from, given, from, given, from

/* Counting, over a table's header or one of rows in buckets; each with storage of its own. `points`
 * has guards of 0x5c. */
static void count_wrong_numbers(xl_grid *grid, const xlt_buffer *points, bool any, bool listed,
                                uint64_t seed)
{
    const xli_arg given = XLI_MEM(points->mem), from = XLI_U64(xlt_view(points).offset);
    const xli_arg n = XLI_U32(POINTS), table = XLI_U32(TABLE), buckets = XLI_U32(BUCKETS);
    const cl_float4 corner = {{0}};
    const xli_arg box = XLI_BYTES(&corner, sizeof corner);
    xli_kernel *kernels = grid->kernels;
    const size_t groups = xli_ceil_div(POINTS, GROUP);
    wrong w = wrong_make(any, listed, seed);
    RUN(&kernels[XLI_GRID_SPLIT], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), buckets, AT(PLACES),
        AT(SPLITTERS));
    wrong_check("xl_grid_split", &w, SPLITTERS);
    w = wrong_make(any, listed, seed);
    RUN(&kernels[XLI_GRID_KEYS], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table, buckets, box,
        box, AT(SPLITTERS), AT(STARTS), AT(ENTRIES), AT(RANKS));
    wrong_check("xl_grid_keys", &w, ENTRIES);
    w = wrong_make(any, listed, seed);
    RUN(&kernels[XLI_GRID_SCATTER], groups, XLI_MEM(w.mem), AT(HEADER), n, table, buckets,
        XLI_U32(FLAG), AT(STARTS), AT(ENTRIES), AT(RANKS), AT(ARRIVED));
    wrong_check("xl_grid_scatter", &w, ARRIVED);
    for (uint32_t crowd = 0; crowd <= POINTS; crowd += POINTS)
        for (uint32_t flagged = 0; flagged < 2; ++flagged) {
            w = wrong_make(any, listed, seed);
            if (crowd == 0)
                crowd_all(&w);
            RUN(&kernels[XLI_GRID_ORDER], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table,
                XLI_U32(flagged ? FLAG : 0), AT(STARTS), AT(ARRIVED), AT(SORTED), AT(CROWDED),
                XLI_U32(crowd), XLI_U32(OVERFULL));
            wrong_check("xl_grid_order", &w, SORTED);
        }
    w = wrong_make(any, listed, seed);
    RUN(&kernels[XLI_GRID_OVERFULL], 2, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table, AT(STARTS),
        AT(ARRIVED), AT(SORTED), AT(CROWDED), XLI_U32(OVERFULL), AT(BUCKET_PARTS), buckets,
        XLI_U32(FLAG));
    wrong_check("xl_grid_sort_overfull", &w, SORTED);
    w = wrong_make(any, listed, seed);
    RUN(&kernels[XLI_GRID_LIST_PARTS], 2, XLI_MEM(w.mem), AT(HEADER), n, AT(SORTED),
        AT(BUCKET_PARTS), buckets, AT(ROWS), AT(BEGINS));
    wrong_check("xl_grid_list_parts", &w, BEGINS);
}

/* Sorting, likewise. */
static void sort_wrong_numbers(xl_grid *grid, const xlt_buffer *points, bool any, uint64_t seed)
{
    const xli_arg given = XLI_MEM(points->mem), from = XLI_U64(xlt_view(points).offset);
    const xli_arg n = XLI_U32(POINTS), table = XLI_U32(TABLE);
    xli_kernel *kernels = grid->kernels;
    const size_t groups = xli_ceil_div(POINTS, GROUP);
    wrong w;
    for (int listed = 0; listed < 2; ++listed) {
        w = wrong_make(any, listed != 0, seed);
        RUN(&kernels[XLI_GRID_SORT_KEYS], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table,
            AT(KEYS), AT(VALUES));
        wrong_check("xl_grid_sort_keys", &w, KEYS);
        w = wrong_make(any, listed != 0, seed);
        RUN(&kernels[XLI_GRID_SORT_AGAIN], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), table,
            AT(KEYS), AT(VALUES));
        wrong_check("xl_grid_sort_again", &w, KEYS);
        w = wrong_make(any, listed != 0, seed);
        RUN(&kernels[XLI_GRID_HEADS], groups, XLI_MEM(w.mem), AT(HEADER), n, AT(KEYS), AT(VALUES));
        wrong_check("xl_grid_heads", &w, VALUES);
        w = wrong_make(any, listed != 0, seed);
        RUN(&kernels[XLI_GRID_LIST], groups, XLI_MEM(w.mem), AT(HEADER), n, AT(KEYS), AT(VALUES),
            AT(ROWS), AT(BEGINS));
        wrong_check("xl_grid_list", &w, BEGINS);
    }
    w = wrong_make(any, false, seed);
    RUN(&kernels[XLI_GRID_STARTS], groups, XLI_MEM(w.mem), AT(HEADER), n, AT(STARTS), table,
        AT(KEYS));
    wrong_check("xl_grid_starts", &w, STARTS);
    w = wrong_make(any, false, seed);
    RUN(&kernels[XLI_GRID_GATHER], groups, GIVEN, n, XLI_MEM(w.mem), AT(HEADER), AT(VALUES),
        AT(SORTED));
    wrong_check("xl_grid_gather", &w, SORTED);
}

/* The storage of a grid and the points may be written to while a build runs. */
static void builds_over_wrong_numbers_stay_inside(void **state)
{
    (void)state;
    cloud c = cloud_uniform(POINTS, 0.0f, 1.0f, 37);
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    xl_neighbors_desc search = search_desc_of(0.1f);
    xl_grid *grid;
    tune_as(TUNED_TABLE, &desc, &search);
    c.xyz[3] = NAN;
    c.xyz[7] = INFINITY;
    c.xyz[11] = -3e38f;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    xlt_buffer points = xlt_buffer_make(c.xyz, 3 * POINTS, 4, 0);
    for (uint64_t seed = 1; seed < 12; ++seed) {
        count_wrong_numbers(grid, &points, seed > 4, false, seed);
        count_wrong_numbers(grid, &points, seed > 4, true, seed);
        sort_wrong_numbers(grid, &points, seed > 4, seed);
    }
    xlt_check_guards(&points, "points");
    xlt_buffer_free(&points);
    xl_grid_destroy(grid);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_in_the_order_of_the_floats),
        cmocka_unit_test(far_queries_look_at_few_points),
        cmocka_unit_test(points_start_beyond_32_bits),
        cmocka_unit_test(buckets_have_their_part_of_the_sample),
        cmocka_unit_test(builds_over_wrong_numbers_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
