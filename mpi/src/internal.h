/* SPDX-License-Identifier: MIT
 * Functions that the files of the MPI library share: agreement on a status, messages, and copies between device
 * and host. Each function below that is COLLECTIVE must be called by all ranks, whatever happened on
 * one of them before: a local failure is recorded by xlm_fail(), and xlm_agree() tells all ranks. The
 * pattern of a public call:
 *
 *     xl_status status = check_arguments(mpi, args);   local; records the reason
 *     status = xlm_agree(mpi, status);                 all ranks have the same status now
 *     if (status == XL_SUCCESS)
 *         status = xlm_agree(mpi, move_and_compute(...));
 *     return status; */
#ifndef XLM_INTERNAL_H
#define XLM_INTERNAL_H

#include <crosslane/mpi.h>
#include <stdbool.h>

enum { XLM_TEXT = 1024, XLM_FIELDS = 16 };

/* The most elements of an array whose indices are u32, and a number that is no index. */
#define XLM_MOST UINT64_C(0xfffffffe)
#define XLM_NO_INDEX 0xffffffffu

/* Plans of the core library, on the arrays of one rank. */
typedef enum xlm_core_plan {
    XLM_SORT_CODES,   /* u64, with their indices */
    XLM_SORT_NUMBERS, /* u32, with their indices */
    XLM_SELECT_BITS,  /* the indices of bits that are 1 */
    XLM_SELECT_WORDS, /* u32 that are not 0, and their indices */
    XLM_SEARCH,       /* lower bounds of u64 among sorted ones, u32 */
    XLM_SUMS,         /* inclusive sums of u64 */
    XLM_CORE_PLANS
} xlm_core_plan;

/* Host memory for messages, which drivers copy faster than other memory. Starts as zeros. */
typedef struct xlm_host {
    cl_mem buffer;
    unsigned char *at;
    uint64_t room; /* bytes */
} xlm_host;
enum { XLM_SPARES = 2 };

struct xl_mpi {
    MPI_Comm comm, node; /* duplicates of the caller's, and the ranks of this node */
    xl_context *ctx;
    int rank, size, node_rank;
    xl_mpi_desc desc;
    char mine[XLM_TEXT];  /* the reason of this rank's last failure */
    char error[XLM_TEXT]; /* the reason on which all ranks agreed */
    /* NULL until they are needed; then on all ranks or on none. */
    cl_program program;   /* the library's own kernels */
    cl_program points[2]; /* kernels over f32 and over f64 points */
    xl_plan *plans[XLM_CORE_PLANS];
    xlm_host spare[XLM_SPARES]; /* memory of exchanges and plans that have ended, for others */
    /* For tests: agreement number fail_step of rank fail_rank fails. CROSSLANE_TEST_MPI_FAIL=RANK,STEP */
    long fail_rank, fail_step, steps;
};

/* The kind of a plan. Each xl_mpi_plan begins with a pointer to one. */
typedef struct xlm_plan_kind {
    const char *name; /* "scan", for error texts */
    /* Fills a plan that is 0 behind its base, by the core library. Its error texts are those of the core
     * library. destroy() follows if it fails. */
    xl_status (*create)(xl_mpi_plan *plan, const void *desc);
    void (*destroy)(xl_mpi_plan *plan);
} xlm_plan_kind;
struct xl_mpi_plan {
    const xlm_plan_kind *kind;
    xl_mpi *mpi;
};

/* Records the reason why this rank fails, and returns `status`. mpi may be NULL. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
xl_status
xlm_fail(xl_mpi *mpi, xl_status status, const char *format, ...);

/* `status` of a call of the core library: records its text if it is an error. */
xl_status xlm_core(xl_mpi *mpi, xl_status status);

/* `code` of an OpenCL or MPI call named `call`: XL_SUCCESS, XL_ERROR_OPENCL or XL_ERROR_MPI. */
xl_status xlm_cl(xl_mpi *mpi, cl_int code, const char *call);
xl_status xlm_mpi(xl_mpi *mpi, int code, const char *call);

/* COLLECTIVE. The status of the lowest rank that failed. */
xl_status xlm_agree(xl_mpi *mpi, xl_status mine);

/* COLLECTIVE. `mine`, or an error if a value differs from that of rank 0. Local result: agree after it. */
typedef struct xlm_value {
    const char *name;
    uint64_t value;
} xlm_value;
xl_status xlm_same(xl_mpi *mpi, xl_status mine, const xlm_value *values, size_t count);
uint64_t xlm_hash(const void *bytes, size_t count); /* for values that are longer than 64 bits */
uint64_t xlm_hash_text(const char *text);           /* 0 for NULL */

/* COLLECTIVE, agreed. Makes a plan of `bytes`, if `mine` is success on all ranks. out may be NULL if mine is
 * an error. */
xl_status xlm_plan_create(xl_mpi *mpi, xl_status mine, size_t bytes, const xlm_plan_kind *kind,
                          const void *desc, xl_mpi_plan **out);
/* Checks that a plan is of a kind and that an argument is given. Local. */
xl_status xlm_check_plan(const xl_mpi_plan *plan, const xlm_plan_kind *kind, const char *field,
                         const void *given);
bool xlm_is_float(uint32_t type); /* floating-point numbers or vectors of them */
const char *
xlm_scalar_name(uint32_t type); /* of a built-in type, or of the lanes of a vector, in OpenCL C */

/* Memory, released by free(). */
xl_status xlm_alloc(xl_mpi *mpi, size_t count, size_t bytes, void *pointer);
xl_status xlm_buffer(xl_mpi *mpi, size_t bytes, cl_mem *buffer); /* at least one byte */

/* Makes room for at least `bytes`; the contents are lost. */
xl_status xlm_host_reserve(xl_mpi *mpi, xlm_host *host, uint64_t bytes);
/* Keeps the memory for another exchange, because the driver takes milliseconds to make it, or ends it. */
void xlm_host_release(xl_mpi *mpi, xlm_host *host);
void xlm_host_end(xl_mpi *mpi, xlm_host *host);

/* By the caller's message_buffer. *buffer and *address remain NULL if there is none, or if it made none. */
xl_status xlm_message_buffer(xl_mpi *mpi, size_t bytes, cl_mem *buffer, unsigned char **address);
/* COLLECTIVE, agreed. Tries the message_buffer of all ranks. */
xl_status xlm_probe(xl_mpi *mpi);
xl_status xlm_buffer_of(xl_mpi *mpi, size_t bytes, const void *from, cl_mem *buffer); /* a copy */
void xlm_release(cl_mem buffer);                                                      /* or NULL */
void xlm_drop_event(xl_status status, cl_event *event); /* releases it if the call failed */

/* Copies `bytes`; block. No bytes: nothing is called, except that read waits for `waits`. */
xl_status xlm_read(xl_mpi *mpi, cl_command_queue queue, cl_mem from, size_t offset, size_t bytes,
                   void *to, cl_uint num_waits, const cl_event *waits);
xl_status xlm_write(xl_mpi *mpi, cl_command_queue queue, cl_mem to, size_t offset, size_t bytes,
                    const void *from);
/* Enqueues a copy on the device. */
xl_status xlm_copy(xl_mpi *mpi, cl_command_queue queue, cl_mem from, size_t from_at, cl_mem to,
                   size_t to_at, size_t bytes);
xl_status xlm_finish(xl_mpi *mpi, cl_command_queue queue);
/* Later commands on the queue, which may be out of order, come after all that it has. */
xl_status xlm_order(xl_mpi *mpi, cl_command_queue queue);
/* Waits for `waits`. */
xl_status xlm_wait(xl_mpi *mpi, cl_uint num_waits, const cl_event *waits);
/* Sets *event, unless it is NULL, to one that completes after all work that `queue` has. */
xl_status xlm_marker(xl_mpi *mpi, cl_command_queue queue, cl_event *event);
/* Checks a view of `count` elements: given, of a buffer of this context, long enough. */
xl_status xlm_check_view(xl_mpi *mpi, const char *field, const xl_view *view, size_t count,
                         size_t element_bytes);
xl_status xlm_check_absent(xl_mpi *mpi, const char *field, bool given);

/* The bytes of a view, in a buffer that is no sub-buffer. */
typedef struct xlm_range {
    cl_mem buffer;
    size_t begin, end;
} xlm_range;
xlm_range xlm_range_of(const xl_view *view, size_t count, size_t element_bytes);
bool xlm_overlap(const xlm_range *a, const xlm_range *b);
/* Checks that two views do not overlap. */
xl_status xlm_check_apart(xl_mpi *mpi, const char *a, const xl_view *view_a, size_t count_a,
                          size_t bytes_a, const char *b, const xl_view *view_b, size_t count_b,
                          size_t bytes_b);
/* Checks queue and waits as in crosslane/plan.h. */
xl_status xlm_check_queue(xl_mpi *mpi, cl_command_queue queue, cl_uint num_waits,
                          const cl_event *waits);

/* Messages from each rank to each other one, in pieces of at most chunk_bytes. Rank r gets the
 * bytes send[send_at[r] ... send_at[r + 1]); its bytes arrive at recv[recv_at[r] ... recv_at[r + 1]). */
typedef struct xlm_messages {
    MPI_Request *requests;
    size_t count;
    bool own_stays; /* set after reserve(): begin() leaves out the bytes from this rank to itself */
} xlm_messages;
/* All local. reserve() takes memory; then the ranks must agree, because after begin() each rank waits
 * for the others. end() must follow in any case, and frees the memory: also if the agreement failed and
 * begin() was not called. The buffers must live until end() returns. */
xl_status xlm_messages_reserve(xl_mpi *mpi, xlm_messages *messages, const uint64_t *send_at,
                               const uint64_t *recv_at);
xl_status xlm_messages_begin(xl_mpi *mpi, xlm_messages *messages, const void *send,
                             const uint64_t *send_at, void *recv, const uint64_t *recv_at);
xl_status xlm_messages_end(xl_mpi *mpi, xlm_messages *messages);

/* COLLECTIVE. received[r] = what rank r has in sent[this rank]. */
xl_status xlm_counts(xl_mpi *mpi, const uint64_t *sent, uint64_t *received);

/* COLLECTIVE. at[r], 0 <= r <= size: the sum of `mine` over the ranks below r. */
xl_status xlm_sizes(xl_mpi *mpi, uint64_t mine, uint64_t *at);

#endif
