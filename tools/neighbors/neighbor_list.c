/* SPDX-License-Identifier: MIT
 * The list of `crosslane neighbors`, computed and written in parts of whole rows, because it may be
 * larger than memory. */
#include "point_search.h"

#include <inttypes.h>
#include <math.h>

static const int list_kinds[] = {RESULT_INDICES, RESULT_DISTANCES, RESULT_VECTORS, RESULT_SHIFTS};

typedef struct list_parts {
    const list_job *l;
    const session *s;
    const search_input *in;
    uint64_t most;   /* pairs of a part, unless a single row has more */
    uint64_t limit;  /* pairs that fit one buffer of the device */
    uint64_t widest; /* pairs of the largest part */
    result_array part[RESULT_KINDS];
    uint64_t longest_row; /* above the row capacity; 0: none */
    size_t count;
} list_parts;

/* ---- sizes ---- */

static bool wants(const list_parts *p, int kind)
{
    return p->l->set->paths.of[kind] != NULL;
}

static size_t columns_of(const list_parts *p, int kind)
{
    return kind == RESULT_VECTORS || kind == RESULT_SHIFTS ? p->in->dimensions : 0;
}

/* Bytes of one pair in an array. */
static uint64_t bytes_of(const list_parts *p, int kind)
{
    const uint64_t scalar = p->in->wide && kind != RESULT_SHIFTS ? 8 : 4;
    return kind == RESULT_INDICES ? 4 : scalar * (kind == RESULT_DISTANCES ? 1 : p->in->dimensions);
}

static void find_limits(list_parts *p)
{
    uint64_t all = 0, widest = 0;
    for (size_t k = 0; k < TOOL_COUNT(list_kinds); ++k) {
        const uint64_t bytes = wants(p, list_kinds[k]) ? bytes_of(p, list_kinds[k]) : 0;
        all += bytes;
        widest = bytes > widest ? bytes : widest;
    }
    p->most = result_part_pairs(p->s, p->l->set->part_pairs, all, widest, &p->limit);
}

/* Pairs of the rows [first, end). */
static uint64_t pairs_between(const list_parts *p, size_t first, size_t end)
{
    const uint64_t *const offsets = p->l->rows[RESULT_OFFSETS].array.data;
    const uint32_t capacity = p->l->set->row_capacity;
    return capacity ? (uint64_t)(end - first) * capacity : offsets[end] - offsets[first];
}

/* The end of the part that begins with row `first`. A part has at least one row. */
static size_t end_of(const list_parts *p, size_t first)
{
    size_t end = first + 1, beyond = p->in->rows + 1;
    if (first == p->in->rows)
        return first;
    while (beyond - end > 1) {
        const size_t middle = end + (beyond - end) / 2;
        if (pairs_between(p, first, middle) <= p->most)
            end = middle;
        else
            beyond = middle;
    }
    return end;
}

static int measure_parts(list_parts *p)
{
    const size_t rows = p->in->rows;
    for (size_t first = 0, end; first < rows; first = end) {
        end = end_of(p, first);
        const uint64_t pairs = pairs_between(p, first, end);
        if (pairs > p->limit)
            return tool_fail(
                "row %zu has %s%" PRIu64 " neighbours; %s allows at most %" PRIu64
                " in one buffer: give a smaller %s, or --counts or --density without --out",
                first, p->l->set->row_capacity ? "room for " : "", pairs, p->s->info.name, p->limit,
                p->l->set->row_capacity ? "--row-capacity" : "--radius");
        p->widest = pairs > p->widest ? pairs : p->widest;
    }
    return TOOL_OK;
}

static int open_part(list_parts *p)
{
    int result = TOOL_OK;
    for (size_t k = 0; k < TOOL_COUNT(list_kinds); ++k)
        if (wants(p, list_kinds[k]))
            TRY(result_open(p->part, p->s, list_kinds[k], p->in->wide, (size_t)p->widest,
                            columns_of(p, list_kinds[k])));
done:
    return result;
}

/* ---- one part ---- */

/* Fills the unused room of rows: indices with 2^32 - 1, distances with inf, vectors with NaN. */
static int spoil(const list_parts *p, int kind)
{
    const cl_mem buffer = p->part[kind].buffer;
    const xli_npy *const array = &p->part[kind].array;
    const double wide = kind == RESULT_DISTANCES ? (double)INFINITY : (double)NAN;
    const float narrow = (float)wide;
    const cl_uint whole = kind == RESULT_INDICES ? UINT32_MAX : 0;
    const void *const pattern = array->kind != 'f'       ? (const void *)&whole
                                : array->item_bytes == 8 ? (const void *)&wide
                                                         : (const void *)&narrow;
    return tool_check_cl(clEnqueueFillBuffer(p->s->queue, buffer, pattern, array->item_bytes, 0,
                                             array->count * array->item_bytes, 0, NULL, NULL),
                         "room of rows");
}

static xl_view counts_from(const list_parts *p, size_t first)
{
    return p->l->set->row_capacity ? xl_view_of(p->l->rows[RESULT_COUNTS].buffer, first)
                                   : xl_no_view();
}

static xl_view offsets_from(const list_parts *p, size_t first)
{
    const cl_mem offsets = p->l->rows[RESULT_OFFSETS].buffer;
    return offsets ? xl_view_of(offsets, first) : xl_no_view();
}

/* The arguments of a part: of its list, and of the question how that came out. */
static xl_neighbors_args args_of(const list_parts *p, size_t first, size_t end)
{
    const list_job *const l = p->l;
    const bool rows = l->set->row_capacity > 0;
    return (xl_neighbors_args){.num_queries = p->in->given ? p->in->rows : 0,
                               .first_row = first,
                               .num_rows = end - first,
                               .capacity = rows ? 0 : pairs_between(p, first, end),
                               .queries = xl_view_of(l->points->queries, 0),
                               .query_systems = xl_view_of(l->points->query_systems, 0),
                               .radii = xl_view_of(l->points->radii, 0),
                               .counts = counts_from(p, first),
                               .offsets = offsets_from(p, first),
                               .indices = result_view(p->part, RESULT_INDICES),
                               .distances2 = result_view(p->part, RESULT_DISTANCES),
                               .vectors = result_view(p->part, RESULT_VECTORS),
                               .shifts = result_view(p->part, RESULT_SHIFTS)};
}

/* With a row capacity: whether the rows of the part have room, and how long the longest is. */
static int check_rows(list_parts *p, const xl_neighbors_args *args)
{
    xl_neighbors_report found = {0};
    const xl_status status =
        xl_neighbors_status(p->l->plan, p->l->points->index, p->s->queue, args, &found, 0, NULL);
    if (status != XL_ERROR_CAPACITY)
        return tool_check(p->s->ctx, status, "neighbour list");
    p->longest_row = found.longest_row > p->longest_row ? found.longest_row : p->longest_row;
    return TOOL_OK;
}

static int fill(list_parts *p, size_t first, size_t end)
{
    int result = TOOL_OK;
    const list_job *const l = p->l;
    const bool rows = l->set->row_capacity > 0;
    const xl_neighbors_args args = args_of(p, first, end);
    for (size_t k = 0; k < TOOL_COUNT(list_kinds) && rows; ++k)
        if (p->part[list_kinds[k]].buffer && p->widest > 0)
            TRY(spoil(p, list_kinds[k]));
    TRY(tool_check(
        p->s->ctx,
        xl_neighbors_fill_enqueue(l->plan, l->points->index, p->s->queue, &args, 0, NULL, NULL),
        "neighbour list"));
    if (rows)
        TRY(check_rows(p, &args));
done:
    return result;
}

/* The complete array; for its shape. */
static xli_npy whole_of(const list_parts *p, int kind)
{
    xli_npy whole = p->part[kind].array;
    const size_t rows = p->in->rows, columns = columns_of(p, kind);
    const uint32_t capacity = p->l->set->row_capacity;
    whole.dimensions = 0;
    whole.shape[whole.dimensions++] = capacity ? rows : pairs_between(p, 0, rows);
    if (capacity)
        whole.shape[whole.dimensions++] = capacity;
    if (columns)
        whole.shape[whole.dimensions++] = columns;
    return whole;
}

static int write_part(list_parts *p, uint64_t pairs)
{
    int result = TOOL_OK;
    for (size_t k = 0; k < TOOL_COUNT(list_kinds); ++k) {
        const int kind = list_kinds[k];
        result_array *const part = &p->part[kind];
        const size_t columns = columns_of(p, kind), count = (size_t)pairs * (columns ? columns : 1);
        if (!wants(p, kind))
            continue;
        TRY(session_read(p->s, part->buffer, count * part->array.item_bytes, part->array.data));
        if (kind == RESULT_DISTANCES && !p->l->set->squared)
            result_square_roots(p->part, count);
        const xli_npy whole = whole_of(p, kind);
        TRY(result_write_part(part, p->l->set->paths.of[kind], &whole, count, p->l->files));
    }
done:
    return result;
}

/* ---- all parts ---- */

/* After a row that exceeds the capacity nothing is written; the remaining parts only find the
 * longest row. */
static int make_parts(list_parts *p)
{
    int result = TOOL_OK;
    size_t first = 0;
    const size_t rows = p->in->rows;
    do {
        const size_t end = end_of(p, first);
        const uint64_t pairs = pairs_between(p, first, end);
        progress_say("listing: %zu of %zu rows, %" PRIu64 " pairs more", first, rows, pairs);
        TRY(fill(p, first, end));
        if (p->longest_row == 0)
            TRY(write_part(p, pairs));
        first = end;
        ++p->count;
    } while (first < rows);
done:
    return result;
}

int list_write(const list_job *l, size_t *num_parts)
{
    int result;
    list_parts p = {.l = l, .s = l->points->s, .in = l->points->in};
    find_limits(&p);
    TRY(measure_parts(&p));
    TRY(open_part(&p));
    TRY(make_parts(&p));
    if (p.longest_row > 0)
        result = tool_fail("--row-capacity: %u; the longest row has %" PRIu64
                           " neighbours: give --row-capacity %" PRIu64
                           " or --keep-nearest, or omit it for rows of any length",
                           (unsigned)l->set->row_capacity, p.longest_row, p.longest_row);
done:
    *num_parts = p.count;
    result_free(p.part);
    return result;
}
