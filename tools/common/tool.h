/* SPDX-License-Identifier: MIT
 * What the subcommands of the `crosslane` program share. The program uses the
 * library's public face only. */
#ifndef TOOL_H
#define TOOL_H

#include <crosslane/crosslane.h>

#include "npy.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a subcommand returns; also the program's exit status, but for the last. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_HELPED = -1 };

/* The one idiom for errors: needs `int result` and a label `done`. Whatever
 * fails has printed its line. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        result = (expression);                                                                     \
        if (result != TOOL_OK)                                                                     \
            goto done;                                                                             \
    } while (0)

#define TOOL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- subcommands: argv[0] is the subcommand's own name ---- */
int tool_devices(int argc, char **argv);
int tool_selftest(int argc, char **argv);
int tool_scan(int argc, char **argv);
int tool_reduce(int argc, char **argv);
int tool_sort(int argc, char **argv);
int tool_topk(int argc, char **argv);
int tool_merge(int argc, char **argv);
int tool_search(int argc, char **argv);
int tool_select(int argc, char **argv);
int tool_neighbors(int argc, char **argv);
int tool_tune(int argc, char **argv);

/* ---- messages.c: what is said on standard error ---- */

/* Prints "crosslane: ..." as one line, its text by text_printable(), and returns TOOL_FAILED or
 * TOOL_USAGE. */
int tool_fail(const char *format, ...) XLI_PRINTF(1, 2);
int tool_misuse(const char *format, ...) XLI_PRINTF(1, 2);
/* The same for what is no error: the command goes on. */
void tool_note(const char *format, ...) XLI_PRINTF(1, 2);
/* TOOL_OK for XL_SUCCESS; else tool_fail() with the library's text as one line, after `what`
 * where that is not NULL. */
int tool_check(const xl_context *ctx, xl_status status, const char *what);
int tool_check_cl(cl_int code, const char *what);
/* TOOL_OK where all that was printed has been written; else tool_fail(). */
int tool_flush(void);

/* Shows what is being done, on a terminal only; the next message clears it. */
void progress_say(const char *format, ...) XLI_PRINTF(1, 2);
void progress_clear(void);

/* ---- field_names.c: the library's errors in the words of the command line ---- */
/* Which command's options these are; the text is borrowed. */
void fields_use_command(const char *command);
/* Replaces names of fields in C, such as desc.cell[1][0], by options, such as --cell BX; cut at
 * `size`. */
void fields_as_options(char *out, size_t size, const char *text);

/* ---- printable.c: text that is safe to show ---- */
/* The bytes of the first character of a text, and whether it is shown as it is: no control
 * character, no line end, no byte that is not UTF-8. */
size_t text_character(const char *text, bool *shown);
/* Text with what is not shown written as \n, \t or \xNN, cut at `size`. Returns `out`. */
const char *text_printable(char *out, size_t size, const char *text);
/* Text with its line ends made into "; ", cut at `size`: for texts of several lines. */
void text_one_line(char *out, size_t size, const char *text);

/* ---- host.c: the operating system ---- */
bool host_is_terminal(FILE *stream);
double host_milliseconds(void);
/* Takes the numbers of standard streams that are closed, so that no file gets them and is written
 * what was meant for standard output. */
bool host_open_standard_streams(void);
/* What a driver prints on standard error is kept back from one to the other, and then printed or
 * dropped. If the driver ends the program meanwhile, it is lost. */
void host_hold_errors(void);
void host_release_errors(bool print);
/* For reading; NULL with errno set on failure, EISDIR for a folder. */
FILE *host_open_input(const char *path);

/* ---- host_output.c: files that are written ---- */
/* Opens a stream whose bytes replace `path`, or what it links to, on host_replace(); rights and
 * owner are those of the file that is replaced. *temporary is allocated text, or NULL where
 * `path` is no regular file (a pipe, a device, an open stream such as /dev/stdout) and is written
 * directly. NULL with errno set on failure. */
FILE *host_open_output(const char *path, char **target, char **temporary);
/* Whether it could be opened by that, as far as can be told without doing so; errno says why
 * not. */
bool host_may_write(const char *path);
/* Whether an output of that name replaces a file: no pipe, device or open stream. */
bool host_replaces_file(const char *path);
/* Whether both name the same file, or would; never true of pipes and devices. */
bool host_is_one_file(const char *a, const char *b);
/* Waits until what was written is on the disk. */
bool host_sync(FILE *stream);
/* ... until the name of a file is. */
bool host_sync_folder(const char *target);
/* While signals are held, which host_remove() is not called in. */
bool host_replace(const char *temporary, const char *target);
void host_remove(const char *temporary);

/* ---- host_signals.c: what a signal removes before it ends the program ---- */
enum { TOOL_MAX_OUTPUTS = 8 };
/* Before drivers are loaded. */
void signals_start(void);
/* Signals wait from one to the other; the two do not nest. One thread writes files. */
void signals_hold(void);
void signals_release(void);
/* A file to remove, while signals are held; the text is borrowed until it is forgotten. */
void signals_note(char *temporary);
void signals_forget(const char *temporary);

/* ---- options.c ---- */
typedef enum option_kind {
    OPTION_FLAG,   /* bool: set to true */
    OPTION_TEXT,   /* const char * */
    OPTION_PAIR,   /* const char *[2]: two arguments, of a name that has both */
    OPTION_NUMBER, /* tool_number; NaN and infinities come through */
    OPTION_COUNT,  /* uint64_t, decimal or hexadecimal */
    OPTION_CHOICE  /* int: the position in `choices` */
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

/* Of every subcommand that makes plans. */
#define TUNE_FILE_OPTION(at)                                                                       \
    {                                                                                              \
        "tune-file", OPTION_TEXT, &(at), "FILE", "tuning values; see crosslane tune", NULL         \
    }

enum { TOOL_MAX_FILES = 8 };

typedef struct tool_syntax {
    const char *name;
    const char *files; /* the part of the usage line that names them: "IN.npy OUT.npy" */
    size_t min_files, max_files;
    const char *about;
    const tool_option *options;
    size_t num_options;
} tool_syntax;

/* Sets the values that the options name and the files (NULL where absent).
 * TOOL_USAGE after a message, TOOL_HELPED after --help and --version. */
int options_parse(const tool_syntax *syntax, int argc, char **argv,
                  const char *files[TOOL_MAX_FILES]);
int print_version(void); /* returns TOOL_HELPED */

/* ---- elements.c: single elements ---- */
/* Reads a whole number in decimal or, after 0x, hexadecimal digits; a sign is not accepted. */
bool count_parse(const char *text, uint64_t *value);
/* An integer of 1, 2, 4 or 8 bytes in memory, whatever the byte order. */
uint64_t element_bits(const void *from, size_t bytes);
void element_put(uint64_t bits, size_t bytes, void *to);
/* One element from text; false if it is none of that type. `out` has 8 bytes. */
bool element_parse(const char *text, xl_type type, void *out);
enum { ELEMENT_TEXT_BYTES = 48 };
/* Element i as text: signed where its type is, a NaN with its bits. Returns `text`. */
const char *element_text(const xli_npy *array, size_t i, char text[ELEMENT_TEXT_BYTES]);
extern const char *const determinism_names[]; /* by xl_determinism, then NULL */

/* ---- json.c: one object, written as it comes ---- */
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
void json_number(json *j, const char *key, double value); /* null where not finite */
void json_bool(json *j, const char *key, bool value);
struct stage;
void json_times(json *j, const struct stage *st); /* null where the device does not tell */

/* ---- arrays.c: arrays in files ---- */
int array_read(const char *path, xli_npy *array);
/* The library's type; bool is u8, 0 and 1. */
xl_type array_type(const xli_npy *array);
/* Of its elements: "i16", "bool". Static storage. */
const char *array_type_name(const xli_npy *array);
/* Reads the keys of a command, and fails unless they are 1-D, at most `most`, and of the type that
 * `type` has, if that is another than XL_NONE. */
int array_read_keys(const char *command, const char *path, size_t most, xli_npy *keys,
                    xl_type *type);
/* Fails, saying which command takes what, unless the array is 1-D. */
int array_check_vector(const char *command, const char *path, const xli_npy *array);

/* Files that are written as one: each under a temporary name until all are whole and on the
 * disk, then renamed. */
typedef struct output {
    char *target;
    char *temporary;
    FILE *stream;
} output;
typedef struct outputs {
    output items[TOOL_MAX_OUTPUTS];
    size_t count;
} outputs;
/* What the command line says of a file that is to be written; path NULL: not asked for. */
typedef struct named_output {
    const char *name, *path;
} named_output;
/* Before any work: TOOL_FAILED where a file could not be written, as far as that can be
 * told, TOOL_USAGE where two of them are one. */
int outputs_check(const char *command, const named_output *files, size_t count);
/* Opens one more file; *stream is written by the caller. */
int outputs_open(outputs *list, const char *path, FILE **stream);
int outputs_npy(outputs *list, const char *path, const xli_npy *array);
/* Begins the file of an array whose elements outputs_append() then writes, all that its shape
 * says. */
int outputs_npy_head(outputs *list, const char *path, const xli_npy *array, FILE **stream);
int outputs_append(FILE *stream, const char *path, const void *data, size_t bytes);
/* Closes and renames all of them, without a signal in between. */
int outputs_commit(outputs *list);
/* Closes and removes what is not committed; always called at the end. */
void outputs_abandon(outputs *list);

/* ---- session.c: a device, its queue, buffers, times ---- */
typedef struct session {
    xl_context *ctx;
    cl_command_queue queue;
    xl_device_info info;
} session;
/* `tune_file` may be NULL: what the environment says; "": none. */
int session_open(session *s, const char *device, const char *tune_file);
void session_close(session *s);
/* A buffer of at least one byte; says `what` where it does not fit the device. */
int session_buffer(const session *s, size_t bytes, const char *what, cl_mem *buffer);
int session_upload(const session *s, const void *data, size_t bytes, const char *what,
                   cl_mem *buffer);
int session_read(const session *s, cl_mem buffer, size_t bytes, void *data);
void session_release(cl_mem *buffer);

/* ---- order_check.c: whether an array is sorted ---- */
/* Fails, with the first element that breaks the order, unless the array is sorted as xl_sort()
 * leaves it. `buffer` is the array on the device. */
int order_check(const session *s, const char *command, const char *path, const xli_npy *keys,
                cl_mem buffer, bool descending);
#define ASSUME_SORTED_OPTION(at)                                                                   \
    {                                                                                              \
        "assume-sorted", OPTION_FLAG, &(at), NULL, "do not check the order", NULL                  \
    }

/* ---- segments.c: the options that say where segments begin ---- */
typedef struct segment_options {
    const char *flags, *bits, *keys, *offsets, *width, *mask;
} segment_options;
#define TEXT_OPTION(name, at, argument, help)                                                      \
    {                                                                                              \
        (name), OPTION_TEXT, &(at), (argument), (help), NULL                                       \
    }
#define SEGMENT_OPTIONS(o)                                                                         \
    TEXT_OPTION("flags", (o).flags, "F.npy", "segments begin where a bool, u8 or i8 is not 0"),    \
        TEXT_OPTION("bits", (o).bits, "B.npy",                                                     \
                    "... where a bit of u32 words is set, lowest first"),                          \
        TEXT_OPTION("keys", (o).keys, "K.npy", "segments are runs of equal integers"),             \
        TEXT_OPTION("offsets", (o).offsets, "O.npy",                                               \
                    "CSR: segment s is O[s] to before O[s + 1]; u32, u64, i32, i64"),              \
        TEXT_OPTION("width", (o).width, "W", "segments of W elements each"),                       \
        TEXT_OPTION("mask", (o).mask, "M",                                                         \
                    "in each W <= 64, segments begin where M has a bit set")

typedef struct segments {
    xl_segments form;
    const char *path;
    bool partial; /* offsets need not begin with 0, nor end with the number of elements */
    xl_type type; /* of keys and offsets, as a descriptor has it */
    uint64_t width, mask;
    xli_npy array;
    cl_mem buffer;
} segments;
extern const char *const segments_names[]; /* by xl_segments */
/* TOOL_USAGE with a message where options do not go together. */
int segments_choose(const char *command, const segment_options *o, segments *g);
/* What a sort takes: partial offsets, or none where the path is NULL. */
segments segments_partial(const char *path);
/* Reads the array, if there is one, and checks it for n elements. */
int segments_read(const char *command, segments *g, size_t n);
int segments_upload(const session *s, segments *g);
xl_view segments_view(const segments *g);
void segments_free(segments *g);

/* ---- accumulator.c: the types of sums and products ---- */
typedef struct accumulator_options {
    int dtype; /* xl_type; XL_NONE: 64 bits of the elements' kind */
    bool wrap;
} accumulator_options;
extern const char *const accumulator_dtypes[]; /* by xl_type, then NULL */
#define ACCUMULATOR_OPTIONS(o)                                                                     \
    {"dtype",                                                                                      \
     OPTION_CHOICE,                                                                                \
     &(o).dtype,                                                                                   \
     "TYPE",                                                                                       \
     "the type of sums and products; auto: i64, u64 or f64",                                       \
     accumulator_dtypes},                                                                          \
    {                                                                                              \
        "wrap", OPTION_FLAG, &(o).wrap, NULL, "integer results modulo 2^bits, unchecked", NULL     \
    }

/* How a scan or a reduction accumulates, any operator. */
typedef struct accumulator {
    xl_type in, out; /* of an element, and of a result */
    xl_op op;
    bool wraps, is_chosen, is_exact; /* exact: results have 128 bits until accumulator_results() */
    const char *init_text;
    uint64_t init[2]; /* room for an accumulator */
    /* For the descriptor, from accumulator_open() on: */
    xl_type type;
    uint32_t item_bytes;
    const char *load; /* NULL: elements are of `type` */
    const xl_user_type *user_type;
    const xl_user_op *user_op;
} accumulator;
/* Of any operator; `init` may be NULL. TOOL_USAGE with a message where options do not go together.
 */
int accumulator_choose(const char *command, const accumulator_options *o, xl_op op,
                       const char *init, const xli_npy *array, accumulator *t);
/* Settles the type on that device, and whether results are to be checked. */
int accumulator_open(const char *command, const session *s, const xli_npy *array, accumulator *t);
/* Sets the fields of a descriptor of a scan or a reduction. */
#define ACCUMULATOR_DESCRIBE(desc, t)                                                              \
    do {                                                                                           \
        (desc)->type = (t)->type;                                                                  \
        (desc)->op = (t)->user_op ? XL_USER_OP : (t)->op;                                          \
        (desc)->init = (t)->init_text ? (t)->init : NULL;                                          \
        (desc)->load = (t)->load;                                                                  \
        (desc)->load_type = (t)->load ? (t)->in : XL_NONE;                                         \
        (desc)->user_type = (t)->user_type;                                                        \
        (desc)->user_op = (t)->user_op;                                                            \
    } while (0)
/* From accumulators to results; fails where one does not fit its type. `path` is the input's. */
int accumulator_results(const accumulator *t, const char *path, xli_npy *results);
/* 'i', 'u' or 'f'. */
char type_kind(xl_type type);

/* Time of one stage: on the wall, and on the device from the moment the queue
 * reaches it to the end of its last command (gaps between launches included). */
typedef struct stage {
    const char *name;
    double device_ms; /* the best round; negative: the device does not tell */
    double wall_ms;   /* the best round */
    double first_ms;  /* wall of the first round, with what is done only once */
    unsigned rounds;
    double started;
    cl_event before;
} stage;
int stage_begin(const session *s, stage *st, const char *name);
/* Waits for `after` (NULL where enqueuing failed) and releases it. Takes and
 * gives the result of the stage so far. */
int stage_end(stage *st, cl_event after, int result);

#endif
