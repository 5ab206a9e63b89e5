/* SPDX-License-Identifier: MIT
 * The folder of the program cache: nothing that others can have written is read from it,
 * nothing in it is waited for, and it stays small. */
#define _GNU_SOURCE
#include "private.h"
#include "xlt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BODY = 1000, HOUR = 3600, MIB = 1 << 20 };
static char folder[64]; /* the cache of every test, empty at its start */

static void command(const char *format, const char *path)
{
    char text[400];
    snprintf(text, sizeof text, format, path);
    assert_int_equal(system(text), 0);
}

static int start(void **state)
{
    (void)state;
    xlt_remove_folder(folder);
    return mkdir(folder, 0700);
}

static char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%.160s", folder, name);
    return path;
}

/* A key of 64 times the same digit, and the name of its file. */
static const char *key_of(char digit)
{
    static char key[65];
    memset(key, digit, 64);
    return key;
}

static const char *name_of(char digit, const char *ending)
{
    static char name[128];
    snprintf(name, sizeof name, "%s%.60s", key_of(digit), ending);
    return name;
}

static void grow_old(const char *name, int seconds)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

/* A file of `bytes` zeros, which take no room on the disk, last used `age` seconds ago. */
static void plant(const char *name, off_t bytes, int age)
{
    const int file = open(path_of(name), O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, bytes), 0);
    assert_int_equal(close(file), 0);
    grow_old(name, age);
}

static bool there(const char *name)
{
    struct stat info;
    return lstat(path_of(name), &info) == 0;
}

static void write_body(const xl_context *ctx, char digit)
{
    char *file = xli_alloc(XLI_CACHE_HEADER + BODY);
    assert_non_null(file);
    memset(file + XLI_CACHE_HEADER, digit, BODY);
    xli_cache_write(ctx, key_of(digit), file, BODY);
    xli_free(file);
}

/* Whether what write_body() wrote is read. */
static bool reads_body(const xl_context *ctx, char digit)
{
    size_t length = 0;
    char *file = xli_cache_read(ctx, key_of(digit), &length);
    const bool good = file && length == XLI_CACHE_HEADER + BODY && file[length - 1] == digit;
    xli_free(file);
    return good;
}

static volatile sig_atomic_t rang;
static void ring(int number)
{
    rang = number;
}

/* Each a way to have something else where a file should be; %s is its path. */
XLT_TEST_SETUP(only_files_of_the_users_own_are_read, start)
{
    static const char *const ways[] = {
        "f='%s'; rm \"$f\" && mkfifo -m 600 \"$f\"",
        "f='%s'; rm \"$f\" && mkdir -m 700 \"$f\"",
        "f='%s'; mv \"$f\" \"$f.kept\" && ln -s \"$f.kept\" \"$f\"",
        "f='%s'; rm \"$f\" && ln -s /dev/zero \"$f\"",
        "chmod 620 '%s'",
        "chmod 602 '%s'",
        "chown 65534 '%s'",
    };
    const struct sigaction action = {.sa_handler = ring}; /* ends a system call that waits */
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    xl_context *ctx = xlt_context_with(folder);
    for (size_t i = 0; i < XLI_COUNT(ways); ++i) {
        if (strncmp(ways[i], "chown", 5) == 0 && geteuid() != 0) {
            print_message("only root can give files away\n");
            continue;
        }
        start(NULL);
        write_body(ctx, 'a');
        assert_true(reads_body(ctx, 'a'));
        command(ways[i], path_of(name_of('a', ".bin")));
        alarm(60);
        const bool read = reads_body(ctx, 'a');
        alarm(0);
        if (read || rang)
            XLT_FAIL("%s: %s", ways[i], read ? "it was read" : "it was waited for");
        write_body(ctx, 'a'); /* takes the place of all but a folder */
        assert_true(reads_body(ctx, 'a') == (strstr(ways[i], "mkdir") == NULL));
    }
    xl_context_destroy(ctx);
}

static long peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

XLT_TEST_SETUP(a_huge_file_is_not_read, start)
{
    xl_context *ctx = xlt_context_with(folder);
    plant(name_of('a', ".bin"), 200 * MIB, 0);
    const long before = peak_kib();
    assert_false(reads_body(ctx, 'a'));
    assert_true(peak_kib() - before < 100 * 1024);
    size_t length;
    plant("file", 1001, 0);
    assert_null(xli_os_read_own_file(path_of("file"), 1000, &length));
    char *bytes = xli_os_read_own_file(path_of("file"), 1001, &length);
    assert_non_null(bytes);
    assert_int_equal(length, 1001);
    xli_free(bytes);
    xl_context_destroy(ctx);
}

/* The error of making a context with the environment's or this folder. */
static const char *refusal(const char *cache_dir)
{
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.cache_dir = cache_dir;
    XLT_FAILS(xl_context_create(&desc, &ctx), XL_ERROR_INVALID_ARGUMENT);
    assert_null(ctx);
    return xl_context_error(NULL);
}

XLT_TEST_SETUP(a_shared_folder_that_is_asked_for_is_an_error, start)
{
    static const mode_t modes[] = {0720, 0702, 01777};
    for (size_t i = 0; i < XLI_COUNT(modes); ++i) {
        assert_int_equal(chmod(folder, modes[i]), 0);
        assert_non_null(strstr(refusal(folder), "others may write to it"));
        assert_non_null(strstr(xl_context_error(NULL), folder));
        setenv("CROSSLANE_CACHE_DIR", folder, 1);
        assert_non_null(strstr(refusal(NULL), "CROSSLANE_CACHE_DIR"));
        unsetenv("CROSSLANE_CACHE_DIR");
    }
    assert_int_equal(chmod(folder, 0755), 0); /* to be read is no harm */
    xl_context *ctx = xlt_context_with(folder);
    assert_string_equal(xl_context_cache(ctx), folder);
    xl_context_destroy(ctx);
    if (geteuid() == 0) {
        assert_int_equal(chown(folder, 65534, (gid_t)-1), 0);
        assert_non_null(strstr(refusal(folder), "belongs to user 65534"));
    } else {
        assert_non_null(strstr(refusal("/"), "belongs to user 0"));
    }
}

/* A folder that becomes shared while a context lives receives nothing more. */
XLT_TEST_SETUP(a_shared_folder_is_not_written, start)
{
    xl_context *ctx = xlt_context_with(folder);
    assert_int_equal(chmod(folder, 0777), 0);
    write_body(ctx, 'a');
    assert_false(there(name_of('a', ".bin")));
    assert_int_equal(chmod(folder, 0700), 0);
    write_body(ctx, 'a');
    assert_true(there(name_of('a', ".bin")));
    xl_context_destroy(ctx);
}

XLT_TEST_SETUP(the_default_folder_is_left_alone_if_shared, start)
{
    char wanted[128];
    setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(wanted, sizeof wanted, "%s/crosslane", folder);
    xl_context *ctx = xlt_context_with("");
    assert_string_equal(xl_context_cache(ctx), wanted);
    xl_context_destroy(ctx);
    assert_int_equal(chmod(wanted, 0770), 0); /* it is there */
    ctx = xlt_context_with("");
    assert_null(ctx->cache_dir); /* neither read nor written */
    assert_int_equal(strncmp(xl_context_cache(ctx), "none: ", 6), 0);
    assert_non_null(strstr(xl_context_cache(ctx), wanted));
    assert_non_null(strstr(xl_context_cache(ctx), "others may write to it (mode 770)"));
    xl_device_info info;
    XLT_OK(xl_context_device_info(ctx, &info)); /* builds a program */
    assert_string_equal(xl_context_error(ctx), "");
    xl_context_destroy(ctx);
    assert_int_equal(rmdir(wanted), 0); /* nothing was put there */
    unsetenv("XDG_CACHE_HOME");
    ctx = xlt_context_with("off");
    assert_string_equal(xl_context_cache(ctx), "none: switched off");
    xl_context_destroy(ctx);
    assert_string_equal(xl_context_cache(NULL), "");
}

/* By the descriptor, or as the user's folder for caches. */
static void nothing_is_kept_in(const char *path, const char *home)
{
    if (home)
        setenv("XDG_CACHE_HOME", home, 1);
    xl_context *ctx = xlt_context_with(home ? "" : path);
    unsetenv("XDG_CACHE_HOME");
    assert_null(ctx->cache_dir);
    if (strncmp(xl_context_cache(ctx), "none: ", 6) != 0 || !strstr(xl_context_cache(ctx), path) ||
        !strstr(xl_context_cache(ctx), "is not a folder"))
        fail_msg("%s: the cache is said to be in %s", path, xl_context_cache(ctx));
    xl_device_info info;
    XLT_OK(xl_context_device_info(ctx, &info)); /* builds a program */
    xl_context_destroy(ctx);
}

XLT_TEST_SETUP(what_is_no_folder_keeps_nothing, start)
{
    char file[160], below[192];
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(below, sizeof below, "%s/crosslane", file);
    assert_true(xli_os_write_file_atomic(file, "x", 1));
    nothing_is_kept_in("/dev/null", NULL);
    nothing_is_kept_in("/dev/null/below", NULL);
    nothing_is_kept_in("/proc/nothing/here", NULL);
    nothing_is_kept_in(file, NULL);
    nothing_is_kept_in(below, NULL);
    nothing_is_kept_in(below, file);
    assert_int_equal(unlink(file), 0);
}

/* Starts a child that the limit on file sizes kills in the middle of a write; `name` receives
 * the name of its file. */
static void kill_a_writer(char *name, size_t bytes)
{
    static char big[100000];
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit small = {4096, 4096};
        signal(SIGXFSZ, SIG_DFL);
        if (setrlimit(RLIMIT_FSIZE, &small) == 0)
            (void)xli_os_write_file_atomic(path_of(name_of('c', ".bin")), big, sizeof big);
        _exit(0);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code));
    xli_os_file *files;
    assert_int_equal(xli_os_list_own_files(folder, &files), 1);
    snprintf(name, bytes, "%s", files[0].name);
    xli_free(files);
}

XLT_TEST_SETUP(what_killed_writers_left_is_swept, start)
{
    static const char *const not_ours[] = {"notes.txt", "x.bin.abcdef", "cache.bin"};
    char left[128];
    kill_a_writer(left, sizeof left);
    xl_context *ctx = xlt_context_with(folder);
    for (size_t i = 0; i < XLI_COUNT(not_ours); ++i)
        plant(not_ours[i], 10, 9 * HOUR);
    plant(name_of('d', ".tmp.abcdef"), 10, 9 * HOUR);
    plant(name_of('d', ".bin.abcdef"), 10, 9 * HOUR);
    assert_int_equal(unlink(path_of(name_of('d', ".bin.abcdef"))), 0);
    assert_int_equal(mkdir(path_of(name_of('d', ".bin.abcdef")), 0700), 0);
    grow_old(name_of('d', ".bin.abcdef"), 9 * HOUR);
    write_body(ctx, 'a');
    assert_true(there(left)); /* may still be written */
    grow_old(left, HOUR - 60);
    write_body(ctx, 'a');
    assert_true(there(left));
    grow_old(left, HOUR + 60);
    write_body(ctx, 'a');
    assert_false(there(left));
    for (size_t i = 0; i < XLI_COUNT(not_ours); ++i)
        assert_true(there(not_ours[i]));
    assert_true(there(name_of('d', ".tmp.abcdef")) && there(name_of('d', ".bin.abcdef")));
    assert_true(reads_body(ctx, 'a'));
    xl_context_destroy(ctx);
}

static uint64_t bytes_in_folder(void)
{
    xli_os_file *files;
    uint64_t bytes = 0;
    const size_t n = xli_os_list_own_files(folder, &files);
    for (size_t i = 0; i < n; ++i)
        bytes += files[i].bytes;
    xli_free(files);
    return bytes;
}

XLT_TEST_SETUP(what_was_not_used_for_longest_goes, start)
{
    setenv("CROSSLANE_CACHE_LIMIT", "1", 1);
    xl_context *ctx = xlt_context_with(folder);
    write_body(ctx, '1');
    write_body(ctx, '2');
    for (const char *digit = "3456"; *digit; ++digit)
        plant(name_of(*digit, ".bin"), MIB / 4 - 700, ('9' - *digit) * 60);
    plant("not ours", MIB, 9 * HOUR);
    grow_old(name_of('1', ".bin"), 2 * HOUR);
    grow_old(name_of('2', ".bin"), 2 * HOUR);
    assert_true(reads_body(ctx, '2')); /* the newest from now on */
    write_body(ctx, 'a');
    assert_false(there(name_of('1', ".bin")));
    assert_true(there(name_of('2', ".bin")) && there(name_of('3', ".bin"))); /* 1 MiB is let */
    plant(name_of('7', ".bin"), MIB / 4 - 4000, 60);
    write_body(ctx, 'b');
    assert_false(there(name_of('3', ".bin")));
    for (const char *digit = "24567ab"; *digit; ++digit)
        assert_true(there(name_of(*digit, ".bin")));
    assert_true(there("not ours"));
    assert_true(bytes_in_folder() <= 2 * MIB);
    xl_context_destroy(ctx);
    unsetenv("CROSSLANE_CACHE_LIMIT");
}

/* It would drive out all others, and then itself. */
XLT_TEST_SETUP(a_body_beyond_the_limit_is_not_kept, start)
{
    setenv("CROSSLANE_CACHE_LIMIT", "1", 1);
    xl_context *ctx = xlt_context_with(folder);
    write_body(ctx, 'a');
    char *file = xli_alloc(XLI_CACHE_HEADER + MIB);
    assert_non_null(file);
    xli_cache_write(ctx, key_of('b'), file, MIB);
    assert_false(there(name_of('b', ".bin")));
    assert_true(reads_body(ctx, 'a'));
    xli_cache_write(ctx, key_of('b'), file, MIB - XLI_CACHE_HEADER); /* alone it fits */
    assert_true(there(name_of('b', ".bin")));
    assert_false(there(name_of('a', ".bin")));
    xli_free(file);
    xl_context_destroy(ctx);
    unsetenv("CROSSLANE_CACHE_LIMIT");
}

XLT_TEST_SETUP(a_limit_that_is_none_is_an_error, start)
{
    static const char *const words[] = {
        "0", "-1", "+1", "1.5", "1M", " 1", "1 ", "1048577", "99999999999999999999"};
    for (size_t i = 0; i < XLI_COUNT(words); ++i) {
        setenv("CROSSLANE_CACHE_LIMIT", words[i], 1);
        const char *text = refusal(folder);
        assert_non_null(strstr(text, "CROSSLANE_CACHE_LIMIT"));
        assert_non_null(strstr(text, words[i]));
    }
    setenv("CROSSLANE_CACHE_LIMIT", "1048576", 1);
    xl_context_destroy(xlt_context_with(folder));
    unsetenv("CROSSLANE_CACHE_LIMIT");
}

/* Fills the folder time and again: every file that is read at all is whole. */
static int be_a_child(const xl_context *ctx)
{
    enum { LENGTH = MIB / 8 };
    char *file = xli_alloc(XLI_CACHE_HEADER + LENGTH);
    for (int i = 0; file && i < 400; ++i) {
        const char digit = "0123456789abcdef"[i % 16];
        size_t length;
        memset(file + XLI_CACHE_HEADER, digit, LENGTH);
        xli_cache_write(ctx, key_of(digit), file, LENGTH);
        char *back = xli_cache_read(ctx, key_of(digit), &length);
        if (back && (length != XLI_CACHE_HEADER + LENGTH || back[length - 1] != digit))
            return 1;
        xli_free(back);
    }
    xli_free(file);
    return file ? 0 : 2;
}

XLT_TEST_SETUP(two_processes_keep_to_the_limit, start)
{
    setenv("CROSSLANE_CACHE_LIMIT", "1", 1);
    xl_context *ctx = xlt_context_with(folder);
    pid_t children[2];
    for (int i = 0; i < 2; ++i)
        if ((children[i] = fork()) == 0)
            _exit(be_a_child(ctx));
    for (int i = 0; i < 2; ++i) {
        int code = -1;
        assert_true(children[i] > 0);
        assert_int_equal(waitpid(children[i], &code, 0), children[i]);
        assert_true(WIFEXITED(code));
        assert_int_equal(WEXITSTATUS(code), 0);
    }
    write_body(ctx, 'a');
    assert_true(bytes_in_folder() <= MIB);
    assert_true(bytes_in_folder() > MIB / 2);
    xl_context_destroy(ctx);
    unsetenv("CROSSLANE_CACHE_LIMIT");
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/xlt-cache-XXXXXX");
    unsetenv("CROSSLANE_CACHE_DIR");
    unsetenv("CROSSLANE_CACHE_LIMIT");
    umask(022);
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    xlt_remove_folder(folder);
    xlt_finish();
    return 0;
}

XLT_MAIN(setup, teardown)
