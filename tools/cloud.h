/* SPDX-License-Identifier: MIT
 * What the files of `crosslane neighbors` share: points and the space they lie in, as files and
 * options have it (scene.c), on the device (cloud.c), and the two searches of them. */
#ifndef CLOUD_H
#define CLOUD_H

#include "tool.h"

/* ---- scene.c: points, queries, radii and the box ---- */
typedef struct scene_options {
    const char *queries, *radii, *systems, *query_systems, *box[2], *cell, *origin, *periodic;
    bool convert; /* double precision is rounded, instead of searched in */
} scene_options;

typedef struct scene {
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
    uint32_t periodic;  /* bit a: axis a, or vector a of the cell */
    xl_repeats repeats; /* what searches have to be for */
} scene;

/* Reads and checks all of it; TOOL_USAGE where an option says what cannot be, before any file is
 * read as far as that is possible. To be freed in any case. */
int scene_read(const scene_options *o, const char *path, scene *sc);
/* Fails where a point is not finite; for searches whose index does not say so. */
int scene_check_points(const scene *sc);
/* Whether the device has the precision that the scene is in. */
int scene_check_device(const scene *sc, const session *s);
void scene_free(scene *sc);
/* The radius to search with where each query has its own: the largest. */
int scene_largest_radius(const scene_options *o, const scene *sc, double *radius);
/* A number of one of its arrays, or of one in its precision. */
double scene_number(const scene *sc, const xli_npy *array, size_t i);
/* Fails where a search of its precision cannot compare with the square of that radius. */
int scene_check_radius(const scene *sc, double radius);

/* ---- cloud.c: the scene on the device ---- */
typedef struct cloud {
    const session *s;
    const scene *scene;
    cl_mem points, queries, radii, systems, query_systems;
    xl_plan *grid; /* NULL before a build, as the index is */
    xl_grid_index *index;
} cloud;

/* Uploads the arrays. */
int cloud_open(cloud *c, const session *s, const scene *sc);
/* Makes the index, of a grid with cells of that edge. Fails where a point is not finite or outside
 * of the box. */
int cloud_build(cloud *c, double cell);
void cloud_close(cloud *c);

/* ---- made.c: arrays that a search makes ---- */
enum {
    MADE_COUNTS,
    MADE_OFFSETS,
    MADE_DENSITY,
    MADE_INDICES,
    MADE_DISTANCES,
    MADE_VECTORS,
    MADE_SHIFTS,
    MADE_PICTURE, /* no array: a file alone */
    MADE_KINDS
};

/* Of each kind the file that it goes to; NULL: none. */
typedef struct made_paths {
    const char *of[MADE_KINDS];
    char *owned[MADE_KINDS]; /* those of them that were put together */
} made_paths;
/* PREFIX and the end that a file of that kind has; TOOL_FAILED without memory. */
int made_path(made_paths *paths, int kind, const char *prefix);
int made_check_paths(const made_paths *paths);
void made_free_paths(made_paths *paths);

typedef struct made {
    xli_npy array;
    cl_mem buffer;
    FILE *stream; /* where parts of it go */
} made;
/* An array of `rows` rows on both sides; columns 0: one dimension; `wide`: what is no whole number
 * is in double precision. */
int made_open(made *all, const session *s, int kind, bool wide, size_t rows, size_t columns);
xl_view made_view(const made *all, int kind); /* not given where there is none */
int made_read(made *all, const session *s);
/* Turns the first `count` squares into distances. */
void made_take_roots(made *all, size_t count);
/* Writes what there is and has a path. */
int made_write(const made *all, const made_paths *paths, outputs *files);
/* Writes the first `count` elements of an array that is a part of another, of the shape of `whole`,
 * behind the parts before it. The first part begins the file. */
int made_write_part(made *part, const char *path, const xli_npy *whole, size_t count,
                    outputs *files);
/* How many pairs a part may have, of which an array has `widest` bytes each, and all arrays
 * together `all`: as many as an option asks for, unless that is 0, or as fit, and never more than
 * the device has room for in one buffer, which goes to *limit. */
uint64_t made_part_pairs(const session *s, uint64_t asked, uint64_t all, uint64_t widest,
                         uint64_t *limit);
void made_free(made *all);

/* ---- listed.c: lists ---- */
typedef struct listing {
    const struct search_settings *set;
    const cloud *cloud;
    xl_plan *plan;
    /* Of all rows: offsets, here and on the device, or, with a row capacity, counts, which a list
     * then fills in on the device. */
    const made *rows;
    outputs *files;
} listing;
/* Makes the list and writes it, in parts of whole rows that the device has room for. */
int listing_write(const listing *l, size_t *num_parts);

/* ---- drawn.c: pictures ---- */
/* Wrong usage where the program cannot draw. */
int drawn_check(void);
/* The density of each row as a PNG file, at its place; `neighbors`: how many there are within the
 * radius, on average. */
int drawn_write(const scene *sc, const xli_npy *density, double radius, double neighbors,
                const char *path, outputs *files);

/* ---- within.c, nearest.c: searches within a radius, of the nearest ---- */
typedef struct search_settings {
    const scene_options *where;
    double radius; /* 0: of --radii the largest; of the nearest no limit */
    double mass;
    uint32_t k;
    uint32_t row_capacity; /* 0: rows of any length, CSR */
    uint64_t part_pairs;   /* on the device at a time, at most; 0: as many as may be */
    bool inclusive, include_self, half, unsorted, squared, as_json;
    bool approximate; /* of the nearest, most will do */
    const char *device, *tune_file;
    made_paths paths;
} search_settings;
int within_file(const search_settings *set, const char *path);
int nearest_file(const search_settings *set, const char *path);
/* What both say of the scene. */
void report_scene(json *j, const session *s, const scene *sc);
void report_rounding(const scene *sc);

#endif
