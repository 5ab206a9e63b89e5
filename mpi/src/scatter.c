/* SPDX-License-Identifier: MIT
 * Scatter: copies move back along an exchange, and the owner combines those of each element in ascending
 * order of the ranks. */
#include "exchange.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel of a type and an operator ---------------------------------------------------- */

/* A scalar type. Integers are combined as numbers without sign, except for min and max: sums and products
 * then wrap. */
typedef struct scalar {
    const char *wrapping, *least, *greatest;
} scalar;

static const scalar scalars[] = {
    [XL_I8] = {"uchar", "CHAR_MIN", "CHAR_MAX"},   [XL_U8] = {"uchar", "0", "UCHAR_MAX"},
    [XL_I16] = {"ushort", "SHRT_MIN", "SHRT_MAX"}, [XL_U16] = {"ushort", "0", "USHRT_MAX"},
    [XL_I32] = {"uint", "INT_MIN", "INT_MAX"},     [XL_U32] = {"uint", "0", "UINT_MAX"},
    [XL_I64] = {"ulong", "LONG_MIN", "LONG_MAX"},  [XL_U64] = {"ulong", "0", "ULONG_MAX"},
    [XL_F16] = {"half", "-INFINITY", "INFINITY"},  [XL_F32] = {"float", "-INFINITY", "INFINITY"},
    [XL_F64] = {"double", "-INFINITY", "INFINITY"}};

/* a is the combination so far, b the next copy. `first` is the combination of the first copy x alone. Min and max skip NaN,
 * and of -0 and +0 the earlier one remains. */
typedef struct operation {
    const char *expression, *first, *identity; /* identity NULL: `greatest` or `least` */
    bool integers;                             /* only of integers */
} operation;

static const operation operations[] = {
    [XL_SUM] = {"a + b", "x", "0", false},
    [XL_PROD] = {"a * b", "x", "1", false},
    [XL_MIN] = {"b < a ? b : a", "xlm_combine(XLM_NONE, x)", NULL, false},
    [XL_MAX] = {"b > a ? b : a", "xlm_combine(XLM_NONE, x)", NULL, false},
    [XL_AND] = {"a & b", "x", "~(XLM_LANE)0", true},
    [XL_OR] = {"a | b", "x", "0", true},
    [XL_XOR] = {"a ^ b", "x", "0", true}};

static uint32_t lane_of(uint32_t type)
{
    return type & 0xff;
}

/* Combines the copies of element i, which copies[first[i]] to copies[first[i + 1]] list. */
static const char body[] =
    "#define XLM_NONE ((XLM_T)((XLM_LANE)(XLM_IDENTITY)))\n"
    "XLM_T xlm_combine(XLM_T a, XLM_T b) { return XLM_EXPRESSION; }\n"
    "XLM_T xlm_first(XLM_T x) { return XLM_FIRST; }\n"
    "kernel void combine(ulong n, global const ulong *first, global const ulong *copies,\n"
    "                    global const XLM_T *in, global XLM_T *out, ulong out_at)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    ulong k = first[i];\n"
    "    const ulong end = first[i + 1];\n"
    "    XLM_T value = XLM_NONE;\n"
    "    if (k < end)\n"
    "        value = xlm_first(in[copies[k++]]);\n"
    "    for (; k < end; ++k)\n"
    "        value = xlm_combine(value, in[copies[k]]);\n"
    "    out[out_at + i] = value;\n"
    "}\n";

static void make_text(const xl_mpi_scatter_args *args, char *text, size_t room)
{
    const operation *const op = &operations[args->op];
    const scalar *const s = &scalars[lane_of(args->type)];
    const uint32_t lanes = args->type >> 8;
    const bool ordered = args->op == XL_MIN || args->op == XL_MAX;
    const char *const lane = ordered ? xlm_scalar_name(args->type) : s->wrapping;
    const char *const identity = op->identity         ? op->identity
                                 : args->op == XL_MIN ? s->greatest
                                                      : s->least;
    char width[12] = "";
    if (lanes > 1)
        snprintf(width, sizeof width, "%u", (unsigned)lanes);
    snprintf(text, room,
             "%s#define XLM_LANE %s\n#define XLM_T %s%s\n#define XLM_IDENTITY %s\n"
             "#define XLM_EXPRESSION %s\n#define XLM_FIRST %s\n%s",
             lane_of(args->type) == XL_F16 ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "",
             lane, lane, width, identity, op->expression, op->first, body);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static xl_status check_device(xl_mpi *mpi, uint32_t type)
{
    xl_device_info info;
    size_t bytes = 0;
    if (lane_of(type) != XL_F64 && lane_of(type) != XL_F16)
        return XL_SUCCESS;
    xl_status status = xlm_core(mpi, xl_context_device_info(mpi->ctx, &info));
    const cl_device_id device = xl_context_device(mpi->ctx);
    char *names = NULL;
    if (status == XL_SUCCESS)
        status = xlm_cl(mpi, clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes),
                        "clGetDeviceInfo");
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, bytes + 1, 1, &names);
    if (status != XL_SUCCESS)
        return status;
    names[bytes] = 0;
    status = xlm_cl(mpi, clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, names, NULL),
                    "clGetDeviceInfo");
    const bool has = lane_of(type) == XL_F64 ? info.has_fp64 : strstr(names, "cl_khr_fp16") != NULL;
    free(names);
    if (status == XL_SUCCESS && !has)
        return xlm_fail(mpi, XL_ERROR_UNSUPPORTED, "args.type: %s; the device has no such numbers",
                        xl_type_name((xl_type)type));
    return status;
}

static xl_status check_arguments(xl_mpi_exchange *exchange, cl_command_queue queue,
                                 const xl_mpi_scatter_args *args, cl_uint num_waits,
                                 const cl_event *waits)
{
    xl_mpi *const mpi = exchange->mpi;
    xl_status status = xlm_check_queue(mpi, queue, num_waits, waits);
    if (status == XL_SUCCESS && !args)
        status = xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "args: NULL");
    if (status != XL_SUCCESS)
        return status;
    const size_t bytes = xl_type_size((xl_type)args->type);
    if (bytes == 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "args.type: %u; must be a built-in type",
                        (unsigned)args->type);
    if (args->op < XL_SUM || args->op > XL_XOR ||
        (operations[args->op].integers && xlm_is_float(args->type)))
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.op: %s of %s; must be XL_SUM, XL_PROD, XL_MIN or XL_MAX, or of "
                        "integers XL_AND, XL_OR or XL_XOR",
                        xl_op_name((xl_op)args->op), xl_type_name((xl_type)args->type));
    status = xlm_check_view(mpi, "args.in", &args->in, exchange->recv.count, bytes);
    if (status == XL_SUCCESS)
        status = xlm_check_view(mpi, "args.out", &args->out, exchange->send.count, bytes);
    if (status == XL_SUCCESS)
        status = xlm_check_apart(mpi, "args.in", &args->in, exchange->recv.count, bytes, "args.out",
                                 &args->out, exchange->send.count, bytes);
    return status == XL_SUCCESS ? check_device(mpi, args->type) : status;
}

/* ---- the copies of each element -------------------------------------------------------------- */

/* Enqueues work that fills `first`: where the copies of each element begin among sorted elements. */
static xl_status find_rows(const xl_mpi_exchange *exchange, cl_command_queue queue, cl_mem sorted)
{
    const cl_ulong rows = exchange->send.count + 1,
                   entries = exchange->send.at[exchange->mpi->size];
    const xlm_argument all[] = {{sizeof rows, &rows},
                                {sizeof entries, &entries},
                                {sizeof sorted, &sorted},
                                {sizeof exchange->first, &exchange->first}};
    return xlm_run(exchange->mpi, queue, exchange->mpi->program, "find_rows", all,
                   sizeof all / sizeof all[0], 0, rows);
}

/* Enqueues work that fills `copies`: where the entries of the sending side, in an order, are when they come back.
 * Own ones are in the first part of device memory, and those of other ranks in the third, behind what this
 * rank sends. */
static xl_status find_copies(const xl_mpi_exchange *exchange, cl_command_queue queue, cl_mem order)
{
    const int rank = exchange->mpi->rank;
    const uint64_t *const at = exchange->send.at;
    const cl_ulong entries = at[exchange->mpi->size], begin = at[rank], own = at[rank + 1] - begin,
                   sent = exchange->recv.count - own;
    const xlm_argument all[] = {
        {sizeof entries, &entries}, {sizeof order, &order},
        {sizeof begin, &begin},     {sizeof own, &own},
        {sizeof sent, &sent},       {sizeof exchange->copies, &exchange->copies}};
    return xlm_run(exchange->mpi, queue, exchange->mpi->program, "find_copies", all,
                   sizeof all / sizeof all[0], 0, entries);
}

/* Entries are in the order of ranks. A stable sort by element keeps the copies of each one in this order. */
static xl_status fill_rows(const xl_mpi_exchange *exchange, cl_command_queue queue, cl_mem sorted,
                           cl_mem order)
{
    xl_mpi *const mpi = exchange->mpi;
    const xl_sort_args sort = {.n = (size_t)exchange->send.at[mpi->size],
                               .keys_in = xl_view_of(exchange->send.list, 0),
                               .keys_out = xl_view_of(sorted, 0),
                               .values_out = xl_view_of(order, 0)};
    xl_status status =
        xlm_core(mpi, xl_sort_enqueue(mpi->plans[XLM_SORT_NUMBERS], queue, &sort, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_order(mpi, queue);
    if (status == XL_SUCCESS)
        status = find_rows(exchange, queue, sorted);
    if (status == XL_SUCCESS && sort.n > 0)
        status = find_copies(exchange, queue, order);
    return status == XL_SUCCESS ? xlm_finish(mpi, queue) : status;
}

static xl_status make_rows(xl_mpi_exchange *exchange, cl_command_queue queue)
{
    xl_mpi *const mpi = exchange->mpi;
    const size_t entries = (size_t)exchange->send.at[mpi->size];
    cl_mem sorted = NULL, order = NULL;
    if (exchange->first) /* they are filled */
        return XL_SUCCESS;
    xl_status status = xlm_buffer(mpi, entries * sizeof(cl_uint), &sorted);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, entries * sizeof(cl_uint), &order);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, (exchange->send.count + 1) * sizeof(cl_ulong), &exchange->first);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, entries * sizeof(cl_ulong), &exchange->copies);
    if (status == XL_SUCCESS)
        status = fill_rows(exchange, queue, sorted, order);
    if (status != XL_SUCCESS) { /* the next call tries again */
        xlm_release(exchange->first);
        xlm_release(exchange->copies);
        exchange->first = exchange->copies = NULL;
    }
    xlm_release(sorted);
    xlm_release(order);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

typedef struct build_job {
    xl_mpi_exchange *exchange;
    const xl_mpi_scatter_args *args;
} build_job;

static xl_status build(void *user)
{
    const build_job *const job = user;
    xl_mpi_exchange *const exchange = job->exchange;
    char text[2048];
    cl_program program = NULL;
    cl_int code;
    make_text(job->args, text, sizeof text);
    const xl_status status = xl_program_create(exchange->mpi->ctx, text, NULL, &program);
    if (status != XL_SUCCESS)
        return status;
    exchange->combine = clCreateKernel(program, "combine", &code);
    clReleaseProgram(program);
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OPENCL;
}

/* COLLECTIVE. Makes the kernel, unless the last scatter had the same type and operator. */
static xl_status prepare_kernel(xl_mpi_exchange *exchange, const xl_mpi_scatter_args *args)
{
    build_job job = {exchange, args};
    if (exchange->combine && exchange->type == args->type && exchange->op == args->op)
        return XL_SUCCESS;
    if (exchange->combine)
        clReleaseKernel(exchange->combine);
    exchange->combine = NULL;
    exchange->type = args->type;
    exchange->op = args->op;
    const xl_status status = xl_mpi_in_turn(exchange->mpi, build, &job);
    if (status != XL_SUCCESS && exchange->combine) {
        clReleaseKernel(exchange->combine);
        exchange->combine = NULL;
    }
    return status;
}

xl_status xl_mpi_scatter_begin(xl_mpi_exchange *exchange, cl_command_queue queue,
                               const xl_mpi_scatter_args *args, cl_uint num_waits,
                               const cl_event *waits)
{
    if (!exchange)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_mpi *const mpi = exchange->mpi;
    xlm_transfer *const t = &exchange->transfer;
    xl_status status = xlm_transfer_idle(exchange);
    if (status != XL_SUCCESS)
        return status;
    status = check_arguments(exchange, queue, args, num_waits, waits);
    const xlm_value values[] = {{"args.type", args ? args->type : 0},
                                {"args.op", args ? args->op : 0}};
    status = xlm_agree(mpi, xlm_same(mpi, status, values, 2));
    if (status == XL_SUCCESS)
        status = prepare_kernel(exchange, args);
    if (status == XL_SUCCESS)
        status = xlm_core_plan_once(mpi, XLM_SORT_NUMBERS);
    if (status != XL_SUCCESS)
        return status;
    t->from = &exchange->recv;
    t->to = &exchange->send;
    t->queue = queue;
    t->num_fields = 1;
    t->fields[0] = xlm_moved_of(xl_type_size((xl_type)args->type), &args->in, &args->out);
    return xlm_transfer_begin(exchange, make_rows(exchange, queue), num_waits, waits);
}

static xl_status combine(xl_mpi_exchange *exchange)
{
    xlm_transfer *const t = &exchange->transfer;
    const cl_ulong n = exchange->send.count, out_at = t->fields[0].out_at;
    const xlm_argument arguments[] = {{sizeof n, &n},
                                      {sizeof exchange->first, &exchange->first},
                                      {sizeof exchange->copies, &exchange->copies},
                                      {sizeof t->device, &t->device},
                                      {sizeof t->fields[0].out, &t->fields[0].out},
                                      {sizeof out_at, &out_at}};
    if (n == 0)
        return XL_SUCCESS;
    xl_status status = xlm_arguments(exchange->mpi, exchange->combine, arguments,
                                     sizeof arguments / sizeof arguments[0]);
    if (status == XL_SUCCESS)
        status = xlm_launch(exchange->mpi, t->queue, exchange->combine, n);
    return status;
}

xl_status xl_mpi_scatter_end(xl_mpi_exchange *exchange, cl_event *event)
{
    if (event)
        *event = NULL;
    return exchange ? xlm_transfer_end(exchange, &exchange->recv, "scatter", combine, event)
                    : XL_ERROR_INVALID_ARGUMENT;
}

xl_status xl_mpi_scatter(xl_mpi_exchange *exchange, cl_command_queue queue,
                         const xl_mpi_scatter_args *args, cl_uint num_waits, const cl_event *waits,
                         cl_event *event)
{
    if (event)
        *event = NULL;
    const xl_status status = xl_mpi_scatter_begin(exchange, queue, args, num_waits, waits);
    return status == XL_SUCCESS ? xl_mpi_scatter_end(exchange, event) : status;
}
