/* SPDX-License-Identifier: MIT
 * The times of the stages by the device's clock: from the end of one stage to the end of the next,
 * including the time in which the device waits for commands. */
#include "flip.h"

const char *flip_stage_name(flip_stage stage)
{
    static const char *const names[FLIP_STAGES] = {
        "speed", "sort", "cells", "to grid", "pressure", "project", "extrapolate", "to particles"};
    return names[stage];
}

xl_status flip_times(flip_sim *s)
{
    cl_ulong before = 0, now = 0;
    cl_int code =
        s->ends[FLIP_STAGES] ? clWaitForEvents(1, &s->ends[FLIP_STAGES]) : CL_INVALID_EVENT;
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(s->ends[0], CL_PROFILING_COMMAND_START, sizeof before,
                                       &before, NULL);
    for (size_t i = 0; i < FLIP_STAGES && code == CL_SUCCESS; ++i) {
        code = clGetEventProfilingInfo(s->ends[i + 1], CL_PROFILING_COMMAND_END, sizeof now, &now,
                                       NULL);
        s->stage_ms[i] = now > before ? (double)(now - before) * 1e-6 : 0;
        before = now;
    }
    return flip_cl(s, code, "clGetEventProfilingInfo()");
}
