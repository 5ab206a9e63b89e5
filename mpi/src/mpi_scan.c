/* SPDX-License-Identifier: MIT
 * Scan across ranks: each part is scanned by one core call, whose carry is that of the values of the
 * parts since the last segment head before it. */
#include "mpi_parts.h"
#include <stdlib.h>
#include <string.h>

typedef struct scan_plan {
    xl_mpi_plan base;
    xlm_problem problem;
    xl_plan *scan;       /* of a part, with a carry */
    xl_plan *combine;    /* the carry of the values of parts */
    xl_plan *flags;      /* head flags from bits or offsets, if elements move; else NULL */
    xlm_problem flagged; /* `problem` with these flags; borrows its plans */
    bool prepared;       /* after the first call */
} scan_plan;

/* One call. */
typedef struct scan_call {
    scan_plan *plan;
    const xl_scan_args *args;
    xlm_parts parts;
    unsigned char *value;
    size_t *at;     /* [all + 1]: values of the parts before each part */
    size_t *from;   /* [all]: the first part whose value is in the carry before each part */
    cl_mem carries; /* elements 2 k and 2 k + 1: the carry of part k of this rank */
    cl_mem *keys; /* [count]: of parts that need a copy of their keys behind that of another rank */
    cl_mem flags;
} scan_call;

/* ---- creation ------------------------------------------------------------------------------ */

static void destroy(xl_mpi_plan *base)
{
    scan_plan *const plan = (scan_plan *)base;
    xlm_problem_drop(&plan->problem);
    xl_plan_destroy(plan->scan);
    xl_plan_destroy(plan->combine);
    xl_plan_destroy(plan->flags);
    free(plan);
}

/* The carry of values, with init. */
static xl_status create_combine(scan_plan *plan, const xl_scan_desc *desc)
{
    xl_scan_desc combine;
    xl_scan_desc_init(&combine);
    combine.type = desc->type;
    combine.user_type = desc->user_type;
    combine.op = desc->op;
    combine.user_op = desc->user_op;
    combine.kind = desc->kind;
    combine.init = desc->init;
    combine.init_view = desc->init_view;
    combine.carry = 2;
    combine.determinism = desc->determinism;
    return xl_scan_create(plan->base.mpi->ctx, &combine, &plan->combine);
}

/* The carry of a part, without the parts before it and without init. */
static xl_status create_carry(scan_plan *plan, const xl_scan_desc *desc)
{
    xl_scan_desc carry = *desc;
    carry.carry = 2;
    carry.kind = XL_INCLUSIVE;
    carry.algorithm = XL_SCAN_AUTO;
    carry.init = NULL;
    carry.init_view = xl_no_view();
    carry.store = NULL;
    carry.store_type = XL_NONE;
    carry.user_store_type = NULL;
    if (!carry.load) {
        carry.num_params = 0;
        carry.params = NULL;
    }
    return xl_scan_create(plan->base.mpi->ctx, &carry, &plan->problem.carry);
}

/* A scan of ones is 0 where a segment begins. desc becomes that of a scan with head flags. */
static xl_status create_flags(scan_plan *plan, xl_scan_desc *desc)
{
    xl_scan_desc flags;
    xl_scan_desc_init(&flags);
    flags.type = XL_U8;
    flags.op = XL_OR;
    flags.load = "1";
    flags.store = "x == 0";
    flags.segments = desc->segments;
    flags.segment_type = desc->segment_type;
    flags.segment_width = desc->segment_width;
    flags.segment_mask = desc->segment_mask;
    flags.carry = 1;
    desc->segments = XL_SEGMENTS_HEAD_FLAGS;
    desc->segment_type = XL_NONE;
    return xl_scan_create(plan->base.mpi->ctx, &flags, &plan->flags);
}

static xl_status create(xl_mpi_plan *base, const void *of)
{
    scan_plan *const plan = (scan_plan *)base;
    xl_scan_desc desc = *(const xl_scan_desc *)of, scan;
    xl_mpi *const mpi = base->mpi;
    const xl_reduce_desc reduce = xlm_reduce_of(&desc);
    xl_status status = XL_SUCCESS;
    if (xlm_in_units(&reduce) &&
        (desc.segments == XL_SEGMENTS_FLAG_BITMASK || desc.segments == XL_SEGMENTS_OFFSETS))
        status = create_flags(plan, &desc);
    scan = desc;
    scan.carry = 1;
    if (status == XL_SUCCESS)
        status = xl_scan_create(mpi->ctx, &scan, &plan->scan);
    if (status != XL_SUCCESS)
        return status;
    xlm_problem_init(&plan->problem, mpi, &reduce);
    if (mpi->size == 1 && !plan->problem.units)
        return XL_SUCCESS;
    status = create_carry(plan, &desc);
    plan->flagged = plan->problem;
    plan->flagged.segments = XL_SEGMENTS_HEAD_FLAGS;
    plan->flagged.segment_bytes = 1;
    return status == XL_SUCCESS ? create_combine(plan, &desc) : status;
}

static const xlm_plan_kind scan_kind = {"scan", create, destroy};

static xl_status check_desc(xl_mpi *mpi, const xl_scan_desc *desc, xl_mpi_plan **out)
{
    if (!desc || !out)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", desc ? "plan" : "desc");
    if (desc->carry)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "desc.carry: %u; must be 0",
                        (unsigned)desc->carry);
    return XL_SUCCESS;
}

xl_status xl_mpi_scan_create(xl_mpi *mpi, const xl_scan_desc *desc, xl_mpi_plan **out)
{
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_status status = check_desc(mpi, desc, out);
    const xl_reduce_desc reduce = desc ? xlm_reduce_of(desc) : (xl_reduce_desc){0};
    const xlm_value more[] = {{"desc.kind", desc ? desc->kind : 0},
                              {"desc.algorithm", desc ? desc->algorithm : 0},
                              {"desc.init_view", desc && desc->init_view.buffer}};
    status = xlm_same_desc(mpi, status, &reduce, more, sizeof more / sizeof more[0]);
    return xlm_plan_create(mpi, status, sizeof(scan_plan), &scan_kind, desc, out);
}

/* ---- a call -------------------------------------------------------------------------------- */

static xl_status check_absent(xl_mpi *mpi, const xl_scan_args *args)
{
    const struct {
        const char *field;
        bool given;
    } fields[] = {{"args.first_index", args->first_index != 0},
                  {"args.n_device", args->n_device.buffer != NULL},
                  {"args.carry_in", args->carry_in.buffer != NULL},
                  {"args.carry_out", args->carry_out.buffer != NULL},
                  {"args.head_out", args->head_out.buffer != NULL},
                  {"args.scratch", args->scratch.buffer != NULL}};
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < sizeof fields / sizeof fields[0] && status == XL_SUCCESS; ++k)
        status = xlm_check_absent(mpi, fields[k].field, fields[k].given);
    return status;
}

static xl_status check_out(const xlm_problem *problem, const xl_scan_args *args)
{
    xl_mpi *const mpi = problem->mpi;
    const size_t in = problem->load_bytes, out = problem->store_bytes;
    const bool in_place =
        in == out && args->in.buffer == args->out.buffer && args->in.offset == args->out.offset;
    xl_status status = xlm_check_view(mpi, "args.out", &args->out, args->n, out);
    if (status == XL_SUCCESS && !in_place)
        status = xlm_check_apart(mpi, "args.in", &args->in, args->n, in, "args.out", &args->out,
                                 args->n, out);
    if (status == XL_SUCCESS)
        status = xlm_check_apart(mpi, "args.segments", &args->segments,
                                 xlm_segment_elements(problem, args->n, &args->segments),
                                 problem->segment_bytes, "args.out", &args->out, args->n, out);
    return status;
}

static xl_status check_call(scan_call *call, cl_uint num_waits, const cl_event *waits)
{
    const xlm_problem *const problem = &call->plan->problem;
    const xl_scan_args *const args = call->args;
    xl_mpi *const mpi = call->plan->base.mpi;
    xl_status status = xlm_check_plan(&call->plan->base, &scan_kind, "args", args);
    if (status == XL_SUCCESS)
        status = xlm_check_queue(mpi, call->parts.queue, num_waits, waits);
    if (status == XL_SUCCESS)
        status = check_absent(mpi, args);
    if (status == XL_SUCCESS)
        status = xlm_check_arrays(problem, args->n, &args->in, &args->segments, args->params);
    if (status == XL_SUCCESS)
        status = check_out(problem, args);
    if (status == XL_SUCCESS)
        status = xlm_wait(mpi, num_waits, waits);
    call->parts.params = args->params;
    return status == XL_SUCCESS ? xlm_parts_reserve(&call->parts) : status;
}

/* Whether the first element of this rank begins a segment, because it is the first of all, or a lower rank has
 * an offset at its end. COLLECTIVE. ends: whether this rank has one. */
static xl_status find_begin(xlm_parts *parts, size_t n, bool ends, bool *begins)
{
    xl_mpi *const mpi = parts->problem->mpi;
    uint64_t said = 0; /* 1: an offset at the end; 2: elements */
    const xl_status status = xlm_sizes(mpi, (n > 0) * 2u + ends, parts->at);
    *begins = false;
    for (int r = mpi->rank; status == XL_SUCCESS && r > 0 && said < 2; --r) {
        said = parts->at[r] - parts->at[r - 1];
        *begins = *begins || said % 2;
    }
    *begins = *begins || said < 2;
    return status;
}

/* Head flags of this rank's elements, made of its bits or offsets: flags can move with their elements.
 * COLLECTIVE; the status is agreed. */
static xl_status make_flags(scan_call *call, xl_view *segments)
{
    xlm_parts *const parts = &call->parts;
    xl_mpi *const mpi = call->plan->base.mpi;
    const size_t n = call->args->n;
    xlm_part part = {.n = n, .segments = *segments};
    bool begins;
    cl_mem carry = NULL;
    xl_status status = XL_SUCCESS;
    if (call->plan->problem.segments == XL_SEGMENTS_OFFSETS)
        status = xlm_heads_by_offsets(parts, &part);
    const xl_status found = find_begin(parts, n, part.heads && part.last == n, &begins);
    const unsigned char before = !begins;
    status = status == XL_SUCCESS ? found : status;
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, n, &call->flags);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, 1, &before, &carry);
    *segments = xl_view_of(call->flags, 0);
    const xl_scan_args args = {.n = n,
                               .in = *segments, /* not used */
                               .segments = part.segments,
                               .out = *segments,
                               .carry_in = xl_view_of(carry, 0)};
    if (status == XL_SUCCESS && n > 0)
        status =
            xlm_core(mpi, xl_scan_enqueue(call->plan->flags, parts->queue, &args, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, parts->queue);
    xlm_release(carry);
    parts->problem = &call->plan->flagged;
    return xlm_agree(mpi, status);
}

static xl_status reserve(scan_call *call)
{
    const xlm_parts *const parts = &call->parts;
    xl_mpi *const mpi = parts->problem->mpi;
    xl_status status = xlm_alloc(mpi, parts->count, sizeof *call->keys, &call->keys);
    for (size_t k = 0; status == XL_SUCCESS && k < parts->count; ++k)
        call->keys[k] = NULL;
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->all + 1, sizeof *call->at, &call->at);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->all, sizeof *call->from, &call->from);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->all, parts->problem->type_bytes, &call->value);
    return status;
}

/* One rank whose parts are no units needs no carry. */
static bool is_alone(const scan_call *call)
{
    return !call->plan->combine;
}

/* The values up to the last part of this rank. The carry before a part has those from the last part before
 * it in which a segment begins. */
static void collect(scan_call *call)
{
    const xlm_parts *const parts = &call->parts;
    const size_t bytes = parts->problem->type_bytes;
    call->at[0] = 0;
    for (size_t k = 0; k < parts->before + parts->count; ++k) {
        call->from[k] = k;
        if (k > 0 && !xlm_parts_begins(parts, k))
            call->from[k] = xlm_parts_at(parts, k - 1)->heads ? k - 1 : call->from[k - 1];
        call->at[k + 1] = call->at[k] + (xlm_parts_at(parts, k)->count > 0);
        if (call->at[k + 1] > call->at[k])
            memcpy(call->value + call->at[k] * bytes, xlm_parts_value(parts, k), bytes);
    }
}

static bool takes_carry(const scan_call *call, size_t k)
{
    const size_t part = call->parts.before + k;
    return !is_alone(call) && call->parts.part[k].n > 0 && call->from[part] < part;
}

/* A core scan with a carry reads the key before its first one: a copy of the keys behind such a key. It
 * equals the first one, because the part continues a segment. */
static xl_status copy_keys(scan_call *call, size_t k)
{
    xlm_part *const part = &call->parts.part[k];
    const size_t bytes = call->plan->problem.segment_bytes;
    xl_mpi *const mpi = call->plan->problem.mpi;
    const cl_command_queue queue = call->parts.queue;
    xl_status status = xlm_buffer(mpi, (part->n + 1) * bytes, &call->keys[k]);
    if (status == XL_SUCCESS)
        status = xlm_write(mpi, queue, call->keys[k], 0, bytes, &part->key[0]);
    if (status == XL_SUCCESS)
        status = xlm_copy(mpi, queue, part->segments.buffer, part->segments.offset * bytes,
                          call->keys[k], bytes, part->n * bytes);
    part->segments = xl_view_of(call->keys[k], 1);
    return status;
}

static xl_status make_carry(scan_call *call, cl_mem values, size_t k)
{
    const size_t part = call->parts.before + k, from = call->at[call->from[part]];
    const xl_scan_args args = {.n = call->at[part] - from,
                               .in = xl_view_of(values, from),
                               .carry_out = xl_view_of(call->carries, 2 * k)};
    const xl_status status =
        xlm_core(call->plan->base.mpi,
                 xl_scan_enqueue(call->plan->combine, call->parts.queue, &args, 0, NULL, NULL));
    return status == XL_SUCCESS && call->plan->problem.segments == XL_SEGMENTS_KEYS
               ? copy_keys(call, k)
               : status;
}

static xl_status make_carries(scan_call *call)
{
    xl_mpi *const mpi = call->plan->base.mpi;
    const xlm_parts *const parts = &call->parts;
    const size_t bytes = parts->problem->type_bytes;
    cl_mem values = NULL;
    xl_status status = XL_SUCCESS;
    collect(call);
    const size_t count = call->at[parts->before + parts->count];
    if (count > 0)
        status = xlm_buffer_of(mpi, count * bytes, call->value, &values);
    if (status == XL_SUCCESS && parts->count > 0)
        status = xlm_buffer(mpi, 2 * parts->count * bytes, &call->carries);
    for (size_t k = 0; status == XL_SUCCESS && k < parts->count; ++k)
        if (takes_carry(call, k))
            status = make_carry(call, values, k);
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, parts->queue);
    xlm_release(values);
    return status;
}

static xl_scan_args part_args(const scan_call *call, size_t k)
{
    const xlm_part *const part = &call->parts.part[k];
    xl_scan_args args = *call->args;
    args.n = part->n;
    args.first_index = part->first;
    args.in = part->in;
    args.segments = part->segments;
    args.out = part->out;
    return args;
}

/* Builds the programs for the scan of this rank's first part. */
static xl_status prepare(void *user)
{
    const scan_call *const call = user;
    if (call->parts.count == 0)
        return XL_SUCCESS;
    const xl_scan_args args = part_args(call, 0);
    return xl_plan_prepare(call->plan->scan, &args);
}

static xl_status scan_part(const scan_call *call, size_t k)
{
    xl_scan_args args = part_args(call, k);
    if (takes_carry(call, k))
        args.carry_in = xl_view_of(call->carries, 2 * k);
    return xlm_core(call->plan->problem.mpi,
                    xl_scan_enqueue(call->plan->scan, call->parts.queue, &args, 0, NULL, NULL));
}

static xl_status scan_parts(scan_call *call)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < call->parts.count && status == XL_SUCCESS; ++k)
        if (call->parts.part[k].n > 0)
            status = scan_part(call, k);
    return status;
}

static void drop(scan_call *call)
{
    for (size_t k = 0; call->keys && k < call->parts.count; ++k)
        xlm_release(call->keys[k]);
    xlm_release(call->carries);
    xlm_release(call->flags);
    free(call->keys);
    free(call->at);
    free(call->from);
    free(call->value);
    xlm_parts_drop(&call->parts);
}

/* The carries of this rank's parts. */
static xl_status exchange(scan_call *call)
{
    xl_mpi *const mpi = call->plan->problem.mpi;
    xl_status status = is_alone(call) ? XL_SUCCESS : xlm_parts_tell(&call->parts);
    if (status == XL_SUCCESS)
        status = reserve(call);
    status = xlm_agree(mpi, status);
    if (status != XL_SUCCESS || is_alone(call))
        return status;
    status = xlm_parts_gather(&call->parts);
    return xlm_agree(mpi, status == XL_SUCCESS ? make_carries(call) : status);
}

xl_status xl_mpi_scan(xl_mpi_plan *base, cl_command_queue queue, const xl_scan_args *args,
                      cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    if (event)
        *event = NULL;
    if (!base)
        return XL_ERROR_INVALID_ARGUMENT;
    scan_plan *const plan = (scan_plan *)base;
    xl_mpi *const mpi = base->mpi;
    scan_call call = {
        .plan = plan, .args = args, .parts = {.problem = &plan->problem, .queue = queue}};
    xl_status status = xlm_agree(mpi, check_call(&call, num_waits, waits));
    xlm_part mine = {0};
    if (status == XL_SUCCESS)
        mine =
            (xlm_part){.n = args->n, .in = args->in, .segments = args->segments, .out = args->out};
    if (status == XL_SUCCESS && plan->flags)
        status = make_flags(&call, &mine.segments);
    if (status == XL_SUCCESS)
        status = xlm_parts_divide(&call.parts, mine, true);
    if (status == XL_SUCCESS && !plan->prepared) {
        status = xl_mpi_in_turn(mpi, prepare, &call);
        plan->prepared = status == XL_SUCCESS;
    }
    if (status == XL_SUCCESS)
        status = exchange(&call);
    if (status == XL_SUCCESS) {
        status = scan_parts(&call);
        if (plan->problem.units) /* the ranks agree on it */
            status = xlm_units_return(&call.parts, status, &args->out);
        if (status == XL_SUCCESS || !plan->problem.units)
            status = xlm_agree(mpi, status == XL_SUCCESS ? xlm_marker(mpi, queue, event) : status);
    }
    xlm_drop_event(status, event);
    drop(&call);
    return status;
}
