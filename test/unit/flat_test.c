/* SPDX-License-Identifier: MIT
 * What the engine of scans does inside: when a plan's own state is made anew. */
#include "flat.h"
#include "xlt.h"

#include <string.h>

enum { N = 40009 };

/* Scans ones in place, and says how many results are wrong. */
static size_t wrong_results(xli_flat *flat, cl_mem data)
{
    static cl_uint host[N];
    size_t wrong = 0;
    for (size_t i = 0; i < N; ++i)
        host[i] = 1;
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), data, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    const xli_flat_call call = {.n = N, .in = xl_view_of(data, 0), .out = xl_view_of(data, 0)};
    XLT_OK(xli_flat_enqueue(flat, xlt_queue(), &call, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), data, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (size_t i = 0; i < N; ++i)
        wrong += host[i] != i;
    return wrong;
}

static void state_is_renewed_before_epochs_come_round(void **state)
{
    (void)state;
    cl_int code;
    xli_flat *flat;
    const xl_scan_desc desc = {.type = XL_U32, .op = XL_SUM};
    XLT_OK(xli_flat_create(xlt_context(), &desc, false, &flat));
    cl_mem data =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, N * 4, NULL, &code);
    XLT_CL(code);
    assert_int_equal(wrong_results(flat, data), 0);
    cl_mem first = flat->pool.buffer;
    assert_non_null(first);
    XLT_CL(clRetainMemObject(first)); /* so that another has another address */
    assert_int_equal(wrong_results(flat, data), 0);
    assert_ptr_equal(flat->pool.buffer, first);
    flat->calls = XLI_FLAT_MOST_CALLS - 2;
    assert_int_equal(wrong_results(flat, data), 0);
    assert_ptr_equal(flat->pool.buffer, first);
    assert_int_equal(wrong_results(flat, data), 0);
    assert_ptr_not_equal(flat->pool.buffer, first);
    assert_int_equal(flat->calls, 0);
    assert_int_equal(wrong_results(flat, data), 0);
    XLT_CL(clReleaseMemObject(first));
    XLT_CL(clReleaseMemObject(data));
    xli_flat_destroy(flat);
}

static int teardown(void **state)
{
    (void)state;
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_is_renewed_before_epochs_come_round),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
