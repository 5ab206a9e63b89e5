/* SPDX-License-Identifier: MIT
 * The list of `crosslane neighbors`, made and written in parts of whole rows: it may be larger than
 * a buffer of the device, and than the memory on either side. */
#include "cloud.h"

#include <inttypes.h>
#include <math.h>

static const int listed[] = {MADE_INDICES, MADE_DISTANCES, MADE_VECTORS, MADE_SHIFTS};

typedef struct parts {
    const listing *l;
    const session *s;
    const scene *scene;
    uint64_t most;   /* pairs of a part, unless one row alone has more */
    uint64_t limit;  /* pairs that the device has room for in one buffer */
    uint64_t widest; /* of the pairs in one part */
    made part[MADE_KINDS];
    uint64_t longest_row; /* of those that a row capacity is too small for */
    size_t count;
} parts;

/* ---- how much there is ---- */

static bool wants(const parts *p, int kind)
{
    return p->l->set->paths.of[kind] != NULL;
}

static size_t columns_of(const parts *p, int kind)
{
    return kind == MADE_VECTORS || kind == MADE_SHIFTS ? p->scene->dimensions : 0;
}

/* Of one pair in an array. */
static uint64_t bytes_of(const parts *p, int kind)
{
    const uint64_t scalar = p->scene->wide && kind != MADE_SHIFTS ? 8 : 4;
    return kind == MADE_INDICES ? 4 : scalar * (kind == MADE_DISTANCES ? 1 : p->scene->dimensions);
}

static void find_limits(parts *p)
{
    uint64_t all = 0, widest = 0;
    for (size_t k = 0; k < TOOL_COUNT(listed); ++k) {
        const uint64_t bytes = wants(p, listed[k]) ? bytes_of(p, listed[k]) : 0;
        all += bytes;
        widest = bytes > widest ? bytes : widest;
    }
    p->most = made_part_pairs(p->s, p->l->set->part_pairs, all, widest, &p->limit);
}

/* Of rows from `first` to before `end`. */
static uint64_t pairs_between(const parts *p, size_t first, size_t end)
{
    const uint64_t *const offsets = p->l->rows[MADE_OFFSETS].array.data;
    const uint32_t capacity = p->l->set->row_capacity;
    return capacity ? (uint64_t)(end - first) * capacity : offsets[end] - offsets[first];
}

/* Where the part that begins with row `first` ends: it has one row at least. */
static size_t end_of(const parts *p, size_t first)
{
    size_t end = first + 1, beyond = p->scene->rows + 1;
    if (first == p->scene->rows)
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

static int measure_parts(parts *p)
{
    const size_t rows = p->scene->rows;
    for (size_t first = 0, end; first < rows; first = end) {
        end = end_of(p, first);
        const uint64_t pairs = pairs_between(p, first, end);
        if (pairs > p->limit)
            return tool_fail("row %zu has %s%" PRIu64 " neighbours, and %s takes at most %" PRIu64
                             " in one buffer; ask for --counts or --density without --out, or "
                             "give a smaller %s",
                             first, p->l->set->row_capacity ? "room for " : "", pairs,
                             p->s->info.name, p->limit,
                             p->l->set->row_capacity ? "--row-capacity" : "--radius");
        p->widest = pairs > p->widest ? pairs : p->widest;
    }
    return TOOL_OK;
}

static int open_part(parts *p)
{
    int result = TOOL_OK;
    for (size_t k = 0; k < TOOL_COUNT(listed); ++k)
        if (wants(p, listed[k]))
            TRY(made_open(p->part, p->s, listed[k], p->scene->wide, (size_t)p->widest,
                          columns_of(p, listed[k])));
done:
    return result;
}

/* ---- one part ---- */

/* What stands in the room that a row leaves: 2^32 - 1, and distances and vectors that are none. */
static int spoil(const parts *p, int kind)
{
    const cl_mem buffer = p->part[kind].buffer;
    const xli_npy *const array = &p->part[kind].array;
    const double wide = kind == MADE_DISTANCES ? (double)INFINITY : (double)NAN;
    const float narrow = (float)wide;
    const cl_uint whole = kind == MADE_INDICES ? UINT32_MAX : 0;
    const void *const pattern = array->kind != 'f'       ? (const void *)&whole
                                : array->item_bytes == 8 ? (const void *)&wide
                                                         : (const void *)&narrow;
    return tool_check_cl(clEnqueueFillBuffer(p->s->queue, buffer, pattern, array->item_bytes, 0,
                                             array->count * array->item_bytes, 0, NULL, NULL),
                         "room of rows");
}

static xl_view counts_from(const parts *p, size_t first)
{
    return p->l->set->row_capacity ? xl_view_of(p->l->rows[MADE_COUNTS].buffer, first)
                                   : xl_no_view();
}

static xl_view view_of(cl_mem buffer)
{
    return buffer ? xl_view_of(buffer, 0) : xl_no_view();
}

/* With a row capacity: whether the rows of the part have room, and how long the longest is. */
static int check_rows(parts *p, size_t first, size_t end)
{
    const listing *const l = p->l;
    xl_neighbors_report found = {0};
    const xl_neighbors_status_args what = {.num_queries = p->scene->given ? p->scene->rows : 0,
                                           .queries = view_of(l->cloud->queries),
                                           .radii = view_of(l->cloud->radii),
                                           .query_systems = view_of(l->cloud->query_systems),
                                           .first_row = first,
                                           .num_rows = end - first,
                                           .counts = counts_from(p, first)};
    const xl_status status =
        xl_neighbors_status(l->plan, l->cloud->index, p->s->queue, &what, &found, 0, NULL);
    if (status != XL_ERROR_CAPACITY)
        return tool_check(p->s->ctx, status, "neighbour list");
    p->longest_row = found.longest_row > p->longest_row ? found.longest_row : p->longest_row;
    return TOOL_OK;
}

static int fill(parts *p, size_t first, size_t end)
{
    int result = TOOL_OK;
    const listing *const l = p->l;
    const bool rows = l->set->row_capacity > 0;
    const xl_neighbors_fill_args args = {.capacity = rows ? 0 : pairs_between(p, first, end),
                                         .offsets = made_view(l->rows, MADE_OFFSETS),
                                         .indices = made_view(p->part, MADE_INDICES),
                                         .num_queries = p->scene->given ? p->scene->rows : 0,
                                         .queries = view_of(l->cloud->queries),
                                         .radii = view_of(l->cloud->radii),
                                         .query_systems = view_of(l->cloud->query_systems),
                                         .first_row = first,
                                         .num_rows = end - first,
                                         .distances2 = made_view(p->part, MADE_DISTANCES),
                                         .vectors = made_view(p->part, MADE_VECTORS),
                                         .shifts = made_view(p->part, MADE_SHIFTS),
                                         .counts = counts_from(p, first)};
    for (size_t k = 0; k < TOOL_COUNT(listed) && rows; ++k)
        if (p->part[listed[k]].buffer && p->widest > 0)
            TRY(spoil(p, listed[k]));
    TRY(tool_check(
        p->s->ctx,
        xl_neighbors_fill_enqueue(l->plan, l->cloud->index, p->s->queue, &args, 0, NULL, NULL),
        "neighbour list"));
    if (rows)
        TRY(check_rows(p, first, end));
done:
    return result;
}

/* Of the array that the parts make. */
static xli_npy whole_of(const parts *p, int kind)
{
    xli_npy whole = p->part[kind].array;
    const size_t rows = p->scene->rows, columns = columns_of(p, kind);
    const uint32_t capacity = p->l->set->row_capacity;
    whole.dimensions = 0;
    whole.shape[whole.dimensions++] = capacity ? rows : pairs_between(p, 0, rows);
    if (capacity)
        whole.shape[whole.dimensions++] = capacity;
    if (columns)
        whole.shape[whole.dimensions++] = columns;
    return whole;
}

static int write_part(parts *p, uint64_t pairs)
{
    int result = TOOL_OK;
    for (size_t k = 0; k < TOOL_COUNT(listed); ++k) {
        const int kind = listed[k];
        made *const part = &p->part[kind];
        const size_t columns = columns_of(p, kind), count = (size_t)pairs * (columns ? columns : 1);
        if (!wants(p, kind))
            continue;
        TRY(session_read(p->s, part->buffer, count * part->array.item_bytes, part->array.data));
        if (kind == MADE_DISTANCES && !p->l->set->squared)
            made_take_roots(p->part, count);
        const xli_npy whole = whole_of(p, kind);
        TRY(made_write_part(part, p->l->set->paths.of[kind], &whole, count, p->l->files));
    }
done:
    return result;
}

/* ---- all of them ---- */

/* Once a row has no room nothing more is written, and the others only tell how long they are. */
static int make_parts(parts *p)
{
    int result = TOOL_OK;
    size_t first = 0;
    const size_t rows = p->scene->rows;
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

int listing_write(const listing *l, size_t *num_parts)
{
    int result;
    parts p = {.l = l, .s = l->cloud->s, .scene = l->cloud->scene};
    find_limits(&p);
    TRY(measure_parts(&p));
    TRY(open_part(&p));
    TRY(make_parts(&p));
    if (p.longest_row > 0)
        result = tool_fail("--row-capacity %u: the longest row has %" PRIu64
                           " neighbours; give --row-capacity %" PRIu64
                           ", or leave it out for rows of any length",
                           (unsigned)l->set->row_capacity, p.longest_row, p.longest_row);
done:
    *num_parts = p.count;
    made_free(p.part);
    return result;
}
