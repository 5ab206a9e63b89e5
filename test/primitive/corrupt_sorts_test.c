/* SPDX-License-Identifier: MIT
 * Sorts whose arrays and scratch another thread writes while they run, which the caller must not
 * do: results are undefined, but every call ends, and nothing beside the arrays is touched. */
#include "scan_support.h"
#include "scribbler.h"

#include <stdlib.h>
#include <string.h>

/* The devices on which a push tries a sort: those for which a mutant names this test. */
enum { POCL = 1, INTEL = 2, LLVMPIPE = 4 };

/* The last ones by digits, which not every device has. */
static const struct {
    const char *tune;
    xl_sort_algorithm algorithm;
    bool in_segments;
    unsigned pushed;
} sorts[] = {
    {"sort.shape = 1\nsort.serial_tile_log = 4\n", XL_SORT_BITONIC, false, 0},
    {"sort.shape = 0\nsort.group_log = 5\nsort.items_log = 1\n", XL_SORT_BITONIC, false, 0},
    {"sort.shape = 1\nsort.serial_tile_log = 4\n", XL_SORT_BITONIC, true, 0},
    {"sort.shape = 0\nsort.segment_group_log = 5\nsort.segment_items_log = 1\n", XL_SORT_BITONIC,
     true, LLVMPIPE},
    {"sort.shape = 0\nsort.group_log = 5\nsort.items_log = 2\nsort.segment_queue = 1\n"
     "sort.spin_limit = 3\n",
     XL_SORT_AUTO, true, POCL},
    {"sort.shape = 0\nsort.sample_pair_most = 100000\nsort.sample_group_log = 8\n"
     "sort.sample_items_log = 1\nsort.sample_large_from = 100000\n",
     XL_SORT_AUTO, false, 0},
    {"sort.shape = 1\nsort.radix_alone = 0\nsort.radix_buckets = 0\nsort.radix_least = 300\n",
     XL_SORT_RADIX, false, POCL},
    {"sort.shape = 1\nsort.radix_alone = 0\nsort.radix_least = 300\nsort.radix_bucket_bytes = 99\n",
     XL_SORT_RADIX, false, POCL},
    {"sort.shape = 1\n", XL_SORT_RADIX, false, POCL},
    {"sort.shape = 0\nsort.sweep_pair_group = 256\nsort.sweep_pair_bytes = 4\n"
     "sort.ring_tiles = 4\nsort.spin_limit = 20\n",
     XL_SORT_RADIX, false, INTEL},
};
/* BY_QUEUE orders keys by a comparator, which PoCL compiles in 4 seconds; without one it takes a
 * minute. */
enum { NUM_SORTS = sizeof sorts / sizeof sorts[0], BY_QUEUE = 4, BY_SWEEPS = 9 };
static const xl_user_comparator less = {"less", "bool less(uint a, uint b) { return a < b; }"};

typedef struct sorting {
    xl_context *ctx;
    xl_plan *plan;
    size_t n;
    xlt_buffer keys, values, keys_out, values_out, scratch, offsets;
} sorting;

/* Short ones and long ones in turn. */
static xlt_buffer offsets_of(size_t n)
{
    uint32_t *at = bytes_for(n, sizeof *at);
    size_t count = 0;
    for (size_t i = 0; i < n; i += count % 9 == 4 ? 700 : 1 + count % 7)
        at[count++] = (uint32_t)i;
    const xlt_buffer made = xlt_buffer_make(at, count, sizeof *at, 0);
    free(at);
    return made;
}

static bool is_pushed(size_t way)
{
    const char *const name = xlt_device();
    const bool pocl = strncmp(name, "pthread", 7) == 0 || strncmp(name, "cpu-", 4) == 0;
    const unsigned here = pocl ? POCL : strstr(name, "llvmpipe") ? LLVMPIPE : INTEL;
    return (sorts[way].pushed & here) != 0;
}

/* False, and nothing is made, if the device has no such sort or a push leaves it out. */
static bool sorting_make(sorting *s, size_t way, size_t n)
{
    if (xlt_few_programs() && !is_pushed(way))
        return false;
    *s = (sorting){.ctx = open_context(sorts[way].tune, NULL), .n = n};
    xl_sort_desc desc;
    size_t bytes;
    xl_sort_desc_init(&desc);
    desc.value = XL_U32;
    desc.algorithm = sorts[way].algorithm;
    desc.comparator = way == BY_QUEUE ? &less : NULL;
    if (sorts[way].in_segments) {
        desc.segments = XL_SEGMENTS_OFFSETS;
        desc.segment_type = XL_U32;
    }
    const xl_status status = xl_sort_create(s->ctx, &desc, &s->plan);
    if (status == XL_ERROR_UNSUPPORTED && desc.algorithm == XL_SORT_RADIX) {
        xl_context_destroy(s->ctx);
        return false;
    }
    ok(s->ctx, status, sorts[way].tune);
    uint32_t *keys = bytes_for(n, sizeof *keys);
    xlt_random random = {1};
    for (size_t i = 0; i < n; ++i)
        keys[i] = (uint32_t)(xlt_next(&random) >> 32);
    ok(s->ctx, xl_sort_scratch(s->plan, &(xl_sort_args){.n = n}, &bytes), sorts[way].tune);
    s->keys = xlt_buffer_make(keys, n, 4, 0);
    s->values = xlt_buffer_make(keys, n, 4, 0);
    s->keys_out = xlt_buffer_make(NULL, n, 4, 0);
    s->values_out = xlt_buffer_make(NULL, n, 4, 0);
    s->scratch = xlt_scratch_make(bytes);
    if (sorts[way].in_segments)
        s->offsets = offsets_of(n);
    free(keys);
    return true;
}

static void sorting_enqueue(sorting *s, cl_command_queue queue, bool back)
{
    const xlt_buffer *const from = back ? &s->keys_out : &s->keys;
    const xlt_buffer *const to = back ? &s->keys : &s->keys_out;
    ok(s->ctx,
       xl_sort_enqueue(
           s->plan, queue,
           &(xl_sort_args){
               .n = s->n,
               .keys_in = xlt_view(from),
               .values_in = xlt_view(&s->values),
               .keys_out = xlt_view(to),
               .values_out = xlt_view(&s->values_out),
               .scratch = xlt_view(&s->scratch),
               .segments = xl_view_n(s->offsets.mem, xlt_view(&s->offsets).offset, s->offsets.n)},
           0, NULL, NULL),
       "xl_sort_enqueue");
}

static void sorting_end(sorting *s)
{
    xlt_buffer *const all[] = {&s->keys,       &s->values,  &s->keys_out,
                               &s->values_out, &s->scratch, &s->offsets};
    check_and_free(all, sizeof all / sizeof all[0]);
    xl_plan_destroy(s->plan);
    xl_context_destroy(s->ctx);
}

XLT_TEST(sorts_of_what_changes)
{
    xlt_needs_threads();
    for (size_t p = 0; xlt_place_closely(p); ++p) {
        for (size_t way = 0; way < NUM_SORTS; ++way) {
            scribbler by = {0};
            sorting s;
            if (!sorting_make(&s, way, 5003))
                continue;
            aim(&by, &s.keys);
            aim(&by, &s.keys_out);
            aim(&by, &s.scratch);
            aim(&by, &s.offsets);
            scribbler_start(&by, s.n);
            /* Few writes hit the words that matter, least those of queues and sweeps. */
            const size_t slower = way == BY_QUEUE || way == BY_SWEEPS ? 200 : 20;
            for (size_t k = 0; goes_on(&by, k / slower); ++k) {
                sorting_enqueue(&s, xlt_queue(), false);
                XLT_CL(clFinish(xlt_queue()));
            }
            scribbler_stop(&by);
            sorting_end(&s);
        }
    }
}

/* A likely error of a caller: two calls with one scratch on an out-of-order queue. */
XLT_TEST(overlapping_sorts)
{
    xlt_needs_threads();
    cl_command_queue queue = xlt_out_of_order_queue();
    for (size_t p = 0; xlt_place_closely(p); ++p) {
        for (size_t way = 0; way < NUM_SORTS; ++way) {
            sorting s;
            if (!sorting_make(&s, way, 20011))
                continue;
            for (size_t k = 0; k < (xlt_small() ? 10 : 60); ++k) {
                sorting_enqueue(&s, queue, false);
                sorting_enqueue(&s, queue, true);
                XLT_CL(clFlush(queue));
            }
            XLT_CL(clFinish(queue));
            /* rusticl 22.3 may still be at work after clFinish(), but a blocking read waits. */
            uint32_t word;
            XLT_CL(clEnqueueReadBuffer(queue, s.keys.mem, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
            sorting_end(&s);
        }
    }
    clReleaseCommandQueue(queue);
}

XLT_MAIN(NULL, xlt_teardown)
