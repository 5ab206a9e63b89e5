/* SPDX-License-Identifier: MIT
 * The shape of a sort, and what follows from it for n elements. Pure, see sort_shape.h. */
#include "sort_shape.h"

size_t xli_sort_key_bytes(const xli_sort_problem *problem)
{
    return problem->compares ? problem->element.bytes : xl_type_size(problem->key);
}

/* Local memory of a group of a radix sort: the keys or the values, or the counters of its
 * sub-groups, and shared variables (cl/sort/radix_tile.cl). */
static uint64_t radix_bytes(const xli_sort_problem *problem, const xli_radix_size *size)
{
    enum { DIGIT_BYTES = 256 * 4, OTHER = 64 };
    const size_t element = xli_max(xli_sort_key_bytes(problem), xl_type_size(problem->value));
    const size_t elements = (size_t)size->group * size->items * element;
    return xli_max(elements, size->sub_groups * DIGIT_BYTES) + (uint64_t)size->group * 4 +
           DIGIT_BYTES + OTHER;
}

/* The most sub-groups of a group. On a device without sub-groups, 32 work-items with counters and
 * masks take their place (cl/sort/radix_tile.cl). */
static uint32_t sub_groups_of(const xli_capabilities *capabilities, uint32_t group)
{
    enum { NARROWEST = 8, STANDS_FOR = 32 };
    const bool width_known = capabilities->lane_way == XLI_LANE_PTX ||
                             capabilities->lane_way == XLI_LANE_AMD || capabilities->width > 0;
    if (capabilities->lane_way == XLI_LANE_LOCAL)
        return 2 * group / STANDS_FOR;
    return (uint32_t)xli_ceil_div(group,
                                  width_known ? capabilities->info.sub_group_size : NARROWEST);
}

/* Computes how a group of up to `group` work-items, at least one for each digit, holds a tile, each
 * work-item with `bytes` of keys. Returns false if the device has no room. */
static bool shape_radix(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                        const xli_tune_device *device, size_t group, size_t bytes,
                        xli_radix_size *size)
{
    enum { LEAST = 256, STEP = 64, WORD = 4 };
    size->group = (uint32_t)(xli_min(group, device->max_work_group) / STEP * STEP);
    if (size->group < LEAST)
        return false;
    size->sub_groups = sub_groups_of(capabilities, size->group);
    size->items = /* in registers */
        (uint32_t)xli_max(1, bytes / xli_max(WORD, xli_sort_key_bytes(problem)));
    while (size->items > 1 && radix_bytes(problem, size) > device->local_bytes)
        --size->items;
    return radix_bytes(problem, size) <= device->local_bytes;
}

bool xli_sort_has_range(const xli_sort_problem *problem)
{
    return problem->end_bit - problem->begin_bit < 8 * xli_sort_key_bytes(problem);
}

/* Only the radix sort compares a range of bits, and sorts more keys than 32 bits count. */
static bool must_be_radix(const xli_sort_problem *problem)
{
    return problem->algorithm == XL_SORT_RADIX || xli_sort_has_range(problem) || problem->large;
}

/* The tuning values of a sweep: work-items of a group, and for each the bytes of keys, the
 * registers, and the tiles whose descriptors it reads at once. */
typedef struct sweep_size {
    uint32_t group, bytes, registers, depth;
} sweep_size;

static sweep_size sweep_size_of(const xli_sort_problem *problem, const xli_tune_sort *t)
{
    if (problem->value == XL_U64) /* in as many registers as two words take */
        return (sweep_size){t->sweep_pair_group, t->sweep_pair_bytes / 2, t->sweep_pair_registers,
                            t->sweep_depth};
    if (problem->value != XL_NONE)
        return (sweep_size){t->sweep_pair_group, t->sweep_pair_bytes, t->sweep_pair_registers,
                            t->sweep_depth};
    if (xli_sort_key_bytes(problem) == 8)
        return (sweep_size){t->sweep_wide_group, t->sweep_wide_bytes, t->sweep_wide_registers,
                            t->sweep_depth};
    return (sweep_size){t->sweep_group, t->sweep_bytes, t->sweep_registers, t->sweep_depth};
}

static bool shape_sweep(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                        const xli_tune_device *device, sweep_size wanted, xli_radix_size *size)
{
    size->registers = capabilities->nv_capability > 0 ? wanted.registers : 0;
    size->depth = wanted.depth;
    return shape_radix(problem, capabilities, device, wanted.group, wanted.bytes, size);
}

static size_t tile_of(const xli_radix_size *size)
{
    return (size_t)size->group * size->items;
}

/* Few keys make few tiles, which do not fill a device: smaller tiles are ranked sooner. Keys of 8
 * bytes gain nothing. */
static void shape_small_sweeps(const xli_sort_problem *problem,
                               const xli_capabilities *capabilities, const xli_tune_device *device,
                               xli_sort_shape *shape)
{
    const xli_tune_sort *const t = &shape->tune;
    xli_radix_size *const size = shape->radix_size;
    const sweep_size wanted = {t->sweep_small_group, t->sweep_small_bytes, t->sweep_small_registers,
                               t->sweep_small_depth};
    if (!problem->large && xli_sort_key_bytes(problem) < 8 &&
        shape_sweep(problem, capabilities, device, wanted, &size[1]) &&
        tile_of(&size[1]) < tile_of(&size[0]))
        shape->small_sweeps =
            problem->value != XL_NONE ? t->sweep_small_pair_most : t->sweep_small_most;
}

/* XL_SORT_AUTO sorts chunks on CPUs. On GPUs without sub-groups or messages chunks are not
 * measured, and only XL_SORT_RADIX takes them. */
static xli_radix_way radix_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                              const xli_tune_device *device, xli_sort_shape *shape)
{
    enum { NARROWEST = 8 };
    const xli_tune_sort *t = &shape->tune;
    const bool asked = must_be_radix(problem);
    const bool sweeps = t->sweep && capabilities->can_publish &&
                        capabilities->lane_way != XLI_LANE_LOCAL &&
                        capabilities->info.sub_group_size >= NARROWEST;
    if (problem->algorithm == XL_SORT_BITONIC || problem->segments != XL_NONE || problem->compares)
        return XLI_RADIX_NONE;
    if (t->shape == XLI_SORT_SERIAL) {
        shape->radix_size[0] = (xli_radix_size){1, 1, 1, 0, 0};
        return t->radix_chunks > 0 ? XLI_RADIX_CHUNKS : XLI_RADIX_NONE;
    }
    xli_radix_size *const size = shape->radix_size;
    if (sweeps && shape_sweep(problem, capabilities, device, sweep_size_of(problem, t), size)) {
        const size_t most = INT32_MAX / tile_of(size); /* of XL_PART_TILES */
        shape->part_tiles = (uint32_t)xli_min(t->part_tiles, most);
        shape_small_sweeps(problem, capabilities, device, shape);
        return XLI_RADIX_SWEEP;
    }
    return asked && t->radix_chunks > 0 &&
                   shape_radix(problem, capabilities, device, t->radix_group, t->radix_bytes, size)
               ? XLI_RADIX_CHUNKS
               : XLI_RADIX_NONE;
}

static uint32_t from_of(const xli_sort_problem *problem, const xli_tune_sort *t, bool chunks)
{
    if (problem->value != XL_NONE)
        return chunks ? t->radix_pair_from : t->sweep_pair_from;
    if (xli_sort_key_bytes(problem) == 8)
        return chunks ? t->radix_wide_from : t->sweep_wide_from;
    return chunks ? t->radix_from : t->sweep_from;
}

static size_t power_above(size_t x)
{
    size_t power = 1;
    while (power < x)
        power *= 2;
    return power;
}

/* Local memory of a group of a sort by samples: the tile, skewed by one element in 32, and six
 * words for each run; there is at most one run for two work-items (xl_bucket_local). */
static size_t sample_bytes(const xli_sample_size *size, size_t element_bytes)
{
    enum { WORDS = 6, OTHER = 64 };
    const size_t tile = (size_t)1 << size->tile_log;
    return (tile + tile / 32) * element_bytes + WORDS * sizeof(cl_uint) * (size->group / 2) + OTHER;
}

/* The largest size with at most 2^group_log work-items that fits the device. */
static xli_sample_size sample_size_of(const xli_tune_device *device, uint32_t group_log,
                                      uint32_t items_log, size_t element_bytes)
{
    for (;; --group_log) {
        const xli_sample_size size = {1u << group_log, group_log + items_log, items_log};
        if (group_log == 1 || (size.group <= device->max_work_group &&
                               sample_bytes(&size, element_bytes) <= device->local_bytes))
            return size;
    }
}

/* There are at most half as many runs as work-items in a group, and a run has at most that many
 * samples. */
static size_t sample_capacity(const xli_sample_size *size)
{
    const size_t tile = (size_t)1 << size->tile_log;
    return tile * xli_min(tile, size->group) / 2;
}

/* Only XL_SORT_AUTO sorts by samples. */
static void shape_samples(const xli_sort_problem *problem, const xli_tune_device *device,
                          xli_sort_shape *shape)
{
    const xli_tune_sort *const t = &shape->tune;
    const size_t key = xli_sort_key_bytes(problem), element = key + xl_type_size(problem->value);
    const size_t wanted = problem->value != XL_NONE ? t->sample_pair_most
                          : key == 8                ? t->sample_wide_most
                                                    : t->sample_most;
    if (problem->algorithm != XL_SORT_AUTO || problem->compares || problem->segments != XL_NONE ||
        t->shape != XLI_SORT_GROUP || must_be_radix(problem) || device->max_work_group < 2)
        return;
    xli_sample_size *const s = shape->sample;
    s[0] = sample_size_of(device, t->sample_group_log, t->sample_items_log, element);
    s[1] = sample_size_of(device, t->sample_large_group_log, t->sample_large_items_log, element);
    shape->samples = xli_min(wanted, xli_max(sample_capacity(&s[0]), sample_capacity(&s[1])));
}

void xli_sort_shape_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_device *device, const xli_tune_sort *tune,
                       xli_sort_shape *shape)
{
    enum { GATHER_GROUP = 256, LEAST_QUEUE_LOG = 7 };
    *shape = (xli_sort_shape){.tune = *tune};
    xli_tune_sort *const t = &shape->tune;
    const size_t key = xli_sort_key_bytes(problem), value = xl_type_size(problem->value);
    const bool segments = problem->segments != XL_NONE;
    /* Beside a tile of segments there is room for where they begin, as if each key had a value. */
    const bool packs = segments && !problem->compares;
    const size_t in_tile = problem->compares ? 2 * (key + sizeof(cl_uint)) /* on two sides */
                           : packs           ? xli_max(sizeof(cl_uint), key) + sizeof(cl_uint)
                                             : key + value;
    if (packs && t->segment_group_log > 0)
        t->group_log = t->segment_group_log;
    if (packs && t->segment_items_log > 0)
        t->items_log = t->segment_items_log;
    xli_tune_sort_fit(device, in_tile, t);
    const bool serial = t->shape == XLI_SORT_SERIAL;
    shape->group_size = serial ? 1 : 1u << t->group_log;
    shape->tile_log = serial ? t->serial_tile_log : t->group_log + t->items_log;
    shape->sub_group = xli_sub_group_of(capabilities, shape->group_size);
    shape->units = device->compute_units;
    shape->list_groups = (uint32_t)xli_min(UINT32_MAX, xli_tune_list_groups(device));
    shape->queue = segments && !serial && capabilities->can_publish && t->segment_queue &&
                   shape->tile_log >= LEAST_QUEUE_LOG;
    shape->radix = radix_of(problem, capabilities, device, shape);
    shape->buckets = shape->radix == XLI_RADIX_CHUNKS && shape->radix_size[0].group == 1 &&
                     t->radix_buckets && xli_sort_key_bytes(problem) > 1 &&
                     !xli_sort_has_range(problem);
    if (xli_sort_has_range(problem)) /* by all digits */
        t->radix_alone = 0;
    shape->from = from_of(problem, t, shape->radix == XLI_RADIX_CHUNKS);
    shape_samples(problem, device, shape);
    /* No call sorts bitonically if sorts by samples end where radix sorts begin. */
    shape->bitonic = !must_be_radix(problem) &&
                     !(shape->radix != XLI_RADIX_NONE && shape->from <= xli_add(shape->samples, 1));
    if (!xli_sort_by_radix(shape, shape->small_sweeps)) /* no call has the second size */
        shape->small_sweeps = 0;
    shape->gather_group = (uint32_t)xli_min(GATHER_GROUP, device->max_work_group);
}

/* Two tiles are merged in fewer launches than a sample takes. */
bool xli_sort_by_samples(const xli_sort_shape *shape, size_t n)
{
    const size_t merged = shape->bitonic ? (size_t)2 << shape->sample[0].tile_log : 0;
    return shape->samples > 0 && n > merged && n <= shape->samples;
}

/* The larger size is for elements that fit into one of its tiles but not into a smaller one, and
 * for more elements than the smaller size should or can sort. */
static unsigned sample_size_for(const xli_sort_shape *shape, size_t n)
{
    const xli_sample_size *const small = &shape->sample[0], *const large = &shape->sample[1];
    if (n <= (size_t)1 << small->tile_log || sample_capacity(large) < n)
        return 0;
    return n <= (size_t)1 << large->tile_log || n >= shape->tune.sample_large_from ||
           sample_capacity(small) < n;
}

/* A bucket has at most (share + runs) * gap elements, the length of two runs, or of one run if it
 * fills a tile. Few elements are divided into shorter runs, for more groups. */
xli_sort_samples xli_sort_samples_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                     size_t n)
{
    enum { LEAST = 1024 };
    xli_sort_samples s = {.size = sample_size_for(shape, n)};
    const xli_sample_size *const size = &shape->sample[s.size];
    const size_t tile = (size_t)1 << size->tile_log;
    const size_t runs = xli_min(shape->tune.sample_runs, size->group / 2);
    const size_t wanted = power_above(xli_ceil_div(n, runs));
    s.length = n <= tile ? tile : xli_min(tile, xli_max(wanted, LEAST));
    s.runs = xli_ceil_div(n, s.length);
    if (n <= tile)
        return s;
    s.share = power_above(s.runs);
    s.gap = xli_min(tile, 2 * s.length) / (2 * s.share);
    const size_t each = s.length / s.gap;
    s.buckets = xli_ceil_div(s.runs * each, s.share);
    /* As for `share` runs, so that more elements never need less scratch. */
    s.splitters_at = xli_round_up(s.share * each * xli_sort_key_bytes(problem), XLI_SCRATCH_ALIGN);
    s.bytes = s.splitters_at + each * 2 * sizeof(cl_uint);
    return s;
}

bool xli_sort_by_radix(const xli_sort_shape *shape, size_t n)
{
    return !xli_sort_by_samples(shape, n) && shape->radix != XLI_RADIX_NONE &&
           (!shape->bitonic || n >= shape->from);
}

/* There are more chunks than units, so that a late unit delays little. Each chunk has 256 counters.
 * A group counts the elements of a chunk in 32 bits, and may count a few beyond its end. */
xli_sort_chunks xli_sort_chunks_of(const xli_sort_shape *shape, size_t n)
{
    enum { MOST = 1 << 30 };
    const xli_tune_sort *t = &shape->tune;
    const size_t wanted = xli_ceil_div(n, xli_mul(xli_max(1, shape->units), t->radix_chunks));
    const size_t most = xli_min(t->radix_most, MOST), fewest = xli_min(t->radix_least, most);
    xli_sort_chunks chunks = {xli_max(xli_min(wanted, most), fewest), 0};
    chunks.count = xli_ceil_div(n, chunks.elements);
    return chunks;
}

bool xli_sort_is_alone(const xli_sort_shape *shape, size_t n)
{
    return shape->radix == XLI_RADIX_CHUNKS && shape->radix_size[0].group == 1 &&
           n <= shape->tune.radix_alone;
}

/* A work-item with more than its share would keep all others waiting. */
xli_sort_buckets xli_sort_buckets_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                     size_t n)
{
    enum { MOST = 1 << 30 }; /* a work-item counts in 32 bits */
    const xli_tune_sort *t = &shape->tune;
    const size_t bytes = xli_sort_key_bytes(problem) + xl_type_size(problem->value);
    const size_t share = xli_max(n / xli_max(1, shape->units), t->radix_alone);
    return (xli_sort_buckets){problem->large ? xli_min(share, MOST) : share,
                              t->radix_bucket_bytes / bytes};
}

unsigned xli_sort_radix_size(const xli_sort_shape *shape, size_t n)
{
    return n <= shape->small_sweeps;
}

size_t xli_sort_radix_tile(const xli_sort_shape *shape, size_t n)
{
    return tile_of(&shape->radix_size[xli_sort_radix_size(shape, n)]);
}

size_t xli_sort_tile(const xli_sort_shape *shape)
{
    return (size_t)1 << shape->tile_log;
}

unsigned xli_sort_merges(const xli_sort_shape *shape, size_t n)
{
    unsigned merges = 0;
    while (xli_sort_tile(shape) < xli_ceil_div(n, (size_t)1 << merges))
        ++merges;
    return merges;
}

uint32_t xli_sort_search_log(const xli_sort_shape *shape, size_t groups)
{
    const xli_tune_sort *t = &shape->tune;
    const uint32_t wanted = groups > t->busy ? t->search_busy_log : t->search_log;
    return (uint32_t)xli_min(wanted, xli_max(1, t->group_log));
}

unsigned xli_sort_digits(const xli_sort_problem *problem)
{
    enum { DIGIT_BITS = 8 };
    return (unsigned)xli_ceil_div(problem->end_bit - problem->begin_bit, DIGIT_BITS);
}

/* Chunks: 128 bytes (XL_RADIX_STATE_BYTES); for buckets XL_STEPS bytes (cl/sort/radix_serial.cl);
 * then for each chunk 256 counts of 32 bits, in a large sort of 64, and a word of bits. Sweep
 * (xl_sweep_state): nine headers; for up to 8 digits 256 counts and 256 starts, in a large sort a
 * count and two starts of 64 bits; and a ring of descriptors, each with 256 words of 64 bits. */
static size_t state_bytes(const xli_sort_problem *problem, const xli_sort_shape *shape, size_t n)
{
    enum {
        STATE = 128,
        HEADERS = 9 * 64,
        COUNTS = 2 * 8 * 256 * 4,
        LARGE_COUNTS = 3 * 8 * 256 * 8,
        DESCRIPTOR = 256 * 8,
        STEPS = 1 << 14
    };
    if (shape->radix == XLI_RADIX_SWEEP) {
        /* By the smaller tile, so that more keys never need less scratch. */
        const size_t tiles = xli_ceil_div(n, tile_of(&shape->radix_size[shape->small_sweeps > 0]));
        const size_t counts = problem->large ? LARGE_COUNTS : COUNTS;
        return STATE + HEADERS + counts + xli_min(tiles, shape->tune.ring_tiles) * DESCRIPTOR;
    }
    const size_t chunks = xli_sort_chunks_of(shape, n).count;
    const size_t count = problem->large ? sizeof(cl_ulong) : sizeof(cl_uint);
    const size_t counts = xli_mul(chunks, sizeof(cl_ulong) + 256 * count);
    const size_t head = shape->buckets ? STATE + STEPS : STATE;
    return xli_round_up(xli_add(head, counts), XLI_SCRATCH_ALIGN);
}

/* A segment longer than half a tile has at most two tiles for each tile of its elements. */
xli_sort_segments xli_sort_segments_of(const xli_sort_shape *shape, size_t n)
{
    enum { HEAD = 6, ENTRY = 4 };
    const size_t window = xli_sort_tile(shape) / 2;
    xli_sort_segments s = {.windows = xli_ceil_div(n, window), .capacity = n / window};
    if (shape->queue && s.capacity > 0) {
        const size_t groups = xli_min(s.capacity, shape->list_groups);
        s.slots = xli_add(xli_mul(s.capacity, xli_sort_merges(shape, n)), groups);
        s.queue_words = xli_add(s.capacity, s.slots);
    }
    const size_t lists = xli_add(xli_add(ENTRY * s.capacity, s.windows), s.queue_words);
    const size_t words = xli_add(xli_round_up(HEAD + s.windows + 1, ENTRY), lists);
    s.state_bytes = xli_mul(words, sizeof(cl_uint));
    return s;
}

/* Keys in scratch begin at a multiple of their size, which with a comparator takes one key more. */
static size_t keys_bytes(const xli_sort_problem *problem, size_t n)
{
    return xli_mul(xli_add(n, problem->compares), xli_sort_key_bytes(problem));
}

xli_sort_layout xli_sort_layout_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                   size_t n)
{
    const bool samples = n > 0 && xli_sort_by_samples(shape, n);
    const bool radix = n > 0 && xli_sort_by_radix(shape, n);
    const bool segments = n > 0 && problem->segments != XL_NONE;
    xli_sort_layout layout = {0};
    const bool spare =
        samples ? xli_sort_samples_of(problem, shape, n).runs > 1 : n > xli_sort_tile(shape);
    if (radix || spare) {
        layout.values_at = xli_round_up(keys_bytes(problem, n), XLI_SCRATCH_ALIGN);
        layout.state_at = xli_add(
            layout.values_at, xli_round_up(n * xl_type_size(problem->value), XLI_SCRATCH_ALIGN));
    }
    layout.state_bytes = samples    ? xli_sort_samples_of(problem, shape, n).bytes
                         : radix    ? state_bytes(problem, shape, n)
                         : segments ? xli_sort_segments_of(shape, n).state_bytes
                                    : 0;
    layout.bytes = xli_add(layout.state_at, layout.state_bytes);
    for (size_t a = 0; a < problem->num_gathered; ++a)
        layout.bytes = xli_max(layout.bytes, xli_mul(n, problem->gathered[a]));
    if (problem->hides_indices) {
        layout.places_at = xli_round_up(layout.bytes, XLI_SCRATCH_ALIGN);
        layout.bytes = xli_add(layout.places_at, xli_mul(n, xl_type_size(problem->value)));
    }
    /* A sort of several launches or passes alternates between two arrays of keys. */
    layout.has_keys = problem->values_only && (radix || spare);
    if (layout.has_keys) {
        layout.keys_at = xli_round_up(layout.bytes, XLI_SCRATCH_ALIGN);
        layout.bytes = xli_add(layout.keys_at, keys_bytes(problem, n));
    }
    if (problem->keeps_signs) {
        layout.signs_at = layout.bytes;
        layout.bytes = xli_add(layout.bytes, n);
    }
    return layout;
}
