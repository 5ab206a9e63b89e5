/* SPDX-License-Identifier: MIT
 * The interface for C++17 and later: owners of contexts, plans and indices around the functions of
 * crosslane.h. Sorting n floats in a cl::Buffer or cl_mem:
 *
 *     crosslane::context ctx;
 *     crosslane::sort_desc desc;
 *     desc.key = XL_F32;
 *     crosslane::sort_plan sort(ctx, desc);
 *     xl_sort_args args{};
 *     args.n = n;
 *     args.keys_in = args.keys_out = crosslane::view(buffer);
 *     sort.enqueue(queue, args);
 *
 * A class adds no behaviour to the C functions of its name: their comments are the reference. It
 * creates no queue, and allocates nothing besides the object of C that it owns. Descriptors X_desc
 * begin with their defaults; arguments are the structures of C. Owners may be moved and not copied,
 * and an owner that was moved from is empty.
 *
 * Errors: a call that fails throws crosslane::error, or terminates if exceptions are disabled. If
 * the last parameter, xl_status *status, is not NULL, the call stores the status there and does not
 * throw. So the choice belongs to each call: a macro would give one function two definitions, and
 * two overloads would double the interface. After a failure a constructed object is empty.
 *
 * OpenCL objects are given as cl_* or as any object whose get() returns that, such as those of
 * CL/opencl.hpp or Boost.Compute. */
#ifndef CROSSLANE_CROSSLANE_HPP
#define CROSSLANE_CROSSLANE_HPP

#include <crosslane/crosslane.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace crosslane
{

/* The failure of a call; what() is the status and the text of xl_context_error(). */
class error : public std::runtime_error
{
  public:
    error(xl_status status, xl_context *ctx)
        : std::runtime_error(std::string(xl_status_name(status)) + ": " + xl_context_error(ctx)),
          status_(status)
    {
    }
    xl_status status() const noexcept
    {
        return status_;
    }

  private:
    xl_status status_;
};

/* A parameter that is a C handle, or an object whose get() returns one. Borrowed. */
template <typename H> class handle
{
  public:
    handle(H value) noexcept : value_(value)
    {
    }
    template <typename T, typename = std::enable_if_t<
                              std::is_convertible_v<decltype(std::declval<const T &>().get()), H>>>
    handle(const T &object) noexcept : value_(object.get())
    {
    }
    operator H() const noexcept
    {
        return value_;
    }

  private:
    H value_;
};

namespace detail
{

inline void destroy(xl_context *object) noexcept
{
    xl_context_destroy(object);
}
inline void destroy(xl_plan *object) noexcept
{
    xl_plan_destroy(object);
}
inline void destroy(xl_grid_index *object) noexcept
{
    xl_grid_index_destroy(object);
}
inline void destroy(cl_event object) noexcept
{
    clReleaseEvent(object);
}
inline void destroy(cl_program object) noexcept
{
    clReleaseProgram(object);
}

inline void check(xl_status result, xl_context *ctx, xl_status *status)
{
    if (status)
        *status = result;
    else if (result != XL_SUCCESS)
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
        throw error(result, ctx);
#else
        std::terminate();
#endif
    (void)ctx;
}

} // namespace detail

/* Owns a C object: H is a pointer type. */
template <typename H> class owner
{
  public:
    owner() = default;
    explicit owner(H object) noexcept : object_(object)
    {
    }
    owner(owner &&other) noexcept : object_(other.release())
    {
    }
    owner &operator=(owner &&other) noexcept
    {
        if (this != &other)
            reset(other.release());
        return *this;
    }
    ~owner()
    {
        reset();
    }

    /* Borrowed; NULL if empty. */
    H get() const noexcept
    {
        return object_;
    }
    explicit operator bool() const noexcept
    {
        return object_ != nullptr;
    }
    /* Gives the object to the caller. */
    H release() noexcept
    {
        return std::exchange(object_, nullptr);
    }
    void reset(H object = nullptr) noexcept
    {
        if (object_)
            detail::destroy(object_);
        object_ = object;
    }
    /* Destroys the object, and returns the place where a C function may store another one. */
    H *put() noexcept
    {
        reset();
        return &object_;
    }

  private:
    H object_ = nullptr;
};

/* plan.enqueue(queue, args, {}, e.put()) stores the event of a call in an event e. */
using event = owner<cl_event>;

/* Part of a buffer: xl_view_n(), and xl_view_of() if count is 0. */
inline xl_view view(handle<cl_mem> buffer, std::size_t offset = 0, std::size_t count = 0) noexcept
{
    return xl_view_n(buffer, offset, count);
}

/* The events that a call waits for: none, {}; one; an array; or a container that is contiguous. An
 * element is a cl_event, crosslane::event or cl::Event. Borrowed until the call returns. */
class waits
{
    template <typename E>
    using if_event = std::enable_if_t<std::is_convertible_v<const E &, handle<cl_event>>>;
    template <typename C>
    using element =
        std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const C &>().data())>>;

  public:
    waits() = default;
    template <typename E, typename = if_event<E>> waits(const E &one) noexcept : waits(&one, 1)
    {
    }
    template <typename E, std::size_t N, typename = if_event<E>>
    waits(const E (&events)[N]) noexcept : waits(events, N)
    {
    }
    template <typename C, typename = if_event<element<C>>, typename = void>
    waits(const C &events) noexcept : waits(events.data(), events.size())
    {
    }
    template <typename E>
    waits(const E *events, std::size_t num) noexcept
        : num_(static_cast<cl_uint>(num)),
          events_(num ? reinterpret_cast<const cl_event *>(events) : nullptr)
    {
        static_assert(sizeof(E) == sizeof(cl_event) && std::is_standard_layout_v<E>,
                      "an element must have the layout of a cl_event");
    }
    cl_uint num() const noexcept
    {
        return num_;
    }
    const cl_event *events() const noexcept
    {
        return events_;
    }

  private:
    cl_uint num_ = 0;
    const cl_event *events_ = nullptr;
};

/* crosslane/context.h */

struct context_desc : xl_context_desc {
    context_desc() noexcept : xl_context_desc()
    {
        xl_context_desc_init(this);
    }
};

class context : public owner<xl_context *>
{
  public:
    context() : context(context_desc())
    {
    }
    explicit context(const xl_context_desc &desc, xl_status *status = nullptr)
    {
        detail::check(xl_context_create(&desc, put()), nullptr, status);
    }
    /* xl_context_adopt() */
    context(handle<cl_context> cl, handle<cl_device_id> device,
            const xl_context_desc &desc = context_desc(), xl_status *status = nullptr)
    {
        detail::check(xl_context_adopt(cl, device, &desc, put()), nullptr, status);
    }
    /* Takes ownership of a context of C. */
    explicit context(xl_context *ctx) noexcept : owner(ctx)
    {
    }

    cl_context cl() const noexcept
    {
        return xl_context_cl(get());
    }
    cl_device_id device() const noexcept
    {
        return xl_context_device(get());
    }
    cl_command_queue queue() const noexcept
    {
        return xl_context_queue(get());
    }
    const char *cache() const noexcept
    {
        return xl_context_cache(get());
    }
    const char *last_error() const noexcept
    {
        return xl_context_error(get());
    }
    xl_device_info device_info(xl_status *status = nullptr) const
    {
        xl_device_info info{};
        detail::check(xl_context_device_info(get(), &info), get(), status);
        return info;
    }
    /* visit(const xl_tunable_info &), which must not throw */
    template <typename F> std::uint32_t each_tunable(F &&visit) const
    {
        using function = std::remove_reference_t<F>;
        return xl_tunables_each(
            get(),
            [](void *user, const xl_tunable_info *info) {
                (*static_cast<function *>(user))(*info);
            },
            &visit);
    }
};

/* visit(uint32_t platform, uint32_t device, cl_platform_id, cl_device_id), which must not throw */
template <typename F> std::uint32_t each_device(F &&visit)
{
    using function = std::remove_reference_t<F>;
    return xl_devices_each(
        [](void *user, std::uint32_t platform, std::uint32_t device, cl_platform_id pid,
           cl_device_id did) { (*static_cast<function *>(user))(platform, device, pid, did); },
        &visit);
}

/* crosslane/program.h */
class program : public owner<cl_program>
{
  public:
    program() = default;
    program(handle<xl_context *> ctx, const char *source, const char *options = nullptr,
            xl_status *status = nullptr)
    {
        detail::check(xl_program_create(ctx, source, options, put()), ctx, status);
    }
};

/* crosslane/plan.h. A plan of any primitive. plan(raw) takes ownership of one of C. */
class plan : public owner<xl_plan *>
{
  public:
    using owner::owner;
    /* Borrowed; NULL if empty. */
    xl_context *ctx() const noexcept
    {
        return xl_plan_context(get());
    }
    xl_plan_details info(std::size_t n, xl_status *status = nullptr) const
    {
        xl_plan_details details{};
        detail::check(xl_plan_info(get(), n, &details), ctx(), status);
        return details;
    }
};

namespace detail
{

inline xl_context *context_of(xl_context *ctx) noexcept
{
    return ctx;
}
inline xl_context *context_of(xl_plan *source) noexcept
{
    return xl_plan_context(source);
}

/* Overloads of the functions that all plans have, so that templates may call them. */
#define CROSSLANE_OVERLOADS(X, SOURCE, ARGS)                                                       \
    inline void init(xl_##X##_desc *desc) noexcept                                                 \
    {                                                                                              \
        xl_##X##_desc_init(desc);                                                                  \
    }                                                                                              \
    inline xl_status create(SOURCE *source, const xl_##X##_desc *desc, xl_plan **plan) noexcept    \
    {                                                                                              \
        return xl_##X##_create(source, desc, plan);                                                \
    }                                                                                              \
    inline xl_status scratch(const xl_plan *plan, const ARGS *args, std::size_t *bytes) noexcept   \
    {                                                                                              \
        return xl_##X##_scratch(plan, args, bytes);                                                \
    }
#define CROSSLANE_PRIMITIVE(X)                                                                     \
    CROSSLANE_OVERLOADS(X, xl_context, xl_##X##_args)                                              \
    inline xl_status enqueue(xl_plan *plan, cl_command_queue queue, const xl_##X##_args *args,     \
                             const waits &after, cl_event *done) noexcept                          \
    {                                                                                              \
        return xl_##X##_enqueue(plan, queue, args, after.num(), after.events(), done);             \
    }
CROSSLANE_PRIMITIVE(scan)
CROSSLANE_PRIMITIVE(reduce)
CROSSLANE_PRIMITIVE(sort)
CROSSLANE_PRIMITIVE(top_k)
CROSSLANE_PRIMITIVE(merge)
CROSSLANE_PRIMITIVE(search)
CROSSLANE_PRIMITIVE(select)
CROSSLANE_PRIMITIVE(histogram)
CROSSLANE_PRIMITIVE(transform)
CROSSLANE_PRIMITIVE(morton)
CROSSLANE_PRIMITIVE(nearest_approximate)
CROSSLANE_OVERLOADS(grid, xl_context, xl_grid_build_args)
CROSSLANE_OVERLOADS(neighbors, xl_plan, xl_neighbors_args)
CROSSLANE_OVERLOADS(nearest, xl_plan, xl_nearest_args)
#undef CROSSLANE_PRIMITIVE
#undef CROSSLANE_OVERLOADS

} // namespace detail

/* A descriptor D of a plan, with its defaults. */
template <typename D> struct plan_desc : D {
    plan_desc() noexcept : D()
    {
        detail::init(static_cast<D *>(this));
    }
};

/* A plan that is made from a SOURCE, a context or the plan of a grid, by a descriptor D. */
template <typename Source, typename D, typename Args> class plan_of : public plan
{
  public:
    using plan::plan;
    plan_of(handle<Source *> source, const D &desc, xl_status *status = nullptr)
    {
        detail::check(detail::create(source, &desc, put()), detail::context_of(source), status);
    }
    std::size_t scratch(const Args &args, xl_status *status = nullptr) const
    {
        std::size_t bytes = 0;
        detail::check(detail::scratch(get(), &args, &bytes), ctx(), status);
        return bytes;
    }
    void prepare(const Args &args, xl_status *status = nullptr)
    {
        detail::check(xl_plan_prepare(get(), &args), ctx(), status);
    }
};

/* The plan of a primitive whose calls take arrays alone. */
template <typename D, typename Args> class primitive : public plan_of<xl_context, D, Args>
{
  public:
    using plan_of<xl_context, D, Args>::plan_of;
    void enqueue(handle<cl_command_queue> queue, const Args &args, waits after = {},
                 cl_event *done = nullptr, xl_status *status = nullptr)
    {
        detail::check(detail::enqueue(this->get(), queue, &args, after, done), this->ctx(), status);
    }
};

using scan_desc = plan_desc<xl_scan_desc>;
using scan_plan = primitive<xl_scan_desc, xl_scan_args>;
using reduce_desc = plan_desc<xl_reduce_desc>;
using reduce_plan = primitive<xl_reduce_desc, xl_reduce_args>;
using sort_desc = plan_desc<xl_sort_desc>;
using sort_plan = primitive<xl_sort_desc, xl_sort_args>;
using top_k_desc = plan_desc<xl_top_k_desc>;
using top_k_plan = primitive<xl_top_k_desc, xl_top_k_args>;
using merge_desc = plan_desc<xl_merge_desc>;
using merge_plan = primitive<xl_merge_desc, xl_merge_args>;
using search_desc = plan_desc<xl_search_desc>;
using search_plan = primitive<xl_search_desc, xl_search_args>;
using select_desc = plan_desc<xl_select_desc>;
using select_plan = primitive<xl_select_desc, xl_select_args>;
using histogram_desc = plan_desc<xl_histogram_desc>;
using histogram_plan = primitive<xl_histogram_desc, xl_histogram_args>;
using transform_desc = plan_desc<xl_transform_desc>;
using transform_plan = primitive<xl_transform_desc, xl_transform_args>;
using morton_desc = plan_desc<xl_morton_desc>;
using morton_plan = primitive<xl_morton_desc, xl_morton_args>;
using nearest_approximate_desc = plan_desc<xl_nearest_approximate_desc>;
using nearest_approximate_plan =
    primitive<xl_nearest_approximate_desc, xl_nearest_approximate_args>;

/* crosslane/grid.h */
class grid_index : public owner<xl_grid_index *>
{
  public:
    grid_index() = default;
    explicit grid_index(handle<xl_context *> ctx, xl_status *status = nullptr) : ctx_(ctx)
    {
        detail::check(xl_grid_index_create(ctx, put()), ctx, status);
    }
    /* xl_grid_index_status(), which blocks */
    xl_grid_report report(handle<cl_command_queue> queue, waits after = {},
                          xl_status *status = nullptr)
    {
        xl_grid_report result{};
        detail::check(xl_grid_index_status(get(), queue, &result, after.num(), after.events()),
                      ctx_, status);
        return result;
    }
    /* The event of the last build. */
    event built(xl_status *status = nullptr)
    {
        event result;
        detail::check(xl_grid_index_event(get(), result.put()), ctx_, status);
        return result;
    }
    /* Returns the position behind the arguments that it sets. */
    cl_uint set_kernel_args(const xl_neighbors_kernel_args &args, xl_status *status = nullptr)
    {
        cl_uint next = 0;
        detail::check(xl_grid_index_set_kernel_args(get(), &args, &next), ctx_, status);
        return next;
    }

  private:
    xl_context *ctx_ = nullptr; /* the index retains it */
};

/* A plan whose calls take an index. */
template <typename Source, typename D, typename Args>
class index_plan : public plan_of<Source, D, Args>
{
  public:
    using plan_of<Source, D, Args>::plan_of;

  protected:
    template <typename A>
    void call(xl_status (*function)(xl_plan *, xl_grid_index *, cl_command_queue, const A *,
                                    cl_uint, const cl_event *, cl_event *),
              xl_grid_index *index, cl_command_queue queue, const A &args, const waits &after,
              cl_event *done, xl_status *status)
    {
        detail::check(function(this->get(), index, queue, &args, after.num(), after.events(), done),
                      this->ctx(), status);
    }
    template <typename R>
    R read(xl_status (*function)(xl_plan *, xl_grid_index *, cl_command_queue, const Args *, R *,
                                 cl_uint, const cl_event *),
           xl_grid_index *index, cl_command_queue queue, const Args &args, const waits &after,
           xl_status *status)
    {
        R result{};
        detail::check(
            function(this->get(), index, queue, &args, &result, after.num(), after.events()),
            this->ctx(), status);
        return result;
    }
};

using grid_desc = plan_desc<xl_grid_desc>;
class grid_plan : public index_plan<xl_context, xl_grid_desc, xl_grid_build_args>
{
  public:
    using index_plan::index_plan;
    void build(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
               const xl_grid_build_args &args, waits after = {}, cl_event *done = nullptr,
               xl_status *status = nullptr)
    {
        call(xl_grid_build_enqueue, index, queue, args, after, done, status);
    }
    void reorder(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
                 const xl_grid_reorder_args &args, waits after = {}, cl_event *done = nullptr,
                 xl_status *status = nullptr)
    {
        call(xl_grid_reorder_enqueue, index, queue, args, after, done, status);
    }
    void moved(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
               const xl_grid_moved_args &args, waits after = {}, cl_event *done = nullptr,
               xl_status *status = nullptr)
    {
        call(xl_grid_moved_enqueue, index, queue, args, after, done, status);
    }
};

/* crosslane/neighbors.h: made from the plan of a grid */
using neighbors_desc = plan_desc<xl_neighbors_desc>;
class neighbors_plan : public index_plan<xl_plan, xl_neighbors_desc, xl_neighbors_args>
{
  public:
    using index_plan::index_plan;
    void enqueue(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
                 const xl_neighbors_args &args, waits after = {}, cl_event *done = nullptr,
                 xl_status *status = nullptr)
    {
        call(xl_neighbors_enqueue, index, queue, args, after, done, status);
    }
    void count(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
               const xl_neighbors_args &args, waits after = {}, cl_event *done = nullptr,
               xl_status *status = nullptr)
    {
        call(xl_neighbors_count_enqueue, index, queue, args, after, done, status);
    }
    void fill(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
              const xl_neighbors_args &args, waits after = {}, cl_event *done = nullptr,
              xl_status *status = nullptr)
    {
        call(xl_neighbors_fill_enqueue, index, queue, args, after, done, status);
    }
    /* xl_neighbors_status(), which blocks. If the rows do not fit (XL_ERROR_CAPACITY), the report
     * has the room that they need: pass `status` to receive it. */
    xl_neighbors_report report(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
                               const xl_neighbors_args &args, waits after = {},
                               xl_status *status = nullptr)
    {
        return read(xl_neighbors_status, index, queue, args, after, status);
    }
};

/* crosslane/nearest.h: made from the plan of a grid */
using nearest_desc = plan_desc<xl_nearest_desc>;
class nearest_plan : public index_plan<xl_plan, xl_nearest_desc, xl_nearest_args>
{
  public:
    using index_plan::index_plan;
    void enqueue(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
                 const xl_nearest_args &args, waits after = {}, cl_event *done = nullptr,
                 xl_status *status = nullptr)
    {
        call(xl_nearest_enqueue, index, queue, args, after, done, status);
    }
    /* xl_nearest_status(), which blocks. */
    xl_nearest_report report(handle<xl_grid_index *> index, handle<cl_command_queue> queue,
                             const xl_nearest_args &args, waits after = {},
                             xl_status *status = nullptr)
    {
        return read(xl_nearest_status, index, queue, args, after, status);
    }
};

/* The xl_type of a number of C++. */
template <typename T> constexpr xl_type type_of() noexcept
{
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
                      !std::is_same_v<T, long double>,
                  "T must be a number with an xl_type");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? XL_F32 : XL_F64;
    else if constexpr (sizeof(T) == 1)
        return is_signed ? XL_I8 : XL_U8;
    else if constexpr (sizeof(T) == 2)
        return is_signed ? XL_I16 : XL_U16;
    else if constexpr (sizeof(T) == 4)
        return is_signed ? XL_I32 : XL_U32;
    else
        return is_signed ? XL_I64 : XL_U64;
}

/* crosslane/simple.h: arrays of the host, ctx NULL for the context of the process. Vector types and
 * f16 have no type in C++: call the C functions. */
namespace simple
{

/* The lists of neighbours that the library allocates. */
class neighbor_list
{
  public:
    neighbor_list() = default;
    neighbor_list(neighbor_list &&other) noexcept : list_(std::exchange(other.list_, {}))
    {
    }
    neighbor_list &operator=(neighbor_list &&other) noexcept
    {
        std::swap(list_, other.list_);
        return *this;
    }
    ~neighbor_list()
    {
        xl_simple_free(&list_);
    }
    const xl_neighbor_list &operator*() const noexcept
    {
        return list_;
    }
    const xl_neighbor_list *operator->() const noexcept
    {
        return &list_;
    }
    xl_neighbor_list *put() noexcept
    {
        xl_simple_free(&list_);
        return &list_;
    }

  private:
    xl_neighbor_list list_{};
};

template <typename T, typename S>
void exclusive_sum(handle<xl_context *> ctx, std::size_t n, const T *in, S *out,
                   xl_status *status = nullptr)
{
    detail::check(xl_simple_exclusive_sum(ctx, type_of<T>(), type_of<S>(), n, in, out), ctx,
                  status);
}

template <typename T, typename S>
void inclusive_sum(handle<xl_context *> ctx, std::size_t n, const T *in, S *out,
                   xl_status *status = nullptr)
{
    detail::check(xl_simple_inclusive_sum(ctx, type_of<T>(), type_of<S>(), n, in, out), ctx,
                  status);
}

template <typename R, typename T>
R reduce(handle<xl_context *> ctx, xl_op op, std::size_t n, const T *in,
         xl_status *status = nullptr)
{
    R result{};
    detail::check(xl_simple_reduce(ctx, type_of<T>(), op, type_of<R>(), n, in, &result), ctx,
                  status);
    return result;
}

template <typename K>
void sort(handle<xl_context *> ctx, xl_sort_order order, std::size_t n, K *keys,
          xl_status *status = nullptr)
{
    detail::check(xl_simple_sort(ctx, type_of<K>(), order, n, keys, 0, nullptr), ctx, status);
}

/* The values are moved with their keys as bytes. */
template <typename K, typename V>
void sort_pairs(handle<xl_context *> ctx, xl_sort_order order, std::size_t n, K *keys, V *values,
                xl_status *status = nullptr)
{
    static_assert(std::is_trivially_copyable_v<V>, "values are copied as bytes");
    detail::check(xl_simple_sort(ctx, type_of<K>(), order, n, keys, sizeof(V), values), ctx,
                  status);
}

template <typename K>
void argsort(handle<xl_context *> ctx, xl_sort_order order, std::size_t n, const K *keys,
             std::uint32_t *indices, xl_status *status = nullptr)
{
    detail::check(xl_simple_argsort(ctx, type_of<K>(), order, n, keys, indices), ctx, status);
}

template <typename K>
void top_k(handle<xl_context *> ctx, xl_sort_order order, std::size_t n, const K *keys,
           std::size_t k, K *keys_out, std::uint32_t *indices, xl_status *status = nullptr)
{
    detail::check(xl_simple_top_k(ctx, type_of<K>(), order, n, keys, k, keys_out, indices), ctx,
                  status);
}

/* Returns the number of runs. */
template <typename T>
std::size_t unique(handle<xl_context *> ctx, std::size_t n, const T *in, T *out,
                   xl_status *status = nullptr)
{
    std::size_t count = 0;
    detail::check(xl_simple_unique(ctx, type_of<T>(), n, in, out, &count), ctx, status);
    return count;
}

template <typename T>
void histogram(handle<xl_context *> ctx, std::size_t n, const T *in, double lower, double upper,
               std::size_t num_bins, std::uint64_t *bins, xl_status *status = nullptr)
{
    detail::check(xl_simple_histogram(ctx, type_of<T>(), n, in, lower, upper, num_bins, bins), ctx,
                  status);
}

/* space: NULL, or one whose scalar is the type of the points. */
inline neighbor_list neighbors(handle<xl_context *> ctx, const xl_space *space, std::size_t n,
                               const void *points, double radius, std::uint32_t details = 0,
                               xl_status *status = nullptr)
{
    neighbor_list list;
    detail::check(xl_simple_neighbors(ctx, space, n, points, radius, details, list.put()), ctx,
                  status);
    return list;
}

inline neighbor_list nearest(handle<xl_context *> ctx, const xl_space *space, std::size_t n,
                             const void *points, std::uint32_t k, std::uint32_t details = 0,
                             xl_status *status = nullptr)
{
    neighbor_list list;
    detail::check(xl_simple_nearest(ctx, space, n, points, k, details, list.put()), ctx, status);
    return list;
}

} // namespace simple
} // namespace crosslane

#endif
