/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

#define ID "org.example.Brought"

/* An app on the sofa, whose desktop entry the driver has installed, and what happened to it. */
typedef struct {
    BatonApplication *application;
    BatonActivity *activity;
    BatonContinuation *brought;
    char *type;
    GString *heard;
    guint name;
} App;

static gboolean will_continue(BatonApplication *application, BatonOffer *offer, const char *token, App *app) {
    g_assert_cmpstr(baton_offer_get_activity_type(offer), ==, app->type);
    g_assert_cmpstr(baton_offer_get_device_name(offer), ==, "desk");
    g_assert_nonnull(baton_offer_get_id(offer));
    g_string_append(app->heard, "will ");
    return TRUE;
}

static void continues(BatonApplication *application, BatonContinuation *continuation, App *app) {
    g_set_object(&app->brought, continuation);
}

static gboolean did_fail(BatonApplication *application, const char *type, GError *error, App *app) {
    g_assert_cmpstr(type, ==, app->type);
    g_assert_cmpuint(error->domain, ==, BATON_ERROR);
    g_string_append_printf(app->heard, "failed %d ", error->code);
    return TRUE;
}

static void has_name(GDBusConnection *bus, const char *name, gpointer data) {
    *(gboolean *)data = TRUE;
}

static void set_up(App *app, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    gboolean is_owned = FALSE;
    static guint count = 0;
    /* The desktop entry declares types of this form. */
    app->type = g_strdup_printf("org.example.brought.%u", ++count);
    app->heard = g_string_new(NULL);
    app->application = baton_application_new(ID);
    g_signal_connect(app->application, "will-continue", G_CALLBACK(will_continue), app);
    g_signal_connect(app->application, "continue", G_CALLBACK(continues), app);
    g_signal_connect(app->application, "did-fail", G_CALLBACK(did_fail), app);
    g_assert_true(baton_application_serve(app->application, sofa, &error));
    g_assert_no_error(error);
    app->name = g_bus_own_name_on_connection(sofa, ID, G_BUS_NAME_OWNER_FLAGS_NONE, has_name, NULL, &is_owned, NULL);
    UNTIL(is_owned);
    app->activity = publish(app->type);
    g_object_set(app->activity, "title", "brought here", NULL);
    flush(app->activity);
}

static void tear_down(App *app, gconstpointer data) {
    g_clear_object(&app->brought);
    g_bus_unown_name(app->name);
    g_clear_object(&app->application);
    g_clear_object(&app->activity);
    g_free(app->type);
    g_string_free(app->heard, TRUE);
}

/* Does what a click on a notification does, on a connection of the desktop. */
static void choose(App *app, GDBusConnection *desktop, GAsyncResult **answer) {
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", desktop, "activity-type", app->type, NULL);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) > 0);
    g_autoptr(BatonOffer) offer = g_list_model_get_item(G_LIST_MODEL(offers), 0);
    UNTIL(g_strcmp0(baton_offer_get_application(offer), ID) == 0);
    GVariant *arguments = g_variant_new("(s@a{sv})", baton_offer_get_id(offer), g_variant_new("a{sv}", NULL));
    g_dbus_connection_call(desktop, "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Offers", "Open", arguments, NULL,
                           G_DBUS_CALL_FLAGS_NONE, 130000, NULL, keep, answer);
}

static void note_device(BatonActivity *activity, const char *device, const char *device_name, char **found) {
    *found = g_strdup(device_name);
}

static void what_baton_brings_is_taken_over(App *app, gconstpointer data) {
    GAsyncResult *answer = NULL;
    g_autofree char *continued_on = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(GDBusConnection) desktop = connect_to("SOFA");
    g_signal_connect(app->activity, "continued", G_CALLBACK(note_device), &continued_on);
    choose(app, desktop, &answer);
    UNTIL(app->brought != NULL);
    g_assert_cmpstr(app->heard->str, ==, "will ");
    g_assert_cmpstr(baton_continuation_get_title(app->brought), ==, "brought here");
    g_assert_null(answer);
    baton_continuation_accept(app->brought);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_autoptr(GVariant) opened = g_dbus_connection_call_finish(desktop, result, &error);
    g_assert_no_error(error);
    UNTIL(continued_on != NULL);
    g_assert_cmpstr(continued_on, ==, "sofa");
}

static void expect_failure(GDBusConnection *desktop, GAsyncResult **answer, int code, const char *says) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GAsyncResult) result = wait_for(answer);
    g_autoptr(GVariant) opened = g_dbus_connection_call_finish(desktop, result, &error);
    g_assert_error(error, BATON_ERROR, code);
    g_assert_nonnull(strstr(error->message, says));
}

static void what_the_app_declines_fails_with_its_message(App *app, gconstpointer data) {
    GAsyncResult *answer = NULL;
    g_autoptr(GDBusConnection) desktop = connect_to("SOFA");
    choose(app, desktop, &answer);
    UNTIL(app->brought != NULL);
    baton_continuation_decline(app->brought, "this note is locked");
    expect_failure(desktop, &answer, BATON_ERROR_FAILED, "this note is locked");
    g_autofree char *expected = g_strdup_printf("will failed %d ", BATON_ERROR_FAILED);
    UNTIL(strcmp(app->heard->str, expected) == 0);
}

static void what_the_app_lets_go_of_fails(App *app, gconstpointer data) {
    GAsyncResult *answer = NULL;
    g_autoptr(GDBusConnection) desktop = connect_to("SOFA");
    choose(app, desktop, &answer);
    UNTIL(app->brought != NULL);
    g_clear_object(&app->brought);
    expect_failure(desktop, &answer, BATON_ERROR_APPLICATION_FAILED, "");
    g_autofree char *expected = g_strdup_printf("will failed %d ", BATON_ERROR_APPLICATION_FAILED);
    UNTIL(strcmp(app->heard->str, expected) == 0);
}

static void an_app_that_is_not_ready_says_why(App *app, gconstpointer data) {
    GAsyncResult *answer = NULL;
    g_autoptr(GDBusConnection) desktop = connect_to("SOFA");
    baton_application_set_not_ready(app->application, "unlock the notes first");
    choose(app, desktop, &answer);
    expect_failure(desktop, &answer, BATON_ERROR_NOT_READY, "unlock the notes first");
    g_assert_cmpstr(app->heard->str, ==, "");
}

static void nobody_but_the_daemon_is_believed(App *app, gconstpointer data) {
    static const struct {
        const char *method, *arguments;
    } calls[] = {
        {"WillContinue", "('org.example.brought', @a{sv} {})"},
        {"Continue", "('c', {'type': <'org.example.brought'>, 'title': <'forged'>})"},
        {"DidFail", "('org.example.brought', 'Failed', 'forged')"},
    };
    g_autoptr(GDBusConnection) stranger = connect_to("SOFA");
    for (gsize i = 0; i < G_N_ELEMENTS(calls); i++) {
        GAsyncResult *answer = NULL;
        g_autoptr(GError) error = NULL;
        g_dbus_connection_call(stranger, ID, "/org/example/Brought", "org.batonproject.Application1", calls[i].method,
                               g_variant_new_parsed(calls[i].arguments), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, keep, &answer);
        g_autoptr(GAsyncResult) result = wait_for(&answer);
        g_autoptr(GVariant) reply = g_dbus_connection_call_finish(stranger, result, &error);
        g_assert_error(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
    }
    g_assert_cmpstr(app->heard->str, ==, "");
    g_assert_null(app->brought);
}

void add_application_tests(void) {
    g_test_add("/application/what-baton-brings-is-taken-over", App, NULL, set_up, what_baton_brings_is_taken_over, tear_down);
    g_test_add("/application/what-the-app-declines-fails-with-its-message", App, NULL, set_up,
               what_the_app_declines_fails_with_its_message, tear_down);
    g_test_add("/application/what-the-app-lets-go-of-fails", App, NULL, set_up, what_the_app_lets_go_of_fails, tear_down);
    g_test_add("/application/an-app-that-is-not-ready-says-why", App, NULL, set_up, an_app_that_is_not_ready_says_why, tear_down);
    g_test_add("/application/nobody-but-the-daemon-is-believed", App, NULL, set_up, nobody_but_the_daemon_is_believed, tear_down);
}
