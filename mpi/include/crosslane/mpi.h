/* SPDX-License-Identifier: MIT
 * Primitives across MPI ranks: scan, reduction, sort, and particles with their neighbours. Each rank
 * has one device and a part of every array; the whole array is the parts in the order of the ranks.
 * The exclusive sum of all elements:
 *
 *     xl_mpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
 *     xl_mpi_create(ctx, MPI_COMM_WORLD, NULL, &mpi);
 *     xl_scan_desc_init(&desc);
 *     xl_mpi_scan_create(mpi, &desc, &plan);
 *     xl_mpi_scan(plan, queue, &(xl_scan_args){.n = n, .in = in, .out = out}, 0, NULL, NULL);
 *
 * docs/mpi.md explains the concepts; examples/14_mpi_scan.c and 15_mpi_sph.c are complete programs.
 *
 * Rules of all calls that the header calls COLLECTIVE
 *   Ranks      All ranks of the communicator make the same calls in the same order. A rank without
 *              elements calls with n = 0, and may leave its views out.
 *   Blocking   A call waits for the other ranks and for `waits`. When it returns, work on `queue` may
 *              still read the inputs and write the outputs: later commands on an in-order queue come
 *              after it, others wait for `event`. A call that has no parameter `event` has read its
 *              inputs and written its outputs when it returns.
 *   Errors     Before any data moves, the ranks agree on a status. If a rank fails, every rank returns
 *              the status of the lowest rank that failed, and no rank waits for another. xl_mpi_error()
 *              names that rank and the field: "rank 2: args.n: 7; ...". If arguments or memory are the
 *              reason, no output is written. After a failure of a message or a command, outputs are
 *              undefined. Fields that must be equal on all ranks are compared with those of rank 0. Not
 *              compared are the value of desc.init_view, parameters of expressions, and tunables of scans
 *              and reductions: give equal ones. If a handle is NULL, that rank alone returns
 *              XL_ERROR_INVALID_ARGUMENT.
 *   Threads    One thread at a time may use an xl_mpi and the objects made from it. If it is the thread
 *              that initialised MPI, MPI_THREAD_FUNNELED suffices.
 *   Buffers    As in crosslane/plan.h: views, overlap and ownership. Elements move through host memory,
 *              or by xl_mpi_desc.message_buffer, in messages of at most xl_mpi_desc.chunk_bytes, so that
 *              every count fits an int.
 *
 * Sources: exact splitters by refinement of a histogram (Kowalewski et al., "Engineering a distributed
 * histogram sort", IEEE Cluster 2019); parts of particles by intervals of a space-filling curve (Warren
 * and Salmon, SC 1993). */
#ifndef CROSSLANE_MPI_H
#define CROSSLANE_MPI_H

#include <crosslane/crosslane.h>
#include <mpi.h>

/* A communicator with one device for each rank. */
typedef struct xl_mpi xl_mpi;

/* A scan, a reduction or a sort across ranks. */
typedef struct xl_mpi_plan xl_mpi_plan;

/* A fixed pattern of messages: which elements of each rank go to which ranks. */
typedef struct xl_mpi_exchange xl_mpi_exchange;

/* Makes a buffer of `context` for messages of `bytes`, at least 1, and sets *address to that of its first
 * byte, for MPI. Or returns NULL: then these messages go through host memory. For an MPI that takes
 * addresses of device memory, or a device whose memory is that of the host; for example
 * CL_MEM_USE_HOST_PTR with an address of clSVMAlloc() or, on a CPU, malloc().
 *   The caller guarantees that the address is valid until the buffer is destroyed
 *   (clSetMemObjectDestructorCallback() tells when), has the alignment that the device requires of a
 *   buffer, and gives to MPI, after clFinish(), the bytes that the device has written, and to later commands
 *   those that MPI has written.
 *   The library guarantees that no command uses the buffer while MPI does, that it releases the buffer, and
 *   that calls come from the thread that calls the library. The callback must make no MPI call and no call
 *   of this library. */
typedef cl_mem xl_mpi_message_buffer(void *user, cl_context context, size_t bytes, void **address);

/* Settings. Start from xl_mpi_desc_init(). All ranks must give the same chunk_bytes, and all or none a
 * callback. It may return NULL on some of them: messages are the same bytes either way. */
typedef struct xl_mpi_desc {
    uint32_t version;     /* set by xl_mpi_desc_init() */
    uint64_t chunk_bytes; /* the most bytes of one message, 1 to 2^30 (the default) */
    /* NULL (the default): messages go through host memory. Otherwise called for the messages of gathers,
     * scatters and sorts. xl_mpi_create() tries it: XL_ERROR_MPI if bytes sent by address arrive as others.
     * An MPI that does not accept the addresses may also end the program. */
    xl_mpi_message_buffer *message_buffer;
    void *user; /* for message_buffer */
} xl_mpi_desc;

/* How many keys each rank has after a sort. */
typedef enum xl_mpi_layout {
    XL_MPI_EVEN = 0, /* of N keys on p ranks, rank r has those from r * N / p to (r + 1) * N / p,
                        rounded down */
    XL_MPI_KEEP = 1  /* as many as before */
} xl_mpi_layout;

/* The order of the elements that a halo delivers to a rank. */
typedef enum xl_mpi_order {
    XL_MPI_BY_ID = 0,      /* owned elements and ghosts together, in ascending order of their global
                              ids. If ids stay with their points, sums over neighbours have the same
                              bits for any number of ranks */
    XL_MPI_OWNED_FIRST = 1 /* owned elements in their order, then ghosts by rank and index */
} xl_mpi_order;

/* A halo: each rank receives copies (ghosts) of all points of other ranks that are within `radius` of a
 * point that it owns, also across periodic boundaries. Each ghost comes once, with its owner's
 * coordinates. A search with this radius or a smaller one, inclusive or not, on a grid of this space then
 * finds every neighbour of an own point. For several radii give the largest one; add a skin if points
 * move between two halos. */
typedef struct xl_mpi_halo_args {
    const xl_space *space; /* the same on all ranks: XL_F32 or XL_F64; bounds XL_BOUNDS_FOUND or
                              XL_BOUNDS_GIVEN; any cell and periodicity; no `wrap`, one system */
    uint32_t stride; /* scalars from one point to the next; 0: space->dimensions (a grid has 3) */
    uint32_t order;  /* xl_mpi_order */
    double radius;   /* finite and above 0; the same on all ranks */
    size_t n;        /* points that this rank owns; with ghosts at most 2^32 - 2 */
    xl_view points;  /* (n - 1) * stride + dimensions scalars, offset in scalars */
    xl_view ids;     /* not given, or n u64: the global ids, all different, ascending on each rank
                              with either order. Not given: the index in the whole array as it is
                              now */
} xl_mpi_halo_args;

/* One array of elements that an exchange moves. */
typedef struct xl_mpi_field {
    size_t element_bytes; /* at least 1 */
    xl_view in, out; /* offsets and counts in elements. An output must overlap no other view of the
                             call */
} xl_mpi_field;

/* The arguments of a scatter. */
typedef struct xl_mpi_scatter_args {
    uint32_t type; /* xl_type: a built-in one that the device computes with */
    uint32_t op;   /* XL_SUM, XL_PROD, XL_MIN, XL_MAX; of integers also XL_AND, XL_OR, XL_XOR */
    xl_view in;    /* num_out elements */
    xl_view out;   /* num_in elements; must not overlap `in` */
} xl_mpi_scatter_args;

XL_EXTERN_C_BEGIN

/* Ranks and devices. -------------------------------------------------------------------------- */

/* COLLECTIVE over comm. Makes a context for this rank. desc chooses a device. If the platform has
 * several devices of that name, rank k of a node takes the k-th one after it, and after the last the
 * first. desc->device or CROSSLANE_DEVICE with both numbers ("0:1") is taken as it is. desc: NULL for the defaults. On
 * failure *ctx is NULL on every rank and every rank returns an error; xl_context_error(NULL) has the
 * text on the rank that failed. */
XL_NODISCARD XL_API xl_status xl_mpi_context_create(MPI_Comm comm, const xl_context_desc *desc,
                                                    xl_context **ctx);

XL_API void xl_mpi_desc_init_version(xl_mpi_desc *desc, uint32_t version);
#define xl_mpi_desc_init(desc) xl_mpi_desc_init_version((desc), XL_VERSION_NUMBER)

/* COLLECTIVE over comm. Duplicates the communicator; the context must live longer than *mpi. desc: NULL
 * for the defaults. Errors of MPI calls on the duplicate are returned as XL_ERROR_MPI. On failure *mpi is
 * NULL on every rank. */
XL_NODISCARD XL_API xl_status xl_mpi_create(xl_context *ctx, MPI_Comm comm, const xl_mpi_desc *desc,
                                            xl_mpi **mpi);

/* COLLECTIVE, before MPI_Finalize(). Frees the communicator. Plans and exchanges must be destroyed
 * before. NULL is ignored. */
XL_API void xl_mpi_destroy(xl_mpi *mpi);

/* The rank of this process and the number of ranks. */
XL_API int xl_mpi_rank(const xl_mpi *mpi);
XL_API int xl_mpi_size(const xl_mpi *mpi);

/* The reason of the last failure of a call on `mpi` or on an object made from it: the same text on
 * every rank. mpi: NULL for the last failure of xl_mpi_create(). "" if there was none. Borrowed: valid
 * until the next failure. */
XL_API const char *xl_mpi_error(const xl_mpi *mpi);

/* COLLECTIVE. Makes one status of those of all ranks: XL_SUCCESS if all are, otherwise that of the
 * lowest rank that failed. `text` (may be NULL) is this rank's reason; xl_mpi_error() then has the one
 * of that rank. For steps of your own, so that no rank waits for one that has failed. */
XL_NODISCARD XL_API xl_status xl_mpi_agree(xl_mpi *mpi, xl_status mine, const char *text);

/* COLLECTIVE. Calls create(user) on every rank: first on one rank of each node, which compiles, then
 * on the others, which load its programs from the cache. `create` must make no
 * collective call. Returns the agreed status; the text is that of the core library. For plans of your
 * own. */
XL_NODISCARD XL_API xl_status xl_mpi_in_turn(xl_mpi *mpi, xl_status (*create)(void *user),
                                             void *user);

/* Plans. -------------------------------------------------------------------------------------- */

/* Destroys a plan; local. NULL is ignored. */
XL_API void xl_mpi_plan_destroy(xl_mpi_plan *plan);

/* COLLECTIVE. A scan of the whole array. desc: as for xl_scan_create(), the same on all ranks, with
 * carry 0; a user's type, operator and texts are allowed.
 * XL_REPRODUCIBLE: the bits of results do not depend on the number of ranks or on where the parts are
 * divided. If the operator rounds, units of 2^18 elements of the whole array are computed by one rank
 * each: the one that has the first element. */
XL_NODISCARD XL_API xl_status xl_mpi_scan_create(xl_mpi *mpi, const xl_scan_desc *desc,
                                                 xl_mpi_plan **plan);

/* COLLECTIVE. args: as for xl_scan_enqueue(), of this rank's part: n may differ between ranks. The
 * index i in load and store, and segments of XL_SEGMENTS_WIDTH and XL_SEGMENTS_MASK, count from the
 * beginning of the whole array. An element continues the segment before it, also of the rank before,
 * unless its flag or bit is set or its key differs. Offsets are those of the segments that begin on
 * this rank, ascending, relative to this rank's part, and the last one is n; the first may be above 0.
 * `out` may be `in`, as in xl_scan_args. first_index, n_device, carry_in, carry_out, head_out and
 * scratch must not be given. */
XL_NODISCARD XL_API xl_status xl_mpi_scan(xl_mpi_plan *plan, cl_command_queue queue,
                                          const xl_scan_args *args, cl_uint num_waits,
                                          const cl_event *waits, cl_event *event);

/* COLLECTIVE. A reduction of the whole array. desc: as for xl_reduce_create(), the same on all ranks.
 * XL_REPRODUCIBLE: as in xl_mpi_scan_create(). With segments and an operator that rounds, a call scans
 * the whole array, and each rank needs device memory for n elements of desc.type.
 * XL_ERROR_UNSUPPORTED: 8 parameters or more than 56 bytes of them, if `load` or `store` uses i. */
XL_NODISCARD XL_API xl_status xl_mpi_reduce_create(xl_mpi *mpi, const xl_reduce_desc *desc,
                                                   xl_mpi_plan **plan);

/* COLLECTIVE. args: as for xl_reduce_enqueue(), of this rank's part, with segments as in xl_mpi_scan().
 * Without segments every rank receives the result; an index of XL_ARG_MIN and XL_ARG_MAX is that in
 * the whole array. With segments each rank receives the results of the segments that begin on it; i in
 * store counts those of this rank. The first offset of the whole array is 0.
 * n_device and scratch must not be given. */
XL_NODISCARD XL_API xl_status xl_mpi_reduce(xl_mpi_plan *plan, cl_command_queue queue,
                                            const xl_reduce_args *args, cl_uint num_waits,
                                            const cl_event *waits, cl_event *event);

/* COLLECTIVE. A sort of the whole array. desc: as for xl_sort_create(), the same on all ranks, without
 * comparator and segments. XL_SORT_INDICES are indices in the whole array: at most 2^32 elements. The
 * sort is stable: equal keys stay in the order of the whole array. */
XL_NODISCARD XL_API xl_status xl_mpi_sort_create(xl_mpi *mpi, const xl_sort_desc *desc,
                                                 xl_mpi_layout layout, xl_mpi_plan **plan);

/* COLLECTIVE. The number of keys that this rank has after a sort of n keys here. */
XL_NODISCARD XL_API xl_status xl_mpi_sort_count(xl_mpi_plan *plan, size_t n, size_t *n_out);

/* COLLECTIVE. args: as for xl_sort_enqueue(), of this rank's part. n is the number of keys in; the
 * outputs have room for xl_mpi_sort_count() elements. An output may be exactly its input. n_device and
 * scratch must not be given. */
XL_NODISCARD XL_API xl_status xl_mpi_sort(xl_mpi_plan *plan, cl_command_queue queue,
                                          const xl_sort_args *args, cl_uint num_waits,
                                          const cl_event *waits, cl_event *event);

/* Exchanges. ---------------------------------------------------------------------------------- */

/* COLLECTIVE. Element i of this rank goes to rank owners[i] (n u32). Each rank receives its elements in
 * the order of the whole array: ids that ascend there ascend on each rank. For migration. n: at most
 * 2^32 - 2. XL_ERROR_CAPACITY: more would arrive on a rank. XL_ERROR_OUT_OF_DOMAIN: an owner that is no
 * rank; the text has its index. */
XL_NODISCARD XL_API xl_status xl_mpi_exchange_by_owner(xl_mpi *mpi, cl_command_queue queue,
                                                       size_t n, xl_view owners, cl_uint num_waits,
                                                       const cl_event *waits,
                                                       xl_mpi_exchange **exchange);

/* COLLECTIVE. Sends to each rank the points that are within args->radius of one of its points, and to
 * this rank itself its own points. It receives them in args->order. Some ghosts may be farther than the
 * radius. The device checks, selects and lists the points; the ids of ghosts, and where this rank needs
 * points of others, go through the host.
 * XL_ERROR_NON_FINITE, XL_ERROR_OUT_OF_DOMAIN: a point that is not finite or outside the space.
 * XL_ERROR_INVALID_ARGUMENT also for ids that do not ascend. XL_ERROR_UNSUPPORTED: XL_F64 on a device
 * without cl_khr_fp64. */
XL_NODISCARD XL_API xl_status xl_mpi_exchange_halo(xl_mpi *mpi, cl_command_queue queue,
                                                   const xl_mpi_halo_args *args, cl_uint num_waits,
                                                   const cl_event *waits,
                                                   xl_mpi_exchange **exchange);

/* Destroys an exchange; local. NULL is ignored. */
XL_API void xl_mpi_exchange_destroy(xl_mpi_exchange *exchange);

/* num_in: the elements that this rank gives, n of the creation. num_out: those that it gets; of a halo
 * num_in and its ghosts. Local. */
XL_API size_t xl_mpi_exchange_num_in(const xl_mpi_exchange *exchange);
XL_API size_t xl_mpi_exchange_num_out(const xl_mpi_exchange *exchange);

/* places: where each own element of a halo is among the elements out, num_in u32; that of element i is at
 * number offset + i of the buffer, and the offset may be above 0. ids: those of the elements out, num_out
 * u64. Retain the buffers to keep them longer than the exchange. Not given for an exchange by owner.
 * Local. */
XL_API xl_view xl_mpi_exchange_places(const xl_mpi_exchange *exchange);
XL_API xl_view xl_mpi_exchange_ids(const xl_mpi_exchange *exchange);

/* COLLECTIVE. Moves elements along the exchange: field k has num_in elements in, num_out out, of the
 * same size on all ranks. The fields (at most 16) travel together. */
XL_NODISCARD XL_API xl_status xl_mpi_gather(xl_mpi_exchange *exchange, cl_command_queue queue,
                                            size_t num_fields, const xl_mpi_field *fields,
                                            cl_uint num_waits, const cl_event *waits,
                                            cl_event *event);

/* The same in two steps, to compute in between. begin: COLLECTIVE; reads the inputs and starts the
 * messages. end: COLLECTIVE; waits for them and enqueues the writing of the outputs, whose buffers are
 * retained, on the queue of begin. One gather or scatter of an exchange may be under way at a time; other calls may come
 * between. Destroying an exchange that is under way waits for its messages. */
XL_NODISCARD XL_API xl_status xl_mpi_gather_begin(xl_mpi_exchange *exchange, cl_command_queue queue,
                                                  size_t num_fields, const xl_mpi_field *fields,
                                                  cl_uint num_waits, const cl_event *waits);
XL_NODISCARD XL_API xl_status xl_mpi_gather_end(xl_mpi_exchange *exchange, cl_event *event);

/* COLLECTIVE. The reverse: out[i] becomes the combination of the received copies of element i on all
 * ranks, in ascending order of the ranks, so equal input gives equal bits. An element without copies
 * gets the identity of the operator. */
XL_NODISCARD XL_API xl_status xl_mpi_scatter(xl_mpi_exchange *exchange, cl_command_queue queue,
                                             const xl_mpi_scatter_args *args, cl_uint num_waits,
                                             const cl_event *waits, cl_event *event);
XL_NODISCARD XL_API xl_status xl_mpi_scatter_begin(xl_mpi_exchange *exchange,
                                                   cl_command_queue queue,
                                                   const xl_mpi_scatter_args *args,
                                                   cl_uint num_waits, const cl_event *waits);
XL_NODISCARD XL_API xl_status xl_mpi_scatter_end(xl_mpi_exchange *exchange, cl_event *event);

/* Owners of particles. ------------------------------------------------------------------------- */

typedef struct xl_mpi_balance_args {
    const xl_space *space; /* the same on all ranks: 1, 2 or 3 dimensions, XL_F32 or XL_F64, bounds
                        XL_BOUNDS_FOUND or XL_BOUNDS_GIVEN, no `wrap`, one system */
    uint32_t stride;       /* as in xl_mpi_halo_args, so are n and points */
    size_t n;
    xl_view points;
    xl_view
        weights; /* not given, or n f32, finite and at least 0; of all ranks with points or of none */
    xl_view owners; /* n u32; must not overlap the others */
} xl_mpi_balance_args;

/* COLLECTIVE. owners[i] becomes the rank of point i such that the ranks have equal shares of the weight
 * (weights not given: 1 each): intervals of the Morton order of the points, as in crosslane/morton.h (the
 * box of a cell is the smallest one that contains it; points outside belong to the cells at its border).
 * Points of one code are in the order of the whole array, so owners do not depend on where the parts are
 * divided. At most 2^-29 of the greatest weight is added to each (more from 2^32 points on), so that
 * points of weight 0 are divided, too. The device checks, sorts and divides the points.
 * XL_ERROR_NON_FINITE: a coordinate; the text has rank and index. XL_ERROR_UNSUPPORTED: XL_F64 on a device
 * without cl_khr_fp64. */
XL_NODISCARD XL_API xl_status xl_mpi_balance(xl_mpi *mpi, cl_command_queue queue,
                                             const xl_mpi_balance_args *args, cl_uint num_waits,
                                             const cl_event *waits);

typedef struct xl_mpi_boxes_args {
    uint32_t dimensions;       /* 1, 2 or 3 */
    uint32_t scalar;           /* XL_F32 or XL_F64 */
    uint32_t stride;           /* 0: dimensions */
    double lower[3], upper[3]; /* this rank's box; it may be empty */
    size_t n;                  /* points of this rank */
    xl_view points;
    xl_view owners; /* n u32; must not overlap points */
} xl_mpi_boxes_args;

/* COLLECTIVE. owners[i] becomes the lowest rank whose box contains point i: lower[a] <= x[a] < upper[a].
 * The comparison is exact, also if a corner of a box is not a value of XL_F32.
 * XL_ERROR_OUT_OF_DOMAIN: a point that is in no box; the text has its rank, index and coordinates.
 * XL_ERROR_UNSUPPORTED: XL_F64 on a device without cl_khr_fp64. */
XL_NODISCARD XL_API xl_status xl_mpi_owners_by_box(xl_mpi *mpi, cl_command_queue queue,
                                                   const xl_mpi_boxes_args *args, cl_uint num_waits,
                                                   const cl_event *waits);

XL_EXTERN_C_END

#endif
