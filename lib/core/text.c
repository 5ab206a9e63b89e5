/* SPDX-License-Identifier: MIT
 * Strings that grow, and comparisons that ignore letter case. */
#include "core.h"

#include <stdio.h>
#include <string.h>

static bool reserve(xli_text *text, size_t more)
{
    if (text->failed || more >= SIZE_MAX - text->length)
        text->failed = true;
    size_t need = text->length + more + 1;
    if (!text->failed && need > text->capacity) {
        size_t capacity = xli_max(need, text->capacity + text->capacity / 2 + 256);
        char *data = xli_realloc(text->data, capacity);
        if (!data) {
            text->failed = true;
        } else {
            text->data = data;
            text->capacity = capacity;
        }
    }
    return !text->failed;
}

void xli_text_add_bytes(xli_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length) || length == 0)
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void xli_text_add_v(xli_text *text, const char *format, va_list args)
{
    va_list measured;
    va_copy(measured, args);
    int length = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    text->length += (size_t)length;
}

void xli_text_add(xli_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    xli_text_add_v(text, format, args);
    va_end(args);
}

void xli_text_define(xli_text *text, const xli_definition *lines, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (lines[i].name)
            xli_text_add(text, "#define %s %zu\n", lines[i].name, lines[i].value);
}

void xli_text_free(xli_text *text)
{
    xli_free(text->data);
    *text = (xli_text){0};
}

/* ASCII only: device names and option words, whatever the locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_with_nocase(const char *text, const char *part)
{
    for (; *part; ++part, ++text)
        if (lower(*text) != lower(*part))
            return false;
    return true;
}

bool xli_text_equal_nocase(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && starts_with_nocase(a, b);
}

bool xli_text_contains_nocase(const char *text, const char *part)
{
    do {
        if (starts_with_nocase(text, part))
            return true;
    } while (*text++);
    return false;
}
