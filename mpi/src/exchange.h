/* SPDX-License-Identifier: MIT
 * Declarations that the files of exchanges share: the lists of an exchange, and one transfer of fields along it,
 * forward (gather) or back (scatter). */
#ifndef XLM_EXCHANGE_H
#define XLM_EXCHANGE_H

#include "internal.h"

/* One side of an exchange. Rank r sends or receives the entries at[r] to at[r + 1]; entry k is element
 * list[k] of this side's array. An element of the sending side may have several entries. */
typedef struct xlm_side {
    uint64_t *at; /* size + 1 */
    cl_mem list;  /* u32 for each entry */
    size_t count; /* elements of the array */
} xlm_side;

/* A field under way. */
typedef struct xlm_moved {
    uint64_t bytes;         /* of an element */
    uint32_t log_word;      /* elements move as words of 2^log_word bytes */
    cl_mem in, out;         /* retained until the transfer ends */
    uint64_t in_at, out_at; /* elements */
} xlm_moved;

/* A transfer under way, and the memory of all transfers of an exchange. Device memory has three parts:
 * entries from this rank to itself, messages to send, messages received. A message has the fields one
 * after another, and each begins at a multiple of 2^log_align bytes. */
typedef struct xlm_transfer {
    const xlm_side *from, *to; /* NULL: no transfer is under way */
    cl_command_queue queue;    /* retained until the transfer ends */
    size_t num_fields;
    xlm_moved fields[XLM_FIELDS];
    uint32_t log_align;
    uint64_t own_bytes; /* of the first part */
    uint64_t *from_bytes,
        *to_bytes; /* size + 1: where the messages begin; none to this rank itself */
    xlm_messages messages;
    xl_status status; /* of this rank since the ranks last agreed */
    cl_mem device;
    unsigned char *address; /* of `device`, for MPI; NULL: messages go through `host` */
    xlm_host host;          /* messages to send, messages received */
    uint64_t device_room;
    cl_event done; /* the last reading of device memory; NULL: none */
} xlm_transfer;

struct xl_mpi_exchange {
    xl_mpi *mpi;
    xlm_side send, recv;
    uint32_t *sent; /* send.list on the host */
    cl_mem ids;     /* of a halo */
    cl_kernel move[5];
    xlm_transfer transfer;
    /* Of scatters: for each element the places of its copies in the first and third part of device memory,
     * as CSR rows of u64, and the kernel that combines them. */
    cl_mem first, copies;
    cl_kernel combine;
    uint32_t type, op; /* of `combine` */
};

/* The kernels of exchanges. COLLECTIVE: builds mpi->program. */
xl_status xlm_build(xl_mpi *mpi);
/* COLLECTIVE. Builds a program that *program is to keep, unless it is there. */
xl_status xlm_build_once(xl_mpi *mpi, const char *source, const char *options, cl_program *program);

/* An exchange without entries: room for its tables. */
xl_status xlm_exchange_new(xl_mpi *mpi, size_t n, xl_mpi_exchange **exchange);
/* COLLECTIVE. Fills recv.at from the send.at of all ranks. Local result. */
xl_status xlm_exchange_count(xl_mpi_exchange *exchange);
/* Writes both lists to the device and makes the kernels; `places` is recv.list. Local. */
xl_status xlm_exchange_complete(xl_mpi_exchange *exchange, cl_command_queue queue,
                                const uint32_t *places);

/* Describes a field. */
xlm_moved xlm_moved_of(size_t bytes, const xl_view *in, const xl_view *out);
/* COLLECTIVE, agreed: an error if a transfer is under way, which all ranks know; otherwise no rank calls
 * another. */
xl_status xlm_transfer_idle(xl_mpi_exchange *exchange);
/* COLLECTIVE. Starts the transfer that exchange->transfer describes (from, to, queue, fields), if `mine` is
 * success on all ranks. If not, no transfer is under way. */
xl_status xlm_transfer_begin(xl_mpi_exchange *exchange, xl_status mine, cl_uint num_waits,
                             const cl_event *waits);
/* Packs the inputs, or unpacks what arrived into the outputs. Local. */
xl_status xlm_transfer_move(xl_mpi_exchange *exchange, bool unpacks);
/* COLLECTIVE; agreed. Ends the transfer that began from side `from`, a gather or a scatter as `name` says:
 * waits for the messages, writes what arrived to the third part of device memory, and calls unpack(). */
xl_status xlm_transfer_end(xl_mpi_exchange *exchange, const xlm_side *from, const char *name,
                           xl_status (*unpack)(xl_mpi_exchange *exchange), cl_event *event);
/* Frees the memory of a transfer; waits for messages under way. */
void xlm_transfer_release(xl_mpi_exchange *exchange);

/* Enqueues a kernel of one dimension with at least n work-items. */
xl_status xlm_launch(xl_mpi *mpi, cl_command_queue queue, cl_kernel kernel, uint64_t n);
typedef struct xlm_argument {
    size_t bytes;
    const void *value;
} xlm_argument;
xl_status xlm_arguments(xl_mpi *mpi, cl_kernel kernel, const xlm_argument *arguments, size_t count);

#endif
