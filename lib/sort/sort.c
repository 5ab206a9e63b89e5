/* SPDX-License-Identifier: MIT
 * The sort's plan and its enqueue.
 *
 * Phases: every tile is sorted on its own; then, as often as it takes, runs are merged
 * in pairs, one launch each, from the output to the scratch and back, such that the
 * last launch writes the output. */
#include "sort_check.h"

#include <crosslane/plan_info.h>

struct xl_sort {
    xl_context *ctx;
    xl_sort_desc desc;
    xli_kernel tiles;
    xli_kernel merge;
    size_t group;       /* work-items of a work-group */
    uint32_t tile_log;  /* elements of a tile */
    uint32_t sub_group; /* as xli_sub_group_of() */
    xli_tune_sort tuning;
    xli_pool pool;
};

void xl_sort_desc_init_sized(xl_sort_desc *desc, size_t size)
{
    xli_struct_init(desc, size, &(const xl_sort_desc){.key = XL_U32}, sizeof *desc);
}

static xl_status build(xl_sort *plan, const xli_tune_sort *t)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const bool by_run = t->shape == XLI_SORT_SERIAL;
    const xl_type key = plan->desc.key;
    const uint32_t group_log = by_run ? 0 : t->group_log;
    const struct {
        const char *name;
        unsigned value;
    } lines[] = {
        {"XL_SORT_SHAPE", t->shape},
        {"XL_SORT_WIDE_KEY", key == XL_U64},
        {"XL_SORT_KIND", key == XL_I32   ? 1
                         : key == XL_F32 ? 2
                                         : 0},
        {"XL_SORT_DESCENDING", plan->desc.order == XL_DESCENDING},
        {"XL_SORT_VALUES", plan->desc.value != XL_NONE},
        {"XL_SORT_GROUP", 1u << group_log},
        {by_run ? "XL_SORT_TILE_LOG" : "XL_SORT_GROUP_LOG",
         by_run ? t->serial_tile_log : group_log},
        {by_run ? NULL : "XL_SORT_ITEMS_LOG", t->items_log},
    };
    for (size_t i = 0; i < XLI_COUNT(lines); ++i)
        if (lines[i].name)
            xli_text_add(&text, "#define %s %u\n", lines[i].name, lines[i].value);
    if (text.failed)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the sort's source"));
    XL_TRY(xli_program_get(plan->ctx, "sort_bitonic", text.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_sort_tiles", &plan->tiles));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_sort_merge", &plan->merge));
    plan->group = (size_t)1 << group_log;
    plan->tile_log = by_run ? t->serial_tile_log : group_log + t->items_log;
done:
    xli_text_free(&text);
    return status;
}

/* A kernel may allow fewer work-items than the device does: then the group is halved
 * until both allow it. */
static xl_status specialise(xl_sort *plan, const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    xli_tune_sort *tuning = &plan->tuning;
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SORT, &plan->desc),
                            &device, &tune));
    *tuning = tune.sort;
    xli_tune_sort_fit(&device, xl_type_size(plan->desc.key) + xl_type_size(plan->desc.value),
                      tuning);
    for (;;) {
        XL_TRY(build(plan, tuning));
        if (plan->group <= xli_min(plan->tiles.max_group, plan->merge.max_group) ||
            plan->group == 1)
            break;
        xli_kernel_destroy(&plan->tiles);
        xli_kernel_destroy(&plan->merge);
        --tuning->group_log;
    }
    plan->sub_group = xli_sub_group_of(capabilities, plan->group);
    plan->desc.tunables = NULL; /* the caller's */
    plan->desc.num_tunables = 0;
done:
    return status;
}

xl_status xl_sort_create(xl_context *ctx, const xl_sort_desc *desc, xl_sort **plan)
{
    xl_status status;
    xl_sort *made = NULL;
    const xli_capabilities *capabilities;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_sort_desc checked;
    xl_sort_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_sort_desc, desc, &checked));
    XL_TRY(xli_sort_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a sort plan"));
    made->ctx = xli_context_retain(ctx);
    made->desc = checked;
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(specialise(made, capabilities));
    *plan = made;
    made = NULL;
done:
    xl_sort_destroy(made);
    return status;
}

void xl_sort_destroy(xl_sort *plan)
{
    if (!plan)
        return;
    xli_kernel_destroy(&plan->tiles);
    xli_kernel_destroy(&plan->merge);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

static size_t tile_of(const xl_sort *plan)
{
    return (size_t)1 << plan->tile_log;
}

/* Where the values stand in the scratch, behind the keys. */
static size_t scratch_values_at(const xl_sort *plan, size_t n)
{
    return xli_round_up(n * xl_type_size(plan->desc.key), XLI_SCRATCH_ALIGN);
}

static size_t scratch_bytes(const xl_sort *plan, size_t n)
{
    if (n <= tile_of(plan))
        return 0;
    return scratch_values_at(plan, n) +
           xli_round_up(n * xl_type_size(plan->desc.value), XLI_SCRATCH_ALIGN);
}

xl_status xl_sort_scratch(const xl_sort *plan, size_t n, size_t *bytes, size_t *alignment)
{
    if (!plan || !bytes || !alignment)
        return xli_fail(plan ? plan->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !plan    ? "plan"
                        : !bytes ? "bytes"
                                 : "alignment");
    xl_status status = xli_sort_check_n(plan->ctx, n);
    if (status != XL_SUCCESS)
        return status;
    *bytes = scratch_bytes(plan, n);
    *alignment = XLI_SCRATCH_ALIGN;
    return XL_SUCCESS;
}

xl_status xl_sort_info_sized(const xl_sort *plan, size_t n, xl_plan_info *info, size_t size)
{
    (void)n;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    const xl_plan_info all = {.sub_group_size = plan->sub_group,
                              .work_group_size = (uint32_t)plan->group,
                              .item_elements =
                                  (uint32_t)(plan->group > 1 ? tile_of(plan) / plan->group : 0),
                              .tile_elements = tile_of(plan),
                              .algorithm = "bitonic"};
    return xli_info_give(plan->ctx, &all, sizeof all, info, size);
}

/* Keys and values of one launch's source or target: buffers and element offsets. */
typedef struct place {
    cl_mem keys, values;
    size_t keys_at, values_at;
} place;

static place place_of(const xli_span *keys, const xli_span *values)
{
    return (place){keys->buffer, values->buffer, keys->offset, values->offset};
}

static place place_in_scratch(const xl_sort *plan, const xli_span *scratch, size_t n)
{
    const size_t values_at = scratch->offset + scratch_values_at(plan, n);
    return (place){scratch->buffer, scratch->buffer, scratch->offset / xl_type_size(plan->desc.key),
                   values_at / sizeof(cl_uint)};
}

/* How many work-items search a cut, as a power of two above them: a group of one has one. */
static uint32_t search_log(const xl_sort *plan, size_t groups)
{
    const xli_tune_sort *t = &plan->tuning;
    const uint32_t wanted = groups > t->busy ? t->search_busy_log : t->search_log;
    return (uint32_t)xli_min(wanted, xli_max(1, t->group_log));
}

/* One launch over all tiles; `run` is 0 for the first one, which sorts them. */
static xl_status launch(xl_sort *plan, xli_seq *seq, size_t n, size_t run, const place *from,
                        const place *to)
{
    const size_t groups = xli_ceil_div(n, tile_of(plan));
    xli_arg args[11];
    size_t count = 0;
    args[count++] = XLI_U32(n);
    if (run > 0) {
        args[count++] = XLI_U32(run);
        args[count++] = XLI_U32(search_log(plan, groups));
    }
    args[count++] = XLI_MEM(from->keys);
    args[count++] = XLI_U64(from->keys_at);
    args[count++] = XLI_MEM(to->keys);
    args[count++] = XLI_U64(to->keys_at);
    if (plan->desc.value != XL_NONE) {
        args[count++] = XLI_MEM(from->values);
        args[count++] = XLI_U64(from->values_at);
        args[count++] = XLI_MEM(to->values);
        args[count++] = XLI_U64(to->values_at);
    }
    return xli_seq_launch(seq, run > 0 ? &plan->merge : &plan->tiles, groups, plan->group, args,
                          count);
}

/* How often runs of tiles must be doubled to reach n. */
static unsigned merges_for(const xl_sort *plan, size_t n)
{
    unsigned merges = 0;
    while (tile_of(plan) < xli_ceil_div(n, (size_t)1 << merges))
        ++merges;
    return merges;
}

static xl_status enqueue_all(xl_sort *plan, xli_seq *seq, size_t n, const xli_sort_spans *spans,
                             const xli_span *scratch)
{
    xl_status status;
    const place in = place_of(&spans->keys_in, &spans->values_in);
    const place out = place_of(&spans->keys_out, &spans->values_out);
    const unsigned merges = merges_for(plan, n);
    const place spare = merges > 0 ? place_in_scratch(plan, scratch, n) : out;
    /* sides[0] is the output; an even number of merges is left from there. */
    const place *const sides[2] = {&out, &spare};
    XL_TRY(launch(plan, seq, n, 0, &in, sides[merges % 2]));
    for (unsigned k = 0; k < merges; ++k) {
        const unsigned left = merges - k;
        XL_TRY(launch(plan, seq, n, tile_of(plan) << k, sides[left % 2], sides[(left + 1) % 2]));
    }
done:
    return status;
}

xl_status xl_sort_enqueue_sized(xl_sort *plan, cl_command_queue queue, const xl_sort_args *args,
                                size_t size, cl_uint num_waits, const cl_event *waits,
                                cl_event *event)
{
    xl_status status;
    xl_sort_args given = {0};
    xli_seq seq = {0};
    xli_sort_spans spans;
    xli_span scratch_span;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_sort_args, args, size, &given));
    const size_t n = given.n;
    XL_TRY(xli_sort_check_n(ctx, n));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_sort_check_views(ctx, &plan->desc, &given, &spans));
    XL_TRY(xli_seq_scratch(&seq, &plan->pool, given.scratch, scratch_bytes(plan, n),
                           XLI_SCRATCH_ALIGN, &scratch_span));
    XL_TRY(xli_sort_check_scratch(ctx, &spans, &scratch_span));
    if (n > 0)
        XL_TRY(enqueue_all(plan, &seq, n, &spans, &scratch_span));
done:
    return xli_seq_end(&seq, status, event);
}
