/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

static void keep_streams(BatonActivity *activity, BatonStreams *streams, BatonStreams **kept) {
    g_set_object(kept, streams);
}

static void what_was_published_is_published_again(void) {
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", TYPE, NULL);
    baton_activity_set_title(activity, "before");
    flush(activity);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 1);
    ask("kill desk");
    /* Changes without a daemon are sent to the next one. */
    baton_activity_set_title(activity, "meanwhile");
    ask("start desk");
    flush(activity);
    /* At first the sofa may see the previous daemon's offer. */
    g_autoptr(BatonContinuation) continuation = NULL;
    for (guint tries = 0; continuation == NULL && tries < 100; tries++) continuation = try_to_carry_on(TYPE, NULL);
    g_assert_cmpstr(baton_continuation_get_title(continuation), ==, "meanwhile");
    g_assert_true(baton_activity_get_is_current(activity));
}

static void offers_go_with_the_daemon_and_come_with_the_next(void) {
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", TYPE, NULL);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 1);
    ask("kill sofa");
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 0);
    ask("start sofa");
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 1);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_nonnull(continuation);
}

/* Acts as a program that only receives, and that waits without a main loop. */
static gpointer read_on(gpointer streams) {
    char buffer[64];
    GError *error = NULL;
    while (g_input_stream_read(g_io_stream_get_input_stream(streams), buffer, sizeof buffer, NULL, &error) > 0) continue;
    return error;
}

static void streams_of_a_daemon_that_has_ended_are_cut(void) {
    BatonStreams *here = NULL;
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect(activity, "streams", G_CALLBACK(keep_streams), &here);
    baton_activity_set_supports_continuation_streams(activity, TRUE);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    baton_continuation_open_streams_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_autoptr(BatonStreams) there = baton_continuation_open_streams_finish(continuation, result, &error);
    g_assert_no_error(error);
    UNTIL(here != NULL);
    g_output_stream_close(g_io_stream_get_output_stream(G_IO_STREAM(there)), NULL, NULL);
    GThread *reader = g_thread_new("reader", read_on, there);
    ask("kill sofa");
    g_autoptr(GError) cut = g_thread_join(reader);
    g_assert_error(cut, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    g_assert_nonnull(strstr(cut->message, "batond has ended"));
    ask("start sofa");
    g_object_unref(here);
}

static void without_a_daemon_calls_fail(void) {
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", TYPE, NULL);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 1);
    g_autoptr(BatonOffer) offer = g_list_model_get_item(G_LIST_MODEL(offers), 0);
    ask("kill sofa");
    baton_offers_continue_async(offers, offer, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_assert_null(baton_offers_continue_finish(offers, result, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_NO_DAEMON);
    g_assert_nonnull(strstr(error->message, "batond is not running, or has just ended; start it"));
    ask("start sofa");
}

static void fail(BatonActivity *activity, GError *error, GError **found) {
    *found = g_error_copy(error);
}

/* Tests a program that has no session bus. */
static void without_a_bus_an_activity_fails(void) {
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
        g_test_trap_assert_passed();
        return;
    }
    g_autoptr(GError) failure = NULL, error = NULL;
    g_setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", TRUE);
    g_autoptr(BatonActivity) activity = baton_activity_new(TYPE);
    g_signal_connect(activity, "failed", G_CALLBACK(fail), &failure);
    baton_activity_become_current(activity);
    g_assert_false(try_to_flush(activity, &error));
    UNTIL(failure != NULL);
    g_assert_nonnull(error);
    g_autoptr(BatonApplication) application = baton_application_new("org.example.Busless");
    g_autoptr(GError) serve_error = NULL;
    g_assert_false(baton_application_serve(application, NULL, &serve_error));
    g_assert_nonnull(serve_error);
}

void add_restart_tests(void) {
    g_test_add_func("/restart/what-was-published-is-published-again", what_was_published_is_published_again);
    g_test_add_func("/restart/offers-go-and-come", offers_go_with_the_daemon_and_come_with_the_next);
    g_test_add_func("/restart/streams-are-cut", streams_of_a_daemon_that_has_ended_are_cut);
    g_test_add_func("/restart/without-a-daemon-calls-fail", without_a_daemon_calls_fail);
    g_test_add_func("/restart/without-a-bus-an-activity-fails", without_a_bus_an_activity_fails);
}
