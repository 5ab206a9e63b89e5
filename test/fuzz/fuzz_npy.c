/* SPDX-License-Identifier: MIT
 * Fuzz target: any bytes as a .npy file. Either the array that its shape says, every byte of
 * which can be read and written again, or a reason in one line. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "fuzz_target.h"
#include "npy.h"

#include <string.h>

#if defined(_WIN32)
static FILE *stream_of(const uint8_t *data, size_t size)
{
    FILE *stream = tmpfile();
    FUZZ_HOLDS(stream && fwrite(data, 1, size, stream) == size);
    rewind(stream);
    return stream;
}
#else
/* On some systems fmemopen() makes no stream of 0 bytes. */
static FILE *stream_of(const uint8_t *data, size_t size)
{
    return size > 0 ? fmemopen((void *)data, size, "rb") : tmpfile();
}
#endif

static void check_array(const xli_npy *array)
{
    char text[XLI_NPY_SHAPE_BYTES];
    uint64_t count = 1;
    unsigned sum = 0;
    FUZZ_HOLDS(array->data && array->dimensions <= XLI_NPY_DIMENSIONS);
    for (uint32_t i = 0; i < array->dimensions; ++i)
        count = array->count == 0 && count != 0 && array->shape[i] != 0 ? count
                                                                        : count * array->shape[i];
    FUZZ_HOLDS(count == array->count);
    for (size_t i = 0; i < array->count * array->item_bytes; ++i)
        sum += ((const uint8_t *)array->data)[i];
    FUZZ_HOLDS(sum <= array->count * array->item_bytes * 255);
    FUZZ_HOLDS(strlen(xli_npy_shape_text(array, text)) >= 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    xli_npy array;
    xli_npy_error error;
    FILE *stream = stream_of(data, size);
    FUZZ_HOLDS(stream);
    if (xli_npy_read(stream, &array, &error)) {
        check_array(&array);
        xli_npy_free(&array);
    } else {
        FUZZ_HOLDS(!array.data && error.text[0] && memchr(error.text, 0, sizeof error.text));
    }
    fclose(stream);
    return 0;
}
