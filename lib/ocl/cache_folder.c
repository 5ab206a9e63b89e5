/* SPDX-License-Identifier: MIT
 * The folder of the program cache: which one it is, reading and writing its files, and
 * keeping it small. A file holds a header and a body; it is written under another name
 * and renamed, so that a reader sees all or nothing and no lock is needed. The
 * file is not flushed to the disk first: one that a power cut left short or empty
 * fails its hash. Any file may be deleted at any time, by another process too.
 *
 *   bytes 0-15   "crosslane cache1" (the number is the format)
 *   bytes 16-79  the key, hexadecimal
 *   bytes 80-143 SHA-256 of the body, hexadecimal
 *   bytes 144-   the body */
#include "private.h"

#include <stdlib.h>
#include <string.h>

const char xli_cache_magic[] = "crosslane cache1";
enum { MAGIC = 16, HASH = 64 };

static const char suffix[] = ".bin";
static const uint64_t usual_limit_mib = 256;
static const uint64_t highest_limit_mib = 1 << 20;
static const uint64_t largest_file = 64 << 20; /* no program comes near */
static const int64_t stale_age = INT64_C(3600) * 1000000000;

static bool switched_off(const char *text)
{
    return text && (xli_text_equal_nocase(text, "off") || strcmp(text, "0") == 0);
}

static xl_status read_limit(const char *text, uint64_t *bytes)
{
    uint64_t mib = usual_limit_mib;
    if (text) {
        char *end;
        mib = strtoull(text, &end, 10);
        /* strtoull() lets a sign and spaces through. */
        if (*text < '0' || *text > '9' || *end || mib < 1 || mib > highest_limit_mib)
            return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                            "CROSSLANE_CACHE_LIMIT: \"%s\" is no whole number of MiB from 1 to %u",
                            text, (unsigned)highest_limit_mib);
    }
    *bytes = mib << 20;
    return XL_SUCCESS;
}

/* The folder that was chosen, or why nothing can be kept in it. */
static void make_folder(xl_context *ctx, xli_text *note)
{
    if (xli_os_make_dirs(ctx->cache_dir)) {
        xli_text_add(note, "%s", ctx->cache_dir);
        return;
    }
    xli_text_add(note, "none: %s is not a folder, and it cannot be made", ctx->cache_dir);
    xli_free(ctx->cache_dir);
    ctx->cache_dir = NULL;
}

/* A folder that others may write to is an error where it was asked for, and else no
 * cache; *note says which folder it is, or why there is none. */
static xl_status choose_folder(xl_context *ctx, const char *setting, xli_text *note)
{
    char why[96];
    if (switched_off(setting)) {
        xli_text_add(note, "none: switched off");
        return XL_SUCCESS;
    }
    ctx->cache_dir = setting ? xli_strdup(setting) : xli_os_cache_dir("crosslane");
    if (setting && !ctx->cache_dir)
        return xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for the name of a folder");
    if (!ctx->cache_dir) { /* without a home */
        xli_text_add(note, "none: the user has no folder for caches");
    } else if (!xli_os_folder_is_shared(ctx->cache_dir, why, sizeof why)) {
        make_folder(ctx, note);
    } else if (setting) {
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                        "cache_dir (CROSSLANE_CACHE_DIR): \"%s\" is not safe to take programs "
                        "from: %s; give a folder of your own, without rights for others to "
                        "write, or \"off\"",
                        setting, why);
    } else {
        xli_text_add(note, "none: %s is not used: %s", ctx->cache_dir, why);
        xli_free(ctx->cache_dir);
        ctx->cache_dir = NULL;
    }
    return XL_SUCCESS;
}

xl_status xli_cache_open(xl_context *ctx, const char *setting)
{
    xl_status status;
    xli_text note = {0};
    XL_TRY(read_limit(xli_setting(NULL, "CROSSLANE_CACHE_LIMIT"), &ctx->cache_limit));
    XL_TRY(choose_folder(ctx, setting, &note));
    if (note.failed)
        XL_TRY(xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for the name of a folder"));
    ctx->cache_description = note.data;
    note = (xli_text){0};
done:
    xli_text_free(&note);
    return status;
}

const char *xl_context_cache(const xl_context *ctx)
{
    return ctx ? ctx->cache_description : "";
}

static char *path_of(const xl_context *ctx, const char key[65])
{
    xli_text path = {0};
    xli_text_add(&path, "%s/%s%s", ctx->cache_dir, key, suffix);
    if (path.failed)
        xli_text_free(&path);
    return path.data;
}

static void hash_of(const void *bytes, size_t length, char hex[65])
{
    xli_sha256 hash;
    xli_sha256_init(&hash);
    xli_sha256_add(&hash, bytes, length);
    xli_sha256_hex(&hash, hex);
}

bool xli_cache_intact(const char *file, size_t length, const char key[65])
{
    char hex[65];
    if (length <= XLI_CACHE_HEADER || memcmp(file, xli_cache_magic, MAGIC) != 0 ||
        memcmp(file + MAGIC, key, HASH) != 0)
        return false;
    hash_of(file + XLI_CACHE_HEADER, length - XLI_CACHE_HEADER, hex);
    return memcmp(file + MAGIC + HASH, hex, HASH) == 0;
}

/* The largest file that is written, and read. */
static size_t most_bytes(const xl_context *ctx)
{
    return (size_t)(ctx->cache_limit < largest_file ? ctx->cache_limit : largest_file);
}

char *xli_cache_read(const xl_context *ctx, const char key[65], size_t *length)
{
    char *path = path_of(ctx, key);
    char *file = path ? xli_os_read_own_file(path, most_bytes(ctx), length) : NULL;
    if (file && !xli_cache_intact(file, *length, key)) {
        xli_free(file);
        file = NULL;
    }
    xli_free(path);
    return file;
}

/* What follows a key and the suffix in the name of a file of ours: nothing in that of a
 * whole one; NULL in a name that is not ours. */
static const char *name_end(const char *name)
{
    if (strspn(name, "0123456789abcdef") != HASH ||
        strncmp(name + HASH, suffix, sizeof suffix - 1) != 0)
        return NULL;
    return name + HASH + sizeof suffix - 1;
}

/* What xli_os_write_file_atomic() leaves when it is killed. */
static bool is_temporary(const char *name)
{
    const char *end = name_end(name);
    return end && end[0] == '.' && end[1] != '\0';
}

static int by_age(const void *a, const void *b)
{
    const xli_os_file *x = a, *y = b;
    return (x->age < y->age) - (x->age > y->age); /* the oldest first */
}

/* Deletes what killed writers left, and the files that were not used for longest until
 * the rest keeps to the limit. */
static void sweep(const xl_context *ctx)
{
    xli_os_file *files;
    uint64_t total = 0;
    size_t n = 0;
    const size_t all = xli_os_list_own_files(ctx->cache_dir, &files);
    for (size_t i = 0; i < all; ++i) {
        const char *end = name_end(files[i].name);
        if (is_temporary(files[i].name) && files[i].age > stale_age)
            xli_os_remove_file(ctx->cache_dir, files[i].name);
        if (!end || *end)
            continue;
        total += files[i].bytes;
        files[n++] = files[i];
    }
    if (total > ctx->cache_limit)
        qsort(files, n, sizeof *files, by_age);
    for (size_t i = 0; i < n && total > ctx->cache_limit; ++i) {
        xli_os_remove_file(ctx->cache_dir, files[i].name);
        total -= files[i].bytes;
    }
    xli_free(files);
}

void xli_cache_write(const xl_context *ctx, const char key[65], char *file, size_t length)
{
    char hex[65], why[96];
    if (XLI_CACHE_HEADER + length > most_bytes(ctx))
        return;
    char *path = path_of(ctx, key);
    if (path && xli_os_make_dirs(ctx->cache_dir) &&
        !xli_os_folder_is_shared(ctx->cache_dir, why, sizeof why)) {
        memcpy(file, xli_cache_magic, MAGIC);
        memcpy(file + MAGIC, key, HASH);
        hash_of(file + XLI_CACHE_HEADER, length, hex);
        memcpy(file + MAGIC + HASH, hex, HASH);
        if (xli_os_write_file_atomic(path, file, XLI_CACHE_HEADER + length))
            sweep(ctx);
    }
    xli_free(path);
}
