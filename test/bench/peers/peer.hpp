// SPDX-License-Identifier: MIT
// The frame of a program that times another library on the benchmark's cases: same
// options, sizes, inputs, wording, protocol and file; results verified before timing.
#ifndef XL_BENCH_PEER_HPP
#define XL_BENCH_PEER_HPP

#include "bench_result.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer
{

// Random bits; of f32 small multiples of a half, whose sums do not depend on their order.
inline void convert(uint64_t x, float &to)
{
    to = (float)(x >> 40 & 7) - 3.5f;
}
inline void convert(uint64_t x, int32_t &to)
{
    to = (int32_t)(x >> 32 & 255) - 100; // no overflow at any size
}
inline void convert(uint64_t x, uint32_t &to)
{
    to = (uint32_t)(x >> 32);
}
inline void convert(uint64_t x, int64_t &to)
{
    to = (int64_t)(x >> 32) - 2147483648; // both signs, no overflow at any size
}

template <class T> std::vector<T> random_input(size_t n)
{
    std::vector<T> values(n);
    uint64_t x = BENCH_SEED;
    for (T &value : values)
        convert(bench_random(&x), value);
    return values;
}

// Running sums, begun anew at every multiple of `run` elements. Those of the first n
// elements are the first n of these, so one reference serves every size.
template <class T> std::vector<T> exclusive_sums(const std::vector<T> &in, size_t run = (size_t)-1)
{
    std::vector<T> sums(in.size());
    T sum = 0;
    for (size_t i = 0; i < in.size(); ++i) {
        if (i % run == 0)
            sum = 0;
        sums[i] = sum;
        sum = (T)(sum + in[i]);
    }
    return sums;
}

// "" or where the first n elements differ.
template <class T>
std::string difference(const std::vector<T> &got, const std::vector<T> &wanted, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!(got[i] == wanted[i]))
            return "differs from the serial reference at " + std::to_string(i);
    return "";
}

template <class T> std::vector<T> ones_complement(size_t n) // unlikely as a result
{
    std::vector<T> values(n);
    if (n > 0)
        std::memset(values.data(), 0xA5, n * sizeof(T));
    return values;
}

// A function of the host: the protocol's rows and loops.
template <class Call> class timed_call
{
  public:
    explicit timed_call(Call call) : call_(call)
    {
    }
    double row(unsigned calls)
    {
        call_();
        return wall(calls - 1) * 1e-3;
    }
    double wall(unsigned calls)
    {
        const double start = bench_now();
        for (unsigned i = 0; i < calls; ++i)
            call_();
        return (bench_now() - start) / calls * 1e6;
    }

  private:
    Call call_;
};

class bench
{
  public:
    // Ends the process with 2 for a wrong option. `names`: what --only may name.
    bench(const char *program, const std::vector<const char *> &names, int argc, char **argv)
    {
        results_.program = program;
        options_.max_n = (size_t)1 << 28;
        if (!bench_parse(argc, argv, names.data(), names.size(), &options_))
            std::exit(2);
    }
    ~bench()
    {
        std::free(results_.list);
    }
    bench(const bench &) = delete;
    bench &operator=(const bench &) = delete;

    // Times the copies of n 4-byte elements, by time(); needed before the first case.
    std::function<void(size_t n)> time_copies;

    bool wants(const char *name) const
    {
        return bench_has_part(&options_, name);
    }

    bool matches(const std::string &variant) const
    {
        return bench_matches(&options_, variant.c_str());
    }

    // 2^first, 2^(first+step), ..., 2^last, as far as --min-n and --max-n let them.
    std::vector<size_t> sizes(unsigned first, unsigned last, unsigned step = 1) const
    {
        std::vector<size_t> list;
        for (unsigned k = first; k <= last && (size_t)1 << k <= options_.max_n; k += step)
            if ((size_t)1 << k >= options_.min_n)
                list.push_back((size_t)1 << k);
        return list;
    }

    // FILE.npy:RADIUS, or NULL.
    const char *cloud() const
    {
        return options_.cloud;
    }

    size_t max_n() const
    {
        return options_.max_n;
    }

    // Says with --progress that a case comes now.
    void start(const char *program, const char *name, const std::string &variant, size_t n) const
    {
        bench_start(&options_, program ? program : results_.program, name, variant.c_str(), n);
    }

    // Times `call`, which has double row(unsigned) and double wall(unsigned) as bench_row
    // and bench_wall do, and files the times. `program`: NULL, or another than the run's.
    template <class Call>
    void time(const char *program, const char *name, const std::string &variant, size_t n,
              double bytes, Call &call)
    {
        bench_result times = {};
        if (!bench_measure(
                &times, bench_runs(&options_),
                [](void *user, unsigned calls) { return static_cast<Call *>(user)->row(calls); },
                [](void *user, unsigned calls) { return static_cast<Call *>(user)->wall(calls); },
                &call)) {
            wrong(program, name, variant, n, "a call failed");
            return;
        }
        times.n = n;
        times.bytes = bytes;
        times.copy_ms = std::strcmp(name, "copy") == 0 ? 0 : copy(bytes);
        show(bench_add_times(&results_, program ? program : results_.program, name, variant.c_str(),
                             &times));
    }

    // Times a right result, or files its fault: `why` is "" or the fault.
    template <class Call>
    void time_or_wrong(const char *program, const char *name, const std::string &variant, size_t n,
                       double bytes, const std::string &why, Call &call)
    {
        if (why.empty())
            time(program, name, variant, n, bytes, call);
        else
            wrong(program, name, variant, n, why);
    }

    void wrong(const char *program, const char *name, const std::string &variant, size_t n,
               const std::string &why)
    {
        bench_result *r =
            bench_add(&results_, program ? program : results_.program, name, variant.c_str(), n);
        std::snprintf(r->wrong, sizeof r->wrong, "%s", why.c_str());
        results_.wrong = true;
        show(r);
    }

    // `place` has to live as long as results come.
    void print_head(const bench_place &place)
    {
        place_ = &place;
        std::printf("device %s, %s, driver %s, %s\n", place.device, place.platform, place.driver,
                    place.version);
        bench_print_columns();
    }

    // Writes the file; the exit status of the program.
    int finish(const bench_place &place)
    {
        place_ = &place;
        const bool written = write();
        return results_.wrong || !written;
    }

  private:
    bench_options options_ = {};
    bench_results results_ = {};
    const bench_place *place_ = nullptr;

    bool write() const
    {
        bench_place place = {};
        if (place_)
            place = *place_;
        place.runs = bench_runs(&options_);
        return !options_.json || bench_write_json(&results_, &place, options_.json);
    }

    // Shows a result, and keeps it should the run be stopped.
    void show(const bench_result *r) const
    {
        bench_print(&results_, r);
        (void)write();
    }

    double copy(double bytes)
    {
        const size_t n = (size_t)(bytes / 8);
        if (n < 16)
            return 0;
        if (bench_least_copy(&results_, n) == 0)
            time_copies(n);
        return bench_least_copy(&results_, n);
    }
};

} // namespace peer

#endif
