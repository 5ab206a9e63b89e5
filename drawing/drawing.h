/* SPDX-License-Identifier: MIT
 * Draws points as a picture, for `crosslane neighbors` and examples. canvas.c and png_file.c are independent of points; splat.c and picture.c use them. Nothing here uses OpenCL. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- canvas.c, png_file.c ---- */

/* Dots of a canvas per pixel of the file in each direction, for smooth edges. */
enum { CANVAS_FINE = 2, CANVAS_TEXT_HEIGHT = 7 };

typedef struct canvas {
    uint32_t width, height;
    float *rgb; /* perceived brightness, 0 to 1 */
} canvas;

void canvas_color(double t, float rgb[3]); /* t in [0, 1]: blue to red */
void canvas_fill(canvas *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 const float rgb[3]);
/* Digits and the letters of "DENSITY", CANVAS_TEXT_HEIGHT * dot high. */
void canvas_text(canvas *p, uint32_t x, uint32_t y, uint32_t dot, const char *text);
/* False after a message on standard error. */
bool canvas_write(const canvas *p, const char *path);
/* Writes to an open stream; `path` is its name in messages. */
bool canvas_put(const canvas *p, FILE *stream, const char *path);

/* ---- splat.c, picture.c ---- */

typedef struct picture_settings {
    double saturated;  /* fraction of the points with the highest colour */
    double cut;        /* fraction of the box that is not drawn in front, 0 to 1 */
    double spacing;    /* mean distance of neighbouring points */
    const char *title; /* of the colour bar: capital letters */
} picture_settings;

/* Values are coloured from `low` (blue) to `high` (red); the rightmost columns stay empty. False: no memory. */
bool splat_points(canvas *p, uint32_t free_columns, const float *xyz, const float *values, size_t n,
                  double low, double high, const picture_settings *set);

/* Draws the points as small balls into a PNG file, coloured by value: red high, blue low.
 * False after a message on standard error. */
bool picture_write(const char *path, const float *xyz, const float *values, size_t n,
                   const picture_settings *set);
/* Writes to an open stream, as canvas_put(). */
bool picture_put(FILE *stream, const char *path, const float *xyz, const float *values, size_t n,
                 const picture_settings *set);

#endif
