/* SPDX-License-Identifier: MIT
 * The picture of a field: points as balls, a colour bar with numbers. */
#include "drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1120, HEIGHT = 960, BAR_SPACE = 170, TICKS = 6 };

/* 1, 2 or 5 times a power of ten, about TICKS of them in the span. */
static double tick_step(double span)
{
    double power = pow(10, floor(log10(span / TICKS)));
    double part = span / TICKS / power;
    return power * (part <= 1.5 ? 1 : part <= 3.5 ? 2 : part <= 7.5 ? 5 : 10);
}

static void draw_bar(canvas *p, double low, double high, const char *title)
{
    static const float ink[3] = {0.13f, 0.15f, 0.18f};
    const uint32_t left = p->width - 150 * CANVAS_FINE, wide = 26 * CANVAS_FINE,
                   dot = 2 * CANVAS_FINE;
    const uint32_t top = 160 * CANVAS_FINE, tall = p->height - 2 * top;
    canvas_text(p, left, top - 34 * CANVAS_FINE, dot, title);
    canvas_fill(p, left - CANVAS_FINE, top - CANVAS_FINE, wide + 2 * CANVAS_FINE,
                tall + 2 * CANVAS_FINE, ink);
    for (uint32_t row = 0; row < tall; ++row) {
        float rgb[3];
        canvas_color(1 - (row + 0.5) / tall, rgb);
        canvas_fill(p, left, top + row, wide, 1, rgb);
    }
    const double step = tick_step(high - low), first = ceil(low / step);
    const int ticks = (int)(floor(high / step) - first) + 1;
    for (int tick = 0; tick < ticks; ++tick) {
        double value = (first + tick) * step;
        char text[32];
        uint32_t y = top + (uint32_t)((high - value) / (high - low) * (tall - 1));
        snprintf(text, sizeof text, "%.4g", value);
        canvas_fill(p, left + wide, y - CANVAS_FINE / 2, 6 * CANVAS_FINE, CANVAS_FINE, ink);
        canvas_text(p, left + wide + 10 * CANVAS_FINE, y - CANVAS_TEXT_HEIGHT * dot / 2, dot, text);
    }
}

static void draw_ground(canvas *p)
{
    for (uint32_t row = 0; row < p->height; ++row) {
        float t = (float)row / (float)p->height;
        const float rgb[3] = {0.985f - 0.075f * t, 0.99f - 0.065f * t, 0.995f - 0.05f * t};
        canvas_fill(p, 0, row, p->width, 1, rgb);
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Finds the range of the colours from a sample. It excludes the lowest 0.2 % and the highest `saturated` of the points, so that outliers do not hide the others. */
static bool color_range(const float *values, size_t n, double saturated, double *low, double *high)
{
    size_t step = n / 200000 + 1, count = 0;
    float *sample = malloc((n / step + 1) * sizeof *sample);
    if (!sample)
        return false;
    for (size_t i = 0; i < n; i += step)
        if (isfinite(values[i]))
            sample[count++] = values[i];
    qsort(sample, count, sizeof *sample, compare_floats);
    *low = count ? (double)sample[count / 500] : 0;
    *high = count ? (double)sample[(size_t)((double)(count - 1) * (1 - saturated))] : 1;
    if (!(*high - *low > 1e-6 * fabs(*high))) { /* all equal: any range */
        double half = *high != 0 ? 0.05 * fabs(*high) : 0.05;
        *low -= half;
        *high += half;
    }
    free(sample);
    return true;
}

/* The caller frees the pixels. */
static bool paint(canvas *whole, const char *path, const float *xyz, const float *values, size_t n,
                  const picture_settings *set)
{
    double low = 0, high = 1;
    *whole = (canvas){WIDTH * CANVAS_FINE, HEIGHT * CANVAS_FINE, NULL};
    whole->rgb = malloc(3 * sizeof *whole->rgb * whole->width * whole->height);
    bool good = whole->rgb && color_range(values, n, set->saturated, &low, &high);
    if (good) {
        draw_ground(whole);
        good = splat_points(whole, BAR_SPACE * CANVAS_FINE, xyz, values, n, low, high, set);
    }
    if (good)
        draw_bar(whole, low, high, set->title);
    else
        fprintf(stderr, "%s: no memory for a picture of %zu points\n", path, n);
    return good;
}

bool picture_put(FILE *stream, const char *path, const float *xyz, const float *values, size_t n,
                 const picture_settings *set)
{
    canvas whole;
    const bool good = paint(&whole, path, xyz, values, n, set) && canvas_put(&whole, stream, path);
    free(whole.rgb);
    return good;
}

bool picture_write(const char *path, const float *xyz, const float *values, size_t n,
                   const picture_settings *set)
{
    canvas whole;
    const bool good = paint(&whole, path, xyz, values, n, set) && canvas_write(&whole, path);
    free(whole.rgb);
    return good;
}
