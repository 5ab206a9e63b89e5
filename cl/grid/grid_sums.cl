/* SPDX-License-Identifier: MIT
 * Prefix sums of counters, in place, for builds by counting, lists of rows and the offsets of
 * neighbour lists. One small program for counters of 32 and of 64 bits, so that a first
 * neighbour list need not compile two large ones (cl/scan). Reduce, then scan:
 *
 *     xl_sums_totals  the sum of each group's chunk
 *     xl_sums_write   the prefix of each chunk from the totals before it, then its tiles
 *
 * The host makes XL_T a ulong, and xl_op() its sum. Both kernels are launched with the same number
 * of groups; if that is 1, xl_sums_write() alone. Counters are read twice, mostly from a cache. */
#include "../group/group_scan.cl"

#define XL_SUMS_TILE (XL_GROUP_SIZE * XL_ITEMS)

/* Local memory, and `all`, the number of counters: n or, if `counted`, length[length_at] if that is
 * less. One work-item reads it for all, so that a concurrent write cannot make work-items diverge
 * at a barrier. A group of one work-item needs no barriers, which PoCL compiles slowly. */
#if XL_GROUP_SIZE == 1
#define XL_SUMS_LOCAL const ulong all = counted ? min(n, length[length_at]) : n;
#define XL_SUMS_REDUCE(x) (x)
#else
#define XL_SUMS_LOCAL                                                                              \
    __local XL_T scratch[XL_GROUP_SCRATCH];                                                        \
    __local ulong all;                                                                             \
    if (get_local_id(0) == 0)                                                                      \
        all = counted ? min(n, length[length_at]) : n;                                             \
    xl_local_barrier();
#define XL_SUMS_REDUCE(x) xl_group_reduce((x), scratch)
#endif

/* The counters of a group, from `begin` to `end`. */
typedef struct xl_sums {
    __global uint *words; /* `wide`: of 64 bits, from `at` on */
    ulong at, begin, end;
    bool wide;
} xl_sums;

ulong xl_sums_load(const xl_sums *sums, ulong i)
{
    return sums->wide ? ((const __global ulong *)sums->words)[sums->at + i]
                      : sums->words[sums->at + i];
}

void xl_sums_store(const xl_sums *sums, ulong i, ulong sum)
{
    if (sums->wide)
        ((__global ulong *)sums->words)[sums->at + i] = sum;
    else
        sums->words[sums->at + i] = (uint)sum;
}

/* Chunks are whole tiles, except the last one. */
xl_sums xl_sums_of_group(__global uint *words, ulong at, uint wide, ulong all)
{
    xl_sums sums;
    const ulong tiles = XL_CEIL_DIV(all, XL_SUMS_TILE);
    const ulong chunk = XL_CEIL_DIV(tiles, (ulong)get_num_groups(0)) * XL_SUMS_TILE;
    sums.words = words;
    sums.at = at;
    sums.wide = wide;
    sums.begin = min(chunk * get_group_id(0), all);
    sums.end = min(sums.begin + chunk, all);
    return sums;
}

#define XL_SUMS_PARAMETERS                                                                         \
    __global uint *words, ulong at, uint wide, ulong n, uint counted,                              \
        const __global ulong *length, ulong length_at, __global ulong *totals, ulong totals_at

/* Loads the counters of a tile, adjacent ones by adjacent work-items; 0 beyond the end. Two loops,
 * so that the loads of each are in flight at the same time. */
void xl_sums_load_tile(const xl_sums *sums, ulong tile, ulong *x)
{
    const __global ulong *const wide = (const __global ulong *)sums->words + sums->at;
    const __global uint *const words = sums->words + sums->at;
    tile += get_local_id(0);
    if (sums->wide) {
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            x[k] = tile + k * XL_GROUP_SIZE < sums->end ? wide[tile + k * XL_GROUP_SIZE] : 0;
    } else {
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            x[k] = tile + k * XL_GROUP_SIZE < sums->end ? words[tile + k * XL_GROUP_SIZE] : 0;
    }
}

__kernel void xl_sums_totals(XL_SUMS_PARAMETERS)
{
    XL_SUMS_LOCAL
    const xl_sums sums = xl_sums_of_group(words, at, wide, all);
    ulong sum = 0;
    for (ulong tile = sums.begin; tile < sums.end; tile += XL_SUMS_TILE) {
        ulong x[XL_ITEMS];
        xl_sums_load_tile(&sums, tile, x);
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            sum += x[k];
    }
    sum = XL_SUMS_REDUCE(sum);
    if (get_local_id(0) == 0)
        totals[totals_at + get_group_id(0)] = sum;
}

#if XL_GROUP_SIZE > 1
/* The place of counter i of a tile in local memory. The gaps avoid bank conflicts. */
#define XL_SUMS_PLACE(i) ((i) + (i) / XL_ITEMS)
#define XL_SUMS_ROOM (XL_SUMS_TILE + XL_GROUP_SIZE)

/* Replaces the counters x of a tile by their sums, to each of which `before` is added. Returns
 * `before` for the next tile. Each work-item adds adjacent counters, but adjacent work-items load
 * and store adjacent ones: counters pass through local memory in between. */
ulong xl_sums_tile(const xl_sums *sums, ulong tile, ulong *x, ulong before, uint inclusive,
                   __local ulong *staged, __local XL_T *scratch)
{
    const uint item = (uint)get_local_id(0);
    ulong sum = 0, total;
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k)
        staged[XL_SUMS_PLACE(k * XL_GROUP_SIZE + item)] = x[k];
    xl_local_barrier();
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k)
        sum += x[k] = staged[XL_SUMS_PLACE(item * XL_ITEMS + k)];
    ulong prefix = before + xl_group_scan_exclusive(sum, scratch, &total);
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k) {
        staged[XL_SUMS_PLACE(item * XL_ITEMS + k)] = prefix + (inclusive ? x[k] : 0);
        prefix += x[k];
    }
    xl_local_barrier();
#ifndef __x86_64__ /* PoCL 5.0 on CPUs (2026-11) computes wrong sums if this loop is unrolled. */
#pragma unroll
#endif
    for (uint k = 0; k < XL_ITEMS; ++k) {
        const uint i = k * XL_GROUP_SIZE + item;
        if (tile + i < sums->end)
            xl_sums_store(sums, tile + i, staged[XL_SUMS_PLACE(i)]);
    }
    xl_local_barrier();
    return before + total;
}
#endif

/* `inclusive`: the sum of a counter includes it. */
__kernel void xl_sums_write(XL_SUMS_PARAMETERS, uint inclusive)
{
    XL_SUMS_LOCAL
    const xl_sums sums = xl_sums_of_group(words, at, wide, all);
    ulong before = 0;
#pragma unroll 4
    for (uint g = (uint)get_local_id(0); g < (uint)get_group_id(0); g += XL_GROUP_SIZE)
        before += totals[totals_at + g];
#if XL_GROUP_SIZE > 1
    __local ulong staged[XL_SUMS_ROOM];
    for (ulong tile = sums.begin; tile < sums.end; tile += XL_SUMS_TILE) {
        ulong x[XL_ITEMS];
        xl_sums_load_tile(&sums, tile, x);
        if (tile == sums.begin) /* while the first tile is on its way */
            before = xl_group_reduce(before, scratch);
        before = xl_sums_tile(&sums, tile, x, before, inclusive, staged, scratch);
    }
#else
    for (ulong i = sums.begin; i < sums.end; ++i) {
        const ulong x = xl_sums_load(&sums, i);
        xl_sums_store(&sums, i, inclusive ? before + x : before);
        before += x;
    }
#endif
}
