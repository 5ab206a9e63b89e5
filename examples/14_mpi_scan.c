/* SPDX-License-Identifier: MIT
 * Problem: running totals of an array that is divided among MPI ranks. Rank r has r + 1 ones. */
#include <crosslane/mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    xl_context *ctx = NULL;
    xl_mpi *mpi = NULL;
    xl_mpi_plan *plan = NULL;
    xl_scan_desc desc;
    cl_uint x[64] = {0};
    MPI_Init(&argc, &argv);
    xl_status status = xl_mpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    if (status == XL_SUCCESS)
        status = xl_mpi_create(ctx, MPI_COMM_WORLD, NULL, &mpi);
    if (status == XL_SUCCESS) {
        const size_t n = (size_t)xl_mpi_rank(mpi) % 64 + 1;
        for (size_t i = 0; i < n; ++i)
            x[i] = 1;
        cl_command_queue queue = xl_context_queue(ctx);
        cl_mem mem = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
        const xl_scan_args args = {.n = n, .in = xl_view_of(mem, 0), .out = xl_view_of(mem, 0)};
        xl_scan_desc_init(&desc);
        desc.kind = XL_INCLUSIVE;
        status = xl_mpi_scan_create(mpi, &desc, &plan);
        if (status == XL_SUCCESS)
            status = xl_mpi_scan(plan, queue, &args, 0, NULL, NULL);
        if (status == XL_SUCCESS) {
            clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
            printf("rank %d: %u to %u\n", xl_mpi_rank(mpi), (unsigned)x[0], (unsigned)x[n - 1]);
        }
        clReleaseMemObject(mem);
    }
    if (status != XL_SUCCESS)
        fprintf(stderr, "%s: %s\n", xl_status_name(status),
                ctx ? xl_mpi_error(mpi) : xl_context_error(NULL));
    xl_mpi_plan_destroy(plan);
    xl_mpi_destroy(mpi);
    xl_context_destroy(ctx);
    MPI_Finalize();
    return status != XL_SUCCESS;
}
