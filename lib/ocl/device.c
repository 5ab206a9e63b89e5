/* SPDX-License-Identifier: MIT
 * Questions to a device or platform, answered in plain C types. */
#include "private.h"

#include <stdio.h>
#include <string.h>

void xli_copy_trimmed(char *to, size_t bytes, const char *from)
{
    while (*from == ' ')
        ++from;
    size_t length = xli_min(strlen(from), bytes - 1);
    memcpy(to, from, length);
    while (length > 0 && to[length - 1] == ' ')
        --length;
    to[length] = '\0';
}

/* A question that the device does not know is answered by CL_INVALID_VALUE; with any
 * other code it could not answer now, and to take that for "no" would last. */
xl_status xli_device_list(const xl_context *ctx, cl_device_info what, void **list, size_t *bytes)
{
    xl_status status = XL_SUCCESS;
    *bytes = 0;
    *list = NULL;
    cl_int code = clGetDeviceInfo(ctx->device, what, 0, NULL, bytes);
    if (code == CL_SUCCESS) {
        *list = xli_alloc(*bytes + 1);
        if (!*list)
            XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for what the device tells"));
        code = clGetDeviceInfo(ctx->device, what, *bytes, *list, NULL);
    }
    if (code != CL_SUCCESS && code != CL_INVALID_VALUE)
        status = xli_cl(ctx, code, "clGetDeviceInfo");
done:
    if (status != XL_SUCCESS || code != CL_SUCCESS) {
        xli_free(*list);
        *list = NULL;
        *bytes = 0;
    }
    return status;
}

void xli_device_text(cl_device_id device, cl_device_info what, char *to, size_t bytes)
{
    char text[1024] = "";
    if (clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    xli_copy_trimmed(to, bytes, text);
}

void xli_platform_text(cl_platform_id platform, cl_platform_info what, char *to, size_t bytes)
{
    char text[1024] = "";
    if (clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    xli_copy_trimmed(to, bytes, text);
}

unsigned xli_device_version(cl_device_id device)
{
    char text[64];
    unsigned major, minor;
    xli_device_text(device, CL_DEVICE_VERSION, text, sizeof text);
    return sscanf(text, "OpenCL %u.%u", &major, &minor) == 2 ? major * 100 + minor : 100;
}

cl_uint xli_device_uint(cl_device_id device, cl_device_info what)
{
    cl_uint value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

cl_ulong xli_device_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}
