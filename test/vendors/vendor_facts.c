/* SPDX-License-Identifier: MIT
 * The facts of drivers for absent devices: extensions and versions as ROCm 6.4 reports them for
 * offline devices, as Mesa 26 reports them for llvmpipe, and as Intel documents them for driver
 * 25. Facts that the library never queries are missing. */
#include "vendor_facts.h"

#include <string.h>

#define ATOMICS_32                                                                                 \
    "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics "                              \
    "cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "                        \
    "cl_khr_local_int32_extended_atomics "
#define ATOMICS_64 "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "

/* Sub-groups, but neither shuffles nor ballots; OpenCL C 2.0, and no lists of 3.0. */
#define ROCM                                                                                       \
    .platform = "AMD Accelerated Parallel Processing",                                             \
    .platform_version = "OpenCL 2.1 AMD-APP (3635.0)", .vendor = "Advanced Micro Devices, Inc.",   \
    .driver = "3635.0 (HSA1.1,LC)", .version = "OpenCL 2.0 ", .opencl_c = "OpenCL C 2.0 ",         \
    .extensions = "cl_khr_fp64 " ATOMICS_32 ATOMICS_64                                             \
                  "cl_khr_fp16 cl_khr_subgroups cl_amd_device_attribute_query cl_amd_media_ops "   \
                  "cl_amd_media_ops2 ",                                                            \
    .vendor_id = 0x1002, .group = 256, .local_bytes = 65536

/* Atomics of 32 bits alone, and a sub-group that is a feature and no extension. */
#define RUSTICL                                                                                    \
    .platform = "rusticl", .platform_version = "OpenCL 3.0 ", .vendor = "AMD",                     \
    .version = "OpenCL 3.0 ", .opencl_c = "OpenCL C 1.2 ",                                         \
    .features = {"__opencl_c_subgroups", "__opencl_c_int64", "__opencl_c_fp64"},                   \
    .vendor_id = 0x1002, .units = 96, .group = 1024, .local_bytes = 65536
#define NAVI31 "AMD Radeon RX 7900 XTX (radeonsi, navi31)"
#define RUSTICL_EXTENSIONS                                                                         \
    "cl_khr_fp64 " ATOMICS_32 "cl_khr_create_command_queue cl_khr_il_program "                     \
    "cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative "

#define NEO                                                                                        \
    .platform = "Intel(R) OpenCL Graphics", .platform_version = "OpenCL 3.0 ",                     \
    .vendor = "Intel(R) Corporation", .driver = "25.0", .version = "OpenCL 3.0 NEO ",              \
    .opencl_c = "OpenCL C 1.2 ", .vendor_id = 0x8086, .group = 1024
#define NEO_EXTENSIONS                                                                             \
    ATOMICS_32 ATOMICS_64                                                                          \
        "cl_khr_fp16 cl_khr_subgroups cl_khr_subgroup_extended_types "                             \
        "cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot "                                 \
        "cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle "                          \
        "cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce cl_intel_subgroups "    \
        "cl_intel_required_subgroup_size cl_intel_subgroups_short cl_intel_subgroups_char "        \
        "cl_intel_subgroups_long "
#define NEO_FEATURES                                                                               \
    "__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_order_seq_cst",                          \
        "__opencl_c_atomic_scope_device", "__opencl_c_atomic_scope_all_devices",                   \
        "__opencl_c_int64", "__opencl_c_subgroups", "__opencl_c_generic_address_space",            \
        "__opencl_c_program_scope_global_variables", "__opencl_c_work_group_collective_functions"

const xlt_vendor xlt_vendors[] = {
    {.name = "rocm-gfx90a",
     ROCM,
     .device = "gfx90a:sramecc+:xnack-",
     .units = 104,
     .wavefront = 64},
    {.name = "rocm-gfx1100", ROCM, .device = "gfx1100", .units = 48, .wavefront = 32},
    {.name = "rusticl",
     RUSTICL,
     .device = NAVI31,
     .driver = "26.1",
     .extensions = RUSTICL_EXTENSIONS "cl_khr_subgroup_ballot "},
    {.name = "rusticl-25",
     RUSTICL,
     .device = NAVI31,
     .driver = "25.0",
     .extensions = RUSTICL_EXTENSIONS},
    /* No GPU, but reported as one like all rows, for the differences of that driver. */
    {.name = "rusticl-llvmpipe",
     RUSTICL,
     .device = "llvmpipe (LLVM 22.1.8, 256 bits)",
     .driver = "26.2.6-1",
     .extensions = RUSTICL_EXTENSIONS "cl_khr_subgroup_ballot "},
    {.name = "neo",
     NEO,
     .device = "Intel(R) Arc(TM) A770 Graphics",
     .extensions = NEO_EXTENSIONS,
     .features = {NEO_FEATURES},
     .units = 512,
     .widths = {8, 16, 32},
     .local_bytes = 65536},
    {.name = "neo-fp64",
     NEO,
     .device = "Intel(R) Data Center GPU Max 1550",
     .extensions = NEO_EXTENSIONS "cl_khr_fp64 ",
     .features = {NEO_FEATURES, "__opencl_c_fp64"},
     .units = 448,
     .widths = {16, 32},
     .local_bytes = 131072},
};
const size_t xlt_vendor_count = sizeof xlt_vendors / sizeof *xlt_vendors;

const xlt_vendor *xlt_vendor_find(const char *name_or_null)
{
    for (size_t i = 0; i < xlt_vendor_count; ++i)
        if (name_or_null && strcmp(name_or_null, xlt_vendors[i].name) == 0)
            return &xlt_vendors[i];
    return NULL;
}
