/* SPDX-License-Identifier: MIT
 * An animated PNG ("Portable Network Graphics Specification", third edition, sections 4.9 and
 * 11.3.6): the compressed pixels of PNG files, each after a chunk with its duration. Programs that
 * do not support animation show the first. */
#include "flip_program.h"

#include <stdlib.h>
#include <string.h>

struct flip_animation {
    FILE *stream;
    char *path;
    uint32_t frames, given, sequence, milliseconds;
    unsigned char header[13]; /* IHDR of the first picture */
};

enum { LARGEST_CHUNK = 1 << 26 };

static void put32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static uint32_t get32(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* The checksum of PNG, as its specification's annex has it, bit by bit. */
static uint32_t checksum(uint32_t crc, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit)
            crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
    }
    return crc;
}

static bool put_chunk(FILE *stream, const char *type, const unsigned char *data, uint32_t bytes)
{
    unsigned char head[8], tail[4];
    put32(head, bytes);
    memcpy(head + 4, type, 4);
    uint32_t crc = checksum(UINT32_MAX, head + 4, 4);
    put32(tail, ~checksum(crc, data, bytes));
    return fwrite(head, 8, 1, stream) == 1 && (!bytes || fwrite(data, bytes, 1, stream) == 1) &&
           fwrite(tail, 4, 1, stream) == 1;
}

flip_animation *flip_animation_open(const char *path, uint32_t frames, unsigned milliseconds)
{
    flip_animation *a = (flip_animation *)calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->frames = frames;
    a->milliseconds = milliseconds;
    a->path = (char *)malloc(strlen(path) + 1);
    if (a->path)
        memcpy(a->path, path, strlen(path) + 1);
    a->stream = a->path ? fopen(path, "wb") : NULL;
    if (!a->stream) {
        perror(path);
        free(a->path);
        free(a);
        return NULL;
    }
    return a;
}

/* The bytes before the first picture's pixels. */
static bool begin(flip_animation *a, const unsigned char header[13])
{
    static const unsigned char signature[8] = {137, 80, 78, 71, 13, 10, 26, 10};
    unsigned char control[8] = {0}; /* frames; 0: again and again */
    memcpy(a->header, header, 13);
    put32(control, a->frames);
    return fwrite(signature, 8, 1, a->stream) == 1 && put_chunk(a->stream, "IHDR", header, 13) &&
           put_chunk(a->stream, "acTL", control, sizeof control);
}

static bool begin_frame(flip_animation *a)
{
    unsigned char control[26] = {0};
    put32(control, a->sequence++);
    memcpy(control + 4, a->header, 8); /* width, height; then place 0, 0 */
    control[20] = (unsigned char)(a->milliseconds >> 8);
    control[21] = (unsigned char)a->milliseconds;
    control[22] = 1000 >> 8;
    control[23] = 1000 & 255;
    return put_chunk(a->stream, "fcTL", control, sizeof control);
}

/* Pixels of the first picture stay IDAT, which every program reads; of others they are numbered. */
static bool put_pixels(flip_animation *a, unsigned char *data, uint32_t bytes)
{
    if (a->given == 0)
        return put_chunk(a->stream, "IDAT", data + 4, bytes);
    put32(data, a->sequence++);
    return put_chunk(a->stream, "fdAT", data, bytes + 4);
}

/* One chunk of a picture. */
static bool copy_chunk(flip_animation *a, FILE *picture, bool *end, bool *started)
{
    unsigned char head[8], tail[4];
    if (fread(head, 8, 1, picture) != 1 || get32(head) > LARGEST_CHUNK)
        return false;
    const uint32_t bytes = get32(head);
    unsigned char *data =
        (unsigned char *)malloc((size_t)bytes + 4); /* four in front for a number */
    bool good = data && (!bytes || fread(data + 4, bytes, 1, picture) == 1) &&
                fread(tail, 4, 1, picture) == 1;
    if (good && memcmp(head + 4, "IHDR", 4) == 0)
        good = bytes == 13 &&
               (a->given > 0 ? memcmp(a->header, data + 4, 13) == 0 : begin(a, data + 4));
    if (good && memcmp(head + 4, "IDAT", 4) == 0) {
        good = *started || begin_frame(a);
        *started = true;
        good = good && put_pixels(a, data, bytes);
    }
    *end = memcmp(head + 4, "IEND", 4) == 0;
    free(data);
    return good;
}

bool flip_animation_add(flip_animation *a, const char *path)
{
    unsigned char signature[8];
    bool end = false, started = false;
    FILE *picture = fopen(path, "rb");
    bool good = picture && fread(signature, 8, 1, picture) == 1;
    while (good && !end)
        good = copy_chunk(a, picture, &end, &started);
    if (picture)
        fclose(picture);
    if (!good)
        fprintf(stderr, "%s: cannot be put into %s\n", path, a->path);
    ++a->given;
    return good;
}

bool flip_animation_close(flip_animation *a)
{
    bool good = put_chunk(a->stream, "IEND", NULL, 0) && a->given == a->frames;
    good = fclose(a->stream) == 0 && good;
    if (!good)
        fprintf(stderr, "%s: is not complete\n", a->path);
    free(a->path);
    free(a);
    return good;
}
