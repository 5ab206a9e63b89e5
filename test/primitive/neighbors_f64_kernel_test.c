/* SPDX-License-Identifier: MIT
 * Kernels of one's own that go through neighbours of points of double precision. */
#include "wide_support.h"

#include <math.h>
#include <stdlib.h>

static const char kernel_text[] =
    "#define XL_NEIGHBORS_F64 1\n"
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void sums(XL_NEIGHBORS_PARAMETERS(all), __global uint *counts,\n"
    "                   __global double *far, double own)\n"
    "{\n"
    "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&all))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
    "    if (own > 0)\n"
    "        xl_neighbors_set_radius(&near, &all, own);\n"
    "    uint count = 0;\n"
    "    double most = 0;\n"
    "    XL_FOR_NEIGHBORS(near, all) {\n"
    "        const double4 v = near.vector;\n"
    "        most = fmax(most, near.distance2 + fabs(v.x) + fabs(v.y) + fabs(v.z));\n"
    "        ++count;\n"
    "    }\n"
    "    counts[near.self] = near.incomplete ? UINT_MAX : count;\n"
    "    far[near.self] = most;\n"
    "}\n";

/* What the kernel makes of each row is what it would of the reference's. */
static void rows_give(const char *what, const wide_case *a, const uint32_t *counts,
                      const double *far)
{
    const ref_search_f64 search = wide_reference_of(a);
    uint64_t *offsets = calloc(a->points->n + 1, sizeof *offsets);
    ref_pairs_f64 all = {0};
    assert_non_null(offsets);
    uint32_t *indices = ref_neighbors_pairs_f64(&search, offsets, &all);
    assert_non_null(indices);
    for (size_t i = 0; i < a->points->n; ++i) {
        double most = 0;
        for (size_t k = (size_t)offsets[i]; k < offsets[i + 1]; ++k)
            most = fmax(most, all.distances2[k] + fabs(all.vectors[3 * k]) +
                                  fabs(all.vectors[3 * k + 1]) + fabs(all.vectors[3 * k + 2]));
        if (counts[i] != offsets[i + 1] - offsets[i] || fabs(far[i] - most) > 1e-15 * most)
            XLT_FAIL("%s: point %zu has %u, up to %.17g, not %llu, %.17g", what, i, counts[i],
                     far[i], (unsigned long long)(offsets[i + 1] - offsets[i]), most);
    }
    ref_pairs_free_f64(&all);
    free(indices);
    free(offsets);
}

/* `own`: a radius that the kernel sets, or 0. */
static void kernel_finds(const char *what, const wide_case *a, cl_kernel kernel, double own)
{
    wide_case smaller = *a;
    wide_index b = wide_index_make(a);
    cl_uint next;
    const size_t n = a->points->n;
    uint32_t *counts = calloc(n + 1, sizeof *counts);
    double *far = calloc(n + 1, sizeof *far);
    assert_true(counts && far);
    const xl_neighbors_kernel_args args = {
        .kernel = kernel, .radius_f64 = a->search.radius_f64, .inclusive = a->search.inclusive};
    XLT_OK(xl_grid_index_set_kernel_args(b.index, &args, &next));
    cl_int code;
    cl_mem out[2];
    for (int k = 0; k < 2; ++k) {
        out[k] = clCreateBuffer(xl_context_cl(xlt_context()), 0, n * (k ? 8 : 4), NULL, &code);
        XLT_CL(code);
        XLT_CL(clSetKernelArg(kernel, next + (cl_uint)k, sizeof out[k], &out[k]));
    }
    XLT_CL(clSetKernelArg(kernel, next + 2, sizeof own, &own));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out[0], CL_TRUE, 0, 4 * n, counts, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out[1], CL_TRUE, 0, 8 * n, far, 0, NULL, NULL));
    smaller.search.radius_f64 = own > 0 ? own : a->search.radius_f64;
    rows_give(what, &smaller, counts, far);
    clReleaseMemObject(out[0]);
    clReleaseMemObject(out[1]);
    free(counts);
    free(far);
    wide_index_free(&b);
}

static void kernels_of_ones_own(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    cl_program program;
    cl_int code;
    places p = places_lattice(5, 0.0, 0.1);
    wide_case a = wide_case_of(&p, 0.1);
    XLT_OK(xl_program_create(xlt_context(), kernel_text, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "sums", &code);
    XLT_CL(code);
    kernel_finds("ties", &a, kernel, 0);
    a.search.inclusive = 1;
    kernel_finds("as far", &a, kernel, 0);
    a.search.radius_f64 = 0.2;
    wide_give_box(&a, 0.0, 0.5, 7);
    kernel_finds("in space that repeats", &a, kernel, 0);
    kernel_finds("a radius of its own", &a, kernel, 0.15);
    /* What is of the other precision. */
    wide_index b = wide_index_make(&a);
    xl_neighbors_kernel_args args = {.kernel = kernel, .radius = 0.2f};
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, NULL), XL_ERROR_INVALID_ARGUMENT);
    args = (xl_neighbors_kernel_args){.kernel = kernel, .radius_f64 = 1e200};
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, NULL), XL_ERROR_INVALID_ARGUMENT);
    wide_index_free(&b);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    free(p.xyz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
