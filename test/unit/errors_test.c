/* SPDX-License-Identifier: MIT
 * Error texts belong to a thread, and statuses, types and operators have names. */
#include "core.h"
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void set(xli_errors *errors, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    xli_errors_set(errors, format, args);
    va_end(args);
}

typedef struct visit {
    xli_errors *errors;
    int number;
    bool clean_at_first, kept_own;
} visit;

static void *fail_in_thread(void *user)
{
    visit *v = user;
    char wanted[32];
    snprintf(wanted, sizeof wanted, "failure %d", v->number);
    v->clean_at_first = *xli_errors_get(v->errors) == '\0' && *xli_errors_get(NULL) == '\0';
    v->kept_own = true;
    for (int i = 0; i < 100; ++i) {
        set(v->errors, "failure %d", v->number);
        v->kept_own = v->kept_own && strcmp(xli_errors_get(v->errors), wanted) == 0;
    }
    set(NULL, "without a context %d", v->number);
    return NULL;
}

XLT_TEST(threads_at_once_see_their_own)
{
    pthread_t threads[4];
    visit visits[4];
    xli_errors *errors = xli_errors_create();
    assert_non_null(errors);
    set(errors, "mine");
    for (int i = 0; i < 4; ++i) {
        visits[i] = (visit){.errors = errors, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, fail_in_thread, &visits[i]), 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(visits[i].clean_at_first);
        assert_true(visits[i].kept_own);
    }
    assert_string_equal(xli_errors_get(errors), "mine");
    xli_errors_destroy(errors);
}

/* The newest counts: of the context, or without one since the context was made. */
XLT_TEST(a_text_without_a_context_is_found_in_any)
{
    set(NULL, "before there was one");
    xli_errors *first = xli_errors_create(), *second = xli_errors_create();
    assert_true(first && second);
    assert_string_equal(xli_errors_get(first), "");
    set(NULL, "without");
    assert_string_equal(xli_errors_get(first), "without");
    assert_string_equal(xli_errors_get(second), "without");
    set(first, "mine");
    assert_string_equal(xli_errors_get(first), "mine");
    assert_string_equal(xli_errors_get(second), "without");
    assert_string_equal(xli_errors_get(NULL), "without");
    set(NULL, "without again");
    assert_string_equal(xli_errors_get(first), "without again");
    set(first, "mine again");
    assert_string_equal(xli_errors_get(first), "mine again");
    set(first, "quoting %s", xli_errors_get(second));
    assert_string_equal(xli_errors_get(first), "quoting without again");
    xli_errors_destroy(first);
    assert_string_equal(xli_errors_get(second), "without again");
    xli_errors_destroy(second);
    assert_string_equal(xli_errors_get(NULL), "without again");
}

/* The system gives an ended thread's identity to the next one. */
XLT_TEST(a_thread_does_not_inherit_a_text)
{
    xli_errors *errors = xli_errors_create();
    assert_non_null(errors);
    for (int i = 0; i < 8; ++i) {
        pthread_t thread;
        visit v = {.errors = errors, .number = i};
        assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &v), 0);
        pthread_join(thread, NULL);
        assert_true(v.clean_at_first);
        assert_true(v.kept_own);
    }
    xli_errors_destroy(errors);
}

XLT_TEST(long_texts_are_kept_whole_by_a_context_only)
{
    static char text[20000];
    memset(text, 'x', sizeof text - 1);
    xli_errors *errors = xli_errors_create();
    assert_non_null(errors);
    set(errors, "%s", text);
    assert_string_equal(xli_errors_get(errors), text);
    set(NULL, "%s", text);
    size_t kept = strlen(xli_errors_get(NULL));
    assert_true(kept > 4000 && kept < sizeof text - 1);
    xli_errors_destroy(errors);
    xli_errors_destroy(NULL);
}

XLT_TEST(everything_has_a_name)
{
    assert_string_equal(xl_status_name(XL_SUCCESS), "XL_SUCCESS");
    assert_string_equal(xl_status_name(XL_ERROR_MPI), "XL_ERROR_MPI");
    assert_string_equal(xl_status_name((xl_status)15), "unknown xl_status");
    assert_string_equal(xl_status_name((xl_status)-1), "unknown xl_status");
    for (int i = XL_SUCCESS; i <= XL_ERROR_MPI; ++i)
        assert_int_equal(strncmp(xl_status_name((xl_status)i), "XL_", 3), 0);
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    for (int i = XL_NONE; i <= XL_F64; ++i) {
        assert_int_equal(xl_type_size((xl_type)i), sizes[i]);
        assert_string_not_equal(xl_type_name((xl_type)i), "unknown");
    }
    assert_int_equal(xl_type_size((xl_type)12), 0);
    assert_string_equal(xl_type_name((xl_type)-1), "unknown");
    assert_string_equal(xl_op_name((xl_op)0), "unknown");
    assert_string_equal(xl_op_name(XL_XOR), "xor");
    assert_string_equal(xl_op_name(XL_ARG_MAX), "arg-max");
    assert_string_equal(xl_op_name((xl_op)10), "unknown");
    assert_int_equal(xl_type_size(XL_I16X3), 8);
    assert_string_equal(xl_type_name(XL_F32X4), "f32x4");
}

XLT_MAIN(NULL, NULL)
