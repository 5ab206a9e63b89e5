/* SPDX-License-Identifier: MIT
 * Sort across ranks: each rank sorts its keys on its device, exact splitters say which of them go to
 * which rank, one message for each pair of ranks has keys and values, and each rank orders the sorted
 * runs that it receives, in the order of the ranks. All of these steps are stable. */
#include "mpi_split.h"
#include "sort_keys.h"
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 2 + XL_MORE_VALUES }; /* keys, values, more values */
enum { MOST_RUNS = 8 };               /* that are merged; more runs are sorted again */

static const char *const in_names[ARRAYS] = {"args.keys_in", "args.values_in",
                                             "args.more_values_in[0]", "args.more_values_in[1]",
                                             "args.more_values_in[2]"};
static const char *const out_names[ARRAYS] = {"args.keys_out", "args.values_out",
                                              "args.more_values_out[0]", "args.more_values_out[1]",
                                              "args.more_values_out[2]"};

/* ---- plans --------------------------------------------------------------------------------- */

typedef struct sort_plan {
    xl_mpi_plan base;
    xl_mpi_layout layout;
    xl_sort_desc desc;
    xlm_key_order order;
    size_t num_arrays;
    size_t bytes[ARRAYS], element_bytes; /* of an element of each array, and of all together */
    xl_plan *sort, *merge;               /* merge: NULL for a range of bits */
    xlm_host host;                       /* the keys and messages of a call */
    /* Numbers of elements or bytes by rank, ranks + 1 each: the first place in the whole array before
     * and after the sort; and of each message in the buffers, in elements and in bytes. */
    uint64_t *before, *after, *cuts, *sent, *received, *send_at, *recv_at;
} sort_plan;

static void destroy(xl_mpi_plan *base)
{
    sort_plan *const plan = (sort_plan *)base;
    xl_plan_destroy(plan->sort);
    xl_plan_destroy(plan->merge);
    xlm_host_release(base->mpi, &plan->host);
    free(plan);
}

static size_t value_bytes(uint32_t type)
{
    if (type == XL_SORT_INDICES)
        return sizeof(uint32_t);
    return type > XL_BYTES(0) ? type - XL_BYTES(0) : xl_type_size((xl_type)type);
}

static uint32_t value_type(const xl_sort_desc *desc, size_t array)
{
    return array == 1 ? desc->value : desc->more_values[array - 2];
}

/* The local sort. Its keys are needed on the host, and indices are values that this library makes. On
 * one rank it is the whole sort. */
static xl_sort_desc local_desc(const xl_mpi *mpi, const xl_sort_desc *given)
{
    xl_sort_desc desc = *given;
    desc.stable = 1;
    if (mpi->size > 1) {
        desc.values_only = 0;
        desc.value = desc.value == XL_SORT_INDICES ? XL_U32 : desc.value;
    }
    return desc;
}

static xl_merge_desc merge_desc(const xl_sort_desc *sort)
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = sort->key;
    desc.value = sort->value;
    memcpy(desc.more_values, sort->more_values, sizeof desc.more_values);
    desc.order = sort->order;
    desc.equal_zeros = sort->equal_zeros;
    return desc;
}

static xl_status create_local(sort_plan *plan)
{
    xl_mpi *const mpi = plan->base.mpi;
    const xl_sort_desc sort = local_desc(mpi, &plan->desc);
    const xl_merge_desc merge = merge_desc(&sort);
    const xl_status status = xl_sort_create(mpi->ctx, &sort, &plan->sort);
    const size_t bits = 8 * xl_type_size((xl_type)sort.key);
    const bool range = sort.begin_bit > 0 || (sort.end_bit > 0 && sort.end_bit < bits);
    if (status != XL_SUCCESS || mpi->size == 1 || range)
        return status;
    return xl_merge_create(mpi->ctx, &merge, &plan->merge);
}

enum { TABLES = 7 }; /* of ranks + 1 numbers each, behind the plan */

static void set_tables(sort_plan *plan)
{
    uint64_t **const arrays[TABLES] = {&plan->before,   &plan->after,   &plan->cuts,   &plan->sent,
                                       &plan->received, &plan->send_at, &plan->recv_at};
    for (size_t i = 0; i < TABLES; ++i)
        *arrays[i] = (uint64_t *)(plan + 1) + i * ((size_t)plan->base.mpi->size + 1);
}

static xl_status check_desc(xl_mpi *mpi, const xl_sort_desc *desc, xl_mpi_layout layout)
{
    if (!desc)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    if (desc->comparator)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "desc.comparator: given; must be NULL for a sort across ranks");
    if (desc->segments != XL_SEGMENTS_NONE)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "desc.segments: %u; must be XL_SEGMENTS_NONE for a sort across ranks",
                        (unsigned)desc->segments);
    if (layout != XL_MPI_EVEN && layout != XL_MPI_KEEP)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "layout: %d; must be XL_MPI_EVEN or XL_MPI_KEEP", (int)layout);
    return XL_SUCCESS;
}

static uint64_t hash_tunables(const xl_sort_desc *desc)
{
    uint64_t hash = desc->num_tunables;
    for (uint32_t i = 0; desc->tunables && i < desc->num_tunables; ++i) {
        const uint64_t one[] = {hash, xlm_hash_text(desc->tunables[i].name),
                                desc->tunables[i].value};
        hash = xlm_hash(one, sizeof one);
    }
    return hash;
}

/* COLLECTIVE. desc: not NULL. */
static xl_status compare_desc(xl_mpi *mpi, xl_status mine, const xl_sort_desc *desc,
                              xl_mpi_layout layout)
{
    const xlm_value values[] = {{"desc.key", desc->key},
                                {"desc.value", desc->value},
                                {"desc.more_values[0]", desc->more_values[0]},
                                {"desc.more_values[1]", desc->more_values[1]},
                                {"desc.more_values[2]", desc->more_values[2]},
                                {"desc.order", desc->order},
                                {"desc.begin_bit", desc->begin_bit},
                                {"desc.end_bit", desc->end_bit},
                                {"desc.stable", desc->stable},
                                {"desc.equal_zeros", desc->equal_zeros},
                                {"desc.values_only", desc->values_only},
                                {"desc.large", desc->large},
                                {"desc.algorithm", desc->algorithm},
                                {"desc.tunables", hash_tunables(desc)},
                                {"layout", (uint64_t)layout}};
    return xlm_same(mpi, mine, values, sizeof values / sizeof values[0]);
}

/* After the core library has checked the descriptor. */
static void complete_plan(sort_plan *plan)
{
    xl_sort_desc *const desc = &plan->desc;
    desc->tunables = NULL; /* the caller's array need not live as long as the plan */
    plan->order = xlm_key_order_of(desc);
    plan->bytes[0] = plan->element_bytes = plan->order.bytes;
    plan->num_arrays = 1;
    while (plan->num_arrays < ARRAYS && value_type(desc, plan->num_arrays) != XL_NONE) {
        plan->bytes[plan->num_arrays] = value_bytes(value_type(desc, plan->num_arrays));
        plan->element_bytes += plan->bytes[plan->num_arrays++];
    }
}

typedef struct sort_wish {
    const xl_sort_desc *desc;
    xl_mpi_layout layout;
} sort_wish;

static xl_status create(xl_mpi_plan *base, const void *of)
{
    sort_plan *const plan = (sort_plan *)base;
    const sort_wish *const wish = of;
    plan->layout = wish->layout;
    plan->desc = *wish->desc;
    set_tables(plan);
    const xl_status status = create_local(plan);
    if (status == XL_SUCCESS)
        complete_plan(plan);
    return status;
}

static const xlm_plan_kind sort_kind = {"sort", create, destroy};

xl_status xl_mpi_sort_create(xl_mpi *mpi, const xl_sort_desc *desc, xl_mpi_layout layout,
                             xl_mpi_plan **out)
{
    const sort_wish wish = {desc, layout};
    xl_sort_desc defaults;
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    const size_t tables = TABLES * ((size_t)mpi->size + 1) * sizeof(uint64_t);
    xl_sort_desc_init(&defaults);
    xl_status status = out ? check_desc(mpi, desc, layout)
                           : xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    status = compare_desc(mpi, status, desc ? desc : &defaults, layout);
    return xlm_plan_create(mpi, status, sizeof(sort_plan) + tables, &sort_kind, &wish, out);
}

/* ---- checks of a call ---------------------------------------------------------------------- */

/* COLLECTIVE. Where each rank's keys begin in the whole array, before and after the sort. */
static xl_status lay_out(sort_plan *plan, size_t n)
{
    xl_mpi *const mpi = plan->base.mpi;
    const xl_status status = xlm_sizes(mpi, n, plan->before);
    for (int r = 0; r <= mpi->size; ++r)
        plan->after[r] = plan->layout == XL_MPI_KEEP
                             ? plan->before[r]
                             : xlm_even_target(plan->before[mpi->size], r, mpi->size);
    return status;
}

static size_t count_after(const sort_plan *plan)
{
    const int rank = plan->base.mpi->rank;
    return (size_t)(plan->after[rank + 1] - plan->after[rank]);
}

xl_status xl_mpi_sort_count(xl_mpi_plan *base, size_t n, size_t *n_out)
{
    if (!base)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_mpi *const mpi = base->mpi;
    sort_plan *const plan = (sort_plan *)base;
    xl_status status = xlm_agree(mpi, xlm_check_plan(base, &sort_kind, "n_out", n_out));
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, lay_out(plan, n));
    if (status == XL_SUCCESS)
        *n_out = count_after(plan);
    return status;
}

static const xl_view *view_in(const xl_sort_args *args, size_t array)
{
    const xl_view *const views[] = {&args->keys_in, &args->values_in};
    return array < 2 ? views[array] : &args->more_values_in[array - 2];
}

static const xl_view *view_out(const xl_sort_args *args, size_t array)
{
    const xl_view *const views[] = {&args->keys_out, &args->values_out};
    return array < 2 ? views[array] : &args->more_values_out[array - 2];
}

static bool reads(const sort_plan *plan, size_t array)
{
    return array < plan->num_arrays && !(array == 1 && plan->desc.value == XL_SORT_INDICES);
}

static bool writes(const sort_plan *plan, size_t array)
{
    return array < plan->num_arrays && !(array == 0 && plan->desc.values_only);
}

static xl_status check_array(xl_mpi *mpi, const char *name, const xl_view *view, bool used,
                             size_t count, size_t bytes)
{
    return used ? xlm_check_view(mpi, name, view, count, bytes)
                : xlm_check_absent(mpi, name, view->buffer != NULL);
}

/* An output may begin exactly where its input begins; otherwise it must not overlap another array. */
static xl_status check_overlap(const sort_plan *plan, const xl_sort_args *args, size_t n_out,
                               size_t out)
{
    const xlm_range b = xlm_range_of(view_out(args, out), n_out, plan->bytes[out]);
    for (size_t a = 0; a < 2 * plan->num_arrays; ++a) {
        const size_t array = a / 2;
        const bool is_in = a % 2 == 0;
        if (is_in ? !reads(plan, array) : !writes(plan, array) || array >= out)
            continue;
        const xlm_range other =
            is_in ? xlm_range_of(view_in(args, array), args->n, plan->bytes[array])
                  : xlm_range_of(view_out(args, array), n_out, plan->bytes[array]);
        if (xlm_overlap(&b, &other) && !(is_in && array == out && b.begin == other.begin))
            return xlm_fail(plan->base.mpi, XL_ERROR_OVERLAP,
                            "%s: overlaps %s; must be exactly its input or overlap no other array",
                            out_names[out], is_in ? in_names[array] : out_names[array]);
    }
    return XL_SUCCESS;
}

/* After lay_out(). */
static xl_status check_arrays(const sort_plan *plan, const xl_sort_args *args)
{
    xl_mpi *const mpi = plan->base.mpi;
    const size_t n_out = count_after(plan);
    xl_status status = XL_SUCCESS;
    for (size_t a = 0; a < ARRAYS && status == XL_SUCCESS; ++a) {
        status = check_array(mpi, in_names[a], view_in(args, a), reads(plan, a), args->n,
                             plan->bytes[a]);
        if (status == XL_SUCCESS)
            status = check_array(mpi, out_names[a], view_out(args, a), writes(plan, a), n_out,
                                 plan->bytes[a]);
    }
    for (size_t a = 0; a < ARRAYS && status == XL_SUCCESS; ++a)
        if (writes(plan, a))
            status = check_overlap(plan, args, n_out, a);
    return status;
}

static xl_status check_counts(const sort_plan *plan, const xl_sort_args *args)
{
    xl_mpi *const mpi = plan->base.mpi;
    const uint64_t n_out = count_after(plan), all = plan->before[mpi->size];
    const uint64_t most = plan->desc.large ? (UINT64_C(1) << 48) - 1 : UINT32_MAX;
    if (args->n > most || n_out > most)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.n: %zu keys before and %llu after the sort; at most %llu%s", args->n,
                        (unsigned long long)n_out, (unsigned long long)most,
                        plan->desc.large ? "" : " unless desc.large is 1");
    if (plan->desc.value == XL_SORT_INDICES && all > UINT64_C(1) << 32)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.n: %llu keys on all ranks; XL_SORT_INDICES requires at most 2^32",
                        (unsigned long long)all);
    return XL_SUCCESS;
}

static xl_status check_args(const sort_plan *plan, cl_command_queue queue, const xl_sort_args *args,
                            cl_uint num_waits, const cl_event *waits)
{
    xl_mpi *const mpi = plan->base.mpi;
    const struct {
        const char *name;
        const xl_view *view;
    } unused[] = {{"args.n_device", &args->n_device},
                  {"args.segments", &args->segments},
                  {"args.scratch", &args->scratch}};
    xl_status status = xlm_check_queue(mpi, queue, num_waits, waits);
    for (size_t i = 0; i < 3 && status == XL_SUCCESS; ++i)
        status = xlm_check_absent(mpi, unused[i].name, unused[i].view->buffer != NULL);
    if (status == XL_SUCCESS)
        status = check_counts(plan, args);
    return status == XL_SUCCESS ? check_arrays(plan, args) : status;
}

/* ---- a call -------------------------------------------------------------------------------- */

typedef struct sort_call {
    sort_plan *plan;
    xl_mpi *mpi;
    cl_command_queue queue;
    const xl_sort_args *args;
    size_t n, n_out;
    cl_mem stage[ARRAYS];     /* the keys and values sorted on this rank, then those received */
    cl_mem scratch, keys_out; /* of a merge; keys_out: for its keys, if they are no output */
    cl_mem packed, arrived;   /* messages in device memory that MPI can address, both or neither */
    unsigned char *keys;      /* on the host */
    /* Messages: the addresses of packed and arrived, or on the host, where send may be keys. */
    unsigned char *send, *recv;
    xlm_messages messages;
} sort_call;

static bool is_merged(const sort_call *call)
{
    return call->plan->merge && call->mpi->size <= MOST_RUNS && call->n_out > 0;
}

/* Local. */
static xl_status reserve_merge(sort_call *call)
{
    const sort_plan *const plan = call->plan;
    const xl_merge_args args = {.n_a = call->n_out, .num_runs = (size_t)call->mpi->size};
    size_t bytes;
    xl_status status = xlm_core(call->mpi, xl_merge_scratch(plan->merge, &args, &bytes));
    if (status == XL_SUCCESS)
        status = xlm_buffer(call->mpi, bytes, &call->scratch);
    if (status == XL_SUCCESS && plan->desc.values_only)
        status = xlm_buffer(call->mpi, call->n_out * plan->bytes[0], &call->keys_out);
    return status;
}

static size_t aligned(size_t bytes)
{
    enum { ALIGN = 64 };
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Local. Room on the host for the keys and, unless they are in device memory, for messages. Keys
 * without values are their own message. */
static xl_status reserve_host(sort_call *call)
{
    sort_plan *const plan = call->plan;
    const size_t keys = aligned(call->n * plan->bytes[0]);
    const size_t recv = call->arrived ? 0 : aligned(call->n_out * plan->element_bytes);
    const size_t send = call->arrived || plan->num_arrays == 1 ? 0 : call->n * plan->element_bytes;
    const xl_status status = xlm_host_reserve(call->mpi, &plan->host, keys + recv + send);
    call->keys = plan->host.at;
    if (status != XL_SUCCESS || call->arrived)
        return status;
    call->recv = call->keys + keys;
    call->send = plan->num_arrays == 1 ? call->keys : call->recv + recv;
    return status;
}

/* Local. In device memory, if the caller makes both buffers there; otherwise on the host. */
static xl_status reserve_messages(sort_call *call)
{
    const sort_plan *const plan = call->plan;
    const size_t bytes = plan->element_bytes;
    xl_status status = xlm_message_buffer(call->mpi, call->n * bytes, &call->packed, &call->send);
    if (status == XL_SUCCESS && call->packed)
        status = xlm_message_buffer(call->mpi, call->n_out * bytes, &call->arrived, &call->recv);
    if (!call->arrived) {
        xlm_release(call->packed);
        call->packed = NULL;
    }
    return status == XL_SUCCESS ? reserve_host(call) : status;
}

/* Keys without values are sent from `stage`, and received there. */
static bool stage_is_message(const sort_call *call)
{
    return call->packed && call->plan->num_arrays == 1;
}

static void stage_message(sort_call *call, cl_mem message)
{
    xlm_release(call->stage[0]);
    call->stage[0] = message;
    clRetainMemObject(message);
}

/* Local. All memory whose size is known before the splitters are. */
static xl_status reserve(sort_call *call)
{
    const sort_plan *const plan = call->plan;
    const size_t room = call->n > call->n_out ? call->n : call->n_out;
    xl_status status = XL_SUCCESS;
    if (room > SIZE_MAX / 4 / plan->element_bytes)
        return xlm_fail(call->mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for %zu elements", room);
    status = reserve_messages(call);
    if (status == XL_SUCCESS && stage_is_message(call))
        stage_message(call, call->packed);
    for (size_t a = 0; a < plan->num_arrays && status == XL_SUCCESS; ++a)
        if (!call->stage[a])
            status = xlm_buffer(call->mpi, room * plan->bytes[a], &call->stage[a]);
    if (status == XL_SUCCESS && is_merged(call))
        status = reserve_merge(call);
    return status;
}

static void release(sort_call *call)
{
    (void)xlm_messages_end(call->mpi, &call->messages);
    for (size_t a = 0; a < ARRAYS; ++a)
        xlm_release(call->stage[a]);
    xlm_release(call->scratch);
    xlm_release(call->keys_out);
    xlm_release(call->packed);
    xlm_release(call->arrived);
}

/* Views of all arrays in `stage`. */
static void set_views(const sort_call *call, xl_view *keys, xl_view *values, xl_view *more)
{
    *keys = xl_view_of(call->stage[0], 0);
    if (call->plan->num_arrays > 1)
        *values = xl_view_of(call->stage[1], 0);
    for (size_t a = 2; a < call->plan->num_arrays; ++a)
        more[a - 2] = xl_view_of(call->stage[a], 0);
}

/* Called on one rank of each node first. Builds the programs of the local sorts. */
static xl_status prepare(void *user)
{
    const sort_call *const call = user;
    const xl_sort_args before = {.n = call->n}, after = {.n = call->n_out};
    const xl_merge_args runs = {.n_a = call->n_out, .num_runs = (size_t)call->mpi->size};
    const xl_status status = xl_plan_prepare(call->plan->sort, &before);
    if (status != XL_SUCCESS)
        return status;
    return is_merged(call) ? xl_plan_prepare(call->plan->merge, &runs)
                           : xl_plan_prepare(call->plan->sort, &after);
}

/* XL_SORT_INDICES: the values are indices in the whole array. */
static xl_status write_indices(sort_call *call)
{
    uint32_t *indices = NULL;
    const uint64_t first = call->plan->before[call->mpi->rank];
    xl_status status = xlm_alloc(call->mpi, call->n, sizeof *indices, &indices);
    for (size_t i = 0; i < call->n && status == XL_SUCCESS; ++i)
        indices[i] = (uint32_t)(first + i);
    if (status == XL_SUCCESS)
        status = xlm_write(call->mpi, call->queue, call->stage[1], 0, call->n * sizeof *indices,
                           indices);
    free(indices);
    return status;
}

/* Local. Sorts this rank's elements into `stage` and reads the keys. */
static xl_status sort_here(sort_call *call, cl_uint num_waits, const cl_event *waits)
{
    const sort_plan *const plan = call->plan;
    xl_sort_args args = *call->args;
    cl_event sorted = NULL;
    if (call->n == 0)
        return xlm_wait(call->mpi, num_waits, waits);
    set_views(call, &args.keys_out, &args.values_out, args.more_values_out);
    if (plan->desc.value == XL_SORT_INDICES) {
        const xl_status status = write_indices(call);
        if (status != XL_SUCCESS)
            return status;
        args.values_in = args.values_out;
    }
    xl_status status = xlm_core(
        call->mpi, xl_sort_enqueue(plan->sort, call->queue, &args, num_waits, waits, &sorted));
    if (status == XL_SUCCESS) {
        status = xlm_read(call->mpi, call->queue, call->stage[0], 0, call->n * plan->bytes[0],
                          call->keys, 1, &sorted);
        clReleaseEvent(sorted);
    }
    return status;
}

/* COLLECTIVE. How many elements each pair of ranks exchanges. */
static xl_status count_messages(sort_call *call)
{
    sort_plan *const plan = call->plan;
    const int size = call->mpi->size;
    for (int r = 0; r < size; ++r)
        plan->sent[r] = plan->cuts[r + 1] - plan->cuts[r];
    const xl_status status = xlm_counts(call->mpi, plan->sent, plan->received);
    plan->send_at[0] = plan->recv_at[0] = 0;
    for (int r = 0; r < size && status == XL_SUCCESS; ++r) {
        plan->send_at[r + 1] = plan->send_at[r] + plan->sent[r] * plan->element_bytes;
        plan->recv_at[r + 1] = plan->recv_at[r] + plan->received[r] * plan->element_bytes;
    }
    if (status == XL_SUCCESS && plan->recv_at[size] != call->n_out * plan->element_bytes)
        return xlm_fail(call->mpi, XL_ERROR_INTERNAL, "splitters give %llu bytes for %zu elements",
                        (unsigned long long)plan->recv_at[size], call->n_out);
    return status;
}

/* Local. Copies `bytes` of sorted array a to the messages. */
static xl_status pack_array(sort_call *call, size_t a, size_t from, size_t to, size_t bytes)
{
    if (call->packed)
        return xlm_copy(call->mpi, call->queue, call->stage[a], from, call->packed, to, bytes);
    if (a > 0)
        return xlm_read(call->mpi, call->queue, call->stage[a], from, bytes, call->send + to, 0,
                        NULL);
    memcpy(call->send + to, call->keys + from, bytes);
    return XL_SUCCESS;
}

/* Local. The message to a rank has its keys, then each of its arrays of values. */
static xl_status pack(sort_call *call)
{
    const sort_plan *const plan = call->plan;
    xl_mpi *const mpi = call->mpi;
    const size_t own = (size_t)plan->sent[mpi->rank] * plan->element_bytes;
    xl_status status = XL_SUCCESS;
    for (int r = 0; r < mpi->size && plan->num_arrays > 1; ++r) {
        size_t to = (size_t)plan->send_at[r];
        for (size_t a = 0; a < plan->num_arrays && status == XL_SUCCESS; ++a) {
            const size_t bytes = (size_t)plan->sent[r] * plan->bytes[a];
            status = pack_array(call, a, (size_t)plan->cuts[r] * plan->bytes[a], to, bytes);
            to += bytes;
        }
    }
    if (status != XL_SUCCESS || !call->packed)
        return status;
    status = xlm_order(mpi, call->queue);
    if (status == XL_SUCCESS)
        status = xlm_copy(mpi, call->queue, call->packed, (size_t)plan->send_at[mpi->rank],
                          call->arrived, (size_t)plan->recv_at[mpi->rank], own);
    return status == XL_SUCCESS ? xlm_finish(mpi, call->queue) : status;
}

/* Local. Copies `bytes`, from byte `from` on, of the message of rank r to array a. On the host the
 * rank's own message is where it was packed: a copy there takes longer than one to the device. */
static xl_status unpack_array(sort_call *call, int r, size_t from, size_t a, size_t to,
                              size_t bytes)
{
    const sort_plan *const plan = call->plan;
    const size_t arrived = (size_t)plan->recv_at[r] + from;
    if (call->arrived)
        return xlm_copy(call->mpi, call->queue, call->arrived, arrived, call->stage[a], to, bytes);
    return xlm_write(call->mpi, call->queue, call->stage[a], to, bytes,
                     r == call->mpi->rank ? call->send + plan->send_at[r] + from
                                          : call->recv + arrived);
}

/* Local. The reverse for what arrived: run after run into `stage`. */
static xl_status unpack(sort_call *call)
{
    const sort_plan *const plan = call->plan;
    xl_status status = XL_SUCCESS;
    size_t first = 0;
    if (stage_is_message(call)) {
        stage_message(call, call->arrived);
        return status;
    }
    for (int r = 0; r < call->mpi->size; ++r) {
        const size_t count = (size_t)plan->received[r];
        size_t from = 0;
        for (size_t a = 0; a < plan->num_arrays && status == XL_SUCCESS; ++a) {
            status = unpack_array(call, r, from, a, first * plan->bytes[a], count * plan->bytes[a]);
            from += count * plan->bytes[a];
        }
        first += count;
    }
    return status == XL_SUCCESS && call->arrived ? xlm_order(call->mpi, call->queue) : status;
}

/* Local. Sorts the elements in `stage` into the outputs. */
static xl_status sort_runs(sort_call *call, cl_event *event)
{
    const sort_plan *const plan = call->plan;
    xl_sort_args args = *call->args;
    args.n = call->n_out;
    set_views(call, &args.keys_in, &args.values_in, args.more_values_in);
    if (plan->desc.values_only)
        args.keys_out = args.keys_in;
    return xlm_core(call->mpi, xl_sort_enqueue(plan->sort, call->queue, &args, 0, NULL, event));
}

/* Local. Merges the runs in `stage`, one from each rank, into the outputs. */
static xl_status merge_runs(sort_call *call, cl_event *event)
{
    const sort_plan *const plan = call->plan;
    const xl_sort_args *const out = call->args;
    size_t runs[MOST_RUNS + 1] = {0};
    xl_merge_args args = {.n_a = call->n_out,
                          .num_runs = (size_t)call->mpi->size,
                          .runs = runs,
                          .keys_out = out->keys_out,
                          .values_out = out->values_out,
                          .scratch = xl_view_of(call->scratch, 0)};
    for (size_t r = 0; r < args.num_runs; ++r)
        runs[r + 1] = runs[r] + (size_t)plan->received[r];
    set_views(call, &args.keys_a, &args.values_a, args.more_values_a);
    memcpy(args.more_values_out, out->more_values_out, sizeof args.more_values_out);
    if (plan->desc.values_only)
        args.keys_out = xl_view_of(call->keys_out, 0);
    return xlm_core(call->mpi, xl_merge_enqueue(plan->merge, call->queue, &args, 0, NULL, event));
}

/* COLLECTIVE; the result is local. */
static xl_status exchange(sort_call *call)
{
    const sort_plan *const plan = call->plan;
    call->messages.own_stays = true; /* see unpack_array() */
    const xl_status status = xlm_messages_begin(call->mpi, &call->messages, call->send,
                                                plan->send_at, call->recv, plan->recv_at);
    const xl_status end = xlm_messages_end(call->mpi, &call->messages);
    return status == XL_SUCCESS ? end : status;
}

/* COLLECTIVE; agreed. After the arguments are known to be right on all ranks. */
static xl_status sort_ranks(sort_call *call, cl_uint num_waits, const cl_event *waits,
                            cl_event *event)
{
    xl_mpi *const mpi = call->mpi;
    sort_plan *const plan = call->plan;
    xlm_host_keys host = {mpi, &plan->order, call->keys, call->n};
    const xl_split_args split = {.n = call->n,
                                 .code_bits = plan->order.bits,
                                 .targets = plan->after,
                                 .user = &host,
                                 .find = xlm_find_codes,
                                 .cuts = plan->cuts};
    xl_status status = xl_mpi_in_turn(mpi, prepare, call);
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, sort_here(call, num_waits, waits));
    if (status == XL_SUCCESS)
        status = xlm_split(mpi, &split);
    if (status != XL_SUCCESS)
        return status;
    status = count_messages(call);
    if (status == XL_SUCCESS)
        status = pack(call);
    if (status == XL_SUCCESS)
        status = xlm_messages_reserve(mpi, &call->messages, plan->send_at, plan->recv_at);
    status = xlm_agree(mpi, status);
    if (status != XL_SUCCESS)
        return status;
    status = exchange(call);
    if (status == XL_SUCCESS)
        status = unpack(call);
    if (status == XL_SUCCESS)
        status = is_merged(call) ? merge_runs(call, event) : sort_runs(call, event);
    return xlm_agree(mpi, status);
}

/* COLLECTIVE; agreed. The device sorts from the inputs to the outputs. */
static xl_status sort_one_rank(sort_call *call, cl_uint num_waits, const cl_event *waits,
                               cl_event *event)
{
    return xlm_agree(call->mpi,
                     xlm_core(call->mpi, xl_sort_enqueue(call->plan->sort, call->queue, call->args,
                                                         num_waits, waits, event)));
}

xl_status xl_mpi_sort(xl_mpi_plan *base, cl_command_queue queue, const xl_sort_args *args,
                      cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    if (event)
        *event = NULL;
    if (!base)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_mpi *const mpi = base->mpi;
    sort_plan *const plan = (sort_plan *)base;
    xl_status status = xlm_agree(mpi, xlm_check_plan(base, &sort_kind, "args", args));
    if (status != XL_SUCCESS)
        return status;
    status = lay_out(plan, args->n);
    sort_call call = {.plan = plan,
                      .mpi = mpi,
                      .queue = queue,
                      .args = args,
                      .n = args->n,
                      .n_out = count_after(plan)};
    if (status == XL_SUCCESS)
        status = check_args(plan, queue, args, num_waits, waits);
    if (status == XL_SUCCESS && mpi->size > 1)
        status = reserve(&call);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = mpi->size > 1 ? sort_ranks(&call, num_waits, waits, event)
                               : sort_one_rank(&call, num_waits, waits, event);
    release(&call);
    xlm_drop_event(status, event);
    return status;
}
