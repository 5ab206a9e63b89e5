/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_CONTEXT_H
#define CROSSLANE_CONTEXT_H
#include <crosslane/types.h>
typedef struct xl_context xl_context;
typedef struct xl_context_desc {
    uint32_t struct_size;
    const char *device;
    const char *cache_dir;
    const char *dump_dir;
    const char *tune_file;
} xl_context_desc;
typedef enum xl_sub_group_source {
    XL_SUB_GROUP_NOT_REPORTED = 0,
    XL_SUB_GROUP_OF_KERNEL = 1,
    XL_SUB_GROUP_NV_WARP = 2,
    XL_SUB_GROUP_AMD_WAVEFRONT = 3,
    XL_SUB_GROUP_INTEL_SIZES = 4,
    XL_SUB_GROUP_MASKED = 5
} xl_sub_group_source;
typedef struct xl_device_info {
    uint32_t struct_size;
    uint32_t compute_units;
    uint64_t device_type;
    uint64_t global_bytes;
    uint64_t max_buffer_bytes;
    uint64_t local_bytes;
    uint64_t max_work_group_size;
    char name[256];
    char vendor[128];
    char platform[128];
    char platform_version[128];
    char driver[128];
    char opencl_c[16];
    char cross_lane[16];
    char probe[160];
    uint32_t sub_group_size;
    uint32_t sub_group_source;
    uint32_t sub_group_size_reported;
    uint32_t sub_group_size_measured;
    uint32_t work_group_size_multiple;
    uint32_t has_fp64;
    uint32_t has_int64_atomics;
    uint32_t has_sub_groups;
} xl_device_info;
typedef struct xl_tunable_info {
    const char *name;
    const char *meaning;
    uint64_t least, greatest;
    uint64_t value;
    uint32_t zero;
    uint32_t from_file;
    uint32_t step;
    uint32_t turn;
} xl_tunable_info;
typedef void xl_tunable_visitor(void *user, const xl_tunable_info *info);
XL_EXTERN_C_BEGIN
XL_API void xl_context_desc_init_sized(xl_context_desc *desc, size_t size);
XL_NODISCARD XL_API xl_status xl_context_create(const xl_context_desc *desc, xl_context **ctx);
XL_NODISCARD XL_API xl_status xl_context_adopt(cl_context cl, cl_device_id device,
                                               const xl_context_desc *desc, xl_context **ctx);
XL_API void xl_context_destroy(xl_context *ctx);
XL_API cl_context xl_context_cl(const xl_context *ctx);
XL_API cl_device_id xl_context_device(const xl_context *ctx);
XL_API cl_command_queue xl_context_queue(xl_context *ctx);
XL_API const char *xl_context_cache(const xl_context *ctx);
XL_NODISCARD XL_API xl_status xl_context_device_info_sized(xl_context *ctx, xl_device_info *info,
                                                           size_t size);
XL_API const char *xl_context_error(const xl_context *ctx);
typedef void xl_device_visitor(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                               cl_device_id did);
XL_API uint32_t xl_devices_each(xl_device_visitor *visit, void *user);
XL_API uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user);
XL_EXTERN_C_END
static inline void xl_context_desc_init(xl_context_desc *desc)
{
    xl_context_desc_init_sized(desc, sizeof *desc);
}
XL_NODISCARD static inline xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info)
{
    return xl_context_device_info_sized(ctx, info, sizeof *info);
}
#endif
