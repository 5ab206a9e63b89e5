/* SPDX-License-Identifier: MIT
 * A fluid by FLIP (Zhu and Bridson, "Animating sand as a fluid", SIGGRAPH 2005) on an OpenCL
 * device: particles carry the velocity, a grid makes it free of divergence. The device does all of
 * it; the host reads back how far the solver is, and nothing else within a step.
 *
 * Lengths are in cells, speeds in cells a second; y points up. The walls of the box are where the
 * grid ends; fluid slides along them. flip_sim.c makes and ends a simulation, flip_stages.c has the
 * stages of a step, flip_solve.c the solver, flip_profile.c their times, flip_dam.c a scene,
 * flip_snapshot.c files; none of them prints anything. */
#ifndef FLIP_H
#define FLIP_H

#include <crosslane/crosslane.h>
#include <stdbool.h>

#define FLIP_TRY(call)                                                                             \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != XL_SUCCESS)                                                                  \
            goto done;                                                                             \
    } while (0)

/* Cells along each axis; the kernels have the same. */
typedef struct flip_size {
    cl_int nx, ny, nz;
} flip_size;

typedef enum flip_preconditioner { FLIP_PLAIN = 0, FLIP_SSOR = 1 } flip_preconditioner;

enum {
    FLIP_MOST_PARTICLES = 1 << 24, /* their numbers travel as floats */
    FLIP_MOST_CELLS = 512          /* along an axis */
};

typedef struct flip_settings {
    flip_size size;
    uint32_t particles;
    uint32_t preconditioner; /* flip_preconditioner */
    uint32_t most_iterations;
    uint32_t group;     /* work-items of the solver's groups; 0: what suits the device */
    float gravity;      /* cells / s^2, downward, 0 or more */
    float longest_step; /* seconds */
    float cfl;          /* cells that a particle may go in a step */
    float flip;      /* 1: a particle keeps its own velocity and gets what changed; 0: it takes the
                        grid's */
    float tolerance; /* of the solver: largest |b - Ap| in units of the largest |b| */
    float omega;     /* of SSOR, above 0 and below 2 */
} flip_settings;

/* The state of a step on the device: flip_step in the kernels. */
typedef struct flip_report {
    float dt; /* seconds */
    float speed;
    float residual;
    float right_side;
    uint32_t iterations;
    uint32_t solved;
    uint32_t rows; /* cells with fluid */
    uint32_t padding;
} flip_report;

typedef enum flip_stage {
    FLIP_SPEED,        /* cells of particles, the largest velocity, dt */
    FLIP_SORT,         /* particles by cell */
    FLIP_CELLS,        /* where cells begin, rows of the matrix */
    FLIP_TO_GRID,      /* velocities of particles to faces */
    FLIP_PRESSURE,     /* the solver */
    FLIP_PROJECT,      /* the gradient */
    FLIP_EXTEND,       /* values for faces around the fluid */
    FLIP_TO_PARTICLES, /* velocities of faces to particles, which move */
    FLIP_STAGES
} flip_stage;

typedef enum flip_kernel {
    FLIP_FIND_CELLS,
    FLIP_BEGIN_STEP,
    FLIP_FIND_CELL_ENDS,
    FLIP_PARTICLES_TO_FACES,
    FLIP_MOVE_PARTICLES,
    FLIP_MAKE_ROWS,
    FLIP_BEGIN_SOLVE,
    FLIP_UPDATE,
    FLIP_UPDATE_SSOR,
    FLIP_APPLY_SSOR,
    FLIP_DIRECT,
    FLIP_GRADIENT,
    FLIP_EXTRAPOLATE,
    FLIP_KERNELS
} flip_kernel;

typedef enum flip_buffer {
    FLIP_POSITIONS,        /* float4 a particle: x, y, z, 0 */
    FLIP_VELOCITIES,       /* float4 a particle: x, y, z, its number */
    FLIP_SORTED_POSITIONS, /* the same by cells, while a step runs */
    FLIP_SORTED_VELOCITIES,
    FLIP_KEYS, /* cell of each particle */
    FLIP_SORTED_KEYS,
    FLIP_ENDS,    /* of each cell: one past its last particle; 0: no particle */
    FLIP_STARTS,  /* cells + 1: particles before each cell */
    FLIP_NUMBERS, /* row of each cell with fluid */
    FLIP_OLD_U,   /* velocities on faces as particles gave them */
    FLIP_OLD_V,
    FLIP_OLD_W,
    FLIP_U, /* sums of weights, then velocities after the projection */
    FLIP_V,
    FLIP_W,
    FLIP_KNOWN, /* which of them have a value */
    FLIP_KNOWN_TOO,
    FLIP_ROW_CELLS, /* of each row: cell, rows of six neighbours, diagonal */
    FLIP_AROUND,
    FLIP_DIAGONAL,
    FLIP_X, /* of each row: pressure * dt / density; p, q, r, y, z of the solver */
    FLIP_P,
    FLIP_P_TOO,
    FLIP_Q,
    FLIP_R,
    FLIP_R_TOO,
    FLIP_Y,
    FLIP_Z,
    FLIP_SHARES,
    FLIP_MAXIMUM, /* one float: the largest velocity */
    FLIP_STEP,    /* flip_report */
    FLIP_BUFFERS
} flip_buffer;

typedef struct flip_sim {
    flip_settings settings;
    xl_context *ctx; /* borrowed */
    cl_command_queue queue;
    xl_plan *fastest;
    xl_plan *sort;
    xl_plan *count_particles, *count_rows;
    cl_program programs[3];
    cl_kernel kernels[FLIP_KERNELS];
    cl_mem memory[FLIP_BUFFERS];
    cl_uint cells, faces;
    cl_uint stride;       /* rows that there is room for, row 0 among them */
    cl_uint group, parts; /* of the solver: work-items of a group, groups */
    double time;          /* seconds since the beginning */
    uint64_t steps;
    flip_report report;             /* of the last step */
    cl_event ends[FLIP_STAGES + 1]; /* the first command's, then each stage's last one's */
    double stage_ms[FLIP_STAGES];   /* of the last step that flip_times() looked at */
    const char *failed;             /* the OpenCL call that failed, or NULL */
    cl_int code;
} flip_sim;

/* ---- flip_sim.c ---- */

/* Water in a box of `size` cells of `cell_metres`: gravity of the Earth, 0.97 of FLIP. */
void flip_defaults(flip_settings *settings, flip_size size, double cell_metres);
/* Compiles kernels and makes plans, which may take seconds. Call flip_destroy() also after a failure. */
xl_status flip_create(flip_sim *s, const flip_settings *settings, xl_context *ctx);
void flip_destroy(flip_sim *s);
/* Four floats a particle each, as FLIP_POSITIONS and FLIP_VELOCITIES. Both block. */
xl_status flip_write(flip_sim *s, const float *positions, const float *velocities);
xl_status flip_read(flip_sim *s, float *positions, float *velocities);
xl_status flip_read_buffer(flip_sim *s, flip_buffer which, size_t bytes, void *to);
/* The error: the library's text or the name of an OpenCL call. */
const char *flip_error(const flip_sim *s, char *text, size_t bytes);
xl_status flip_cl(flip_sim *s, cl_int code, const char *call);
void flip_forget_events(flip_sim *s);

typedef struct flip_arg {
    size_t bytes;
    const void *value;
} flip_arg;
/* A kernel of one dimension, or over all cells. `event` may be NULL. */
xl_status flip_launch(flip_sim *s, flip_kernel which, size_t items, size_t group,
                      const flip_arg *args, cl_uint num_args, cl_event *event);
xl_status flip_launch_cells(flip_sim *s, flip_kernel which, const flip_arg *args, cl_uint num_args,
                            cl_event *event);

/* ---- flip_stages.c, flip_solve.c ---- */

/* One step; s->report tells of it. Returns when the solver is done and what follows is enqueued. */
xl_status flip_step(flip_sim *s);
/* The parts of a step, in order. */
xl_status flip_sort_particles(flip_sim *s);
xl_status flip_gather_velocities(flip_sim *s);
xl_status flip_solve(flip_sim *s);
xl_status flip_project_and_move(flip_sim *s);

/* ---- flip_profile.c ---- */

/* Fills stage_ms of the last step; waits for it. */
xl_status flip_times(flip_sim *s);
const char *flip_stage_name(flip_stage stage);

/* ---- flip_dam.c ---- */

/* Places `count` particles at rest in a column of `column` cells in the corner of the box. */
void flip_column(float *positions, float *velocities, uint32_t count, flip_size column);
double flip_random(uint64_t index);

/* ---- flip_snapshot.c ---- */

typedef struct flip_snapshot {
    flip_settings settings;
    double time;
    uint64_t steps;
    float *positions, *velocities; /* the caller frees them; four floats a particle */
} flip_snapshot;

/* False after a text in `error`. A file appears under its name when it is whole. */
bool flip_snapshot_write(const char *path, const flip_snapshot *from, char *error, size_t bytes);
bool flip_snapshot_read(const char *path, flip_snapshot *to, char *error, size_t bytes);

#endif
