/* SPDX-License-Identifier: MIT
 * Sort across ranks: each result must equal the stable sort of the whole array on one device, bit by
 * bit. */
#include "mpi_test.h"
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 5, GUARD = 16 };

/* A sort of one whole array, which every rank has. */
typedef struct sort_trial {
    xl_mpi *mpi;
    cl_command_queue queue;
    xl_sort_desc desc;
    xl_mpi_layout layout;
    int way, pattern;
    size_t n, offset; /* offset: of all views, in elements */
    bool in_place;
} sort_trial;

/* ---- data ---------------------------------------------------------------------------------- */

static size_t array_bytes(const xl_sort_desc *desc, int array)
{
    const uint32_t type = array == 0   ? desc->key
                          : array == 1 ? desc->value
                                       : desc->more_values[array - 2];
    if (type == XL_SORT_INDICES)
        return 4;
    return type > XL_BYTES(0) ? type - XL_BYTES(0) : xl_type_size((xl_type)type);
}

static bool has_input(const xl_sort_desc *desc, int array)
{
    return array_bytes(desc, array) > 0 && !(array == 1 && desc->value == XL_SORT_INDICES);
}

static bool has_output(const xl_sort_desc *desc, int array)
{
    return array_bytes(desc, array) > 0 && !(array == 0 && desc->values_only);
}

enum { RANDOM, FEW, EQUAL, RISING, FALLING, SPECIAL, PATTERNS };

/* Numbers at the limits of floating-point formats, as bits above the lowest ones. */
static uint64_t special_bits(size_t bytes, uint64_t random)
{
    const unsigned shift = bytes == 2 ? 10 : bytes == 4 ? 23 : 52;
    const uint64_t infinity = ((UINT64_C(1) << (8 * bytes - 1)) - 1) >> shift << shift;
    const uint64_t parts[] = {0,           1, infinity, infinity + 1, infinity + 5, infinity - 1,
                              infinity / 2};
    return parts[random % 7] | (random >> 32 & 1) << (8 * bytes - 1);
}

static uint64_t key_bits(const sort_trial *trial, size_t i, size_t bytes, uint64_t random)
{
    switch (trial->pattern) {
    case FEW:
        return (random & 3) * UINT64_C(0x4142434445464748);
    case EQUAL:
        return UINT64_C(0xbfc0c1c2c3c4c5c6);
    case RISING:
        return i / 3;
    case FALLING:
        return (trial->n - i) << 20 | (trial->n - i) >> 2;
    case SPECIAL:
        return bytes == 1 ? random & 0x81 : special_bits(bytes, random);
    default:
        return random;
    }
}

static void *make_array(const sort_trial *trial, int array)
{
    const size_t bytes = array_bytes(&trial->desc, array);
    unsigned char *const data = malloc(trial->n * bytes + 1);
    uint64_t seed = 17 + (uint64_t)array;
    for (size_t i = 0; i < trial->n; ++i) {
        if (array == 0) {
            const uint64_t key = key_bits(trial, i, bytes, test_random(&seed));
            memcpy(data + i * bytes, &key, bytes); /* little-endian, as all that the tests run on */
        } else
            for (size_t k = 0; k < bytes; ++k)
                data[i * bytes + k] = (unsigned char)test_random(&seed);
    }
    return data;
}

/* ---- one device and all ranks --------------------------------------------------------------- */

static xl_view *view_in(xl_sort_args *args, int array)
{
    return array == 0   ? &args->keys_in
           : array == 1 ? &args->values_in
                        : &args->more_values_in[array - 2];
}

static xl_view *view_out(xl_sort_args *args, int array)
{
    return array == 0   ? &args->keys_out
           : array == 1 ? &args->values_out
                        : &args->more_values_out[array - 2];
}

static void expect(const sort_trial *trial, unsigned char *const whole[ARRAYS],
                   unsigned char *expected[ARRAYS])
{
    xl_sort_desc desc = trial->desc;
    xl_plan *plan = NULL;
    xl_sort_args args = {.n = trial->n};
    desc.stable = 1;
    for (int a = 0; a < ARRAYS; ++a) {
        const size_t bytes = trial->n * array_bytes(&desc, a);
        if (has_input(&desc, a))
            view_in(&args, a)->buffer = test_buffer(bytes, whole[a]);
        if (has_output(&desc, a))
            view_out(&args, a)->buffer = test_buffer(bytes, NULL);
    }
    CHECK(xl_sort_create(test_ctx, &desc, &plan) == XL_SUCCESS);
    CHECK(xl_sort_enqueue(plan, test_queue, &args, 0, NULL, NULL) == XL_SUCCESS);
    for (int a = 0; a < ARRAYS; ++a) {
        const size_t bytes = trial->n * array_bytes(&desc, a);
        expected[a] = malloc(bytes + 1);
        if (has_output(&desc, a))
            test_read(view_out(&args, a)->buffer, bytes, expected[a]);
        if (view_in(&args, a)->buffer)
            clReleaseMemObject(view_in(&args, a)->buffer);
        if (view_out(&args, a)->buffer)
            clReleaseMemObject(view_out(&args, a)->buffer);
    }
    xl_plan_destroy(plan);
}

static size_t expected_begin(const sort_trial *trial, int rank)
{
    return trial->layout == XL_MPI_KEEP ? test_begin(trial->way, trial->n, rank)
                                        : trial->n * (size_t)rank / (size_t)test_size;
}

/* A buffer of offset + room elements and a guard, with `count` elements of `from` after the offset. */
static cl_mem guarded(size_t offset, size_t room, size_t count, size_t bytes, const void *from)
{
    unsigned char *const data = malloc((offset + room) * bytes + GUARD);
    memset(data, 0xa5, (offset + room) * bytes + GUARD);
    if (from)
        memcpy(data + offset * bytes, from, count * bytes);
    const cl_mem buffer = test_buffer((offset + room) * bytes + GUARD, data);
    free(data);
    return buffer;
}

static void check_output(cl_mem buffer, size_t offset, size_t room, size_t count, size_t bytes,
                         const unsigned char *expected)
{
    const size_t size = (offset + room) * bytes + GUARD;
    unsigned char *const data = malloc(size);
    test_read(buffer, size, data);
    CHECK(memcmp(data + offset * bytes, expected, count * bytes) == 0);
    size_t wrong = 0;
    for (size_t i = 0; i < offset * bytes; ++i)
        wrong += data[i] != 0xa5;
    for (size_t i = (offset + room) * bytes; i < size; ++i)
        wrong += data[i] != 0xa5;
    CHECK(wrong == 0);
    free(data);
}

/* The arguments of this rank; returns the number of its keys after the sort. */
static size_t make_args(const sort_trial *trial, unsigned char *const whole[ARRAYS],
                        xl_sort_args *args)
{
    const size_t begin = test_begin(trial->way, trial->n, test_rank);
    const size_t n = test_begin(trial->way, trial->n, test_rank + 1) - begin;
    const size_t n_out = expected_begin(trial, test_rank + 1) - expected_begin(trial, test_rank);
    const size_t most = n > n_out ? n : n_out, room = trial->in_place ? most : n;
    *args = (xl_sort_args){.n = n};
    for (int a = 0; a < ARRAYS; ++a) {
        const size_t bytes = array_bytes(&trial->desc, a);
        if (has_input(&trial->desc, a))
            *view_in(args, a) = xl_view_of(
                guarded(trial->offset, room, n, bytes, whole[a] + begin * bytes), trial->offset);
        if (has_output(&trial->desc, a))
            *view_out(args, a) =
                trial->in_place && has_input(&trial->desc, a)
                    ? *view_in(args, a)
                    : xl_view_of(guarded(trial->offset, n_out, 0, bytes, NULL), trial->offset);
    }
    return n_out;
}

static void release_args(xl_sort_args *args)
{
    for (int a = 0; a < ARRAYS; ++a) {
        const cl_mem in = view_in(args, a)->buffer, out = view_out(args, a)->buffer;
        if (in)
            clReleaseMemObject(in);
        if (out && out != in)
            clReleaseMemObject(out);
    }
}

static void run_sort(const sort_trial *trial, unsigned char *const whole[ARRAYS],
                     unsigned char *const expected[ARRAYS])
{
    xl_mpi_plan *plan = NULL;
    xl_sort_args args;
    size_t counted = SIZE_MAX;
    const size_t n_out = make_args(trial, whole, &args);
    const size_t most = args.n > n_out ? args.n : n_out;
    cl_event event = NULL;
    if (SUCCEEDS(xl_mpi_sort_create(trial->mpi, &trial->desc, trial->layout, &plan))) {
        SUCCEEDS(xl_mpi_sort_count(plan, args.n, &counted));
        CHECK(counted == n_out);
        SUCCEEDS(xl_mpi_sort(plan, trial->queue, &args, 0, NULL, &event));
        CHECK(event && clWaitForEvents(1, &event) == CL_SUCCESS);
        if (event)
            clReleaseEvent(event);
    }
    xl_mpi_plan_destroy(plan);
    for (int a = 0; a < ARRAYS; ++a) {
        const size_t bytes = array_bytes(&trial->desc, a);
        const bool same = view_in(&args, a)->buffer == view_out(&args, a)->buffer;
        if (has_output(&trial->desc, a))
            check_output(view_out(&args, a)->buffer, trial->offset, same ? most : n_out, n_out,
                         bytes, expected[a] + expected_begin(trial, test_rank) * bytes);
        if (has_input(&trial->desc, a) && !same) /* inputs are not written */
            check_output(view_in(&args, a)->buffer, trial->offset, args.n, args.n, bytes,
                         whole[a] + test_begin(trial->way, trial->n, test_rank) * bytes);
    }
    release_args(&args);
}

/* Sorts in all ways of `ways` (bits) and both layouts. */
static void try_sort(sort_trial trial, unsigned ways)
{
    unsigned char *whole[ARRAYS], *expected[ARRAYS];
    trial.mpi = trial.mpi ? trial.mpi : test_mpi;
    trial.queue = trial.queue ? trial.queue : test_queue;
    for (int a = 0; a < ARRAYS; ++a)
        whole[a] = make_array(&trial, a);
    expect(&trial, whole, expected);
    for (trial.way = 0; trial.way < TEST_WAYS; ++trial.way)
        if (ways >> trial.way & 1) {
            trial.layout = XL_MPI_EVEN;
            run_sort(&trial, whole, expected);
            trial.layout = XL_MPI_KEEP;
            run_sort(&trial, whole, expected);
        }
    for (int a = 0; a < ARRAYS; ++a) {
        free(whole[a]);
        free(expected[a]);
    }
}

static sort_trial trial_of(uint32_t key, size_t n)
{
    sort_trial trial = {.n = n};
    xl_sort_desc_init(&trial.desc);
    trial.desc.key = key;
    return trial;
}

enum { ALL_WAYS = (1 << TEST_WAYS) - 1, EVEN_WAY = 1, UNEVEN = 8, ON_LAST = 2 };

/* ---- cases --------------------------------------------------------------------------------- */

static void keys_of_all_types_and_orders(void)
{
    const uint32_t types[] = {XL_U8,  XL_I8,  XL_U16, XL_I16, XL_U32, XL_I32,
                              XL_U64, XL_I64, XL_F16, XL_F32, XL_F64};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
        for (uint32_t order = 0; order < 2; ++order)
            for (int pattern = 0; pattern < PATTERNS; pattern += PATTERNS - 1) {
                if (t % 3 != 0 && t % 2 != order) /* fewer programs to build */
                    continue;
                sort_trial trial = trial_of(types[t], 700);
                trial.desc.order = order;
                trial.desc.value = XL_U32; /* shows the order of equal keys */
                trial.pattern = pattern;
                try_sort(trial, UNEVEN);
            }
}

static void patterns_of_keys(void)
{
    for (int pattern = 0; pattern < PATTERNS; ++pattern) {
        sort_trial trial = trial_of(pattern % 2 ? XL_U64 : XL_F32, 5000);
        trial.pattern = pattern;
        try_sort(trial, ALL_WAYS);
        trial.desc.value = XL_U16;
        try_sort(trial, ALL_WAYS);
    }
}

static void few_keys(void)
{
    for (size_t n = 0; n < 10; n += n < 3 ? 1 : 3)
        for (int pattern = RANDOM; pattern <= EQUAL; ++pattern) {
            sort_trial trial = trial_of(XL_I32, n);
            trial.pattern = pattern;
            trial.desc.value = XL_SORT_INDICES;
            try_sort(trial, ALL_WAYS);
        }
}

static void zeros_are_equal(void)
{
    const uint32_t types[] = {XL_F16, XL_F32, XL_F64, XL_F32};
    for (uint32_t t = 0; t < 4; ++t) {
        sort_trial trial = trial_of(types[t], 900);
        trial.pattern = SPECIAL;
        trial.desc.order = t < 2 ? t : 3 - t; /* f32 in both orders */
        trial.desc.equal_zeros = 1;
        trial.desc.value = XL_U32;
        try_sort(trial, UNEVEN | EVEN_WAY);
    }
}

static void ranges_of_bits(void)
{
    const struct {
        uint32_t key, begin, end;
    } ranges[] = {{XL_U32, 8, 16}, {XL_I64, 60, 64}, {XL_F32, 20, 0},
                  {XL_U64, 0, 3},  {XL_I8, 3, 4},    {XL_F64, 1, 64}};
    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        sort_trial trial = trial_of(ranges[i].key, 2000);
        trial.desc.begin_bit = ranges[i].begin;
        trial.desc.end_bit = ranges[i].end;
        trial.desc.order = i % 2;
        trial.desc.value = i % 2 ? XL_SORT_INDICES : XL_U64;
        try_sort(trial, EVEN_WAY | ON_LAST);
    }
}

static void values_of_all_sizes(void)
{
    const uint32_t values[] = {XL_U8, XL_F64X4, XL_U32X3, XL_BYTES(300)};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        sort_trial trial = trial_of(XL_U16, 1500);
        trial.pattern = i % 2 ? FEW : RANDOM;
        trial.desc.value = values[i];
        trial.offset = i;
        if (i > 1) {
            trial.desc.more_values[0] = XL_U8;
            trial.desc.more_values[1] = XL_BYTES(13);
            trial.desc.more_values[2] = i == 2 ? XL_F32X2 : XL_NONE;
        }
        try_sort(trial, UNEVEN | EVEN_WAY);
        trial.desc.value = XL_SORT_INDICES;
        try_sort(trial, EVEN_WAY);
    }
}

static void only_values_and_in_place(void)
{
    for (int i = 0; i < 4; ++i) {
        sort_trial trial = trial_of(XL_U32, 3000);
        trial.pattern = i % 2 ? FEW : RANDOM;
        trial.desc.value = i < 2 ? XL_SORT_INDICES : XL_U64;
        trial.desc.values_only = 1;
        try_sort(trial, ALL_WAYS);
        trial.desc.values_only = (uint32_t)i % 2;
        trial.in_place = true;
        trial.offset = 3;
        try_sort(trial, ALL_WAYS);
    }
}

static void algorithms_and_large_sorts(void)
{
    for (uint32_t i = 0; i < 4; ++i) {
        sort_trial trial = trial_of(XL_F32, 20000);
        trial.desc.value = i % 2 ? XL_U32 : XL_U64;
        trial.desc.large = i < 2;
        trial.desc.algorithm = i < 2 ? XL_SORT_AUTO : i == 2 ? XL_SORT_BITONIC : XL_SORT_RADIX;
        trial.desc.stable = 1;
        try_sort(trial, EVEN_WAY | UNEVEN);
    }
}

static xl_mpi *small_messages(void)
{
    xl_mpi *mpi = NULL;
    xl_mpi_desc desc;
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = 1000;
    SUCCEEDS(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi));
    return mpi;
}

static void messages_in_pieces(void)
{
    sort_trial trial = trial_of(XL_U32, 9001);
    trial.mpi = small_messages();
    try_sort(trial, ALL_WAYS);
    trial.desc.value = XL_BYTES(1001);
    trial.n = 600;
    try_sort(trial, EVEN_WAY | ON_LAST);
    xl_mpi_destroy(trial.mpi);
}

/* On all ranks, and on some of them; keys alone, with values, and values alone. */
static void messages_by_address(void)
{
    for (int part = 0; part < 2; ++part) {
        test_memory memory = {.way = part && test_rank % 2 ? TEST_NONE : TEST_RIGHT,
                              .chunk_bytes = part ? 1000 : 0};
        sort_trial trial = trial_of(XL_U32, 9001);
        trial.mpi = test_mpi_by_address(&memory);
        if (!trial.mpi)
            return;
        try_sort(trial, ALL_WAYS);
        trial.in_place = true;
        try_sort(trial, EVEN_WAY);
        trial.desc.value = XL_U64;
        try_sort(trial, ALL_WAYS);
        trial.in_place = false;
        trial.desc.begin_bit = 8;
        trial.desc.end_bit = 16;
        try_sort(trial, UNEVEN);
        trial = (sort_trial){
            .mpi = trial.mpi, .queue = test_queue, .desc = trial_of(XL_U32, 0).desc, .n = 3000};
        trial.desc.value = XL_SORT_INDICES;
        trial.desc.values_only = 1;
        try_sort(trial, ALL_WAYS);
        trial.n = 5;
        try_sort(trial, ALL_WAYS);
        trial.desc = trial_of(XL_U16, 0).desc;
        trial.n = 1500;
        trial.desc.value = XL_U32X3;
        trial.desc.more_values[0] = XL_U8;
        trial.desc.more_values[1] = XL_BYTES(13);
        trial.desc.more_values[2] = XL_F32X2;
        try_sort(trial, UNEVEN);
        const size_t sent = memory.way == TEST_NONE ? memory.host_bytes : memory.address_bytes;
        CHECK(test_size == 1 || sent > 0);
        CHECK(memory.host_bytes + memory.address_bytes == sent);
        test_destroy_by_address(trial.mpi);
    }
}

static void queues_out_of_order(void)
{
    cl_int code;
    const cl_command_queue queue =
        clCreateCommandQueue(xl_context_cl(test_ctx), xl_context_device(test_ctx),
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        sort_trial trial = trial_of(XL_U32, 30000);
        test_memory memory = {0};
        xl_mpi *const by_address = test_mpi_by_address(&memory);
        trial.queue = queue;
        trial.desc.value = XL_U64;
        try_sort(trial, ALL_WAYS);
        trial.mpi = by_address ? by_address : test_mpi;
        try_sort(trial, ALL_WAYS);
        test_destroy_by_address(by_address);
        clReleaseCommandQueue(queue);
    }
}

static void a_call_waits_for_its_events(void)
{
    enum { N = 1000 };
    uint32_t keys[N], sorted[N];
    xl_mpi_plan *plan = NULL;
    xl_sort_desc desc;
    cl_event written = NULL;
    const cl_mem buffer = test_buffer(sizeof keys, NULL);
    const cl_command_queue other =
        clCreateCommandQueue(xl_context_cl(test_ctx), xl_context_device(test_ctx), 0, NULL);
    for (uint32_t i = 0; i < N; ++i)
        keys[i] = (N - i) * (uint32_t)test_size - (uint32_t)test_rank;
    xl_sort_desc_init(&desc);
    SUCCEEDS(xl_mpi_sort_create(test_mpi, &desc, XL_MPI_KEEP, &plan));
    CHECK(clEnqueueWriteBuffer(other, buffer, CL_FALSE, 0, sizeof keys, keys, 0, NULL, &written) ==
          CL_SUCCESS);
    const xl_view view = xl_view_of(buffer, 0);
    SUCCEEDS(xl_mpi_sort(plan, test_queue,
                         &(xl_sort_args){.n = N, .keys_in = view, .keys_out = view}, 1, &written,
                         NULL));
    test_read(buffer, sizeof sorted, sorted);
    for (uint32_t i = 0; i < N; ++i)
        if (!CHECK(sorted[i] == (uint32_t)test_rank * N + i + 1))
            break;
    clReleaseEvent(written);
    clReleaseCommandQueue(other);
    clReleaseMemObject(buffer);
    xl_mpi_plan_destroy(plan);
}

/* ---- errors -------------------------------------------------------------------------------- */

/* A descriptor that this library refuses is wrong on the last rank only. One that the core library
 * refuses is wrong on all ranks, because the comparison between ranks comes before its checks. */
static void bad_descriptors(void)
{
    static const xl_user_comparator comparator = {"isless", NULL};
    for (int i = 0; i < 6; ++i) {
        const int first_bad = i < 3 ? test_size - 1 : 0;
        xl_mpi_plan *plan = NULL;
        xl_sort_desc desc;
        xl_mpi_layout layout = XL_MPI_EVEN;
        const char *const texts[] = {"desc.comparator",
                                     "desc.segments",
                                     "layout: 7",
                                     "desc.key",
                                     "desc.begin_bit, desc.end_bit",
                                     "desc.order"};
        xl_sort_desc_init(&desc);
        if (test_rank >= first_bad) {
            desc.comparator = i == 0 ? &comparator : NULL;
            desc.segments = i == 1 ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
            layout = i == 2 ? (xl_mpi_layout)7 : layout;
            desc.key = i == 3 ? 77 : desc.key;
            desc.end_bit = i == 4 ? 33 : 0;
            desc.order = i == 5 ? 7 : 0;
        }
        test_error(xl_mpi_sort_create(test_mpi, &desc, layout, &plan), XL_ERROR_INVALID_ARGUMENT,
                   first_bad, texts[i]);
        CHECK(plan == NULL);
    }
}

static void descriptors_that_differ(void)
{
    xl_mpi_plan *plan = NULL;
    for (int i = 0; i < 4 && test_size > 1; ++i) {
        const char *const texts[] = {"desc.key", "desc.values_only", "desc.tunables", "layout"};
        const xl_tunable tunable = {"sort.radix_from", 1000};
        xl_sort_desc desc;
        xl_sort_desc_init(&desc);
        desc.value = XL_U32;
        if (test_rank > 0) {
            desc.key = i == 0 ? XL_I32 : XL_U32;
            desc.values_only = i == 1;
            desc.tunables = i == 2 ? &tunable : NULL;
            desc.num_tunables = i == 2;
        }
        test_error(xl_mpi_sort_create(test_mpi, &desc,
                                      i == 3 && test_rank > 0 ? XL_MPI_KEEP : XL_MPI_EVEN, &plan),
                   XL_ERROR_INVALID_ARGUMENT, 1, texts[i]);
    }
    CHECK(xl_mpi_sort_create(NULL, NULL, XL_MPI_EVEN, &plan) == XL_ERROR_INVALID_ARGUMENT);
    test_error(xl_mpi_sort_create(test_mpi, NULL, XL_MPI_EVEN, &plan), XL_ERROR_INVALID_ARGUMENT, 0,
               "desc: NULL");
}

static void bad_arguments(void)
{
    const int last = test_size - 1;
    const cl_mem buffer = test_buffer(4000, NULL), other = test_buffer(4000, NULL);
    const xl_view keys = xl_view_of(buffer, 0), values = xl_view_of(other, 0);
    xl_mpi_plan *plan = NULL;
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.value = XL_U32;
    SUCCEEDS(xl_mpi_sort_create(test_mpi, &desc, XL_MPI_KEEP, &plan));
    for (int i = 0; i < 10; ++i) {
        xl_sort_args args = {.n = 1000,
                             .keys_in = keys,
                             .keys_out = keys,
                             .values_in = values,
                             .values_out = values};
        cl_event event = NULL;
        const char *const texts[] = {
            "args: NULL",        "queue: NULL",     "args.n_device: given",
            "args.scratch",      "args.segments",   "args.keys_in: not given",
            "args.values_out:",  "args.values_out", "args.more_values_in[2]",
            "args.n: 5000000000"};
        const bool here = test_rank == last;
        if (here) {
            args.n_device = i == 2 ? keys : xl_no_view();
            args.scratch = i == 3 ? keys : xl_no_view();
            args.segments = i == 4 ? keys : xl_no_view();
            args.keys_in = i == 5 ? xl_no_view() : keys;
            args.values_out = i == 6 ? xl_view_of(other, 1) : i == 7 ? keys : values;
            args.more_values_in[2] = i == 8 ? keys : xl_no_view();
            args.n = i == 9 ? (size_t)5000000000 : 1000;
        }
        test_error(xl_mpi_sort(plan, here && i == 1 ? NULL : test_queue,
                               here && i == 0 ? NULL : &args, 0, NULL, &event),
                   i == 7 ? XL_ERROR_OVERLAP : XL_ERROR_INVALID_ARGUMENT, last, texts[i]);
        CHECK(event == NULL);
    }
    CHECK(xl_mpi_sort(NULL, test_queue, NULL, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
    test_error(xl_mpi_sort_count(plan, 1, NULL), XL_ERROR_INVALID_ARGUMENT, 0, "n_out: NULL");
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
}

/* All calls of a sort on an xl_mpi; stops at the first one that fails. */
static xl_status sort_once(xl_mpi *mpi, uint32_t *numbers, size_t n)
{
    xl_mpi_plan *plan = NULL;
    xl_sort_desc desc;
    size_t counted;
    const cl_mem keys = test_buffer(n * 4, numbers), indices = test_buffer(n * 4, NULL);
    const xl_view view = xl_view_of(keys, 0);
    xl_sort_desc_init(&desc);
    desc.value = XL_SORT_INDICES;
    xl_status status = xl_mpi_sort_create(mpi, &desc, XL_MPI_KEEP, &plan);
    CHECK((plan != NULL) == (status == XL_SUCCESS));
    if (status == XL_SUCCESS)
        status = xl_mpi_sort_count(plan, n, &counted);
    if (status == XL_SUCCESS)
        status = xl_mpi_sort(
            plan, test_queue,
            &(xl_sort_args){
                .n = n, .keys_in = view, .keys_out = view, .values_out = xl_view_of(indices, 0)},
            0, NULL, NULL);
    test_read(keys, n * 4, numbers);
    clReleaseMemObject(keys);
    clReleaseMemObject(indices);
    xl_mpi_plan_destroy(plan);
    return status;
}

static xl_status sort_descending(xl_mpi *mpi, void *user)
{
    enum { N = 500 };
    uint32_t keys[N];
    (void)user;
    for (uint32_t i = 0; i < N; ++i)
        keys[i] = (N - i) * (uint32_t)test_size - (uint32_t)test_rank;
    const xl_status status = sort_once(mpi, keys, N);
    for (uint32_t i = 0; i < N && status == XL_SUCCESS; ++i)
        if (!CHECK(keys[i] == (uint32_t)test_rank * N + i + 1))
            break;
    return status;
}

static void failure_at_every_step(void)
{
    for (int rank = 0; rank < test_size; ++rank)
        CHECK(test_each_failure(rank, sort_descending, NULL) >= 5);
}

MPI_TEST_MAIN({"keys_of_all_types_and_orders", keys_of_all_types_and_orders},
              {"patterns_of_keys", patterns_of_keys}, {"few_keys", few_keys},
              {"zeros_are_equal", zeros_are_equal}, {"ranges_of_bits", ranges_of_bits},
              {"values_of_all_sizes", values_of_all_sizes},
              {"only_values_and_in_place", only_values_and_in_place},
              {"algorithms_and_large_sorts", algorithms_and_large_sorts},
              {"messages_in_pieces", messages_in_pieces},
              {"messages_by_address", messages_by_address},
              {"queues_out_of_order", queues_out_of_order},
              {"a_call_waits_for_its_events", a_call_waits_for_its_events},
              {"bad_descriptors", bad_descriptors},
              {"descriptors_that_differ", descriptors_that_differ},
              {"bad_arguments", bad_arguments}, {"failure_at_every_step", failure_at_every_step})
