/* SPDX-License-Identifier: MIT
 * The shape of a top-k selection, and what follows from it. Pure, see topk_shape.h. */
#include "topk_shape.h"

/* A chunk has a list and 3 more words. MOST_CHUNKS of them take less than 4 MiB, together with the
 * states and the counts of 6 digits for the keys and for a sample (cl/topk/topk_state.cl). */
enum { MOST_CHUNKS = 1536, ROOM = 640, CHUNK_WORDS = 3, STATE_BYTES = 512 + 2 * 6 * 2048 * 4 };

/* Parts of a sample for each compute unit. The keys of a sample are far apart, so that reads are
 * slow. */
enum { SAMPLE_PARTS = 2 };

/* For a driver that ends loops after 65,535 rounds. A tile takes two rounds for each element of a
 * work-item, and about 24 for the ranks. Sorting a list takes too many rounds. */
enum { MOST_TILES = 1024 };

/* Places in a chunk, and a few beyond its end, have 32 bits. */
enum { LONGEST = 1 << 30 };

void xli_topk_shape_of(const xli_tune_device *device, const xli_tune_topk *tune, size_t most,
                       xli_topk_shape *shape)
{
    *shape = (xli_topk_shape){
        .tune = *tune, .units = device->compute_units, .room = ROOM, .longest = LONGEST};
    xli_tune_topk *const t = &shape->tune;
    if (device->ends_loops)
        t->shape = XLI_TOPK_GROUP; /* its work-items take fewer rounds */
    most = xli_min(most, device->max_work_group);
    while (t->group_log > 0 && (size_t)1 << t->group_log > most)
        --t->group_log;
    shape->group_size = t->shape == XLI_TOPK_SERIAL ? 1 : 1u << t->group_log;
    if (device->ends_loops) {
        t->items = (uint32_t)xli_min(t->items, 16);
        shape->room = 0;
        shape->longest = MOST_TILES * xli_topk_tile(shape);
    }
}

/* Local memory of a group that sorts short segments: keys, places and bits of a tile, and a segment
 * for each work-item. */
static size_t local_bytes(const xli_topk_problem *problem, size_t group, uint32_t tile_log)
{
    enum { SEGMENT = 12, OTHER = 1024 };
    const size_t element = (xli_topk_is_wide(problem) ? 8 : 4) + sizeof(cl_uint);
    return ((element + 1) << tile_log) + group * SEGMENT + OTHER;
}

/* A tile of 2^11 keys is sorted about as fast as the selection of a longer one; shorter tiles take
 * fewer rounds where a driver ends loops. */
uint32_t xli_topk_tile_log(const xli_topk_problem *problem, const xli_topk_shape *shape,
                           const xli_tune_device *device)
{
    enum { MOST = 11, LEAST = 4 };
    const bool serial = shape->tune.shape == XLI_TOPK_SERIAL;
    const size_t keys = serial ? shape->tune.chunk : xli_mul(shape->group_size, shape->tune.items);
    uint32_t log = LEAST;
    while (log < MOST && (size_t)2 << log <= keys)
        ++log;
    while (log > 0 && local_bytes(problem, shape->group_size, log) > device->local_bytes)
        --log;
    return log;
}

size_t xli_topk_tile(const xli_topk_shape *shape)
{
    const xli_tune_topk *t = &shape->tune;
    return t->shape == XLI_TOPK_SERIAL ? 0 : (size_t)shape->group_size * t->items;
}

xli_topk_chunks xli_topk_chunks_of(const xli_topk_shape *shape, size_t n)
{
    const xli_tune_topk *t = &shape->tune;
    const size_t count = xli_min(xli_mul(shape->units, t->chunks), MOST_CHUNKS);
    const size_t wanted = xli_max(xli_ceil_div(n, xli_max(1, count)), t->chunk);
    xli_topk_chunks chunks = {xli_min(wanted, shape->longest), 0};
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

xli_topk_sample xli_topk_sample_of(const xli_topk_problem *problem, const xli_topk_shape *shape,
                                   size_t n, size_t k)
{
    const xli_topk_sample none = {0};
    const uint64_t keys = shape->tune.sample;
    /* Keys of one byte have one digit, and many of them are equal. */
    if (keys == 0 || shape->room == 0 || n < shape->tune.sampled || n < keys ||
        xl_type_size(problem->key) == 1)
        return none;
    const uint64_t rank = rank_of(((uint64_t)k * keys + n - 1) / n);
    const uint64_t room = (uint64_t)xli_topk_chunks_of(shape, n).count * shape->room;
    if (rank >= keys || 2 * rank * n / keys > room)
        return none;
    return (xli_topk_sample){(size_t)keys, (size_t)rank, n / (size_t)keys};
}

xli_topk_chunks xli_topk_sample_chunks(const xli_topk_shape *shape, const xli_topk_sample *sample)
{
    const size_t parts = xli_max(1, xli_mul(shape->units, SAMPLE_PARTS));
    const size_t elements = xli_ceil_div(sample->keys, parts);
    return (xli_topk_chunks){elements, xli_ceil_div(sample->keys, elements)};
}

bool xli_topk_sorts(const xli_topk_problem *problem, size_t results)
{
    return problem->sorted && results > 1;
}

bool xli_topk_is_wide(const xli_topk_problem *problem)
{
    return xl_type_size(problem->key) > sizeof(cl_uint);
}

size_t xli_topk_take(size_t *bytes, size_t n, size_t element_bytes)
{
    const size_t at = *bytes;
    *bytes = xli_add(at, xli_round_up(xli_mul(n, element_bytes), XLI_SCRATCH_ALIGN));
    return at;
}

xli_topk_layout xli_topk_layout_of(const xli_topk_problem *problem, const xli_topk_shape *shape,
                                   size_t n, size_t results, size_t nested_bytes)
{
    const bool sorts = xli_topk_sorts(problem, results), wide = xli_topk_is_wide(problem);
    xli_topk_layout l = {0};
    if (results == 0)
        return l;
    const size_t words = xli_topk_chunks_of(shape, n).count * (CHUNK_WORDS + (size_t)shape->room);
    (void)xli_topk_take(&l.bytes, xli_add(STATE_BYTES, xli_mul(words, sizeof(cl_uint))), 1);
    l.indices_at =
        xli_topk_take(&l.bytes, problem->values.count > 0 ? results : 0, sizeof(cl_uint));
    l.pairs_at = xli_topk_take(&l.bytes, sorts ? results : 0, sizeof(cl_ulong));
    l.ordinals_at = xli_topk_take(&l.bytes, sorts && wide ? results : 0, sizeof(cl_ulong));
    l.places_at = xli_topk_take(&l.bytes, sorts && wide ? results : 0, sizeof(cl_uint));
    l.nested_at = xli_topk_take(&l.bytes, sorts ? nested_bytes : 0, 1);
    return l;
}
