/* SPDX-License-Identifier: MIT
 * Problem: count the neighbours of each particle, and compute the density there, for millions of
 * particles. Builds a grid and computes the density by a visit function, the Poly6 kernel of
 * Mueller et al., "Particle-based fluid simulation for interactive applications" (SCA 2003). The
 * particles are a column that the program makes, or the points of a .npy file. Prints the time of
 * each stage, checks the results, and draws the density. */
#include <crosslane/crosslane.h>

#include "drawing.h"
#include "npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SIDE = 1600, ROUNDS = 3, CHECKED_POINTS = 64 };

static const double PI = 3.14159265358979323846, JITTER = 0.1;

typedef struct options {
    const char *file, *png;
    float radius;
    double cut; /* below 0: not said */
    size_t side;
} options;

/* ---- the points ---- */

/* splitmix64: each coordinate has a separate random number, so the column is the same on every
 * machine, in whichever order it is made. */
static double unit_random(uint64_t index)
{
    uint64_t z = UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

/* side^3 points, one in each unit cube, a little off its centre; NULL: no memory. */
static float *make_column(size_t side)
{
    const size_t n = side * side * side;
    float *xyz = (float *)malloc(n * 3 * sizeof *xyz);
    for (size_t i = 0; xyz && i < n; ++i) {
        const size_t cell[3] = {i % side, i / side % side, i / side / side};
        for (size_t axis = 0; axis < 3; ++axis) {
            const double off = (2 * unit_random(3 * i + axis) - 1) * JITTER;
            xyz[3 * i + axis] = (float)((double)cell[axis] + 0.5 + off);
        }
    }
    return xyz;
}

/* The caller frees the points; NULL after a message. */
static float *read_points(const char *path, size_t *n)
{
    xli_npy array = {0};
    xli_npy_error error = {"cannot be opened"};
    FILE *stream = fopen(path, "rb");
    const bool read = stream && xli_npy_read(stream, &array, &error);
    if (stream)
        fclose(stream);
    const bool points = read && array.kind == 'f' && array.item_bytes == 4 &&
                        array.dimensions == 2 && array.shape[1] == 3;
    if (!points) {
        fprintf(stderr, "%s: %s\n", path, read ? "points are f32 of shape (n, 3)" : error.text);
        xli_npy_free(&array);
        return NULL;
    }
    *n = (size_t)array.shape[0];
    return (float *)array.data;
}

/* ---- on the device ---- */

typedef struct particles {
    const float *xyz; /* borrowed */
    size_t n;
    float radius;
    xl_context *ctx;
    cl_command_queue queue;
    xl_plan *grid;
    xl_grid_index *index;
    xl_plan *counter, *field;
    cl_mem points, counts, offsets, density;
    xl_grid_report report;
    cl_uint *found; /* read back: counts, their sum, densities */
    cl_ulong pairs;
    float *rho;
} particles;

/* (1 - d^2/h^2)^3 rather than (h^2 - d^2)^3 / h^9: h^9 underflows in single precision from
 * h = 1e-5 on. */
static const char poly6[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
    "{\n"
    "    float q = fmax(0.0f, 1.0f - distance2 * params.x);\n"
    "    return sum + params.y * (q * q * q);\n"
    "}\n";

/* The factor of the sum; a particle has mass 1. */
static double poly6_factor(double h)
{
    return 315.0 / (64.0 * PI * h * h * h);
}

static xl_status make_plans(particles *p)
{
    xl_grid_desc grid;
    xl_neighbors_desc near;
    xl_grid_desc_init(&grid);
    grid.cell_size = (double)p->radius;
    xl_neighbors_desc_init(&near);
    near.radius = (double)p->radius;
    xl_status status = xl_grid_create(p->ctx, &grid, &p->grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(p->ctx, &p->index);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(p->grid, &near, &p->counter);
    near.include_self = 1;
    near.visit = poly6;
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(p->grid, &near, &p->field);
    return status;
}

static xl_status make_buffers(particles *p)
{
    cl_context cl = xl_context_cl(p->ctx);
    const size_t n = p->n + !p->n; /* no buffer is empty */
    p->points = clCreateBuffer(cl, CL_MEM_READ_WRITE, n * 3 * sizeof(float), NULL, NULL);
    p->counts = clCreateBuffer(cl, CL_MEM_READ_WRITE, n * sizeof(cl_uint), NULL, NULL);
    p->offsets = clCreateBuffer(cl, CL_MEM_READ_WRITE, (n + 1) * sizeof(cl_ulong), NULL, NULL);
    p->density = clCreateBuffer(cl, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    p->found = (cl_uint *)calloc(n, sizeof *p->found);
    p->rho = (float *)calloc(n, sizeof *p->rho);
    const bool all = p->points && p->counts && p->offsets && p->density && p->found && p->rho;
    return all ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
}

static xl_status of_opencl(cl_int code)
{
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OPENCL;
}

static xl_status upload(particles *p)
{
    if (p->n == 0)
        return XL_SUCCESS;
    return of_opencl(clEnqueueWriteBuffer(p->queue, p->points, CL_FALSE, 0,
                                          p->n * 3 * sizeof(float), p->xyz, 0, NULL, NULL));
}

static xl_status build(particles *p)
{
    const xl_grid_build_args args = {.n = p->n, .points = xl_view_of(p->points, 0)};
    const xl_status status =
        xl_grid_build_enqueue(p->grid, p->index, p->queue, &args, 0, NULL, NULL);
    /* Waits; says so if a point is not finite. */
    return status ? status : xl_grid_index_status(p->index, p->queue, &p->report, 0, NULL);
}

static xl_status count(particles *p)
{
    const xl_neighbors_args args = {.counts = xl_view_of(p->counts, 0),
                                    .offsets = xl_view_of(p->offsets, 0)};
    return xl_neighbors_count_enqueue(p->counter, p->index, p->queue, &args, 0, NULL, NULL);
}

static xl_status sum_density(particles *p)
{
    const double h = (double)p->radius;
    const xl_neighbors_args args = {.params = {1 / (h * h), poly6_factor(h)},
                                    .sums = xl_view_of(p->density, 0)};
    return xl_neighbors_enqueue(p->field, p->index, p->queue, &args, 0, NULL, NULL);
}

static xl_status read_back(particles *p)
{
    cl_int code = clEnqueueReadBuffer(p->queue, p->offsets, CL_TRUE, p->n * sizeof p->pairs,
                                      sizeof p->pairs, &p->pairs, 0, NULL, NULL);
    if (code == CL_SUCCESS && p->n > 0)
        code = clEnqueueReadBuffer(p->queue, p->counts, CL_TRUE, 0, p->n * sizeof *p->found,
                                   p->found, 0, NULL, NULL);
    if (code == CL_SUCCESS && p->n > 0)
        code = clEnqueueReadBuffer(p->queue, p->density, CL_TRUE, 0, p->n * sizeof *p->rho, p->rho,
                                   0, NULL, NULL);
    return of_opencl(code);
}

typedef struct stage {
    const char *name;
    xl_status (*run)(particles *p);
    double first_ms, best_ms;
} stage;

static double milliseconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static xl_status run_stage(particles *p, stage *s, unsigned round)
{
    const double before = milliseconds();
    xl_status status = s->run(p);
    if (status == XL_SUCCESS)
        status = of_opencl(clFinish(p->queue));
    const double ms = milliseconds() - before;
    s->first_ms = round == 0 ? ms : s->first_ms;
    s->best_ms = round == 0 || ms < s->best_ms ? ms : s->best_ms;
    return status;
}

static xl_status run_stages(particles *p)
{
    stage stages[] = {{"plans, compiling", make_plans, 0, 0},
                      {"upload", upload, 0, 0},
                      {"grid build", build, 0, 0},
                      {"neighbour counts", count, 0, 0},
                      {"Poly6 density", sum_density, 0, 0},
                      {"read back", read_back, 0, 0}};
    enum { STAGES = sizeof stages / sizeof stages[0] };
    xl_status status = run_stage(p, &stages[0], 0);
    for (unsigned round = 0; round < ROUNDS; ++round)
        for (size_t k = 1; k < STAGES && status == XL_SUCCESS; ++k)
            status = run_stage(p, &stages[k], round);
    if (status != XL_SUCCESS)
        return status;
    printf("%-18s %12s %12s\n%-18s %12s %12.3f\n", "stage", "best ms", "first ms", stages[0].name,
           "", stages[0].first_ms);
    for (size_t k = 1; k < STAGES; ++k)
        printf("%-18s %12.3f %12.3f\n", stages[k].name, stages[k].best_ms, stages[k].first_ms);
    printf("best of %d rounds, on the wall\n\n", ROUNDS);
    return XL_SUCCESS;
}

static void finish(particles *p)
{
    const cl_mem buffers[] = {p->points, p->counts, p->offsets, p->density};
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; ++k)
        if (buffers[k])
            clReleaseMemObject(buffers[k]);
    xl_plan_destroy(p->field);
    xl_plan_destroy(p->counter);
    xl_grid_index_destroy(p->index);
    xl_plan_destroy(p->grid);
    xl_context_destroy(p->ctx);
    free(p->found);
    free(p->rho);
}

/* ---- what came out ---- */

/* Point i against all others, in single precision, each operation rounded once as the library
 * promises; the density to rounding. */
static bool right_at(const particles *p, size_t i)
{
    const float *a = p->xyz + 3 * i, r2 = p->radius * p->radius;
    const double h = (double)p->radius;
    cl_uint near = 0;
    double density = 0;
    for (size_t j = 0; j < p->n; ++j) {
        const float *b = p->xyz + 3 * j;
        const float dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2];
        const float d2 = (dx * dx + dy * dy) + dz * dz;
        if (!(d2 < r2))
            continue;
        near += j != i;
        density += pow(fmax(0, 1 - (double)d2 / (h * h)), 3);
    }
    density *= poly6_factor(h);
    if (p->found[i] == near && fabs((double)p->rho[i] - density) <= (1e-5 + 1e-7 * near) * density)
        return true;
    fprintf(stderr, "point %zu: %u neighbours, density %.9g; a serial search has %u, %.9g\n", i,
            (unsigned)p->found[i], (double)p->rho[i], (unsigned)near, density);
    return false;
}

/* Sums of both arrays, which must agree: each pair is seen from both ends. */
static bool right(const particles *p)
{
    cl_ulong sum = 0;
    for (size_t i = 0; i < p->n; ++i) {
        sum += p->found[i];
        if (!isfinite(p->rho[i])) {
            fprintf(stderr, "the density of point %zu is not finite\n", i);
            return false;
        }
    }
    if (sum != p->pairs || sum % 2) {
        fprintf(stderr, "counts add up to %" PRIu64 ", offsets to %" PRIu64 "\n", (uint64_t)sum,
                (uint64_t)p->pairs);
        return false;
    }
    const size_t checked = p->n < CHECKED_POINTS ? p->n : CHECKED_POINTS;
    for (size_t k = 0; k < checked; ++k)
        if (!right_at(p, (size_t)((double)p->n * ((double)k + 0.5) / (double)checked)))
            return false;
    printf("checked     %zu points against a serial search among all: equal\n", checked);
    return true;
}

/* Away from the faces there is a particle of mass 1 in each unit cube: density 1. */
static bool right_inside(const particles *p, size_t side)
{
    const double margin = (double)p->radius + 2 * JITTER;
    double density = 0, neighbors = 0, inside = 0;
    for (size_t i = 0; i < p->n; ++i) {
        int axes = 0;
        for (size_t axis = 0; axis < 3; ++axis) {
            const double x = (double)p->xyz[3 * i + axis];
            axes += x > margin && x < (double)side - margin;
        }
        if (axes < 3)
            continue;
        ++inside;
        density += (double)p->rho[i];
        neighbors += p->found[i];
    }
    if (inside == 0)
        return true;
    printf("inside      %.0f particles away from the faces: mean density %.6f (about 1 expected), "
           "mean neighbours %.4f\n",
           inside, density / inside, neighbors / inside);
    return fabs(density / inside - 1) < 0.05 || p->radius < 1.5f;
}

static void print_results(const particles *p)
{
    cl_uint least = p->n ? p->found[0] : 0, most = least;
    float low = p->n ? p->rho[0] : 0, high = low;
    for (size_t i = 0; i < p->n; ++i) {
        least = p->found[i] < least ? p->found[i] : least;
        most = p->found[i] > most ? p->found[i] : most;
        low = fminf(p->rho[i], low);
        high = fmaxf(p->rho[i], high);
    }
    if (p->report.sparse)
        printf("cells       in %u rows\n", p->report.table_cells);
    else
        printf("cells       %u x %u x %u\n", p->report.cells[0], p->report.cells[1],
               p->report.cells[2]);
    printf("neighbours  %u to %u, mean %.4f, %" PRIu64 " pairs\n", least, most,
           p->n ? (double)p->pairs / (double)p->n : 0.0, (uint64_t)p->pairs);
    printf("density     %.6g to %.6g\n", (double)low, (double)high);
}

static bool draw(const particles *p, const options *o)
{
    /* Most of the column is inside, and its density there is alike but for noise. */
    picture_settings set = {0.2, 0.5, 1, "DENSITY"};
    if (o->file) { /* the edge of the cube that one point has, were the ball around it full */
        const double around = p->n ? (double)p->pairs / (double)p->n : 0;
        set.cut = 0;
        set.saturated = 0.002;
        set.spacing = (double)p->radius * cbrt(4.0 / 3.0 * PI / (around + 1));
    }
    if (o->cut >= 0)
        set.cut = o->cut;
    if (!picture_write(o->png, p->xyz, p->rho, p->n, &set))
        return false;
    printf("picture     %s\n", o->png);
    return true;
}

/* ---- the program ---- */

static bool search(const options *o, const float *xyz, size_t n)
{
    particles p = {.xyz = xyz, .n = n, .radius = o->radius};
    xl_device_info info = {0};
    xl_status status = xl_context_create(NULL, &p.ctx);
    if (status == XL_SUCCESS)
        status = xl_context_device_info(p.ctx, &info);
    p.queue = xl_context_queue(p.ctx);
    if (status == XL_SUCCESS)
        status = make_buffers(&p);
    if (status == XL_SUCCESS) {
        printf("%zu points, radius %g, on %s\n\n", n, (double)o->radius, info.name);
        status = run_stages(&p);
    }
    if (status != XL_SUCCESS)
        fprintf(stderr, "%s: %s\n", xl_status_name(status), xl_context_error(p.ctx));
    else
        print_results(&p);
    const bool good =
        status == XL_SUCCESS && right(&p) && (o->file || right_inside(&p, o->side)) && draw(&p, o);
    finish(&p);
    return good;
}

/* A number behind an option, in its range. */
static bool number(const char *text, double low, double high, double *value)
{
    char *end = NULL;
    *value = text ? strtod(text, &end) : 0;
    return end && end != text && !*end && *value >= low && *value <= high;
}

static bool parse(int argc, char **argv, options *o)
{
    double radius = 0, side = 128;
    for (int i = 1; i < argc; ++i) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool good = true;
        if (strncmp(argv[i], "--", 2) != 0 && !o->file) {
            o->file = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--radius") == 0)
            good = number(next, 1e-12, 1e12, &radius);
        else if (strcmp(argv[i], "--n-side") == 0)
            good = number(next, 1, MAX_SIDE, &side);
        else if (strcmp(argv[i], "--cut") == 0)
            good = number(next, 0, 1, &o->cut);
        else if (strcmp(argv[i], "--png") == 0)
            o->png = next;
        else
            good = false;
        if (!good || !next)
            return false;
        ++i;
    }
    o->side = (size_t)side;
    o->radius = radius > 0 ? (float)radius : 2.0f;
    return !o->file || radius > 0;
}

int main(int argc, char **argv)
{
    options o = {.png = "particles.png", .cut = -1};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "Usage: %s [POINTS.npy --radius R] [--n-side N] [--cut 0...1] [--png P.png]\n"
                "POINTS: f32 of shape (n, 3). Without it a column of N^3 particles, 1 to "
                "1600; N is 128.\n",
                argv[0]);
        return 2;
    }
    size_t n = o.side * o.side * o.side;
    float *xyz = o.file ? read_points(o.file, &n) : make_column(o.side);
    if (!xyz && !o.file)
        fprintf(stderr, "no memory for %zu points\n", n);
    const bool good = xyz && search(&o, xyz, n);
    free(xyz);
    return good ? 0 : 1;
}
