/* SPDX-License-Identifier: MIT
 * Arrays in .npy files: magic, version, a Python dictionary as text, the data. */
#include "npy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* numpy itself writes headers of a few hundred bytes. */
enum { MAGIC_BYTES = 6, MAX_HEADER = 1 << 20, DATA_ALIGN = 64, FIRST_PIECE = 1 << 20 };

static const char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

XLI_PRINTF(2, 3)
static bool fail(xli_npy_error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

/* The stream ended too early, or could not be read so far: `text` says the first. */
XLI_PRINTF(3, 4)
static bool fail_short(FILE *stream, xli_npy_error *error, const char *format, ...)
{
    va_list args;
    if (ferror(stream))
        return fail(error, "cannot be read: %s", strerror(errno));
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

enum { MAX_STRING = 64, MAX_PRINTABLE = 4 * MAX_STRING };

/* Text of the file as it may be shown: in ASCII, what would steer a terminal as \xNN. */
static const char *printable(const char *text, char out[MAX_PRINTABLE])
{
    size_t used = 0;
    for (; *text && used + 4 < MAX_PRINTABLE; ++text) {
        const bool shown = *text >= ' ' && *text <= '~';
        used += (size_t)snprintf(out + used, MAX_PRINTABLE - used, shown ? "%c" : "\\x%02x",
                                 (unsigned char)*text);
    }
    out[used] = '\0';
    return out;
}

static bool host_is_little(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- the header's text ---- */

typedef struct parser {
    const char *start; /* terminated */
    const char *at;
    xli_npy_error *error;
} parser;

typedef struct header {
    xli_npy array;
    bool little;
    bool fortran;
    bool has_descr, has_order, has_shape;
} header;

static size_t position(const parser *p)
{
    return (size_t)(p->at - p->start);
}

static void skip_space(parser *p)
{
    while (*p->at && isspace((unsigned char)*p->at))
        ++p->at;
}

static bool take(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    ++p->at;
    return true;
}

static bool expect(parser *p, char c, const char *where)
{
    if (take(p, c))
        return true;
    return fail(p->error, "header, character %zu: '%c' expected %s", position(p), c, where);
}

/* A string in either quote, without escapes: no key or dtype needs one. */
static bool take_string(parser *p, char *text, size_t size, const char *what)
{
    skip_space(p);
    char quote = *p->at;
    if (quote != '\'' && quote != '"')
        return fail(p->error, "header, character %zu: a string expected for %s", position(p), what);
    const char *from = p->at + 1;
    const char *to = strchr(from, quote);
    if (!to)
        return fail(p->error, "header, character %zu: the string for %s does not end", position(p),
                    what);
    size_t length = (size_t)(to - from);
    if (length >= size)
        return fail(p->error, "header, character %zu: %s has %zu characters, more than any known",
                    position(p), what, length);
    memcpy(text, from, length);
    text[length] = '\0';
    p->at = to + 1;
    return true;
}

static bool known_size(char kind, const char *digits, uint32_t *bytes)
{
    static const struct {
        char kind;
        const char *sizes;
    } known[] = {{'b', "1"}, {'i', "1248"}, {'u', "1248"}, {'f', "248"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (known[i].kind != kind || !digits[0] || digits[1])
            continue;
        *bytes = (uint32_t)(digits[0] - '0');
        return strchr(known[i].sizes, digits[0]) != NULL;
    }
    return false;
}

static bool parse_descr(parser *p, header *h)
{
    char text[MAX_STRING], shown[MAX_PRINTABLE];
    skip_space(p);
    if (*p->at == '[')
        return fail(p->error, "header: a structured dtype, which is not supported; "
                              "save one field as an array of its own");
    if (!take_string(p, text, sizeof text, "'descr'"))
        return false;
    bool marked = text[0] && strchr("<>|=", text[0]);
    const char *type = text + marked;
    h->little = text[0] == '<' || (text[0] != '>' && host_is_little());
    if (!known_size(type[0], type[0] ? type + 1 : type, &h->array.item_bytes))
        return fail(p->error,
                    "header: unknown dtype '%s'; known are b1, i1 to i8, u1 to u8, "
                    "f2, f4 and f8",
                    printable(text, shown));
    h->array.kind = type[0];
    h->has_descr = true;
    return true;
}

static bool parse_order(parser *p, header *h)
{
    skip_space(p);
    h->fortran = strncmp(p->at, "True", 4) == 0;
    if (!h->fortran && strncmp(p->at, "False", 5) != 0)
        return fail(p->error, "header, character %zu: 'fortran_order' is neither True nor False",
                    position(p));
    p->at += h->fortran ? 4 : 5;
    h->has_order = true;
    return true;
}

static bool parse_length(parser *p, uint64_t *length)
{
    skip_space(p);
    if (*p->at == '-')
        return fail(p->error, "header, character %zu: a negative length in 'shape'", position(p));
    if (!isdigit((unsigned char)*p->at))
        return fail(p->error, "header, character %zu: a length expected in 'shape'", position(p));
    *length = 0;
    for (; isdigit((unsigned char)*p->at); ++p->at) {
        unsigned digit = (unsigned)(*p->at - '0');
        if (*length > (UINT64_MAX - digit) / 10)
            return fail(p->error, "header, character %zu: a length in 'shape' is above 2^64 - 1",
                        position(p));
        *length = *length * 10 + digit;
    }
    if (*p->at == 'L') /* Python 2 wrote long integers so */
        ++p->at;
    return true;
}

static bool parse_shape(parser *p, header *h)
{
    xli_npy *a = &h->array;
    if (!expect(p, '(', "before the lengths in 'shape'"))
        return false;
    a->dimensions = 0;
    while (!take(p, ')')) {
        if (a->dimensions == XLI_NPY_DIMENSIONS)
            return fail(p->error, "header: 'shape' has more than %d dimensions",
                        XLI_NPY_DIMENSIONS);
        if (!parse_length(p, &a->shape[a->dimensions++]))
            return false;
        skip_space(p);
        if (*p->at != ')' && !expect(p, ',', "between the lengths in 'shape'"))
            return false;
    }
    h->has_shape = true;
    return true;
}

static bool parse_entry(parser *p, header *h)
{
    static const struct {
        const char *key;
        bool (*parse)(parser *, header *);
        size_t seen;
    } entries[] = {{"descr", parse_descr, offsetof(header, has_descr)},
                   {"fortran_order", parse_order, offsetof(header, has_order)},
                   {"shape", parse_shape, offsetof(header, has_shape)}};
    char key[32], shown[MAX_PRINTABLE];
    if (!take_string(p, key, sizeof key, "a key") || !expect(p, ':', "after a key"))
        return false;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i) {
        if (strcmp(key, entries[i].key) != 0)
            continue;
        if (*((const bool *)h + entries[i].seen))
            return fail(p->error, "header: the key '%s' stands there twice", key);
        return entries[i].parse(p, h);
    }
    return fail(p->error, "header: unknown key '%s'", printable(key, shown));
}

static bool check_keys(const header *h, xli_npy_error *error)
{
    if (!h->has_descr)
        return fail(error, "header: the key 'descr' is missing");
    if (!h->has_order)
        return fail(error, "header: the key 'fortran_order' is missing");
    if (!h->has_shape)
        return fail(error, "header: the key 'shape' is missing");
    return true;
}

static bool parse_text(const char *text, header *h, xli_npy_error *error)
{
    parser p = {text, text, error};
    if (!expect(&p, '{', "at the start"))
        return false;
    while (!take(&p, '}')) {
        if (!parse_entry(&p, h))
            return false;
        skip_space(&p);
        if (*p.at != '}' && !expect(&p, ',', "between two keys"))
            return false;
    }
    skip_space(&p);
    if (*p.at)
        return fail(error, "header, character %zu: text after the dictionary", position(&p));
    return check_keys(h, error);
}

/* An empty array may have any other lengths: the product is taken without them. */
static bool count_elements(header *h, xli_npy_error *error)
{
    xli_npy *a = &h->array;
    uint64_t limit = SIZE_MAX / a->item_bytes, count = 1;
    bool empty = false;
    for (uint32_t i = 0; i < a->dimensions; ++i)
        empty = empty || a->shape[i] == 0;
    for (uint32_t i = 0; i < a->dimensions && !empty; ++i) {
        if (a->shape[i] > limit / count)
            return fail(error, "header: 'shape' holds more bytes than this machine can address");
        count *= a->shape[i];
    }
    a->count = empty ? 0 : (size_t)count;
    if (h->fortran && a->dimensions > 2)
        return fail(error,
                    "header: Fortran order with %u dimensions is not supported; "
                    "save numpy.ascontiguousarray(a)",
                    (unsigned)a->dimensions);
    return true;
}

/* ---- the stream ---- */

static bool read_header_length(FILE *stream, uint32_t *length, xli_npy_error *error)
{
    uint8_t lead[MAGIC_BYTES + 2], bytes[4] = {0};
    size_t got = fread(lead, 1, sizeof lead, stream);
    if (got < sizeof lead)
        return fail_short(stream, error, "%zu bytes, too short for a .npy file", got);
    if (memcmp(lead, magic, MAGIC_BYTES) != 0)
        return fail(error, "no .npy file: it does not start with \\x93NUMPY");
    unsigned major = lead[6], minor = lead[7];
    if (major < 1 || major > 3)
        return fail(error, "format version %u.%u; known are 1.0, 2.0 and 3.0", major, minor);
    size_t width = major == 1 ? 2 : 4;
    if (fread(bytes, 1, width, stream) != width)
        return fail_short(stream, error, "the file ends before the length of its header");
    *length =
        bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (*length > MAX_HEADER)
        return fail(error, "a header of %" PRIu32 " bytes; more than %d are not read", *length,
                    MAX_HEADER);
    return true;
}

static bool read_header(FILE *stream, header *h, xli_npy_error *error)
{
    uint32_t length = 0;
    if (!read_header_length(stream, &length, error))
        return false;
    char *text = malloc((size_t)length + 1);
    if (!text)
        return fail(error, "no memory for a header of %" PRIu32 " bytes", length);
    size_t got = fread(text, 1, length, stream);
    text[got] = '\0';
    bool good;
    if (got < length)
        good = fail_short(stream, error,
                          "the header has %" PRIu32 " bytes, the file ends after %zu of them",
                          length, got);
    else if (strlen(text) < length)
        good = fail(error, "header, character %zu: a zero byte", strlen(text));
    else
        good = parse_text(text, h, error) && count_elements(h, error);
    free(text);
    return good;
}

static bool reserve(xli_npy *a, size_t bytes, size_t want, xli_npy_error *error)
{
    void *grown = realloc(a->data, bytes ? bytes : 1);
    if (!grown)
        return fail(error, "no memory for %zu bytes of data", want);
    a->data = grown;
    return true;
}

/* Grows as bytes arrive, so that a header that promises too much costs nothing. */
static bool read_data(FILE *stream, xli_npy *a, xli_npy_error *error)
{
    size_t want = a->count * a->item_bytes, have = 0;
    size_t room = want < FIRST_PIECE ? want : FIRST_PIECE;
    if (!reserve(a, room, want, error))
        return false;
    while (have < want) {
        if (have == room) {
            room = room > want / 2 ? want : room * 2;
            if (!reserve(a, room, want, error))
                return false;
        }
        have += fread((char *)a->data + have, 1, room - have, stream);
        if (have < room)
            return fail_short(stream, error, "%zu bytes of data, the header promises %zu", have,
                              want);
    }
    if (fgetc(stream) != EOF)
        return fail(error, "bytes follow the %zu bytes of data that the header promises", want);
    return ferror(stream) ? fail_short(stream, error, "%s", "") : true;
}

static void swap_bytes(xli_npy *a)
{
    uint8_t *item = a->data;
    for (size_t i = 0; i < a->count; ++i, item += a->item_bytes)
        for (uint32_t low = 0, high = a->item_bytes - 1; low < high; ++low, --high) {
            uint8_t kept = item[low];
            item[low] = item[high];
            item[high] = kept;
        }
}

static bool transpose(xli_npy *a, xli_npy_error *error)
{
    size_t rows = (size_t)a->shape[0], columns = (size_t)a->shape[1], bytes = a->item_bytes;
    char *fresh = malloc(a->count * bytes);
    if (!fresh)
        return fail(error, "no memory for %zu bytes of data", a->count * bytes);
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < columns; ++c)
            memcpy(fresh + (r * columns + c) * bytes, (char *)a->data + (c * rows + r) * bytes,
                   bytes);
    free(a->data);
    a->data = fresh;
    return true;
}

bool xli_npy_read(FILE *stream, xli_npy *array, xli_npy_error *error)
{
    return xli_npy_read_most(stream, SIZE_MAX, "", array, error);
}

static bool check_count(const xli_npy *a, size_t most, const char *who, xli_npy_error *error)
{
    return a->count <= most ||
           fail(error, "%zu elements; %s takes at most %zu", a->count, who, most);
}

bool xli_npy_read_most(FILE *stream, size_t most, const char *who, xli_npy *array,
                       xli_npy_error *error)
{
    header h = {.array.item_bytes = 1};
    error->text[0] = '\0';
    bool good = read_header(stream, &h, error) && check_count(&h.array, most, who, error) &&
                read_data(stream, &h.array, error);
    if (good && h.little != host_is_little())
        swap_bytes(&h.array);
    if (good && h.fortran && h.array.dimensions == 2 && h.array.count > 0)
        good = transpose(&h.array, error);
    if (!good)
        xli_npy_free(&h.array);
    *array = h.array;
    return good;
}

bool xli_npy_write(FILE *stream, const xli_npy *array)
{
    char shape[XLI_NPY_SHAPE_BYTES], text[1024], digit[2] = {(char)('0' + array->item_bytes), 0};
    uint32_t bytes;
    if (array->item_bytes > 9 || !known_size(array->kind, digit, &bytes))
        return false;
    char order = bytes == 1 ? '|' : (host_is_little() ? '<' : '>');
    int used =
        snprintf(text, sizeof text, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': %s, }",
                 order, array->kind, (unsigned)bytes, xli_npy_shape_text(array, shape));
    size_t lead = MAGIC_BYTES + 4;
    size_t total = (lead + (size_t)used + 1 + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
    size_t length = total - lead;
    memset(text + used, ' ', length - (size_t)used);
    text[length - 1] = '\n';
    const uint8_t head[4] = {1, 0, (uint8_t)(length & 0xff), (uint8_t)(length >> 8)};
    return fwrite(magic, 1, MAGIC_BYTES, stream) == MAGIC_BYTES &&
           fwrite(head, 1, sizeof head, stream) == sizeof head &&
           fwrite(text, 1, length, stream) == length &&
           fwrite(array->data, bytes, array->count, stream) == array->count;
}

xli_npy xli_npy_vector(char kind, uint32_t item_bytes, size_t count, void *data)
{
    return (xli_npy){.kind = kind,
                     .item_bytes = item_bytes,
                     .dimensions = 1,
                     .shape = {count},
                     .count = count,
                     .data = data};
}

void xli_npy_free(xli_npy *array)
{
    free(array->data);
    *array = (xli_npy){0};
}

const char *xli_npy_shape_text(const xli_npy *array, char text[XLI_NPY_SHAPE_BYTES])
{
    size_t used = 0;
    text[used++] = '(';
    for (uint32_t i = 0; i < array->dimensions; ++i)
        used += (size_t)snprintf(text + used, XLI_NPY_SHAPE_BYTES - used, "%s%" PRIu64,
                                 i ? ", " : "", array->shape[i]);
    snprintf(text + used, XLI_NPY_SHAPE_BYTES - used, array->dimensions == 1 ? ",)" : ")");
    return text;
}
