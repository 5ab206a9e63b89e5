/* SPDX-License-Identifier: MIT */
#include "mpi_split.h"
#include <stdlib.h>

/* xl_split_args.sum */
static xl_status sum(void *user, int exclusive, size_t count, uint64_t *values)
{
    xl_mpi *const mpi = *(xl_mpi *const *)user;
    if (!exclusive)
        return xlm_mpi(
            mpi, MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_SUM, mpi->comm),
            "MPI_Allreduce");
    const int code = MPI_Exscan(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_SUM, mpi->comm);
    for (size_t k = 0; k < count && mpi->rank == 0; ++k)
        values[k] = 0; /* undefined there */
    return xlm_mpi(mpi, code, "MPI_Exscan");
}

xl_status xlm_split(xl_mpi *mpi, const xl_split_args *args)
{
    xl_split_args split = *args;
    split.num_parts = (uint32_t)mpi->size;
    split.sum = sum;
    xl_status status = xlm_alloc(mpi, xl_split_scratch(split.num_parts), 1, &split.scratch);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = xlm_agree(mpi, xl_split(&split));
    free(split.scratch);
    return status;
}

uint64_t xlm_even_target(uint64_t total, int part, int parts)
{
    const uint64_t k = (uint64_t)part, p = (uint64_t)parts;
    return total / p * k + total % p * k / p; /* the product total * k might be too large */
}
