/* SPDX-License-Identifier: MIT
 * Host memory, copies between host and device, and messages between ranks. */
#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- memory and copies --------------------------------------------------------------------- */

xl_status xlm_alloc(xl_mpi *mpi, size_t count, size_t bytes, void *pointer)
{
    void *memory = NULL;
    if (bytes > 0 && count < SIZE_MAX / bytes)
        memory = malloc((count ? count : 1) * bytes);
    memcpy(pointer, &memory, sizeof memory);
    return memory ? XL_SUCCESS
                  : xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for %zu elements of %zu bytes",
                             count, bytes);
}

xl_status xlm_buffer(xl_mpi *mpi, size_t bytes, cl_mem *buffer)
{
    cl_int code;
    *buffer =
        clCreateBuffer(xl_context_cl(mpi->ctx), CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    return xlm_cl(mpi, code, "clCreateBuffer");
}

xl_status xlm_buffer_of(xl_mpi *mpi, size_t bytes, const void *from, cl_mem *buffer)
{
    cl_int code;
    if (bytes == 0)
        return xlm_buffer(mpi, 0, buffer);
    *buffer = clCreateBuffer(xl_context_cl(mpi->ctx), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                             bytes, (void *)from, &code);
    return xlm_cl(mpi, code, "clCreateBuffer");
}

void xlm_release(cl_mem buffer)
{
    if (buffer)
        clReleaseMemObject(buffer);
}

void xlm_host_end(xl_mpi *mpi, xlm_host *host)
{
    if (host->at)
        (void)clEnqueueUnmapMemObject(xl_context_queue(mpi->ctx), host->buffer, host->at, 0, NULL,
                                      NULL);
    xlm_release(host->buffer);
    *host = (xlm_host){0};
}

static void exchange_hosts(xlm_host *a, xlm_host *b)
{
    const xlm_host was = *a;
    *a = *b;
    *b = was;
}

/* The smaller spare memory gives way. */
void xlm_host_release(xl_mpi *mpi, xlm_host *host)
{
    xlm_host *const first = &mpi->spare[0], *const second = &mpi->spare[1];
    xlm_host *const smaller = first->room < second->room ? first : second;
    if (host->at && host->room > smaller->room)
        exchange_hosts(host, smaller);
    xlm_host_end(mpi, host);
}

/* Takes spare memory that is large enough, but not far too large. */
static bool take_spare(xl_mpi *mpi, xlm_host *host, uint64_t bytes)
{
    for (int k = 0; k < XLM_SPARES; ++k)
        if (mpi->spare[k].at && bytes <= mpi->spare[k].room && mpi->spare[k].room / 8 <= bytes) {
            exchange_hosts(host, &mpi->spare[k]);
            return true;
        }
    return false;
}

xl_status xlm_host_reserve(xl_mpi *mpi, xlm_host *host, uint64_t bytes)
{
    const uint64_t room = bytes + bytes / 8 + 1;
    cl_int code;
    if (host->at && bytes <= host->room)
        return XL_SUCCESS;
    xlm_host_release(mpi, host);
    if (take_spare(mpi, host, bytes))
        return XL_SUCCESS;
    if (bytes > SIZE_MAX / 2)
        return xlm_fail(mpi, XL_ERROR_OUT_OF_MEMORY, "no memory for messages of %llu bytes",
                        (unsigned long long)bytes);
    host->buffer =
        clCreateBuffer(xl_context_cl(mpi->ctx), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                       (size_t)room, NULL, &code);
    if (code == CL_SUCCESS)
        host->at =
            clEnqueueMapBuffer(xl_context_queue(mpi->ctx), host->buffer, CL_TRUE,
                               CL_MAP_READ | CL_MAP_WRITE, 0, (size_t)room, 0, NULL, NULL, &code);
    host->room = room;
    return xlm_cl(mpi, code, "host memory for messages");
}

void xlm_drop_event(xl_status status, cl_event *event)
{
    if (status == XL_SUCCESS || !event || !*event)
        return;
    clReleaseEvent(*event);
    *event = NULL;
}

xl_status xlm_copy(xl_mpi *mpi, cl_command_queue queue, cl_mem from, size_t from_at, cl_mem to,
                   size_t to_at, size_t bytes)
{
    if (bytes == 0)
        return XL_SUCCESS;
    return xlm_cl(mpi, clEnqueueCopyBuffer(queue, from, to, from_at, to_at, bytes, 0, NULL, NULL),
                  "clEnqueueCopyBuffer");
}

xl_status xlm_finish(xl_mpi *mpi, cl_command_queue queue)
{
    return xlm_cl(mpi, clFinish(queue), "clFinish");
}

xl_status xlm_order(xl_mpi *mpi, cl_command_queue queue)
{
    return xlm_cl(mpi, clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL),
                  "clEnqueueBarrierWithWaitList");
}

xl_status xlm_wait(xl_mpi *mpi, cl_uint num_waits, const cl_event *waits)
{
    return num_waits ? xlm_cl(mpi, clWaitForEvents(num_waits, waits), "clWaitForEvents")
                     : XL_SUCCESS;
}

xl_status xlm_read(xl_mpi *mpi, cl_command_queue queue, cl_mem from, size_t offset, size_t bytes,
                   void *to, cl_uint num_waits, const cl_event *waits)
{
    if (bytes == 0)
        return xlm_wait(mpi, num_waits, waits);
    return xlm_cl(mpi,
                  clEnqueueReadBuffer(queue, from, CL_TRUE, offset, bytes, to, num_waits,
                                      num_waits ? waits : NULL, NULL),
                  "clEnqueueReadBuffer");
}

xl_status xlm_write(xl_mpi *mpi, cl_command_queue queue, cl_mem to, size_t offset, size_t bytes,
                    const void *from)
{
    if (bytes == 0)
        return XL_SUCCESS;
    return xlm_cl(mpi, clEnqueueWriteBuffer(queue, to, CL_TRUE, offset, bytes, from, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
}

xl_status xlm_marker(xl_mpi *mpi, cl_command_queue queue, cl_event *event)
{
    if (!event)
        return XL_SUCCESS;
    return xlm_cl(mpi, clEnqueueMarkerWithWaitList(queue, 0, NULL, event),
                  "clEnqueueMarkerWithWaitList");
}

xl_status xlm_check_view(xl_mpi *mpi, const char *field, const xl_view *view, size_t count,
                         size_t element_bytes)
{
    size_t bytes = 0;
    cl_context context = NULL;
    if (!view->buffer)
        return count == 0
                   ? XL_SUCCESS
                   : xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s: not given; required", field);
    if (clGetMemObjectInfo(view->buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL) !=
            CL_SUCCESS ||
        clGetMemObjectInfo(view->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS ||
        context != xl_context_cl(mpi->ctx))
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s: is no buffer of this context", field);
    if (view->count > 0 && view->count < count)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s: a view of %zu elements; %zu required",
                        field, view->count, count);
    const size_t elements = bytes / element_bytes;
    if (view->offset > elements || count > elements - view->offset)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %zu elements from number %zu on; the buffer has room for %zu", field,
                        count, view->offset, elements);
    return XL_SUCCESS;
}

xl_status xlm_check_absent(xl_mpi *mpi, const char *field, bool given)
{
    return given ? xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s: given; must not be", field)
                 : XL_SUCCESS;
}

xlm_range xlm_range_of(const xl_view *view, size_t count, size_t element_bytes)
{
    const size_t begin = view->offset * element_bytes, bytes = count * element_bytes;
    cl_mem parent = NULL;
    size_t origin = 0;
    if (view->buffer &&
        clGetMemObjectInfo(view->buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                           NULL) == CL_SUCCESS &&
        parent &&
        clGetMemObjectInfo(view->buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL) == CL_SUCCESS)
        return (xlm_range){parent, origin + begin, origin + begin + bytes};
    return (xlm_range){view->buffer, begin, begin + bytes};
}

bool xlm_overlap(const xlm_range *a, const xlm_range *b)
{
    return a->buffer && a->buffer == b->buffer && a->begin < a->end && b->begin < b->end &&
           a->begin < b->end && b->begin < a->end;
}

xl_status xlm_check_apart(xl_mpi *mpi, const char *a, const xl_view *view_a, size_t count_a,
                          size_t bytes_a, const char *b, const xl_view *view_b, size_t count_b,
                          size_t bytes_b)
{
    const xlm_range range_a = xlm_range_of(view_a, count_a, bytes_a),
                    range_b = xlm_range_of(view_b, count_b, bytes_b);
    return xlm_overlap(&range_a, &range_b)
               ? xlm_fail(mpi, XL_ERROR_OVERLAP, "%s and %s overlap", a, b)
               : XL_SUCCESS;
}

xl_status xlm_check_queue(xl_mpi *mpi, cl_command_queue queue, cl_uint num_waits,
                          const cl_event *waits)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    if (!queue)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "queue: NULL");
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) !=
            CL_SUCCESS ||
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS ||
        context != xl_context_cl(mpi->ctx) || device != xl_context_device(mpi->ctx))
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "queue: is not of this context and device");
    if (num_waits > 0 && !waits)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "waits: NULL with num_waits %u",
                        (unsigned)num_waits);
    return XL_SUCCESS;
}

/* ---- messages ------------------------------------------------------------------------------ */

static size_t pieces_of(const xl_mpi *mpi, const uint64_t *at)
{
    size_t pieces = 0;
    for (int r = 0; r < mpi->size; ++r)
        if (r != mpi->rank)
            pieces +=
                (size_t)((at[r + 1] - at[r] + mpi->desc.chunk_bytes - 1) / mpi->desc.chunk_bytes);
    return pieces;
}

/* Begins the messages with one rank; all of one pair have one tag and so stay in order. */
static int begin_pieces(xl_mpi *mpi, xlm_messages *messages, bool sends, unsigned char *bytes,
                        uint64_t count, int other)
{
    enum { TAG = 7 };
    int code = MPI_SUCCESS;
    for (uint64_t at = 0; at < count && code == MPI_SUCCESS; at += mpi->desc.chunk_bytes) {
        const int piece =
            (int)(count - at < mpi->desc.chunk_bytes ? count - at : mpi->desc.chunk_bytes);
        MPI_Request *const request = &messages->requests[messages->count];
        code = sends ? MPI_Isend(bytes + at, piece, MPI_BYTE, other, TAG, mpi->comm, request)
                     : MPI_Irecv(bytes + at, piece, MPI_BYTE, other, TAG, mpi->comm, request);
        messages->count += code == MPI_SUCCESS;
    }
    return code;
}

xl_status xlm_messages_reserve(xl_mpi *mpi, xlm_messages *messages, const uint64_t *send_at,
                               const uint64_t *recv_at)
{
    *messages = (xlm_messages){0};
    return xlm_alloc(mpi, pieces_of(mpi, send_at) + pieces_of(mpi, recv_at), sizeof(MPI_Request),
                     &messages->requests);
}

xl_status xlm_messages_begin(xl_mpi *mpi, xlm_messages *messages, const void *send,
                             const uint64_t *send_at, void *recv, const uint64_t *recv_at)
{
    unsigned char *const from = (unsigned char *)send, *const to =
                                                           recv; /* MPI does not write `from` */
    int code = MPI_SUCCESS;
    /* First all receives; each rank begins with its successor, so that not all send to rank 0. */
    for (int step = 1; step < mpi->size && code == MPI_SUCCESS; ++step) {
        const int other = (mpi->rank + mpi->size - step) % mpi->size;
        code = begin_pieces(mpi, messages, false, to + recv_at[other],
                            recv_at[other + 1] - recv_at[other], other);
    }
    for (int step = 1; step < mpi->size && code == MPI_SUCCESS; ++step) {
        const int other = (mpi->rank + step) % mpi->size;
        code = begin_pieces(mpi, messages, true, from + send_at[other],
                            send_at[other + 1] - send_at[other], other);
    }
    const uint64_t own = send_at[mpi->rank + 1] - send_at[mpi->rank];
    if (own > 0 && !messages->own_stays)
        memcpy(to + recv_at[mpi->rank], from + send_at[mpi->rank], (size_t)own);
    return xlm_mpi(mpi, code, "MPI_Isend or MPI_Irecv");
}

xl_status xlm_messages_end(xl_mpi *mpi, xlm_messages *messages)
{
    /* Statuses that are not read: GCC warns of MPICH's MPI_STATUSES_IGNORE, which is no array. */
    enum { MOST = 64 };
    MPI_Status statuses[MOST];
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < messages->count && code == MPI_SUCCESS;) {
        const size_t part = messages->count - done < MOST ? messages->count - done : MOST;
        code = MPI_Waitall((int)part, messages->requests + done, statuses);
        done += part;
    }
    free(messages->requests);
    *messages = (xlm_messages){0};
    return xlm_mpi(mpi, code, "MPI_Waitall");
}

xl_status xlm_counts(xl_mpi *mpi, const uint64_t *sent, uint64_t *received)
{
    return xlm_mpi(mpi, MPI_Alltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, mpi->comm),
                   "MPI_Alltoall");
}

xl_status xlm_sizes(xl_mpi *mpi, uint64_t mine, uint64_t *at)
{
    const int code = MPI_Allgather(&mine, 1, MPI_UINT64_T, at + 1, 1, MPI_UINT64_T, mpi->comm);
    at[0] = 0;
    for (int r = 0; r < mpi->size && code == MPI_SUCCESS; ++r)
        at[r + 1] += at[r];
    return xlm_mpi(mpi, code, "MPI_Allgather");
}
