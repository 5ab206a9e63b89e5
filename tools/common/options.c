/* SPDX-License-Identifier: MIT
 * Parses the options of a command by a table, and prints its help. */
#define _GNU_SOURCE
#include "tool.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 40, HELP_CODE = 1, VERSION_CODE = 2, FIRST_CODE = 3 };

static void print_help(const tool_syntax *syntax)
{
    printf("Usage: crosslane %s%s%s [OPTIONS]\n\n%s\n\nOptions:\n", syntax->name,
           syntax->files ? " " : "", syntax->files ? syntax->files : "", syntax->about);
    for (size_t i = 0; i < syntax->num_options; ++i) {
        const tool_option *o = &syntax->options[i];
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-26s  %s", left, o->help);
        for (size_t c = 0; o->choices && o->choices[c]; ++c)
            printf("%s%s", c ? ", " : ": ", o->choices[c]);
        printf("\n");
    }
    printf("  %-26s  %s\n", "--help, -h", "this text");
}

int print_version(void)
{
    printf("crosslane %s\n", xl_version_string());
    return TOOL_HELPED;
}

static int set_number(const tool_syntax *syntax, const tool_option *o, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end)
        return tool_misuse("%s: --%s: \"%s\"; must be a number", syntax->name, o->name, text);
    *(tool_number *)o->value = (tool_number){value, true};
    return TOOL_OK;
}

static int set_count(const tool_syntax *syntax, const tool_option *o, const char *text)
{
    if (!count_parse(text, o->value))
        return tool_misuse("%s: --%s: \"%s\"; must be a whole number from 0 to 2^64 - 1",
                           syntax->name, o->name, text);
    return TOOL_OK;
}

static int set_choice(const tool_syntax *syntax, const tool_option *o, const char *text)
{
    char known[256];
    size_t used = 0;
    for (int c = 0; o->choices[c]; ++c) {
        if (strcmp(o->choices[c], text) == 0) {
            *(int *)o->value = c;
            return TOOL_OK;
        }
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", c ? ", " : "",
                                 o->choices[c]);
    }
    return tool_misuse("%s: --%s: \"%s\"; must be one of %s", syntax->name, o->name, text, known);
}

/* getopt does not support two arguments: takes the second one here. */
static int set_pair(const tool_syntax *syntax, const tool_option *o, const char *text, int argc,
                    char **argv)
{
    const char **pair = o->value;
    if (optind >= argc)
        return tool_misuse("%s: --%s requires two arguments: %s", syntax->name, o->name,
                           o->argument);
    pair[0] = text;
    pair[1] = argv[optind++];
    return TOOL_OK;
}

static int set_option(const tool_syntax *syntax, const tool_option *o, int argc, char **argv)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        return TOOL_OK;
    case OPTION_TEXT:
        *(const char **)o->value = optarg;
        return TOOL_OK;
    case OPTION_PAIR:
        return set_pair(syntax, o, optarg, argc, argv);
    case OPTION_NUMBER:
        return set_number(syntax, o, optarg);
    case OPTION_COUNT:
        return set_count(syntax, o, optarg);
    case OPTION_CHOICE:
        return set_choice(syntax, o, optarg);
    }
    return TOOL_FAILED;
}

static int take_files(const tool_syntax *syntax, int argc, char **argv,
                      const char *files[TOOL_MAX_FILES])
{
    size_t given = (size_t)(argc - optind);
    for (size_t i = 0; i < TOOL_MAX_FILES; ++i)
        files[i] = i < given ? argv[optind + (int)i] : NULL;
    if (given > syntax->max_files)
        return tool_misuse("%s: \"%s\" is one file too many; usage: crosslane %s%s%s [OPTIONS]",
                           syntax->name, argv[optind + (int)syntax->max_files], syntax->name,
                           syntax->files ? " " : "", syntax->files ? syntax->files : "");
    if (given < syntax->min_files)
        return tool_misuse("%s: %zu of %zu files given; usage: crosslane %s %s [OPTIONS]",
                           syntax->name, given, syntax->min_files, syntax->name, syntax->files);
    return TOOL_OK;
}

static void fill_table(const tool_syntax *syntax, struct option table[MAX_OPTIONS + 3])
{
    assert(syntax->num_options <= MAX_OPTIONS);
    for (size_t i = 0; i < syntax->num_options; ++i)
        table[i] = (struct option){syntax->options[i].name,
                                   syntax->options[i].kind == OPTION_FLAG ? no_argument
                                                                          : required_argument,
                                   NULL, FIRST_CODE + (int)i};
    table[syntax->num_options] = (struct option){"help", no_argument, NULL, HELP_CODE};
    table[syntax->num_options + 1] = (struct option){"version", no_argument, NULL, VERSION_CODE};
    table[syntax->num_options + 2] = (struct option){NULL, 0, NULL, 0};
}

int options_parse(const tool_syntax *syntax, int argc, char **argv,
                  const char *files[TOOL_MAX_FILES])
{
    struct option table[MAX_OPTIONS + 3];
    int code, result = TOOL_OK;
    fill_table(syntax, table);
    opterr = 0;
    optind = 1;
    while (result == TOOL_OK && (code = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        if (code == HELP_CODE || code == 'h') {
            print_help(syntax);
            return TOOL_HELPED;
        }
        if (code == VERSION_CODE)
            return print_version();
        if (code == ':')
            return tool_misuse("%s: %s requires an argument", syntax->name, argv[optind - 1]);
        if (code == '?' && optopt >= FIRST_CODE && optopt < FIRST_CODE + MAX_OPTIONS)
            return tool_misuse("%s: --%s takes no argument", syntax->name,
                               syntax->options[optopt - FIRST_CODE].name);
        if (code == '?')
            return tool_misuse(
                "%s: unknown option \"%s\"; \"crosslane %s --help\" lists the options",
                syntax->name, argv[optind - 1], syntax->name);
        result = set_option(syntax, &syntax->options[code - FIRST_CODE], argc, argv);
    }
    return result == TOOL_OK ? take_files(syntax, argc, argv, files) : result;
}

static bool is_name(const char *given, const char *name, size_t length)
{
    return strlen(given) == length && strncmp(given, name, length) == 0;
}

static int check_name(const char *command, const char *what, const char *given, tool_name *known)
{
    char list[256] = "";
    const char *name, *last = "";
    size_t used = 0, length;
    for (size_t k = 0; length = known(k, &name), name; ++k) {
        if (is_name(given, name, length))
            return TOOL_OK;
        if (length == 0 || strcmp(name, last) == 0)
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used ? ", " : "",
                                 (int)length, name);
        last = name;
    }
    return tool_misuse("%s: %s: \"%s\"; must be one of %s", command, what, given, list);
}

int names_check(const char *command, const char *what, const char *const given[TOOL_MAX_FILES],
                tool_name *known)
{
    int result = TOOL_OK;
    for (size_t i = 0; i < TOOL_MAX_FILES && result == TOOL_OK && given[i]; ++i)
        result = check_name(command, what, given[i], known);
    return result;
}

bool names_include(const char *const given[TOOL_MAX_FILES], const char *name, size_t length)
{
    bool included = !given[0];
    for (size_t i = 0; i < TOOL_MAX_FILES && given[i]; ++i)
        included = included || is_name(given[i], name, length);
    return included;
}
