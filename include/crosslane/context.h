/* SPDX-License-Identifier: MIT
 * One OpenCL device, ready for use: everything else hangs off a context.
 *
 * Threads: every function here may be called from any thread at any time, also as the first OpenCL
 * calls of the process, except that xl_context_destroy() must be the last call on its context.
 * Processes: OpenCL drivers do not survive fork(). In the child of a process that has called the
 * library, functions that need OpenCL return XL_ERROR_UNSUPPORTED, and functions that destroy an
 * object do nothing. Call fork() before the first call of the library, or exec() in the child.
 * Ownership: every cl_* object that is given is retained, and released again
 * when the last user inside the library lets go of it. */
#ifndef CROSSLANE_CONTEXT_H
#define CROSSLANE_CONTEXT_H

#include <crosslane/types.h>

typedef struct xl_context xl_context;

/* How a context is made. Start from xl_context_desc_init(). Each field that is
 * set overrides the environment variable named beside it; "" asks for the default
 * whatever the environment says. Strings are copied. */
typedef struct xl_context_desc {
    uint32_t version; /* set by xl_context_desc_init() */
    /* Which device (CROSSLANE_DEVICE): "gpu", "cpu", a part of a device name
     * ("h200"), or "platform:device", where each side is a number counted from
     * 0, a part of the name, or empty for any ("1:0", "rusticl:", ":h200"). NULL:
     * the GPU with most compute units, else the first accelerator, else
     * the first CPU. Letter case does not matter. */
    const char *device;
    /* Folder for compiled programs (CROSSLANE_CACHE_DIR), beside the cache that a driver may have
     * of its own; "off" or "0" keeps none. NULL: the user's cache folder. Files that were not used
     * for longest are removed when it has more than CROSSLANE_CACHE_LIMIT MiB (1 to 1048576; 256 if
     * that is not set). A folder that belongs to another user, or that others may write to, is
     * XL_ERROR_INVALID_ARGUMENT; where it is what NULL stands for, nothing is kept instead, and
     * xl_context_cache() says so. The folder is made if it does not exist. If it cannot be made, or
     * is not a folder, nothing is kept, and xl_context_cache() says so. */
    const char *cache_dir;
    /* Folder that receives source, options and log of every program built
     * (CROSSLANE_DUMP_DIR); made if it is not there. One that cannot be made or written to
     * is XL_ERROR_INVALID_ARGUMENT. NULL: none. */
    const char *dump_dir;
    /* File of tuning values, lines "name = number", '#' starts a comment
     * (CROSSLANE_TUNE_FILE). A file that cannot be read, a line that is not so,
     * an unknown name or a number out of its range is XL_ERROR_INVALID_ARGUMENT and named.
     * xl_tunables_each() lists the names; they may change with any version; a plan's descriptor
     * may override each. NULL: the built-in table. */
    const char *tune_file;
    /* Features to do without, comma separated (CROSSLANE_MASK), for testing
     * fallbacks: no-int64-atomics, no-fp64, no-look-back, no-sub-groups,
     * width=1 (no cross-lane operations), work-group=N (at most N work-items). */
    const char *mask;
} xl_context_desc;

/* Who reports the device's sub-group size, in the order of trust. */
typedef enum xl_sub_group_source {
    XL_SUB_GROUP_NOT_REPORTED = 0,  /* nobody */
    XL_SUB_GROUP_OF_KERNEL = 1,     /* clGetKernelSubGroupInfo on the probe kernel */
    XL_SUB_GROUP_NV_WARP = 2,       /* CL_DEVICE_WARP_SIZE_NV */
    XL_SUB_GROUP_AMD_WAVEFRONT = 3, /* CL_DEVICE_WAVEFRONT_WIDTH_AMD */
    XL_SUB_GROUP_INTEL_SIZES = 4,   /* CL_DEVICE_SUB_GROUP_SIZES_INTEL, the widest */
    XL_SUB_GROUP_MASKED = 5         /* not asked: "width=1" was wanted */
} xl_sub_group_source;

/* What is known of the device of a context. */
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
    char opencl_c[16];         /* dialect kernels are built as: "CL1.2", "CL2.0", "CL3.0" */
    char cross_lane[16];       /* how work-items of a sub-group exchange values: "ptx", "sub-group",
                                  "amd", or "local": through local memory */
    char probe[160];           /* what the probe saw, in words */
    uint32_t sub_group_size;   /* work-items that exchange values without memory; 1: none do */
    uint32_t sub_group_source; /* xl_sub_group_source */
    uint32_t sub_group_size_reported;  /* what sub_group_source says, used or not; 0: nothing */
    uint32_t sub_group_size_measured;  /* what the probe kernel counted; 0: the probe did not run */
    uint32_t work_group_size_multiple; /* preferred by the probe kernel: a hint, never relied on */
    uint32_t has_fp64;
    uint32_t has_int64_atomics;
    uint32_t has_sub_groups;
    uint32_t has_device_scope;   /* 64-bit atomics of device scope: look-back needs them */
    uint32_t caches_from_source; /* the driver keeps its own program cache */
} xl_device_info;

/* A tunable as xl_tunables_each() shows it. It may grow at its end; only the library makes one. */
typedef struct xl_tunable_info {
    const char *name;         /* "scan.group_size"; static storage, as `meaning` */
    const char *meaning;      /* one sentence */
    uint64_t least, greatest; /* the widest range that any device may take */
    uint64_t value;           /* that plans of the context start from */
    uint32_t zero;            /* 1: 0 is legal as well, and stands for none, or for no limit */
    uint32_t from_file;       /* 1: the value is the tuning file's; 0: the built-in table's */
    uint32_t step;            /* how a search by measurement goes on from a value: 1: by one, 2: to
                                 its double or half; 0: it leaves it alone */
    uint32_t turn;            /* such a search takes those of a lower turn first; 0: never */
} xl_tunable_info;
typedef void xl_tunable_visitor(void *user, const xl_tunable_info *info);

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_context_desc_init(desc) xl_context_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_context_desc_init_version(xl_context_desc *desc, uint32_t version);

/* Chooses a platform and a device and makes an OpenCL context on it.
 * `desc` may be NULL for the defaults, with the structures of version 0.1. On failure *ctx is NULL,
 * and the reason, with a list of the devices there are, is read with xl_context_error(NULL). */
XL_NODISCARD XL_API xl_status xl_context_create(const xl_context_desc *desc, xl_context **ctx);

/* The same on a context and device of the caller's; both are retained.
 * `desc->device` is not looked at. XL_ERROR_INVALID_ARGUMENT: a NULL for cl, device or ctx; what is
 * no context; a device that the context does not have. */
XL_NODISCARD XL_API xl_status xl_context_adopt(cl_context cl, cl_device_id device,
                                               const xl_context_desc *desc, xl_context **ctx);

/* Lets go of a context; NULL is ignored. Plans made from it stay usable: the
 * context ends with the last of them. */
XL_API void xl_context_destroy(xl_context *ctx);

/* The OpenCL objects of a context. Borrowed: retain them to keep them longer.
 * The queue is made on first use, in order and with profiling; NULL if it
 * could not be made (xl_context_error() says why). Calls take any queue of the
 * same context and device. */
XL_API cl_context xl_context_cl(const xl_context *ctx);
XL_API cl_device_id xl_context_device(const xl_context *ctx);
XL_API cl_command_queue xl_context_queue(xl_context *ctx);

/* Where a context keeps compiled programs, for people to read: the name of a folder, or
 * "none: " and why. "" for NULL. Borrowed. */
XL_API const char *xl_context_cache(const xl_context *ctx);

/* Stores the properties of the context's device in *info. The first call on a context compiles and
 * runs a kernel that finds the sub-group size, which blocks for some milliseconds; later calls do
 * not block. XL_ERROR_INVALID_ARGUMENT: a NULL. */
XL_NODISCARD XL_API xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info);

/* Why a call of this thread failed: which argument, its value and its limit. It is the last
 * failure since `ctx` was made of a call on `ctx` (or on a plan of it), or of a call that had no
 * context: xl_context_create(), xl_context_adopt(), and any that was given NULL for its plan or
 * context. ctx == NULL: the last failure of a call that had none. "" when there was no failure; a
 * success does not clear the text.
 *
 * Of a program that did not compile the text has at most 60 lines: what was made and which
 * text of the caller's is wrong; device, driver and options; the compiler's log as far as it
 * concerns the caller's text; and that text, its lines numbered from 1. The generated source
 * is written to the folder for dumps, if the context has one, and its path named.
 *
 * Borrowed; valid until the next failure on this thread or the end of the context. Never NULL. */
XL_API const char *xl_context_error(const xl_context *ctx);

/* Calls `visit` once for each device of each platform, in the order that
 * "platform:device" numbers count, and returns the number of devices.
 * `platform` and `device` are those numbers. Nothing is retained. */
typedef void xl_device_visitor(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                               cl_device_id did);
XL_API uint32_t xl_devices_each(xl_device_visitor *visit, void *user);

/* Calls `visit` (may be NULL) once for each tunable that a descriptor or a tuning file may name,
 * and returns their number. `ctx` may be NULL: then values are 0. The first call on a context
 * may block, as xl_context_device_info(); 0 where that fails (xl_context_error() says why). */
XL_API uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user);

XL_EXTERN_C_END

#endif
