/* SPDX-License-Identifier: MIT
 * Results of the searches of `crosslane neighbors`: on the device, on the host, and in files. */
#include "point_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *option, *end, *what;
    char kind;
    uint32_t bytes;
} forms[RESULT_KINDS] = {
    [RESULT_COUNTS] = {"--counts", ".counts.npy", "counts", 'u', 4},
    [RESULT_OFFSETS] = {"--out", ".offsets.npy", "offsets", 'u', 8},
    [RESULT_DENSITY] = {"--density", ".density.npy", "density", 'f', 4},
    [RESULT_INDICES] = {"--out", ".indices.npy", "neighbour list", 'u', 4},
    [RESULT_DISTANCES] = {"--distances", ".distances.npy", "distances", 'f', 4},
    [RESULT_VECTORS] = {"--vectors", ".vectors.npy", "vectors", 'f', 4},
    [RESULT_SHIFTS] = {"--shifts", ".shifts.npy", "shifts", 'i', 4},
    [RESULT_PICTURE] = {"--png", ".png", "picture", 'u', 1}};

/* The bytes of all arrays of a part, unless --part-pairs is given. */
static const uint64_t PART_BYTES = (uint64_t)1 << 30;

/* ---- names of files ---- */

int result_path(result_paths *paths, int kind, const char *prefix)
{
    const size_t size = strlen(prefix) + strlen(forms[kind].end) + 1;
    char *path = malloc(size);
    if (!path)
        return tool_fail("%s: no memory for a file name", prefix);
    snprintf(path, size, "%s%s", prefix, forms[kind].end);
    paths->of[kind] = paths->owned[kind] = path;
    return TOOL_OK;
}

/* The files of --out come first; a message names two files in this order. */
int result_check_paths(const result_paths *paths)
{
    static const int order[] = {RESULT_OFFSETS,   RESULT_INDICES, RESULT_COUNTS, RESULT_DENSITY,
                                RESULT_DISTANCES, RESULT_VECTORS, RESULT_SHIFTS, RESULT_PICTURE};
    named_output files[RESULT_KINDS];
    for (size_t i = 0; i < RESULT_KINDS; ++i) {
        const int kind = order[i];
        files[i] =
            (named_output){paths->owned[kind] ? "--out" : forms[kind].option, paths->of[kind]};
    }
    return outputs_check("neighbors", files, RESULT_KINDS);
}

void result_free_paths(result_paths *paths)
{
    for (int kind = 0; kind < RESULT_KINDS; ++kind)
        free(paths->owned[kind]);
}

/* ---- arrays ---- */

int result_open(result_array *all, const session *s, int kind, bool wide, size_t rows,
                size_t columns)
{
    result_array *m = &all[kind];
    const size_t each = columns ? columns : 1;
    const size_t bytes = forms[kind].bytes << (wide && forms[kind].kind == 'f' ? 1 : 0);
    if (rows > SIZE_MAX / bytes / each)
        return tool_fail("%s: %zu rows exceed the address space", forms[kind].what, rows);
    const size_t count = rows * each;
    const int result = session_buffer(s, count * bytes, forms[kind].what, &m->buffer);
    if (result != TOOL_OK)
        return result;
    void *data = malloc(count ? count * bytes : 1);
    if (!data)
        return tool_fail("%s: no memory for %zu elements", forms[kind].what, count);
    m->array = xli_npy_vector(forms[kind].kind, (uint32_t)bytes, count, data);
    m->array.dimensions = columns ? 2 : 1;
    m->array.shape[0] = rows;
    m->array.shape[1] = columns;
    return TOOL_OK;
}

xl_view result_view(const result_array *all, int kind)
{
    return xl_view_of(all[kind].buffer, 0);
}

int result_read(result_array *all, const session *s)
{
    int result = TOOL_OK;
    progress_say("reading the results");
    for (int kind = 0; kind < RESULT_KINDS; ++kind) {
        xli_npy *array = &all[kind].array;
        if (all[kind].buffer)
            TRY(session_read(s, all[kind].buffer, array->count * array->item_bytes, array->data));
    }
done:
    return result;
}

void result_square_roots(result_array *all, size_t count)
{
    const xli_npy *const array = &all[RESULT_DISTANCES].array;
    float *const narrow = array->data;
    double *const wide = array->data;
    for (size_t i = 0; i < count; ++i)
        if (array->item_bytes == sizeof *wide)
            wide[i] = sqrt(wide[i]);
        else
            narrow[i] = sqrtf(narrow[i]);
}

/* ---- files ---- */

int result_write(const result_array *all, const result_paths *paths, outputs *files)
{
    int result = TOOL_OK;
    for (int kind = 0; kind < RESULT_KINDS; ++kind)
        if (paths->of[kind] && all[kind].array.data)
            TRY(outputs_npy(files, paths->of[kind], &all[kind].array));
done:
    return result;
}

int result_write_part(result_array *part, const char *path, const xli_npy *whole, size_t count,
                      outputs *files)
{
    int result = TOOL_OK;
    if (!part->stream)
        TRY(outputs_npy_head(files, path, whole, &part->stream));
    TRY(outputs_append(part->stream, path, part->array.data, count * part->array.item_bytes));
done:
    return result;
}

uint64_t result_part_pairs(const session *s, uint64_t asked, uint64_t all, uint64_t widest,
                           uint64_t *limit)
{
    const uint64_t memory = s->info.global_bytes / 4;
    const uint64_t most = asked ? asked : (memory < PART_BYTES ? memory : PART_BYTES) / all;
    *limit = s->info.max_buffer_bytes / widest;
    return most < *limit ? most : *limit;
}

void result_free(result_array *all)
{
    for (int kind = 0; kind < RESULT_KINDS; ++kind) {
        session_release(&all[kind].buffer);
        xli_npy_free(&all[kind].array);
    }
}
