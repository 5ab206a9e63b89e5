/* SPDX-License-Identifier: MIT
 * Files and folders: whole or not at all, nothing left behind. */
#define _GNU_SOURCE
#include "core.h"
#include "xlt.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* A limit on the size of files fails in the middle of the data, as a full disk
 * does. */
XLT_TEST(a_failed_write_leaves_nothing)
{
    static char big[100000];
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool written = xli_os_write_file_atomic(in_folder("b"), big, sizeof big);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(written);
    assert_int_equal(files_in_folder(), 0);
    assert_false(xli_os_write_file_atomic(in_folder("no/such/folder"), "x", 1));
    assert_int_equal(mkdir(in_folder("taken"), 0700), 0);
    assert_false(xli_os_write_file_atomic(in_folder("taken"), "x", 1)); /* cannot be renamed */
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(rmdir(in_folder("taken")), 0);
}

static void cache_dir_is(const char *xdg, const char *home, const char *wanted)
{
    xdg ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME");
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    char *path = xli_os_cache_dir("crosslane");
    if (wanted)
        assert_string_equal(path, wanted);
    else
        assert_null(path);
    xli_free(path);
}

XLT_TEST(the_cache_folder_is_the_users)
{
#ifndef __APPLE__
    cache_dir_is("/x", "/h", "/x/crosslane");
    cache_dir_is("relative", "/h", "/h/.cache/crosslane");
    cache_dir_is("", "/h", "/h/.cache/crosslane");
    cache_dir_is(NULL, "/h", "/h/.cache/crosslane");
    cache_dir_is(NULL, "", NULL);
    cache_dir_is(NULL, NULL, NULL);
#endif
}

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/xlt-os-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(folder);
}

XLT_MAIN(setup, teardown)
