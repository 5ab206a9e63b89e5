/* SPDX-License-Identifier: MIT
 * The simple calls: each names its plan, its arrays and its primitive. */
#include "simple_call.h"

#include <crosslane/histogram.h>
#include <crosslane/reduce.h>
#include <crosslane/scan.h>
#include <crosslane/select.h>
#include <crosslane/top_k.h>
#include <string.h>

static xli_simple_key key_of(uint32_t call, uint32_t type, uint32_t second, uint32_t how)
{
    xli_simple_key key;
    memset(&key, 0, sizeof key);
    key.call = call;
    key.types[0] = type;
    key.types[1] = second;
    key.how = how;
    return key;
}

static size_t bytes_of(size_t n, xl_type type)
{
    return n * xl_type_size(type);
}

/* XL_ERROR_INVALID_ARGUMENT if n elements of the type have no size. */
static xl_status check_size(xl_context *ctx, const char *name, xl_type type, size_t n)
{
    const size_t bytes = xl_type_size(type);
    if (bytes == 0)
        return xli_simple_refuse(ctx, strcmp(name, "key") == 0
                                          ? "key: unknown; must be a built-in type"
                                          : "type: unknown; must be a built-in type");
    return n > SIZE_MAX / 16 / bytes ? xli_simple_refuse(ctx, "n: exceeds the address space")
                                     : XL_SUCCESS;
}

/* An input is converted to the type that the primitive computes in. */
static xl_status check_conversion(xl_context *ctx, xl_type from, xl_type to)
{
    const bool vectors = (unsigned)from >> 8 != 0 || (unsigned)to >> 8 != 0;
    return from != to && vectors
               ? xli_simple_refuse(ctx, "type: must equal the type of the result for vectors")
               : XL_SUCCESS;
}

static xl_view view_of(cl_mem buffer)
{
    return xl_view_of(buffer, 0);
}

/* ---- sums ----------------------------------------------------------------------------------- */

static xl_status make_scan(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = key->types[1];
    desc.kind = key->how;
    if (key->types[0] != key->types[1]) {
        desc.load_type = key->types[0];
        desc.load = "x";
    }
    return xl_scan_create(ctx, &desc, plan);
}

static xl_status enqueue_scan(xl_plan *plan, cl_command_queue queue, const void *call,
                              const cl_mem *buffers)
{
    const xl_scan_args args = {
        .n = *(const size_t *)call, .in = view_of(buffers[0]), .out = view_of(buffers[1])};
    return xl_scan_enqueue(plan, queue, &args, 0, NULL, NULL);
}

static xl_status sum(xl_context *ctx, xl_scan_kind kind, xl_type type, xl_type sum_type, size_t n,
                     const void *in, void *out)
{
    xl_status status;
    const xli_simple_key key = key_of(XLI_SIMPLE_SCAN, type, sum_type, kind);
    const xli_simple_array arrays[] = {{"in", in, NULL, bytes_of(n, type), NULL, 0},
                                       {"out", NULL, out, bytes_of(n, sum_type), NULL, 0}};
    XL_TRY(check_size(ctx, "type", type, n));
    XL_TRY(check_size(ctx, "type", sum_type, n));
    XL_TRY(check_conversion(ctx, type, sum_type));
    XL_TRY(xli_simple_run(ctx, (xli_simple_call){&key, make_scan, arrays, 2, enqueue_scan, &n}));
done:
    return status;
}

xl_status xl_simple_exclusive_sum(xl_context *ctx, xl_type type, xl_type sum_type, size_t n,
                                  const void *in, void *out)
{
    return sum(ctx, XL_EXCLUSIVE, type, sum_type, n, in, out);
}

xl_status xl_simple_inclusive_sum(xl_context *ctx, xl_type type, xl_type sum_type, size_t n,
                                  const void *in, void *out)
{
    return sum(ctx, XL_INCLUSIVE, type, sum_type, n, in, out);
}

/* ---- reduce --------------------------------------------------------------------------------- */

static bool finds_index(xl_op op)
{
    return op == XL_ARG_MIN || op == XL_ARG_MAX;
}

static xl_status make_reduce(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.op = key->how;
    desc.type = finds_index((xl_op)key->how) ? key->types[0] : key->types[1];
    if (key->types[0] != desc.type) {
        desc.load_type = key->types[0];
        desc.load = "x";
    }
    return xl_reduce_create(ctx, &desc, plan);
}

static xl_status enqueue_reduce(xl_plan *plan, cl_command_queue queue, const void *call,
                                const cl_mem *buffers)
{
    const xl_reduce_args args = {
        .n = *(const size_t *)call, .in = view_of(buffers[0]), .out = view_of(buffers[1])};
    return xl_reduce_enqueue(plan, queue, &args, 0, NULL, NULL);
}

xl_status xl_simple_reduce(xl_context *ctx, xl_type type, xl_op op, xl_type result_type, size_t n,
                           const void *in, void *result)
{
    xl_status status;
    const xli_simple_key key = key_of(XLI_SIMPLE_REDUCE, type, result_type, op);
    const xli_simple_array arrays[] = {
        {"in", in, NULL, bytes_of(n, type), NULL, 0},
        {"result", NULL, result, xl_type_size(result_type), NULL, 0}};
    XL_TRY(check_size(ctx, "type", type, n));
    XL_TRY(check_size(ctx, "type", result_type, 1));
    if (op == XL_USER_OP)
        XL_TRY(xli_simple_refuse(ctx, "op: XL_USER_OP; must be a built-in operator"));
    if (!finds_index(op))
        XL_TRY(check_conversion(ctx, type, result_type));
    else if (result_type != XL_U64 || n == 0)
        XL_TRY(xli_simple_refuse(ctx, "op: an index; requires result_type XL_U64 and n above 0"));
    XL_TRY(
        xli_simple_run(ctx, (xli_simple_call){&key, make_reduce, arrays, 2, enqueue_reduce, &n}));
done:
    return status;
}

/* ---- sort ----------------------------------------------------------------------------------- */

static uint32_t value_of(size_t bytes)
{
    return bytes == 0   ? XL_NONE
           : bytes == 4 ? XL_U32
           : bytes == 8 ? XL_U64
                        : XL_BYTES((uint32_t)bytes);
}

static xl_status make_sort(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = key->types[0];
    desc.value =
        key->call == XLI_SIMPLE_ARGSORT ? XL_SORT_INDICES : value_of((size_t)key->types[1]);
    desc.order = key->how;
    desc.stable = desc.value != XL_NONE;
    desc.values_only = key->call == XLI_SIMPLE_ARGSORT;
    desc.large = key->types[2];
    return xl_sort_create(ctx, &desc, plan);
}

static xl_status enqueue_sort(xl_plan *plan, cl_command_queue queue, const void *call,
                              const cl_mem *buffers)
{
    const xl_sort_args args = {.n = *(const size_t *)call,
                               .keys_in = view_of(buffers[0]),
                               .keys_out = view_of(buffers[0]),
                               .values_in = view_of(buffers[1]),
                               .values_out = view_of(buffers[1])};
    return xl_sort_enqueue(plan, queue, &args, 0, NULL, NULL);
}

static xl_status enqueue_argsort(xl_plan *plan, cl_command_queue queue, const void *call,
                                 const cl_mem *buffers)
{
    const xl_sort_args args = {.n = *(const size_t *)call,
                               .keys_in = view_of(buffers[0]),
                               .values_out = view_of(buffers[1])};
    return xl_sort_enqueue(plan, queue, &args, 0, NULL, NULL);
}

xl_status xl_simple_sort(xl_context *ctx, xl_type type, xl_sort_order order, size_t n, void *keys,
                         size_t value_bytes, void *values)
{
    xl_status status;
    const size_t each = values ? value_bytes : 0;
    xli_simple_key key = key_of(XLI_SIMPLE_SORT, type, (uint32_t)each, order);
    key.types[2] = n > UINT32_MAX;
    XL_TRY(check_size(ctx, "key", type, n));
    if (values && (value_bytes < 1 || value_bytes > UINT16_MAX || n > SIZE_MAX / 2 / value_bytes))
        XL_TRY(xli_simple_refuse(ctx, "value_bytes: must be 1 to 65535 if values are given"));
    const xli_simple_array arrays[] = {{"keys", keys, keys, bytes_of(n, type), NULL, 0},
                                       {"values", values, values, n * each, NULL, 0}};
    XL_TRY(xli_simple_run(ctx, (xli_simple_call){&key, make_sort, arrays, 2, enqueue_sort, &n}));
done:
    return status;
}

xl_status xl_simple_argsort(xl_context *ctx, xl_type type, xl_sort_order order, size_t n,
                            const void *keys, uint32_t *indices)
{
    xl_status status;
    const xli_simple_key key = key_of(XLI_SIMPLE_ARGSORT, type, 0, order);
    const xli_simple_array arrays[] = {{"keys", keys, NULL, bytes_of(n, type), NULL, 0},
                                       {"indices", NULL, indices, n * sizeof *indices, NULL, 0}};
    XL_TRY(check_size(ctx, "key", type, n));
    XL_TRY(xli_simple_run(ctx, (xli_simple_call){&key, make_sort, arrays, 2, enqueue_argsort, &n}));
done:
    return status;
}

/* ---- top-k ---------------------------------------------------------------------------------- */

typedef struct top_k_call {
    size_t n, k;
} top_k_call;

static xl_status make_top_k(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.key = key->types[0];
    desc.largest = key->how == XL_DESCENDING;
    return xl_top_k_create(ctx, &desc, plan);
}

static xl_status enqueue_top_k(xl_plan *plan, cl_command_queue queue, const void *of,
                               const cl_mem *buffers)
{
    const top_k_call *const call = of;
    const xl_top_k_args args = {.n = call->n,
                                .k = call->k,
                                .keys_in = view_of(buffers[0]),
                                .keys_out = view_of(buffers[1]),
                                .indices_out = view_of(buffers[2])};
    return call->k > 0 ? xl_top_k_enqueue(plan, queue, &args, 0, NULL, NULL) : XL_SUCCESS;
}

xl_status xl_simple_top_k(xl_context *ctx, xl_type type, xl_sort_order order, size_t n,
                          const void *keys, size_t k, void *keys_out, uint32_t *indices)
{
    xl_status status;
    const xli_simple_key key = key_of(XLI_SIMPLE_TOP_K, type, 0, order);
    const top_k_call call = {n, xli_min(k, n)};
    XL_TRY(check_size(ctx, "key", type, n));
    if (order != XL_ASCENDING && order != XL_DESCENDING)
        XL_TRY(xli_simple_refuse(ctx, "order: must be XL_ASCENDING or XL_DESCENDING"));
    if (call.k > 0 && !keys_out && !indices)
        XL_TRY(xli_simple_refuse(ctx, "keys_out, indices: NULL; one of them must be given"));
    const xli_simple_array arrays[] = {
        {"keys", keys, NULL, bytes_of(n, type), NULL, 0},
        {"keys_out", NULL, keys_out, keys_out ? bytes_of(call.k, type) : 0, NULL, 0},
        {"indices", NULL, indices, indices ? call.k * sizeof *indices : 0, NULL, 0}};
    XL_TRY(
        xli_simple_run(ctx, (xli_simple_call){&key, make_top_k, arrays, 3, enqueue_top_k, &call}));
done:
    return status;
}

/* ---- unique --------------------------------------------------------------------------------- */

static xl_status make_unique(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.kind = XL_SELECT_UNIQUE;
    desc.type = key->types[0];
    return xl_select_create(ctx, &desc, plan);
}

static xl_status enqueue_unique(xl_plan *plan, cl_command_queue queue, const void *call,
                                const cl_mem *buffers)
{
    const xl_select_args args = {.n = *(const size_t *)call,
                                 .in = view_of(buffers[0]),
                                 .out = view_of(buffers[1]),
                                 .count_out = view_of(buffers[2])};
    return xl_select_enqueue(plan, queue, &args, 0, NULL, NULL);
}

xl_status xl_simple_unique(xl_context *ctx, xl_type type, size_t n, const void *in, void *out,
                           size_t *count)
{
    xl_status status;
    uint64_t runs = 0;
    const xli_simple_key key = key_of(XLI_SIMPLE_UNIQUE, type, 0, 0);
    const size_t bytes = bytes_of(n, type);
    const xli_simple_array arrays[] = {{"in", in, NULL, bytes, NULL, 0},
                                       {"out", NULL, out, bytes, &runs, xl_type_size(type)},
                                       {"count", NULL, &runs, sizeof runs, NULL, 0}};
    XL_TRY(check_size(ctx, "type", type, n));
    if (!count)
        XL_TRY(xli_simple_refuse(ctx, "count: NULL"));
    XL_TRY(
        xli_simple_run(ctx, (xli_simple_call){&key, make_unique, arrays, 3, enqueue_unique, &n}));
    *count = (size_t)runs;
done:
    return status;
}

/* ---- histogram ------------------------------------------------------------------------------ */

static bool is_float(xl_type type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

static xl_status make_histogram(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.kind = XL_HISTOGRAM_EVEN;
    desc.type = key->types[0];
    desc.counter = XL_U64;
    desc.num_bins = key->size;
    if (is_float((xl_type)key->types[0])) {
        desc.lower = key->bounds[0];
        desc.upper = key->bounds[1];
    } else {
        desc.lower_integer = (int64_t)key->bounds[0];
        desc.upper_integer = (int64_t)key->bounds[1];
    }
    return xl_histogram_create(ctx, &desc, plan);
}

static xl_status enqueue_histogram(xl_plan *plan, cl_command_queue queue, const void *call,
                                   const cl_mem *buffers)
{
    const xl_histogram_args args = {
        .n = *(const size_t *)call, .in = view_of(buffers[0]), .bins = view_of(buffers[1])};
    return xl_histogram_enqueue(plan, queue, &args, 0, NULL, NULL);
}

/* A whole number that a double holds exactly with its neighbours. */
static bool is_whole(double x)
{
    return x >= -0x1p53 && x <= 0x1p53 && (double)(int64_t)x == x;
}

xl_status xl_simple_histogram(xl_context *ctx, xl_type type, size_t n, const void *in, double lower,
                              double upper, size_t num_bins, uint64_t *bins)
{
    xl_status status;
    xli_simple_key key = key_of(XLI_SIMPLE_HISTOGRAM, type, 0, 0);
    key.size = num_bins;
    key.bounds[0] = lower;
    key.bounds[1] = upper;
    XL_TRY(check_size(ctx, "type", type, n));
    if (!is_float(type) && (!is_whole(lower) || !is_whole(upper)))
        XL_TRY(xli_simple_refuse(
            ctx, "lower, upper: must be whole numbers of at most 2^53 for an integer type"));
    const xli_simple_array arrays[] = {
        {"in", in, NULL, bytes_of(n, type), NULL, 0},
        {"bins", NULL, bins, xli_min(num_bins, (size_t)1 << 20) * sizeof *bins, NULL, 0}};
    XL_TRY(xli_simple_run(
        ctx, (xli_simple_call){&key, make_histogram, arrays, 2, enqueue_histogram, &n}));
done:
    return status;
}
