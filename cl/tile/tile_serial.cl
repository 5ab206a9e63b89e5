/* SPDX-License-Identifier: MIT
 * Reduction of a tile by one work-item, for devices whose work-items run one after another on a
 * core. Built-in scalars with a built-in operator are reduced in wide vectors (XL_BY_VECTORS),
 * everything else element by element. */
#ifndef XL_TILE_SERIAL
#define XL_TILE_SERIAL

#include "tile_heads.cl"
#include "tile_wide.cl"

/* Where the last segment that begins in a tile begins: elements before it do not affect the tile's
 * sum. If no segment begins in the tile, *head is false, and this is the tile's first element. */
ulong xl_last_head(const xl_input *input, ulong base, ulong end, bool *head)
{
    *head = false;
#if XL_SEGMENTS != 0
    for (ulong at = end; at > base;) {
        if (at % xl_wide_size == 0 && at - base >= xl_wide_size &&
            !xl_wide_has_heads(input, at - xl_wide_size)) {
            at -= xl_wide_size;
            continue;
        }
        *head = xl_heads(input, --at, 1) & 1;
        if (*head)
            return at;
    }
#endif
    return base;
}

/* Reduces `count` elements from `base` on, in a fixed order, beginning with the last head. */
XL_T xl_serial_reduce(const xl_input *input, ulong base, ulong count)
{
    const ulong end = base + count;
    XL_T total = xl_identity();
    bool head;
    ulong at = xl_last_head(input, base, end, &head);
    if (head && at < end) {
        total = xl_input_accumulator(input, input->in[at], at, true);
        ++at;
    }
    total = xl_wide_reduce(input, total, &at, end);
    XL_IN_ORDER
    for (; at < end; ++at)
        total = xl_op(total, xl_input_accumulator(input, input->in[at], at, false));
    return total;
}

#endif
