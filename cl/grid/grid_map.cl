/* SPDX-License-Identifier: MIT
 * The layout of a grid in memory, and the row and cell of a point.
 *
 * A grid is a header, the sorted points, and where they begin. Points are sorted by row (cell along
 * z, then cell along y), then by x, and then by index. Along y and z, cells have the edge that the
 * caller gave, and are counted from 0. So the order of two points depends on nothing else, such as
 * other points. There are two kinds of grid, in the same order:
 * - dense, a table of `table` + 1 starts, x fastest: cell b has the sorted points starts[b] to
 *   starts[b + 1] - 1, so a stretch of a row is one range. Along x cells are thin.
 * - sparse, a list of the rows that have points, if the box has too many cells for a table: the
 *   sorted keys of these rows, and where each one begins. A binary search by x finds a stretch.
 *
 * A coordinate becomes the number of a cell by a float multiplication, floor, subtraction and
 * clamp. Each of these is monotone, so the cells of x - r to x + r contain every point between x -
 * r and x + r, however the operations round. In a sparse grid, a coordinate of 2^24 cell edges or
 * more is numbered by its bits instead, each float a cell: adjacent floats are an edge or more
 * apart there. This is monotone, too. So a search is exact, and meets few points, at any distance
 * from the origin.
 *
 * In double precision (XL_F64) the grid uses floats: the difference between a coordinate and an
 * origin. This rounds, and rounding is monotone, too. The exact coordinates are stored after the
 * sorted points, and searches compare these.
 *
 * In a batch (XL_SYSTEMS) each point has a system, whose number is the w of a position. Each system
 * has the same number of layers of cells along z, after those of the system before. So the cells
 * between two positions of one system are of this system, and so are its rows. If 32-bit numbers
 * leave too few layers for each system of a sparse grid, its last layer contains the rest. The
 * systems of the points are stored after that.
 *
 * No value that is read from the storage leads outside the table, the rows or the points, whatever
 * the storage contains: the host supplies the sizes of all three. */
#ifndef XL_GRID_MAP
#define XL_GRID_MAP

#include "../prelude/prelude_real.cl"

/* A sorted point: its position in the caller's precision and, in place of w, its index. */
#if XL_F64
typedef ulong4 xl_site;
#else
typedef uint4 xl_site;
#endif

/* The same words as xli_grid_header in lib/grid/grid_index.h. */
typedef struct xl_grid_header {
    ulong counted; /* elements of each step that another primitive does: entries to sum, */
    ulong sorted;  /* keys of the first sort, of the second one, flags of rows to sum */
    ulong sorted_again;
    ulong flagged;
    uint non_finite;
    uint first_non_finite;
    uint out_of_domain;
    uint first_out_of_domain;
    uint big;     /* number of overfull cells in their list */
    uint buckets; /* sparse: number of buckets; 0: keys are sorted */
    uint far_off; /* sampled points whose entry is far from that of a near index */
    uint points;
    uint table;
    uint sparse;   /* rows are listed */
    uint rows;     /* number of listed rows */
    uint together; /* keys have room for rows and x: one sort is enough */
    uint y_bits;   /* bits of y in the key of a row */
    int first_y, first_z;
    uint failed;    /* a point is not finite or outside the box */
    uint stamp;     /* identifies this build */
    uint cells[3];  /* dense: cells on each axis, in a batch along z those of all systems */
    float lower[3]; /* the box, once it is known */
    float upper[3];
    int first[3];    /* dense: number of the first cell on each axis, counted from 0 */
    float inverse;   /* 1 / edge of a cell */
    float thin;      /* cells along x per edge */
    float beyond;    /* sparse: from this coordinate on, each float is a cell */
    uint systems;    /* number of systems of a batch, otherwise 0 */
    uint layers;     /* number of layers of each system, otherwise 0 */
    int first_layer; /* the number that the first layer would have without a batch */
#if XL_F64
    double box[6]; /* bounding box of the points, if no box was given: lower, upper corner */
#endif
} xl_grid_header;

#define XL_GRID_HEADER(storage, at) ((__global xl_grid_header *)((storage) + (at)))

/* The key of a point in a sparse grid: its row; then x, followed by its index. No two keys are
 * equal, and points are in the order of keys. */
typedef ulong2 xl_grid_key;

/* The part of the header that a work-item needs, in registers. Positions and cells are vectors of
 * four whose last component is 0: compilers pad vectors of three with undefined values, which crash
 * Oclgrind (21.10, seen 2026-11). */
typedef struct xl_grid_map {
    float4 first, last, inverse;
    int beyond;      /* the bits of that float */
    uint row, layer; /* cells along x, and in a plane of x and y */
    uint origin;     /* of the first cell: z * layer + y * row + x */
    uint table, points, rows;
    uint cells; /* cells of the table that are in use */
    bool sparse, failed;
#if XL_SYSTEMS
    uint systems, layers; /* as in the header */
    int first_layer;
#endif
} xl_grid_map;

/* In a sparse grid, cells are numbered by counting edges up to this number, above which floats skip
 * whole numbers. */
#define XL_GRID_COUNTED 16777216.0f
/* The least bits of xl_grid_header.beyond: those of 2^24 edges of 2^-126. And the bits of
 * infinity. */
#define XL_GRID_LEAST_BEYOND 0x0c800000
#define XL_GRID_INFINITY 0x7f800000

/* The elements of one work-item: XL_ITEMS of n, the size of the work-group apart. */
#define XL_FOR_ITEMS(i, n)                                                                         \
    for (ulong i = (ulong)get_group_id(0) * get_local_size(0) * XL_ITEMS + get_local_id(0),        \
               i##_end =                                                                           \
                   min((ulong)(n), (ulong)(get_group_id(0) + 1) * get_local_size(0) * XL_ITEMS);   \
         i < i##_end; i += get_local_size(0))

#if XL_SYSTEMS
void xl_grid_load_systems(xl_grid_map *map, __global const xl_grid_header *header)
{
    map->systems = max(header->systems, 1u);
    map->layers = max(header->layers, 1u);
    map->first_layer = header->first_layer;
}
#endif

/* The table entry of the cell with these numbers; no bounds are checked. */
uint xl_grid_at(const xl_grid_map *map, int x, int y, int z)
{
    return (uint)z * map->layer + (uint)y * map->row + (uint)x - map->origin;
}

/* Loads the shape; `table` and `points` are the host's. `failed` is not loaded: it is not known
 * before a build has counted. */
xl_grid_map xl_grid_load_shape(__global const xl_grid_header *header, uint table, uint points)
{
    xl_grid_map map;
    const int4 first = (int4)(header->first[0], header->first[1], header->first[2], 0);
    uint4 cells = (uint4)(header->cells[0], header->cells[1], header->cells[2], 1u);
    map.first = convert_float4(first);
    map.inverse = (float4)(header->inverse * header->thin, header->inverse, header->inverse, 0.0f);
    map.beyond = clamp(as_int(header->beyond), XL_GRID_LEAST_BEYOND, XL_GRID_INFINITY);
    map.row = cells.x;
    map.layer = cells.x * cells.y;
    map.origin = 0;
    map.origin = xl_grid_at(&map, first.x, first.y, first.z);
    map.table = table;
    map.points = points;
    map.cells = clamp((uint)min(header->counted, (ulong)table + 1), 2u, table + 1u) - 1u;
    map.rows = min(header->rows, points);
    map.sparse = header->sparse != 0;
    map.failed = false;
#if XL_SYSTEMS
    xl_grid_load_systems(&map, header);
    cells.z = map.layers;
#endif
    map.last = convert_float4(as_int4(as_uint4(first) + cells - 1u));
    return map;
}

xl_grid_map xl_grid_load(__global const xl_grid_header *header, uint table, uint points)
{
    xl_grid_map map = xl_grid_load_shape(header, table, points);
    map.failed = header->failed != 0;
    return map;
}

/* Whether the cells of an axis have numbers that floats contain. */
bool xl_grid_axis_fits(int first, uint cells)
{
    const uint most = (uint)XL_GRID_COUNTED, from = (uint)first + most;
    return from <= 2u * most && cells - 1u <= 2u * most - from;
}

/* Whether every cell of a dense grid has an entry of the table, as in any grid that was built.
 * Checked once on load, so that ranges need no bounds check. */
bool xl_grid_fits(__global const xl_grid_header *header, const xl_grid_map *map)
{
    const ulong plane = (ulong)header->cells[0] * header->cells[1];
    uint layers = header->cells[2];
    if (header->sparse != 0)
        return true;
#if XL_SYSTEMS
    if ((ulong)map->layers * map->systems > layers || map->first_layer != header->first[2])
        return false;
    layers = map->layers;
#endif
    return plane <= map->table && plane * header->cells[2] <= map->table &&
           xl_grid_axis_fits(header->first[0], header->cells[0]) &&
           xl_grid_axis_fits(header->first[1], header->cells[1]) &&
           xl_grid_axis_fits(header->first[2], layers);
}

/* The position of a sorted point, without its index. */
float4 xl_grid_position(uint4 sorted_point)
{
    sorted_point.w = 0;
    return as_float4(sorted_point);
}

/* Sorted points are four words each: x, y, z and the index. For work-items that take many points of
 * a row at once, they are four planes of words, xl_grid_pitch() words apart. */
/* A vector load may begin at the last point. */
#define XL_GRID_PADDING 16
ulong xl_grid_pitch(uint n)
{
    return ((ulong)n + 2 * XL_GRID_PADDING - 1) / XL_GRID_PADDING * XL_GRID_PADDING;
}

uint4 xl_grid_sorted(__global const uint *sorted, uint n, ulong k)
{
#if XL_PLANES
    const ulong pitch = xl_grid_pitch(n);
    sorted += k;
    return (uint4)(sorted[0], sorted[pitch], sorted[2 * pitch], sorted[3 * pitch]);
#else
    return ((__global const uint4 *)sorted)[k];
#endif
}

uint xl_grid_sorted_index(__global const uint *sorted, uint n, ulong k)
{
    return sorted[XL_PLANES ? 3 * xl_grid_pitch(n) + k : 4 * k + 3];
}

float xl_grid_sorted_x(__global const uint *sorted, uint k)
{
    return as_float(sorted[XL_PLANES ? k : 4 * (ulong)k]);
}

/* The position that a search compares. */
xl_real4 xl_site_position(xl_site site)
{
#if XL_F64
    site.w = 0;
    return as_double4(site);
#else
    return xl_grid_position(site);
#endif
}

xl_site xl_site_of(xl_real4 position, uint index)
{
#if XL_F64
    xl_site site = as_ulong4(position);
#else
    xl_site site = as_uint4(position);
#endif
    site.w = index;
    return site;
}

#if XL_F64
/* Double-precision coordinates are after the sorted points, in the same order: three doubles per
 * point, or in planes. */
ulong xl_grid_whole_at(uint n, ulong k, uint axis)
{
    return XL_PLANES ? axis * xl_grid_pitch(n) + k : 3 * k + axis;
}

__global const double *xl_grid_whole(__global const uint *sorted, uint n)
{
    return (__global const double *)(sorted + 4 * xl_grid_pitch(n));
}

/* The largest coordinate that a point in the grid has. One larger float is left, for positions
 * outside a box. */
#define XL_GRID_FARTHEST 0x1.fffffcp127f

/* A coordinate of the grid: p - origin as a float. Monotone, and finite if p is. */
float4 xl_grid_narrow(double4 p, double4 origin)
{
    const float4 rounded = convert_float4(p - origin);
    const float4 finite = fmin(fmax(rounded, -XL_GRID_FARTHEST), XL_GRID_FARTHEST);
    return select(rounded, finite, convert_int4(isfinite(p)));
}
#endif

xl_site xl_grid_site(__global const uint *sorted, uint n, ulong k)
{
#if XL_F64
    __global const double *const whole = xl_grid_whole(sorted, n);
    const double4 p = (double4)(whole[xl_grid_whole_at(n, k, 0)], whole[xl_grid_whole_at(n, k, 1)],
                                whole[xl_grid_whole_at(n, k, 2)], 0.0);
    return xl_site_of(p, xl_grid_sorted_index(sorted, n, k));
#else
    return xl_grid_sorted(sorted, n, k);
#endif
}

#if XL_SYSTEMS
/* Where the systems of the points are, in the same order. */
ulong xl_grid_systems_at(uint n)
{
    return (XL_F64 ? 10 : 4) * xl_grid_pitch(n);
}

uint xl_grid_system(__global const uint *sorted, uint n, uint k)
{
    return sorted[xl_grid_systems_at(n) + k];
}
#endif

#if XL_WRAP
/* The whole vectors that points were moved back by are last: a plane for each vector. */
ulong xl_grid_moves_at(uint n)
{
    return ((XL_F64 ? 10 : 4) + (XL_SYSTEMS ? 1 : 0)) * xl_grid_pitch(n);
}

int4 xl_grid_move(__global const uint *sorted, uint n, uint k)
{
    const ulong pitch = xl_grid_pitch(n);
    __global const int *const moves = (__global const int *)(sorted + xl_grid_moves_at(n)) + k;
    return (int4)(moves[0], moves[pitch], moves[2 * pitch], 0);
}
#endif

/* A map of a sparse grid of one system. */
xl_grid_map xl_grid_far_map(float inverse, float beyond)
{
    xl_grid_map map;
    map.first = map.last = (float4)(0.0f);
    map.inverse = (float4)(inverse, inverse, inverse, 0.0f);
    map.beyond = clamp(as_int(beyond), XL_GRID_LEAST_BEYOND, XL_GRID_INFINITY);
    map.row = map.layer = map.origin = map.table = map.points = map.rows = map.cells = 0;
    map.sparse = true;
    map.failed = false;
#if XL_SYSTEMS
    map.systems = map.layers = 1;
    map.first_layer = 0;
#endif
    return map;
}

#if XL_SYSTEMS
/* The first layer of a system; a number that is not a system is clamped. */
int xl_grid_layer_of(const xl_grid_map *map, float system)
{
    const float last = (float)(map->systems - 1u);
    return (int)((uint)fmin(fmax(system, 0.0f), last) * map->layers);
}
#endif

/* The numbers of a cell in a sparse grid of one system: by counting edges or, from map->beyond on,
 * by bits, which continue from 2^24. Numbers are below 2^31 - 2^27, for any bits. */
int4 xl_grid_far_number(const xl_grid_map *map, float4 p)
{
    float4 number = floor(p * map->inverse);
    int4 counted = convert_int4(fmin(fmax(number, -XL_GRID_COUNTED), XL_GRID_COUNTED));
    int4 bits = as_int4(p) & INT_MAX;
    int4 more = bits - map->beyond + (int)XL_GRID_COUNTED;
    return select(counted, select(more, -more, as_int4(p) < 0), bits >= map->beyond);
}

int4 xl_grid_far_cell(const xl_grid_map *map, float4 p)
{
    int4 cell = xl_grid_far_number(map, p);
#if XL_SYSTEMS
    const uint layer = cell.z > map->first_layer ? (uint)cell.z - (uint)map->first_layer : 0u;
    cell.z = xl_grid_layer_of(map, p.w) + (int)min(layer, map->layers - 1u);
    cell.w = 0;
#endif
    return cell;
}

/* The cell of a finite position, or of one that overflowed to infinity; for NaN, any cell. In a
 * sparse grid x has no meaning. */
int4 xl_grid_cell(const xl_grid_map *map, float4 p)
{
    if (map->sparse)
        return xl_grid_far_cell(map, p);
    int4 cell = convert_int4(fmin(fmax(floor(p * map->inverse), map->first), map->last));
#if XL_SYSTEMS
    cell.z += xl_grid_layer_of(map, p.w);
#endif
    return cell;
}

/* The key of a listed row: ordered by z, then by y. */
ulong xl_grid_row_key(int y, int z)
{
    return (ulong)((uint)z ^ 0x80000000u) << 32 | ((uint)y ^ 0x80000000u);
}

int xl_grid_row_y(ulong key)
{
    return (int)((uint)key ^ 0x80000000u);
}

int xl_grid_row_z(ulong key)
{
    return (int)((uint)(key >> 32) ^ 0x80000000u);
}

#if XL_WRAP || XL_REPEATS == 3
/* The table of cells: XL_CELL_PARTS * 16 numbers for each cell, in the precision of the
 * coordinates. lib/grid/grid_cells.c writes it. */
enum {
    XL_CELL_BOUNDS,    /* lower corner, extent; upper corner, 0; 8 numbers of rounding */
    XL_CELL_VECTORS,   /* `cell` and `cell_more` of XL_CELL_PARAMETERS */
    XL_CELL_SLABS,     /* `slabs` and `slabs_more` */
    XL_CELL_LATTICE,   /* `lattice` */
    XL_CELL_FRACTIONS, /* the origin; for each periodic vector the normal whose product with a point
                          is its fraction; the lengths of the shortest vector and of all */
    XL_CELL_PARTS
};

xl_real16 xl_cell_numbers(__global const xl_real *cells, uint cell, uint part)
{
    return vload16((ulong)cell * XL_CELL_PARTS + part, cells);
}

bool xl_cell_all(xl_mask4 mask)
{
    return mask.x && mask.y && mask.z;
}

/* Whether a point is in the box, or in the box around the cell. */
bool xl_cell_holds(__global const xl_real *cells, uint cell, xl_real4 p)
{
    const xl_real16 bounds = xl_cell_numbers(cells, cell, XL_CELL_BOUNDS);
    return xl_cell_all((p >= (xl_real4)(bounds.s012, 0)) & (p <= (xl_real4)(bounds.s456, 0)));
}
#endif

#endif
