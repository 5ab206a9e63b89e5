/* SPDX-License-Identifier: MIT
 * Growing text, comparisons without letter case, and SHA-256 by the examples of
 * FIPS 180-4 (NIST, "Example algorithms" and the secure hash test vectors). */
#include "core.h"
#include "xlt.h"

#include <string.h>

XLT_TEST(text_grows)
{
    xli_text text = {0};
    xli_text_add(&text, "%s", "");
    assert_string_equal(text.data, "");
    for (int i = 0; i < 1000; ++i)
        xli_text_add(&text, "%d,", i % 10);
    xli_text_add_bytes(&text, "end!", 3);
    xli_text_add_bytes(&text, NULL, 0);
    assert_false(text.failed);
    assert_int_equal(text.length, 2003);
    assert_string_equal(text.data + 1998, "9,end");
    xli_text_free(&text);
    assert_null(text.data);
    xli_text_free(&text);
}

XLT_TEST(a_failure_of_text_sticks)
{
    xli_text text = {0};
    xli_text_add(&text, "before");
    xli_text_add_bytes(&text, "x", SIZE_MAX - 3); /* cannot be had */
    assert_true(text.failed);
    xli_text_add(&text, "after");
    assert_true(text.failed);
    assert_string_equal(text.data, "before");
    xli_text_free(&text);
    assert_false(text.failed);
}

XLT_TEST(letter_case_is_ignored)
{
    assert_true(xli_text_equal_nocase("GPU", "gpu"));
    assert_false(xli_text_equal_nocase("gpu", "gpus"));
    assert_false(xli_text_equal_nocase("", "g"));
    assert_true(xli_text_contains_nocase("NVIDIA H200", "h200"));
    assert_true(xli_text_contains_nocase("NVIDIA H200", ""));
    assert_true(xli_text_contains_nocase("", ""));
    assert_false(xli_text_contains_nocase("", "x"));
    assert_false(xli_text_contains_nocase("H20", "h200"));
    assert_false(xli_text_contains_nocase("[", "{")); /* one bit apart, as a and A are */
}

XLT_TEST(rounding_does_not_wrap)
{
    assert_int_equal(xli_ceil_div(0, 7), 0);
    assert_int_equal(xli_ceil_div(1, 7), 1);
    assert_int_equal(xli_ceil_div(7, 7), 1);
    assert_true(xli_ceil_div(SIZE_MAX, 2) == SIZE_MAX / 2 + 1);
    assert_true(xli_ceil_div(SIZE_MAX, SIZE_MAX) == 1);
    assert_int_equal(xli_round_up(257, 256), 512);
}

static void hash_is(const char *message, size_t length, const char *wanted)
{
    char hex[65];
    xli_sha256 hash;
    xli_sha256_init(&hash);
    xli_sha256_add(&hash, message, length);
    xli_sha256_hex(&hash, hex);
    assert_string_equal(hex, wanted);
}

XLT_TEST(standard_vectors)
{
    hash_is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hash_is("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
            "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    char *many = xli_alloc(1000000);
    assert_non_null(many);
    memset(many, 'a', 1000000);
    hash_is(many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    xli_free(many);
}

/* Every length over two blocks, fed in every pair of pieces, gives one hash. */
XLT_TEST(pieces_do_not_matter)
{
    char message[130], whole[65], pieces[65];
    for (size_t i = 0; i < sizeof message; ++i)
        message[i] = (char)(i * 37);
    for (size_t n = 0; n <= sizeof message; ++n) {
        for (size_t cut = 0; cut <= n; ++cut) {
            xli_sha256 a, b;
            xli_sha256_init(&a);
            xli_sha256_add(&a, message, n);
            xli_sha256_hex(&a, whole);
            xli_sha256_init(&b);
            xli_sha256_add(&b, message, cut);
            xli_sha256_add(&b, message + cut, n - cut);
            xli_sha256_hex(&b, pieces);
            assert_string_equal(whole, pieces);
        }
    }
}

XLT_TEST(texts_are_kept_apart)
{
    char one[65], other[65];
    xli_sha256 a, b;
    xli_sha256_init(&a);
    xli_sha256_init(&b);
    xli_sha256_add_text(&a, "ab");
    xli_sha256_add_text(&a, "c");
    xli_sha256_add_text(&b, "a");
    xli_sha256_add_text(&b, "bc");
    xli_sha256_hex(&a, one);
    xli_sha256_hex(&b, other);
    assert_string_not_equal(one, other);
}

XLT_MAIN(NULL, NULL)
