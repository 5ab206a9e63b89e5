/* SPDX-License-Identifier: MIT
 * A canvas as a file, by libpng. */
#include "drawing.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void shrink_row(const canvas *p, uint32_t row, png_byte *out)
{
    for (uint32_t column = 0; column < p->width / CANVAS_FINE; ++column)
        for (uint32_t k = 0; k < 3; ++k) {
            float sum = 0;
            for (uint32_t i = 0; i < CANVAS_FINE * CANVAS_FINE; ++i)
                sum += p->rgb[3 * ((size_t)(row * CANVAS_FINE + i / CANVAS_FINE) * p->width +
                                   column * CANVAS_FINE + i % CANVAS_FINE) +
                              k];
            out[3 * column + k] = (png_byte)(255.0f * sum / (CANVAS_FINE * CANVAS_FINE) + 0.5f);
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

/* libpng uses longjmp(): variables that change after setjmp() are not read again. */
static bool encode(FILE *stream, const canvas *p, png_byte *row, png_structp png, png_infop info,
                   png_failure *failure)
{
    if (setjmp(failure->back))
        return false;
    png_init_io(png, stream);
    png_set_IHDR(png, info, p->width / CANVAS_FINE, p->height / CANVAS_FINE, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < p->height / CANVAS_FINE; ++y) {
        shrink_row(p, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return true;
}

static bool put(const canvas *p, FILE *stream, png_failure *failure)
{
    png_byte *row = malloc(3 * (size_t)p->width);
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, failure, on_png_error, on_png_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    const bool good = row && info && encode(stream, p, row, png, info, failure);
    png_destroy_write_struct(&png, &info);
    free(row);
    return good;
}

static bool judge(bool good, const png_failure *failure, const char *path)
{
    if (!good)
        fprintf(stderr, "%s: cannot be written: %s\n", path, failure->text);
    return good;
}

bool canvas_put(const canvas *p, FILE *stream, const char *path)
{
    png_failure failure = {.text = "no memory"};
    return judge(put(p, stream, &failure), &failure, path);
}

bool canvas_write(const canvas *p, const char *path)
{
    png_failure failure = {.text = "no memory"};
    FILE *stream = fopen(path, "wb");
    if (!stream) {
        perror(path);
        return false;
    }
    bool good = put(p, stream, &failure);
    if (fclose(stream) != 0 && good) {
        good = false;
        snprintf(failure.text, sizeof failure.text, "the end is missing");
    }
    return judge(good, &failure, path);
}
