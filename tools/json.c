/* SPDX-License-Identifier: MIT
 * JSON as it is written: commas, escapes, and numbers that JSON can hold. */
#include "tool.h"

#include <inttypes.h>
#include <math.h>

static void put_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const char *at = text; *at; ++at) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (c < 0x20)
            fprintf(stream, "\\u%04x", c);
        else
            fputc(c, stream);
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
