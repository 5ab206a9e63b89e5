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

bool host_replace(const char *temporary, const char *target)
{
    return rename(temporary, target) == 0;
}

void host_remove(const char *path)
{
    unlink(path);
}
