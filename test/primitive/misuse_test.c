/* SPDX-License-Identifier: MIT
 * Plans and calls that are refused: each has its status and its text, and nothing is written.
 * misuse_tables.c has the rows; here are the errors that calls of every primitive have. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "misuse_tables.h"

#include <stdio.h>
#include <string.h>

enum { SLOT = 1 << 18 }; /* bytes of an array */
static const xl_status bad = XL_ERROR_INVALID_ARGUMENT;

/* Objects that a call may not use. */
static cl_context strange_context;
static cl_command_queue strange_queue;
static cl_mem strange_buffer, read_only, write_only;
/* All arrays of a call are in one buffer, so that they can overlap. */
static xlt_buffer all;

/* Fails the test unless `got` is `wanted` and the error's text contains `text`. ctx NULL: the text
 * of calls that have no context. */
static void refused(const misuse *m, xl_context *ctx, xl_status got, xl_status wanted,
                    const char *text)
{
    assert_true(*text);
    if (got != wanted || !strstr(xl_context_error(ctx), text))
        XLT_FAIL("%s: got %s \"%.500s\", not %s with \"%.200s\"", m->name, xl_status_name(got),
                 xl_context_error(ctx), xl_status_name(wanted), text);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void create_refuses(const misuse *m, const void *desc, xl_status status, const char *text)
{
    void *plan = &plan;
    refused(m, xlt_context(), m->create(xlt_context(), desc, &plan), status, text);
    assert_null(plan);
}

static void try_descriptors(const misuse *m)
{
    uint64_t room[MISUSE_ROOM / 8];
    uint32_t version = XL_VERSION_NUMBER;
    void *plan;
    assert_true(sizeof room >= m->desc_bytes);
    for (size_t i = 0; i < m->num_descs; ++i) {
        memcpy(room, m->descs[i].desc, m->desc_bytes);
        memcpy(room, &version, sizeof version); /* the first field */
        create_refuses(m, room, m->descs[i].status, m->descs[i].text);
    }
    m->describe(room, false);
    refused(m, xlt_context(), m->create(xlt_context(), room, NULL), bad, ": NULL");
    refused(m, NULL, m->create(NULL, room, &plan), bad, "ctx: NULL");
    version = 3;
    memcpy(room, &version, sizeof version);
    create_refuses(m, room, bad, "desc.version: 3");
    create_refuses(m, NULL, bad, "desc: NULL");
}

XLT_TEST(wrong_descriptors)
{
    for (size_t i = 0; i < num_misuses; ++i)
        try_descriptors(&misuses[i]);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct call {
    const misuse *m;
    void *plans[2];
    xlt_buffer scratch;
    uint64_t right[MISUSE_ROOM / 8], args[MISUSE_ROOM / 8];
} call;

static void *field_of(call *c, size_t at)
{
    return (unsigned char *)c->args + at;
}

static xl_view get_view(call *c, size_t at)
{
    xl_view view;
    memcpy(&view, field_of(c, at), sizeof view);
    return view;
}

static void set_view(call *c, size_t at, xl_view view)
{
    memcpy(field_of(c, at), &view, sizeof view);
}

static size_t count_arrays(const misuse *m)
{
    size_t count = 0;
    while (count < MISUSE_ARRAYS && m->arrays[count].name)
        ++count;
    return count;
}

static xl_status enqueue(call *c, bool other)
{
    return c->m->enqueue(c->plans[other], xlt_queue(), c->args, 0, NULL, NULL);
}

/* The call as `args` have it now is refused; then these are the right ones again. */
static void expect(call *c, xl_status status, const char *text, bool other)
{
    cl_event event = (cl_event)&status;
    refused(c->m, xlt_context(),
            c->m->enqueue(c->plans[other], xlt_queue(), c->args, 0, NULL, &event), status, text);
    assert_null(event);
    memcpy(c->args, c->right, sizeof c->args);
}

static void expect_view(call *c, const misuse_array *a, xl_view view, const char *text)
{
    char wanted[120];
    snprintf(wanted, sizeof wanted, "%s: %s", a->name, text);
    set_view(c, a->at, view);
    expect(c, bad, wanted, false);
}

static void try_array(call *c, const misuse_array *a)
{
    xl_view view = get_view(c, a->at);
    if (a->use & NEEDED)
        expect_view(c, a, xl_no_view(), "no buffer");
    expect_view(c, a, xl_view_of(strange_buffer, 0), "a buffer of another");
    if (a->use & READ)
        expect_view(c, a, xl_view_of(write_only, 0), "created with CL_MEM_WRITE_ONLY");
    if (a->use & WRITTEN)
        expect_view(c, a, xl_view_of(read_only, 0), "created with CL_MEM_READ_ONLY");
    view.offset = SIZE_MAX;
    if (view.buffer)
        expect_view(c, a, view, "");
    view = get_view(c, a->at);
    view.count = a->n - 1;
    if (a->n > 1)
        expect_view(c, a, view, "");
}

/* Array `a`, which is written, over array `b`: not exactly, as a call in place has them. */
static void try_overlap(call *c, const misuse_array *a, const misuse_array *b)
{
    const xl_view under = get_view(c, b->at);
    const size_t offset = under.offset * b->size / a->size + (a->n > 1 && b->n > 1);
    set_view(c, a->at, xl_view_of(under.buffer, offset));
    const xl_status got = enqueue(c, false);
    refused(c->m, xlt_context(), got, XL_ERROR_OVERLAP, a->name);
    refused(c->m, xlt_context(), got, XL_ERROR_OVERLAP, b->name);
    memcpy(c->args, c->right, sizeof c->args);
}

static void try_scratch(call *c)
{
    const misuse *const m = c->m;
    size_t bytes;
    void *const plan = c->plans[0];
    xl_view view;
    refused(m, xlt_context(), m->scratch(plan, NULL), bad, "bytes: NULL");
    refused(m, NULL, m->scratch(NULL, &bytes), bad, ": NULL");
    if (m->scratch_at == SIZE_MAX || !c->scratch.mem)
        return;
    view = get_view(c, m->scratch_at);
    view.offset += XL_SCRATCH_ALIGNMENT / 2;
    set_view(c, m->scratch_at, view);
    expect(c, XL_ERROR_MISALIGNED, "scratch", false);
    view.offset += XL_SCRATCH_ALIGNMENT / 2;
    set_view(c, m->scratch_at, view);
    expect(c, XL_ERROR_SCRATCH_TOO_SMALL, "scratch", false);
    for (size_t k = 0; k < count_arrays(m); ++k) {
        view = get_view(c, m->arrays[k].at);
        set_view(c, m->scratch_at, xl_view_of(view.buffer, view.offset * m->arrays[k].size));
        expect(c, XL_ERROR_OVERLAP, m->arrays[k].name, false);
    }
}

static void try_objects(call *c)
{
    const misuse *const m = c->m;
    const cl_event none = NULL;
    void *const plan = c->plans[0];
    cl_command_queue queue = xlt_queue();
    xl_context *const ctx = xlt_context();
    refused(m, NULL, m->enqueue(NULL, queue, c->args, 0, NULL, NULL), bad, ": NULL");
    refused(m, ctx, m->enqueue(plan, NULL, c->args, 0, NULL, NULL), bad, ": NULL");
    refused(m, ctx, m->enqueue(plan, strange_queue, c->args, 0, NULL, NULL), bad, "queue");
    refused(m, ctx, m->enqueue(plan, queue, c->args, 1, NULL, NULL), bad,
            "waits: NULL with num_waits 1");
    refused(m, ctx, m->enqueue(plan, queue, c->args, 0, &none, NULL), bad,
            "waits: a list with num_waits 0");
    refused(m, ctx, m->enqueue(plan, queue, c->args, 1, &none, NULL), bad, "waits[0]");
    XLT_FAILS(m->enqueue(plan, queue, NULL, 0, NULL, NULL), bad);
}

static void try_row(call *c, const misuse_call *row)
{
    for (size_t k = 0; k < COUNT(row->changes); ++k) {
        const misuse_change *const change = &row->changes[k];
        if (change->what == NUMBER)
            memcpy(field_of(c, change->at), &change->value, sizeof change->value);
        else if (change->what == OTHER_VIEW)
            set_view(c, change->at, get_view(c, change->value));
        else if (change->what == NO_VIEW)
            set_view(c, change->at, xl_no_view());
    }
    expect(c, row->status, row->text, row->other);
}

/* A view that is given is checked even if no element of it is needed. */
static void try_no_elements(call *c)
{
    const misuse *const m = c->m;
    const size_t zero = 0;
    memcpy(c->right, c->args, sizeof c->right);
    for (size_t k = 0; m->numbers[k] != SIZE_MAX; ++k)
        memcpy((unsigned char *)c->right + m->numbers[k], &zero, sizeof zero);
    memcpy(c->args, c->right, sizeof c->args);
    XLT_OK(enqueue(c, false));
    for (size_t k = 0; k < count_arrays(m); ++k)
        expect_view(c, &m->arrays[k], xl_view_of(strange_buffer, 0), "a buffer of another");
    if (m->scratch_at != SIZE_MAX) {
        set_view(c, m->scratch_at, xl_view_of(strange_buffer, 0));
        expect(c, bad, "scratch: a buffer of another", false);
    }
}

/* ---- right calls ----------------------------------------------------------------------------- */

static void make_call(call *c, const misuse *m)
{
    uint64_t desc[MISUSE_ROOM / 8];
    size_t bytes = 0;
    *c = (call){.m = m};
    for (int other = 0; other < 2; ++other) {
        m->describe(desc, other);
        XLT_OK(m->create(xlt_context(), desc, &c->plans[other]));
    }
    XLT_OK(m->scratch(c->plans[0], &bytes));
    const size_t start = xlt_view(&all).offset;
    memcpy(c->args, m->args, m->args_bytes);
    for (size_t k = 0; k < count_arrays(m); ++k) {
        const size_t size = m->arrays[k].size;
        assert_true(m->arrays[k].n * size <= SLOT);
        set_view(c, m->arrays[k].at,
                 m->arrays[k].n ? xl_view_of(all.mem, (k * SLOT + start) / size) : xl_no_view());
    }
    if (m->scratch_at != SIZE_MAX && bytes > 0) {
        c->scratch = xlt_scratch_make(bytes);
        set_view(c, m->scratch_at, xlt_scratch_at_end(&c->scratch));
    }
    memcpy(c->right, c->args, sizeof c->right);
}

static void end_call(call *c)
{
    xlt_buffer_free(&c->scratch);
    for (int other = 0; other < 2; ++other)
        c->m->destroy(c->plans[other]);
    c->m->destroy(NULL);
}

static void try_calls(const misuse *m)
{
    call c;
    make_call(&c, m);
    for (size_t k = 0; k < count_arrays(m); ++k) {
        try_array(&c, &m->arrays[k]);
        for (size_t j = 0; j < count_arrays(m); ++j)
            if (j != k && m->arrays[k].n > 0 && m->arrays[k].use & WRITTEN)
                try_overlap(&c, &m->arrays[k], &m->arrays[j]);
    }
    try_scratch(&c);
    try_objects(&c);
    for (size_t k = 0; k < m->num_calls; ++k)
        try_row(&c, &m->calls[k]);
    XLT_CL(clFinish(xlt_queue()));
    xlt_check_unwritten(&all, m->name);
    if (c.scratch.mem)
        xlt_check_unwritten(&c.scratch, m->name);
    XLT_OK(enqueue(&c, false));
    try_no_elements(&c);
    end_call(&c);
}

XLT_TEST(wrong_calls)
{
    for (size_t i = 0; i < num_misuses; ++i) {
        all = xlt_buffer_make(NULL, MISUSE_ARRAYS * SLOT, 1, 0);
        try_calls(&misuses[i]);
        XLT_CL(clFinish(xlt_queue()));
        xlt_buffer_free(&all);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

#if SIZE_MAX > UINT32_MAX
/* Sorts of more than 2^32 keys: their scratch, and how many keys they take. */
XLT_TEST(large_sorts)
{
    const size_t past = (size_t)UINT32_MAX + 1;
    size_t bytes;
    xl_plan *plan;
    xl_sort_desc desc;
    for (int indices = 0; indices < 2; ++indices) {
        xl_sort_desc_init(&desc);
        desc.large = 1;
        desc.value = indices ? XL_SORT_INDICES : XL_NONE;
        if (xl_sort_create(xlt_context(), &desc, &plan) != XL_SUCCESS) {
            print_message("%s: %s\n", xlt_device(), xl_context_error(xlt_context()));
            skip();
        }
        XLT_OK(xl_sort_scratch(plan, &(xl_sort_args){.n = past}, &bytes));
        assert_true(bytes >= past * (indices ? 8 : 4));
        refused(&misuses[2], xlt_context(),
                xl_sort_scratch(plan, &(xl_sort_args){.n = indices ? past + 1 : (size_t)1 << 48},
                                &bytes),
                bad,
                indices ? "args.n: 4294967297; must be at most 4294967296, because XL_SORT_INDICES"
                        : "args.n: 281474976710656; must be at most 281474976710655");
        xl_plan_destroy(plan);
    }
}

/* A merge of more than 2^32 keys: its scratch has 8 bytes for each tile, and how many keys it
 * takes. */
XLT_TEST(large_merges)
{
    static const xl_tunable tiles[] = {
        {"merge.serial", 0}, {"merge.group", 8}, {"merge.search_tiles", 0}};
    const size_t past = (size_t)UINT32_MAX + 1;
    size_t bytes;
    xl_plan *plan;
    xl_plan_details details;
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.tunables = tiles;
    desc.num_tunables = 3;
    XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_plan_info(plan, past, &details));
    XLT_OK(xl_merge_scratch(plan, &(xl_merge_args){.n_a = past / 2, .n_b = past / 2}, &bytes));
    assert_true(bytes >= past / details.tile_elements * 8);
    refused(&misuses[2], xlt_context(),
            xl_merge_scratch(plan, &(xl_merge_args){.n_a = (size_t)1 << 48}, &bytes), bad,
            "args.n_a, args.n_b: 281474976710656 and 0; must be at most 281474976710655");
    xl_plan_destroy(plan);
    desc.operation = XL_MERGE_UNION;
    XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
    refused(&misuses[2], xlt_context(),
            xl_merge_scratch(plan, &(xl_merge_args){.n_a = past}, &bytes), bad,
            "args.n_a, args.n_b: 4294967296 and 0; must be at most 4294967295 together");
    xl_plan_destroy(plan);
}
#endif

/* ---- objects --------------------------------------------------------------------------------- */

static cl_mem make_buffer(cl_context context, cl_mem_flags flags)
{
    cl_int code;
    cl_mem made = clCreateBuffer(context, flags, SLOT, NULL, &code);
    XLT_CL(code);
    return made;
}

static void make_strangers(void)
{
    cl_int code;
    cl_device_id device = xl_context_device(xlt_context());
    strange_context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    strange_queue = clCreateCommandQueue(strange_context, device, 0, &code);
    XLT_CL(code);
    strange_buffer = make_buffer(strange_context, CL_MEM_READ_WRITE);
    read_only = make_buffer(xl_context_cl(xlt_context()), CL_MEM_READ_ONLY);
    write_only = make_buffer(xl_context_cl(xlt_context()), CL_MEM_WRITE_ONLY);
}

static void build_indices(void)
{
    enum { POINTS = 100 };
    float xyz[3 * POINTS];
    xlt_random random = {5};
    for (size_t i = 0; i < COUNT(xyz); ++i)
        xyz[i] = xlt_unit(&random);
    xlt_buffer points = xlt_buffer_make(xyz, COUNT(xyz), 4, 0);
    for (size_t k = 0; k < INDICES; ++k) {
        xl_plan *grid;
        xl_grid_desc desc;
        xl_grid_desc_init(&desc);
        desc.cell_size = 0.3;
        desc.space.dimensions = k == FLAT ? 2 : 3;
        desc.space.bounds = k == PERIODIC ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
        desc.space.periodic = k == PERIODIC;
        for (int a = 0; a < 3; ++a)
            desc.space.cell[a][a] = k == PERIODIC;
        XLT_OK(xl_grid_index_create(xlt_context(), &misuse_indices[k]));
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        if (k != UNBUILT)
            XLT_OK(xl_grid_build_enqueue(
                grid, misuse_indices[k], xlt_queue(),
                &(xl_grid_build_args){.n = POINTS, .points = xlt_view(&points)}, 0, NULL, NULL));
        xl_plan_destroy(grid);
    }
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&points);
}

static int setup(void **state)
{
    (void)state;
    make_strangers();
    build_indices();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t k = 0; k < INDICES; ++k)
        xl_grid_index_destroy(misuse_indices[k]);
    clReleaseMemObject(read_only);
    clReleaseMemObject(write_only);
    clReleaseMemObject(strange_buffer);
    clReleaseCommandQueue(strange_queue);
    clReleaseContext(strange_context);
    xlt_finish();
    return 0;
}

XLT_MAIN_WITH_GRIDS(setup, teardown)
