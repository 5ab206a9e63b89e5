/* SPDX-License-Identifier: MIT
 * Makes plans, each with a separate folder, to obtain the sources that the library would build:
 *
 *   vendor_programs FOLDER [all] [NAME...]
 *
 * Writes FOLDER/FORM/PROGRAM-HASH.cl for each form below: for the main ones, for all, or for the
 * named ones. Under the layer of this folder, the sources are those for a GPU of another vendor. A
 * program that two forms share is written for the first form. A form that the device does not
 * support is reported and skipped. FOLDER must be empty. */
#define _POSIX_C_SOURCE 200809L
#include <crosslane/crosslane.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHER, MAIN, NO_DUMP };

/* The arguments, and the state of the run. */
static const char *folder;
static bool all, main_ones;
static char **names; /* up to a NULL; none: no names are given */
static bool fast;    /* XLT_VENDOR_FAST is set */
static int wrong;

static bool is_wished(const char *name, int kind)
{
    if (kind == NO_DUMP)
        return true;
    if ((kind == MAIN) != main_ones)
        return false;
    if (!*names)
        return main_ones || all;
    for (char **at = names; *at; ++at)
        if (strcmp(*at, name) == 0)
            return true;
    return false;
}

/* A context for one form; its programs are written into one folder. All contexts share one
 * cache, which keeps the results of self-tests and the programs of earlier forms. NULL: this
 * form is not made. */
static xl_context *begin(const char *name, int kind)
{
    char dump[1024], cache[1024];
    xl_context *ctx = NULL;
    xl_context_desc desc;
    if (!is_wished(name, kind))
        return NULL;
    xl_context_desc_init(&desc);
    snprintf(dump, sizeof dump, "%s/%s", folder, name);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    desc.dump_dir = kind == NO_DUMP ? NULL : dump;
    desc.cache_dir = cache;
    wrong += xl_context_create(&desc, &ctx) != XL_SUCCESS;
    if (!ctx)
        fprintf(stderr, "%s: %s\n", name, xl_context_error(NULL));
    /* Without optimisation, Intel's CPU compiler (2026.2) crashes on searches by sub-groups of a
     * required width. */
    if (fast && strncmp(name, "scan", 4) == 0 && strstr(name, "offsets"))
        unsetenv("XLT_VENDOR_FAST");
    return ctx;
}

static void end(xl_context *ctx, const char *name, xl_status status, xl_plan *plan, xl_plan *grid)
{
    if (status == XL_ERROR_UNSUPPORTED)
        printf("%s: left out: %s\n", name, xl_context_error(ctx));
    else if (status != XL_SUCCESS)
        fprintf(stderr, "%s: %s\n", name, xl_context_error(ctx));
    wrong += status != XL_SUCCESS && status != XL_ERROR_UNSUPPORTED;
    xl_plan_destroy(plan);
    xl_plan_destroy(grid);
    xl_context_destroy(ctx);
    if (fast)
        setenv("XLT_VENDOR_FAST", "1", 1);
}

/* The programs for all sizes of a scan or a sort, which is NULL if it could not be made. */
#define PREPARE(primitive)                                                                         \
    static xl_status prepare_##primitive(xl_plan *plan, xl_status status)                          \
    {                                                                                              \
        for (size_t n = 16; plan && status == XL_SUCCESS && n <= (size_t)1 << 28; n *= 2)          \
            status = xl_plan_prepare(plan, &(xl_##primitive##_args){.n = n});                      \
        return status;                                                                             \
    }
PREPARE(scan)
PREPARE(sort)
PREPARE(grid_build)

/* The program of a sample, too. */
static xl_status prepare_top_k(xl_plan *plan, xl_status status)
{
    const xl_top_k_args args = {.n = (size_t)1 << 28, .k = 10};
    return plan && status == XL_SUCCESS ? xl_plan_prepare(plan, &args) : status;
}

/* Makes the plan of one form. The last argument sets fields of `desc`. */
#define FORM(primitive, name, kind, ...) FORM_OF(primitive, name, kind, status, __VA_ARGS__)
#define SCAN(name, kind, ...) FORM_OF(scan, name, kind, prepare_scan(plan, status), __VA_ARGS__)
#define SORT(name, kind, ...) FORM_OF(sort, name, kind, prepare_sort(plan, status), __VA_ARGS__)
#define TOP_K(name, kind, ...) FORM_OF(top_k, name, kind, prepare_top_k(plan, status), __VA_ARGS__)
#define FORM_OF(primitive, name, kind, after, ...)                                                 \
    {                                                                                              \
        xl_context *ctx = begin(name, kind);                                                       \
        if (ctx) {                                                                                 \
            xl_plan *plan = NULL;                                                                  \
            xl_##primitive##_desc desc;                                                            \
            xl_##primitive##_desc_init(&desc);                                                     \
            __VA_ARGS__;                                                                           \
            const xl_status status = xl_##primitive##_create(ctx, &desc, &plan);                   \
            end(ctx, name, after, plan, NULL);                                                     \
        }                                                                                          \
    }
/* The same for a search in a grid; `space` sets fields of the grid's descriptor. */
#define SEARCH(primitive, name, kind, space, fields)                                               \
    {                                                                                              \
        xl_context *ctx = begin(name, kind);                                                       \
        if (ctx) {                                                                                 \
            xl_plan *plan = NULL, *grid = NULL;                                                    \
            xl_##primitive##_desc desc;                                                            \
            xl_##primitive##_desc_init(&desc);                                                     \
            fields;                                                                                \
            xl_status status = create_grid(ctx, space, &grid);                                     \
            if (status == XL_SUCCESS)                                                              \
                status = xl_##primitive##_create(grid, &desc, &plan);                              \
            end(ctx, name, status, plan, grid);                                                    \
        }                                                                                          \
    }

/* Fields of scans, reductions and sorts. */
#define TYPE(x) desc.type = XL_##x
#define BACK desc.algorithm = XL_SCAN_LOOKBACK
#define TWO desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN
#define BITS_OF_RESULT desc.determinism = XL_REPRODUCIBLE
#define FLAGS desc.segments = XL_SEGMENTS_HEAD_FLAGS
#define BY_KEYS desc.segments = XL_SEGMENTS_KEYS, desc.segment_type = XL_U32
#define OFFSETS(x) desc.segments = XL_SEGMENTS_OFFSETS, desc.segment_type = XL_##x

/* Look-back is requested by name, because a GPU without lane operations would not take it. */
static void scans(void)
{
    SCAN("scan-u32", MAIN, TYPE(U32); BACK)
    SCAN("scan-f32", MAIN, TYPE(F32); BACK)
    SCAN("scan-f32-flags", MAIN, TYPE(F32); BACK; FLAGS)
    SCAN("scan-u32-two-pass", MAIN, TYPE(U32); TWO)
    SCAN("scan-f32-reproducible", MAIN, TYPE(F32); BITS_OF_RESULT)
    SCAN("scan-u8", OTHER, TYPE(U8); BACK)
    SCAN("scan-u16", OTHER, TYPE(U16); BACK)
    SCAN("scan-i64", OTHER, TYPE(I64); BACK)
    SCAN("scan-f64", OTHER, TYPE(F64); BACK)
    SCAN("scan-f32x4", OTHER, TYPE(F32X4); BACK)
    SCAN("scan-u32-inclusive", OTHER, TYPE(U32); BACK; desc.kind = XL_INCLUSIVE)
    SCAN("scan-u32-carry", OTHER, TYPE(U32); BACK; desc.carry = 1)
    SCAN("scan-u32-flags", OTHER, TYPE(U32); BACK; FLAGS)
    SCAN("scan-u32-bits", OTHER, TYPE(U32); BACK; desc.segments = XL_SEGMENTS_FLAG_BITMASK)
    SCAN("scan-u32-keys", OTHER, TYPE(U32); BACK; BY_KEYS)
    SCAN("scan-u32-offsets", OTHER, TYPE(U32); BACK; OFFSETS(U32))
    SCAN("scan-u32-width", OTHER, TYPE(U32); BACK; desc.segments = XL_SEGMENTS_WIDTH;
         desc.segment_width = 12)
    SCAN("scan-u32-mask", OTHER, TYPE(U32); BACK; desc.segments = XL_SEGMENTS_MASK;
         desc.segment_width = 12; desc.segment_mask = 0x421)
    SCAN("scan-f32-keys", OTHER, TYPE(F32); BACK; BY_KEYS)
    SCAN("scan-i64-flags", OTHER, TYPE(I64); BACK; FLAGS)
    SCAN("scan-u8-two-pass", OTHER, TYPE(U8); TWO)
    SCAN("scan-f32-two-pass", OTHER, TYPE(F32); TWO)
    SCAN("scan-i64-two-pass", OTHER, TYPE(I64); TWO)
    SCAN("scan-f32-flags-two-pass", OTHER, TYPE(F32); TWO; FLAGS)
    SCAN("scan-u32-keys-two-pass", OTHER, TYPE(U32); TWO; BY_KEYS)
    SCAN("scan-f32-flags-reproducible", OTHER, TYPE(F32); FLAGS; BITS_OF_RESULT)
}

static void reductions(void)
{
    FORM(reduce, "reduce-f32", MAIN, TYPE(F32))
    FORM(reduce, "reduce-f32-offsets", MAIN, TYPE(F32); OFFSETS(U32))
    FORM(reduce, "reduce-u8", OTHER, TYPE(U8))
    FORM(reduce, "reduce-u32", OTHER, TYPE(U32))
    FORM(reduce, "reduce-i64", OTHER, TYPE(I64))
    FORM(reduce, "reduce-f64", OTHER, TYPE(F64))
    FORM(reduce, "reduce-f32-argmin", OTHER, TYPE(F32); desc.op = XL_ARG_MIN)
    FORM(reduce, "reduce-f32-reproducible", OTHER, TYPE(F32); BITS_OF_RESULT)
    FORM(reduce, "reduce-f32-flags", OTHER, TYPE(F32); FLAGS)
    FORM(reduce, "reduce-u32-keys", OTHER, TYPE(U32); BY_KEYS)
    FORM(reduce, "reduce-i64-offsets", OTHER, TYPE(I64); OFFSETS(U64))
}

#define KEY(x) desc.key = XL_##x
#define VALUE desc.value = XL_U32

static void sorts(void)
{
    SORT("sort-u32", OTHER, KEY(U32))
    SORT("sort-u32-values", MAIN, KEY(U32); VALUE)
    SORT("sort-f32", OTHER, KEY(F32))
    SORT("sort-f32-values-descending", OTHER, KEY(F32); VALUE; desc.order = XL_DESCENDING)
    SORT("sort-u64", OTHER, KEY(U64))
    SORT("sort-u64-values", OTHER, KEY(U64); VALUE)
    SORT("sort-u32-segments", MAIN, KEY(U32); OFFSETS(U32))
    SORT("sort-u32-values-segments", OTHER, KEY(U32); VALUE; OFFSETS(U32))
    SORT("sort-u32-values-radix", OTHER, KEY(U32); VALUE; desc.algorithm = XL_SORT_RADIX)
    SORT("sort-u32-values-stable", OTHER, KEY(U32); VALUE; desc.algorithm = XL_SORT_BITONIC;
         desc.stable = 1)
    SORT("sort-u32-gathered", OTHER, KEY(U32); desc.value = XL_BYTES(12))
}

static void selections_and_merges(void)
{
    TOP_K("top-k-u32", MAIN, KEY(U32); desc.sorted = 0)
    TOP_K("top-k-f64-values", OTHER, KEY(F64); VALUE; desc.sorted = 0)
    FORM(merge, "merge-u32-values", MAIN, KEY(U32); VALUE)
    FORM(merge, "merge-f64", OTHER, KEY(F64))
    FORM(search, "search-u32", MAIN, KEY(U32); desc.kind = XL_SEARCH_LOWER; desc.index = XL_U32)
    FORM(search, "search-f64-unsorted", OTHER, KEY(F64); desc.kind = XL_SEARCH_UNSORTED;
         desc.index = XL_U64)
}

/* Properties of a grid, besides the defaults. */
typedef struct space {
    bool bounded, periodic, sheared; /* sheared: a cell that is no box */
    bool wide, batch;                /* f64; several systems */
    xl_grid_algorithm algorithm;
} space;
#define SPACE(...)                                                                                 \
    (space)                                                                                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CELL .bounded = true, .periodic = true, .sheared = true

/* Builds the program of the kernels for moved points: an index of no points suffices. */
static xl_status watch_grid(xl_context *ctx, xl_plan *grid)
{
    xl_grid_index *index = NULL;
    cl_int code = CL_SUCCESS;
    const cl_mem moved =
        clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &code);
    xl_grid_moved_args args = {.points = xl_view_of(moved, 0), .moved = xl_view_of(moved, 0)};
    xl_status status = xl_grid_index_create(ctx, &index);
    if (status == XL_SUCCESS)
        status = xl_grid_build_enqueue(grid, index, xl_context_queue(ctx),
                                       &(xl_grid_build_args){.n = 0}, 0, NULL, NULL);
    if (status == XL_SUCCESS)
        status = xl_grid_moved_enqueue(grid, index, xl_context_queue(ctx), &args, 0, NULL, NULL);
    if (status == XL_SUCCESS)
        clFinish(xl_context_queue(ctx));
    xl_grid_index_destroy(index);
    if (code == CL_SUCCESS)
        clReleaseMemObject(moved);
    return status;
}

static xl_status create_grid(xl_context *ctx, space with, xl_plan **grid)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.algorithm = with.algorithm ? with.algorithm : desc.algorithm;
    desc.space.scalar = with.wide ? (uint32_t)XL_F64 : desc.space.scalar;
    desc.space.num_systems = with.batch ? 8 : 0;
    desc.space.bounds = with.bounded ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
    desc.space.periodic = with.periodic ? 7 : 0;
    for (int i = 0; i < 3; ++i)
        desc.space.cell[i][i] = with.bounded ? 1 : 0;
    if (with.sheared)
        desc.space.cell[2][2] = -1;
    xl_status status = xl_grid_create(ctx, &desc, grid);
    status = prepare_grid_build(*grid, status);
    return status == XL_SUCCESS ? watch_grid(ctx, *grid) : status;
}

static void make_grid(const char *name, int kind, space with)
{
    xl_plan *grid = NULL;
    xl_context *ctx = begin(name, kind);
    if (ctx)
        end(ctx, name, create_grid(ctx, with, &grid), NULL, grid);
}

#define VISIT                                                                                      \
    desc.visit = "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"        \
                 "{\n    return sum + params.x - distance2;\n}\n"
#define RADIUS desc.radius = 1

static void grids(void)
{
    make_grid("grid", MAIN, SPACE(.algorithm = XL_GRID_COUNTING));
    make_grid("grid-bounded", OTHER, SPACE(.algorithm = XL_GRID_COUNTING, .bounded = true));
    make_grid("grid-bitonic", OTHER, SPACE(.algorithm = XL_GRID_BITONIC));
    make_grid("grid-f64", OTHER, SPACE(.algorithm = XL_GRID_COUNTING, .wide = true));
    make_grid("grid-cell", OTHER, SPACE(.algorithm = XL_GRID_COUNTING, CELL));
    make_grid("grid-batch", OTHER, SPACE(.algorithm = XL_GRID_COUNTING, .batch = true));
    SEARCH(neighbors, "neighbors", MAIN, SPACE(0), RADIUS)
    SEARCH(neighbors, "neighbors-unsorted", OTHER, SPACE(0), RADIUS; desc.sorted = 0;
           desc.inclusive = desc.include_self = 1)
    SEARCH(neighbors, "neighbors-visit", OTHER, SPACE(0), RADIUS; VISIT)
    SEARCH(neighbors, "neighbors-f64", OTHER, SPACE(.wide = true), RADIUS)
    SEARCH(neighbors, "neighbors-visit-cell", OTHER, SPACE(CELL), RADIUS; VISIT)
    SEARCH(neighbors, "neighbors-visit-batch", OTHER, SPACE(.batch = true), RADIUS; VISIT)
    SEARCH(neighbors, "neighbors-cell", OTHER, SPACE(CELL), RADIUS)
    SEARCH(neighbors, "neighbors-batch", OTHER, SPACE(.batch = true), RADIUS)
    SEARCH(neighbors, "neighbors-f64-cell-batch", OTHER, SPACE(CELL, .wide = true, .batch = true),
           RADIUS)
}

#define QUERIES desc.queries = XL_QUERIES_GIVEN
#define BOX .bounded = true, .periodic = true

static void nearest(void)
{
    SEARCH(nearest, "nearest-8", OTHER, SPACE(0), desc.k = 8)
    SEARCH(nearest, "nearest-16", MAIN, SPACE(0), desc.k = 16)
    SEARCH(nearest, "nearest-64", OTHER, SPACE(0), desc.k = 64)
    SEARCH(nearest, "nearest-1024", OTHER, SPACE(0), desc.k = 1024)
    SEARCH(nearest, "nearest-16-queries-periodic", OTHER, SPACE(BOX), desc.k = 16; QUERIES)
    SEARCH(nearest, "nearest-16-f64", OTHER, SPACE(.wide = true), desc.k = 16)
    SEARCH(nearest, "nearest-16-queries-batch", OTHER, SPACE(.batch = true), desc.k = 16; QUERIES)
    FORM(nearest_approximate, "nearest-approximate-16", OTHER, desc.k = 16;
         for (int i = 0; i < 3; ++i) desc.space.cell[i][i] = 1)
    FORM(morton, "morton-63", MAIN, desc.space.dimensions = 3; desc.code = XL_U64)
    FORM(morton, "morton-32", OTHER, desc.space.dimensions = 2; desc.code = XL_U32)
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: vendor_programs FOLDER [all] [NAME...]\n"), 2;
    folder = argv[1];
    all = argc > 2 && strcmp(argv[2], "all") == 0;
    names = argv + (all ? 3 : 2);
    fast = getenv("XLT_VENDOR_FAST") != NULL;
    /* The self-test of look-back runs first, because its programs belong to no form. Without a dump
     * they are built with another option, so that no form finds them in the cache. */
    SCAN("self-test", NO_DUMP, TYPE(U64))
    /* The main forms come first: programs that others share with them are written for them. */
    for (int pass = 0; pass < 2; ++pass) {
        main_ones = pass == 0;
        scans();
        reductions();
        sorts();
        selections_and_merges();
        grids();
        nearest();
    }
    return wrong > 0;
}
