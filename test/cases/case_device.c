/* SPDX-License-Identifier: MIT
 * Where cases of the case runner run: contexts by tuning, plans that are kept, buffers
 * between guards, queues, and the comparison of results. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

void xlt_failed(const char *file, int line)
{
    (void)file;
    (void)line;
    exit(1);
}

bool failed(outcome *o, const char *format, ...)
{
    va_list args;
    if (o->failed)
        return false;
    o->failed = true;
    va_start(args, format);
    vsnprintf(o->text, sizeof o->text, format, args);
    va_end(args);
    return false;
}

bool succeeded(outcome *o, xl_context *ctx, xl_status status, const char *call)
{
    return status == XL_SUCCESS ||
           failed(o, "%s gave %s: %.700s", call, xl_status_name(status), xl_context_error(ctx));
}

bool cl_succeeded(outcome *o, cl_int code, const char *call)
{
    return code == CL_SUCCESS || failed(o, "%s gave %d", call, (int)code);
}

bool zeros_are_alike(void)
{
    return strstr(xlt_device(), "llvmpipe") != NULL;
}

static bool is_on_gpu(void)
{
    static cl_device_type type;
    return (type != 0 || clGetDeviceInfo(xl_context_device(xlt_context()), CL_DEVICE_TYPE,
                                         sizeof type, &type, NULL) == CL_SUCCESS) &&
           type == CL_DEVICE_TYPE_GPU;
}

static bool is_pocl(void)
{
    return strncmp(xlt_device(), "pthread", 7) == 0 || strncmp(xlt_device(), "cpu-", 4) == 0;
}

/* Sorts for CPUs need much private memory for the counters of each work-item. A GPU sets this memory
 * aside for each work-item that it can run, which is too much for many processes side by side. */
static void fit_gpu(fuzz_case *c)
{
    if ((c->of[PRIMITIVE] == SORT || c->of[PRIMITIVE] == TOP_K) && c->of[TUNE] % 2 == 1)
        c->of[TUNE] = 0;
}

void fit_device(fuzz_case *c)
{
    static char extensions[16384];
    const xl_type type = element_of(c)->type;
    if (zeros_are_alike()) {
        c->of[KEY_BYTES] = 0; /* it compiles a comparator of 96 bytes for a minute, */
        if (element_of(c)->bytes > 16 && case_rounds(c))
            c->of[DETERMINISM] = XL_DETERMINISTIC; /* and rows of 32 structures */
        case_normalise(c);
    }
    if (is_on_gpu())
        fit_gpu(c);
    if (has_keys(c) && c->of[TUNE] == BY_QUEUE && is_pocl()) /* it compiles a queue for a minute, */
        c->of[TUNE] = c->of[SEGMENTS] ? 1 : 4; /* and segments in groups nearly as long */
    if (c->of[PRIMITIVE] == NEAREST && c->of[SPACE] == SPACE_OWN && c->of[BATCH] &&
        nearest_of(c) > 64 &&
        is_pocl()) /* its stack overflows: PoCL 3.1, a group that walks images of many cells */
        c->of[TUNE] = 0;
    if (has_keys(c) || (has_space(c) && !c->of[SCALAR]))
        return;
    if (!extensions[0] && clGetDeviceInfo(xl_context_device(xlt_context()), CL_DEVICE_EXTENSIONS,
                                          sizeof extensions, extensions, NULL) != CL_SUCCESS)
        strcpy(extensions, "unknown");
    if ((type == XL_F16 && !strstr(extensions, "cl_khr_fp16")) ||
        (type == XL_F64 && !strstr(extensions, "cl_khr_fp64")))
        c->of[TYPE] = 4; /* f32 */
    if (has_space(c) && !strstr(extensions, "cl_khr_fp64"))
        c->of[SCALAR] = 0;
    case_normalise(c);
}

/* ---- contexts ----------------------------------------------------------------------------- */

/* The first one is the device's tuning. In the others tiles are small, so that few elements make
 * many of them, and the algorithms are those of other devices. The last one is for lists of cases
 * only: it works through long segments by a queue. */
const char *const tunings[NUM_TUNINGS] = {
    NULL,
    "scan.shape = 0\nscan.tile_bytes = 256\nscan.inject_delay = 5\nscan.chunk_elements = 1024\n"
    "reduce.serial = 1\nreduce.chunk_elements = 256\nsort.shape = 1\nsort.serial_tile_log = 5\n"
    "sort.radix_from = 900\nsort.radix_least = 300\nsort.radix_alone = 90\n"
    "sort.radix_chunks = 200\nsort.radix_bucket_bytes = 400\nsort.inject_places = 500\n"
    "top_k.shape = 1\ntop_k.chunks = 200\ntop_k.ranked = 0\n"
    "top_k.chunk = 40\nmerge.serial = 1\nmerge.chunk = 41\nmerge.inject_places = "
    "500\nsearch.serial = 1\nsearch.items = 4\n"
    "search.queries = 42\n"
    "grid.group = 8\ngrid.items = 3\ngrid.overfull_points = 4\ngrid.bounds_groups = 3\n"
    "select.serial = 1\nselect.tile_bytes = 256\nselect.piece = 3000\nselect.inject_delay = 3\n"
    "select.spin_limit = 20\nhistogram.serial = 1\nhistogram.chunk = 77\n"
    "transform.serial = 1\ntransform.chunk = 600\ntransform.items = 1\n",
    "scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 32\nscan.spin_limit = 2\n"
    "reduce.serial = 0\nreduce.group_size = 32\nreduce.whole_size = 32\nreduce.item_bytes = 16\n"
    "reduce.chunk_groups = 64\nreduce.chunk_vectors = 1\nreduce.single_group_vectors = 1\n"
    "reduce.segment_chunk_groups = 3\nsort.shape = 0\nsort.group_log = 4\nsort.items_log = 2\n"
    "sort.segment_group_log = 4\nsort.segment_items_log = 2\n"
    "sort.search_log = 3\nsort.sweep_group = 256\nsort.sweep_wide_group = 256\n"
    "sort.sweep_pair_group = 256\nsort.sweep_bytes = 8\nsort.sweep_wide_bytes = 16\n"
    "sort.sweep_pair_bytes = 8\nsort.sweep_from = 1500\n"
    "sort.sweep_pair_from = 1500\nsort.sweep_wide_from = 1500\nsort.sweep_small_most = 2600\n"
    "sort.sweep_small_pair_most = 2600\nsort.sweep_small_group = 256\nsort.sweep_small_bytes = 4\n"
    "sort.ring_tiles = 4\nsort.part_tiles = 5\nsort.spin_limit = 20\nsort.inject_delay = 3\n"
    "sort.inject_places = 500\nsort.radix_bytes = 8\n"
    "top_k.shape = 0\ntop_k.group_log = 5\ntop_k.items = 2\ntop_k.ranked = 1024\n"
    "top_k.chunks = 200\ntop_k.chunk = 100\nmerge.serial = 0\nmerge.group = 8\n"
    "merge.item_bytes = 20\nmerge.set_bytes = 12\nmerge.search_tiles = 0\nmerge.inject_places = "
    "500\nsearch.serial = "
    "0\nsearch.group = 8\n"
    "search.items = 3\ngrid.group = 16\ngrid.overfull_group_size = 32\ngrid.bucket = "
    "16\ngrid.sampled = 1048576\n"
    "grid.bounds_groups = 5\nneighbors.staged = 24\n"
    "neighbors.group = 8\nnearest.together = 8\nnearest.items = 3\nnearest.walk = 0\nselect.serial "
    "= "
    "0\nselect.look_back = "
    "1\nselect.group "
    "= 64\n"
    "select.item_bytes = 6\nselect.window = 64\nselect.inject_delay = 3\n"
    "select.inject_tear = 1\nselect.resident = 3\nselect.spin_limit = 20\nhistogram.serial = "
    "0\nhistogram.group = 16\n"
    "histogram.local_kib = 4\nhistogram.passes = 0\nhistogram.chunk = 100\n"
    "transform.serial = 0\ntransform.group = 64\ntransform.items = 2\ntransform.stream_kib = 0\n",
    "scan.shape = 0\nscan.tile_bytes = 1024\nscan.chunk_groups = 64\nscan.lookback_groups = 1\n"
    "scan.stream_kib = 0\nreduce.serial = 1\nreduce.chunk_groups = 3\nsort.shape = 1\n"
    "sort.serial_tile_log = 8\nsort.radix_alone = 0\nsort.radix_buckets = 0\n"
    "sort.radix_chunks = 200\nsort.radix_least = 70\nsort.radix_most = 700\n"
    "sort.inject_places = 500\ntop_k.shape = 1\ntop_k.chunks = 200\ntop_k.chunk = 1000\n"
    "top_k.sample = 64\ntop_k.sampled = 1\ntop_k.ranked = 1024\n"
    "merge.serial = 1\nmerge.chunk = 1000\nmerge.inject_places = 500\nsearch.serial = "
    "1\nsearch.items = 1\n"
    "search.queries = 1000\nnearest.walk = 5\nselect.serial = "
    "1\nselect.look_back = 0\n"
    "select.tile_bytes = 400\nhistogram.serial = 1\nhistogram.copies = 1\n"
    "histogram.local_kib = 1\nhistogram.chunk = 300\ntransform.serial = 1\n"
    "transform.stream_kib = 1\n",
    "scan.shape = 1\nscan.item_bytes = 16\nscan.group_size = 17\nscan.inject_delay = 3\n"
    "scan.look_back = 0\nreduce.serial = 0\nreduce.group_size = 16\nreduce.whole_bytes = 16\n"
    "reduce.single_group_tiles = 4\nsort.shape = 0\nsort.group_log = 3\n"
    "sort.segment_group_log = 3\nsort.segment_items_log = 3\n"
    "sort.items_log = 3\nsort.search_busy_log = 2\nsort.busy = 1\nsort.sweep = 0\n"
    "sort.sample_most = 9999\nsort.sample_pair_most = 9999\nsort.sample_group_log = 4\n"
    "sort.sample_items_log = 2\nsort.sample_runs = 4\nsort.sample_large_group_log = 5\n"
    "sort.sample_large_items_log = 2\nsort.sample_large_from = 300\n"
    "sort.radix_group = 256\nsort.radix_bytes = 4\nsort.radix_least = 300\n"
    "sort.inject_places = 500\ntop_k.shape = 0\n"
    "top_k.group_log = 3\ntop_k.items = 3\ntop_k.chunk = 1000\ntop_k.sample = 64\n"
    "top_k.sampled = 1\ntop_k.ranked = 0\nmerge.serial = 0\nmerge.group = 37\n"
    "merge.item_bytes = 16\nmerge.set_bytes = 16\nmerge.search_tiles = 2\nmerge.inject_places = "
    "500\nsearch.serial = "
    "0\nsearch.group = 37\n"
    "search.items = 1\nnearest.together = 37\nnearest.walk = 0\nselect.serial = "
    "0\nselect.look_back = "
    "0\nselect.group = "
    "64\n"
    "select.item_bytes = 5\nhistogram.serial = 0\nhistogram.group = 8\nhistogram.copies = 8\n"
    "histogram.local_kib = 4\nhistogram.passes = 2\nhistogram.vectors = 2\n"
    "histogram.chunk = 300\ntransform.serial = 0\ntransform.stream_kib = 8192\n",
    "scan.shape = 1\nscan.pipelined = 1\nscan.pipelined_size = 64\nscan.pipelined_bytes = 48\n"
    "scan.pipelined_window = 128\nscan.pipelined_short_vectors = 1\n"
    "scan.pipelined_wide_size = 64\nscan.pipelined_wide_bytes = 48\n"
    "sort.shape = 0\nsort.segment_group_log = 5\nsort.segment_items_log = 2\n"
    "sort.segment_queue = 1\nsort.spin_limit = 3\nsort.part_tiles = 3\n",
};

static xl_context *contexts[NUM_TUNINGS];

static xl_context *context_of(uint64_t tune, outcome *o)
{
    char path[64];
    xl_context_desc desc;
    if (!tunings[tune])
        return xlt_context();
    if (contexts[tune])
        return contexts[tune];
    xl_context_desc_init(&desc);
    snprintf(path, sizeof path, "cases_%ld.tune", (long)getpid());
    FILE *file = fopen(path, "w");
    if (!file || fputs(tunings[tune], file) < 0 || fclose(file) != 0)
        failed(o, "cannot write %s", path);
    desc.tune_file = path;
    const xl_status status = xl_context_adopt(
        xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc, &contexts[tune]);
    remove(path);
    succeeded(o, NULL, status, "xl_context_adopt");
    return contexts[tune];
}

/* ---- plans ----------------------------------------------------------------------------------- */

static const primitive *const primitives[PRIMITIVES] = {
    [SCAN] = &scan_primitive,           [REDUCE] = &reduce_primitive,
    [SORT] = &sort_primitive,           [TOP_K] = &top_k_primitive,
    [MERGE] = &merge_primitive,         [SEARCH] = &search_primitive,
    [NEAR] = &near_primitive,           [NEAREST] = &nearest_primitive,
    [MOVED] = &moved_primitive,         [MORTON] = &morton_primitive,
    [SELECT] = &select_primitive,       [HISTOGRAM] = &histogram_primitive,
    [TRANSFORM] = &transform_primitive, [APPROXIMATE] = &approximate_primitive,
};
enum { PLANS_KEPT = 128 };
static open_plan plans[PLANS_KEPT];
plan_counts plans_made;
static uint64_t uses;
static open_plan *current; /* of the case that runs */

double seconds_now(void)
{
#ifdef _WIN32 /* where clock() measures wall time, and older runtimes lack timespec_get() */
    return (double)clock() / CLOCKS_PER_SEC;
#else
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

static void close_plan(open_plan *plan)
{
    if (plan->last_used > 0 && !plan->refused && !plan->ended)
        primitives[plan->key[PRIMITIVE]]->close(plan);
    xlt_buffer_free(&plan->init);
    *plan = (open_plan){0};
}

static bool is_optional(const element *e)
{
    return e && (e->type == XL_F64 || e->type == XL_F16);
}

static bool has_grid(const fuzz_case *c)
{
    return c->of[PRIMITIVE] == NEAR || c->of[PRIMITIVE] == NEAREST || c->of[PRIMITIVE] == MOVED;
}

/* Features that a device may lack, and cases that end the process on one device: a pass of Mesa
 * 22.3 (rusticl) crashes on functions that return vectors, or structs of bytes. */
static bool may_be_refused(const fuzz_case *c)
{
    const element *e = element_of(c);
    if (has_keys(c)) /* a device need not compute with these */
        return c->of[ALGORITHM] == ALGORITHM_RADIX || (c->of[PRIMITIVE] == SORT && c->of[WIDE]) ||
               c->of[FROM_BIT] || c->of[TO_BIT];
    if (has_space(c)) /* llvmpipe of Mesa 22.3 ends long loops */
        return c->of[SCALAR] != 0 || (has_grid(c) && zeros_are_alike());
    return is_optional(e) || is_optional(weight_of(c)) || is_optional(counter_of(c)) ||
           is_optional(source_of(c)) || (c->of[CARRY] && e->bytes == 1) ||
           c->of[ALGORITHM] == XL_SCAN_LOOKBACK;
}

static bool ends_the_process(const fuzz_case *c)
{
    const element *e = element_of(c);
    const bool crashes = e->user_type ? e->user_type->alignment < 4 : (unsigned)e->type >> 8 != 0;
    return e->user_op && crashes && strstr(xlt_device(), "llvmpipe");
}

/* An illegal case is right if its plan is refused with the status that its rule says. */
static bool was_refused(const fuzz_case *c, open_plan *plan, xl_status status, outcome *o)
{
    const xl_status wanted = case_refused(c);
    if (status == wanted || (status == XL_ERROR_UNSUPPORTED && may_be_refused(c)))
        return true;
    failed(o, "the plan gave %s, not %s: %.300s", xl_status_name(status), xl_status_name(wanted),
           status == XL_SUCCESS ? "" : xl_context_error(plan->ctx));
    close_plan(plan);
    return false;
}

static bool make_plan(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const double start = seconds_now();
    memcpy(plan->key, c->of, sizeof plan->key);
    plan->last_used = ++uses;
    plan->ctx = context_of(c->of[TUNE], o);
    if (!plan->ctx)
        return false;
    const xl_status status =
        ends_the_process(c) ? XL_ERROR_UNSUPPORTED : primitives[c->of[PRIMITIVE]]->open(c, plan);
    ++plans_made.opened;
    plans_made.seconds += seconds_now() - start;
    plan->refused = status != XL_SUCCESS;
    if (case_refused(c) != XL_SUCCESS)
        return was_refused(c, plan, status, o);
    if (status == XL_ERROR_UNSUPPORTED && (may_be_refused(c) || ends_the_process(c))) {
        ++plans_made.refused;
        return true;
    }
    if (!succeeded(o, plan->ctx, status, "the plan"))
        close_plan(plan);
    return !o->failed;
}

static open_plan *plan_of(const fuzz_case *c, outcome *o)
{
    open_plan *oldest = plans;
    for (size_t k = 0; k < PLANS_KEPT; ++k) {
        if (plans[k].last_used > 0 && memcmp(plans[k].key, c->of, sizeof plans[k].key) == 0) {
            plans[k].last_used = ++uses;
            return &plans[k];
        }
        if (plans[k].last_used < oldest->last_used)
            oldest = &plans[k];
    }
    close_plan(oldest);
    return make_plan(c, oldest, o) ? oldest : NULL;
}

/* Guard pages show reads beside an array too, if kernels work in the memory of the host. A
 * simulator finds them itself. */
static void place_buffers(const fuzz_case *c)
{
    static int shares = -1;
    if (c->of[EDGE] && shares < 0) {
        xlt_place(XLT_AT_PAGE_END);
        shares = !xlt_hides_memory();
    }
    xlt_place(!c->of[EDGE]                 ? XLT_GUARD_BYTES
              : shares && c->of[EDGE] == 1 ? XLT_AT_PAGE_END
              : shares                     ? XLT_AT_PAGE_START
              : xlt_on_oclgrind()          ? XLT_EXACT
                                           : XLT_GUARD_BYTES);
}

void run_case(const fuzz_case *c, outcome *o, char before[LINE])
{
    *o = (outcome){0};
    free_bytes();
    open_plan *plan = plan_of(c, o);
    if (before)
        *before = '\0';
    if (!plan)
        return;
    if (before && plan->used)
        case_print(&plan->before, before);
    o->refused = plan->refused;
    current = plan;
    if (!plan->refused) {
        place_buffers(c);
        primitives[c->of[PRIMITIVE]]->run(c, plan, o);
        xlt_place(XLT_GUARD_BYTES);
    }
    plan->before = *c;
    plan->used = true;
    /* A call that failed must not make the next one fail. */
    if (o->failed || plan->ended)
        close_plan(plan);
}

static cl_command_queue out_of_order;

void close_plans(void)
{
    for (size_t k = 0; k < PLANS_KEPT; ++k)
        close_plan(&plans[k]);
    for (size_t k = 0; k < NUM_TUNINGS; ++k)
        xl_context_destroy(contexts[k]);
    if (out_of_order)
        clReleaseCommandQueue(out_of_order);
    free_bytes();
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* The byte that xlt_buffer_make() puts around the elements. */
enum { GUARD = 0x5c };

bool read_guarded(outcome *o, const xlt_buffer *buffer, const char *name, void *to)
{
    const size_t lead = xlt_view(buffer).offset * buffer->size, bytes = buffer->n * buffer->size;
    size_t total = 0;
    if (!cl_succeeded(o, clGetMemObjectInfo(buffer->mem, CL_MEM_SIZE, sizeof total, &total, NULL),
                      "clGetMemObjectInfo"))
        return false;
    unsigned char *all = make_bytes(total, 1);
    cl_succeeded(
        o, clEnqueueReadBuffer(xlt_queue(), buffer->mem, CL_TRUE, 0, total, all, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    for (size_t i = lead ? 0 : bytes; i < total && !o->failed;
         i = i + 1 == lead ? lead + bytes : i + 1)
        if (all[i] != GUARD)
            failed(o, "%s: byte %zu %s it is 0x%02x", name, i < lead ? lead - i : i - lead - bytes,
                   i < lead ? "before" : "after", all[i]);
    if (buffer->pages.map && xlt_pages_touched(&buffer->pages, GUARD) != 0)
        failed(o, "%s: byte %td beside it was written", name,
               xlt_pages_touched(&buffer->pages, GUARD));
    if (to)
        memcpy(to, all + lead, bytes);
    return !o->failed;
}

bool unchanged(outcome *o, const xlt_buffer *buffer, const char *name, const void *host)
{
    const size_t bytes = buffer->n * buffer->size;
    if (!buffer->mem)
        return true;
    unsigned char *got = make_bytes(bytes, 1);
    bool same = read_guarded(o, buffer, name, got);
    for (size_t i = 0; same && i < bytes; ++i)
        same = got[i] == (host ? ((const unsigned char *)host)[i] : UNTOUCHED);
    if (!same)
        failed(o, "%s was written to", name);
    return !o->failed;
}

xl_view counted_view(const xlt_buffer *buffer)
{
    return buffer->mem ? xl_view_n(buffer->mem, xlt_view(buffer).offset, buffer->n) : xl_no_view();
}

bool device_works(void)
{
    uint32_t word = 0x51de;
    cl_int code;
    cl_mem buffer = clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_COPY_HOST_PTR, sizeof word,
                                   &word, &code);
    if (!buffer)
        return false;
    word = 0;
    code = clEnqueueReadBuffer(xlt_queue(), buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    return code == CL_SUCCESS && word == 0x51de;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* In order where the device has no other. */
static cl_command_queue queue_of(const fuzz_case *c)
{
    static bool asked;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int code;
    if (c->of[QUEUE] == IN_ORDER)
        return xlt_queue();
    if (!asked)
        out_of_order = clCreateCommandQueueWithProperties(
            xl_context_cl(xlt_context()), xl_context_device(xlt_context()), properties, &code);
    asked = true;
    return out_of_order ? out_of_order : xlt_queue();
}

bool stays_undone(const fuzz_case *c)
{
    return c->of[ENDING] != ENDS_WELL;
}

static bool end_gate(outcome *o, flight *f)
{
    return cl_succeeded(
        o, clSetUserEventStatus(f->gate, f->ending ? CL_OUT_OF_RESOURCES : CL_COMPLETE),
        "clSetUserEventStatus");
}

/* Oclgrind 21.10 forgets that a command failed if its event is released. Intel's CPU runtime
 * (2026) forgets it after one command that waits for the event, and crashes in clFinish() of an
 * out-of-order queue. The platform's vendor is the real one under the layer of test/vendors,
 * too. */
static bool forgets_errors(void)
{
    static char vendor[64];
    cl_platform_id platform;
    if (!vendor[0] && (clGetDeviceInfo(xl_context_device(xlt_context()), CL_DEVICE_PLATFORM,
                                       sizeof platform, &platform, NULL) != CL_SUCCESS ||
                       clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof vendor, vendor,
                                         NULL) != CL_SUCCESS))
        strcpy(vendor, "unknown");
    return xlt_on_oclgrind() || strstr(vendor, "Intel");
}

bool take_off(outcome *o, const fuzz_case *c, flight *f)
{
    cl_int code = CL_SUCCESS;
    const bool kept = c->of[ENDING] && forgets_errors();
    *f = (flight){.queue = kept ? xlt_queue() : queue_of(c),
                  .ending = c->of[ENDING],
                  .all_wait = kept,
                  .released = kept ? LAST_OF_ALL : c->of[RELEASED]};
    f->event = f->released ? &f->events[0] : NULL;
    if (c->of[GATE])
        f->gate = clCreateUserEvent(xl_context_cl(xlt_context()), &code);
    return cl_succeeded(o, code, "clCreateUserEvent") &&
           (f->ending != ENDED_BEFORE || end_gate(o, f));
}

bool departed(outcome *o, flight *f, size_t k, xl_context *ctx, xl_status status, const char *call)
{
    f->event = f->released ? &f->events[k + 1 < 2 ? k + 1 : 0] : NULL;
    if (f->ending == ENDED_BEFORE)
        return (status == XL_ERROR_OPENCL && strstr(xl_context_error(ctx), "waits[0]")) ||
               failed(o, "%s gave %s behind an event that had failed", call,
                      xl_status_name(status));
    return succeeded(o, ctx, status, call) &&
           (!f->released || f->events[k] || failed(o, "%s gave no event", call));
}

static void release_events(flight *f)
{
    for (size_t k = 0; k < 2; ++k) {
        if (f->events[k])
            clReleaseEvent(f->events[k]);
        f->events[k] = NULL;
    }
}

/* Whether the events of the calls end as the one does that they wait for. */
static bool check_events(outcome *o, const flight *f)
{
    for (size_t k = 0; k < 2; ++k)
        if (f->events[k] &&
            (clWaitForEvents(1, &f->events[k]) != CL_SUCCESS) != (f->ending != ENDS_WELL))
            return failed(o, "the event of a call ends %s", f->ending ? "well" : "in an error");
    return true;
}

/* With rusticl of Mesa 22.3 clFinish() may return too early after an error. */
static void wait_for_marker(cl_command_queue queue)
{
    cl_event marker;
    if (clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker) != CL_SUCCESS)
        return;
    (void)clWaitForEvents(1, &marker);
    clReleaseEvent(marker);
}

bool land(outcome *o, flight *f)
{
    if (f->released == PLAN_FIRST)
        primitives[current->key[PRIMITIVE]]->close(current);
    current->ended = f->released == PLAN_FIRST;
    if (f->released >= EVENT_FIRST)
        release_events(f);
    if (f->gate) {
        if (f->ending != ENDED_BEFORE)
            end_gate(o, f);
        clReleaseEvent(f->gate);
    }
    f->gate = NULL;
    check_events(o, f);
    release_events(f);
    if (f->ending != ENDS_WELL) {
        wait_for_marker(f->queue);
        (void)clFinish(f->queue); /* some drivers give the error of a command here */
        return !o->failed;
    }
    return cl_succeeded(o, clFinish(f->queue), "clFinish") && !o->failed;
}

cl_uint num_waits(const flight *f)
{
    return f->gate != NULL;
}

const cl_event *waits(const flight *f)
{
    return f->gate ? &f->gate : NULL;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static bool same_number(const fuzz_case *c, const unsigned char *got, const unsigned char *wanted,
                        float slack)
{
    const element *e = element_of(c);
    const long double a = lane_number(e, got), b = lane_number(e, wanted);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (slack > 0 && isfinite(a) && isfinite(b))
        return fabsl(a - b) <= (long double)slack;
    return a == 0 && b == 0 && zeros_are_alike();
}

static bool same_result(const fuzz_case *c, const unsigned char *got, const unsigned char *wanted,
                        const float *slack)
{
    const element *e = element_of(c);
    if (case_is_arg(c) || e->user_op)
        return memcmp(got, wanted, case_is_arg(c) ? 8 : e->known_bytes) == 0;
    for (size_t lane = 0; lane < e->lanes; ++lane) {
        const size_t at = lane * e->lane_bytes;
        if (memcmp(got + at, wanted + at, e->lane_bytes) != 0 &&
            (e->numbers != FLOATING || !same_number(c, got + at, wanted + at, slack[lane])))
            return false;
    }
    return true;
}

static void print_hex(char *text, size_t room, const unsigned char *at, size_t bytes)
{
    size_t used = 0;
    for (size_t i = bytes; i-- > 0 && used + 4 < room;)
        used += (size_t)snprintf(text + used, room - used, "%02x%s", at[i], i % 4 || !i ? "" : " ");
}

bool same_results(outcome *o, const fuzz_case *c, size_t count, const void *got, const void *wanted,
                  const float *slack)
{
    const size_t bytes = out_bytes_of(c), lanes = element_of(c)->lanes;
    const unsigned char *a = got, *b = wanted;
    char x[160] = "", y[160] = "";
    for (size_t i = 0; i < count; ++i, a += bytes, b += bytes) {
        if (same_result(c, a, b, slack + i * lanes))
            continue;
        print_hex(x, sizeof x, a, bytes);
        print_hex(y, sizeof y, b, bytes);
        return failed(o, "result %zu of %zu is 0x%s, not 0x%s (may be off by %g)", i, count, x, y,
                      (double)slack[i * lanes]);
    }
    return true;
}

bool same_bits(outcome *o, const fuzz_case *c, size_t count, const void *first, const void *second)
{
    const unsigned char *a = first, *b = second;
    const size_t bytes = out_bytes_of(c), known = case_is_arg(c) ? 8 : element_of(c)->known_bytes;
    for (size_t i = 0; i < count; ++i)
        if (memcmp(a + i * bytes, b + i * bytes, known) != 0)
            return failed(o, "two runs gave different bits");
    return true;
}

/* FNV-1a of the bits of f32 results, low byte first. All zeros are +0. */
bool same_hash(outcome *o, const fuzz_case *c, size_t count, const void *results)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count && c->of[HASH]; ++i) {
        uint32_t bits;
        memcpy(&bits, (const char *)results + i * sizeof bits, sizeof bits);
        bits = bits == 0x80000000u ? 0 : bits;
        for (unsigned k = 0; k < 32; k += 8)
            hash = (hash ^ (bits >> k & 255)) * UINT64_C(0x100000001b3);
    }
    return !c->of[HASH] || hash == c->of[HASH] ||
           failed(o, "the results have the hash 0x%llx, not that of every device",
                  (unsigned long long)hash);
}
