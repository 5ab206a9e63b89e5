/* SPDX-License-Identifier: MIT
 * Contexts: choice of device, facts, adoption, settings, descriptors of other
 * versions, error texts. */
#define _GNU_SOURCE
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static xl_context_desc defaults(void)
{
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    return desc;
}

/* xl_context_create() must give `wanted` with a text that holds each of `parts`. */
static void creation_fails(const xl_context_desc *desc, xl_status wanted, const char *part)
{
    xl_context *ctx = (xl_context *)&ctx;
    assert_int_equal(xl_context_create(desc, &ctx), wanted);
    assert_null(ctx);
    if (!strstr(xl_context_error(NULL), part))
        XLT_FAIL("\"%s\" is not in: %s", part, xl_context_error(NULL));
}

XLT_TEST(capabilities_are_plausible)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    assert_true(info.name[0] != '\0');
    assert_true(info.platform[0] != '\0');
    assert_true(info.compute_units >= 1);
    assert_true(info.max_work_group_size >= 1);
    assert_true(info.local_bytes >= 1024);
    assert_true(info.sub_group_size >= 1);
    const bool local = strcmp(info.cross_lane, "local") == 0;
    /* PoCL need not run the probe without lane operations. */
    const bool probed = strncmp(info.probe, "not run", 7) != 0;
    assert_true(probed || local);
    assert_int_equal(info.sub_group_size_measured, probed ? info.sub_group_size : 0);
    assert_true(info.probe[0] != '\0');
    assert_true(local == (info.sub_group_size == 1));
    assert_true(local || info.sub_group_size_reported == info.sub_group_size);
    assert_true((info.sub_group_size_reported > 0) ==
                (info.sub_group_source != XL_SUB_GROUP_NOT_REPORTED &&
                 info.sub_group_source != XL_SUB_GROUP_MASKED));
    assert_string_equal(xl_context_error(xlt_context()), "");
}

XLT_TEST(masks_are_heeded)
{
    xl_context *ctx;
    xl_device_info info;
    xl_context_desc desc = defaults();
    desc.mask = "width=1, no-fp64 ,no-int64-atomics,,work-group=8";
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    assert_int_equal(xl_context_device_info(ctx, &info), XL_SUCCESS);
    assert_int_equal(info.sub_group_size, 1);
    assert_int_equal(info.sub_group_size_reported, 0);
    assert_int_equal(info.sub_group_source, XL_SUB_GROUP_MASKED);
    assert_string_equal(info.cross_lane, "local");
    assert_int_equal(info.has_fp64, 0);
    assert_int_equal(info.has_int64_atomics, 0);
    assert_int_equal(info.has_device_scope, 0);
    assert_true(info.max_work_group_size <= 8);
    xl_context_destroy(ctx);
}

XLT_TEST(mask_words_are_checked)
{
    static const char *const wrong[] = {
        "no-such",       "width=2",       "work-group=",   "work-group=0",
        "work-group=-5", "work-group= 5", "work-group=8x", "no-fp64 no-look-back"};
    xl_context_desc desc = defaults();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        desc.mask = wrong[i];
        creation_fails(&desc, XL_ERROR_INVALID_ARGUMENT, wrong[i]);
        assert_non_null(strstr(xl_context_error(NULL), "mask"));
    }
}

/* A field overrides the environment; "" asks for the default whatever it says. */
XLT_TEST(fields_override_the_environment)
{
    xl_context *ctx;
    xl_device_info info;
    char old[256];
    const char *was = getenv("CROSSLANE_MASK");
    snprintf(old, sizeof old, "%s", was ? was : "");
    setenv("CROSSLANE_MASK", "nonsense", 1);
    xl_context_desc desc = defaults();
    creation_fails(&desc, XL_ERROR_INVALID_ARGUMENT, "nonsense");
    creation_fails(NULL, XL_ERROR_INVALID_ARGUMENT, "nonsense");
    desc.mask = "work-group=4";
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    assert_int_equal(xl_context_device_info(ctx, &info), XL_SUCCESS);
    assert_true(info.max_work_group_size <= 4);
    xl_context_destroy(ctx);
    desc.mask = "";
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    xl_context_destroy(ctx);
    was ? setenv("CROSSLANE_MASK", old, 1) : unsetenv("CROSSLANE_MASK");
}

XLT_TEST(unknown_device_lists_what_there_is)
{
    static const char *const none[] = {
        "no such device", "77:0", "0:77", "no such platform:", ":no such device", "0:0x"};
    xl_context_desc desc = defaults();
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) {
        desc.device = none[i];
        creation_fails(&desc, XL_ERROR_NO_DEVICE, none[i]);
        assert_non_null(strstr(xl_context_error(NULL), "0:0"));
    }
}

typedef struct seen {
    uint32_t count, platform, device;
    bool ordered;
    cl_device_id devices[16];
    uint32_t numbers[16][2];
} seen;

static void note(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                 cl_device_id did)
{
    seen *s = user;
    (void)pid;
    s->ordered = s->ordered && (s->count == 0 || platform > s->platform ||
                                (platform == s->platform && device == s->device + 1));
    s->platform = platform;
    s->device = device;
    if (s->count < 16) {
        s->devices[s->count] = did;
        s->numbers[s->count][0] = platform;
        s->numbers[s->count][1] = device;
    }
    ++s->count;
}

static bool selects(const char *selector, cl_device_id wanted)
{
    xl_context *ctx;
    xl_context_desc desc = defaults();
    desc.device = selector;
    desc.mask = "";
    if (xl_context_create(&desc, &ctx) != XL_SUCCESS)
        XLT_FAIL("\"%s\": %s", selector, xl_context_error(NULL));
    bool same = xl_context_device(ctx) == wanted;
    xl_context_destroy(ctx);
    return same;
}

/* GPU with most compute units, else the first accelerator, else the first CPU. */
XLT_TEST(the_default_is_the_strongest)
{
    seen s = {.ordered = true};
    cl_device_id best = NULL;
    int best_rank = -1;
    cl_uint best_units = 0;
    uint32_t total = xl_devices_each(note, &s);
    assert_true(total == s.count && total > 0 && s.ordered);
    if (total > 16) {
        print_message("%u devices: there is room for 16\n", (unsigned)total);
        skip();
    }
    for (uint32_t i = 0; i < total; ++i) {
        cl_device_type type = 0;
        cl_uint units = 0;
        XLT_CL(clGetDeviceInfo(s.devices[i], CL_DEVICE_TYPE, sizeof type, &type, NULL));
        XLT_CL(
            clGetDeviceInfo(s.devices[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
        char numbers[24];
        snprintf(numbers, sizeof numbers, "%u:%u", (unsigned)s.numbers[i][0],
                 (unsigned)s.numbers[i][1]);
        assert_true(selects(numbers, s.devices[i]));
        int rank = type & CL_DEVICE_TYPE_GPU ? 3 : type & CL_DEVICE_TYPE_ACCELERATOR ? 2 : 1;
        if (rank > best_rank || (rank == 3 && best_rank == 3 && units > best_units)) {
            best = s.devices[i];
            best_rank = rank;
            best_units = units;
        }
    }
    assert_true(selects("", best));
    assert_true(selects(best_rank == 3 ? "GPU" : best_rank == 1 ? "cpu" : "", best));
}

/* Started anew, since the loader lists platforms once per process. */
XLT_TEST(no_platform_is_an_error_with_advice)
{
    char command[512], output[512] = "", self[256] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) {
        print_message("no /proc/self/exe to start this program anew\n");
        skip();
    }
    snprintf(command, sizeof command,
             "OCL_ICD_VENDORS=/nonexistent OCL_ICD_FILENAMES= CROSSLANE_DEVICE= '%.250s' --say-why",
             self);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t got = fread(output, 1, sizeof output - 1, pipe);
    int code = pclose(pipe);
    output[got] = '\0';
    if (code == 0) { /* as a simulator does */
        print_message("what loads platforms here heeds no OCL_ICD_VENDORS\n");
        skip();
    }
    assert_non_null(strstr(output, "XL_ERROR_NO_DEVICE: no OpenCL device"));
}

static int say_why(void)
{
    xl_context *ctx;
    xl_status status = xl_context_create(NULL, &ctx);
    printf("%s: %s\n", xl_status_name(status), xl_context_error(NULL));
    xl_context_destroy(ctx);
    return status == XL_SUCCESS ? 0 : 1;
}

XLT_TEST(adopted_objects_outlive_the_callers_reference)
{
    cl_int code;
    xl_context *ctx;
    xl_device_info info;
    cl_device_id device = xl_context_device(xlt_context());
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    assert_int_equal(xl_context_adopt(cl, device, NULL, &ctx), XL_SUCCESS);
    XLT_CL(clReleaseContext(cl));
    assert_ptr_equal(xl_context_cl(ctx), cl);
    assert_ptr_equal(xl_context_device(ctx), device);
    assert_int_equal(xl_context_device_info(ctx, &info), XL_SUCCESS);
    assert_non_null(xl_context_queue(ctx));
    xl_context_destroy(ctx);
}

/* A context of two sub-devices, or a whole device and a part of it, is adopted for
 * the one that is named. */
XLT_TEST(a_context_of_several_devices_is_adopted)
{
    cl_int code;
    xl_context *ctx;
    xl_device_info info;
    cl_device_id whole = xl_context_device(xlt_context()), parts[2] = {NULL, NULL};
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_uint most = 0; /* asked first: rusticl 22.3 crashes when a device cannot be parted */
    clGetDeviceInfo(whole, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL);
    if (most < 2 || clCreateSubDevices(whole, halves, 2, parts, NULL) != CL_SUCCESS) {
        print_message("%s cannot be parted\n", xlt_device());
        skip();
    }
    cl_context cl = clCreateContext(NULL, 2, parts, NULL, NULL, &code);
    XLT_CL(code);
    assert_int_equal(xl_context_adopt(cl, parts[1], NULL, &ctx), XL_SUCCESS);
    XLT_CL(clReleaseContext(cl));
    XLT_CL(clReleaseDevice(parts[0]));
    XLT_CL(clReleaseDevice(parts[1]));
    assert_int_equal(xl_context_device_info(ctx, &info), XL_SUCCESS);
    assert_int_equal(info.compute_units, 1);
    xl_context_destroy(ctx);
}

XLT_TEST(a_device_of_another_context_is_refused)
{
    seen s = {.ordered = true};
    xl_context *ctx;
    uint32_t i = 0, total = xl_devices_each(note, &s);
    while (i < total && i < 16 && s.devices[i] == xl_context_device(xlt_context()))
        ++i;
    if (i == total || i == 16) {
        print_message("%s is the only device\n", xlt_device());
        skip();
    }
    assert_int_equal(xl_context_adopt(xl_context_cl(xlt_context()), s.devices[i], NULL, &ctx),
                     XL_ERROR_INVALID_ARGUMENT);
    assert_null(ctx);
    assert_non_null(strstr(xl_context_error(NULL), "device: not one of the devices"));
}

XLT_TEST(null_arguments_are_refused)
{
    xl_context *ctx = (xl_context *)&ctx;
    xl_device_info info;
    cl_context cl = xl_context_cl(xlt_context());
    cl_device_id device = xl_context_device(xlt_context());
    assert_int_equal(xl_context_create(NULL, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(NULL), "ctx: NULL");
    assert_int_equal(xl_context_adopt(cl, device, NULL, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(xl_context_adopt(NULL, device, NULL, &ctx), XL_ERROR_INVALID_ARGUMENT);
    assert_null(ctx);
    assert_string_equal(xl_context_error(NULL), "cl: NULL");
    assert_int_equal(xl_context_adopt(cl, NULL, NULL, &ctx), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(NULL), "device: NULL");
    assert_int_equal(xl_context_device_info(NULL, &info), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(NULL), "ctx: NULL");
    assert_int_equal(xl_context_device_info(xlt_context(), NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(xlt_context()), "info: NULL");
    assert_null(xl_context_cl(NULL));
    assert_null(xl_context_device(NULL));
    assert_null(xl_context_queue(NULL));
    xl_context_desc_init(NULL);
    xl_context_destroy(NULL);
}

static void dumping_to(const char *folder, const char *said)
{
    xl_context *ctx = (xl_context *)&ctx;
    xl_context_desc desc = defaults();
    desc.dump_dir = folder;
    creation_fails(&desc, XL_ERROR_INVALID_ARGUMENT, folder);
    assert_non_null(strstr(xl_context_error(NULL), "dump_dir (CROSSLANE_DUMP_DIR)"));
    if (!strstr(xl_context_error(NULL), said))
        XLT_FAIL("\"%s\" is not in: %s", said, xl_context_error(NULL));
    assert_int_equal(xl_context_adopt(xl_context_cl(xlt_context()),
                                      xl_context_device(xlt_context()), &desc, &ctx),
                     XL_ERROR_INVALID_ARGUMENT);
    assert_null(ctx);
}

XLT_TEST(an_unusable_dump_folder_is_an_error)
{
    char folder[] = "/tmp/xlt-dump-XXXXXX", inner[64], command[160];
    xl_context *ctx;
    xl_context_desc desc = defaults();
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/file", folder);
    snprintf(command, sizeof command, ": > %s", inner);
    assert_int_equal(system(command), 0);
    dumping_to(inner, "is no folder, and none can be made");
    snprintf(inner, sizeof inner, "%s/file/in", folder);
    dumping_to(inner, "is no folder, and none can be made");
    if (access("/proc/self", X_OK) == 0) /* for root too */
        dumping_to("/proc", "cannot be written to");
    if (geteuid() != 0) {
        snprintf(command, sizeof command, "chmod 500 %s", folder);
        assert_int_equal(system(command), 0);
        dumping_to(folder, "cannot be written to");
        snprintf(command, sizeof command, "chmod 700 %s", folder);
        assert_int_equal(system(command), 0);
    }
    /* One that is not there yet is made, with its parents, and holds nothing of the try. */
    snprintf(inner, sizeof inner, "%s/a/b", folder);
    desc.dump_dir = inner;
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    xl_context_destroy(ctx);
    assert_int_equal(rmdir(inner), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--say-why") == 0)
        return say_why();
    return xlt_run_tests(NULL, xlt_teardown);
}
