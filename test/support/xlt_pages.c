/* SPDX-License-Identifier: MIT
 * Pages that must not be touched. */
#ifndef _WIN32
#define _DEFAULT_SOURCE
#endif

#include "xlt_pages.h"
#include "xlt_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

/* The open pages, for the message about a touch. */
enum { MOST_OPEN = 64 };
static xlt_pages open_pages[MOST_OPEN];

static void remember(const xlt_pages *pages, const xlt_pages *as)
{
    for (size_t i = 0; i < MOST_OPEN; ++i) {
        if (open_pages[i].map == pages->map) {
            open_pages[i] = *as;
            return;
        }
    }
}

#ifdef _WIN32
static size_t page_bytes(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

static unsigned char *map_closed(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

static int open_part(unsigned char *from, size_t bytes)
{
    return VirtualAlloc(from, bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

static void unmap(unsigned char *map, size_t bytes)
{
    (void)bytes;
    VirtualFree(map, 0, MEM_RELEASE);
}

static void watch(void)
{
}

void xlt_pages_end_by(void (*end)(int))
{
    (void)end;
}
#else
static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *map_closed(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

static int open_part(unsigned char *from, size_t bytes)
{
    return mprotect(from, bytes, PROT_READ | PROT_WRITE) == 0;
}

static void unmap(unsigned char *map, size_t bytes)
{
    munmap(map, bytes);
}

static void (*end_process)(int) = _exit;

void xlt_pages_end_by(void (*end)(int))
{
    end_process = end;
}

/* In any thread. The process ends here, so that calls that are unsafe in a handler do no harm. */
static void tell(int number, siginfo_t *info, void *more)
{
    char text[200];
    const unsigned char *at = info->si_addr;
    const xlt_pages *hit = NULL;
    (void)more;
    for (size_t i = 0; i < MOST_OPEN && !hit; ++i)
        if (open_pages[i].map && at >= open_pages[i].map &&
            at < open_pages[i].map + open_pages[i].map_bytes)
            hit = &open_pages[i];
    int length = snprintf(text, sizeof text,
                          "[  FAILED  ] on %s: %p was touched, which is no "
                          "memory of a test\n",
                          xlt_device(), (const void *)at);
    if (hit)
        length = snprintf(text, sizeof text,
                          "[  FAILED  ] on %s: a guard page was touched, %td bytes past the %s of "
                          "a buffer of %zu bytes\n",
                          xlt_device(),
                          at < hit->data ? hit->data - at : at - hit->data - (ptrdiff_t)hit->bytes,
                          at < hit->data ? "start" : "end", hit->bytes);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(2);
    end_process(number);
}

/* Repeated, because cmocka installs other handlers before each test. */
static void watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
#endif

xlt_pages xlt_pages_make(size_t bytes, int at_end, unsigned char fill)
{
    const size_t page = page_bytes(), room = (bytes + page - 1) / page * page;
    const xlt_pages none = {0};
    xlt_pages pages = {.map_bytes = room + 2 * page, .bytes = bytes};
    pages.map = map_closed(pages.map_bytes);
    if (!pages.map || !open_part(pages.map + page, room)) {
        XLT_FAIL("no memory for %zu bytes between guard pages", bytes);
        return none; /* XLT_FAIL() does not */
    }
    pages.data = pages.map + page + (at_end ? room - bytes : 0);
    memset(pages.map + page, fill, room);
    remember(&none, &pages);
    watch();
    return pages;
}

ptrdiff_t xlt_pages_touched(const xlt_pages *pages, unsigned char fill)
{
    const unsigned char *const end = pages->data + pages->bytes;
    const unsigned char *const last = pages->map + pages->map_bytes - page_bytes();
    for (const unsigned char *at = pages->data; at-- > pages->map + page_bytes();)
        if (*at != fill)
            return at - pages->data;
    for (const unsigned char *at = end; at < last; ++at)
        if (*at != fill)
            return at - end + 1;
    return 0;
}

void xlt_pages_free(xlt_pages *pages)
{
    const xlt_pages none = {0};
    if (!pages->map)
        return;
    remember(pages, &none);
    unmap(pages->map, pages->map_bytes);
    *pages = none;
}

xlt_pages xlt_pages_sparse(size_t bytes)
{
    xlt_pages pages = {.map_bytes = bytes, .bytes = bytes};
    pages.map = map_closed(bytes);
    if (!pages.map || !open_part(pages.map, bytes)) {
        if (pages.map)
            unmap(pages.map, bytes);
        return (xlt_pages){0};
    }
    pages.data = pages.map;
    watch();
    return pages;
}
