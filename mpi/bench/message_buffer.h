/* SPDX-License-Identifier: MIT
 * The message_buffer of the benchmarks, for devices that are CPUs: buffers over memory of the host, which
 * such devices use in place. */
#ifndef MESSAGE_BUFFER_H
#define MESSAGE_BUFFER_H

#include <crosslane/mpi.h>
#include <stdlib.h>
#include <string.h>

static void CL_CALLBACK free_memory(cl_mem buffer, void *memory)
{
    (void)buffer;
    free(memory);
}

static cl_mem message_buffer(void *user, cl_context context, size_t bytes, void **address)
{
    (void)user;
    void *const memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    const cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, NULL);
    if (!buffer || clSetMemObjectDestructorCallback(buffer, free_memory, memory) != CL_SUCCESS)
        abort();
    *address = memory;
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
