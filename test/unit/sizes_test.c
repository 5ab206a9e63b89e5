/* SPDX-License-Identifier: MIT
 * Sizes that a host cannot count: chunks and scratch of any n, on devices that need not be there.
 * Without cmocka, so that ci/hosts.sh can run it as a 32-bit program, too, and hold the sizes that
 * it prints, those from 2^32 - 1 on as "none", against those of a 64-bit one. */
#include "reduce_shape.h"
#include "scan_plan.h"
#include "shape_devices.h"
#include "sort_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool prints;
static unsigned failures;

typedef struct one_case {
    xli_problem problem;
    xli_capabilities capabilities;
    char name[200];
} one_case;

static void fail(const one_case *c, uint64_t n, const char *what)
{
    ++failures;
    printf("FAILED: %s, n=%" PRIu64 ": %s\n", c->name, n, what);
}

static void print_bytes(const one_case *c, const char *what, uint64_t n, uint64_t bytes)
{
    if (prints && n < UINT32_MAX - 1 && bytes < UINT32_MAX)
        printf("%s, %s n=%" PRIu64 ": %" PRIu64 "\n", c->name, what, n, bytes);
    else if (prints && n < UINT32_MAX - 1)
        printf("%s, %s n=%" PRIu64 ": none\n", c->name, what, n);
}

/* ---- numbers of elements ---- */

/* Around every power of two, and the most there is. */
enum { SIZES = 3 * 64 };
static size_t sizes[SIZES], num_sizes;

static void fill_sizes(void)
{
    const unsigned bits = sizeof(size_t) * 8;
    for (unsigned k = 2; k < bits; ++k)
        for (unsigned j = 0; j < 3; ++j)
            sizes[num_sizes++] = ((size_t)1 << k) + j - 1;
    sizes[num_sizes++] = SIZE_MAX - 1;
    sizes[num_sizes++] = SIZE_MAX;
}

/* ---- scans ---- */

static void check_scan(const one_case *c, xl_scan_algorithm wish)
{
    const xli_tune_device known = known_of(&c->capabilities);
    const xli_scan_limits limits = {wish, XLI_FILE_ANY, xli_most_work_items(&c->capabilities)};
    xli_scan_plan plan = {.problem = c->problem};
    xli_tune_scan tune;
    size_t before = 0;
    xli_tune_scan_table(&known, &tune);
    xli_scan_shape_of(&c->problem, &c->capabilities, &tune, &limits, &plan.shape);
    for (size_t k = 0; k < num_sizes; ++k) {
        const size_t n = sizes[k], bytes = xli_scan_scratch(&plan, n);
        const xli_scan_partition cut = xli_scan_partition_of(&c->problem, &plan.shape, n);
        print_bytes(c, "scan", n, bytes);
        if (bytes < before)
            fail(c, n, "less scratch than for fewer elements");
        if (bytes == SIZE_MAX && xli_scratch_countable(NULL, bytes) == XL_SUCCESS)
            fail(c, n, "more scratch than can be counted, and no error");
        if (cut.chunk < n / cut.groups)
            fail(c, n, "chunks that do not cover it");
        before = bytes;
    }
}

/* ---- reductions ---- */

/* Bytes that a chunk writes: two states and a number, or one state if the reduction is of a
 * whole array. */
static size_t left_by_a_chunk(const xli_problem *problem)
{
    enum { NUMBER = sizeof(cl_ulong) };
    const size_t state = problem->accumulator_bytes;
    return problem->segments == XL_SEGMENTS_NONE ? state : xli_round_up(2 * state, NUMBER) + NUMBER;
}

static void check_chunks(const one_case *c, const xli_reduce_shape *shape, size_t n,
                         size_t segments)
{
    const xli_reduce_partition cut = xli_reduce_partition_of(&c->problem, shape, n, segments);
    const xli_reduce_layout room = xli_reduce_layout_of(&c->problem, shape, n);
    const uint64_t steps = (uint64_t)n + segments;
    const size_t all = xli_min(cut.chunks, cut.most);
    if (cut.chunk == 0 || cut.chunk % shape->row != 0)
        fail(c, n, "chunks that are no whole rows");
    else if (cut.chunks < steps / cut.chunk)
        fail(c, n, "chunks that do not cover it");
    if (room.bytes < SIZE_MAX &&
        (room.counts - room.carry_outs) / left_by_a_chunk(&c->problem) < all + 1)
        fail(c, n, "less scratch than chunks need");
}

static void check_reduction(const one_case *c, uint32_t chunk_elements)
{
    const xli_tune_device known = known_of(&c->capabilities);
    xli_tune_reduce tune;
    xli_reduce_shape shape;
    xli_tune_reduce_table(&known, &tune);
    if (chunk_elements > 0)
        tune.chunk_elements = chunk_elements;
    xli_reduce_shape_of(&c->problem, &c->capabilities, &tune, xli_most_work_items(&c->capabilities),
                        &shape);
    for (size_t k = 0; k < num_sizes; ++k) {
        const size_t n = sizes[k], bytes = xli_reduce_layout_of(&c->problem, &shape, n).bytes;
        const bool offsets = c->problem.segments == XL_SEGMENTS_OFFSETS;
        print_bytes(c, "reduce", n, bytes);
        if (bytes == SIZE_MAX && xli_scratch_countable(NULL, bytes) == XL_SUCCESS)
            fail(c, n, "more scratch than can be counted, and no error");
        if (n <= SIZE_MAX / 2 || sizeof n < sizeof(uint64_t))
            check_chunks(c, &shape, n, offsets ? SIZE_MAX / 4 : 0);
    }
}

/* ---- sorts ---- */

static void check_sorts(void)
{
    static const xli_sort_problem problem = {.key = XL_U64, .value = XL_U32, .end_bit = 64};
    for (size_t d = 0; d < (size_t)DEVICES; ++d) {
        one_case c = {.capabilities = facts_of(&devices[d])};
        const xli_tune_device known = known_of(&c.capabilities);
        xli_tune_sort tune;
        xli_sort_shape shape;
        snprintf(c.name, sizeof c.name, "%s", devices[d].name);
        xli_tune_sort_table(&known, &tune);
        xli_sort_shape_of(&problem, &c.capabilities, &known, &tune, &shape);
        for (size_t k = 0; k < num_sizes; ++k) {
            const size_t n = sizes[k];
            if (n <= UINT32_MAX && n <= SIZE_MAX / 16) { /* as calls check */
                const size_t bytes = xli_sort_layout_of(&problem, &shape, n).bytes;
                if (n <= UINT32_MAX / 16)
                    print_bytes(&c, "sort", n, bytes);
                if (bytes > 0 && bytes / 12 < n)
                    fail(&c, n, "less scratch than elements take");
            }
        }
    }
}

/* ---- every case ---- */

static const struct {
    const char *name;
    xl_type type, load;
    uint32_t state_bytes; /* of a type of the user's */
    xl_segments segments;
    xl_type segment_type;
    xl_determinism determinism;
    xl_scan_algorithm algorithm;
} rows[] = {
    {"u8", XL_U8, XL_NONE, 0, XL_SEGMENTS_NONE, XL_NONE, XL_DETERMINISTIC, XL_SCAN_AUTO},
    {"u32", XL_U32, XL_NONE, 0, XL_SEGMENTS_NONE, XL_NONE, XL_DETERMINISTIC, XL_SCAN_AUTO},
    {"u32 in two passes", XL_U32, XL_NONE, 0, XL_SEGMENTS_NONE, XL_NONE, XL_DETERMINISTIC,
     XL_SCAN_REDUCE_THEN_SCAN},
    {"f64 by flags", XL_F64, XL_NONE, 0, XL_SEGMENTS_HEAD_FLAGS, XL_NONE, XL_DETERMINISTIC,
     XL_SCAN_AUTO},
    {"u8 by offsets", XL_U8, XL_NONE, 0, XL_SEGMENTS_OFFSETS, XL_U32, XL_DETERMINISTIC,
     XL_SCAN_AUTO},
    {"f32 everywhere", XL_F32, XL_NONE, 0, XL_SEGMENTS_NONE, XL_NONE, XL_REPRODUCIBLE,
     XL_SCAN_AUTO},
    {"4096 bytes of one", XL_USER_TYPE, XL_U8, 4096, XL_SEGMENTS_NONE, XL_NONE, XL_DETERMINISTIC,
     XL_SCAN_AUTO},
    {"f64x4 by keys, everywhere", XL_F64X4, XL_NONE, 0, XL_SEGMENTS_KEYS, XL_U8, XL_REPRODUCIBLE,
     XL_SCAN_AUTO},
    {"4096 bytes of one by keys, everywhere", XL_USER_TYPE, XL_U8, 4096, XL_SEGMENTS_KEYS, XL_U8,
     XL_REPRODUCIBLE, XL_SCAN_AUTO},
};

/* False where the descriptor is refused, which no row is. */
static bool resolve(size_t r, size_t d, bool reduces, one_case *c)
{
    const xl_user_type wide = {"wide", 4096, 4, "typedef struct { uint x[1024]; } wide;"};
    const xl_user_op op = {.name = "op", .identity = "zero"};
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = rows[r].type;
    desc.segments = rows[r].segments;
    desc.segment_type = rows[r].segment_type;
    desc.determinism = rows[r].determinism;
    desc.algorithm = rows[r].algorithm;
    if (rows[r].state_bytes > 0) {
        desc.user_type = &wide;
        desc.op = XL_USER_OP;
        desc.user_op = &op;
        desc.load = "wide_of(x)";
        desc.load_type = rows[r].load;
    }
    *c = (one_case){.capabilities = facts_of(&devices[d])};
    snprintf(c->name, sizeof c->name, "%s on %s", rows[r].name, devices[d].name);
    if (xli_problem_resolve(NULL, &desc, reduces, &c->capabilities, &c->problem) == XL_SUCCESS)
        return true;
    fail(c, 0, xl_context_error(NULL));
    return false;
}

int main(int argc, char **argv)
{
    prints = argc > 1 && strcmp(argv[1], "--print") == 0;
    fill_sizes();
    for (size_t r = 0; r < XLI_COUNT(rows); ++r)
        for (size_t d = 0; d < (size_t)DEVICES; ++d) {
            one_case c;
            if (resolve(r, d, false, &c))
                check_scan(&c, rows[r].algorithm);
            if (resolve(r, d, true, &c)) {
                check_reduction(&c, 0);
                check_reduction(&c, 1 << 30);
            }
        }
    check_sorts();
    if (failures == 0 && !prints)
        printf("%zu numbers of elements, %zu cases, %zu devices\n", num_sizes, XLI_COUNT(rows),
               (size_t)DEVICES);
    return failures > 0;
}
