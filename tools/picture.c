/* SPDX-License-Identifier: MIT
 * The picture of a field: points, colour bar with numbers, PNG by libpng. */
#include "tool.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Drawn at twice the size in each direction, so that edges come out smooth. */
enum { FINE = 2, WIDTH = 1120, HEIGHT = 960, BAR_SPACE = 170, TICKS = 6 };
enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };

int picture_check_cut(const char *command, double cut)
{
    if (cut >= 0 && cut <= 1)
        return TOOL_OK;
    return tool_misuse("%s: --cut: %g; the part to cut away must be 0 to 1", command, cut);
}

void picture_color(double t, float rgb[3])
{
    static const float stops[][3] = {
        {0.16f, 0.22f, 0.60f}, {0.11f, 0.52f, 0.86f}, {0.22f, 0.78f, 0.72f}, {0.66f, 0.86f, 0.36f},
        {0.99f, 0.80f, 0.22f}, {0.96f, 0.45f, 0.13f}, {0.80f, 0.11f, 0.10f}};
    const size_t last = TOOL_COUNT(stops) - 1;
    double at = fmin(fmax(t, 0), 1) * (double)last;
    size_t i = at < (double)last ? (size_t)at : last - 1;
    float part = (float)(at - (double)i);
    for (size_t k = 0; k < 3; ++k)
        rgb[k] = stops[i][k] + part * (stops[i + 1][k] - stops[i][k]);
}

/* A row of five dots per byte, most significant dot left. */
static const struct {
    char character;
    unsigned char rows[GLYPH_HEIGHT];
} glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'D', {30, 17, 17, 17, 17, 17, 30}}, {'E', {31, 16, 16, 30, 16, 16, 31}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},
};

static void fill(picture *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 const float rgb[3])
{
    for (uint32_t row = y; row < y + height && row < p->height; ++row)
        for (uint32_t column = x; column < x + width && column < p->width; ++column)
            memcpy(p->rgb + 3 * ((size_t)row * p->width + column), rgb, 3 * sizeof *rgb);
}

static void write_text(picture *p, uint32_t x, uint32_t y, uint32_t dot, const char *text)
{
    static const float ink[3] = {0.13f, 0.15f, 0.18f};
    for (; *text; ++text, x += (GLYPH_WIDTH + 1) * dot)
        for (size_t g = 0; g < TOOL_COUNT(glyphs); ++g)
            for (uint32_t i = 0; glyphs[g].character == *text && i < GLYPH_WIDTH * GLYPH_HEIGHT;
                 ++i) {
                uint32_t row = i / GLYPH_WIDTH, column = i % GLYPH_WIDTH;
                if (glyphs[g].rows[row] >> (GLYPH_WIDTH - 1 - column) & 1)
                    fill(p, x + column * dot, y + row * dot, dot, dot, ink);
            }
}

/* 1, 2 or 5 times a power of ten, about TICKS of them in the span. */
static double tick_step(double span)
{
    double power = pow(10, floor(log10(span / TICKS)));
    double part = span / TICKS / power;
    return power * (part <= 1.5 ? 1 : part <= 3.5 ? 2 : part <= 7.5 ? 5 : 10);
}

static void draw_bar(picture *p, double low, double high, const char *title)
{
    static const float ink[3] = {0.13f, 0.15f, 0.18f};
    const uint32_t left = p->width - 150 * FINE, wide = 26 * FINE, dot = 2 * FINE;
    const uint32_t top = 160 * FINE, tall = p->height - 2 * top;
    write_text(p, left, top - 34 * FINE, dot, title);
    fill(p, left - FINE, top - FINE, wide + 2 * FINE, tall + 2 * FINE, ink);
    for (uint32_t row = 0; row < tall; ++row) {
        float rgb[3];
        picture_color(1 - (row + 0.5) / tall, rgb);
        fill(p, left, top + row, wide, 1, rgb);
    }
    const double step = tick_step(high - low), first = ceil(low / step);
    const int ticks = (int)(floor(high / step) - first) + 1;
    for (int tick = 0; tick < ticks; ++tick) {
        double value = (first + tick) * step;
        char text[32];
        uint32_t y = top + (uint32_t)((high - value) / (high - low) * (tall - 1));
        snprintf(text, sizeof text, "%.4g", value);
        fill(p, left + wide, y - FINE / 2, 6 * FINE, FINE, ink);
        write_text(p, left + wide + 10 * FINE, y - GLYPH_HEIGHT * dot / 2, dot, text);
    }
}

static void draw_ground(picture *p)
{
    for (uint32_t row = 0; row < p->height; ++row) {
        float t = (float)row / (float)p->height;
        const float rgb[3] = {0.985f - 0.075f * t, 0.99f - 0.065f * t, 0.995f - 0.05f * t};
        fill(p, 0, row, p->width, 1, rgb);
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* From a sample: the colours span all but two in a thousand of the points below,
 * and all but the part `saturated` above, so that a few odd points do not wash out
 * the others. */
static int color_range(const float *values, size_t n, double saturated, double *low, double *high)
{
    size_t step = n / 200000 + 1, count = 0;
    float *sample = malloc((n / step + 1) * sizeof *sample);
    if (!sample)
        return tool_fail("picture: no memory for %zu values", n / step);
    for (size_t i = 0; i < n; i += step)
        if (isfinite(values[i]))
            sample[count++] = values[i];
    qsort(sample, count, sizeof *sample, compare_floats);
    *low = count ? (double)sample[count / 500] : 0;
    *high = count ? (double)sample[(size_t)((double)(count - 1) * (1 - saturated))] : 1;
    if (!(*high - *low > 1e-6 * fabs(*high))) { /* all alike: a span to draw with */
        double half = *high != 0 ? 0.05 * fabs(*high) : 0.05;
        *low -= half;
        *high += half;
    }
    free(sample);
    return TOOL_OK;
}

/* ---- the file ---- */

static void shrink_row(const picture *p, uint32_t row, png_byte *out)
{
    for (uint32_t column = 0; column < p->width / FINE; ++column)
        for (uint32_t k = 0; k < 3; ++k) {
            float sum = 0;
            for (uint32_t i = 0; i < FINE * FINE; ++i)
                sum += p->rgb[3 * ((size_t)(row * FINE + i / FINE) * p->width + column * FINE +
                                   i % FINE) +
                              k];
            out[3 * column + k] = (png_byte)(255.0f * sum / (FINE * FINE) + 0.5f);
        }
}

typedef struct png_failure {
    jmp_buf back;
    char text[128];
} png_failure;

static void on_png_error(png_structp png, png_const_charp text)
{
    png_failure *failure = png_get_error_ptr(png);
    snprintf(failure->text, sizeof failure->text, "%s", text);
    longjmp(failure->back, 1);
}

static void on_png_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* libpng leaves by longjmp: nothing that changes after setjmp() is read again. */
static bool encode(FILE *stream, const picture *p, png_byte *row, png_structp png, png_infop info,
                   png_failure *failure)
{
    if (setjmp(failure->back))
        return false;
    png_init_io(png, stream);
    png_set_IHDR(png, info, p->width / FINE, p->height / FINE, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < p->height / FINE; ++y) {
        shrink_row(p, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return true;
}

static int write_png(FILE *stream, const char *path, const picture *p)
{
    png_failure failure = {.text = "no memory"};
    png_byte *row = malloc(3 * (size_t)p->width);
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_png_error, on_png_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = row && info && encode(stream, p, row, png, info, &failure);
    png_destroy_write_struct(&png, &info);
    free(row);
    return good ? TOOL_OK : tool_fail("%s: cannot be written: %s", path, failure.text);
}

int picture_write(outputs *list, const char *path, const float *xyz, const float *values, size_t n,
                  const picture_settings *set)
{
    int result;
    double low = 0, high = 1;
    FILE *stream = NULL;
    picture whole = {WIDTH * FINE, HEIGHT * FINE, NULL};
    whole.rgb = malloc(3 * sizeof *whole.rgb * whole.width * whole.height);
    if (!whole.rgb)
        return tool_fail("%s: no memory for a picture", path);
    progress_say("drawing %zu points", n);
    TRY(color_range(values, n, set->saturated, &low, &high));
    draw_ground(&whole);
    TRY(splat_points(&whole, BAR_SPACE * FINE, xyz, values, n, low, high, set));
    draw_bar(&whole, low, high, set->title);
    TRY(outputs_open(list, path, &stream));
    TRY(write_png(stream, path, &whole));
done:
    free(whole.rgb);
    return result;
}
