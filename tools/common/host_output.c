/* SPDX-License-Identifier: MIT
 * Output files: following links, temporary names, permissions, and waiting for the disk. */
#define _XOPEN_SOURCE 700
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, NOT_OPEN = -1 };

/* The file that a name refers to. */
typedef struct place {
    char *target; /* the end of all links; it may not exist */
    int number;   /* of an open stream such as /dev/stdout, or NOT_OPEN */
    bool there;
    bool straight; /* written directly: a pipe, a device */
    struct stat info;
} place;

/* ---- names ---- */

/* The folder of a file; the caller frees it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = malloc(length + 3);
    if (folder)
        snprintf(folder, length + 3, "%.*s./", (int)length, path);
    return folder;
}

/* The number of the open stream with that name, or NOT_OPEN. */
static int stream_number(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    uint64_t number;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < TOOL_COUNT(folders); ++i) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && count_parse(path + length, &number))
            return number <= INT_MAX ? (int)number : NOT_OPEN;
    }
    return NOT_OPEN;
}

/* The target of the link `path`, relative to the working folder. NULL on failure, with errno
 * set. */
static char *link_target(const char *path, size_t length)
{
    char *folder = folder_of(path);
    const size_t before = folder ? strlen(folder) : 0;
    char *target = folder ? malloc(before + length + 1) : NULL;
    ssize_t got = -1;
    if (target) {
        memcpy(target, folder, before);
        got = readlink(path, target + before, length + 1);
    }
    if (got > 0 && (size_t)got <= length) {
        target[before + (size_t)got] = '\0';
        if (target[before] == '/')
            memmove(target, target + before, (size_t)got + 1);
    } else {
        errno = got < 0 ? errno : ENAMETOOLONG; /* the link was changed meanwhile */
        free(target);
        target = NULL;
    }
    free(folder);
    return target;
}

/* Follows links, also to files that do not exist, up to a stream or a name that is no link. */
static bool follow_links(place *p)
{
    struct stat info;
    for (int hop = 0; hop < MOST_LINKS && p->target; ++hop) {
        p->number = stream_number(p->target);
        if (p->number != NOT_OPEN || lstat(p->target, &info) != 0 || !S_ISLNK(info.st_mode))
            return true;
        /* Links of /proc have length 0. */
        char *next = link_target(p->target, info.st_size > 0 ? (size_t)info.st_size : 4096);
        const int why = errno;
        free(p->target);
        p->target = next;
        errno = why;
    }
    if (p->target)
        errno = ELOOP;
    return false;
}

/* False, with errno set, if no file can be written. Call place_free() in any case. */
static bool find_place(const char *path, place *p)
{
    struct stat end;
    *p = (place){.number = NOT_OPEN, .target = strdup(path)};
    if (!follow_links(p))
        return false;
    if (p->number != NOT_OPEN) {
        p->there = p->straight = true;
        return fstat(p->number, &p->info) == 0;
    }
    p->there = stat(path, &p->info) == 0;
    if (!p->there && errno != ENOENT)
        return false;
    if (p->there && S_ISDIR(p->info.st_mode))
        return errno = EISDIR, false;
    /* A link of /proc may refer to a file without a name. */
    const bool same = p->there && stat(p->target, &end) == 0 && end.st_dev == p->info.st_dev &&
                      end.st_ino == p->info.st_ino;
    p->straight = p->there && (!S_ISREG(p->info.st_mode) || !same);
    return true;
}

static void place_free(place *p)
{
    const int why = errno;
    free(p->target);
    p->target = NULL;
    errno = why;
}

/* ---- checks before the work ---- */

static bool may_write_stream(int number)
{
    const int flags = fcntl(number, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        errno = EBADF;
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* A new file replaces the old one, which requires write permission for file and folder. */
static bool may_replace(const place *p)
{
    char *folder = folder_of(p->target);
    const bool good =
        folder && access(folder, W_OK | X_OK) == 0 && (!p->there || access(p->target, W_OK) == 0);
    const int why = errno;
    free(folder);
    errno = why;
    return good;
}

bool host_may_write(const char *path)
{
    place p;
    bool good = find_place(path, &p);
    if (good && p.number != NOT_OPEN)
        good = may_write_stream(p.number);
    else if (good)
        good = p.straight ? access(path, W_OK) == 0 : may_replace(&p);
    place_free(&p);
    return good;
}

bool host_replaces_file(const char *path)
{
    place p;
    const bool replaces = find_place(path, &p) && p.there && !p.straight;
    place_free(&p);
    return replaces;
}

/* For files that do not exist: the same name in the same folder. */
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
    place x, y;
    const bool good_x = find_place(a, &x), good_y = find_place(b, &y);
    bool one = good_x && good_y && x.there == y.there;
    if (one && x.there)
        one = S_ISREG(x.info.st_mode) && x.info.st_dev == y.info.st_dev &&
              x.info.st_ino == y.info.st_ino;
    else if (one)
        one = is_one_name(x.target, y.target);
    place_free(&x);
    place_free(&y);
    return one;
}

/* ---- opening ---- */

/* Reports of the program then go to standard error, so that the stream has the array only. */
static int open_standard_output(void)
{
    static int moved = NOT_OPEN;
    if (moved != NOT_OPEN)
        return fcntl(moved, F_DUPFD_CLOEXEC, 0);
    fflush(stdout);
    moved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (moved == NOT_OPEN || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return -1;
    return fcntl(moved, F_DUPFD_CLOEXEC, 0);
}

static FILE *open_stream(int number)
{
    if (!may_write_stream(number))
        return NULL;
    const int file =
        number == STDOUT_FILENO ? open_standard_output() : fcntl(number, F_DUPFD_CLOEXEC, 0);
    return file < 0 ? NULL : fdopen(file, "wb");
}

/* mkstemp() creates a private file: sets the permissions of a new file. */
static bool open_rights(int file)
{
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

/* Copies owner, group and permissions of the old file. If the owner cannot be changed, no user
 * gains a permission. */
static bool keep_rights(int file, const struct stat *old)
{
    struct stat now;
    mode_t mode = old->st_mode & 07777;
    if (fstat(file, &now) != 0)
        return false;
    if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
        fchown(file, old->st_uid, old->st_gid) != 0) {
        mode &= 01777;
        if (now.st_gid != old->st_gid && fchown(file, (uid_t)-1, old->st_gid) != 0)
            mode &= (mode & 07) << 3 | 01707;
    }
    return fchmod(file, mode) == 0;
}

/* A short name, because the target may have the longest possible name. */
static char *temporary_name(const char *target)
{
    static const char name[] = ".crosslane.XXXXXX";
    const char *slash = strrchr(target, '/');
    const size_t length = slash ? (size_t)(slash - target) + 1 : 0;
    char *temporary = malloc(length + sizeof name);
    if (temporary) {
        memcpy(temporary, target, length);
        memcpy(temporary + length, name, sizeof name);
    }
    return temporary;
}

/* Signals wait until the file exists and is noted. */
static FILE *open_temporary(const place *p, char **temporary)
{
    FILE *stream = NULL;
    *temporary = temporary_name(p->target);
    if (!*temporary)
        return NULL;
    signals_hold();
    const int file = mkstemp(*temporary);
    if (file >= 0)
        signals_note(*temporary);
    signals_release();
    if (file >= 0 && (p->there ? keep_rights(file, &p->info) : open_rights(file)))
        stream = fdopen(file, "wb");
    if (!stream) {
        const int why = errno;
        if (file >= 0) {
            close(file);
            host_remove(*temporary);
        }
        free(*temporary);
        *temporary = NULL;
        errno = why;
    }
    return stream;
}

FILE *host_open_output(const char *path, char **target, char **temporary)
{
    place p;
    FILE *stream = NULL;
    *temporary = *target = NULL;
    if (find_place(path, &p)) {
        if (p.number != NOT_OPEN)
            stream = open_stream(p.number);
        else
            stream = p.straight ? fopen(path, "wb") : open_temporary(&p, temporary);
    }
    if (stream) {
        *target = p.target;
        p.target = NULL;
    }
    place_free(&p);
    return stream;
}

/* ---- disk and names ---- */

/* Some file systems do not support it. */
static bool sync_file(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

bool host_sync(FILE *stream)
{
    return fflush(stream) == 0 && sync_file(fileno(stream));
}

bool host_sync_folder(const char *target)
{
    char *folder = folder_of(target);
    const int file = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    /* A folder without read permission cannot be opened, which is no error. */
    const bool good = file >= 0 ? sync_file(file) : errno == EACCES;
    const int why = errno;
    if (file >= 0)
        close(file);
    free(folder);
    errno = why;
    return good;
}

bool host_replace(const char *temporary, const char *target)
{
    const bool good = rename(temporary, target) == 0;
    if (good)
        signals_forget(temporary);
    return good;
}

void host_remove(const char *temporary)
{
    unlink(temporary);
    signals_forget(temporary);
}

char *host_make_folder(void)
{
    static const char name[] = "crosslane.XXXXXX";
    const char *const set = getenv("TMPDIR"), *const parent = set && *set ? set : "/tmp";
    const size_t size = strlen(parent) + 1 + sizeof name;
    char *folder = malloc(size);
    if (!folder)
        return NULL;
    snprintf(folder, size, "%s/%s", parent, name);
    signals_hold();
    const bool made = mkdtemp(folder) != NULL;
    if (made)
        signals_note(folder);
    signals_release();
    if (!made) {
        free(folder);
        folder = NULL;
    }
    return folder;
}

void host_remove_folder(const char *folder)
{
    rmdir(folder);
    signals_forget(folder);
}
