/* SPDX-License-Identifier: MIT
 * Programs: an embedded source, specialised by #define lines, built for the
 * device, and kept by the context so that equal plans share one build.
 *
 * Order of look-up: the context's list, the disk (cache.c), the compiler. PoCL's programs
 * go by the disk even when they are new: see keeps_bitcode(). */
#include "private.h"

#include <stdio.h>
#include <string.h>

/* The feature lines that cl/prelude/prelude.cl asks for. */
static void add_feature_lines(xli_text *text, const xli_capabilities *capabilities)
{
    const xli_definition features[] = {
        {"XL_LANE_WAY", capabilities->lane_way},
        {"XL_LANES", capabilities->info.sub_group_size},
        {"XL_HAS_FP64", capabilities->info.has_fp64},
        {"XL_HAS_INT64_ATOMICS", capabilities->info.has_int64_atomics},
        {"XL_IS_CPU", capabilities->is_cpu},
        {"XL_OPENCL3", capabilities->has_opencl3},
        {"XL_NV_CAPABILITY", capabilities->nv_capability},
    };
    xli_text_define(text, features, XLI_COUNT(features));
    if (capabilities->info.has_fp64)
        xli_text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    if (capabilities->info.has_int64_atomics)
        xli_text_add(text, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                           "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
    if (capabilities->width > 0) /* see program_get.c */
        xli_text_add(text,
                     "#define __kernel __kernel __attribute__((intel_reqd_sub_group_size(%u)))\n",
                     (unsigned)capabilities->width);
}

static xli_program *find_locked(xl_context *ctx, const char key[65])
{
    xli_program *p = ctx->programs;
    while (p && strcmp(p->key, key) != 0)
        p = p->next;
    return p;
}

/* The input of a build: options, head and source, and the key of all three. */
typedef struct xli_recipe {
    const xli_capabilities *capabilities;
    const xli_source *source;
    xli_text options;
    xli_text head;
    char key[65];
    bool disk;    /* the binary is looked for in a file and put there */
    bool bitcode; /* the bitcode is */
} recipe;

static void discard_recipe(recipe *r)
{
    xli_text_free(&r->options);
    xli_text_free(&r->head);
}

/* The recipe for a second build of a program from a file. NULL if the source may be freed before
 * the context. Takes the texts of `r`. */
static recipe *remember(const xl_context *ctx, recipe *r)
{
    recipe *again = xli_source_find(r->source->name) == r->source ? xli_alloc(sizeof *r) : NULL;
    if (again) {
        *again = *r;
        again->capabilities = &ctx->capabilities; /* those given may go */
        r->head = r->options = (xli_text){0};
    }
    return again;
}

static void forget(recipe *r)
{
    if (r)
        discard_recipe(r);
    xli_free(r);
}

void xli_program_free(xli_program *program)
{
    clReleaseProgram(program->cl);
    forget(program->recipe);
    xli_free(program);
}

/* Adds a program, unless another thread was first: then that one is used. It hides `unfit`
 * (may be NULL), which lives on for those who hold it. Takes `cl` and `again`. */
static xli_program *keep(xl_context *ctx, const char key[65], cl_program cl, recipe *again,
                         const xli_program *unfit)
{
    xli_program *fresh = xli_alloc(sizeof *fresh);
    xli_mutex_lock(ctx->lock);
    xli_program *program = find_locked(ctx, key);
    if (program == unfit && fresh) {
        memcpy(fresh->key, key, sizeof fresh->key);
        fresh->cl = cl;
        fresh->recipe = again;
        if (unfit) {
            fresh->width = unfit->width;
            fresh->tried = unfit->tried;
            fresh->trial = unfit->trial;
        }
        fresh->next = ctx->programs;
        ctx->programs = program = fresh;
        fresh = NULL;
        cl = NULL;
        again = NULL;
    }
    xli_mutex_unlock(ctx->lock);
    if (cl)
        clReleaseProgram(cl);
    forget(again);
    xli_free(fresh);
    return program;
}

/* PoCL has a cache, but to find a program in it, it preprocesses the source after 18,000 lines of
 * declarations: nine tenths of the time of a plan that is in the caches. A binary would avoid this,
 * but PoCL 3.1 compiles every kernel once more for it, for groups of any size: 1.7 s a program. So
 * the library stores the bitcode of its front end and builds that. PoCL finds the result by a hash
 * of the bitcode and of its other inputs, such as its version and POCL_WORK_GROUP_METHOD. */
static bool keeps_bitcode(const xl_context *ctx, const xli_capabilities *capabilities)
{
    return capabilities->takes_bitcode && !ctx->dump_dir &&
           !xli_os_env("POCL_EXTRA_BUILD_FLAGS"); /* our key does not hold these */
}

/* PoCL writes "1 warning generated." to stderr: warnings are enabled only for dumps, whose log has
 * them. */
static xl_status write_recipe(const xl_context *ctx, const char *defines, const char *options,
                              recipe *r)
{
    const bool optimises = !ctx->mask.no_optimisation &&
                           !xli_oclgrind_must_not_optimise(r->capabilities->info.platform);
    xli_text_add(&r->options, "-cl-std=%s%s%s%s%s", r->capabilities->info.opencl_c,
                 ctx->dump_dir ? "" : " -w", optimises ? "" : " -cl-opt-disable",
                 options[0] ? " " : "", options);
    add_feature_lines(&r->head, r->capabilities);
    xli_text_add(&r->head, "%s", defines);
    if (r->head.failed || r->options.failed)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the source of \"%s\"",
                        r->source->name);
    xli_cache_key(r->capabilities, r->options.data, r->head.data, r->source, r->key);
    r->disk = ctx->cache_dir && !r->capabilities->info.caches_from_source;
    r->bitcode = ctx->cache_dir && keeps_bitcode(ctx, r->capabilities);
    return XL_SUCCESS;
}

static xl_status compile(xl_context *ctx, const recipe *r, cl_program *out)
{
    xl_status status;
    cl_int code;
    const char *name = r->source->name, *body = r->source->text;
    const char *head = r->head.data, *options = r->options.data;
    char *dump = NULL;
    const char *parts[] = {head, body};
    size_t lengths[] = {strlen(head), r->source->length};
    cl_program cl = clCreateProgramWithSource(ctx->cl, 2, parts, lengths, &code);
    XL_TRY(xli_cl(ctx, code, "clCreateProgramWithSource"));
    code = clBuildProgram(cl, 1, &ctx->device, options, NULL, NULL);
    const xli_build build = {r->capabilities, name, r->key, options, head, body, cl, code};
    if (ctx->dump_dir)
        dump = xli_build_dump(ctx, &build);
    if (xli_cl_no_memory(code) || code == CL_OUT_OF_RESOURCES) /* not the program's fault */
        XL_TRY(xli_cl(ctx, code, "clBuildProgram"));
    if (code != CL_SUCCESS) {
        char *report = xli_build_report(ctx, &build, dump);
        status = xli_fail(ctx, XL_ERROR_BUILD, "%s",
                          report ? report : "clBuildProgram failed; no memory to say how");
        xli_free(report);
        goto done;
    }
    *out = cl;
    cl = NULL;
done:
    if (cl)
        clReleaseProgram(cl);
    xli_free(dump);
    return status;
}

/* NULL on failure: then the caller builds the source, which gives the error text. */
static cl_program build_by_bitcode(const xl_context *ctx, const recipe *r)
{
    cl_int code;
    const char *parts[] = {r->head.data, r->source->text};
    const size_t lengths[] = {strlen(r->head.data), r->source->length};
    cl_program cl = clCreateProgramWithSource(ctx->cl, 2, parts, lengths, &code);
    if (code != CL_SUCCESS)
        return NULL;
    code = clCompileProgram(cl, 1, &ctx->device, r->options.data, 0, NULL, NULL, NULL, NULL);
    if (code == CL_SUCCESS)
        xli_cache_store_bitcode(ctx, r->key, cl);
    clReleaseProgram(cl);
    return code == CL_SUCCESS ? xli_cache_load(ctx, r->key, r->options.data) : NULL;
}

/* From the compiler, and onto the disk. */
static xl_status build_fresh(xl_context *ctx, const recipe *r, cl_program *cl)
{
    xl_status status = XL_SUCCESS;
    *cl = r->bitcode ? build_by_bitcode(ctx, r) : NULL;
    if (!*cl) {
        XL_TRY(compile(ctx, r, cl));
        if (r->disk)
            xli_cache_store(ctx, r->key, *cl);
    }
done:
    return status;
}

static cl_program find_on_disk(const xl_context *ctx, const recipe *r)
{
    const char *const texts[] = {r->source->text, r->head.data, r->options.data};
    cl_program cl = xli_cache_load(ctx, r->key, r->bitcode ? r->options.data : NULL);
    if (cl && !xli_cache_fits(cl, texts, XLI_COUNT(texts))) {
        clReleaseProgram(cl);
        cl = NULL;
    }
    return cl;
}

xl_status xli_program_build_source(xl_context *ctx, const xli_capabilities *capabilities,
                                   const xli_source *source, const char *defines,
                                   const char *options, xli_program **program)
{
    xl_status status = XL_SUCCESS;
    recipe r = {.capabilities = capabilities, .source = source};
    cl_program cl = NULL;
    recipe *again = NULL;
    XL_TRY(write_recipe(ctx, defines, options, &r));
    xli_mutex_lock(ctx->lock);
    *program = find_locked(ctx, r.key);
    xli_mutex_unlock(ctx->lock);
    if (*program)
        goto done;
    if (r.disk || r.bitcode)
        cl = find_on_disk(ctx, &r);
    if (cl)
        again = remember(ctx, &r);
    else
        XL_TRY(build_fresh(ctx, &r, &cl));
    *program = keep(ctx, r.key, cl, again, NULL);
    if (!*program)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to keep program \"%s\"",
                        source->name));
done:
    discard_recipe(&r);
    return status;
}

xl_status xli_program_rebuild(xl_context *ctx, const xli_program *unfit,
                              const xli_program **program)
{
    xl_status status = XL_SUCCESS;
    cl_program cl = NULL;
    xli_mutex_lock(ctx->lock);
    *program = find_locked(ctx, unfit->key);
    xli_mutex_unlock(ctx->lock);
    if (*program != unfit || !unfit->recipe) /* another thread was first, or it is as built */
        goto done;
    XL_TRY(build_fresh(ctx, unfit->recipe, &cl));
    *program = keep(ctx, unfit->key, cl, NULL, unfit);
    if (*program == unfit)
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to keep program \"%s\"",
                          unfit->recipe->source->name);
done:
    return status;
}

xl_status xli_program_build_user(xl_context *ctx, const xli_capabilities *capabilities,
                                 const xli_source *source, const char *defines, const char *options,
                                 bool cached, cl_program *cl)
{
    xl_status status;
    recipe r = {.capabilities = capabilities, .source = source};
    xli_program *program = NULL;
    if (cached) {
        XL_TRY(xli_program_build_source(ctx, capabilities, source, defines, options, &program));
        XL_TRY(xli_cl(ctx, clRetainProgram(program->cl), "clRetainProgram"));
        *cl = program->cl;
    } else {
        XL_TRY(write_recipe(ctx, defines, options, &r));
        XL_TRY(compile(ctx, &r, cl));
    }
done:
    discard_recipe(&r);
    return status;
}

xl_status xli_program_build(xl_context *ctx, const xli_capabilities *capabilities, const char *name,
                            const char *defines, xli_program **program)
{
    const xli_source *source = xli_source_find(name);
    if (!source)
        return xli_fail(ctx, XL_ERROR_INTERNAL, "no kernel source \"%s\" is embedded", name);
    return xli_program_build_source(ctx, capabilities, source, defines, "", program);
}
