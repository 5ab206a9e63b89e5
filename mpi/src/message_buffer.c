/* SPDX-License-Identifier: MIT
 * Memory for messages that the caller makes, which MPI uses by address: making it, and trying it once. */
#include "internal.h"
#include <stdlib.h>

xl_status xlm_message_buffer(xl_mpi *mpi, size_t bytes, cl_mem *buffer, unsigned char **address)
{
    void *at = NULL;
    *buffer = NULL;
    *address = NULL;
    if (bytes == 0)
        bytes = 1;
    if (mpi->desc.message_buffer)
        *buffer = mpi->desc.message_buffer(mpi->desc.user, xl_context_cl(mpi->ctx), bytes, &at);
    if (!*buffer)
        return XL_SUCCESS;
    const xl_view view = xl_view_of(*buffer, 0);
    xl_status status = xlm_check_view(mpi, "desc.message_buffer", &view, bytes, 1);
    if (status == XL_SUCCESS && !at)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                          "desc.message_buffer: a buffer without an address");
    if (status != XL_SUCCESS) {
        xlm_release(*buffer);
        *buffer = NULL;
    } else
        *address = at;
    return status;
}

/* ---- the trial ----------------------------------------------------------------------------- */

/* More than MPI sends at once; a pattern of bytes that differ, the longest that a fill repeats. */
enum { PROBE = 1 << 18, PATTERN = 128 };

static unsigned char pattern_of(int rank, size_t at)
{
    return (unsigned char)(37 * (at % PATTERN) + 11 * (size_t)rank + 5);
}

typedef struct probe {
    cl_mem buffer;          /* the bytes to send, then those received */
    unsigned char *address; /* of `buffer`, or of `host` */
    unsigned char *host;
} probe;

/* Local. The device writes the bytes to send. */
static xl_status fill(xl_mpi *mpi, probe *p, cl_command_queue queue)
{
    static const cl_uint zero = 0;
    xl_status status = xlm_message_buffer(mpi, 2 * PROBE, &p->buffer, &p->address);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, 2 * PROBE, 1, &p->host);
    if (status != XL_SUCCESS)
        return status;
    for (size_t i = 0; i < PROBE; ++i)
        p->host[i] = pattern_of(mpi->rank, i);
    if (!p->buffer) {
        p->address = p->host;
        return status;
    }
    status = xlm_cl(
        mpi, clEnqueueFillBuffer(queue, p->buffer, p->host, PATTERN, 0, PROBE, 0, NULL, NULL),
        "clEnqueueFillBuffer");
    if (status == XL_SUCCESS)
        status = xlm_cl(
            mpi,
            clEnqueueFillBuffer(queue, p->buffer, &zero, sizeof zero, PROBE, PROBE, 0, NULL, NULL),
            "clEnqueueFillBuffer");
    return status == XL_SUCCESS ? xlm_finish(mpi, queue) : status;
}

/* COLLECTIVE; the result is local. Each rank sends to the next one. */
static xl_status try_message(xl_mpi *mpi, const probe *p, cl_command_queue queue)
{
    enum { TAG = 8 };
    const int next = (mpi->rank + 1) % mpi->size, last = (mpi->rank + mpi->size - 1) % mpi->size;
    MPI_Status unused;
    unsigned char *const arrived = p->host + PROBE;
    xl_status status =
        xlm_mpi(mpi,
                MPI_Sendrecv(p->address, PROBE, MPI_BYTE, next, TAG, p->address + PROBE, PROBE,
                             MPI_BYTE, last, TAG, mpi->comm, &unused),
                "MPI_Sendrecv");
    if (status == XL_SUCCESS && p->buffer)
        status = xlm_read(mpi, queue, p->buffer, PROBE, PROBE, arrived, 0, NULL);
    for (size_t i = 0; i < PROBE && status == XL_SUCCESS; ++i)
        if (arrived[i] != pattern_of(last, i))
            status =
                xlm_fail(mpi, XL_ERROR_MPI,
                         "desc.message_buffer: byte %zu of a trial message from rank %d is not "
                         "the one sent; MPI cannot use the addresses of this rank or that one",
                         i, last);
    return status;
}

xl_status xlm_probe(xl_mpi *mpi)
{
    const cl_command_queue queue = xl_context_queue(mpi->ctx);
    probe p = {0};
    if (!mpi->desc.message_buffer) /* on all ranks */
        return XL_SUCCESS;
    xl_status status = xlm_agree(mpi, fill(mpi, &p, queue));
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, try_message(mpi, &p, queue));
    xlm_release(p.buffer);
    free(p.host);
    return status;
}
