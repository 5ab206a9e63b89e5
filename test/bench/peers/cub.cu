/* SPDX-License-Identifier: MIT
 * Peer: CUB's scans, reductions and sorts on the cases of the benchmark. Needs CUDA's
 * toolkit (tried: 13.0) and one of its GPUs; the library needs neither.
 *
 *   nvcc -O3 -std=c++17 -arch=native -Itest/bench -o peer-cub test/bench/peers/cub.cu \
 *        test/bench/bench_result.c
 *   ./peer-cub [--only NAME] [--max-n 2^K] [--json FILE] [--quick] [--progress] */
#include "peer.hpp"

#include <cub/cub.cuh>

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
    const std::string why = fault();
    if (!why.empty()) {
        b.wrong(nullptr, name, variant, n, why);
        return;
    }
    timed<decltype(enqueue)> t(enqueue);
    b.time(nullptr, name, variant, n, bytes, t);
}

/* Runs each size up to the first that does not fit the memory. */
template <class Run>
void run_sizes(const char *name, const std::string &variant, const std::vector<size_t> &sizes,
               Run run)
{
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
    run_sizes("scan", variant, sizes, [&](size_t n) {
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
    run_sizes("scan", variant, sizes, [&](size_t n) {
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
    run_sizes("reduce", variant, sizes, [&](size_t n) {
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
    run_sizes("reduce", variant, sizes, [&](size_t n) {
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
    uint64_t state = 88172645463325252u;
    for (Key &key : keys) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        key = (Key)(state >> (64 - bits));
    }
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
    run_sizes("sort", variant, sort_sizes(b), [&](size_t n) {
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
    run_sizes("sort", variant, sort_sizes(b), [&](size_t n) {
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
    }
}

std::string dotted(int version) /* 13020 is 13.2 */
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace

int main(int argc, char **argv)
{
    peer::bench b("CUB", {"scan", "reduce", "sort"}, argc, argv);
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
