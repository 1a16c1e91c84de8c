/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

#define ACTIVITIES "org.batonproject.Baton1.Activities"
#define OFFERS "org.batonproject.Baton1.Offers"

/* Publishes unusual values, which UserInfo.md allows and no app expects. */
static void unusual_values_are_no_surprise(void) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) published = call(
        desk, "Activities", "Publish",
        g_variant_new_parsed("(%s, {'title': <('string', <b'a\\000b'>)>, 'userInfo': <('dictionary', <[(<1>, <'one'>)]>)>,"
                             " 'requiredUserInfoKeys': <[<('string', <b'k\\000'>)>]>, 'expirationDate': <1e18>})",
                             TYPE),
        &error);
    g_assert_no_error(error);
    g_autoptr(GVariant) current = call(desk, "Activities", "BecomeCurrent", published, &error);
    g_assert_no_error(error);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(GDateTime) date = baton_continuation_get_expiration_date(continuation);
    g_auto(GStrv) keys = baton_continuation_get_required_user_info_keys(continuation);
    g_assert_null(baton_continuation_get_title(continuation));
    g_assert_null(date);
    g_assert_null(keys);
    g_assert_true(g_variant_is_of_type(baton_continuation_get_user_info(continuation), G_VARIANT_TYPE_VARDICT));
    g_assert_cmpuint(g_variant_n_children(baton_continuation_get_user_info(continuation)), ==, 0);
    g_autoptr(GVariant) info = g_variant_lookup_value(baton_continuation_get_properties(continuation), "userInfo", NULL);
    g_assert_cmpstr(g_variant_get_type_string(info), ==, "(sv)");
    g_autofree char *title = NULL;
    g_object_get(continuation, "title", &title, NULL);
    g_assert_null(title);
    g_autoptr(GVariant) ended = call(desk, "Activities", "Invalidate", published, &error);
    g_assert_no_error(error);
}

static void shout(GDBusConnection *stranger, GDBusConnection *to, const char *interface, const char *signal, GVariant *arguments) {
    g_autoptr(GError) error = NULL;
    g_dbus_connection_emit_signal(stranger, g_dbus_connection_get_unique_name(to), "/org/batonproject/Baton", interface, signal, arguments, &error);
    g_assert_no_error(error);
}

static void count(guint *counter) {
    (*counter)++;
}

/* Waits until everything that was sent to a connection has arrived. */
static void settle(GDBusConnection *stranger, GDBusConnection *to) {
    GAsyncResult *answer = NULL;
    g_dbus_connection_flush_sync(stranger, NULL, NULL);
    g_dbus_connection_call(stranger, g_dbus_connection_get_unique_name(to), "/", "org.freedesktop.DBus.Peer", "Ping", NULL, NULL,
                           G_DBUS_CALL_FLAGS_NONE, -1, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_autoptr(GVariant) reply = g_dbus_connection_call_finish(stranger, result, NULL);
}

typedef struct {
    char *activity, *stream;
} Heard;

/* Records the names, which a stranger may have learned. */
static void hear(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal, GVariant *arguments,
                 gpointer data) {
    Heard *heard = data;
    if (strcmp(signal, "StreamsOpened") == 0) g_variant_get(arguments, "(ssss)", &heard->activity, &heard->stream, NULL, NULL);
}

static void keep_streams(BatonActivity *activity, BatonStreams *streams, BatonStreams **kept) {
    g_set_object(kept, streams);
}

static void nobody_but_the_daemon_is_believed(void) {
    guint signals = 0;
    Heard heard = {NULL, NULL};
    BatonStreams *here = NULL;
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusConnection) stranger = connect_to("DESK");
    guint hearing = g_dbus_connection_signal_subscribe(desk, NULL, ACTIVITIES, NULL, NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE, hear, &heard, NULL);
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect(activity, "streams", G_CALLBACK(keep_streams), &here);
    g_object_set(activity, "supports-continuation-streams", TRUE, "title", "a title", NULL);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    baton_continuation_open_streams_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_autoptr(BatonStreams) there = baton_continuation_open_streams_finish(continuation, result, &error);
    g_assert_no_error(error);
    UNTIL(here != NULL && heard.stream != NULL);
    g_dbus_connection_signal_unsubscribe(desk, hearing);
    g_output_stream_close(g_io_stream_get_output_stream(G_IO_STREAM(here)), NULL, NULL);

    g_signal_connect_swapped(activity, "save", G_CALLBACK(count), &signals);
    g_signal_connect_swapped(activity, "continued", G_CALLBACK(count), &signals);
    g_signal_connect_swapped(activity, "not-continued", G_CALLBACK(count), &signals);
    g_signal_connect_swapped(activity, "ended", G_CALLBACK(count), &signals);
    g_signal_connect_swapped(activity, "warning", G_CALLBACK(count), &signals);
    g_signal_connect_swapped(activity, "streams", G_CALLBACK(count), &signals);
    shout(stranger, desk, ACTIVITIES, "StreamEnded", g_variant_new("(sbs)", heard.stream, TRUE, ""));
    shout(stranger, desk, ACTIVITIES, "WillSave", g_variant_new("(s)", heard.activity));
    shout(stranger, desk, ACTIVITIES, "WasContinued", g_variant_new("(sss)", heard.activity, "0", "thief"));
    shout(stranger, desk, ACTIVITIES, "NotContinued", g_variant_new("(ssss)", heard.activity, "0", "thief", "because"));
    shout(stranger, desk, ACTIVITIES, "Ended", g_variant_new("(ss)", heard.activity, "because"));
    shout(stranger, desk, ACTIVITIES, "Warning", g_variant_new("(ss)", heard.activity, "beware"));
    shout(stranger, desk, ACTIVITIES, "StreamsOpened", g_variant_new("(ssss)", heard.activity, "s", "0", "thief"));
    shout(stranger, desk, "org.freedesktop.DBus", "NameOwnerChanged", g_variant_new("(sss)", "org.batonproject.Baton", "", ":1.0"));
    /* The stranger also sends the same signals with invalid arguments. */
    shout(stranger, desk, ACTIVITIES, "StreamEnded", NULL);
    shout(stranger, desk, ACTIVITIES, "StreamEnded", g_variant_new("(u)", 1));
    shout(stranger, desk, ACTIVITIES, "WillSave", g_variant_new("(u)", 1));
    shout(stranger, desk, ACTIVITIES, "NotContinued", g_variant_new("(s)", heard.activity));
    shout(stranger, desk, ACTIVITIES, "StreamsOpened", g_variant_new("(s)", heard.activity));
    shout(stranger, desk, OFFERS, "Appeared", g_variant_new("(u)", 1));
    settle(stranger, desk);
    g_assert_cmpuint(signals, ==, 0);

    /* The stranger's message about the end does not count. The real end counts: the other side cuts
     * the streams. */
    g_clear_object(&there);
    char buffer[16];
    g_assert_cmpint(g_input_stream_read(g_io_stream_get_input_stream(G_IO_STREAM(here)), buffer, sizeof buffer, NULL, &error), ==, -1);
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    g_object_unref(here);
    g_free(heard.activity);
    g_free(heard.stream);
}

void add_hostile_tests(void) {
    g_test_add_func("/hostile/unusual-values-are-no-surprise", unusual_values_are_no_surprise);
    g_test_add_func("/hostile/nobody-but-the-daemon-is-believed", nobody_but_the_daemon_is_believed);
}
