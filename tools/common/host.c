/* SPDX-License-Identifier: MIT
 * The operating system: terminal, clock, standard streams, input files. Only host*.c files include
 * headers of the system (and options.c the one of getopt_long()). */
#define _XOPEN_SOURCE 700
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
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

/* Opens the stream for the other direction, so that its use fails, as before. */
bool host_open_standard_streams(void)
{
    for (int number = 0; number <= STDERR_FILENO; ++number)
        if (fcntl(number, F_GETFD) < 0 &&
            open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) != number)
            return false;
    return true;
}

static int own_errors = -1; /* a copy of standard error while it is held */
static FILE *held;

void host_hold_errors(void)
{
    fflush(stderr);
    held = tmpfile();
    own_errors = held ? dup(STDERR_FILENO) : -1;
    if (own_errors >= 0)
        dup2(fileno(held), STDERR_FILENO);
}

void host_release_errors(bool print)
{
    fflush(stderr);
    if (own_errors >= 0) {
        dup2(own_errors, STDERR_FILENO);
        close(own_errors);
        rewind(held);
        for (int c; print && (c = getc(held)) != EOF;)
            putc(c, stderr);
    }
    if (held)
        fclose(held);
    own_errors = -1;
    held = NULL;
}

FILE *host_open_input(const char *path)
{
    struct stat info;
    FILE *stream = fopen(path, "rb");
    if (stream && fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
        fclose(stream);
        stream = NULL;
        errno = EISDIR;
    }
    return stream;
}
