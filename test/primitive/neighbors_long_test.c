/* SPDX-License-Identifier: MIT
 * Points with very many candidates or neighbours: their lists are right, or, where the device ends
 * long loops (lib/ocl/rusticl.c), refused; never short. */
#include "grid_support.h"
#include "runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of which a device may end loops: more rounds than it has, and fewer. */
enum { TOO_MANY = 70001, MANY = 15000, LONGEST_ROW = 2900 };

static bool ends_loops(void)
{
    const xli_capabilities *capabilities;
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    return capabilities->ends_loops;
}

/* A device that counts 70,000 rounds right is not said to end loops, nor one that does not said
 * to do so: asked by a loop of another shape than the probe's. */
static void the_probe_is_right(void **state)
{
    (void)state;
    static const char source[] = "__kernel void count(__global uint *a)\n"
                                 "{\n"
                                 "    uint rounds = 0;\n"
                                 "    for (uint i = a[0]; i != 1u; i -= a[1])\n"
                                 "        ++rounds;\n"
                                 "    a[2] = rounds;\n"
                                 "}\n";
    xl_context *ctx = xlt_context();
    cl_uint words[3] = {TOO_MANY, 1, 0};
    cl_int code;
    cl_program program;
    XLT_OK(xl_program_create(ctx, source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "count", &code);
    XLT_CL(code);
    cl_mem buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof words, words, &code);
    XLT_CL(code);
    const size_t one = 1;
    XLT_CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    XLT_CL(
        clEnqueueReadBuffer(xlt_queue(), buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    print_message("%s: %u of %u rounds\n", xlt_device(), (unsigned)words[2],
                  (unsigned)TOO_MANY - 1);
    assert_int_equal(ends_loops(), words[2] != TOO_MANY - 1);
    XLT_CL(clReleaseMemObject(buffer));
    XLT_CL(clReleaseKernel(kernel));
    XLT_CL(clReleaseProgram(program));
}

/* n points a unit apart along y, in one cell; each has its neighbours on both sides. */
static cloud in_one_cell(size_t n)
{
    cloud c = cloud_make(n, 3);
    for (size_t i = 0; i < n; ++i)
        cloud_set(&c, i, 0.0f, (float)i, 0.0f);
    return c;
}

static size_t some(size_t n)
{
    return ends_loops() || !xlt_small() ? n : n / 10;
}

static void many_candidates_of_few_neighbours(void **state)
{
    (void)state;
    cloud c = in_one_cell(some(MANY));
    const xl_grid_desc desc = grid_desc_of(&c, 1e6f);
    const xl_neighbors_desc search = search_desc_of(1.5f);
    built b = build_grid(&c, &desc);
    list got = list_of(&b, &search), wanted = list_by_sweep(&c, &search);
    lists_equal("one cell", &got, &wanted);
    list_free(&got);
    list_free(&wanted);
    built_free(&b);
    cloud_free(&c);
}

typedef struct counted {
    uint32_t *counts;
    uint64_t total;
    float *sums;
} counted;

static void counted_free(counted *all)
{
    free(all->counts);
    free(all->sums);
}

static const char ones[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
    "{\n"
    "    return sum + 1.0f;\n"
    "}\n";

/* Counts, the number of pairs, and counts by visits. */
static counted count_all(const built *b, const xl_neighbors_desc *search)
{
    const size_t n = b->cloud->n;
    xl_neighbors_desc visits = *search;
    xl_plan *plan;
    counted all = {.counts = malloc(n * sizeof *all.counts), .sums = malloc(n * sizeof *all.sums)};
    uint64_t *offsets = malloc((n + 1) * sizeof *offsets);
    assert_true(all.counts && all.sums && offsets);
    visits.visit = ones;
    XLT_OK(xl_neighbors_create(b->grid, &visits, &plan));
    xlt_buffer counts = xlt_buffer_make(NULL, n, 4, 0), wide = xlt_buffer_make(NULL, n + 1, 8, 0);
    xlt_buffer sums = xlt_buffer_make(NULL, n, 4, 0);
    const xl_neighbors_args args = {.counts = xlt_view(&counts), .offsets = xlt_view(&wide)};
    const xl_neighbors_args visit = {.sums = xlt_view(&sums)};
    XLT_OK(xl_neighbors_count_enqueue(plan, b->index, xlt_queue(), &args, 0, NULL, NULL));
    XLT_OK(xl_neighbors_enqueue(plan, b->index, xlt_queue(), &visit, 0, NULL, NULL));
    xlt_read(&counts, all.counts);
    xlt_read(&wide, offsets);
    xlt_read(&sums, all.sums);
    all.total = offsets[n];
    xlt_buffer_free(&counts);
    xlt_buffer_free(&wide);
    xlt_buffer_free(&sums);
    free(offsets);
    xl_plan_destroy(plan);
    return all;
}

/* One point by itself; a search that refuses leaves the grid as it was. */
static void too_many_candidates_are_refused(void **state)
{
    (void)state;
    const bool limited = ends_loops();
    cloud c = in_one_cell(limited ? TOO_MANY : some(2000));
    const size_t n = c.n;
    cloud_set(&c, n - 1, 0.0f, -1e7f, 0.0f);
    const xl_grid_desc desc = grid_desc_of(&c, 1e6f);
    const xl_neighbors_desc search = search_desc_of(1.5f);
    built b = build_grid(&c, &desc);
    counted all = count_all(&b, &search);
    assert_int_equal(all.counts[n - 1], 0);
    assert_true(all.sums[n - 1] == 0.0f);
    if (limited)
        assert_true(all.total == UINT64_MAX);
    else
        assert_true(all.total == 2 * (n - 1) - 2);
    for (size_t i = 0; i < n - 1; ++i) {
        const uint32_t right = i == 0 || i == n - 2 ? 1 : 2;
        if (all.counts[i] != (limited ? UINT32_MAX : right))
            XLT_FAIL("point %zu: %u neighbours", i, (unsigned)all.counts[i]);
        if (limited ? !isnan(all.sums[i]) : all.sums[i] != (float)right)
            XLT_FAIL("point %zu: %g visits", i, (double)all.sums[i]);
    }
    counted_free(&all);
    built_free(&b);
    cloud_free(&c);
}

/* As long as rows are put into order, and one longer. In any order they are right. */
static void long_rows(void **state)
{
    (void)state;
    const bool limited = ends_loops();
    const size_t longest = limited ? LONGEST_ROW : some(LONGEST_ROW);
    for (size_t more = 0; more < 2; ++more)
        for (uint32_t sorted = 0; sorted < 2; ++sorted) {
            cloud c = in_one_cell(longest + 1 + more);
            const xl_grid_desc desc = grid_desc_of(&c, 1e6f);
            xl_neighbors_desc search = search_desc_of(1e5f);
            search.sorted = sorted;
            built b = build_grid(&c, &desc);
            counted all = count_all(&b, &search);
            const bool refused = limited && sorted && more > 0;
            assert_true(all.total == (refused ? UINT64_MAX : (uint64_t)c.n * (c.n - 1)));
            assert_int_equal(all.counts[0], refused ? UINT32_MAX : c.n - 1);
            counted_free(&all);
            if (sorted && !refused) {
                list got = list_of(&b, &search), wanted = list_by_brute_force(&c, &search);
                lists_equal("long rows", &got, &wanted);
                list_free(&got);
                list_free(&wanted);
            }
            built_free(&b);
            cloud_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_probe_is_right),
        cmocka_unit_test(many_candidates_of_few_neighbours),
        cmocka_unit_test(too_many_candidates_are_refused),
        cmocka_unit_test(long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
