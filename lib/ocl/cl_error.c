/* SPDX-License-Identifier: MIT
 * Failures as statuses and text. */
#include "private.h"

#define NAMED(code)                                                                                \
    {                                                                                              \
        code, #code                                                                                \
    }
static const struct {
    cl_int code;
    const char *name;
} names[] = {
    NAMED(CL_DEVICE_NOT_FOUND),
    NAMED(CL_DEVICE_NOT_AVAILABLE),
    NAMED(CL_COMPILER_NOT_AVAILABLE),
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAMED(CL_OUT_OF_RESOURCES),
    NAMED(CL_OUT_OF_HOST_MEMORY),
    NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAMED(CL_MEM_COPY_OVERLAP),
    NAMED(CL_BUILD_PROGRAM_FAILURE),
    NAMED(CL_MAP_FAILURE),
    NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAMED(CL_COMPILE_PROGRAM_FAILURE),
    NAMED(CL_LINKER_NOT_AVAILABLE),
    NAMED(CL_LINK_PROGRAM_FAILURE),
    NAMED(CL_INVALID_VALUE),
    NAMED(CL_INVALID_DEVICE_TYPE),
    NAMED(CL_INVALID_PLATFORM),
    NAMED(CL_INVALID_DEVICE),
    NAMED(CL_INVALID_CONTEXT),
    NAMED(CL_INVALID_QUEUE_PROPERTIES),
    NAMED(CL_INVALID_COMMAND_QUEUE),
    NAMED(CL_INVALID_HOST_PTR),
    NAMED(CL_INVALID_MEM_OBJECT),
    NAMED(CL_INVALID_BINARY),
    NAMED(CL_INVALID_BUILD_OPTIONS),
    NAMED(CL_INVALID_PROGRAM),
    NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    NAMED(CL_INVALID_KERNEL_NAME),
    NAMED(CL_INVALID_KERNEL_DEFINITION),
    NAMED(CL_INVALID_KERNEL),
    NAMED(CL_INVALID_ARG_INDEX),
    NAMED(CL_INVALID_ARG_VALUE),
    NAMED(CL_INVALID_ARG_SIZE),
    NAMED(CL_INVALID_KERNEL_ARGS),
    NAMED(CL_INVALID_WORK_DIMENSION),
    NAMED(CL_INVALID_WORK_GROUP_SIZE),
    NAMED(CL_INVALID_WORK_ITEM_SIZE),
    NAMED(CL_INVALID_GLOBAL_OFFSET),
    NAMED(CL_INVALID_EVENT_WAIT_LIST),
    NAMED(CL_INVALID_EVENT),
    NAMED(CL_INVALID_OPERATION),
    NAMED(CL_INVALID_BUFFER_SIZE),
    NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    NAMED(CL_INVALID_PROPERTY),
    NAMED(CL_INVALID_IMAGE_DESCRIPTOR),
    NAMED(CL_INVALID_COMPILER_OPTIONS),
    NAMED(CL_INVALID_LINKER_OPTIONS),
    NAMED(CL_INVALID_DEVICE_PARTITION_COUNT),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *xli_cl_name(cl_int code)
{
    for (size_t i = 0; i < XLI_COUNT(names); ++i)
        if (names[i].code == code)
            return names[i].name;
    return "an unnamed OpenCL error";
}

xl_status(xli_fail)(const xl_context *ctx, xl_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    xli_errors_set(ctx && !xli_os_was_forked() ? ctx->errors : NULL, format, args);
    va_end(args);
    return status;
}

bool xli_cl_no_memory(cl_int code)
{
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

xl_status xli_cl(const xl_context *ctx, cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return XL_SUCCESS;
    return xli_fail(ctx, xli_cl_no_memory(code) ? XL_ERROR_OUT_OF_MEMORY : XL_ERROR_OPENCL,
                    "%s returned %s (%d)", call, xli_cl_name(code), (int)code);
}

xl_status xli_check_process(void)
{
    if (!xli_os_was_forked())
        return XL_SUCCESS;
    return xli_fail(NULL, XL_ERROR_UNSUPPORTED,
                    "fork(): this process is a child of one that had called the library; call "
                    "fork() before the first call of the library, or exec() in the child");
}

/* Takes over the text. */
xl_status xli_fail_text(const xl_context *ctx, xl_status status, xli_text *why)
{
    if (status != XL_SUCCESS && why->failed)
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for an error text");
    else if (status != XL_SUCCESS)
        status = xli_fail(ctx, status, "%s", why->data);
    xli_text_free(why);
    return status;
}
