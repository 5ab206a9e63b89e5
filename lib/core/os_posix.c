/* SPDX-License-Identifier: MIT
 * Linux and macOS: locks, environment, files. */
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE     /* st_mtimespec */
#define _FILE_OFFSET_BITS 64 /* where it is not so anyway */
#include "core.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct xli_mutex {
    pthread_mutex_t handle;
};

xli_mutex *xli_mutex_create(void)
{
    xli_mutex *mutex = xli_alloc(sizeof *mutex);
    if (mutex && pthread_mutex_init(&mutex->handle, NULL) != 0) {
        xli_free(mutex);
        mutex = NULL;
    }
    return mutex;
}

void xli_mutex_destroy(xli_mutex *mutex)
{
    if (!mutex)
        return;
    pthread_mutex_destroy(&mutex->handle);
    xli_free(mutex);
}

void xli_mutex_lock(xli_mutex *mutex)
{
    pthread_mutex_lock(&mutex->handle);
}

void xli_mutex_unlock(xli_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->handle);
}

xli_mutex *xli_mutex_of_process(xli_process_lock which)
{
    static xli_mutex locks[XLI_PROCESS_LOCKS] = {
        {PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}};
    return &locks[which];
}

static bool was_forked;

static void note_fork(void)
{
    was_forked = true;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
}

/* Cheaper than getpid(), which is a system call. */
bool xli_os_was_forked(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    return was_forked;
}

uint64_t xli_os_ticket(void)
{
    static atomic_ullong last;
    return atomic_fetch_add(&last, 1) + 1;
}

/* A pthread_t will not do: it is given to another thread when its own has ended. */
uint64_t xli_os_thread_serial(void)
{
    static XLI_THREAD_LOCAL uint64_t mine;
    if (mine == 0)
        mine = xli_os_ticket();
    return mine;
}

const char *xli_os_env(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

#ifdef __APPLE__
static const char cache_in_home[] = "Library/Caches";
#else
static const char cache_in_home[] = ".cache";
#endif

/* The XDG base directory specification has relative paths ignored. */
char *xli_os_cache_dir(const char *name)
{
    xli_text path = {0};
    const char *xdg = xli_os_env("XDG_CACHE_HOME");
    const char *home = xli_os_env("HOME");
    if (xdg && xdg[0] == '/')
        xli_text_add(&path, "%s/%s", xdg, name);
    else if (home && home[0] == '/')
        xli_text_add(&path, "%s/%s/%s", home, cache_in_home, name);
    if (path.failed)
        xli_text_free(&path);
    return path.data;
}

static bool is_dir(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool xli_os_make_dirs(const char *path)
{
    char copy[4096];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, path, length + 1);
    for (char *slash = copy + 1; *slash; ++slash) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
    mkdir(copy, 0700);
    return is_dir(copy);
}

/* By a try: access() tells root that all may be written. */
bool xli_os_can_write_dir(const char *path)
{
    char name[4096];
    const int length = snprintf(name, sizeof name, "%s/.crosslane-XXXXXX", path);
    const int file = length > 0 && (size_t)length < sizeof name ? mkstemp(name) : -1;
    if (file < 0)
        return false;
    close(file);
    unlink(name);
    return true;
}

static bool written_by_others(const struct stat *info)
{
    return info->st_uid != geteuid() || (info->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

bool xli_os_folder_is_shared(const char *path, char *why, size_t bytes)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode) || !written_by_others(&info))
        return false;
    if (info.st_uid != geteuid())
        snprintf(why, bytes, "it belongs to user %lu, not to user %lu", (unsigned long)info.st_uid,
                 (unsigned long)geteuid());
    else
        snprintf(why, bytes, "others may write to it (mode %03o)", (unsigned)(info.st_mode & 0777));
    return true;
}

/* All of an open file of `size` bytes, or NULL. */
static char *read_all(int file, size_t size)
{
    size_t used = 0;
    char *data = xli_alloc(size + 1);
    while (data && used < size) {
        ssize_t got = read(file, data + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* cut short since */
            xli_free(data);
            return NULL;
        }
        used += (size_t)got;
    }
    return data;
}

char *xli_os_read_own_file(const char *path, size_t most, size_t *length)
{
    char *data = NULL;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && !written_by_others(&info) &&
        info.st_size >= 0 && (uintmax_t)info.st_size <= most) {
        *length = (size_t)info.st_size;
        data = read_all(file, *length);
        (void)futimens(file, NULL);
    }
    close(file);
    return data;
}

/* False unless it is a regular file of this user. */
static bool describe_file(int folder, const char *name, const struct timespec *now, xli_os_file *to)
{
    struct stat info;
    if (strlen(name) >= sizeof to->name || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode) || info.st_uid != geteuid())
        return false;
#ifdef __APPLE__
    const struct timespec *used = &info.st_mtimespec;
#else
    const struct timespec *used = &info.st_mtim;
#endif
    memcpy(to->name, name, strlen(name) + 1);
    to->bytes = (uint64_t)info.st_size;
    to->age =
        ((int64_t)now->tv_sec - (int64_t)used->tv_sec) * 1000000000 + now->tv_nsec - used->tv_nsec;
    return true;
}

size_t xli_os_list_own_files(const char *folder, xli_os_file **files)
{
    size_t used = 0, capacity = 0;
    struct timespec now = {0};
    DIR *dir = opendir(folder);
    *files = NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        if (used == capacity) {
            capacity = capacity * 2 + 64;
            xli_os_file *grown = xli_realloc(*files, capacity * sizeof *grown);
            if (!grown)
                break;
            *files = grown;
        }
        used += describe_file(dirfd(dir), entry->d_name, &now, &(*files)[used]);
    }
    if (dir)
        closedir(dir);
    return used;
}

void xli_os_remove_file(const char *folder, const char *name)
{
    xli_text path = {0};
    xli_text_add(&path, "%s/%s", folder, name);
    if (!path.failed)
        (void)unlink(path.data);
    xli_text_free(&path);
}

/* Nothing that is read is larger; an endless file such as /dev/zero is refused. */
static const size_t max_file = (size_t)1 << 30;

char *xli_os_read_file(const char *path, size_t *length)
{
    char *data = NULL;
    size_t used = 0, capacity = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    for (;;) {
        if (capacity - used < 2) {
            capacity = capacity * 2 + 65536;
            char *grown = capacity <= max_file ? xli_realloc(data, capacity) : NULL;
            if (!grown)
                goto failed;
            data = grown;
        }
        ssize_t got = read(file, data + used, capacity - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            goto failed;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    close(file);
    data[used] = '\0';
    *length = used;
    return data;
failed:
    close(file);
    xli_free(data);
    return NULL;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(file, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

bool xli_os_write_file_atomic(const char *path, const void *bytes, size_t length)
{
    xli_text temporary = {0};
    xli_text_add(&temporary, "%s.XXXXXX", path);
    int file = temporary.failed ? -1 : mkstemp(temporary.data);
    bool good = file >= 0;
    if (good) {
        good = write_all(file, bytes, length);
        good = close(file) == 0 && good;
        good = good && rename(temporary.data, path) == 0;
        if (!good)
            unlink(temporary.data);
    }
    xli_text_free(&temporary);
    return good;
}
