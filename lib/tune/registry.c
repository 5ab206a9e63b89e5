/* SPDX-License-Identifier: MIT
 * The registry of tunables: the only place where their names, ranges and meanings stand. */
#include "tune.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A field of xli_tune is the tunable of its name. */
#define OF(PRIMITIVE, part, field)                                                                 \
    .primitive = XLI_TUNE_##PRIMITIVE, .name = #part "." #field,                                   \
    .at = offsetof(xli_tune, part) + offsetof(xli_tune_##part, field)
#define SCAN(field) OF(SCAN, scan, field)
#define REDUCE(field) OF(REDUCE, reduce, field)
#define SORT(field) OF(SORT, sort, field)
#define GRID(field) OF(GRID, grid, field)
#define NEIGHBORS(field) OF(NEIGHBORS, neighbors, field)
#define NEAREST(field) OF(NEAREST, nearest, field)
#define TOP_K(field) OF(TOP_K, top_k, field)
#define SELECT(field) OF(SELECT, select, field)
#define MERGE(field) OF(MERGE, merge, field)
#define SEARCH(field) OF(SEARCH, search, field)
#define HISTOGRAM(field) OF(HISTOGRAM, histogram, field)
#define TRANSFORM(field) OF(TRANSFORM, transform, field)
#define MORTON(field) OF(MORTON, morton, field)
#define NEAREST_APPROXIMATE(field) OF(NEAREST_APPROXIMATE, nearest_approximate, field)

#define RANGE(low, high) .least = (low), .greatest = (high)
#define ZERO_OR(low, high) RANGE(low, high), .zero = true
#define SWITCH RANGE(0, 1)
/* `crosslane tune` searches these by measurement, in that turn. The others are for tests, or keep a
 * limit of a driver that a measurement does not reach. */
#define BY_ONE(turns) .step = XLI_STEP_ONE, .turn = (turns)
#define DOUBLING(turns) .step = XLI_STEP_DOUBLE, .turn = (turns)
#define MEANS(text) .meaning = text
/* A fault of the device that tests inject: see xli_tunable_of_user(). */
#define FOR_TESTS .for_tests = true

const xli_tunable xli_tunables[XLI_TUNABLES] = {
    {SCAN(shape), SWITCH, BY_ONE(3),
     MEANS("0: one work-item walks a tile; 1: a work-group holds it.")},
    {SCAN(group_size), RANGE(1, 1024), DOUBLING(2),
     MEANS("Work-items in a group if scan.shape is 1; rounded down to a power of two.")},
    {SCAN(item_bytes), RANGE(16, 1024), DOUBLING(1),
     MEANS("Bytes of a tile that a work-item holds if scan.shape is 1.")},
    {SCAN(tile_bytes), RANGE(256, 1 << 24), DOUBLING(1),
     MEANS("Bytes of a tile if scan.shape is 0.")},
    {SCAN(chunk_groups), RANGE(1, 64), DOUBLING(2),
     MEANS("Work-groups per compute unit of reduce-then-scan.")},
    {SCAN(chunk_elements), RANGE(1 << 10, 1 << 30),
     MEANS("Elements of the longest chunk of one group of reduce-then-scan, about.")},
    {SCAN(lookback_groups), RANGE(1, 64), DOUBLING(1),
     MEANS("Work-groups per compute unit of look-back.")},
    {SCAN(tiles_per_lane), RANGE(1, 16), DOUBLING(3),
     MEANS("Tiles of a look-back window for each work-item, if it looks back in order.")},
    {SCAN(look_back), SWITCH, BY_ONE(2),
     MEANS("1: XL_SCAN_AUTO uses look-back if the device allows it; 0: it never does.")},
    {SCAN(stream_kib), RANGE(0, UINT32_MAX),
     MEANS("Results of at least this many KiB bypass the cache, if scan.shape is 0.")},
    {SCAN(pipelined), SWITCH, BY_ONE(2),
     MEANS("1: look-back publishes each aggregate one tile early, if the device has sub-groups.")},
    {SCAN(pipelined_window), RANGE(1, 4096), DOUBLING(3),
     MEANS("Tiles of a look-back window if scan.pipelined is 1; half as many for values of two "
           "words.")},
    {SCAN(pipelined_groups), RANGE(1, 64), DOUBLING(2),
     MEANS("Work-groups per compute unit if scan.pipelined is 1, in units of 256 work-items.")},
    {SCAN(pipelined_short_vectors), RANGE(1, 63), DOUBLING(3),
     MEANS("Vectors of a work-item in the shorter tiles of small arrays, if scan.pipelined is 1.")},
    {SCAN(pipelined_size), RANGE(64, 1024), DOUBLING(2),
     MEANS("Work-items in a group for values of one word, if scan.pipelined is 1.")},
    {SCAN(pipelined_bytes), RANGE(4, 1024), DOUBLING(1),
     MEANS("Bytes that a work-item holds for values of one word, if scan.pipelined is 1.")},
    {SCAN(pipelined_wide_size), RANGE(64, 1024),
     MEANS("Work-items in a group for values of two words, if scan.pipelined is 1.")},
    {SCAN(pipelined_wide_bytes), RANGE(4, 1024),
     MEANS("Bytes that a work-item holds for values of two words, if scan.pipelined is 1.")},
    {SCAN(pipelined_packed_bytes), RANGE(4, 1024), DOUBLING(1),
     MEANS("Bytes that a work-item holds for elements narrower than 4 bytes without segments, if "
           "scan.pipelined is 1.")},
    {SCAN(pipelined_registers), ZERO_OR(32, 255),
     MEANS("Most registers of a work-item, with NVIDIA's compiler, if scan.pipelined is 1; 0: no "
           "limit.")},
    {SCAN(spin_limit), RANGE(0, 1 << 30),
     MEANS("Times that a work-group polls a tile's descriptor before it computes the aggregate "
           "itself.")},
    {SCAN(inject_delay), ZERO_OR(1, 1 << 30), FOR_TESTS,
     MEANS("One in this many tiles publishes its aggregate late, or never; 0: none does.")},
    {SCAN(inject_tear), SWITCH, FOR_TESTS,
     MEANS("1: such a tile publishes every other word of its aggregate at once.")},

    {REDUCE(serial), SWITCH, BY_ONE(3),
     MEANS("1: one work-item processes a chunk; 0: a work-group does.")},
    {REDUCE(group_size), RANGE(1, 1024), DOUBLING(2),
     MEANS("Work-items in a group with segments, if reduce.serial is 0; rounded down to a power of "
           "two.")},
    {REDUCE(item_bytes), RANGE(16, 1024), DOUBLING(1),
     MEANS("Bytes of a tile that a work-item holds with segments, if reduce.serial is 0.")},
    {REDUCE(whole_size), RANGE(1, 1024), DOUBLING(2),
     MEANS("Work-items in a group without segments, if reduce.serial is 0; rounded down to a power "
           "of two.")},
    {REDUCE(whole_bytes), RANGE(16, 1024), DOUBLING(1),
     MEANS("Bytes of a tile that a work-item holds without segments, if reduce.serial is 0.")},
    {REDUCE(segment_chunk_groups), RANGE(1, 256), DOUBLING(1),
     MEANS("Chunks per compute unit, with segments.")},
    {REDUCE(chunk_groups), RANGE(1, 256), DOUBLING(1),
     MEANS("Chunks per compute unit, without segments.")},
    {REDUCE(chunk_elements), RANGE(1 << 8, 1 << 30),
     MEANS("Approximate number of elements in the longest chunk, if elements are processed one by "
           "one.")},
    {REDUCE(chunk_elements_csr), ZERO_OR(1, 1 << 30),
     MEANS("The same if segments are CSR offsets; 0: the same as without them.")},
    {REDUCE(single_group_tiles), RANGE(1, 1 << 16),
     MEANS("One work-group processes up to this many tiles alone, with segments or if "
           "reduce.serial is 1.")},
    {REDUCE(single_group_vectors), RANGE(1, 1 << 16),
     MEANS("One work-group processes up to this many vectors per work-item alone, without segments "
           "and if reduce.serial is 0.")},
    {REDUCE(chunk_vectors), RANGE(1, 1 << 16),
     MEANS("Likewise the vectors of a shortest chunk, once each compute unit has one.")},
    {REDUCE(single_launch), SWITCH,
     MEANS("1: without segments the last work-group folds the partial results, if groups can "
           "exchange messages; 0: a second launch does.")},

    {SORT(shape), SWITCH, BY_ONE(3),
     MEANS("0: a work-group holds a tile in registers; 1: one work-item walks it.")},
    {SORT(group_log), RANGE(0, 10), BY_ONE(1),
     MEANS("Work-items in a group, as an exponent of 2, if sort.shape is 0.")},
    {SORT(items_log), RANGE(1, 5), BY_ONE(1),
     MEANS("Elements that a work-item holds, as an exponent of 2, if sort.shape is 0.")},
    {SORT(segment_group_log), ZERO_OR(1, 10), BY_ONE(2),
     MEANS("sort.group_log of a sort of segments; 0: the same.")},
    {SORT(segment_items_log), ZERO_OR(1, 5), BY_ONE(2),
     MEANS("sort.items_log of a sort of segments; 0: the same.")},
    {SORT(segment_queue), SWITCH,
     MEANS("1: tiles of long segments are sorted and merged in one launch, if groups can exchange "
           "messages; 0: one launch per merge.")},
    {SORT(serial_tile_log), RANGE(4, 20), BY_ONE(1),
     MEANS("Elements of a tile, as an exponent of 2, if sort.shape is 1.")},
    {SORT(sample_most), RANGE(0, UINT32_MAX),
     MEANS("Up to this many keys are sorted by samples, if sort.shape is 0; 0: none are.")},
    {SORT(sample_wide_most), RANGE(0, UINT32_MAX), MEANS("The same of keys of 8 bytes.")},
    {SORT(sample_pair_most), RANGE(0, UINT32_MAX), MEANS("The same of keys with values.")},
    {SORT(sample_runs), RANGE(2, 512),
     MEANS("Runs that are sorted first, if a group can hold one of that length.")},
    {SORT(sample_group_log), RANGE(1, 10),
     MEANS("Work-items of a group of a sort by samples, as the exponent of 2.")},
    {SORT(sample_items_log), RANGE(1, 5),
     MEANS("Elements that one of them holds, as the exponent of 2.")},
    {SORT(sample_large_from), RANGE(1, UINT32_MAX),
     MEANS("From this many keys on, and if one larger tile holds all keys, the next two values "
           "apply instead.")},
    {SORT(sample_large_group_log), RANGE(1, 10), MEANS("As sort.sample_group_log.")},
    {SORT(sample_large_items_log), RANGE(1, 5), MEANS("As sort.sample_items_log.")},
    {SORT(search_log), RANGE(1, 10), BY_ONE(2),
     MEANS("Work-items that search for a merge-path partition, as an additional exponent of 2, if "
           "sort.shape is 0.")},
    {SORT(search_busy_log), RANGE(1, 10), BY_ONE(2),
     MEANS("The same if a launch has more than sort.busy work-groups.")},
    {SORT(busy), RANGE(0, UINT32_MAX), MEANS("See sort.search_busy_log.")},
    {SORT(radix_from), RANGE(1, UINT32_MAX),
     MEANS("From this many keys on the radix sort is used, if sort.shape is 1.")},
    {SORT(radix_wide_from), RANGE(1, UINT32_MAX), MEANS("The same of keys of 8 bytes.")},
    {SORT(radix_pair_from), RANGE(1, UINT32_MAX),
     MEANS("As sort.radix_from, for keys with values.")},
    {SORT(radix_alone), RANGE(0, UINT32_MAX),
     MEANS("Up to this many keys are sorted by one work-item in one launch.")},
    {SORT(radix_buckets), SWITCH,
     MEANS("1: more keys are first put into buckets, each sorted by one work-item; 0: they are "
           "moved once per digit.")},
    {SORT(radix_bucket_bytes), RANGE(1, UINT32_MAX),
     MEANS("Bytes of keys and values of a bucket, beyond which it is parted again.")},
    {SORT(radix_chunks), RANGE(0, 256), BY_ONE(1),
     MEANS("Chunks of a radix sort for each compute unit; 0: the device gets none.")},
    {SORT(radix_least), RANGE(1, UINT32_MAX), MEANS("Elements of such a chunk, at least.")},
    {SORT(radix_most), RANGE(1, UINT32_MAX), MEANS("Elements of such a chunk, at most.")},
    {SORT(radix_group), RANGE(256, 1024),
     MEANS("Work-items in a group that processes a chunk tile by tile, if sort.shape is 0.")},
    {SORT(radix_bytes), RANGE(4, 256), MEANS("Bytes of keys that one of them holds.")},
    {SORT(sweep), SWITCH,
     MEANS("1: a GPU sorts by digits with one launch per digit, if groups can exchange messages.")},
    {SORT(sweep_from), RANGE(1, UINT32_MAX), MEANS("From this many keys on it is used.")},
    {SORT(sweep_wide_from), RANGE(1, UINT32_MAX), MEANS("The same of keys of 8 bytes.")},
    {SORT(sweep_pair_from), RANGE(1, UINT32_MAX), MEANS("The same of keys with values.")},
    {SORT(sweep_group), RANGE(256, 1024),
     MEANS("Work-items in a group of such a launch, for keys of up to 4 bytes without values.")},
    {SORT(sweep_bytes), RANGE(4, 256), MEANS("Bytes of keys that one of them holds.")},
    {SORT(sweep_registers), ZERO_OR(32, 255),
     MEANS("Most registers of a work-item there, with NVIDIA's compiler; 0: no limit.")},
    {SORT(sweep_wide_group), RANGE(256, 1024),
     MEANS("As sort.sweep_group, for keys of 8 bytes without values.")},
    {SORT(sweep_wide_bytes), RANGE(4, 256), MEANS("As sort.sweep_bytes.")},
    {SORT(sweep_wide_registers), ZERO_OR(32, 255), MEANS("As sort.sweep_registers.")},
    {SORT(sweep_pair_group), RANGE(256, 1024), MEANS("As sort.sweep_group, for keys with values.")},
    {SORT(sweep_pair_bytes), RANGE(4, 256), MEANS("As sort.sweep_bytes.")},
    {SORT(sweep_pair_registers), ZERO_OR(32, 255), MEANS("As sort.sweep_registers.")},
    {SORT(sweep_small_most), RANGE(0, UINT32_MAX),
     MEANS("Up to this many keys of up to 4 bytes use the values of sort.sweep_small_*, if tiles "
           "become smaller; 0: none do.")},
    {SORT(sweep_small_pair_most), RANGE(0, UINT32_MAX), MEANS("The same of keys with values.")},
    {SORT(sweep_small_group), RANGE(256, 1024), MEANS("As sort.sweep_group, for few keys.")},
    {SORT(sweep_small_bytes), RANGE(4, 256), MEANS("As sort.sweep_bytes.")},
    {SORT(sweep_small_registers), ZERO_OR(32, 255), MEANS("As sort.sweep_registers.")},
    {SORT(sweep_small_depth), RANGE(1, 16), MEANS("As sort.sweep_depth.")},
    {SORT(ring_tiles), RANGE(1, 1024), MEANS("Tile descriptors of a sort by digits.")},
    {SORT(sweep_depth), RANGE(1, 16),
     MEANS("Tiles before its own that a work-item asks for at once.")},
    {SORT(spin_limit), RANGE(0, UINT32_MAX),
     MEANS("Polls of a late tile before the waiting group counts its digits itself.")},
    {SORT(inject_delay), ZERO_OR(1, 1 << 30), FOR_TESTS,
     MEANS("One in this many tiles publishes nothing; 0: all publish.")},
    {SORT(part_tiles), RANGE(1, UINT32_MAX),
     MEANS("Tiles of a launch of a sort by digits that may have more than 2^32 keys.")},
    {SORT(inject_places), RANGE(0, UINT32_MAX), FOR_TESTS,
     MEANS("Such a sort counts places from 2^32 less this number on; 0: from 0.")},

    {GRID(group), RANGE(1, 1024), DOUBLING(1), MEANS("Work-items of a group that builds.")},
    {GRID(items), RANGE(1, 4096), DOUBLING(1), MEANS("Points of a work-item that builds.")},
    {GRID(bounds_groups), RANGE(1, 65536), DOUBLING(2),
     MEANS("Work-groups that look for the box of the points, at least.")},
    {GRID(overfull_points), RANGE(1, 65536),
     MEANS("More points than this in one cell are sorted by a work-group.")},
    {GRID(overfull_groups), RANGE(1, 65536), MEANS("Work-groups that sort such cells.")},
    {GRID(overfull_group_size), RANGE(1, 1024), MEANS("Work-items of each of these.")},
    {GRID(table), ZERO_OR(1, 64),
     MEANS("Entries of the table of cells for each point, at most; 0: rows are listed instead.")},
    {GRID(thin), RANGE(1, 64), DOUBLING(1),
     MEANS("Cells of a table along x in the length of one along y.")},
    {GRID(planes), SWITCH,
     MEANS("1: x, y and z of sorted points are separate arrays; of a grid and its searches.")},
    {GRID(sampled), ZERO_OR(1, UINT32_MAX),
     MEANS("Rows of up to this many points are listed by buckets from a sample; 0: by a sort.")},
    {GRID(sampled_alone), ZERO_OR(1, UINT32_MAX),
     MEANS("The same if it is known in advance that rows are listed.")},
    {GRID(bucket), RANGE(16, 4096), MEANS("Points of such a bucket, on average.")},
    {GRID(window), ZERO_OR(1, UINT32_MAX),
     MEANS("Points of a window, if more points in no order fill a table; 0: no windows.")},

    {NEIGHBORS(group), RANGE(1, 1024), DOUBLING(1), MEANS("Work-items of a group that searches.")},
    {NEIGHBORS(staged), ZERO_OR(1, 64), DOUBLING(1),
     MEANS("Rows of up to this many neighbours are sorted in registers and written by the whole "
           "group; 0: none are.")},
    {NEIGHBORS(walk), ZERO_OR(1, 65536),
     MEANS("Points of a work-item that walks along rows for counts and lists; 0: none does. Other "
           "devices than CPUs ignore it: a work-item needs up to 256 KB of private memory.")},
    {NEIGHBORS(together), RANGE(1, 2),
     MEANS("Points that a work-item counts or sums around at a time, if it does not walk.")},

    {NEAREST(group), RANGE(1, 1024), DOUBLING(1),
     MEANS("Work-items of a group that searches for the nearest, if k is at most 64.")},
    {NEAREST(items), RANGE(1, 4096), DOUBLING(3),
     MEANS("Queries of such a work-item; if k is above 64, of a group.")},
    {NEAREST(aim), RANGE(100, 10000), DOUBLING(2),
     MEANS("Points that its first reach is to hold, in hundredths of k; half as many if k is above "
           "64.")},
    {NEAREST(together), RANGE(1, 128), DOUBLING(4),
     MEANS("Work-items that search together for one query if k is above 64.")},
    {NEAREST(walk), ZERO_OR(1, 65536),
     MEANS("Queries of a work-item that walks along rows, if k is at most 64; 0: none does. Other "
           "devices than CPUs ignore it.")},

    {TOP_K(shape), SWITCH, MEANS("0: a work-group counts a chunk; 1: one work-item does.")},
    {TOP_K(group_log), RANGE(0, 10), BY_ONE(2),
     MEANS("Work-items in a group, as an exponent of 2, if top_k.shape is 0.")},
    {TOP_K(items), RANGE(1, 32), DOUBLING(2),
     MEANS("Keys that a work-item ranks at a time, if top_k.shape is 0.")},
    {TOP_K(chunks), RANGE(1, 256), DOUBLING(1), MEANS("Chunks of keys for each compute unit.")},
    {TOP_K(chunk), RANGE(1, 1 << 30), DOUBLING(3), MEANS("Keys of such a chunk, at least.")},
    {TOP_K(sample), ZERO_OR(16, 1 << 20),
     MEANS("Keys of a sample that supplies a bound, so that few other keys are read twice; 0: no "
           "sample.")},
    {TOP_K(sampled), RANGE(1, UINT32_MAX),
     MEANS("From this many keys on the sample is used, if few results are wanted.")},
    {TOP_K(ranked), ZERO_OR(1, 1024),
     MEANS("Up to this many sorted results are put in order by one launch that compares them all; "
           "0: a sort orders them.")},

    {SELECT(serial), SWITCH,
     MEANS("1: one work-item walks a tile, or a chunk; 0: a work-group holds a tile.")},
    {SELECT(group), RANGE(1, 1024),
     MEANS("Work-items in a group if select.serial is 0; rounded down to a power of two.")},
    {SELECT(item_bytes), RANGE(4, 512),
     MEANS("Bytes of a tile that a work-item holds, at most 32 elements, if select.serial is 0.")},
    {SELECT(tile_bytes), RANGE(64, 1 << 24), MEANS("Bytes of a tile if select.serial is 1.")},
    {SELECT(lookback_groups), RANGE(1, 64), MEANS("Work-groups per compute unit of look-back.")},
    {SELECT(resident), ZERO_OR(1, 64),
     MEANS(
         "Work-groups per compute unit of a partition in one launch: as many as certainly run at "
         "the same time, because they wait for each other. They have twice select.group work-items "
         "with half of select.item_bytes. 0: elements are counted first.")},
    {SELECT(chunk_groups), RANGE(1, 256),
     MEANS("Work-groups per compute unit if elements are counted before they are written.")},
    {SELECT(look_back), SWITCH,
     MEANS(
         "1: one launch with look-back, if the device allows it; 0: elements are counted first.")},
    {SELECT(window), ZERO_OR(1, 1 << 16),
     MEANS("Distance, in tiles, between published prefixes if whole groups look back; rounded to a "
           "multiple of select.group. 0: one work-item looks back per tile.")},
    {SELECT(piece), RANGE(1, 1u << 31), MEANS("Elements of one launch of look-back, at most.")},
    {SELECT(registers), ZERO_OR(32, 255),
     MEANS("Most registers of a work-item, with NVIDIA's compiler; 0: no limit.")},
    {SELECT(spin_limit), RANGE(0, 1 << 30),
     MEANS("Polls of a late tile before the waiting group counts its elements itself.")},
    {SELECT(inject_delay), ZERO_OR(1, 1 << 30), FOR_TESTS,
     MEANS("One in this many tiles publishes nothing; 0: all publish.")},
    {SELECT(inject_tear), SWITCH, FOR_TESTS,
     MEANS("1: such a tile publishes every other word of its state.")},

    {MERGE(serial), SWITCH, MEANS("1: one work-item makes a chunk; 0: a work-group makes a tile.")},
    {MERGE(group), RANGE(1, 1024), DOUBLING(2),
     MEANS("Work-items in a group if merge.serial is 0.")},
    {MERGE(item_bytes), RANGE(4, 256), DOUBLING(1),
     MEANS(
         "Bytes of keys that a work-item produces if merge.serial is 0, and 4 bytes for the place "
         "of each with values.")},
    {MERGE(set_bytes), RANGE(4, 256), DOUBLING(1),
     MEANS("Bytes of keys that a work-item takes in a set operation if merge.serial is 0.")},
    {MERGE(chunk), RANGE(1, 1 << 30), DOUBLING(1),
     MEANS("Most elements in a chunk if merge.serial is 1.")},
    {MERGE(search_tiles), RANGE(0, UINT32_MAX),
     MEANS("Up to this many tiles find their parts of both inputs themselves; with more a separate "
           "launch does.")},
    {MERGE(inject_places), RANGE(0, UINT32_MAX), FOR_TESTS,
     MEANS("A merge counts places from 2^32 less this number on; 0: from 0.")},

    {SEARCH(serial), SWITCH, MEANS("1: one work-item processes a chunk; 0: a work-group does.")},
    {SEARCH(group), RANGE(1, 1024), DOUBLING(2),
     MEANS("Work-items in a group if search.serial is 0.")},
    {SEARCH(items), RANGE(1, 64), DOUBLING(1),
     MEANS("Queries that a work-item searches side by side.")},
    {SEARCH(queries), RANGE(1, 1 << 30), DOUBLING(3),
     MEANS("Most queries in a chunk if search.serial is 1.")},

    {HISTOGRAM(serial), SWITCH, MEANS("1: one work-item counts a chunk; 0: a work-group does.")},
    {HISTOGRAM(group), RANGE(1, 1024), DOUBLING(1),
     MEANS(
         "Work-items in a group if histogram.serial is 0, rounded down to a power of two; twice as "
         "many "
         "if counters or levels take more than 64 bytes for each, or weights are floating-point.")},
    {HISTOGRAM(copies), RANGE(1, 64), DOUBLING(1),
     MEANS("Counters of each bin in the local memory of a group, at most, while there is room.")},
    {HISTOGRAM(local_kib), RANGE(1, 1 << 15), DOUBLING(2),
     MEANS("KiB of local memory for the counters of a group; if histogram.serial is 0, one counter "
           "per bin may take more.")},
    {HISTOGRAM(passes), ZERO_OR(1, 1024), DOUBLING(2),
     MEANS("Bins that exceed local memory are counted in up to this many passes over the elements; "
           "more bins are counted in global memory. 0: always global memory.")},
    {HISTOGRAM(vectors), RANGE(1, 16), DOUBLING(2),
     MEANS("Vectors of 16 bytes that a work-item of a group asks for at once.")},
    {HISTOGRAM(chunks), RANGE(1, 256), DOUBLING(2), MEANS("Chunks for each compute unit.")},
    {HISTOGRAM(chunk), RANGE(1, 1 << 30), MEANS("Elements of such a chunk, at least.")},

    {TRANSFORM(serial), SWITCH, MEANS("1: one work-item processes a chunk; 0: a work-group does.")},
    {TRANSFORM(group), RANGE(1, 1024), DOUBLING(1), MEANS("Work-items of a group.")},
    {TRANSFORM(items), RANGE(1, 32), DOUBLING(1),
     MEANS("Vectors or elements of a work-item if a group processes a tile.")},
    {TRANSFORM(chunk), RANGE(1, 1 << 24), DOUBLING(1),
     MEANS("Approximate bytes of a chunk if transform.serial is 1.")},
    {TRANSFORM(stream_kib), RANGE(0, UINT32_MAX),
     MEANS("Results of at least this many KiB bypass the cache, if transform.serial is 1.")},

    {MORTON(group), RANGE(1, 1024), DOUBLING(2), MEANS("Work-items of a group.")},
    {MORTON(items), RANGE(1, 1 << 20), DOUBLING(2), MEANS("Points of a work-item.")},

    {NEAREST_APPROXIMATE(group), RANGE(1, 1024), DOUBLING(2),
     MEANS("Work-items of a group, each of one query, or of one point.")},
};

const xli_tunable *xli_tunable_find(const char *name)
{
    for (size_t i = 0; i < XLI_TUNABLES; ++i)
        if (strcmp(xli_tunables[i].name, name) == 0)
            return &xli_tunables[i];
    return NULL;
}

const xli_tunable *xli_tunable_of_user(const char *name)
{
    const xli_tunable *const t = xli_tunable_find(name);
    return t && t->for_tests && !xli_os_env("CROSSLANE_TEST_TUNABLES") ? NULL : t;
}

const char *xli_tunable_range(const xli_tunable *t, char text[XLI_RANGE_BYTES])
{
    snprintf(text, XLI_RANGE_BYTES, "%sa number from %" PRIu32 " to %" PRIu32,
             t->zero ? "0 or " : "", t->least, t->greatest);
    return text;
}

bool xli_tunable_takes(const xli_tunable *t, uint64_t value)
{
    return (t->zero && value == 0) || (value >= t->least && value <= t->greatest);
}

uint32_t xli_tunable_value(const xli_tunable *t, const xli_tune *tune)
{
    uint32_t value;
    memcpy(&value, (const char *)tune + t->at, sizeof value);
    return value;
}

void xli_tunable_set(const xli_tunable *t, xli_tune *tune, uint32_t value)
{
    memcpy((char *)tune + t->at, &value, sizeof value);
}
