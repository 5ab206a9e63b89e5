/* SPDX-License-Identifier: MIT
 * Peer: neighbour lists by nanoflann's k-d tree on the host's cores: the tree, a search for each
 * point, rows put into ascending order, and the offsets; compared with the benchmark's own cell
 * list. Needs nanoflann: libnanoflann-dev.
 *
 *   cc -O3 -march=native -ffp-contract=off -fopenmp -c test/bench/bench_c[el]*.c
 * test/bench/bench_result.c
 *   c++ -O3 -march=native -ffp-contract=off -fopenmp -std=c++17 -Itest/bench -o peer-nanoflann \
 *       test/bench/peers/nanoflann_host.cpp bench_cells.o bench_clouds.o bench_result.o
 *   ./peer-nanoflann [--json FILE] [--cloud FILE.npy:RADIUS] [--quick] [--progress] */
#include "bench_cells.h"
#include "bench_clouds.h"
#include "peer.hpp"

#include <nanoflann.hpp>

#include <algorithm>
#include <memory>

namespace
{

struct cloud {
    const float *points;
    size_t n;
    float radius;

    size_t kdtree_get_point_count() const
    {
        return n;
    }
    float kdtree_get_pt(size_t i, size_t axis) const
    {
        return points[3 * i + axis];
    }
    template <class Box> bool kdtree_get_bbox(Box &) const
    {
        return false;
    }
};

using tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, cloud>, cloud,
                                                 3, uint32_t>;

// Takes the points within the radius, except the query itself.
class row
{
  public:
    using DistanceType = float;

    row(float radius2, uint32_t self, std::vector<uint32_t> &list)
        : radius2_(radius2), self_(self), list_(list)
    {
    }
    bool addPoint(float distance2, uint32_t index)
    {
        if (distance2 < radius2_ && index != self_)
            list_.push_back(index);
        return true;
    }
    float worstDist() const
    {
        return radius2_;
    }
    bool full() const
    {
        return true;
    }
    size_t size() const
    {
        return list_.size();
    }

  private:
    const float radius2_;
    const uint32_t self_;
    std::vector<uint32_t> &list_;
};

struct lists {
    std::vector<uint64_t> offsets;
    std::vector<uint32_t> indices;
};

// One core searches for the neighbours of PART points; then the lists of all parts are joined.
enum { PART = 4096 };

void find(const cloud &c, lists &out)
{
    const tree t(3, c, nanoflann::KDTreeSingleIndexAdaptorParams(16));
    const size_t parts = (c.n + PART - 1) / PART;
    std::vector<std::vector<uint32_t>> found(parts);
    out.offsets.resize(c.n + 1);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t part = 0; part < parts; ++part) {
        std::vector<uint32_t> &list = found[part];
        for (size_t i = part * PART; i < std::min(c.n, (part + 1) * PART); ++i) {
            const std::ptrdiff_t first = (std::ptrdiff_t)list.size();
            row r(c.radius * c.radius, (uint32_t)i, list);
            t.findNeighbors(r, c.points + 3 * i, nanoflann::SearchParams());
            std::sort(list.begin() + first, list.end());
            out.offsets[i + 1] = list.size() - (size_t)first;
        }
    }
    out.offsets[0] = 0;
    for (size_t i = 0; i < c.n; ++i)
        out.offsets[i + 1] += out.offsets[i];
    out.indices.resize(out.offsets[c.n]);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t part = 0; part < parts; ++part)
        std::copy(found[part].begin(), found[part].end(),
                  out.indices.begin() + (std::ptrdiff_t)out.offsets[part * PART]);
}

void time_copies(peer::bench &b, size_t n)
{
    std::vector<uint32_t> in(n, 1), out(n);
    peer::timed_call copy([&] { std::copy(in.begin(), in.end(), out.begin()); });
    b.time(nullptr, "copy", "std::copy", n, 8.0 * (double)n, copy);
}

void run(peer::bench &b, const std::string &program, const char *variant, float *points, size_t n,
         float radius)
{
    const std::unique_ptr<float, decltype(&std::free)> owned(points, &std::free);
    if (!points || !b.matches(variant))
        return;
    const cloud c = {points, n, radius};
    lists got, wanted;
    b.start(program.c_str(), "lists", variant, n);
    find(c, got);
    wanted.offsets.resize(n + 1);
    wanted.indices.resize(got.indices.size());
    const bool fits = bench_cells(points, n, radius, wanted.offsets.data(), wanted.indices.data(),
                                  wanted.indices.size(), 1) >= 0;
    std::string why = fits ? peer::difference(got.offsets, wanted.offsets, n + 1)
                           : "the cell list has other pairs";
    if (why.empty())
        why = peer::difference(got.indices, wanted.indices, got.indices.size());
    peer::timed_call t([&] { find(c, got); });
    const double bytes = 20 * (double)n + 4 * (double)got.indices.size();
    b.time_or_wrong(program.c_str(), "lists", variant, n, bytes, why, t);
}

} // namespace

int main(int argc, char **argv)
{
    peer::bench b("nanoflann", {"lists"}, argc, argv);
    const std::string cores = std::to_string(bench_cells_threads()) + " cores";
    const std::string program = "nanoflann on " + cores;
    bench_place place = {};
    place.version = "nanoflann";
    place.device = cores.c_str();
    place.platform = "host";
    place.driver = "none";
    b.print_head(place);
    b.time_copies = [&b](size_t n) { time_copies(b, n); };
    size_t n = 0;
    float radius = 0;
    float *points = bench_list_uniform(&n, &radius);
    run(b, program, "uniform", points, n, radius);
    points = bench_list_sheet(&n, &radius);
    run(b, program, "sheet", points, n, radius);
    if (b.cloud()) {
        points = bench_cloud_of_file(b.cloud(), &n, &radius);
        run(b, program, "of a file", points, n, radius);
    }
    return b.finish(place);
}
