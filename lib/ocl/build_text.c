/* SPDX-License-Identifier: MIT
 * What a build leaves for a person to read: options, log, and the source with the
 * file and line numbers that the log speaks of. */
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *build_log(const xl_context *ctx, cl_program program)
{
    size_t bytes = 0;
    char *log = NULL;
    clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    if (bytes > 0 && (log = xli_alloc(bytes + 1)))
        clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

/* Reads `#line N "file"`; true if `line` is one. */
static bool line_mark(const char *line, unsigned long *number, char *file, size_t bytes)
{
    if (strncmp(line, "#line ", 6) != 0)
        return false;
    char *end;
    *number = strtoul(line + 6, &end, 10);
    const char *open = end + strspn(end, " ");
    size_t length = *open == '"' ? strcspn(open + 1, "\"\n") : 0;
    if (length > 0)
        snprintf(file, bytes, "%.*s", (int)length, open + 1);
    return true;
}

/* Each line with its number in the whole, which is all that Oclgrind's logs speak of,
 * and with file and line as the marks have them. */
static void add_numbered(xli_text *text, const char *source, unsigned long *whole)
{
    unsigned long number = 1;
    char file[128] = "head";
    for (const char *line = source; *line;) {
        size_t length = strcspn(line, "\n");
        ++*whole;
        if (!line_mark(line, &number, file, sizeof file))
            xli_text_add(text, "%5lu  %s:%lu: %.*s\n", *whole, file, number++, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

char *xli_build_report(const xl_context *ctx, const xli_facts *facts, const char *name,
                       const char *options, const char *head, const char *body, cl_program program)
{
    xli_text text = {0};
    char *log = build_log(ctx, program);
    xli_text_add(&text, "program: %s\ndevice: %s, %s\noptions: %s\nlog:\n%s\nsource:\n", name,
                 facts->info.name, facts->info.platform, options, log ? log : "(none)");
    unsigned long whole = 0;
    add_numbered(&text, head, &whole);
    add_numbered(&text, body, &whole);
    xli_free(log);
    if (text.failed)
        xli_text_free(&text);
    return text.data;
}

/* Dumps are a help, never a reason to fail: what cannot be written is not. */
void xli_build_dump(const xl_context *ctx, const char *name, const char key[65],
                    const char *options, const char *head, const char *body, cl_program program)
{
    xli_text path = {0}, text = {0};
    char *log = build_log(ctx, program);
    xli_os_make_dirs(ctx->dump_dir);
    xli_text_add(&path, "%s/%s-%.12s.cl", ctx->dump_dir, name, key);
    xli_text_add(&text, "/* options: %s\n * log:\n%s\n */\n%s%s", options, log ? log : "(none)",
                 head, body);
    if (!path.failed && !text.failed)
        (void)xli_os_write_file_atomic(path.data, text.data, text.length);
    xli_free(log);
    xli_text_free(&path);
    xli_text_free(&text);
}
