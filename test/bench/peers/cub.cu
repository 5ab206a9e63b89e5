/* SPDX-License-Identifier: MIT
 * Peer: CUB's scans, reductions, sorts, merges, selections and histograms on the cases of the
 * benchmark. Needs CUDA's toolkit (tried: 13.0, whose CUB has no top-k) and one of its GPUs; the
 * library needs neither.
 *
 *   nvcc -O3 -std=c++17 -arch=native -Itest/bench -o peer-cub test/bench/peers/cub.cu \
 *        test/bench/bench_result.c
 *   ./peer-cub [--only NAME] [--match TEXT] [--min-n 2^K] [--max-n 2^K] [--json FILE] [--quick]
 *              [--progress] */
#include "peer.hpp"

#include <cub/cub.cuh>

#include <algorithm>
#include <type_traits>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const cudaError_t code = (call);                                                           \
        if (code != cudaSuccess)                                                                   \
            throw std::runtime_error(std::string(#call) + ": " + cudaGetErrorString(code));        \
    } while (0)

namespace
{

template <class T> class array
{
  public:
    explicit array(size_t n) : n_(n)
    {
        TRY(cudaMalloc((void **)&data_, (n > 0 ? n : 1) * sizeof(T)));
    }
    array(const std::vector<T> &from, size_t n) : array(n)
    {
        TRY(cudaMemcpy(data_, from.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~array()
    {
        cudaFree(data_);
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    T *get() const
    {
        return data_;
    }
    std::vector<T> download() const
    {
        std::vector<T> to(n_);
        TRY(cudaMemcpy(to.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
    void spoil()
    {
        TRY(cudaMemset(data_, 0xA5, n_ * sizeof(T)));
    }

  private:
    T *data_ = nullptr;
    size_t n_;
};

/* Something that enqueues itself on the default stream: the protocol's rows and loops. */
template <class Enqueue> class timed
{
  public:
    explicit timed(Enqueue enqueue) : enqueue_(enqueue)
    {
        TRY(cudaEventCreate(&first_));
        TRY(cudaEventCreate(&last_));
    }
    ~timed()
    {
        cudaEventDestroy(first_);
        cudaEventDestroy(last_);
    }
    timed(const timed &) = delete;
    timed &operator=(const timed &) = delete;

    double row(unsigned calls)
    {
        float ms = 0;
        enqueue_();
        TRY(cudaEventRecord(first_));
        for (unsigned i = 1; i < calls; ++i)
            enqueue_();
        TRY(cudaEventRecord(last_));
        TRY(cudaEventSynchronize(last_));
        TRY(cudaEventElapsedTime(&ms, first_, last_));
        return (double)ms / (calls - 1);
    }

    double wall(unsigned calls)
    {
        TRY(cudaDeviceSynchronize());
        const double start = bench_now();
        for (unsigned i = 0; i < calls; ++i)
            enqueue_();
        TRY(cudaDeviceSynchronize());
        return (bench_now() - start) / calls * 1e6;
    }

  private:
    Enqueue enqueue_;
    cudaEvent_t first_, last_;
};

/* Times call(scratch, scratch_bytes) after fault() has found its first result right. */
template <class Call, class Fault>
void run_case(peer::bench &b, const char *name, const std::string &variant, size_t n, double bytes,
              Call call, Fault fault)
{
    size_t scratch_bytes = 0;
    b.start(nullptr, name, variant, n);
    TRY(call(nullptr, scratch_bytes)); /* without scratch: asks how much it needs */
    array<char> scratch(scratch_bytes);
    auto enqueue = [&] { TRY(call(scratch.get(), scratch_bytes)); };
    enqueue();
    TRY(cudaDeviceSynchronize());
    timed<decltype(enqueue)> t(enqueue);
    b.time_or_wrong(nullptr, name, variant, n, bytes, fault(), t);
}

/* Runs each size up to the first that does not fit the memory. */
template <class Run>
void run_sizes(const peer::bench &b, const char *name, const std::string &variant,
               const std::vector<size_t> &sizes, Run run)
{
    if (!b.matches(variant))
        return;
    try {
        for (size_t n : sizes)
            run(n);
    } catch (const std::exception &e) {
        cudaGetLastError();
        std::printf("%-6s %-44s left out from here: %s\n", name, variant.c_str(), e.what());
    }
}

/* ---- copy ------------------------------------------------------------------ */

__global__ void copy_vectors(const uint4 *in, uint4 *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

void time_copies(peer::bench &b, size_t n)
{
    const size_t vectors = n / 4;
    array<uint4> in(vectors), out(vectors);
    in.spoil();
    auto kernel = [&] {
        copy_vectors<<<(unsigned)((vectors + 255) / 256), 256>>>(in.get(), out.get(), vectors);
        TRY(cudaGetLastError());
    };
    auto driver = [&] {
        TRY(cudaMemcpyAsync(out.get(), in.get(), 16 * vectors, cudaMemcpyDeviceToDevice));
    };
    timed<decltype(kernel)> by_kernel(kernel);
    timed<decltype(driver)> by_driver(driver);
    b.time(nullptr, "copy", "kernel, a vector each", n, 32.0 * (double)vectors, by_kernel);
    b.time(nullptr, "copy", "cudaMemcpyAsync", n, 32.0 * (double)vectors, by_driver);
}

/* ---- scan ------------------------------------------------------------------ */

template <class T> void scan(peer::bench &b, const std::string &variant)
{
    const std::vector<size_t> sizes = b.sizes(10, 28);
    const std::vector<T> in = peer::random_input<T>(sizes.empty() ? 0 : sizes.back());
    const std::vector<T> wanted = peer::exclusive_sums(in);
    run_sizes(b, "scan", variant, sizes, [&](size_t n) {
        array<T> from(in, n), to(n);
        to.spoil();
        run_case(
            b, "scan", variant, n, 2.0 * sizeof(T) * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceScan::ExclusiveSum(scratch, bytes, from.get(), to.get(), (int)n);
            },
            [&] { return peer::difference(to.download(), wanted, n); });
    });
}

/* Runs of equal keys; 0: one run. */
void scan_by_key(peer::bench &b, size_t run)
{
    const std::string variant =
        "u32 exclusive sum by key, " + (run ? "runs of " + std::to_string(run) : "one run");
    const std::vector<size_t> sizes = b.sizes(10, 28);
    const std::vector<uint32_t> in = peer::random_input<uint32_t>(sizes.empty() ? 0 : sizes.back());
    const std::vector<uint32_t> wanted = peer::exclusive_sums(in, run ? run : (size_t)-1);
    std::vector<uint32_t> keys(in.size());
    for (size_t i = 0; run && i < keys.size(); ++i)
        keys[i] = (uint32_t)(i / run);
    run_sizes(b, "scan", variant, sizes, [&](size_t n) {
        array<uint32_t> heads(keys, n), from(in, n), to(n);
        to.spoil();
        run_case(
            b, "scan", variant, n, 12.0 * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceScan::ExclusiveSumByKey(scratch, bytes, heads.get(), from.get(),
                                                          to.get(), (int)n);
            },
            [&] { return peer::difference(to.download(), wanted, n); });
    });
}

/* ---- reduce ---------------------------------------------------------------- */

/* Sums of the segments that begin at multiples of `length`. */
std::vector<int32_t> segment_sums(const std::vector<int32_t> &in, size_t n, size_t length)
{
    std::vector<int32_t> sums((n + length - 1) / length);
    for (size_t i = 0; i < n; ++i)
        sums[i / length] += in[i];
    return sums;
}

void reduce(peer::bench &b)
{
    const char *const variant = "i32 sum";
    const std::vector<size_t> sizes = b.sizes(10, 28);
    const std::vector<int32_t> in = peer::random_input<int32_t>(sizes.empty() ? 0 : sizes.back());
    run_sizes(b, "reduce", variant, sizes, [&](size_t n) {
        const std::vector<int32_t> wanted = segment_sums(in, n, n);
        array<int32_t> from(in, n), to(1);
        to.spoil();
        run_case(
            b, "reduce", variant, n, 4.0 * (double)(n + 1),
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceReduce::Sum(scratch, bytes, from.get(), to.get(), (int)n);
            },
            [&] { return peer::difference(to.download(), wanted, 1); });
    });
}

/* By CSR offsets. */
void reduce_segments(peer::bench &b, size_t length)
{
    const std::string variant = "i32 sum by offsets, segments of " + std::to_string(length);
    std::vector<size_t> sizes = b.sizes(10, 24);
    const std::vector<int32_t> in = peer::random_input<int32_t>(sizes.empty() ? 0 : sizes.back());
    sizes.erase(sizes.begin(), sizes.end() - (sizes.empty() ? 0 : 1)); /* the largest */
    run_sizes(b, "reduce", variant, sizes, [&](size_t n) {
        const std::vector<int32_t> wanted = segment_sums(in, n, length);
        const size_t segments = wanted.size();
        std::vector<int32_t> ends(segments + 1);
        for (size_t i = 0; i <= segments; ++i)
            ends[i] = (int32_t)(i < segments ? i * length : n);
        array<int32_t> from(in, n), offsets(ends, segments + 1), to(segments);
        to.spoil();
        run_case(
            b, "reduce", variant, n, 4.0 * (double)(n + 2 * segments + 1),
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceSegmentedReduce::Sum(scratch, bytes, from.get(), to.get(),
                                                       (int)segments, offsets.get(),
                                                       offsets.get() + 1);
            },
            [&] { return peer::difference(to.download(), wanted, segments); });
    });
}

/* ---- sort ------------------------------------------------------------------ */

template <class Key> std::vector<Key> random_keys(size_t n, int bits)
{
    std::vector<Key> keys(n);
    uint64_t state = BENCH_SEED;
    for (Key &key : keys)
        key = (Key)(bench_random(&state) >> (64 - bits));
    return keys;
}

template <class Key>
std::string unsorted(const std::vector<Key> &before, const std::vector<Key> &after)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < after.size(); ++i) {
        sum += before[i] - after[i];
        if (i > 0 && after[i - 1] > after[i])
            return "keys are not in order";
    }
    return (Key)sum == 0 ? "" : "keys were lost";
}

/* As crosslane-bench has them. */
std::vector<size_t> sort_sizes(const peer::bench &b)
{
    std::vector<size_t> list = b.sizes(10, 24);
    for (const size_t n : b.sizes(28, 28))
        list.push_back(n);
    return list;
}

template <class Key> void sort_keys(peer::bench &b, const std::string &variant)
{
    const int bits = 8 * sizeof(Key);
    run_sizes(b, "sort", variant, sort_sizes(b), [&](size_t n) {
        const std::vector<Key> keys = random_keys<Key>(n, bits);
        array<Key> from(keys, n), to(n);
        to.spoil();
        run_case(
            b, "sort", variant, n, 2.0 * sizeof(Key) * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceRadixSort::SortKeys(scratch, bytes, from.get(), to.get(), (int)n,
                                                      0, bits);
            },
            [&] { return unsorted(keys, to.download()); });
    });
}

/* u32 keys of that many bits, with their indices as values. */
void sort_pairs(peer::bench &b, const std::string &variant, int bits)
{
    run_sizes(b, "sort", variant, sort_sizes(b), [&](size_t n) {
        const std::vector<uint32_t> keys = random_keys<uint32_t>(n, bits);
        std::vector<uint32_t> indices(n);
        for (size_t i = 0; i < n; ++i)
            indices[i] = (uint32_t)i;
        array<uint32_t> keys_in(keys, n), values_in(indices, n), keys_out(n), values_out(n);
        keys_out.spoil();
        values_out.spoil();
        run_case(
            b, "sort", variant, n, 16.0 * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_in.get(),
                                                       keys_out.get(), values_in.get(),
                                                       values_out.get(), (int)n, 0, bits);
            },
            [&]() -> std::string {
                const std::vector<uint32_t> after = keys_out.download();
                const std::vector<uint32_t> values = values_out.download();
                std::vector<char> seen(n);
                for (size_t i = 0; i < n; ++i)
                    if (values[i] >= n || seen[values[i]]++ || keys[values[i]] != after[i])
                        return "a value has lost its key";
                return unsorted(keys, after);
            });
    });
}

/* In segments of that many keys, given by CSR offsets. */
template <class Key>
std::string unsorted_segments(const std::vector<Key> &before, const std::vector<Key> &after,
                              size_t length)
{
    std::vector<Key> wanted = before;
    for (size_t i = 0; i < wanted.size(); i += length)
        std::sort(wanted.begin() + (ptrdiff_t)i,
                  wanted.begin() + (ptrdiff_t)std::min(i + length, wanted.size()));
    return peer::difference(after, wanted, wanted.size());
}

void sort_segments(peer::bench &b, size_t length)
{
    const std::string variant = "u32 keys, segments of " + std::to_string(length);
    run_sizes(b, "sort", variant, b.sizes(24, 24), [&](size_t n) {
        const std::vector<uint32_t> keys = random_keys<uint32_t>(n, 32);
        const size_t segments = (n + length - 1) / length;
        std::vector<int64_t> ends(segments + 1);
        for (size_t i = 0; i <= segments; ++i)
            ends[i] = (int64_t)std::min(i * length, n);
        array<uint32_t> from(keys, n), to(n);
        array<int64_t> offsets(ends, segments + 1);
        to.spoil();
        run_case(
            b, "sort", variant, n, 8.0 * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, from.get(), to.get(),
                                                          (int64_t)n, (int64_t)segments,
                                                          offsets.get(), offsets.get() + 1);
            },
            [&] { return unsorted_segments(keys, to.download(), length); });
    });
}

struct less {
    template <class Key> __host__ __device__ bool operator()(const Key &a, const Key &b) const
    {
        return a < b;
    }
};

/* Stable, as the library's sort by a comparator. */
template <class Key>
void sort_by_comparator(peer::bench &b, const std::string &variant,
                        const std::vector<size_t> &sizes)
{
    run_sizes(b, "sort", variant, sizes, [&](size_t n) {
        const std::vector<Key> keys = random_keys<Key>(n, 8 * sizeof(Key));
        array<Key> from(keys, n), to(n);
        to.spoil();
        run_case(
            b, "sort", variant, n, 2.0 * sizeof(Key) * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceMergeSort::StableSortKeysCopy(scratch, bytes, from.get(),
                                                                to.get(), (int64_t)n, less{});
            },
            [&] { return unsorted(keys, to.download()); });
    });
}

/* ---- merge ----------------------------------------------------------------- */

/* Two ascending arrays, as in bench_merge.c. */
std::vector<uint32_t> rising_halves(size_t n)
{
    uint64_t state = BENCH_SEED;
    const uint32_t widest = (uint32_t)(UINT32_MAX / (n / 2));
    std::vector<uint32_t> keys(n);
    uint32_t key[2] = {0, 0};
    for (size_t i = 0; i < n / 2; ++i)
        for (size_t k = 0; k < 2; ++k) {
            key[k] += (uint32_t)(bench_random(&state) >> 32) % widest;
            keys[k * (n / 2) + i] = key[k];
        }
    return keys;
}

void merge(peer::bench &b)
{
    run_sizes(b, "merge", "u32 keys", b.sizes(20, 28, 4), [&](size_t n) {
        const std::vector<uint32_t> keys = rising_halves(n);
        std::vector<uint32_t> wanted(n);
        std::merge(keys.begin(), keys.begin() + (ptrdiff_t)(n / 2),
                   keys.begin() + (ptrdiff_t)(n / 2), keys.end(), wanted.begin());
        array<uint32_t> from(keys, n), to(n);
        to.spoil();
        run_case(
            b, "merge", "u32 keys", n, 8.0 * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceMerge::MergeKeys(scratch, bytes, from.get(), (int64_t)(n / 2),
                                                   from.get() + n / 2, (int64_t)(n / 2), to.get(),
                                                   less{});
            },
            [&] { return peer::difference(to.download(), wanted, n); });
    });
}

/* Values are indices into the concatenation of both arrays. */
void merge_pairs(peer::bench &b)
{
    run_sizes(b, "merge", "u32,u32 pairs", b.sizes(20, 28, 4), [&](size_t n) {
        const std::vector<uint32_t> keys = rising_halves(n);
        std::vector<uint32_t> places(n), wanted(n);
        for (size_t i = 0; i < n; ++i)
            places[i] = (uint32_t)i;
        std::merge(places.begin(), places.begin() + (ptrdiff_t)(n / 2),
                   places.begin() + (ptrdiff_t)(n / 2), places.end(), wanted.begin(),
                   [&](uint32_t a, uint32_t c) { return keys[a] < keys[c]; });
        array<uint32_t> from(keys, n), to(n), values(places, n), values_to(n);
        to.spoil();
        values_to.spoil();
        run_case(
            b, "merge", "u32,u32 pairs", n, 16.0 * (double)n,
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceMerge::MergePairs(
                    scratch, bytes, from.get(), values.get(), (int64_t)(n / 2), from.get() + n / 2,
                    values.get() + n / 2, (int64_t)(n / 2), to.get(), values_to.get(), less{});
            },
            [&]() -> std::string {
                const std::vector<uint32_t> after = to.download();
                for (size_t i = 0; i < n; ++i)
                    if (after[i] != keys[wanted[i]])
                        return "keys are not those that are next";
                return peer::difference(values_to.download(), wanted, n);
            });
    });
}

/* ---- select ---------------------------------------------------------------- */

enum { TOP = 1000 }; /* elements are below this */

/* The elements, and which of them come out. */
struct selection {
    std::vector<uint32_t> in;
    std::vector<uint8_t> flags;

    /* Elements below `part` are wanted. */
    selection(size_t n, uint32_t part) : in(n), flags(n)
    {
        uint64_t state = BENCH_SEED;
        for (size_t i = 0; i < n; ++i) {
            in[i] = (uint32_t)((bench_random(&state) >> 33) % TOP);
            flags[i] = in[i] < part;
        }
    }

    /* Runs of that length. */
    explicit selection(size_t n, size_t length) : in(n), flags(n)
    {
        for (size_t i = 0; i < n; ++i) {
            in[i] = (uint32_t)(i / length);
            flags[i] = i % length == 0;
        }
    }

    std::vector<uint32_t> kept(size_t n, uint8_t flag = 1) const
    {
        std::vector<uint32_t> list;
        for (size_t i = 0; i < n; ++i)
            if (flags[i] == flag)
                list.push_back(in[i]);
        return list;
    }
};

struct below {
    uint32_t limit;
    __host__ __device__ bool operator()(uint32_t x) const
    {
        return x < limit;
    }
};

std::string differs(const array<uint32_t> &out, const array<int64_t> &count,
                    const std::vector<uint32_t> &wanted, size_t counted)
{
    if (count.download()[0] != (int64_t)counted)
        return "the count is wrong";
    return peer::difference(out.download(), wanted, wanted.size());
}

enum way { BY_PREDICATE, BY_FLAGS, IN_TWO_PARTS };

void select(peer::bench &b, const std::string &variant, uint32_t part, way how)
{
    const std::vector<size_t> sizes = b.matches(variant) ? b.sizes(10, 28, 2) : b.sizes(1, 0);
    const selection all(sizes.empty() ? 0 : sizes.back(), part);
    run_sizes(b, "select", variant, sizes, [&](size_t n) {
        std::vector<uint32_t> wanted = all.kept(n);
        const size_t kept = wanted.size();
        array<uint32_t> from(all.in, n), to(n);
        array<uint8_t> flags(all.flags, how == BY_FLAGS ? n : 0);
        array<int64_t> count(1);
        if (how == IN_TWO_PARTS) { /* the second part is reversed */
            const std::vector<uint32_t> rest = all.kept(n, 0);
            wanted.insert(wanted.end(), rest.rbegin(), rest.rend());
        }
        to.spoil();
        run_case(
            b, "select", variant, n,
            (how == BY_FLAGS ? 5.0 : 4.0) * (double)n + 4.0 * (double)wanted.size(),
            [&](void *scratch, size_t &bytes) {
                return how == IN_TWO_PARTS
                           ? cub::DevicePartition::If(scratch, bytes, from.get(), to.get(),
                                                      count.get(), (int64_t)n, below{part})
                       : how == BY_FLAGS
                           ? cub::DeviceSelect::Flagged(scratch, bytes, from.get(), flags.get(),
                                                        to.get(), count.get(), (int64_t)n)
                           : cub::DeviceSelect::If(scratch, bytes, from.get(), to.get(),
                                                   count.get(), (int64_t)n, below{part});
            },
            [&] { return differs(to, count, wanted, kept); });
    });
}

void unique(peer::bench &b, size_t length)
{
    const std::string variant = "u32, unique, runs of " + std::to_string(length);
    const std::vector<size_t> sizes = b.matches(variant) ? b.sizes(10, 28, 2) : b.sizes(1, 0);
    const selection all(sizes.empty() ? 0 : sizes.back(), length);
    run_sizes(b, "select", variant, sizes, [&](size_t n) {
        const std::vector<uint32_t> wanted = all.kept(n);
        array<uint32_t> from(all.in, n), to(n);
        array<int64_t> count(1);
        to.spoil();
        run_case(
            b, "select", variant, n, 4.0 * (double)(n + wanted.size()),
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceSelect::Unique(scratch, bytes, from.get(), to.get(), count.get(),
                                                 (int64_t)n);
            },
            [&] { return differs(to, count, wanted, wanted.size()); });
    });
}

void run_lengths(peer::bench &b, size_t length)
{
    const std::string variant = "u32, run lengths, runs of " + std::to_string(length);
    const std::vector<size_t> sizes = b.matches(variant) ? b.sizes(10, 28, 2) : b.sizes(1, 0);
    const selection all(sizes.empty() ? 0 : sizes.back(), length);
    run_sizes(b, "select", variant, sizes, [&](size_t n) {
        const std::vector<uint32_t> wanted = all.kept(n);
        const size_t runs = wanted.size();
        std::vector<uint32_t> lengths(runs, (uint32_t)length);
        lengths[runs - 1] = (uint32_t)(n - (runs - 1) * length);
        array<uint32_t> from(all.in, n), to(n), lengths_to(n);
        array<int64_t> count(1);
        to.spoil();
        lengths_to.spoil();
        run_case(
            b, "select", variant, n, 4.0 * (double)(n + 2 * runs),
            [&](void *scratch, size_t &bytes) {
                return cub::DeviceRunLengthEncode::Encode(scratch, bytes, from.get(), to.get(),
                                                          lengths_to.get(), count.get(),
                                                          (int64_t)n);
            },
            [&]() -> std::string {
                const std::string why = differs(to, count, wanted, runs);
                return why.empty() ? peer::difference(lengths_to.download(), lengths, runs) : why;
            });
    });
}

/* ---- histogram ------------------------------------------------------------- */

enum pattern { RANDOM, EQUAL, HALF };

/* Bins of one width, by that width or by their levels. */
template <class T>
void histogram(peer::bench &b, const std::string &variant, size_t bins, pattern p,
               bool by_levels = false)
{
    std::vector<T> levels(bins + 1);
    for (size_t k = 0; k <= bins; ++k)
        levels[k] = (T)k;
    run_sizes(b, "histogram", variant, b.sizes(16, 28, 4), [&](size_t n) {
        std::vector<T> in(n);
        std::vector<uint32_t> wanted(bins);
        uint64_t state = BENCH_SEED;
        for (size_t i = 0; i < n; ++i) {
            const uint64_t x = bench_random(&state);
            const size_t k = p == EQUAL || (p == HALF && x >> 63) ? bins / 3 : (x >> 32) % bins;
            in[i] = (T)((double)k + (T(0.5) != T(0) ? 0.5 : 0));
            ++wanted[k];
        }
        array<T> from(in, n), bounds(levels, bins + 1);
        array<uint32_t> to(bins);
        to.spoil();
        using level = typename std::conditional<sizeof(T) == 1, int, T>::type;
        run_case(
            b, "histogram", variant, n, (double)sizeof(T) * (double)n,
            [&](void *scratch, size_t &bytes) {
                return by_levels
                           ? cub::DeviceHistogram::HistogramRange(scratch, bytes, from.get(),
                                                                  to.get(), (int)bins + 1,
                                                                  bounds.get(), (int64_t)n)
                           : cub::DeviceHistogram::HistogramEven(scratch, bytes, from.get(),
                                                                 to.get(), (int)bins + 1, level(0),
                                                                 level(bins), (int64_t)n);
            },
            [&] { return peer::difference(to.download(), wanted, bins); });
    });
}

/* ---- the program ----------------------------------------------------------- */

void run(peer::bench &b)
{
    b.time_copies = [&b](size_t n) { time_copies(b, n); };
    if (b.wants("scan")) {
        scan<uint32_t>(b, "u32 exclusive sum");
        scan<float>(b, "f32 exclusive sum");
        scan<int64_t>(b, "i64 exclusive sum");
        for (size_t run : {1, 32, 1000, 0})
            scan_by_key(b, run);
    }
    if (b.wants("reduce")) {
        reduce(b);
        for (size_t length : {1, 8, 32, 100, 1000})
            reduce_segments(b, length);
    }
    if (b.wants("sort")) {
        sort_keys<uint32_t>(b, "u32 keys");
        sort_keys<uint64_t>(b, "u64 keys");
        sort_pairs(b, "u32,u32 pairs", 32);
        sort_pairs(b, "u32,u32 pairs, 17 bits", 17);
        for (size_t length : {1, 8, 32, 100, 1000, 1500, 100000})
            sort_segments(b, length);
        sort_by_comparator<uint32_t>(b, "u32 keys, by a comparator", sort_sizes(b));
        sort_by_comparator<uint64_t>(b, "u64 keys, by a comparator", b.sizes(24, 24));
    }
    if (b.wants("merge")) {
        merge(b);
        merge_pairs(b);
    }
    if (b.wants("select")) {
        select(b, "u32, 50 % kept", 500, BY_PREDICATE);
        select(b, "u32, 1 % kept", 10, BY_PREDICATE);
        select(b, "u32, 99 % kept", 990, BY_PREDICATE);
        select(b, "u32, 50 % kept, by flags", 500, BY_FLAGS);
        select(b, "u32, two parts, 50 % (second reversed)", 500, IN_TWO_PARTS);
        unique(b, 32);
        for (size_t length : {1, 32, 1000})
            run_lengths(b, length);
    }
    if (b.wants("histogram")) {
        histogram<uint8_t>(b, "u8 keys, 256 bins", 256, RANDOM);
        histogram<uint8_t>(b, "u8 keys, 256 bins, one taken", 256, EQUAL);
        histogram<uint32_t>(b, "u32 keys, 256 bins", 256, RANDOM);
        histogram<uint32_t>(b, "u32 keys, 256 bins, one taken", 256, EQUAL);
        histogram<uint32_t>(b, "u32 keys, 256 bins, half in one", 256, HALF);
        for (int log : {13, 14, 16, 20})
            histogram<uint32_t>(b, "u32 keys, 2^" + std::to_string(log) + " bins", (size_t)1 << log,
                                RANDOM);
        histogram<uint32_t>(b, "u32 keys, 2^20 bins, one taken", 1 << 20, EQUAL);
        histogram<uint32_t>(b, "u32 keys, 2^20 bins, half in one", 1 << 20, HALF);
        histogram<float>(b, "f32 in 256 bins of one width", 256, RANDOM);
        histogram<uint32_t>(b, "u32 in 1000 bins of one width", 1000, RANDOM);
        histogram<float>(b, "f32 between 257 levels", 256, RANDOM, true);
    }
}

std::string dotted(int version) /* 13020 is 13.2 */
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace

int main(int argc, char **argv)
{
    peer::bench b("CUB", {"scan", "reduce", "sort", "merge", "select", "histogram"}, argc, argv);
    try {
        cudaDeviceProp device;
        int driver = 0;
        TRY(cudaGetDeviceProperties(&device, 0));
        TRY(cudaDriverGetVersion(&driver));
        const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                    std::to_string(CUB_MINOR_VERSION) + "." +
                                    std::to_string(CUB_SUBMINOR_VERSION);
        const std::string platform = "CUDA " + dotted(CUDART_VERSION);
        const std::string driver_text = "for CUDA " + dotted(driver);
        bench_place place = {};
        place.version = version.c_str();
        place.device = device.name;
        place.platform = platform.c_str();
        place.driver = driver_text.c_str();
        b.print_head(place);
        run(b);
        return b.finish(place);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
        return 1;
    }
}
