/* SPDX-License-Identifier: MIT
 * The tuning file: lines "name = number", '#' starts a comment, a later line
 * replaces an earlier one. */
#include "tune.h"

#include <stdlib.h>
#include <string.h>

/* The current line of the file, and the text of an error. */
typedef struct place {
    const char *path;
    unsigned line;
    xli_text *why;
} place;

/* Cuts the spaces off both ends. */
static char *trim(char *text)
{
    static const char spaces[] = " \t\r\v\f";
    text += strspn(text, spaces);
    size_t length = strlen(text);
    while (length > 0 && strchr(spaces, text[length - 1]))
        --length;
    text[length] = '\0';
    return text;
}

static xl_status unknown_name(const place *at, const char *name)
{
    xli_text_add(at->why, "tune_file %s:%u: unknown name \"%s\" (known: ", at->path, at->line,
                 name);
    for (size_t i = 0; i < XLI_TUNABLES; ++i)
        if (!xli_tunables[i].for_tests)
            xli_text_add(at->why, "%s%s", i > 0 ? ", " : "", xli_tunables[i].name);
    xli_text_add(at->why, ")");
    return XL_ERROR_INVALID_ARGUMENT;
}

static xl_status set_value(xli_tuning *tuning, const place *at, const char *name, const char *text)
{
    char range[XLI_RANGE_BYTES], *end;
    const xli_tunable *tunable = xli_tunable_of_user(name);
    if (!tunable)
        return unknown_name(at, name);
    const unsigned long long number = strtoull(text, &end, 10);
    const bool digits = *text >= '0' && *text <= '9' && *end == '\0';
    if (!digits || !xli_tunable_takes(tunable, number)) {
        xli_text_add(at->why, "tune_file %s:%u: %s = \"%s\", not %s", at->path, at->line, name,
                     text, xli_tunable_range(tunable, range));
        return XL_ERROR_INVALID_ARGUMENT;
    }
    tuning->given[tunable - xli_tunables] = true;
    xli_tunable_set(tunable, &tuning->tune, (uint32_t)number);
    return XL_SUCCESS;
}

static xl_status read_line(xli_tuning *tuning, const place *at, char *line)
{
    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    char *equals = strchr(line, '=');
    if (*line == '\0')
        return XL_SUCCESS;
    if (!equals) {
        xli_text_add(at->why, "tune_file %s:%u: \"%s\" is not of the form name = number", at->path,
                     at->line, line);
        return XL_ERROR_INVALID_ARGUMENT;
    }
    *equals = '\0';
    return set_value(tuning, at, trim(line), trim(equals + 1));
}

xl_status xli_tuning_parse(const char *path, char *text, size_t length, xli_text *why,
                           xli_tuning **out)
{
    xl_status status = XL_SUCCESS;
    place at = {path, 0, why};
    xli_tuning *tuning = NULL;
    if (strlen(text) != length) {
        xli_text_add(why, "tune_file (CROSSLANE_TUNE_FILE): \"%s\" is not a text file", path);
        return XL_ERROR_INVALID_ARGUMENT;
    }
    tuning = xli_alloc(sizeof *tuning);
    if (!tuning) {
        xli_text_add(why, "no memory for tuning values");
        return XL_ERROR_OUT_OF_MEMORY;
    }
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        ++at.line;
        XL_TRY(read_line(tuning, &at, line));
    }
    *out = tuning;
    tuning = NULL;
done:
    xli_free(tuning);
    return status;
}

xl_status xli_tuning_read(const char *path, xli_text *why, xli_tuning **out)
{
    size_t length = 0;
    char *text = xli_os_read_file(path, &length);
    if (!text) {
        xli_text_add(why, "tune_file (CROSSLANE_TUNE_FILE): \"%s\" is no file that can be read",
                     path);
        return XL_ERROR_INVALID_ARGUMENT;
    }
    const xl_status status = xli_tuning_parse(path, text, length, why, out);
    xli_free(text);
    return status;
}
