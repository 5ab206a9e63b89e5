/* SPDX-License-Identifier: MIT
 * One transfer of fields along an exchange: packing, messages, memory. */
#include "exchange.h"
#include <stdlib.h>
#include <string.h>

/* ---- the layout of messages ---------------------------------------------------------------- */

/* Bytes of a field in a message of `entries` entries. */
static uint64_t block_bytes(const xlm_transfer *t, size_t field, uint64_t entries)
{
    const uint64_t unit = UINT64_C(1) << t->log_align;
    return (entries * t->fields[field].bytes + unit - 1) / unit * unit;
}

static uint64_t message_bytes(const xlm_transfer *t, uint64_t entries)
{
    uint64_t bytes = 0;
    for (size_t f = 0; f < t->num_fields; ++f)
        bytes += block_bytes(t, f, entries);
    return bytes;
}

static void lay_out_side(const xl_mpi *mpi, const xlm_transfer *t, const xlm_side *side,
                         uint64_t *bytes)
{
    bytes[0] = 0;
    for (int r = 0; r < mpi->size; ++r)
        bytes[r + 1] =
            bytes[r] + (r == mpi->rank ? 0 : message_bytes(t, side->at[r + 1] - side->at[r]));
}

/* The widest words that divide an element; the words of all fields divide 2^log_align. */
static void choose_words(xlm_transfer *t)
{
    t->log_align = 0;
    for (size_t f = 0; f < t->num_fields; ++f) {
        uint32_t log_word = 0;
        while (log_word < 4 && t->fields[f].bytes % (UINT64_C(2) << log_word) == 0)
            ++log_word;
        t->fields[f].log_word = log_word;
        if (log_word > t->log_align)
            t->log_align = log_word;
    }
}

static void lay_out(xl_mpi_exchange *exchange)
{
    xlm_transfer *const t = &exchange->transfer;
    const xl_mpi *const mpi = exchange->mpi;
    choose_words(t);
    t->own_bytes = message_bytes(t, t->from->at[mpi->rank + 1] - t->from->at[mpi->rank]);
    lay_out_side(mpi, t, t->from, t->from_bytes);
    lay_out_side(mpi, t, t->to, t->to_bytes);
}

/* ---- memory -------------------------------------------------------------------------------- */

static xl_status reserve_device(xl_mpi *mpi, xlm_transfer *t, uint64_t bytes)
{
    if (t->device && bytes <= t->device_room)
        return XL_SUCCESS;
    xlm_release(t->device);
    t->device = NULL;
    t->device_room = bytes;
    const xl_status status = xlm_message_buffer(mpi, (size_t)bytes, &t->device, &t->address);
    return status == XL_SUCCESS && !t->device ? xlm_buffer(mpi, (size_t)bytes, &t->device) : status;
}

static xl_status reserve(xl_mpi_exchange *exchange)
{
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    const uint64_t messages = t->from_bytes[mpi->size] + t->to_bytes[mpi->size];
    xl_status status = reserve_device(mpi, t, t->own_bytes + messages);
    if (status == XL_SUCCESS && !t->address)
        status = xlm_host_reserve(mpi, &t->host, messages);
    if (status == XL_SUCCESS)
        status = xlm_messages_reserve(mpi, &t->messages, t->from_bytes, t->to_bytes);
    return status;
}

static void hold(xlm_transfer *t)
{
    clRetainCommandQueue(t->queue);
    for (size_t f = 0; f < t->num_fields; ++f) {
        if (t->fields[f].in)
            clRetainMemObject(t->fields[f].in);
        if (t->fields[f].out)
            clRetainMemObject(t->fields[f].out);
    }
}

static void let_go(xlm_transfer *t)
{
    clReleaseCommandQueue(t->queue);
    for (size_t f = 0; f < t->num_fields; ++f) {
        xlm_release(t->fields[f].in);
        xlm_release(t->fields[f].out);
    }
}

void xlm_transfer_release(xl_mpi_exchange *exchange)
{
    xlm_transfer *const t = &exchange->transfer;
    if (!t->from)
        return;
    xlm_messages_end(exchange->mpi, &t->messages); /* again is harmless */
    let_go(t);
    t->from = t->to = NULL;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* Where the message of a rank begins in device memory. */
static uint64_t message_at(const xl_mpi_exchange *exchange, bool unpacks, int rank)
{
    const xlm_transfer *const t = &exchange->transfer;
    if (rank == exchange->mpi->rank)
        return 0;
    return unpacks ? t->own_bytes + t->from_bytes[exchange->mpi->size] + t->to_bytes[rank]
                   : t->own_bytes + t->from_bytes[rank];
}

static xl_status move_block(xl_mpi_exchange *exchange, const xlm_moved *field, uint64_t at,
                            const xlm_side *side, int rank, cl_uint unpacks)
{
    xlm_transfer *const t = &exchange->transfer;
    const cl_kernel kernel = exchange->move[field->log_word];
    const cl_ulong n = side->at[rank + 1] - side->at[rank], words = field->bytes >> field->log_word,
                   list_at = side->at[rank];
    const cl_ulong packed_at = at >> field->log_word;
    const cl_ulong in_at = unpacks ? packed_at : field->in_at * words;
    const cl_ulong out_at = unpacks ? field->out_at * words : packed_at;
    const cl_mem in = unpacks ? t->device : field->in, out = unpacks ? field->out : t->device;
    const xlm_argument arguments[] = {{sizeof n, &n},
                                      {sizeof words, &words},
                                      {sizeof in, &in},
                                      {sizeof in_at, &in_at},
                                      {sizeof out, &out},
                                      {sizeof out_at, &out_at},
                                      {sizeof side->list, &side->list},
                                      {sizeof list_at, &list_at},
                                      {sizeof unpacks, &unpacks}};
    if (n == 0)
        return XL_SUCCESS;
    xl_status status =
        xlm_arguments(exchange->mpi, kernel, arguments, sizeof arguments / sizeof arguments[0]);
    if (status == XL_SUCCESS)
        status = xlm_launch(exchange->mpi, t->queue, kernel, n);
    return status;
}

xl_status xlm_transfer_move(xl_mpi_exchange *exchange, bool unpacks)
{
    xlm_transfer *const t = &exchange->transfer;
    const xlm_side *const side = unpacks ? t->to : t->from;
    xl_status status = XL_SUCCESS;
    for (int r = 0; r < exchange->mpi->size; ++r) {
        uint64_t at = message_at(exchange, unpacks, r);
        for (size_t f = 0; f < t->num_fields && status == XL_SUCCESS; ++f) {
            status = move_block(exchange, &t->fields[f], at, side, r, unpacks);
            at += block_bytes(t, f, side->at[r + 1] - side->at[r]);
        }
    }
    return status;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* The messages, as MPI uses them. */
static unsigned char *messages_of(const xlm_transfer *t)
{
    return t->address ? t->address + t->own_bytes : t->host.at;
}

/* Packs the inputs and, unless MPI does so by address, reads the messages. */
static xl_status pack(xl_mpi_exchange *exchange, cl_uint num_waits, const cl_event *waits)
{
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    const size_t staged = t->address ? 0 : (size_t)t->from_bytes[mpi->size];
    xl_status status = xlm_wait(mpi, num_waits, waits);
    if (status == XL_SUCCESS && t->done)
        status = xlm_wait(mpi, 1, &t->done); /* device memory may be written again */
    if (status == XL_SUCCESS)
        status = xlm_transfer_move(exchange, false);
    if (status == XL_SUCCESS)
        status = xlm_order(mpi, t->queue);
    if (status == XL_SUCCESS && staged == 0)
        status = xlm_finish(mpi, t->queue); /* the inputs have been read, the messages written */
    if (status == XL_SUCCESS)
        status =
            xlm_read(mpi, t->queue, t->device, (size_t)t->own_bytes, staged, t->host.at, 0, NULL);
    return status;
}

xl_status xlm_transfer_begin(xl_mpi_exchange *exchange, xl_status mine, cl_uint num_waits,
                             const cl_event *waits)
{
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    const bool holds = mine == XL_SUCCESS;
    if (holds) {
        hold(t);
        lay_out(exchange);
        mine = reserve(exchange);
    }
    if (mine == XL_SUCCESS)
        mine = pack(exchange, num_waits, waits);
    mine = xlm_agree(mpi, mine);
    if (mine == XL_SUCCESS)
        t->status = xlm_messages_begin(mpi, &t->messages, messages_of(t), t->from_bytes,
                                       messages_of(t) + t->from_bytes[mpi->size], t->to_bytes);
    else if (holds)
        xlm_transfer_release(exchange);
    else
        t->from = t->to = NULL;
    return mine;
}

static xl_status receive(xl_mpi_exchange *exchange)
{
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    const uint64_t sent = t->from_bytes[mpi->size];
    const size_t staged = t->address ? 0 : (size_t)t->to_bytes[mpi->size];
    const xl_status status = xlm_messages_end(mpi, &t->messages);
    if (t->status == XL_SUCCESS)
        t->status = status;
    if (t->status == XL_SUCCESS)
        t->status = xlm_write(mpi, t->queue, t->device, (size_t)(t->own_bytes + sent), staged,
                              messages_of(t) + sent);
    return t->status;
}

xlm_moved xlm_moved_of(size_t bytes, const xl_view *in, const xl_view *out)
{
    return (xlm_moved){.bytes = bytes,
                       .in = in->buffer,
                       .out = out->buffer,
                       .in_at = in->offset,
                       .out_at = out->offset};
}

xl_status xlm_transfer_idle(xl_mpi_exchange *exchange)
{
    if (!exchange->transfer.from) /* on all ranks */
        return XL_SUCCESS;
    return xlm_agree(exchange->mpi,
                     xlm_fail(exchange->mpi, XL_ERROR_INVALID_ARGUMENT,
                              "exchange: a gather or scatter is under way; end it first"));
}

xl_status xlm_transfer_end(xl_mpi_exchange *exchange, const xlm_side *from, const char *name,
                           xl_status (*unpack)(xl_mpi_exchange *exchange), cl_event *event)
{
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    if (event)
        *event = NULL;
    if (t->from != from) /* on all ranks */
        return xlm_agree(
            mpi, xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "exchange: no %s is under way", name));
    xl_status mine = receive(exchange);
    if (mine == XL_SUCCESS)
        mine = unpack(exchange);
    if (t->done)
        clReleaseEvent(t->done);
    t->done = NULL;
    if (mine == XL_SUCCESS)
        mine = xlm_marker(mpi, t->queue, &t->done);
    if (mine == XL_SUCCESS)
        mine = xlm_cl(mpi, clFlush(t->queue), "clFlush");
    mine = xlm_agree(mpi, mine);
    if (mine == XL_SUCCESS && event) {
        clRetainEvent(t->done);
        *event = t->done;
    }
    xlm_transfer_release(exchange);
    return mine;
}
