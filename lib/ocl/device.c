/* SPDX-License-Identifier: MIT
 * Questions to a device or platform, answered in plain C types. */
#include "private.h"

#include <string.h>

/* Cuts at `bytes` and drops the spaces some drivers pad names with. */
static void copy_trimmed(char *to, size_t bytes, const char *from)
{
    while (*from == ' ')
        ++from;
    size_t length = xli_min(strlen(from), bytes - 1);
    memcpy(to, from, length);
    while (length > 0 && to[length - 1] == ' ')
        --length;
    to[length] = '\0';
}

char *xli_device_long_text(cl_device_id device, cl_device_info what)
{
    size_t bytes = 0;
    if (clGetDeviceInfo(device, what, 0, NULL, &bytes) != CL_SUCCESS)
        return NULL;
    char *text = xli_alloc(bytes + 1);
    if (text && clGetDeviceInfo(device, what, bytes, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    return text;
}

void xli_device_text(cl_device_id device, cl_device_info what, char *to, size_t bytes)
{
    char *text = xli_device_long_text(device, what);
    copy_trimmed(to, bytes, text ? text : "");
    xli_free(text);
}

void xli_platform_text(cl_platform_id platform, cl_platform_info what, char *to, size_t bytes)
{
    char text[1024] = "";
    if (clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    copy_trimmed(to, bytes, text);
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

size_t xli_device_size(cl_device_id device, cl_device_info what)
{
    size_t value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}
