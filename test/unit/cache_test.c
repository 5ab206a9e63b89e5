/* SPDX-License-Identifier: MIT
 * Compiled programs on disk: found again, never believed when damaged, never in
 * the way.
 *
 * Where a driver caches from source, the library keeps no files, but for PoCL's; there its
 * reading and writing of them is tested by calling both directly. */
#define _GNU_SOURCE
#include "private.h"
#include "xlt.h"

#include <crosslane/program.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static char *path_in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%.160s", folder, name);
    return path;
}

/* A number that changes whenever any file of the folder is written anew. */
typedef struct listing {
    int files, others;
    unsigned long long inodes;
    char one[128];
} listing;

static listing list_folder(void)
{
    listing l = {0};
    struct stat info;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.')
            continue;
        if (!dot || strcmp(dot, ".bin") != 0) {
            ++l.others;
            continue;
        }
        ++l.files;
        snprintf(l.one, sizeof l.one, "%.120s", entry->d_name);
        assert_int_equal(stat(path_in_folder(entry->d_name), &info), 0);
        l.inodes += (unsigned long long)info.st_ino * 7919u + (unsigned long long)info.st_size;
    }
    if (dir)
        closedir(dir);
    return l;
}

/* Learns the facts, which builds the probe, and builds and runs one more program. */
static bool use(xl_context *ctx, const char *defines)
{
    xl_device_info info;
    xli_program *program;
    xli_kernel kernel = {0};
    bool good = xl_context_device_info(ctx, &info) == XL_SUCCESS &&
                xli_program_get(ctx, "probe", defines, &program) == XL_SUCCESS &&
                xli_kernel_create(ctx, program, "xl_probe_lanes", &kernel) == XL_SUCCESS;
    xli_kernel_destroy(&kernel);
    return good;
}

static void use_and_end(const char *cache_dir)
{
    xl_context *ctx = xlt_context_with(cache_dir);
    if (!use(ctx, "#define FROM_CACHE 1\n"))
        XLT_FAIL("with cache folder %s: %s", cache_dir, xl_context_error(ctx));
    xl_context_destroy(ctx);
}

static bool live(void)
{
    const xli_capabilities *capabilities;
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    const bool files = !capabilities->info.caches_from_source || capabilities->takes_bitcode;
    if (!files)
        print_message("%s caches from source itself\n", capabilities->info.platform);
    return files;
}

/* Whether a context, which is ended, has the source of a program that it was asked for, or
 * made the program of a file. */
static bool builds_source(xl_context *ctx, const char *options)
{
    static const char text[] = "__kernel void k(__global uint *out) { out[0] = 7; }\n";
    size_t bytes = 0;
    cl_program program;
    XLT_OK(xl_program_create(ctx, text, options, &program));
    XLT_CL(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes));
    XLT_CL(clReleaseProgram(program));
    xl_context_destroy(ctx);
    return bytes > 1;
}

XLT_TEST(what_is_kept_is_not_compiled_again)
{
    if (!live())
        skip();
    xlt_remove_folder(folder);
    static const char *const options[] = {"", "-DSOMETHING=1 -cl-denorms-are-zero"};
    for (size_t i = 0; i < XLI_COUNT(options); ++i) {
        (void)builds_source(xlt_context_with(folder), options[i]);
        assert_false(builds_source(xlt_context_with(folder), options[i]));
        assert_true(builds_source(xlt_context_with("off"), options[i]));
    }
}

/* Files under the right names with the right hashes, of something that is no program. */
XLT_TEST(a_file_that_is_no_program_is_a_miss)
{
    enum { MAGIC = 16, HASH = 64, HEADER = MAGIC + 2 * HASH };
    static const char *const texts[] = {"x", "nothing that a driver knows, of some length",
                                        "BC\xc0\xde and the start of bitcode, but no more"};
    const xli_capabilities *capabilities;
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    const bool dies = strstr(capabilities->info.platform, "rusticl") != NULL;
    if (dies)
        print_message("Mesa 22.3 ends the process on a file that is no binary\n");
    if (dies || !live())
        skip();
    for (size_t i = 0; i < XLI_COUNT(texts); ++i) {
        xlt_remove_folder(folder);
        use_and_end(folder);
        const listing kept = list_folder();
        DIR *dir = opendir(folder);
        assert_non_null(dir);
        for (const struct dirent *entry; (entry = readdir(dir));) {
            size_t length;
            char hex[65], file[HEADER + 64];
            xli_sha256 hash;
            if (entry->d_name[0] == '.')
                continue;
            char *bytes = xli_os_read_file(path_in_folder(entry->d_name), &length);
            assert_non_null(bytes);
            memcpy(file, bytes, MAGIC + HASH);
            xli_free(bytes);
            length = strlen(texts[i]);
            xli_sha256_init(&hash);
            xli_sha256_add(&hash, texts[i], length);
            xli_sha256_hex(&hash, hex);
            memcpy(file + MAGIC + HASH, hex, HASH);
            memcpy(file + HEADER, texts[i], length);
            assert_true(
                xli_os_write_file_atomic(path_in_folder(entry->d_name), file, HEADER + length));
        }
        closedir(dir);
        const listing foreign = list_folder();
        use_and_end(folder);
        const listing mended = list_folder();
        assert_int_equal(mended.files, kept.files);
        assert_true(mended.inodes != foreign.inodes);
        use_and_end(folder);
        assert_true(list_folder().inodes == mended.inodes);
    }
}

/* Asked by the leak detector. Once these flags were set, PoCL 3.1 leaks the options of every
 * program that it builds, in a function that has no name. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl.so\n";
}

/* Programs with flags that are not part of the key of PoCL's bitcode are not kept. */
XLT_TEST(flags_unknown_to_the_key_are_heeded)
{
    static const char flags[] = "POCL_EXTRA_BUILD_FLAGS";
    const xli_capabilities *capabilities;
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    if (!capabilities->takes_bitcode || getenv(flags)) {
        print_message("%s: no bitcode is kept, or %s is set\n", xlt_device(), flags);
        skip();
    }
    xlt_remove_folder(folder);
    (void)builds_source(xlt_context_with(folder), "");
    setenv("CROSSLANE_DUMP_DIR", folder, 1);
    assert_true(builds_source(xlt_context_with(folder), ""));
    unsetenv("CROSSLANE_DUMP_DIR");
    setenv(flags, "-DSOMETHING=1", 1);
    assert_true(builds_source(xlt_context_with(folder), ""));
    unsetenv(flags);
    assert_false(builds_source(xlt_context_with(folder), ""));
}

XLT_TEST(the_cache_is_switched_off)
{
    static const char *const words[] = {"off", "OFF", "0"};
    xlt_remove_folder(folder);
    for (size_t i = 0; i < 3; ++i) {
        setenv("CROSSLANE_CACHE_DIR", folder, 1);
        use_and_end(words[i]); /* the field overrides the environment */
        setenv("CROSSLANE_CACHE_DIR", words[i], 1);
        use_and_end(NULL);
    }
    assert_int_equal(list_folder().files, 0);
    assert_true(access("off", F_OK) != 0 && access("0", F_OK) != 0);
    setenv("CROSSLANE_CACHE_DIR", folder, 1);
    use_and_end(NULL);
    assert_true((list_folder().files > 0) == live());
    unsetenv("CROSSLANE_CACHE_DIR");
}

/* Reading and writing alone, on any device that gives out binaries. */
XLT_TEST(only_intact_files_are_loaded)
{
    char key[65], other[65];
    memset(key, 'a', 64);
    memset(other, 'b', 64);
    key[64] = other[64] = '\0';
    xlt_remove_folder(folder);
    xl_context *ctx = xlt_context_with(folder);
    xli_program *program;
    assert_int_equal(xli_program_get(ctx, "probe", "#define ALONE 1\n", &program), XL_SUCCESS);
    assert_null(xli_cache_load(ctx, key, NULL));
    xli_cache_store(ctx, key, program->cl);
    cl_program loaded = xli_cache_load(ctx, key, NULL);
    if (!loaded) {
        print_message("%s gives out no binaries that it takes back\n", xlt_device());
        xl_context_destroy(ctx);
        skip();
    }
    XLT_CL(clReleaseProgram(loaded));
    char name[80], name_of_other[80];
    snprintf(name, sizeof name, "%s.bin", key);
    snprintf(name_of_other, sizeof name_of_other, "%s.bin", other);
    size_t length;
    char *bytes = xli_os_read_file(path_in_folder(name), &length);
    assert_non_null(bytes);
    assert_true(xli_os_write_file_atomic(path_in_folder(name_of_other), bytes, length));
    assert_null(xli_cache_load(ctx, other, NULL)); /* another program's file under this name */
    for (size_t at = 0; at < length; at += at < 160 ? 1 : length / 23 + 1) {
        bytes[at] ^= 1;
        assert_true(xli_os_write_file_atomic(path_in_folder(name), bytes, length));
        if (xli_cache_load(ctx, key, NULL))
            XLT_FAIL("a file with a flipped bit in byte %zu was believed", at);
        bytes[at] ^= 1;
        assert_true(xli_os_write_file_atomic(path_in_folder(name), bytes, at));
        if (xli_cache_load(ctx, key, NULL))
            XLT_FAIL("a file cut to %zu of %zu bytes was believed", at, length);
    }
    assert_true(xli_os_write_file_atomic(path_in_folder(name), bytes, length));
    loaded = xli_cache_load(ctx, key, NULL);
    assert_non_null(loaded);
    XLT_CL(clReleaseProgram(loaded));
    xli_free(bytes);
    assert_string_equal(xl_context_error(ctx), "");
    xl_context_destroy(ctx);
}

/* The next context finds a passed self-test, unless it was refused, the features differ, the
 * note is damaged, or the cache is off. */
XLT_TEST(a_passed_test_is_remembered)
{
    static const char test[] = "probe";
    const xli_capabilities *capabilities;
    xlt_remove_folder(folder);
    xl_context *ctx = xlt_context_with(folder);
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    assert_int_equal(xli_context_self_test_result(ctx, test), XLI_SELF_TEST_NOT_RUN);
    xli_context_set_self_test_result(ctx, test, XLI_SELF_TEST_WRONG);
    assert_int_equal(xli_context_self_test_result(ctx, test), XLI_SELF_TEST_WRONG);
    assert_false(xli_cache_has_pass(ctx, capabilities, test));
    xl_context_destroy(ctx);

    ctx = xlt_context_with(folder);
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    assert_int_equal(xli_context_self_test_result(ctx, test), XLI_SELF_TEST_NOT_RUN);
    xli_context_set_self_test_result(ctx, test, XLI_SELF_TEST_PASSED);
    xl_context_destroy(ctx);

    ctx = xlt_context_with(folder);
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    assert_true(xli_cache_has_pass(ctx, capabilities, test));
    assert_false(xli_cache_has_pass(ctx, capabilities, "scan_two_pass"));
    xli_capabilities other = *capabilities;
    ++other.info.sub_group_size;
    assert_false(xli_cache_has_pass(ctx, &other, test));
    assert_int_equal(xli_context_self_test_result(ctx, test), XLI_SELF_TEST_PASSED);
    xl_context_destroy(ctx);

    ctx = xlt_context_with("off");
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    assert_int_equal(xli_context_self_test_result(ctx, test), XLI_SELF_TEST_NOT_RUN);
    xl_context_destroy(ctx);
}

/* Puts the content of another program under the name and key of a file, with its hash. */
static void swap_in(const char *name, const char *name_of_other)
{
    enum { HASH_AT = 80 };
    size_t length, other_length;
    char *file = xli_os_read_file(path_in_folder(name), &length);
    char *other = xli_os_read_file(path_in_folder(name_of_other), &other_length);
    assert_non_null(file);
    assert_non_null(other);
    memcpy(other, file, HASH_AT);
    assert_true(xli_os_write_file_atomic(path_in_folder(name), other, other_length));
    xli_free(file);
    xli_free(other);
}

/* Makes a program of a user's with a kernel of that name, and the kernel; `file`, if given,
 * becomes the name of the file that was written last. */
static void make_user_kernel(const char *name, char file[96])
{
    char text[128];
    cl_program program;
    cl_int code;
    xl_context *ctx = xlt_context_with(folder);
    snprintf(text, sizeof text, "__kernel void %s(__global uint *out) { out[0] = 7; }\n", name);
    XLT_OK(xl_program_create(ctx, text, "", &program));
    cl_kernel kernel = clCreateKernel(program, name, &code);
    XLT_CL(code);
    XLT_CL(clReleaseKernel(kernel));
    XLT_CL(clReleaseProgram(program));
    xl_context_destroy(ctx);
    xli_os_file *files, *last;
    const size_t n = xli_os_list_own_files(folder, &files);
    assert_true(n > 0);
    last = files;
    for (size_t i = 1; i < n; ++i)
        if (files[i].age < last->age)
            last = &files[i];
    if (file)
        snprintf(file, 96, "%s", last->name);
    xli_free(files);
}

/* A context cannot know which kernels the user wants, but that these are not his. */
XLT_TEST(a_users_program_of_other_kernels_is_built_again)
{
    char first[96], second[96];
    if (!live())
        skip();
    xlt_remove_folder(folder);
    make_user_kernel("one", first);
    make_user_kernel("two", second);
    swap_in(first, second);
    const listing swapped = list_folder();
    make_user_kernel("one", NULL);
    const listing mended = list_folder();
    assert_int_equal(mended.files, swapped.files);
    assert_true(mended.inodes != swapped.inodes);
    make_user_kernel("one", NULL);
    assert_true(list_folder().inodes == mended.inodes);
}

static xli_program *get(xl_context *ctx, const char *defines)
{
    xli_program *program;
    XLT_OK(xli_program_get(ctx, "probe", defines, &program));
    return program;
}

static void make_kernel(xl_context *ctx, const xli_program *program, const char *name)
{
    xli_kernel kernel;
    XLT_OK(xli_kernel_create(ctx, program, name, &kernel));
    xli_kernel_destroy(&kernel);
}

/* The source contains the name of the kernel that replaces it, too: the loss shows only when
 * another kernel is requested. */
XLT_TEST(a_program_that_lacks_its_kernel_is_built_again)
{
    static const char renamed[] = "#define xl_probe_lanes xl_probe_lane\n";
    static const char named[] = "#define NAMED 1\n";
    char name[96], other[96];
    if (!live())
        skip();
    xlt_remove_folder(folder);
    xl_context *ctx = xlt_context_with(folder);
    make_kernel(ctx, get(ctx, named), "xl_probe_lanes");
    make_kernel(ctx, get(ctx, renamed), "xl_probe_lane");
    snprintf(name, sizeof name, "%s.bin", get(ctx, named)->key);
    snprintf(other, sizeof other, "%s.bin", get(ctx, renamed)->key);
    xl_context_destroy(ctx);
    swap_in(name, other);
    const listing swapped = list_folder();

    ctx = xlt_context_with(folder);
    const xli_program *lacking = get(ctx, named);
    make_kernel(ctx, lacking, "xl_probe_lane"); /* the test is one */
    make_kernel(ctx, lacking, "xl_probe_lanes");
    make_kernel(ctx, lacking, "xl_probe_lanes"); /* by who still holds it */
    assert_ptr_not_equal(get(ctx, named), lacking);
    make_kernel(ctx, get(ctx, named), "xl_probe_lanes");
    assert_string_equal(xl_context_error(ctx), "");
    xl_context_destroy(ctx);
    const listing mended = list_folder();
    assert_int_equal(mended.files, swapped.files);
    assert_true(mended.inodes != swapped.inodes);

    ctx = xlt_context_with(folder);
    make_kernel(ctx, get(ctx, named), "xl_probe_lanes");
    xli_kernel kernel;
    assert_int_equal(xli_kernel_create(ctx, get(ctx, named), "xl_no_such", &kernel),
                     XL_ERROR_OPENCL);
    assert_non_null(strstr(xl_context_error(ctx), "xl_no_such"));
    make_kernel(ctx, get(ctx, named), "xl_probe_lanes");
    xl_context_destroy(ctx);
}

/* Everything that shapes a program is in its name. */
XLT_TEST(keys_differ_where_programs_do)
{
    const xli_capabilities *capabilities;
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    const xli_source *source = xli_source_find("probe");
    char key[65], again[65];
    xli_cache_key(capabilities, "-o", "head", source, key);
    xli_cache_key(capabilities, "-o", "head", source, again);
    assert_string_equal(key, again);
    for (int change = 0; change < 9; ++change) {
        xli_capabilities f = *capabilities;
        xli_source s = *source;
        char *const texts[] = {f.info.name, f.info.vendor, f.info.driver, f.info.platform,
                               f.info.platform_version};
        if (change < 5)
            texts[change][0] ^= 1;
        f.vendor_id += change == 5;
        if (change == 6)
            s.sha256 = "another";
        xli_cache_key(&f, change == 7 ? "-p" : "-o", change == 8 ? "heat" : "head", &s, again);
        if (strcmp(key, again) == 0)
            XLT_FAIL("change %d leaves the key as it is", change);
    }
}

static void hash_source(const char *text, char hex[65])
{
    xli_sha256 hash;
    xli_sha256_init(&hash);
    xli_sha256_add_source(&hash, text);
    xli_sha256_hex(&hash, hex);
}

/* cmake/embed.cmake computes these. */
XLT_TEST(embedded_sources_have_the_hash_of_their_text)
{
    static const char *const names[] = {"probe", "scan_lookback", "sort_onesweep", "grid",
                                        "neighbors"};
    char hex[65];
    for (size_t i = 0; i < XLI_COUNT(names); ++i) {
        hash_source(xli_source_find(names[i])->text, hex);
        assert_string_equal(hex, xli_source_find(names[i])->sha256);
    }
    for (size_t i = 0; xli_include_at(i); ++i) {
        hash_source(xli_include_at(i)->text, hex);
        assert_string_equal(hex, xli_include_at(i)->sha256);
    }
}

/* Each text is compared with the one before it. */
XLT_TEST(the_hash_of_a_source_ignores_comments)
{
    static const struct {
        const char *text;
        bool same;
    } rows[] = {
        {"#define A 1\nint x = A;\n", false},
        {"#define A 1 // one\n\n  int x =   A; /* two\n lines */\n", true},
        {"#line 7 \"user\"\n/* a */ # line 8\n#define A \\\n1\n\n\nint x/**/= A;", true},
        {"#define A 1\nint x = A;", true},
        {"#define A 1\nint x = B;", false},
        {"#define A 1 int x = B;", false},
        {"#define A(x) - -x", false},
        {"#define A (x) - -x", false},
        {"#define A (x) --x", false},
        {"int x; \"a // b\"", false},
        {"int x; \"a // c\"", false},
        {"int x; \"a /* c */\"", false},
        {"int x; \"a /* d */\"", false},
        {"int x; '\"' // \"", false},
        {"int x; '\"' // \\\"", false}, /* a compiler may see a continued line */
        {"int x = __LINE__;", false},
        {"int x = __LINE__; // a", false},
    };
    char before[65] = "", hex[65];
    for (size_t i = 0; i < XLI_COUNT(rows); ++i) {
        hash_source(rows[i].text, hex);
        if ((strcmp(hex, before) == 0) != rows[i].same)
            XLT_FAIL("row %zu has %s hash", i, rows[i].same ? "another" : "the same");
        memcpy(before, hex, sizeof hex);
    }
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/xlt-cache-XXXXXX");
    unsetenv("CROSSLANE_DUMP_DIR");
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
