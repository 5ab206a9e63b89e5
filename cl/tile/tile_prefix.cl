/* SPDX-License-Identifier: MIT
 * Tile descriptors, the data about tiles that the work-groups of one launch publish for each other,
 * and the tile prefix: what precedes a tile, computed from the aggregates of tiles by decoupled
 * look-back. Both depend on an accumulator (XL_T, xl_op) but not on where tiles come from, so scan,
 * selection and sort share them. After Merrill and Garland, "Single-pass parallel prefix scan with
 * decoupled look-back" (NVR-2016-002), with the fallback of Smith, Levien and Owens, "Decoupled
 * fallback" (SPAA 2025): if a tile stays EMPTY for xl_lookback.spins polls, the waiting work-items
 * compute its aggregate themselves, so no wait depends on the progress of another group.
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
 * XL_LOOKBACK_ORDERED 0: a tile publishes its AGGREGATE, looks back tile by tile to the nearest
 * PREFIX, and publishes its PREFIX. Each run may combine in a different way, which is visible if the
 * operator rounds. A tile in which a segment begins publishes no AGGREGATE: its aggregate is its
 * PREFIX, because nothing before the tile has an effect (cl/prelude/prelude_accumulator.cl; not if
 * segments are counted).
 *
 * XL_LOOKBACK_ORDERED 1: each prefix is one fixed expression, whatever the timing. Tiles are divided
 * into windows of XL_WINDOW. Every tile publishes its AGGREGATE, but only the last tile of a window
 * publishes its PREFIX. For tile t of window w
 *   prefix(t) = start(w) op (the aggregates of the tiles of w before t, in one fixed tree)
 *   start(w)  = PREFIX of the last tile of window w - 1 = prefix(last) op aggregate(last)
 * These are the anchors of CUB's deterministic scan (NVIDIA/cccl PR 9098). If a PREFIX is late, it
 * is computed from the nearest one that is published.
 *
 * In place, the fallback reads elements that their owner may be overwriting. It is still correct.
 * The owner publishes its AGGREGATE (or at once its PREFIX), then issues a fence of device scope,
 * and only then, after a barrier, do the work-items of its group store results. The reader computes
 * the aggregate, issues a fence, and reads the descriptor again. If one of its loads had returned a
 * stored result, this second read would return the value that was published before that store. So
 * if the tile is still EMPTY, all loads returned input; otherwise the published value is used. (The
 * stores are plain ones, which the language calls a race. The code relies on this: a fence
 * completes earlier stores for the whole device before later ones are issued, as in the memory
 * models of PTX and of CPUs.) Out of place, the input never changes.
 *
 * test/model/scan_descriptor.pml, scan_lookback.pml (order 0) and scan_window.pml (order 1; in
 * scan_ordered.pml and scan_pipelined.pml) check all this with the same names.
 *
 * Optional macros for descriptors:
 *   XL_COLUMNS  values per tile, each with a separate look-back: xl_lookback.tiles then begins at
 *               xl_descriptor_column(tiles, column). Default: 1
 *   XL_RING     number of tiles that have a place. A later tile takes the place of an earlier one,
 *               which then looks EMPTY; its epoch is later by one in each round. Default: 0, every
 *               tile has a place
 * For a look-back the including file must define
 *   xl_source  a type for the source of the tiles' elements, and
 *              XL_T xl_source_aggregate(const xl_source *source, uint tile)  the aggregate of a
 *              tile, for the fallback, in exactly the order of its owner
 *   XL_LOOKBACK_SCOPE  who looks back for a tile: 0 a work-item; 1 a sub-group; 2 (only in fixed
 *              order) the work-group, whose sub-groups combine results in local memory. Default:
 *              -1, there are only descriptors
 * and may define
 *   XL_LOOKBACK_ORDERED  as above. Default: 0
 *   XL_LOOKBACK_TILES    in fixed order: tiles of a window for each lane. Default: 1
 *   XL_LOOKBACK_DEPTH    how many tiles a work-item that looks back loads at once. Default: 1
 *
 * Loops of the fallback are not unrolled on NVIDIA's GPUs (XL_LANE_WAY 2): short code compiles
 * faster there. Intel's compiler for GPUs (igc 1.0.12504, November 2026) aborts at some of these
 * loops if they must not be unrolled. */
#ifndef XL_TILE_PREFIX
#define XL_TILE_PREFIX

#include "../prelude/prelude_accumulator.cl"

/* ---- relaxed accesses of device scope to 64-bit words ---- */

/* NVIDIA's OpenCL has no atomics of device scope, but its PTX has. */
#if defined(__NV_CL_C_VERSION)
ulong xl_relaxed_load(const __global ulong *from)
{
    ulong word;
    __asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
}

void xl_relaxed_store(__global ulong *to, ulong word)
{
    __asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(to), "l"(word) : "memory");
}

/* Two words at once. They may be torn from each other, so each must be interpretable alone. */
ulong2 xl_relaxed_load2(const __global ulong *from)
{
    ulong2 words;
    __asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(words.x), "=l"(words.y)
                   : "l"(from)
                   : "memory");
    return words;
}

void xl_relaxed_store2(__global ulong *to, ulong2 words)
{
    __asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
                   :
                   : "l"(to), "l"(words.x), "l"(words.y)
                   : "memory");
}

#else
ulong xl_relaxed_load(const __global ulong *from)
{
    return atomic_load_explicit((volatile __global atomic_ulong *)from, memory_order_relaxed,
                                memory_scope_device);
}

void xl_relaxed_store(__global ulong *to, ulong word)
{
    atomic_store_explicit((volatile __global atomic_ulong *)to, word, memory_order_relaxed,
                          memory_scope_device);
}

ulong2 xl_relaxed_load2(const __global ulong *from)
{
    return (ulong2)(xl_relaxed_load(from), xl_relaxed_load(from + 1));
}

void xl_relaxed_store2(__global ulong *to, ulong2 words)
{
    xl_relaxed_store(to, words.x);
    xl_relaxed_store(to + 1, words.y);
}

#endif

/* ---- descriptors ---- */

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

/* ---- look-back ---- */

#ifndef XL_LOOKBACK_SCOPE
#define XL_LOOKBACK_SCOPE (-1)
#endif
#ifndef XL_LOOKBACK_ORDERED
#define XL_LOOKBACK_ORDERED 0
#endif
#ifndef XL_LOOKBACK_TILES
#define XL_LOOKBACK_TILES 1
#endif
#ifndef XL_LOOKBACK_DEPTH
#define XL_LOOKBACK_DEPTH 1
#endif
#if XL_LOOKBACK_SCOPE >= 0

#if XL_LOOKBACK_SCOPE == 2 && !XL_LOOKBACK_ORDERED
#error "XL_LOOKBACK_SCOPE 2 requires XL_LOOKBACK_ORDERED 1"
#endif
#if XL_LOOKBACK_DEPTH > 1 && (XL_LOOKBACK_SCOPE != 0 || XL_LOOKBACK_ORDERED)
#error "XL_LOOKBACK_DEPTH above 1 requires a work-item, no fixed order and values of one word"
#endif

/* A look-back, except the number of its tile. */
typedef struct xl_lookback {
    __global ulong *header;
    __global ulong *tiles;
    xl_source source;
    XL_T start; /* the prefix of tile 0 */
    uint epoch;
    uint spins; /* polls of an EMPTY tile before a waiting work-item computes its aggregate */
    /* For tests, as in xl_is_late(): out of place a late tile publishes nothing, in place late, and a
     * work-item that waits for it reads even later. */
    uint late;
    bool single_tile; /* there is only one tile, and no state */
    bool in_place;
} xl_lookback;

uint xl_lowest_bit(ulong bits)
{
    return (uint)popcount((bits & (0ul - bits)) - 1ul); /* 64 if there is none */
}

/* The sub-group, or the work-item, whose lanes wait together. */
#if XL_LOOKBACK_SCOPE == 0
#define XL_WAIT_LANE 0u
#define XL_WAIT_LANES 1u
#define XL_WAIT_BALLOT(p) ((ulong)(p))
#define XL_WAIT_SHUFFLE(uint_value, k) (uint_value)
#define XL_WAIT_SHUFFLE_VALUE(t, k) (t)
#define XL_WAIT_REDUCE(t) (t)
#define XL_WAIT_REDUCE_DOWN(t) (t)
#else
#define XL_WAIT_LANE xl_lane_id()
#define XL_WAIT_LANES xl_lane_width()
#define XL_WAIT_BALLOT(p) xl_lane_ballot(p)
#define XL_WAIT_SHUFFLE(uint_value, k) xl_lane_shuffle((uint_value), (k))
#define XL_WAIT_SHUFFLE_VALUE(t, k) xl_shuffle_from((t), (k))
#define XL_WAIT_REDUCE(t) xl_lane_reduce(t)
#define XL_WAIT_REDUCE_DOWN(t) xl_lane_reduce_down(t)
#endif

/* The tiles of a window, and those that this work-item loads: XL_LOOKBACK_TILES of them from number
 * XL_WINDOW_ITEM(part) * XL_LOOKBACK_TILES on, if its sub-group is number `part`. */
#if XL_LOOKBACK_SCOPE == 2
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_WINDOW_PARTS ((XL_GROUP_SIZE + XL_LANES - 1) / XL_LANES)
#else
#define XL_WINDOW_PARTS xl_lane_groups()
#endif
#define XL_WINDOW_PART xl_lane_group()
#define XL_WINDOW (XL_LOOKBACK_TILES * XL_GROUP_SIZE)
#else
#define XL_WINDOW_PARTS 1u
#define XL_WINDOW_PART 0u
#define XL_WINDOW (XL_LOOKBACK_TILES * XL_WAIT_LANES)
#endif
#define XL_WINDOW_ITEM(part) ((part)*XL_WAIT_LANES + XL_WAIT_LANE)

bool xl_ends_window(uint tile)
{
    return tile % XL_WINDOW == XL_WINDOW - 1;
}

/* A head in the tile discards everything before it. */
bool xl_aggregate_is_prefix(XL_T sum)
{
    return !XL_LOOKBACK_ORDERED && XL_ACCUMULATOR == 1 && xl_is_head(sum);
}

/* The state in which the owner publishes a tile as soon as it knows the aggregate. */
uint xl_first_state(uint tile, XL_T sum)
{
    return !XL_LOOKBACK_ORDERED && (tile == 0 || xl_aggregate_is_prefix(sum)) ? XL_PREFIX
                                                                              : XL_AGGREGATE;
}

/* For tests: takes long. */
void xl_lose_time(const xl_lookback *lookback)
{
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint k = 0; k < 20000; ++k)
        (void)xl_relaxed_load(lookback->header + XL_HEADER_WORDS - 1);
}

/* Publishes a value of a tile, by one work-item. `first`: nothing was published for it before. */
void xl_tile_publish(const xl_lookback *lookback, uint tile, uint state, XL_T value, bool first)
{
    if (lookback->single_tile)
        return;
    if (xl_is_late(lookback->late, tile)) {
        const bool halves = xl_descriptor_publish_half(lookback->tiles, tile, state,
                                                       lookback->epoch, value, lookback->late);
        if (!lookback->in_place)
            return;
        if (first || halves)
            xl_lose_time(lookback);
    }
    xl_descriptor_publish(lookback->tiles, tile, state, lookback->epoch, value);
}

/* The state of a tile that stayed EMPTY: computes the aggregate, or reads the value if it was
 * published meanwhile; never EMPTY. `mine`: this lane waits for the tile, and gets *value. In
 * order, the computed aggregate is published for all later tiles, because it has the same bits. But
 * not for the last tile of a window, whose owner may be publishing its PREFIX in the same place. */
uint xl_tile_fallback(const xl_lookback *lookback, uint tile, bool mine, XL_T *value)
{
    if (lookback->late > 0 && lookback->in_place) {
        /* late enough to read results: then only the second read is right */
        xl_lose_time(lookback);
        xl_lose_time(lookback);
    }
    const XL_T sum = xl_source_aggregate(&lookback->source, tile);
    uint state = XL_EMPTY;
    if (lookback->in_place)
        xl_device_fence();
    if (!mine)
        return state;
    if (lookback->in_place)
#if XL_LOOKBACK_ORDERED
        state = xl_descriptor_poll(lookback->tiles, tile, XL_AGGREGATE, lookback->epoch, value)
                    ? XL_AGGREGATE
                    : XL_EMPTY;
#else
        state = xl_descriptor_read(lookback->tiles, tile, lookback->epoch, value);
#endif
    if (state != XL_EMPTY)
        return state;
    *value = sum;
    if (tile == 0 && !XL_LOOKBACK_ORDERED)
        *value = xl_op(lookback->start, sum);
    if (XL_LOOKBACK_ORDERED && !xl_ends_window(tile))
        xl_descriptor_publish(lookback->tiles, tile, XL_AGGREGATE, lookback->epoch, sum);
    if (lookback->late > 0)
        atomic_inc((volatile __global uint *)lookback->header + XL_FALLBACKS);
    return xl_first_state(tile, sum);
}

#if XL_LOOKBACK_ORDERED
/* The descriptors of the tiles before its own that a work-item has loaded. */
typedef struct xl_window {
    xl_descriptor aggregate[XL_LOOKBACK_TILES], before;
} xl_window;

/* Loads all of them at once, and does not wait. */
void xl_window_load(xl_window *window, const xl_lookback *lookback, uint tile)
{
    const uint base = tile - tile % XL_WINDOW;
    const uint first = base + XL_WINDOW_ITEM(XL_WINDOW_PART) * XL_LOOKBACK_TILES;
    if (base > 0)
        window->before = xl_descriptor_load(lookback->tiles, base - 1, XL_PREFIX);
#pragma unroll
    for (uint k = 0; k < XL_LOOKBACK_TILES; ++k)
        if (first + k < tile)
            window->aggregate[k] = xl_descriptor_load(lookback->tiles, first + k, XL_AGGREGATE);
}

/* The aggregate of the `tile` of each lane that asks for one: published, or computed by all lanes.
 * xl_identity() for the others. */
XL_T xl_aggregate_find(const xl_lookback *lookback, uint tile, bool asked)
{
    XL_T value = xl_identity();
    const bool seen =
        asked && xl_descriptor_poll(lookback->tiles, tile, XL_AGGREGATE, lookback->epoch, &value);
    for (ulong left = XL_WAIT_BALLOT(asked && !seen); left != 0; left &= left - 1) {
        const uint waiter = xl_lowest_bit(left);
        (void)xl_tile_fallback(lookback, XL_WAIT_SHUFFLE(tile, waiter), XL_WAIT_LANE == waiter,
                               &value);
    }
    return value;
}

/* Waits for the aggregates that this sub-group has loaded, and returns them combined. After too
 * many polls it computes those that are missing: they are published, so that the next poll finds
 * them. */
XL_T xl_window_wait(xl_window *window, const xl_lookback *lookback, uint tile)
{
    const uint first = tile - tile % XL_WINDOW + XL_WINDOW_ITEM(XL_WINDOW_PART) * XL_LOOKBACK_TILES;
    XL_T sum = xl_identity();
    for (uint polls = 0; polls <= lookback->spins + 1; ++polls) {
        bool waits = false;
#pragma unroll
        for (uint k = 0; k < XL_LOOKBACK_TILES; ++k) {
            xl_descriptor *const seen = &window->aggregate[k];
            if (first + k < tile && !xl_descriptor_is(seen, XL_AGGREGATE, lookback->epoch)) {
                *seen = xl_descriptor_load(lookback->tiles, first + k, XL_AGGREGATE);
                waits = waits || !xl_descriptor_is(seen, XL_AGGREGATE, lookback->epoch);
            }
        }
        if (XL_WAIT_BALLOT(waits) == 0)
            break;
        if (polls == lookback->spins) {
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
            for (uint k = 0; k < XL_LOOKBACK_TILES; ++k)
                (void)xl_aggregate_find(lookback, first + k, first + k < tile);
        }
    }
#pragma unroll
    for (uint k = 0; k < XL_LOOKBACK_TILES; ++k)
        if (first + k < tile)
            sum = xl_op(sum, xl_descriptor_value(&window->aggregate[k]));
    return XL_WAIT_REDUCE(sum);
}

/* Whether the PREFIX of a tile is published, and its value. The first lane decides for all. */
bool xl_prefix_poll(const xl_lookback *lookback, uint tile, XL_T *value)
{
    XL_T seen = xl_identity();
    const bool ready = xl_descriptor_poll(lookback->tiles, tile, XL_PREFIX, lookback->epoch, &seen);
    if ((XL_WAIT_BALLOT(ready) & 1) == 0)
        return false;
    *value = XL_WAIT_SHUFFLE_VALUE(seen, 0);
    return true;
}

/* The aggregates of all tiles of `window` except the last, in the same tree as in a look-back, and
 * that of the last one. */
XL_T xl_window_combine(const xl_lookback *lookback, uint window, XL_T *own)
{
    const uint last = window * XL_WINDOW + XL_WINDOW - 1;
    XL_T sum = xl_identity();
    *own = xl_identity();
    for (uint part = 0; part < XL_WINDOW_PARTS; ++part) {
        XL_T fold = xl_identity();
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
        for (uint k = 0; k < XL_LOOKBACK_TILES; ++k) {
            const uint tile = window * XL_WINDOW + XL_WINDOW_ITEM(part) * XL_LOOKBACK_TILES + k;
            const XL_T value = xl_aggregate_find(lookback, tile, true);
            if (tile == last)
                *own = value;
            else
                fold = xl_op(fold, value);
        }
        sum = xl_op(sum, XL_WAIT_REDUCE(fold));
    }
    *own = XL_WAIT_SHUFFLE_VALUE(*own, XL_WAIT_LANES - 1);
    return sum;
}

/* start(window), if the wait for it was too long. */
XL_T xl_window_start_fallback(const xl_lookback *lookback, uint window)
{
    XL_T start = lookback->start;
    uint at = window;
    while (at > 0 && !xl_prefix_poll(lookback, at * XL_WINDOW - 1, &start))
        --at;
    for (; at < window; ++at) {
        XL_T own;
        const XL_T sum = xl_window_combine(lookback, at, &own);
        /* Unless its PREFIX was published meanwhile, which has the same bits. If a value has one
         * word, the PREFIX may have replaced the aggregate. */
        if (!xl_prefix_poll(lookback, at * XL_WINDOW + XL_WINDOW - 1, &start))
            start = xl_op(xl_op(start, sum), own);
    }
    return start;
}

/* Waits for start of the window of `tile`. */
XL_T xl_window_start(xl_window *window, const xl_lookback *lookback, uint tile)
{
    const uint base = tile - tile % XL_WINDOW;
    if (base == 0)
        return lookback->start;
    bool ready = xl_descriptor_is(&window->before, XL_PREFIX, lookback->epoch);
    for (uint polls = 0; XL_WAIT_BALLOT(!ready) != 0 && polls < lookback->spins; ++polls) {
        window->before = xl_descriptor_load(lookback->tiles, base - 1, XL_PREFIX);
        ready = xl_descriptor_is(&window->before, XL_PREFIX, lookback->epoch);
    }
    if (XL_WAIT_BALLOT(!ready) != 0)
        return xl_window_start_fallback(lookback, base / XL_WINDOW);
    return xl_descriptor_value(&window->before);
}
#endif

/* Publishes a tile's aggregate. `publisher`: this work-item does it. */
void xl_aggregate_publish(const xl_lookback *lookback, uint tile, XL_T sum, bool publisher)
{
    if (publisher && (tile > 0 || XL_LOOKBACK_ORDERED))
        xl_tile_publish(lookback, tile, xl_first_state(tile, sum), sum, true);
}

#if XL_LOOKBACK_SCOPE == 2
/* The prefix of a tile whose look-back xl_window_load() has begun: waits, and combines the results
 * of the sub-groups in parts[]. Contains a barrier. */
XL_T xl_window_prefix(xl_window *window, const xl_lookback *lookback, uint tile,
                      __local XL_T *parts)
{
    const XL_T mine = xl_window_wait(window, lookback, tile);
    if (xl_lane_id() == 0)
        parts[xl_lane_group()] = mine;
    const XL_T start = xl_window_start(window, lookback, tile);
    xl_local_barrier();
    XL_T sum = xl_identity();
    for (uint k = 0; k < XL_WINDOW_PARTS; ++k)
        sum = xl_op(sum, parts[k]);
    return xl_op(start, sum);
}

/* The look-backs of a round of a kernel that publishes aggregates one tile early. The aggregate of
 * `mine` was published a round ago, that of `next` just now. `mine` needs its prefix, unless it is
 * the last tile of a window: then it got it a round ago, as `next`, because its PREFIX is published
 * as early as possible. A tile from `tiles` on does not exist. */
typedef struct xl_round {
    xl_window window;
    uint mine, next;
    bool waits, ends;
} xl_round;

/* Starts to load the descriptors that `mine` needs. */
void xl_round_begin(xl_round *round, const xl_lookback *lookback, uint mine, uint next, uint tiles)
{
    round->mine = mine;
    round->next = next;
    round->waits = mine < tiles && !xl_ends_window(mine);
    round->ends = next < tiles && xl_ends_window(next);
    if (round->waits)
        xl_window_load(&round->window, lookback, mine);
}

/* Sets *prefix, that of `mine`, and *early, that of `next`, if this round has to find them. `sum` is
 * the aggregate of `next`. `parts` has room for 2 * XL_WINDOW_PARTS. Both look-backs are one loop,
 * because a second copy of that code would take an eighth of the time to compile a scan. */
void xl_round_end(xl_round *round, const xl_lookback *lookback, XL_T *prefix, XL_T *early, XL_T sum,
                  __local XL_T *parts)
{
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint k = round->waits ? 0 : 1; k < (round->ends ? 2 : 1); ++k) {
        const uint tile = k == 0 ? round->mine : round->next;
        if (k == 1)
            xl_window_load(&round->window, lookback, tile);
        const XL_T found =
            xl_window_prefix(&round->window, lookback, tile, parts + k * XL_WINDOW_PARTS);
        if (k == 0)
            *prefix = found;
        else
            *early = found;
    }
    if (round->ends && get_local_id(0) == 0)
        xl_tile_publish(lookback, round->next, XL_PREFIX, xl_op(*early, sum), false);
}
#endif

#if XL_LOOKBACK_SCOPE < 2
#if XL_LOOKBACK_ORDERED
XL_T xl_lookback_prefix(const xl_lookback *lookback, uint tile)
{
    xl_window window;
    xl_window_load(&window, lookback, tile);
    const XL_T sum = xl_window_wait(&window, lookback, tile);
    /* A head discards everything before it, unless heads are counted. */
    if (XL_ACCUMULATOR == 1 && xl_is_head(sum))
        return sum;
    return xl_op(xl_window_start(&window, lookback, tile), sum);
}

bool xl_publishes_prefix(uint tile, XL_T sum)
{
    return xl_ends_window(tile);
}
#else
#if XL_LOOKBACK_DEPTH > 1
/* Waits for a tile that was EMPTY; returns its state, which is never EMPTY. */
uint xl_tile_wait(const xl_lookback *lookback, uint tile, XL_T *value)
{
    for (uint polls = 0; polls < lookback->spins; ++polls) {
        const uint state = xl_descriptor_read(lookback->tiles, tile, lookback->epoch, value);
        if (state != XL_EMPTY)
            return state;
    }
    return xl_tile_fallback(lookback, tile, true, value);
}

/* start op all tiles before `tile` > 0, by a work-item that loads several descriptors at once. On
 * an H200 a pass of a sort of 2^28 u32 keys took 1.35 ms with one, 1.18 with two, 1.21 with
 * four. */
XL_T xl_lookback_prefix(const xl_lookback *lookback, uint tile)
{
    XL_T sum = xl_identity();
    bool found = false; /* at tile 0 at the latest, unless the state is damaged */
    for (; tile > 0 && !found; tile -= min(tile, (uint)XL_LOOKBACK_DEPTH)) {
        xl_descriptor seen[XL_LOOKBACK_DEPTH];
#pragma unroll
        for (uint k = 0; k < XL_LOOKBACK_DEPTH; ++k)
            if (k < tile)
                seen[k] = xl_descriptor_load(lookback->tiles, tile - 1 - k, XL_PREFIX);
#pragma unroll
        for (uint k = 0; k < XL_LOOKBACK_DEPTH; ++k) {
            if (k < tile && !found) {
                XL_T value = xl_descriptor_value(&seen[k]);
                uint state = xl_descriptor_state(&seen[k], tile - 1 - k, lookback->epoch);
                if (state == XL_EMPTY)
                    state = xl_tile_wait(lookback, tile - 1 - k, &value);
                sum = xl_op(value, sum);
                found = state == XL_PREFIX;
            }
        }
    }
    return sum;
}
#else
/* start op all tiles before `tile` > 0. Lane k reads the k-th tile before those that are already
 * combined. */
XL_T xl_lookback_prefix(const xl_lookback *lookback, uint tile)
{
    const uint lane = XL_WAIT_LANE;
    XL_T sum = xl_identity();
    uint nearest;
    do {
        const bool exists = lane < tile;
        const uint mine = tile - 1 - lane;
        XL_T value = xl_identity();
        uint state = XL_EMPTY, polls = 0;
        while (true) {
            if (exists && state == XL_EMPTY)
                state = xl_descriptor_read(lookback->tiles, mine, lookback->epoch, &value);
            const uint nearest_empty = xl_lowest_bit(XL_WAIT_BALLOT(exists && state == XL_EMPTY));
            nearest = xl_lowest_bit(XL_WAIT_BALLOT(exists && state == XL_PREFIX));
            if (nearest_empty == 64 || nearest_empty > nearest)
                break;
            if (polls++ >= lookback->spins) {
                const uint computed = xl_tile_fallback(lookback, tile - 1 - nearest_empty,
                                                       lane == nearest_empty, &value);
                state = lane == nearest_empty ? computed : state;
                polls = 0;
            }
        }
        if (!exists || lane > nearest)
            value = xl_identity();
        sum = xl_op(XL_WAIT_REDUCE_DOWN(value), sum);
        tile -= min(tile, XL_WAIT_LANES);
    } while (nearest == 64 && tile > 0); /* tile 0 has no PREFIX: the state is damaged */
    return sum;
}
#endif

bool xl_publishes_prefix(uint tile, XL_T sum)
{
    return tile == 0 || !xl_aggregate_is_prefix(sum);
}
#endif

/* The prefix of a tile, after xl_aggregate_publish(); also publishes the tile's PREFIX. */
XL_T xl_prefix_wait(const xl_lookback *lookback, uint tile, XL_T sum, bool publisher)
{
    XL_T prefix = lookback->start;
    if (lookback->single_tile)
        return prefix;
    if (tile > 0)
        prefix = xl_lookback_prefix(lookback, tile);
    if (publisher && xl_publishes_prefix(tile, sum))
        xl_tile_publish(lookback, tile, XL_PREFIX, xl_op(prefix, sum),
                        tile == 0 && !XL_LOOKBACK_ORDERED);
    if (lookback->in_place)
        xl_device_fence();
    return prefix;
}

XL_T xl_tile_prefix(const xl_lookback *lookback, uint tile, XL_T sum, bool publisher)
{
    if (lookback->single_tile)
        return lookback->start;
    xl_aggregate_publish(lookback, tile, sum, publisher);
    return xl_prefix_wait(lookback, tile, sum, publisher);
}
#endif
#endif

#endif
