/* SPDX-License-Identifier: MIT
 * Reads a compiler's log: which of its messages concern the user's text, and where in it.
 *
 * A message starts with a line that has a severity and a place, "FILE:LINE:COLUMN: error: ...",
 * or, on PoCL, "error: FILE:LINE:COLUMN: ...". It extends to the next one: excerpts,
 * carets, notes. FILE is the name in a #line mark of the source. Oclgrind and NVIDIA 580 ignore
 * these marks: if no FILE of a log is in a mark, LINE counts from the top of the source, and is
 * translated. */
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads `#line N "file"`; true if `line` is one. */
static bool line_mark(const char *line, unsigned long *number, char *file, size_t bytes)
{
    if (strncmp(line, "#line ", 6) != 0)
        return false;
    char *end;
    *number = strtoul(line + 6, &end, 10);
    const char *open = end + strspn(end, " ");
    size_t length = *open == '"' ? strcspn(open + 1, "\"\n") : 0;
    if (length > 0)
        snprintf(file, bytes, "%.*s", (int)length, open + 1);
    return true;
}

xli_source_line xli_source_lines(const char *source)
{
    return (xli_source_line){.next = source, .next_number = 1, .file = "head"};
}

bool xli_source_next(xli_source_line *at)
{
    while (*at->next) {
        at->text = at->next;
        at->length = strcspn(at->text, "\n");
        at->next += at->length + (at->text[at->length] == '\n');
        ++at->whole;
        if (!line_mark(at->text, &at->next_number, at->file, sizeof at->file)) {
            at->number = at->next_number++;
            return true;
        }
    }
    return false;
}

/* The library names the text that it adds to a user's text after it: "call of " it, and so on. */
static const char *inner_name(const char *file)
{
    static const char *const around[] = {"checks of ", "call of ", "signature of ", "end of "};
    for (size_t i = 0; i < XLI_COUNT(around); ++i)
        if (strncmp(file, around[i], strlen(around[i])) == 0)
            return file + strlen(around[i]);
    return NULL;
}

bool xli_source_is_users(const char *file)
{
    return strncmp(file, "cl/", 3) != 0 && strcmp(file, "head") != 0 && strcmp(file, "plan") != 0 &&
           !inner_name(file);
}

typedef enum severity { NONE = 0, NOTE, WARNING, FAILURE } severity;

/* What `text` starts with; *length is that of the word and what follows it. */
static severity severity_of(const char *text, size_t *length)
{
    static const struct {
        const char *word;
        severity severity;
    } words[] = {{"error:", FAILURE},
                 {"fatal error:", FAILURE},
                 {"warning:", WARNING},
                 {"note:", NOTE},
                 {"remark:", NOTE}};
    for (size_t i = 0; i < XLI_COUNT(words); ++i) {
        *length = strlen(words[i].word);
        if (strncmp(text, words[i].word, *length) == 0) {
            *length += strspn(text + *length, " ");
            return words[i].severity;
        }
    }
    *length = 0;
    return NONE;
}

/* The first line of a message, or of a note that belongs to one. */
typedef struct location {
    severity severity;
    const char *file; /* not terminated */
    size_t file_length;
    const char *rest; /* behind the number of the line */
    unsigned long line, column;
    const char *message;
} location;

static const char spelling[] = " <Spelling=";

/* Reads ":LINE" or ":LINE:COLUMN" behind a file's name, and what ends it. */
static bool read_numbers(const char *text, location *at)
{
    char *end;
    if (text[0] != ':' || text[1] < '0' || text[1] > '9')
        return false;
    at->file_length = (size_t)(text - at->file);
    at->line = strtoul(text + 1, &end, 10);
    at->rest = end;
    at->column = 0;
    if (end[0] == ':' && end[1] >= '0' && end[1] <= '9')
        at->column = strtoul(end + 1, &end, 10);
    if (strncmp(end, spelling, sizeof spelling - 1) == 0)
        end += strcspn(end, ">\n");
    end += *end == '>';
    at->message = end + 1;
    return *end == ':';
}

static bool find_location(const char *line, location *at)
{
    size_t length;
    at->severity = severity_of(line, &length);
    at->file = line + length;
    const char *colon = at->file + 1, *end = line + strcspn(line, "\n");
    while (colon < end && !read_numbers(colon, at))
        ++colon;
    if (colon >= end)
        return false;
    at->message += strspn(at->message, " ");
    if (at->severity == NONE) {
        at->severity = severity_of(at->message, &length);
        at->message += length;
    }
    return at->severity != NONE;
}

/* PoCL puts the place in a macro behind that of its use, where others have a note:
 * "FILE:LINE:COLUMN <Spelling=FILE:LINE:COLUMN>: ". */
static bool find_spelling(location *at)
{
    const char *open = strstr(at->rest, spelling), *colon;
    if (!open || open > at->message)
        return false;
    at->severity = NOTE;
    at->file = colon = open + sizeof spelling - 1;
    while (colon < at->message && !read_numbers(colon, at))
        ++colon;
    return colon < at->message;
}

/* A place in the source as its marks name it. */
typedef struct place {
    char file[128];
    unsigned long line;
    bool known; /* one of the source */
    bool translated;
} place;

/* A log that is read. */
typedef struct reader {
    const char *source;
    bool heeds_marks;
    xli_log *log;
} reader;

/* Takes from user_text.c's lines which function a text must define. */
static void note_signature(const reader *r, const location *at, const place *where)
{
    static const char before[] = "signature of ";
    xli_log *log = r->log;
    xli_source_line line = xli_source_lines(r->source);
    if (at->severity != FAILURE || strncmp(where->file, before, strlen(before)) != 0)
        return;
    while (xli_source_next(&line))
        if (line.number == 1 && strcmp(line.file, where->file) == 0 && line.length > 6)
            snprintf(log->required, sizeof log->required, "%.*s",
                     (int)xli_min(line.length - 6, sizeof log->required - 1), line.text + 3);
}

static bool is_marked(const char *source, const location *at)
{
    xli_source_line line = xli_source_lines(source);
    while (xli_source_next(&line))
        if (strlen(line.file) == at->file_length &&
            memcmp(line.file, at->file, at->file_length) == 0)
            return true;
    return false;
}

/* A name that is in no mark is the compiler's name of the whole source, or that of a header. */
static bool is_whole(const reader *r, const location *at)
{
    const bool header = at->file_length > 2 && memcmp(at->file + at->file_length - 2, ".h", 2) == 0;
    return !r->heeds_marks && !header;
}

static place place_of(const reader *r, const location *at)
{
    place found = {.line = at->line, .known = is_marked(r->source, at)};
    snprintf(found.file, sizeof found.file, "%.*s", (int)xli_min(at->file_length, 127), at->file);
    if (found.known || !is_whole(r, at))
        return found;
    xli_source_line line = xli_source_lines(r->source);
    while (xli_source_next(&line))
        if (line.whole == at->line) {
            memcpy(found.file, line.file, sizeof found.file);
            found.line = line.number;
            found.known = found.translated = true;
        }
    return found;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static const char *end_of_message(const char *message)
{
    location at;
    const char *line = next_line(message);
    while (*line && !(find_location(line, &at) && at.severity > NOTE))
        line = next_line(line);
    return line;
}

/* Notes the user's text that a place is in or around; false if there is none. */
static bool note_text(xli_log *log, const place *where)
{
    if (!where->known)
        return false;
    const char *inner = inner_name(where->file);
    const char *name = inner ? inner : where->file;
    size_t i = 0;
    if (!xli_source_is_users(name))
        return false;
    while (i < log->num_texts && strcmp(log->texts[i], name) != 0)
        ++i;
    if (i == log->num_texts && i < XLI_COUNT(log->texts)) {
        snprintf(log->texts[i], sizeof log->texts[i], "%s", name);
        ++log->num_texts;
    }
    return true;
}

static bool concerns_user(const reader *r, const char *line, const char *end)
{
    bool found = false;
    location at;
    for (; line < end; line = next_line(line)) {
        for (bool more = find_location(line, &at); more; more = find_spelling(&at)) {
            const place where = place_of(r, &at);
            found = note_text(r->log, &where) || found;
        }
    }
    return found;
}

/* The report starts with the first error. Its place in the user's text may be in one of its
 * notes. */
static void note_first(xli_log *log, const location *at, const place *where, bool *is_first)
{
    const bool starts = log->message[0] == '\0' && at->severity == FAILURE;
    *is_first = *is_first || starts;
    const bool is_users = where->known && xli_source_is_users(where->file);
    if (starts || (*is_first && is_users && !xli_source_is_users(log->file))) {
        memcpy(log->file, where->file, sizeof log->file);
        log->line = where->line;
        log->column = at->column;
    }
    if (starts)
        log->is_users = is_users;
    if (starts)
        snprintf(log->message, sizeof log->message, "%.*s",
                 (int)xli_min(strcspn(at->message, "\r\n"), sizeof log->message - 1), at->message);
}

static void add_message(const reader *r, const char *line, const char *end)
{
    xli_text *text = &r->log->text;
    location at;
    bool is_first = false;
    for (const char *next, *from; line < end; line = next) {
        next = next_line(line);
        from = line;
        for (bool more = find_location(line, &at); more; more = find_spelling(&at)) {
            const place where = place_of(r, &at);
            note_first(r->log, &at, &where, &is_first);
            note_signature(r, &at, &where);
            if (!where.translated)
                continue;
            xli_text_add_bytes(text, from, (size_t)(at.file - from));
            xli_text_add(text, "%s:%lu", where.file, where.line);
            from = at.rest;
        }
        xli_text_add_bytes(text, from, (size_t)(next - from));
    }
}

static bool heeds_marks(const char *text, const char *source)
{
    location at;
    for (const char *line = text; *line; line = next_line(line))
        if (find_location(line, &at) && is_marked(source, &at))
            return true;
    return false;
}

static bool is_word_part(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The place of a name in a line, or NULL. */
static const char *find_word(const xli_source_line *line, const char *name, size_t length)
{
    for (size_t i = 0; i + length <= line->length; ++i)
        if (strncmp(line->text + i, name, length) == 0 &&
            (i == 0 || !is_word_part(line->text[i - 1])) &&
            (i + length == line->length || !is_word_part(line->text[i + length])))
            return line->text + i;
    return NULL;
}

/* NVIDIA's compiler (driver 580, November 2026) takes a function that is not declared for one of
 * another program; its linker then names the function and no place. */
static void find_unresolved(const char *text, const char *source, xli_log *log)
{
    static const char before[] = "Unresolved extern function '";
    const char *found = strstr(text, before);
    const char *name = found ? found + strlen(before) : "";
    const size_t length = strcspn(name, "'\n");
    xli_source_line line = xli_source_lines(source);
    while (length > 0 && xli_source_next(&line)) {
        const char *at = xli_source_is_users(line.file) ? find_word(&line, name, length) : NULL;
        if (!at)
            continue;
        memcpy(log->file, line.file, sizeof log->file);
        memcpy(log->texts[log->num_texts++], line.file, sizeof log->texts[0]);
        log->line = line.number;
        log->column = (unsigned long)(at - line.text) + 1;
        snprintf(log->message, sizeof log->message, "no function '%.*s' is declared",
                 (int)xli_min(length, 200), name);
        xli_text_free(&log->text);
        xli_text_add(&log->text, "%s:%lu:%lu: error: %s\n", log->file, log->line, log->column,
                     log->message);
        return;
    }
}

void xli_log_read(const char *text, const char *source, xli_log *log)
{
    const reader r = {source, heeds_marks(text, source), log};
    *log = (xli_log){0};
    for (const char *at = text, *end; *at; at = end) {
        end = end_of_message(at);
        if (concerns_user(&r, at, end))
            add_message(&r, at, end);
    }
    for (const char *at = text, *end; log->num_texts == 0 && *at; at = end) {
        end = end_of_message(at);
        add_message(&r, at, end);
    }
    if (log->num_texts == 0)
        find_unresolved(text, source, log);
    if (log->required[0] && !log->is_users)
        snprintf(log->message, sizeof log->message, "the source must define \"%s\"", log->required);
}
