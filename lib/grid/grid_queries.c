/* SPDX-License-Identifier: MIT
 * Shared by searches within a radius and for the nearest: radii, given queries, the box of an index
 * as kernel arguments, and questions about results. */
#include "grid_index.h"

#include <crosslane/neighbors.h>
#include <float.h>
#include <math.h>

double xli_grid_square(uint32_t scalar, double radius)
{
    const float narrow = (float)radius;
    return scalar == XL_F64 ? radius * radius : (double)(float)(narrow * narrow);
}

xl_status xli_grid_check_radius(xl_context *ctx, const char *name, uint32_t scalar, double given)
{
    const bool wide = scalar == XL_F64;
    const double radius = wide ? given : (double)(float)given;
    const double least = wide ? DBL_MIN : (double)FLT_MIN, most = wide ? DBL_MAX : (double)FLT_MAX;
    const double square = xli_grid_square(scalar, radius);
    if (!isfinite(radius) || radius <= 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; must be finite and above 0", name,
                        given);
    if (!(square >= least && square <= most))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %g; its square must be from %g to %g, the normal %s", name, radius,
                        least, most, wide ? "doubles" : "floats");
    return XL_SUCCESS;
}

xl_status xli_grid_check_periods(xl_context *ctx, const xl_grid_index *index, const char *name,
                                 double radius)
{
    const xli_grid_lattice *const lattice = &index->lattice;
    const xli_grid_table *const table = &index->table;
    if (index->period.repeats == XLI_REPEATS_CELLS && radius > table->most_radius)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "%s: %g; must be at most %g, which is 2^20 heights of args.cells[%u], or "
                        "fewer",
                        name, radius, table->most_radius, (unsigned)table->limits);
    for (uint32_t i = 0; i < lattice->rank; ++i)
        if (radius > lattice->periods * lattice->height[i])
            return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                            "%s: %g; must be at most %g periods of %g, which is the height of "
                            "the cell",
                            name, radius, lattice->periods, lattice->height[i]);
    return XL_SUCCESS;
}

xl_status xli_grid_check_num_queries(xl_context *ctx, const xli_search_form *form,
                                     const xl_grid_index *index, size_t num_queries)
{
    if (!form->given && index && num_queries > 0 && num_queries != index->n)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.num_queries: %zu; must be 0 or %zu, the points of the index, because "
                        "desc.queries is XL_QUERIES_INDEXED",
                        num_queries, index->n);
    return xli_grid_check_n(ctx, "args.num_queries", num_queries, form->stride);
}

void xli_grid_list_queries(const xli_search_form *form, size_t n, const xl_view axes[3],
                           xl_view systems, xli_array *arrays)
{
    static const char *const names[] = {"args.queries", "args.queries_y", "args.queries_z"};
    static const char indexed[] = "must not be given, because desc.queries is XL_QUERIES_INDEXED";
    const size_t last = form->soa ? 1 : form->dimensions;
    const size_t scalars = n > 0 ? (n - 1) * form->stride + last : 0;
    for (uint32_t a = 0; a < 3; ++a) {
        arrays[a] = xli_input(names[a], axes[a], scalars, xli_scalar_bytes(form->scalar));
        if (!form->given)
            arrays[a].unused = indexed;
        else if (a > 0 && !form->soa)
            arrays[a].unused = "must not be given, because the grid's desc.layout is XL_POINTS_AOS";
        else if (a >= form->dimensions)
            arrays[a].unused = "must not be given, because queries have fewer dimensions";
    }
    arrays[XLI_QUERIES_SYSTEMS] = xli_input("args.query_systems", systems, n, sizeof(cl_uint));
    if (!form->given || !form->batch)
        arrays[XLI_QUERIES_SYSTEMS].unused =
            form->given ? "must not be given, because the grid's desc.space.num_systems is 0"
                        : indexed;
}

const xli_span *xli_grid_axis(const xli_span *spans, uint32_t axis)
{
    return spans[axis].buffer ? &spans[axis] : &spans[XLI_QUERIES_X];
}

void xli_grid_add_queries(const xli_search_form *form, const xli_span *spans, size_t first,
                          xli_args *args)
{
    const xli_span *const systems = &spans[XLI_QUERIES_SYSTEMS];
    for (uint32_t a = 0; form->given && a < (form->soa ? 3 : 1); ++a) {
        const xli_span *const axis = xli_grid_axis(spans, a);
        xli_args_add_place(args, axis->buffer, axis->offset + first * form->stride);
    }
    if (form->given && form->batch)
        xli_args_add_place(args, systems->buffer, systems->offset + first);
}

/* Eight of sixteen numbers. */
static xli_arg eight(const xli_grid_lattice *lattice, const xli_grid_reals *reals, int from)
{
    return lattice->wide ? XLI_BYTES(reals->f64 + from, sizeof(cl_double8))
                         : XLI_BYTES(reals->f32 + from, sizeof(cl_float8));
}

xli_grid_cell_args xli_grid_cell_args_of(const xli_grid_lattice *lattice)
{
    return (xli_grid_cell_args){
        {eight(lattice, &lattice->cell, 0), eight(lattice, &lattice->cell, 8),
         eight(lattice, &lattice->slabs, 0), eight(lattice, &lattice->slabs, 8),
         eight(lattice, &lattice->rounding, 0), XLI_BYTES(&lattice->whole, sizeof lattice->whole)}};
}

/* The part of an index's box that is called so. */
#define BOX(index, part)                                                                           \
    ((index)->scalar == XL_F64 ? XLI_BYTES(&(index)->box.part, sizeof((index)->box.part))          \
                               : XLI_BYTES(&(index)->period.part, sizeof((index)->period.part)))

xli_grid_box_args xli_grid_box_args_of(const xl_grid_index *index)
{
    return (xli_grid_box_args){BOX(index, lower), BOX(index, upper), BOX(index, period),
                               BOX(index, extent)};
}

/* XL_ORIGIN_PARAMETERS and XL_BOX_PARAMETERS of cl/neighbors/neighbors_ranges.cl. */
static void add_space(const xl_grid_index *index, xli_repeats repeats, xli_args *args)
{
    const xli_grid_box_args box = xli_grid_box_args_of(index);
    const xli_grid_cell_args cell = xli_grid_cell_args_of(&index->lattice);
    if (index->scalar == XL_F64)
        xli_args_add(args, box.lower);
    if (repeats == XLI_REPEATS_CELLS) {
        xli_args_add(args, XLI_MEM(index->table.rows));
        return;
    }
    if (repeats != XLI_REPEATS_NOT)
        xli_args_add_all(args, (const xli_arg[]){box.lower, box.upper, box.period, box.extent}, 4);
    if (repeats == XLI_REPEATS_CELL)
        xli_args_add_all(args, cell.at, XLI_GRID_CELL_ARGS);
}

void xli_grid_add_index(const xl_grid_index *index, xli_arg reach, xli_arg radius2,
                        xli_repeats repeats, xli_args *args)
{
    const xli_arg shared[] = {XLI_MEM(index->storage),
                              XLI_GRID_PART(index, header),
                              XLI_GRID_PART(index, starts),
                              XLI_GRID_PART(index, begins),
                              XLI_GRID_PART(index, sorted),
                              XLI_U32(index->n),
                              XLI_U32(index->layout.table),
                              XLI_U32(index->stamp),
                              reach,
                              radius2};
    xli_args_add_all(args, shared, XLI_COUNT(shared));
    add_space(index, repeats, args);
}

static xl_status ask(xl_context *ctx, cl_command_queue queue, xli_kernel *kernel,
                     xli_grid_shape shape, cl_mem buffer, const xli_args *rest, void *answer,
                     size_t bytes)
{
    xl_status status;
    cl_event done = NULL;
    xli_seq seq = {0};
    xli_args args = {0};
    xli_args_add(&args, XLI_MEM(buffer));
    xli_args_add_all(&args, rest->at, rest->count);
    XL_TRY(xli_seq_begin(&seq, ctx, queue, 0, NULL, &done));
    status = xli_seq_launch_args(&seq, kernel, shape.groups, shape.size, &args, 0);
    XL_TRY(xli_seq_end(&seq, status, &done));
    XL_TRY(xli_read_blocking(ctx, queue, buffer, 0, bytes, answer, 1, &done));
done:
    if (done)
        clReleaseEvent(done);
    return status;
}

xl_status xli_grid_ask(xl_context *ctx, cl_command_queue queue, xli_kernel *kernel,
                       xli_grid_shape shape, const xli_args *rest, void *answer, size_t bytes)
{
    xl_status status;
    cl_mem buffer;
    XL_TRY(xli_buffer_of(ctx, "clCreateBuffer", 0, bytes, answer, &buffer));
    XL_TRY(ask(ctx, queue, kernel, shape, buffer, rest, answer, bytes));
done:
    if (buffer)
        clReleaseMemObject(buffer);
    return status;
}
