/* SPDX-License-Identifier: MIT
 * Units: the parts of XL_REPRODUCIBLE with an operator that rounds. Unit k is elements k * XLM_UNIT to
 * (k + 1) * XLM_UNIT of the whole array, whatever the ranks have. The rank that has its first element
 * computes it. So each rank sends its elements before its first whole unit to one lower rank, and gets
 * those that its last unit lacks from the next ranks. */
#include "mpi_parts.h"
#include <stdlib.h>
#include <string.h>

uint64_t xlm_parts_unit(const xlm_parts *parts, int r)
{
    const uint64_t n = parts->at[parts->problem->mpi->size],
                   begin = (parts->at[r] + XLM_UNIT - 1) / XLM_UNIT * XLM_UNIT;
    return begin < n ? begin : n;
}

static uint64_t clamp(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* The elements that move: send[r] is where those for rank r begin among those of this rank. */
static void plan_messages(xlm_parts *parts)
{
    xl_mpi *const mpi = parts->problem->mpi;
    const uint64_t *const at = parts->at, begin = at[mpi->rank], end = at[mpi->rank + 1],
                          unit = xlm_parts_unit(parts, mpi->rank),
                          last = xlm_parts_unit(parts, mpi->rank + 1);
    const uint64_t sent = clamp(unit, begin, end) - begin, needed = unit < end ? last - end : 0;
    uint64_t *const send = parts->send_at, *const recv = send + mpi->size + 1;
    for (int r = 0; r <= mpi->size; ++r) {
        /* All goes to the rank that has the first element of the unit. */
        const bool before = r == 0 || at[r] <= begin / XLM_UNIT * XLM_UNIT;
        send[r] = before ? 0 : sent;
        recv[r] = r <= mpi->rank ? 0 : clamp(at[r], end, end + needed) - end;
    }
    parts->sent = (size_t)sent;
    parts->received = (size_t)needed;
}

void xlm_units_divide(xlm_parts *parts, const xlm_part *mine)
{
    const xlm_problem *const problem = parts->problem;
    const int rank = problem->mpi->rank;
    const uint64_t begin = xlm_parts_unit(parts, rank), end = xlm_parts_unit(parts, rank + 1);
    plan_messages(parts);
    for (size_t k = 0; k < parts->count; ++k) {
        xlm_part *const part = &parts->part[k];
        *part = *mine;
        part->first = begin + k * XLM_UNIT;
        part->n = (size_t)clamp(end - part->first, 0, XLM_UNIT);
        const size_t at = (size_t)(part->first - parts->at[rank]);
        part->in = xl_view_of(mine->in.buffer, mine->in.offset + at);
        part->out = xl_view_of(mine->out.buffer, mine->out.offset + at);
        if (problem->segment_bytes > 0)
            part->segments = xl_view_of(mine->segments.buffer, mine->segments.offset + at);
    }
}

/* One array on its way to the ranks that compute, or back. */
typedef struct moving {
    size_t bytes; /* of an element */
    bool back;
    unsigned char *near, *far; /* of the elements that are on this rank, and of those of others */
    xlm_messages messages;
} moving;

/* Memory for the messages. */
static xl_status reserve(xlm_parts *parts, moving *m, const uint64_t **send, const uint64_t **recv)
{
    xl_mpi *const mpi = parts->problem->mpi;
    const size_t count = (size_t)mpi->size + 1;
    uint64_t *const scaled = parts->send_at + 2 * count;
    for (size_t k = 0; k < 2 * count; ++k)
        scaled[k] = parts->send_at[k] * m->bytes;
    *send = m->back ? scaled + count : scaled;
    *recv = m->back ? scaled : scaled + count;
    xl_status status = xlm_alloc(mpi, parts->sent, m->bytes, &m->near);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, parts->received, m->bytes, &m->far);
    return status == XL_SUCCESS ? xlm_messages_reserve(mpi, &m->messages, *send, *recv) : status;
}

/* Elements of the last unit that are on this rank. */
static size_t local_elements(const xlm_parts *parts)
{
    return parts->received > 0 ? parts->part[parts->count - 1].n - parts->received : 0;
}

/* Moves elements of `view`, which begins with this rank's first one, to the ranks that compute. A divided
 * unit is copied to a new buffer, and *at becomes its view. COLLECTIVE; the status is agreed. */
static xl_status fetch(xlm_parts *parts, size_t bytes, xl_view view, cl_mem *buffer, xl_view *at)
{
    xl_mpi *const mpi = parts->problem->mpi;
    const cl_command_queue queue = parts->queue;
    const size_t local = local_elements(parts);
    const uint64_t *send, *recv;
    moving m = {.bytes = bytes};
    xl_status status = reserve(parts, &m, &send, &recv);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, queue, view.buffer, view.offset * bytes, parts->sent * bytes, m.near,
                          0, NULL);
    if (status == XL_SUCCESS && parts->received > 0)
        status = xlm_buffer(mpi, (local + parts->received) * bytes, buffer);
    const xl_status agreed = xlm_agree(mpi, status);
    if (agreed == XL_SUCCESS)
        status = xlm_messages_begin(mpi, &m.messages, m.near, send, m.far, recv);
    const xl_status end = xlm_messages_end(mpi, &m.messages);
    status = status == XL_SUCCESS ? end : status;
    if (status == XL_SUCCESS && agreed == XL_SUCCESS && parts->received > 0) {
        status = xlm_copy(mpi, queue, at->buffer, at->offset * bytes, *buffer, 0, local * bytes);
        if (status == XL_SUCCESS)
            status = xlm_finish(mpi, queue);
        if (status == XL_SUCCESS)
            status = xlm_write(mpi, queue, *buffer, local * bytes, parts->received * bytes, m.far);
        *at = xl_view_of(*buffer, 0);
    }
    free(m.near);
    free(m.far);
    return agreed == XL_SUCCESS ? xlm_agree(mpi, status) : agreed;
}

xl_status xlm_units_fetch(xlm_parts *parts, const xlm_part *mine, bool scans)
{
    const xlm_problem *const problem = parts->problem;
    xlm_part none = {0}, *const last = parts->count > 0 ? &parts->part[parts->count - 1] : &none;
    xl_status status = fetch(parts, problem->load_bytes, mine->in, &parts->unit[0], &last->in);
    if (status == XL_SUCCESS && problem->segment_bytes > 0)
        status =
            fetch(parts, problem->segment_bytes, mine->segments, &parts->unit[1], &last->segments);
    if (status != XL_SUCCESS || !scans)
        return status;
    if (parts->received > 0) {
        status = xlm_buffer(problem->mpi, last->n * problem->store_bytes, &parts->unit[2]);
        last->out = xl_view_of(parts->unit[2], 0);
    }
    return xlm_agree(problem->mpi, status);
}

xl_status xlm_units_return(xlm_parts *parts, xl_status mine, const xl_view *out)
{
    xl_mpi *const mpi = parts->problem->mpi;
    const cl_command_queue queue = parts->queue;
    const uint64_t *send, *recv;
    const size_t bytes = parts->problem->store_bytes, local = local_elements(parts);
    moving m = {.bytes = bytes, .back = true};
    if (mine == XL_SUCCESS)
        mine = xlm_finish(mpi, queue);
    if (mine == XL_SUCCESS)
        mine = reserve(parts, &m, &send, &recv);
    if (mine == XL_SUCCESS)
        mine = xlm_read(mpi, queue, parts->unit[2], local * bytes, parts->received * bytes, m.far,
                        0, NULL);
    const xl_status agreed = xlm_agree(mpi, mine);
    if (agreed == XL_SUCCESS)
        mine = xlm_messages_begin(mpi, &m.messages, m.far, send, m.near, recv);
    const xl_status end = xlm_messages_end(mpi, &m.messages);
    mine = mine == XL_SUCCESS ? end : mine;
    if (mine == XL_SUCCESS && agreed == XL_SUCCESS)
        mine = xlm_write(mpi, queue, out->buffer, out->offset * bytes, parts->sent * bytes, m.near);
    if (mine == XL_SUCCESS && agreed == XL_SUCCESS && local > 0) {
        const size_t at = (size_t)(parts->part[parts->count - 1].first - parts->at[mpi->rank]);
        mine = xlm_copy(mpi, queue, parts->unit[2], 0, out->buffer, (out->offset + at) * bytes,
                        local * bytes);
        if (mine == XL_SUCCESS)
            mine = xlm_finish(mpi, queue);
    }
    free(m.near);
    free(m.far);
    return agreed == XL_SUCCESS ? xlm_agree(mpi, mine) : agreed;
}
