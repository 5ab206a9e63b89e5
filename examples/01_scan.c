/* SPDX-License-Identifier: MIT; running totals of ten numbers, in place, on the best device. */
#include <crosslane/crosslane.h>
#include <stdio.h>
int main(void)
{
    cl_uint x[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    xl_context *ctx = NULL;
    xl_plan *plan = NULL;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc); /* exclusive sum of u32 */
    desc.kind = XL_INCLUSIVE;
    if (xl_context_create(NULL, &ctx) || xl_scan_create(ctx, &desc, &plan))
        return fprintf(stderr, "%s\n", xl_context_error(ctx)), 1;
    cl_command_queue queue = xl_context_queue(ctx);
    cl_mem buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    const xl_scan_args args = {.n = 10, .in = {.buffer = buffer}, .out = {.buffer = buffer}};
    if (xl_scan_enqueue(plan, queue, &args, 0, NULL, NULL))
        return fprintf(stderr, "%s\n", xl_context_error(ctx)), 1;
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    printf("%u %u %u ... %u\n", x[0], x[1], x[2], x[9]); /* 3 4 8 ... 39 */
    clReleaseMemObject(buffer);
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
    return x[9] == 39 ? 0 : 1;
}
