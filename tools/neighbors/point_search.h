/* SPDX-License-Identifier: MIT
 * What the files of `crosslane neighbors` share: points and the space they lie in, as files and
 * options have it (search_input.c), on the device (device_points.c), and the two searches of them. */
#ifndef POINT_SEARCH_H
#define POINT_SEARCH_H

#include "tool.h"

/* ---- search_input.c: points, queries, radii and the box ---- */
typedef struct input_options {
    const char *queries, *radii, *systems, *query_systems, *box[2], *cell, *origin, *periodic;
    bool convert; /* double precision is rounded, instead of searched in */
} input_options;

typedef struct search_input {
    size_t n, rows;                 /* points; queries, or points where none are given */
    uint32_t dimensions;            /* 1 to 3, of both */
    xli_npy points, queries, radii; /* all in one precision: */
    bool wide;                      /* double, which some of the files have */
    bool given;                     /* queries are */
    xli_npy systems, query_systems; /* of a batch: a number for each point, and each query */
    uint32_t num_systems;           /* of the points; 0: no batch */
    /* Double precision was rounded, each number by at most that (and by more where it became
     * infinite, which no search takes). */
    bool rounded;
    double rounded_by;
    bool bounded, triclinic; /* there is a box, or a cell with the corner `lower` */
    double lower[3], upper[3];
    double cell[3][3];
    uint32_t periodic; /* bit a: axis a, or vector a of the cell */
} search_input;

/* Reads and checks all of it; TOOL_USAGE where an option says what cannot be, before any file is
 * read as far as that is possible. To be freed in any case. */
int input_read(const input_options *o, const char *path, search_input *in);
/* Fails where a point is not finite; for searches whose index does not say so. */
int input_check_points(const search_input *in);
/* Whether the device has the precision that the scene is in. */
int input_check_device(const search_input *in, const session *s);
void input_free(search_input *in);
/* The radius to search with where each query has its own: the largest. */
int input_largest_radius(const input_options *o, const search_input *in, double *radius);
/* A number of one of its arrays, or of one in its precision. */
double input_number(const search_input *in, const xli_npy *array, size_t i);
/* Fails where a search of its precision cannot compare with the square of that radius. */
int input_check_radius(const search_input *in, double radius);

/* ---- device_points.c: the scene on the device ---- */
typedef struct device_points {
    const session *s;
    const search_input *in;
    cl_mem points, queries, radii, systems, query_systems;
    xl_plan *grid; /* NULL before a build, as the index is */
    xl_grid_index *index;
} device_points;

/* Uploads the arrays. */
int device_points_open(device_points *c, const session *s, const search_input *in);
/* Makes the plan of a grid with cells of that edge, and an empty index. */
int device_points_grid(device_points *c, double cell);
/* Builds the index. Fails where a point is not finite or outside of the box. */
int device_points_build(device_points *c);
void device_points_close(device_points *c);

/* ---- result_arrays.c: arrays that a search makes ---- */
enum {
    RESULT_COUNTS,
    RESULT_OFFSETS,
    RESULT_DENSITY,
    RESULT_INDICES,
    RESULT_DISTANCES,
    RESULT_VECTORS,
    RESULT_SHIFTS,
    RESULT_PICTURE, /* no array: a file alone */
    RESULT_KINDS
};

/* Of each kind the file that it goes to; NULL: none. */
typedef struct result_paths {
    const char *of[RESULT_KINDS];
    char *owned[RESULT_KINDS]; /* those of them that were put together */
} result_paths;
/* PREFIX and the end that a file of that kind has; TOOL_FAILED without memory. */
int result_path(result_paths *paths, int kind, const char *prefix);
int result_check_paths(const result_paths *paths);
void result_free_paths(result_paths *paths);

typedef struct result_array {
    xli_npy array;
    cl_mem buffer;
    FILE *stream; /* where parts of it go */
} result_array;
/* An array of `rows` rows on both sides; columns 0: one dimension; `wide`: what is no whole number
 * is in double precision. */
int result_open(result_array *all, const session *s, int kind, bool wide, size_t rows,
                size_t columns);
xl_view result_view(const result_array *all, int kind); /* not given where there is none */
int result_read(result_array *all, const session *s);
/* Turns the first `count` squares into distances. */
void result_square_roots(result_array *all, size_t count);
/* Writes what there is and has a path. */
int result_write(const result_array *all, const result_paths *paths, outputs *files);
/* Writes the first `count` elements of an array that is a part of another, of the shape of `whole`,
 * behind the parts before it. The first part begins the file. */
int result_write_part(result_array *part, const char *path, const xli_npy *whole, size_t count,
                      outputs *files);
/* How many pairs a part may have, of which an array has `widest` bytes each, and all arrays
 * together `all`: as many as an option asks for, unless that is 0, or as fit, and never more than
 * the device has room for in one buffer, which goes to *limit. */
uint64_t result_part_pairs(const session *s, uint64_t asked, uint64_t all, uint64_t widest,
                           uint64_t *limit);
void result_free(result_array *all);

/* ---- neighbor_list.c: lists ---- */
typedef struct list_job {
    const struct search_settings *set;
    const device_points *points;
    xl_plan *plan;
    /* Of all rows: offsets, here and on the device, or, with a row capacity, counts, which a list
     * then fills in on the device. */
    const result_array *rows;
    outputs *files;
} list_job;
/* Makes the list and writes it, in parts of whole rows that the device has room for. */
int list_write(const list_job *l, size_t *num_parts);

/* ---- density_picture.c: pictures ---- */
/* Wrong usage where the program cannot draw. */
int density_picture_check(void);
/* The density of each row as a PNG file, at its place; `neighbors`: how many there are within the
 * radius, on average. */
int density_picture_write(const search_input *in, const xli_npy *density, double radius,
                          double neighbors, const char *path, outputs *files);

/* ---- summary.c: smallest, mean and largest ---- */
typedef struct summary {
    double min, mean, max;
} summary;
summary summary_of_counts(const uint32_t *counts, size_t n);
/* Elements that are not finite are skipped. */
summary summary_of_floats(const float *values, size_t n);
summary summary_of_doubles(const double *values, size_t n);

/* ---- radius_search.c, nearest_search.c: searches within a radius, of the nearest ---- */
typedef struct search_settings {
    const input_options *where;
    double radius; /* 0: of --radii the largest; of the nearest no limit */
    double mass;
    uint32_t k;
    uint32_t row_capacity; /* 0: rows of any length, CSR */
    uint64_t part_pairs;   /* on the device at a time, at most; 0: as many as may be */
    bool inclusive, include_self, half, unsorted, squared, as_json;
    bool approximate; /* of the nearest, most will do */
    const char *device, *tune_file;
    result_paths paths;
} search_settings;
int search_radius_file(const search_settings *set, const char *path);
int search_nearest_file(const search_settings *set, const char *path);
/* What both say of the scene. */
void report_input(json *j, const session *s, const search_input *in);
void report_rounding(const search_input *in);

#endif
