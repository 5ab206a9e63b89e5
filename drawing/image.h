/* SPDX-License-Identifier: MIT
 * Pictures of 4 bytes a pixel (red, green, blue, alpha) in PNG files, by libpng. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct image {
    uint32_t width, height;
    uint32_t *pixels; /* allocated; the first byte of each is red */
} image;

/* False after a message on standard error. */
bool image_read(const char *path, image *picture);
bool image_write(const image *picture, const char *path);

#endif
