/* SPDX-License-Identifier: MIT
 * Checks of buffer arguments and of scratch: every misuse has a status and a text
 * that names the argument, its value and the limit. */
#include "runtime.h"
#include "xlt_misuse.h"

static cl_mem make(cl_mem_flags flags, size_t bytes)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(xl_context_cl(xlt_context()), flags, bytes, NULL, &code);
    XLT_CL(code);
    return buffer;
}

static void refused(xl_status got, xl_status wanted, const char *text)
{
    xlt_refused(xlt_context(), got, wanted, text);
}

static xl_status check(cl_mem buffer, size_t offset, size_t n, size_t size, xli_access access)
{
    xli_span span;
    return xli_check_view(xlt_context(), "in", xl_view_of(buffer, offset), n, size, access, &span);
}

XLT_TEST(limits_are_exact)
{
    cl_mem buffer = make(CL_MEM_READ_WRITE, 42); /* ten words and a half */
    XLT_OK(check(buffer, 0, 10, 4, XLI_READ));
    XLT_OK(check(buffer, 9, 1, 4, XLI_WRITE));
    XLT_OK(check(buffer, 10, 0, 4, XLI_READ));
    XLT_OK(check(NULL, 77, 0, 4, XLI_READ));
    XLT_OK(check(buffer, 99, 0, 4, XLI_READ)); /* nothing is touched */
    refused(check(NULL, 0, 5, 4, XLI_READ), XL_ERROR_INVALID_ARGUMENT,
            "in: no buffer given for 5 elements");
    refused(check(buffer, 0, 11, 4, XLI_READ), XL_ERROR_INVALID_ARGUMENT,
            "in: 11 elements of 4 bytes are needed from element 0 on; the buffer holds 10");
    refused(check(buffer, 1, 10, 4, XLI_READ), XL_ERROR_INVALID_ARGUMENT,
            "in: 10 elements of 4 bytes are needed from element 1 on; the buffer holds 10");
    refused(check(buffer, 11, 1, 4, XLI_READ), XL_ERROR_INVALID_ARGUMENT,
            "in: 1 elements of 4 bytes are needed from element 11 on; the buffer holds 10");
    XLT_CL(clReleaseMemObject(buffer));
}

/* n * size and offset + n past the largest size_t. */
XLT_TEST(products_do_not_wrap)
{
    const size_t half = SIZE_MAX / 2 + 1, quarter = SIZE_MAX / 4 + 1;
    const size_t rows[][3] = {{0, half, 2},         {0, quarter + 1, 4}, {half, half, 1},
                              {8, SIZE_MAX - 4, 1}, {SIZE_MAX, 2, 4},    {quarter, 1, 4}};
    cl_mem buffer = make(CL_MEM_READ_WRITE, 64);
    for (size_t i = 0; i < XLI_COUNT(rows); ++i)
        refused(check(buffer, rows[i][0], rows[i][1], rows[i][2], XLI_READ),
                XL_ERROR_INVALID_ARGUMENT, "in: ");
    XLT_CL(clReleaseMemObject(buffer));
}

static cl_mem sub_buffer(cl_mem parent, cl_mem_flags flags, size_t origin, size_t bytes)
{
    cl_int code;
    const cl_buffer_region region = {origin, bytes};
    cl_mem part = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    XLT_CL(code);
    return part;
}

static xli_span span_of(cl_mem buffer, const char *name, size_t offset, size_t n)
{
    xli_span span;
    XLT_OK(xli_check_view(xlt_context(), name, xl_view_of(buffer, offset), n, 4, XLI_READ, &span));
    return span;
}

XLT_TEST(sub_buffers_are_parts_of_their_parent)
{
    const xl_context *ctx = xlt_context();
    cl_mem parent = make(CL_MEM_READ_ONLY, 8192);
    cl_mem low = sub_buffer(parent, 0, 0, 4096), high = sub_buffer(parent, 0, 4096, 4096);
    refused(check(high, 0, 1025, 4, XLI_READ), XL_ERROR_INVALID_ARGUMENT,
            "in: 1025 elements of 4 bytes are needed from element 0 on; the buffer holds 1024");
    refused(check(high, 0, 4, 4, XLI_WRITE), XL_ERROR_INVALID_ARGUMENT,
            "in: created with CL_MEM_READ_ONLY");
    xli_span a = span_of(parent, "a", 0, 1024), b = span_of(high, "b", 0, 1024);
    xli_span c = span_of(parent, "c", 1023, 2), d = span_of(low, "d", 0, 1024);
    xli_span e = span_of(parent, "e", 1024, 1024);
    XLT_OK(xli_check_apart(ctx, &a, &b, false));
    XLT_OK(xli_check_apart(ctx, &d, &b, false));
    XLT_OK(xli_check_apart(ctx, &a, &d, true)); /* the same bytes under two names */
    XLT_OK(xli_check_apart(ctx, &e, &b, true));
    refused(xli_check_apart(ctx, &a, &d, false), XL_ERROR_OVERLAP,
            "a and d overlap in bytes 0 to 4096");
    refused(xli_check_apart(ctx, &c, &b, true), XL_ERROR_OVERLAP,
            "c and b overlap in bytes 4096 to 4100 (only exactly");
    refused(xli_check_apart(ctx, &d, &c, true), XL_ERROR_OVERLAP,
            "d and c overlap in bytes 4092 to 4096");
    XLT_CL(clReleaseMemObject(low));
    XLT_CL(clReleaseMemObject(high));
    XLT_CL(clReleaseMemObject(parent));
}

/* A call that reserves `bytes` on the in-order queue of the tests. */
static xl_status use(xli_pool *pool, size_t bytes)
{
    cl_event wait;
    const xl_status status = xli_pool_enter(xlt_context(), pool, xlt_queue(), true, bytes, &wait);
    assert_null(wait);
    if (status == XL_SUCCESS)
        xli_pool_used(pool, xlt_queue(), NULL);
    xli_pool_leave(pool);
    return status;
}

XLT_TEST(pools_grow_and_do_not_shrink)
{
    xli_pool pool = {0};
    XLT_OK(xli_pool_create(xlt_context(), &pool));
    XLT_OK(use(&pool, 0));
    assert_null(pool.buffer);
    XLT_OK(use(&pool, 1000));
    assert_non_null(pool.buffer);
    assert_true(pool.bytes >= 1000);
    cl_mem first = pool.buffer;
    XLT_OK(use(&pool, 999));
    assert_true(pool.buffer == first);
    XLT_OK(use(&pool, pool.bytes + 1));
    assert_true(pool.bytes > 1000);
    size_t bytes = pool.bytes;
    refused(use(&pool, SIZE_MAX / 2), XL_ERROR_OUT_OF_MEMORY, "scratch");
    assert_true(pool.buffer && pool.bytes == bytes); /* the old buffer is kept */
    XLT_OK(use(&pool, bytes));
    xli_pool_drop(&pool);
    assert_null(pool.buffer);
    XLT_OK(use(&pool, 1));
    assert_non_null(pool.buffer);
    xli_pool_destroy(&pool);
    assert_null(pool.buffer);
    xli_pool_destroy(&pool);
}

/* A call that failed for an event it waited for may be over before the one in front of it: the
 * next call gets a buffer that neither knows. One that succeeded leaves it its own. */
XLT_TEST(calls_that_failed_keep_the_buffer)
{
    xli_pool pool = {0};
    XLT_OK(xli_pool_create(xlt_context(), &pool));
    for (int fails = 0; fails < 2; ++fails) {
        cl_event wait, event = xlt_user_event();
        XLT_OK(xli_pool_enter(xlt_context(), &pool, xlt_queue(), false, 1000, &wait));
        xli_pool_used(&pool, xlt_queue(), event);
        xli_pool_leave(&pool);
        cl_mem first = pool.buffer;
        XLT_CL(clRetainMemObject(first)); /* lest the next one have its address */
        XLT_OK(xli_pool_enter(xlt_context(), &pool, xlt_queue(), false, 1000, &wait));
        assert_ptr_equal(wait, event);
        assert_ptr_equal(pool.buffer, first);
        xli_pool_leave(&pool);
        XLT_CL(clSetUserEventStatus(event, fails ? -1 : CL_COMPLETE));
        XLT_OK(xli_pool_enter(xlt_context(), &pool, xlt_queue(), false, 1000, &wait));
        assert_null(wait);
        assert_int_equal(pool.buffer == first, !fails);
        xli_pool_leave(&pool);
        XLT_CL(clReleaseMemObject(first));
        XLT_CL(clReleaseEvent(event));
    }
    xli_pool_destroy(&pool);
}

XLT_MAIN(NULL, xlt_teardown)
