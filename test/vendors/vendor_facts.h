/* SPDX-License-Identifier: MIT
 * Tables of the facts that drivers of GPUs report, so that a machine without such a GPU can test the
 * choices of the library. */
#ifndef VENDOR_FACTS_H
#define VENDOR_FACTS_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stddef.h>

enum { XLT_VENDOR_FEATURES = 16, XLT_VENDOR_WIDTHS = 4 };

typedef struct xlt_vendor {
    const char *name; /* of this row: what XLT_VENDOR says */
    const char *platform, *platform_version;
    const char *vendor, *device, *driver;
    const char *version, *opencl_c; /* CL_DEVICE_VERSION, CL_DEVICE_OPENCL_C_VERSION */
    const char *extensions;
    const char *features[XLT_VENDOR_FEATURES]; /* of OpenCL C 3.0, up to a NULL */
    cl_uint vendor_id, units;
    cl_uint wavefront;                /* what AMD's own query says; 0: it is not known there */
    size_t widths[XLT_VENDOR_WIDTHS]; /* what Intel's own query says, up to a 0 */
    size_t group;                     /* the most work-items of a group */
    cl_ulong local_bytes; /* of a group's local memory, if the real device has so much */
} xlt_vendor;

extern const xlt_vendor xlt_vendors[];
extern const size_t xlt_vendor_count;

/* The row of that name, or NULL. */
const xlt_vendor *xlt_vendor_find(const char *name_or_null);

#endif
