/* SPDX-License-Identifier: MIT
 * `crosslane warm`: fills the caches of compiled programs ahead of time. It calls the commands on
 * small arrays, so that the programs are those of the commands. */
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct warm_options {
    const char *names[TOOL_MAX_FILES]; /* commands, then NULL; none: all */
    const char *types, *device, *tune_file;
    bool as_json;
} warm_options;

/* The first ones are the default. */
static const xl_type types[] = {XL_U32, XL_I32, XL_U64, XL_I64, XL_F32,
                                XL_F64, XL_I8,  XL_U8,  XL_I16, XL_U16};
enum { TYPES = TOOL_COUNT(types), DEFAULT_TYPES = 6 };

/* Programs depend on the number of elements. A CPU searches many points slowly, and uses the same
 * programs for the last two sizes. */
static const size_t sizes[] = {1000, 5000, 10000, 100000, 2000000};
enum { SIZES = TOOL_COUNT(sizes) };

/* ---- the calls ---- */

/* Files in a temporary folder. LIST is a prefix. */
enum { IN, SORTED, POINTS, LIST, LIST_OFFSETS, LIST_INDICES, LIST_DISTANCES, FILES };
static const char *const file_names[FILES] = {
    "in.npy",           "sorted.npy",       "points.npy",        "list",
    "list.offsets.npy", "list.indices.npy", "list.distances.npy"};

enum { MOST_WORDS = 8, MOST_ARGUMENTS = MOST_WORDS + 8 };
/* Placeholders. */
static const char in[] = "IN", sorted[] = "SORTED", points[] = "POINTS", list[] = "LIST",
                  nowhere[] = "NOWHERE", radius[] = "RADIUS";

typedef struct warm_call {
    const char *name;
    int (*run)(int, char **);
    const char *words[MOST_WORDS];
    bool adds_up;  /* in f64, unless the device lacks it */
    bool is_whole; /* only for integers */
} warm_call;

/* Calls of one command follow one another. */
static const warm_call calls[] = {
    {.name = "scan", .run = tool_scan, .words = {in, nowhere}, .adds_up = true},
    {.name = "reduce", .run = tool_reduce, .words = {in, nowhere}, .adds_up = true},
    {.name = "sort", .run = tool_sort, .words = {in, nowhere}},
    {.name = "topk", .run = tool_topk, .words = {in, nowhere, "--k", "100"}},
    {.name = "select", .run = tool_select, .words = {in, nowhere}},
    {.name = "merge", .run = tool_merge, .words = {sorted, sorted, nowhere}},
    {.name = "search", .run = tool_search, .words = {sorted, in, nowhere}},
    {.name = "histogram",
     .run = tool_histogram,
     .words = {in, nowhere, "--bins", "100"},
     .is_whole = true},
    {.name = "histogram",
     .run = tool_histogram,
     .words = {in, nowhere, "--bins", "100", "--range", "0", "100"}},
    {.name = "neighbors",
     .run = tool_neighbors,
     .words = {points, "--radius", radius, "--out", list}},
    {.name = "neighbors",
     .run = tool_neighbors,
     .words = {points, "--nearest", "16", "--out", list}}};
enum { CALLS = TOOL_COUNT(calls) };

typedef struct warm_job {
    const warm_options *o;
    xl_device_info info;
    char *folder, *paths[FILES];
    char radius[32];
    bool has_type[TYPES];
    double seconds[CALLS]; /* for the first call of each command */
    bool failed[CALLS];
    size_t step, steps;
} warm_job;

static bool takes_points(const warm_call *call)
{
    return call->words[0] == points;
}

static bool is_wanted(const warm_job *job, const warm_call *call, size_t type)
{
    const bool wanted = names_include(job->o->names, call->name, strlen(call->name));
    const bool is_real = type_kind(types[type]) == 'f';
    return wanted && job->has_type[type] && !(is_real ? call->is_whole : takes_points(call));
}

static const char *word_of(const warm_job *job, const char *word)
{
    return word == in        ? job->paths[IN]
           : word == sorted  ? job->paths[SORTED]
           : word == points  ? job->paths[POINTS]
           : word == list    ? job->paths[LIST]
           : word == radius  ? job->radius
           : word == nowhere ? host_null_file
                             : word;
}

static int list_words(const warm_job *job, const warm_call *call, xl_type type,
                      const char *words[MOST_ARGUMENTS])
{
    int count = 0;
    words[count++] = call->name;
    for (size_t i = 0; i < MOST_WORDS && call->words[i]; ++i)
        words[count++] = word_of(job, call->words[i]);
    if (call->adds_up && type == XL_F32 && !job->info.has_fp64) { /* the default, without a note */
        words[count++] = "--dtype";
        words[count++] = "f32";
    }
    if (job->o->device) {
        words[count++] = "--device";
        words[count++] = job->o->device;
    }
    if (job->o->tune_file) {
        words[count++] = "--tune-file";
        words[count++] = job->o->tune_file;
    }
    return count;
}

/* getopt_long() takes arguments that may be changed: copies them. */
static int run_call(const warm_job *job, const warm_call *call, xl_type type)
{
    const char *words[MOST_ARGUMENTS];
    char *argv[MOST_ARGUMENTS + 1] = {NULL};
    const int argc = list_words(job, call, type, words);
    size_t bytes = 0;
    for (int i = 0; i < argc; ++i)
        bytes += strlen(words[i]) + 1;
    char *const text = malloc(bytes);
    if (!text)
        return tool_fail("warm: no memory for arguments");
    char *at = text;
    for (int i = 0; i < argc; ++i) {
        argv[i] = strcpy(at, words[i]);
        at += strlen(at) + 1;
    }
    fields_use_command(call->name);
    host_hold_output();
    const int result = call->run(argc, argv);
    host_release_output();
    free(text);
    return result;
}

/* ---- the inputs ---- */

static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static void put(double value, xl_type type, char *to)
{
    const float narrow = (float)value;
    const size_t bytes = xl_type_size(type);
    if (type_kind(type) != 'f')
        element_put((uint64_t)value, bytes, to);
    else
        memcpy(to, type == XL_F64 ? (const void *)&value : (const void *)&narrow, bytes);
}

static int write_file(const char *path, const xli_npy *array)
{
    FILE *const stream = fopen(path, "wb");
    const bool written = stream && xli_npy_write(stream, array);
    if ((!stream || fclose(stream) == 0) && written)
        return TOOL_OK;
    return tool_fail("%s: cannot be written", path);
}

/* Numbers from 0 to 99, which every type has; points in a cube of edge 100. */
static int write_input(const warm_job *job, int file, xl_type type, size_t n)
{
    const size_t bytes = xl_type_size(type), count = file == POINTS ? 3 * n : n;
    uint64_t state = 1;
    char *const data = malloc(count * bytes);
    if (!data)
        return tool_fail("warm: no memory for %zu elements", count);
    for (size_t i = 0; i < count; ++i) {
        const double part = file == SORTED ? (double)i / (double)count : next_random(&state);
        put(file == POINTS ? 100 * part : floor(100 * part), type, data + i * bytes);
    }
    xli_npy array = xli_npy_vector(type_kind(type), (uint32_t)bytes, count, data);
    if (file == POINTS) {
        array.dimensions = 2;
        array.shape[0] = n;
        array.shape[1] = 3;
    }
    const int result = write_file(job->paths[file], &array);
    free(data);
    return result;
}

/* A point has about ten neighbours within the radius. */
static int write_inputs(warm_job *job, const warm_call *call, xl_type type, size_t n)
{
    int result;
    const double neighbors = 10, space = 1e6;
    snprintf(job->radius, sizeof job->radius, "%.6g",
             cbrt(neighbors * space / (4.18879 * (double)n)));
    if (takes_points(call))
        return write_input(job, POINTS, type, n);
    TRY(write_input(job, IN, type, n));
    if (call->words[0] == sorted)
        TRY(write_input(job, SORTED, type, n));
done:
    return result;
}

static int open_files(warm_job *job)
{
    job->folder = host_make_folder();
    if (!job->folder)
        return tool_fail("warm: no temporary folder can be made; TMPDIR may name another place");
    for (size_t i = 0; i < FILES; ++i) {
        const size_t size = strlen(job->folder) + strlen(file_names[i]) + 2;
        job->paths[i] = malloc(size);
        if (!job->paths[i])
            return tool_fail("warm: no memory for a file name");
        snprintf(job->paths[i], size, "%s/%s", job->folder, file_names[i]);
        signals_hold();
        signals_note(job->paths[i]);
        signals_release();
    }
    return TOOL_OK;
}

static void close_files(warm_job *job)
{
    for (size_t i = 0; i < FILES; ++i)
        if (job->paths[i]) {
            host_remove(job->paths[i]);
            free(job->paths[i]);
        }
    if (job->folder)
        host_remove_folder(job->folder);
    free(job->folder);
}

/* ---- all calls ---- */

static size_t command_of(size_t call)
{
    while (call > 0 && calls[call - 1].run == calls[call].run)
        --call;
    return call;
}

static int run_sizes(warm_job *job, const warm_call *call, xl_type type)
{
    int result = TOOL_OK;
    const bool is_slow = takes_points(call) && (job->info.device_type & CL_DEVICE_TYPE_CPU);
    for (size_t i = 0; i < (is_slow ? SIZES - 1 : SIZES); ++i) {
        TRY(write_inputs(job, call, type, sizes[i]));
        TRY(run_call(job, call, type));
    }
done:
    return result;
}

/* The other commands run even if one fails. */
static int run_calls(warm_job *job)
{
    int result = TOOL_OK;
    for (size_t c = 0; c < CALLS; ++c)
        for (size_t t = 0; t < TYPES; ++t) {
            const size_t command = command_of(c);
            if (!is_wanted(job, &calls[c], t))
                continue;
            progress_pin("warm: %s, %s, %zu of %zu", calls[c].name, xl_type_name(types[t]),
                         ++job->step, job->steps);
            const double started = host_milliseconds();
            if (run_sizes(job, &calls[c], types[t]) != TOOL_OK) {
                job->failed[command] = true;
                result = TOOL_FAILED;
            }
            job->seconds[command] += (host_milliseconds() - started) * 1e-3;
        }
    progress_unpin();
    fields_use_command("warm");
    return result;
}

static void report(const warm_job *job)
{
    json j = {0};
    if (job->o->as_json) {
        j = json_begin(stdout);
        json_text(&j, "device", job->info.name);
        json_open(&j, "commands", '[');
    }
    for (size_t c = 0; c < CALLS; ++c) {
        if (!(job->seconds[c] > 0))
            continue;
        if (!job->o->as_json) {
            printf("%-10s %7.2f s%s\n", calls[c].name, job->seconds[c],
                   job->failed[c] ? "  failed" : "");
            continue;
        }
        json_open(&j, NULL, '{');
        json_text(&j, "name", calls[c].name);
        json_number(&j, "seconds", job->seconds[c]);
        json_bool(&j, "failed", job->failed[c]);
        json_close(&j, '}');
    }
    if (job->o->as_json) {
        json_close(&j, ']');
        json_end(&j);
    }
}

/* ---- the command ---- */

static size_t call_name(size_t k, const char **name)
{
    *name = k < CALLS ? calls[k].name : NULL;
    return *name ? strlen(*name) : 0;
}

/* Adds the type that the first `length` characters name. */
static int add_type(warm_job *job, const char *text, size_t length)
{
    char known[128];
    size_t used = 0;
    for (size_t t = 0; t < TYPES; ++t) {
        const char *const name = xl_type_name(types[t]);
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            job->has_type[t] = true;
            return TOOL_OK;
        }
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", t ? ", " : "", name);
    }
    return tool_misuse("warm: --types: \"%.*s\"; must be one or more of %s", (int)length, text,
                       known);
}

/* f64 is one of the defaults if the device has it, which is known later. */
static int choose_types(warm_job *job)
{
    int result = TOOL_OK;
    const char *at = job->o->types;
    for (size_t t = 0; !at && t < DEFAULT_TYPES; ++t)
        job->has_type[t] = true;
    while (at) {
        const size_t length = strcspn(at, ",");
        TRY(add_type(job, at, length));
        at = at[length] ? at + length + 1 : NULL;
    }
done:
    return result;
}

static int count_steps(warm_job *job)
{
    for (size_t c = 0; c < CALLS; ++c)
        for (size_t t = 0; t < TYPES; ++t)
            job->steps += is_wanted(job, &calls[c], t);
    return job->steps > 0
               ? TOOL_OK
               : tool_misuse("warm: --types: %s; neighbors requires f32 or f64", job->o->types);
}

static int ask_device(warm_job *job)
{
    session s = {0};
    const int result = session_open(&s, job->o->device, job->o->tune_file);
    job->info = s.info;
    session_close(&s);
    for (size_t t = 0; t < TYPES; ++t)
        if (!job->o->types && types[t] == XL_F64 && !job->info.has_fp64)
            job->has_type[t] = false;
    return result;
}

/* Drivers are loaded before the folder is made: see host_signals.c. */
static int warm(const warm_options *o)
{
    int result;
    warm_job job = {.o = o};
    TRY(choose_types(&job));
    TRY(count_steps(&job));
    TRY(ask_device(&job));
    job.steps = 0;
    TRY(count_steps(&job));
    TRY(open_files(&job));
    result = run_calls(&job);
    report(&job);
done:
    close_files(&job);
    return result;
}

static const char about[] =
    "Compiles the kernels of the commands ahead of time, for this device, its driver and this\n"
    "version, and stores them in the caches of the library and of the driver. Later calls of a\n"
    "command with its default options then compile nothing. Each command runs on random arrays of\n"
    "1,000 to 2,000,000 elements, in a temporary folder. Prints the seconds of each command.\n\n"
    "COMMAND: only these: scan, reduce, sort, topk, select, merge, search, histogram, neighbors.";

int tool_warm(int argc, char **argv)
{
    warm_options o = {0};
    const tool_option options[] = {
        TEXT_OPTION("types", o.types, "LIST",
                    "types of elements; default: u32,i32,u64,i64,f32,f64"),
        DEVICE_OPTION(o.device), TUNE_FILE_OPTION(o.tune_file),
        JSON_OPTION(o.as_json, "the times")};
    const tool_syntax syntax = {.name = "warm",
                                .files = "[COMMAND...]",
                                .max_files = TOOL_MAX_FILES - 1,
                                .about = about,
                                .options = options,
                                .num_options = TOOL_COUNT(options)};
    int result = options_parse(&syntax, argc, argv, o.names);
    if (result == TOOL_OK)
        result = names_check("warm", "COMMAND", o.names, call_name);
    return result == TOOL_OK ? warm(&o) : result;
}
