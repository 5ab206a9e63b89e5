/* SPDX-License-Identifier: MIT
 * The stages of a step, one after the other on one queue. */
#include "flip.h"

#define ARG(value)                                                                                 \
    {                                                                                              \
        sizeof(value), &(value)                                                                    \
    }
#define MEM(name)                                                                                  \
    {                                                                                              \
        sizeof(cl_mem), &s->memory[name]                                                           \
    }
#define ARGS(...)                                                                                  \
    (const flip_arg[]){__VA_ARGS__},                                                               \
        (cl_uint)(sizeof((const flip_arg[]){__VA_ARGS__}) / sizeof(flip_arg))

enum { LAYERS = 3 }; /* faces that a particle which goes one cell may look at; an odd number */

/* Work-items of a group where each has a particle. */
static size_t particle_group(const flip_sim *s)
{
    return s->group == 1 ? 64 : s->group;
}

static xl_status choose_step(flip_sim *s)
{
    xl_status status;
    const flip_settings *set = &s->settings;
    FLIP_TRY(
        flip_launch(s, FLIP_FIND_CELLS, set->particles, particle_group(s),
                    ARGS(ARG(set->size), ARG(set->particles), MEM(FLIP_POSITIONS), MEM(FLIP_KEYS)),
                    &s->ends[0]));
    FLIP_TRY(xl_reduce_enqueue(s->fastest, s->queue,
                               &(xl_reduce_args){.n = set->particles,
                                                 .in = xl_view_of(s->memory[FLIP_VELOCITIES], 0),
                                                 .out = xl_view_of(s->memory[FLIP_MAXIMUM], 0)},
                               0, NULL, NULL));
    FLIP_TRY(flip_launch(s, FLIP_BEGIN_STEP, 1, 1,
                         ARGS(ARG(set->longest_step), ARG(set->cfl), ARG(set->gravity),
                              MEM(FLIP_MAXIMUM), MEM(FLIP_STEP)),
                         &s->ends[1 + FLIP_SPEED]));
done:
    return status;
}

static xl_status sort(flip_sim *s)
{
    static const cl_uint zero = 0;
    xl_status status;
    const cl_uint count = s->settings.particles;
    FLIP_TRY(xl_sort_enqueue(
        s->sort, s->queue,
        &(xl_sort_args){.n = count,
                        .keys_in = xl_view_of(s->memory[FLIP_KEYS], 0),
                        .keys_out = xl_view_of(s->memory[FLIP_SORTED_KEYS], 0),
                        .values_in = xl_view_of(s->memory[FLIP_POSITIONS], 0),
                        .values_out = xl_view_of(s->memory[FLIP_SORTED_POSITIONS], 0),
                        .more_values_in = {xl_view_of(s->memory[FLIP_VELOCITIES], 0)},
                        .more_values_out = {xl_view_of(s->memory[FLIP_SORTED_VELOCITIES], 0)}},
        0, NULL, NULL));
    FLIP_TRY(flip_cl(s,
                     clEnqueueFillBuffer(s->queue, s->memory[FLIP_ENDS], &zero, sizeof zero, 0,
                                         4 * (size_t)s->cells, 0, NULL, NULL),
                     "clEnqueueFillBuffer()"));
    FLIP_TRY(flip_launch(s, FLIP_FIND_CELL_ENDS, count, particle_group(s),
                         ARGS(ARG(count), MEM(FLIP_SORTED_KEYS), MEM(FLIP_ENDS)),
                         &s->ends[1 + FLIP_SORT]));
done:
    return status;
}

/* Where the particles of a cell begin, and which row it has, are two scans of one array. */
static xl_status count_cells(flip_sim *s)
{
    xl_status status;
    FLIP_TRY(xl_scan_enqueue(s->count_particles, s->queue,
                             &(xl_scan_args){.n = s->cells,
                                             .in = xl_view_of(s->memory[FLIP_ENDS], 0),
                                             .out = xl_view_of(s->memory[FLIP_STARTS], 1)},
                             0, NULL, NULL));
    FLIP_TRY(xl_scan_enqueue(s->count_rows, s->queue,
                             &(xl_scan_args){.n = s->cells,
                                             .in = xl_view_of(s->memory[FLIP_ENDS], 0),
                                             .out = xl_view_of(s->memory[FLIP_NUMBERS], 0)},
                             0, NULL, NULL));
    FLIP_TRY(flip_launch_cells(s, FLIP_MAKE_ROWS,
                               ARGS(ARG(s->settings.size), ARG(s->stride), MEM(FLIP_ENDS),
                                    MEM(FLIP_NUMBERS), MEM(FLIP_ROW_CELLS), MEM(FLIP_AROUND),
                                    MEM(FLIP_DIAGONAL)),
                               &s->ends[1 + FLIP_CELLS]));
done:
    return status;
}

xl_status flip_sort_particles(flip_sim *s)
{
    xl_status status;
    FLIP_TRY(choose_step(s));
    FLIP_TRY(sort(s));
    FLIP_TRY(count_cells(s));
done:
    return status;
}

xl_status flip_gather_velocities(flip_sim *s)
{
    return flip_launch_cells(s, FLIP_PARTICLES_TO_FACES,
                             ARGS(ARG(s->settings.size), MEM(FLIP_STARTS),
                                  MEM(FLIP_SORTED_POSITIONS), MEM(FLIP_SORTED_VELOCITIES),
                                  MEM(FLIP_OLD_U), MEM(FLIP_OLD_V), MEM(FLIP_OLD_W), MEM(FLIP_U),
                                  MEM(FLIP_V), MEM(FLIP_W)),
                             &s->ends[1 + FLIP_TO_GRID]);
}

static xl_status extrapolate(flip_sim *s)
{
    xl_status status = XL_SUCCESS;
    for (unsigned layer = 0; layer < LAYERS; ++layer) {
        const flip_buffer from = layer % 2 ? FLIP_KNOWN_TOO : FLIP_KNOWN;
        const flip_buffer to = layer % 2 ? FLIP_KNOWN : FLIP_KNOWN_TOO;
        FLIP_TRY(flip_launch_cells(
            s, FLIP_EXTRAPOLATE,
            ARGS(ARG(s->settings.size), MEM(from), MEM(FLIP_U), MEM(FLIP_V), MEM(FLIP_W), MEM(to)),
            layer + 1 == LAYERS ? &s->ends[1 + FLIP_EXTEND] : NULL));
    }
done:
    return status;
}

xl_status flip_project_and_move(flip_sim *s)
{
    xl_status status;
    const flip_settings *set = &s->settings;
    FLIP_TRY(flip_launch_cells(s, FLIP_GRADIENT,
                               ARGS(ARG(set->size), ARG(set->gravity), MEM(FLIP_STEP),
                                    MEM(FLIP_ENDS), MEM(FLIP_NUMBERS), MEM(FLIP_X), MEM(FLIP_OLD_U),
                                    MEM(FLIP_OLD_V), MEM(FLIP_OLD_W), MEM(FLIP_U), MEM(FLIP_V),
                                    MEM(FLIP_W), MEM(FLIP_KNOWN)),
                               &s->ends[1 + FLIP_PROJECT]));
    FLIP_TRY(extrapolate(s));
    FLIP_TRY(
        flip_launch(s, FLIP_MOVE_PARTICLES, set->particles, particle_group(s),
                    ARGS(ARG(set->size), ARG(set->particles), ARG(set->flip), MEM(FLIP_STEP),
                         MEM(FLIP_OLD_U), MEM(FLIP_OLD_V), MEM(FLIP_OLD_W), MEM(FLIP_U),
                         MEM(FLIP_V), MEM(FLIP_W), MEM(FLIP_SORTED_POSITIONS),
                         MEM(FLIP_SORTED_VELOCITIES), MEM(FLIP_POSITIONS), MEM(FLIP_VELOCITIES)),
                    &s->ends[1 + FLIP_TO_PARTICLES]));
    FLIP_TRY(flip_cl(s, clFlush(s->queue), "clFlush()"));
done:
    return status;
}

xl_status flip_step(flip_sim *s)
{
    xl_status status;
    flip_forget_events(s);
    FLIP_TRY(flip_sort_particles(s));
    FLIP_TRY(flip_gather_velocities(s));
    FLIP_TRY(flip_solve(s));
    FLIP_TRY(flip_project_and_move(s));
    s->time += (double)s->report.dt;
    ++s->steps;
done:
    return status;
}
