/* SPDX-License-Identifier: MIT
 * Replaces the fields in errors of the library by options of the command line. */
#include "tool.h"

#include <string.h>

/* An ending _f64 is ignored. A command of NULL: all commands. */
static const struct {
    const char *command, *field, *option;
} fields[] = {
    {NULL, "device", "--device"},
    {NULL, "tune_file", "--tune-file"},
    {NULL, "type", "elements"},
    {NULL, "load_type", "elements"},
    {NULL, "key", "keys"},
    {NULL, "op", "--op"},
    {NULL, "init", "--init"},
    {NULL, "algorithm", "--algorithm"},
    {NULL, "determinism", "--determinism"},
    {NULL, "segment_width", "--width"},
    {NULL, "segment_mask", "--mask"},
    {NULL, "order", "--descending"},
    {NULL, "stable", "--stable"},
    {NULL, "value", "--values"},
    {"sort", "segments", "--offsets"},
    {"sort", "values_only", "--argsort"},
    {"top_k", "k", "--k"},
    {"top_k", "largest", "--smallest"},
    {"top_k", "sorted", "--input-order"},
    {"search", "kind", "--upper"},
    {"histogram", "num_bins", "--bins"},
    {"histogram", "lower", "--range"},
    {"histogram", "upper", "--range"},
    {"histogram", "lower_integer", "--range"},
    {"histogram", "upper_integer", "--range"},
    {"histogram", "kind", "--bins"},
    {"select", "predicate", "--where"},
    {"select", "by", "--flags"},
    {"select", "index", "--indices"},
    {"neighbors", "points", "points"},
    {"neighbors", "scalar", "points"},
    {"neighbors", "dimensions", "points"},
    {"neighbors", "cell_size", "--radius"},
    {"neighbors", "radius", "--radius"},
    {"neighbors", "max_radius", "--radius"},
    {"neighbors", "radii", "--radii"},
    {"neighbors", "k", "--nearest"},
    {"neighbors", "queries", "--queries"},
    {"neighbors", "batch", "--systems"},
    {"neighbors", "num_systems", "--systems"},
    {"neighbors", "systems", "--systems"},
    {"neighbors", "query_systems", "--query-systems"},
    {"neighbors", "bounded", "--box"},
    {"neighbors", "lower", "--box"},
    {"neighbors", "upper", "--box"},
    {"neighbors", "periodic", "--periodic"},
    {"neighbors", "wrap", "--wrap"},
    {"neighbors", "triclinic", "--cell"},
    {"neighbors", "cell", "--cell"},
    {"neighbors", "origin", "--origin"},
    {"neighbors", "half", "--half"},
    {"neighbors", "include_self", "--self"},
    {"neighbors", "inclusive", "--inclusive"},
    {"neighbors", "shifts", "--shifts"},
    {"neighbors", "row_capacity", "--row-capacity"},
};

static const char *command = "";

void fields_use_command(const char *name)
{
    command = name;
}

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]))
        ++length;
    return length;
}

/* The option for a field's name; NULL if none is known. */
static const char *option_of(const char *name, size_t length)
{
    static const char wide[] = "_f64";
    const size_t end = sizeof wide - 1;
    if (length > end && strncmp(name + length - end, wide, end) == 0)
        length -= end;
    for (size_t i = 0; i < TOOL_COUNT(fields); ++i)
        if (strncmp(fields[i].field, name, length) == 0 && !fields[i].field[length] &&
            (!fields[i].command || strcmp(fields[i].command, command) == 0))
            return fields[i].option;
    return NULL;
}

/* Writes "[2]" as " z" and "[2][1]" as " CY", as --box and --cell name their numbers. Returns the
 * bytes that were read. */
static size_t index_text(const char *text, char out[4])
{
    static const char axes[] = "xyz";
    unsigned row = 0, column = 0;
    int read = 0;
    out[0] = '\0';
    if (sscanf(text, "[%1u][%1u]%n", &row, &column, &read) == 2 && read && row < 3 && column < 3)
        snprintf(out, 4, " %c%c", "ABC"[row], "XYZ"[column]);
    else if (sscanf(text, "[%1u]%n", &row, &read) == 1 && read && row < 3)
        snprintf(out, 4, " %c", axes[row]);
    return out[0] ? (size_t)read : 0;
}

/* Writes the option that replaces the field at `text`. Returns the bytes that were read; 0 if there
 * is no field that must be replaced. */
static size_t replace(const char *text, bool first, char *out, size_t size)
{
    const bool prefixed = strncmp(text, "desc.", 5) == 0 || strncmp(text, "args.", 5) == 0;
    const char *const name = text + (prefixed ? 5 : 0);
    const size_t length = word_length(name);
    const char *const option = prefixed || first ? option_of(name, length) : NULL;
    char index[4] = "";
    size_t more = 0;
    if (length == 0 || (!prefixed && !option))
        return 0;
    if (option)
        more = index_text(name + length, index);
    snprintf(out, size, "%.*s%s", (int)(option ? strlen(option) : length), option ? option : name,
             index);
    return (size_t)(name - text) + length + more;
}

/* Skips the name of a function in front. */
static const char *skip_function(const char *text)
{
    const size_t length = word_length(text);
    const bool is_function = strncmp(text, "xl_", 3) == 0 && strncmp(text + length, ": ", 2) == 0;
    return is_function ? text + length + 2 : text;
}

void fields_as_options(char *out, size_t size, const char *text)
{
    char option[128], before[128] = "";
    size_t used = 0;
    text = skip_function(text);
    for (const char *at = text; *at && used + 1 < size;) {
        const bool begins = at == text || !is_letter(at[-1]);
        const size_t read = begins ? replace(at, at == text, option, sizeof option) : 0;
        if (read == 0) {
            out[used++] = *at++;
            continue;
        }
        at += read;
        /* "lower[0], upper[0]" are one option. */
        const bool again = strcmp(option, before) == 0 && used > 2 && out[used - 2] == ',';
        memcpy(before, option, sizeof before);
        if (again)
            used -= 2;
        else
            used += (size_t)snprintf(out + used, size - used, "%s", option);
        used = used < size ? used : size - 1;
    }
    out[used] = '\0';
}
