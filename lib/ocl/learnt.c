/* SPDX-License-Identifier: MIT
 * What is learnt of a context's device, once: facts, by asking and by the probe, and verdicts of
 * self-tests. Behind it the calls that need the facts before they start. */
#include "private.h"

#include <string.h>

/* Oclgrind 21.10 lists OpenCL C 3.0, and then refuses its own options for it: a
 * dialect counts only once the probe was built in it. What is tried and refused on
 * the way to an answer is no failure of the caller's, so its text is taken back. */
static xl_status learn_facts(xl_context *ctx, xli_facts *facts)
{
    xl_status status = XL_ERROR_BUILD;
    char *before = xli_strdup(xl_context_error(ctx));
    if (!before)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to learn what the device is");
    for (int oldest = 0; oldest <= 1 && status == XL_ERROR_BUILD; ++oldest) {
        *facts = (xli_facts){0};
        status = xli_facts_ask(ctx, oldest == 1, facts);
        if (status == XL_SUCCESS)
            status = xli_probe_lanes(ctx, facts);
    }
    if (status == XL_SUCCESS && strcmp(before, xl_context_error(ctx)) != 0)
        (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
    xli_free(before);
    return status;
}

/* Two threads may both probe the first time; the first answer is kept. */
xl_status xli_context_facts(xl_context *ctx, const xli_facts **facts)
{
    xl_status status = XL_SUCCESS;
    *facts = &ctx->facts;
    xli_mutex_lock(ctx->lock);
    bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (known)
        return XL_SUCCESS;
    xli_facts fresh;
    XL_TRY(learn_facts(ctx, &fresh));
    xli_mutex_lock(ctx->lock);
    if (!ctx->facts_known)
        ctx->facts = fresh;
    ctx->facts_known = true;
    xli_mutex_unlock(ctx->lock);
done:
    return status;
}

xl_status xl_context_device_info_sized(xl_context *ctx, xl_device_info *info, size_t size)
{
    const xli_facts *facts;
    if (!ctx || !info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "info" : "ctx");
    xl_status status = xli_context_facts(ctx, &facts);
    if (status == XL_SUCCESS)
        xli_struct_write(info, size, &facts->info, sizeof facts->info);
    return status;
}

static xli_remembered *remembered(xl_context *ctx, const char *test)
{
    for (size_t i = 0; i < XLI_COUNT(ctx->verdicts); ++i) {
        xli_remembered *r = &ctx->verdicts[i];
        if (!r->test || strcmp(r->test, test) == 0)
            return r;
    }
    return NULL;
}

static void remember(xl_context *ctx, const char *test, xli_verdict verdict)
{
    xli_mutex_lock(ctx->lock);
    xli_remembered *r = remembered(ctx, test);
    if (r)
        *r = (xli_remembered){test, verdict};
    xli_mutex_unlock(ctx->lock);
}

xli_verdict xli_context_verdict(xl_context *ctx, const char *test)
{
    xli_mutex_lock(ctx->lock);
    const xli_remembered *r = remembered(ctx, test);
    xli_verdict verdict = r && r->test ? r->verdict : XLI_UNTRIED;
    const bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (verdict == XLI_UNTRIED && known && xli_cache_has_note(ctx, &ctx->facts, test)) {
        remember(ctx, test, XLI_PASSED);
        verdict = XLI_PASSED;
    }
    return verdict;
}

void xli_context_set_verdict(xl_context *ctx, const char *test, xli_verdict verdict)
{
    remember(ctx, test, verdict);
    xli_mutex_lock(ctx->lock);
    const bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (verdict == XLI_PASSED && known)
        xli_cache_add_note(ctx, &ctx->facts, test);
}

/* ---- calls that start from the facts ---- */

xl_status xli_program_get_source(xl_context *ctx, const xli_source *source, const char *defines,
                                 xli_program **program)
{
    const xli_facts *facts;
    *program = NULL;
    xl_status status = xli_context_facts(ctx, &facts);
    return status == XL_SUCCESS ? xli_program_build_source(ctx, facts, source, defines, "", program)
                                : status;
}

xl_status xli_program_get(xl_context *ctx, const char *name, const char *defines,
                          xli_program **program)
{
    const xli_facts *facts;
    *program = NULL;
    xl_status status = xli_context_facts(ctx, &facts);
    return status == XL_SUCCESS ? xli_program_build(ctx, facts, name, defines, program) : status;
}

xl_status xli_pool_create(xl_context *ctx, xli_pool *pool)
{
    xl_status status;
    const xli_facts *facts;
    XL_TRY(xli_context_facts(ctx, &facts));
    pool->apart = xli_rusticl_waits_badly(facts) || xli_oclgrind_flushes_badly(facts);
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
    const xli_facts *facts;
    xli_tune_device device;
    *tune = (xli_tune){0};
    if (!ctx)
        return XL_SUCCESS;
    XL_TRY(xli_context_facts(ctx, &facts));
    XL_TRY(xli_context_tune(ctx, facts, &(xli_tune_wish){0}, &device, tune));
done:
    return status;
}

uint32_t xl_tunables_each(xl_context *ctx, xl_tunable_visitor *visit, void *user)
{
    xli_tune tune;
    if (learn_values(ctx, &tune) != XL_SUCCESS)
        return 0;
    for (size_t i = 0; visit && i < XLI_TUNABLES; ++i) {
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
        visit(user, &info);
    }
    return XLI_TUNABLES;
}
