/* SPDX-License-Identifier: MIT
 * The program around the simulation: options, pictures, progress, a table of times. */
#ifndef FLIP_PROGRAM_H
#define FLIP_PROGRAM_H

#include "flip.h"

#include <stdio.h>

/* ---- flip_options.c ---- */

typedef struct flip_options {
    int grid;           /* cells along an axis */
    uint32_t particles; /* 0: eight in each cell of the column */
    uint64_t steps;     /* 0: as `seconds` says */
    double seconds;     /* simulated time at which to end, 0: none */
    uint32_t preconditioner;
    uint32_t every;        /* steps from one picture to the next */
    uint32_t width;        /* of a picture, in pixels; three quarters of it high */
    const char *pictures;  /* folder, or NULL */
    const char *animation; /* file of all pictures, or NULL */
    const char *snapshot, *restart, *device, *csv;
    double tolerance;
    bool cube;        /* the column is a cube in a corner, not a wall of water */
    bool quiet, help; /* help: it was printed, and that is all */
} flip_options;

/* False after a message on standard error. */
bool flip_options_parse(int argc, char **argv, flip_options *o);

/* ---- flip_draw.c ---- */

typedef struct flip_view {
    uint32_t width; /* pixels; three quarters of it high */
    double cell_metres;
    double fastest; /* m/s: the speed that is red; blue is at rest */
} flip_view;

/* Draws the particles, coloured by speed, in their box. False after a message. */
bool flip_draw(const char *path, const float *positions, const float *velocities, uint32_t count,
               flip_size size, const flip_view *view);

/* ---- flip_animation.c ---- */

typedef struct flip_animation flip_animation;
/* An animated PNG of PNG files of one size that are given in turn. NULL or false after a message.
 */
flip_animation *flip_animation_open(const char *path, uint32_t frames, unsigned milliseconds);
bool flip_animation_add(flip_animation *a, const char *picture);
bool flip_animation_close(flip_animation *a);

/* ---- host_terminal.c ---- */

bool flip_is_terminal(FILE *stream);
double flip_seconds(void);

#endif
