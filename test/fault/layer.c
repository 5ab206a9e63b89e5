/* SPDX-License-Identifier: MIT
 * Puts the layer between the OpenCL loader and its drivers, and finds its exported symbols. */
#define _GNU_SOURCE
#include "faults.h"

#include <crosslane/context.h>
#include <dlfcn.h>
#include <stdlib.h>

static void *find(const char *name)
{
    void *layer = dlopen(XLT_FAULT_LAYER, RTLD_NOW | RTLD_NOLOAD);
    return layer ? dlsym(layer, name) : NULL;
}

xlt_fault_state *xlt_layer_load(void)
{
    cl_uint platforms = 0;
    setenv("OPENCL_LAYERS", XLT_FAULT_LAYER, 1); /* before the loader's first call */
    clGetPlatformIDs(0, NULL, &platforms);
    return find("xlt_faults");
}

xlt_step_log *xlt_layer_steps(void)
{
    return find("xlt_steps");
}

bool xlt_same_objects(const xlt_fault_state *a, const xlt_fault_state *b)
{
    return a->devices == b->devices && a->contexts == b->contexts && a->queues == b->queues &&
           a->buffers == b->buffers && a->programs == b->programs && a->kernels == b->kernels &&
           a->events == b->events;
}
