/* SPDX-License-Identifier: MIT
 * The picture of `crosslane neighbors --png`: a small ball for each row, coloured by its
 * density. */
#include "point_search.h"
#ifdef TOOL_HAS_PNG
#include "drawing.h"
#endif

#include <math.h>
#include <stdlib.h>

#ifdef TOOL_HAS_PNG
int density_picture_check(void)
{
    return TOOL_OK;
}

/* Coordinates relative to the first row, so that floats suffice far from the origin. Missing axes
 * are 0. */
static void place(const search_input *in, const xli_npy *places, size_t i, float xyz[3])
{
    for (uint32_t a = 0; a < 3; ++a)
        xyz[a] = a < in->dimensions ? (float)(input_number(in, places, in->dimensions * i + a) -
                                              input_number(in, places, a))
                                    : 0;
}

/* The distance between neighbours if they were spread evenly within the radius. */
static double spacing_of(const search_input *in, double radius, double neighbors)
{
    static const double balls[] = {2, 3.14159265358979, 4.18879020478639};
    const double d = in->dimensions;
    return radius * pow(balls[in->dimensions - 1] / (neighbors + 1), 1 / d);
}

int density_picture_write(const search_input *in, const xli_npy *density, double radius,
                          double neighbors, const char *path, outputs *files)
{
    int result = TOOL_OK;
    FILE *stream = NULL;
    const size_t n = in->rows;
    const xli_npy *const places = in->given ? &in->queries : &in->points;
    const picture_settings set = {
        .saturated = 0.002, .spacing = spacing_of(in, radius, neighbors), .title = "DENSITY"};
    float *const xyz = malloc((3 * n + 1) * sizeof *xyz);
    float *const values = malloc((n + 1) * sizeof *values);
    if (!xyz || !values)
        TRY(tool_fail("%s: no memory for a picture of %zu points", path, n));
    for (size_t i = 0; i < n; ++i) {
        place(in, places, i, xyz + 3 * i);
        values[i] = (float)input_number(in, density, i);
    }
    TRY(outputs_open(files, path, &stream));
    if (!picture_put(stream, path, xyz, values, n, &set))
        result = TOOL_FAILED;
done:
    free(xyz);
    free(values);
    return result;
}
#else
int density_picture_check(void)
{
    return tool_misuse("neighbors: --png: this program was built without libpng");
}

int density_picture_write(const search_input *in, const xli_npy *density, double radius,
                          double neighbors, const char *path, outputs *files)
{
    (void)in;
    (void)density;
    (void)radius;
    (void)neighbors;
    (void)files;
    return tool_fail("%s: built without libpng", path);
}
#endif
