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
    halo->send_at = calloc(2 * (size + 1), sizeof *halo->send_at);
    if (!halo->marks || !halo->send_at)
        return xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for the tables of a halo");
    halo->recv_at = halo->send_at + size + 1;
    xl_status status = xlm_alloc(mpi, size, sizeof *halo->parts, &halo->parts);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, halo->args->n, sizeof *halo->ids, &halo->ids);
    if (status == XL_SUCCESS)
        status = xlm_exchange_new(mpi, halo->args->n, &halo->exchange);
    return status;
}

static void release(xlm_halo *halo)
{
    for (int r = 0; halo->marks && r < halo->mpi->size; ++r)
        free(halo->marks[r]);
    free(halo->marks);
    free(halo->send_at);
    free(halo->parts);
    free(halo->ids);
    free(halo->moves);
    free(halo->send);
    free(halo->recv);
}

static void release_words(xlm_halo *halo)
{
    free(halo->send);
    free(halo->recv);
    halo->send = halo->recv = NULL;
}

/* ---- ids ----------------------------------------------------------------------------------- */

/* Reads ids that are given; they must ascend. */
static xl_status read_ids(xlm_halo *halo, cl_command_queue queue)
{
    const xl_view *const view = &halo->args->ids;
    const size_t n = halo->args->n, bytes = sizeof *halo->ids;
    if (!view->buffer)
        return XL_SUCCESS;
    const xl_status status = xlm_read(halo->mpi, queue, view->buffer, view->offset * bytes,
                                      n * bytes, halo->ids, 0, NULL);
    for (size_t i = 1; i < n && status == XL_SUCCESS; ++i)
        if (halo->ids[i] <= halo->ids[i - 1])
            return xlm_fail(halo->mpi, XL_ERROR_INVALID_ARGUMENT,
                            "args.ids: %llu at index %zu, behind %llu; ids must ascend",
                            (unsigned long long)halo->ids[i], i,
                            (unsigned long long)halo->ids[i - 1]);
    return status;
}

/* Ids that are not given are indices in the whole array. Ranks with points must all give them or not. */
static xl_status complete_ids(xlm_halo *halo)
{
    const xlm_part *const mine = &halo->parts[halo->mpi->rank];
    uint64_t before = 0;
    for (int r = 0; r < halo->mpi->size; ++r) {
        const xlm_part *const part = &halo->parts[r];
        if (part->n > 0 && mine->n > 0 && part->has_ids != mine->has_ids)
            return xlm_fail(
                halo->mpi, XL_ERROR_INVALID_ARGUMENT, "args.ids: %s; on rank %d it is %s",
                mine->has_ids ? "given" : "not given", r, part->has_ids ? "given" : "not given");
        before += r < halo->mpi->rank ? part->n : 0;
    }
    for (size_t i = 0; i < mine->n && !mine->has_ids; ++i)
        halo->ids[i] = before + i;
    return XL_SUCCESS;
}

/* ---- the order ----------------------------------------------------------------------------- */

/* Merges two ascending runs of positions by the ids that arrived there; equal ids stay in order. */
static void merge_runs(const uint64_t *ids, const uint32_t *from, uint64_t begin, uint64_t middle,
                       uint64_t end, uint32_t *to)
{
    uint64_t a = begin, b = middle;
    for (uint64_t k = begin; k < end; ++k)
        to[k] = b == end || (a < middle && ids[from[a]] <= ids[from[b]]) ? from[a++] : from[b++];
}

/* Positions of arrived elements in the order of their ids. Those of one rank ascend already. The result is
 * in `order` or in `other`. */
static uint32_t *sort_by_id(const xl_mpi_exchange *exchange, const uint64_t *ids, uint32_t *order,
                            uint32_t *other)
{
    const int size = exchange->mpi->size;
    const uint64_t *const at = exchange->recv.at;
    for (uint64_t k = 0; k < at[size]; ++k)
        order[k] = (uint32_t)k;
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

/* Own elements first, then the others in the order in which they arrived. */
static uint32_t *own_first(const xl_mpi_exchange *exchange, uint32_t *order)
{
    const uint64_t begin = exchange->recv.at[exchange->mpi->rank], own = exchange->send.count;
    for (uint64_t k = 0; k < exchange->recv.count; ++k)
        order[k] = (uint32_t)(k < own ? begin + k : k < begin + own ? k - own : k);
    return order;
}

static xl_status write_ids(xl_mpi_exchange *exchange, cl_command_queue queue, const uint64_t *ids)
{
    const size_t bytes = exchange->recv.count * sizeof *ids;
    xl_status status = xlm_buffer(exchange->mpi, bytes, &exchange->ids);
    if (status == XL_SUCCESS)
        status = xlm_write(exchange->mpi, queue, exchange->ids, 0, bytes, ids);
    return status;
}

/* Orders what arrived: `arrived` are its ids. */
static xl_status order_elements(xlm_halo *halo, cl_command_queue queue, const uint64_t *arrived)
{
    xl_mpi_exchange *const exchange = halo->exchange;
    const size_t count = exchange->recv.count;
    uint32_t *memory = NULL;
    uint64_t *ids = NULL;
    xl_status status = xlm_alloc(halo->mpi, count, 2 * sizeof *memory, &memory);
    if (status == XL_SUCCESS)
        status = xlm_alloc(halo->mpi, count, sizeof *ids, &ids);
    if (status != XL_SUCCESS)
        goto done;
    const uint32_t *const order = halo->args->order == XL_MPI_BY_ID
                                      ? sort_by_id(exchange, arrived, memory, memory + count)
                                      : own_first(exchange, memory);
    uint32_t *const places = order == memory ? memory + count : memory;
    for (size_t k = 0; k < count; ++k) {
        places[order[k]] = (uint32_t)k;
        ids[k] = arrived[order[k]];
    }
    status = xlm_exchange_complete(exchange, queue, places);
    if (status == XL_SUCCESS)
        status = write_ids(exchange, queue, ids);
done:
    free(memory);
    free(ids);
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

/* COLLECTIVE. Makes the lists of both sides. */
static xl_status finish(xlm_halo *halo, cl_command_queue queue)
{
    xl_mpi *const mpi = halo->mpi;
    xl_mpi_exchange *const exchange = halo->exchange;
    xl_status status = xlm_halo_select(halo);
    release_words(halo);
    const xl_status counted = xlm_exchange_count(exchange);
    if (status == XL_SUCCESS)
        status = counted;
    const size_t entries = (size_t)exchange->send.at[mpi->size];
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, entries, sizeof *halo->send, &halo->send);
    for (size_t k = 0; k < entries && status == XL_SUCCESS; ++k)
        halo->send[k] = halo->ids[exchange->sent[k]];
    status = send_words(halo, status, exchange->send.at, exchange->recv.at);
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, order_elements(halo, queue, halo->recv));
    return status;
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
        status = xlm_halo_points(&halo, num_waits, waits, &part);
    if (status == XL_SUCCESS)
        status = read_ids(&halo, queue);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = xlm_build(mpi);
    if (status == XL_SUCCESS)
        status = xlm_points_build(mpi, &halo.given);
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
        status = finish(&halo, queue);
    if (status == XL_SUCCESS)
        *out = halo.exchange;
    else
        xl_mpi_exchange_destroy(halo.exchange);
    release(&halo);
    return status;
}
