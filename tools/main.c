/* SPDX-License-Identifier: MIT
 * The `crosslane` program: finds the subcommand and lets it run. */
#include "tool.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int, char **);
    const char *help;
} commands[] = {
    {"devices", tool_devices, "list every OpenCL platform and device and what it can do"},
    {"selftest", tool_selftest, "check every primitive on a device against serial code"},
    {"scan", tool_scan, "running sums, minima ... of an array, or of each of its segments"},
    {"reduce", tool_reduce, "the sum, least element ... of an array, or of each of its segments"},
    {"sort", tool_sort, "sort an array, with values, or find the order"},
    {"topk", tool_topk, "the k largest or smallest of an array, or where they stand"},
    {"merge", tool_merge, "merge two sorted arrays into one"},
    {"search", tool_search, "where numbers belong in a sorted array"},
    {"select", tool_select, "keep what is wanted of an array, part it, or find its runs"},
    {"neighbors", tool_neighbors, "neighbours of each point within a radius"},
    {"tune", tool_tune, "find faster tuning values for a device, and write them to a file"},
};

static void print_help(void)
{
    printf("Usage: crosslane COMMAND [OPTIONS]\n\n"
           "Parallel primitives on any OpenCL device, for arrays in .npy files.\n\n");
    for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
        printf("  %-10s  %s\n", commands[i].name, commands[i].help);
    printf("\n\"crosslane COMMAND --help\" says more. The device is the one that --device or\n"
           "CROSSLANE_DEVICE names: \"gpu\", \"cpu\", a part of its name, or \"platform:device\".\n"
           "Exit status: 0 done, 1 failed, 2 wrong usage.\n");
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return tool_misuse("no command given; try \"crosslane --help\"");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return TOOL_HELPED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("crosslane %s\n", xl_version_string());
        return TOOL_HELPED;
    }
    for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return tool_misuse("unknown command \"%s\"; \"crosslane --help\" lists them", argv[1]);
}

int main(int argc, char **argv)
{
    signals_start();
    if (!host_open_standard_streams())
        return tool_fail(
            "a standard stream is closed, and /dev/null cannot be opened in its place");
    int result = dispatch(argc, argv);
    progress_clear();
    if (result <= TOOL_OK) /* whatever failed has printed its line */
        result = tool_flush();
    return result;
}
