/* SPDX-License-Identifier: MIT
 * Problem: stars must be listed from the brightest to the faintest, each with its name. Sorts the
 * brightness with the number of the star as its value. Uses scratch of the caller and events, so
 * that the host waits only once, at the end. */
#include <crosslane/crosslane.h>
#include <stdio.h>

enum { STARS = 7 };

static const struct {
    const char *name;
    float magnitude;
} sky[STARS] = {{"Vega", 0.03f},     {"Altair", 0.76f},  {"Sirius", -1.46f},  {"Rigel", 0.13f},
                {"Canopus", -0.74f}, {"Procyon", 0.34f}, {"Arcturus", -0.05f}};

/* Brightest first, which is the smallest magnitude. Both arrays are on the host. */
static xl_status sort_stars(xl_context *ctx, float *magnitudes, cl_uint *stars)
{
    xl_plan *plan = NULL;
    xl_sort_desc desc;
    cl_mem keys = NULL, values = NULL, scratch = NULL;
    cl_event sorted = NULL;
    size_t bytes = 0;
    cl_command_queue queue = xl_context_queue(ctx);
    const size_t key_bytes = STARS * sizeof *magnitudes, value_bytes = STARS * sizeof *stars;

    xl_sort_args args = {.n = STARS};
    xl_sort_desc_init(&desc);
    desc.key = XL_F32;
    desc.value = XL_U32;
    xl_status status = xl_sort_create(ctx, &desc, &plan);
    if (status == XL_SUCCESS)
        status = xl_sort_scratch(plan, &args, &bytes);
    if (status != XL_SUCCESS)
        goto done;

    keys = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, key_bytes, magnitudes, NULL);
    values = clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, value_bytes, stars, NULL);
    if (bytes > 0) /* some sorts need none */
        scratch = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, bytes, NULL, NULL);
    args.keys_in = args.keys_out = xl_view_of(keys, 0);
    args.values_in = args.values_out = xl_view_of(values, 0);
    args.scratch = xl_view_of(scratch, 0);
    status = xl_sort_enqueue(plan, queue, &args, 0, NULL, &sorted);
    if (status != XL_SUCCESS)
        goto done;
    clEnqueueReadBuffer(queue, keys, CL_FALSE, 0, key_bytes, magnitudes, 1, &sorted, NULL);
    clEnqueueReadBuffer(queue, values, CL_TRUE, 0, value_bytes, stars, 1, &sorted, NULL);
done:
    if (sorted)
        clReleaseEvent(sorted);
    if (keys)
        clReleaseMemObject(keys);
    if (values)
        clReleaseMemObject(values);
    if (scratch)
        clReleaseMemObject(scratch);
    xl_plan_destroy(plan);
    return status;
}

int main(void)
{
    float magnitudes[STARS];
    cl_uint stars[STARS];
    xl_context *ctx = NULL;
    for (cl_uint i = 0; i < STARS; ++i) {
        magnitudes[i] = sky[i].magnitude;
        stars[i] = i;
    }
    xl_status status = xl_context_create(NULL, &ctx);
    if (status == XL_SUCCESS)
        status = sort_stars(ctx, magnitudes, stars);
    if (status != XL_SUCCESS)
        fprintf(stderr, "%s\n", xl_context_error(ctx));
    for (int i = 0; i < STARS && status == XL_SUCCESS; ++i)
        printf("%5.2f  %s\n", (double)magnitudes[i], sky[stars[i]].name);
    xl_context_destroy(ctx);
    return status == XL_SUCCESS && stars[0] == 2 && stars[STARS - 1] == 1 ? 0 : 1;
}
