/* SPDX-License-Identifier: MIT
 * Exchanges: creation by owner, and what all exchanges have. */
#include "exchange.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- all exchanges ------------------------------------------------------------------------- */

xl_status xlm_exchange_new(xl_mpi *mpi, size_t n, xl_mpi_exchange **out)
{
    const size_t ranks = (size_t)mpi->size + 1;
    uint64_t *tables = NULL;
    xl_mpi_exchange *const exchange = calloc(1, sizeof *exchange);
    if (!exchange || !(tables = calloc(4 * ranks, sizeof *tables))) {
        free(exchange);
        return xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for an exchange");
    }
    exchange->mpi = mpi;
    exchange->send.count = n;
    exchange->send.at = tables; /* the first of four tables owns them */
    exchange->recv.at = tables + ranks;
    exchange->transfer.from_bytes = tables + 2 * ranks;
    exchange->transfer.to_bytes = tables + 3 * ranks;
    *out = exchange;
    return XL_SUCCESS;
}

xl_status xlm_exchange_count(xl_mpi_exchange *exchange)
{
    xl_mpi *const mpi = exchange->mpi;
    const size_t size = (size_t)mpi->size;
    uint64_t *const recv = exchange->recv.at, *const sent = exchange->transfer.from_bytes;
    for (size_t r = 0; r < size; ++r)
        sent[r] = exchange->send.at[r + 1] - exchange->send.at[r];
    const xl_status status = xlm_counts(mpi, sent, recv + 1);
    for (size_t r = 0; r < size; ++r)
        recv[r + 1] += recv[r];
    if (status == XL_SUCCESS && recv[size] > XLM_MOST)
        return xlm_fail(mpi, XL_ERROR_CAPACITY, "%llu elements arrive; at most 2^32 - 2 may",
                        (unsigned long long)recv[size]);
    exchange->recv.count = (size_t)recv[size];
    return status;
}

xl_status xlm_exchange_complete(xl_mpi_exchange *exchange)
{
    xl_mpi *const mpi = exchange->mpi;
    char name[] = "move0";
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < 5 && code == CL_SUCCESS; ++i) {
        name[4] = (char)('0' + i);
        exchange->move[i] = clCreateKernel(mpi->program, name, &code);
    }
    const xl_status status = xlm_cl(mpi, code, "clCreateKernel");
    return status == XL_SUCCESS
               ? xlm_buffer(mpi, exchange->recv.count * sizeof(cl_uint), &exchange->recv.list)
               : status;
}

void xl_mpi_exchange_destroy(xl_mpi_exchange *exchange)
{
    if (!exchange)
        return;
    const cl_mem buffers[] = {exchange->send.list, exchange->recv.list, exchange->ids,
                              exchange->first,     exchange->copies,    exchange->transfer.device};
    xlm_transfer_release(exchange);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i)
        xlm_release(buffers[i]);
    for (size_t i = 0; i < 5; ++i)
        if (exchange->move[i])
            clReleaseKernel(exchange->move[i]);
    if (exchange->combine)
        clReleaseKernel(exchange->combine);
    if (exchange->transfer.done)
        clReleaseEvent(exchange->transfer.done);
    xlm_host_release(exchange->mpi, &exchange->transfer.host);
    free(exchange->send.at);
    free(exchange);
}

size_t xl_mpi_exchange_num_in(const xl_mpi_exchange *exchange)
{
    return exchange ? exchange->send.count : 0;
}

size_t xl_mpi_exchange_num_out(const xl_mpi_exchange *exchange)
{
    return exchange ? exchange->recv.count : 0;
}

xl_view xl_mpi_exchange_places(const xl_mpi_exchange *exchange)
{
    if (!exchange || !exchange->ids)
        return xl_no_view();
    return xl_view_n(exchange->recv.list, (size_t)exchange->recv.at[exchange->mpi->rank],
                     exchange->send.count);
}

xl_view xl_mpi_exchange_ids(const xl_mpi_exchange *exchange)
{
    if (!exchange || !exchange->ids)
        return xl_no_view();
    return xl_view_n(exchange->ids, 0, exchange->recv.count);
}

/* ---- by owner ------------------------------------------------------------------------------ */

/* Enqueues work that lists the elements by their owners, stably. found[0]: the lowest element whose owner is
 * no rank. found[1 + r]: where the elements of rank r begin, and behind these the number of all. `sorted`: room
 * for the owners. */
static xl_status list_by_owner(xl_mpi_exchange *exchange, cl_command_queue queue,
                               const xl_view *owners, cl_mem sorted, cl_mem found)
{
    xl_mpi *const mpi = exchange->mpi;
    const cl_ulong n = exchange->send.count, at = owners->offset;
    const cl_uint ranks = (cl_uint)mpi->size;
    const xlm_argument check[] = {{sizeof n, &n},
                                  {sizeof owners->buffer, &owners->buffer},
                                  {sizeof at, &at},
                                  {sizeof ranks, &ranks},
                                  {sizeof found, &found}};
    const xlm_argument find[] = {
        {sizeof ranks, &ranks}, {sizeof n, &n}, {sizeof sorted, &sorted}, {sizeof found, &found}};
    const xl_sort_args sort = {.n = exchange->send.count,
                               .keys_in = *owners,
                               .keys_out = xl_view_of(sorted, 0),
                               .values_out = xl_view_of(exchange->send.list, 0)};
    xl_status status = xlm_run(mpi, queue, mpi->program, "check_owners", check,
                               sizeof check / sizeof check[0], 0, n);
    if (status == XL_SUCCESS)
        status = xlm_core(
            mpi, xl_sort_enqueue(mpi->plans[XLM_SORT_NUMBERS], queue, &sort, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_order(mpi, queue);
    return status == XL_SUCCESS ? xlm_run(mpi, queue, mpi->program, "find_ranks", find,
                                          sizeof find / sizeof find[0], 0, ranks + 1)
                                : status;
}

static xl_status refuse_owner(xl_mpi *mpi, cl_command_queue queue, const xl_view *owners, size_t i)
{
    uint32_t owner;
    const xl_status status =
        xlm_read(mpi, queue, owners->buffer, (owners->offset + i) * sizeof owner, sizeof owner,
                 &owner, 0, NULL);
    return status == XL_SUCCESS
               ? xlm_fail(mpi, XL_ERROR_OUT_OF_DOMAIN, "owners[%zu]: %u; must be a rank, below %d",
                          i, (unsigned)owner, mpi->size)
               : status;
}

/* Fills send.list and send.at. */
static xl_status take_owners(xl_mpi_exchange *exchange, cl_command_queue queue,
                             const xl_view *owners)
{
    xl_mpi *const mpi = exchange->mpi;
    const size_t bytes = exchange->send.count * sizeof(cl_uint), ranks = (size_t)mpi->size;
    cl_mem sorted = NULL, device = NULL;
    cl_uint *found = NULL;
    xl_status status = xlm_buffer(mpi, bytes, &exchange->send.list);
    if (status != XL_SUCCESS || bytes == 0)
        return status;
    status = xlm_alloc(mpi, ranks + 2, sizeof *found, &found);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, bytes, &sorted);
    if (status == XL_SUCCESS) {
        found[0] = XLM_NO_INDEX;
        status = xlm_buffer_of(mpi, (ranks + 2) * sizeof *found, found, &device);
    }
    if (status == XL_SUCCESS)
        status = list_by_owner(exchange, queue, owners, sorted, device);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, queue, device, 0, (ranks + 2) * sizeof *found, found, 0, NULL);
    if (status == XL_SUCCESS && found[0] != XLM_NO_INDEX)
        status = refuse_owner(mpi, queue, owners, found[0]);
    for (size_t r = 0; r <= ranks && status == XL_SUCCESS; ++r)
        exchange->send.at[r] = found[1 + r];
    xlm_release(sorted);
    xlm_release(device);
    free(found);
    return status;
}

/* Elements stay in the order in which they arrive. */
static xl_status complete_in_order(xl_mpi_exchange *exchange, cl_command_queue queue)
{
    const xlm_side *const side = &exchange->recv;
    xl_status status = xlm_exchange_complete(exchange);
    if (status == XL_SUCCESS)
        status = xlm_count_up(exchange->mpi, queue, 0, side->list, 0, side->count);
    return status == XL_SUCCESS ? xlm_finish(exchange->mpi, queue) : status;
}

xl_status xl_mpi_exchange_by_owner(xl_mpi *mpi, cl_command_queue queue, size_t n, xl_view owners,
                                   cl_uint num_waits, const cl_event *waits, xl_mpi_exchange **out)
{
    xl_mpi_exchange *exchange = NULL;
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_status status = xlm_check_queue(mpi, queue, num_waits, waits);
    if (!out)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "exchange: NULL");
    else
        *out = NULL;
    if (status == XL_SUCCESS && n > XLM_MOST)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "n: %zu; at most 2^32 - 2", n);
    if (status == XL_SUCCESS)
        status = xlm_check_view(mpi, "owners", &owners, n, sizeof(uint32_t));
    if (status == XL_SUCCESS)
        status = xlm_exchange_new(mpi, n, &exchange);
    if (status == XL_SUCCESS)
        status = xlm_wait(mpi, num_waits, waits);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = xlm_build(mpi);
    if (status == XL_SUCCESS)
        status = xlm_core_plan_once(mpi, XLM_SORT_NUMBERS);
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, take_owners(exchange, queue, &owners));
    if (status == XL_SUCCESS) {
        status = xlm_exchange_count(exchange);
        if (status == XL_SUCCESS)
            status = complete_in_order(exchange, queue);
        status = xlm_agree(mpi, status);
    }
    if (status == XL_SUCCESS)
        *out = exchange;
    else
        xl_mpi_exchange_destroy(exchange);
    return status;
}
