/* SPDX-License-Identifier: MIT
 * Halos: the steps of the search, global ids, and the order of what arrives. */
#include "halo.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments and memory ------------------------------------------------------------------ */

static xl_status check_arguments(xlm_halo *halo, cl_command_queue queue, cl_uint num_waits,
                                 const cl_event *waits)
{
    xl_mpi *const mpi = halo->mpi;
    const xl_mpi_halo_args *const args = halo->args;
    xl_status status = xlm_check_queue(mpi, queue, num_waits, waits);
    if (status != XL_SUCCESS)
        return status;
    if (!args || !args->space)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, args ? "args.space: NULL" : "args: NULL");
    if (args->order != XL_MPI_BY_ID && args->order != XL_MPI_OWNED_FIRST)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.order: %u; must be XL_MPI_BY_ID or XL_MPI_OWNED_FIRST",
                        (unsigned)args->order);
    if (!isfinite(args->radius) || args->radius <= 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.radius: %g; must be finite and above 0", args->radius);
    status = xlm_halo_space(mpi, args->space, &halo->domain);
    if (status == XL_SUCCESS)
        status = xlm_points_check(mpi, "args.space", args->space->dimensions, args->space->scalar,
                                  args->stride, args->n, &args->points, &halo->given);
    if (status == XL_SUCCESS && args->ids.buffer)
        status = xlm_check_view(mpi, "args.ids", &args->ids, args->n, sizeof(uint64_t));
    return status;
}

static xl_status reserve(xlm_halo *halo)
{
    xl_mpi *const mpi = halo->mpi;
    const size_t size = (size_t)mpi->size;
    halo->marks = calloc(size, sizeof *halo->marks);
    halo->num_marks = calloc(size, sizeof *halo->num_marks);
    halo->send_at = calloc(2 * (size + 1), sizeof *halo->send_at);
    if (!halo->marks || !halo->num_marks || !halo->send_at)
        return xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for the tables of a halo");
    halo->recv_at = halo->send_at + size + 1;
    xl_status status = xlm_alloc(mpi, size, sizeof *halo->parts, &halo->parts);
    if (status == XL_SUCCESS)
        status = xlm_exchange_new(mpi, halo->args->n, &halo->exchange);
    return status;
}

static void release(xlm_halo *halo)
{
    for (int r = 0; halo->marks && r < halo->mpi->size; ++r)
        free(halo->marks[r]);
    free(halo->marks);
    free(halo->num_marks);
    free(halo->send_at);
    free(halo->parts);
    free(halo->moves);
    free(halo->send);
    free(halo->recv);
    xlm_release(halo->numbers);
}

static void release_words(xlm_halo *halo)
{
    free(halo->send);
    free(halo->recv);
    halo->send = halo->recv = NULL;
}

/* ---- ids ----------------------------------------------------------------------------------- */

static xl_status refuse_id(xlm_halo *halo, size_t i)
{
    const xl_view *const view = &halo->args->ids;
    uint64_t ids[2];
    const xl_status status =
        xlm_read(halo->mpi, halo->queue, view->buffer, (view->offset + i - 1) * sizeof ids[0],
                 sizeof ids, ids, 0, NULL);
    return status == XL_SUCCESS
               ? xlm_fail(halo->mpi, XL_ERROR_INVALID_ARGUMENT,
                          "args.ids: %llu at index %zu, behind %llu; ids must ascend",
                          (unsigned long long)ids[1], i, (unsigned long long)ids[0])
               : status;
}

/* Ids that are given must ascend. */
static xl_status check_ids(xlm_halo *halo)
{
    const xl_view *const view = &halo->args->ids;
    const cl_ulong n = halo->args->n, at = view->offset;
    cl_uint lowest = XLM_NO_INDEX;
    cl_mem index = NULL;
    if (!view->buffer || n < 2)
        return XL_SUCCESS;
    xl_status status = xlm_buffer_of(halo->mpi, sizeof lowest, &lowest, &index);
    const xlm_argument all[] = {{sizeof n, &n},
                                {sizeof view->buffer, &view->buffer},
                                {sizeof at, &at},
                                {sizeof index, &index}};
    if (status == XL_SUCCESS)
        status = xlm_run(halo->mpi, halo->queue, halo->mpi->program, "check_ids", all,
                         sizeof all / sizeof all[0], 0, n - 1);
    if (status == XL_SUCCESS)
        status = xlm_read(halo->mpi, halo->queue, index, 0, sizeof lowest, &lowest, 0, NULL);
    xlm_release(index);
    return status == XL_SUCCESS && lowest != XLM_NO_INDEX ? refuse_id(halo, lowest) : status;
}

/* Ids that are not given are indices in the whole array. Ranks with points must all give them or not. */
static xl_status complete_ids(xlm_halo *halo)
{
    const xlm_part *const mine = &halo->parts[halo->mpi->rank];
    for (int r = 0; r < halo->mpi->size; ++r) {
        const xlm_part *const part = &halo->parts[r];
        if (part->n > 0 && mine->n > 0 && part->has_ids != mine->has_ids)
            return xlm_fail(
                halo->mpi, XL_ERROR_INVALID_ARGUMENT, "args.ids: %s; on rank %d it is %s",
                mine->has_ids ? "given" : "not given", r, part->has_ids ? "given" : "not given");
        halo->before += r < halo->mpi->rank ? part->n : 0;
    }
    halo->ids = halo->args->ids;
    if (mine->has_ids)
        return XL_SUCCESS;
    const cl_ulong n = mine->n, first = halo->before;
    const xl_status status = xlm_buffer(halo->mpi, mine->n * sizeof(cl_ulong), &halo->numbers);
    const xlm_argument all[] = {
        {sizeof n, &n}, {sizeof first, &first}, {sizeof halo->numbers, &halo->numbers}};
    halo->ids = xl_view_of(halo->numbers, 0);
    return status == XL_SUCCESS ? xlm_run(halo->mpi, halo->queue, halo->mpi->program, "number_ids",
                                          all, sizeof all / sizeof all[0], 0, n)
                                : status;
}

/* Packs the ids of `count` entries of the sending side from entry `from` on. */
static xl_status pack_ids(const xlm_halo *halo, uint64_t from, uint64_t count, cl_mem packed,
                          uint64_t at)
{
    const xlm_side *const side = &halo->exchange->send;
    const cl_ulong n = count, words = 1, in_at = halo->ids.offset, out_at = at, list_at = from;
    const cl_uint unpacks = 0;
    const xlm_argument all[] = {{sizeof n, &n},
                                {sizeof words, &words},
                                {sizeof halo->ids.buffer, &halo->ids.buffer},
                                {sizeof in_at, &in_at},
                                {sizeof packed, &packed},
                                {sizeof out_at, &out_at},
                                {sizeof side->list, &side->list},
                                {sizeof list_at, &list_at},
                                {sizeof unpacks, &unpacks}};
    return count > 0 ? xlm_run(halo->mpi, halo->queue, halo->mpi->program, "move3", all,
                               sizeof all / sizeof all[0], 0, n)
                     : XL_SUCCESS;
}

/* Reads the ids of the points that other ranks get; at[r]: where those for rank r begin. */
static xl_status read_sent_ids(xlm_halo *halo, const uint64_t *at)
{
    xl_mpi *const mpi = halo->mpi;
    const uint64_t *const all = halo->exchange->send.at;
    const uint64_t count = at[mpi->size], before = at[mpi->rank];
    const size_t bytes = (size_t)count * sizeof *halo->send;
    cl_mem packed = NULL;
    xl_status status = xlm_alloc(mpi, (size_t)count, sizeof *halo->send, &halo->send);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, bytes, &packed);
    if (status == XL_SUCCESS)
        status = pack_ids(halo, 0, before, packed, 0);
    if (status == XL_SUCCESS)
        status = pack_ids(halo, all[mpi->rank + 1], count - before, packed, before);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, halo->queue, packed, 0, bytes, halo->send, 0, NULL);
    xlm_release(packed);
    return status;
}

/* ---- the order ----------------------------------------------------------------------------- */

/* The ghosts, in the order of the elements out. */
typedef struct ghosts {
    size_t count;
    uint64_t *ids;
    uint32_t *entries; /* of the receiving side */
    uint32_t *before;  /* own elements before each one */
} ghosts;

/* Merges two ascending runs of positions by the ids that arrived there; equal ids stay in order. */
static void merge_runs(const uint64_t *ids, const uint32_t *from, uint64_t begin, uint64_t middle,
                       uint64_t end, uint32_t *to)
{
    uint64_t a = begin, b = middle;
    for (uint64_t k = begin; k < end; ++k)
        to[k] = b == end || (a < middle && ids[from[a]] <= ids[from[b]]) ? from[a++] : from[b++];
}

/* Sorts `order`, positions of ghosts that arrived, by their ids. Those of rank r are at[r] to at[r + 1], and
 * ascend already. The result is in `order` or in `other`. */
static uint32_t *sort_by_id(int size, const uint64_t *at, const uint64_t *ids, uint32_t *order,
                            uint32_t *other)
{
    for (int width = 1; width < size; width *= 2) {
        for (int r = 0; r < size; r += 2 * width) {
            const int middle = r + width < size ? r + width : size,
                      end = r + 2 * width < size ? r + 2 * width : size;
            merge_runs(ids, order, at[r], at[middle], at[end], other);
        }
        uint32_t *const swapped = order;
        order = other;
        other = swapped;
    }
    return order;
}

/* Fills ids and entries; `arrived`: ids of ghosts, where those of rank r begin at at[r]. */
static xl_status order_ghosts(const xlm_halo *halo, const uint64_t *arrived, const uint64_t *at,
                              ghosts *g)
{
    const uint64_t begin = halo->exchange->recv.at[halo->mpi->rank];
    uint32_t *memory = NULL;
    const xl_status status = xlm_alloc(halo->mpi, g->count, 2 * sizeof *memory, &memory);
    if (status != XL_SUCCESS)
        return status;
    for (size_t k = 0; k < g->count; ++k)
        memory[k] = (uint32_t)k;
    const uint32_t *const order =
        halo->args->order == XL_MPI_BY_ID
            ? sort_by_id(halo->mpi->size, at, arrived, memory, memory + g->count)
            : memory;
    for (size_t k = 0; k < g->count; ++k) {
        g->ids[k] = arrived[order[k]];
        g->entries[k] = order[k] + (order[k] < begin ? 0 : (uint32_t)halo->args->n);
    }
    free(memory);
    return status;
}

/* Makes `before` on the device; ids: those of the ghosts there. */
static xl_status count_own(const xlm_halo *halo, ghosts *g, cl_mem ids, cl_mem *before)
{
    xl_mpi *const mpi = halo->mpi;
    const size_t n = halo->args->n, bytes = g->count * sizeof *g->before;
    const bool by_id = halo->args->order == XL_MPI_BY_ID;
    if (!(by_id && halo->args->ids.buffer && n > 0 && g->count > 0)) {
        for (size_t k = 0; k < g->count; ++k)
            g->before[k] = by_id && g->ids[k] < halo->before ? 0 : (uint32_t)n;
        return xlm_buffer_of(mpi, bytes, g->before, before);
    }
    xl_status status = xlm_buffer(mpi, bytes, before);
    const xl_search_args args = {.n = n,
                                 .num_queries = g->count,
                                 .keys = halo->ids,
                                 .queries = xl_view_of(ids, 0),
                                 .indices_out = xl_view_of(*before, 0)};
    if (status == XL_SUCCESS)
        status = xlm_core(
            mpi, xl_search_enqueue(mpi->plans[XLM_SEARCH], halo->queue, &args, 0, NULL, NULL));
    return status == XL_SUCCESS ? xlm_order(mpi, halo->queue) : status;
}

static xl_status place_ghosts(const xlm_halo *halo, const ghosts *g, cl_mem before, cl_mem ids,
                              cl_mem entries)
{
    const xl_mpi_exchange *const exchange = halo->exchange;
    const cl_ulong n = g->count;
    const xlm_argument all[] = {{sizeof n, &n},
                                {sizeof before, &before},
                                {sizeof entries, &entries},
                                {sizeof ids, &ids},
                                {sizeof exchange->recv.list, &exchange->recv.list},
                                {sizeof exchange->ids, &exchange->ids}};
    return xlm_run(halo->mpi, halo->queue, halo->mpi->program, "place_ghosts", all,
                   sizeof all / sizeof all[0], 0, n);
}

static xl_status place_own(const xlm_halo *halo, const ghosts *g, cl_mem before)
{
    const xl_mpi_exchange *const exchange = halo->exchange;
    const cl_ulong n = halo->args->n, begin = exchange->recv.at[halo->mpi->rank],
                   at = halo->ids.offset, count = halo->args->order == XL_MPI_BY_ID ? g->count : 0;
    const xlm_argument all[] = {{sizeof n, &n},
                                {sizeof count, &count},
                                {sizeof before, &before},
                                {sizeof begin, &begin},
                                {sizeof halo->ids.buffer, &halo->ids.buffer},
                                {sizeof at, &at},
                                {sizeof exchange->recv.list, &exchange->recv.list},
                                {sizeof exchange->ids, &exchange->ids}};
    return n > 0 ? xlm_run(halo->mpi, halo->queue, halo->mpi->program, "place_own", all,
                           sizeof all / sizeof all[0], 0, n)
                 : XL_SUCCESS;
}

/* Fills recv.list and ids of the exchange. */
static xl_status place_elements(const xlm_halo *halo, ghosts *g)
{
    xl_mpi *const mpi = halo->mpi;
    xl_mpi_exchange *const exchange = halo->exchange;
    cl_mem ids = NULL, entries = NULL, before = NULL;
    xl_status status = xlm_buffer(mpi, exchange->recv.count * sizeof *g->ids, &exchange->ids);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, g->count * sizeof *g->ids, g->ids, &ids);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, g->count * sizeof *g->entries, g->entries, &entries);
    if (status == XL_SUCCESS)
        status = count_own(halo, g, ids, &before);
    if (status == XL_SUCCESS)
        status = place_ghosts(halo, g, before, ids, entries);
    if (status == XL_SUCCESS)
        status = place_own(halo, g, before);
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, halo->queue);
    xlm_release(ids);
    xlm_release(entries);
    xlm_release(before);
    return status;
}

/* Orders what arrived: `arrived` are the ids of the ghosts, where those of rank r begin at at[r]. */
static xl_status order_elements(xlm_halo *halo, const uint64_t *arrived, const uint64_t *at)
{
    ghosts g = {.count = (size_t)at[halo->mpi->size]};
    xl_status status = xlm_exchange_complete(halo->exchange);
    if (status == XL_SUCCESS)
        status = xlm_alloc(halo->mpi, g.count, sizeof *g.ids, &g.ids);
    if (status == XL_SUCCESS)
        status = xlm_alloc(halo->mpi, g.count, sizeof *g.entries, &g.entries);
    if (status == XL_SUCCESS)
        status = xlm_alloc(halo->mpi, g.count, sizeof *g.before, &g.before);
    if (status == XL_SUCCESS)
        status = order_ghosts(halo, arrived, at, &g);
    if (status == XL_SUCCESS)
        status = place_elements(halo, &g);
    free(g.ids);
    free(g.entries);
    free(g.before);
    return status;
}

/* ---- steps --------------------------------------------------------------------------------- */

static void to_bytes(const xlm_halo *halo, const uint64_t *send_at, const uint64_t *recv_at)
{
    for (int r = 0; r <= halo->mpi->size; ++r) {
        halo->send_at[r] = send_at[r] * sizeof(uint64_t);
        halo->recv_at[r] = recv_at[r] * sizeof(uint64_t);
    }
}

/* COLLECTIVE. Sends the words in halo->send, and receives. send_at and recv_at count words, and may be
 * those of the halo. The ranks agree on the result. */
static xl_status send_words(xlm_halo *halo, xl_status mine, const uint64_t *send_at,
                            const uint64_t *recv_at)
{
    xl_mpi *const mpi = halo->mpi;
    to_bytes(halo, send_at, recv_at);
    if (mine == XL_SUCCESS)
        mine = xlm_alloc(mpi, (size_t)halo->recv_at[mpi->size], 1, &halo->recv);
    if (mine == XL_SUCCESS)
        mine = xlm_messages_reserve(mpi, &halo->messages, halo->send_at, halo->recv_at);
    mine = xlm_agree(mpi, mine);
    xl_status status = mine;
    if (mine == XL_SUCCESS)
        status = xlm_messages_begin(mpi, &halo->messages, halo->send, halo->send_at, halo->recv,
                                    halo->recv_at);
    const xl_status ended = xlm_messages_end(mpi, &halo->messages);
    return mine == XL_SUCCESS ? xlm_agree(mpi, status == XL_SUCCESS ? ended : status) : mine;
}

/* COLLECTIVE. Each rank learns which of its points the others need. */
static xl_status search(xlm_halo *halo)
{
    xl_mpi *const mpi = halo->mpi;
    const size_t size = (size_t)mpi->size;
    xl_status status = complete_ids(halo);
    if (status == XL_SUCCESS)
        status = xlm_halo_images(halo);
    if (status == XL_SUCCESS)
        status = xlm_halo_mark(halo);
    if (status == XL_SUCCESS)
        status = xlm_halo_pack(halo);
    uint64_t *const sent = halo->exchange->transfer.from_bytes;
    for (size_t r = 0; r < size; ++r)
        sent[r] = status == XL_SUCCESS ? halo->send_at[r + 1] - halo->send_at[r] : 0;
    const xl_status counted = xlm_counts(mpi, sent, halo->recv_at + 1);
    for (size_t r = 0; r < size; ++r)
        halo->recv_at[r + 1] += halo->recv_at[r];
    status =
        send_words(halo, status == XL_SUCCESS ? counted : status, halo->send_at, halo->recv_at);
    for (size_t r = 0; r <= size; ++r)
        halo->recv_at[r] /= sizeof(uint64_t);
    return status;
}

/* Where the entries for each other rank begin if those of this rank to itself are left out. */
static void leave_out_own(const xl_mpi *mpi, const uint64_t *at, uint64_t *others)
{
    others[0] = 0;
    for (int r = 0; r < mpi->size; ++r)
        others[r + 1] = others[r] + (r == mpi->rank ? 0 : at[r + 1] - at[r]);
}

/* COLLECTIVE. Makes the lists of both sides. */
static xl_status finish(xlm_halo *halo)
{
    xl_mpi *const mpi = halo->mpi;
    xl_mpi_exchange *const exchange = halo->exchange;
    uint64_t *const sent = exchange->transfer.from_bytes,
                    *const received = exchange->transfer.to_bytes; /* unused before a transfer */
    xl_status status = xlm_halo_select(halo);
    release_words(halo);
    const xl_status counted = xlm_exchange_count(exchange);
    if (status == XL_SUCCESS)
        status = counted;
    leave_out_own(mpi, exchange->send.at, sent);
    leave_out_own(mpi, exchange->recv.at, received);
    if (status == XL_SUCCESS)
        status = read_sent_ids(halo, sent);
    status = send_words(halo, status, sent, received);
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, order_elements(halo, halo->recv, received));
    return status;
}

/* COLLECTIVE, agreed. Programs and plans. */
static xl_status build(xlm_halo *halo)
{
    xl_status status = xlm_build(halo->mpi);
    if (status == XL_SUCCESS)
        status = xlm_points_build(halo->mpi, "args.space", &halo->given);
    if (status == XL_SUCCESS)
        status = xlm_core_plan_once(halo->mpi, XLM_SELECT_WORDS);
    if (status == XL_SUCCESS)
        status = xlm_core_plan_once(halo->mpi, XLM_SELECT_BITS);
    return status == XL_SUCCESS ? xlm_core_plan_once(halo->mpi, XLM_SEARCH) : status;
}

xl_status xl_mpi_exchange_halo(xl_mpi *mpi, cl_command_queue queue, const xl_mpi_halo_args *args,
                               cl_uint num_waits, const cl_event *waits, xl_mpi_exchange **out)
{
    xlm_halo halo = {.mpi = mpi, .queue = queue, .args = args};
    xlm_part part = {.n = 0};
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_status status = check_arguments(&halo, queue, num_waits, waits);
    if (!out)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "exchange: NULL");
    else
        *out = NULL;
    status = xlm_halo_same(mpi, status, args);
    if (status == XL_SUCCESS)
        status = reserve(&halo);
    if (status == XL_SUCCESS)
        status = xlm_wait(mpi, num_waits, waits);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = build(&halo);
    if (status == XL_SUCCESS) {
        status = xlm_halo_points(&halo, &part);
        if (status == XL_SUCCESS)
            status = check_ids(&halo);
        status = xlm_agree(mpi, status);
    }
    if (status == XL_SUCCESS) {
        status = xlm_mpi(mpi,
                         MPI_Allgather(&part, (int)sizeof part, MPI_BYTE, halo.parts,
                                       (int)sizeof part, MPI_BYTE, mpi->comm),
                         "MPI_Allgather");
        status = xlm_agree(mpi, status);
    }
    if (status == XL_SUCCESS)
        status = search(&halo);
    if (status == XL_SUCCESS)
        status = finish(&halo);
    if (status == XL_SUCCESS)
        *out = halo.exchange;
    else
        xl_mpi_exchange_destroy(halo.exchange);
    release(&halo);
    return status;
}
