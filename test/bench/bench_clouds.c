/* SPDX-License-Identifier: MIT
 * Points that several benchmarks search among. */
#include "bench_clouds.h"

#include "bench_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

float bench_unit(uint64_t *state)
{
    return (float)(bench_random(state) >> 40) / 16777216.0f;
}

double bench_radius(double neighbours, double density)
{
    return cbrt(neighbours / (4.0 / 3.0 * PI * density));
}

size_t bench_cloud_lattice(float *points, size_t stride, size_t n)
{
    uint64_t state = BENCH_SEED;
    size_t side = 1;
    while (side * side * side < n)
        ++side;
    for (size_t i = 0; i < n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t a = 0; a < 3; ++a)
            points[stride * i + a] = (float)at[a] + 0.4f * (bench_unit(&state) - 0.5f);
    }
    return side;
}

void bench_cloud_uniform(float *points, size_t n)
{
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < 3 * n; ++i)
        points[i] = bench_unit(&state);
}

void bench_cloud_clusters(float *points, size_t n)
{
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < n; ++i) {
        const size_t ball = i % 64;
        const float size = 0.01f * (float)(1 + ball % 8);
        uint64_t middle = 7919 * (ball + 1) + BENCH_SEED;
        for (size_t a = 0; a < 3; ++a) {
            float sum = 0;
            for (int k = 0; k < 6; ++k)
                sum += bench_unit(&state) - 0.5f;
            points[3 * i + a] = bench_unit(&middle) + size * sum;
        }
    }
}

void bench_cloud_surface(float *points, size_t n)
{
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < n; ++i) {
        const double z = 2.0 * (double)bench_unit(&state) - 1;
        const double turn = 2 * PI * (double)bench_unit(&state), flat = sqrt(1 - z * z);
        const double radius = 0.45 + 0.02 * sin(9 * turn) * cos(7 * z);
        points[3 * i] = (float)(0.5 + radius * flat * cos(turn));
        points[3 * i + 1] = (float)(0.5 + radius * flat * sin(turn));
        points[3 * i + 2] = (float)(0.5 + radius * z);
    }
}

float *bench_list_uniform(size_t *n, float *radius)
{
    *n = 1000000;
    *radius = (float)bench_radius(30, (double)*n);
    float *const points = malloc(12 * *n);
    if (points)
        bench_cloud_uniform(points, *n);
    return points;
}

float *bench_list_sheet(size_t *n, float *radius)
{
    uint64_t state = BENCH_SEED;
    *n = 134345;
    *radius = (float)sqrt(32.0 / (PI * (double)*n));
    float *const points = malloc(12 * *n);
    for (size_t i = 0; points && i < *n; ++i) {
        float *const p = points + 3 * i;
        p[0] = bench_unit(&state);
        p[1] = bench_unit(&state);
        p[2] = 0.07f * sinf(9 * p[0]) * cosf(7 * p[1]) + 0.0005f * bench_unit(&state);
    }
    return points;
}

float *bench_cloud_of_file(const char *text, size_t *n, float *radius)
{
    char path[1024];
    unsigned char head[10];
    float *points = NULL;
    const char *colon = strrchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof path)
        return NULL;
    memcpy(path, text, (size_t)(colon - text));
    path[colon - text] = '\0';
    *radius = strtof(colon + 1, NULL);
    FILE *file = fopen(path, "rb");
    long end = -1;
    *n = 0;
    if (file && fread(head, 1, sizeof head, file) == sizeof head &&
        memcmp(head, "\x93NUMPY\x01", 7) == 0 && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file) - 10 - head[8] - 256 * head[9];
    if (end > 0 && fseek(file, 10 + head[8] + 256 * head[9], SEEK_SET) == 0) {
        *n = (size_t)end / 12;
        points = malloc(12 * *n + 1);
        if (points && fread(points, 12, *n, file) != *n)
            *n = 0;
    }
    if (file)
        fclose(file);
    if (*n > 0 && *radius > 0)
        return points;
    free(points);
    return NULL;
}
