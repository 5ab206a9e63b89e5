/* SPDX-License-Identifier: MIT
 * Removes temporary files when a signal ends the program. */
#define _XOPEN_SOURCE 700
#include "tool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* Signals that end a correct program: a key, a closed terminal or pipe, a limit. */
static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};

static char *volatile temporaries[TOOL_MAX_TEMPORARIES];
static struct sigaction before[TOOL_COUNT(numbers)];
static bool ignored[TOOL_COUNT(numbers)]; /* when the program began */
static pthread_t main_thread;
static sigset_t kept; /* the mask before signals_hold() */
static bool installed;

/* Uses only calls that are safe in a handler. A thread of a driver passes the signal to the thread
 * that writes files, which may be holding signals. The previous handler runs last: the default, or
 * one of the driver. */
static void on_signal(int number)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
        return;
    }
    for (size_t i = 0; i < TOOL_MAX_TEMPORARIES; ++i)
        if (temporaries[i])
            unlink(temporaries[i]);
    for (size_t i = 0; i < TOOL_MAX_TEMPORARIES; ++i)
        if (temporaries[i])
            rmdir(temporaries[i]); /* has no effect on files */
    for (size_t i = 0; i < TOOL_COUNT(numbers); ++i)
        if (numbers[i] == number)
            sigaction(number, &before[i], NULL);
    raise(number); /* delivered when this handler returns */
}

/* Signals that are ignored (nohup, background jobs) stay ignored. */
void signals_start(void)
{
    struct sigaction now;
    for (size_t i = 0; i < TOOL_COUNT(numbers); ++i)
        ignored[i] = sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Installs handlers late, because compilers in drivers install theirs. */
static void install(void)
{
    struct sigaction ours = {.sa_handler = on_signal};
    sigfillset(&ours.sa_mask);
    main_thread = pthread_self();
    for (size_t i = 0; i < TOOL_COUNT(numbers); ++i)
        if (!ignored[i])
            sigaction(numbers[i], &ours, &before[i]);
    installed = true;
}

void signals_hold(void)
{
    sigset_t held;
    if (!installed)
        install();
    sigemptyset(&held);
    for (size_t i = 0; i < TOOL_COUNT(numbers); ++i)
        sigaddset(&held, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &held, &kept);
}

void signals_release(void)
{
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
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
