/* SPDX-License-Identifier: MIT
 * The shape of a top-k selection, and what follows from it. Pure, see top_k_shape.h. */
#include "top_k_shape.h"

/* A chunk has a list and 3 more words. MOST_CHUNKS of them take less than 4 MiB, together with the
 * states and the counts of 6 digits for the keys and for a sample (cl/top_k/top_k_pass.cl). */
enum { MOST_CHUNKS = 1536, ROOM = 640, CHUNK_WORDS = 3, STATE_BYTES = 512 + 2 * 6 * 2048 * 4 };

/* Parts of a sample for each compute unit. The keys of a sample are far apart, so that reads are
 * slow. */
enum { SAMPLE_PARTS = 2 };

/* Rounds of loops that a tile costs a work-item: two for each of its 16 elements on a driver that
 * limits loops, and about 24 for the ranks; and that a segment costs it. */
enum { TILE_ROUNDS = 32, SEGMENT_ROUNDS = 1024 };

/* Places in a chunk, and a few beyond its end, have 32 bits. */
enum { LONGEST = 1 << 30 };

void xli_top_k_shape_of(const xli_tune_device *device, const xli_tune_top_k *tune, size_t most,
                        xli_top_k_shape *shape)
{
    *shape = (xli_top_k_shape){.tune = *tune,
                               .units = device->compute_units,
                               .room = tune->sample > 0 ? ROOM : 0,
                               .batch = device->most_rounds / SEGMENT_ROUNDS,
                               .list_groups = xli_tune_list_groups(device)};
    xli_tune_top_k *const t = &shape->tune;
    most = xli_min(most, device->max_work_group);
    while (t->group_log > 0 && (size_t)1 << t->group_log > most)
        --t->group_log;
    shape->group_size = t->shape == XLI_TOP_K_SERIAL ? 1 : 1u << t->group_log;
    const size_t tile = xli_max(1, xli_top_k_tile(shape));
    shape->longest = xli_min(LONGEST, xli_mul(device->most_rounds / TILE_ROUNDS, tile));
}

/* Local memory of a group that sorts short segments: keys, places and bits of a tile, and a segment
 * for each work-item. */
static size_t local_bytes(const xli_top_k_problem *problem, size_t group, uint32_t tile_log)
{
    enum { SEGMENT = 12, OTHER = 1024 };
    const size_t element = (xli_top_k_is_wide(problem) ? 8 : 4) + sizeof(cl_uint);
    return ((element + 1) << tile_log) + group * SEGMENT + OTHER;
}

/* A tile of 2^11 keys is sorted about as fast as the selection of a longer one. */
uint32_t xli_top_k_tile_log(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                            const xli_tune_device *device)
{
    enum { MOST = 11, LEAST = 4 };
    const bool serial = shape->tune.shape == XLI_TOP_K_SERIAL;
    const size_t keys = serial ? shape->tune.chunk : xli_mul(shape->group_size, shape->tune.items);
    uint32_t log = LEAST;
    while (log < MOST && (size_t)2 << log <= keys)
        ++log;
    while (log > 0 && local_bytes(problem, shape->group_size, log) > device->local_bytes)
        --log;
    return log;
}

size_t xli_top_k_tile(const xli_top_k_shape *shape)
{
    const xli_tune_top_k *t = &shape->tune;
    return t->shape == XLI_TOP_K_SERIAL ? 0 : (size_t)shape->group_size * t->items;
}

xli_top_k_chunks xli_top_k_chunks_of(const xli_top_k_shape *shape, size_t n)
{
    const xli_tune_top_k *t = &shape->tune;
    const size_t count = xli_min(xli_mul(shape->units, t->chunks), MOST_CHUNKS);
    const size_t wanted = xli_max(xli_ceil_div(n, xli_max(1, count)), t->chunk);
    xli_top_k_chunks chunks = {xli_min(wanted, shape->longest), 0};
    chunks.count = xli_ceil_div(n, chunks.elements);
    return chunks;
}

/* A sample contains about `wanted` of the k results. About once in a million times it contains more
 * than `wanted`, 5 standard deviations and 8: then fewer than k keys are within the bound. */
static uint64_t rank_of(uint64_t wanted)
{
    uint64_t root = 0;
    while (root * root < wanted)
        ++root;
    return wanted + 5 * root + 8;
}

xli_top_k_sample xli_top_k_sample_of(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                                     size_t n, size_t k)
{
    const xli_top_k_sample none = {0};
    const uint64_t keys = shape->tune.sample;
    /* Keys of one byte have one digit, and many of them are equal. */
    if (keys == 0 || n < shape->tune.sampled || n < keys || xl_type_size(problem->key) == 1)
        return none;
    const uint64_t rank = rank_of(((uint64_t)k * keys + n - 1) / n);
    const uint64_t room = (uint64_t)xli_top_k_chunks_of(shape, n).count * shape->room;
    if (rank >= keys || 2 * rank * n / keys > room)
        return none;
    return (xli_top_k_sample){(size_t)keys, (size_t)rank, n / (size_t)keys};
}

xli_top_k_chunks xli_top_k_sample_chunks(const xli_top_k_shape *shape,
                                         const xli_top_k_sample *sample)
{
    const size_t parts = xli_max(1, xli_mul(shape->units, SAMPLE_PARTS));
    const size_t elements = xli_ceil_div(sample->keys, parts);
    return (xli_top_k_chunks){elements, xli_ceil_div(sample->keys, elements)};
}

bool xli_top_k_sorts(const xli_top_k_problem *problem, size_t results)
{
    return problem->sorted && results > 1;
}

bool xli_top_k_ranks(const xli_top_k_problem *problem, const xli_top_k_shape *shape, size_t results)
{
    return xli_top_k_sorts(problem, results) && results <= shape->tune.ranked;
}

bool xli_top_k_is_wide(const xli_top_k_problem *problem)
{
    return xl_type_size(problem->key) > sizeof(cl_uint);
}

size_t xli_top_k_take(size_t *bytes, size_t n, size_t element_bytes)
{
    const size_t at = *bytes;
    *bytes = xli_add(at, xli_round_up(xli_mul(n, element_bytes), XLI_SCRATCH_ALIGN));
    return at;
}

xli_top_k_layout xli_top_k_layout_of(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                                     size_t n, size_t results, size_t nested_bytes)
{
    const bool sorts = xli_top_k_sorts(problem, results), wide = xli_top_k_is_wide(problem);
    xli_top_k_layout l = {0};
    if (results == 0)
        return l;
    const size_t words = xli_top_k_chunks_of(shape, n).count * (CHUNK_WORDS + (size_t)shape->room);
    (void)xli_top_k_take(&l.bytes, xli_add(STATE_BYTES, xli_mul(words, sizeof(cl_uint))), 1);
    l.indices_at =
        xli_top_k_take(&l.bytes, problem->values.count > 0 ? results : 0, sizeof(cl_uint));
    l.words_at = xli_top_k_take(&l.bytes, sorts ? results : 0, sizeof(cl_ulong));
    l.places_at = xli_top_k_take(&l.bytes, sorts && wide ? results : 0, sizeof(cl_uint));
    l.nested_at = xli_top_k_take(&l.bytes, sorts ? nested_bytes : 0, 1);
    return l;
}
