/* SPDX-License-Identifier: MIT
 * Problem: for each cluster of stars, find the stars near the centre, pack them, and compute their
 * mass and centre of mass, in one kernel of your own. Each work-group does one cluster with the
 * collectives of <crosslane/collectives.cl>, whatever the width of the device's sub-groups. */
#include <crosslane/crosslane.h>
#include <math.h>
#include <stdio.h>

enum { CLUSTERS = 20, STARS = 96 }; /* 96: groups need not be powers of two */

static const char source[] =
    "typedef struct { float x, y, z, mass; } star;\n"
    "\n"
    "/* Mass and centre of both. */\n"
    "star merge(star a, star b)\n"
    "{\n"
    "    star c;\n"
    "    c.mass = a.mass + b.mass;\n"
    "    const float part = c.mass > 0 ? b.mass / c.mass : 0;\n"
    "    c.x = a.x + (b.x - a.x) * part;\n"
    "    c.y = a.y + (b.y - a.y) * part;\n"
    "    c.z = a.z + (b.z - a.z) * part;\n"
    "    return c;\n"
    "}\n"
    "\n"
    "#define XL_NAME star\n"
    "#define XL_T star\n"
    "#define XL_OP(a, b) merge(a, b)\n"
    "#define XL_IDENTITY ((star){0, 0, 0, 0})\n"
    "#define XL_GROUP_SIZE STARS\n" /* STARS is an option, see main() */
    "#include <crosslane/collectives.cl>\n"
    "\n"
    "__kernel __attribute__((reqd_work_group_size(STARS, 1, 1)))\n"
    "void weigh(const __global star *in, float radius, __global star *kept,\n"
    "           __global uint *counts, __global star *centres)\n"
    "{\n"
    "    __local star scratch[XL_GROUP_SCRATCH];\n"
    "    __local uint bits[XL_GROUP_BITS];\n"
    "    const uint cluster = (uint)get_group_id(0);\n"
    "    star mine = in[get_global_id(0)];\n"
    "    const bool is_near = mine.x * mine.x + mine.y * mine.y + mine.z * mine.z\n"
    "                         <= radius * radius;\n"
    "    uint count;\n"
    "    const uint place = xl_group_count_exclusive(is_near, bits, &count);\n"
    "    if (is_near)\n"
    "        kept[cluster * STARS + place] = mine;\n"
    "    else\n"
    "        mine.mass = 0;\n"
    "    const star centre = star_group_reduce(mine, scratch);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        counts[cluster] = count;\n"
    "        centres[cluster] = centre;\n"
    "    }\n"
    "}\n";

typedef struct star {
    float x, y, z, mass;
} star;

static star stars[CLUSTERS][STARS], kept[CLUSTERS][STARS], centres[CLUSTERS];
static cl_uint counts[CLUSTERS];
static const float radius = 0.75f;

/* The same on the host. Returns whether the device was right. */
static int right(int cluster)
{
    cl_uint count = 0;
    double mass = 0, x = 0;
    for (int i = 0; i < STARS; ++i) {
        const star s = stars[cluster][i];
        if (s.x * s.x + s.y * s.y + s.z * s.z > radius * radius)
            continue;
        if (kept[cluster][count++].mass != s.mass)
            return 0;
        mass += (double)s.mass;
        x += (double)s.mass * (double)s.x;
    }
    return count == counts[cluster] && fabs((double)centres[cluster].mass - mass) < 1e-4 * mass &&
           fabs((double)centres[cluster].x - x / mass) < 1e-4;
}

static cl_int run(xl_context *ctx, cl_kernel kernel)
{
    cl_context cl = xl_context_cl(ctx);
    cl_command_queue queue = xl_context_queue(ctx);
    const size_t items = (size_t)CLUSTERS * STARS, group = STARS;
    cl_mem in = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof stars, stars, NULL);
    cl_mem kept_mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof kept, NULL, NULL);
    cl_mem counts_mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof counts, NULL, NULL);
    cl_mem centres_mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof centres, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof radius, &radius);
    clSetKernelArg(kernel, 2, sizeof kept_mem, &kept_mem);
    clSetKernelArg(kernel, 3, sizeof counts_mem, &counts_mem);
    clSetKernelArg(kernel, 4, sizeof centres_mem, &centres_mem);
    cl_int code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, kept_mem, CL_TRUE, 0, sizeof kept, kept, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, counts_mem, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, centres_mem, CL_TRUE, 0, sizeof centres, centres, 0, NULL, NULL);
    clReleaseMemObject(in);
    clReleaseMemObject(kept_mem);
    clReleaseMemObject(counts_mem);
    clReleaseMemObject(centres_mem);
    return code;
}

/* In [0, 1). */
static float some(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24);
}

static void make_stars(void)
{
    unsigned state = 1;
    for (int c = 0; c < CLUSTERS; ++c)
        for (int i = 0; i < STARS; ++i) {
            star *s = &stars[c][i];
            s->x = 2 * some(&state) - 1;
            s->y = 2 * some(&state) - 1;
            s->z = 2 * some(&state) - 1;
            s->mass = 0.5f + 2 * some(&state);
        }
}

int main(void)
{
    xl_context *ctx = NULL;
    cl_program program = NULL;
    char options[32];
    make_stars();
    snprintf(options, sizeof options, "-DSTARS=%d", STARS);
    if (xl_context_create(NULL, &ctx) || xl_program_create(ctx, source, options, &program))
        return fprintf(stderr, "%s\n", xl_context_error(ctx)), 1;
    cl_kernel kernel = clCreateKernel(program, "weigh", NULL);
    const cl_int code = run(ctx, kernel);
    int bad = code != CL_SUCCESS;
    for (int c = 0; c < CLUSTERS && !bad; ++c)
        bad = !right(c);
    for (int c = 0; c < 3 && !bad; ++c)
        printf("cluster %d: %u of %d stars, mass %.2f around (%.3f, %.3f, %.3f)\n", c,
               (unsigned)counts[c], STARS, (double)centres[c].mass, (double)centres[c].x,
               (double)centres[c].y, (double)centres[c].z);
    if (bad)
        fprintf(stderr, "the kernel failed (%d) or is wrong\n", (int)code);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    xl_context_destroy(ctx);
    return bad;
}
