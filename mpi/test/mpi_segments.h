/* SPDX-License-Identifier: MIT
 * Random segments of a whole array, and the part of them that a rank has. For the tests of scan and
 * reduction. */
#ifndef MPI_TEST_SEGMENTS_H
#define MPI_TEST_SEGMENTS_H

#include "mpi_test.h"

/* Segments of n elements as one rank gives them to the core library. */
typedef struct segments {
    uint32_t kind, type; /* xl_segments, xl_type of keys or offsets */
    size_t n, count;     /* count: elements of `array` */
    size_t bytes;        /* of one of them */
    void *array;
} segments;

/* On average `mean` elements each; 0: one segment. */
segments segments_draw(uint32_t kind, uint32_t type, size_t n, size_t mean, uint64_t *random);

/* Those of rank r. early: an empty segment between two ranks begins on the first one that may have it,
 * and so does one that begins with the first element of a rank. */
segments segments_part(const segments *whole, int way, int rank, bool early);
/* Segments that begin on ranks below `rank`. width, mask: of XL_SEGMENTS_WIDTH and XL_SEGMENTS_MASK. */
size_t segments_before(const segments *whole, int way, int rank, bool early, uint64_t width,
                       uint64_t mask);
xl_view segments_view(const segments *part, cl_mem buffer);
void segments_free(segments *s);

#endif
