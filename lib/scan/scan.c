/* SPDX-License-Identifier: MIT
 * The scan's public calls: plan, scratch, enqueue. */
#include "scan_private.h"

#include <math.h>
#include <string.h>

void xl_scan_desc_init(xl_scan_desc *desc)
{
    if (desc)
        *desc = (xl_scan_desc){.struct_size = sizeof *desc, .type = XL_U32, .op = XL_SUM};
}

/* The value a scan starts from when none is given. */
static void standard_init(const xl_scan_desc *desc, void *to)
{
    const bool least = desc->op == XL_MAX;
    const union {
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } ends[] = {
        [XL_U32] = {.u32 = least ? 0 : UINT32_MAX},
        [XL_I32] = {.i32 = least ? INT32_MIN : INT32_MAX},
        [XL_U64] = {.u64 = least ? 0 : UINT64_MAX},
        [XL_I64] = {.i64 = least ? INT64_MIN : INT64_MAX},
        [XL_F32] = {.f32 = least ? -INFINITY : INFINITY},
        [XL_F64] = {.f64 = least ? -(double)INFINITY : (double)INFINITY},
    };
    const size_t bytes = xl_type_size(desc->type);
    memset(to, 0, bytes);
    if (desc->op != XL_SUM)
        memcpy(to, &ends[desc->type], bytes);
}

static xl_status read_desc(xl_scan *plan, const xl_scan_desc *given)
{
    xl_status status;
    xl_scan_desc *desc = &plan->desc;
    xl_scan_desc_init(desc);
    XL_TRY(XLI_DESC_READ(plan->ctx, xl_scan_desc, given, desc));
    XL_TRY(xli_scan_check_desc(plan->ctx, desc));
    plan->type = xli_scan_type_of(desc->type);
    standard_init(desc, plan->init);
    if (desc->init)
        memcpy(plan->init, desc->init, plan->type->bytes);
    desc->init = NULL;
done:
    return status;
}

xl_status xli_scan_make(xl_context *ctx, const xl_scan_desc *desc, bool on_trial, xl_scan **plan)
{
    xl_status status;
    const xli_facts *facts;
    xl_scan *made = xli_alloc(sizeof *made);
    if (!made)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a scan");
    made->ctx = xli_context_retain(ctx);
    made->on_trial = on_trial;
    XL_TRY(read_desc(made, desc));
    XL_TRY(xli_context_facts(ctx, &facts));
    XL_TRY(xli_scan_plan(made, facts));
    *plan = made;
    made = NULL;
done:
    xl_scan_destroy(made);
    return status;
}

xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc, xl_scan **plan)
{
    if (plan)
        *plan = NULL;
    if (!ctx || !desc || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "plan");
    return xli_scan_make(ctx, desc, false, plan);
}

void xl_scan_destroy(xl_scan *plan)
{
    if (!plan)
        return;
    xli_scan_destroy_kernels(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

/* The state buffer of look-back, as cl/tile/tile_state.cl lays it out. */
enum { HEADER_WORDS = 8, MOST_CALLS = 1 << 29 /* half an epoch's turn */ };

static size_t state_words(const xl_scan *plan, size_t tiles)
{
    return HEADER_WORDS + tiles * (plan->type->bytes == 4 ? 1 : 4);
}

/* For reduce-then-scan this grows with n although the number of groups does not
 * always: a few tiles more may mean longer runs and fewer of them. */
static size_t scratch_bytes(const xl_scan *plan, size_t n)
{
    const size_t tiles = xli_ceil_div(n, plan->tile);
    const size_t most = xli_scan_most_groups(plan, n);
    if (tiles <= 1)
        return 0;
    return xli_round_up(plan->algorithm == XL_SCAN_LOOKBACK
                            ? state_words(plan, tiles) * sizeof(cl_ulong)
                            : xli_min(tiles, most) * plan->type->bytes,
                        XLI_SCRATCH_ALIGN);
}

xl_status xl_scan_scratch(const xl_scan *plan, size_t n, size_t *bytes, size_t *alignment)
{
    if (!plan || !bytes || !alignment)
        return xli_fail(plan ? plan->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !plan    ? "plan"
                        : !bytes ? "bytes"
                                 : "alignment");
    *bytes = scratch_bytes(plan, n);
    *alignment = XLI_SCRATCH_ALIGN;
    return XL_SUCCESS;
}

/* The views of a call once they are checked. */
typedef struct places {
    xli_span in, out, scratch;
    bool in_place;
    bool stream; /* results are written past the cache */
} places;

static xl_status enqueue_two_pass(xl_scan *plan, xli_seq *seq, size_t n, const places *at)
{
    xl_status status;
    const xli_scan_cut cut = xli_scan_cut_of(plan, n);
    const size_t bytes = plan->type->bytes, totals = at->scratch.offset / bytes;
    /* A single group reads no totals, but the argument must be a buffer. */
    const cl_mem totals_buffer = cut.groups > 1 ? at->scratch.buffer : at->in.buffer;
    if (cut.groups > 1)
        XL_TRY(XLI_LAUNCH(seq, &plan->reduce, cut.groups, plan->group_size, XLI_MEM(at->in.buffer),
                          XLI_U64(at->in.offset), XLI_U64(n), XLI_U64(cut.run),
                          XLI_MEM(totals_buffer), XLI_U64(totals)));
    XL_TRY(XLI_LAUNCH(seq, &plan->spread, cut.groups, plan->group_size, XLI_MEM(at->in.buffer),
                      XLI_U64(at->in.offset), XLI_U64(n), XLI_U64(cut.run), XLI_MEM(totals_buffer),
                      XLI_U64(totals), XLI_MEM(at->out.buffer), XLI_U64(at->out.offset),
                      XLI_BYTES(plan->init, bytes), XLI_U32(at->stream)));
done:
    return status;
}

/* The caller's scratch holds anything and is cleared each time; the plan's own is
 * cleared when it is new, and then by the groups themselves. */
static xl_status clear_state(xl_scan *plan, xli_seq *seq, const places *at, size_t tiles)
{
    const bool own = at->scratch.buffer == plan->pool.buffer;
    size_t words = state_words(plan, tiles);
    if (own && !plan->pool.fresh && ++plan->calls < MOST_CALLS)
        return XL_SUCCESS;
    if (own) {
        words = plan->pool.bytes / sizeof(cl_ulong);
        plan->pool.fresh = false;
        plan->calls = 0;
    }
    const size_t size = xli_min(plan->clear.max_group, 64);
    const size_t groups = xli_min(xli_ceil_div(words, size), (size_t)plan->units * 16);
    return XLI_LAUNCH(seq, &plan->clear, groups, size, XLI_MEM(at->scratch.buffer),
                      XLI_U64(at->scratch.offset / sizeof(cl_ulong)), XLI_U64(words));
}

static xl_status enqueue_look_back(xl_scan *plan, xli_seq *seq, size_t n, const places *at)
{
    xl_status status;
    const size_t tiles = xli_ceil_div(n, plan->tile);
    const size_t groups = xli_min(tiles, (size_t)plan->units * plan->tune.ring_groups);
    XL_TRY(clear_state(plan, seq, at, tiles));
    XL_TRY(XLI_LAUNCH(seq, at->in_place ? &plan->ring_in_place : &plan->ring, groups,
                      plan->group_size, XLI_MEM(at->in.buffer), XLI_U64(at->in.offset), XLI_U64(n),
                      XLI_MEM(at->scratch.buffer), XLI_U64(at->scratch.offset / sizeof(cl_ulong)),
                      XLI_MEM(at->out.buffer), XLI_U64(at->out.offset),
                      XLI_BYTES(plan->init, plan->type->bytes), XLI_U32(at->stream)));
done:
    return status;
}

xl_status xl_scan_enqueue(xl_scan *plan, cl_command_queue queue, size_t n, xl_view in,
                          xl_view segments, xl_view out, xl_view scratch, cl_uint num_waits,
                          const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_seq seq = {0};
    places at = {0};
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_scan_check_views(plan, n, in, segments, out, &at.in, &at.out));
    XL_TRY(xli_scratch_take(plan->ctx, &plan->pool, scratch, scratch_bytes(plan, n),
                            XLI_SCRATCH_ALIGN, &at.scratch));
    XL_TRY(xli_check_apart(plan->ctx, &at.scratch, &at.in, false));
    XL_TRY(xli_check_apart(plan->ctx, &at.scratch, &at.out, false));
    at.in_place = at.in.root == at.out.root && at.in.begin == at.out.begin;
    at.stream = !at.in_place && n / 1024 * plan->type->bytes >= plan->tune.stream_kib;
    if (n > plan->tile && plan->algorithm == XL_SCAN_LOOKBACK)
        XL_TRY(enqueue_look_back(plan, &seq, n, &at));
    else if (n > 0)
        XL_TRY(enqueue_two_pass(plan, &seq, n, &at));
done:
    status = xli_seq_end(&seq, status, event);
    /* What a call that failed halfway left in the plan's own state is not known. */
    if (status != XL_SUCCESS && at.scratch.buffer && at.scratch.buffer == plan->pool.buffer)
        plan->pool.fresh = true;
    return status;
}

xl_scan_algorithm xl_scan_algorithm_used(const xl_scan *plan, size_t n)
{
    (void)n;
    return plan ? plan->algorithm : XL_SCAN_AUTO;
}
