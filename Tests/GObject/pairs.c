/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

void keep_streams(BatonActivity *activity, BatonStreams *streams, BatonStreams **kept) {
    if (*kept == NULL) *kept = g_object_ref(streams);
}

BatonStreams *open_streams(BatonContinuation *continuation) {
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    baton_continuation_open_streams_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    BatonStreams *streams = baton_continuation_open_streams_finish(continuation, result, &error);
    g_assert_no_error(error);
    return streams;
}

void set_up_pair(Pair *pair, gconstpointer data) {
    pair->activity = publish(TYPE);
    g_signal_connect(pair->activity, "streams", G_CALLBACK(keep_streams), &pair->here);
    baton_activity_set_supports_continuation_streams(pair->activity, TRUE);
    flush(pair->activity);
    pair->continuation = carry_on(TYPE);
    g_assert_true(baton_continuation_get_supports_continuation_streams(pair->continuation));
    baton_continuation_accept(pair->continuation);
    pair->there = open_streams(pair->continuation);
    UNTIL(pair->here != NULL);
    g_assert_cmpstr(baton_streams_get_device_name(pair->here), ==, "sofa");
    g_assert_cmpstr(baton_streams_get_device_name(pair->there), ==, "desk");
    g_assert_cmpstr(baton_streams_get_device(pair->there), ==, baton_continuation_get_device(pair->continuation));
    g_assert_cmpstr(baton_streams_get_transport(pair->here), !=, NULL);
}

void tear_down_pair(Pair *pair, gconstpointer data) {
    g_clear_object(&pair->here);
    g_clear_object(&pair->there);
    g_clear_object(&pair->continuation);
    g_clear_object(&pair->activity);
}

GInputStream *input(BatonStreams *streams) {
    return g_io_stream_get_input_stream(G_IO_STREAM(streams));
}

GOutputStream *output(BatonStreams *streams) {
    return g_io_stream_get_output_stream(G_IO_STREAM(streams));
}

void send_all(BatonStreams *streams, const char *text) {
    g_autoptr(GError) error = NULL;
    g_output_stream_write_all(output(streams), text, strlen(text), NULL, NULL, &error);
    g_assert_no_error(error);
}

void end(BatonStreams *streams) {
    g_autoptr(GError) error = NULL;
    g_output_stream_close(output(streams), NULL, &error);
    g_assert_no_error(error);
}

/* Reads once, with the main loop. */
static gssize read_some(BatonStreams *streams, char *buffer, gsize count, GError **error) {
    GAsyncResult *answer = NULL;
    g_input_stream_read_async(input(streams), buffer, count, G_PRIORITY_DEFAULT, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return g_input_stream_read_finish(input(streams), result, error);
}

void expect(BatonStreams *streams, const char *text) {
    char buffer[64];
    g_autoptr(GString) found = g_string_new(NULL);
    while (found->len < strlen(text)) {
        g_autoptr(GError) error = NULL;
        gssize count = read_some(streams, buffer, strlen(text) - found->len, &error);
        g_assert_no_error(error);
        g_assert_cmpint(count, >, 0);
        g_string_append_len(found, buffer, count);
    }
    g_assert_cmpstr(found->str, ==, text);
}

void expect_end(BatonStreams *streams) {
    char byte;
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(read_some(streams, &byte, 1, &error), ==, 0);
    g_assert_no_error(error);
}

void expect_cut(BatonStreams *streams) {
    char buffer[256];
    g_autoptr(GError) error = NULL;
    while (read_some(streams, buffer, sizeof buffer, &error) > 0) continue;
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    g_assert_false(g_str_has_suffix(error->message, ": "));
}

gboolean close_streams(BatonStreams *streams, GError **error) {
    GAsyncResult *answer = NULL;
    g_io_stream_close_async(G_IO_STREAM(streams), G_PRIORITY_DEFAULT, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return g_io_stream_close_finish(G_IO_STREAM(streams), result, error);
}

void add_pair_tests(const char *group, const PairTest *tests, gsize count) {
    for (gsize i = 0; i < count; i++) {
        g_autofree char *path = g_strconcat("/", group, "/", tests[i].name, NULL);
        g_test_add(path, Pair, NULL, set_up_pair, tests[i].test, tear_down_pair);
    }
}
