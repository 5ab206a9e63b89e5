/* SPDX-License-Identifier: MIT
 * .npy files: every dtype, byte order, shape and format version that is read,
 * every broken header by its message, and mutated files under the sanitizer. */
#include "npy.h"
#include "xlt.h"

#include <string.h>

typedef struct bytes {
    uint8_t data[4096];
    size_t length;
} bytes;

static void add(bytes *b, const void *data, size_t length)
{
    assert_true(b->length + length <= sizeof b->data);
    if (length > 0) /* `data` may be NULL then */
        memcpy(b->data + b->length, data, length);
    b->length += length;
}

static bytes file_of(int major, const char *header, const void *data, size_t data_bytes)
{
    bytes b = {.length = 0};
    size_t length = strlen(header);
    const uint8_t lead[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)major, 0};
    const uint8_t width[] = {(uint8_t)(length & 0xff), (uint8_t)(length >> 8), 0, 0};
    add(&b, lead, sizeof lead);
    add(&b, width, major == 1 ? 2 : 4);
    add(&b, header, length);
    add(&b, data, data_bytes);
    return b;
}

static FILE *stream_of(const bytes *b)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(fwrite(b->data, 1, b->length, stream), b->length);
    rewind(stream);
    return stream;
}

static bool read_bytes(const bytes *b, xli_npy *array, xli_npy_error *error)
{
    FILE *stream = stream_of(b);
    bool good = xli_npy_read(stream, array, error);
    fclose(stream);
    return good;
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }  \n"

static xli_npy read_good(int major, const char *header, const void *data, size_t data_bytes)
{
    xli_npy a;
    xli_npy_error error;
    const bytes b = file_of(major, header, data, data_bytes);
    if (!read_bytes(&b, &a, &error))
        fail_msg("%s: %s", header, error.text);
    return a;
}

XLT_TEST(reads_all_versions)
{
    static const uint8_t data[] = {1, 0, 0, 0, 2, 0, 0, 0};
    for (int major = 1; major <= 3; ++major) {
        xli_npy a = read_good(major, HEADER("<i4", "False", "(2,)"), data, sizeof data);
        assert_true(a.kind == 'i' && a.item_bytes == 4 && a.dimensions == 1 && a.count == 2);
        assert_int_equal(((int32_t *)a.data)[1], 2);
        xli_npy_free(&a);
    }
}

/* Each row of data, in either byte order or in Fortran's order, as C stores it here. */
XLT_TEST(reads_every_order)
{
    static const uint8_t data[] = {0xff, 0xff, 0xff, 0xfe, 0x3f, 0x80, 0, 0};
    static const int32_t whole[] = {-2, 0x3f800000};
    static const uint8_t turned[] = {0xff, 0xff, 0x3f, 0, 0xff, 0xfe, 0x80, 0};
    static const struct {
        const char *header;
        const void *wanted;
    } rows[] = {{HEADER(">i4", "False", "(2,)"), whole},
                {HEADER(">f4", "False", "(2,)"), whole},
                {HEADER("|u1", "False", "(2, 4)"), data},
                {HEADER("|u1", "True", "(2, 4)"), turned}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        xli_npy a = read_good(1, rows[i].header, data, sizeof data);
        assert_memory_equal(a.data, rows[i].wanted, sizeof data);
        xli_npy_free(&a);
    }
}

XLT_TEST(reads_any_shape)
{
    static const uint8_t data[] = {1, 2, 3, 4, 5, 6};
    static const struct {
        const char *header;
        uint32_t dimensions;
        size_t count;
        const char *text;
    } cases[] = {
        {HEADER("|u1", "False", "()"), 0, 1, "()"},
        {HEADER("|b1", "False", "(0,)"), 1, 0, "(0,)"},
        {HEADER("|u1", "False", "(1, 2, 3)"), 3, 6, "(1, 2, 3)"},
        {HEADER("|u1", "False", "(6L,)"), 1, 6, "(6,)"},
        {HEADER("|u1", "True", "(6,)"), 1, 6, "(6,)"},
        {HEADER("<f8", "False", "(18446744073709551615, 0)"), 2, 0, "(18446744073709551615, 0)"},
        {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"i1\"}", 2, 6, "(2, 3)"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[XLI_NPY_SHAPE_BYTES];
        xli_npy a = read_good(1, cases[i].header, data, cases[i].count);
        assert_int_equal(a.dimensions, cases[i].dimensions);
        assert_int_equal(a.count, cases[i].count);
        assert_string_equal(xli_npy_shape_text(&a, text), cases[i].text);
        assert_non_null(a.data);
        xli_npy_free(&a);
    }
}

XLT_TEST(names_what_is_broken)
{
    static const uint8_t data[64] = {0};
    static const struct {
        const char *header;
        size_t data_bytes;
        const char *piece;
    } cases[] = {
        {HEADER("<c8", "False", "(2,)"), 16, "unknown dtype '<c8'"},
        {HEADER("|O", "False", "(2,)"), 16, "unknown dtype '|O'"},
        {HEADER("<U7", "False", "(2,)"), 16, "unknown dtype '<U7'"},
        {HEADER("<f16", "False", "(2,)"), 32, "unknown dtype '<f16'"},
        {HEADER("<i3", "False", "(2,)"), 6, "unknown dtype '<i3'"},
        {HEADER("<f1", "False", "(2,)"), 2, "unknown dtype '<f1'"},
        {HEADER("", "False", "(2,)"), 2, "unknown dtype ''"},
        {HEADER("<", "False", "(2,)"), 2, "unknown dtype '<'"},
        {HEADER("\x1b]0;\x07\x7f\xc2\x9b\n", "False", "(2,)"), 2,
         "unknown dtype '\\x1b]0;\\x07\\x7f\\xc2\\x9b\\x0a';"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8, "structured"},
        {"{'fortran_order': False, 'shape': (2,)}", 8, "'descr' is missing"},
        {"{'descr': '<f4', 'shape': (2,)}", 8, "'fortran_order' is missing"},
        {"{'descr': '<f4', 'fortran_order': False}", 8, "'shape' is missing"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", 8, "neither True nor False"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", 8, "twice"},
        {"{'descr': '<f4', 'colour': 'red'}", 8, "unknown key 'colour'"},
        {"{'descr': '<f4', 'a\x1b\xff': 'red'}", 8, "unknown key 'a\\x1b\\xff'"},
        {"{'descr': '<f4", 8, "does not end"},
        {"{'descr': '<f4' 'shape': (2,)}", 8, "',' expected between two keys"},
        {"'descr': '<f4'", 8, "'{' expected"},
        {"{'descr' '<f4'}", 8, "':' expected"},
        {"", 0, "'{' expected"},
        {HEADER("<f4", "False", "(-2,)"), 8, "negative length"},
        {HEADER("<f4", "False", "(two,)"), 8, "a length expected"},
        {HEADER("<f4", "False", "2"), 8, "'(' expected"},
        {HEADER("<f4", "False", "(2 3)"), 8, "',' expected between the lengths"},
        {HEADER("<f4", "False", "(18446744073709551616,)"), 8, "above 2^64 - 1"},
        {HEADER("<f4", "False", "(4611686018427387904,)"), 8, "more bytes than this machine"},
        {HEADER("<f4", "False", "(4294967296, 4294967296)"), 8, "more bytes than this machine"},
        {HEADER("<f4", "False", "(1000000000000,)"), 8, "8 bytes of data, the header promises 4"},
        {HEADER("<f4", "False", "(2,)"), 7, "7 bytes of data, the header promises 8"},
        {HEADER("<f4", "False", "(2,)"), 9, "bytes follow the 8 bytes"},
        {HEADER("<f4", "False", "(2,)") "x", 8, "text after the dictionary"},
        {HEADER("<f4", "True", "(1,2,1)"), 8, "Fortran order with 3 dimensions"},
        {HEADER("<f4", "False",
                "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
         4, "more than 32 dimensions"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xli_npy a;
        xli_npy_error error;
        bytes b = file_of(1, cases[i].header, data, cases[i].data_bytes);
        if (read_bytes(&b, &a, &error))
            fail_msg("%s was read", cases[i].header);
        assert_null(a.data);
        if (!strstr(error.text, cases[i].piece))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].header, error.text, cases[i].piece);
    }
}

XLT_TEST(refuses_what_is_no_npy_file)
{
    bytes b = file_of(1, HEADER("<f4", "False", "(1,)"), "abcd", 4);
    xli_npy a;
    xli_npy_error error;
    for (size_t length = 0; length < b.length; ++length) {
        bytes cut = b;
        cut.length = length;
        assert_false(read_bytes(&cut, &a, &error));
        assert_true(error.text[0] != '\0');
        assert_null(strchr(error.text, '\n'));
    }
    b.data[0] = 'P';
    assert_false(read_bytes(&b, &a, &error));
    assert_non_null(strstr(error.text, "does not start with"));
    b.data[0] = 0x93;
    b.data[6] = 4;
    assert_false(read_bytes(&b, &a, &error));
    assert_non_null(strstr(error.text, "format version 4.0"));
    b = file_of(2, "", NULL, 0);
    memset(b.data + 8, 0xff, 4);
    assert_false(read_bytes(&b, &a, &error));
    assert_non_null(strstr(error.text, "a header of 4294967295 bytes"));
}

/* Where the system opens folders, reading them fails. */
XLT_TEST(says_what_cannot_be_read)
{
    xli_npy a;
    xli_npy_error error;
    FILE *stream = fopen("/", "rb");
    if (!stream)
        skip();
    const bool good = xli_npy_read(stream, &a, &error);
    fclose(stream);
    assert_false(good);
    assert_string_equal(error.text, "cannot be read: Is a directory");
}

/* The reader reads no data of an array that has more elements than it accepts: here there is no
 * data. */
XLT_TEST(reads_no_more_than_asked_for)
{
    static const uint8_t data[] = {1, 2, 3};
    for (size_t most = 2; most <= 3; ++most) {
        xli_npy a;
        xli_npy_error error;
        const bytes b = file_of(1, HEADER("|u1", "False", "(3,)"), data, most == 3 ? 3 : 0);
        FILE *stream = stream_of(&b);
        assert_true(xli_npy_read_most(stream, most, "sort", &a, &error) == (most == 3));
        fclose(stream);
        assert_string_equal(error.text, most == 3 ? "" : "3 elements; sort takes at most 2");
        assert_int_equal(a.count, most == 3 ? 3 : 0);
        xli_npy_free(&a);
    }
}

XLT_TEST(writes_what_it_reads)
{
    double values[12];
    for (int i = 0; i < 12; ++i)
        values[i] = i * 0.25 - 1;
    xli_npy out = xli_npy_vector('f', 8, 12, values), in;
    out.dimensions = 2;
    out.shape[0] = 4;
    out.shape[1] = 3;
    xli_npy_error error;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_true(xli_npy_write(stream, &out));
    assert_int_equal(ftell(stream) % 64, 12 * sizeof(double) % 64);
    rewind(stream);
    if (!xli_npy_read(stream, &in, &error))
        fail_msg("%s", error.text);
    fclose(stream);
    assert_int_equal(in.dimensions, 2);
    assert_int_equal(in.shape[0], 4);
    assert_memory_equal(in.data, values, sizeof values);
    xli_npy_free(&in);
}

XLT_MAIN(NULL, NULL)
