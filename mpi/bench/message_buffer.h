/* SPDX-License-Identifier: MIT
 * The message_buffer of the benchmarks, for devices that are CPUs: buffers over memory of the host, which
 * such devices use in place. */
#ifndef MESSAGE_BUFFER_H
#define MESSAGE_BUFFER_H

#include <crosslane/mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Memory is kept, since new memory costs time: pages, and for a network their registration. */
enum { MOST_MEMORIES = 64 };
static struct memory {
    void *at;
    size_t bytes;
    _Atomic bool used;
} memories[MOST_MEMORIES];

/* Called by a thread of OpenCL. */
static void CL_CALLBACK keep_memory(cl_mem buffer, void *of)
{
    (void)buffer;
    ((struct memory *)of)->used = false;
}

static cl_mem message_buffer(void *user, cl_context context, size_t bytes, void **address)
{
    struct memory *m = memories;
    (void)user;
    while (m->at && (m->used || m->bytes < bytes))
        if (++m == memories + MOST_MEMORIES)
            return NULL;
    if (!m->at) {
        m->bytes = (bytes + 4095) / 4096 * 4096;
        m->at = aligned_alloc(4096, m->bytes);
    }
    m->used = true;
    const cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, m->at, NULL);
    if (!buffer || clSetMemObjectDestructorCallback(buffer, keep_memory, m) != CL_SUCCESS)
        abort();
    *address = m->at;
    return buffer;
}

/* Argument 3 of a benchmark is "address": messages by address. */
static xl_status create_mpi(xl_context *ctx, int argc, char **argv, xl_mpi **mpi)
{
    xl_mpi_desc desc;
    xl_mpi_desc_init(&desc);
    if (argc > 3 && strcmp(argv[3], "address") == 0)
        desc.message_buffer = message_buffer;
    return xl_mpi_create(ctx, MPI_COMM_WORLD, &desc, mpi);
}

#endif
