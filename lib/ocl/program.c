/* SPDX-License-Identifier: MIT
 * Programs: an embedded source, specialised by #define lines, built for the
 * device, and kept by the context so that equal plans share one build.
 *
 * Order of look-up: the context's list, the disk (cache.c), the compiler. */
#include "private.h"

#include <stdio.h>
#include <string.h>

/* The feature lines that cl/prelude/prelude.cl asks for. */
static void add_feature_lines(xli_text *text, const xli_facts *facts)
{
    const struct {
        const char *name;
        unsigned value;
    } features[] = {
        {"XL_LANE_WAY", facts->lane_way},
        {"XL_LANES", facts->info.lane_width},
        {"XL_HAS_FP64", facts->info.has_fp64},
        {"XL_HAS_INT64_ATOMICS", facts->info.has_int64_atomics},
        {"XL_CAN_MESSAGE", facts->can_message},
        {"XL_IS_CPU", facts->is_cpu},
        {"XL_OPENCL3", facts->has_opencl3},
    };
    for (size_t i = 0; i < XLI_COUNT(features); ++i)
        xli_text_add(text, "#define %s %u\n", features[i].name, features[i].value);
}

static xli_program *find_locked(xl_context *ctx, const char key[65])
{
    xli_program *p = ctx->programs;
    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    return p;
}

/* Adds a built program, unless another thread was first: then that one is used. */
static xli_program *keep(xl_context *ctx, const char key[65], cl_program cl)
{
    xli_program *fresh = xli_alloc(sizeof *fresh);
    xli_mutex_lock(ctx->lock);
    xli_program *program = find_locked(ctx, key);
    if (!program && fresh) {
        memcpy(fresh->key, key, sizeof fresh->key);
        fresh->cl = cl;
        fresh->next = ctx->programs;
        ctx->programs = program = fresh;
        fresh = NULL;
        cl = NULL;
    }
    xli_mutex_unlock(ctx->lock);
    if (cl)
        clReleaseProgram(cl);
    xli_free(fresh);
    return program;
}

static xl_status compile(xl_context *ctx, const xli_facts *facts, const xli_source *source,
                         const char *head, const char *options, const char key[65], cl_program *out)
{
    xl_status status;
    cl_int code;
    const char *parts[] = {head, source->text};
    size_t lengths[] = {strlen(head), source->length};
    cl_program cl = clCreateProgramWithSource(ctx->cl, 2, parts, lengths, &code);
    XL_TRY(xli_cl(ctx, code, "clCreateProgramWithSource"));
    code = clBuildProgram(cl, 1, &ctx->device, options, NULL, NULL);
    if (ctx->dump_dir)
        xli_build_dump(ctx, source->name, key, options, head, source->text, cl);
    if (xli_cl_no_memory(code) || code == CL_OUT_OF_RESOURCES) /* not the program's fault */
        XL_TRY(xli_cl(ctx, code, "clBuildProgram"));
    if (code != CL_SUCCESS) {
        char *report = xli_build_report(ctx, facts, source->name, options, head, source->text, cl);
        status = xli_fail(ctx, XL_ERROR_BUILD, "clBuildProgram returned %s (%d)\n%s",
                          xli_cl_name(code), (int)code, report ? report : "");
        xli_free(report);
        goto done;
    }
    *out = cl;
    cl = NULL;
done:
    if (cl)
        clReleaseProgram(cl);
    return status;
}

static xl_status build_source(xl_context *ctx, const xli_facts *facts, const xli_source *source,
                              const char *defines, xli_program **program)
{
    xl_status status = XL_SUCCESS;
    const char *name = source->name;
    xli_text head = {0};
    char options[64], key[65];
    cl_program cl = NULL;
    /* PoCL writes "1 warning generated." to stderr: only who asks for dumps gets
     * warnings, in the log there. */
    snprintf(options, sizeof options, "-cl-std=%s%s", facts->info.opencl_c,
             ctx->dump_dir ? "" : " -w");
    add_feature_lines(&head, facts);
    xli_text_add(&head, "%s", defines);
    if (head.failed) {
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the source of \"%s\"", name);
        goto done;
    }
    xli_cache_key(facts, options, head.data, source, key);
    xli_mutex_lock(ctx->lock);
    *program = find_locked(ctx, key);
    xli_mutex_unlock(ctx->lock);
    if (*program)
        goto done;
    bool disk = ctx->cache_dir && !facts->info.caches_from_source;
    if (disk)
        cl = xli_cache_load(ctx, key);
    bool hit = cl != NULL;
    if (!hit)
        XL_TRY(compile(ctx, facts, source, head.data, options, key, &cl));
    *program = keep(ctx, key, cl);
    if (!*program)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to keep program \"%s\"", name));
    if (disk && !hit)
        xli_cache_store(ctx, key, (*program)->cl);
done:
    xli_text_free(&head);
    return status;
}

xl_status xli_program_build(xl_context *ctx, const xli_facts *facts, const char *name,
                            const char *defines, xli_program **program)
{
    const xli_source *source = xli_source_find(name);
    if (!source)
        return xli_fail(ctx, XL_ERROR_INTERNAL, "no kernel source \"%s\" is embedded", name);
    return build_source(ctx, facts, source, defines, program);
}

xl_status xli_program_get_source(xl_context *ctx, const xli_source *source, const char *defines,
                                 xli_program **program)
{
    const xli_facts *facts;
    *program = NULL;
    xl_status status = xli_context_facts(ctx, &facts);
    return status == XL_SUCCESS ? build_source(ctx, facts, source, defines, program) : status;
}

xl_status xli_program_get(xl_context *ctx, const char *name, const char *defines,
                          xli_program **program)
{
    const xli_facts *facts;
    *program = NULL;
    xl_status status = xli_context_facts(ctx, &facts);
    return status == XL_SUCCESS ? xli_program_build(ctx, facts, name, defines, program) : status;
}
