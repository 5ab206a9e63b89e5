/* SPDX-License-Identifier: MIT
 * `crosslane tune`: finds tuning values that are faster on a device, and writes them to a file. */
#include "tune_search.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

typedef struct tune_options {
    const char *device, *tune_file, *out;
    const char *names[TOOL_MAX_FILES]; /* primitives, then NULL; none: all */
    uint64_t seconds;
    bool as_json;
} tune_options;

/* ---- primitives ---------------------------------------------------------------- */

/* The prefix of the tunables of a kind, without its full stop. */
static size_t primitive_name(size_t k, const char **name)
{
    *name = k < WORKLOADS ? workload_kinds[k].prefix : NULL;
    return *name && workload_kinds[k].most[0] ? strlen(*name) - 1 : 0;
}

/* Excludes the tunables of primitives that are not named. */
static void choose(tune_search *t, const tune_options *o)
{
    for (size_t i = 0; i < t->count && o->names[0]; ++i) {
        bool wanted = false;
        for (size_t k = 0; k < WORKLOADS; ++k) {
            const char *const prefix = workload_kinds[k].prefix;
            wanted = wanted || (tune_is_of(&t->values[i], &workload_kinds[k]) &&
                                names_include(o->names, prefix, strlen(prefix) - 1));
        }
        t->values[i].turn = wanted ? t->values[i].turn : 0;
    }
}

static size_t count_better(const tune_search *t)
{
    size_t better = 0;
    for (size_t i = 0; i < t->count; ++i)
        better += t->values[i].value != t->values[i].before;
    return better;
}

static bool is_whole_known(const tune_search *t, size_t k)
{
    return t->whole[k].gain > 0;
}

/* ---- the file ---------------------------------------------------------------- */

static const char device_line[] = "# device: ";

/* Values are valid for one device: fails if the file has those of another. */
static int check_device(const tune_search *t, const char *path)
{
    char line[1024], name[512];
    const size_t start = sizeof device_line - 1;
    int result = TOOL_OK;
    FILE *stream = host_open_input(path);
    if (!stream)
        return tool_fail("%s: cannot be opened: %s", path, strerror(errno));
    text_printable(name, sizeof name, t->s.info.name);
    while (result == TOOL_OK && fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, device_line, start) == 0 && strcmp(line + start, name) != 0)
            result = tool_fail("--out: %s has values of the device %s; give another file for %s",
                               path, line + start, name);
    }
    fclose(stream);
    return result;
}

static void keep_value(void *user, const xl_tunable_info *info)
{
    tune_search *t = user;
    for (size_t i = 0; i < t->count; ++i)
        if (info->from_file && strcmp(t->values[i].name, info->name) == 0) {
            t->values[i].is_kept = true;
            t->values[i].kept = info->value;
        }
}

/* Keeps the values of the output file if the search begins from another file. */
static int keep_values(tune_search *t, const tune_options *o)
{
    session s;
    int result = session_open(&s, o->device, o->out);
    if (result == TOOL_OK && xl_tunables_each(s.ctx, keep_value, t) == 0)
        result = tool_fail("tune: %s", xl_context_error(s.ctx));
    session_close(&s);
    return result;
}

static void write_head(const tune_search *t, const char *begin, FILE *stream)
{
    char name[512], driver[512], date[32] = "?";
    const time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    if (utc)
        strftime(date, sizeof date, "%Y-%m-%d", utc);
    fprintf(stream,
            "# Tuning values of Crosslane %s, measured by \"crosslane tune\".\n"
            "%s%s\n# driver: %s\n# date: %s\n",
            xl_version_string(), device_line, text_printable(name, sizeof name, t->s.info.name),
            text_printable(driver, sizeof driver, t->s.info.driver), date);
    if (begin[0])
        fprintf(stream, "# begun from: %s\n", text_printable(name, sizeof name, begin));
    for (size_t k = 0; k < WORKLOADS; ++k)
        if (is_whole_known(t, k))
            fprintf(stream, "# %s of %zu elements: %.4g ms before, %.4g ms after\n",
                    workload_kinds[k].name, t->cases[k].n, t->whole[k].before_ms,
                    t->whole[k].after_ms);
    if (count_better(t) == 0)
        fprintf(stream, "# Nothing was found that is faster.\n");
}

static void write_values(const tune_search *t, FILE *stream)
{
    for (size_t i = 0; i < t->count; ++i) {
        const tune_value *v = &t->values[i];
        if (v->value != v->before)
            fprintf(stream,
                    "%s = %" PRIu64 " # %" PRIu64 " before; %s is %.2f times as fast with it\n",
                    v->name, v->value, v->before, v->where, v->gain);
        else if (v->from_file)
            fprintf(stream, "%s = %" PRIu64 " # as it was\n", v->name, v->value);
        else if (v->is_kept)
            fprintf(stream, "%s = %" PRIu64 " # as it was\n", v->name, v->kept);
    }
}

static int write_file(const tune_search *t, const tune_options *o, const char *begin)
{
    int result;
    FILE *stream = NULL;
    outputs files = {0};
    TRY(outputs_open(&files, o->out, &stream));
    write_head(t, begin, stream);
    write_values(t, stream);
    if (ferror(stream))
        result = tool_fail("%s: cannot be written: %s", o->out, strerror(errno));
    if (result == TOOL_OK)
        result = outputs_commit(&files);
done:
    outputs_abandon(&files);
    return result;
}

/* ---- the report ------------------------------------------------------------------ */

static void print_table(const tune_search *t, const tune_options *o)
{
    printf("%-24s %12s %12s %6s\n", "tunable", "before", "after", "gain");
    for (size_t i = 0; i < t->count; ++i) {
        const tune_value *v = &t->values[i];
        if (v->value != v->before)
            printf("%-24s %12" PRIu64 " %12" PRIu64 " %6.2f  %s\n", v->name, v->before, v->value,
                   v->gain, v->where);
    }
    for (size_t k = 0; k < WORKLOADS; ++k)
        if (is_whole_known(t, k))
            printf("%s of %zu elements: %.4g ms before, %.4g ms after\n", workload_kinds[k].name,
                   t->cases[k].n, t->whole[k].before_ms, t->whole[k].after_ms);
    printf("%s: %u values tried, %zu tunables changed%s%s%s\n", t->s.info.name, t->tried,
           count_better(t), t->out_of_time ? "; the time was over" : "", o->out ? "; " : "",
           o->out ? o->out : "");
}

static void write_case(const tune_search *t, size_t k, json *j)
{
    xl_plan_details info = {0};
    const workload *c = &t->cases[k];
    json_open(j, NULL, '{');
    json_text(j, "case", workload_kinds[k].name);
    json_count(j, "n", c->n);
    if (xl_plan_info(c->plan, c->n, &info) == XL_SUCCESS) {
        json_text(j, "algorithm", info.algorithm);
        json_count(j, "sub_group_size", info.sub_group_size);
        json_count(j, "work_group_size", info.work_group_size);
        json_count(j, "tile_elements", info.tile_elements);
    }
    if (is_whole_known(t, k)) {
        json_number(j, "before_ms", t->whole[k].before_ms);
        json_number(j, "after_ms", t->whole[k].after_ms);
    }
    json_close(j, '}');
}

static void print_json(const tune_search *t, double seconds)
{
    json j = json_begin(stdout);
    json_text(&j, "version", xl_version_string());
    json_text(&j, "device", t->s.info.name);
    json_text(&j, "driver", t->s.info.driver);
    json_number(&j, "seconds", seconds);
    json_bool(&j, "out_of_time", t->out_of_time);
    json_count(&j, "tried", t->tried);
    json_count(&j, "failed", t->failed);
    json_open(&j, "tunables", '[');
    for (size_t i = 0; i < t->count; ++i) {
        const tune_value *v = &t->values[i];
        if (v->value == v->before)
            continue;
        json_open(&j, NULL, '{');
        json_text(&j, "name", v->name);
        json_count(&j, "before", v->before);
        json_count(&j, "after", v->value);
        json_number(&j, "gain", v->gain);
        json_text(&j, "case", v->where);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "cases", '[');
    for (size_t k = 0; k < WORKLOADS; ++k)
        if (t->cases[k].plan)
            write_case(t, k, &j);
    json_close(&j, ']');
    json_end(&j);
}

/* ---- the command -------------------------------------------------------------------- */

static int tune(const tune_options *o)
{
    int result;
    tune_search t = {0};
    const double start = host_milliseconds();
    const named_output named[] = {{"--out", o->out}};
    t.end = start + (double)o->seconds * 1e3;
    TRY(outputs_check("tune", named, TOOL_COUNT(named)));
    const bool there = o->out && host_replaces_file(o->out);
    /* The file that the environment names is not used: the user may be replacing it. */
    const char *const begin = o->tune_file ? o->tune_file : there ? o->out : "";
    TRY(session_open(&t.s, o->device, begin));
    TRY(tune_search_list(&t));
    if (there)
        TRY(check_device(&t, o->out));
    if (there && begin != o->out)
        TRY(keep_values(&t, o));
    choose(&t, o);
    TRY(tune_search_run(&t));
    if (o->out)
        TRY(write_file(&t, o, begin));
    if (o->as_json)
        print_json(&t, (host_milliseconds() - start) / 1e3);
    else
        print_table(&t, o);
done:
    tune_search_close(&t);
    return result;
}

static const char about[] =
    "Tries other tuning values than the library's on a device, checks their results, and reports\n"
    "those that are faster by more than 3 % in two measurements. Use the file with --tune-file or\n"
    "CROSSLANE_TUNE_FILE, on the device and with the driver on which it was measured. Run no "
    "other\n"
    "program meanwhile.\n\n"
    "NAME: only these primitives: scan, reduce, sort, top_k, merge, search, histogram, transform,\n"
    "grid, neighbors, nearest, nearest_approximate, morton.";

int tool_tune(int argc, char **argv)
{
    enum { MOST_SECONDS = 86400 };
    tune_options o = {.seconds = 100};
    const tool_option options[] = {
        TEXT_OPTION("out", o.out, "FILE",
                    "write the values, lines \"name = number\"; values already in it are kept"),
        {"seconds", OPTION_COUNT, &o.seconds, "S", "the time for the search (100)", NULL},
        DEVICE_OPTION(o.device),
        TEXT_OPTION("tune-file", o.tune_file, "FILE", "the values to begin from"),
        JSON_OPTION(o.as_json, "a report")};
    const tool_syntax syntax = {.name = "tune",
                                .files = "[NAME...]",
                                .max_files = TOOL_MAX_FILES - 1,
                                .about = about,
                                .options = options,
                                .num_options = TOOL_COUNT(options)};
    int result = options_parse(&syntax, argc, argv, o.names);
    if (result == TOOL_OK)
        result = names_check("tune", "NAME", o.names, primitive_name);
    if (result != TOOL_OK)
        return result;
    if (o.seconds < 1 || o.seconds > MOST_SECONDS)
        return tool_misuse("tune: --seconds: %" PRIu64 "; must be 1 to %d", o.seconds,
                           MOST_SECONDS);
    return tune(&o);
}
