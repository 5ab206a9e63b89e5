/* SPDX-License-Identifier: MIT
 * Arrays in .npy files, formats 1.0 to 3.0. Calls nothing of the library.
 *
 * Read are booleans, integers and floating-point numbers of either byte order, of up to 32
 * dimensions in C order, of up to two in Fortran order. The data is returned in C order and in the
 * byte order of the host. Bytes after the data are an error, because the file may be damaged. */
#ifndef XLI_NPY_H
#define XLI_NPY_H

#include "printf_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { XLI_NPY_DIMENSIONS = 32, XLI_NPY_ERROR_BYTES = 512, XLI_NPY_SHAPE_BYTES = 768 };

typedef struct xli_npy {
    char kind;           /* 'b' bool, 'i' signed, 'u' unsigned, 'f' floating point */
    uint32_t item_bytes; /* 1, 2, 4 or 8 */
    uint32_t dimensions; /* 0: one element, shape () */
    uint64_t shape[XLI_NPY_DIMENSIONS];
    size_t count; /* elements; count * item_bytes fits a size_t */
    void *data;   /* never NULL after a read; freed by xli_npy_free() */
} xli_npy;

/* The reason of a failed read, without the name of the file. */
typedef struct xli_npy_error {
    char text[XLI_NPY_ERROR_BYTES];
} xli_npy_error;

/* Reads one array up to the end of the stream, which need not be seekable. Takes at most twice as
 * much memory as the stream has bytes (or 1 MiB), also if the header states a larger array. On
 * failure *array is zeroed and *error filled in. */
bool xli_npy_read(FILE *stream, xli_npy *array, xli_npy_error *error);

/* The same of at most `most` elements: where the header promises more, no data is read, and the
 * error says that `who` takes no more. */
bool xli_npy_read_most(FILE *stream, size_t most, const char *who, xli_npy *array,
                       xli_npy_error *error);

/* Writes format 1.0, C order, the byte order of the host, data at a multiple of
 * 64 bytes. False if the stream refuses bytes or the array has no such type. */
bool xli_npy_write(FILE *stream, const xli_npy *array);

/* A one-dimensional array, for xli_npy_write(); borrows `data`. */
xli_npy xli_npy_vector(char kind, uint32_t item_bytes, size_t count, void *data);

void xli_npy_free(xli_npy *array);

/* "(35947, 3)" as Python writes it. Returns `text`. */
const char *xli_npy_shape_text(const xli_npy *array, char text[XLI_NPY_SHAPE_BYTES]);

#endif
