/* SPDX-License-Identifier: MIT
 * A user's program: scans a few numbers and checks the sums. */
#include <crosslane/crosslane.h>

#include <stdio.h>

enum { COUNT = 1000 };

static xl_status scan(xl_context *ctx, cl_mem buffer)
{
    xl_plan *plan = NULL;
    xl_scan_desc desc;
    xl_view view = xl_view_of(buffer, 0);
    xl_scan_desc_init(&desc);
    xl_status status = xl_scan_create(ctx, &desc, &plan);
    if (status == XL_SUCCESS)
        status =
            xl_scan_enqueue(plan, xl_context_queue(ctx),
                            &(xl_scan_args){.n = COUNT, .in = view, .out = view}, 0, NULL, NULL);
    xl_plan_destroy(plan);
    return status;
}

int main(void)
{
    xl_context *ctx;
    cl_uint data[COUNT], wanted = 0, wrong = 0;
    for (cl_uint i = 0; i < COUNT; ++i)
        data[i] = i + 1;
    if (xl_context_create(NULL, &ctx) != XL_SUCCESS) {
        fprintf(stderr, "%s\n", xl_context_error(NULL));
        return 1;
    }
    cl_mem buffer =
        clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    if (scan(ctx, buffer) != XL_SUCCESS) {
        fprintf(stderr, "%s\n", xl_context_error(ctx));
        return 1;
    }
    clEnqueueReadBuffer(xl_context_queue(ctx), buffer, CL_TRUE, 0, sizeof data, data, 0, NULL,
                        NULL);
    for (cl_uint i = 0; i < COUNT; wanted += ++i)
        wrong += data[i] != wanted;
    printf("crosslane %s: sum before the last of %d is %u, %u wrong\n", xl_version_string(), COUNT,
           data[COUNT - 1], wrong);
    clReleaseMemObject(buffer);
    xl_context_destroy(ctx);
    return wrong != 0;
}
