/* SPDX-License-Identifier: MIT
 * Windows, in place of host.c, host_output.c and host_signals.c: terminal, clock, input and output
 * files, and the removal of temporary files on Ctrl-C. */
#define _CRT_SECURE_NO_WARNINGS /* fopen() is intended */
#define WIN32_LEAN_AND_MEAN
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

bool host_has_terminal(void)
{
    return _isatty(_fileno(stderr)) != 0;
}

void host_show(const char *text)
{
    fputs(text, stderr);
    fflush(stderr);
}

double host_milliseconds(void)
{
    LARGE_INTEGER now, each_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&each_second);
    return (double)now.QuadPart * 1e3 / (double)each_second.QuadPart;
}

/* The runtime does not reuse the numbers of closed streams. */
bool host_open_standard_streams(void)
{
    return true;
}

/* No known driver prints to standard error on Windows. */
void host_hold_errors(void)
{
}

void host_release_errors(bool print)
{
    (void)print;
}

const char host_null_file[] = "NUL";
static int own_output = -1; /* a copy of standard output while it is discarded */

void host_hold_output(void)
{
    const int nowhere = _open(host_null_file, _O_WRONLY);
    fflush(stdout);
    own_output = nowhere >= 0 ? _dup(_fileno(stdout)) : -1;
    if (own_output >= 0)
        _dup2(nowhere, _fileno(stdout));
    if (nowhere >= 0)
        _close(nowhere);
}

void host_release_output(void)
{
    fflush(stdout);
    if (own_output >= 0) {
        _dup2(own_output, _fileno(stdout));
        _close(own_output);
    }
    own_output = -1;
}

/* ---- a call on another thread ---- */

static HANDLE later_thread, later_cancelled; /* NULL: no call waits */
static DWORD later_ms;
static void (*later_run)(void);

static DWORD WINAPI run_later(void *unused)
{
    (void)unused;
    if (WaitForSingleObject(later_cancelled, later_ms) == WAIT_TIMEOUT)
        later_run();
    return 0;
}

void host_later(double seconds, void (*run)(void))
{
    later_ms = (DWORD)(seconds * 1e3);
    later_run = run;
    later_cancelled = CreateEventA(NULL, TRUE, FALSE, NULL);
    later_thread = later_cancelled ? CreateThread(NULL, 0, run_later, NULL, 0, NULL) : NULL;
}

void host_cancel(void)
{
    if (later_thread) {
        SetEvent(later_cancelled);
        WaitForSingleObject(later_thread, INFINITE);
        CloseHandle(later_thread);
    }
    if (later_cancelled)
        CloseHandle(later_cancelled);
    later_thread = later_cancelled = NULL;
}

/* ---- names ---- */

static bool is_folder(const char *path)
{
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

FILE *host_open_input(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream && is_folder(path))
        errno = EISDIR;
    return stream;
}

/* A device such as NUL or CON, or a pipe: written directly. */
static bool is_straight(const char *path)
{
    struct _stat64 info;
    return _stat64(path, &info) == 0 && (info.st_mode & _S_IFMT) != _S_IFREG;
}

/* The folder of a file; the caller frees it. */
static char *folder_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && !strchr("/\\:", path[length - 1]))
        --length;
    char *folder = malloc(length + 2);
    if (folder) {
        memcpy(folder, path, length);
        memcpy(folder + length, ".", 2);
    }
    return folder;
}

bool host_may_write(const char *path)
{
    char *folder = folder_of(path);
    bool good = folder != NULL;
    if (good && is_folder(path)) {
        errno = EISDIR;
        good = false;
    } else if (good && !is_straight(path)) {
        enum { WRITE = 2 };
        good = _access(folder, WRITE) == 0 && (_access(path, WRITE) == 0 || errno == ENOENT);
    }
    const int why = errno;
    free(folder);
    errno = why;
    return good;
}

/* False if there is no such regular file. */
static bool identify(const char *path, BY_HANDLE_FILE_INFORMATION *info)
{
    HANDLE file = CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    const bool good = GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, info);
    CloseHandle(file);
    return good;
}

bool host_replaces_file(const char *path)
{
    struct _stat64 info;
    return _stat64(path, &info) == 0 && (info.st_mode & _S_IFMT) == _S_IFREG;
}

/* Files that do not exist are the same if their full names are equal. */
bool host_is_one_file(const char *a, const char *b)
{
    BY_HANDLE_FILE_INFORMATION x, y;
    const bool has_x = identify(a, &x), has_y = identify(b, &y);
    if (has_x && has_y)
        return x.dwVolumeSerialNumber == y.dwVolumeSerialNumber &&
               x.nFileIndexHigh == y.nFileIndexHigh && x.nFileIndexLow == y.nFileIndexLow;
    if (has_x || has_y || is_straight(a) || is_straight(b))
        return false;
    char *full_a = _fullpath(NULL, a, 0), *full_b = _fullpath(NULL, b, 0);
    const bool one = full_a && full_b && _stricmp(full_a, full_b) == 0;
    free(full_a);
    free(full_b);
    return one;
}

/* ---- removal of temporary files on Ctrl-C, in a separate thread ---- */

static SRWLOCK temporaries_lock = SRWLOCK_INIT;
static char *temporaries[TOOL_MAX_TEMPORARIES];

static BOOL WINAPI on_control(DWORD event)
{
    (void)event;
    AcquireSRWLockExclusive(&temporaries_lock);
    for (size_t i = 0; i < TOOL_MAX_TEMPORARIES; ++i)
        if (temporaries[i])
            DeleteFileA(temporaries[i]);
    for (size_t i = 0; i < TOOL_MAX_TEMPORARIES; ++i)
        if (temporaries[i])
            RemoveDirectoryA(temporaries[i]); /* has no effect on files */
    return FALSE; /* the previous handler ends the program; the lock prevents new files */
}

void signals_start(void)
{
    SetConsoleCtrlHandler(on_control, TRUE);
}

void signals_hold(void)
{
    AcquireSRWLockExclusive(&temporaries_lock);
}

void signals_release(void)
{
    ReleaseSRWLockExclusive(&temporaries_lock);
}

void signals_note(char *temporary)
{
    for (size_t i = 0; i < TOOL_MAX_TEMPORARIES; ++i)
        if (!temporaries[i]) {
            temporaries[i] = temporary;
            return;
        }
}

void signals_forget(const char *temporary)
{
    for (size_t i = 0; i < TOOL_MAX_TEMPORARIES; ++i)
        if (temporaries[i] == temporary)
            temporaries[i] = NULL;
}

/* ---- output files ---- */

/* errno for an error of Windows. */
static int errno_of(DWORD error)
{
    static const struct {
        DWORD error;
        int code;
    } rows[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                {ERROR_PATH_NOT_FOUND, ENOENT},
                {ERROR_FILE_EXISTS, EEXIST},
                {ERROR_ALREADY_EXISTS, EEXIST},
                {ERROR_DISK_FULL, ENOSPC},
                {ERROR_INVALID_NAME, EINVAL},
                {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG}};
    for (size_t i = 0; i < TOOL_COUNT(rows); ++i)
        if (rows[i].error == error)
            return rows[i].code;
    return EACCES;
}

/* Creates a file in the folder of the target, which may be removed while it is open.
 * INVALID_HANDLE_VALUE on failure, with errno set. */
static HANDLE create_temporary(const char *target, char **temporary)
{
    enum { MORE = 64, TRIES = 100 };
    char *folder = folder_of(target);
    const size_t room = folder ? strlen(folder) + MORE : 0;
    char *name = folder ? malloc(room) : NULL;
    HANDLE file = INVALID_HANDLE_VALUE;
    errno = ENOMEM;
    for (unsigned i = 0; name && i < TRIES && file == INVALID_HANDLE_VALUE; ++i) {
        folder[strlen(folder) - 1] = '\0'; /* without the dot */
        snprintf(name, room, "%s.crosslane.%lu.%u", folder, (unsigned long)GetCurrentProcessId(),
                 i);
        strcat(folder, ".");
        file = CreateFileA(name, GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_NEW,
                           FILE_ATTRIBUTE_NORMAL, NULL);
        errno = file == INVALID_HANDLE_VALUE ? errno_of(GetLastError()) : 0;
        if (errno != 0 && errno != EEXIST)
            break;
    }
    free(folder);
    *temporary = file != INVALID_HANDLE_VALUE ? name : NULL;
    if (!*temporary)
        free(name);
    return file;
}

static FILE *open_temporary(const char *target, char **temporary)
{
    signals_hold();
    HANDLE file = create_temporary(target, temporary);
    if (*temporary)
        signals_note(*temporary);
    signals_release();
    const int number = *temporary ? _open_osfhandle((intptr_t)file, _O_WRONLY | _O_BINARY) : -1;
    FILE *stream = number >= 0 ? _fdopen(number, "wb") : NULL;
    if (!stream && *temporary) {
        const int why = errno;
        if (number >= 0)
            _close(number);
        else
            CloseHandle(file);
        host_remove(*temporary);
        free(*temporary);
        *temporary = NULL;
        errno = why;
    }
    return stream;
}

FILE *host_open_output(const char *path, char **target, char **temporary)
{
    *temporary = NULL;
    *target = _strdup(path);
    if (!*target)
        return NULL;
    FILE *stream = NULL;
    if (is_folder(path))
        errno = EISDIR;
    else
        stream = is_straight(path) ? fopen(path, "wb") : open_temporary(*target, temporary);
    if (!stream) {
        const int why = errno;
        free(*target);
        *target = NULL;
        errno = why;
    }
    return stream;
}

bool host_sync(FILE *stream)
{
    /* A device or a pipe reports EBADF. */
    return fflush(stream) == 0 && (_commit(_fileno(stream)) == 0 || errno == EBADF);
}

/* host_replace() waits until the name is on the disk. */
bool host_sync_folder(const char *target)
{
    (void)target;
    return true;
}

/* Called while signals are held, so this does not take the lock. */
bool host_replace(const char *temporary, const char *target)
{
    const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    const bool good = MoveFileExA(temporary, target, how) != 0;
    if (good)
        signals_forget(temporary);
    else
        errno = errno_of(GetLastError());
    return good;
}

void host_remove(const char *temporary)
{
    signals_hold();
    DeleteFileA(temporary);
    signals_forget(temporary);
    signals_release();
}

/* In the user's own folder for temporary files. */
char *host_make_folder(void)
{
    enum { MORE = 64, TRIES = 100 };
    char place[MAX_PATH + 1];
    const DWORD length = GetTempPathA(sizeof place, place);
    char *const folder = length > 0 && length < sizeof place ? malloc(length + MORE) : NULL;
    bool made = false;
    for (unsigned i = 0; folder && i < TRIES && !made; ++i) {
        snprintf(folder, length + MORE, "%scrosslane.%lu.%u", place,
                 (unsigned long)GetCurrentProcessId(), i);
        signals_hold();
        made = CreateDirectoryA(folder, NULL) != 0;
        if (made)
            signals_note(folder);
        signals_release();
    }
    if (made)
        return folder;
    free(folder);
    return NULL;
}

void host_remove_folder(const char *folder)
{
    signals_hold();
    RemoveDirectoryA(folder);
    signals_forget(folder);
    signals_release();
}
