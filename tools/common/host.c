/* SPDX-License-Identifier: MIT
 * The operating system: terminal, clock, standard streams, input files. Only host*.c files include
 * headers of the system (and options.c the one of getopt_long()). */
#define _XOPEN_SOURCE 700
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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

const char host_null_file[] = "/dev/null";
static int own_output = -1; /* a copy of standard output while it is discarded */

void host_hold_output(void)
{
    const int nowhere = open(host_null_file, O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    own_output = nowhere >= 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    if (own_output >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0)
        close(nowhere);
}

void host_release_output(void)
{
    fflush(stdout);
    if (own_output >= 0) {
        dup2(own_output, STDOUT_FILENO);
        close(own_output);
    }
    own_output = -1;
}

static int error_file(void)
{
    return own_errors >= 0 ? own_errors : STDERR_FILENO;
}

bool host_has_terminal(void)
{
    return isatty(error_file()) == 1;
}

/* Standard error has no buffer. */
void host_show(const char *text)
{
    (void)!write(error_file(), text, strlen(text));
}

static pthread_mutex_t later_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t later_changed = PTHREAD_COND_INITIALIZER;
static pthread_t later_thread;
static struct timespec later_due; /* by the clock of the day, which every system can wait for */
static void (*later_run)(void);
static bool later_waits;     /* there is a thread; for the main thread */
static bool later_cancelled; /* under the lock */

static void *run_later(void *unused)
{
    (void)unused;
    int code = 0;
    pthread_mutex_lock(&later_lock);
    while (!later_cancelled && code == 0)
        code = pthread_cond_timedwait(&later_changed, &later_lock, &later_due);
    const bool cancelled = later_cancelled;
    pthread_mutex_unlock(&later_lock);
    if (!cancelled)
        later_run();
    return NULL;
}

/* The thread receives no signals, so that the main thread does. */
void host_later(double seconds, void (*run)(void))
{
    const long second = 1000000000;
    sigset_t all, before;
    clock_gettime(CLOCK_REALTIME, &later_due);
    const double due = (double)later_due.tv_nsec + seconds * (double)second;
    later_due.tv_sec += (time_t)(due / (double)second);
    later_due.tv_nsec = (long)due % second;
    later_run = run;
    later_cancelled = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    later_waits = pthread_create(&later_thread, NULL, run_later, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void host_cancel(void)
{
    if (!later_waits)
        return;
    pthread_mutex_lock(&later_lock);
    later_cancelled = true;
    pthread_cond_signal(&later_changed);
    pthread_mutex_unlock(&later_lock);
    pthread_join(later_thread, NULL);
    later_waits = false;
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
