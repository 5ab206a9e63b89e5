/* SPDX-License-Identifier: MIT
 * Windows: locks, environment, files. */
#define _CRT_SECURE_NO_WARNINGS /* fopen and getenv are meant */
#define WIN32_LEAN_AND_MEAN
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

struct xli_mutex {
    SRWLOCK handle;
};

xli_mutex *xli_mutex_create(void)
{
    xli_mutex *mutex = xli_alloc(sizeof *mutex);
    if (mutex)
        InitializeSRWLock(&mutex->handle);
    return mutex;
}

void xli_mutex_destroy(xli_mutex *mutex)
{
    xli_free(mutex);
}

void xli_mutex_lock(xli_mutex *mutex)
{
    AcquireSRWLockExclusive(&mutex->handle);
}

void xli_mutex_unlock(xli_mutex *mutex)
{
    ReleaseSRWLockExclusive(&mutex->handle);
}

xli_mutex *xli_mutex_of_process(xli_process_lock which)
{
    static xli_mutex locks[XLI_PROCESS_LOCKS] = {{SRWLOCK_INIT}, {SRWLOCK_INIT}, {SRWLOCK_INIT}};
    return &locks[which];
}

bool xli_os_was_forked(void)
{
    return false;
}

uint64_t xli_os_ticket(void)
{
    static volatile LONG64 last;
    return (uint64_t)InterlockedIncrement64(&last);
}

/* A thread id will not do: it is given to another thread when its own has ended. */
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

char *xli_os_cache_dir(const char *name)
{
    xli_text path = {0};
    const char *base = xli_os_env("LOCALAPPDATA");
    if (base)
        xli_text_add(&path, "%s\\%s", base, name);
    if (path.failed)
        xli_text_free(&path);
    return path.data;
}

static bool is_dir(const char *path)
{
    DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool xli_os_make_dirs(const char *path)
{
    char copy[4096];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, path, length + 1);
    for (char *slash = copy + 1; *slash; ++slash) {
        char separator = *slash;
        if (separator != '/' && separator != '\\')
            continue;
        *slash = '\0';
        CreateDirectoryA(copy, NULL);
        *slash = separator;
    }
    CreateDirectoryA(copy, NULL);
    return is_dir(copy);
}

bool xli_os_can_write_dir(const char *path)
{
    char name[MAX_PATH];
    if (!is_dir(path) || GetTempFileNameA(path, "xl", 0, name) == 0)
        return false;
    DeleteFileA(name);
    return true;
}

/* A folder inherits its rights, and the default one lies in the user's profile. */
bool xli_os_folder_is_shared(const char *path, char *why, size_t bytes)
{
    (void)path;
    (void)why;
    (void)bytes;
    return false;
}

static int64_t ticks_of(FILETIME time) /* of 100 ns */
{
    return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

/* All of an open file of `size` bytes, or NULL. */
static char *read_all(HANDLE file, size_t size)
{
    size_t used = 0;
    char *data = xli_alloc(size + 1);
    while (data && used < size) {
        DWORD got = 0;
        const DWORD wanted = (DWORD)xli_min(size - used, (size_t)1 << 20);
        if (!ReadFile(file, data + used, wanted, &got, NULL) || got == 0) {
            xli_free(data);
            return NULL;
        }
        used += got;
    }
    return data;
}

char *xli_os_read_own_file(const char *path, size_t most, size_t *length)
{
    char *data = NULL;
    BY_HANDLE_FILE_INFORMATION info;
    FILETIME now;
    HANDLE file =
        CreateFileA(path, GENERIC_READ | FILE_WRITE_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_DELETE,
                    NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    const DWORD odd = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    if (GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &info) &&
        !(info.dwFileAttributes & odd)) {
        const uint64_t size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
        *length = (size_t)size;
        data = size <= most ? read_all(file, *length) : NULL;
        GetSystemTimeAsFileTime(&now);
        (void)SetFileTime(file, NULL, NULL, &now);
    }
    CloseHandle(file);
    return data;
}

/* False unless it is a regular file of this user. */
static bool describe_file(const WIN32_FIND_DATAA *found, FILETIME now, xli_os_file *to)
{
    const DWORD odd = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    if ((found->dwFileAttributes & odd) || strlen(found->cFileName) >= sizeof to->name)
        return false;
    snprintf(to->name, sizeof to->name, "%s", found->cFileName);
    to->bytes = (uint64_t)found->nFileSizeHigh << 32 | found->nFileSizeLow;
    to->age = (ticks_of(now) - ticks_of(found->ftLastWriteTime)) * 100;
    return true;
}

size_t xli_os_list_own_files(const char *folder, xli_os_file **files)
{
    size_t used = 0, capacity = 0;
    WIN32_FIND_DATAA found;
    FILETIME now;
    xli_text pattern = {0};
    *files = NULL;
    GetSystemTimeAsFileTime(&now);
    xli_text_add(&pattern, "%s\\*", folder);
    HANDLE search = pattern.failed ? INVALID_HANDLE_VALUE : FindFirstFileA(pattern.data, &found);
    for (BOOL more = search != INVALID_HANDLE_VALUE; more; more = FindNextFileA(search, &found)) {
        if (used == capacity) {
            capacity = capacity * 2 + 64;
            xli_os_file *grown = xli_realloc(*files, capacity * sizeof *grown);
            if (!grown)
                break;
            *files = grown;
        }
        used += describe_file(&found, now, &(*files)[used]);
    }
    if (search != INVALID_HANDLE_VALUE)
        FindClose(search);
    xli_text_free(&pattern);
    return used;
}

void xli_os_remove_file(const char *folder, const char *name)
{
    xli_text path = {0};
    xli_text_add(&path, "%s\\%s", folder, name);
    if (!path.failed)
        (void)DeleteFileA(path.data);
    xli_text_free(&path);
}

/* Nothing that is read is larger. */
static const size_t max_file = (size_t)1 << 30;

char *xli_os_read_file(const char *path, size_t *length)
{
    char *data = NULL;
    size_t used = 0, capacity = 0, got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    do {
        if (capacity - used < 2) {
            capacity = capacity * 2 + 65536;
            char *grown = capacity <= max_file ? xli_realloc(data, capacity) : NULL;
            if (!grown)
                goto failed;
            data = grown;
        }
        got = fread(data + used, 1, capacity - used - 1, file);
        used += got;
    } while (got > 0);
    if (ferror(file))
        goto failed;
    fclose(file);
    data[used] = '\0';
    *length = used;
    return data;
failed:
    fclose(file);
    xli_free(data);
    return NULL;
}

/* A reader that has the old file open makes the replacement fail: then the old
 * one, which is as good, stays. */
bool xli_os_write_file_atomic(const char *path, const void *bytes, size_t length)
{
    xli_text temporary = {0};
    xli_text_add(&temporary, "%s.%lu.%lu", path, (unsigned long)GetCurrentProcessId(),
                 (unsigned long)GetCurrentThreadId());
    FILE *file = temporary.failed ? NULL : fopen(temporary.data, "wb");
    bool good = file != NULL;
    if (good) {
        good = fwrite(bytes, 1, length, file) == length;
        good = fclose(file) == 0 && good;
        good = good && MoveFileExA(temporary.data, path, MOVEFILE_REPLACE_EXISTING);
        if (!good)
            DeleteFileA(temporary.data);
    }
    xli_text_free(&temporary);
    return good;
}
