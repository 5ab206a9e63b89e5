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

static xl_status write_list(xl_mpi *mpi, cl_command_queue queue, const uint32_t *from,
                            uint64_t count, cl_mem *list)
{
    const size_t bytes = (size_t)count * sizeof *from;
    xl_status status = xlm_buffer(mpi, bytes, list);
    if (status == XL_SUCCESS)
        status = xlm_write(mpi, queue, *list, 0, bytes, from);
    return status;
}

xl_status xlm_exchange_complete(xl_mpi_exchange *exchange, cl_command_queue queue,
                                const uint32_t *places)
{
    xl_mpi *const mpi = exchange->mpi;
    char name[] = "move0";
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < 5 && code == CL_SUCCESS; ++i) {
        name[4] = (char)('0' + i);
        exchange->move[i] = clCreateKernel(mpi->program, name, &code);
    }
    xl_status status = xlm_cl(mpi, code, "clCreateKernel");
    if (status == XL_SUCCESS)
        status = write_list(mpi, queue, exchange->sent, exchange->send.at[mpi->size],
                            &exchange->send.list);
    if (status == XL_SUCCESS)
        status = write_list(mpi, queue, places, exchange->recv.count, &exchange->recv.list);
    return status;
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
    free(exchange->sent);
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

/* Lists the elements by their owners, stably. */
static xl_status list_by_owner(xl_mpi_exchange *exchange, const uint32_t *owners)
{
    xl_mpi *const mpi = exchange->mpi;
    uint64_t *const at = exchange->send.at, *const next = exchange->transfer.to_bytes;
    const size_t n = exchange->send.count;
    const xl_status status = xlm_alloc(mpi, n, sizeof *exchange->sent, &exchange->sent);
    if (status != XL_SUCCESS)
        return status;
    for (size_t i = 0; i < n; ++i) {
        if (owners[i] >= (uint32_t)mpi->size)
            return xlm_fail(mpi, XL_ERROR_OUT_OF_DOMAIN,
                            "owners[%zu]: %u; must be a rank, below %d", i, (unsigned)owners[i],
                            mpi->size);
        ++at[owners[i] + 1];
    }
    for (int r = 0; r < mpi->size; ++r) {
        next[r] = at[r];
        at[r + 1] += at[r];
    }
    for (size_t i = 0; i < n; ++i)
        exchange->sent[next[owners[i]]++] = (uint32_t)i;
    return XL_SUCCESS;
}

static xl_status read_owners(xl_mpi_exchange *exchange, cl_command_queue queue, const xl_view *view,
                             cl_uint num_waits, const cl_event *waits)
{
    xl_mpi *const mpi = exchange->mpi;
    const size_t n = exchange->send.count;
    uint32_t *owners = NULL;
    xl_status status = xlm_alloc(mpi, n, sizeof *owners, &owners);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, queue, view->buffer, view->offset * sizeof *owners,
                          n * sizeof *owners, owners, num_waits, waits);
    if (status == XL_SUCCESS)
        status = list_by_owner(exchange, owners);
    free(owners);
    return status;
}

/* Elements stay in the order in which they arrive. */
static xl_status complete_in_order(xl_mpi_exchange *exchange, cl_command_queue queue)
{
    uint32_t *places = NULL;
    xl_status status = xlm_alloc(exchange->mpi, exchange->recv.count, sizeof *places, &places);
    if (status != XL_SUCCESS)
        return status;
    for (size_t k = 0; k < exchange->recv.count; ++k)
        places[k] = (uint32_t)k;
    status = xlm_exchange_complete(exchange, queue, places);
    free(places);
    return status;
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
        status = read_owners(exchange, queue, &owners, num_waits, waits);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = xlm_build(mpi);
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
