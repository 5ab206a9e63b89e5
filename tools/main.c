/* SPDX-License-Identifier: MIT
 * The `crosslane` program: runs the command that its first argument names. */
#include "tool.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int, char **);
    const char *help;
} commands[] = {
    {"devices", tool_devices, "list every OpenCL device and its properties"},
    {"selftest", tool_selftest, "compare every primitive on a device with serial code"},
    {"bench", tool_bench, "time the main primitives on a device"},
    {"tune", tool_tune, "find faster tuning values for a device and write them to a file"},
    {"warm", tool_warm, "compile the kernels of the commands ahead of time"},
    {"scan", tool_scan, "running sums, minima ... of an array or of each of its segments"},
    {"reduce", tool_reduce, "the sum, minimum ... of an array or of each of its segments"},
    {"sort", tool_sort, "sort an array, alone or with values, or find its order"},
    {"topk", tool_topk, "the k largest or smallest elements, and their indices"},
    {"select", tool_select, "the elements that meet a condition, or one of each run"},
    {"merge", tool_merge, "merge two sorted arrays into one"},
    {"search", tool_search, "the places of numbers in a sorted array"},
    {"histogram", tool_histogram, "count the elements in each bin"},
    {"neighbors", tool_neighbors, "the neighbours of each point, within a radius or the k nearest"},
};

static void print_help(void)
{
    printf("Usage: crosslane COMMAND [OPTIONS]\n\n"
           "Parallel primitives on any OpenCL device, for arrays in .npy files.\n\n");
    for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
        printf("  %-10s  %s\n", commands[i].name, commands[i].help);
    printf("\n\"crosslane help COMMAND\" lists the options of a command, \"crosslane version\" "
           "prints the\n"
           "version. --device or CROSSLANE_DEVICE chooses the device: \"gpu\", \"cpu\", a part of "
           "its\n"
           "name, or \"platform:device\". Exit status: 0 success, 1 failure, 2 wrong usage.\n");
}

static int run(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < TOOL_COUNT(commands); ++i)
        if (strcmp(name, commands[i].name) == 0) {
            fields_use_command(commands[i].name);
            return commands[i].run(argc, argv);
        }
    return tool_misuse("unknown command \"%s\"; \"crosslane help\" lists the commands", name);
}

/* The help of a command, or of the program if `name` is NULL. */
static int help(char *name)
{
    char option[] = "--help";
    if (name && strcmp(name, "help") != 0)
        return run(name, 2, (char *[]){name, option, NULL});
    print_help();
    return TOOL_HELPED;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return tool_misuse("no command given; \"crosslane help\" lists the commands");
    const char *const name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0)
        return print_version();
    return run(name, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    signals_start();
    if (!host_open_standard_streams())
        return tool_fail("a standard stream is closed, and /dev/null cannot be opened instead");
    int result = dispatch(argc, argv);
    progress_clear();
    if (result <= TOOL_OK) /* a command that failed has printed its error */
        result = tool_flush();
    return result;
}
