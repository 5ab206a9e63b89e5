/* SPDX-License-Identifier: MIT
 * What the program says on standard error: one-line errors, and on a terminal
 * what it is doing. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { REPEAT_MS = 100 };

static bool shown; /* a progress line stands on the terminal */
static const char *last_format;
static double last_ms;

/* A line end, with the blanks around it, becomes "; ", or " " after a colon. */
void tool_one_line(char *out, size_t size, const char *text)
{
    size_t used = 0;
    for (const char *at = text; *at && used + 3 < size; ++at) {
        if (*at != '\n' && *at != '\r') {
            out[used++] = *at;
            continue;
        }
        at += strspn(at, " \t\r\n") - 1;
        if (used > 0 && out[used - 1] != ':')
            out[used++] = ';';
        out[used++] = ' ';
    }
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == ';'))
        --used;
    out[used] = '\0';
}

static void complain(const char *format, va_list args)
{
    char text[4096], line[4096];
    vsnprintf(text, sizeof text, format, args);
    tool_one_line(line, sizeof line, text);
    progress_clear();
    fprintf(stderr, "crosslane: %s\n", line);
}

int tool_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return TOOL_FAILED;
}

int tool_misuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return TOOL_USAGE;
}

/* The text of a failed build has up to 60 lines, and the first says what is wrong. */
int tool_check(const xl_context *ctx, xl_status status, const char *what)
{
    const char *text = xl_context_error(ctx), *colon = what ? ": " : "";
    what = what ? what : "";
    if (status == XL_SUCCESS)
        return TOOL_OK;
    if (status == XL_ERROR_BUILD)
        return tool_fail("%s%s%.*s (CROSSLANE_DUMP_DIR=FOLDER keeps source and log)", what, colon,
                         (int)strcspn(text, "\n"), text);
    return tool_fail("%s%s%s", what, colon, *text ? text : xl_status_name(status));
}

int tool_check_cl(cl_int code, const char *what)
{
    return code == CL_SUCCESS ? TOOL_OK : tool_fail("%s: OpenCL error %d", what, (int)code);
}

void progress_say(const char *format, ...)
{
    va_list args;
    if (!host_is_terminal(stderr))
        return;
    double now = host_milliseconds();
    if (shown && format == last_format && now - last_ms < REPEAT_MS)
        return; /* the same again with other numbers */
    last_format = format;
    last_ms = now;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
    shown = true;
}

void progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
