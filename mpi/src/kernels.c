/* SPDX-License-Identifier: MIT
 * The library's own kernels, and how they are launched. */
#include "exchange.h"
#include <string.h>

/* Moves n elements of `words` words between an array, in the order of a list, and adjacent memory. */
static const char source[] =
    "#define XLM_MOVE(name, word)                                                            \\\n"
    "    kernel void name(ulong n, ulong words, global const word *in, ulong in_at,          \\\n"
    "                     global word *out, ulong out_at, global const uint *list,           \\\n"
    "                     ulong list_at, uint unpacks)                                       \\\n"
    "    {                                                                                   \\\n"
    "        const ulong k = get_global_id(0);                                               \\\n"
    "        if (k >= n)                                                                     \\\n"
    "            return;                                                                     \\\n"
    "        const ulong element = list[list_at + k];                                        \\\n"
    "        in += in_at + (unpacks ? k : element) * words;                                  \\\n"
    "        out += out_at + (unpacks ? element : k) * words;                                \\\n"
    "        for (ulong w = 0; w < words; ++w)                                               \\\n"
    "            out[w] = in[w];                                                             \\\n"
    "    }\n"
    "XLM_MOVE(move0, uchar)\n"
    "XLM_MOVE(move1, ushort)\n"
    "XLM_MOVE(move2, uint)\n"
    "XLM_MOVE(move3, ulong)\n"
    "XLM_MOVE(move4, uint4)\n"
    "\n"
    "kernel void count_up(ulong n, ulong first, global uint *list, ulong list_at)\n"
    "{\n"
    "    const ulong k = get_global_id(0);\n"
    "    if (k < n)\n"
    "        list[list_at + k] = (uint)(first + k);\n"
    "}\n"
    "\n"
    "/* The lowest element whose owner is no rank. */\n"
    "kernel void check_owners(ulong n, global const uint *owners, ulong owners_at, uint ranks,\n"
    "                         global uint *lowest)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i < n && owners[owners_at + i] >= ranks)\n"
    "        atomic_min(lowest, (uint)i);\n"
    "}\n"
    "\n"
    "/* Where the elements of each rank begin among sorted owners, and where the last ones end. "
    "*/\n"
    "kernel void find_ranks(uint ranks, ulong n, global const uint *sorted, global uint *found)\n"
    "{\n"
    "    const uint rank = (uint)get_global_id(0);\n"
    "    ulong first = 0, last = n;\n"
    "    while (first < last) {\n"
    "        const ulong middle = first + (last - first) / 2;\n"
    "        if (sorted[middle] < rank)\n"
    "            first = middle + 1;\n"
    "        else\n"
    "            last = middle;\n"
    "    }\n"
    "    if (rank <= ranks)\n"
    "        found[1 + rank] = (uint)first;\n"
    "}\n";

/* The order of a halo. Before ghost j, in the order of the ids, are `before[j]` own elements and j ghosts. */
static const char halo[] =
    "kernel void number_ids(ulong n, ulong first, global ulong *ids)\n"
    "{\n"
    "    const ulong k = get_global_id(0);\n"
    "    if (k < n)\n"
    "        ids[k] = first + k;\n"
    "}\n"
    "\n"
    "/* The lowest element whose id is not above the one before it. */\n"
    "kernel void check_ids(ulong n, global const ulong *ids, ulong ids_at, global uint *lowest)\n"
    "{\n"
    "    const ulong i = get_global_id(0) + 1;\n"
    "    if (i < n && ids[ids_at + i] <= ids[ids_at + i - 1])\n"
    "        atomic_min(lowest, (uint)i);\n"
    "}\n"
    "\n"
    "kernel void place_ghosts(ulong n, global const uint *before, global const uint *entries,\n"
    "                         global const ulong *ids, global uint *places, global ulong "
    "*ids_out)\n"
    "{\n"
    "    const ulong j = get_global_id(0);\n"
    "    if (j >= n)\n"
    "        return;\n"
    "    const ulong place = before[j] + j;\n"
    "    places[entries[j]] = (uint)place;\n"
    "    ids_out[place] = ids[j];\n"
    "}\n"
    "\n"
    "kernel void place_own(ulong n, ulong ghosts, global const uint *before, ulong begin,\n"
    "                      global const ulong *ids, ulong ids_at, global uint *places,\n"
    "                      global ulong *ids_out)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    ulong first = 0, last = ghosts; /* the first ghost with more than i own elements before "
    "it */\n"
    "    while (first < last) {\n"
    "        const ulong middle = first + (last - first) / 2;\n"
    "        if (before[middle] <= i)\n"
    "            first = middle + 1;\n"
    "        else\n"
    "            last = middle;\n"
    "    }\n"
    "    places[begin + i] = (uint)(i + first);\n"
    "    ids_out[i + first] = ids[ids_at + i];\n"
    "}\n";

/* Scatter: CSR rows of the copies of each element. */
static const char rows[] =
    "/* Where row i begins among sorted elements, and behind the rows their number. */\n"
    "kernel void find_rows(ulong rows, ulong n, global const uint *sorted, global ulong *first)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    ulong begin = 0, end = n;\n"
    "    while (begin < end) {\n"
    "        const ulong middle = begin + (end - begin) / 2;\n"
    "        if (sorted[middle] < i)\n"
    "            begin = middle + 1;\n"
    "        else\n"
    "            end = middle;\n"
    "    }\n"
    "    if (i < rows)\n"
    "        first[i] = begin;\n"
    "}\n"
    "\n"
    "/* Entries from `begin` on are the `own` ones, in the first part of memory. The others come "
    "after the `sent` elements. */\n"
    "kernel void find_copies(ulong n, global const uint *order, ulong begin, ulong own, ulong "
    "sent,\n"
    "                        global ulong *copies)\n"
    "{\n"
    "    const ulong k = get_global_id(0);\n"
    "    if (k >= n)\n"
    "        return;\n"
    "    const ulong entry = order[k];\n"
    "    copies[k] = entry < begin         ? own + sent + entry\n"
    "                : entry < begin + own ? entry - begin\n"
    "                                      : sent + entry;\n"
    "}\n";

/* Balance. Weights are the bits of floats that are at least 0: these numbers have the same order. */
static const char balance[] =
    "/* The lowest weight that is not finite or below 0, and the greatest one. */\n"
    "kernel void survey_weights(ulong n, global const uint *weights, ulong weights_at,\n"
    "                           global uint *found)\n"
    "{\n"
    "    uint most = 0;\n"
    "    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
    "        const uint x = weights[weights_at + i];\n"
    "        if (x < 0x7f800000)\n"
    "            most = max(most, x);\n"
    "        else if (x != 0x80000000) /* -0 */\n"
    "            atomic_min(found, (uint)i);\n"
    "    }\n"
    "    atomic_max(found + 1, most);\n"
    "}\n"
    "\n"
    "/* Weights in an order, as integers: 1 + weight * 2^scale, rounded down. */\n"
    "kernel void weigh(ulong n, global const uint *order, global const uint *weights,\n"
    "                  ulong weights_at, int scale, global ulong *units)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const uint x = weights[weights_at + order[i]] & 0x7fffffff, exponent = x >> 23;\n"
    "    const ulong fraction = exponent > 0 ? (x & 0x7fffff) | 0x800000 : x;\n"
    "    const int shift = (int)max(exponent, 1u) - 150 + scale;\n"
    "    units[i] = 1 + (shift >= 0 ? fraction << shift : shift > -24 ? fraction >> -shift : 0);\n"
    "}\n"
    "\n"
    "/* sums[i]: the weight up to and with element i. */\n"
    "kernel void weight_before(ulong n, global const ulong *at, global const ulong *sums,\n"
    "                          global ulong *weights)\n"
    "{\n"
    "    const ulong k = get_global_id(0);\n"
    "    if (k < n)\n"
    "        weights[k] = at[k] > 0 ? sums[at[k] - 1] : 0;\n"
    "}\n"
    "\n"
    "/* Rank r gets the elements cuts[r] to cuts[r + 1] of the order. */\n"
    "kernel void assign(ulong n, global const uint *order, uint ranks, global const ulong *cuts,\n"
    "                   global uint *owners, ulong owners_at)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    uint first = 0, last = ranks - 1; /* the first one that ends behind i */\n"
    "    while (first < last) {\n"
    "        const uint middle = first + (last - first) / 2;\n"
    "        if (cuts[middle + 1] <= i)\n"
    "            first = middle + 1;\n"
    "        else\n"
    "            last = middle;\n"
    "    }\n"
    "    owners[owners_at + order[i]] = first;\n"
    "}\n";

typedef struct building {
    xl_mpi *mpi;
    const char *source, *options;
    cl_program *program;
} building;

static xl_status build(void *user)
{
    const building *const b = user;
    return xl_program_create(b->mpi->ctx, b->source, b->options, b->program);
}

xl_status xlm_build_once(xl_mpi *mpi, const char *text, const char *options, cl_program *program)
{
    building b = {mpi, text, options, program};
    if (*program) /* on all ranks or on none */
        return XL_SUCCESS;
    const xl_status status = xl_mpi_in_turn(mpi, build, &b);
    if (status != XL_SUCCESS && *program) {
        clReleaseProgram(*program);
        *program = NULL;
    }
    return status;
}

xl_status xlm_build(xl_mpi *mpi)
{
    char text[sizeof source + sizeof halo + sizeof rows + sizeof balance];
    memcpy(text, source, sizeof source);
    strcat(text, halo);
    strcat(text, rows);
    strcat(text, balance);
    return xlm_build_once(mpi, text, NULL, &mpi->program);
}

xl_status xlm_arguments(xl_mpi *mpi, cl_kernel kernel, const xlm_argument *arguments, size_t count)
{
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < count && code == CL_SUCCESS; ++i)
        code = clSetKernelArg(kernel, (cl_uint)i, arguments[i].bytes, arguments[i].value);
    return xlm_cl(mpi, code, "clSetKernelArg");
}

static xl_status launch_groups(xl_mpi *mpi, cl_command_queue queue, cl_kernel kernel, size_t group,
                               uint64_t n)
{
    const size_t items = (size_t)(n + group - 1) / group * group;
    return n == 0 ? XL_SUCCESS
                  : xlm_cl(mpi,
                           clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL,
                                                  NULL),
                           "clEnqueueNDRangeKernel");
}

xl_status xlm_launch(xl_mpi *mpi, cl_command_queue queue, cl_kernel kernel, uint64_t n)
{
    /* One size of groups: some drivers compile a kernel again for each size, and choose it by n. */
    size_t group = 0;
    cl_int code = clGetKernelWorkGroupInfo(kernel, xl_context_device(mpi->ctx),
                                           CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (code != CL_SUCCESS)
        return xlm_cl(mpi, code, "clGetKernelWorkGroupInfo");
    return launch_groups(mpi, queue, kernel, group < 256 ? group : 256, n);
}

xl_status xlm_run(xl_mpi *mpi, cl_command_queue queue, cl_program program, const char *name,
                  const xlm_argument *arguments, size_t count, size_t group, uint64_t n)
{
    cl_int code;
    const cl_kernel kernel = clCreateKernel(program, name, &code);
    xl_status status = xlm_cl(mpi, code, "clCreateKernel");
    if (status == XL_SUCCESS)
        status = xlm_arguments(mpi, kernel, arguments, count);
    if (status == XL_SUCCESS)
        status = group > 0 ? launch_groups(mpi, queue, kernel, group, n)
                           : xlm_launch(mpi, queue, kernel, n);
    if (kernel)
        clReleaseKernel(kernel);
    return status == XL_SUCCESS ? xlm_order(mpi, queue) : status;
}

xl_status xlm_count_up(xl_mpi *mpi, cl_command_queue queue, uint64_t first, cl_mem list,
                       uint64_t at, uint64_t n)
{
    const cl_ulong count = n, begin = first, list_at = at;
    const xlm_argument arguments[] = {{sizeof count, &count},
                                      {sizeof begin, &begin},
                                      {sizeof list, &list},
                                      {sizeof list_at, &list_at}};
    return xlm_run(mpi, queue, mpi->program, "count_up", arguments,
                   sizeof arguments / sizeof arguments[0], 0, n);
}
