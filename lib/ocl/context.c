/* SPDX-License-Identifier: MIT
 * A context: one device, its queue, its programs, and the settings read when it
 * was made. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

void xl_context_desc_init(xl_context_desc *desc)
{
    if (desc)
        *desc = (xl_context_desc){.struct_size = sizeof *desc};
}

/* A descriptor field, else the environment, else NULL. */
static const char *setting(const char *field, const char *variable)
{
    return field ? field : xli_os_env(variable);
}

static bool switched_off(const char *text)
{
    return text && (xli_text_equal_nocase(text, "off") || strcmp(text, "0") == 0);
}

typedef struct mask_word {
    const char *word;
    size_t offset;
} mask_word;

static const mask_word mask_words[] = {
    {"no-int64-atomics", offsetof(xli_mask, no_int64_atomics)},
    {"no-fp64", offsetof(xli_mask, no_fp64)},
    {"no-look-back", offsetof(xli_mask, no_look_back)},
    {"no-sub-groups", offsetof(xli_mask, no_sub_groups)},
    {"width=1", offsetof(xli_mask, width_one)},
};

static bool mask_add(xli_mask *mask, const char *word)
{
    static const char limit[] = "work-group=";
    for (size_t i = 0; i < XLI_COUNT(mask_words); ++i) {
        if (strcmp(word, mask_words[i].word) == 0) {
            *(bool *)((char *)mask + mask_words[i].offset) = true;
            return true;
        }
    }
    if (strncmp(word, limit, sizeof limit - 1) != 0)
        return false;
    char *end;
    unsigned long items = strtoul(word + sizeof limit - 1, &end, 10);
    mask->work_group = items;
    return items > 0 && *end == '\0';
}

static xl_status mask_parse(const char *text, xli_mask *mask)
{
    xl_status status = XL_SUCCESS;
    char *copy = xli_strdup(text ? text : "");
    if (!copy)
        return xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for the feature mask");
    for (char *word = copy, *next; status == XL_SUCCESS && word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (*word && !mask_add(mask, word))
            status = xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                              "mask: unknown word \"%s\" (known: no-int64-atomics, no-fp64, "
                              "no-look-back, no-sub-groups, width=1, work-group=N)",
                              word);
    }
    xli_free(copy);
    return status;
}

static xl_status read_tune_file(const char *path, char **text)
{
    size_t length;
    if (!path)
        return XL_SUCCESS;
    *text = xli_os_read_file(path, &length);
    if (!*text)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "tune_file: cannot read \"%s\"", path);
    return XL_SUCCESS;
}

static xl_status read_settings(xl_context *ctx, const xl_context_desc *desc)
{
    xl_status status;
    const char *cache = setting(desc->cache_dir, "CROSSLANE_CACHE_DIR");
    const char *dump = setting(desc->dump_dir, "CROSSLANE_DUMP_DIR");
    XL_TRY(mask_parse(setting(desc->mask, "CROSSLANE_MASK"), &ctx->mask));
    XL_TRY(read_tune_file(setting(desc->tune_file, "CROSSLANE_TUNE_FILE"), &ctx->tune_text));
    /* No memory for a folder's name costs the cache, not the context. */
    if (!switched_off(cache))
        ctx->cache_dir = cache ? xli_strdup(cache) : xli_os_cache_dir("crosslane");
    ctx->dump_dir = xli_strdup(dump);
done:
    return status;
}

static xl_status check_desc(const xl_context_desc *desc)
{
    if (desc->struct_size < sizeof desc->struct_size || desc->struct_size > 4096)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "desc: struct_size is %u; start from xl_context_desc_init()",
                        (unsigned)desc->struct_size);
    return XL_SUCCESS;
}

/* Takes over one reference of `cl` on success. */
static xl_status make(cl_context cl, cl_device_id device, const xl_context_desc *desc,
                      xl_context **out)
{
    xl_status status;
    xl_context *ctx = xli_alloc(sizeof *ctx);
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a context");
    ctx->references = 1;
    ctx->device = device;
    ctx->lock = xli_mutex_create();
    ctx->errors = xli_errors_create();
    if (!ctx->lock || !ctx->errors) {
        status = xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a context");
        goto done;
    }
    XL_TRY(read_settings(ctx, desc));
    XL_TRY(xli_cl(NULL, clRetainDevice(device), "clRetainDevice"));
    ctx->cl = cl;
    *out = ctx;
    ctx = NULL;
done:
    xli_context_release(ctx);
    return status;
}

static xl_context_desc copy_desc(const xl_context_desc *given)
{
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    if (given)
        memcpy(&desc, given, xli_min(given->struct_size, sizeof desc));
    return desc;
}

xl_status xl_context_create(const xl_context_desc *given, xl_context **ctx)
{
    xl_status status;
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_context cl = NULL;
    cl_int code;
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    *ctx = NULL;
    if (given)
        XL_TRY(check_desc(given));
    xl_context_desc desc = copy_desc(given);
    XL_TRY(xli_platform_choose(setting(desc.device, "CROSSLANE_DEVICE"), &platform, &device));
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl = clCreateContext(properties, 1, &device, NULL, NULL, &code);
    XL_TRY(xli_cl(NULL, code, "clCreateContext"));
    XL_TRY(make(cl, device, &desc, ctx));
    cl = NULL;
done:
    if (cl)
        clReleaseContext(cl);
    return status;
}

static xl_status check_device_in_context(cl_context cl, cl_device_id device)
{
    xl_status status;
    size_t bytes = 0;
    cl_device_id *devices = NULL;
    bool found = false;
    XL_TRY_CL(NULL, clGetContextInfo(cl, CL_CONTEXT_DEVICES, 0, NULL, &bytes));
    devices = xli_alloc(bytes);
    if (!devices)
        XL_TRY(xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a list of devices"));
    XL_TRY_CL(NULL, clGetContextInfo(cl, CL_CONTEXT_DEVICES, bytes, devices, NULL));
    for (size_t i = 0; i < bytes / sizeof *devices; ++i)
        found = found || devices[i] == device;
    if (!found)
        status = xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                          "device: not one of the devices of the OpenCL context given");
done:
    xli_free(devices);
    return status;
}

xl_status xl_context_adopt(cl_context cl, cl_device_id device, const xl_context_desc *given,
                           xl_context **ctx)
{
    xl_status status;
    bool retained = false;
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    *ctx = NULL;
    if (!cl || !device)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", cl ? "device" : "cl");
    if (given)
        XL_TRY(check_desc(given));
    XL_TRY(check_device_in_context(cl, device));
    XL_TRY_CL(NULL, clRetainContext(cl));
    retained = true;
    xl_context_desc desc = copy_desc(given);
    XL_TRY(make(cl, device, &desc, ctx));
    retained = false;
done:
    if (retained)
        clReleaseContext(cl);
    return status;
}

xl_context *xli_context_retain(xl_context *ctx)
{
    xli_mutex_lock(ctx->lock);
    ++ctx->references;
    xli_mutex_unlock(ctx->lock);
    return ctx;
}

static void release_programs(xl_context *ctx)
{
    for (xli_program *p = ctx->programs, *next; p; p = next) {
        next = p->next;
        clReleaseProgram(p->cl);
        xli_free(p);
    }
}

void xli_context_release(xl_context *ctx)
{
    if (!ctx)
        return;
    if (ctx->lock)
        xli_mutex_lock(ctx->lock);
    bool last = --ctx->references == 0;
    if (ctx->lock)
        xli_mutex_unlock(ctx->lock);
    if (!last)
        return;
    release_programs(ctx);
    if (ctx->queue)
        clReleaseCommandQueue(ctx->queue);
    if (ctx->cl) { /* set last, together with the device's reference */
        clReleaseContext(ctx->cl);
        clReleaseDevice(ctx->device);
    }
    xli_free(ctx->cache_dir);
    xli_free(ctx->dump_dir);
    xli_free(ctx->tune_text);
    xli_errors_destroy(ctx->errors);
    xli_mutex_destroy(ctx->lock);
    xli_free(ctx);
}

void xl_context_destroy(xl_context *ctx)
{
    xli_context_release(ctx);
}

cl_context xl_context_cl(const xl_context *ctx)
{
    return ctx ? ctx->cl : NULL;
}

cl_device_id xl_context_device(const xl_context *ctx)
{
    return ctx ? ctx->device : NULL;
}

const char *xl_context_error(const xl_context *ctx)
{
    return xli_errors_get(ctx ? ctx->errors : NULL);
}

static cl_command_queue make_queue(xl_context *ctx, cl_int *code)
{
    char version[64];
    xli_device_text(ctx->device, CL_DEVICE_VERSION, version, sizeof version);
    if (strncmp(version, "OpenCL 1.", 9) == 0)
        return clCreateCommandQueue(ctx->cl, ctx->device, CL_QUEUE_PROFILING_ENABLE, code);
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    return clCreateCommandQueueWithProperties(ctx->cl, ctx->device, properties, code);
}

cl_command_queue xl_context_queue(xl_context *ctx)
{
    cl_int code = CL_SUCCESS;
    if (!ctx)
        return NULL;
    xli_mutex_lock(ctx->lock);
    if (!ctx->queue)
        ctx->queue = make_queue(ctx, &code);
    cl_command_queue queue = ctx->queue;
    xli_mutex_unlock(ctx->lock);
    if (!queue)
        (void)xli_cl(ctx, code, "clCreateCommandQueueWithProperties");
    return queue;
}

/* Oclgrind 21.10 lists OpenCL C 3.0, and then refuses its own options for it: a
 * dialect counts only once the probe was built in it. */
static xl_status learn_facts(xl_context *ctx, xli_facts *facts)
{
    xl_status status = XL_ERROR_BUILD;
    for (int oldest = 0; oldest <= 1 && status == XL_ERROR_BUILD; ++oldest) {
        *facts = (xli_facts){0};
        status = xli_facts_ask(ctx, oldest == 1, facts);
        if (status == XL_SUCCESS)
            status = xli_probe_lanes(ctx, facts);
    }
    return status;
}

/* Two threads may both probe the first time; the first answer is kept. */
xl_status xli_context_facts(xl_context *ctx, const xli_facts **facts)
{
    xl_status status = XL_SUCCESS;
    *facts = &ctx->facts;
    xli_mutex_lock(ctx->lock);
    bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (known)
        return XL_SUCCESS;
    xli_facts fresh;
    XL_TRY(learn_facts(ctx, &fresh));
    xli_mutex_lock(ctx->lock);
    if (!ctx->facts_known)
        ctx->facts = fresh;
    ctx->facts_known = true;
    xli_mutex_unlock(ctx->lock);
done:
    return status;
}

xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info)
{
    const xli_facts *facts;
    if (!ctx || !info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "info" : "ctx");
    xl_status status = xli_context_facts(ctx, &facts);
    if (status == XL_SUCCESS)
        *info = facts->info;
    return status;
}

static xli_remembered *remembered(xl_context *ctx, const char *test)
{
    for (size_t i = 0; i < XLI_COUNT(ctx->verdicts); ++i) {
        xli_remembered *r = &ctx->verdicts[i];
        if (!r->test || strcmp(r->test, test) == 0)
            return r;
    }
    return NULL;
}

xli_verdict xli_context_verdict(xl_context *ctx, const char *test)
{
    xli_mutex_lock(ctx->lock);
    const xli_remembered *r = remembered(ctx, test);
    xli_verdict verdict = r && r->test ? r->verdict : XLI_UNTRIED;
    xli_mutex_unlock(ctx->lock);
    return verdict;
}

void xli_context_set_verdict(xl_context *ctx, const char *test, xli_verdict verdict)
{
    xli_mutex_lock(ctx->lock);
    xli_remembered *r = remembered(ctx, test);
    if (r)
        *r = (xli_remembered){test, verdict};
    xli_mutex_unlock(ctx->lock);
}

/* Lines "name = number"; '#' starts a comment; the last line that fits wins. */
uint32_t xli_context_tunable(const xl_context *ctx, const char *name, uint32_t standard,
                             uint32_t low, uint32_t high)
{
    size_t length = strlen(name);
    uint32_t value = standard;
    for (const char *line = ctx->tune_text; line && *line;) {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, name, length) == 0) {
            at += length;
            at += strspn(at, " \t");
            char *end;
            unsigned long number = *at == '=' ? strtoul(at + 1, &end, 10) : 0;
            if (*at == '=' && end > at + 1 && number >= low && number <= high)
                value = (uint32_t)number;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return value;
}
