/* SPDX-License-Identifier: MIT
 * Declarations that only files of lib/ocl use. */
#ifndef XLI_OCL_PRIVATE_H
#define XLI_OCL_PRIVATE_H

#include "runtime.h"

/* What headers of OpenCL 1.2 do not have, macOS's among them. */
#ifndef CL_VERSION_2_0
#define CL_QUEUE_ON_DEVICE (1 << 2)
#endif
#ifndef CL_VERSION_3_0
#define CL_DEVICE_OPENCL_C_ALL_VERSIONS 0x1066
#define CL_DEVICE_OPENCL_C_FEATURES 0x106F
#endif

/* As cl_name_version of OpenCL 3.0. */
typedef struct xli_name_version {
    cl_uint version; /* 10 bits major, 10 bits minor, 12 bits patch */
    char name[64];
} xli_name_version;

/* Features that the caller asked to do without. */
typedef struct xli_mask {
    bool no_int64_atomics;
    bool no_fp64;
    bool no_look_back;
    bool no_sub_groups;
    bool no_optimisation;
    bool width_one;
    size_t work_group; /* 0: no limit */
} xli_mask;

typedef struct xli_self_test_record {
    const char *test;
    xli_self_test_result result;
} xli_self_test_record;

struct xl_context {
    xli_mutex *lock; /* guards every field below the line, and `references` */
    unsigned references;
    uint32_t version; /* of the caller's headers */
    xli_errors *errors;
    cl_context cl;
    cl_device_id device;
    bool holds_events; /* of its commands: see pocl.c */
    bool per_queue;    /* no queue can wait for another's events: see rusticl.c, oclgrind.c */
    xli_mask mask;
    char *cache_dir;         /* NULL: no disk cache */
    char *cache_description; /* what xl_context_cache() says */
    uint64_t cache_limit;
    char *dump_dir;                /* NULL: no dumps */
    xli_tuning *tuning;            /* the tuning file's values, or NULL */
    char *scan_word;               /* CROSSLANE_SCAN, or NULL */
    xli_capabilities capabilities; /* constant once capabilities_known is set */
    /* ---- under the lock ---- */
    cl_command_queue queue;
    bool capabilities_known;
    void *attached; /* see xli_context_attach() */
    void (*end_attached)(void *);
    cl_mem stand_in; /* constant once capabilities_known is set: see rusticl.c */
    xli_program *programs;
    xli_self_test_record self_test_results[8];
};

/* A program compiled for a width: whether its kernels have that width, and the bytes they spill. */
typedef struct xli_width_trial {
    bool fits;
    uint64_t spill_bytes;
} xli_width_trial;

struct xli_program {
    xli_program *next;
    char key[65];
    cl_program cl;
    struct xli_recipe *recipe; /* of a program that came from a file, to build it anew, or NULL */
    /* ---- under the context's lock ---- */
    uint32_t width; /* of sub-groups, chosen for this program; 1: it has none; 0: not chosen */
    bool tried;     /* `trial` is known */
    xli_width_trial trial;
};

/* descriptor.c: the descriptor's value, else the environment's; NULL if neither says
 * anything. */
const char *xli_setting(const char *field, const char *variable);
/* settings.c: reads mask, tuning file and folders into a context that is being made. */
xl_status xli_settings_read(xl_context *ctx, const xl_context_desc *desc);

/* device.c: stores the properties that the device reports. With `oldest_dialect` kernels are built
 * as OpenCL C 1.2, even if the device lists newer versions. */
xl_status xli_capabilities_query(const xl_context *ctx, bool oldest_dialect,
                                 xli_capabilities *capabilities);

/* device.c: the reported properties that decide how lanes exchange values, and that decision, which
 * the probe may reject. */
typedef struct xli_lane_facts {
    bool width_one, no_sub_groups; /* masked */
    bool is_gpu;
    bool has_khr; /* sub-groups with shuffles and votes, and clGetKernelSubGroupInfo */
    xl_sub_group_source source; /* of the reported width */
    uint32_t reported;
} xli_lane_facts;
void xli_lanes_choose(const xli_lane_facts *facts, xli_capabilities *capabilities);
/* The sub-group sizes to try, in this order, ended by 0: some of those that kernels may require
 * (cl_intel_required_subgroup_size). */
void xli_lanes_widths(const size_t *sizes, size_t n, uint32_t widths[XLI_MOST_WIDTHS]);
/* Whether a trial replaces the best one so far, and whether the search may end: the first trial
 * without spills is chosen, else the one with the fewest. */
bool xli_lanes_better(const xli_width_trial *trial, const xli_width_trial *best);
bool xli_lanes_settled(const xli_width_trial *best);

/* kernel.c: clGetKernelSubGroupInfo for a group of `items`; 0 when the device cannot say. A group
 * smaller than a sub-group may be reported as 0. */
size_t xli_kernel_width(const xl_context *ctx, cl_kernel kernel, size_t items);

/* program_get.c: xli_program_build_source() with the best of capabilities->widths, if there are
 * any. */
xl_status xli_program_build_widths(xl_context *ctx, const xli_capabilities *capabilities,
                                   const xli_source *source, const char *defines,
                                   xli_program **program);

/* pocl.c: whether the event of each command must be held until the command has ended. */
bool xli_pocl_must_hold_events(const char *platform);
/* Room to hold the event of the next command; *held is NULL where events need not be held. Then:
 * takes the room, and a reference of the event, which is NULL if the command was not enqueued. */
typedef struct xli_held xli_held;
xl_status xli_held_make(const xl_context *ctx, xli_held **held);
void xli_held_add(xli_held *held, cl_event event_or_null);
/* Releases the events of commands that have ended; returns how many are still held. */
size_t xli_held_sweep(void);

/* rusticl.c: whether work must not wait for an event of another queue. */
bool xli_rusticl_waits_forever(const char *platform);
/* Whether its compiler crashes on kernels that exchange values within sub-groups. */
bool xli_rusticl_crashes_on_lanes(const xli_capabilities *capabilities);
/* Or takes minutes for those of a radix sort. */
bool xli_rusticl_compiles_no_radix(const xli_capabilities *capabilities);
/* *stand_in: memory that a kernel gets instead of NULL, which the caller releases; NULL if the
 * driver needs none. */
xl_status xli_rusticl_stand_in(const xl_context *ctx, const xli_capabilities *capabilities,
                               cl_mem *stand_in);
/* Whether loops may be limited, so that the probe looks for it. */
bool xli_rusticl_may_end_loops(const xli_capabilities *capabilities);

/* oclgrind.c: whether kernels are compiled without optimisation there. */
bool xli_oclgrind_must_not_optimise(const char *platform);
/* Whether a flush may never return. */
bool xli_oclgrind_flush_blocks(const char *platform);

/* program.c: xli_program_get() for given capabilities, which the probe needs while the
 * context's own are not known yet. */
xl_status xli_program_build(xl_context *ctx, const xli_capabilities *capabilities, const char *name,
                            const char *defines, xli_program **program);

/* program.c: a source's program for these capabilities, from memory, the disk, or the compiler. */
xl_status xli_program_build_source(xl_context *ctx, const xli_capabilities *capabilities,
                                   const xli_source *source, const char *defines,
                                   const char *options, xli_program **program);

/* program.c: what to use in place of a program that lacks a kernel: the same one, unless it
 * came from a file: then it is built from its source. */
xl_status xli_program_rebuild(xl_context *ctx, const xli_program *unfit,
                              const xli_program **program);
void xli_program_free(xli_program *program);

/* program.c: a source with the caller's own options, the caller's to release; `cached`:
 * looked for in the caches and put there. */
xl_status xli_program_build_user(xl_context *ctx, const xli_capabilities *capabilities,
                                 const xli_source *source, const char *defines, const char *options,
                                 bool cached, cl_program *cl);

/* The texts that a user's source may include, embedded from cl/include: the i-th, or
 * NULL, and the one of that name without ".cl", or NULL. */
const xli_source *xli_include_at(size_t i);
const xli_source *xli_include_find(const char *name);

/* platform.c: the device that `selector` (may be NULL) names. */
xl_status xli_platform_choose(const char *selector, cl_platform_id *platform, cl_device_id *device);
/* clCreateContext() by one thread at a time: drivers prepare there, too. */
cl_context xli_platform_context(cl_platform_id platform, cl_device_id device, cl_int *code);

/* cl_error.c: XL_SUCCESS, or records the text of a failure; frees the text. */
xl_status xli_fail_text(const xl_context *ctx, xl_status status, xli_text *why);
/* Does the code say that memory ran out? */
bool xli_cl_no_memory(cl_int code);

/* device.c: a string or a number the device tells; "" or 0 when it does not. */
void xli_device_text(cl_device_id device, cl_device_info what, char *to, size_t bytes);
/* Cuts at `bytes` and drops the spaces some drivers pad names with. */
void xli_copy_trimmed(char *to, size_t bytes, const char *from);
/* The name of the device's platform. */
void xli_device_platform(cl_device_id device, char *name, size_t bytes);
void xli_platform_text(cl_platform_id platform, cl_platform_info what, char *to, size_t bytes);
/* Version 2.1 as 201; 100 if the device does not say. */
unsigned xli_device_version(cl_device_id device);
/* A list or text of any length with a zero byte behind it, or NULL with XL_SUCCESS
 * where the device does not know the question. The caller frees it. */
xl_status xli_device_list(const xl_context *ctx, cl_device_info what, void **list, size_t *bytes);
cl_uint xli_device_uint(cl_device_id device, cl_device_info what);
cl_ulong xli_device_ulong(cl_device_id device, cl_device_info what);

/* cache_folder.c: the folder of a context that is being made, from the descriptor's or the
 * environment's word; one that others may write to is an error if it was asked for. */
xl_status xli_cache_open(xl_context *ctx, const char *setting_or_null);
/* The whole file of a key, a header and its body, if it is as it was written, or NULL. */
enum { XLI_CACHE_HEADER = 144 };
extern const char xli_cache_magic[17];
char *xli_cache_read(const xl_context *ctx, const char key[65], size_t *length);
/* Fills in the header in front of `length` bytes and writes all of it, then sweeps the
 * folder. */
void xli_cache_write(const xl_context *ctx, const char key[65], char *file, size_t length);

/* cache.c: compiled programs on disk. A miss, a corrupt file or a folder that
 * cannot be written is never an error. */
void xli_cache_key(const xli_capabilities *capabilities, const char *options, const char *head,
                   const xli_source *source, char key[65]);
cl_program xli_cache_load(const xl_context *ctx, const char key[65], const char *options_or_null);
/* Whether a loaded program may be a build of these texts: it has kernels, and the texts contain all
 * of their names. */
bool xli_cache_fits(cl_program program, const char *const texts[], size_t n);
void xli_cache_store(const xl_context *ctx, const char key[65], cl_program program);
/* Keeps the bitcode in a program that PoCL compiled and did not link; the driver makes a
 * program of it when it is loaded with the same options. */
void xli_cache_store_bitcode(const xl_context *ctx, const char key[65], cl_program compiled);
/* Whether these bytes are a whole file of a key, as it was written. */
bool xli_cache_intact(const char *file, size_t length, const char key[65]);
/* That this device passed the self-test of a kernel file, in an earlier process too. */
bool xli_cache_has_pass(const xl_context *ctx, const xli_capabilities *capabilities,
                        const char *test);
void xli_cache_add_pass(const xl_context *ctx, const xli_capabilities *capabilities,
                        const char *test);

/* build_log.c: a line of a source, with its number in the whole, and the file and number
 * that the #line marks before it say. Marks are no lines. */
typedef struct xli_source_line {
    const char *text; /* not terminated */
    size_t length;
    unsigned long whole, number;
    char file[128]; /* "head" before the first mark */
    const char *next;
    unsigned long next_number;
} xli_source_line;
/* Stands before the first line; xli_source_next() goes to the next, if there is one. */
xli_source_line xli_source_lines(const char *source);
bool xli_source_next(xli_source_line *line);
/* Whether a file of a source is text of the user's, not the library's. */
bool xli_source_is_users(const char *file);

/* A compiler's log, reduced to what concerns the user's text; all of it if nothing does. */
typedef struct xli_log {
    xli_text text;      /* the caller frees it */
    char texts[8][128]; /* files of the user's that it names */
    size_t num_texts;
    char file[128]; /* of the first error; "" if there is none */
    unsigned long line, column;
    bool is_users;      /* it is in the user's text itself */
    char required[200]; /* the function that a text must define and does not; else "" */
    char message[256];
} xli_log;
void xli_log_read(const char *text, const char *source, xli_log *log);

/* build_text.c: a build, its report and its dump. */
typedef struct xli_build {
    const xli_capabilities *capabilities;
    const char *name, *key, *options, *head, *body;
    cl_program program;
    cl_int code;
} xli_build;
/* The text of a failed one, of at most 60 lines; `dump` is the file that keeps its source,
 * or NULL. NULL without memory. */
char *xli_build_report(const xl_context *ctx, const xli_build *build, const char *dump);
/* The path of the file that was written, or NULL. */
char *xli_build_dump(const xl_context *ctx, const xli_build *build);

#endif
