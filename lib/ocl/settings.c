/* SPDX-License-Identifier: MIT
 * The settings of a context: a field of its descriptor, else the environment, else
 * a default. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

typedef struct mask_word {
    const char *word;
    size_t offset;
} mask_word;

static const mask_word mask_words[] = {
    {"no-int64-atomics", offsetof(xli_mask, no_int64_atomics)},
    {"no-fp64", offsetof(xli_mask, no_fp64)},
    {"no-look-back", offsetof(xli_mask, no_look_back)},
    {"no-sub-groups", offsetof(xli_mask, no_sub_groups)},
    {"no-optimisation", offsetof(xli_mask, no_optimisation)},
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
    const char *number = word + sizeof limit - 1;
    char *end;
    mask->work_group = strtoul(number, &end, 10);
    /* strtoul() lets a sign and spaces through. */
    return *number >= '1' && *number <= '9' && *end == '\0';
}

/* Ends the word at a comma and drops the spaces around it; *next is what follows. */
static char *cut_word(char *word, char **next)
{
    char *comma = strchr(word, ',');
    char *end = comma ? comma : word + strlen(word);
    *next = comma ? comma + 1 : NULL;
    while (end > word && end[-1] == ' ')
        --end;
    *end = '\0';
    return word + strspn(word, " ");
}

static xl_status mask_parse(const char *text, xli_mask *mask)
{
    xl_status status = XL_SUCCESS;
    char *copy = xli_strdup(text ? text : "");
    if (!copy)
        return xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for the feature mask");
    for (char *at = copy, *next; status == XL_SUCCESS && at; at = next) {
        const char *word = cut_word(at, &next);
        if (*word && !mask_add(mask, word))
            status = xli_fail(
                NULL, XL_ERROR_INVALID_ARGUMENT,
                "mask (CROSSLANE_MASK): unknown word \"%s\" (known: no-int64-atomics, no-fp64, "
                "no-look-back, no-sub-groups, no-optimisation, width=1, work-group=N)",
                word);
    }
    xli_free(copy);
    return status;
}

static xl_status check_dump_dir(const char *path)
{
    if (!path || xli_os_can_write_dir(path))
        return XL_SUCCESS;
    const bool made = xli_os_make_dirs(path);
    if (made && xli_os_can_write_dir(path))
        return XL_SUCCESS;
    return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "dump_dir (CROSSLANE_DUMP_DIR): \"%s\" %s",
                    path, made ? "cannot be written to" : "is no folder, and none can be made");
}

static xl_status read_tuning(const char *path, xli_tuning **tuning)
{
    xli_text why = {0};
    const xl_status status = xli_tuning_read(path, &why, tuning);
    return xli_fail_text(NULL, status, &why);
}

xl_status xli_settings_read(xl_context *ctx, const xl_context_desc *desc)
{
    xl_status status;
    const char *dump = xli_setting(desc->dump_dir, "CROSSLANE_DUMP_DIR");
    const char *tune = xli_setting(desc->tune_file, "CROSSLANE_TUNE_FILE");
    XL_TRY(mask_parse(xli_setting(desc->mask, "CROSSLANE_MASK"), &ctx->mask));
    if (tune)
        XL_TRY(read_tuning(tune, &ctx->tuning));
    XL_TRY(check_dump_dir(dump));
    XL_TRY(xli_cache_open(ctx, xli_setting(desc->cache_dir, "CROSSLANE_CACHE_DIR")));
    ctx->dump_dir = xli_strdup(dump);
    const char *scan = xli_setting(NULL, "CROSSLANE_SCAN");
    ctx->scan_word = xli_strdup(scan);
    if (scan && !ctx->scan_word)
        XL_TRY(xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for the settings"));
    if (dump && !ctx->dump_dir)
        status = xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for the name of a folder");
done:
    return status;
}

const char *xli_context_scan_setting(const xl_context *ctx)
{
    return ctx->scan_word;
}
