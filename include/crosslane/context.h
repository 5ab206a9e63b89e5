/* SPDX-License-Identifier: MIT
 * A context: one OpenCL device with its queue, its compiled programs and its settings. Everything
 * else is made from a context.
 *
 *     xl_context *ctx;
 *     if (xl_context_create(NULL, &ctx) != XL_SUCCESS)
 *         puts(xl_context_error(NULL));
 *
 * Threads: any thread may call any function at any time, also as the first OpenCL calls of the
 * process; only xl_context_destroy() must be the last call on its context.
 * Processes: OpenCL drivers do not survive fork(). In the child of a process that has called the
 * library, functions that need OpenCL return XL_ERROR_UNSUPPORTED, and functions that destroy an
 * object do nothing. Call fork() before the first call of the library, or exec() in the child.
 * Ownership: the library retains every cl_* object that it keeps, and releases it after the last
 * use. */
#ifndef CROSSLANE_CONTEXT_H
#define CROSSLANE_CONTEXT_H

#include <crosslane/types.h>

typedef struct xl_context xl_context;

/* Settings of a context. Start from xl_context_desc_init(). A field that is set overrides the
 * environment variable in parentheses; "" selects the default, whatever the variable says. Strings
 * are copied. */
typedef struct xl_context_desc {
    uint32_t version; /* set by xl_context_desc_init() */
    /* The device (CROSSLANE_DEVICE): "gpu", "cpu", a part of a device name ("h200"), or
     * "platform:device", where each side is a number from 0, a part of the name, or empty for any
     * ("1:0", "rusticl:", ":h200"). Upper and lower case are equal. NULL: the GPU with most compute
     * units, otherwise the first accelerator, otherwise the first CPU. */
    const char *device;
    /* Folder for compiled programs (CROSSLANE_CACHE_DIR), in addition to the driver's own cache;
     * "off" or "0": none. NULL: the user's cache folder. The folder is created if it does not
     * exist. Above CROSSLANE_CACHE_LIMIT MiB (1 to 1048576, default 256) the least recently used
     * files are removed. A given folder that belongs to another user, or that others may write to,
     * is XL_ERROR_INVALID_ARGUMENT. If the default folder is such a folder, or if a folder cannot
     * be created, programs are not kept; xl_context_cache() gives the reason. */
    const char *cache_dir;
    /* Folder that receives source, options and log of every program (CROSSLANE_DUMP_DIR); created
     * if it does not exist. XL_ERROR_INVALID_ARGUMENT if the folder cannot be created or written.
     * NULL: none */
    const char *dump_dir;
    /* File of tuning values (CROSSLANE_TUNE_FILE): lines "name = number"; '#' starts a comment.
     * xl_tunables_each() lists the names; a plan's descriptor may override each value.
     * XL_ERROR_INVALID_ARGUMENT, with the line: a file that cannot be read, another kind of line,
     * an unknown name, a number out of range. NULL: the built-in table */
    const char *tune_file;
    /* Features to disable, separated by commas (CROSSLANE_MASK), to test fallbacks:
     * no-int64-atomics, no-fp64, no-look-back, no-sub-groups, width=1 (no exchange within
     * sub-groups), work-group=N (at most N work-items), no-optimisation (kernels are compiled with
     * -cl-opt-disable) */
    const char *mask;
} xl_context_desc;

/* The source of the sub-group size, the most reliable first. */
typedef enum xl_sub_group_source {
    XL_SUB_GROUP_NOT_REPORTED = 0,  /* none */
    XL_SUB_GROUP_OF_KERNEL = 1,     /* clGetKernelSubGroupInfo on the probe kernel */
    XL_SUB_GROUP_NV_WARP = 2,       /* CL_DEVICE_WARP_SIZE_NV */
    XL_SUB_GROUP_AMD_WAVEFRONT = 3, /* CL_DEVICE_WAVEFRONT_WIDTH_AMD */
    XL_SUB_GROUP_INTEL_SIZES = 4,   /* CL_DEVICE_SUB_GROUP_SIZES_INTEL, the widest */
    XL_SUB_GROUP_MASKED = 5         /* not queried: the mask has "width=1" */
} xl_sub_group_source;

/* Properties of the device of a context. */
typedef struct xl_device_info {
    uint32_t compute_units;
    uint64_t device_type;         /* CL_DEVICE_TYPE_GPU, _CPU, ... */
    uint64_t global_bytes;        /* device memory */
    uint64_t max_buffer_bytes;    /* largest single buffer */
    uint64_t local_bytes;         /* local memory of a work-group */
    uint64_t max_work_group_size; /* work-items, before any kernel's own limit */
    char name[256];
    char vendor[128];
    char platform[128];
    char platform_version[128];
    char driver[128];
    char opencl_c[16];         /* the dialect of the kernels: "CL1.2", "CL2.0", "CL3.0" */
    char cross_lane[16];       /* how work-items of a sub-group exchange values: "ptx", "sub-group",
                                  "amd", or "local": through local memory */
    char probe[160];           /* the result of the probe kernel, or why it did not run */
    uint32_t sub_group_size;   /* work-items that exchange values without memory; 1: none do */
    uint32_t sub_group_source; /* xl_sub_group_source */
    uint32_t sub_group_size_reported;  /* by sub_group_source, used or not; 0: not reported */
    uint32_t sub_group_size_measured;  /* by the probe kernel; 0: it did not run */
    uint32_t work_group_size_multiple; /* preferred for the probe kernel, a hint; 0: as above */
    uint32_t has_fp64;
    uint32_t has_int64_atomics;
    uint32_t has_sub_groups;
    uint32_t has_device_scope;   /* 64-bit atomics of device scope: look-back needs them */
    uint32_t caches_from_source; /* the driver keeps its own program cache */
} xl_device_info;

/* A tunable, as xl_tunables_each() describes it. Only the library creates this structure. */
typedef struct xl_tunable_info {
    const char *name;         /* "scan.group_size"; static storage, also `meaning` */
    const char *meaning;      /* one sentence */
    uint64_t least, greatest; /* the range on any device */
    uint64_t value;           /* the default of plans of the context */
    uint32_t zero;            /* 1: 0 is allowed as well and means none or no limit */
    uint32_t from_file;       /* 1: the value is from the tuning file; 0: from the built-in table */
    uint32_t step;            /* how a search by measurement changes the value: 1: by one, 2: by a
                                 factor of two, 0: not at all */
    uint32_t turn;            /* such a search starts with those of the lowest turn; 0: never */
} xl_tunable_info;
typedef void xl_tunable_visitor(void *user, const xl_tunable_info *info);

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_context_desc_init(desc) xl_context_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_context_desc_init_version(xl_context_desc *desc, uint32_t version);

/* Creates a context on the device that the descriptor chooses. desc: NULL for the defaults, with
 * the structures of version 0.1. On failure *ctx is NULL, and xl_context_error(NULL) gives the
 * reason with a list of the devices. Compiles no kernels. */
XL_NODISCARD XL_API xl_status xl_context_create(const xl_context_desc *desc, xl_context **ctx);

/* Creates a context on the caller's OpenCL context and device, which are retained. desc->device has
 * no effect. XL_ERROR_INVALID_ARGUMENT: cl, device or ctx is NULL; cl is not a context; cl does not
 * have the device. */
XL_NODISCARD XL_API xl_status xl_context_adopt(cl_context cl, cl_device_id device,
                                               const xl_context_desc *desc, xl_context **ctx);

/* Destroys a context; NULL is ignored. Plans made from it remain usable: the device is released
 * with the last of them. */
XL_API void xl_context_destroy(xl_context *ctx);

/* The OpenCL objects of a context. Borrowed: retain them to keep them longer. The queue is created
 * at first use, in order and with profiling; NULL if that fails (xl_context_error() gives the
 * reason). Calls accept any queue of the same context and device. */
XL_API cl_context xl_context_cl(const xl_context *ctx);
XL_API cl_device_id xl_context_device(const xl_context *ctx);
XL_API cl_command_queue xl_context_queue(xl_context *ctx);

/* The folder in which the context keeps compiled programs, or "none: " and the reason, as text for
 * people. "" for NULL. Borrowed. */
XL_API const char *xl_context_cache(const xl_context *ctx);

/* Stores the properties of the context's device in *info. The first call on a context compiles and
 * runs a kernel that finds the sub-group size, which blocks for some milliseconds; later calls do
 * not block. XL_ERROR_INVALID_ARGUMENT: a NULL. */
XL_NODISCARD XL_API xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info);

/* The reason of the last failure of this thread: the argument, its value and the rule. That is the
 * last failure, since ctx was created, of a call on ctx or on a plan of it, or of a call without a
 * context: xl_context_create(), xl_context_adopt(), and calls whose plan or context was NULL. ctx:
 * NULL for failures of calls without a context only. "" if there was none. A success does not clear
 * the text.
 *
 * For a program that did not compile, the text has at most 60 lines: the caller's text that is
 * wrong; device, driver and options; the relevant part of the compiler's log; the caller's text
 * with line numbers. The generated source is written to the dump folder, if there is one.
 *
 * Borrowed: valid until the next failure of this thread or the end of the context. Never NULL. */
XL_API const char *xl_context_error(const xl_context *ctx);

/* Calls `visit` once for each device of each platform and returns the number of devices. `platform`
 * and `device` are the numbers of xl_context_desc.device. Nothing is retained. */
typedef void xl_device_visitor(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                               cl_device_id did);
XL_API uint32_t xl_devices_each(xl_device_visitor *visit, void *user);

/* Calls `visit` (may be NULL) once for each tunable and returns their number. ctx: NULL allowed;
 * then values are 0. The first call on a context may block, as xl_context_device_info(). Returns 0
 * if that fails (xl_context_error() gives the reason). */
XL_API uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user);

XL_EXTERN_C_END

#endif
