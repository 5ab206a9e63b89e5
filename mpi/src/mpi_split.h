/* SPDX-License-Identifier: MIT
 * xl_split() over the ranks. */
#ifndef XLM_MPI_SPLIT_H
#define XLM_MPI_SPLIT_H

#include "internal.h"
#include <crosslane/split.h>

/* COLLECTIVE; agreed. Fills args.cuts for one part for each rank. args.user points at a structure whose first
 * member is `mpi`; num_parts, sum and scratch are not given. */
xl_status xlm_split(xl_mpi *mpi, const xl_split_args *args);

/* part * total / parts, rounded down. */
uint64_t xlm_even_target(uint64_t total, int part, int parts);

#endif
