/* SPDX-License-Identifier: MIT
 * The textbook scans (cl/kernel/scan_textbook.cl): shape of a block, levels of a call, launches. */
#include "flat.h"

bool xli_textbook_is(xl_scan_algorithm algorithm)
{
    return algorithm == XL_SCAN_KOGGE_STONE || algorithm == XL_SCAN_BLELLOCH;
}

/* Places of a block and elements of a place. They settle what is combined with what, so the
 * bits of results that round: they follow from the size of a state alone, and to change
 * them breaks what XL_REPRODUCIBLE promises. A block and two buffers of places stay within
 * 16 KiB of local memory, but for states of more than 1.5 KiB. */
enum { MOST_PLACES = 128, MOST_PLACE_BYTES = 1536, MOST_ITEMS = 8, MOST_ITEM_BYTES = 12288 };

void xli_textbook_shape(xli_flat *flat, const xli_facts *facts, size_t most)
{
    const size_t bytes = flat->source.state_bytes;
    size_t places = MOST_PLACES, items = MOST_ITEMS, size = 1;
    while (places > 1 && places * bytes > MOST_PLACE_BYTES)
        places /= 2;
    while (items > 2 && items * bytes > MOST_ITEM_BYTES)
        items /= 2;
    /* How many work-items share a block may differ from device to device. Where they take
     * turns on a core anyway, one alone spares the turns at every barrier. */
    while (!facts->is_cpu && size < places && 2 * size <= most)
        size *= 2;
    flat->group_size = (uint32_t)size;
    flat->vector = 1;
    flat->items = (uint32_t)items;
    flat->tile = places * items;
}

/* What a call scans: level 0 is the elements; a level above has one state for each block of
 * the one below it, and stands at `at` bytes of the scratch; the last is one block. */
enum { MOST_LEVELS = 65 };
typedef struct levels {
    size_t last;
    size_t count[MOST_LEVELS];
    size_t at[MOST_LEVELS];
    size_t bytes; /* of the scratch */
} levels;

static levels levels_of(const xli_flat *flat, size_t n)
{
    levels l = {.count = {n}};
    while (l.count[l.last] > flat->tile) {
        const size_t blocks = xli_ceil_div(l.count[l.last], flat->tile);
        ++l.last;
        l.count[l.last] = blocks;
        l.at[l.last] = l.bytes;
        l.bytes += xli_round_up(blocks * flat->source.state_bytes, XLI_SCRATCH_ALIGN);
    }
    return l;
}

size_t xli_textbook_scratch(const xli_flat *flat, size_t n)
{
    return levels_of(flat, n).bytes;
}

/* Up from the elements to the last level, and down again. */
xl_status xli_textbook_enqueue(xli_flat *flat, xli_flat_flow *flow)
{
    xl_status status;
    const levels l = levels_of(flat, flow->n);
    const size_t size = flat->group_size, blocks = xli_ceil_div(flow->n, flat->tile);
    const xli_arg scratch = XLI_MEM(flow->scratch.buffer);
#define AT(k) XLI_U64(flow->scratch.offset + l.at[k])
    if (l.last > 0)
        XL_TRY(XLI_FLAT_LAUNCH(flow, &flat->reduce, blocks, size, scratch, AT(1)));
    for (size_t k = 1; k < l.last; ++k)
        XL_TRY(XLI_LAUNCH(&flow->seq, &flat->reduce_totals, l.count[k + 1], size, scratch, AT(k),
                          XLI_U64(l.count[k]), AT(k + 1)));
    for (size_t k = l.last; k > 0; --k)
        XL_TRY(XLI_LAUNCH(&flow->seq, &flat->scan_totals, xli_ceil_div(l.count[k], flat->tile),
                          size, scratch, AT(k), XLI_U64(l.count[k]), AT(k < l.last ? k + 1 : k)));
    /* With one block nothing is read from the scratch. */
    XL_TRY(XLI_FLAT_LAUNCH(flow, &flat->spread, xli_max(1, blocks), size, scratch,
                           AT(l.last > 0 ? 1 : 0), XLI_MEM(flow->at.out.buffer),
                           XLI_U64(flow->at.out.offset)));
#undef AT
done:
    return status;
}
