/* SPDX-License-Identifier: MIT
 * How many points have moved since the build of an index: against the serial reference, where there
 * is no index to compare with, what is refused, and lists that are used again for as long as it is
 * none. */
#include "grid_support.h"

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 300, MANY = 3000 }; /* below a work-group's share, and several of these */

/* The count, which lies between guards. */
static uint32_t moved_by(xl_grid *grid, xl_grid_index *index, const xlt_buffer *now, float distance)
{
    uint32_t count;
    xlt_buffer moved = xlt_buffer_make(NULL, 1, sizeof count, 5);
    XLT_OK(xl_grid_moved_enqueue(grid, index, xlt_queue(),
                                 &(xl_grid_moved_args){.distance = distance,
                                                       .points = xlt_view(now),
                                                       .moved = xlt_view(&moved)},
                                 0, NULL, NULL));
    xlt_read(&moved, &count);
    xlt_check_guards(&moved, "moved");
    xlt_buffer_free(&moved);
    return count;
}

static xlt_buffer buffer_of(const cloud *c, size_t dimensions)
{
    const size_t scalars = c->n > 0 ? (c->n - 1) * c->stride + dimensions : 0;
    return xlt_buffer_make(c->xyz, scalars, sizeof(float), 2);
}

/* ---- against the reference ---------------------------------------------------------------- */

/* How points lie and move. */
typedef struct scene {
    const char *name;
    uint32_t dimensions, stride, periodic;
    bool other_stride; /* where they are now has another one than where they were */
    uint32_t planes;
} scene;

static const float low = -1.0f, edge = 3.0f; /* of the box */

static cloud scattered(const scene *s, size_t n, size_t stride, uint64_t seed)
{
    xlt_random random = {seed};
    cloud c = cloud_make(n, stride);
    c.dimensions = s->dimensions;
    for (size_t i = 0; i < n; ++i)
        for (size_t a = 0; a < s->dimensions; ++a)
            c.xyz[i * stride + a] = low + edge * xlt_unit(&random);
    return c;
}

/* Of a coordinate by up to 0.1, put back into the box or not, or some periods farther; one point in
 * 50 is not finite any more. */
static float step_of(float x, bool periodic, xlt_random *random)
{
    static const float strange[] = {NAN, INFINITY, -INFINITY};
    float to = x + 0.2f * (xlt_unit(random) - 0.5f);
    if (xlt_below(random, 150) == 0)
        return strange[xlt_below(random, 3)];
    if (periodic && xlt_below(random, 4) != 0)
        to = to < low ? to + edge : to > low + edge ? to - edge : to;
    if (periodic && xlt_below(random, 8) == 0)
        to += edge * ((float)xlt_below(random, 9) - 4);
    return to;
}

static cloud moved_from(const cloud *was, const scene *s, size_t stride, uint64_t seed)
{
    xlt_random random = {seed};
    cloud now = cloud_make(was->n, stride);
    now.dimensions = was->dimensions;
    for (size_t i = 0; i < was->n; ++i)
        for (size_t a = 0; a < s->dimensions; ++a)
            now.xyz[i * stride + a] =
                step_of(was->xyz[i * was->stride + a], s->periodic >> a & 1, &random);
    return now;
}

static xl_grid_desc desc_of(const scene *s, size_t stride, const xl_tunable *planes)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.dimensions = s->dimensions;
    desc.stride = (uint32_t)stride;
    desc.cell_size = 0.3f;
    desc.bounded = s->periodic != 0;
    desc.periodic = s->periodic;
    for (size_t a = 0; a < 3; ++a) {
        desc.lower[a] = low;
        desc.upper[a] = low + edge;
    }
    desc.tunables = planes;
    desc.num_tunables = 1;
    return desc;
}

static void check_scene(const scene *s, size_t n)
{
    static const float distances[] = {0, 1e-3f, 0.05f, 0.1f, 0.15f, 4};
    const xl_tunable planes = {"grid.planes", s->planes};
    const size_t now_stride = s->other_stride ? s->dimensions : s->stride;
    const cloud was = scattered(s, n, s->stride, 5), now = moved_from(&was, s, now_stride, 6);
    const xl_grid_desc desc = desc_of(s, s->stride, &planes),
                       other = desc_of(s, now_stride, &planes);
    xl_grid *grid;
    built b = build_grid(&was, &desc);
    xlt_buffer points = buffer_of(&now, s->dimensions);
    ref_moved m = {was.xyz, now.xyz, s->stride, now_stride, n, s->dimensions, 0, {0}, {0}};
    uint32_t last = UINT32_MAX;
    for (size_t a = 0; a < 3; ++a)
        m.period[a] = s->periodic >> a & 1 ? desc.upper[a] - desc.lower[a] : 0;
    (void)report_of(&b);
    XLT_OK(xl_grid_create(xlt_context(), &other, &grid));
    for (size_t d = 0; d < sizeof distances / sizeof distances[0]; ++d) {
        m.distance = distances[d];
        const uint32_t wanted = ref_count_moved(&m);
        const uint32_t got = moved_by(grid, b.index, &points, m.distance);
        if (got != wanted)
            XLT_FAIL("%s, %zu points: %u are farther than %g, not %u", s->name, n, got,
                     (double)m.distance, wanted);
        assert_true(got <= last && got >= (n > 0 ? 1 : 0)); /* those that are not finite */
        last = got;
    }
    xlt_check_guards(&points, "points");
    xlt_buffer_free(&points);
    xl_grid_destroy(grid);
    built_free(&b);
    free(was.xyz);
    free(now.xyz);
}

static void counts_are_those_of_the_reference(void **state)
{
    static const scene scenes[] = {{"a line", 1, 2, 0, false, 1},
                                   {"a plane that repeats along y", 2, 2, 2, false, 0},
                                   {"space", 3, 5, 0, true, 0},
                                   {"space that repeats", 3, 3, 7, false, 1},
                                   {"space that repeats along x and z", 3, 4, 5, true, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k) {
        if (k == 4 && xlt_few_programs())
            continue;
        check_scene(&scenes[k], FEW);
        if (!xlt_small())
            check_scene(&scenes[k], MANY);
        if (k == 3)
            check_scene(&scenes[k], 0);
    }
}

/* ---- single cases -------------------------------------------------------------------------- */

/* A plan of packed points in 3 dimensions, its index, and where its points are now. */
typedef struct stand {
    cloud was, now;
    built b;
} stand;

static stand stand_make(size_t n, uint32_t periodic)
{
    stand s = {.was = cloud_uniform(n, low, edge, 21), .now = cloud_make(n, 3)};
    const xl_tunable planes = {"grid.planes", 1};
    const scene packed = {.dimensions = 3, .periodic = periodic};
    const xl_grid_desc desc = desc_of(&packed, 3, &planes);
    for (size_t i = 0; i < n; ++i) /* multiples of 1/64, so that steps of such are exact */
        for (size_t a = 0; a < 3; ++a)
            s.was.xyz[3 * i + a] = roundf(64 * s.was.xyz[3 * i + a]) / 64;
    memcpy(s.now.xyz, s.was.xyz, 3 * n * sizeof(float));
    s.b = build_grid(&s.was, &desc);
    s.b.cloud = NULL;
    return s;
}

static void stand_free(stand *s)
{
    built_free(&s->b);
    cloud_free(&s->was);
    cloud_free(&s->now);
}

static uint32_t count_on(const stand *s, float distance)
{
    xlt_buffer now = buffer_of(&s->now, 3);
    const uint32_t count = moved_by(s->b.grid, s->b.index, &now, distance);
    xlt_buffer_free(&now);
    return count;
}

static void exactly_at_the_distance_is_not_farther(void **state)
{
    (void)state;
    stand s = stand_make(FEW, 0);
    assert_int_equal(count_on(&s, 0), 0);
    for (size_t i = 0; i < FEW; ++i) { /* 3, 4 and 12 of 13 */
        s.now.xyz[3 * i + i % 3] += 3.0f / 8;
        s.now.xyz[3 * i + (i + 1) % 3] -= 4.0f / 8;
        s.now.xyz[3 * i + (i + 2) % 3] += 12.0f / 8;
    }
    assert_int_equal(count_on(&s, 13.0f / 8), 0);
    assert_int_equal(count_on(&s, nextafterf(13.0f / 8, 0)), FEW);
    assert_int_equal(count_on(&s, 0), FEW);
    stand_free(&s);
}

/* The way goes over the box's face, or is whole periods long: neither is a move. */
static void images_are_not_moves(void **state)
{
    (void)state;
    stand s = stand_make(FEW, 7);
    for (size_t i = 0; i < FEW; ++i)
        s.now.xyz[3 * i + i % 3] += (i % 2 ? 1.0f : -1.0f) * (i % 7 == 0 ? 3 * edge : edge);
    assert_int_equal(count_on(&s, 0), 0);
    s.now.xyz[4] += 0.5f;
    s.now.xyz[3] -= 1.625f; /* more than half a period: 1.375 the other way */
    const float way = sqrtf(0.5f * 0.5f + 1.375f * 1.375f);
    assert_int_equal(count_on(&s, 1.001f * way), 0);
    assert_int_equal(count_on(&s, 0.999f * way), 1);
    s.now.xyz[8] = 1e9f; /* no image of anything to speak of */
    s.now.xyz[9] = 3e38f;
    assert_int_equal(count_on(&s, 1e18f), 2);
    stand_free(&s);
}

static void what_is_not_finite_has_moved(void **state)
{
    (void)state;
    for (uint32_t periodic = 0; periodic < 8; periodic += 7) {
        stand s = stand_make(FEW, periodic);
        s.now.xyz[0] = NAN;
        s.now.xyz[4] = INFINITY;
        s.now.xyz[8] = -INFINITY;
        s.now.xyz[3 * FEW - 1] = NAN;
        assert_int_equal(count_on(&s, 1e19f), 4);
        stand_free(&s);
    }
}

/* ---- without an index ---------------------------------------------------------------------- */

static void no_sound_index_is_no_count(void **state)
{
    (void)state;
    const uint32_t zero = 0;
    for (int what = 0; what < 3; ++what) { /* out of the box, not finite, storage overwritten */
        stand s = stand_make(FEW, 7);
        const float right = s.was.xyz[77];
        assert_int_equal(count_on(&s, 1), 0);
        s.was.xyz[77] = what == 0 ? 2.5f : what == 1 ? NAN : right;
        xlt_buffer points = buffer_of(&s.was, 3);
        const xl_grid_build_args again = {.n = FEW, .points = xlt_view(&points)};
        XLT_OK(xl_grid_build_enqueue(s.b.grid, s.b.index, xlt_queue(), &again, 0, NULL, NULL));
        if (what == 2) {
            assert_int_equal(count_on(&s, 1), 0);
            const xl_grid_build_args kept = {
                .n = FEW, .points = xlt_view(&points), .storage = xlt_view(&s.b.storage)};
            XLT_OK(xl_grid_build_enqueue(s.b.grid, s.b.index, xlt_queue(), &kept, 0, NULL, NULL));
            XLT_CL(clEnqueueFillBuffer(xlt_queue(), s.b.storage.mem, &zero, sizeof zero,
                                       xlt_view(&s.b.storage).offset, s.b.storage.n, 0, NULL,
                                       NULL));
        }
        assert_true(count_on(&s, 1) == UINT32_MAX);
        assert_true(count_on(&s, 1) == UINT32_MAX);
        s.was.xyz[77] = right;
        xlt_buffer sound = buffer_of(&s.was, 3);
        XLT_OK(xl_grid_build_enqueue(s.b.grid, s.b.index, xlt_queue(),
                                     &(xl_grid_build_args){.n = FEW, .points = xlt_view(&sound)}, 0,
                                     NULL, NULL));
        assert_int_equal(count_on(&s, 1), 0);
        xlt_buffer_free(&points);
        xlt_buffer_free(&sound);
        stand_free(&s);
    }
}

/* Another index has taken its storage since. */
static void a_stale_index_is_no_count(void **state)
{
    (void)state;
    stand s = stand_make(FEW, 0);
    xl_grid_index *second;
    XLT_OK(xl_grid_index_create(xlt_context(), &second));
    XLT_OK(xl_grid_build_enqueue(s.b.grid, second, xlt_queue(),
                                 &(xl_grid_build_args){.n = FEW,
                                                       .points = xlt_view(&s.b.points),
                                                       .storage = xlt_view(&s.b.storage)},
                                 0, NULL, NULL));
    assert_true(count_on(&s, 1) == UINT32_MAX);
    assert_int_equal(moved_by(s.b.grid, second, &s.b.points, 0), 0);
    xl_grid_index_destroy(second);
    stand_free(&s);
}

/* Build, count, and count again, on a queue that keeps no order by itself. */
static void out_of_order_queue(void **state)
{
    (void)state;
    cl_command_queue queue = xlt_out_of_order_queue();
    stand s = stand_make(FEW, 0);
    s.now.xyz[5] += 1;
    xlt_buffer was = buffer_of(&s.was, 3), now = buffer_of(&s.now, 3);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 0);
    for (int run = 0; run < 5; ++run) {
        uint32_t count = 7;
        cl_event events[2];
        XLT_OK(xl_grid_build_enqueue(s.b.grid, s.b.index, queue,
                                     &(xl_grid_build_args){.n = FEW, .points = xlt_view(&was)}, 0,
                                     NULL, NULL));
        xl_grid_moved_args args = {
            .distance = 0, .points = xlt_view(&now), .moved = xlt_view(&moved)};
        XLT_OK(xl_grid_moved_enqueue(s.b.grid, s.b.index, queue, &args, 0, NULL, &events[0]));
        args.points = xlt_view(run % 2 ? &now : &was);
        XLT_OK(xl_grid_moved_enqueue(s.b.grid, s.b.index, queue, &args, 1, &events[0], &events[1]));
        XLT_CL(clWaitForEvents(1, &events[1]));
        xlt_read(&moved, &count);
        assert_int_equal(count, run % 2);
        XLT_CL(clReleaseEvent(events[0]));
        XLT_CL(clReleaseEvent(events[1]));
    }
    xlt_buffer_free(&was);
    xlt_buffer_free(&now);
    xlt_buffer_free(&moved);
    stand_free(&s);
    XLT_CL(clReleaseCommandQueue(queue));
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void refused(const stand *s, xl_status status, const char *word,
                    const xl_grid_moved_args *args)
{
    cl_event event = (cl_event)&status;
    XLT_FAILS(xl_grid_moved_enqueue(s->b.grid, s->b.index, xlt_queue(), args, 0, NULL, &event),
              status);
    assert_null(event);
    if (!strstr(xl_context_error(xlt_context()), word))
        XLT_FAIL("no \"%s\" in: %s", word, xl_context_error(xlt_context()));
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    stand s = stand_make(FEW, 0);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 1);
    const xl_grid_moved_args good = {
        .distance = 1, .points = xlt_view(&s.b.points), .moved = xlt_view(&moved)};
    xl_grid_moved_args args = good;
    static const float distances[] = {-1, NAN, INFINITY, 1e-30f, 1e30f};
    for (size_t k = 0; k < sizeof distances / sizeof distances[0]; ++k) {
        args.distance = distances[k];
        refused(&s, bad, "distance: ", &args);
    }
    args = good, args.points = xl_no_view();
    refused(&s, bad, "points: ", &args);
    args = good, args.points.offset += 4;
    args.points.count = 3 * FEW - 1;
    refused(&s, bad, "points: ", &args);
    args = good, args.moved = xl_no_view();
    refused(&s, bad, "moved: ", &args);
    args = good, args.moved = args.points;
    refused(&s, XL_ERROR_OVERLAP, "moved", &args);
    args = good, args.moved = xl_view_of(s.b.storage.mem, xlt_view(&s.b.storage).offset / 4);
    refused(&s, XL_ERROR_OVERLAP, "storage", &args);
    args.moved = good.moved;
    args.points = xl_view_of(s.b.storage.mem, xlt_view(&s.b.storage).offset / 4);
    refused(&s, XL_ERROR_OVERLAP, "storage", &args);
    refused(&s, bad, "args", NULL);
    for (int k = 0; k < 2; ++k) { /* it is counted up there */
        cl_int code;
        cl_mem one = clCreateBuffer(xl_context_cl(xlt_context()),
                                    k ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY, 4, NULL, &code);
        XLT_CL(code);
        args = good, args.moved = xl_view_of(one, 0);
        refused(&s, bad, "moved: ", &args);
        XLT_CL(clReleaseMemObject(one));
    }
    XLT_FAILS(xl_grid_moved_enqueue(s.b.grid, s.b.index, NULL, &good, 0, NULL, NULL), bad);
    XLT_FAILS(xl_grid_moved_enqueue(s.b.grid, s.b.index, xlt_queue(), &good, 1, NULL, NULL), bad);
    XLT_FAILS(
        xl_grid_moved_enqueue_sized(s.b.grid, s.b.index, xlt_queue(), &good, 3, 0, NULL, NULL),
        bad);
    assert_int_equal(xl_grid_moved_enqueue(NULL, s.b.index, xlt_queue(), &good, 0, NULL, NULL),
                     bad);
    XLT_FAILS(xl_grid_moved_enqueue(s.b.grid, NULL, xlt_queue(), &good, 0, NULL, NULL), bad);
    xlt_check_unwritten(&moved, "moved");
    xlt_buffer_free(&moved);
    stand_free(&s);
}

static void refused_index(xl_grid *grid, xl_grid_index *index, const stand *s, const char *word)
{
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 0);
    XLT_FAILS(xl_grid_moved_enqueue(grid, index, xlt_queue(),
                                    &(xl_grid_moved_args){.distance = 1,
                                                          .points = xlt_view(&s->b.points),
                                                          .moved = xlt_view(&moved)},
                                    0, NULL, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(xlt_context()), word));
    xlt_check_unwritten(&moved, "moved");
    xlt_buffer_free(&moved);
}

/* The index is of another context, never built, of other dimensions, or laid out otherwise. */
static void other_indices_are_refused(void **state)
{
    (void)state;
    stand s = stand_make(FEW, 0);
    const scene line = {.dimensions = 1}, space = {.dimensions = 3};
    const xl_tunable planes[2] = {{"grid.planes", 0}, {"grid.planes", 1}};
    const xl_grid_desc of_line = desc_of(&line, 2, &planes[1]),
                       of_points = desc_of(&space, 3, &planes[0]);
    xl_context *elsewhere;
    xl_grid *flat, *four;
    xl_grid_index *foreign, *fresh;
    XLT_OK(xl_grid_create(xlt_context(), &of_line, &flat));
    XLT_OK(xl_grid_create(xlt_context(), &of_points, &four));
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), NULL,
                            &elsewhere));
    XLT_OK(xl_grid_index_create(elsewhere, &foreign));
    XLT_OK(xl_grid_index_create(xlt_context(), &fresh));
    refused_index(flat, s.b.index, &s, "in 3 dimensions, the plan has 1");
    refused_index(four, s.b.index, &s, "grid.planes");
    refused_index(s.b.grid, foreign, &s, "another context");
    refused_index(s.b.grid, fresh, &s, "not built");
    xl_grid_index_destroy(foreign);
    xl_grid_index_destroy(fresh);
    xl_context_destroy(elsewhere);
    xl_grid_destroy(flat);
    xl_grid_destroy(four);
    stand_free(&s);
}

/* ---- lists that are used again ------------------------------------------------------------- */

enum { ATOMS = 216 };
static const float radius = 0.5f, skin = 0.2f;

/* Squared, of the nearest image: within half a period there is no other. */
static float distance2_now(const cloud *c, uint32_t i, uint32_t j)
{
    float d[3];
    for (size_t a = 0; a < 3; ++a) {
        d[a] = c->xyz[3 * i + a] - c->xyz[3 * j + a];
        d[a] = d[a] > edge / 2 ? d[a] - edge : d[a] < -edge / 2 ? d[a] + edge : d[a];
    }
    const float xx = d[0] * d[0], yy = d[1] * d[1], zz = d[2] * d[2], xy = xx + yy;
    return xy + zz;
}

/* Of an old list with the skin, those within the radius now: they are the pairs of a new one. */
static void check_old_list(const list *old, const cloud *now)
{
    uint64_t offsets[ATOMS + 1];
    ref_search search = {.points = now->xyz,
                         .n = ATOMS,
                         .stride = 3,
                         .radius = radius,
                         .period = {edge, edge, edge}};
    uint32_t *const wanted = ref_neighbors(&search, offsets);
    assert_non_null(wanted);
    for (uint32_t i = 0; i < ATOMS; ++i) {
        uint64_t at = offsets[i];
        for (uint64_t k = old->offsets[i]; k < old->offsets[i + 1]; ++k) {
            if (!(distance2_now(now, i, old->indices[k]) < radius * radius))
                continue;
            if (at == offsets[i + 1] || wanted[at++] != old->indices[k])
                XLT_FAIL("point %u: %u is no neighbour", i, old->indices[k]);
        }
        if (at != offsets[i + 1])
            XLT_FAIL("point %u: the old list lacks %u", i, wanted[at]);
    }
    free(wanted);
}

/* Everybody a step, and back into the box. */
static void drift(cloud *c, const cloud *velocity)
{
    for (size_t k = 0; k < 3 * ATOMS; ++k) {
        const float to = c->xyz[k] + velocity->xyz[k];
        c->xyz[k] = fmaxf(low, fminf(low + edge, to < low          ? to + edge
                                                 : to > low + edge ? to - edge
                                                                   : to));
    }
}

static void an_old_list_has_all_pairs_until_points_have_moved(void **state)
{
    (void)state;
    const scene box = {.dimensions = 3, .periodic = 7};
    const xl_tunable planes = {"grid.planes", 1};
    const xl_grid_desc desc = desc_of(&box, 3, &planes);
    const float distance = skin / 2 - 0x1p-21f * (radius + skin + edge);
    int uses = 0, builds = 0;
    cloud now = cloud_uniform(ATOMS, low, edge, 3);
    cloud velocity = cloud_uniform(ATOMS, -0.017f, 0.034f, 4);
    for (; builds < (xlt_small() ? 2 : 4); ++builds) {
        uint32_t moved = 0;
        xl_neighbors_desc search = search_desc_of(radius + skin);
        search.periodic = 1;
        search.tunables = &planes;
        search.num_tunables = 1;
        built b = build_grid(&now, &desc);
        list old = list_of(&b, &search);
        while (moved == 0) {
            check_old_list(&old, &now);
            ++uses;
            drift(&now, &velocity);
            xlt_buffer points = buffer_of(&now, 3);
            moved = moved_by(b.grid, b.index, &points, distance);
            xlt_buffer_free(&points);
        }
        assert_true(moved <= ATOMS);
        list_free(&old);
        built_free(&b);
    }
    assert_true(uses >= 3 * builds);
    cloud_free(&now);
    cloud_free(&velocity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_reference),
        cmocka_unit_test(exactly_at_the_distance_is_not_farther),
        cmocka_unit_test(images_are_not_moves),
        cmocka_unit_test(what_is_not_finite_has_moved),
        cmocka_unit_test(no_sound_index_is_no_count),
        cmocka_unit_test(a_stale_index_is_no_count),
        cmocka_unit_test(out_of_order_queue),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(other_indices_are_refused),
        cmocka_unit_test(an_old_list_has_all_pairs_until_points_have_moved),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
