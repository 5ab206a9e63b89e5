/* SPDX-License-Identifier: MIT
 * Shared by the files of `crosslane neighbors`: the input (search_input.c), its copy on the device (device_points.c), results and the two searches. */
#ifndef POINT_SEARCH_H
#define POINT_SEARCH_H

#include "tool.h"

/* ---- search_input.c: points, queries, radii and the box ---- */
typedef struct input_options {
    const char *queries, *radii, *systems, *query_systems, *box[2], *cell, *origin, *periodic;
    bool wrap;    /* move points into the box or the cell */
    bool convert; /* --f32: round f64 */
} input_options;

typedef struct search_input {
    size_t n, rows;                 /* points; queries, or points without queries */
    uint32_t dimensions;            /* 1 to 3 */
    xli_npy points, queries, radii; /* in one precision */
    bool wide;                      /* f64 instead of f32 */
    bool given;                     /* there are queries */
    xli_npy systems, query_systems; /* in a batch: a number for each row */
    uint32_t num_systems;           /* 0: no batch */
    /* f64 was rounded to f32, finite numbers by at most rounded_by. */
    bool rounded;
    double rounded_by;
    bool bounded, triclinic; /* a box is given; or a cell with the corner `lower` */
    double lower[3], upper[3];
    double cell[3][3];
    uint32_t periodic; /* bit a: axis a, or vector a of the cell */
    bool wrap;
} search_input;

/* Reads and checks all input. Returns TOOL_USAGE if an option is wrong, if possible before it reads a file. Must be freed in any case. */
int input_read(const input_options *o, const char *path, search_input *in);
/* Fails if a point is not finite; for searches without an index. */
int input_check_points(const search_input *in);
/* Fails if the device does not support the precision. */
int input_check_device(const search_input *in, const session *s);
void input_free(search_input *in);
/* The largest radius of --radii. */
int input_largest_radius(const input_options *o, const search_input *in, double *radius);
/* Element i of an array in the precision of the input. */
double input_number(const search_input *in, const xli_npy *array, size_t i);
/* Fails if the square of the radius is not a positive finite number in this precision. */
int input_check_radius(const search_input *in, double radius);

/* ---- device_points.c: the input on the device ---- */
typedef struct device_points {
    const session *s;
    const search_input *in;
    cl_mem points, queries, radii, systems, query_systems;
    xl_plan *grid; /* NULL before the build, like the index */
    xl_grid_index *index;
} device_points;

/* Uploads the arrays. */
int device_points_open(device_points *c, const session *s, const search_input *in);
/* Makes the plan of a grid with cells of that edge, or of that number of points, and an empty index. */
int device_points_grid(device_points *c, double cell, double points_per_cell);
/* Builds the index. Fails where a point is not finite or outside of the box. */
int device_points_build(device_points *c);
void device_points_close(device_points *c);

/* ---- result_arrays.c ---- */
enum {
    RESULT_COUNTS,
    RESULT_OFFSETS,
    RESULT_DENSITY,
    RESULT_INDICES,
    RESULT_DISTANCES,
    RESULT_VECTORS,
    RESULT_SHIFTS,
    RESULT_PICTURE, /* only a file */
    RESULT_KINDS
};

/* The output file of each kind; NULL: none. */
typedef struct result_paths {
    const char *of[RESULT_KINDS];
    char *owned[RESULT_KINDS]; /* allocated names */
} result_paths;
/* Sets the path of a kind to PREFIX and its ending. */
int result_path(result_paths *paths, int kind, const char *prefix);
int result_check_paths(const result_paths *paths);
void result_free_paths(result_paths *paths);

typedef struct result_array {
    xli_npy array;
    cl_mem buffer;
    FILE *stream; /* for parts */
} result_array;
/* Allocates `rows` rows on the host and on the device. columns 0: one dimension. wide: real numbers are f64. */
int result_open(result_array *all, const session *s, int kind, bool wide, size_t rows,
                size_t columns);
xl_view result_view(const result_array *all, int kind); /* not given if there is no buffer */
int result_read(result_array *all, const session *s);
/* Replaces the first `count` squared distances by distances. */
void result_square_roots(result_array *all, size_t count);
/* Writes the arrays that have a path. */
int result_write(const result_array *all, const result_paths *paths, outputs *files);
/* Appends `count` elements to the file of an array that is written in parts and has the shape of `whole`. */
int result_write_part(result_array *part, const char *path, const xli_npy *whole, size_t count,
                      outputs *files);
/* The pairs of a part: `asked`, or if that is 0 as many as fit memory, at most *limit, the pairs that fit one buffer. A pair has `widest` bytes in the largest array and `all` bytes in all arrays. */
uint64_t result_part_pairs(const session *s, uint64_t asked, uint64_t all, uint64_t widest,
                           uint64_t *limit);
void result_free(result_array *all);

/* ---- neighbor_list.c ---- */
typedef struct list_job {
    const struct search_settings *set;
    const device_points *points;
    xl_plan *plan;
    /* Arrays of all rows: offsets; with a row capacity counts, which list_write() computes. */
    const result_array *rows;
    outputs *files;
} list_job;
/* Computes and writes the list in parts of whole rows. */
int list_write(const list_job *l, size_t *num_parts);

/* ---- density_picture.c ---- */
/* TOOL_USAGE if the program was built without libpng. */
int density_picture_check(void);
/* Draws the density of each row as a PNG file. neighbors: the mean number within the radius. */
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

/* ---- radius_search.c, nearest_search.c ---- */
typedef struct search_settings {
    const input_options *where;
    double radius; /* 0: the largest of --radii; with k: no limit */
    double mass;
    uint32_t k;
    uint32_t row_capacity; /* 0: rows of any length, CSR */
    uint64_t part_pairs;   /* of a part; 0: as many as fit */
    bool inclusive, include_self, half, unsorted, squared, as_json;
    bool keep_nearest; /* a row that is too long keeps its nearest neighbours */
    bool approximate;  /* most of the nearest suffice */
    bool larger;       /* a pair has the larger radius of --radii */
    const char *device, *tune_file;
    result_paths paths;
} search_settings;
int search_radius_file(const search_settings *set, const char *path);
int search_nearest_file(const search_settings *set, const char *path);
/* The part of both reports about the input. */
void report_input(json *j, const session *s, const search_input *in);
void report_rounding(const search_input *in);

#endif
