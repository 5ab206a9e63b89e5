/* SPDX-License-Identifier: MIT
 * Shared by the commands of the `crosslane` program. The program uses the library's public
 * interface only. */
#ifndef TOOL_H
#define TOOL_H

#include <crosslane/crosslane.h>

#include "npy.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A command returns one of these. All but the last are exit statuses of the program. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_HELPED = -1 };

/* The idiom for errors: requires `int result` and a label `done`. The function that fails prints
 * the error. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        result = (expression);                                                                     \
        if (result != TOOL_OK)                                                                     \
            goto done;                                                                             \
    } while (0)

#define TOOL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- commands: argv[0] is the name of the command ---- */
int tool_devices(int argc, char **argv);
int tool_selftest(int argc, char **argv);
int tool_bench(int argc, char **argv);
int tool_scan(int argc, char **argv);
int tool_reduce(int argc, char **argv);
int tool_sort(int argc, char **argv);
int tool_topk(int argc, char **argv);
int tool_merge(int argc, char **argv);
int tool_search(int argc, char **argv);
int tool_select(int argc, char **argv);
int tool_histogram(int argc, char **argv);
int tool_neighbors(int argc, char **argv);
int tool_tune(int argc, char **argv);
int tool_warm(int argc, char **argv);

/* ---- messages.c: standard error ---- */

/* Prints "crosslane: ..." in one line, by text_printable(), and returns TOOL_FAILED or
 * TOOL_USAGE. */
int tool_fail(const char *format, ...) XLI_PRINTF(1, 2);
int tool_misuse(const char *format, ...) XLI_PRINTF(1, 2);
/* Prints a note in the same form; the command continues. */
void tool_note(const char *format, ...) XLI_PRINTF(1, 2);
/* TOOL_OK for XL_SUCCESS; else tool_fail() with the library's text in one line. `what`, unless it
 * is NULL, is printed in front of it. */
int tool_check(const xl_context *ctx, xl_status status, const char *what);
int tool_check_cl(cl_int code, const char *what);
/* TOOL_OK if standard output has been written; else tool_fail(). */
int tool_flush(void);

/* Shows the current step on a terminal. The next message clears it. */
void progress_say(const char *format, ...) XLI_PRINTF(1, 2);
/* Shows it only if no other call of these functions, and no message, comes within `seconds`. The
 * text is borrowed until then. */
void progress_after(double seconds, const char *text);
/* The same, before a call that may compile kernels. */
void progress_compiling(void);
void progress_clear(void);
/* Shows this text instead of the others until progress_unpin(): for a command that calls others. */
void progress_pin(const char *format, ...) XLI_PRINTF(1, 2);
void progress_unpin(void);

/* ---- field_names.c: options in place of fields in the library's errors ---- */
/* Sets the command whose options are used. The text is borrowed. */
void fields_use_command(const char *command);
/* Replaces names of fields, such as desc.cell[1][0], by options, such as --cell BX. The text is cut
 * at `size`. */
void fields_as_options(char *out, size_t size, const char *text);

/* ---- printable.c: text that is safe on a terminal ---- */
/* Returns the bytes of the first character. *shown: whether it is printed unchanged, which control
 * characters, line ends and bytes that are not UTF-8 are not. */
size_t text_character(const char *text, bool *shown);
/* Writes characters that are not shown as \n, \t or \xNN. The text is cut at `size`. Returns
 * `out`. */
const char *text_printable(char *out, size_t size, const char *text);
/* Replaces line ends by "; ". The text is cut at `size`. */
void text_one_line(char *out, size_t size, const char *text);

/* ---- host.c: the operating system ---- */
/* Whether standard error is a terminal, also while host_hold_errors() holds text. */
bool host_has_terminal(void);
/* Writes to it at once. */
void host_show(const char *text);
/* Calls run() on another thread after `seconds`, unless host_cancel() comes before. One call waits
 * at a time. run() must not call OpenCL. */
void host_later(double seconds, void (*run)(void));
/* When this returns, run() has ended, or is never called. */
void host_cancel(void);
double host_milliseconds(void);
/* Opens standard streams that are closed, so that no other file gets their numbers and receives
 * standard output. */
bool host_open_standard_streams(void);
/* Between these calls, text that a driver prints on standard error is held. It is then printed or
 * discarded. It is lost if the driver ends the program meanwhile. */
void host_hold_errors(void);
void host_release_errors(bool print);
/* Between these calls, standard output is discarded. */
void host_hold_output(void);
void host_release_output(void);
/* Opens a file for reading. NULL on failure, with errno set, EISDIR for a folder. */
FILE *host_open_input(const char *path);

/* ---- host_output.c: output files ---- */
/* Opens a stream whose bytes replace the file `path`, or the file that it links to, on
 * host_replace(). The new file has the permissions and the owner of the old one. *temporary is
 * allocated text. It is NULL if `path` is not a regular file (a pipe, a device, or an open stream
 * such as /dev/stdout), which is written directly. NULL on failure, with errno set. */
FILE *host_open_output(const char *path, char **target, char **temporary);
/* Whether host_open_output() would probably succeed; if not, errno has the reason. */
bool host_may_write(const char *path);
/* Whether an output of that name replaces a regular file. */
bool host_replaces_file(const char *path);
/* Whether both names are, or would be, the same regular file. */
bool host_is_one_file(const char *a, const char *b);
/* Waits until the data is on the disk. */
bool host_sync(FILE *stream);
/* Waits until the name of the file is on the disk. */
bool host_sync_folder(const char *target);
/* Call host_replace() while signals are held, host_remove() while they are not. */
bool host_replace(const char *temporary, const char *target);
void host_remove(const char *temporary);
/* Creates a temporary folder for this user. NULL on failure, else its name, which is allocated. If
 * a signal ends the program, it is removed after the files. */
char *host_make_folder(void);
/* Removes an empty folder. */
void host_remove_folder(const char *folder);
/* The name of a file that discards everything. */
extern const char host_null_file[];

/* ---- host_signals.c: temporary files are removed if a signal ends the program ---- */
enum { TOOL_MAX_OUTPUTS = 8, TOOL_MAX_TEMPORARIES = 16 };
/* Call this before drivers are loaded. */
void signals_start(void);
/* Signals between these calls are delayed. The calls do not nest. One thread writes files. */
void signals_hold(void);
void signals_release(void);
/* Registers a file, or an empty folder, to remove. Call both while signals are held. The text is
 * borrowed until signals_forget(). */
void signals_note(char *temporary);
void signals_forget(const char *temporary);

/* ---- options.c ---- */
typedef enum option_kind {
    OPTION_FLAG,   /* bool: set to true */
    OPTION_TEXT,   /* const char * */
    OPTION_PAIR,   /* const char *[2]: two arguments */
    OPTION_NUMBER, /* tool_number; NaN and infinities are accepted */
    OPTION_COUNT,  /* uint64_t, decimal or hexadecimal */
    OPTION_CHOICE  /* int: the index in `choices` */
} option_kind;

typedef struct tool_number {
    double value;
    bool given;
} tool_number;

typedef struct tool_option {
    const char *name;
    option_kind kind;
    void *value;
    const char *argument; /* its name in the help; NULL for a flag */
    const char *help;
    const char *const *choices; /* NULL-terminated */
} tool_option;

/* Entries of a table of options. */
#define TEXT_OPTION(name, at, argument, help)                                                      \
    {                                                                                              \
        (name), OPTION_TEXT, &(at), (argument), (help), NULL                                       \
    }
#define FLAG_OPTION(name, at, help)                                                                \
    {                                                                                              \
        (name), OPTION_FLAG, &(at), NULL, (help), NULL                                             \
    }
/* Options of several commands. */
#define DEVICE_OPTION(at)                                                                          \
    {                                                                                              \
        "device", OPTION_TEXT, &(at), "SEL", "the device; see crosslane devices", NULL             \
    }
#define JSON_OPTION(at, what)                                                                      \
    {                                                                                              \
        "json", OPTION_FLAG, &(at), NULL, what " as one JSON object", NULL                         \
    }
#define TUNE_FILE_OPTION(at)                                                                       \
    {                                                                                              \
        "tune-file", OPTION_TEXT, &(at), "FILE", "tuning values; see crosslane tune", NULL         \
    }
/* The last options of each command that runs a plan. */
#define RUN_OPTIONS(o)                                                                             \
    DEVICE_OPTION((o).device), TUNE_FILE_OPTION((o).tune_file), JSON_OPTION((o).as_json, "a report")

enum { TOOL_MAX_FILES = 12 };

typedef struct tool_syntax {
    const char *name;
    const char *files; /* in the usage line: "IN.npy OUT.npy" */
    size_t min_files, max_files;
    const char *about;
    const tool_option *options;
    size_t num_options;
} tool_syntax;

/* Sets the values of the options, and the files (NULL if absent). Returns TOOL_USAGE after a
 * message, TOOL_HELPED after --help and --version. */
int options_parse(const tool_syntax *syntax, int argc, char **argv,
                  const char *files[TOOL_MAX_FILES]);
int print_version(void); /* returns TOOL_HELPED */

/* For commands whose `files` are names of things: stores in *name the k-th name that exists, NULL
 * behind the last, and returns its length; 0: skip it. Equal names follow one another. */
typedef size_t tool_name(size_t k, const char **name);
/* Whether all names that are given exist; else TOOL_USAGE after a message, which lists them. `what`
 * is the word for a name in the usage. */
int names_check(const char *command, const char *what, const char *const given[TOOL_MAX_FILES],
                tool_name *known);
/* Whether this name is given, or none is. */
bool names_include(const char *const given[TOOL_MAX_FILES], const char *name, size_t length);

/* ---- elements.c: single elements ---- */
/* Reads a whole number in decimal or, after 0x, hexadecimal digits; a sign is not accepted. */
bool count_parse(const char *text, uint64_t *value);
/* Reads and writes an integer of 1, 2, 4 or 8 bytes. */
uint64_t element_bits(const void *from, size_t bytes);
void element_put(uint64_t bits, size_t bytes, void *to);
/* Reads one element from text; false if it is not a value of that type. `out` has 8 bytes. */
bool element_parse(const char *text, xl_type type, void *out);
enum { ELEMENT_TEXT_BYTES = 48 };
/* Writes element i as text, a NaN with its bits. Returns `text`. */
const char *element_text(const xli_npy *array, size_t i, char text[ELEMENT_TEXT_BYTES]);
extern const char *const determinism_names[]; /* by xl_determinism, then NULL */

/* ---- json.c: writes one object ---- */
typedef struct json {
    FILE *stream;
    bool first;
} json;
json json_begin(FILE *stream); /* opens the object */
void json_end(json *j);        /* closes it and the line */
/* `key` is NULL inside an array. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);
/* Control characters are escaped; bytes that are not UTF-8 become U+FFFD. */
void json_text(json *j, const char *key, const char *text);
void json_count(json *j, const char *key, uint64_t value);
void json_number(json *j, const char *key, double value); /* null if not finite */
void json_bool(json *j, const char *key, bool value);
struct stage;
void json_times(json *j, const struct stage *st); /* null if the device reports no time */

/* ---- arrays.c: arrays in files ---- */
int array_read(const char *path, xli_npy *array);
/* The library's type; bool is u8 with the values 0 and 1. */
xl_type array_type(const xli_npy *array);
/* The name of the type of its elements: "i16", "bool". Static storage. */
const char *array_type_name(const xli_npy *array);
/* Reads an array of one dimension and at most `most` elements. Its type must be *type, unless that
 * is XL_NONE, which it replaces. */
int array_read_keys(const char *command, const char *path, size_t most, xli_npy *keys,
                    xl_type *type);
/* Fails unless the array has one dimension. */
int array_check_vector(const char *command, const char *path, const xli_npy *array);

/* Output files that appear together: each has a temporary name until all are complete and on the
 * disk, and is then renamed. */
typedef struct output {
    char *target;
    char *temporary;
    FILE *stream;
} output;
typedef struct outputs {
    output items[TOOL_MAX_OUTPUTS];
    size_t count;
} outputs;
/* An output file and its name on the command line. path is NULL if it is not given. */
typedef struct named_output {
    const char *name, *path;
} named_output;
/* Call this before any work. Returns TOOL_FAILED if a file cannot be written, TOOL_USAGE if two
 * names are the same file. */
int outputs_check(const char *command, const named_output *files, size_t count);
/* Opens one more file. The caller writes *stream. */
int outputs_open(outputs *list, const char *path, FILE **stream);
int outputs_npy(outputs *list, const char *path, const xli_npy *array);
/* Writes the header of an array. outputs_append() then writes the elements, as many as its shape
 * has. */
int outputs_npy_head(outputs *list, const char *path, const xli_npy *array, FILE **stream);
int outputs_append(FILE *stream, const char *path, const void *data, size_t bytes);
/* Closes and renames all files; signals wait. */
int outputs_commit(outputs *list);
/* Closes and removes files that are not committed. Always called at the end. */
void outputs_abandon(outputs *list);

/* ---- session.c: a device, its queue, buffers, times ---- */
typedef struct session {
    xl_context *ctx;
    cl_command_queue queue;
    xl_device_info info;
} session;
/* tune_file: NULL uses the file that the environment names, "" uses none. */
int session_open(session *s, const char *device, const char *tune_file);
void session_close(session *s);
/* Creates a buffer of at least one byte. `what` names it in errors. */
int session_buffer(const session *s, size_t bytes, const char *what, cl_mem *buffer);
int session_upload(const session *s, const void *data, size_t bytes, const char *what,
                   cl_mem *buffer);
int session_read(const session *s, cl_mem buffer, size_t bytes, void *data);
/* Call progress_compiling() before the creation of a plan, and this after it. Builds the other
 * programs that a call with the sizes of `args` needs. `what` is printed in front of errors. */
int session_prepare(const session *s, xl_status created, xl_plan *const *plan, const void *args,
                    const char *what);
void session_release(cl_mem *buffer);

/* ---- order_check.c ---- */
/* Fails unless the array is sorted as by xl_sort(); the error names the first element that is not.
 * `buffer` is the array on the device. */
int order_check(const session *s, const char *command, const char *path, const xli_npy *keys,
                cl_mem buffer, bool descending);
#define ASSUME_SORTED_OPTION(at)                                                                   \
    {                                                                                              \
        "assume-sorted", OPTION_FLAG, &(at), NULL, "do not check the order of inputs", NULL        \
    }

/* ---- segments.c: options for segments ---- */
typedef struct segment_options {
    const char *flags, *bits, *keys, *offsets, *width, *mask;
} segment_options;
#define SEGMENT_OPTIONS(o)                                                                         \
    TEXT_OPTION("flags", (o).flags, "F.npy", "a segment begins at each element that is not 0"),    \
        TEXT_OPTION("bits", (o).bits, "B.npy",                                                     \
                    "a segment begins at each bit that is set, in u32 words"),                     \
        TEXT_OPTION("keys", (o).keys, "K.npy", "a segment is a run of equal integers"),            \
        TEXT_OPTION("offsets", (o).offsets, "O.npy",                                               \
                    "CSR: segment s is [O[s], O[s + 1]); 32- or 64-bit integers"),                 \
        TEXT_OPTION("width", (o).width, "W", "segments of W elements"),                            \
        TEXT_OPTION("mask", (o).mask, "M",                                                         \
                    "with --width, 1 to 64: segments begin at set bits of M")

typedef struct segments {
    xl_segments form;
    const char *path;
    bool partial; /* offsets may begin above 0 and have no end */
    xl_type type; /* of keys and offsets, for a descriptor */
    uint64_t width, mask;
    xli_npy array;
    cl_mem buffer;
} segments;
extern const char *const segments_names[]; /* by xl_segments */
/* TOOL_USAGE with a message if options exclude each other; `axis` is the value of --axis. */
int segments_choose(const char *command, const segment_options *o, int axis, segments *g);
/* Partial offsets, for a sort; no segments if the path is NULL. */
segments segments_partial(const char *path);
/* Reads the array, if there is one, and checks that it fits n elements. */
int segments_read(const char *command, segments *g, size_t n);
int segments_upload(const session *s, segments *g);
xl_view segments_view(const segments *g);
void segments_free(segments *g);

/* ---- slices.c: arrays of two dimensions, along an axis ---- */
enum { AXIS_NONE = -1 };
extern const char *const axis_names[];
#define AXIS_OPTION(at)                                                                            \
    {                                                                                              \
        "axis", OPTION_CHOICE, &(at), "A", "the axis, if IN has two dimensions", axis_names        \
    }
typedef struct slices {
    bool is_table; /* the array has two dimensions */
    int axis;
    size_t count, length; /* slices along the axis, and elements of each */
} slices;
/* Makes the array one-dimensional, with one slice behind the other. A table requires an axis. */
int slices_take(const char *command, const char *path, int axis, xli_npy *array, slices *s);
/* Reads an array of at most `most` elements, and takes its slices (arrays.c). */
int array_read_slices(const char *command, const char *path, size_t most, int axis, xli_npy *array,
                      slices *s);
/* Gives results, `length` for each slice, the shape of two dimensions again. */
int slices_restore(const slices *s, const char *path, size_t length, xli_npy *results);
/* Sets *g to segments of the first `count` slices; count may be one more, for the end of the last
 * slice. No effect on an array of one dimension. */
int slices_segments(const char *command, const slices *s, size_t count, segments *g);
/* Makes indices into the whole array indices along the axis. UINT64_MAX stays. */
void slices_indices(const slices *s, xli_npy *indices);

/* ---- accumulator.c: the types of sums and products ---- */
typedef struct accumulator_options {
    int dtype; /* xl_type; XL_NONE: i64, u64 or f64 */
    bool wrap;
} accumulator_options;
extern const char *const accumulator_dtypes[]; /* by xl_type, then NULL */
#define ACCUMULATOR_OPTIONS(o)                                                                     \
    {"dtype",                                                                                      \
     OPTION_CHOICE,                                                                                \
     &(o).dtype,                                                                                   \
     "TYPE",                                                                                       \
     "type of sums and products (auto: i64, u64 or f64)",                                          \
     accumulator_dtypes},                                                                          \
    {                                                                                              \
        "wrap", OPTION_FLAG, &(o).wrap, NULL, "integer results modulo 2^bits, not checked", NULL   \
    }

/* How a scan or a reduction accumulates. */
typedef struct accumulator {
    xl_type in, out; /* of an element, and of a result */
    xl_op op;
    bool wraps, is_chosen;
    bool is_exact; /* accumulators have 128 bits; accumulator_results() converts them */
    const char *init_text;
    uint64_t init[2]; /* an accumulator */
    /* For the descriptor; set by accumulator_open(): */
    xl_type type;
    uint32_t item_bytes;
    const char *load; /* NULL: elements are of `type` */
    const xl_user_type *user_type;
    const xl_user_op *user_op;
} accumulator;
/* Chooses the types. `init` may be NULL. TOOL_USAGE after a message if options exclude each other.
 */
int accumulator_choose(const char *command, const accumulator_options *o, xl_op op,
                       const char *init, const xli_npy *array, accumulator *t);
/* Chooses the type for this device, and whether results must be checked. */
int accumulator_open(const char *command, const session *s, const xli_npy *array, accumulator *t);
/* Sets fields of the descriptor of a scan or a reduction. */
#define ACCUMULATOR_DESCRIBE(desc, t)                                                              \
    do {                                                                                           \
        (desc)->type = (t)->type;                                                                  \
        (desc)->op = (t)->user_op ? XL_USER_OP : (t)->op;                                          \
        (desc)->init = (t)->init_text ? (t)->init : NULL;                                          \
        (desc)->load = (t)->load;                                                                  \
        (desc)->load_type = (t)->load || (t)->in != (t)->out ? (t)->in : XL_NONE;                  \
        (desc)->user_type = (t)->user_type;                                                        \
        (desc)->user_op = (t)->user_op;                                                            \
    } while (0)
/* Converts accumulators to results. Fails if one exceeds its type. `path` is the input. */
int accumulator_results(const accumulator *t, const char *path, xli_npy *results);
/* 'i', 'u' or 'f'. */
char type_kind(xl_type type);

/* The time of one stage: wall time, and device time from the end of the commands before it to the
 * end of its last command. */
typedef struct stage {
    const char *name;
    double device_ms; /* the best round; negative: the device reports no time */
    double wall_ms;   /* the best round */
    double first_ms;  /* wall time of the first round, including one-time work */
    unsigned rounds;
    double started;
    cl_event before;
} stage;
int stage_begin(const session *s, stage *st, const char *name);
/* Waits for `after` (NULL if the enqueue failed) and releases it. `result` is the result so far. */
int stage_end(stage *st, cl_event after, int result);

#endif
