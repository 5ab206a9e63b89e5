/* SPDX-License-Identifier: MIT
 * Makes points for the tests of the program, and compares what `crosslane neighbors` finds among
 * them with the results of reference/, in the precision of the points.
 *
 *   tool_oracle points N DTYPE FILE [NAN_AT]    points in a box from -8 to 8, one perhaps a NaN
 *   tool_oracle box N DTYPE FILE DIMENSIONS SEED        the same with other dimensions
 *   tool_oracle lattice SIDE FILE               SIDE^3 points of whole coordinates, f4
 *   tool_oracle neighbors R STRICT_OR_INCLUSIVE POINTS PREFIX COUNTS [WORD...]   prints: rows,
 *                       pairs, least, most and mean neighbours
 *   tool_oracle lattice SIDE FILE SPACING LOW   the same of double precision, f8, so far apart
 *   tool_oracle nearest K POINTS PREFIX [WORD...]
 *   tool_oracle rows N OFFSETS LIST ROWS [D]    whether ROWS, with room for N in each row, contains
 *                       LIST, and the remaining room is empty; D, the squared distances of the
 *                       list: longer rows have the N nearest, and there is such a row
 *   tool_oracle unwrap FILE PERIOD OUT          points of f4, each moved by whole periods
 *   tool_oracle unwrapped POINTS PERIOD PREFIX VECTORS SHIFTS   whether each vector of the list leads
 *                       from its point to its neighbour, as these were given, moved by its shift
 *   tool_oracle density R POINTS D [WORD...]            prints: min, max, mean
 *
 * A WORD is an option of the program: self, half, larger, unsorted, squared, below=R (of
 * nearest), queries=FILE, radii=FILE, systems=FILE, query-systems=FILE, distances=FILE,
 * vectors=FILE, shifts=FILE, cell=AX,BX,BY,CX,CY,CZ, or periodic=AXES, of the box above. */
#include "tool_oracle.h"

#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float LOWER = -8, UPPER = 8;

static void save_table(const char *path, char kind, uint32_t bytes, size_t rows, size_t columns,
                       void *data)
{
    xli_npy a = xli_npy_vector(kind, bytes, rows * columns, data);
    a.dimensions = 2;
    a.shape[0] = rows;
    a.shape[1] = columns;
    save(path, &a);
    free(data);
}

/* Many distances are exactly as long as a radius may be. */
static void make_lattice(size_t side, const char *path, uint32_t bytes, double spacing, double low)
{
    const size_t n = side * side * side;
    char *data = memory(3 * n * bytes);
    for (size_t i = 0; i < 3 * n; ++i) {
        const size_t at[3] = {i / 3 % side, i / 3 / side % side, i / 3 / side / side};
        const double wide = low + (double)at[i % 3] * spacing;
        const float narrow = (float)wide;
        memcpy(data + i * bytes, bytes == 4 ? (const void *)&narrow : &wide, bytes);
    }
    save_table(path, 'f', bytes, n, 3, data);
}

static void make_points(size_t n, const char *dtype, const char *path, const char *nan_at,
                        size_t dimensions, uint64_t seed)
{
    const uint32_t bytes = (uint32_t)(dtype[1] - '0');
    char *data = memory(dimensions * n * bytes);
    uint64_t state = n + 9 + seed;
    for (size_t i = 0; i < dimensions * n; ++i) {
        /* Forty bits, of which single precision has those that stand first. */
        const uint64_t bits = next_random(&state);
        double wide =
            (double)(bits & 0xffffff) * 0x1p-20 + (double)(bits >> 24 & 0xffff) * 0x1p-40 - 8;
        if (nan_at && i == 3 * (size_t)atoi(nan_at) + 1)
            wide = NAN;
        float narrow = (float)wide;
        memcpy(data + i * bytes, bytes == 4 ? (void *)&narrow : &wide, bytes);
    }
    save_table(path, dtype[0], bytes, n, dimensions, data);
}

/* ---- the question ---- */

typedef struct question {
    bool self, half, larger, unsorted, squared;
    double below, mass; /* below: 0, no limit */
    const char *queries_path, *radii_path, *distances, *vectors, *shifts, *periodic, *cell;
    const char *systems_path, *query_systems_path;
    xli_npy points, queries, radii, systems, query_systems;
    size_t n, rows, dimensions;
    double period[3], tilt[3];
    bool wide; /* double precision */
} question;

static bool read_word(question *q, const char *word)
{
    const struct {
        const char *name;
        bool *flag;
        const char **text;
        double *number;
    } words[] = {{"self", &q->self, NULL, NULL},
                 {"half", &q->half, NULL, NULL},
                 {"larger", &q->larger, NULL, NULL},
                 {"unsorted", &q->unsorted, NULL, NULL},
                 {"squared", &q->squared, NULL, NULL},
                 {"queries=", NULL, &q->queries_path, NULL},
                 {"radii=", NULL, &q->radii_path, NULL},
                 {"systems=", NULL, &q->systems_path, NULL},
                 {"query-systems=", NULL, &q->query_systems_path, NULL},
                 {"distances=", NULL, &q->distances, NULL},
                 {"vectors=", NULL, &q->vectors, NULL},
                 {"shifts=", NULL, &q->shifts, NULL},
                 {"periodic=", NULL, &q->periodic, NULL},
                 {"cell=", NULL, &q->cell, NULL},
                 {"below=", NULL, NULL, &q->below},
                 {"mass=", NULL, NULL, &q->mass}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const size_t length = strlen(words[i].name);
        if (words[i].flag && strcmp(word, words[i].name) == 0)
            return *words[i].flag = true;
        if (words[i].flag || strncmp(word, words[i].name, length) != 0)
            continue;
        if (words[i].text)
            *words[i].text = word + length;
        else
            *words[i].number = strtod(word + length, NULL);
        return true;
    }
    return false;
}

/* The box or the cell of the words. Vectors that are not periodic stay 0. */
static void repeat(question *q)
{
    const double edge = (double)UPPER - (double)LOWER;
    double ax = edge, bx = 0, by = edge, cx = 0, cy = 0, cz = edge;
    if (q->cell && sscanf(q->cell, "%lf,%lf,%lf,%lf,%lf,%lf", &ax, &bx, &by, &cx, &cy, &cz) < 1)
        die("no cell: %s", q->cell);
    const double period[3] = {ax, by, cz};
    for (const char *c = q->periodic ? q->periodic : ""; *c; ++c) {
        q->period[*c - 'x'] = period[*c - 'x'];
        q->tilt[0] = *c == 'y' ? bx : q->tilt[0];
        q->tilt[1] = *c == 'z' ? cx : q->tilt[1];
        q->tilt[2] = *c == 'z' ? cy : q->tilt[2];
    }
}

static question ask(const char *path, int count, char **words)
{
    question q = {.mass = 1};
    for (int i = 0; i < count; ++i)
        if (!read_word(&q, words[i]))
            die("unknown word \"%s\"", words[i]);
    q.points = load(path);
    q.n = q.rows = (size_t)q.points.shape[0];
    q.dimensions = (size_t)q.points.shape[1];
    if (q.queries_path) {
        q.queries = load(q.queries_path);
        q.rows = (size_t)q.queries.shape[0];
    }
    if (q.radii_path)
        q.radii = load(q.radii_path);
    if (q.systems_path)
        q.systems = load(q.systems_path);
    if (q.query_systems_path)
        q.query_systems = load(q.query_systems_path);
    q.wide = q.points.item_bytes == 8;
    repeat(&q);
    return q;
}

/* ---- the reference ---- */

/* The searches of both precisions have these fields. */
#define FILL(search, q)                                                                            \
    do {                                                                                           \
        (search).points = (q)->points.data;                                                        \
        (search).n = (q)->n;                                                                       \
        (search).stride = (search).dimensions = (search).query_stride = (q)->dimensions;           \
        (search).queries = (q)->queries.data;                                                      \
        (search).include_self = (q)->self;                                                         \
        (search).systems = (q)->systems.data;                                                      \
        (search).query_systems = (q)->query_systems.data;                                          \
    } while (0)
#define REPEAT(search, q, real)                                                                    \
    for (size_t axis = 0; axis < 3; ++axis) {                                                      \
        (search).period[axis] = (real)(q)->period[axis];                                           \
        (search).tilt[axis] = (real)(q)->tilt[axis];                                               \
    }

/* Lists with all their details; vectors and squares are in the precision of the points. */
typedef struct lists {
    uint64_t *offsets;
    uint32_t *indices;
    int32_t *shifts; /* three of each */
    const void *vectors, *squares;
} lists;

static double real_of(const void *data, bool wide, size_t i)
{
    return wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* A distance, rounded as the program rounds it. */
static double root(const question *q, double square)
{
    return q->wide ? sqrt(square) : (double)sqrtf((float)square);
}

#define SEARCH(search, pairs_type, call, real)                                                     \
    {                                                                                              \
        pairs_type pairs = {0};                                                                    \
        search s = {.radius = (real)r, .inclusive = inclusive, .half = q->half};                   \
        FILL(s, q);                                                                                \
        REPEAT(s, q, real)                                                                         \
        s.num_queries = q->rows;                                                                   \
        s.radii = q->radii.data;                                                                   \
        s.point_radii = q->larger ? q->radii.data : NULL;                                          \
        l.indices = call(&s, l.offsets, &pairs);                                                   \
        l.shifts = pairs.shifts;                                                                   \
        l.vectors = pairs.vectors;                                                                 \
        l.squares = pairs.distances2;                                                              \
    }

static lists search(const question *q, double r, bool inclusive)
{
    lists l = {.offsets = memory((q->rows + 1) * sizeof *l.offsets)};
    if (q->wide)
        SEARCH(ref_search_f64, ref_pairs_f64, ref_neighbors_pairs_f64, double)
    else
        SEARCH(ref_search, ref_pairs, ref_neighbors_pairs, float)
    if (!l.indices)
        die("no memory");
    return l;
}

/* ---- lists ---- */

typedef struct found {
    xli_npy offsets, indices, distances, vectors, shifts;
} found;

static xli_npy load_rows(const char *path, char kind, uint32_t bytes, size_t pairs, size_t columns)
{
    xli_npy a = {0};
    if (!path)
        return a;
    a = load(path);
    if (a.kind != kind || a.item_bytes != bytes || a.dimensions != (columns ? 2 : 1) ||
        a.shape[0] != pairs || (columns && a.shape[1] != columns))
        die("%s: not %zu rows of %zu", path, pairs, columns);
    return a;
}

static found load_found(const question *q, const char *prefix)
{
    char name[1024];
    found f;
    const uint32_t bytes = q->wide ? 8 : 4;
    snprintf(name, sizeof name, "%s.offsets.npy", prefix);
    f.offsets = load(name);
    check_like(&f.offsets, 'u', 8, q->rows + 1, name);
    const size_t pairs = (size_t)((const uint64_t *)f.offsets.data)[q->rows];
    snprintf(name, sizeof name, "%s.indices.npy", prefix);
    f.indices = load(name);
    check_like(&f.indices, 'u', 4, pairs, name);
    f.distances = load_rows(q->distances, 'f', bytes, pairs, 0);
    f.vectors = load_rows(q->vectors, 'f', bytes, pairs, q->dimensions);
    f.shifts = load_rows(q->shifts, 'i', 4, pairs, q->dimensions);
    return f;
}

static double real_at(const xli_npy *a, size_t i)
{
    return real_of(a->data, a->item_bytes == 8, i);
}

/* Whether place `at` of the results holds pair `k`. */
static bool holds(const question *q, const found *f, size_t at, const lists *l, size_t k)
{
    const double square = real_of(l->squares, q->wide, k);
    bool same = ((const uint32_t *)f->indices.data)[at] == l->indices[k];
    if (f->distances.data)
        same = same && real_at(&f->distances, at) == (q->squared ? square : root(q, square));
    for (size_t a = 0; a < q->dimensions; ++a) {
        if (f->vectors.data)
            same = same && real_at(&f->vectors, q->dimensions * at + a) ==
                               real_of(l->vectors, q->wide, 3 * k + a);
        if (f->shifts.data)
            same = same && ((const int32_t *)f->shifts.data)[q->dimensions * at + a] ==
                               l->shifts[3 * k + a];
    }
    return same;
}

/* Each pair of row i in its place, or, unsorted, once anywhere in the row. */
static void check_row(const question *q, const found *f, const lists *l, size_t i)
{
    const size_t from = (size_t)l->offsets[i], count = (size_t)l->offsets[i + 1] - from;
    bool *const taken = memory(count);
    for (size_t k = 0; k < count; ++k) {
        size_t at = q->unsorted ? 0 : k;
        while (q->unsorted && at < count && (taken[at] || !holds(q, f, from + at, l, from + k)))
            ++at;
        if (at == count || !holds(q, f, from + at, l, from + k))
            die("row %zu has not point %" PRIu32 " as its neighbour %zu", i, l->indices[from + k],
                k);
        taken[at] = true;
    }
    free(taken);
}

/* Rows are counted again, and the counts as a whole summed up. */
static void check_counts(const char *path, const uint64_t *offsets, size_t n)
{
    xli_npy counts = load(path);
    check_like(&counts, 'u', 4, n, path);
    const uint32_t *each = counts.data;
    uint32_t least = n ? UINT32_MAX : 0, most = 0;
    for (size_t i = 0; i < n; ++i) {
        if (each[i] != offsets[i + 1] - offsets[i])
            die("%s: %" PRIu32 " at %zu, where the row has %" PRIu64, path, each[i], i,
                offsets[i + 1] - offsets[i]);
        least = each[i] < least ? each[i] : least;
        most = each[i] > most ? each[i] : most;
    }
    printf("%zu %" PRIu64 " %" PRIu32 " %" PRIu32 " %.17g\n", n, offsets[n], least, most,
           n ? (double)offsets[n] / (double)n : 0.0);
}

static void check_neighbors(double r, bool inclusive, question *q, const char *prefix,
                            const char *counts_path)
{
    const found f = load_found(q, prefix);
    const lists l = search(q, r, inclusive);
    if (memcmp(f.offsets.data, l.offsets, (q->rows + 1) * sizeof *l.offsets) != 0)
        die("%s: other offsets", prefix);
    for (size_t i = 0; i < q->rows; ++i)
        check_row(q, &f, &l, i);
    check_counts(counts_path, l.offsets, q->rows);
}

/* ---- rows with a capacity ---- */

/* Whether this is the value of an unused place: no index, no distance, no vector, no shift. */
static bool is_nothing(const xli_npy *rows, const char *item)
{
    double wide = 0;
    float narrow = 0;
    uint32_t whole = 0;
    if (rows->kind == 'f') {
        memcpy(rows->item_bytes == 8 ? (void *)&wide : (void *)&narrow, item, rows->item_bytes);
        wide += (double)narrow;
        return rows->dimensions == 2 ? isinf(wide) && wide > 0 : isnan(wide);
    }
    memcpy(&whole, item, sizeof whole);
    return whole == (rows->kind == 'u' ? UINT32_MAX : 0);
}

/* Whether one of the `room` nearest of a row of `count` is the one at k. The first of equally near
 * ones counts as nearer. */
static bool is_kept(const xli_npy *distances2, size_t from, size_t count, size_t k, size_t room)
{
    size_t nearer = 0;
    const double mine = real_at(distances2, from + k);
    for (size_t j = 0; j < count; ++j) {
        const double other = real_at(distances2, from + j);
        nearer += other < mine || (!(mine < other) && j < k);
    }
    return nearer < room;
}

static void check_room(size_t room, const char *offsets_path, const char *list_path,
                       const char *rows_path, const char *distances2_path)
{
    const xli_npy distances2 = distances2_path ? load(distances2_path) : (xli_npy){0};
    size_t long_rows = 0;
    xli_npy offsets = load(offsets_path), list = load(list_path), rows = load(rows_path);
    const uint64_t *const at = offsets.data;
    const size_t n = offsets.count - 1, columns = list.dimensions == 2 ? (size_t)list.shape[1] : 1;
    const size_t bytes = columns * list.item_bytes;
    if (rows.kind != list.kind || rows.item_bytes != list.item_bytes ||
        rows.dimensions != list.dimensions + 1 || rows.shape[0] != n || rows.shape[1] != room ||
        (rows.dimensions == 3 && rows.shape[2] != columns))
        die("%s: not %zu rows of %zu", rows_path, n, room);
    for (size_t i = 0; i < n; ++i) {
        const char *const row = (const char *)rows.data + i * room * bytes;
        const size_t count = (size_t)(at[i + 1] - at[i]);
        size_t kept = 0;
        long_rows += count > room;
        for (size_t k = 0; k < count; ++k)
            if (count <= room || (distances2_path && is_kept(&distances2, at[i], count, k, room)))
                if (memcmp(row + bytes * kept++, (const char *)list.data + (at[i] + k) * bytes,
                           bytes) != 0)
                    die("%s: row %zu is another one", rows_path, i);
        for (size_t k = kept * columns; k < room * columns; ++k)
            if (!is_nothing(&rows, row + k * list.item_bytes))
                die("%s: row %zu has something at %zu", rows_path, i, k);
    }
    if (distances2_path && long_rows == 0)
        die("%s: no row is longer than %zu", list_path, room);
}

static void unwrap(const char *path, float period, const char *out)
{
    xli_npy points = load(path);
    float *const x = points.data;
    for (size_t i = 0; i < points.count; ++i)
        x[i] += (float)((int)(i * 7 % 11) - 5) * period;
    save(out, &points);
}

static void check_unwrapped(char **a)
{
    char name[2][512];
    snprintf(name[0], sizeof name[0], "%s.offsets.npy", a[2]);
    snprintf(name[1], sizeof name[1], "%s.indices.npy", a[2]);
    const xli_npy points = load(a[0]), offsets = load(name[0]), indices = load(name[1]),
                  vectors = load(a[3]), shifts = load(a[4]);
    const float *const p = points.data, *const v = vectors.data, period = strtof(a[1], NULL);
    const int32_t *const s = shifts.data;
    const uint64_t *const at = offsets.data;
    for (size_t i = 0; i + 1 < offsets.count; ++i)
        for (size_t k = (size_t)at[i]; k < at[i + 1]; ++k)
            for (size_t axis = 0; axis < 3; ++axis) {
                const size_t j = ((const uint32_t *)indices.data)[k];
                const float to = p[3 * j + axis] + (float)s[3 * k + axis] * period;
                if (to - p[3 * i + axis] != v[3 * k + axis])
                    die("neighbour %zu of point %zu is elsewhere", j, i);
            }
}

/* ---- nearest, density ---- */

static void nearest(const question *q, size_t k, size_t i, uint32_t *indices, double *squares)
{
    ref_nearest_search narrow = {.k = k, .radius2 = (float)q->below * (float)q->below, .images = 2};
    ref_nearest_search_f64 wide = {.k = k, .radius2 = q->below * q->below, .images = 2};
    float *const rounded = memory(k * sizeof *rounded);
    FILL(narrow, q);
    REPEAT(narrow, q, float)
    FILL(wide, q);
    REPEAT(wide, q, double)
    if (q->wide)
        ref_nearest_f64(&wide, i, indices, squares);
    else
        ref_nearest(&narrow, i, indices, rounded);
    for (size_t c = 0; c < k; ++c) {
        squares[c] = q->wide ? squares[c] : (double)rounded[c];
        squares[c] = q->squared ? squares[c] : root(q, squares[c]);
    }
    free(rounded);
}

static void check_nearest(size_t k, question *q, const char *prefix)
{
    char name[1024];
    uint32_t *const indices = memory(k * sizeof *indices);
    double *const lengths = memory(k * sizeof *lengths);
    snprintf(name, sizeof name, "%s.indices.npy", prefix);
    const xli_npy rows = load_rows(name, 'u', 4, q->rows, k);
    snprintf(name, sizeof name, "%s.distances.npy", prefix);
    const xli_npy distances = load_rows(name, 'f', q->wide ? 8 : 4, q->rows, k);
    for (size_t i = 0; i < q->rows; ++i) {
        nearest(q, k, i, indices, lengths);
        for (size_t c = 0; c < k; ++c)
            if (((const uint32_t *)rows.data)[i * k + c] != indices[c] ||
                real_at(&distances, i * k + c) != lengths[c])
                die("%s: row %zu lacks %" PRIu32 " at %g in place %zu", prefix, i, indices[c],
                    lengths[c], c);
    }
}

/* W = 315 / (64 pi h^9) (h^2 - r^2)^3, the point itself included. */
static void check_density(double h, question *q, const char *path)
{
    const xli_npy density = load(path);
    double least = INFINITY, most = 0, total = 0;
    check_like(&density, 'f', 4, q->rows, path);
    q->self = true;
    const lists l = search(q, h, false);
    for (size_t i = 0; i < q->rows; ++i) {
        const double got = (double)((const float *)density.data)[i];
        double sum = 0;
        for (uint64_t k = l.offsets[i]; k < l.offsets[i + 1]; ++k)
            sum += pow(fmax(h * h - real_of(l.squares, q->wide, (size_t)k), 0), 3);
        sum *= q->mass * 315 / (64 * acos(-1.0) * pow(h, 9));
        if (!(fabs(got - sum) <= 2e-5 * sum))
            die("%s: row %zu has %.9g, not %.9g", path, i, got, sum);
        least = fmin(least, sum);
        most = fmax(most, sum);
        total += sum;
    }
    printf("%.9g %.9g %.9g\n", least, most, total / (double)q->rows);
}

bool oracle_points(int argc, char **argv)
{
    const char *what = argv[1];
    char **a = argv + 2;
    question q = {0};
    if (argc < 2)
        return false;
    if (strcmp(what, "points") == 0 && (argc == 5 || argc == 6)) {
        make_points((size_t)atoll(a[0]), a[1], a[2], argc == 6 ? a[3] : NULL, 3, 0);
    } else if (strcmp(what, "box") == 0 && argc == 7) {
        make_points((size_t)atoll(a[0]), a[1], a[2], NULL, (size_t)atoll(a[3]),
                    (uint64_t)atoll(a[4]));
    } else if (strcmp(what, "lattice") == 0 && argc == 4) {
        make_lattice((size_t)atoll(a[0]), a[1], 4, 1, 0);
    } else if (strcmp(what, "lattice") == 0 && argc == 6) {
        make_lattice((size_t)atoll(a[0]), a[1], 8, strtod(a[2], NULL), strtod(a[3], NULL));
    } else if (strcmp(what, "neighbors") == 0 && argc >= 7) {
        q = ask(a[2], argc - 7, a + 5);
        check_neighbors(strtod(a[0], NULL), strcmp(a[1], "inclusive") == 0, &q, a[3], a[4]);
    } else if (strcmp(what, "nearest") == 0 && argc >= 5) {
        q = ask(a[1], argc - 5, a + 3);
        check_nearest((size_t)atoll(a[0]), &q, a[2]);
    } else if (strcmp(what, "rows") == 0 && (argc == 6 || argc == 7)) {
        check_room((size_t)atoll(a[0]), a[1], a[2], a[3], argc == 7 ? a[4] : NULL);
    } else if (strcmp(what, "unwrap") == 0 && argc == 5) {
        unwrap(a[0], strtof(a[1], NULL), a[2]);
    } else if (strcmp(what, "unwrapped") == 0 && argc == 7) {
        check_unwrapped(a);
    } else if (strcmp(what, "density") == 0 && argc >= 5) {
        q = ask(a[1], argc - 5, a + 3);
        check_density((double)strtof(a[0], NULL), &q, a[2]);
    } else {
        return false;
    }
    return true;
}
