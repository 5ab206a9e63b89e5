/* SPDX-License-Identifier: MIT
 * usage: first_use THREADS
 * Threads whose first calls are the first OpenCL calls of the process: each lists the devices,
 * makes a context and asks what its device is. Exit status 77 if one thread alone finds no device.
 */
#define _GNU_SOURCE
#include <crosslane/crosslane.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

typedef struct worker {
    pthread_barrier_t *start;
    unsigned number;
    xl_status status;
    uint32_t devices;
    char text[512];
} worker;

static void *work(void *user)
{
    worker *w = user;
    xl_context *ctx = NULL;
    xl_device_info info;
    pthread_barrier_wait(w->start);
    if (w->number % 4 == 1)
        w->devices = xl_devices_each(NULL, NULL);
    w->status = xl_context_create(NULL, &ctx);
    if (w->status == XL_SUCCESS)
        w->status = xl_context_device_info(ctx, &info);
    snprintf(w->text, sizeof w->text, "%s", xl_context_error(ctx));
    xl_context_destroy(ctx);
    return NULL;
}

int main(int argc, char **argv)
{
    static worker workers[MOST];
    pthread_t threads[MOST];
    pthread_barrier_t start;
    const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    int bad = 0;
    if (n < 1 || n > MOST || pthread_barrier_init(&start, NULL, n) != 0)
        return 2;
    for (unsigned i = 0; i < n; ++i) {
        workers[i] = (worker){.start = &start, .number = i};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 2;
    }
    for (unsigned i = 0; i < n; ++i)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < n; ++i) {
        const worker *w = &workers[i];
        if (w->status == XL_ERROR_NO_DEVICE && n == 1)
            return 77;
        if (w->status == XL_SUCCESS && (w->number % 4 != 1 || w->devices > 0))
            continue;
        printf("thread %u: %s, %u devices: %s\n", i, xl_status_name(w->status),
               (unsigned)w->devices, w->text);
        bad = 1;
    }
    return bad;
}
