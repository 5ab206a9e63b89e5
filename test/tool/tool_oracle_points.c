/* SPDX-License-Identifier: MIT
 * Makes points for the tests of the program, and checks what `crosslane neighbors` finds among
 * them by going through all pairs.
 *
 *   tool_oracle points N DTYPE FILE [NAN_AT]    points in a box from -8 to 8, one perhaps a NaN
 *   tool_oracle box N DTYPE FILE DIMENSIONS SEED        ... of so many dimensions
 *   tool_oracle lattice SIDE FILE               SIDE^3 points of whole coordinates, f4
 *   tool_oracle neighbors R STRICT_OR_INCLUSIVE POINTS PREFIX COUNTS [WORD...]   prints: rows,
 *                       pairs, least, most and mean neighbours
 *   tool_oracle lattice SIDE FILE SPACING LOW   the same of double precision, f8, so far apart
 *   tool_oracle wide R POINTS PREFIX DISTANCES VECTORS  points of f8: prints the pairs
 *   tool_oracle wide-knn K POINTS PREFIX                of f8, too
 *   tool_oracle knn K POINTS PREFIX [WORD...]
 *   tool_oracle rows N OFFSETS LIST ROWS        whether ROWS, with room for N in each row, has what
 *                       is in LIST, and of what is left nothing
 *   tool_oracle density R POINTS D [WORD...]            prints: min, max, mean
 *
 * A WORD is an option of the program: self, half, unsorted, squared, below=R (of knn),
 * queries=FILE, radii=FILE, systems=FILE, query-systems=FILE, distances=FILE, vectors=FILE,
 * shifts=FILE, cell=AX,BX,BY,CX,CY,CZ, or periodic=AXES, of the box above. */
#include "tool_oracle.h"

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
static void make_lattice(size_t side, const char *path)
{
    const size_t n = side * side * side;
    float *data = memory(3 * n * sizeof *data);
    for (size_t i = 0; i < n; ++i) {
        const size_t row = i / side, plane = row / side;
        data[3 * i] = (float)(i % side);
        data[3 * i + 1] = (float)(row % side);
        data[3 * i + 2] = (float)plane;
    }
    save_table(path, 'f', sizeof *data, n, 3, data);
}

static void make_wide_lattice(size_t side, const char *path, double spacing, double low)
{
    const size_t n = side * side * side;
    double *data = memory(3 * n * sizeof *data);
    for (size_t i = 0; i < n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t a = 0; a < 3; ++a)
            data[3 * i + a] = low + (double)at[a] * spacing;
    }
    save_table(path, 'f', sizeof *data, n, 3, data);
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

/* ---- what is asked for ---- */

typedef struct question {
    bool self, half, unsorted, squared;
    float below, mass; /* below: infinite, no limit */
    const char *queries_path, *radii_path, *distances, *vectors, *shifts, *periodic, *cell;
    const char *systems_path, *query_systems_path;
    xli_npy points, queries, radii, systems, query_systems;
    size_t n, rows, dimensions;
    int reach[3];    /* images that are looked at, each way */
    float row[3][3]; /* vectors of the cell */
} question;

static bool read_word(question *q, const char *word)
{
    const struct {
        const char *name;
        bool *flag;
        const char **text;
        float *number;
    } words[] = {{"self", &q->self, NULL, NULL},
                 {"half", &q->half, NULL, NULL},
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
            *words[i].number = strtof(word + length, NULL);
        return true;
    }
    return false;
}

static question ask(const char *path, int count, char **words)
{
    question q = {.below = INFINITY, .mass = 1};
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
    for (int a = 0; a < 3; ++a)
        q.row[a][a] = UPPER - LOWER;
    if (q.cell && sscanf(q.cell, "%f,%f,%f,%f,%f,%f", &q.row[0][0], &q.row[1][0], &q.row[1][1],
                         &q.row[2][0], &q.row[2][1], &q.row[2][2]) < 1)
        die("no cell: %s", q.cell);
    for (const char *c = q.periodic ? q.periodic : ""; *c; ++c)
        q.reach[*c - 'x'] = 2; /* of a radius below a period and a half */
    return q;
}

static void forget(question *q)
{
    xli_npy_free(&q->points);
    xli_npy_free(&q->queries);
    xli_npy_free(&q->radii);
    xli_npy_free(&q->systems);
    xli_npy_free(&q->query_systems);
}

/* ---- all pairs ---- */

typedef struct image {
    float distance2, vector[3];
    int32_t shift[3];
    size_t j;
} image;

typedef struct images {
    image *at;
    size_t count, room;
} images;

static void add(images *list, image m)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (!list->at)
            die("no memory");
    }
    list->at[list->count++] = m;
}

/* The query less the point, along each axis that there is. */
static void subtract(const question *q, size_t i, size_t j, float apart[3])
{
    const float *from = q->queries.data ? q->queries.data : q->points.data, *to = q->points.data;
    for (size_t a = 0; a < q->dimensions; ++a)
        apart[a] = from[q->dimensions * i + a] - to[q->dimensions * j + a];
}

static image look(const question *q, const float apart[3], size_t j, const int32_t shift[3])
{
    image m = {.j = j, .shift = {shift[0], shift[1], shift[2]}};
    float d[3], moved[3];
    const float x = (float)shift[0], y = (float)shift[1], z = (float)shift[2];
    moved[0] = (x * q->row[0][0] + y * q->row[1][0]) + z * q->row[2][0];
    moved[1] = y * q->row[1][1] + z * q->row[2][1];
    moved[2] = z * q->row[2][2];
    for (size_t a = 0; a < 3; ++a) {
        d[a] = apart[a] - moved[a];
        m.vector[a] = -d[a];
    }
    m.distance2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    return m;
}

/* Whether the image counts at all, however far it is. */
static bool counts(const question *q, size_t i, size_t j, const int32_t shift[3])
{
    const int32_t last = shift[2] ? shift[2] : shift[1] ? shift[1] : shift[0];
    const uint32_t *const of = q->systems.data;
    const uint32_t *const from = q->query_systems.data ? q->query_systems.data : of;
    if (of && of[j] != from[i])
        return false;
    if (q->queries.data || i < j)
        return true;
    if (i > j)
        return !q->half;
    return last == 0 ? q->self : !q->half || last > 0;
}

/* What a square distance must be below, or at most. */
typedef struct limit {
    float square;
    bool inclusive, none;
} limit;

static limit limit_of(const question *q, size_t i, float r, bool inclusive)
{
    const float own = q->radii.data ? ((const float *)q->radii.data)[i] : r;
    const float least = own < r ? own : r;
    return (limit){least * least, inclusive, !(own > 0)};
}

static bool is_near(const limit *most, float distance2)
{
    return !most->none && (most->inclusive ? distance2 <= most->square : distance2 < most->square);
}

static void gather_images(const question *q, size_t i, size_t j, const float apart[3],
                          const limit *most, images *list)
{
    for (int32_t z = -q->reach[2]; z <= q->reach[2]; ++z)
        for (int32_t y = -q->reach[1]; y <= q->reach[1]; ++y)
            for (int32_t x = -q->reach[0]; x <= q->reach[0]; ++x) {
                const int32_t shift[3] = {x, y, z};
                const image m = look(q, apart, j, shift);
                if (counts(q, i, j, shift) && is_near(most, m.distance2))
                    add(list, m);
            }
}

/* All images of all points that are near i: by index, then z, y, x. */
static void gather(const question *q, size_t i, float r, bool inclusive, images *list)
{
    const limit most = limit_of(q, i, r, inclusive);
    float d[3] = {0, 0, 0};
    list->count = 0;
    for (size_t j = 0; j < q->n; ++j) {
        subtract(q, i, j, d);
        /* Of billions of pairs most are told from this alone. */
        if (q->periodic || is_near(&most, (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]))
            gather_images(q, i, j, d, &most, list);
    }
}

/* ---- lists ---- */

typedef struct found {
    xli_npy offsets, indices, distances, vectors, shifts;
} found;

static xli_npy load_rows(const char *path, char kind, size_t pairs, size_t columns)
{
    xli_npy a = {0};
    if (!path)
        return a;
    a = load(path);
    if (a.kind != kind || a.item_bytes != 4 || a.dimensions != (columns ? 2 : 1) ||
        a.shape[0] != pairs || (columns && a.shape[1] != columns))
        die("%s: not %zu rows of %zu", path, pairs, columns);
    return a;
}

static found load_found(const question *q, const char *prefix)
{
    char name[1024];
    found f;
    snprintf(name, sizeof name, "%s.offsets.npy", prefix);
    f.offsets = load(name);
    check_like(&f.offsets, 'u', 8, q->rows + 1, name);
    const size_t pairs = (size_t)((const uint64_t *)f.offsets.data)[q->rows];
    snprintf(name, sizeof name, "%s.indices.npy", prefix);
    f.indices = load(name);
    check_like(&f.indices, 'u', 4, pairs, name);
    f.distances = load_rows(q->distances, 'f', pairs, 0);
    f.vectors = load_rows(q->vectors, 'f', pairs, q->dimensions);
    f.shifts = load_rows(q->shifts, 'i', pairs, q->dimensions);
    return f;
}

static void forget_found(found *f)
{
    xli_npy *all[] = {&f->offsets, &f->indices, &f->distances, &f->vectors, &f->shifts};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        xli_npy_free(all[i]);
}

/* Whether place `at` of what was found holds this image. */
static bool holds(const question *q, const found *f, size_t at, const image *m)
{
    const float *distances = f->distances.data, *vectors = f->vectors.data;
    const int32_t *shifts = f->shifts.data;
    bool same = ((const uint32_t *)f->indices.data)[at] == m->j;
    if (distances)
        same = same && distances[at] == (q->squared ? m->distance2 : sqrtf(m->distance2));
    for (size_t a = 0; a < q->dimensions; ++a) {
        if (vectors)
            same = same && vectors[q->dimensions * at + a] == m->vector[a];
        if (shifts)
            same = same && shifts[q->dimensions * at + a] == m->shift[a];
    }
    return same;
}

/* Row i, which begins at `from`: each image in its place, or, unsorted, each once anywhere. */
static void check_row(const question *q, const found *f, size_t i, size_t from, const images *list)
{
    bool *taken = memory(list->count);
    for (size_t k = 0; k < list->count; ++k) {
        size_t at = q->unsorted ? 0 : k;
        while (q->unsorted && at < list->count &&
               (taken[at] || !holds(q, f, from + at, &list->at[k])))
            ++at;
        if (at == list->count || !holds(q, f, from + at, &list->at[k]))
            die("row %zu has not point %zu as its neighbour %zu", i, list->at[k].j, k);
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
    xli_npy_free(&counts);
}

static void check_neighbors(float r, bool inclusive, question *q, const char *prefix,
                            const char *counts_path)
{
    found f = load_found(q, prefix);
    const uint64_t *at = f.offsets.data;
    images list = {0};
    for (size_t i = 0; i < q->rows; ++i) {
        gather(q, i, r, inclusive, &list);
        if (at[i + 1] - at[i] != list.count || (i == 0 && at[0] != 0))
            die("%s: row %zu is from %" PRIu64 " to %" PRIu64 ", but has %zu", prefix, i, at[i],
                at[i + 1], list.count);
        check_row(q, &f, i, (size_t)at[i], &list);
    }
    if (q->rows == 0 && at[0] != 0)
        die("%s: rows where there are no queries", prefix);
    check_counts(counts_path, at, q->rows);
    free(list.at);
    forget_found(&f);
}

/* ---- rows that have room for so many ---- */

/* What stands where a row has no neighbour: no index, no distance, no vector, no shift. */
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

static void check_room(size_t room, const char *offsets_path, const char *list_path,
                       const char *rows_path)
{
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
        if (count > room ||
            memcmp(row, (const char *)list.data + at[i] * bytes, count * bytes) != 0)
            die("%s: row %zu is another one", rows_path, i);
        for (size_t k = count * columns; k < room * columns; ++k)
            if (!is_nothing(&rows, row + k * list.item_bytes))
                die("%s: row %zu has something at %zu", rows_path, i, k);
    }
    xli_npy_free(&offsets);
    xli_npy_free(&list);
    xli_npy_free(&rows);
}

/* ---- nearest, density ---- */

static int nearer(const void *a, const void *b)
{
    const image *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return x->distance2 < y->distance2 ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

static void check_knn(size_t k, question *q, const char *prefix)
{
    char name[1024];
    snprintf(name, sizeof name, "%s.indices.npy", prefix);
    xli_npy indices = load_rows(name, 'u', q->rows, k);
    snprintf(name, sizeof name, "%s.distances.npy", prefix);
    xli_npy distances = load_rows(name, 'f', q->rows, k);
    const uint32_t *rows = indices.data;
    const float *lengths = distances.data;
    images list = {0};
    for (size_t i = 0; i < q->rows; ++i) {
        gather(q, i, q->below, false, &list);
        if (list.count > 0)
            qsort(list.at, list.count, sizeof *list.at, nearer);
        for (size_t c = 0; c < k; ++c) {
            const image *m = c < list.count ? &list.at[c] : NULL;
            const float d2 = m ? m->distance2 : INFINITY;
            if (rows[i * k + c] != (m ? m->j : UINT32_MAX) ||
                lengths[i * k + c] != (q->squared ? d2 : sqrtf(d2)))
                die("%s: row %zu has %" PRIu32 " at %g in place %zu, not at %g", prefix, i,
                    rows[i * k + c], (double)lengths[i * k + c], c, (double)sqrtf(d2));
        }
    }
    free(list.at);
    xli_npy_free(&indices);
    xli_npy_free(&distances);
}

/* W = 315 / (64 pi h^9) (h^2 - r^2)^3, the point itself included. */
static void check_density(double h, question *q, const char *path)
{
    xli_npy density = load(path);
    double least = INFINITY, most = 0, total = 0;
    images list = {0};
    check_like(&density, 'f', 4, q->rows, path);
    q->self = true;
    for (size_t i = 0; i < q->rows; ++i) {
        const double got = (double)((const float *)density.data)[i];
        double sum = 0;
        gather(q, i, (float)h, false, &list);
        for (size_t k = 0; k < list.count; ++k) {
            const double left = h * h - (double)list.at[k].distance2;
            sum += left > 0 ? left * left * left : 0;
        }
        sum *= (double)q->mass * 315 / (64 * acos(-1.0) * pow(h, 9));
        if (!(fabs(got - sum) <= 2e-5 * sum))
            die("%s: row %zu has %.9g, not %.9g", path, i, got, sum);
        least = fmin(least, sum);
        most = fmax(most, sum);
        total += sum;
    }
    printf("%.9g %.9g %.9g\n", least, most, total / (double)q->rows);
    free(list.at);
    xli_npy_free(&density);
}

/* Rows of points of double precision, with what else there is of each index. */
static void check_wide(double radius, const char *points, const char *prefix, const char *distances,
                       const char *vectors)
{
    char name[256];
    xli_npy p = load(points), d = load(distances), v = load(vectors);
    const double *const x = p.data, *const far = d.data, *const to = v.data;
    const size_t n = (size_t)p.shape[0];
    snprintf(name, sizeof name, "%s.offsets.npy", prefix);
    xli_npy offsets = load(name);
    snprintf(name, sizeof name, "%s.indices.npy", prefix);
    xli_npy indices = load(name);
    const uint64_t *const begin = offsets.data;
    const uint32_t *const row = indices.data;
    size_t at = 0;
    check_like(&offsets, 'u', 8, n + 1, "offsets");
    check_like(&d, 'f', 8, indices.count, "distances");
    if (v.item_bytes != 8 || v.count != 3 * indices.count)
        die("vectors: %zu numbers of %u bytes", v.count, (unsigned)v.item_bytes);
    for (size_t i = 0; i < n; ++i) {
        if (begin[i] != at)
            die("offsets[%zu] is %" PRIu64 ", not %zu", i, begin[i], at);
        for (size_t j = 0; j < n; ++j) {
            const double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1];
            const double dz = x[3 * i + 2] - x[3 * j + 2];
            const double xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = xx + yy, sum = xy + zz;
            if (i == j || !(sum < radius * radius))
                continue;
            if (at >= indices.count || row[at] != j || far[at] != sqrt(sum))
                die("row %zu lacks %zu, %.17g far", i, j, sqrt(sum));
            if (to[3 * at] != -dx || to[3 * at + 1] != -dy || to[3 * at + 2] != -dz)
                die("row %zu: another vector to %zu", i, j);
            ++at;
        }
    }
    if (at != indices.count || begin[n] != at)
        die("%zu pairs, not %zu", indices.count, at);
    printf("%zu\n", at);
    xli_npy *const all[] = {&p, &d, &v, &offsets, &indices};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        xli_npy_free(all[k]);
}

static double wide_distance2(const double *p, const double *q)
{
    const double dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    const double xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = xx + yy;
    return xy + zz;
}

/* Each place of a row has the point that has as many before it, of all but the row's own. */
static void check_wide_knn(size_t k, const char *points, const char *prefix)
{
    char name[256];
    xli_npy p = load(points);
    const double *const x = p.data;
    const size_t n = (size_t)p.shape[0];
    snprintf(name, sizeof name, "%s.indices.npy", prefix);
    xli_npy indices = load(name);
    snprintf(name, sizeof name, "%s.distances.npy", prefix);
    xli_npy distances = load(name);
    const uint32_t *const row = indices.data;
    const double *const far = distances.data;
    if (distances.item_bytes != 8 || indices.count != n * k || distances.count != n * k || n <= k)
        die("%zu and %zu places of %zu rows", indices.count, distances.count, n);
    for (size_t at = 0; at < n * k; ++at) {
        const size_t i = at / k, j = row[at];
        size_t before = 0;
        if (j >= n || j == i)
            die("row %zu has %zu", i, j);
        const double own = wide_distance2(x + 3 * i, x + 3 * j);
        for (size_t q = 0; q < n; ++q) {
            const double other = wide_distance2(x + 3 * i, x + 3 * q);
            before += q != i && (other < own || (other == own && q < j)) ? 1 : 0;
        }
        if (before != at % k || far[at] != sqrt(own))
            die("row %zu, place %zu: %zu has %zu before it", i, at % k, j, before);
    }
    xli_npy_free(&p);
    xli_npy_free(&indices);
    xli_npy_free(&distances);
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
        make_lattice((size_t)atoll(a[0]), a[1]);
    } else if (strcmp(what, "lattice") == 0 && argc == 6) {
        make_wide_lattice((size_t)atoll(a[0]), a[1], strtod(a[2], NULL), strtod(a[3], NULL));
    } else if (strcmp(what, "wide") == 0 && argc == 7) {
        check_wide(strtod(a[0], NULL), a[1], a[2], a[3], a[4]);
    } else if (strcmp(what, "neighbors") == 0 && argc >= 7) {
        q = ask(a[2], argc - 7, a + 5);
        check_neighbors(strtof(a[0], NULL), strcmp(a[1], "inclusive") == 0, &q, a[3], a[4]);
    } else if (strcmp(what, "wide-knn") == 0 && argc == 5) {
        check_wide_knn((size_t)atoll(a[0]), a[1], a[2]);
    } else if (strcmp(what, "knn") == 0 && argc >= 5) {
        q = ask(a[1], argc - 5, a + 3);
        check_knn((size_t)atoll(a[0]), &q, a[2]);
    } else if (strcmp(what, "rows") == 0 && argc == 6) {
        check_room((size_t)atoll(a[0]), a[1], a[2], a[3]);
    } else if (strcmp(what, "density") == 0 && argc >= 5) {
        q = ask(a[1], argc - 5, a + 3);
        check_density((double)strtof(a[0], NULL), &q, a[2]);
    } else {
        return false;
    }
    forget(&q);
    return true;
}
