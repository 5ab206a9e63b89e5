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
/* Launches with the arguments behind `event`, or goes to `done`. */
#define LAUNCH(kernel, items, group, event, ...)                                                   \
    do {                                                                                           \
        const flip_arg list[] = {__VA_ARGS__};                                                     \
        FLIP_TRY(flip_launch(s, kernel, items, group, list, (cl_uint)(sizeof list / sizeof *list), \
                             event));                                                              \
    } while (0)
#define LAUNCH_CELLS(kernel, event, ...)                                                           \
    do {                                                                                           \
        const flip_arg list[] = {__VA_ARGS__};                                                     \
        FLIP_TRY(                                                                                  \
            flip_launch_cells(s, kernel, list, (cl_uint)(sizeof list / sizeof *list), event));     \
    } while (0)

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
    const xl_reduce_args args = {.n = set->particles,
                                 .in = xl_view_of(s->memory[FLIP_VELOCITIES], 0),
                                 .out = xl_view_of(s->memory[FLIP_MAXIMUM], 0)};
    LAUNCH(FLIP_FIND_CELLS, set->particles, particle_group(s), &s->ends[0], ARG(set->size),
           ARG(set->particles), MEM(FLIP_POSITIONS), MEM(FLIP_KEYS));
    FLIP_TRY(xl_reduce_enqueue(s->fastest, s->queue, &args, 0, NULL, NULL));
    LAUNCH(FLIP_BEGIN_STEP, 1, 1, &s->ends[1 + FLIP_SPEED], ARG(set->longest_step), ARG(set->cfl),
           ARG(set->gravity), MEM(FLIP_MAXIMUM), MEM(FLIP_STEP));
done:
    return status;
}

static xl_status sort(flip_sim *s)
{
    static const cl_uint zero = 0;
    xl_status status;
    const cl_uint count = s->settings.particles;
    const xl_sort_args args = {
        .n = count,
        .keys_in = xl_view_of(s->memory[FLIP_KEYS], 0),
        .values_in = xl_view_of(s->memory[FLIP_POSITIONS], 0),
        .more_values_in = {xl_view_of(s->memory[FLIP_VELOCITIES], 0)},
        .keys_out = xl_view_of(s->memory[FLIP_SORTED_KEYS], 0),
        .values_out = xl_view_of(s->memory[FLIP_SORTED_POSITIONS], 0),
        .more_values_out = {xl_view_of(s->memory[FLIP_SORTED_VELOCITIES], 0)}};
    FLIP_TRY(xl_sort_enqueue(s->sort, s->queue, &args, 0, NULL, NULL));
    FLIP_TRY(flip_cl(s,
                     clEnqueueFillBuffer(s->queue, s->memory[FLIP_ENDS], &zero, sizeof zero, 0,
                                         4 * (size_t)s->cells, 0, NULL, NULL),
                     "clEnqueueFillBuffer()"));
    LAUNCH(FLIP_FIND_CELL_ENDS, count, particle_group(s), &s->ends[1 + FLIP_SORT], ARG(count),
           MEM(FLIP_SORTED_KEYS), MEM(FLIP_ENDS));
done:
    return status;
}

/* Where the particles of a cell begin, and which row it has, are two scans of one array. */
static xl_status count_cells(flip_sim *s)
{
    xl_status status;
    const xl_scan_args particles = {.n = s->cells,
                                    .in = xl_view_of(s->memory[FLIP_ENDS], 0),
                                    .out = xl_view_of(s->memory[FLIP_STARTS], 1)};
    const xl_scan_args rows = {.n = s->cells,
                               .in = xl_view_of(s->memory[FLIP_ENDS], 0),
                               .out = xl_view_of(s->memory[FLIP_NUMBERS], 0)};
    FLIP_TRY(xl_scan_enqueue(s->count_particles, s->queue, &particles, 0, NULL, NULL));
    FLIP_TRY(xl_scan_enqueue(s->count_rows, s->queue, &rows, 0, NULL, NULL));
    LAUNCH_CELLS(FLIP_MAKE_ROWS, &s->ends[1 + FLIP_CELLS], ARG(s->settings.size), ARG(s->stride),
                 MEM(FLIP_ENDS), MEM(FLIP_NUMBERS), MEM(FLIP_ROW_CELLS), MEM(FLIP_AROUND),
                 MEM(FLIP_DIAGONAL));
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
    xl_status status;
    LAUNCH_CELLS(FLIP_PARTICLES_TO_FACES, &s->ends[1 + FLIP_TO_GRID], ARG(s->settings.size),
                 MEM(FLIP_STARTS), MEM(FLIP_SORTED_POSITIONS), MEM(FLIP_SORTED_VELOCITIES),
                 MEM(FLIP_OLD_U), MEM(FLIP_OLD_V), MEM(FLIP_OLD_W), MEM(FLIP_U), MEM(FLIP_V),
                 MEM(FLIP_W));
done:
    return status;
}

static xl_status extrapolate(flip_sim *s)
{
    xl_status status = XL_SUCCESS;
    for (unsigned layer = 0; layer < LAYERS; ++layer) {
        const flip_buffer from = layer % 2 ? FLIP_KNOWN_TOO : FLIP_KNOWN;
        const flip_buffer to = layer % 2 ? FLIP_KNOWN : FLIP_KNOWN_TOO;
        LAUNCH_CELLS(FLIP_EXTRAPOLATE, layer + 1 == LAYERS ? &s->ends[1 + FLIP_EXTEND] : NULL,
                     ARG(s->settings.size), MEM(from), MEM(FLIP_U), MEM(FLIP_V), MEM(FLIP_W),
                     MEM(to));
    }
done:
    return status;
}

xl_status flip_project_and_move(flip_sim *s)
{
    xl_status status;
    const flip_settings *set = &s->settings;
    LAUNCH_CELLS(FLIP_GRADIENT, &s->ends[1 + FLIP_PROJECT], ARG(set->size), ARG(set->gravity),
                 MEM(FLIP_STEP), MEM(FLIP_ENDS), MEM(FLIP_NUMBERS), MEM(FLIP_X), MEM(FLIP_OLD_U),
                 MEM(FLIP_OLD_V), MEM(FLIP_OLD_W), MEM(FLIP_U), MEM(FLIP_V), MEM(FLIP_W),
                 MEM(FLIP_KNOWN));
    FLIP_TRY(extrapolate(s));
    LAUNCH(FLIP_MOVE_PARTICLES, set->particles, particle_group(s), &s->ends[1 + FLIP_TO_PARTICLES],
           ARG(set->size), ARG(set->particles), ARG(set->flip), MEM(FLIP_STEP), MEM(FLIP_OLD_U),
           MEM(FLIP_OLD_V), MEM(FLIP_OLD_W), MEM(FLIP_U), MEM(FLIP_V), MEM(FLIP_W),
           MEM(FLIP_SORTED_POSITIONS), MEM(FLIP_SORTED_VELOCITIES), MEM(FLIP_POSITIONS),
           MEM(FLIP_VELOCITIES));
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
