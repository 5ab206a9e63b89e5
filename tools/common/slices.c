/* SPDX-License-Identifier: MIT
 * Arrays of two dimensions along an axis (--axis). The slices along the axis become one contiguous
 * array with a segment for each slice. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

const char *const axis_names[] = {"0", "1", NULL};

/* rows x columns elements become columns x rows. */
static int transpose(const char *path, xli_npy *array, size_t rows, size_t columns)
{
    const size_t bytes = array->item_bytes;
    const char *from = array->data;
    char *const to = malloc(array->count ? array->count * bytes : 1);
    if (!to)
        return tool_fail("%s: no memory for %zu elements", path, array->count);
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column, from += bytes)
            memcpy(to + (column * rows + row) * bytes, from, bytes);
    free(array->data);
    array->data = to;
    return TOOL_OK;
}

int slices_take(const char *command, const char *path, int axis, xli_npy *array, slices *s)
{
    char shape[XLI_NPY_SHAPE_BYTES];
    *s = (slices){.axis = axis, .count = 1, .length = array->count};
    if (array->dimensions == 1 && axis == 1)
        return tool_misuse("%s: --axis: 1; %s has one dimension, axis 0", command, path);
    if (array->dimensions == 1)
        return TOOL_OK;
    if (array->dimensions != 2 || axis == AXIS_NONE)
        return tool_fail(
            "%s: shape %s; %s takes an array of one dimension, or of two with --axis 0 "
            "or --axis 1",
            path, xli_npy_shape_text(array, shape), command);
    s->is_table = true;
    s->length = (size_t)array->shape[axis];
    s->count = (size_t)array->shape[1 - axis];
    array->dimensions = 1;
    array->shape[0] = array->count;
    return axis == 0 ? transpose(path, array, s->length, s->count) : TOOL_OK;
}

int slices_restore(const slices *s, const char *path, size_t length, xli_npy *results)
{
    if (!s->is_table)
        return TOOL_OK;
    results->dimensions = 2;
    results->shape[s->axis] = length;
    results->shape[1 - s->axis] = s->count;
    return s->axis == 0 ? transpose(path, results, s->count, length) : TOOL_OK;
}

int slices_segments(const char *command, const slices *s, size_t count, segments *g)
{
    if (!s->is_table)
        return TOOL_OK;
    uint64_t *const offsets = malloc(count ? count * sizeof *offsets : 1);
    if (!offsets)
        return tool_fail("%s: no memory for %zu segments", command, count);
    for (size_t i = 0; i < count; ++i)
        offsets[i] = i * s->length;
    *g = (segments){.form = XL_SEGMENTS_OFFSETS,
                    .type = XL_U64,
                    .array = xli_npy_vector('u', sizeof *offsets, count, offsets)};
    return TOOL_OK;
}

void slices_indices(const slices *s, xli_npy *indices)
{
    uint32_t *const narrow = indices->data;
    uint64_t *const wide = indices->data;
    for (size_t i = 0; i < indices->count && s->is_table && s->length > 0; ++i)
        if (indices->item_bytes == sizeof *narrow)
            narrow[i] = (uint32_t)(narrow[i] % s->length);
        else if (wide[i] != UINT64_MAX)
            wide[i] %= s->length;
}
