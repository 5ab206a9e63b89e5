/* SPDX-License-Identifier: MIT
 * Devices that need not be there, whose facts are made up: what tests of shapes share. */
#ifndef SHAPE_DEVICES_H
#define SHAPE_DEVICES_H

#include "runtime.h"
#include "tune.h"

typedef struct device {
    const char *name;
    bool is_cpu, can_publish;
    xli_lane_way lane_way;
    uint32_t vendor_id, capability, width, units;
    size_t group, local_bytes;
} device;

enum { H200, NARROW, WIDE, POCL, INTEL, LLVMPIPE, DEVICES };
extern const device devices[DEVICES];

xli_capabilities facts_of(const device *d);
/* The facts that select the built-in values. */
xli_tune_device known_of(const xli_capabilities *capabilities);

#endif
