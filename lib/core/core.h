/* SPDX-License-Identifier: MIT
 * What every folder of the library may use: allocation, text, hashing, error
 * records, locks. Knows no OpenCL. */
#ifndef XLI_CORE_H
#define XLI_CORE_H

#include "printf_format.h"

#include <crosslane/status.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_MSC_VER)
#define XLI_THREAD_LOCAL __declspec(thread)
#else
#define XLI_THREAD_LOCAL _Thread_local
#endif

/* The one idiom for errors: needs `xl_status status` and a label `done`. */
#define XL_TRY(expression)                                                                         \
    do {                                                                                           \
        status = (expression);                                                                     \
        if (status != XL_SUCCESS)                                                                  \
            goto done;                                                                             \
    } while (0)

#define XLI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline size_t xli_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t xli_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The library links no libm. */
static inline double xli_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double xli_magnitude(double x)
{
    return x < 0 ? -x : x;
}

/* x, or SIZE_MAX where it is more. */
static inline size_t xli_size(uint64_t x)
{
    return x < SIZE_MAX ? (size_t)x : SIZE_MAX;
}

/* n / d rounded up, for any n (no n + d - 1 that could wrap). d > 0. */
static inline size_t xli_ceil_div(size_t n, size_t d)
{
    return n / d + (n % d != 0);
}

/* a + b and a * b, or SIZE_MAX where these do not fit: more bytes than any buffer has. */
static inline size_t xli_add(size_t a, size_t b)
{
    return b > SIZE_MAX - a ? SIZE_MAX : a + b;
}

static inline size_t xli_mul(size_t a, size_t b)
{
    return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* The next multiple of `step` at or above n, or SIZE_MAX if it does not fit. */
static inline size_t xli_round_up(size_t n, size_t step)
{
    return xli_mul(xli_ceil_div(n, step), step);
}

/* The largest power of two that is at most x, which is not 0. */
static inline uint32_t xli_power_below(size_t x)
{
    uint32_t p = 1;
    while (p <= x / 2)
        p *= 2;
    return p;
}

/* alloc.c: zeroed memory, or NULL. All memory of the library is allocated here, so that a test can
 * make the k-th allocation fail. */
void *xli_alloc(size_t bytes);
void *xli_realloc(void *old, size_t bytes);
void xli_free(void *memory);
char *xli_strdup(const char *text_or_null);

/* text.c: a string that grows. A failed allocation sticks: later calls do
 * nothing and `failed` stays set, so that only the end must be checked. */
typedef struct xli_text {
    char *data; /* NULL or terminated */
    size_t length;
    size_t capacity;
    bool failed;
} xli_text;

void xli_text_add(xli_text *text, const char *format, ...) XLI_PRINTF(2, 3);
void xli_text_add_v(xli_text *text, const char *format, va_list args);
void xli_text_add_bytes(xli_text *text, const char *bytes, size_t length);
/* Lines of `#define name value`; a NULL name is left out. */
typedef struct xli_definition {
    const char *name;
    size_t value;
} xli_definition;
void xli_text_define(xli_text *text, const xli_definition *lines, size_t count);
void xli_text_free(xli_text *text);

bool xli_text_equal_nocase(const char *a, const char *b);
bool xli_text_contains_nocase(const char *text, const char *part);

/* sha256.c: FIPS 180-4. */
typedef struct xli_sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} xli_sha256;

void xli_sha256_init(xli_sha256 *hash);
void xli_sha256_add(xli_sha256 *hash, const void *bytes, size_t length);
/* Adds a string with its end, so that "ab","c" differs from "a","bc". */
void xli_sha256_add_text(xli_sha256 *hash, const char *text);
void xli_sha256_hex(xli_sha256 *hash, char hex[65]);
/* source_hash.c: adds an OpenCL C source without comments, blank lines and #line marks; each other
 * run of blanks counts as one. If the source uses __LINE__ or __FILE__, adds all of it. */
void xli_sha256_add_source(xli_sha256 *hash, const char *text);

/* errors.c: the last error text of each thread that met one. */
typedef struct xli_errors xli_errors;
xli_errors *xli_errors_create(void);
void xli_errors_destroy(xli_errors *errors);
/* Replaces this thread's text; its arguments may point into the old one. With
 * errors == NULL, a fixed record of the thread itself, for failures that happen
 * where there is no context to keep them. Without memory for the text it goes to
 * that record too, cut to its size: no failure is left without a text. */
void xli_errors_set(xli_errors *errors, const char *format, va_list args);
/* This thread's text: of `errors`, or of a failure without a context that came after that, and
 * after `errors` was made. "" if there is none. */
const char *xli_errors_get(xli_errors *errors);

/* os_posix.c, os_windows.c: what differs between hosts; nothing else includes a
 * header of the operating system. */
typedef struct xli_mutex xli_mutex;
xli_mutex *xli_mutex_create(void);
void xli_mutex_destroy(xli_mutex *mutex);
void xli_mutex_lock(xli_mutex *mutex);
void xli_mutex_unlock(xli_mutex *mutex);
/* The locks of the process, which need no memory and are never destroyed. */
typedef enum xli_process_lock {
    XLI_PROCESS_DEVICES = 0,  /* platform.c: drivers are asked for devices and contexts */
    XLI_PROCESS_EVENTS = 1,   /* pocl.c: the list of held events */
    XLI_PROCESS_STANDARD = 2, /* simple.c: the context of calls that name none */
    XLI_PROCESS_LOCKS = 3
} xli_process_lock;
xli_mutex *xli_mutex_of_process(xli_process_lock which);

/* Whether this process is a child by fork() of one that had called this before: it has none of the
 * threads of its parent, and locks that these held stay locked. Windows: false. */
bool xli_os_was_forked(void);
/* A number larger than all that it gave before, to any thread. */
uint64_t xli_os_ticket(void);
/* A number of this thread that no other thread of the process ever has. */
uint64_t xli_os_thread_serial(void);
/* The value of an environment variable, or NULL when unset or empty. */
const char *xli_os_env(const char *name);
/* The user's cache folder for `name`, in allocated text, or NULL. */
char *xli_os_cache_dir(const char *name);
/* Makes a folder and its parents, private to the user; true if it is there. False
 * for "" and for more than 4095 letters. Allocates nothing. */
bool xli_os_make_dirs(const char *path);
/* Whether `path` is a folder in which this process can make files. Allocates nothing. */
bool xli_os_can_write_dir(const char *path);
/* A whole file in allocated memory (terminated, so that text can be read as
 * such), or NULL, also for more than 1 GiB. */
char *xli_os_read_file(const char *path, size_t *length);
/* Whether others than the user may put files into a folder that is there, and in `why` how.
 * Windows: not asked, false. */
bool xli_os_folder_is_shared(const char *path, char *why, size_t bytes);
/* As xli_os_read_file(), of a file that only the user can have written and of at most
 * `most` bytes; marks it as used now. NULL for all else, such as a link or a FIFO, which is
 * not waited for. */
char *xli_os_read_own_file(const char *path, size_t most, size_t *length);
/* A file of a folder. */
typedef struct xli_os_file {
    char name[96]; /* files with longer names are not listed */
    uint64_t bytes;
    int64_t age; /* nanoseconds since it was written or read as one's own */
} xli_os_file;
/* The regular files of the user's own in a folder, in no order, allocated; their number. */
size_t xli_os_list_own_files(const char *folder, xli_os_file **files);
void xli_os_remove_file(const char *folder, const char *name);
/* Writes a file so that a reader sees all of it or none: to a temporary name in
 * the same folder, then renamed. False and nothing left behind on failure. */
bool xli_os_write_file_atomic(const char *path, const void *bytes, size_t length);

#endif
