/* SPDX-License-Identifier: MIT
 * Makes plans, a folder each, for who wants the sources that the library would build:
 *
 *   vendor_programs FOLDER [all] [NAME...]
 *
 * Writes FOLDER/FORM/PROGRAM-HASH.cl for each form of the tables below: the main ones, or all of
 * them, or only those named. Under the layer of this folder these are the sources that a GPU of
 * another vendor would be given. A program that two forms share is written for the first. What the
 * device cannot do is said and left out. Look-back is asked for by name, as a GPU whose lanes are
 * not there yet would not take it. Run it with an empty FOLDER. */
#define _POSIX_C_SOURCE 200809L
#include <crosslane/crosslane.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct scan_form {
    const char *name;
    bool main;
    xl_type type;
    xl_scan_algorithm algorithm;
    xl_segments segments;
    xl_type segment_type;
    xl_determinism determinism;
    xl_scan_kind kind;
    uint32_t carry;
} scan_form;

#define BACK XL_SCAN_LOOKBACK
#define TWO XL_SCAN_REDUCE_THEN_SCAN
static const scan_form scans[] = {
    {"scan-u32", true, XL_U32, BACK, 0, 0, 0, 0, 0},
    {"scan-f32", true, XL_F32, BACK, 0, 0, 0, 0, 0},
    {"scan-f32-flags", true, XL_F32, BACK, XL_SEGMENTS_HEAD_FLAGS, 0, 0, 0, 0},
    {"scan-u32-two-pass", true, XL_U32, TWO, 0, 0, 0, 0, 0},
    {"scan-f32-reproducible", true, XL_F32, XL_SCAN_AUTO, 0, 0, XL_REPRODUCIBLE, 0, 0},
    {"scan-u8", false, XL_U8, BACK, 0, 0, 0, 0, 0},
    {"scan-u16", false, XL_U16, BACK, 0, 0, 0, 0, 0},
    {"scan-i64", false, XL_I64, BACK, 0, 0, 0, 0, 0},
    {"scan-f64", false, XL_F64, BACK, 0, 0, 0, 0, 0},
    {"scan-f32x4", false, XL_F32X4, BACK, 0, 0, 0, 0, 0},
    {"scan-u32-inclusive", false, XL_U32, BACK, 0, 0, 0, XL_INCLUSIVE, 0},
    {"scan-u32-carry", false, XL_U32, BACK, 0, 0, 0, 0, 1},
    {"scan-u32-flags", false, XL_U32, BACK, XL_SEGMENTS_HEAD_FLAGS, 0, 0, 0, 0},
    {"scan-u32-bits", false, XL_U32, BACK, XL_SEGMENTS_FLAG_BITMASK, 0, 0, 0, 0},
    {"scan-u32-keys", false, XL_U32, BACK, XL_SEGMENTS_KEYS, XL_U32, 0, 0, 0},
    {"scan-u32-offsets", false, XL_U32, BACK, XL_SEGMENTS_OFFSETS, XL_U32, 0, 0, 0},
    {"scan-u32-width", false, XL_U32, BACK, XL_SEGMENTS_WIDTH, 0, 0, 0, 0},
    {"scan-u32-mask", false, XL_U32, BACK, XL_SEGMENTS_MASK, 0, 0, 0, 0},
    {"scan-f32-keys", false, XL_F32, BACK, XL_SEGMENTS_KEYS, XL_U32, 0, 0, 0},
    {"scan-f32-offsets", false, XL_F32, BACK, XL_SEGMENTS_OFFSETS, XL_U32, 0, 0, 0},
    {"scan-i64-flags", false, XL_I64, BACK, XL_SEGMENTS_HEAD_FLAGS, 0, 0, 0, 0},
    {"scan-u8-two-pass", false, XL_U8, TWO, 0, 0, 0, 0, 0},
    {"scan-f32-two-pass", false, XL_F32, TWO, 0, 0, 0, 0, 0},
    {"scan-i64-two-pass", false, XL_I64, TWO, 0, 0, 0, 0, 0},
    {"scan-f32-flags-two-pass", false, XL_F32, TWO, XL_SEGMENTS_HEAD_FLAGS, 0, 0, 0, 0},
    {"scan-u32-keys-two-pass", false, XL_U32, TWO, XL_SEGMENTS_KEYS, XL_U32, 0, 0, 0},
    {"scan-u32-offsets-two-pass", false, XL_U32, TWO, XL_SEGMENTS_OFFSETS, XL_U32, 0, 0, 0},
    {"scan-f32-flags-reproducible", false, XL_F32, XL_SCAN_AUTO, XL_SEGMENTS_HEAD_FLAGS, 0,
     XL_REPRODUCIBLE, 0, 0},
    {"scan-u32-kogge-stone", false, XL_U32, XL_SCAN_KOGGE_STONE, 0, 0, 0, 0, 0},
    {"scan-u32-blelloch", false, XL_U32, XL_SCAN_BLELLOCH, 0, 0, 0, 0, 0},
};

typedef struct reduce_form {
    const char *name;
    bool main;
    xl_type type;
    xl_op op;
    xl_segments segments;
    xl_type segment_type;
    xl_determinism determinism;
} reduce_form;

static const reduce_form reductions[] = {
    {"reduce-f32", true, XL_F32, XL_SUM, 0, 0, 0},
    {"reduce-f32-offsets", true, XL_F32, XL_SUM, XL_SEGMENTS_OFFSETS, XL_U32, 0},
    {"reduce-u8", false, XL_U8, XL_SUM, 0, 0, 0},
    {"reduce-u32", false, XL_U32, XL_SUM, 0, 0, 0},
    {"reduce-i64", false, XL_I64, XL_SUM, 0, 0, 0},
    {"reduce-f64", false, XL_F64, XL_SUM, 0, 0, 0},
    {"reduce-f32-argmin", false, XL_F32, XL_ARG_MIN, 0, 0, 0},
    {"reduce-f32-reproducible", false, XL_F32, XL_SUM, 0, 0, XL_REPRODUCIBLE},
    {"reduce-f32-flags", false, XL_F32, XL_SUM, XL_SEGMENTS_HEAD_FLAGS, 0, 0},
    {"reduce-u32-keys", false, XL_U32, XL_SUM, XL_SEGMENTS_KEYS, XL_U32, 0},
    {"reduce-i64-offsets", false, XL_I64, XL_SUM, XL_SEGMENTS_OFFSETS, XL_U64, 0},
};

typedef struct sort_form {
    const char *name;
    bool main;
    xl_type key;
    uint32_t value;
    xl_sort_order order;
    xl_sort_algorithm algorithm;
    xl_segments segments;
    uint32_t stable;
} sort_form;

static const sort_form sorts[] = {
    {"sort-u32", false, XL_U32, XL_NONE, XL_ASCENDING, 0, 0, 0},
    {"sort-u32-values", true, XL_U32, XL_U32, XL_ASCENDING, 0, 0, 0},
    {"sort-f32", false, XL_F32, XL_NONE, XL_ASCENDING, 0, 0, 0},
    {"sort-f32-values-descending", false, XL_F32, XL_U32, XL_DESCENDING, 0, 0, 0},
    {"sort-u64", false, XL_U64, XL_NONE, XL_ASCENDING, 0, 0, 0},
    {"sort-u64-values", false, XL_U64, XL_U32, XL_ASCENDING, 0, 0, 0},
    {"sort-u32-segments", true, XL_U32, XL_NONE, XL_ASCENDING, 0, XL_SEGMENTS_OFFSETS, 0},
    {"sort-u32-values-segments", false, XL_U32, XL_U32, XL_ASCENDING, 0, XL_SEGMENTS_OFFSETS, 0},
    {"sort-u32-values-radix", false, XL_U32, XL_U32, XL_ASCENDING, XL_SORT_RADIX, 0, 0},
    {"sort-u32-values-stable", false, XL_U32, XL_U32, XL_ASCENDING, XL_SORT_BITONIC, 0, 1},
    {"sort-u32-gathered", false, XL_U32, XL_BYTES(12), XL_ASCENDING, 0, 0, 0},
};

/* Selections, merges and searches. */
typedef enum keyed_kind { TOP_K, MERGE, SEARCH } keyed_kind;
typedef struct keyed_form {
    const char *name;
    bool main;
    keyed_kind of;
    xl_type key, value;
    xl_search_kind kind;
} keyed_form;

static const keyed_form keyed[] = {
    {"top-k-u32", true, TOP_K, XL_U32, XL_NONE, 0},
    {"top-k-f64-values", false, TOP_K, XL_F64, XL_U32, 0},
    {"merge-u32-values", true, MERGE, XL_U32, XL_U32, 0},
    {"merge-f64", false, MERGE, XL_F64, XL_NONE, 0},
    {"search-u32", true, SEARCH, XL_U32, XL_NONE, XL_SEARCH_LOWER},
    {"search-f64-unsorted", false, SEARCH, XL_F64, XL_NONE, XL_SEARCH_UNSORTED},
};

typedef struct cloud_form {
    const char *name;
    bool main, search;
    xl_grid_algorithm algorithm;
    uint32_t bounded, unsorted, inclusive;
    const char *visit;
    xl_type scalar; /* XL_NONE: f32 */
    bool cell, batch;
} cloud_form;

static const char count_pairs[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
    "{\n    return sum + params.x - distance2;\n}\n";
static const cloud_form clouds[] = {
    {"grid", true, false, XL_GRID_COUNTING, 0, 0, 0, NULL, 0, false, false},
    {"grid-bounded", false, false, XL_GRID_COUNTING, 1, 0, 0, NULL, 0, false, false},
    {"grid-bitonic", false, false, XL_GRID_BITONIC, 0, 0, 0, NULL, 0, false, false},
    {"grid-f64", false, false, XL_GRID_COUNTING, 0, 0, 0, NULL, XL_F64, false, false},
    {"grid-cell", false, false, XL_GRID_COUNTING, 0, 0, 0, NULL, 0, true, false},
    {"grid-batch", false, false, XL_GRID_COUNTING, 0, 0, 0, NULL, 0, false, true},
    {"neighbors", true, true, 0, 0, 0, 0, NULL, 0, false, false},
    {"neighbors-unsorted", false, true, 0, 0, 1, 1, NULL, 0, false, false},
    {"neighbors-visit", false, true, 0, 0, 0, 0, count_pairs, 0, false, false},
    {"neighbors-f64", false, true, 0, 0, 0, 0, NULL, XL_F64, false, false},
    {"neighbors-cell", false, true, 0, 0, 0, 0, count_pairs, 0, true, false},
    {"neighbors-batch", false, true, 0, 0, 0, 0, count_pairs, 0, false, true},
    {"neighbors-f64-cell-batch", false, true, 0, 0, 0, 0, NULL, XL_F64, true, true},
};

/* Searches for the nearest. */
typedef struct nearest_form {
    const char *name;
    bool main;
    uint32_t k, queries, periodic;
    xl_type scalar; /* XL_NONE: f32 */
    bool batch;
} nearest_form;

static const nearest_form nearest[] = {
    {"nearest-8", false, 8, 0, 0, 0, false},
    {"nearest-16", true, 16, 0, 0, 0, false},
    {"nearest-64", false, 64, 0, 0, 0, false},
    {"nearest-1024", false, 1024, 0, 0, 0, false},
    {"nearest-16-queries-periodic", false, 16, XL_QUERIES_GIVEN, 1, 0, false},
    {"nearest-16-f64", false, 16, 0, 0, XL_F64, false},
    {"nearest-16-queries-batch", false, 16, XL_QUERIES_GIVEN, 0, 0, true},
};

/* By shifted sorting. */
typedef struct approximate_form {
    const char *name;
    bool main;
    uint32_t k;
} approximate_form;

static const approximate_form approximate[] = {{"nearest-approximate-16", false, 16}};

typedef struct code_form {
    const char *name;
    bool main;
    uint32_t dimensions;
    xl_type code;
} code_form;

static const code_form codes[] = {
    {"morton-63", true, 3, XL_U64},
    {"morton-32", false, 2, XL_U32},
};

static xl_status make_scan(xl_context *ctx, const scan_form *form)
{
    xl_plan *plan = NULL;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = form->type;
    desc.algorithm = form->algorithm;
    desc.segments = form->segments;
    desc.segment_type = form->segment_type;
    desc.determinism = form->determinism;
    desc.kind = form->kind;
    desc.carry = form->carry;
    desc.segment_width = 12; /* of those that have one */
    desc.segment_mask = 0x421;
    if (form->segments < XL_SEGMENTS_WIDTH)
        desc.segment_width = 0;
    if (form->segments != XL_SEGMENTS_MASK)
        desc.segment_mask = 0;
    /* Unless it optimises, Intel's CPU compiler (2026.2) crashes on searches by sub-groups of a
     * required width. */
    const bool fast = getenv("XLT_VENDOR_FAST") != NULL;
    if (fast && form->segments == XL_SEGMENTS_OFFSETS)
        unsetenv("XLT_VENDOR_FAST");
    const xl_status status = xl_scan_create(ctx, &desc, &plan);
    if (fast)
        setenv("XLT_VENDOR_FAST", "1", 1);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_reduction(xl_context *ctx, const reduce_form *form)
{
    xl_plan *plan = NULL;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = form->type;
    desc.op = form->op;
    desc.segments = form->segments;
    desc.segment_type = form->segment_type;
    desc.determinism = form->determinism;
    const xl_status status = xl_reduce_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_sort(xl_context *ctx, const sort_form *form)
{
    xl_plan *plan = NULL;
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = form->key;
    desc.value = form->value;
    desc.order = form->order;
    desc.algorithm = form->algorithm;
    desc.segments = form->segments;
    desc.segment_type = form->segments ? XL_U32 : XL_NONE;
    desc.stable = form->stable;
    const xl_status status = xl_sort_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_top_k(xl_context *ctx, const keyed_form *form)
{
    xl_plan *plan = NULL;
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.key = form->key;
    desc.value = form->value;
    desc.sorted = 0; /* what sorts them is a sort's */
    const xl_status status = xl_top_k_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_merge(xl_context *ctx, const keyed_form *form)
{
    xl_plan *plan = NULL;
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = form->key;
    desc.value = form->value;
    const xl_status status = xl_merge_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_bounds(xl_context *ctx, const keyed_form *form)
{
    xl_plan *plan = NULL;
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.key = form->key;
    desc.kind = form->kind;
    desc.index = form->kind == XL_SEARCH_UNSORTED ? XL_U64 : XL_U32;
    const xl_status status = xl_search_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_keyed(xl_context *ctx, const keyed_form *form)
{
    return form->of == TOP_K   ? make_top_k(ctx, form)
           : form->of == MERGE ? make_merge(ctx, form)
                               : make_bounds(ctx, form);
}

/* repeats: 0, 1 a periodic box, 2 a periodic cell that is no box. */
static xl_status create_grid(xl_context *ctx, xl_type scalar, uint32_t repeats, bool batch,
                             const cloud_form *form, xl_plan **grid)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    const bool bounded = repeats > 0 || (form && form->bounded);
    desc.cell_size = 1;
    desc.algorithm = form ? form->algorithm : desc.algorithm;
    desc.space.scalar = scalar ? (uint32_t)scalar : desc.space.scalar;
    desc.space.num_systems = batch ? 8 : 0;
    desc.space.bounds = bounded ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
    desc.space.periodic = repeats > 0 ? 7 : 0;
    for (int i = 0; i < 3; ++i)
        desc.space.cell[i][i] = bounded ? 1 : 0;
    if (repeats == 2)
        desc.space.cell[2][2] = -1; /* no box */
    return xl_grid_create(ctx, &desc, grid);
}

static xl_status make_grid(xl_context *ctx, const cloud_form *form)
{
    xl_plan *grid = NULL;
    const xl_status status =
        create_grid(ctx, form->scalar, form->cell ? 2 : 0, form->batch, form, &grid);
    xl_plan_destroy(grid);
    return status;
}

static xl_status make_search(xl_context *ctx, const cloud_form *form)
{
    xl_plan *plan = NULL, *grid = NULL;
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = 1;
    desc.sorted = !form->unsorted;
    desc.inclusive = form->inclusive;
    desc.include_self = form->inclusive;
    desc.visit = form->visit;
    xl_status status = create_grid(ctx, form->scalar, form->cell ? 2 : 0, form->batch, NULL, &grid);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(grid, &desc, &plan);
    xl_plan_destroy(plan);
    xl_plan_destroy(grid);
    return status;
}

static xl_status make_cloud(xl_context *ctx, const cloud_form *form)
{
    return form->search ? make_search(ctx, form) : make_grid(ctx, form);
}

static xl_status make_nearest(xl_context *ctx, const nearest_form *form)
{
    xl_plan *plan = NULL, *grid = NULL;
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = form->k;
    desc.queries = form->queries;
    xl_status status = create_grid(ctx, form->scalar, form->periodic, form->batch, NULL, &grid);
    if (status == XL_SUCCESS)
        status = xl_nearest_create(grid, &desc, &plan);
    xl_plan_destroy(plan);
    xl_plan_destroy(grid);
    return status;
}

static xl_status make_approximate(xl_context *ctx, const approximate_form *form)
{
    xl_plan *plan = NULL;
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = form->k;
    for (int i = 0; i < 3; ++i)
        desc.space.cell[i][i] = 1;
    const xl_status status = xl_nearest_approximate_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

static xl_status make_codes(xl_context *ctx, const code_form *form)
{
    xl_plan *plan = NULL;
    xl_morton_desc desc;
    xl_morton_desc_init(&desc);
    desc.space.dimensions = form->dimensions;
    desc.code = form->code;
    const xl_status status = xl_morton_create(ctx, &desc, &plan);
    xl_plan_destroy(plan);
    return status;
}

/* What was asked for. */
typedef struct wish {
    const char *folder;
    bool all;
    char **names; /* up to a NULL; none: not by name */
} wish;

static bool is_wished(const wish *w, const char *name, bool main)
{
    if (!*w->names)
        return main || w->all;
    for (char **at = w->names; *at; ++at)
        if (strcmp(*at, name) == 0)
            return true;
    return false;
}

/* A context for one form, whose programs get a folder of their own, or none. What a self-test
 * found, and the programs of earlier forms, all of them find in one cache. */
static xl_context *context_for(const wish *w, const char *name, bool dumps)
{
    char dump[1024], cache[1024];
    xl_context *ctx = NULL;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    snprintf(dump, sizeof dump, "%s/%s", w->folder, name);
    snprintf(cache, sizeof cache, "%s/cache", w->folder);
    desc.dump_dir = dumps ? dump : NULL;
    desc.cache_dir = cache;
    if (xl_context_create(&desc, &ctx) != XL_SUCCESS)
        fprintf(stderr, "%s: %s\n", name, xl_context_error(NULL));
    return ctx;
}

/* 0, or 1 for what is wrong. */
static int settle(xl_context *ctx, const char *name, xl_status status)
{
    if (status == XL_ERROR_UNSUPPORTED)
        printf("%s: left out: %s\n", name, xl_context_error(ctx));
    else if (status != XL_SUCCESS)
        fprintf(stderr, "%s: %s\n", name, xl_context_error(ctx));
    xl_context_destroy(ctx);
    return status != XL_SUCCESS && status != XL_ERROR_UNSUPPORTED;
}

/* Each row of a table that is wished for and is main, or is not. */
#define MAKE_ALL(table, make)                                                                      \
    for (size_t i = 0; i < COUNT(table); ++i) {                                                    \
        if ((table)[i].main != main_ones || !is_wished(&w, (table)[i].name, main_ones))            \
            continue;                                                                              \
        xl_context *ctx = context_for(&w, (table)[i].name, true);                                  \
        wrong += ctx ? settle(ctx, (table)[i].name, make(ctx, &(table)[i])) : 1;                   \
    }

/* Passes the self-test of look-back, whose programs are no form's. Without a dump they are built
 * with another option, so that the cache does not have them for a form, which then writes none. */
static int self_test(const wish *w)
{
    const scan_form form = {"self-test", true, XL_U64, XL_SCAN_AUTO, 0, 0, 0, 0, 0};
    xl_context *ctx = context_for(w, form.name, false);
    return ctx ? settle(ctx, form.name, make_scan(ctx, &form)) : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fprintf(stderr, "usage: vendor_programs FOLDER [all] [NAME...]\n"), 2;
    const bool all = argc > 2 && strcmp(argv[2], "all") == 0;
    const wish w = {argv[1], all, argv + (all ? 3 : 2)};
    int wrong = self_test(&w);
    /* The main ones first: what they share with others is then theirs, wished for or not. */
    for (int pass = 0; pass < 2; ++pass) {
        const bool main_ones = pass == 0;
        MAKE_ALL(scans, make_scan)
        MAKE_ALL(reductions, make_reduction)
        MAKE_ALL(sorts, make_sort)
        MAKE_ALL(keyed, make_keyed)
        MAKE_ALL(clouds, make_cloud)
        MAKE_ALL(nearest, make_nearest)
        MAKE_ALL(approximate, make_approximate)
        MAKE_ALL(codes, make_codes)
    }
    return wrong > 0;
}
