/* SPDX-License-Identifier: MIT
 * Standard error: errors of one line and, on a terminal, the current step. */
#include "tool.h"

#include <errno.h>
#include <string.h>

/* Room for the longest file name and the text about it. */
enum { REPEAT_MS = 100, LONGEST_TEXT = 8192 };
static const char erase[] = "\r\033[K"; /* the line */

static bool shown;  /* a progress line is visible */
static bool pinned; /* until progress_unpin() */
static const char *last_format;
static double last_ms;
static const char *late_text; /* of progress_after() */

static void clear(void)
{
    host_cancel();
    if (shown)
        host_show(erase);
    shown = false;
}

static void complain(const char *format, va_list args)
{
    char text[LONGEST_TEXT], line[2 * LONGEST_TEXT];
    vsnprintf(text, sizeof text, format, args);
    clear();
    fprintf(stderr, "crosslane: %s\n", text_printable(line, sizeof line, text));
}

int tool_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return TOOL_FAILED;
}

void tool_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
}

int tool_misuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
    return TOOL_USAGE;
}

/* The text of a failed build has up to 60 lines; the first has the reason. */
int tool_check(const xl_context *ctx, xl_status status, const char *what)
{
    char line[LONGEST_TEXT], text[LONGEST_TEXT];
    const char *const error = xl_context_error(ctx), *colon = what ? ": " : "";
    what = what ? what : "";
    if (status == XL_SUCCESS)
        return TOOL_OK;
    fields_as_options(text, sizeof text, *error ? error : xl_status_name(status));
    if (status == XL_ERROR_BUILD)
        return tool_fail("%s%s%.*s (CROSSLANE_DUMP_DIR=FOLDER keeps source and log)", what, colon,
                         (int)strcspn(text, "\n"), text);
    text_one_line(line, sizeof line, text);
    return tool_fail("%s%s%s", what, colon, line);
}

int tool_check_cl(cl_int code, const char *what)
{
    return code == CL_SUCCESS ? TOOL_OK : tool_fail("%s: OpenCL error %d", what, (int)code);
}

int tool_flush(void)
{
    const bool good = fflush(stdout) == 0 && !ferror(stdout);
    return good ? TOOL_OK : tool_fail("standard output: cannot be written: %s", strerror(errno));
}

static void show(const char *text)
{
    host_show(erase);
    host_show(text);
    shown = true;
}

static void say(const char *format, va_list args)
{
    char text[LONGEST_TEXT], line[2 * LONGEST_TEXT];
    host_cancel();
    if (!host_has_terminal())
        return;
    double now = host_milliseconds();
    if (shown && format == last_format && now - last_ms < REPEAT_MS)
        return; /* the same text with other numbers */
    last_format = format;
    last_ms = now;
    vsnprintf(text, sizeof text, format, args);
    show(text_printable(line, sizeof line, text));
}

void progress_say(const char *format, ...)
{
    va_list args;
    if (pinned)
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

/* On the thread of host_later(). The main thread reads `shown` after host_cancel() only. */
static void show_late(void)
{
    show(late_text);
}

void progress_after(double seconds, const char *text)
{
    host_cancel();
    if (pinned || !host_has_terminal())
        return;
    last_format = NULL;
    late_text = text;
    host_later(seconds, show_late);
}

/* Programs from a cache are there sooner. */
void progress_compiling(void)
{
    const double seconds = 0.3;
    progress_after(seconds, "compiling kernels (first use)");
}

void progress_clear(void)
{
    if (!pinned)
        clear();
}

void progress_pin(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    pinned = true;
}

void progress_unpin(void)
{
    pinned = false;
    clear();
}
