/* SPDX-License-Identifier: MIT
 * Texts of a build for people: the report of a failed build, which has the part of the log that
 * concerns the user's text, and that text with line numbers; and dumps. */
#include "private.h"

#include <string.h>

/* Lines of a report, its head among them; and characters of a line. */
enum { MOST_LINES = 60, MOST_LETTERS = 400 };

static char *build_log(const xl_context *ctx, cl_program program)
{
    size_t bytes = 0;
    char *log = NULL;
    clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    if (bytes > 0 && (log = xli_alloc(bytes + 1)))
        clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

static size_t lines_in(const char *text)
{
    size_t lines = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        ++lines;
    return lines;
}

static void add_line(xli_text *text, const char *line, size_t length)
{
    xli_text_add(text, "%.*s%s\n", (int)xli_min(length, MOST_LETTERS), line,
                 length > MOST_LETTERS ? "..." : "");
}

/* The number of omitted lines; nothing if it is 0. */
static void add_more(xli_text *text, size_t lines, const char *where)
{
    if (lines > 0)
        xli_text_add(text, "(%zu more line%s%s)\n", lines, lines > 1 ? "s" : "", where);
}

static void add_log(xli_text *text, const char *log, size_t room)
{
    const size_t lines = lines_in(log), shown = xli_min(lines, room);
    xli_text_add(text, "log:\n");
    for (size_t i = 0; i < shown; ++i) {
        const size_t length = strcspn(log, "\n");
        add_line(text, log, length);
        log += length + (log[length] == '\n');
    }
    add_more(text, lines - shown, "");
}

/* Whether a line is of a text that the log names, or, if it names none, of any. Empty lines
 * that the library put behind a text are none. */
static bool is_shown(const xli_log *log, const xli_source_line *line)
{
    bool named = log->num_texts == 0;
    if (line->length == 0 && (!*line->next || strncmp(line->next, "#line ", 6) == 0))
        return false;
    for (size_t i = 0; i < log->num_texts; ++i)
        named = named || strcmp(log->texts[i], line->file) == 0;
    return named && xli_source_is_users(line->file);
}

/* How many lines there are to show, and how many of them stand before the first error. */
static size_t count_shown(const xli_log *log, const char *source, size_t *before)
{
    size_t lines = 0;
    xli_source_line line = xli_source_lines(source);
    *before = 0;
    while (xli_source_next(&line)) {
        if (!is_shown(log, &line))
            continue;
        if (line.number == log->line && strcmp(line.file, log->file) == 0)
            *before = lines;
        ++lines;
    }
    return lines;
}

/* The user's text; where there is no room for all of it, around the first error. */
static void add_source(xli_text *text, const xli_log *log, const char *source, size_t room)
{
    size_t before, k = 0;
    const size_t lines = count_shown(log, source, &before);
    const size_t shown = xli_min(lines, room);
    const size_t first = xli_min(before - xli_min(before, shown / 2), lines - shown);
    xli_source_line line = xli_source_lines(source);
    if (lines == 0)
        return;
    xli_text_add(text, "text:\n");
    add_more(text, first, " before");
    while (xli_source_next(&line)) {
        if (!is_shown(log, &line))
            continue;
        if (k >= first && k < first + shown) {
            xli_text_add(text, "%s:%lu: ", line.file, line.number);
            add_line(text, line.text, line.length);
        }
        ++k;
    }
    add_more(text, lines - shown - first, " after");
}

/* Which text of whose is wrong, and where, in one line. */
static void add_first_line(xli_text *text, const xli_build *build, const xli_log *log, bool users)
{
    const char *name = build->name, *call = strcmp(name, "user") == 0 ? "program" : name;
    if (log->num_texts > 0 || users)
        xli_text_add(text, "xl_%.*s_create: %s does not compile", (int)strcspn(call, "_"), call,
                     log->num_texts > 0 ? log->texts[0] : "a text of yours");
    else
        xli_text_add(text, "program \"%s\" of the library does not compile", name);
    if (log->message[0] == '\0')
        xli_text_add(text, ": %s", xli_cl_name(build->code));
    else if (log->num_texts > 0 && strcmp(log->file, log->texts[0]) == 0)
        xli_text_add(text, ": line %lu, column %lu: %s", log->line, log->column, log->message);
    else if (log->num_texts > 0)
        xli_text_add(text, ": %s", log->message);
    else
        xli_text_add(text, ": %s:%lu: %s", log->file, log->line, log->message);
    xli_text_add(text, "\n");
}

/* For maintainers: device, driver, options, key and dump. */
static void add_capabilities(xli_text *text, const xl_context *ctx, const xli_build *build,
                             const char *dump)
{
    const xl_device_info *info = &build->capabilities->info;
    xli_text_add(text, "clBuildProgram returned %s (%d)\n", xli_cl_name(build->code),
                 (int)build->code);
    xli_text_add(text, "program: %s\ndevice: %s, %s, driver %s\noptions: ", build->name, info->name,
                 info->platform, info->driver);
    add_line(text, build->options, strcspn(build->options, "\n"));
    if (dump)
        xli_text_add(text, "generated source: %s\n", dump);
    else if (ctx->dump_dir)
        xli_text_add(text, "generated source: could not be written to %s\n", ctx->dump_dir);
    else
        xli_text_add(text, "generated source: set CROSSLANE_DUMP_DIR to keep it\n");
}

char *xli_build_report(const xl_context *ctx, const xli_build *build, const char *dump)
{
    enum { TITLES = 2, LEFT_OUT = 3 };
    xli_text text = {0}, source = {0};
    xli_log log = {0};
    size_t before;
    char *given = build_log(ctx, build->program);
    xli_text_add(&source, "%s%s", build->head, build->body);
    if (!source.failed)
        xli_log_read(given ? given : "", source.data, &log);
    const char *said = log.text.data && !log.text.failed ? log.text.data : "(none)\n";
    const size_t lines = source.failed ? 0 : count_shown(&log, source.data, &before);
    add_first_line(&text, build, &log, lines > 0);
    add_capabilities(&text, ctx, build, dump);
    if (!text.failed && !source.failed) {
        const size_t room =
            MOST_LINES - xli_min(MOST_LINES, TITLES + LEFT_OUT + lines_in(text.data));
        const size_t logged = xli_min(lines_in(said), room - xli_min(lines, room / 2));
        add_log(&text, said, logged);
        add_source(&text, &log, source.data, room - logged);
    }
    xli_free(given);
    xli_text_free(&log.text);
    if (text.failed || source.failed)
        xli_text_free(&text);
    xli_text_free(&source);
    return text.data;
}

/* A dump that cannot be written is no error. */
char *xli_build_dump(const xl_context *ctx, const xli_build *build)
{
    xli_text path = {0}, text = {0};
    char *log = build_log(ctx, build->program);
    xli_text_add(&path, "%s/%s-%.12s.cl", ctx->dump_dir, build->name, build->key);
    xli_text_add(&text, "/* options: %s\n * log:\n%s\n */\n%s%s", build->options,
                 log ? log : "(none)", build->head, build->body);
    if (path.failed || text.failed || !xli_os_make_dirs(ctx->dump_dir) ||
        !xli_os_write_file_atomic(path.data, text.data, text.length))
        xli_text_free(&path);
    xli_free(log);
    xli_text_free(&text);
    return path.data;
}
