/* SPDX-License-Identifier: MIT
 * What is learnt of a context's device, once: capabilities, by asking and by the probe, and results
 * of self-tests. Behind it the calls that need the capabilities before they start. */
#include "private.h"

#include <stdio.h>
#include <string.h>

/* Oclgrind 21.10 lists OpenCL C 3.0, and then refuses its own options for it: a
 * dialect counts only once the probe was built in it. What is tried and refused on
 * the way to an answer is no failure of the caller's, so its text is taken back. */
static xl_status query_capabilities(xl_context *ctx, xli_capabilities *capabilities)
{
    xl_status status = XL_ERROR_BUILD;
    char *before = xli_strdup(xl_context_error(ctx));
    if (!before)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to learn what the device is");
    for (int oldest = 0; oldest <= 1 && status == XL_ERROR_BUILD; ++oldest) {
        *capabilities = (xli_capabilities){.most_rounds = SIZE_MAX};
        status = xli_capabilities_query(ctx, oldest == 1, capabilities);
        if (status == XL_SUCCESS)
            status = xli_probe_lanes(ctx, capabilities);
        if (status == XL_SUCCESS && xli_rusticl_may_end_loops(capabilities))
            status = xli_probe_rounds(ctx, capabilities);
    }
    if (status == XL_SUCCESS && strcmp(before, xl_context_error(ctx)) != 0)
        (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
    xli_free(before);
    return status;
}

/* Two threads may both probe the first time; the first answer is kept. */
xl_status xli_context_capabilities(xl_context *ctx, const xli_capabilities **capabilities)
{
    xl_status status;
    *capabilities = &ctx->capabilities;
    XL_TRY(xli_check_process());
    xli_mutex_lock(ctx->lock);
    bool known = ctx->capabilities_known;
    xli_mutex_unlock(ctx->lock);
    if (known)
        return XL_SUCCESS;
    xli_capabilities fresh;
    cl_mem stand_in = NULL;
    XL_TRY(query_capabilities(ctx, &fresh));
    XL_TRY(xli_rusticl_stand_in(ctx, &fresh, &stand_in));
    xli_mutex_lock(ctx->lock);
    if (!ctx->capabilities_known) {
        ctx->capabilities = fresh;
        ctx->stand_in = stand_in;
        stand_in = NULL;
    }
    ctx->capabilities_known = true;
    xli_mutex_unlock(ctx->lock);
    if (stand_in)
        clReleaseMemObject(stand_in);
done:
    return status;
}

xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info)
{
    static const xli_structure structure = {"info", sizeof(xl_device_info), NULL};
    const xli_capabilities *capabilities;
    if (!ctx || !info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "info" : "ctx");
    xl_status status = xli_context_capabilities(ctx, &capabilities);
    if (status == XL_SUCCESS)
        xli_structure_write(&structure, ctx->version, info, &capabilities->info);
    return status;
}

static xli_self_test_record *remembered(xl_context *ctx, const char *test)
{
    for (size_t i = 0; i < XLI_COUNT(ctx->self_test_results); ++i) {
        xli_self_test_record *r = &ctx->self_test_results[i];
        if (!r->test || strcmp(r->test, test) == 0)
            return r;
    }
    return NULL;
}

static void remember(xl_context *ctx, const char *test, xli_self_test_result result)
{
    xli_mutex_lock(ctx->lock);
    xli_self_test_record *r = remembered(ctx, test);
    if (r)
        *r = (xli_self_test_record){test, result};
    xli_mutex_unlock(ctx->lock);
}

xli_self_test_result xli_context_self_test_result(xl_context *ctx, const char *test)
{
    xli_mutex_lock(ctx->lock);
    const xli_self_test_record *r = remembered(ctx, test);
    xli_self_test_result result = r && r->test ? r->result : XLI_SELF_TEST_NOT_RUN;
    const bool known = ctx->capabilities_known;
    xli_mutex_unlock(ctx->lock);
    if (result == XLI_SELF_TEST_NOT_RUN && known &&
        xli_cache_has_pass(ctx, &ctx->capabilities, test)) {
        remember(ctx, test, XLI_SELF_TEST_PASSED);
        result = XLI_SELF_TEST_PASSED;
    }
    return result;
}

void xli_context_set_self_test_result(xl_context *ctx, const char *test,
                                      xli_self_test_result result)
{
    remember(ctx, test, result);
    xli_mutex_lock(ctx->lock);
    const bool known = ctx->capabilities_known;
    xli_mutex_unlock(ctx->lock);
    if (result == XLI_SELF_TEST_PASSED && known)
        xli_cache_add_pass(ctx, &ctx->capabilities, test);
}

/* ---- calls that start from the capabilities ---- */

xl_status xli_program_get_source(xl_context *ctx, const xli_source *source, const char *defines,
                                 xli_program **program)
{
    const xli_capabilities *capabilities;
    *program = NULL;
    xl_status status = xli_context_capabilities(ctx, &capabilities);
    return status == XL_SUCCESS
               ? xli_program_build_widths(ctx, capabilities, source, defines, program)
               : status;
}

xl_status xli_program_get(xl_context *ctx, const char *name, const char *defines,
                          xli_program **program)
{
    const xli_source *source = xli_source_find(name);
    *program = NULL;
    return source ? xli_program_get_source(ctx, source, defines, program)
                  : xli_fail(ctx, XL_ERROR_INTERNAL, "no kernel source \"%s\" is embedded", name);
}

xl_status xli_program_get_limited(xl_context *ctx, const char *name, const char *defines,
                                  uint32_t registers, xli_program **program)
{
    const xli_source *source = xli_source_find(name);
    const xli_capabilities *capabilities;
    char option[64];
    *program = NULL;
    xl_status status = xli_context_capabilities(ctx, &capabilities);
    if (status != XL_SUCCESS || !source || registers == 0 || capabilities->nv_capability == 0)
        return xli_program_get(ctx, name, defines, program);
    snprintf(option, sizeof option, "-cl-nv-maxrregcount=%u", (unsigned)registers);
    status = xli_program_build_source(ctx, capabilities, source, defines, option, program);
    /* A compiler for NVIDIA's GPUs that is not NVIDIA's may not know it. */
    return status == XL_ERROR_BUILD ? xli_program_get(ctx, name, defines, program) : status;
}

xl_status xli_pool_create(xl_context *ctx, xli_pool *pool)
{
    xl_status status;
    const xli_capabilities *capabilities;
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    pool->per_queue =
        xli_rusticl_waits_badly(capabilities) || xli_oclgrind_flushes_badly(capabilities);
    pool->lock = xli_mutex_create();
    if (!pool->lock)
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan's scratch");
done:
    return status;
}

/* The values that plans of the context start from; zeros without one. */
static xl_status learn_values(xl_context *ctx, xli_tune *tune)
{
    xl_status status = XL_SUCCESS;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    *tune = (xli_tune){0};
    if (!ctx)
        return XL_SUCCESS;
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_context_tune(ctx, capabilities, &(xli_tune_wish){0}, &device, tune));
done:
    return status;
}

uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user)
{
    xli_tune tune;
    uint32_t count = 0;
    if (learn_values(ctx, &tune) != XL_SUCCESS)
        return 0;
    for (size_t i = 0; i < XLI_TUNABLES; ++i) {
        const xli_tunable *t = &xli_tunables[i];
        const xl_tunable_info info = {.name = t->name,
                                      .meaning = t->meaning,
                                      .least = t->least,
                                      .greatest = t->greatest,
                                      .value = xli_tunable_value(t, &tune),
                                      .zero = t->zero,
                                      .from_file = ctx && ctx->tuning && ctx->tuning->given[i],
                                      .step = t->step,
                                      .turn = t->turn};
        if (t->for_tests)
            continue;
        ++count;
        if (visit)
            visit(user, &info);
    }
    return count;
}
