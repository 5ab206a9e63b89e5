/* SPDX-License-Identifier: MIT
 * The tuning file: lines "name = number", '#' starts a comment, a later line
 * replaces an earlier one. The whole file is checked when a context is made,
 * whichever plans follow, so that a slip of the pen is an error and not a default. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

/* Every name there is, with the widest range that any device may take. Who reads a new one
 * with xli_context_tune() adds it here. */
static const struct {
    const char *name;
    uint32_t low, high;
} known[] = {
    {"scan.shape", 0, 1},
    {"scan.group_size", 1, 1024},
    {"scan.item_bytes", 16, 1024},
    {"scan.tile_bytes", 256, 1 << 24},
    {"scan.run_groups", 1, 64},
    {"scan.run_elements", 1 << 10, 1 << 30},
    {"scan.run_offsets", 0, 1 << 30},
    {"scan.ring_groups", 1, 64},
    {"scan.share", 1, 16},
    {"scan.look_back", 0, 1},
    {"scan.stream_kib", 0, UINT32_MAX},
    {"scan.ahead", 0, 1},
    {"scan.ahead_block", 1, 4096},
    {"scan.ahead_groups", 1, 64},
    {"scan.ahead_few", 1, 63},
    {"scan.ahead_size", 64, 1024},
    {"scan.ahead_bytes", 4, 1024},
    {"scan.ahead_wide_size", 64, 1024},
    {"scan.ahead_wide_bytes", 4, 1024},
    {"scan.ahead_flag_size", 64, 1024},
    {"scan.ahead_flag_bytes", 4, 1024},
    {"scan.spin_limit", 0, 1 << 30},
    {"scan.hold_back", 0, 1 << 30},
    {"scan.hold_half", 0, 1},
    {"reduce.serial", 0, 1},
    {"reduce.group_size", 1, 1024},
    {"reduce.whole_size", 1, 1024},
    {"reduce.item_bytes", 16, 1024},
    {"reduce.whole_bytes", 16, 1024},
    {"reduce.run_groups", 1, 256},
    {"reduce.part_groups", 1, 256},
    {"reduce.run_elements", 1 << 8, 1 << 30},
    {"reduce.run_offsets", 0, 1 << 30},
    {"reduce.ahead", 0, 1},
    {"reduce.alone_tiles", 1, 1 << 16},
    {"sort.shape", 0, 1},
    {"sort.group_log", 0, 10},
    {"sort.held_log", 1, 5},
    {"sort.run_log", 4, 20},
    {"sort.seek_log", 1, 10},
    {"sort.seek_busy_log", 1, 10},
    {"sort.busy", 0, UINT32_MAX},
    {"grid.group", 1, 1024},
    {"grid.items", 1, 4096},
    {"grid.bounds_groups", 1, 65536},
    {"grid.crowd", 1, 65536},
    {"grid.crowd_groups", 1, 65536},
    {"grid.crowd_group", 1, 1024},
    {"neighbors.group", 1, 1024},
    {"neighbors.items", 1, 4096},
    {"neighbors.staged", 0, 1024},
};

struct xli_tuning {
    bool given[XLI_COUNT(known)];
    uint32_t value[XLI_COUNT(known)];
};

/* The file as it is read: where we are, for messages. */
typedef struct place {
    const char *path;
    unsigned line;
} place;

static size_t index_of(const char *name)
{
    size_t i = 0;
    while (i < XLI_COUNT(known) && strcmp(known[i].name, name) != 0)
        ++i;
    return i;
}

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
    xli_text names = {0};
    for (size_t i = 0; i < XLI_COUNT(known); ++i)
        xli_text_add(&names, "%s%s", i > 0 ? ", " : "", known[i].name);
    xl_status status = xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                                "tune_file %s:%u: unknown name \"%s\" (known: %s)", at->path,
                                at->line, name, names.data ? names.data : "");
    xli_text_free(&names);
    return status;
}

static xl_status set_value(xli_tuning *tuning, const place *at, const char *name, const char *text)
{
    size_t i = index_of(name);
    if (i == XLI_COUNT(known))
        return unknown_name(at, name);
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    bool digits = *text >= '0' && *text <= '9' && *end == '\0';
    if (!digits || number < known[i].low || number > known[i].high)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "tune_file %s:%u: %s = \"%s\", not a number from %u to %u", at->path,
                        at->line, name, text, (unsigned)known[i].low, (unsigned)known[i].high);
    tuning->given[i] = true;
    tuning->value[i] = (uint32_t)number;
    return XL_SUCCESS;
}

static xl_status read_line(xli_tuning *tuning, const place *at, char *line)
{
    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    char *equals = strchr(line, '=');
    if (*line == '\0')
        return XL_SUCCESS;
    if (!equals)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "tune_file %s:%u: \"%s\" is not of the form name = number", at->path,
                        at->line, line);
    *equals = '\0';
    return set_value(tuning, at, trim(line), trim(equals + 1));
}

xl_status xli_tuning_parse(const char *path, char *text, size_t length, xli_tuning **out)
{
    xl_status status = XL_SUCCESS;
    place at = {path, 0};
    xli_tuning *tuning = xli_alloc(sizeof *tuning);
    if (!tuning)
        XL_TRY(xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values"));
    if (strlen(text) != length)
        XL_TRY(xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "tune_file (CROSSLANE_TUNE_FILE): \"%s\" is not a text file", path));
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

xl_status xli_tuning_read(const char *path, xli_tuning **out)
{
    size_t length = 0;
    char *text = xli_os_read_file(path, &length);
    if (!text)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "tune_file (CROSSLANE_TUNE_FILE): \"%s\" is no file that can be read",
                        path);
    const xl_status status = xli_tuning_parse(path, text, length, out);
    xli_free(text);
    return status;
}

void xli_context_tune(const xl_context *ctx, const xli_tunable *tunables, size_t n)
{
    const xli_tuning *tuning = ctx->tuning;
    for (size_t k = 0; k < n; ++k) {
        const size_t i = index_of(tunables[k].name);
        if (tuning && i < XLI_COUNT(known) && tuning->given[i])
            *tunables[k].value = tuning->value[i];
    }
}
