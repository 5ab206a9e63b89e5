/* SPDX-License-Identifier: MIT
 * Tile descriptors: the data about tiles that the work-groups of one launch publish for each other.
 *
 * The state buffer begins with a header of 32-bit words:
 *   TICKET     the next tile to hand out
 *   DONE       number of groups that take no more tiles
 *   EPOCH      marks every word that is published in this launch
 *   FALLBACKS  aggregates computed by groups other than the owner, counted only in tests
 * The last group to finish resets TICKET and DONE to 0 and increments EPOCH, so the next launch
 * finds every tile EMPTY without a fill. The host fills a new buffer with zeros, replaces it before
 * an epoch is used again, and clears a buffer that the caller provides.
 *
 * The tiles follow. A tile is in one of three states:
 *   EMPTY      nothing was published for it in this epoch
 *   AGGREGATE  its aggregate was published, by its owner or by a group that had waited too long
 *   PREFIX     its owner has published init op all elements up to the tile's last
 * A value is published in 64-bit words, each of which can be interpreted alone:
 *   32 bits of the value | 2 bits of state | 30 bits of epoch
 * So relaxed stores and loads of device scope are enough, without a fence. A value of more than 32
 * bits takes several words, and AGGREGATE and PREFIX then have a descriptor each: in a shared one,
 * an owner that stops while it publishes its PREFIX would leave an unreadable mix of both. A
 * descriptor is valid when all its words have the epoch. EMPTY therefore means: not all of a value
 * is published.
 *
 * If the order of operands is not fixed (XL_ORDERED 0 of cl/tile/tile_prefix.cl), a tile in which a
 * segment begins publishes no AGGREGATE: its aggregate is its PREFIX, because nothing before the
 * tile has an effect (cl/prelude/prelude_accumulator.cl; not if segments are counted).
 *
 * test/model/scan_descriptor.pml, which all models of scans include, has the same names.
 *
 * Optional macros:
 *   XL_COLUMNS  values per tile, each with a separate look-back: xl_lookback.tiles then begins at
 *               xl_descriptor_column(tiles, column). Default: 1
 *   XL_RING     number of tiles that have a place. A later tile takes the place of an earlier one,
 *               which then looks EMPTY; its epoch is later by one in each round. Default: 0, every
 *               tile has a place */
#ifndef XL_TILE_DESCRIPTOR
#define XL_TILE_DESCRIPTOR

#include "../prelude/prelude_accumulator.cl"
#include "../prelude/prelude_device.cl"

#ifndef XL_COLUMNS
#define XL_COLUMNS 1
#endif
#ifndef XL_RING
#define XL_RING 0
#endif
#if XL_RING > 0
#define XL_TILE_PLACE(tile) ((tile) % XL_RING)
#define XL_TILE_EPOCH(tile, epoch) ((epoch) + (tile) / XL_RING)
#else
#define XL_TILE_PLACE(tile) (tile)
#define XL_TILE_EPOCH(tile, epoch) (epoch)
#endif

enum { XL_EMPTY, XL_AGGREGATE, XL_PREFIX };
enum { XL_TICKET, XL_DONE, XL_EPOCH, XL_FALLBACKS };
enum { XL_HEADER_WORDS = 8 }; /* in words of 64 bits */

/* Words of a value, and descriptors of a tile. The host computes the same:
 * lib/scan/scan_enqueue.c. */
enum {
    XL_VALUE_WORDS = (sizeof(XL_T) + 3) / 4,
    XL_DESCRIPTORS_PER_TILE = XL_VALUE_WORDS == 1 ? 1 : 2
};
__global ulong *xl_descriptor_column(__global ulong *tiles, uint column)
{
    return tiles + XL_VALUE_WORDS * (XL_DESCRIPTORS_PER_TILE * (ulong)column);
}
#define XL_DESCRIPTOR(tiles, tile, state)                                                          \
    ((tiles) +                                                                                     \
     XL_VALUE_WORDS * (XL_DESCRIPTORS_PER_TILE * (XL_COLUMNS * (ulong)XL_TILE_PLACE(tile)) +       \
                       ((state) == XL_PREFIX ? 0 : XL_DESCRIPTORS_PER_TILE - 1)))

typedef union xl_descriptor_words {
    XL_T value;
    uint word[XL_VALUE_WORDS];
} xl_descriptor_words;

/* Clears a state buffer with its header: every tile is EMPTY in any epoch. */
void xl_descriptors_clear(__global ulong *header, ulong words)
{
    for (ulong i = get_global_id(0); i < words; i += get_global_size(0))
        header[i] = 0;
}

/* The low half of every word of a published value. */
uint xl_descriptor_stamp(uint state, uint epoch)
{
    return state << 30 | epoch;
}

void xl_descriptor_publish(__global ulong *tiles, uint tile, uint state, uint epoch, XL_T value)
{
    const ulong stamp = xl_descriptor_stamp(state, XL_TILE_EPOCH(tile, epoch));
    __global ulong *const address = XL_DESCRIPTOR(tiles, tile, state);
    xl_descriptor_words words;
    words.word[XL_VALUE_WORDS - 1] = 0; /* the value may fill only a part of it */
    words.value = value;
    if (XL_VALUE_WORDS % 2 == 0) {
#pragma unroll
        for (uint k = 0; k + 1 < XL_VALUE_WORDS; k += 2)
            xl_relaxed_store2(address + k, (ulong2)((ulong)words.word[k] << 32 | stamp,
                                                    (ulong)words.word[k + 1] << 32 | stamp));
    } else {
#pragma unroll
        for (uint k = 0; k < XL_VALUE_WORDS; ++k)
            xl_relaxed_store(address + k, (ulong)words.word[k] << 32 | stamp);
    }
}

/* For tests: whether the owner of a tile is late. `late`, from the host: the last of each `late` tiles
 * is, 0: none. With XL_LATE_HALVES added it publishes half of a value first. */
#define XL_LATE_HALVES 0x80000000u
bool xl_is_late(uint late, uint tile)
{
    const uint every = late & ~XL_LATE_HALVES;
    return every > 0 && tile % every == every - 1;
}

/* For tests: publishes every other word of the value of a late tile, if `late` says so and there are
 * several; returns whether. */
bool xl_descriptor_publish_half(__global ulong *tiles, uint tile, uint state, uint epoch,
                                XL_T value, uint late)
{
    __global ulong *const address = XL_DESCRIPTOR(tiles, tile, state);
    xl_descriptor_words words;
    if (XL_VALUE_WORDS == 1 || (late & XL_LATE_HALVES) == 0)
        return false;
    words.word[XL_VALUE_WORDS - 1] = 0;
    words.value = value;
    const uint first = tile / (late & ~XL_LATE_HALVES) % 2;
#pragma unroll
    for (uint k = 0; k < XL_VALUE_WORDS; ++k)
        if (k % 2 == first)
            xl_relaxed_store(address + k,
                             (ulong)words.word[k] << 32 |
                                 xl_descriptor_stamp(state, XL_TILE_EPOCH(tile, epoch)));
    return true;
}

/* A descriptor of a tile, as it was loaded. */
typedef struct xl_descriptor {
    ulong word[XL_VALUE_WORDS];
} xl_descriptor;

xl_descriptor xl_descriptor_load(const __global ulong *tiles, uint tile, uint state)
{
    const __global ulong *const address = XL_DESCRIPTOR(tiles, tile, state);
    xl_descriptor descriptor;
    if (XL_VALUE_WORDS % 2 == 0) { /* pairs are aligned */
#pragma unroll
        for (uint k = 0; k + 1 < XL_VALUE_WORDS; k += 2) {
            const ulong2 words = xl_relaxed_load2(address + k);
            descriptor.word[k] = words.x;
            descriptor.word[k + 1] = words.y;
        }
    } else {
#pragma unroll
        for (uint k = 0; k < XL_VALUE_WORDS; ++k)
            descriptor.word[k] = xl_relaxed_load(address + k);
    }
    return descriptor;
}

/* Whether all words of the value are published. */
bool xl_descriptor_is(const xl_descriptor *descriptor, uint state, uint epoch)
{
    const uint stamp = xl_descriptor_stamp(state, epoch);
    bool all = true;
#pragma unroll
    for (uint k = 0; k < XL_VALUE_WORDS; ++k)
        all = all && (uint)descriptor->word[k] == stamp;
    return all;
}

XL_T xl_descriptor_value(const xl_descriptor *descriptor)
{
    xl_descriptor_words words;
#pragma unroll
    for (uint k = 0; k < XL_VALUE_WORDS; ++k)
        words.word[k] = (uint)(descriptor->word[k] >> 32);
    return words.value;
}

/* The state of a tile whose value has one word. */
uint xl_descriptor_state(const xl_descriptor *descriptor, uint tile, uint epoch)
{
    const uint at = XL_TILE_EPOCH(tile, epoch);
    const bool is_prefix = xl_descriptor_is(descriptor, XL_PREFIX, at);
    const bool is_aggregate = xl_descriptor_is(descriptor, XL_AGGREGATE, at);
    return is_prefix ? XL_PREFIX : is_aggregate ? XL_AGGREGATE : XL_EMPTY;
}

/* Whether a tile is in `state`; if so, *value is its value. */
bool xl_descriptor_poll(const __global ulong *tiles, uint tile, uint state, uint epoch, XL_T *value)
{
    const xl_descriptor descriptor = xl_descriptor_load(tiles, tile, state);
    const bool ready = xl_descriptor_is(&descriptor, state, XL_TILE_EPOCH(tile, epoch));
    if (ready)
        *value = xl_descriptor_value(&descriptor);
    return ready;
}

/* The state of a tile; *value is its value unless the state is XL_EMPTY. */
uint xl_descriptor_read(const __global ulong *tiles, uint tile, uint epoch, XL_T *value)
{
    xl_descriptor descriptor;
    for (uint state = XL_PREFIX; state != XL_EMPTY; --state) {
        if (state == XL_PREFIX || XL_DESCRIPTORS_PER_TILE == 2)
            descriptor = xl_descriptor_load(tiles, tile, state);
        if (xl_descriptor_is(&descriptor, state, XL_TILE_EPOCH(tile, epoch))) {
            *value = xl_descriptor_value(&descriptor);
            return state;
        }
    }
    return XL_EMPTY;
}

uint xl_ticket_take(__global ulong *header)
{
    return atomic_inc((volatile __global uint *)header + XL_TICKET);
}

/* One work-item of each group calls this when it has received its last ticket. A ticket still in
 * flight might be counted after TICKET is reset to 0. */
void xl_lookback_leave(__global ulong *header, uint groups, uint epoch)
{
    volatile __global uint *const word = (volatile __global uint *)header;
    if (atomic_inc(word + XL_DONE) == groups - 1) {
        word[XL_TICKET] = 0;
        word[XL_DONE] = 0;
        word[XL_EPOCH] = (epoch + 1) & 0x3fffffffu;
    }
}

#endif
