/* SPDX-License-Identifier: MIT
 * Loaded before the program's C library: notes the calls that bring an output file to the disk
 * and to its name, and makes one of them fail or be met by a signal.
 *
 *   TOOL_CALLS_LOG     file that receives a line for each call
 *   TOOL_CALLS_FAIL    the call that fails: "mkstemp", "fsync", "rename" or "folder"
 *   TOOL_CALLS_KEEP    file that mkstemp opens and leaves open, as drivers do with files of theirs
 *   TOOL_CALLS_SIGNAL  "CALL NUMBER self" or "CALL NUMBER other": a signal when the call has been
 *                      made, to its own thread or to another one */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, ".crosslane.", 11) == 0;
}

/* A thread of a driver holds no signal back. */
static void *raise_here(void *number)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    raise(*(int *)number);
    return NULL;
}

static void meet_signal(const char *call)
{
    const char *text = getenv("TOOL_CALLS_SIGNAL");
    char wanted[16], who[16];
    int number;
    pthread_t other;
    if (!text || sscanf(text, "%15s %d %15s", wanted, &number, who) != 3 ||
        strcmp(wanted, call) != 0)
        return;
    if (strcmp(who, "self") == 0)
        raise(number);
    else if (pthread_create(&other, NULL, raise_here, &number) == 0)
        pthread_join(other, NULL);
}

static void note(const char *call, const char *what)
{
    const char *path = getenv("TOOL_CALLS_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%s %s\n", call, what);
    fclose(log);
}

/* The end of every call. */
static int finish(const char *call, const char *what, int result)
{
    const int why = errno;
    note(call, what);
    meet_signal(call);
    errno = why;
    return result;
}

static bool fails(const char *call)
{
    const char *wanted = getenv("TOOL_CALLS_FAIL");
    if (!wanted || strcmp(wanted, call) != 0)
        return false;
    errno = EIO;
    return true;
}

/* ISO C has no way from an object's address to a function's. */
static void real(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

int mkstemp(char *path)
{
    int (*next)(char *);
    real("mkstemp", &next);
    if (!is_ours(path))
        return next(path);
    const char *kept = getenv("TOOL_CALLS_KEEP");
    if (kept && open(kept, O_WRONLY | O_CREAT, 0600) < 0)
        return -1;
    return fails("mkstemp") ? -1 : finish("mkstemp", "", next(path));
}

int fsync(int file)
{
    int (*next)(int);
    struct stat info;
    char link[64], path[4096] = "", text[32] = "";
    real("fsync", &next);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    const bool folder = fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
    if (length < 0 || !(folder || is_ours(path)))
        return next(file);
    const char *call = folder ? "folder" : "fsync";
    if (!folder)
        snprintf(text, sizeof text, "%lld", (long long)info.st_size);
    return fails(call) ? -1 : finish(call, text, next(file));
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    real("rename", &next);
    if (!is_ours(from))
        return next(from, to);
    return fails("rename") ? -1 : finish("rename", to, next(from, to));
}
