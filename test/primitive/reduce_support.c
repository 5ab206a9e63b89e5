/* SPDX-License-Identifier: MIT
 * One reduction, checked. */
#include "reduce_support.h"

#include <stdlib.h>
#include <string.h>

/* Arrays of one call, on the host and on the device. */
typedef struct reduce_call {
    size_t n, count; /* segments */
    void *in;
    segments s;
    uint64_t *begin;
    xlt_buffer a, b, heads, keys, number, scratch;
} reduce_call;

xl_reduce_desc reduce_desc_of(const xl_scan_desc *s)
{
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = s->type;
    desc.op = s->op;
    desc.init = s->init;
    desc.determinism = s->determinism;
    desc.user_type = s->user_type;
    desc.user_op = s->user_op;
    desc.segments = s->segments;
    desc.segment_type = s->segment_type;
    desc.segment_width = s->segment_width;
    desc.segment_mask = s->segment_mask;
    desc.load = s->load;
    desc.store = s->store;
    desc.load_type = s->load_type;
    desc.store_type = s->store_type;
    desc.user_load_type = s->user_load_type;
    desc.user_store_type = s->user_store_type;
    return desc;
}

xl_plan *reduce_plan(xl_context *ctx, const job *j)
{
    xl_plan *plan = NULL;
    const xl_scan_desc fields = job_desc(j);
    const xl_reduce_desc desc = reduce_desc_of(&fields);
    if (job_ends_the_process(j))
        return NULL;
    const xl_status status = xl_reduce_create(ctx, &desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED && strstr(xl_context_error(ctx), "cl_khr_fp")) {
        print_message("left out: %s\n", xl_context_error(ctx));
        return NULL;
    }
    ok(ctx, status, j->what);
    return plan;
}

static reduce_call reduce_call_make(const job *j, size_t n)
{
    reduce_call c = {.n = n, .in = job_input(j, n)};
    const xl_segments kind = j->desc.segments;
    c.s = segments_make(&j->desc, j->pattern, n, n + j->seed);
    c.begin = bytes_for(n + c.s.count + 2, sizeof *c.begin);
    c.count = ref_begins(kind, j->desc.segment_type, c.s.array, c.s.count, n, c.s.heads, c.begin);
    c.a = xlt_buffer_make(c.in, n, j->ref.in_bytes, n % 3);
    c.b = xlt_buffer_make(NULL, c.count, j->ref.out_bytes, n % 2);
    if (c.s.bytes > 0)
        c.heads = xlt_buffer_make(c.s.array, c.s.count, c.s.bytes, n % 4);
    if (kind == XL_SEGMENTS_KEYS)
        c.keys = xlt_buffer_make(NULL, c.count, c.s.bytes, 1);
    if (kind >= XL_SEGMENTS_HEAD_FLAGS && kind <= XL_SEGMENTS_KEYS)
        c.number = xlt_buffer_make(NULL, 1, 8, 3);
    return c;
}

xl_view reduce_view(const xlt_buffer *buffer)
{
    return buffer->mem ? xl_view_n(buffer->mem, xlt_view(buffer).offset, buffer->n) : xl_no_view();
}

static void reduce_call_check(const job *j, const reduce_call *c)
{
    void *got = bytes_for(c->count, j->ref.out_bytes),
         *wanted = bytes_for(c->count, j->ref.out_bytes);
    uint64_t number = 0;
    ref_reduce(&j->ref, c->in, c->begin, c->count, wanted);
    xlt_read(&c->b, got);
    job_compare(j, c->count, got, wanted);
    xlt_check_guards(&c->b, "out");
    if (c->number.mem) {
        xlt_read(&c->number, &number);
        xlt_check_guards(&c->number, "count");
        if (number != c->count)
            XLT_FAIL("%s: n %zu has %llu segments, not %zu", j->what, c->n,
                     (unsigned long long)number, c->count);
    }
    if (c->keys.mem) {
        unsigned char *keys = bytes_for(c->count, c->s.bytes);
        xlt_read(&c->keys, keys);
        xlt_check_guards(&c->keys, "keys");
        for (size_t s = 0; s < c->count; ++s)
            if (memcmp(keys + s * c->s.bytes, (char *)c->s.array + c->begin[s] * c->s.bytes,
                       c->s.bytes) != 0)
                XLT_FAIL("%s: n %zu: key %zu of %zu is wrong", j->what, c->n, s, c->count);
        free(keys);
    }
    free(got);
    free(wanted);
}

static void reduce_call_free(reduce_call *c)
{
    xlt_buffer *const all[] = {&c->a, &c->b, &c->heads, &c->keys, &c->number, &c->scratch};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        xlt_buffer_free(all[i]);
    segments_free(&c->s);
    free(c->begin);
    free(c->in);
}

void reduce_check(xl_context *ctx, xl_plan *plan, const job *j, size_t n)
{
    size_t bytes;
    reduce_call c = reduce_call_make(j, n);
    ok(ctx, xl_reduce_scratch(plan, &(xl_reduce_args){.n = n}, &bytes), "xl_reduce_scratch");
    if (n % 2 || xlt_placed_closely())
        c.scratch = xlt_scratch_make(bytes);
    ok(ctx,
       xl_reduce_enqueue(plan, xlt_queue(),
                         &(xl_reduce_args){.n = n,
                                           .in = xlt_view(&c.a),
                                           .segments = reduce_view(&c.heads),
                                           .out = reduce_view(&c.b),
                                           .keys_out = reduce_view(&c.keys),
                                           .num_segments_out = xlt_view(&c.number),
                                           .scratch = xlt_view(&c.scratch)},
                         0, NULL, NULL),
       j->what);
    reduce_call_check(j, &c);
    if (c.scratch.mem)
        xlt_check_guards(&c.scratch, "scratch");
    reduce_call_free(&c);
}
