/* SPDX-License-Identifier: MIT
 * Sort of few tiles by regular sampling, in three launches for any number of tiles (Shi and
 * Schaeffer, "Parallel sorting by regular sampling", Journal of Parallel and Distributed Computing
 * 14, 1992; on a GPU Dehne and Zaboli, "Deterministic sample sort for GPUs", 2012):
 *
 *   xl_sample_runs   sorts runs, each by a work-group, and takes every `gap`-th key as a sample
 *   xl_sample_rank   ranks the samples of all runs; every `share`-th one is a splitter
 *   xl_sample_merge  a work-group finds the keys between two splitters in all runs, and sorts them
 *
 * Between two splitters there are at most (share + runs) * gap keys, whatever the keys are, because
 * equal samples are ordered by run and by place. The host chooses these numbers so that a tile can
 * hold these keys (lib/sort/sort_shape.c). If another kernel changes the keys concurrently, their
 * order is unspecified, but nothing is written outside the arrays. */
#include "sort_tile.cl"

#define XL_SAMPLES_REQUIRED __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1)))

/* How n keys are divided: into runs of `length`. Every `gap`-th key of a run is a sample, and every
 * `share`-th sample a splitter. All are powers of two. */
typedef struct xl_cutting {
    uint n, length, gap, share;
} xl_cutting;

/* After the samples, in the scratch: the run of a splitter, and its place in this run. */
typedef struct xl_splitter {
    uint run, place;
} xl_splitter;

#define XL_SAMPLES                                                                                 \
    XL_SORT_LENGTH, uint length_of_run, uint gap, uint share, __global uchar *scratch,             \
        ulong samples_at, ulong splitters_at
#define XL_SAMPLES_MAKE                                                                            \
    uint n;                                                                                        \
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)                                         \
    const xl_cutting cutting = {n, length_of_run, gap, share};                                     \
    __global XL_KEY *const samples = (__global XL_KEY *)(scratch + samples_at);                    \
    __global xl_splitter *const splitters = (__global xl_splitter *)(scratch + splitters_at);

uint xl_runs_count(const xl_cutting *c)
{
    return XL_CEIL_DIV(c->n, c->length);
}

uint xl_run_length(const xl_cutting *c, uint run)
{
    return min(c->length, c->n - run * c->length);
}

/* How many of `count` sorted keys come before a key or, with `equal`, do not come after it. */
uint xl_keys_before(__global const XL_KEY *keys, uint count, XL_ORDINAL key, bool equal)
{
    uint low = 0, high = count;
    while (low < high) {
        const uint middle = (low + high) / 2u;
        const XL_ORDINAL other = xl_key_map(keys[middle]);
        const bool before = other < key || (equal && other == key);
        low = before ? middle + 1u : low;
        high = before ? high : middle;
    }
    return low;
}

__kernel XL_SAMPLES_REQUIRED void xl_sample_runs(XL_SAMPLES, XL_SORT_ARRAYS)
{
    XL_SAMPLES_MAKE
    XL_SORT_DECLARE_LOCAL
    XL_SORT_MAKE
    const uint run = (uint)get_group_id(0), first = run * cutting.length;
    if (first >= n)
        return;
    const uint count = xl_run_length(&cutting, run);
    xl_sort_items items;
    xl_tile_order(&items, in, first, count, tile);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = xl_sort_position(e, XL_SORT_GROUP_LOG, false);
        xl_tile_put(&items, e, out, first, count, at);
        if (gap > 0 && at < count && (at & (gap - 1u)) == 0)
            samples[(first + at) / gap] = xl_key_unmap(items.key[e]);
    }
}

/* How many of `count` sorted ordinals come before a key or, with `equal`, do not come after it. */
uint xl_ordinals_before(const __local XL_ORDINAL *at, uint count, XL_ORDINAL key, bool equal)
{
    uint low = 0, high = count;
    while (low < high) {
        const uint middle = (low + high) / 2u;
        const XL_ORDINAL other = at[middle];
        const bool before = other < key || (equal && other == key);
        low = before ? middle + 1u : low;
        high = before ? high : middle;
    }
    return low;
}

/* One group for each run, which reads the samples of as many runs at a time as a tile has room for.
 * Several work-items share a sample, each for some of the runs. */
__kernel XL_SAMPLES_REQUIRED void xl_sample_rank(XL_SAMPLES)
{
    XL_SAMPLES_MAKE
    __local uint ranks[XL_SORT_GROUP];
    __local XL_ORDINAL at[XL_SORT_TILE];
    const uint run = (uint)get_group_id(0), w = (uint)get_local_id(0);
    if (run * cutting.length >= n)
        return;
    const uint each = cutting.length / gap, parts = XL_SORT_GROUP / each;
    const uint sample = w & (each - 1u), runs = xl_runs_count(&cutting);
    const bool there = sample * gap < xl_run_length(&cutting, run);
    const XL_ORDINAL key = xl_key_map(samples[run * each + (there ? sample : 0)]);
    const uint all = (runs - 1u) * each + XL_CEIL_DIV(xl_run_length(&cutting, runs - 1u), gap);
    ranks[w] = 0;
    uint rank = w < each ? sample : 0; /* rank in this run */
    for (uint first = 0; first < runs; first += XL_SORT_TILE / each) {
        const uint count = min((uint)XL_SORT_TILE, all - first * each);
        for (uint i = w; i < count; i += XL_SORT_GROUP)
            at[i] = xl_key_map(samples[first * each + i]);
        XL_LOCAL_BARRIER();
        for (uint k = w / each; k * each < count; k += parts)
            if (first + k != run)
                rank += xl_ordinals_before(at + k * each, min(each, count - k * each), key,
                                           first + k < run);
        XL_LOCAL_BARRIER();
    }
    atomic_add(ranks + sample, rank);
    XL_LOCAL_BARRIER();
    const uint mine = XL_CEIL_DIV(xl_run_length(&cutting, run), gap);
    for (uint i = w; i < mine; i += XL_SORT_GROUP) {
        const uint number = ranks[i] / share;
        if (number * share == ranks[i]) {
            splitters[number].run = run;
            splitters[number].place = i * gap;
        }
    }
}

/* The keys of a bucket in all runs. `cut`: where they begin and end in each run; `from`: where they
 * begin in the array; `begin`: where they begin in the bucket and, at the end, how many there
 * are. */
#define XL_MOST_RUNS (XL_SORT_GROUP / 2)
typedef struct xl_bucket_local {
    uint cut[2][XL_MOST_RUNS], from[XL_MOST_RUNS], begin[XL_MOST_RUNS + 1], first;
    ulong sum[XL_MOST_RUNS];
} xl_bucket_local;

/* How many keys of a run come before splitter `number` of `buckets`. */
uint xl_splitter_cut(const xl_cutting *c, __global const xl_splitter *splitters, uint number,
                     uint buckets, __global const XL_KEY *keys, uint run)
{
    const uint count = xl_run_length(c, run);
    if (number == 0)
        return 0;
    if (number >= buckets)
        return count;
    const uint of = min(splitters[number].run, xl_runs_count(c) - 1u);
    const uint place = min(splitters[number].place, xl_run_length(c, of) - 1u);
    if (of == run)
        return place;
    return xl_keys_before(keys + run * c->length, count, xl_key_map(keys[of * c->length + place]),
                          run < of);
}

/* Computes the other members from the cuts, by one scan over the runs of two numbers: how many keys
 * of a run are in the bucket (upper half), and how many precede them (lower half). */
void xl_bucket_add_up(const xl_cutting *c, __local xl_bucket_local *bucket)
{
    const uint w = (uint)get_local_id(0), runs = xl_runs_count(c);
    const uint low = w < runs ? bucket->cut[0][w] : 0;
    const uint count = w < runs ? max(low, bucket->cut[1][w]) - low : 0;
    ulong sum = upsample(count, low);
    if (w < runs)
        bucket->sum[w] = sum;
    XL_LOCAL_BARRIER();
    for (uint by = 1; by < runs; by *= 2) {
        const ulong below = w >= by && w < runs ? bucket->sum[w - by] : 0;
        XL_LOCAL_BARRIER();
        sum += below;
        if (w < runs)
            bucket->sum[w] = sum;
        XL_LOCAL_BARRIER();
    }
    const uint end = min((uint)(sum >> 32), (uint)XL_SORT_TILE);
    if (w < runs) {
        bucket->from[w] = w * c->length + low;
        bucket->begin[w] = end - min(count, end);
    }
    if (w == runs - 1u) {
        bucket->begin[runs] = end;
        bucket->first = min((uint)sum, c->n);
    }
    XL_LOCAL_BARRIER();
}

/* The run of element `at` of the bucket. */
uint xl_bucket_run(const __local xl_bucket_local *bucket, uint runs, uint at)
{
    uint low = 0, high = runs - 1u;
    while (low < high) {
        const uint middle = (low + high + 1u) / 2u;
        const bool begins = bucket->begin[middle] <= at;
        low = begins ? middle : low;
        high = begins ? high : middle - 1u;
    }
    return low;
}

/* Finds the keys between splitter `number` and the next one. Each work-item finds one of the two
 * cuts of a run. */
void xl_bucket_find(const xl_cutting *c, __global const xl_splitter *splitters, uint number,
                    uint buckets, __global const XL_KEY *keys, __local xl_bucket_local *bucket)
{
    const uint w = (uint)get_local_id(0), side = w / XL_MOST_RUNS, run = w % XL_MOST_RUNS;
    if (run < xl_runs_count(c))
        bucket->cut[side][run] = xl_splitter_cut(c, splitters, number + side, buckets, keys, run);
    XL_LOCAL_BARRIER();
    xl_bucket_add_up(c, bucket);
}

/* Where element `at` of the bucket is, in the runs. */
uint xl_bucket_source(const xl_cutting *c, const __local xl_bucket_local *bucket, uint run, uint at)
{
    return min(bucket->from[run] + (at - bucket->begin[run]), c->n - 1u);
}

__kernel XL_SAMPLES_REQUIRED void xl_sample_merge(XL_SAMPLES, XL_SORT_ARRAYS)
{
    XL_SAMPLES_MAKE
    XL_SORT_DECLARE_LOCAL
    __local xl_bucket_local bucket;
    XL_SORT_MAKE
    const uint number = (uint)get_group_id(0), w = (uint)get_local_id(0);
    if (n == 0)
        return;
    const uint runs = xl_runs_count(&cutting), last = runs - 1u;
    const uint all =
        last * (cutting.length / gap) + XL_CEIL_DIV(xl_run_length(&cutting, last), gap);
    const uint buckets = XL_CEIL_DIV(all, share);
    if (number >= buckets)
        return;
    xl_bucket_find(&cutting, splitters, number, buckets, in.keys, &bucket);
    const uint first = bucket.first, count = min(bucket.begin[runs], n - first);
    xl_sort_items items;
    uint run = xl_bucket_run(&bucket, runs, min(w * XL_SORT_ITEMS, XL_SORT_TILE - 1u));
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w * XL_SORT_ITEMS + e;
        while (run < last && bucket.begin[run + 1u] <= at)
            ++run;
        xl_tile_take(&items, e, in, xl_bucket_source(&cutting, &bucket, run, at), at < count, false,
                     at);
    }
    XL_LOCAL_BARRIER();
    xl_group_sort(&items, tile, count);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
#if XL_SORT_PLACES
        const uint place = min(items.value[e], count - 1u);
        items.value[e] = in.values[xl_bucket_source(&cutting, &bucket,
                                                    xl_bucket_run(&bucket, runs, place), place)];
#endif
        xl_tile_put(&items, e, out, first, count, xl_sort_position(e, XL_SORT_GROUP_LOG, false));
    }
}
