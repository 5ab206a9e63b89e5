/* SPDX-License-Identifier: MIT
 * Peer of the sort's benchmark: CUB's radix sort of (u32, u32) pairs, on 17 and on 32
 * bits, at the same sizes, verified before it is timed. Never needed to build or test.
 *
 *   nvcc -O3 -o cub_sort cub_sort.cu && ./cub_sort [log2 of the largest n]
 *
 * Prints one JSON object per line, as the benchmark's file holds them: device_ms is the
 * median between two events around one call, wall_ms the time per call in a loop of 100
 * with one wait at the end. */
#include <cub/cub.cuh>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t code = (call);                                                                 \
        if (code != cudaSuccess) {                                                                 \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code));                     \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

struct job {
    uint32_t *keys_in, *keys_out, *values_in, *values_out;
    void *scratch;
    size_t scratch_bytes;
    int n, bits;
};

static void enqueue(job &j)
{
    TRY(cub::DeviceRadixSort::SortPairs(j.scratch, j.scratch_bytes, j.keys_in, j.keys_out,
                                        j.values_in, j.values_out, j.n, 0, j.bits));
}

static std::vector<uint32_t> random_keys(size_t n, int bits)
{
    std::vector<uint32_t> keys(n);
    uint64_t state = 88172645463325252u;
    for (uint32_t &key : keys) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        key = (uint32_t)(state >> 20) & (bits == 32 ? ~0u : (1u << bits) - 1u);
    }
    return keys;
}

static void verify(const job &j, const std::vector<uint32_t> &before)
{
    std::vector<uint32_t> keys(j.n), values(j.n);
    std::vector<char> seen(j.n);
    TRY(cudaMemcpy(keys.data(), j.keys_out, 4u * j.n, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(values.data(), j.values_out, 4u * j.n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < j.n; ++i)
        if ((i > 0 && keys[i - 1] > keys[i]) || values[i] >= (uint32_t)j.n || seen[values[i]]++ ||
            before[values[i]] != keys[i]) {
            std::fprintf(stderr, "wrong result for n = %d at %d\n", j.n, i);
            std::exit(1);
        }
}

static double device_ms(job &j)
{
    std::vector<float> times(31);
    cudaEvent_t begin, end;
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    for (float &t : times) {
        TRY(cudaEventRecord(begin));
        enqueue(j);
        TRY(cudaEventRecord(end));
        TRY(cudaEventSynchronize(end));
        TRY(cudaEventElapsedTime(&t, begin, end));
    }
    std::sort(times.begin(), times.end());
    TRY(cudaEventDestroy(begin));
    TRY(cudaEventDestroy(end));
    return times[times.size() / 2];
}

static double wall_ms(job &j)
{
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i)
        enqueue(j);
    TRY(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin;
    return spent.count() / 100;
}

static void run(int n, int bits)
{
    job j = {};
    j.n = n;
    j.bits = bits;
    const std::vector<uint32_t> keys = random_keys(n, bits);
    std::vector<uint32_t> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = (uint32_t)i;
    uint32_t **const arrays[] = {&j.keys_in, &j.keys_out, &j.values_in, &j.values_out};
    for (uint32_t **array : arrays)
        TRY(cudaMalloc((void **)array, 4u * n));
    TRY(cudaMemcpy(j.keys_in, keys.data(), 4u * n, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(j.values_in, values.data(), 4u * n, cudaMemcpyHostToDevice));
    enqueue(j); /* without scratch: asks how much it needs */
    TRY(cudaMalloc(&j.scratch, j.scratch_bytes));
    for (int i = 0; i < 3; ++i)
        enqueue(j);
    TRY(cudaDeviceSynchronize());
    verify(j, keys);
    const double device = device_ms(j);
    std::printf("{\"name\": \"sort\", \"variant\": \"cub radix pairs u32,u32 %d bits\", \"n\": %d, "
                "\"device_ms\": %.5f, \"wall_ms\": %.5f}\n",
                bits, n, device, wall_ms(j));
    for (uint32_t **array : arrays)
        TRY(cudaFree(*array));
    TRY(cudaFree(j.scratch));
}

int main(int argc, char **argv)
{
    const int largest = argc > 1 ? std::atoi(argv[1]) : 22;
    const int bits[] = {17, 32};
    for (int b : bits)
        for (int log = 10; log <= largest; ++log)
            run(1 << log, b);
    return 0;
}
