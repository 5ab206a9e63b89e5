/* SPDX-License-Identifier: MIT
 * The input of `crosslane neighbors`: points, queries, radii, systems and the box, read, checked
 * and converted to one precision: f64 if a file has it, unless --f32 is given. */
#include "point_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 3, MOST_NUMBERS = 6, MOST_SYSTEMS = 1 << 20 };
static const char axes[] = "xyz";

static bool radius_is_good(double radius, bool wide)
{
    const float narrow = (float)radius, square = narrow * narrow;
    if (wide)
        return radius > 0 && radius * radius >= DBL_MIN && radius * radius <= DBL_MAX;
    return narrow > 0 && square >= FLT_MIN && square <= FLT_MAX;
}

int input_check_radius(const search_input *in, double radius)
{
    if (radius_is_good(radius, in->wide))
        return TOOL_OK;
    return tool_misuse(
        "neighbors: --radius: %g; its square must be finite and above 0 in %s precision", radius,
        in->wide ? "double" : "single");
}

double input_number(const search_input *in, const xli_npy *array, size_t i)
{
    const float *const narrow = array->data;
    const double *const wide = array->data;
    return in->wide ? wide[i] : (double)narrow[i];
}

/* ---- options ---- */

/* Reads numbers separated by commas. Returns 0 for any other text. */
static uint32_t numbers_of(const char *text, uint32_t most, double *out)
{
    uint32_t count = 0;
    for (char *end; count < most; text = end + 1) {
        const double value = strtod(text, &end);
        if (end == text || !isfinite(value))
            return 0;
        out[count++] = value;
        if (*end != ',')
            return *end ? 0 : count;
    }
    return 0;
}

static int parse_axes(const char *text, uint32_t *periodic)
{
    *periodic = 0;
    for (const char *c = text; *c; ++c) {
        const char *axis = strchr(axes, *c);
        const uint32_t bit = axis ? 1u << (axis - axes) : 0;
        if (!bit || (*periodic & bit))
            return tool_misuse("neighbors: --periodic: \"%s\"; must be letters of axes, each at "
                               "most once, such as xy",
                               text);
        *periodic |= bit;
    }
    return *text ? TOOL_OK
                 : tool_misuse("neighbors: --periodic: \"\"; must be letters of axes, such as xy");
}

static int no_corner(const char *text)
{
    return tool_misuse(
        "neighbors: --box: \"%s\"; must be one number, or one for each axis, such as 0,0,0", text);
}

/* Parses the box before the points are read. numbers: how many each corner has. */
static int parse_box(const input_options *o, search_input *in, uint32_t numbers[2])
{
    double *const corners[] = {in->lower, in->upper};
    in->bounded = o->box[0] != NULL;
    for (int k = 0; k < 2 && in->bounded; ++k) {
        numbers[k] = numbers_of(o->box[k], MOST_DIMENSIONS, corners[k]);
        if (numbers[k] == 0)
            return no_corner(o->box[k]);
    }
    return o->periodic ? parse_axes(o->periodic, &in->periodic) : TOOL_OK;
}

static int no_cell(const input_options *o)
{
    return tool_misuse("neighbors: --cell: \"%s\"; must be AX,BX,BY,CX,CY,CZ, for points of 2 "
                       "dimensions AX,BX,BY, of 1 AX",
                       o->cell);
}

static int no_origin(const input_options *o)
{
    return tool_misuse(
        "neighbors: --origin: \"%s\"; must be one number for each axis, such as 0,0,0", o->origin);
}

/* Parses the rows of a lower triangular matrix (the first ones for fewer dimensions) and a
 * corner. */
static int parse_cell(const input_options *o, search_input *in, uint32_t numbers[2])
{
    double entries[MOST_NUMBERS] = {0};
    in->triclinic = o->cell != NULL;
    numbers[0] = in->triclinic ? numbers_of(o->cell, MOST_NUMBERS, entries) : 1;
    for (uint32_t row = 0, k = 0; row < MOST_DIMENSIONS; ++row)
        for (uint32_t column = 0; column <= row; ++column, ++k)
            in->cell[row][column] = entries[k];
    if (numbers[0] != 1 && numbers[0] != 3 && numbers[0] != MOST_NUMBERS)
        return no_cell(o);
    numbers[1] = o->origin ? numbers_of(o->origin, MOST_DIMENSIONS, in->lower) : 0;
    return o->origin && numbers[1] == 0 ? no_origin(o) : TOOL_OK;
}

/* A single number applies to each axis. Corners are rounded for f32 points. */
static int spread_corner(const input_options *o, const search_input *in, int k, uint32_t numbers,
                         double *corner)
{
    if (numbers != 1 && numbers != in->dimensions)
        return tool_misuse("neighbors: --box: \"%s\" has %u numbers; must be one number, or one "
                           "for each of the %u dimensions",
                           o->box[k], (unsigned)numbers, (unsigned)in->dimensions);
    for (uint32_t a = numbers; a < in->dimensions; ++a)
        corner[a] = corner[0];
    for (uint32_t a = 0; a < in->dimensions && !in->wide; ++a) {
        if (!(fabs(corner[a]) <= (double)FLT_MAX))
            return no_corner(o->box[k]);
        corner[a] = (double)(float)corner[a];
    }
    return TOOL_OK;
}

static bool is_period(const search_input *in, uint32_t a)
{
    const double length = in->upper[a] - in->lower[a];
    const float narrow = (float)in->upper[a] - (float)in->lower[a];
    return in->wide ? length >= DBL_MIN && length <= DBL_MAX
                    : narrow >= FLT_MIN && narrow <= FLT_MAX;
}

static int check_axis(const search_input *in, uint32_t a)
{
    const bool repeats = in->periodic >> a & 1;
    if (in->lower[a] > in->upper[a])
        return tool_misuse("neighbors: --box: %c from %g to %g; LO must not be above HI", axes[a],
                           in->lower[a], in->upper[a]);
    if (repeats && !is_period(in, a))
        return tool_misuse(
            "neighbors: --periodic: %c from %g to %g; a period must be above 0 in %s precision",
            axes[a], in->lower[a], in->upper[a], in->wide ? "double" : "single");
    return TOOL_OK;
}

/* The library checks the matrix itself. */
static int fit_cell(const input_options *o, search_input *in, const uint32_t numbers[2])
{
    const uint32_t d = in->dimensions;
    if (numbers[0] != d * (d + 1) / 2)
        return tool_misuse(
            "neighbors: --cell: \"%s\" has %u numbers; points of %u dimensions require %u", o->cell,
            (unsigned)numbers[0], (unsigned)d, (unsigned)(d * (d + 1) / 2));
    if (o->origin && numbers[1] != d)
        return tool_misuse(
            "neighbors: --origin: \"%s\" has %u numbers; must be one for each of the %u dimensions",
            o->origin, (unsigned)numbers[1], (unsigned)d);
    for (uint32_t row = 0; row < d && !in->wide; ++row) {
        if (fabs(in->lower[row]) > (double)FLT_MAX)
            return no_origin(o);
        for (uint32_t column = 0; column <= row; ++column)
            if (fabs(in->cell[row][column]) > (double)FLT_MAX)
                return no_cell(o);
    }
    if (!o->periodic)
        in->periodic = (1u << d) - 1;
    return TOOL_OK;
}

static int fit_box(const input_options *o, search_input *in, const uint32_t numbers[2])
{
    int result;
    TRY(spread_corner(o, in, 0, numbers[0], in->lower));
    TRY(spread_corner(o, in, 1, numbers[1], in->upper));
    for (uint32_t a = 0; a < in->dimensions; ++a)
        TRY(check_axis(in, a));
done:
    return result;
}

static int fit_space(const input_options *o, search_input *in, const uint32_t box[2],
                     const uint32_t cell[2])
{
    int result = TOOL_OK;
    in->wrap = o->wrap;
    if (in->bounded)
        TRY(fit_box(o, in, box));
    if (in->triclinic)
        TRY(fit_cell(o, in, cell));
    if (in->periodic >> in->dimensions)
        return tool_misuse("neighbors: --periodic: \"%s\"; the points have only %u dimensions",
                           o->periodic, (unsigned)in->dimensions);
done:
    return result;
}

/* ---- files ---- */

static int round_to_single(const char *path, xli_npy *array, double *by)
{
    const double *from = array->data;
    float *to = malloc(array->count ? array->count * sizeof *to : 1);
    if (!to)
        return tool_fail("%s: no memory for %zu numbers", path, array->count);
    for (size_t i = 0; i < array->count; ++i) {
        to[i] = (float)from[i];
        const double off = fabs(from[i] - (double)to[i]);
        *by = isfinite(off) ? fmax(*by, off) : *by;
    }
    free(array->data);
    array->data = to;
    array->item_bytes = sizeof *to;
    return TOOL_OK;
}

/* Exact. */
static int widen(const char *path, xli_npy *array)
{
    const float *from = array->data;
    double *to = malloc(array->count ? array->count * sizeof *to : 1);
    if (!to)
        return tool_fail("%s: no memory for %zu numbers", path, array->count);
    for (size_t i = 0; i < array->count; ++i)
        to[i] = (double)from[i];
    free(array->data);
    array->data = to;
    array->item_bytes = sizeof *to;
    return TOOL_OK;
}

/* Converts all arrays to one precision: f64 if one of them has it, unless --f32 is given. */
static int settle_precision(const input_options *o, const char *path, search_input *in)
{
    int result = TOOL_OK;
    const char *const paths[] = {path, o->queries, o->radii};
    xli_npy *const arrays[] = {&in->points, &in->queries, &in->radii};
    bool some = false;
    for (size_t k = 0; k < TOOL_COUNT(arrays); ++k)
        some = some || (paths[k] && array_type(arrays[k]) == XL_F64);
    in->rounded = some && o->convert;
    in->wide = some && !o->convert;
    for (size_t k = 0; k < TOOL_COUNT(arrays) && some; ++k) {
        const bool is_wide = paths[k] && array_type(arrays[k]) == XL_F64;
        if (is_wide && in->rounded)
            TRY(round_to_single(paths[k], arrays[k], &in->rounded_by));
        else if (paths[k] && !is_wide && in->wide)
            TRY(widen(paths[k], arrays[k]));
    }
done:
    return result;
}

static int check_type(const char *path, const char *what, const xli_npy *array)
{
    const xl_type type = array_type(array);
    if (type == XL_F32 || type == XL_F64)
        return TOOL_OK;
    return tool_fail("%s: %s of type %s; must be f32 or f64", path, what, array_type_name(array));
}

static int read_table(const char *path, const char *what, xli_npy *array)
{
    int result;
    char shape[XLI_NPY_SHAPE_BYTES];
    TRY(array_read(path, array));
    if (array->dimensions != 2 || array->shape[1] < 1 || array->shape[1] > MOST_DIMENSIONS)
        return tool_fail("%s: shape %s; %s must be of shape (n, 3), (n, 2) or (n, 1)", path,
                         xli_npy_shape_text(array, shape), what);
    if (array->shape[0] > UINT32_MAX - 1)
        return tool_fail("%s: %zu %s; must be at most 2^32 - 2", path, (size_t)array->shape[0],
                         what);
    TRY(check_type(path, what, array));
done:
    return result;
}

static int check_finite(const char *path, const search_input *in)
{
    size_t query = 0;
    for (size_t i = 0, last = in->dimensions; i < in->queries.count; ++i) {
        if (i == last) {
            last += in->dimensions;
            ++query;
        }
        if (!isfinite(input_number(in, &in->queries, i)))
            return tool_fail("%s: query %zu is not finite in %s precision", path, query,
                             in->wide ? "double" : "single");
    }
    return TOOL_OK;
}

static int read_queries(const input_options *o, search_input *in)
{
    int result;
    TRY(read_table(o->queries, "queries", &in->queries));
    if (in->queries.shape[1] != in->dimensions)
        return tool_fail("%s: queries of %u dimensions; must have %u, like the points", o->queries,
                         (unsigned)in->queries.shape[1], (unsigned)in->dimensions);
    in->given = true;
    in->rows = (size_t)in->queries.shape[0];
done:
    return result;
}

static int read_radii(const input_options *o, search_input *in)
{
    int result;
    TRY(array_read(o->radii, &in->radii));
    TRY(array_check_vector("neighbors --radii", o->radii, &in->radii));
    TRY(check_type(o->radii, "radii", &in->radii));
    if (in->radii.count != in->rows)
        return tool_fail("%s: %zu radii for %zu %s; must be one for each", o->radii,
                         in->radii.count, in->rows, in->given ? "queries" : "points");
done:
    return result;
}

static int read_numbers(const char *path, const char *option, size_t rows, xli_npy *systems)
{
    int result;
    TRY(array_read(path, systems));
    TRY(array_check_vector(option, path, systems));
    if (array_type(systems) != XL_U32)
        return tool_fail("%s: numbers of systems of type %s; must be u32", path,
                         array_type_name(systems));
    if (systems->count != rows)
        return tool_fail("%s: %zu numbers of systems for %zu rows; must be one for each row", path,
                         systems->count, rows);
done:
    return result;
}

/* The number of systems is the largest number of a point plus 1. */
static int read_systems(const input_options *o, search_input *in)
{
    int result;
    TRY(read_numbers(o->systems, "neighbors --systems", in->n, &in->systems));
    const uint32_t *const of = in->systems.data;
    in->num_systems = 1;
    for (size_t i = 0; i < in->n; ++i) {
        if (of[i] >= MOST_SYSTEMS)
            return tool_fail("%s: system %u of point %zu; must be below %u", o->systems,
                             (unsigned)of[i], i, (unsigned)MOST_SYSTEMS);
        in->num_systems = of[i] >= in->num_systems ? of[i] + 1 : in->num_systems;
    }
    if (o->queries)
        TRY(read_numbers(o->query_systems, "neighbors --query-systems", in->rows,
                         &in->query_systems));
done:
    return result;
}

int input_read(const input_options *o, const char *path, search_input *in)
{
    int result;
    uint32_t box[2] = {0, 0}, cell[2] = {0, 0};
    *in = (search_input){0};
    TRY(parse_box(o, in, box));
    TRY(parse_cell(o, in, cell));
    TRY(read_table(path, "points", &in->points));
    in->n = in->rows = (size_t)in->points.shape[0];
    in->dimensions = (uint32_t)in->points.shape[1];
    if (o->queries)
        TRY(read_queries(o, in));
    if (o->radii)
        TRY(read_radii(o, in));
    if (o->systems)
        TRY(read_systems(o, in));
    TRY(settle_precision(o, path, in));
    TRY(fit_space(o, in, box, cell));
    if (o->queries)
        TRY(check_finite(o->queries, in));
done:
    return result;
}

int input_check_points(const search_input *in)
{
    size_t others = 0, first = 0;
    for (size_t i = 0; i < in->n; ++i) {
        bool finite = true;
        for (uint32_t a = 0; a < in->dimensions; ++a)
            finite = finite && isfinite(input_number(in, &in->points, in->dimensions * i + a));
        if (!finite && others++ == 0)
            first = i;
    }
    if (others == 0)
        return TOOL_OK;
    return tool_fail("points: %zu of %zu are not finite, the first at index %zu", others, in->n,
                     first);
}

int input_check_device(const search_input *in, const session *s)
{
    if (!in->wide || s->info.has_fp64)
        return TOOL_OK;
    return tool_fail("files in double precision; %s does not support it: --f32 rounds them",
                     s->info.name);
}

int input_largest_radius(const input_options *o, const search_input *in, double *radius)
{
    *radius = 0;
    for (size_t i = 0; i < in->radii.count; ++i) {
        const double own = input_number(in, &in->radii, i);
        *radius = own > *radius ? own : *radius;
    }
    if (radius_is_good(*radius, in->wide))
        return TOOL_OK;
    return tool_fail("%s: the largest radius is %g; its square must be above 0 in %s precision: or "
                     "give --radius, the maximum",
                     o->radii, *radius, in->wide ? "double" : "single");
}

void input_free(search_input *in)
{
    xli_npy_free(&in->points);
    xli_npy_free(&in->queries);
    xli_npy_free(&in->radii);
    xli_npy_free(&in->systems);
    xli_npy_free(&in->query_systems);
}

/* ---- the report ---- */

void report_input(json *j, const session *s, const search_input *in)
{
    json_text(j, "device", s->info.name);
    json_count(j, "dimensions", in->dimensions);
    if (in->rounded)
        json_number(j, "rounded_by", in->rounded_by);
    if (in->given)
        json_count(j, "queries", in->rows);
    if (in->num_systems > 0)
        json_count(j, "systems", in->num_systems);
    json_count(j, "points", in->n);
}

void report_rounding(const search_input *in)
{
    if (in->rounded)
        printf("double precision rounded to f32, each number by at most %.3g\n", in->rounded_by);
}
