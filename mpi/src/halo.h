/* SPDX-License-Identifier: MIT
 * Declarations that the files of a halo share. A rank describes the places within the radius of its points as bits of
 * the cells of another rank's grid; that rank sends the points whose cells are marked.
 *     halo_space.c   the space and the points, checked
 *     halo_search.c  images, grids and marks
 *     halo_device.c  launches of the kernels that mark cells and select points
 *     halo.c         the steps of the search, ids and the order */
#ifndef XLM_HALO_H
#define XLM_HALO_H

#include "exchange.h"
#include "points.h"

/* What all ranks know of each one. */
typedef struct xlm_part {
    double lower[3], upper[3]; /* the box of its points; 0 along axes that do not exist */
    uint64_t n, has_ids;
} xlm_part;

/* The space: its vectors as the core library rounds them, and where points must be. */
typedef struct xlm_domain {
    uint32_t dimensions, periodic;
    bool wide;                 /* XL_F64 */
    double cell[3][3];         /* along axes of a box that are not periodic: unit vectors */
    double lower[3], upper[3]; /* infinite in open space */
} xlm_domain;

/* The cells of a rank's points: cubes from the lower corner of its box on. */
typedef struct xlm_cells {
    double lower[3], edge;
    uint64_t count[3], all; /* all: the product */
} xlm_cells;

typedef struct xlm_halo {
    xl_mpi *mpi;
    cl_command_queue queue;
    const xl_mpi_halo_args *args;
    xl_mpi_exchange *exchange;
    xlm_domain domain;
    xlm_points given; /* checked; without data */
    xl_view ids;      /* of own points, on the device */
    cl_mem numbers;   /* such ids that are indices, or NULL */
    uint64_t before;  /* points of lower ranks */
    xlm_part *parts;  /* of all ranks */

    double reach;       /* the radius, and room for rounding */
    double (*moves)[3]; /* how the images within reach are moved; one of them not at all */
    size_t num_moves;
    bool everything; /* there are too many images: all points are ghosts of all ranks */
    uint32_t *
        *marks; /* for each rank: the words of its cells' bits that are not 0: numbers, words */
    uint64_t *num_marks; /* such words; 0 if no cell is within reach */

    uint64_t *send, *recv;       /* marks under way, then ids of ghosts */
    uint64_t *send_at, *recv_at; /* size + 1: elements; later bytes */
    xlm_messages messages;
} xlm_halo;

/* Checks args->space and rounds it. Local. */
xl_status xlm_halo_space(xl_mpi *mpi, const xl_space *space, xlm_domain *domain);
/* COLLECTIVE. Compares the arguments that must be equal on all ranks. Local result. */
xl_status xlm_halo_same(xl_mpi *mpi, xl_status mine, const xl_mpi_halo_args *args);
/* Checks the coordinates of the points; fills `part`. Local; blocks. */
xl_status xlm_halo_points(xlm_halo *halo, xlm_part *part);

/* The search between the messages. All local. recv has the marks; send.at and send.list are those of the
 * exchange. */
xl_status xlm_halo_images(xlm_halo *halo); /* fills reach, moves, everything */
xl_status xlm_halo_mark(xlm_halo *halo);   /* fills marks */
xl_status xlm_halo_pack(xlm_halo *halo);   /* fills send and send_at */
xl_status xlm_halo_select(xlm_halo *halo); /* reads recv; fills send.at and send.list */

/* Enqueue work; local. words, bits: for cell or point k bit k % 32 of word k / 32. */
xl_status xlm_halo_zero(const xlm_halo *halo, cl_mem words, size_t count);
/* Marks the cells of `to` that are within reach of this rank's points, moved. */
xl_status xlm_halo_mark_image(const xlm_halo *halo, const xlm_part *to, const xlm_cells *cells,
                              const double move[3], cl_mem words);
/* Writes the number of the cell of each point of this rank, u64. */
xl_status xlm_halo_number(const xlm_halo *halo, const xlm_cells *own, cl_mem numbers);
/* Writes `count` words that another rank marked, u64 from `at` on as they arrived. */
xl_status xlm_halo_spread(const xlm_halo *halo, cl_mem marks, uint64_t at, uint64_t count,
                          cl_mem words);
/* Writes a bit for each point, from word bits_at on: whether its cell is marked in `words`. */
xl_status xlm_halo_select_marked(const xlm_halo *halo, cl_mem numbers, cl_mem words, cl_mem bits,
                                 uint64_t bits_at);

#endif
