/* SPDX-License-Identifier: MIT
 * Reduction across ranks. Without segments: the values of all parts, combined in their order. With
 * segments: one core call reduces the segments that begin on this rank; of the last one, which goes on
 * with the elements of the next ranks before their first heads, the values are combined. With segments,
 * XL_REPRODUCIBLE and an operator that rounds: the last elements of the segments of a scan. */
#include "mpi_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reduce_plan {
    xl_mpi_plan base;
    xlm_problem problem;
    xl_plan *combine;  /* of values in order, with init and store */
    xl_plan *segments; /* of the segments of a part; NULL: there are none */
    xl_plan *convert;  /* other segments for a range of a part; NULL: as they are */
    xl_plan *shift;    /* adds to the indices of XL_ARG_MIN, XL_ARG_MAX */
    xl_mpi_plan *scan; /* if not NULL, an inclusive scan replaces the plans above, and */
    xl_mpi_plan *last; /* a reduction takes its last result in each segment */
    bool stores;       /* desc.store is given: `combine` takes the parameters */
    bool numbers;      /* `combine` takes the number of its result as a last parameter */
    size_t key_bytes;
} reduce_plan;

typedef struct reduce_call {
    reduce_plan *plan;
    const xl_reduce_args *args;
    xlm_parts parts;
    size_t num_values; /* to combine */
    unsigned char *value;
    uint64_t *index;
    size_t begin;   /* with segments: elements before the first segment that begins here */
    size_t results; /* of offsets, widths and masks */
    bool reduces;   /* a segment begins here */
    bool continues; /* the last one goes on */
    cl_mem converted[2];
} reduce_call;

/* ---- creation ------------------------------------------------------------------------------ */

static void destroy(xl_mpi_plan *base)
{
    reduce_plan *const plan = (reduce_plan *)base;
    xlm_problem_drop(&plan->problem);
    xl_plan_destroy(plan->combine);
    xl_plan_destroy(plan->segments);
    xl_plan_destroy(plan->convert);
    xl_plan_destroy(plan->shift);
    xl_mpi_plan_destroy(plan->scan);
    xl_mpi_plan_destroy(plan->last);
    free(plan);
}

static void remove_segments(xl_reduce_desc *desc)
{
    desc->segments = XL_SEGMENTS_NONE;
    desc->segment_type = XL_NONE;
    desc->segment_width = desc->segment_mask = 0;
}

static xl_status create_combine(reduce_plan *plan, const xl_reduce_desc *desc)
{
    xl_reduce_desc combine = *desc;
    xl_param params[XL_PARAMS + 1];
    remove_segments(&combine);
    combine.load = NULL;
    combine.load_type = XL_NONE;
    combine.user_load_type = NULL;
    if (!combine.store) {
        combine.num_params = 0;
        combine.params = NULL;
    }
    char *const store =
        xlm_add_index(&combine, &combine.store, "xlm_result", params, &plan->numbers);
    const xl_status status = desc->store && !store
                                 ? XL_ERROR_OUT_OF_MEMORY
                                 : xl_reduce_create(plan->base.mpi->ctx, &combine, &plan->combine);
    free(store);
    return status;
}

/* A part's own segments. A mask must be turned, which a plan cannot; so it becomes flags. */
static xl_status create_segments(reduce_plan *plan, const xl_reduce_desc *desc)
{
    xl_reduce_desc segments = *desc;
    xl_param params[XL_PARAMS + 1];
    bool counts;
    char *const load = xlm_add_index(&segments, &segments.load, "xlm_first", params, &counts);
    if (segments.segments == XL_SEGMENTS_MASK) {
        remove_segments(&segments);
        segments.segments = XL_SEGMENTS_HEAD_FLAGS;
    }
    const xl_status status =
        desc->load && !load ? XL_ERROR_OUT_OF_MEMORY
                            : xl_reduce_create(plan->base.mpi->ctx, &segments, &plan->segments);
    free(load);
    return status;
}

static xl_status create_map(xl_context *ctx, const char *expression, uint32_t num_arrays,
                            uint32_t type, uint32_t out_type, size_t num_params,
                            const xl_param *params, xl_plan **plan)
{
    xl_transform_desc map;
    xl_transform_desc_init(&map);
    map.num_arrays = num_arrays;
    for (uint32_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k)
        map.types[k] = k < num_arrays ? type : XL_NONE;
    map.out_type = out_type;
    map.expression = expression;
    map.num_params = num_params;
    map.params = params;
    return xl_transform_create(ctx, &map, plan);
}

/* Segments for the elements of a part from number `from` on. */
static xl_status create_convert(reduce_plan *plan, const xl_reduce_desc *desc)
{
    static const xl_param params[] = {{"from", XL_U64}, {"mask", XL_U64}, {"width", XL_U64}};
    xl_context *const ctx = plan->base.mpi->ctx;
    const uint32_t type = desc->segment_type;
    if (desc->segments == XL_SEGMENTS_MASK)
        return create_map(ctx, "(uchar)(mask >> ((i + from) % width) & 1)", 0, XL_NONE, XL_U8, 3,
                          params, &plan->convert);
    if (desc->segments == XL_SEGMENTS_FLAG_BITMASK)
        return create_map(ctx, "from % 32 ? x >> (from % 32) | y << (32 - from % 32) : x", 2,
                          XL_U32, XL_U32, 1, params, &plan->convert);
    if (desc->segments == XL_SEGMENTS_OFFSETS)
        return create_map(ctx, type == XL_U32 ? "x - (uint)from" : "x - from", 1, type, type, 1,
                          params, &plan->convert);
    return XL_SUCCESS;
}

static bool is_by_scan(const xl_reduce_desc *desc)
{
    return xlm_in_units(desc) && desc->segments != XL_SEGMENTS_NONE;
}

static xl_status create(xl_mpi_plan *base, const void *of)
{
    static const xl_param by[] = {{"from", XL_U64}};
    reduce_plan *const plan = (reduce_plan *)base;
    const xl_reduce_desc *const desc = of;
    xl_mpi *const mpi = base->mpi;
    xl_plan *checked = NULL; /* the caller's text as it is: errors name its lines and columns */
    xl_status status = xl_reduce_create(mpi->ctx, desc, &checked);
    xl_plan_destroy(checked);
    if (status != XL_SUCCESS)
        return status;
    xlm_problem_init(&plan->problem, mpi, desc);
    plan->key_bytes = xl_type_size((xl_type)desc->segment_type);
    plan->stores = desc->store != NULL;
    if (plan->problem.finds)
        plan->problem.store_bytes = sizeof(uint64_t);
    if (is_by_scan(desc))
        return XL_SUCCESS; /* create_by_scan() follows */
    status = xlm_problem_plans(&plan->problem, desc);
    if (status == XL_SUCCESS)
        status = create_combine(plan, desc);
    if (status != XL_SUCCESS || desc->segments == XL_SEGMENTS_NONE)
        return status;
    status = create_segments(plan, desc);
    if (status == XL_SUCCESS)
        status = create_convert(plan, desc);
    if (status == XL_SUCCESS && plan->problem.finds)
        status = create_map(mpi->ctx, "x == ULONG_MAX ? x : x + from", 1, XL_U64, XL_U64, 1, by,
                            &plan->shift);
    return status;
}

static xl_scan_desc scan_of(const xl_reduce_desc *desc)
{
    xl_scan_desc scan;
    xl_scan_desc_init(&scan);
    scan.type = desc->type;
    scan.user_type = desc->user_type;
    scan.load_type = desc->load_type;
    scan.user_load_type = desc->user_load_type;
    scan.op = desc->op;
    scan.kind = XL_INCLUSIVE;
    scan.user_op = desc->user_op;
    scan.init = desc->init;
    scan.load = desc->load;
    scan.num_params = desc->load ? desc->num_params : 0;
    scan.params = desc->load ? desc->params : NULL;
    scan.segments = desc->segments;
    scan.segment_type = desc->segment_type;
    scan.segment_width = desc->segment_width;
    scan.segment_mask = desc->segment_mask;
    scan.determinism = desc->determinism;
    return scan;
}

/* The operator that takes the second of two elements. */
static void write_last(const xl_reduce_desc *desc, char source[256])
{
    const uint32_t lanes = desc->type >> 8;
    const bool user = desc->user_type;
    const char *const name = user ? desc->user_type->name : xlm_scalar_name(desc->type);
    const char number[] = {user || lanes == 0 ? '\0' : (char)('0' + lanes), '\0'};
    snprintf(source, 256, "%s%s xlm_last(%s%s a, %s%s b) { return b; }", name, number, name, number,
             name, number);
}

/* The identity of a sum or a product of floating-point numbers, in `room`, or that of the caller's operator, or
 * NULL. */
static const void *identity_of(const xl_reduce_desc *desc, double room[4])
{
    const size_t bytes = xl_type_size((xl_type)(desc->type & 0xff));
    const uint16_t half = 0x3c00;
    const float single = 1;
    const double one = 1;
    if (desc->op == XL_USER_OP)
        return desc->user_op->identity;
    memset(room, 0, 4 * sizeof *room);
    for (size_t k = 0; desc->op == XL_PROD && k < 4; ++k)
        memcpy((char *)room + k * bytes,
               bytes == 2   ? (const void *)&half
               : bytes == 4 ? (const void *)&single
                            : &one,
               bytes);
    return room;
}

/* A segment's value is the last element of its scan, and of an empty segment the identity, or init.
 * COLLECTIVE; the status is agreed. */
static xl_status create_by_scan(reduce_plan *plan, const xl_reduce_desc *desc)
{
    char source[256];
    double room[4];
    const xl_scan_desc scan = scan_of(desc);
    xl_reduce_desc last = *desc;
    const xl_user_op op = {"xlm_last", source, NULL, XL_OP_STRICTLY_ASSOCIATIVE};
    write_last(desc, source);
    last.load_type = XL_NONE;
    last.user_load_type = NULL;
    last.load = NULL;
    last.op = XL_USER_OP;
    last.user_op = &op;
    last.init = desc->init ? desc->init : identity_of(desc, room);
    last.num_params = desc->store ? desc->num_params : 0;
    last.params = desc->store ? desc->params : NULL;
    const xl_status status = xl_mpi_scan_create(plan->base.mpi, &scan, &plan->scan);
    return status == XL_SUCCESS ? xl_mpi_reduce_create(plan->base.mpi, &last, &plan->last) : status;
}

static const xlm_plan_kind reduce_kind = {"reduction", create, destroy};

static xl_status check_desc(xl_mpi *mpi, const xl_reduce_desc *desc, xl_mpi_plan **out)
{
    if (!desc || !out)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", desc ? "plan" : "desc");
    xl_status status = xlm_check_params(mpi, desc, "desc.load", desc->load);
    if (status == XL_SUCCESS)
        status = xlm_check_params(mpi, desc, "desc.store", desc->store);
    return status;
}

xl_status xl_mpi_reduce_create(xl_mpi *mpi, const xl_reduce_desc *desc, xl_mpi_plan **out)
{
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_status status = check_desc(mpi, desc, out);
    status = xlm_same_desc(mpi, status, desc, NULL, 0);
    status = xlm_plan_create(mpi, status, sizeof(reduce_plan), &reduce_kind, desc, out);
    if (status == XL_SUCCESS && is_by_scan(desc))
        status = create_by_scan((reduce_plan *)*out, desc);
    if (status != XL_SUCCESS && out) {
        xl_mpi_plan_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- checks -------------------------------------------------------------------------------- */

static bool counts_results(uint32_t segments)
{
    return segments == XL_SEGMENTS_HEAD_FLAGS || segments == XL_SEGMENTS_FLAG_BITMASK ||
           segments == XL_SEGMENTS_KEYS;
}

/* Results for which `out` has room, of flags, bits and keys. */
static size_t capacity(const xl_reduce_args *args)
{
    return args->out.count > 0 && args->out.count < args->n ? args->out.count : args->n;
}

/* One of the outputs: a view of `count` elements apart from the inputs. */
static xl_status check_output(const xlm_problem *problem, const xl_reduce_args *args,
                              const char *field, const xl_view *view, size_t count, size_t bytes)
{
    xl_mpi *const mpi = problem->mpi;
    const size_t heads = xlm_segment_elements(problem, args->n, &args->segments);
    xl_status status = xlm_check_view(mpi, field, view, count, bytes);
    if (status == XL_SUCCESS)
        status = xlm_check_apart(mpi, "args.in", &args->in, args->n, problem->load_bytes, field,
                                 view, count, bytes);
    if (status == XL_SUCCESS)
        status = xlm_check_apart(mpi, "args.segments", &args->segments, heads,
                                 problem->segment_bytes, field, view, count, bytes);
    return status;
}

static xl_status check_more_outputs(const reduce_plan *plan, const xl_reduce_args *args)
{
    const xlm_problem *const problem = &plan->problem;
    xl_mpi *const mpi = problem->mpi;
    const bool keys = args->keys_out.buffer, number = args->num_segments_out.buffer;
    const size_t count = capacity(args);
    xl_status status =
        xlm_check_absent(mpi, "args.keys_out", keys && problem->segments != XL_SEGMENTS_KEYS);
    if (status == XL_SUCCESS)
        status = xlm_check_absent(mpi, "args.num_segments_out",
                                  number && !counts_results(problem->segments));
    if (status == XL_SUCCESS && keys)
        status =
            check_output(problem, args, "args.keys_out", &args->keys_out, count, plan->key_bytes);
    if (status == XL_SUCCESS && number)
        status = check_output(problem, args, "args.num_segments_out", &args->num_segments_out, 1,
                              sizeof(uint64_t));
    if (status == XL_SUCCESS && keys)
        status = xlm_check_apart(mpi, "args.keys_out", &args->keys_out, count, plan->key_bytes,
                                 "args.out", &args->out, count, problem->store_bytes);
    return status;
}

static xl_status check_call(reduce_call *call, cl_uint num_waits, const cl_event *waits)
{
    const xlm_problem *const problem = &call->plan->problem;
    const xl_reduce_args *const args = call->args;
    xl_mpi *const mpi = call->plan->base.mpi;
    xl_status status = xlm_check_plan(&call->plan->base, &reduce_kind, "args", args);
    if (status == XL_SUCCESS)
        status = xlm_check_queue(mpi, call->parts.queue, num_waits, waits);
    if (status == XL_SUCCESS)
        status = xlm_check_absent(mpi, "args.n_device", args->n_device.buffer != NULL);
    if (status == XL_SUCCESS)
        status = xlm_check_absent(mpi, "args.scratch", args->scratch.buffer != NULL);
    if (status == XL_SUCCESS)
        status = xlm_check_arrays(problem, args->n, &args->in, &args->segments, args->params);
    if (status == XL_SUCCESS && counts_results(problem->segments))
        status = check_output(problem, args, "args.out", &args->out, capacity(args),
                              problem->store_bytes);
    else if (status == XL_SUCCESS && problem->segments == XL_SEGMENTS_NONE)
        status = check_output(problem, args, "args.out", &args->out, 1, problem->store_bytes);
    else if (status == XL_SUCCESS && problem->segments == XL_SEGMENTS_OFFSETS &&
             args->segments.count > 1)
        status = check_output(problem, args, "args.out", &args->out, args->segments.count - 1,
                              problem->store_bytes);
    if (status == XL_SUCCESS)
        status = check_more_outputs(call->plan, args);
    if (status == XL_SUCCESS)
        status = xlm_wait(mpi, num_waits, waits);
    if (status == XL_SUCCESS)
        status = xlm_parts_reserve(&call->parts);
    call->parts.params = args->params;
    return status;
}

/* ---- values -------------------------------------------------------------------------------- */

static void add_value(reduce_call *call, const void *value, uint64_t index)
{
    const size_t bytes = call->plan->problem.type_bytes;
    memcpy(call->value + call->num_values * bytes, value, bytes);
    call->index[call->num_values++] = index;
}

static void add_part(reduce_call *call, size_t k)
{
    if (xlm_parts_at(&call->parts, k)->count > 0)
        add_value(call, xlm_parts_value(&call->parts, k), xlm_parts_at(&call->parts, k)->index);
}

/* Reduces the values on the device: to `out`, or, of indices, to a position. */
static xl_status enqueue_combine(const reduce_call *call, cl_mem in, xl_view out, uint64_t number)
{
    const reduce_plan *const plan = call->plan;
    const size_t user = plan->stores ? plan->problem.num_params : 0;
    xl_reduce_args args = {.n = call->num_values, .in = xl_view_of(in, 0), .out = out};
    for (size_t k = 0; k < user; ++k)
        args.params[k] = call->args->params[k];
    if (plan->numbers)
        args.params[user] = &number;
    return xlm_core(plan->base.mpi,
                    xl_reduce_enqueue(plan->combine, call->parts.queue, &args, 0, NULL, NULL));
}

/* The index of the value at the position that the device finds. */
static xl_status combine_indices(const reduce_call *call, cl_mem in, xl_view out)
{
    xl_mpi *const mpi = call->plan->base.mpi;
    const cl_command_queue queue = call->parts.queue;
    uint64_t position = UINT64_MAX, index = UINT64_MAX;
    cl_mem at = NULL;
    xl_status status = xlm_buffer(mpi, sizeof position, &at);
    if (status == XL_SUCCESS)
        status = enqueue_combine(call, in, xl_view_of(at, 0), 0);
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, queue);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, queue, at, 0, sizeof position, &position, 0, NULL);
    xlm_release(at);
    if (status != XL_SUCCESS)
        return status;
    if (position < call->num_values)
        index = call->index[position];
    return xlm_write(mpi, queue, out.buffer, out.offset * sizeof index, sizeof index, &index);
}

/* Combines the values to result `number` of this rank. */
static xl_status combine(const reduce_call *call, uint64_t number)
{
    const xlm_problem *const problem = &call->plan->problem;
    const xl_view out = xl_view_of(call->args->out.buffer, call->args->out.offset + number);
    cl_mem in = NULL;
    xl_status status =
        xlm_buffer_of(problem->mpi, call->num_values * problem->type_bytes, call->value, &in);
    if (status == XL_SUCCESS)
        status = problem->finds ? combine_indices(call, in, out)
                                : enqueue_combine(call, in, out, number);
    xlm_release(in);
    return status;
}

/* ---- segments ------------------------------------------------------------------------------ */

static bool is_open(const xlm_parts *parts, size_t k)
{
    for (size_t j = 0; j < k; ++j)
        if (xlm_parts_at(parts, j)->heads || xlm_parts_begins(parts, j))
            return true;
    return false;
}

/* The last segment that begins here goes on with parts up to *end - 1. Whether they have elements. */
static bool find_open(const xlm_parts *parts, size_t *end)
{
    bool continues = false, ends = false;
    *end = parts->before + 1;
    while (*end < parts->all && !ends && !xlm_parts_begins(parts, *end)) {
        continues = continues || xlm_parts_at(parts, *end)->n > 0;
        ends = xlm_parts_at(parts, *end)->heads;
        ++*end;
    }
    return continues;
}

/* The value of that segment here, and of its parts on the next ranks. */
static xl_status collect_open(reduce_call *call)
{
    const xlm_parts *const parts = &call->parts;
    const xlm_part *const part = &parts->part[0];
    uint64_t index = 0;
    size_t end;
    xl_status status = XL_SUCCESS;
    call->continues = find_open(parts, &end);
    if (!call->continues)
        return XL_SUCCESS;
    if (part->last < part->n)
        status = xlm_partial(parts, part, part->last, part->n, call->value, &index);
    if (part->last < part->n && !(call->plan->problem.finds && index == UINT64_MAX)) {
        call->index[0] = index;
        call->num_values = 1;
    }
    for (size_t k = parts->before + 1; k < end; ++k)
        add_part(call, k);
    return status;
}

/* What this rank does, once it knows all parts. */
static xl_status prepare(reduce_call *call)
{
    const xlm_parts *const parts = &call->parts;
    const xlm_problem *const problem = parts->problem;
    if (problem->segments == XL_SEGMENTS_NONE) {
        for (size_t k = 0; k < parts->all; ++k)
            add_part(call, k);
        return XL_SUCCESS;
    }
    const xlm_part *const part = &parts->part[0];
    const bool begins = xlm_parts_begins(parts, parts->before);
    if (part->n > 0 && !begins && part->lead > 0 && !is_open(parts, parts->before))
        return xlm_fail(problem->mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.segments: %zu elements before the first offset; the first offset of "
                        "the whole array must be 0",
                        part->lead);
    call->begin = begins ? 0 : part->lead;
    call->reduces = begins || part->heads;
    return call->reduces ? collect_open(call) : XL_SUCCESS;
}

/* A copy of the words of bits from call->begin on, with one more behind the last: the bits are shifted,
 * so each new word is made of two. */
static xl_status copy_words(reduce_call *call, xl_transform_args *args)
{
    const xl_view bits = call->args->segments;
    const size_t n = call->args->n, first = call->begin / 32, words = (n + 31) / 32 - first;
    xl_mpi *const mpi = call->plan->base.mpi;
    xl_status status = xlm_buffer(mpi, (words + 1) * sizeof(cl_uint), &call->converted[1]);
    if (status == XL_SUCCESS)
        status =
            xlm_copy(mpi, call->parts.queue, bits.buffer, (bits.offset + first) * sizeof(cl_uint),
                     call->converted[1], 0, words * sizeof(cl_uint));
    args->n = (n - call->begin + 31) / 32;
    args->in[0] = xl_view_of(call->converted[1], 0);
    args->in[1] = xl_view_of(call->converted[1], 1);
    return status == XL_SUCCESS ? xlm_finish(mpi, call->parts.queue) : status;
}

/* Other segments for the elements from call->begin on. */
static xl_status convert(reduce_call *call, xl_view *segments)
{
    const xlm_problem *const problem = &call->plan->problem;
    const size_t bytes = problem->segment_bytes ? problem->segment_bytes : 1;
    uint64_t from = call->begin;
    xl_transform_args args = {.n = call->args->n - call->begin, .params = {&from}};
    xl_status status = XL_SUCCESS;
    if (problem->segments == XL_SEGMENTS_FLAG_BITMASK) {
        status = copy_words(call, &args);
    } else if (problem->segments == XL_SEGMENTS_OFFSETS) {
        args.n = segments->count;
        args.in[0] = *segments;
    } else {
        from += call->parts.part[0].first;
        args.params[1] = &problem->mask;
        args.params[2] = &problem->width;
    }
    if (status == XL_SUCCESS)
        status = xlm_buffer(problem->mpi, args.n * bytes, &call->converted[0]);
    *segments = args.out[0] = xl_view_n(call->converted[0], 0, args.n);
    if (status == XL_SUCCESS)
        status = xlm_core(problem->mpi, xl_transform_enqueue(call->plan->convert, call->parts.queue,
                                                             &args, 0, NULL, NULL));
    return status == XL_SUCCESS ? xlm_finish(problem->mpi, call->parts.queue) : status;
}

/* Segments of the elements from call->begin on, as the plan for them takes them. */
static xl_status take_segments(reduce_call *call, xl_view *segments)
{
    const uint32_t kind = call->plan->problem.segments;
    *segments = call->args->segments;
    if (kind == XL_SEGMENTS_HEAD_FLAGS || kind == XL_SEGMENTS_KEYS)
        *segments = xl_view_of(segments->buffer, segments->offset + call->begin);
    if (kind == XL_SEGMENTS_MASK || (call->plan->convert && call->begin > 0))
        return convert(call, segments);
    return XL_SUCCESS;
}

/* Results of the segments that begin here. *number: how many there are. */
static xl_status reduce_segments(reduce_call *call, xl_view segments, uint64_t *number)
{
    const xlm_problem *const problem = &call->plan->problem;
    xl_mpi *const mpi = problem->mpi;
    const cl_command_queue queue = call->parts.queue;
    const uint64_t first = call->parts.part[0].first + call->begin;
    const bool counts =
        problem->segments != XL_SEGMENTS_OFFSETS && problem->segments != XL_SEGMENTS_WIDTH;
    xl_reduce_args args = *call->args;
    cl_mem counted = NULL;
    xl_status status = xlm_buffer(mpi, sizeof *number, &counted);
    args.n -= call->begin;
    args.in = xl_view_of(args.in.buffer, args.in.offset + call->begin);
    args.segments = segments;
    args.num_segments_out = counts ? xl_view_of(counted, 0) : xl_no_view();
    args.out.count = counts_results(problem->segments) ? capacity(call->args) : call->results;
    if (problem->counts)
        args.params[problem->num_params] = &first;
    if (status == XL_SUCCESS)
        status =
            xlm_core(mpi, xl_reduce_enqueue(call->plan->segments, queue, &args, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, queue);
    *number = call->results;
    if (status == XL_SUCCESS && counts)
        status = xlm_read(mpi, queue, counted, 0, sizeof *number, number, 0, NULL);
    xlm_release(counted);
    return status;
}

/* Indices in the whole array. */
static xl_status shift_indices(const reduce_call *call, uint64_t results)
{
    const uint64_t from = call->parts.part[0].first + call->begin;
    const xl_view out = xl_view_of(call->args->out.buffer, call->args->out.offset);
    const xl_transform_args args = {
        .n = (size_t)results, .in = {out}, .params = {&from}, .out = {out}};
    return xlm_core(call->plan->base.mpi, xl_transform_enqueue(call->plan->shift, call->parts.queue,
                                                               &args, 0, NULL, NULL));
}

static xl_status write_number(const reduce_call *call, uint64_t number)
{
    xl_mpi *const mpi = call->plan->base.mpi;
    const xl_view to = call->args->num_segments_out;
    cl_mem from = NULL;
    if (!to.buffer)
        return XL_SUCCESS;
    xl_status status = xlm_buffer_of(mpi, sizeof number, &number, &from);
    if (status == XL_SUCCESS)
        status = xlm_copy(mpi, call->parts.queue, from, 0, to.buffer, to.offset * sizeof number,
                          sizeof number);
    xlm_release(from);
    return status;
}

static xl_status with_segments(reduce_call *call)
{
    xl_mpi *const mpi = call->plan->base.mpi;
    xl_view segments;
    uint64_t number = 0, kept = 0;
    xl_status status = XL_SUCCESS;
    if (call->reduces)
        status = take_segments(call, &segments);
    if (status == XL_SUCCESS && call->reduces)
        status = reduce_segments(call, segments, &number);
    kept = counts_results(call->plan->problem.segments) && number > capacity(call->args)
               ? capacity(call->args)
               : number;
    if (status == XL_SUCCESS && call->plan->shift && kept > 0)
        status = shift_indices(call, kept);
    if (status == XL_SUCCESS && call->continues)
        status = xlm_finish(mpi, call->parts.queue);
    if (status == XL_SUCCESS && call->continues && number == kept)
        status = combine(call, number - 1);
    return status == XL_SUCCESS ? write_number(call, number) : status;
}

/* ---- a call -------------------------------------------------------------------------------- */

/* Checks that there is room for results of widths and masks. */
static xl_status check_results(reduce_call *call)
{
    const xl_reduce_args *const args = call->args;
    const xlm_problem *const problem = &call->plan->problem;
    const uint64_t first = call->parts.part[0].first;
    if (problem->segments == XL_SEGMENTS_OFFSETS)
        call->results = args->segments.count > 1 ? args->segments.count - 1 : 0;
    if (problem->width == 0)
        return XL_SUCCESS;
    call->results =
        (size_t)(xlm_heads_before(problem, first + args->n) - xlm_heads_before(problem, first));
    return check_output(problem, args, "args.out", &args->out, call->results, problem->store_bytes);
}

/* The parts of this rank. COLLECTIVE; agreed. */
static xl_status divide(reduce_call *call)
{
    const xl_reduce_args *const args = call->args;
    const xlm_part mine = {.n = args->n, .in = args->in, .segments = args->segments};
    const xl_status status = xlm_parts_divide(&call->parts, mine, false);
    if (status != XL_SUCCESS || call->plan->problem.units)
        return status;
    return xlm_agree(call->plan->base.mpi, check_results(call));
}

static xl_status tell(reduce_call *call)
{
    xlm_parts *const parts = &call->parts;
    xl_mpi *const mpi = parts->problem->mpi;
    xl_status status = xlm_parts_tell(parts);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->all, parts->problem->type_bytes, &call->value);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->all, sizeof *call->index, &call->index);
    return status;
}

/* The last elements of the segments of a scan. COLLECTIVE; the status is agreed. */
static xl_status reduce_by_scan(reduce_call *call, cl_event *event)
{
    const reduce_plan *const plan = call->plan;
    xl_mpi *const mpi = plan->base.mpi;
    xl_scan_args scan = {
        .n = call->args->n, .in = call->args->in, .segments = call->args->segments};
    xl_reduce_args last = *call->args;
    cl_event scanned = NULL;
    cl_mem sums = NULL;
    if (plan->problem.loads)
        memcpy(scan.params, call->args->params, sizeof scan.params);
    if (!plan->stores)
        memset(last.params, 0, sizeof last.params);
    xl_status status = xlm_agree(mpi, xlm_buffer(mpi, scan.n * plan->problem.type_bytes, &sums));
    scan.out = last.in = xl_view_of(sums, 0);
    if (status == XL_SUCCESS)
        status = xl_mpi_scan(plan->scan, call->parts.queue, &scan, 0, NULL, &scanned);
    if (status == XL_SUCCESS)
        status = xl_mpi_reduce(plan->last, call->parts.queue, &last, 1, &scanned, event);
    if (scanned)
        clReleaseEvent(scanned);
    xlm_release(sums);
    return status;
}

static void drop(reduce_call *call)
{
    xlm_release(call->converted[0]);
    xlm_release(call->converted[1]);
    free(call->value);
    free(call->index);
    xlm_parts_drop(&call->parts);
}

xl_status xl_mpi_reduce(xl_mpi_plan *base, cl_command_queue queue, const xl_reduce_args *args,
                        cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    if (event)
        *event = NULL;
    if (!base)
        return XL_ERROR_INVALID_ARGUMENT;
    reduce_plan *const plan = (reduce_plan *)base;
    xl_mpi *const mpi = base->mpi;
    reduce_call call = {
        .plan = plan, .args = args, .parts = {.problem = &plan->problem, .queue = queue}};
    xl_status status = xlm_agree(mpi, check_call(&call, num_waits, waits));
    if (plan->scan) {
        status = status == XL_SUCCESS ? reduce_by_scan(&call, event) : status;
        drop(&call);
        return status;
    }
    if (status == XL_SUCCESS)
        status = divide(&call);
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, tell(&call));
    if (status == XL_SUCCESS) {
        status = xlm_parts_gather(&call.parts);
        status = xlm_agree(mpi, status == XL_SUCCESS ? prepare(&call) : status);
    }
    if (status == XL_SUCCESS) {
        status = plan->segments ? with_segments(&call) : combine(&call, 0);
        status = xlm_agree(mpi, status == XL_SUCCESS ? xlm_marker(mpi, queue, event) : status);
    }
    xlm_drop_event(status, event);
    drop(&call);
    return status;
}
