/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

static void values_come_back(void) {
    g_autoptr(GDateTime) moment = g_date_time_new_from_iso8601("1969-07-20T20:17:39.250001Z", NULL);
    g_autoptr(GVariant) date = g_variant_ref_sink(baton_value_new_date(moment));
    g_autoptr(GDateTime) same = baton_value_get_date(date);
    g_assert_true(g_date_time_equal(moment, same));

    g_autoptr(GVariant) url = g_variant_ref_sink(baton_value_new_url("https://example.org/a%20b"));
    g_autofree char *address = baton_value_get_url(url);
    g_assert_cmpstr(address, ==, "https://example.org/a%20b");

    g_autoptr(GVariant) uuid = g_variant_ref_sink(baton_value_new_uuid("5b1c2f0e-0a3d-4d52-8f43-3a7d1a0e7c11"));
    g_autofree char *identifier = baton_value_get_uuid(uuid);
    g_assert_cmpstr(identifier, ==, "5b1c2f0e-0a3d-4d52-8f43-3a7d1a0e7c11");

    g_autoptr(GBytes) bytes = g_bytes_new_static("a\0b", 3);
    g_autoptr(GVariant) data = g_variant_ref_sink(baton_value_new_data(bytes));
    g_autoptr(GBytes) found = baton_value_get_data(data);
    g_assert_true(g_bytes_equal(bytes, found));
}

/* Tests the other forms that are accepted, which UserInfo.md lists. */
static void other_forms_are_read(void) {
    static const char *const dates[] = {"('date', <1.5>)", "('date', <int64 1>)", "('date', <(1.0, 0.5)>)", "('date', <(2.0, -0.5)>)",
                                        "('date', (1.0, 0.5))"};
    for (gsize i = 0; i < G_N_ELEMENTS(dates); i++) {
        g_autoptr(GVariant) value = g_variant_ref_sink(g_variant_new_parsed(dates[i]));
        g_autoptr(GDateTime) date = baton_value_get_date(value);
        g_assert_nonnull(date);
        g_assert_cmpint(g_date_time_to_unix(date), ==, 1);
    }
    g_autoptr(GVariant) plain = g_variant_ref_sink(g_variant_new_parsed("('url', 'https://example.org/')"));
    g_autofree char *url = baton_value_get_url(plain);
    g_assert_cmpstr(url, ==, "https://example.org/");
}

static void other_values_are_none_of_them(void) {
    static const char *const others[] = {"'date'", "1", "('date', <'now'>)", "('date', <1e300>)", "('date', <(1.0, 1e300)>)", "('date', <inf>)",
                                         "('date', <(1.0, nan)>)", "('url', <1>)", "('uuid', <'x'>)", "('x', <'y'>)", "(1, 2)", "('date',)",
                                         "('date', <1.0>, 3)", "@a{sv} {}", "@av []", "()"};
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GVariant) value = g_variant_parse(NULL, others[i], NULL, NULL, &error);
        g_assert_no_error(error);
        g_assert_null(baton_value_get_date(value));
        g_assert_null(baton_value_get_url(value));
        g_assert_null(baton_value_get_uuid(value));
        g_assert_null(baton_value_get_data(value));
    }
}

/* The result of `g_variant_lookup_value()` for a missing key. */
static void no_value_is_none_of_them(void) {
    g_assert_null(baton_value_get_date(NULL));
    g_assert_null(baton_value_get_url(NULL));
    g_assert_null(baton_value_get_uuid(NULL));
    g_assert_null(baton_value_get_data(NULL));
}

/* A user may have typed the texts, so this is not a mistake in the program. */
static void texts_that_are_no_url_and_no_uuid_make_no_value(void) {
    g_assert_null(baton_value_new_url("https://example.org/\xC3\xA4"));
    g_assert_null(baton_value_new_uuid("5b1c2f0e"));
    g_assert_null(baton_value_new_uuid(""));
}

void add_value_tests(void) {
    g_test_add_func("/values/come-back", values_come_back);
    g_test_add_func("/values/other-forms-are-read", other_forms_are_read);
    g_test_add_func("/values/other-values-are-none-of-them", other_values_are_none_of_them);
    g_test_add_func("/values/no-value-is-none-of-them", no_value_is_none_of_them);
    g_test_add_func("/values/texts-that-are-none-make-no-value", texts_that_are_no_url_and_no_uuid_make_no_value);
}
