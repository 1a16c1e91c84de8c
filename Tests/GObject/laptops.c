/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

#include <stdio.h>

GDBusConnection *desk, *sofa;

GDBusConnection *connect_to(const char *laptop) {
    g_autofree char *variable = g_strconcat("BATON_TEST_", laptop, NULL);
    g_autoptr(GError) error = NULL;
    GDBusConnection *bus = g_dbus_connection_new_for_address_sync(
        g_getenv(variable), G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
    g_assert_no_error(error);
    return bus;
}

void ask(const char *what) {
    char answer[64];
    fprintf(stderr, "ask: %s\n", what);
    if (fgets(answer, sizeof answer, stdin) == NULL) g_error("nobody does '%s'", what);
}

const char *own_type(const char *suffix) {
    g_autofree char *type = g_strconcat("org.example", g_test_get_path(), suffix, NULL);
    return g_intern_string(g_strdelimit(type, "/", '.'));
}

gboolean it_takes_too_long(gpointer condition) {
    g_error("it did not come to be: %s", (const char *)condition);
}

void keep(GObject *source, GAsyncResult *result, gpointer answer) {
    *(GAsyncResult **)answer = g_object_ref(result);
}

GAsyncResult *wait_for(GAsyncResult **answer) {
    UNTIL(*answer != NULL);
    return g_steal_pointer(answer);
}

gboolean try_to_flush(BatonActivity *activity, GError **error) {
    GAsyncResult *answer = NULL;
    baton_activity_flush_async(activity, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return baton_activity_flush_finish(activity, result, error);
}

void flush(BatonActivity *activity) {
    g_autoptr(GError) error = NULL;
    try_to_flush(activity, &error);
    g_assert_no_error(error);
}

void expect_not_flushed(BatonActivity *activity, int code) {
    g_autoptr(GError) error = NULL;
    g_assert_false(try_to_flush(activity, &error));
    g_assert_error(error, BATON_ERROR, code);
}

BatonActivity *publish(const char *type) {
    BatonActivity *activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", type, NULL);
    baton_activity_become_current(activity);
    flush(activity);
    return activity;
}

BatonContinuation *try_to_carry_on(const char *type, GError **error) {
    GAsyncResult *answer = NULL;
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", type, NULL);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) > 0);
    g_autoptr(BatonOffer) offer = g_list_model_get_item(G_LIST_MODEL(offers), 0);
    baton_offers_continue_async(offers, offer, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return baton_offers_continue_finish(offers, result, error);
}

BatonContinuation *carry_on(const char *type) {
    g_autoptr(GError) error = NULL;
    BatonContinuation *continuation = try_to_carry_on(type, &error);
    g_assert_no_error(error);
    return continuation;
}

void expect_transport(const char *transport) {
    static const char *const transports[] = {"simulated", "tcp", NULL};
    g_assert_true(g_strv_contains(transports, transport));
}

gboolean is_all_there_is(BatonOffers *offers, const char *type) {
    if (g_list_model_get_n_items(G_LIST_MODEL(offers)) != 1) return FALSE;
    g_autoptr(BatonOffer) offer = g_list_model_get_item(G_LIST_MODEL(offers), 0);
    return g_strcmp0(baton_offer_get_activity_type(offer), type) == 0;
}

GVariant *call(GDBusConnection *bus, const char *interface, const char *method, GVariant *arguments, GError **error) {
    GAsyncResult *answer = NULL;
    g_autofree char *name = g_strconcat("org.batonproject.Baton1.", interface, NULL);
    g_dbus_connection_call(bus, "org.batonproject.Baton", "/org/batonproject/Baton", name, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, 130000,
                           NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return g_dbus_connection_call_finish(bus, result, error);
}

int main(int count, char **arguments) {
    g_test_init(&count, &arguments, NULL);
    desk = connect_to("DESK");
    sofa = connect_to("SOFA");
    add_value_tests();
    add_handover_tests();
    add_stream_tests();
    add_splice_tests();
    add_restart_tests();
    add_hostile_tests();
    add_document_name_tests();
    add_document_copy_tests();
    add_document_tests();
    add_document_descriptor_tests();
    add_application_tests();
    int status = g_test_run();
    /* Closing the connections also ends everything that the tests have left on the buses. */
    g_object_unref(desk);
    g_object_unref(sofa);
    return status;
}
