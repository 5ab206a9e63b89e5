/* SPDX-License-Identifier: MIT
 * Requests to the operating system; no other file here includes its headers. */
#define _XOPEN_SOURCE 700
#include "flip_program.h"

#include <time.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

bool flip_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) != 0;
}

double flip_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
