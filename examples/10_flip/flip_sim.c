/* SPDX-License-Identifier: MIT
 * State of a simulation on the device: programs, plans, buffers; and how its kernels are
 * launched. */
#include "flip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The .cl files, as flip_embed.cmake has them. */
extern const char flip_common_cl[], flip_particles_cl[], flip_solver_cl[], flip_faces_cl[];

static const char *const kernel_names[FLIP_KERNELS] = {
    "find_cells", "begin_step",  "find_cell_ends", "particles_to_faces", "move_particles",
    "make_rows",  "begin_solve", "update",         "update_ssor",        "apply_ssor",
    "direct",     "project",     "extrapolate"};

/* Which program a kernel is in, as make_programs() has them. */
static const size_t kernel_programs[FLIP_KERNELS] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2};

void flip_defaults(flip_settings *settings, flip_size size, double cell_metres)
{
    const flip_settings defaults = {.size = size,
                                    .preconditioner = FLIP_SSOR,
                                    .most_iterations = 4000,
                                    .gravity = (float)(9.81 / cell_metres),
                                    .longest_step = 1.0f / 60,
                                    .cfl = 1,
                                    .flip = 0.97f,
                                    .tolerance = 1e-4f,
                                    .omega = 1.6f};
    *settings = defaults;
}

xl_status flip_cl(flip_sim *s, cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return XL_SUCCESS;
    s->failed = call;
    s->code = code;
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE
               ? XL_ERROR_OUT_OF_MEMORY
               : XL_ERROR_OPENCL;
}

const char *flip_error(const flip_sim *s, char *text, size_t bytes)
{
    if (!s->failed)
        return xl_context_error(s->ctx);
    snprintf(text, bytes, "%s failed with OpenCL's error %d", s->failed, (int)s->code);
    return text;
}

/* On a CPU a work-group is one work-item with a loop, which must be shorter than the loops that
 * llvmpipe ends as endless. */
static xl_status choose_groups(flip_sim *s)
{
    xl_device_info info = {0};
    const xl_status status = xl_context_device_info(s->ctx, &info);
    const bool cpu = info.device_type & CL_DEVICE_TYPE_CPU;
    s->group = s->settings.group ? s->settings.group : cpu ? 1 : 256;
    if (s->group > info.max_work_group_size)
        s->group = (cl_uint)info.max_work_group_size;
    s->parts = 4 * info.compute_units;
    s->parts = s->group == 1 && s->parts < s->stride / 16384 ? s->stride / 16384 : s->parts;
    s->parts = s->parts < 1 ? 1 : s->parts > 1024 ? 1024 : s->parts;
    return status;
}

/* Each program is the common text and one more, so that messages speak of both by name. */
static xl_status make_programs(flip_sim *s)
{
    xl_status status = XL_SUCCESS;
    const char *const files[] = {flip_particles_cl, flip_solver_cl, flip_faces_cl};
    char options[64];
    snprintf(options, sizeof options, "-DGROUP=%u -DPARTS=%u", (unsigned)s->group,
             (unsigned)s->parts);
    for (size_t i = 0; i < 3 && status == XL_SUCCESS; ++i) {
        const size_t common = strlen(flip_common_cl), own = strlen(files[i]);
        char *text = (char *)malloc(common + own + 1);
        if (!text)
            return XL_ERROR_OUT_OF_MEMORY;
        snprintf(text, common + own + 1, "%s%s", flip_common_cl, files[i]);
        status = xl_program_create(s->ctx, text, options, &s->programs[i]);
        free(text);
    }
    for (size_t i = 0; i < FLIP_KERNELS && status == XL_SUCCESS; ++i) {
        cl_int code = CL_SUCCESS;
        s->kernels[i] = clCreateKernel(s->programs[kernel_programs[i]], kernel_names[i], &code);
        status = flip_cl(s, code, "clCreateKernel()");
    }
    return status;
}

static xl_status make_plans(flip_sim *s)
{
    xl_status status;
    xl_reduce_desc fastest;
    xl_sort_desc sort;
    xl_scan_desc scan;
    xl_reduce_desc_init(&fastest); /* the largest component of all velocities */
    fastest.type = XL_F32;
    fastest.op = XL_MAX;
    fastest.load_type = XL_F32X4;
    fastest.load = "fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z))";
    FLIP_TRY(xl_reduce_create(s->ctx, &fastest, &s->fastest));
    xl_sort_desc_init(&sort); /* cells, positions, velocities */
    sort.value = XL_F32X4;
    sort.more_values[0] = XL_F32X4;
    sort.stable = 1; /* particles of a cell keep their order: sums have the same bits again */
    FLIP_TRY(xl_sort_create(s->ctx, &sort, &s->sort));
    xl_scan_desc_init(&scan); /* a cell without particles ends where the last one with some does */
    scan.kind = XL_INCLUSIVE;
    scan.op = XL_MAX;
    FLIP_TRY(xl_scan_create(s->ctx, &scan, &s->count_particles));
    scan.op = XL_SUM; /* cells with particles, numbered from 1 */
    scan.load_type = XL_U32;
    scan.load = "x != 0 ? 1 : 0";
    FLIP_TRY(xl_scan_create(s->ctx, &scan, &s->count_rows));
done:
    return status;
}

/* Bytes of a buffer. */
static size_t buffer_bytes(const flip_sim *s, flip_buffer which)
{
    const size_t n = s->settings.particles, cells = s->cells, faces = s->faces, rows = s->stride;
    switch (which) {
    case FLIP_POSITIONS:
    case FLIP_VELOCITIES:
    case FLIP_SORTED_POSITIONS:
    case FLIP_SORTED_VELOCITIES:
        return 16 * n;
    case FLIP_KEYS:
    case FLIP_SORTED_KEYS:
        return 4 * n;
    case FLIP_ENDS:
    case FLIP_NUMBERS:
        return 4 * cells;
    case FLIP_STARTS:
        return 4 * (cells + 1);
    case FLIP_KNOWN:
    case FLIP_KNOWN_TOO:
        return faces;
    case FLIP_AROUND:
        return 24 * rows;
    case FLIP_SHARES:
        return 24 * (size_t)s->parts;
    case FLIP_MAXIMUM:
        return 4;
    case FLIP_STEP:
        return sizeof(flip_report);
    default:
        return which < FLIP_KNOWN ? 4 * faces : 4 * rows;
    }
}

/* All start as 0, which faces on far walls and row 0 keep; but row 0 is divided by. */
static xl_status make_buffers(flip_sim *s)
{
    static const cl_uint zero = 0;
    static const cl_float one = 1;
    xl_status status = XL_SUCCESS;
    for (size_t i = 0; i < FLIP_BUFFERS && status == XL_SUCCESS; ++i) {
        cl_int code = CL_SUCCESS;
        const size_t bytes = (buffer_bytes(s, (flip_buffer)i) + 3) / 4 * 4;
        s->memory[i] = clCreateBuffer(xl_context_cl(s->ctx), CL_MEM_READ_WRITE, bytes, NULL, &code);
        status = flip_cl(s, code, "clCreateBuffer()");
        if (status == XL_SUCCESS)
            status = flip_cl(s,
                             clEnqueueFillBuffer(s->queue, s->memory[i],
                                                 i == FLIP_DIAGONAL ? (const void *)&one : &zero, 4,
                                                 0, bytes, 0, NULL, NULL),
                             "clEnqueueFillBuffer()");
    }
    return status;
}

xl_status flip_create(flip_sim *s, const flip_settings *settings, xl_context *ctx)
{
    xl_status status;
    const flip_size n = settings->size;
    const flip_sim start = {.settings = *settings, .ctx = ctx};
    *s = start;
    s->cells = (cl_uint)n.nx * (cl_uint)n.ny * (cl_uint)n.nz;
    s->faces = (cl_uint)(n.nx + 1) * (cl_uint)(n.ny + 1) * (cl_uint)(n.nz + 1);
    s->stride = 1 + (s->cells < settings->particles ? s->cells : settings->particles);
    s->queue = xl_context_queue(ctx);
    if (!s->queue)
        return XL_ERROR_OPENCL;
    FLIP_TRY(choose_groups(s));
    FLIP_TRY(make_programs(s));
    FLIP_TRY(make_plans(s));
    FLIP_TRY(make_buffers(s));
done:
    return status;
}

void flip_forget_events(flip_sim *s)
{
    for (size_t i = 0; i <= FLIP_STAGES; ++i) {
        if (s->ends[i])
            clReleaseEvent(s->ends[i]);
        s->ends[i] = NULL;
    }
}

void flip_destroy(flip_sim *s)
{
    flip_forget_events(s);
    for (size_t i = 0; i < FLIP_KERNELS; ++i)
        if (s->kernels[i])
            clReleaseKernel(s->kernels[i]);
    for (size_t i = 0; i < sizeof s->programs / sizeof s->programs[0]; ++i)
        if (s->programs[i])
            clReleaseProgram(s->programs[i]);
    for (size_t i = 0; i < FLIP_BUFFERS; ++i)
        if (s->memory[i])
            clReleaseMemObject(s->memory[i]);
    xl_plan_destroy(s->count_rows);
    xl_plan_destroy(s->count_particles);
    xl_plan_destroy(s->sort);
    xl_plan_destroy(s->fastest);
}

xl_status flip_read_buffer(flip_sim *s, flip_buffer which, size_t bytes, void *to)
{
    return flip_cl(
        s, clEnqueueReadBuffer(s->queue, s->memory[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL),
        "clEnqueueReadBuffer()");
}

xl_status flip_write(flip_sim *s, const float *positions, const float *velocities)
{
    const size_t bytes = 16 * (size_t)s->settings.particles;
    cl_int code = clEnqueueWriteBuffer(s->queue, s->memory[FLIP_POSITIONS], CL_TRUE, 0, bytes,
                                       positions, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(s->queue, s->memory[FLIP_VELOCITIES], CL_TRUE, 0, bytes,
                                    velocities, 0, NULL, NULL);
    return flip_cl(s, code, "clEnqueueWriteBuffer()");
}

xl_status flip_read(flip_sim *s, float *positions, float *velocities)
{
    const size_t bytes = 16 * (size_t)s->settings.particles;
    const xl_status status = flip_read_buffer(s, FLIP_POSITIONS, bytes, positions);
    return status ? status : flip_read_buffer(s, FLIP_VELOCITIES, bytes, velocities);
}

static xl_status enqueue(flip_sim *s, flip_kernel which, cl_uint dimensions, const size_t *items,
                         const size_t *group, const flip_arg *args, cl_uint num_args,
                         cl_event *event)
{
    for (cl_uint i = 0; i < num_args; ++i) {
        const cl_int code = clSetKernelArg(s->kernels[which], i, args[i].bytes, args[i].value);
        if (code != CL_SUCCESS)
            return flip_cl(s, code, kernel_names[which]);
    }
    return flip_cl(s,
                   clEnqueueNDRangeKernel(s->queue, s->kernels[which], dimensions, NULL, items,
                                          group, 0, NULL, event),
                   kernel_names[which]);
}

xl_status flip_launch(flip_sim *s, flip_kernel which, size_t items, size_t group,
                      const flip_arg *args, cl_uint num_args, cl_event *event)
{
    const size_t whole = (items + group - 1) / group * group;
    return enqueue(s, which, 1, &whole, &group, args, num_args, event);
}

/* Neighbours along x side by side; a group of few work-items is as good on a CPU. */
xl_status flip_launch_cells(flip_sim *s, flip_kernel which, const flip_arg *args, cl_uint num_args,
                            cl_event *event)
{
    const flip_size n = s->settings.size;
    const size_t group[3] = {s->group == 1 ? (size_t)8 : 32, s->group == 1 ? 1 : s->group / 64, 1};
    size_t wide = group[1] > 0 ? group[1] : 1;
    const size_t local[3] = {group[0], wide, 1};
    const size_t items[3] = {((size_t)n.nx + local[0] - 1) / local[0] * local[0],
                             ((size_t)n.ny + wide - 1) / wide * wide, (size_t)n.nz};
    return enqueue(s, which, 3, items, local, args, num_args, event);
}
