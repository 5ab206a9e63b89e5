/* SPDX-License-Identifier: MIT
 * Arrays in files. Output files have temporary names until they are complete. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Any byte but 0 is true; as a number true is 1. */
static void make_bits(xli_npy *array)
{
    uint8_t *bytes = array->data;
    for (size_t i = 0; i < array->count; ++i)
        bytes[i] = bytes[i] != 0;
}

static int read_most(const char *path, size_t most, const char *command, xli_npy *array)
{
    xli_npy_error error;
    *array = (xli_npy){0};
    progress_say("reading %s", path);
    FILE *stream = host_open_input(path);
    if (!stream && errno == EISDIR)
        return tool_fail("%s: is a folder; give a .npy file", path);
    if (!stream)
        return tool_fail("%s: cannot be opened: %s", path, strerror(errno));
    bool good = xli_npy_read_most(stream, most, command, array, &error);
    fclose(stream);
    progress_clear();
    if (good && array->kind == 'b')
        make_bits(array);
    return good ? TOOL_OK : tool_fail("%s: %s", path, error.text);
}

int array_read(const char *path, xli_npy *array)
{
    return read_most(path, SIZE_MAX, "", array);
}

xl_type array_type(const xli_npy *array)
{
    static const struct {
        char kind;
        uint32_t bytes;
        xl_type type;
    } types[] = {{'b', 1, XL_U8},  {'i', 1, XL_I8},  {'u', 1, XL_U8},  {'i', 2, XL_I16},
                 {'u', 2, XL_U16}, {'i', 4, XL_I32}, {'u', 4, XL_U32}, {'i', 8, XL_I64},
                 {'u', 8, XL_U64}, {'f', 2, XL_F16}, {'f', 4, XL_F32}, {'f', 8, XL_F64}};
    for (size_t i = 0; i < TOOL_COUNT(types); ++i)
        if (types[i].kind == array->kind && types[i].bytes == array->item_bytes)
            return types[i].type;
    return XL_NONE;
}

const char *array_type_name(const xli_npy *array)
{
    return array->kind == 'b' ? "bool" : xl_type_name(array_type(array));
}

int array_check_vector(const char *command, const char *path, const xli_npy *array)
{
    char shape[XLI_NPY_SHAPE_BYTES];
    if (array->dimensions == 1)
        return TOOL_OK;
    return tool_fail("%s: shape %s; %s takes an array of one dimension, shape (n,)", path,
                     xli_npy_shape_text(array, shape), command);
}

static int cannot_be_written(const char *path)
{
    if (errno == EISDIR)
        return tool_fail("%s: is a folder; give the name of a file", path);
    return tool_fail("%s: cannot be written: %s", path, strerror(errno));
}

int outputs_check(const char *command, const named_output *files, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < i; ++k)
            if (files[i].path && files[k].path && host_is_one_file(files[i].path, files[k].path))
                return tool_misuse("%s: %s and %s name the same file, %s", command, files[k].name,
                                   files[i].name, files[i].path);
        if (files[i].path && !host_may_write(files[i].path))
            return cannot_be_written(files[i].path);
    }
    return TOOL_OK;
}

int outputs_open(outputs *list, const char *path, FILE **stream)
{
    if (list->count == TOOL_COUNT(list->items))
        return tool_fail("%s: more output files than %zu", path, list->count);
    output *item = &list->items[list->count];
    *item = (output){0};
    item->stream = host_open_output(path, &item->target, &item->temporary);
    if (!item->stream)
        return cannot_be_written(path);
    ++list->count;
    *stream = item->stream;
    return TOOL_OK;
}

int outputs_npy(outputs *list, const char *path, const xli_npy *array)
{
    FILE *stream = NULL;
    progress_say("writing %s", path);
    int result = outputs_open(list, path, &stream);
    if (result == TOOL_OK && !xli_npy_write(stream, array))
        result = cannot_be_written(path);
    return result;
}

/* Writes the header without elements. */
int outputs_npy_head(outputs *list, const char *path, const xli_npy *array, FILE **stream)
{
    xli_npy head = *array;
    head.count = 0;
    int result = outputs_open(list, path, stream);
    if (result == TOOL_OK && !xli_npy_write(*stream, &head))
        result = cannot_be_written(path);
    return result;
}

int outputs_append(FILE *stream, const char *path, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, stream) == bytes ? TOOL_OK : cannot_be_written(path);
}

static int close_all(outputs *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        output *item = &list->items[i];
        FILE *stream = item->stream;
        const bool good = !item->temporary || host_sync(stream);
        const int why = errno;
        item->stream = NULL;
        if (fclose(stream) == 0 && good)
            continue;
        errno = good ? errno : why;
        return cannot_be_written(item->target);
    }
    return TOOL_OK;
}

static int rename_all(outputs *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        output *item = &list->items[i];
        if (item->temporary && !host_replace(item->temporary, item->target))
            return cannot_be_written(item->target);
    }
    return TOOL_OK;
}

/* When this returns, the names are on the disk, too. */
static int sync_names(outputs *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        output *item = &list->items[i];
        if (item->temporary && !host_sync_folder(item->target))
            return cannot_be_written(item->target);
        free(item->temporary);
        item->temporary = NULL;
    }
    return TOOL_OK;
}

/* All data is on the disk before the first file gets its name. */
int outputs_commit(outputs *list)
{
    int result = close_all(list);
    if (result != TOOL_OK)
        return result;
    signals_hold();
    result = rename_all(list);
    signals_release();
    return result == TOOL_OK ? sync_names(list) : result;
}

void outputs_abandon(outputs *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        output *item = &list->items[i];
        if (item->stream)
            fclose(item->stream);
        if (item->temporary)
            host_remove(item->temporary);
        free(item->temporary);
        free(item->target);
    }
    list->count = 0;
}

int array_read_keys(const char *command, const char *path, size_t most, xli_npy *keys,
                    xl_type *type)
{
    int result;
    TRY(read_most(path, most, command, keys));
    TRY(array_check_vector(command, path, keys));
    const xl_type read = array_type(keys);
    if (*type != XL_NONE && read != *type)
        return tool_fail("%s: elements of type %s; must be %s, the type of the other array", path,
                         array_type_name(keys), xl_type_name(*type));
    *type = read;
done:
    return result;
}

int array_read_slices(const char *command, const char *path, size_t most, int axis, xli_npy *array,
                      slices *s)
{
    const int result = read_most(path, most, command, array);
    return result == TOOL_OK ? slices_take(command, path, axis, array, s) : result;
}
