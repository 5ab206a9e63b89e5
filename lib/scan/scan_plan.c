/* SPDX-License-Identifier: MIT
 * Making a plan: the shape of its work-groups, the algorithm, the kernels. */
#include "scan_private.h"

#include <string.h>

/* The largest power of two that is at most x. */
static uint32_t power_below(size_t x)
{
    uint32_t p = 1;
    while (p <= x / 2)
        p *= 2;
    return p;
}

/* Elements per work-item for groups of `size`: as tuned, but so few that the tile's
 * row totals fit the local memory where there are no sub-groups. */
static uint32_t choose_items(const xl_scan *plan, const xli_facts *facts, uint32_t size)
{
    const uint32_t vector = (uint32_t)(16 / plan->type->bytes);
    const size_t element = plan->type->bytes;
    uint32_t items = (uint32_t)(plan->tune.item_bytes / 16) * vector;
    while (items > vector && (items / vector + 2) * size * element > facts->info.local_bytes)
        items -= vector;
    return items;
}

static void add_defines(const xl_scan *plan, const xli_facts *facts, xli_text *text)
{
    const bool sum = plan->desc.op == XL_SUM, serial = plan->tune.shape == XLI_SCAN_SERIAL;
    const struct {
        const char *name;
        unsigned value;
    } lines[] = {
        {"XL_T_BYTES", (unsigned)plan->type->bytes},
        {"XL_T_KIND", sum && plan->type->kind == 1 ? 0 : plan->type->kind},
        {"XL_OPERATOR", (unsigned)plan->desc.op},
        {"XL_INCLUSIVE", plan->desc.kind == XL_INCLUSIVE},
        {"XL_SERIAL", serial},
        {serial ? "XL_TILE" : "XL_ITEMS",
         serial ? (unsigned)plan->tile : choose_items(plan, facts, plan->group_size)},
        {serial ? "XL_GROUPS_OF_ONE" : "XL_GROUP_SIZE", plan->group_size},
        {"XL_SPIN_LIMIT", plan->tune.spin_limit},
        {"XL_HOLD_BACK", plan->tune.hold_back},
    };
    xli_text_add(text, "#define XL_T %s\n", sum ? plan->type->cl_sum : plan->type->cl);
    for (size_t i = 0; i < XLI_COUNT(lines); ++i)
        xli_text_add(text, "#define %s %uu\n", lines[i].name, lines[i].value);
}

typedef struct kernel_name {
    const char *source, *name;
    xli_kernel *kernel;
} kernel_name;

void xli_scan_destroy_kernels(xl_scan *plan)
{
    xli_kernel *const all[] = {&plan->reduce, &plan->spread, &plan->clear, &plan->ring,
                               &plan->ring_in_place};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
}

/* Builds every kernel for the plan's group size; *most is the least of their own
 * limits. */
static xl_status build(xl_scan *plan, const xli_facts *facts, size_t *most)
{
    xl_status status = XL_SUCCESS;
    xli_text defines = {0};
    const kernel_name names[] = {
        {"scan_two_pass", "xl_scan_reduce", &plan->reduce},
        {"scan_two_pass", "xl_scan_spread", &plan->spread},
        {"scan_lookback", "xl_scan_clear", &plan->clear},
        {"scan_lookback", "xl_scan_lookback", &plan->ring},
        {"scan_lookback", "xl_scan_lookback_in_place", &plan->ring_in_place},
    };
    const size_t count = plan->algorithm == XL_SCAN_LOOKBACK ? XLI_COUNT(names) : 2;
    *most = SIZE_MAX;
    add_defines(plan, facts, &defines);
    if (defines.failed) {
        status = xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a scan's definitions");
        goto done;
    }
    for (size_t i = 0; i < count; ++i) {
        xli_program *program;
        XL_TRY(xli_program_get(plan->ctx, names[i].source, defines.data, &program));
        XL_TRY(xli_kernel_create(plan->ctx, program, names[i].name, names[i].kernel));
        *most = xli_min(*most, names[i].kernel->max_group);
    }
done:
    xli_text_free(&defines);
    return status;
}

/* Settles group and tile for groups of at most `most` work-items. Groups of one
 * have nobody to share a tile with: they walk it. */
static void shape_to_fit(xl_scan *plan, const xli_facts *facts, size_t most)
{
    const size_t size = xli_min(power_below(plan->tune.group_size), power_below(most));
    if (size == 1)
        plan->tune.shape = XLI_SCAN_SERIAL;
    const bool serial = plan->tune.shape == XLI_SCAN_SERIAL;
    plan->group_size = serial ? 1 : (uint32_t)size;
    plan->tile = serial ? plan->tune.tile_bytes / plan->type->bytes
                        : size * choose_items(plan, facts, plan->group_size);
}

/* A kernel may allow smaller groups than its device: then all are built again. */
static xl_status build_to_fit(xl_scan *plan, const xli_facts *facts)
{
    xl_status status;
    size_t most = facts->info.max_work_group;
    do {
        shape_to_fit(plan, facts, most);
        xli_scan_destroy_kernels(plan);
        XL_TRY(build(plan, facts, &most));
    } while (most < plan->group_size);
done:
    return status;
}

static xl_status check_type(const xl_scan *plan, const xli_facts *facts)
{
    if (plan->type->type == XL_F64 && !facts->info.has_fp64)
        return xli_fail(plan->ctx, XL_ERROR_UNSUPPORTED,
                        "type: f64 needs cl_khr_fp64, which %s lacks", facts->info.name);
    return XL_SUCCESS;
}

/* CROSSLANE_SCAN, which speaks where the descriptor says AUTO. */
static xl_status read_wish(const xl_scan *plan, xl_scan_algorithm *wish)
{
    static const struct {
        const char *word;
        xl_scan_algorithm algorithm;
    } words[] = {{"auto", XL_SCAN_AUTO},
                 {"look-back", XL_SCAN_LOOKBACK},
                 {"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN}};
    const char *word = xli_context_scan_setting(plan->ctx);
    *wish = plan->desc.algorithm;
    if (*wish != XL_SCAN_AUTO || !word)
        return XL_SUCCESS;
    for (size_t i = 0; i < XLI_COUNT(words); ++i) {
        if (strcmp(word, words[i].word) == 0) {
            *wish = words[i].algorithm;
            return XL_SUCCESS;
        }
    }
    return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                    "CROSSLANE_SCAN: \"%s\" is not one of auto, look-back, reduce-then-scan", word);
}

/* Why a plan may not use look-back; NULL if it may. Tries it on the device the first
 * time. */
static xl_status ask_look_back(const xl_scan *plan, const xli_facts *facts, const char **why)
{
    xl_status status = XL_SUCCESS;
    bool good = true;
    *why = NULL;
    if (!facts->can_message)
        *why = "needs 64-bit messages between work-groups (relaxed atomics of device scope), "
               "which this device does not promise";
    else if (plan->type->kind == 2 && plan->desc.op == XL_SUM &&
             plan->desc.determinism == XL_DETERMINISTIC)
        *why = "adds floating-point numbers in an order that depends on timing; ask for "
               "XL_UNORDERED to have it";
    else if (!plan->on_trial)
        XL_TRY(xli_scan_trial(plan->ctx, &good));
    if (!good)
        *why = "gave a wrong result, or did not compile, when it was tried on this device";
done:
    return status;
}

static xl_status choose_algorithm(xl_scan *plan, const xli_facts *facts)
{
    xl_status status;
    xl_scan_algorithm wish;
    const char *why = NULL;
    XL_TRY(read_wish(plan, &wish));
    if (wish == XL_SCAN_AUTO && !plan->tune.look_back)
        wish = XL_SCAN_REDUCE_THEN_SCAN;
    if (wish != XL_SCAN_REDUCE_THEN_SCAN)
        XL_TRY(ask_look_back(plan, facts, &why));
    if (why && plan->desc.algorithm == XL_SCAN_LOOKBACK)
        status = xli_fail(plan->ctx, XL_ERROR_UNSUPPORTED, "algorithm: look-back %s", why);
    plan->algorithm =
        wish == XL_SCAN_REDUCE_THEN_SCAN || why ? XL_SCAN_REDUCE_THEN_SCAN : XL_SCAN_LOOKBACK;
done:
    return status;
}

xl_status xli_scan_plan(xl_scan *plan, const xli_facts *facts)
{
    xl_status status;
    XL_TRY(check_type(plan, facts));
    xli_tune_scan_get(plan->ctx, facts, &plan->tune);
    plan->units = facts->info.compute_units;
    XL_TRY(choose_algorithm(plan, facts));
    XL_TRY(build_to_fit(plan, facts));
done:
    return status;
}

size_t xli_scan_most_groups(const xl_scan *plan, size_t n)
{
    const size_t wanted = (size_t)plan->units * plan->tune.run_groups;
    return xli_max(wanted, xli_ceil_div(n, plan->tune.run_elements));
}

xli_scan_cut xli_scan_cut_of(const xl_scan *plan, size_t n)
{
    const size_t most = xli_scan_most_groups(plan, n);
    xli_scan_cut cut = {.tiles = xli_ceil_div(n, plan->tile)};
    const size_t tiles_each = xli_ceil_div(cut.tiles, xli_max(most, 1));
    cut.groups = tiles_each > 0 ? xli_ceil_div(cut.tiles, tiles_each) : 0;
    cut.run = tiles_each * plan->tile;
    return cut;
}
