/* SPDX-License-Identifier: MIT
 * Making a plan: the shape of its work-groups, the algorithm, the kernels. */
#include "flat.h"

#include <string.h>

uint32_t xli_flat_vector(const xli_flat *flat, size_t bytes)
{
    const bool scalars = xli_element_is_scalar(&flat->source.element) &&
                         xli_element_is_scalar(&flat->source.in) &&
                         xli_element_is_scalar(&flat->out);
    return scalars ? (uint32_t)(16 / xli_max(bytes, 1)) : 1;
}

/* Bytes of an element of the widest array whose elements are moved many at once. */
static size_t widest(const xli_flat *flat)
{
    const xli_flat_source *source = &flat->source;
    const size_t keys = source->segments == XL_SEGMENTS_KEYS ? source->segment_bytes : 0;
    return xli_max(xli_max(source->in.bytes, flat->out.bytes), keys);
}

/* Local memory of a work-group: the row totals where there are no sub-groups, what a group
 * scan needs, and the heads of a tile. */
static size_t local_bytes(const xli_flat *flat, size_t size, size_t items)
{
    return (items / flat->vector + 2) * size * flat->source.state_bytes + size * items + 256;
}

/* Elements per work-item for groups of `size`: as tuned, but no more than registers and
 * local memory hold. By CSR offsets, each element of which has a mark in local memory, scans of
 * words with 40 for each work-item were slower than with 32 by a sixth (H200, November 2026). */
static uint32_t choose_items(const xli_flat *flat, const xli_facts *facts, uint32_t size)
{
    enum { MOST_MARKED = 32 };
    const bool marked = flat->source.segments == XL_SEGMENTS_OFFSETS;
    const size_t words = xli_ceil_div(flat->source.state_bytes, 4);
    const uint32_t vector = flat->vector;
    const size_t most = flat->tune.item_bytes / 4 / words;
    uint32_t items = (uint32_t)((marked ? xli_min(most, MOST_MARKED) : most) / vector * vector);
    items = (uint32_t)xli_max(items, vector);
    while (items > vector && local_bytes(flat, size, items) > facts->info.local_bytes)
        items -= vector;
    return items;
}

/* Shapes the plan for cl/kernel/scan_ahead.cl, if the device can run that. An odd number of
 * vectors keeps neighbours in different banks of local memory. CSR offsets, keys and states of
 * more than two words go without: on an H200 cl/kernel/scan_lookback.cl is faster for these. */
static bool shape_ahead(xli_flat *flat, const xli_facts *facts, size_t most)
{
    enum { SPARE = 1024 };
    const xli_flat_source *source = &flat->source;
    const xl_segments segments = source->segments;
    const size_t staged = source->in.bytes + (segments == XL_SEGMENTS_HEAD_FLAGS);
    const size_t words = xli_ceil_div(source->state_bytes, 4);
    const bool flags = source->state != XLI_STATE_PLAIN;
    const xli_tune_scan *const tune = &flat->tune;
    const size_t size = flags       ? tune->ahead_flag_size
                        : words > 1 ? tune->ahead_wide_size
                                    : tune->ahead_size;
    const size_t held = flags       ? tune->ahead_flag_bytes
                        : words > 1 ? tune->ahead_wide_bytes
                                    : tune->ahead_bytes;
    const size_t width = facts->info.sub_group_size;
    const size_t sums = size / (facts->lane_way == XLI_LANE_PTX ? width : 4) * 3;
    size_t rows = xli_max(1, held / 4 / words / flat->vector);
    if (!flat->tune.ahead || flat->algorithm != XL_SCAN_LOOKBACK ||
        segments == XL_SEGMENTS_OFFSETS || segments == XL_SEGMENTS_KEYS || words > 2 ||
        size > most || size % 64 != 0 || facts->lane_way == XLI_LANE_LOCAL || width < 8 ||
        width > 64)
        return false;
    rows -= rows % 2 == 0;
    while (rows > 1 &&
           size * rows * flat->vector * (8 * staged + 1) / 8 + sums * source->state_bytes + SPARE >
               facts->info.local_bytes)
        rows -= 2;
    const size_t tile = size * rows * flat->vector;
    if (tile * (8 * staged + 1) / 8 + sums * source->state_bytes + SPARE > facts->info.local_bytes)
        return false;
    flat->group_size = (uint32_t)size;
    flat->items = (uint32_t)(rows * flat->vector);
    flat->tile = tile;
    return true;
}

/* Calls with few elements are cut into shorter tiles, unless the order of operands, which
 * follows from the tile, must not change, or unless it is not worth a kernel more to
 * compile. */
static uint32_t choose_few(const xli_flat *flat)
{
    const xli_flat_source *source = &flat->source;
    const bool narrow = source->state == XLI_STATE_PLAIN && source->state_bytes <= 4;
    const bool fixed = source->rounds && flat->determinism != XL_UNORDERED;
    const uint32_t rows = flat->items / flat->vector, few = flat->tune.ahead_few | 1;
    return flat->ahead && narrow && !fixed && few < rows ? few : 0;
}

bool xli_flat_goes_by_vectors(const xli_flat *flat)
{
    const xli_flat_source *source = &flat->source;
    return source->state == XLI_STATE_PLAIN && xli_element_is_scalar(&source->element) &&
           source->op < XL_ARG_MIN && !source->loads && !flat->stores;
}

void xli_flat_destroy_kernels(xli_flat *flat)
{
    xli_kernel *const all[] = {&flat->reduce,        &flat->spread,     &flat->clear,
                               &flat->ring,          &flat->ring_few,   &flat->ring_in_place,
                               &flat->reduce_totals, &flat->scan_totals};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
}

/* Builds every kernel of the plan's algorithm for its group size; *most is the least of
 * their own limits. */
static xl_status build(xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts,
                       size_t *most)
{
    const bool ring = flat->algorithm == XL_SCAN_LOOKBACK, ahead = ring && flat->ahead;
    const bool two_pass = flat->algorithm == XL_SCAN_REDUCE_THEN_SCAN;
    const bool textbook = xli_textbook_is(flat->algorithm);
    const struct {
        const char *source, *name;
        xli_kernel *kernel;
        bool wanted;
    } kernels[] = {
        {"scan_ahead", "xl_scan_clear", &flat->clear, ahead},
        {"scan_ahead", "xl_scan_ahead", &flat->ring, ahead},
        {"scan_ahead", "xl_scan_ahead_few", &flat->ring_few, ahead && flat->few > 0},
        {"scan_ahead", "xl_scan_ahead_in_place", &flat->ring_in_place, ahead && flat->apart},
        {"scan_lookback", "xl_scan_clear", &flat->clear, ring && !ahead},
        {"scan_lookback", "xl_scan_lookback", &flat->ring, ring && !ahead},
        {"scan_lookback", "xl_scan_lookback_in_place", &flat->ring_in_place, ring && !ahead},
        {"scan_two_pass", "xl_scan_reduce", &flat->reduce, two_pass},
        {"scan_two_pass", "xl_scan_totals", &flat->scan_totals, two_pass && flat->items == 0},
        {"scan_two_pass", "xl_scan_spread", &flat->spread, two_pass},
        {"scan_textbook", "xl_textbook_reduce", &flat->reduce, textbook},
        {"scan_textbook", "xl_textbook_reduce_totals", &flat->reduce_totals, textbook},
        {"scan_textbook", "xl_textbook_scan_totals", &flat->scan_totals, textbook},
        {"scan_textbook", "xl_textbook_scan", &flat->spread, textbook},
    };
    xl_status status = XL_SUCCESS;
    xli_text text = {0};
    *most = SIZE_MAX;
    XL_TRY(xli_flat_text(flat, desc, facts, &text));
    for (size_t i = 0; i < XLI_COUNT(kernels); ++i) {
        xli_program *program;
        if (!kernels[i].wanted)
            continue;
        XL_TRY(xli_flat_program(flat, facts, kernels[i].source, &text, &program));
        XL_TRY(xli_kernel_create(flat->ctx, program, kernels[i].name, kernels[i].kernel));
        *most = xli_min(*most, kernels[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

/* The longest run where a work-item takes elements one by one. */
static size_t slow_run(const xli_flat *flat)
{
    const bool offsets = flat->source.segments == XL_SEGMENTS_OFFSETS;
    const size_t run = xli_max(flat->tune.run_elements / 64, 1);
    return offsets && flat->tune.run_offsets > 0 ? xli_min(run, flat->tune.run_offsets) : run;
}

/* Settles group and tile for groups of at most `most` work-items. Groups of one
 * have nobody to share a tile with: they walk it, element by element unless there are
 * vectors; then shorter tiles have the same work in them. */
static void shape_to_fit(xli_flat *flat, const xli_facts *facts, size_t most)
{
    /* Where a launch is cut into runs, llvmpipe's limit counts: see tune.h. */
    const bool ring = flat->algorithm == XL_SCAN_LOOKBACK;
    const bool counted = flat->source.segments == XL_SEGMENTS_OFFSETS && flat->tune.run_offsets > 0;
    const size_t most_steps = ring ? 1 << 14 : counted ? xli_min(1 << 12, slow_run(flat)) : 1 << 12;
    size_t size = xli_min(xli_power_below(flat->tune.group_size), xli_power_below(most));
    flat->ahead = shape_ahead(flat, facts, most);
    flat->bulk = flat->ahead && facts->lane_way == XLI_LANE_PTX && facts->nv_capability >= 9;
    flat->few = choose_few(flat);
    flat->apart = flat->source.state == XLI_STATE_PLAIN && flat->source.state_bytes > 4;
    if (flat->ahead)
        return;
    while (size > 1 && local_bytes(flat, size, flat->vector) > facts->info.local_bytes)
        size /= 2;
    if (size == 1)
        flat->tune.shape = XLI_SCAN_SERIAL;
    const bool serial = flat->tune.shape == XLI_SCAN_SERIAL;
    flat->group_size = serial ? 1 : (uint32_t)size;
    flat->items = serial ? 0 : choose_items(flat, facts, flat->group_size);
    flat->tile = serial ? xli_max(1, flat->tune.tile_bytes / flat->source.element.bytes)
                        : size * flat->items;
    if (serial && !xli_flat_goes_by_vectors(flat))
        flat->tile = xli_min(flat->tile, most_steps);
}

const char *xli_flat_ring_file(const xli_flat *flat)
{
    return flat->ahead ? "scan_ahead" : "scan_lookback";
}

/* Why a plan of this shape may not use look-back; NULL if it may. Tries its kernels on the
 * device the first time. */
static xl_status ask_look_back(const xli_flat *flat, const xl_scan_desc *desc,
                               const xli_facts *facts, const char **why)
{
    xl_status status = XL_SUCCESS;
    bool good = true;
    *why = NULL;
    if (!facts->can_message)
        *why = "needs 64-bit messages between work-groups (relaxed atomics of device scope), "
               "which this device does not promise";
    else if (!flat->on_trial)
        XL_TRY(xli_flat_trial(flat->ctx, xli_flat_ring_file(flat),
                              desc->algorithm == XL_SCAN_LOOKBACK, &good));
    if (!good)
        *why = "gave a wrong result, or did not compile, when it was tried on this device";
done:
    return status;
}

/* Settles the shape, and with it which kernels look-back takes: those that post sums ahead,
 * else the others, else it is not look-back. */
static xl_status shape_to_trust(xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts,
                                size_t most)
{
    xl_status status = XL_SUCCESS;
    const char *why;
    if (xli_textbook_is(flat->algorithm)) {
        xli_textbook_shape(flat, facts, most);
        return XL_SUCCESS;
    }
    shape_to_fit(flat, facts, most);
    while (flat->algorithm == XL_SCAN_LOOKBACK) {
        XL_TRY(ask_look_back(flat, desc, facts, &why));
        if (!why)
            break;
        if (!flat->ahead && desc->algorithm == XL_SCAN_LOOKBACK)
            XL_TRY(xli_fail(flat->ctx, XL_ERROR_UNSUPPORTED, "algorithm: look-back %s", why));
        if (!flat->ahead)
            flat->algorithm = XL_SCAN_REDUCE_THEN_SCAN;
        flat->tune.ahead = 0;
        shape_to_fit(flat, facts, most);
    }
done:
    return status;
}

/* A kernel may allow smaller groups than its device: then all are built again. */
static xl_status build_to_fit(xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts)
{
    xl_status status;
    size_t most = facts->info.max_work_group_size;
    flat->vector = xli_flat_vector(flat, widest(flat));
    do {
        XL_TRY(shape_to_trust(flat, desc, facts, most));
        xli_flat_destroy_kernels(flat);
        XL_TRY(build(flat, desc, facts, &most));
    } while (most < flat->group_size);
done:
    return status;
}

/* CROSSLANE_SCAN, which speaks where the descriptor says AUTO. */
static xl_status read_wish(const xli_flat *flat, const xl_scan_desc *desc, xl_scan_algorithm *wish)
{
    static const struct {
        const char *word;
        xl_scan_algorithm algorithm;
    } words[] = {{"auto", XL_SCAN_AUTO},
                 {"look-back", XL_SCAN_LOOKBACK},
                 {"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN},
                 {"kogge-stone", XL_SCAN_KOGGE_STONE},
                 {"blelloch", XL_SCAN_BLELLOCH}};
    const char *word = xli_context_scan_setting(flat->ctx);
    *wish = desc->algorithm;
    if (*wish != XL_SCAN_AUTO || !word)
        return XL_SUCCESS;
    for (size_t i = 0; i < XLI_COUNT(words); ++i) {
        if (strcmp(word, words[i].word) == 0) {
            *wish = words[i].algorithm;
            return XL_SUCCESS;
        }
    }
    return xli_fail(flat->ctx, XL_ERROR_INVALID_ARGUMENT,
                    "CROSSLANE_SCAN: \"%s\" is not one of auto, look-back, reduce-then-scan, "
                    "kogge-stone, blelloch",
                    word);
}

/* Where an operator rounds only the textbook scans, whose trees no device changes, round
 * everywhere alike. */
static xl_status heed_reproducible(const xli_flat *flat, const xl_scan_desc *desc,
                                   xl_scan_algorithm *wish)
{
    if (!flat->source.rounds || flat->determinism != XL_REPRODUCIBLE || xli_textbook_is(*wish))
        return XL_SUCCESS;
    if (desc->algorithm != XL_SCAN_AUTO)
        return xli_fail(flat->ctx, XL_ERROR_UNSUPPORTED,
                        "algorithm: %s applies an operator that rounds in an order that depends "
                        "on the device; XL_REPRODUCIBLE needs XL_SCAN_KOGGE_STONE or "
                        "XL_SCAN_BLELLOCH, or XL_SCAN_AUTO, which takes one of them",
                        desc->algorithm == XL_SCAN_LOOKBACK ? "look-back" : "reduce-then-scan");
    *wish = XL_SCAN_KOGGE_STONE; /* fewer barriers: 1.3 times as fast on an H200 */
    return XL_SUCCESS;
}

/* Look-back only as far as it proves good, see shape_to_trust(). */
static xl_status choose_algorithm(xli_flat *flat, const xl_scan_desc *desc)
{
    xl_status status;
    xl_scan_algorithm wish;
    XL_TRY(read_wish(flat, desc, &wish));
    XL_TRY(heed_reproducible(flat, desc, &wish));
    if (wish == XL_SCAN_AUTO)
        wish = flat->tune.look_back ? XL_SCAN_LOOKBACK : XL_SCAN_REDUCE_THEN_SCAN;
    flat->algorithm = wish;
done:
    return status;
}

xl_status xli_flat_plan(xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_tune(flat->ctx, facts, XLI_TUNE_WISH(XLI_TUNE_SCAN, desc), &device, &tune));
    flat->tune = tune.scan;
    if (flat->on_trial) { /* of the device, not of what tests do to tiles */
        flat->tune.ahead = strcmp(flat->on_trial, "scan_ahead") == 0;
        flat->tune.hold_back = 0;
    }
    flat->units = facts->info.compute_units;
    XL_TRY(choose_algorithm(flat, desc));
    XL_TRY(build_to_fit(flat, desc, facts));
    if (!xli_textbook_is(flat->algorithm))
        flat->sub_group = xli_sub_group_of(facts, flat->group_size);
done:
    return status;
}

size_t xli_flat_ring_groups(const xli_flat *flat)
{
    const size_t each = flat->ahead ? xli_ceil_div(flat->tune.ahead_groups * 256, flat->group_size)
                                    : flat->tune.ring_groups;
    return flat->units * each;
}

size_t xli_flat_ring_tile(const xli_flat *flat, size_t n)
{
    const size_t few = (size_t)flat->group_size * flat->vector * flat->few;
    return n <= few * xli_flat_ring_groups(flat) ? few : flat->tile;
}

size_t xli_flat_most_groups(const xli_flat *flat, size_t n)
{
    const size_t wanted = (size_t)flat->units * flat->tune.run_groups;
    const bool slow = flat->items == 0 && !xli_flat_goes_by_vectors(flat);
    const size_t run = slow ? slow_run(flat) : flat->tune.run_elements;
    return xli_max(wanted, xli_ceil_div(n, run));
}

xli_flat_cut xli_flat_cut_of(const xli_flat *flat, size_t n)
{
    const size_t most = xli_flat_most_groups(flat, n);
    xli_flat_cut cut = {.tiles = xli_ceil_div(n, flat->tile)};
    const size_t tiles_each = xli_ceil_div(cut.tiles, xli_max(most, 1));
    cut.groups = tiles_each > 0 ? xli_ceil_div(cut.tiles, tiles_each) : 0;
    cut.run = tiles_each * flat->tile;
    return cut;
}
