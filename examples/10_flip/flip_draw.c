/* SPDX-License-Identifier: MIT
 * A picture of the particles in their box: oblique view, nearest in front, lit from above, coloured
 * by speed. The view is fixed, so that the pictures of a run match. */
#include "drawing.h"
#include "flip_program.h"

#include <math.h>
#include <stdlib.h>

static const double YAW = 0.55, PITCH = 0.30; /* radians */

typedef struct scene {
    canvas picture;
    float *depth; /* of each dot of the canvas; larger is nearer */
    double right[3], up[3], toward[3];
    double scale, x0, y0;
    double size[3];
} scene;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Fits the box into the picture. */
static bool open_scene(scene *s, flip_size n, uint32_t width)
{
    const double sy = sin(YAW), cy = cos(YAW), sp = sin(PITCH), cp = cos(PITCH);
    const uint32_t height = width * 3 / 4;
    const size_t dots = (size_t)width * height * CANVAS_FINE * CANVAS_FINE;
    const scene start = {.picture = {width * CANVAS_FINE, height * CANVAS_FINE, NULL},
                         .right = {cy, 0, -sy},
                         .up = {-sy * sp, cp, -cy * sp},
                         .toward = {sy * cp, sp, cy * cp},
                         .size = {(double)n.nx, (double)n.ny, (double)n.nz}};
    *s = start;
    s->picture.rgb = (float *)malloc(3 * dots * sizeof *s->picture.rgb);
    s->depth = (float *)malloc(dots * sizeof *s->depth);
    for (size_t i = 0; s->depth && i < dots; ++i)
        s->depth[i] = -INFINITY;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; ++corner) {
        const double at[3] = {corner & 1 ? s->size[0] : 0, corner & 2 ? s->size[1] : 0,
                              corner & 4 ? s->size[2] : 0};
        const double x[2] = {dot(at, s->right), dot(at, s->up)};
        for (int axis = 0; axis < 2; ++axis) {
            low[axis] = fmin(low[axis], x[axis]);
            high[axis] = fmax(high[axis], x[axis]);
        }
    }
    s->scale =
        0.94 * fmin(s->picture.width / (high[0] - low[0]), s->picture.height / (high[1] - low[1]));
    s->x0 = 0.5 * s->picture.width - s->scale * 0.5 * (low[0] + high[0]);
    s->y0 = 0.5 * s->picture.height + s->scale * 0.5 * (low[1] + high[1]);
    return s->picture.rgb && s->depth;
}

/* Where a point is in the picture, and how near. */
static void place(const scene *s, const double at[3], double out[3])
{
    out[0] = s->x0 + s->scale * dot(at, s->right);
    out[1] = s->y0 - s->scale * dot(at, s->up);
    out[2] = s->scale * dot(at, s->toward);
}

static void line(scene *s, const double from[3], const double to[3])
{
    static const float ink[3] = {0.62f, 0.66f, 0.72f};
    double a[3], b[3];
    place(s, from, a);
    place(s, to, b);
    const double length = fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])) + 1;
    for (int half = 0; half <= 2 * length; ++half) {
        const double t = 0.5 * half;
        const double x = a[0] + (b[0] - a[0]) * t / length, y = a[1] + (b[1] - a[1]) * t / length;
        if (x >= 0 && y >= 0)
            canvas_fill(&s->picture, (uint32_t)x, (uint32_t)y, CANVAS_FINE, CANVAS_FINE, ink);
    }
}

/* The floor and the three edges of the walls behind. */
static void draw_box(scene *s)
{
    static const float paper[3] = {0.97f, 0.975f, 0.985f};
    canvas_fill(&s->picture, 0, 0, s->picture.width, s->picture.height, paper);
    const double x = s->size[0], y = s->size[1], z = s->size[2];
    const double edges[][2][3] = {{{0, 0, 0}, {x, 0, 0}}, {{x, 0, 0}, {x, 0, z}},
                                  {{x, 0, z}, {0, 0, z}}, {{0, 0, z}, {0, 0, 0}},
                                  {{0, 0, 0}, {0, y, 0}}, {{x, 0, 0}, {x, y, 0}},
                                  {{0, 0, z}, {0, y, z}}};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; ++i)
        line(s, edges[i][0], edges[i][1]);
}

/* A ball; the nearest wins each dot. */
static void draw_particle(scene *s, const double at[3], double radius, const float rgb[3])
{
    double p[3];
    place(s, at, p);
    const long left = lround(ceil(p[0] - radius)), right = lround(floor(p[0] + radius));
    const long top = lround(ceil(p[1] - radius)), bottom = lround(floor(p[1] + radius));
    for (long row = top < 0 ? 0 : top; row <= bottom && row < (long)s->picture.height; ++row)
        for (long column = left < 0 ? 0 : left; column <= right && column < (long)s->picture.width;
             ++column) {
            const double dx = ((double)column - p[0]) / radius, dy = ((double)row - p[1]) / radius;
            const double z2 = 1 - dx * dx - dy * dy;
            const size_t i = (size_t)row * s->picture.width + (size_t)column;
            if (z2 < 0 || s->depth[i] >= (float)(p[2] + radius * sqrt(z2)))
                continue;
            s->depth[i] = (float)(p[2] + radius * sqrt(z2));
            const double light = 0.72 + 0.34 * fmax(0, -0.25 * dx - 0.60 * dy + 0.75 * sqrt(z2));
            for (size_t k = 0; k < 3; ++k)
                s->picture.rgb[3 * i + k] = (float)fmin(1, (double)rgb[k] * light);
        }
}

bool flip_draw(const char *path, const float *positions, const float *velocities, uint32_t count,
               flip_size size, const flip_view *view)
{
    scene s;
    bool good = open_scene(&s, size, view->width);
    if (good) {
        /* As large as the distance of neighbours, and half as much. */
        const double volume = s.size[0] * s.size[1] * s.size[2] / 8 / count;
        const double radius = fmax(0.75 * cbrt(volume) * s.scale, 1.0);
        draw_box(&s);
        for (uint32_t p = 0; p < count; ++p) {
            const float *at = positions + 4 * (size_t)p, *v = velocities + 4 * (size_t)p;
            const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
            const double u[3] = {(double)v[0], (double)v[1], (double)v[2]};
            float rgb[3];
            canvas_color(sqrt(dot(u, u)) * view->cell_metres / view->fastest, rgb);
            draw_particle(&s, x, radius, rgb);
        }
        good = canvas_write(&s.picture, path);
    } else {
        fprintf(stderr, "%s: no memory for a picture\n", path);
    }
    free(s.picture.rgb);
    free(s.depth);
    return good;
}
