/* SPDX-License-Identifier: MIT
 * A reduction by chunks. Each work-group reduces one chunk of elements, stores the results of the
 * segments that end in it, and writes a carry-out for segments that continue beyond its ends. The
 * fix-up, a second, small launch, folds the carry-outs in order. No group waits for another, and
 * the order of operands depends on n and the plan alone. A chunk of a whole array writes its total
 * only, and the fix-up may be part of the first launch: cl/reduce/reduce_whole.cl.
 *
 * The chunk that contains the end of a segment stores its result. With CSR offsets, chunks are
 * equal numbers of steps of the merge of elements and ends of segments, so that a chunk with many
 * empty segments takes no longer than others: Merrill and Garland, "Merge-based parallel sparse
 * matrix-vector multiplication" (SC 2016).
 *
 * XL_LIMITED_LOOPS: llvmpipe of Mesa 22.3 (seen 2026-11) ends the loops of a work-item after 65,535
 * rounds. It counts the longest path of any of 8 lanes, including unused lanes, which read zeros
 * only. reduce.chunk_elements_csr (lib/tune) is the switch. */
#ifndef XL_TILE_REDUCE_CHUNK
#define XL_TILE_REDUCE_CHUNK

#include "../tile/tile_input.cl"
#include "../tile/tile_offsets.cl"

/* lib/reduce/reduce_shape.c computes the same size. */
typedef struct xl_carry_out {
    XL_T total;  /* of the chunk; in the first carry-out: of all elements before this launch */
    XL_T open;   /* of the chunk's part of a segment that began before it and ends in it */
    ulong index; /* of that segment */
} xl_carry_out;

/* The outputs. */
typedef struct xl_output_iterator {
    __global XL_OUT *out;
    ulong capacity; /* results that `out` has room for */
#if XL_SEGMENTS == 3
    __global XL_SEG *keys; /* or NULL */
#endif
#if XL_SEGMENTS >= 1 && XL_SEGMENTS <= 3
    __global ulong *count; /* or NULL */
#endif
#if XL_PARAM_WORDS > 0
    xl_params params; /* of the caller's expressions */
#endif
} xl_output_iterator;

/* chunk_elements: elements of a chunk, or, with CSR offsets, steps; first: the number of the
 * launch's first chunk. Carry-outs, or totals of a whole array, begin `carry_outs` bytes after the
 * start of scratch, one more than there are groups. The number of heads before this launch, then
 * that of each chunk, begin `counts` bytes after it. */
#if XL_SEGMENTS == 3
#define XL_KEYS_ARGUMENTS , __global XL_SEG *keys, ulong keys_offset
#else
#define XL_KEYS_ARGUMENTS
#endif
#if XL_SEGMENTS >= 1 && XL_SEGMENTS <= 3
#define XL_COUNT_ARGUMENTS , __global ulong *count, ulong count_offset
#else
#define XL_COUNT_ARGUMENTS
#endif
#define XL_REDUCE_ARGUMENTS                                                                        \
    XL_INPUT_ARGUMENTS, ulong chunk_elements, ulong first, __global uchar *scratch_at,             \
        ulong carry_outs, ulong counts, __global XL_OUT *out, ulong out_offset,                    \
        ulong capacity XL_KEYS_ARGUMENTS XL_COUNT_ARGUMENTS

/* For `out` alone. */
xl_output_iterator xl_output_iterator_make(__global XL_OUT *out, ulong capacity)
{
    xl_output_iterator output;
    output.out = out;
    output.capacity = capacity;
#if XL_SEGMENTS == 3
    output.keys = 0;
#endif
#if XL_SEGMENTS >= 1 && XL_SEGMENTS <= 3
    output.count = 0;
#endif
    return output;
}

/* XL_OUTPUT_MAKE(output) makes it from a kernel's arguments. */
#define XL_OUTPUT_MAKE(output)                                                                     \
    xl_output_iterator output = xl_output_iterator_make(out + out_offset, capacity);               \
    XL_PARAMS_MAKE(output)

void xl_output_iterator_put(const xl_output_iterator *output, ulong index, XL_E value)
{
    if (index < output->capacity)
        output->out[index] = xl_store(value, index XL_PARAMS_OF(output));
}

#if XL_INIT == 2 || XL_HAS_IDENTITY
/* The result of a segment without elements. */
XL_E xl_empty_e(const xl_input *input)
{
#if XL_INIT == 2
    return input->init;
#else
    return xl_none_e();
#endif
}
#endif

/* The elements and segments of a chunk. */
typedef struct xl_chunk {
    ulong begin, end;     /* elements */
    ulong segment, after; /* CSR offsets: segments that end here, from `segment` to before
                             `after`; else `segment` segments began before the chunk */
} xl_chunk;

#if XL_SEGMENTS == 4
/* The number of ends of segments among the first `steps` steps of the merge. */
ulong xl_merge_search(const xl_input *input, ulong steps)
{
    const __global XL_SEG *const ends = input->segments + 1;
    const ulong segments = input->count - 1;
#if !XL_SERIAL && XL_USE_LANES
    return xl_offset_search_lanes(ends, segments, steps, 1, input->n + segments);
#else
    return xl_offset_search(ends, min(steps, segments), steps, 1);
#endif
}

/* Whether element i, which segment s contains, is its first. */
bool xl_begins(const xl_input *input, ulong s, ulong i)
{
    return s + 1 < input->count && input->segments[s] == i;
}
#endif

#if XL_SEGMENTS >= 5
/* The number of segments that begin before element i. */
ulong xl_began_before(const xl_input *input, ulong i)
{
    /* volatile: LLVM joins a remainder and a quotient to one operation, which Oclgrind lacks. */
    volatile ulong kept = i % input->width;
    const ulong left = kept, rounds = (i - left) / input->width;
#if XL_SEGMENTS == 5
    return rounds + (left > 0);
#else
    const ulong heads = (input->mask | 1) & (~0ul >> (64 - input->width));
    return rounds * popcount(heads) + popcount(heads & ((1ul << left) - 1));
#endif
}
#endif

#if XL_SEGMENTS == 4
ulong xl_steps_at(const xl_input *input, ulong chunk_elements, ulong group)
{
    return min(group * chunk_elements, input->n + (input->count - 1));
}

xl_chunk xl_chunk_between(const xl_input *input, ulong chunk_elements, ulong group, ulong segment,
                          ulong after)
{
    xl_chunk chunk;
    chunk.segment = segment;
    chunk.after = after;
    /* Offsets above n are a mistake of the caller; nothing is read there. */
    chunk.begin = min(xl_steps_at(input, chunk_elements, group) - segment, input->n);
    chunk.end = min(xl_steps_at(input, chunk_elements, group + 1) - after, input->n);
    chunk.end = max(chunk.begin, chunk.end);
    return chunk;
}

/* Where chunk number `group` starts and ends. */
xl_chunk xl_chunk_of(const xl_input *input, ulong chunk_elements, ulong group)
{
    const ulong segment = xl_merge_search(input, xl_steps_at(input, chunk_elements, group));
    ulong after = xl_merge_search(input, xl_steps_at(input, chunk_elements, group + 1));
#if XL_LIMITED_LOOPS
    /* For a lane that reads zeros only, all segments seem to end here: it processes none. */
    if (input->n > 0 && input->segments[input->count - 1] == 0)
        after = segment;
#endif
    return xl_chunk_between(input, chunk_elements, group, segment, after);
}
#else
/* Where chunk number `group` starts and ends. If the array does not tell how many segments began
 * before the chunk, the caller of this function counts them. */
xl_chunk xl_chunk_of(const xl_input *input, ulong chunk_elements, ulong group)
{
    xl_chunk chunk;
    chunk.begin = min(group * chunk_elements, input->n);
    chunk.end = min(chunk.begin + chunk_elements, input->n);
    chunk.segment = 0;
    chunk.after = 0;
#if XL_SEGMENTS >= 5
    chunk.segment = xl_began_before(input, chunk.begin);
#endif
    return chunk;
}
#endif

#endif
