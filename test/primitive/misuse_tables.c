/* SPDX-License-Identifier: MIT
 * Tables of wrong descriptors and wrong calls. */
#include "misuse_tables.h"

#include <crosslane/morton.h>
#include <crosslane/nearest.h>
#include <crosslane/nearest_approximate.h>
#include <math.h>

#define BAD XL_ERROR_INVALID_ARGUMENT
#define OVERLAP XL_ERROR_OVERLAP
enum { N = 20000, K = 64, POINTS = 100 };

xl_grid_index *misuse_indices[INDICES];

/* ---- calls without their types -------------------------------------------------------------- */

/* `what` is the plan's type, `call` the beginning of the call's names; the rest are the arguments
 * before the queue. */
#define CALLS(name, what, call, sizes, ...)                                                        \
    static xl_status create_##name(xl_context *ctx, const void *desc, void **plan)                 \
    {                                                                                              \
        xl_plan *made = NULL;                                                                      \
        const xl_status status = what##_create(ctx, desc, plan ? &made : NULL);                    \
        if (plan)                                                                                  \
            *plan = made;                                                                          \
        return status;                                                                             \
    }                                                                                              \
    static void destroy_##name(void *plan)                                                         \
    {                                                                                              \
        xl_plan_destroy(plan);                                                                     \
    }                                                                                              \
    static xl_status enqueue_##name(void *plan, cl_command_queue queue, const void *args,          \
                                    cl_uint num, const cl_event *waits, cl_event *event)           \
    {                                                                                              \
        return call##_enqueue(__VA_ARGS__, queue, args, num, waits, event);                        \
    }                                                                                              \
    static xl_status scratch_##name(const void *plan, size_t *bytes)                               \
    {                                                                                              \
        return what##_scratch(plan, SIZES sizes, bytes);                                           \
    }
#define SIZES(...) __VA_ARGS__

/* Sets the fields that the plan of the right call needs; `other` is the second plan. */
#define DESCRIBE(name, what, ...)                                                                  \
    static void describe_##name(void *desc, bool other)                                            \
    {                                                                                              \
        what##_desc *const d = desc;                                                               \
        what##_desc_init(d);                                                                       \
        (void)other;                                                                               \
        __VA_ARGS__;                                                                               \
    }

#define TABLE(name, what)                                                                          \
#name, sizeof(what##_desc), describe_##name, create_##name, destroy_##name, enqueue_##name,    \
        scratch_##name
#define ROWS(name) desc_##name, COUNT(desc_##name), call_##name, COUNT(call_##name)
#define SET(field, x)                                                                              \
    {                                                                                              \
        NUMBER, offsetof(ARGS, field), x                                                           \
    }
#define AS(field, other)                                                                           \
    {                                                                                              \
        OTHER_VIEW, offsetof(ARGS, field), offsetof(ARGS, other)                                   \
    }
#define NONE(field)                                                                                \
    {                                                                                              \
        NO_VIEW, offsetof(ARGS, field), 0                                                          \
    }
#define ARRAY(field, n, size, use)                                                                 \
    {                                                                                              \
#field, offsetof(ARGS, field), n, size, use                                                \
    }
#define NUMBERS(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__, SIZE_MAX                                                                      \
    }
#define AT(field) offsetof(ARGS, field)

static xl_tunable foreign[] = {{"sort.shape", 1}};
#define FOREIGN .tunables = foreign, .num_tunables = 1

/* ---- scan and reduction: further rules are in refusals_test.c ----------------------------- */

CALLS(scan, xl_scan, xl_scan, (&(xl_scan_args){.n = N}), plan)
DESCRIBE(scan, xl_scan, (void)0)
CALLS(reduce, xl_reduce, xl_reduce, (&(xl_reduce_args){.n = N}), plan)
DESCRIBE(reduce, xl_reduce, (void)0)

/* ---- sort ------------------------------------------------------------------------------------ */

CALLS(sort, xl_sort, xl_sort, (&(xl_sort_args){.n = N}), plan)
DESCRIBE(sort, xl_sort, d->value = other ? XL_NONE : XL_U32)
#define DESC &(xl_sort_desc)
static xl_user_comparator less = {"less", "bool less(uint a, uint b) { return a < b; }"};
static const misuse_desc desc_sort[] = {
    {"desc.key: f32x2", DESC{.key = XL_F32X2}, BAD},
    {"desc.key", DESC{.key = XL_NONE}, BAD},
    {"desc.key", DESC{.key = (xl_type)99}, BAD},
    {"desc.value", DESC{.key = XL_U32, .value = 99}, BAD},
    {"desc.order: 7; must be XL_ASCENDING or XL_DESCENDING", DESC{.key = XL_U32, .order = 7}, BAD},
    {"desc.algorithm: 9; must be an xl_sort_algorithm", DESC{.key = XL_U32, .algorithm = 9}, BAD},
    {"desc.large: 2; must be 0 or 1", DESC{.key = XL_U32, .large = 2}, BAD},
    {"desc.algorithm", DESC{.key = XL_U32, .large = 1, .algorithm = XL_SORT_BITONIC}, BAD},
    {"desc.comparator", DESC{.key = XL_U32, .large = 1, .comparator = &less}, BAD},
    {"desc.segments",
     DESC{.key = XL_U32, .large = 1, .segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_U32}, BAD},
    {"desc.equal_zeros", DESC{.key = XL_U32, .large = 1, .equal_zeros = 1}, BAD},
};
#undef DESC
#define ARGS xl_sort_args
static const misuse_call call_sort[] = {
    {BAD, "args.values_in: given", {{0}}, true},
    {BAD, "args.values_out: given", {NONE(values_in)}, true},
    {OVERLAP, "args.keys_in and args.values_out", {AS(values_out, keys_in)}, false},
    {OVERLAP, "args.values_in and args.keys_out", {AS(keys_out, values_in)}, false},
    {OVERLAP, "args.keys_out and args.values_out", {AS(values_out, keys_out)}, false},
#if SIZE_MAX > UINT32_MAX
    {BAD, "args.n: 4294967296; must be at most 4294967295", {SET(n, (size_t)1 << 32)}, false},
#endif
};
#undef ARGS

/* ---- top-k ----------------------------------------------------------------------------------- */

CALLS(top_k, xl_top_k, xl_top_k, (&(xl_top_k_args){.n = N, .k = K}), plan)
DESCRIBE(top_k, xl_top_k, d->value = other ? XL_NONE : XL_U32)
static xl_tunable bad_top_k[] = {{"top_k.items", 99}};
#define DESC &(xl_top_k_desc)
static const misuse_desc desc_top_k[] = {
    {"desc.key: u32x2", DESC{.key = XL_U32X2}, BAD},
    {"desc.key", DESC{.key = XL_NONE}, BAD},
    {"desc.key", DESC{.key = 99}, BAD},
    {"desc.value: unknown", DESC{.key = XL_U32, .value = XL_BYTES(65536)}, BAD},
    {"desc.more_values[1]: given", DESC{.key = XL_U32, .value = XL_U8, .more_values[1] = XL_U8},
     BAD},
    {"top_k.items = 99", DESC{.key = XL_U32, .tunables = bad_top_k, .num_tunables = 1}, BAD},
    {"another primitive's \"sort.shape\"", DESC{.key = XL_U32, FOREIGN}, BAD},
};
#undef DESC
#define ARGS xl_top_k_args
static const misuse_call call_top_k[] = {
    {BAD, "args.values_in: given", {{0}}, true},
    {BAD, "args.values_out: given", {NONE(values_in)}, true},
    {OVERLAP, "args.keys_in and args.keys_out", {AS(keys_out, keys_in)}, false},
    {OVERLAP, "args.values_in and args.values_out", {AS(values_out, values_in)}, false},
    {OVERLAP, "args.keys_out and args.values_out", {AS(values_out, keys_out)}, false},
    {BAD,
     "args.keys_out, args.values_out, args.indices_out, args.count_out: none given; at least one",
     {NONE(keys_out), NONE(values_out), NONE(indices_out), NONE(count_out)},
     false},
    {OVERLAP, "args.n_device and args.count_out", {AS(count_out, n_device)}, false},
    {BAD,
     "args.more_values_out[2]: given; must not be given, because desc.more_values[2] is XL_NONE",
     {AS(more_values_out[2], keys_out)},
     false},
#if SIZE_MAX > UINT32_MAX
    {BAD, "args.n: 4294967296; must be at most 4294967295", {SET(n, (size_t)1 << 32)}, false},
#endif
};
#undef ARGS

/* ---- select ---------------------------------------------------------------------------------- */

CALLS(select, xl_select, xl_select, (&(xl_select_args){.n = N}), plan)
static xl_tunable small_select[] = {{"select.tile_bytes", 256}},
                  bad_select[] = {{"select.item_bytes", 1}};
DESCRIBE(select, xl_select, d->value = XL_U32; d->tunables = small_select; d->num_tunables = 1)
#define DESC &(xl_select_desc)
#define BASE .type = XL_U32, .index = XL_U32
static const misuse_desc desc_select[] = {
    {"desc.kind: 6; must", DESC{BASE, .kind = 6}, BAD},
    {"desc.by: 3; must", DESC{BASE, .by = 3}, BAD},
    {"desc.index: u16", DESC{.type = XL_U32, .index = XL_U16}, BAD},
    {"desc.by: given; requires", DESC{BASE, .kind = XL_SELECT_RUNS, .by = 1}, BAD},
    {"desc.by: XL_SELECT_BY_BITMASK; a bit cannot",
     DESC{BASE, .kind = XL_SELECT_PARTITION3, .by = 2}, BAD},
    {"desc.predicate: given", DESC{BASE, .by = 1, .predicate = "x"}, BAD},
    {"desc.predicate: given", DESC{BASE, .kind = XL_SELECT_UNIQUE, .predicate = "x"}, BAD},
    {"desc.equal: given", DESC{BASE, .equal = "a == b"}, BAD},
    {"desc.equal_zeros: 0; must be 1 if desc.equal",
     DESC{BASE, .kind = XL_SELECT_UNIQUE, .equal = "a == b"}, BAD},
    {"desc.type: unknown (99)", DESC{.type = 99, .index = XL_U32}, BAD},
    {"user_type", DESC{.type = XL_USER_TYPE, .index = XL_U32}, BAD},
    {"desc.predicate: NULL; must be given for elements of type float2",
     DESC{.type = XL_F32X2, .index = XL_U32}, BAD},
    {"desc.value: unknown (77)", DESC{BASE, .value = 77}, BAD},
    {"desc.value: unknown (131072)", DESC{BASE, .value = XL_BYTES(0)}, BAD},
    {"desc.more_values[0]: given", DESC{BASE, .more_values = {XL_U32}}, BAD},
    {"desc.more_values[1]: ", DESC{BASE, .value = XL_U32, .more_values = {XL_U32, XL_USER_TYPE}},
     BAD},
    {"predicate", DESC{BASE, .equal_zeros = 1, .predicate = "x >"}, XL_ERROR_BUILD},
    {"select.item_bytes = 1", DESC{BASE, .tunables = bad_select, .num_tunables = 1}, BAD},
    {"another primitive's \"sort.shape\"", DESC{BASE, FOREIGN}, BAD},
};
#undef BASE
#undef DESC
#define ARGS xl_select_args
static const misuse_call call_select[] = {
    {BAD,
     "none is given",
     {NONE(out), NONE(values_out), NONE(indices_out), NONE(count_out)},
     false},
    {BAD, "flags: given", {AS(flags, in)}, false},
    {BAD, "lengths_in: given", {AS(lengths_in, in)}, false},
    {BAD, "lengths_out: given", {AS(lengths_out, out)}, false},
    {BAD, "more_values_in[0]: given", {AS(more_values_in[0], in)}, false},
    {BAD, "more_values_out[2]: given", {AS(more_values_out[2], out)}, false},
#if SIZE_MAX > UINT32_MAX
    {BAD,
     "args.n: 4294967296; must be at most 4294967295 if desc.index",
     {SET(n, (size_t)1 << 32)},
     false},
#endif
};
#undef ARGS

/* ---- merge ----------------------------------------------------------------------------------- */

CALLS(merge, xl_merge, xl_merge, (&(xl_merge_args){.n_a = 100}), plan)
static xl_tunable tiles_of_24[] = {
    {"merge.serial", 0}, {"merge.group", 8}, {"merge.item_bytes", 24}, {"merge.search_tiles", 0}};
DESCRIBE(merge, xl_merge, d->value = other ? XL_NONE : XL_U32; d->tunables = tiles_of_24;
         d->num_tunables = 4)
#define DESC &(xl_merge_desc)
static const misuse_desc desc_merge[] = {
    {"desc.key: ", DESC{.key = XL_NONE}, BAD},
    {"desc.key: ", DESC{.key = (xl_type)99}, BAD},
    {"desc.value: unknown (77)", DESC{.key = XL_U32, .value = 77}, BAD},
    {"desc.value: unknown (65536)", DESC{.key = XL_U32, .value = XL_SORT_INDICES}, BAD},
    {"desc.more_values[0]: given", DESC{.key = XL_U32, .more_values = {XL_U32}}, BAD},
    {"desc.more_values[2]: given",
     DESC{.key = XL_U32, .value = XL_U32, .more_values = {XL_U32, XL_NONE, XL_U32}}, BAD},
    {"desc.operation: 4; must be XL_MERGE_ALL", DESC{.key = XL_U32, .operation = 4}, BAD},
    {"desc.order: 7; must be XL_ASCENDING or XL_DESCENDING", DESC{.key = XL_U32, .order = 7}, BAD},
};
#undef DESC
#define ARGS xl_merge_args
static const misuse_call call_merge[] = {
    {BAD, "values_a: given", {{0}}, true},
    {BAD, "values_b: given", {NONE(values_a)}, true},
    {BAD, "values_out: given", {NONE(values_a), NONE(values_b)}, true},
    {BAD, "more_values_a[0]: given", {AS(more_values_a[0], keys_a)}, false},
    {BAD, "more_values_out[2]: given", {AS(more_values_out[2], keys_out)}, false},
    {BAD, "args.count_out: given", {AS(count_out, keys_out)}, false},
    {BAD, "args.n_a, args.n_b: 40 and ", {SET(n_b, SIZE_MAX)}, false},
#if SIZE_MAX > UINT32_MAX
    {BAD,
     "args.n_a, args.n_b: 281474976710656 and 60; must be at most 281474976710655 together",
     {SET(n_a, (size_t)1 << 48)},
     false},
    {BAD, "args.n_a, args.n_b: 281474976710655 and 60", {SET(n_a, ((size_t)1 << 48) - 1)}, false},
#endif
};
#undef ARGS

CALLS(merge_runs, xl_merge, xl_merge, (&(xl_merge_args){.n_a = 100, .num_runs = 3}), plan)
DESCRIBE(merge_runs, xl_merge, d->value = XL_U32; d->operation = other ? XL_MERGE_UNION : 0)
static const size_t three_runs[] = {0, 40, 40, 100, 90};
#define ARGS xl_merge_args
static const misuse_call call_merge_runs[] = {
    {BAD, "args.num_runs: 3; requires desc.operation XL_MERGE_ALL", {{0}}, true},
    {BAD, "args.n_b: 1; must be 0", {SET(n_b, 1)}, false},
    {BAD, "keys_b: given; must not be given, because args.num_runs", {AS(keys_b, keys_a)}, false},
    {BAD, "values_b: given", {AS(values_b, values_a)}, false},
    {BAD, "more_values_b[2]: given", {AS(more_values_b[2], values_a)}, false},
    {BAD, "n_a_device: given", {AS(n_a_device, keys_a)}, false},
    {BAD, "n_b_device: given", {AS(n_b_device, keys_a)}, false},
    {BAD, "args.runs: NULL; must have", {SET(runs, 0)}, false},
    {BAD, "args.runs: given; must be NULL", {SET(num_runs, 0)}, false},
    {BAD, "args.runs[0]: 40; must be 0", {SET(runs, (size_t)(three_runs + 1))}, false},
    {BAD, "args.runs[2]: 40; must be args.n_a, 100", {SET(num_runs, 2)}, false},
    {BAD, "args.runs[3]: 100; must be args.n_a, 99", {SET(n_a, 99)}, false},
    {BAD,
     "args.runs[4]: 90; must be at least the number before it, 100",
     {SET(num_runs, 4), SET(n_a, 90)},
     false},
};
#undef ARGS

CALLS(difference, xl_merge, xl_merge, (&(xl_merge_args){.n_a = 100}), plan)
DESCRIBE(difference, xl_merge, d->value = other ? XL_NONE : XL_U32;
         d->operation = XL_MERGE_DIFFERENCE)
#define ARGS xl_merge_args
static const misuse_call call_difference[] = {
    {BAD, "values_b: given", {AS(values_b, values_a)}, false},
    {BAD, "values_out: given", {NONE(values_a)}, true},
};
#undef ARGS

/* ---- search ---------------------------------------------------------------------------------- */

CALLS(search, xl_search, xl_search, (&(xl_search_args){.n = N}), plan)
DESCRIBE(search, xl_search, d->kind = other ? XL_SEARCH_UNSORTED : XL_SEARCH_LOWER;
         d->index = other ? XL_U64 : XL_U32)
CALLS(unsorted, xl_search, xl_search, (&(xl_search_args){.n = N}), plan)
DESCRIBE(unsorted, xl_search, d->kind = XL_SEARCH_UNSORTED)
#define DESC &(xl_search_desc)
static const misuse_desc desc_search[] = {
    {"desc.key: ", DESC{.key = XL_NONE, .index = XL_U32}, BAD},
    {"desc.key: ", DESC{.key = (xl_type)99, .index = XL_U32}, BAD},
    {"desc.order: 7; must be XL_ASCENDING or XL_DESCENDING",
     DESC{.key = XL_U32, .order = 7, .index = XL_U32}, BAD},
    {"desc.kind: 3; must", DESC{.key = XL_U32, .kind = 3, .index = XL_U32}, BAD},
    {"desc.index: i32", DESC{.key = XL_U32, .index = XL_I32}, BAD},
    {"desc.index: u32 (6); must be u64",
     DESC{.key = XL_U32, .index = XL_U32, .kind = XL_SEARCH_UNSORTED}, BAD},
};
#undef DESC
#define ARGS xl_search_args
static const misuse_call call_search[] = {
    {BAD, "num_queries_device: given", {SET(num_queries, 0)}, true},
    {BAD, "queries: given", {SET(num_queries, 0), NONE(num_queries_device)}, true},
    {BAD, "args.num_queries: 20000; must be 0", {NONE(queries)}, true},
    {BAD, "args.queries: ", {SET(num_queries, SIZE_MAX / 16)}, false},
    {BAD, "num_queries: ", {SET(num_queries, SIZE_MAX)}, false},
#if SIZE_MAX > UINT32_MAX
    {BAD,
     "args.n: 4294967296; must be at most 4294967295 if desc.index is u32",
     {SET(n, (size_t)1 << 32)},
     false},
#endif
};
#undef ARGS

/* ---- histogram ------------------------------------------------------------------------------- */

enum { BINS = 16 };
CALLS(histogram, xl_histogram, xl_histogram, (&(xl_histogram_args){.n = N}), plan)
DESCRIBE(histogram, xl_histogram, d->type = XL_U32; d->num_bins = BINS;
         d->kind = other ? XL_HISTOGRAM_KEYS : XL_HISTOGRAM_LEVELS;
         d->counter = other ? XL_U32 : XL_F32; d->weight = other ? XL_NONE : XL_F32)
static xl_tunable bad_histogram[] = {{"histogram.copies", 99}};
#define DESC &(xl_histogram_desc)
#define KEYS .type = XL_U8, .counter = XL_U32, .num_bins = 5
#define EVEN(name) .kind = XL_HISTOGRAM_EVEN, .type = name, .counter = XL_U32, .num_bins = 5
static xl_user_type named = {"t", 4, 4, "typedef struct { int a; } t;"};
static const misuse_desc desc_histogram[] = {
    {"desc.kind: 3; must", DESC{KEYS, .kind = 3}, BAD},
    {"desc.type: f32 (10); must be an integer",
     DESC{.kind = XL_HISTOGRAM_KEYS, .type = XL_F32, .counter = XL_U32, .num_bins = 5}, BAD},
    {"desc.type: u32x2",
     DESC{.kind = XL_HISTOGRAM_KEYS, .type = XL_U32X2, .counter = XL_U32, .num_bins = 5}, BAD},
    {"desc.counter: i32 (5); must",
     DESC{.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_I32, .num_bins = 5}, BAD},
    {"desc.counter: f32 (10); must be u32 or u64 if desc.weight is XL_NONE",
     DESC{.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_F32, .num_bins = 5}, BAD},
    {"desc.counter: u32 (6); must be f32 or f64 if desc.weight is",
     DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .weight = XL_F32}, BAD},
    {"desc.counter: u16 (4); must be u32, u64, i32, i64, f32 or f64",
     DESC{.kind = XL_HISTOGRAM_KEYS,
          .type = XL_U8,
          .counter = XL_U16,
          .weight = XL_U8,
          .num_bins = 5},
     BAD},
    {"desc.weight: u32x2", DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .weight = XL_U32X2}, BAD},
    {"desc.weight: unknown (99)", DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .weight = 99}, BAD},
    {"desc.num_bins: 0; must", DESC{.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_U32},
     BAD},
    {"desc.num_bins: 1048577; must",
     DESC{.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_U32, .num_bins = 1048577}, BAD},
    {"desc.lower, desc.upper: given", DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .upper = 1}, BAD},
    {"desc.lower, desc.upper: given", DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .lower = (double)NAN},
     BAD},
    {"desc.lower_integer, desc.upper_integer: given",
     DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .upper_integer = 1}, BAD},
    {"desc.lower, desc.upper: given", DESC{EVEN(XL_I32), .upper_integer = 9, .upper = 9}, BAD},
    {"desc.lower_integer, desc.upper_integer: given",
     DESC{EVEN(XL_F32), .upper_integer = 9, .upper = 9}, BAD},
    {"desc.lower_integer, desc.upper_integer: 0 and 0; must rise", DESC{EVEN(XL_I32)}, BAD},
    {"5 and 5; must rise", DESC{EVEN(XL_I32), .lower_integer = 5, .upper_integer = 5}, BAD},
    {"-1 and 5; must rise", DESC{EVEN(XL_U64), .lower_integer = -1, .upper_integer = 5}, BAD},
    {"must be numbers of u8", DESC{EVEN(XL_U8), .upper_integer = 257}, BAD},
    {"must be numbers of u32", DESC{EVEN(XL_U32), .lower_integer = -1, .upper_integer = 257}, BAD},
    {"must be numbers of i8", DESC{EVEN(XL_I8), .lower_integer = -129, .upper_integer = 2}, BAD},
    {"must rise", DESC{EVEN(XL_F32), .lower = 1, .upper = 1}, BAD},
    {"must rise", DESC{EVEN(XL_F32), .lower = 1, .upper = 1 + 1e-12}, BAD},
    {"be finite", DESC{EVEN(XL_F32), .lower = (double)NAN, .upper = 1}, BAD},
    {"be finite", DESC{EVEN(XL_F32), .upper = (double)INFINITY}, BAD},
    {"be finite", DESC{EVEN(XL_F32), .lower = -3e38, .upper = 3e38}, BAD},
    {"nor too close", DESC{EVEN(XL_F32), .upper = 1e-40}, BAD},
    {"desc.load_type: ushort2; requires desc.load",
     DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .load_type = XL_U16X2}, BAD},
    {"user_load_type: given",
     DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .load_type = XL_U16, .load = "x",
          .user_load_type = &named},
     BAD},
    {"desc.load_type: XL_USER_TYPE; requires desc.user_load_type",
     DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .load = "x", .load_type = XL_USER_TYPE}, BAD},
    {"histogram.copies = 99",
     DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, .tunables = bad_histogram, .num_tunables = 1}, BAD},
    {"another primitive's \"sort.shape\"", DESC{KEYS, .kind = XL_HISTOGRAM_KEYS, FOREIGN}, BAD},
};
#undef DESC
#undef KEYS
#define ARGS xl_histogram_args
static const misuse_call call_histogram[] = {
    {BAD, "args.levels: given; requires", {{0}}, true},
    {BAD, "args.weights: given; requires desc.weight", {NONE(levels)}, true},
    {BAD, "in: ", {SET(n, SIZE_MAX)}, false},
};
#undef ARGS

/* ---- transform ------------------------------------------------------------------------------- */

CALLS(transform, xl_transform, xl_transform, (&(xl_transform_args){.n = N}), plan)
DESCRIBE(transform, xl_transform, d->kind = other ? XL_TRANSFORM_MAP : XL_TRANSFORM_GATHER;
         d->index_type = other ? XL_NONE : XL_U32)
static xl_tunable bad_transform[] = {{"transform.items", 99}};
#define DESC &(xl_transform_desc)
#define MAP .kind = XL_TRANSFORM_MAP, .num_arrays = 1, .types = {XL_U32}
#define MOVE(name) .kind = name, .num_arrays = 1, .types = {XL_U32}
static const misuse_desc desc_transform[] = {
    {"desc.kind: 4; must", DESC{.kind = 4}, BAD},
    {"desc.num_arrays: 5; must be 0 to 4", DESC{.kind = XL_TRANSFORM_MAP, .num_arrays = 5}, BAD},
    {"desc.num_arrays: 0; requires", DESC{.kind = XL_TRANSFORM_MAP, .expression = "i"}, BAD},
    {"desc.num_arrays: 0; requires", DESC{.kind = XL_TRANSFORM_MAP, .out_type = XL_U32}, BAD},
    {"desc.num_arrays: 0; must be 1 to 4", DESC{.kind = XL_TRANSFORM_GATHER, .index_type = XL_U32},
     BAD},
    {"desc.num_arrays: 2; must be 1 to 1",
     DESC{.kind = XL_TRANSFORM_ADJACENT, .num_arrays = 2, .types = {XL_U8, XL_U8}}, BAD},
    {"desc.types[0]: ", DESC{.kind = XL_TRANSFORM_MAP, .num_arrays = 1}, BAD},
    {"desc.types[1]: given; must",
     DESC{.kind = XL_TRANSFORM_MAP, .num_arrays = 1, .types = {XL_U32, XL_U8}}, BAD},
    {"user_types[0]: given", DESC{MAP, .user_types[0] = &named}, BAD},
    {"desc.out_type: ", DESC{MAP, .out_type = 77}, BAD},
    {"user_out_type: given", DESC{MAP, .user_out_type = &named}, BAD},
    {"index_type: given", DESC{MAP, .index_type = XL_U32}, BAD},
    {"desc.index_type: i32 (5); must", DESC{MOVE(XL_TRANSFORM_GATHER), .index_type = XL_I32}, BAD},
    {"out_type: given", DESC{MOVE(XL_TRANSFORM_GATHER), .index_type = XL_U32, .out_type = XL_U32},
     BAD},
    {"expression: given", DESC{MOVE(XL_TRANSFORM_SCATTER), .index_type = XL_U32, .expression = "x"},
     BAD},
    {"desc.types[0]: user",
     DESC{.kind = XL_TRANSFORM_SCATTER,
          .num_arrays = 1,
          .types = {XL_USER_TYPE},
          .index_type = XL_U32},
     BAD},
    {"desc.expression: NULL; must",
     DESC{.kind = XL_TRANSFORM_ADJACENT,
          .num_arrays = 1,
          .types = {XL_USER_TYPE},
          .user_types = {&named}},
     BAD},
    {"transform.items = 99", DESC{MAP, .tunables = bad_transform, .num_tunables = 1}, BAD},
    {"another primitive's \"sort.shape\"", DESC{MAP, FOREIGN}, BAD},
};
#undef DESC
#define ARGS xl_transform_args
static const misuse_call call_transform[] = {
    {OVERLAP, "in[0] and args.out[0]", {AS(out[0], in[0])}, false},
    {BAD, "in[1]: given", {AS(in[1], in[0])}, false},
    {BAD, "out[3]: given", {AS(out[3], in[0])}, false},
    {BAD, "indices: given", {{0}}, true},
    {BAD, "in[0]", {SET(range, SIZE_MAX / 8)}, false},
};
#undef ARGS

/* ---- Morton codes ---------------------------------------------------------------------------- */

CALLS(morton, xl_morton, xl_morton, (&(xl_morton_args){.n = POINTS}), plan)
DESCRIBE(morton, xl_morton, d->code = XL_U32)
#define DESC &(xl_morton_desc)
#define SPACED(...) .space = {__VA_ARGS__}, .stride = 3, .code = XL_U64
static const misuse_desc desc_morton[] = {
    {"desc.stride: 2; must be at least desc.space.dimensions, 3",
     DESC{.space = {.dimensions = 3, .scalar = XL_F32, .bounds = 1}, .stride = 2, .code = XL_U64},
     BAD},
    {"desc.space.origin[1]: nan; must be a finite f32",
     DESC{SPACED(.dimensions = 3, .scalar = XL_F32, .bounds = 1, .origin = {0, (double)NAN, 0})},
     BAD},
    {"desc.space.cell[0][0]: inf; must be a finite f32",
     DESC{SPACED(.dimensions = 3, .scalar = XL_F32, .bounds = 1, .cell = {{(double)INFINITY}})},
     BAD},
    {"desc.space.cell[2][2]: 3e+38; ",
     DESC{SPACED(.dimensions = 3, .scalar = XL_F32, .bounds = 1, .origin = {0, 0, 3e38},
                 .cell = {{0}, {0}, {0, 0, 3e38}})},
     BAD},
    {"desc.space.cell: not a box",
     DESC{SPACED(.dimensions = 3, .scalar = XL_F32, .bounds = 1, .cell = {{-1}})}, BAD},
    {"desc.space.cell: not a box",
     DESC{SPACED(.dimensions = 3, .scalar = XL_F32, .bounds = 1, .cell = {{1, 1}})}, BAD},
    {"desc.space.dimensions: 1; must be 2 or 3",
     DESC{SPACED(.dimensions = 1, .scalar = XL_F32, .bounds = 1)}, BAD},
    {"desc.space.dimensions: 4; must be",
     DESC{SPACED(.dimensions = 4, .scalar = XL_F32, .bounds = 1)}, BAD},
    {"desc.space.scalar: i32", DESC{SPACED(.dimensions = 3, .scalar = XL_I32, .bounds = 1)}, BAD},
    {"desc.space.bounds: 0", DESC{SPACED(.dimensions = 3, .scalar = XL_F32)}, BAD},
    {"desc.space.periodic: not 0",
     DESC{SPACED(.dimensions = 2, .scalar = XL_F32, .bounds = 1, .periodic = 1,
                 .cell = {{1}, {0, 1}})},
     BAD},
    {"desc.code: u16",
     DESC{.space = {.dimensions = 3, .scalar = XL_F32, .bounds = 1}, .stride = 3, .code = XL_U16},
     BAD},
};
#undef DESC
#define ARGS xl_morton_args
static const misuse_call call_morton[] = {
    {BAD, "args.points: ", {SET(n, SIZE_MAX / 64)}, false},
    {BAD, "n: ", {SET(n, SIZE_MAX)}, false},
};
#undef ARGS

/* ---- nearest points -------------------------------------------------------------------------- */

/* A search of one of misuse_indices[]. */
typedef struct nearest_args {
    size_t index;
    xl_nearest_args args;
} nearest_args;

static xl_status indexed_nearest_enqueue(void *plan, cl_command_queue queue, const void *given,
                                         cl_uint num, const cl_event *waits, cl_event *event)
{
    const nearest_args *const a = given;
    const size_t index = a ? a->index : USUAL;
    return xl_nearest_enqueue(plan, index < INDICES ? misuse_indices[index] : NULL, queue,
                              a ? &a->args : NULL, num, waits, event);
}

/* Searches of grids in space, made from a context. */
#define FROM_GRID(name)                                                                            \
    static xl_status grid_##name##_create(xl_context *ctx, const xl_##name##_desc *desc,           \
                                          xl_plan **plan)                                          \
    {                                                                                              \
        xl_plan *grid;                                                                             \
        xl_grid_desc of;                                                                           \
        xl_grid_desc_init(&of);                                                                    \
        of.cell_size = 1;                                                                          \
        xl_status status = xl_grid_create(ctx, &of, &grid);                                        \
        if (status == XL_SUCCESS)                                                                  \
            status = xl_##name##_create(grid, desc, plan);                                         \
        xl_plan_destroy(grid);                                                                     \
        return status;                                                                             \
    }
FROM_GRID(nearest)
FROM_GRID(neighbors)
#define grid_nearest_scratch xl_nearest_scratch
#define grid_neighbors_scratch xl_neighbors_scratch

CALLS(nearest, grid_nearest, indexed_nearest, (&(xl_nearest_args){.num_queries = POINTS}), plan)
DESCRIBE(nearest, xl_nearest, d->k = 4; d->queries = other ? XL_QUERIES_INDEXED : XL_QUERIES_GIVEN)
#define DESC &(xl_nearest_desc)
static const misuse_desc desc_nearest[] = {
    {"desc.k: 0; must be 1 to 1024", DESC{.k = 0}, BAD},
    {"desc.k: 1025; must be 1 to 1024", DESC{.k = 1025}, BAD},
    {"desc.queries: 2; must be", DESC{.k = 1, .queries = 2}, BAD},
    {"desc.max_radius: -1", DESC{.k = 1, .max_radius = -1}, BAD},
    {"desc.max_radius: nan", DESC{.k = 1, .max_radius = (double)NAN}, BAD},
    {"desc.max_radius: inf", DESC{.k = 1, .max_radius = (double)INFINITY}, BAD},
    {"desc.max_radius: 1e-20; its square", DESC{.k = 1, .max_radius = 1e-20}, BAD},
    {"desc.max_radius: 1e+20; its square", DESC{.k = 1, .max_radius = 1e20}, BAD},
};
#undef DESC
#define ARGS nearest_args
static const misuse_call call_nearest[] = {
    {BAD, "args.queries: ", {SET(args.num_queries, 1 << 24)}, false},
    {BAD, "num_queries: ", {SET(args.num_queries, SIZE_MAX)}, false},
    {BAD,
     "args.first_row, args.num_rows: 0 rows from 101 on; there are 100",
     {SET(args.first_row, POINTS + 1)},
     false},
    {BAD,
     "args.first_row, args.num_rows: 2 rows from 99 on; there are 100",
     {SET(args.first_row, POINTS - 1), SET(args.num_rows, 2)},
     false},
    {BAD, "index: NULL", {SET(index, INDICES)}, false},
    {BAD, "index: not built", {SET(index, UNBUILT)}, false},
    {BAD, "index: built with desc.space.dimensions 2; the plan has 3", {SET(index, FLAT)}, false},
    {BAD,
     "index: in a periodic box; the plan is made from a grid in an open space",
     {SET(index, PERIODIC)},
     false},
    {BAD,
     "args.num_queries: 99; must be 0 or 100",
     {NONE(args.queries), SET(args.num_queries, 99)},
     true},
    {BAD, "queries: ", {SET(args.num_queries, 0)}, true},
};
#undef ARGS

CALLS(approximate, xl_nearest_approximate, xl_nearest_approximate,
      (&(xl_nearest_approximate_args){.n = POINTS, .num_queries = POINTS}), plan)
DESCRIBE(approximate, xl_nearest_approximate, d->k = 4;
         for (int a = 0; a < 3; ++a) d->space.cell[a][a] = 1;
         d->queries = other ? XL_QUERIES_INDEXED : XL_QUERIES_GIVEN)
#define DESC &(xl_nearest_approximate_desc)
#define UNIT                                                                                       \
    {                                                                                              \
        .dimensions = 3, .scalar = XL_F32, .bounds = 1                                             \
    }
#define FOUR .k = 4, .space = UNIT, .stride = 3, .query_stride = 3, .code = XL_U64
#define SPACED_FOUR(...)                                                                           \
    .k = 4, .space = {__VA_ARGS__}, .stride = 3, .query_stride = 3, .code = XL_U64
static const misuse_desc desc_approximate[] = {
    {"desc.k: 0", DESC{.space = UNIT, .stride = 3, .query_stride = 3, .code = XL_U64}, BAD},
    {"desc.k: 65", DESC{.k = 65, .space = UNIT, .stride = 3, .query_stride = 3, .code = XL_U64},
     BAD},
    {"desc.shifts: 33; must be at most 32", DESC{FOUR, .shifts = 33}, BAD},
    {"desc.queries: 2; must be", DESC{FOUR, .queries = 2}, BAD},
    {"desc.stride: 2; must be at least",
     DESC{.k = 4, .space = UNIT, .stride = 2, .query_stride = 3, .code = XL_U64}, BAD},
    {"desc.query_stride: 2; must be at least desc.space.dimensions, 3",
     DESC{.k = 4, .space = UNIT, .stride = 3, .query_stride = 2, .code = XL_U64}, BAD},
    {"desc.space.origin[1]: nan; must be a finite",
     DESC{SPACED_FOUR(.dimensions = 3, .scalar = XL_F32, .bounds = 1,
                      .origin = {0, (double)NAN, 0})},
     BAD},
    {"desc.space: from 0 to 5e+37 along axis 0; must be from -4.25353e+37 to 4.25353e+37",
     DESC{SPACED_FOUR(.dimensions = 3, .scalar = XL_F32, .bounds = 1, .cell = {{5e37}})}, BAD},
    {"desc.space.cell: not a box",
     DESC{SPACED_FOUR(.dimensions = 3, .scalar = XL_F32, .bounds = 1,
                      .cell = {{0}, {0}, {0, 0, -1}})},
     BAD},
    {"desc.space.dimensions: 1", DESC{SPACED_FOUR(.dimensions = 1, .scalar = XL_F32, .bounds = 1)},
     BAD},
    {"desc.code: u16", DESC{.k = 4, .space = UNIT, .stride = 3, .query_stride = 3, .code = XL_U16},
     BAD},
};
#undef DESC
#define ARGS xl_nearest_approximate_args
static const misuse_call call_approximate[] = {
    {BAD, "args.points: ", {SET(n, 1 << 24)}, false},
    {BAD, "n: ", {SET(n, SIZE_MAX)}, false},
    {BAD, "num_queries: ", {SET(num_queries, SIZE_MAX)}, false},
#if SIZE_MAX > UINT32_MAX
    {BAD, "args.n: 4294967295; must be at most 4294967294", {SET(n, UINT32_MAX)}, false},
#endif
    {BAD,
     "args.first_row, args.num_rows: 0 rows from 101 on; there are 100",
     {SET(first_row, POINTS + 1)},
     false},
    {BAD,
     "args.first_row, args.num_rows: 2 rows from 99 on; there are 100",
     {SET(first_row, POINTS - 1), SET(num_rows, 2)},
     false},
    {BAD, "num_queries: ", {NONE(queries)}, true},
    {BAD, "queries: ", {SET(num_queries, 0)}, true},
};
#undef ARGS

/* ---- grids and lists: further rules are in the tests of the grid ----------------------------- */

CALLS(grid, xl_grid, xl_grid_build, (&(xl_grid_build_args){.n = POINTS}), plan,
      misuse_indices[FLAT])
DESCRIBE(grid, xl_grid, d->cell_size = 1)
CALLS(neighbors, grid_neighbors, xl_neighbors_count, (&(xl_neighbors_args){.num_queries = POINTS}),
      plan, misuse_indices[USUAL])
DESCRIBE(neighbors, xl_neighbors, d->radius = 0.1; d->queries = XL_QUERIES_GIVEN)

/* ---- all of them ----------------------------------------------------------------------------- */

const misuse misuses[] = {
#define ARGS xl_scan_args
    {TABLE(scan, xl_scan),
     &(ARGS){.n = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(in, N, 4, READ | NEEDED), ARRAY(out, N, 4, WRITTEN | NEEDED),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n)),
     NULL,
     0,
     NULL,
     0},
#undef ARGS
#define ARGS xl_reduce_args
    {TABLE(reduce, xl_reduce),
     &(ARGS){.n = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(in, N, 4, READ | NEEDED), ARRAY(out, 1, 4, WRITTEN | NEEDED),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n)),
     NULL,
     0,
     NULL,
     0},
#undef ARGS
#define ARGS xl_sort_args
    {TABLE(sort, xl_sort),
     &(ARGS){.n = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys_in, N, 4, READ | NEEDED), ARRAY(values_in, N, 4, READ | NEEDED),
      ARRAY(keys_out, N, 4, WRITTEN | NEEDED), ARRAY(values_out, N, 4, WRITTEN | NEEDED),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n)),
     ROWS(sort)},
#undef ARGS
#define ARGS xl_top_k_args
    {TABLE(top_k, xl_top_k),
     &(ARGS){.n = N, .k = K},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys_in, N, 4, READ | NEEDED), ARRAY(values_in, N, 4, READ | NEEDED),
      ARRAY(keys_out, K, 4, WRITTEN), ARRAY(values_out, K, 4, WRITTEN),
      ARRAY(indices_out, K, 4, WRITTEN), ARRAY(count_out, 1, 8, WRITTEN),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n), AT(k)),
     ROWS(top_k)},
#undef ARGS
#define ARGS xl_select_args
    {TABLE(select, xl_select),
     &(ARGS){.n = N, .capacity = K},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(in, N, 4, READ | NEEDED), ARRAY(values_in, N, 4, READ | NEEDED),
      ARRAY(out, K, 4, WRITTEN), ARRAY(values_out, K, 4, WRITTEN),
      ARRAY(indices_out, K, 4, WRITTEN), ARRAY(count_out, 1, 8, WRITTEN),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n), AT(capacity)),
     ROWS(select)},
#undef ARGS
#define ARGS xl_merge_args
    {TABLE(merge, xl_merge),
     &(ARGS){.n_a = 40, .n_b = 60},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys_a, 40, 4, READ | NEEDED), ARRAY(keys_b, 60, 4, READ | NEEDED),
      ARRAY(values_a, 40, 4, READ | NEEDED), ARRAY(values_b, 60, 4, READ | NEEDED),
      ARRAY(keys_out, 100, 4, WRITTEN | NEEDED), ARRAY(values_out, 100, 4, WRITTEN | NEEDED),
      ARRAY(n_a_device, 1, 8, READ), ARRAY(n_b_device, 1, 8, READ)},
     NUMBERS(AT(n_a), AT(n_b)),
     ROWS(merge)},
    {TABLE(merge_runs, xl_merge),
     &(ARGS){.n_a = 100, .num_runs = 3, .runs = three_runs},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys_a, 100, 4, READ | NEEDED), ARRAY(values_a, 100, 4, READ | NEEDED),
      ARRAY(keys_out, 100, 4, WRITTEN | NEEDED), ARRAY(values_out, 100, 4, WRITTEN | NEEDED)},
     NUMBERS(AT(n_a), AT(num_runs), AT(runs)),
     NULL,
     0,
     call_merge_runs,
     sizeof call_merge_runs / sizeof call_merge_runs[0]},
    {TABLE(difference, xl_merge),
     &(ARGS){.n_a = 40, .n_b = 60},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys_a, 40, 4, READ | NEEDED), ARRAY(keys_b, 60, 4, READ | NEEDED),
      ARRAY(values_a, 40, 4, READ | NEEDED), ARRAY(keys_out, 40, 4, WRITTEN | NEEDED),
      ARRAY(values_out, 40, 4, WRITTEN | NEEDED), ARRAY(count_out, 1, 8, WRITTEN | NEEDED)},
     NUMBERS(AT(n_a), AT(n_b)),
     NULL,
     0,
     call_difference,
     sizeof call_difference / sizeof call_difference[0]},
#undef ARGS
#define ARGS xl_search_args
    {TABLE(search, xl_search),
     &(ARGS){.n = N, .num_queries = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys, N, 4, READ | NEEDED), ARRAY(queries, N, 4, READ | NEEDED),
      ARRAY(indices_out, N, 4, WRITTEN | NEEDED), ARRAY(n_device, 1, 8, READ),
      ARRAY(num_queries_device, 1, 8, READ)},
     NUMBERS(AT(n), AT(num_queries)),
     ROWS(search)},
    {TABLE(unsorted, xl_search),
     &(ARGS){.n = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(keys, N, 4, READ | NEEDED), ARRAY(indices_out, 1, 8, WRITTEN | NEEDED),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n)),
     NULL,
     0,
     NULL,
     0},
#undef ARGS
#define ARGS xl_histogram_args
    {TABLE(histogram, xl_histogram),
     &(ARGS){.n = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(in, N, 4, READ | NEEDED), ARRAY(levels, BINS + 1, 4, READ | NEEDED),
      ARRAY(weights, N, 4, READ | NEEDED), ARRAY(bins, BINS, 4, WRITTEN | READ | NEEDED),
      ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n)),
     ROWS(histogram)},
#undef ARGS
#define ARGS xl_transform_args
    {TABLE(transform, xl_transform),
     &(ARGS){.n = N, .range = N},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(in[0], N, 4, READ | NEEDED), ARRAY(indices, N, 4, READ | NEEDED),
      ARRAY(out[0], N, 4, WRITTEN | NEEDED), ARRAY(n_device, 1, 8, READ)},
     NUMBERS(AT(n), AT(range)),
     ROWS(transform)},
#undef ARGS
#define ARGS xl_morton_args
    {TABLE(morton, xl_morton),
     &(ARGS){.n = POINTS},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(points, 3 * POINTS, 4, READ | NEEDED), ARRAY(codes, POINTS, 4, WRITTEN | NEEDED)},
     NUMBERS(AT(n)),
     ROWS(morton)},
#undef ARGS
#define ARGS nearest_args
    {TABLE(nearest, xl_nearest),
     &(ARGS){.index = USUAL, .args = {.num_queries = POINTS}},
     sizeof(ARGS),
     AT(args.scratch),
     {{"queries", AT(args.queries), 3 * POINTS, 4, READ | NEEDED},
      {"indices", AT(args.indices), 4 * POINTS, 4, WRITTEN | NEEDED},
      {"distances2", AT(args.distances2), 4 * POINTS, 4, WRITTEN}},
     NUMBERS(AT(args.num_queries)),
     ROWS(nearest)},
#undef ARGS
#define ARGS xl_nearest_approximate_args
    {TABLE(approximate, xl_nearest_approximate),
     &(ARGS){.n = POINTS, .num_queries = POINTS},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(points, 3 * POINTS, 4, READ | NEEDED), ARRAY(queries, 3 * POINTS, 4, READ | NEEDED),
      ARRAY(indices, 4 * POINTS, 4, WRITTEN | READ | NEEDED),
      ARRAY(distances2, 4 * POINTS, 4, WRITTEN | READ | NEEDED)},
     NUMBERS(AT(n), AT(num_queries)),
     ROWS(approximate)},
#undef ARGS
#define ARGS xl_grid_build_args
    {TABLE(grid, xl_grid),
     &(ARGS){.n = POINTS},
     sizeof(ARGS),
     SIZE_MAX,
     {ARRAY(points, 3 * POINTS, 4, READ | NEEDED), {"scratch", AT(storage), 0, 1, WRITTEN}},
     NUMBERS(AT(n)),
     NULL,
     0,
     NULL,
     0},
#undef ARGS
#define ARGS xl_neighbors_args
    {TABLE(neighbors, xl_neighbors),
     &(ARGS){.num_queries = POINTS},
     sizeof(ARGS),
     AT(scratch),
     {ARRAY(queries, 3 * POINTS, 4, READ | NEEDED), ARRAY(offsets, POINTS + 1, 8, WRITTEN),
      ARRAY(counts, POINTS, 4, WRITTEN)},
     NUMBERS(AT(num_queries)),
     NULL,
     0,
     NULL,
     0},
#undef ARGS
};
const size_t num_misuses = COUNT(misuses);
