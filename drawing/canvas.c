/* SPDX-License-Identifier: MIT
 * A canvas: rectangles, small letters, and the colours of values. */
#include "drawing.h"

#include <math.h>
#include <string.h>

enum { GLYPH_WIDTH = 5 };

void canvas_color(double t, float rgb[3])
{
    static const float stops[][3] = {
        {0.16f, 0.22f, 0.60f}, {0.11f, 0.52f, 0.86f}, {0.22f, 0.78f, 0.72f}, {0.66f, 0.86f, 0.36f},
        {0.99f, 0.80f, 0.22f}, {0.96f, 0.45f, 0.13f}, {0.80f, 0.11f, 0.10f}};
    const size_t last = sizeof stops / sizeof stops[0] - 1;
    double at = fmin(fmax(t, 0), 1) * (double)last;
    size_t i = at < (double)last ? (size_t)at : last - 1;
    float part = (float)(at - (double)i);
    for (size_t k = 0; k < 3; ++k)
        rgb[k] = stops[i][k] + part * (stops[i + 1][k] - stops[i][k]);
}

/* A row of five dots per byte, most significant dot left. */
static const struct {
    char character;
    unsigned char rows[CANVAS_TEXT_HEIGHT];
} glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'A', {14, 17, 17, 31, 17, 17, 17}}, {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}}, {'I', {14, 4, 4, 4, 4, 4, 14}},
    {'K', {17, 18, 20, 24, 20, 18, 17}}, {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'R', {30, 17, 17, 30, 20, 18, 17}}, {'S', {15, 16, 16, 14, 1, 1, 30}},
    {'T', {31, 4, 4, 4, 4, 4, 4}},       {'Y', {17, 17, 10, 4, 4, 4, 4}},
};

void canvas_fill(canvas *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 const float rgb[3])
{
    for (uint32_t row = y; row < y + height && row < p->height; ++row)
        for (uint32_t column = x; column < x + width && column < p->width; ++column)
            memcpy(p->rgb + 3 * ((size_t)row * p->width + column), rgb, 3 * sizeof *rgb);
}

void canvas_text(canvas *p, uint32_t x, uint32_t y, uint32_t dot, const char *text)
{
    static const float ink[3] = {0.13f, 0.15f, 0.18f};
    for (; *text; ++text, x += (GLYPH_WIDTH + 1) * dot)
        for (size_t g = 0; g < sizeof glyphs / sizeof glyphs[0]; ++g)
            for (uint32_t i = 0;
                 glyphs[g].character == *text && i < GLYPH_WIDTH * CANVAS_TEXT_HEIGHT; ++i) {
                uint32_t row = i / GLYPH_WIDTH, column = i % GLYPH_WIDTH;
                if (glyphs[g].rows[row] >> (GLYPH_WIDTH - 1 - column) & 1)
                    canvas_fill(p, x + column * dot, y + row * dot, dot, dot, ink);
            }
}
