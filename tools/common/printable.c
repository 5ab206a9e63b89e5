/* SPDX-License-Identifier: MIT
 * Text that is safe to print: names and messages may contain bytes that control a terminal. */
#include "tool.h"

#include <string.h>

/* Bytes of the character that starts here if it is complete UTF-8 in its shortest form; else 0. */
static size_t utf8_length(const unsigned char *at)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t more = 0; more < TOOL_COUNT(forms); ++more) {
        if ((at[0] & forms[more].mask) != forms[more].lead)
            continue;
        uint32_t code = (uint32_t)(at[0] & ~forms[more].mask);
        for (size_t i = 1; i <= more; ++i) {
            if ((at[i] & 0xc0) != 0x80) /* also at the end of the text */
                return 0;
            code = code << 6 | (at[i] & 0x3f);
        }
        const bool surrogate = code >= 0xd800 && code < 0xe000;
        return code >= forms[more].least && code < 0x110000 && !surrogate ? more + 1 : 0;
    }
    return 0;
}

size_t text_character(const char *text, bool *shown)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t length = utf8_length(at);
    const bool c1 = length == 2 && at[0] == 0xc2 && at[1] < 0xa0;
    const bool separator = length == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8;
    *shown = length > 0 && at[0] >= 0x20 && at[0] != 0x7f && !c1 && !separator;
    return length ? length : 1;
}

const char *text_printable(char *out, size_t size, const char *text)
{
    size_t used = 0;
    for (bool shown; *text && used + 16 < size;) {
        const size_t length = text_character(text, &shown);
        if (shown) {
            memcpy(out + used, text, length);
            used += length;
        } else if (*text == '\n' || *text == '\t') {
            out[used++] = '\\';
            out[used++] = *text == '\n' ? 'n' : 't';
        } else {
            for (size_t i = 0; i < length; ++i, used += 4)
                snprintf(out + used, size - used, "\\x%02x", (unsigned char)text[i]);
        }
        text += length;
    }
    out[used] = '\0';
    return out;
}

/* Replaces a line end with the blanks around it by "; ", or by " " after a colon. */
void text_one_line(char *out, size_t size, const char *text)
{
    size_t used = 0;
    for (const char *at = text; *at && used + 3 < size; ++at) {
        if (*at != '\n' && *at != '\r') {
            out[used++] = *at;
            continue;
        }
        at += strspn(at, " \t\r\n") - 1;
        if (used > 0 && out[used - 1] != ':')
            out[used++] = ';';
        out[used++] = ' ';
    }
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == ';'))
        --used;
    out[used] = '\0';
}
