/* SPDX-License-Identifier: MIT
 * Searches of grids whose storage was overwritten, and lists with wrong offsets: nothing is written
 * out of bounds, and the result says that the grid failed. */
#include "grid_support.h"

#include "grid/grid_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300 };

static const char visit[] = "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
                            "{ return sum + 1.0f; }\n";

/* A built grid, a search, and the right list. */
typedef struct fixture {
    cloud c;
    built b;
    xl_plan *plan;
    list wanted;
} fixture;

/* Four kinds of index and search, with the tunings of CPUs and of GPUs. */
static fixture fixture_make(bool listed, bool sorted)
{
    fixture f = {.c = cloud_uniform(N, 0.0f, 1.0f, 79)};
    xl_grid_desc desc = grid_desc_of(&f.c, listed ? 0.05f : 0.25f);
    xl_neighbors_desc search = search_desc_of(0.2f);
    tune_as(listed   ? (sorted ? TUNED_AS_IS : TUNED_ROWS)
            : sorted ? TUNED_TABLE
                     : TUNED_WALK,
            &desc, &search);
    search.visit = visit;
    search.sorted = sorted;
    f.b = build_grid(&f.c, &desc);
    f.b.cloud = NULL;
    XLT_OK(xl_neighbors_create(f.b.grid, &search, &f.plan));
    f.wanted = list_by_brute_force(&f.c, &search);
    xl_grid_report report = report_of(&f.b);
    assert_int_equal(report.sparse, listed);
    return f;
}

static void fixture_free(fixture *f)
{
    xl_plan_destroy(f->plan);
    built_free(&f->b);
    list_free(&f->wanted);
    cloud_free(&f->c);
}

/* The results of every call on an index. */
typedef struct found {
    uint32_t counts[N], order[N], moved, *rows;
    uint64_t offsets[N + 1];
    float sums[N];
    size_t capacity;
} found;

/* Every call, with results between guards; the list takes the right offsets. */
static void search(const fixture *f, found *got)
{
    uint32_t numbers[N];
    cl_command_queue q = xlt_queue();
    got->capacity = (size_t)f->wanted.offsets[N];
    got->rows = malloc(got->capacity * sizeof *got->rows);
    assert_non_null(got->rows);
    for (uint32_t i = 0; i < N; ++i)
        numbers[i] = i;
    xlt_buffer counts = xlt_buffer_make(NULL, N, 4, 0), wide = xlt_buffer_make(NULL, N + 1, 8, 0);
    xlt_buffer offsets = xlt_buffer_make(f->wanted.offsets, N + 1, 8, 0);
    xlt_buffer rows = xlt_buffer_make(NULL, got->capacity, 4, 0);
    xlt_buffer sums = xlt_buffer_make(NULL, N, 4, 0), order = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer in = xlt_buffer_make(numbers, N, 4, 0), back = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 0);
    XLT_OK(xl_neighbors_count_enqueue(
        f->plan, f->b.index, q,
        &(xl_neighbors_args){.counts = xlt_view(&counts), .offsets = xlt_view(&wide)}, 0, NULL,
        NULL));
    XLT_OK(xl_neighbors_fill_enqueue(f->plan, f->b.index, q,
                                     &(xl_neighbors_args){.offsets = xlt_view(&offsets),
                                                          .indices = xlt_view(&rows),
                                                          .capacity = got->capacity},
                                     0, NULL, NULL));
    XLT_OK(xl_neighbors_enqueue(f->plan, f->b.index, q,
                                &(xl_neighbors_args){.start = 0, .sums = xlt_view(&sums)}, 0, NULL,
                                NULL));
    XLT_OK(xl_grid_reorder_enqueue(
        f->b.grid, f->b.index, q,
        &(xl_grid_reorder_args){.element_bytes = 4, .in = xlt_view(&in), .out = xlt_view(&order)},
        0, NULL, NULL));
    XLT_OK(xl_grid_reorder_enqueue(
        f->b.grid, f->b.index, q,
        &(xl_grid_reorder_args){
            .element_bytes = 4, .in = xlt_view(&in), .out = xlt_view(&back), .back = 1},
        0, NULL, NULL));
    XLT_OK(xl_grid_moved_enqueue(f->b.grid, f->b.index, q,
                                 &(xl_grid_moved_args){.distance = 1,
                                                       .points = xlt_view(&f->b.points),
                                                       .moved = xlt_view(&moved)},
                                 0, NULL, NULL));
    xlt_read(&moved, &got->moved);
    xlt_read(&counts, got->counts);
    xlt_read(&wide, got->offsets);
    xlt_read(&rows, got->rows);
    xlt_read(&sums, got->sums);
    xlt_read(&order, got->order);
    xlt_buffer *const all[] = {&counts, &wide, &offsets, &rows, &sums, &order, &in, &back, &moved};
    const char *const names[] = {"counts", "offsets", "offsets given", "rows", "sums",
                                 "order",  "in",      "back",          "moved"};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        xlt_check_guards(all[k], names[k]);
        xlt_buffer_free(all[k]);
    }
}

static uint32_t *storage_words(const fixture *f)
{
    uint32_t *words = malloc(f->b.storage.n);
    assert_non_null(words);
    xlt_read(&f->b.storage, words);
    return words;
}

static void write_storage(const fixture *f, const uint32_t *words)
{
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), f->b.storage.mem, CL_TRUE,
                                xlt_view(&f->b.storage).offset, f->b.storage.n, words, 0, NULL,
                                NULL));
}

/* ---- storage of another build --------------------------------------------------------------- */

static void expect_failed(const fixture *f)
{
    found got;
    xl_grid_report report = {.points = 7};
    XLT_FAILS(xl_grid_index_status(f->b.index, xlt_queue(), &report, 0, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(report.points, 7);
    assert_non_null(strstr(xl_context_error(xlt_context()), "build it again"));
    search(f, &got);
    for (size_t i = 0; i < N; ++i)
        if (got.counts[i] != 0 || got.offsets[i] != (i > 0 ? UINT64_MAX : 0) || !isnan(got.sums[i]))
            XLT_FAIL("point %zu: count %u, offset %llu, sum %g", i, got.counts[i],
                     (unsigned long long)got.offsets[i], (double)got.sums[i]);
    assert_true(got.offsets[N] == UINT64_MAX && got.moved == UINT32_MAX);
    for (size_t k = 0; k < got.capacity; ++k)
        assert_int_equal(got.rows[k], 0xa5a5a5a5u);
    free(got.rows);
}

XLT_TEST(overwritten_grids_are_grids_that_failed)
{
    fixture f = fixture_make(false, true);
    uint32_t *words = storage_words(&f);
    memset(words, 0, f.b.storage.n);
    write_storage(&f, words);
    expect_failed(&f);
    memset(words, 0xa5, f.b.storage.n);
    write_storage(&f, words);
    expect_failed(&f);
    free(words);
    fixture_free(&f);
}

/* One number of cells is larger than the table. */
XLT_TEST(cells_that_do_not_fit_are_a_failed_build)
{
    for (int axis = 0; axis < 3; ++axis) {
        fixture f = fixture_make(false, true);
        uint32_t *words = storage_words(&f);
        found got;
        ((xli_grid_header *)words)->cells[axis] = 1u << 20;
        write_storage(&f, words);
        search(&f, &got);
        assert_true(got.offsets[N] == UINT64_MAX);
        for (size_t i = 0; i < N; ++i)
            assert_true(got.counts[i] == 0 && isnan(got.sums[i]));
        free(got.rows);
        free(words);
        fixture_free(&f);
    }
}

/* Another index uses the storage, then an earlier build of the same index is put back. */
XLT_TEST(builds_are_told_apart)
{
    fixture f = fixture_make(false, true);
    uint32_t *words = storage_words(&f);
    xl_grid_desc desc = grid_desc_of(&f.c, 0.25f);
    xl_plan *other;
    xl_grid_index *second;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &other));
    XLT_OK(xl_grid_index_create(xlt_context(), &second));
    XLT_OK(xl_grid_build_enqueue(other, second, xlt_queue(),
                                 &(xl_grid_build_args){.n = N,
                                                       .points = xlt_view(&f.b.points),
                                                       .storage = xlt_view(&f.b.storage)},
                                 0, NULL, NULL));
    expect_failed(&f);
    XLT_OK(xl_grid_build_enqueue(f.b.grid, f.b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = N,
                                                       .points = xlt_view(&f.b.points),
                                                       .storage = xlt_view(&f.b.storage)},
                                 0, NULL, NULL));
    XLT_OK(xl_grid_index_status(f.b.index, xlt_queue(), NULL, 0, NULL));
    write_storage(&f, words);
    expect_failed(&f);
    free(words);
    xl_grid_index_destroy(second);
    xl_plan_destroy(other);
    fixture_free(&f);
}

XLT_TEST(overwritten_without_points)
{
    uint64_t offset = 0;
    cloud c = cloud_make(0, 3);
    xl_grid_desc desc = grid_desc_of(&c, 1.0f);
    xl_neighbors_desc near = search_desc_of(1.0f);
    xl_plan *plan;
    built b = build_grid(&c, &desc);
    XLT_OK(xl_neighbors_create(b.grid, &near, &plan));
    const cl_uint zero = 0;
    XLT_CL(clEnqueueFillBuffer(xlt_queue(), b.storage.mem, &zero, sizeof zero,
                               xlt_view(&b.storage).offset, b.storage.n, 0, NULL, NULL));
    xlt_buffer offsets = xlt_buffer_make(NULL, 1, 8, 0);
    XLT_OK(xl_neighbors_count_enqueue(plan, b.index, xlt_queue(),
                                      &(xl_neighbors_args){.offsets = xlt_view(&offsets)}, 0, NULL,
                                      NULL));
    xlt_read(&offsets, &offset);
    assert_true(offset == UINT64_MAX);
    xlt_buffer_free(&offsets);
    xl_plan_destroy(plan);
    built_free(&b);
    cloud_free(&c);
}

/* ---- storage that looks right --------------------------------------------------------------- */

typedef enum harm { STARTS, INDICES, DENSE_HEADER, ANY_HEADER, ANY_SLOTS, ANYTHING, HARMS } harm;

static void scribble(uint32_t *words, size_t from, size_t to, xlt_random *random)
{
    for (size_t k = from; k < to; ++k)
        words[k] = (uint32_t)xlt_next(random);
}

/* A word of sorted point k: x, y, z or the index. */
static uint32_t *sorted_word(uint32_t *words, const xl_grid_index *index, size_t k, size_t which)
{
    const size_t at = index->planes ? which * xli_grid_pitch(N) + k : 4 * k + which;
    return words + index->layout.sorted / 4 + at;
}

/* More points follow the last one, with an index that no point has. */
static void harm_starts(uint32_t *words, const xl_grid_index *index, bool listed,
                        xlt_random *random)
{
    const size_t at = (listed ? index->layout.begins : index->layout.starts) / 4;
    for (size_t k = 0; k < (listed ? N + 1 : index->layout.table + 1); ++k)
        words[at + k] = k % 2 ? N + xlt_below(random, N / 2) : xlt_below(random, N);
    for (size_t k = N; k < xli_grid_pitch(N); ++k)
        for (size_t which = 0; which < 4; ++which)
            *sorted_word(words, index, k, which) =
                which == 3 ? N + 7 : *sorted_word(words, index, k - N, which);
}

static void harm_header(uint32_t *words, xlt_random *random)
{
    xli_grid_header *header = (xli_grid_header *)words;
    for (int a = 0; a < 3; ++a) {
        header->first[a] = (int32_t)xlt_below(random, 200) - 100;
        header->cells[a] = xlt_below(random, 200);
    }
}

static void do_harm(uint32_t *words, const xl_grid_index *index, size_t bytes, harm what,
                    xlt_random *random)
{
    const uint32_t stamp = ((xli_grid_header *)words)->stamp;
    if (what == STARTS)
        harm_starts(words, index, ((xli_grid_header *)words)->sparse != 0, random);
    for (size_t k = 0; what == INDICES && k < N; ++k)
        *sorted_word(words, index, k, 3) = N - 20 + xlt_below(random, 60);
    if (what == DENSE_HEADER)
        harm_header(words, random);
    if (what == ANY_HEADER || what == ANYTHING)
        scribble(words, 0, sizeof(xli_grid_header) / 4, random);
    if (what == ANY_SLOTS || what == ANYTHING)
        scribble(words, index->layout.sorted / 4, bytes / 4, random);
    ((xli_grid_header *)words)->stamp = stamp;
    ((xli_grid_header *)words)->failed = 0;
}

static void check_inside(const found *got, harm what)
{
    assert_true(got->moved <= N);
    for (size_t k = 0; k < N; ++k)
        if (got->order[k] >= N)
            XLT_FAIL("harm %d: %x came from beyond the array", (int)what, got->order[k]);
    for (size_t k = 0; what == STARTS && k < got->capacity; ++k)
        if (got->rows[k] >= N && got->rows[k] != 0xa5a5a5a5u)
            XLT_FAIL("harm %d: %u came from beyond the points", (int)what, got->rows[k]);
}

XLT_TEST(searches_of_wrong_numbers_stay_inside)
{
    for (int kind = 0; kind < (xlt_small() ? 2 : 4); ++kind) {
        fixture f = fixture_make(kind & 1, !(kind & 2));
        uint32_t *right = storage_words(&f), *words = malloc(f.b.storage.n);
        assert_non_null(words);
        for (int what = STARTS; what < HARMS; ++what)
            for (uint64_t seed = 1; seed < (xlt_small() ? 2 : 6); ++seed) {
                found got;
                xlt_random random = {seed};
                memcpy(words, right, f.b.storage.n);
                do_harm(words, f.b.index, f.b.storage.n, (harm)what, &random);
                write_storage(&f, words);
                search(&f, &got);
                check_inside(&got, (harm)what);
                free(got.rows);
            }
        free(right);
        free(words);
        fixture_free(&f);
    }
}

/* ---- wrong offsets -------------------------------------------------------------------------- */

/* The list with these offsets, of which a buffer of `capacity` has room. */
static void fill(const fixture *f, const uint64_t *offsets, size_t capacity, uint32_t *rows)
{
    xlt_buffer given = xlt_buffer_make(offsets, N + 1, 8, 0);
    xlt_buffer out = xlt_buffer_make(NULL, capacity, 4, 0);
    XLT_OK(xl_neighbors_fill_enqueue(f->plan, f->b.index, xlt_queue(),
                                     &(xl_neighbors_args){.offsets = xlt_view(&given),
                                                          .indices = xlt_view(&out),
                                                          .capacity = capacity},
                                     0, NULL, NULL));
    xlt_read(&out, rows);
    xlt_check_guards(&out, "rows");
    xlt_buffer_free(&given);
    xlt_buffer_free(&out);
}

/* Offsets of 2^32 and more are beyond the capacity, though their lower halves are not. */
XLT_TEST(offsets_have_64_bits)
{
    fixture f = fixture_make(false, true);
    const size_t capacity = (size_t)f.wanted.offsets[N];
    uint32_t *rows = malloc(capacity * sizeof *rows);
    assert_non_null(rows);
    for (uint64_t above = UINT64_C(1) << 32; above != 0; above <<= 1) {
        uint64_t offsets[N + 1];
        for (size_t i = 0; i <= N; ++i)
            offsets[i] = f.wanted.offsets[i] + (i > N / 2 ? above : 0);
        fill(&f, offsets, capacity, rows);
        for (size_t k = 0; k < capacity; ++k) {
            uint32_t wanted = k < f.wanted.offsets[N / 2] ? f.wanted.indices[k] : 0xa5a5a5a5u;
            if (rows[k] != wanted)
                XLT_FAIL("indices[%zu] is %x, not %x, with offsets of 2^32 and more", k, rows[k],
                         wanted);
        }
    }
    free(rows);
    fixture_free(&f);
}

/* One row has room for an index, the others for none. */
XLT_TEST(rows_keep_to_their_room)
{
    fixture f = fixture_make(false, true);
    for (size_t row = 0; row < N; row += N / 5) {
        uint64_t offsets[N + 1];
        uint32_t rows[100];
        for (size_t i = 0; i <= N; ++i)
            offsets[i] = i > row ? 1 : 0;
        assert_true(f.wanted.offsets[row + 1] - f.wanted.offsets[row] > 1);
        fill(&f, offsets, 100, rows);
        assert_true(rows[0] < N);
        for (size_t k = 1; k < 100; ++k)
            assert_int_equal(rows[k], 0xa5a5a5a5u);
    }
    fixture_free(&f);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
