/* SPDX-License-Identifier: MIT
 * Names the device that the tests would run on, or, with --others, the selector
 * of each device that is no PoCL processor: ci/test.sh asks before it tests. */
#include <crosslane/crosslane.h>

#include <stdio.h>
#include <string.h>

static void print_other(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                        cl_device_id did)
{
    char name[256] = "";
    cl_device_type type = 0;
    (void)user;
    clGetPlatformInfo(pid, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(did, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (!strstr(name, "Portable Computing Language") || !(type & CL_DEVICE_TYPE_CPU))
        printf("%u:%u\n", platform, device);
}

int main(int argc, char **argv)
{
    xl_context *ctx;
    xl_device_info info;
    if (argc > 1 && strcmp(argv[1], "--others") == 0) {
        xl_devices_each(print_other, NULL);
        return 0;
    }
    if (xl_context_create(NULL, &ctx) != XL_SUCCESS ||
        xl_context_device_info(ctx, &info) != XL_SUCCESS) {
        fprintf(stderr, "%s\n", xl_context_error(NULL));
        return 1;
    }
    printf("%s (%s, driver %s), sub-group size %u\n", info.name, info.platform, info.driver,
           info.sub_group_size);
    xl_context_destroy(ctx);
    return 0;
}
