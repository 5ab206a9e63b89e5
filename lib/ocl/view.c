/* SPDX-License-Identifier: MIT
 * Checks of buffer arguments, before any side effect; and buffers of constants. */
#include "private.h"

static xl_status mem_info(const xl_context *ctx, const char *name, cl_mem buffer, cl_mem_info what,
                          size_t bytes, void *to)
{
    cl_int code = clGetMemObjectInfo(buffer, what, bytes, to, NULL);
    if (code != CL_INVALID_MEM_OBJECT)
        return xli_cl(ctx, code, "clGetMemObjectInfo");
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: not a memory object: %s (%d)", name,
                    xli_cl_name(code), (int)code);
}

static xl_status check_object(const xl_context *ctx, const char *name, cl_mem buffer,
                              xli_access access)
{
    xl_status status;
    cl_context owner = NULL;
    cl_mem_object_type type = 0;
    cl_mem_flags flags = 0;
    XL_TRY(mem_info(ctx, name, buffer, CL_MEM_TYPE, sizeof type, &type));
    XL_TRY(mem_info(ctx, name, buffer, CL_MEM_CONTEXT, sizeof owner, &owner));
    XL_TRY(mem_info(ctx, name, buffer, CL_MEM_FLAGS, sizeof flags, &flags));
    if (type != CL_MEM_OBJECT_BUFFER)
        status = xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: not a buffer", name);
    else if (owner != ctx->cl)
        status = xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: a buffer of another OpenCL context",
                          name);
    else if ((access & XLI_WRITE) && (flags & CL_MEM_READ_ONLY))
        status = xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                          "%s: created with CL_MEM_READ_ONLY; the call writes it", name);
    else if ((access & XLI_READ) && (flags & CL_MEM_WRITE_ONLY))
        status = xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                          "%s: created with CL_MEM_WRITE_ONLY; the device also reads it", name);
done:
    return status;
}

xl_status xli_check_view(const xl_context *ctx, const char *name, xl_view view, size_t n,
                         size_t element_bytes, xli_access access, xli_span *span)
{
    xl_status status = XL_SUCCESS;
    size_t size = 0, parent_offset = 0;
    cl_mem parent = NULL;
    *span = (xli_span){.name = name, .offset = view.offset, .access = access};
    if (n == 0)
        return view.buffer ? check_object(ctx, name, view.buffer, access) : XL_SUCCESS;
    if (!view.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: no buffer given for %zu elements",
                        name, n);
    XL_TRY(check_object(ctx, name, view.buffer, access));
    XL_TRY(mem_info(ctx, name, view.buffer, CL_MEM_SIZE, sizeof size, &size));
    XL_TRY(mem_info(ctx, name, view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent));
    if (parent)
        XL_TRY(
            mem_info(ctx, name, view.buffer, CL_MEM_OFFSET, sizeof parent_offset, &parent_offset));
    size_t holds = size / element_bytes;
    if (view.count > 0 && n > view.count)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %zu elements are needed; view.count is %zu", name, n, view.count));
    if (view.offset > holds || n > holds - view.offset)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %zu elements of %zu bytes are needed from element %zu on; the buffer "
                        "holds %zu",
                        name, n, element_bytes, view.offset, holds));
    span->buffer = view.buffer;
    span->root = parent ? parent : view.buffer;
    span->begin = parent_offset + view.offset * element_bytes;
    span->end = span->begin + n * element_bytes;
done:
    return status;
}

xl_status xli_check_apart(const xl_context *ctx, const xli_span *a, const xli_span *b,
                          bool same_allowed)
{
    bool share = a->root && a->root == b->root && a->begin < b->end && b->begin < a->end;
    bool same = share && a->begin == b->begin && a->end == b->end;
    if (!share || (same && same_allowed))
        return XL_SUCCESS;
    size_t from = xli_max(a->begin, b->begin), to = xli_min(a->end, b->end);
    return xli_fail(ctx, XL_ERROR_OVERLAP, "%s and %s overlap in bytes %zu to %zu%s", a->name,
                    b->name, from, to, same_allowed ? " (only exactly the same view may be)" : "");
}

/* clCreateBuffer() takes a pointer to non-const, and only reads. */
xl_status xli_buffer_of(const xl_context *ctx, const char *call, cl_mem_flags access, size_t bytes,
                        const void *from, cl_mem *buffer)
{
    cl_int code;
    *buffer = clCreateBuffer(ctx->cl, access | CL_MEM_COPY_HOST_PTR, bytes, (void *)from, &code);
    return xli_cl(ctx, code, call);
}

bool xli_span_is_in_place(const xli_span *in, const xli_span *out)
{
    return in->root && in->root == out->root && in->begin == out->begin;
}
