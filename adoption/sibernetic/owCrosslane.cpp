/* SPDX-License-Identifier: MIT
 * Replaces the sort and the index of Sibernetic's owOpenCLSolver by calls of Crosslane. apply.sh
 * copies this file into src/ and disables the functions that it replaces. */
#ifdef USE_CROSSLANE
#include "owOpenCLSolver.h"

#include <crosslane/crosslane.h>

#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

/* The plans for one OpenCL context, and the arrays that Sibernetic's classes lack. */
struct Plans {
  cl_context owner = nullptr;
  xl_context *context = nullptr;
  xl_plan *sort = nullptr, *cells = nullptr, *search = nullptr;
  cl::Buffer keys, queries; /* the cell of each particle in order; 0, 1, ..., number of cells */
  size_t num_keys = 0, num_queries = 0;

  ~Plans() {
    xl_plan_destroy(sort);
    xl_plan_destroy(cells);
    xl_plan_destroy(search);
    xl_context_destroy(context);
  }
  void check(xl_status status) const {
    if (status != XL_SUCCESS)
      throw std::runtime_error(std::string("Crosslane: ") + xl_context_error(context));
  }
};

Plans &plans_of(const cl::Context &context, const cl::CommandQueue &queue) {
  static std::unique_ptr<Plans> plans;
  if (plans && plans->owner == context())
    return *plans;
  plans.reset(new Plans);
  plans->owner = context();
  plans->check(
      xl_context_adopt(context(), queue.getInfo<CL_QUEUE_DEVICE>()(), nullptr, &plans->context));

  /* A pair (cell, particle) is one u64 with the cell in its low half. Equal cells keep the order of
   * their particles, as in a stable qsort. */
  xl_sort_desc sort;
  xl_sort_desc_init(&sort);
  sort.key = XL_U64;
  sort.end_bit = 32;
  sort.stable = 1;
  plans->check(xl_sort_create(plans->context, &sort, &plans->sort));

  xl_transform_desc cells;
  xl_transform_desc_init(&cells);
  cells.types[0] = XL_U64;
  cells.out_type = XL_U32;
  cells.expression = "(uint)x";
  plans->check(xl_transform_create(plans->context, &cells, &plans->cells));

  /* The first particle whose cell is not below c: the start of cell c, or of the next one that is
   * not empty. */
  xl_search_desc search;
  xl_search_desc_init(&search);
  search.index = XL_U32;
  plans->check(xl_search_create(plans->context, &search, &plans->search));
  return *plans;
}

} // namespace

void owOpenCLSolver::_runSort(owConfigProperty *config) {
  Plans &plans = plans_of(context, queue);
  xl_sort_args args = {};
  args.n = config->getParticleCount();
  args.keys_in = args.keys_out = xl_view_of(particleIndex(), 0);
  plans.check(xl_sort_enqueue(plans.sort, queue(), &args, 0, nullptr, nullptr));
  queue.finish();
}

unsigned int owOpenCLSolver::_runIndexx(owConfigProperty *config) {
  Plans &plans = plans_of(context, queue);
  const size_t n = config->getParticleCount(), m = config->gridCellCount + 1;
  if (plans.num_keys != n) {
    plans.keys = cl::Buffer(context, CL_MEM_READ_WRITE, n * sizeof(cl_uint));
    plans.num_keys = n;
  }
  if (plans.num_queries != m) {
    std::vector<cl_uint> numbers(m);
    std::iota(numbers.begin(), numbers.end(), 0);
    plans.queries = cl::Buffer(context, CL_MEM_READ_WRITE, m * sizeof(cl_uint));
    copy_buffer_to_device(numbers.data(), plans.queries, m * sizeof(cl_uint));
    plans.num_queries = m;
  }
  xl_transform_args cells = {};
  cells.n = n;
  cells.in[0] = xl_view_of(particleIndex(), 0);
  cells.out[0] = xl_view_of(plans.keys(), 0);
  plans.check(xl_transform_enqueue(plans.cells, queue(), &cells, 0, nullptr, nullptr));

  xl_search_args search = {};
  search.n = n;
  search.num_queries = m;
  search.keys = xl_view_of(plans.keys(), 0);
  search.queries = xl_view_of(plans.queries(), 0);
  search.indices_out = xl_view_of(gridCellIndexFixedUp(), 0);
  plans.check(xl_search_enqueue(plans.search, queue(), &search, 0, nullptr, nullptr));
  queue.finish();
  return CL_SUCCESS;
}

/* The search has already given empty cells the start of the next cell. */
void owOpenCLSolver::_runIndexPostPass(owConfigProperty *) {}
#endif
