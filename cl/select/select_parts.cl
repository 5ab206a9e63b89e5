/* SPDX-License-Identifier: MIT
 * A partition in one launch, by groups that run at the same time. The place of an element of the
 * second part depends on all counts, so look-back, which waits for earlier tiles only, is not
 * enough: each group counts a chunk, publishes its sum, reads the sums of all chunks, and reads its
 * chunk again and writes it. The first tile of a chunk, often the only one, is read once.
 *
 *   xl_select_clear   sets the state to 0
 *   xl_select_parts   the outputs
 *
 * The state is that of cl/tile/tile_prefix.cl, whose tiles are the chunks; none has a PREFIX. A
 * group waits for later ones too, which a device need not run until it has ended. So a wait ends after
 * xl_chunks.spins polls without result: then the group counts the missing chunk itself, which is right
 * at any time because the input does not change, and publishes the sum. Different groups begin
 * with different chunks, the first groups with the last chunks. test/model/select_parts.pml has the
 * same names.
 *
 * If another kernel changes the state concurrently, results are wrong, but nothing is written
 * outside the outputs: each place is compared with their capacity. */
#include "select_arrays.cl"

enum { xl_rooms = 1 };
#include "../tile/tile_prefix.cl"
#include "select_group.cl"

__kernel void xl_select_clear(__global ulong *state, ulong state_offset, ulong words)
{
    xl_descriptors_clear(state + state_offset, words);
}

/* The sums of some chunks: of those before the chunk of this group, and of all. */
typedef struct xl_sums {
    xl_select_before before, all;
} xl_sums;

typedef struct xl_chunks {
    __global ulong *tiles;
    ulong elements; /* of a chunk */
    uint count, epoch;
    /* Work-item k adds the sums of chunks k, k + XL_GROUP_SIZE and so on; `next` is the first of
     * them that it has not added yet. */
    uint next;
    uint polls; /* since a published sum was added last */
    uint spins; /* the most of them */
    uint late;  /* for tests, as in xl_is_late(): a late chunk publishes nothing */
    xl_sums sums;
} xl_chunks;

/* The number of sums that a work-item loads together. */
#define XL_SUMS_AT_ONCE 4

void xl_sum_publish(const xl_chunks *c, uint chunk, XL_T sum)
{
    if (xl_is_late(c->late, chunk)) {
        (void)xl_descriptor_publish_half(c->tiles, chunk, XL_AGGREGATE, c->epoch, sum, c->late);
        return;
    }
    xl_descriptor_publish(c->tiles, chunk, XL_AGGREGATE, c->epoch, sum);
}

/* Adds the sum of chunk c->next. */
void xl_sum_add(xl_chunks *c, XL_T sum)
{
    if (c->next < get_group_id(0))
        c->sums.before = xl_select_after(c->sums.before, sum);
    c->sums.all = xl_select_after(c->sums.all, sum);
    c->next += XL_GROUP_SIZE;
}

/* Adds published sums, until it has all or has polled too often: then c->next is late. If it is not
 * published by the next call either, that does not wait again. */
void xl_sums_wait(xl_chunks *c)
{
    do {
        const uint first = c->next;
        xl_descriptor seen[XL_SUMS_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < XL_SUMS_AT_ONCE; ++k)
            if (first + k * XL_GROUP_SIZE < c->count)
                seen[k] = xl_descriptor_load(c->tiles, first + k * XL_GROUP_SIZE, XL_AGGREGATE);
#pragma unroll
        for (uint k = 0; k < XL_SUMS_AT_ONCE; ++k)
            if (c->next == first + k * XL_GROUP_SIZE && c->next < c->count &&
                xl_descriptor_is(&seen[k], XL_AGGREGATE, c->epoch)) {
                xl_sum_add(c, xl_descriptor_value(&seen[k]));
                c->polls = 0;
            }
    } while (c->next < c->count && c->polls++ < c->spins);
}

/* Returns whether a chunk is late, and has then counted one; contains barriers. */
bool xl_sums_repair(const xl_select *s, xl_chunks *c, __local xl_select_local *l)
{
    const uint mine = (uint)get_group_id(0);
    if (get_local_id(0) == 0)
        l->ticket = c->count;
    xl_local_barrier();
    if (c->next < c->count)
        atomic_min(&l->ticket, (c->next + mine) % c->count);
    xl_local_barrier();
    const uint late = l->ticket;
    const uint chunk = (late + c->count - mine) % c->count;
    const ulong begin = min(chunk * c->elements, s->n);
    const ulong end = late < c->count ? begin + min(s->n - begin, c->elements) : begin;
    XL_T sum;
    (void)xl_group_scan_exclusive(
        xl_select_count_each(s, begin + get_local_id(0), end, XL_GROUP_SIZE), l->parts, &sum);
    if (late < c->count && c->next == chunk) {
        xl_sum_publish(c, chunk, sum);
        xl_sum_add(c, sum);
    }
    return late < c->count;
}

/* The sums of all work-items; contains barriers. */
xl_sums xl_sums_join(xl_sums sums, __local xl_sums *parts)
{
    const uint me = (uint)get_local_id(0);
    parts[me] = sums;
    xl_local_barrier();
    for (uint by = XL_GROUP_SIZE / 2; by > 0; by /= 2) {
        if (me < by) {
            parts[me].before = xl_select_join(parts[me].before, parts[me + by].before);
            parts[me].all = xl_select_join(parts[me].all, parts[me + by].all);
        }
        xl_local_barrier();
    }
    return parts[0];
}

/* `chunk`: the elements of a chunk. Each group has one. */
__kernel XL_REQUIRED void xl_select_parts(ulong chunk, uint spins, uint late, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    XL_CHUNK_MAKE
    __local xl_select_local l;
    __local xl_sums parts[XL_GROUP_SIZE];
    const bool is_alone = get_num_groups(0) == 1;
    xl_select_loaded loaded;
    xl_select_items items;
    xl_select_out o;
    xl_chunks c;
    c.tiles = scratch + XL_HEADER_WORDS;
    c.elements = chunk;
    c.count = (uint)get_num_groups(0);
    c.epoch = is_alone ? 0 : ((volatile __global uint *)scratch)[XL_EPOCH];
    c.next = is_alone ? c.count : (uint)get_local_id(0);
    c.polls = 0;
    c.spins = spins;
    c.late = late;
    c.sums.before = xl_select_nothing();
    c.sums.all = xl_select_nothing();

    /* Counts the chunk. Its first tile, which is read last, stays in registers, and then waits in
     * local memory. */
    XL_T sum;
    o.base = begin;
    o.count = (uint)min(end - begin, (ulong)XL_TILE);
    const XL_T rest = xl_select_count_tiles(&select, begin, end, &loaded, &items);
    (void)xl_group_scan_exclusive(rest, l.parts, &sum);
    o.total = xl_select_total(xl_select_sum(&items, begin), &items, &l);
    sum = xl_op(o.total, sum);
    if (get_local_id(0) == 0 && !is_alone)
        xl_sum_publish(&c, (uint)get_group_id(0), sum);
    xl_select_stage(&select, &loaded, &items, &o, 0, &l);

    /* Reads the sums of all chunks. */
    do {
        xl_sums_wait(&c);
    } while (xl_sums_repair(&select, &c, &l));
    xl_sums sums = xl_sums_join(c.sums, parts);
    if (is_alone)
        sums.all = xl_select_after(sums.before, sum);
    if (get_local_id(0) == 0 && !is_alone)
        xl_lookback_leave(scratch, c.count, c.epoch);
    if (get_global_id(0) == 0)
        xl_select_end(&select, select.n, sums.all);

    /* Writes the chunk. */
    o.before = sums.before;
    for (ulong next = begin + XL_TILE;; next += XL_TILE) {
        if (next < end)
            xl_select_load(&select, next, (uint)min(end - next, (ulong)XL_TILE), &loaded);
        o.places = xl_select_places_of(o.before, sums.all, o.base);
        xl_select_store(&select, &o, 0, &l);
        if (next >= end)
            break;
        o.before = xl_select_after(o.before, o.total);
        o.base = next;
        o.count = (uint)min(end - next, (ulong)XL_TILE);
        xl_select_classify(&select, o.base, o.count, &loaded, &items);
        o.total = xl_select_total(xl_select_sum(&items, o.base), &items, &l);
        xl_select_stage(&select, &loaded, &items, &o, 0, &l);
        xl_local_barrier();
    }
}
