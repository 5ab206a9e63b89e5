/* SPDX-License-Identifier: MIT
 * Writes JSON: commas, escapes, numbers. */
#include "tool.h"

#include <inttypes.h>
#include <math.h>

/* The code of a character that must be escaped; U+FFFD for a byte that is no character. */
static unsigned code_of(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    if (length == 3)
        return (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    if (length == 2)
        return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
    return at[0] < 0x80 ? at[0] : 0xfffdu;
}

static void put_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (bool shown; *text;) {
        const unsigned char c = (unsigned char)*text;
        const size_t length = text_character(text, &shown);
        if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (shown)
            fwrite(text, 1, length, stream);
        else
            fprintf(stream, "\\u%04x", code_of(text, length));
        text += length;
    }
    fputc('"', stream);
}

static void put_key(json *j, const char *key)
{
    if (!j->first)
        fputc(',', j->stream);
    j->first = false;
    if (key) {
        put_text(j->stream, key);
        fputc(':', j->stream);
    }
}

json json_begin(FILE *stream)
{
    fputc('{', stream);
    return (json){stream, true};
}

void json_end(json *j)
{
    fputs("}\n", j->stream);
}

void json_open(json *j, const char *key, char bracket)
{
    put_key(j, key);
    fputc(bracket, j->stream);
    j->first = true;
}

void json_close(json *j, char bracket)
{
    fputc(bracket, j->stream);
    j->first = false;
}

void json_text(json *j, const char *key, const char *text)
{
    put_key(j, key);
    put_text(j->stream, text);
}

void json_count(json *j, const char *key, uint64_t value)
{
    put_key(j, key);
    fprintf(j->stream, "%" PRIu64, value);
}

void json_number(json *j, const char *key, double value)
{
    put_key(j, key);
    if (isfinite(value))
        fprintf(j->stream, "%.9g", value);
    else
        fputs("null", j->stream);
}

void json_times(json *j, const stage *st)
{
    json_number(j, "device_ms", st->device_ms >= 0 ? st->device_ms : (double)NAN);
    json_number(j, "wall_ms", st->wall_ms);
    json_number(j, "first_wall_ms", st->first_ms);
}

void json_bool(json *j, const char *key, bool value)
{
    put_key(j, key);
    fputs(value ? "true" : "false", j->stream);
}
