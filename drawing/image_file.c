/* SPDX-License-Identifier: MIT
 * Pictures from and to PNG files. */
#include "image.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool failed(const char *path, png_image *png)
{
    fprintf(stderr, "%s: %s\n", path, png->message[0] ? png->message : "no memory");
    png_image_free(png);
    return false;
}

bool image_read(const char *path, image *picture)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, path))
        return failed(path, &png);
    png.format = PNG_FORMAT_RGBA;
    *picture = (image){png.width, png.height, malloc(4 * (size_t)png.width * png.height)};
    if (!picture->pixels || !png_image_finish_read(&png, NULL, picture->pixels, 0, NULL))
        return failed(path, &png);
    return true;
}

bool image_write(const image *picture, const char *path)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = picture->width;
    png.height = picture->height;
    png.format = PNG_FORMAT_RGBA;
    png.flags = PNG_IMAGE_FLAG_FAST;
    return png_image_write_to_file(&png, path, 0, picture->pixels, 0, NULL) || failed(path, &png);
}
