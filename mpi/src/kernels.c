/* SPDX-License-Identifier: MIT
 * The library's own kernels, and how they are launched. */
#include "exchange.h"

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
    "XLM_MOVE(move4, uint4)\n";

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
    return xlm_build_once(mpi, source, NULL, &mpi->program);
}

xl_status xlm_arguments(xl_mpi *mpi, cl_kernel kernel, const xlm_argument *arguments, size_t count)
{
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < count && code == CL_SUCCESS; ++i)
        code = clSetKernelArg(kernel, (cl_uint)i, arguments[i].bytes, arguments[i].value);
    return xlm_cl(mpi, code, "clSetKernelArg");
}

xl_status xlm_launch(xl_mpi *mpi, cl_command_queue queue, cl_kernel kernel, uint64_t n)
{
    /* One size of groups: some drivers compile a kernel again for each size, and choose it by n. */
    size_t group = 0;
    cl_int code = clGetKernelWorkGroupInfo(kernel, xl_context_device(mpi->ctx),
                                           CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (code != CL_SUCCESS)
        return xlm_cl(mpi, code, "clGetKernelWorkGroupInfo");
    group = group < 256 ? group : 256;
    const size_t items = (size_t)(n + group - 1) / group * group;
    if (n > 0)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    return xlm_cl(mpi, code, "clEnqueueNDRangeKernel");
}
