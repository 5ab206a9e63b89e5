/* SPDX-License-Identifier: MIT
 * What the program asks of the operating system; no other file of it includes a
 * header of the system but for getopt_long(). */
#define _XOPEN_SOURCE 700
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool host_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

double host_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* mkstemp() makes the file private: gives it the rights of any new file. */
static bool open_rights(int file)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

static FILE *open_temporary(const char *target, char **temporary)
{
    size_t size = strlen(target) + 8;
    FILE *stream = NULL;
    *temporary = malloc(size);
    if (!*temporary)
        return NULL;
    snprintf(*temporary, size, "%s.XXXXXX", target);
    int file = mkstemp(*temporary);
    if (file >= 0 && open_rights(file))
        stream = fdopen(file, "wb");
    if (!stream) {
        int kept = errno;
        if (file >= 0) {
            close(file);
            unlink(*temporary);
        }
        free(*temporary);
        *temporary = NULL;
        errno = kept;
    }
    return stream;
}

FILE *host_open_output(const char *path, char **target, char **temporary)
{
    struct stat info;
    bool there = stat(path, &info) == 0;
    *temporary = NULL;
    *target = there ? realpath(path, NULL) : strdup(path); /* a link stays a link */
    if (!*target)
        return NULL;
    FILE *stream = NULL;
    if (there && S_ISDIR(info.st_mode))
        errno = EISDIR;
    else if (there && !S_ISREG(info.st_mode))
        stream = fopen(path, "wb");
    else
        stream = open_temporary(*target, temporary);
    if (!stream) {
        int kept = errno;
        free(*target);
        *target = NULL;
        errno = kept;
    }
    return stream;
}

/* The folder in which a new file of that name would stand; the caller frees it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = malloc(length + 3);
    if (folder)
        snprintf(folder, length + 3, "%.*s./", (int)length, path);
    return folder;
}

bool host_may_write(const char *path)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return errno = EISDIR, false;
    if (there && !S_ISREG(info.st_mode))
        return access(path, W_OK) == 0;
    char *target = there ? realpath(path, NULL) : strdup(path);
    char *folder = target ? folder_of(target) : NULL;
    const bool good = folder && access(folder, W_OK | X_OK) == 0;
    const int kept = errno;
    free(target);
    free(folder);
    errno = kept;
    return good;
}

/* Files that are not there yet: the same name in the same folder. */
static bool is_one_name(const char *a, const char *b)
{
    struct stat x, y;
    const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
    char *folder_a = folder_of(a), *folder_b = folder_of(b);
    const bool one = folder_a && folder_b && stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 &&
                     x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
                     strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) == 0;
    free(folder_a);
    free(folder_b);
    return one;
}

bool host_is_one_file(const char *a, const char *b)
{
    struct stat x, y;
    const bool there_a = stat(a, &x) == 0, there_b = stat(b, &y) == 0;
    if (there_a && there_b)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return !there_a && !there_b && is_one_name(a, b);
}

bool host_replace(const char *temporary, const char *target)
{
    return rename(temporary, target) == 0;
}

void host_remove(const char *path)
{
    unlink(path);
}
