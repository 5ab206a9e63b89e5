/* SPDX-License-Identifier: MIT
 * `crosslane neighbors`: the neighbours of each point, or of queries, within a radius or the K
 * nearest: its options, and their checks. */
#include "point_search.h"

#include <math.h>

typedef struct neighbors_options {
    tool_number radius, nearest, mass, row_capacity, part_pairs;
    bool approximate, larger, inclusive, include_self, half, unsorted, keep_nearest, squared,
        as_json;
    const char *out, *counts, *density, *distances, *vectors, *shifts, *png, *device, *tune_file;
    input_options where;
} neighbors_options;

/* ---- combinations of options ---- */

static int check_apart(const neighbors_options *o)
{
    const bool nearest = o->nearest.given, approximate = nearest && o->approximate;
    const struct {
        bool both;
        const char *a, *b;
    } pairs[] = {{nearest && o->inclusive, "nearest", "inclusive"},
                 {nearest && o->counts, "nearest", "counts"},
                 {nearest && o->density, "nearest", "density"},
                 {nearest && o->png, "nearest", "png"},
                 {nearest && o->half, "nearest", "half"},
                 {nearest && o->unsorted, "nearest", "unsorted"},
                 {nearest && o->distances, "nearest", "distances"},
                 {nearest && o->vectors, "nearest", "vectors"},
                 {nearest && o->shifts, "nearest", "shifts"},
                 {nearest && o->where.radii, "nearest", "radii"},
                 {nearest && o->row_capacity.given, "nearest", "row-capacity"},
                 {nearest && o->keep_nearest, "nearest", "keep-nearest"},
                 {approximate && o->radius.given, "approximate", "radius"},
                 {approximate && o->where.periodic, "approximate", "periodic"},
                 {approximate && o->where.cell, "approximate", "cell"},
                 {approximate && o->where.box[0], "approximate", "box"},
                 {approximate && o->where.systems, "approximate", "systems"},
                 {o->where.cell && o->where.box[0], "cell", "box"},
                 {o->half && o->where.queries, "half", "queries"},
                 {o->half && o->where.radii && !o->larger, "half", "radii"},
                 {o->half && o->density, "half", "density"},
                 {o->half && o->png, "half", "png"},
                 {o->density && o->where.radii, "density", "radii"},
                 {o->png && o->where.radii, "png", "radii"},
                 {o->larger && o->where.queries, "larger", "queries"},
                 {o->include_self && o->where.queries, "self", "queries"}};
    for (size_t i = 0; i < TOOL_COUNT(pairs); ++i)
        if (pairs[i].both)
            return tool_misuse("neighbors: --%s and --%s exclude each other; give one", pairs[i].a,
                               pairs[i].b);
    return TOOL_OK;
}

static int check_needs(const neighbors_options *o)
{
    static const char of_list[] = "--out PREFIX";
    const struct {
        bool lacks;
        const char *option, *what;
    } needs[] = {
        {o->distances && !o->out, "distances", of_list},
        {o->vectors && !o->out, "vectors", of_list},
        {o->shifts && !o->out, "shifts", of_list},
        {o->unsorted && !o->out, "unsorted", of_list},
        {o->row_capacity.given && !o->out, "row-capacity", of_list},
        {o->keep_nearest && !o->row_capacity.given, "keep-nearest", "--row-capacity N"},
        {o->part_pairs.given && !o->out, "part-pairs", of_list},
        {o->squared && !o->distances && !o->nearest.given, "squared", "--distances or --nearest"},
        {o->approximate && !o->nearest.given, "approximate", "--nearest"},
        {o->larger && !o->where.radii, "larger", "--radii"},
        {o->where.query_systems && !(o->where.queries && o->where.systems), "query-systems",
         "--queries and --systems"},
        {o->where.systems && o->where.queries && !o->where.query_systems, "systems",
         "--query-systems"},
        {o->mass.given && !o->density && !o->png, "mass", "--density or --png"},
        {o->where.origin && !o->where.cell, "origin", "--cell"},
        {o->where.periodic && !o->where.box[0] && !o->where.cell, "periodic", "--box or --cell"},
        {o->where.wrap && !o->where.periodic && !o->where.cell, "wrap", "--periodic or --cell"},
        {o->shifts && !o->where.periodic && !o->where.cell, "shifts", "--periodic or --cell"}};
    for (size_t i = 0; i < TOOL_COUNT(needs); ++i)
        if (needs[i].lacks)
            return tool_misuse("neighbors: --%s: given; requires %s", needs[i].option,
                               needs[i].what);
    return TOOL_OK;
}

/* ---- values ---- */

static int check_radius(const neighbors_options *o)
{
    const double radius = o->radius.value;
    if (!o->radius.given && !o->where.radii)
        return tool_misuse("neighbors: --radius: missing; give --radius R, in the unit of the "
                           "points, or --nearest K");
    if (o->radius.given && (!(radius > 0) || !isfinite(radius)))
        return tool_misuse("neighbors: --radius: %g; must be a finite number above 0", radius);
    return TOOL_OK;
}

static int check_mass(const neighbors_options *o)
{
    const double mass = o->mass.value;
    if (!(mass > 0) || !isfinite(mass))
        return tool_misuse("neighbors: --mass: %g; must be a finite number above 0", mass);
    return TOOL_OK;
}

static int check_whole(const char *name, const tool_number *number, double most)
{
    const double value = number->value;
    if (!number->given || (value >= 1 && value <= most && value == floor(value)))
        return TOOL_OK;
    return tool_misuse("neighbors: --%s: %g; must be a whole number from 1 to %.0f", name, value,
                       most);
}

enum { MOST_NEAREST = 1024, MOST_APPROXIMATE = 64 };

static int check_nearest(const neighbors_options *o)
{
    int result;
    TRY(check_whole("nearest", &o->nearest, o->approximate ? MOST_APPROXIMATE : MOST_NEAREST));
    if (!o->out)
        return tool_misuse("neighbors: --nearest: given without --out; requires --out PREFIX");
    if (o->radius.given && (!(o->radius.value > 0) || !isfinite(o->radius.value)))
        return tool_misuse("neighbors: --radius: %g; must be a finite number above 0",
                           o->radius.value);
done:
    return result;
}

static int check_options(const neighbors_options *o)
{
    int result;
    TRY(check_apart(o));
    TRY(o->nearest.given ? check_nearest(o) : check_radius(o));
    TRY(check_whole("row-capacity", &o->row_capacity, UINT32_MAX));
    TRY(check_whole("part-pairs", &o->part_pairs, 0x1p53));
    TRY(check_mass(o));
    if (o->png)
        TRY(density_picture_check());
    TRY(check_needs(o));
done:
    return result;
}

/* ---- the work ---- */

static int set_paths(const neighbors_options *o, result_paths *paths)
{
    int result = TOOL_OK;
    *paths = (result_paths){.of = {[RESULT_COUNTS] = o->counts,
                                   [RESULT_DENSITY] = o->density,
                                   [RESULT_DISTANCES] = o->distances,
                                   [RESULT_VECTORS] = o->vectors,
                                   [RESULT_SHIFTS] = o->shifts,
                                   [RESULT_PICTURE] = o->png}};
    if (o->out)
        TRY(result_path(paths, RESULT_INDICES, o->out));
    if (o->out && !o->row_capacity.given)
        TRY(result_path(paths, o->nearest.given ? RESULT_DISTANCES : RESULT_OFFSETS, o->out));
done:
    return result;
}

static int search_file(const neighbors_options *o, const char *path)
{
    int result;
    search_settings set = {.where = &o->where,
                           .radius = o->radius.given ? o->radius.value : 0,
                           .mass = o->mass.value,
                           .k = o->nearest.given ? (uint32_t)o->nearest.value : 0,
                           .row_capacity =
                               o->row_capacity.given ? (uint32_t)o->row_capacity.value : 0,
                           .part_pairs = o->part_pairs.given ? (uint64_t)o->part_pairs.value : 0,
                           .approximate = o->approximate,
                           .larger = o->larger,
                           .inclusive = o->inclusive,
                           .include_self = o->include_self,
                           .half = o->half,
                           .unsorted = o->unsorted,
                           .keep_nearest = o->keep_nearest,
                           .squared = o->squared,
                           .as_json = o->as_json,
                           .device = o->device,
                           .tune_file = o->tune_file};
    TRY(set_paths(o, &set.paths));
    TRY(o->nearest.given ? search_nearest_file(&set, path) : search_radius_file(&set, path));
done:
    result_free_paths(&set.paths);
    return result;
}

static const char about[] =
    "Finds the neighbours of each point, or of each query of another file (--queries):\n"
    "    --radius R    all points at a distance below R: a list (--out), counts (--counts) or\n"
    "                  density (--density)\n"
    "    --nearest K   the K nearest points (--out); with --radius only those below R\n"
    "Without an output it only prints how many there are.\n"
    "\n"
    "POINTS and queries are f32 or f64 of shape (n, 3), (n, 2) or (n, 1). All lengths have their\n"
    "unit. Outputs have a row for each point, or for each query, in the order of the file. If one\n"
    "of the files is f64, outputs below that are f32 are f64.\n"
    "\n"
    "The list (--radius with --out) is CSR: PREFIX.offsets.npy, u64 of shape (rows + 1,), and\n"
    "PREFIX.indices.npy, u32 of shape (pairs,). The neighbours of row i are indices[offsets[i]] "
    "to\n"
    "indices[offsets[i + 1] - 1], in ascending order. With --row-capacity N the list is one table\n"
    "of indices, u32 of shape (rows, N); unused elements are 4294967295. --distances, --vectors "
    "and\n"
    "--shifts have a row for each index; unused rows of a table are inf, NaN and 0.\n"
    "\n"
    "--nearest writes two tables of shape (rows, K): PREFIX.indices.npy, u32, and "
    "PREFIX.distances.npy,\n"
    "f32. The nearest point comes first; of equally near points the one with the lower index.\n"
    "Unused elements are 4294967295 and inf.\n"
    "\n"
    "Results are exact: distances are computed and compared in the precision of the points. Lists\n"
    "and tables may exceed the device's memory: they are computed and written in parts.\n"
    "\n"
    "In periodic space (--periodic, --cell) each image of a point within the radius is a separate\n"
    "neighbour, so a row may contain a point several times. A cell has the vectors (AX, 0, 0),\n"
    "(BX, BY, 0) and (CX, CY, CZ). All of them are periodic, unless --periodic names some: x for\n"
    "the first vector, y, z.";

int tool_neighbors(int argc, char **argv)
{
    neighbors_options o = {.mass.value = 1};
    const tool_option options[] = {
        {"radius", OPTION_NUMBER, &o.radius, "R", "search radius", NULL},
        TEXT_OPTION("radii", o.where.radii, "R.npy",
                    "a radius for each row, f32 (rows); --radius is then the maximum"),
        FLAG_OPTION("larger", o.larger,
                    "with --radii: a pair has the larger radius of its two points"),
        {"nearest", OPTION_NUMBER, &o.nearest, "K", "the K nearest points, 1 to 1024", NULL},
        FLAG_OPTION("approximate", o.approximate,
                    "with --nearest: most of the nearest points; faster for dense clusters"),
        FLAG_OPTION("inclusive", o.inclusive, "distances up to and including R"),
        FLAG_OPTION("self", o.include_self, "each point is also its own neighbour"),
        FLAG_OPTION("half", o.half, "each pair once, in the row of the lower index"),
        TEXT_OPTION("queries", o.where.queries, "Q.npy", "find the neighbours of these positions"),
        TEXT_OPTION("systems", o.where.systems, "S.npy",
                    "a batch: the system of each point, u32 (points)"),
        TEXT_OPTION("query-systems", o.where.query_systems, "S.npy",
                    "the system of each query, u32 (rows)"),
        {"box", OPTION_PAIR, o.where.box, "LO HI",
         "corners of a box that contains all points: a number or x,y,z", NULL},
        TEXT_OPTION("periodic", o.where.periodic, "AXES",
                    "periodic axes of the box, or vectors of the cell, such as xy"),
        TEXT_OPTION("cell", o.where.cell, "AX,BX,BY,CX,CY,CZ",
                    "periodic triclinic cell; in 2 dimensions AX,BX,BY"),
        TEXT_OPTION("origin", o.where.origin, "X,Y,Z", "the corner of the cell; default 0,0,0"),
        FLAG_OPTION("wrap", o.where.wrap,
                    "move points into the periodic box or cell; --shifts are those of the file"),
        TEXT_OPTION("out", o.out, "PREFIX", "the list, in files PREFIX.*.npy"),
        FLAG_OPTION("unsorted", o.unsorted, "do not sort the rows of the list, which is faster"),
        {"row-capacity", OPTION_NUMBER, &o.row_capacity, "N",
         "a table with N neighbours in each row; fails if a row has more", NULL},
        FLAG_OPTION("keep-nearest", o.keep_nearest,
                    "with --row-capacity: a row that has more keeps the N nearest"),
        {"part-pairs", OPTION_NUMBER, &o.part_pairs, "N",
         "the most pairs of a part (a row of --nearest has K); default: 1 GiB", NULL},
        TEXT_OPTION("distances", o.distances, "D.npy", "distances of the list, f32 (pairs)"),
        FLAG_OPTION("squared", o.squared, "write squared distances (--distances, --nearest)"),
        TEXT_OPTION("vectors", o.vectors, "V.npy",
                    "vectors to the neighbours of the list, f32 (pairs, axes)"),
        TEXT_OPTION("shifts", o.shifts, "S.npy",
                    "shifts of the neighbours, in periods, i32 (pairs, axes)"),
        TEXT_OPTION("counts", o.counts, "C.npy", "number of neighbours, u32 (rows)"),
        TEXT_OPTION("density", o.density, "D.npy",
                    "mass per volume by the Poly6 kernel, f32 (rows)"),
        {"mass", OPTION_NUMBER, &o.mass, "M", "mass of a point for the density; default 1", NULL},
        TEXT_OPTION("png", o.png, "P.png", "a picture of the density"),
        FLAG_OPTION("f32", o.where.convert, "round f64 files to f32, and print the largest change"),
        RUN_OPTIONS(o)};
    const tool_syntax syntax = {.name = "neighbors",
                                .files = "POINTS.npy (--radius R | --nearest K)",
                                .min_files = 1,
                                .max_files = 1,
                                .about = about,
                                .options = options,
                                .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result == TOOL_OK)
        result = check_options(&o);
    return result == TOOL_OK ? search_file(&o, files[0]) : result;
}
