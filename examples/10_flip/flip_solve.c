/* SPDX-License-Identifier: MIT
 * The solver: enqueues batches of iterations; after each batch the host asks whether it is done.
 * Superfluous iterations do nothing. */
#include "flip.h"

#define ARG(value)                                                                                 \
    {                                                                                              \
        sizeof(value), &(value)                                                                    \
    }
#define MEM(name)                                                                                  \
    {                                                                                              \
        sizeof(cl_mem), &s->memory[name]                                                           \
    }
/* Launches with the arguments behind `event`, or goes to `done`. */
#define LAUNCH(kernel, event, ...)                                                                 \
    do {                                                                                           \
        const flip_arg list[] = {__VA_ARGS__};                                                     \
        FLIP_TRY(flip_launch(s, kernel, (size_t)s->group * s->parts, s->group, list,               \
                             (cl_uint)(sizeof list / sizeof *list), event));                       \
    } while (0)

enum { BATCH = 16 };

static xl_status begin(flip_sim *s)
{
    xl_status status;
    LAUNCH(FLIP_BEGIN_SOLVE, NULL, ARG(s->settings.size), ARG(s->settings.gravity), ARG(s->stride),
           MEM(FLIP_NUMBERS), MEM(FLIP_ROW_CELLS), MEM(FLIP_OLD_U), MEM(FLIP_OLD_V),
           MEM(FLIP_OLD_W), MEM(FLIP_STEP), MEM(FLIP_SHARES), MEM(FLIP_X), MEM(FLIP_P), MEM(FLIP_Q),
           MEM(FLIP_R));
done:
    return status;
}

/* Even iterations read p from FLIP_P and r from FLIP_R, odd ones the others. */
static xl_status plain_iteration(flip_sim *s, cl_uint it, cl_event *event)
{
    const flip_buffer p = it % 2 ? FLIP_P_TOO : FLIP_P, p_next = it % 2 ? FLIP_P : FLIP_P_TOO;
    const float *tolerance = &s->settings.tolerance;
    xl_status status;
    LAUNCH(FLIP_UPDATE, NULL, ARG(it), ARG(*tolerance), MEM(FLIP_STEP), MEM(FLIP_SHARES), MEM(p),
           MEM(FLIP_Q), MEM(FLIP_X), MEM(FLIP_R));
    LAUNCH(FLIP_DIRECT, event, ARG(it), ARG(*tolerance), ARG(s->stride), MEM(FLIP_STEP),
           MEM(FLIP_SHARES), MEM(FLIP_AROUND), MEM(FLIP_DIAGONAL), MEM(FLIP_R), MEM(p), MEM(p_next),
           MEM(FLIP_Q));
done:
    return status;
}

static xl_status ssor_iteration(flip_sim *s, cl_uint it, cl_event *event)
{
    const flip_buffer p = it % 2 ? FLIP_P_TOO : FLIP_P, p_next = it % 2 ? FLIP_P : FLIP_P_TOO;
    const flip_buffer r = it % 2 ? FLIP_R_TOO : FLIP_R, r_next = it % 2 ? FLIP_R : FLIP_R_TOO;
    const flip_settings *set = &s->settings;
    xl_status status;
    LAUNCH(FLIP_UPDATE_SSOR, NULL, ARG(it), ARG(set->tolerance), ARG(set->omega), ARG(s->stride),
           MEM(FLIP_STEP), MEM(FLIP_SHARES), MEM(FLIP_AROUND), MEM(FLIP_DIAGONAL), MEM(p),
           MEM(FLIP_Q), MEM(FLIP_X), MEM(r), MEM(r_next), MEM(FLIP_Y));
    LAUNCH(FLIP_APPLY_SSOR, NULL, ARG(it), ARG(set->tolerance), ARG(set->omega), ARG(s->stride),
           MEM(FLIP_STEP), MEM(FLIP_SHARES), MEM(FLIP_AROUND), MEM(FLIP_DIAGONAL), MEM(r_next),
           MEM(FLIP_Y), MEM(FLIP_Z));
    LAUNCH(FLIP_DIRECT, event, ARG(it), ARG(set->tolerance), ARG(s->stride), MEM(FLIP_STEP),
           MEM(FLIP_SHARES), MEM(FLIP_AROUND), MEM(FLIP_DIAGONAL), MEM(FLIP_Z), MEM(p), MEM(p_next),
           MEM(FLIP_Q));
done:
    return status;
}

/* The first batch is as long as the last step's solve and a little more. */
xl_status flip_solve(flip_sim *s)
{
    xl_status status;
    const cl_uint most = s->settings.most_iterations;
    cl_uint it = 0, until = s->report.iterations + BATCH / 2;
    FLIP_TRY(begin(s));
    do {
        until = until < most ? until : most;
        for (; it <= until; ++it) {
            cl_event *const event = it == until ? &s->ends[1 + FLIP_PRESSURE] : NULL;
            if (event && *event)
                clReleaseEvent(*event), *event = NULL;
            FLIP_TRY(s->settings.preconditioner == FLIP_SSOR ? ssor_iteration(s, it, event)
                                                             : plain_iteration(s, it, event));
        }
        FLIP_TRY(flip_read_buffer(s, FLIP_STEP, sizeof s->report, &s->report));
        until += BATCH;
    } while (!s->report.solved && it <= most);
done:
    return status;
}
