/* SPDX-License-Identifier: MIT
 * The vendor-agnostic runtime as primitives see it: capabilities of the device, checked
 * arguments, programs, scratch, and launches chained by events. Primitives call
 * no clBuild*, clEnqueue* or clGetDeviceInfo themselves. */
#ifndef XLI_RUNTIME_H
#define XLI_RUNTIME_H

#include "core.h"
#include "tune.h"

#include <crosslane/plan.h>

/* ---- errors -------------------------------------------------------------- */

/* Records the text for this thread and returns `status`. ctx may be NULL. */
xl_status xli_fail(const xl_context *ctx, xl_status status, const char *format, ...)
    XLI_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* looks at one file at a time: tell it that a failure is no success */
#define xli_fail(ctx, status, ...) ((void)(xli_fail)((ctx), (status), __VA_ARGS__), (status))
#endif

/* XL_SUCCESS for CL_SUCCESS; else records "`call` returned NAME (code)". */
xl_status xli_cl(const xl_context *ctx, cl_int code, const char *call);
const char *xli_cl_name(cl_int code);

/* XL_TRY for an OpenCL call. */
#define XL_TRY_CL(ctx, call) XL_TRY(xli_cl((ctx), (call), #call))

/* ---- public structures ------------------------------------------------------- */

/* A public structure only grows at its end. `grown` lists where it ended in older headers, oldest
 * first, up to a row of zeros; NULL: it has not grown. */
typedef struct xli_growth {
    uint32_t before; /* headers older than this version ... */
    size_t bytes;    /* ... end the structure here */
} xli_growth;
typedef struct xli_structure {
    const char *name; /* "desc", "args": for error texts */
    size_t bytes;     /* in this version */
    const xli_growth *grown;
} xli_structure;

/* XL_ERROR_INVALID_ARGUMENT if the library does not know headers of that version. */
xl_status xli_check_version(const xl_context *ctx, uint32_t version);

/* Stores the defaults, as far as the caller's headers have them, and the version, which is the
 * first field. NULL is ignored. */
void xli_structure_init(const xli_structure *structure, void *to, uint32_t version,
                        const void *defaults);

/* Copies a caller's structure over *to, which holds the defaults. XL_ERROR_INVALID_ARGUMENT for
 * NULL. */
xl_status xli_structure_read(const xl_context *ctx, const xli_structure *structure,
                             uint32_t version, const void *given, void *to);

/* The same for a descriptor, which begins with its version. */
xl_status xli_desc_read(const xl_context *ctx, const xli_structure *structure, const void *given,
                        void *to);

/* Copies a result to the caller. NULL is ignored. */
void xli_structure_write(const xli_structure *structure, uint32_t version, void *to,
                         const void *from);

/* A field of a descriptor that has no meaning but with another: to give it without that is a
 * mistake somewhere. XL_ERROR_INVALID_ARGUMENT for the first that is given and not used. */
typedef struct xli_idle_field {
    const char *name;
    bool given, used;
    const char *wanted; /* why it is not used: "segments are not XL_SEGMENTS_MASK" */
} xli_idle_field;
xl_status xli_check_idle(const xl_context *ctx, const xli_idle_field *fields, size_t count);

/* A part of n rows: `num` from `first` on; 0: all from there. XL_ERROR_INVALID_ARGUMENT if there
 * are fewer. */
xl_status xli_check_rows(const xl_context *ctx, size_t n, size_t first, size_t num);
/* The number of rows in a part that is checked. */
static inline size_t xli_rows_of(size_t n, size_t first, size_t num)
{
    return num > 0 ? num : n - first;
}

/* ---- context ------------------------------------------------------------- */

/* XL_ERROR_UNSUPPORTED in a child by fork() of a process that had called the library: drivers have
 * no threads there. Comes before locks and OpenCL calls. What ends an object does nothing there. */
xl_status xli_check_process(void);

/* The version of the headers that a context was made with. */
uint32_t xli_context_version(const xl_context *ctx);

/* A plan holds its context. */
xl_context *xli_context_retain(xl_context *ctx);
void xli_context_release(xl_context *ctx_or_null);

/* An object that belongs to the context, such as the plans of the simple calls: made by the first
 * call, and ended by xl_context_destroy(), so that it may hold plans of the context. NULL if it
 * could not be made. A context has one such object. */
void *xli_context_attach(xl_context *ctx, void *(*begin)(xl_context *ctx), void (*end)(void *));

/* A queue like the context's own, for self-tests that wait: on the context's own
 * queue there may be work that waits for the caller. NULL with a text on failure; the
 * caller releases it. */
cl_command_queue xli_queue_create(xl_context *ctx);

/* How a kernel exchanges values between work-items of one sub-group. */
typedef enum xli_lane_way {
    XLI_LANE_LOCAL = 0,
    XLI_LANE_KHR = 1,
    XLI_LANE_PTX = 2,
    XLI_LANE_AMD = 3
} xli_lane_way;

enum { XLI_MOST_WIDTHS = 4 };

/* Facts that kernels are specialised by; learnt once per context (this compiles
 * and runs the lane probe the first time). Borrowed from the context. */
typedef struct xli_capabilities {
    xl_device_info info;
    xli_lane_way lane_way;
    bool is_cpu;      /* one work-item per core with long tiles, not a small GPU */
    bool has_opencl3; /* kernels are built as OpenCL C 3.0 or 2.0 */
    bool can_publish; /* 64-bit words may pass between work-groups: PTX or C11 device scope */
    bool has_khr_shuffle;
    bool has_khr_ballot;
    bool has_fp16;      /* half may be computed with */
    bool takes_bitcode; /* PoCL on a CPU: see program.c */
    size_t most_rounds; /* as in xli_tune_device */
    uint32_t vendor_id;
    uint32_t nv_capability; /* of NVIDIA's OpenCL: the major compute capability; else 0 */
    /* Sizes of sub-groups that kernels may require, in order of trial, ended by 0; the one that a
     * program's kernels do require, 0: their compiler chooses. */
    uint32_t widths[XLI_MOST_WIDTHS];
    uint32_t width;
} xli_capabilities;
xl_status xli_context_capabilities(xl_context *ctx, const xli_capabilities **capabilities);

/* rusticl.c: whether a kernel that leaves a carry of one byte ends the process there. */
bool xli_rusticl_crashes_on_byte_carries(const xli_capabilities *capabilities);
/* rusticl.c: XL_ERROR_UNSUPPORTED if the driver limits the rounds of loops. */
xl_status xli_rusticl_check_loops(const xl_context *ctx, const xli_capabilities *capabilities);

/* The most work-items of a group, before a kernel's own limit. */
static inline size_t xli_most_work_items(const xli_capabilities *capabilities)
{
    return xli_size(capabilities->info.max_work_group_size);
}

/* What xl_plan_info says of kernels that exchange values within sub-groups where they can: the
 * sub-groups of groups of that size, or 0 where local memory does it. */
static inline uint32_t xli_sub_group_of(const xli_capabilities *capabilities, size_t group_size)
{
    const bool can =
        capabilities->lane_way != XLI_LANE_LOCAL && group_size >= capabilities->info.sub_group_size;
    return can ? capabilities->info.sub_group_size : 0;
}

/* Remembered answer of a self-test that runs once per context and is shared by
 * its plans, such as "does look-back give right results here". `test` is the name of the
 * kernel file that is tested. A test that was passed is noted in the cache folder, for
 * the device, its driver and that file's text, and counts for later processes too. */
typedef enum xli_self_test_result {
    XLI_SELF_TEST_NOT_RUN = 0,
    XLI_SELF_TEST_PASSED = 1,
    XLI_SELF_TEST_WRONG = 2,
    XLI_SELF_TEST_ERROR = 3 /* it did not run to its end, and might another time */
} xli_self_test_result;
xli_self_test_result xli_context_self_test_result(xl_context *ctx, const char *test);
void xli_context_set_self_test_result(xl_context *ctx, const char *test,
                                      xli_self_test_result result);

/* The tuning values of a plan, as xli_tune_choose() has them, and the device that they are
 * for. Checked before any side effect. */
xl_status xli_context_tune(const xl_context *ctx, const xli_capabilities *capabilities,
                           const xli_tune_wish *wish, xli_tune_device *device, xli_tune *tune);
/* The tunables of a descriptor, for a plan that takes those of the primitives `takes`. */
#define XLI_TUNE_WISH(takes, desc)                                                                 \
    (&(xli_tune_wish){                                                                             \
        .primitives = (takes), .tunables = (desc)->tunables, .count = (desc)->num_tunables})

/* What CROSSLANE_SCAN said when the context was made, or NULL; not checked. */
const char *xli_context_scan_setting(const xl_context *ctx);

/* ---- programs ------------------------------------------------------------ */

/* A kernel file of cl with its includes, embedded at build time. */
typedef struct xli_source {
    const char *name; /* "scan_lookback" */
    const char *text;
    size_t length;
    const char *sha256; /* xli_sha256_add_source() of the text, hexadecimal */
} xli_source;
/* The embedded source of that name, or NULL. */
const xli_source *xli_source_find(const char *name);

typedef struct xli_program xli_program;

/* The size of sub-groups in a program's kernels, all of which have the same where they require
 * one: 0 without; `otherwise` where the kernels require none, or where that is 0. */
uint32_t xli_program_sub_group(xl_context *ctx, const xli_program *program, uint32_t otherwise);

/* Builds `name` specialised by `defines` ("#define X 1\n" lines in a fixed
 * order; may be followed by user text under its own #line), or takes it from the
 * context's or the disk's cache. The runtime itself puts in front the dialect,
 * the lane way and width and the feature switches, see cl/prelude/prelude.cl.
 * On XL_ERROR_BUILD the error text has the compiler's messages (build_text.c). Text after a #line
 * whose name is not "plan", "checks of ...", "call of ..." or "end of ..." is the user's. Borrowed:
 * a program lives as long as its context. */
xl_status xli_program_get(xl_context *ctx, const char *name, const char *defines,
                          xli_program **program);

/* The same with a limit of the registers of a work-item, where the compiler knows one: NVIDIA's, of
 * kernels that require no group size. 0: none. */
xl_status xli_program_get_limited(xl_context *ctx, const char *name, const char *defines,
                                  uint32_t registers, xli_program **program);

/* The same from another source: tests of the building blocks in cl/ embed their own kernels. */
xl_status xli_program_get_source(xl_context *ctx, const xli_source *source, const char *defines,
                                 xli_program **program);

/* The most arguments of a kernel. The largest has 47: details of a neighbour list in a cell,
 * xli_near_launch(). They take about 700 of the 1024 bytes that OpenCL guarantees. A parameter
 * block in a buffer would replace them by one argument, but needs one more command in each call,
 * which writes the block. */
enum { XLI_MAX_ARGS = 52 };
/* Beside a function that puts a list together: the most arguments that it adds. */
#define XLI_ARGS_FIT(most)                                                                         \
    _Static_assert((int)(most) <= (int)XLI_MAX_ARGS,                                               \
                   "XLI_MAX_ARGS must hold the arguments of each kernel")
typedef struct xli_kernel {
    cl_kernel cl;
    xli_mutex *lock;
    size_t max_group; /* CL_KERNEL_WORK_GROUP_SIZE, 1 or more */
    /* Under the lock: the whole numbers that were set last, which a launch need not set again; of a
     * short kernel setting them takes longer than running it. */
    struct {
        unsigned bytes; /* 4 or 8; 0: something else */
        uint64_t value;
    } set[XLI_MAX_ARGS];
} xli_kernel;
/* XL_ERROR_UNSUPPORTED where the device runs it in groups of no size. */
xl_status xli_kernel_create(xl_context *ctx, const xli_program *program, const char *name,
                            xli_kernel *kernel);
void xli_kernel_destroy(xli_kernel *kernel); /* zeroed kernels are fine */
/* Creates the kernels of a list that are wanted. *most, unless NULL: lowered to the work-items that
 * all of them allow in a group. */
typedef struct xli_wanted {
    const char *name;
    xli_kernel *kernel;
    bool is_wanted;
} xli_wanted;
xl_status xli_kernels_create(xl_context *ctx, const xli_program *program, const xli_wanted *list,
                             size_t count, size_t *most);
/* The same with the program: xli_program_get() with a text that may have failed. */
xl_status xli_kernels_build(xl_context *ctx, const char *program, const xli_text *defines,
                            const xli_wanted *list, size_t count, size_t *most);
/* Parts of a plan, each of which is built when the first call needs it. Threads may build at once; a
 * part is built once. The lock guards `built` and, until a part is built, what belongs to it. */
typedef struct xli_parts {
    xli_mutex *lock;
    unsigned built; /* bit p: part p */
} xli_parts;
typedef xl_status (*xli_part_builder)(void *plan, unsigned part);
xl_status xli_parts_create(const xl_context *ctx, xli_parts *parts);
void xli_parts_destroy(xli_parts *parts); /* zeroed parts are fine */
xl_status xli_parts_build(xli_parts *parts, unsigned part, xli_part_builder build, void *plan);
/* widths[part], the sub-group size of a part's kernels, or `otherwise` until they are built. */
uint32_t xli_parts_width(const xli_parts *parts, unsigned part, const uint32_t *widths,
                         uint32_t otherwise);
/* Runs one work-group of a kernel whose only argument is a buffer of `bytes`, and reads that
 * back; blocks. */
xl_status xli_kernel_query(xl_context *ctx, xli_kernel *kernel, size_t items, size_t bytes,
                           void *answer);

/* ---- arguments of public calls ------------------------------------------- */

typedef enum xli_access { XLI_READ = 1, XLI_WRITE = 2 } xli_access;

/* A view as bytes of a root buffer, checked. */
typedef struct xli_span {
    const char *name; /* the argument, for messages */
    cl_mem buffer;    /* as given; NULL for an optional view that is not given */
    size_t offset;    /* elements, as given */
    cl_mem root;      /* the buffer itself, or the parent of a sub-buffer */
    size_t begin;     /* bytes in the root */
    size_t end;
    xli_access access;
} xli_span;

/* Checks that a view names a buffer of this context which n elements of
 * `element_bytes` fit into, and fills in *span. n == 0 needs no buffer: one that is given must be a
 * buffer of this context, and *span has none. */
xl_status xli_check_view(const xl_context *ctx, const char *name, xl_view view, size_t n,
                         size_t element_bytes, xli_access access, xli_span *span);

/* XL_ERROR_OVERLAP if the spans share bytes; sharing exactly the same bytes is
 * let through when `same_allowed`. Empty spans never overlap. */
xl_status xli_check_apart(const xl_context *ctx, const xli_span *a, const xli_span *b,
                          bool same_allowed);

/* Whether both are given and begin at one byte: an output that is its input, once that has been
 * checked. */
bool xli_span_is_in_place(const xli_span *in, const xli_span *out);

/* A buffer of these bytes. `call` is for the error text: "clCreateBuffer (init)". */
xl_status xli_buffer_of(const xl_context *ctx, const char *call, cl_mem_flags access, size_t bytes,
                        const void *from, cl_mem *buffer);

/* ---- scratch ------------------------------------------------------------- */

/* Scratch is carved into parts that start at multiples of this many bytes. */
#define XLI_SCRATCH_ALIGN ((size_t)XL_SCRATCH_ALIGNMENT)

/* Memory a plan owns for callers that give none; grows, never shrinks. One call uses it at
 * a time, on the host and on the device: see xli_pool_enter(). */
typedef struct xli_pool {
    xli_mutex *lock; /* guards all fields that the owner does not set */
    cl_mem buffer;   /* NULL: not made yet, or released */
    size_t bytes;
    bool zeroed;            /* set by the owner beforehand: each new buffer is made of zeros */
    uint32_t most_calls;    /* set by the owner: calls on one buffer, then a new one; 0: no limit */
    uint32_t calls;         /* on this buffer */
    cl_command_queue queue; /* of the last call on this buffer; to compare with, not to use */
    cl_event last;          /* of that call, or NULL */
    bool keeps_events;      /* calls came from more than one queue: each leaves its event */
    bool per_queue;         /* but no queue can wait for another's: see rusticl.c, oclgrind.c */
} xli_pool;
xl_status xli_pool_create(xl_context *ctx, xli_pool *pool);
void xli_pool_destroy(xli_pool *pool); /* a zeroed one is fine */

/* Reserves `bytes` for a call on `queue`; the call must wait for *wait unless it is NULL. Locks the
 * pool until xli_pool_leave(), also on failure.
 *
 * An event costs more than a small kernel, so calls on one in-order queue make none. The first call
 * from another queue then gets a new buffer: a marker after the last call might wait for a command
 * that waits for this call. */
xl_status xli_pool_enter(xl_context *ctx, xli_pool *pool, cl_command_queue queue, bool in_order,
                         size_t bytes, cl_event *wait);
/* Notes a call that was enqueued, with its event where one was made. */
void xli_pool_used(xli_pool *pool, cl_command_queue queue, cl_event event_or_null);
/* Releases the buffer. Commands that use it keep it; later calls get another one. */
void xli_pool_drop(xli_pool *pool);
void xli_pool_leave(xli_pool *pool);

/* XL_ERROR_INVALID_ARGUMENT if a call needs SIZE_MAX bytes: sums and products stop there
 * (xli_add(), xli_mul()). */
xl_status xli_scratch_countable(const xl_context *ctx, size_t bytes);

/* The caller's scratch of one call as a buffer and a byte offset, checked for size and
 * alignment (XL_ERROR_SCRATCH_TOO_SMALL, _MISALIGNED). *span is for overlap checks. */
xl_status xli_scratch_check(const xl_context *ctx, xl_view scratch, size_t bytes, size_t alignment,
                            xli_span *span);

/* ---- launches ------------------------------------------------------------ */

/* One argument of a kernel. Buffer arguments are always followed by their own
 * element offset where the kernel takes one: XLI_MEM(b), XLI_U64(offset). */
typedef struct xli_arg {
    size_t size;
    const void *value; /* NULL: local memory of `size` bytes */
    union {
        cl_mem mem;
        cl_uint u32;
        cl_ulong u64;
        unsigned char bytes[64];
    } hold;
    int kind;
} xli_arg;
#define XLI_MEM(m) ((xli_arg){.kind = 0, .hold = {.mem = (m)}})
#define XLI_U32(x) ((xli_arg){.kind = 1, .hold = {.u32 = (cl_uint)(x)}})
#define XLI_U64(x) ((xli_arg){.kind = 2, .hold = {.u64 = (cl_ulong)(x)}})
#define XLI_BYTES(p, n) ((xli_arg){.kind = 3, .size = (n), .value = (p)})
#define XLI_LOCAL(n) ((xli_arg){.kind = 4, .size = (n)})
/* A buffer of which a kernel reads one element, or NULL. If the driver reads from NULL (rusticl.c)
 * the kernel gets other memory, full of ones, so it must not decide by the address alone. */
#define XLI_OPTIONAL(m) ((xli_arg){.kind = 5, .hold = {.mem = (m)}})
/* No argument: for a parameter that the kernel's macros omit. */
#define XLI_NONE ((xli_arg){.kind = 6})

/* The launches of one public call, in order. The first waits for the caller's events. Each later
 * one waits for the one before, or, on an in-order queue, for the caller's events again. The last
 * yields the caller's event. If one of the caller's events fails, no launch runs and the caller's
 * event fails too.
 *
 * On an in-order queue only the last launch makes an event, because an event costs more than a
 * small kernel (H200, driver 580: 10 us a launch with one, 3.6 us without). To know which launch
 * is the last, each is delayed until the next one or the end of the sequence. */

/* Arguments that are put together one after the other, for xli_seq_launch_args(). Starts from
 * zeros. Arguments beyond XLI_MAX_ARGS are counted and not stored; a launch of that list fails. */
typedef struct xli_args {
    xli_arg at[XLI_MAX_ARGS];
    size_t count;
} xli_args;
void xli_args_add(xli_args *args, xli_arg arg);
void xli_args_add_all(xli_args *args, const xli_arg *list, size_t count);
/* A buffer, or NULL, and from which element on. */
void xli_args_add_place(xli_args *args, cl_mem buffer, uint64_t offset);
void xli_args_add_span(xli_args *args, const xli_span *span);

/* Sets them in a kernel of the user's, from number `first` on. XL_ERROR_INVALID_ARGUMENT where the
 * driver says that the kernel has others there. */
xl_status xli_args_set(const xl_context *ctx, cl_kernel kernel, cl_uint first, const xli_arg *args,
                       cl_uint num_args);

typedef struct xli_pending_launch {
    xli_kernel *kernel; /* NULL: nothing is held back */
    size_t groups, group_size, num_args;
    xli_arg args[XLI_MAX_ARGS];
} xli_pending_launch;
typedef struct xli_seq {
    xl_context *ctx;
    cl_command_queue queue;
    bool in_order;
    cl_uint num_waits;
    const cl_event *waits;
    cl_event last;   /* of the latest command, where one was made */
    cl_event nested; /* of a nested call, until xli_seq_nested() takes it */
    cl_event *all;   /* `waits` where others are added to the caller's */
    xli_pool *pool;  /* that scratch, which this call has to itself; NULL: it is not used */
    unsigned enqueued;
    xli_pending_launch pending;
} xli_seq;

/* Checks queue and wait list (XL_ERROR_INVALID_ARGUMENT) before any side effect;
 * *event_or_null is set to NULL. */
xl_status xli_seq_begin(xli_seq *seq, xl_context *ctx, cl_command_queue queue, cl_uint num_waits,
                        const cl_event *waits, cl_event *event_or_null);

/* The call waits for this event, too, which the caller keeps until xli_seq_end(). Comes before the
 * first launch. */
xl_status xli_seq_wait_for(xli_seq *seq, cl_event event);

/* The scratch of the call: the caller's, as xli_scratch_check(), or, where it is not given,
 * the plan's own; then the call waits for the last one that used that. Comes before the
 * first launch. No bytes: no scratch. */
xl_status xli_seq_scratch(xli_seq *seq, xli_pool *pool, xl_view scratch, size_t bytes,
                          size_t alignment, xli_span *span);

/* Enqueues `groups` work-groups of `group_size` work-items, after the launches before. Arguments
 * are copied; XLI_BYTES takes at most 64 bytes. The next call of the sequence may return the
 * failure of this one. */
xl_status xli_seq_launch(xli_seq *seq, xli_kernel *kernel, size_t groups, size_t group_size,
                         const xli_arg *args, size_t num_args);
/* The same with the arguments of a list from number `first` on. XL_ERROR_INTERNAL if the list has
 * more than it can store. */
xl_status xli_seq_launch_args(xli_seq *seq, xli_kernel *kernel, size_t groups, size_t group_size,
                              const xli_args *args, size_t first);
#define XLI_LAUNCH(seq, kernel, groups, group_size, ...)                                           \
    xli_seq_launch((seq), (kernel), (groups), (group_size), (const xli_arg[]){__VA_ARGS__},        \
                   sizeof((const xli_arg[]){__VA_ARGS__}) / sizeof(xli_arg))

/* Sets look-back's state, with which the scratch begins, to zeros by xl_descriptors_clear() of
 * cl/tile/tile_prefix.cl. The caller's scratch holds anything and is cleared each time; the
 * plan's own is made of zeros, and then put right by the groups themselves. */
xl_status xli_seq_clear(xli_seq *seq, xli_kernel *clear, const xli_span *scratch, size_t words,
                        size_t units);

/* A public enqueue call of another primitive as one link of the chain:
 *     XL_TRY(xli_seq_nest(&seq));
 *     XL_TRY(xl_scan_enqueue(scan, queue, ..., XLI_NEST(&seq)));
 *     xli_seq_nested(&seq);
 * XLI_NEST expands to the call's last three arguments. */
#define XLI_NEST(seq) xli_seq_num_waits(seq), xli_seq_waits(seq), xli_seq_nested_event(seq)
xl_status xli_seq_nest(xli_seq *seq);
cl_uint xli_seq_num_waits(const xli_seq *seq);
const cl_event *xli_seq_waits(const xli_seq *seq);
cl_event *xli_seq_nested_event(xli_seq *seq);
void xli_seq_nested(xli_seq *seq);

/* Ends the sequence, also after a failure. On success *event_or_null receives an event that
 * completes when all of the work has (a marker if nothing was launched); on failure it stays
 * NULL. Returns `status`, or the failure to make the event. A zeroed sequence may be ended too. */
xl_status xli_seq_end(xli_seq *seq, xl_status status, cl_event *event_or_null);

/* Enqueues a copy of `bytes` from or to the host. The memory is in use until the queue has
 * finished. */
xl_status xli_copy_in(xl_context *ctx, cl_command_queue queue, cl_mem buffer, size_t bytes,
                      const void *from);
xl_status xli_copy_out(xl_context *ctx, cl_command_queue queue, cl_mem buffer, size_t bytes,
                       void *to);

/* Reads `bytes` from a buffer and waits for them; for calls that say they block. */
xl_status xli_read_blocking(xl_context *ctx, cl_command_queue queue, cl_mem buffer,
                            size_t offset_bytes, size_t bytes, void *to, cl_uint num_waits,
                            const cl_event *waits);

#endif
