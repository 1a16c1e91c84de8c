/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

/* What the library tells a daemon, word for word: a stand-in for one, on a bus of its own, answers
 * each call of Activities and keeps what it was told last. */
typedef struct {
    GDBusConnection *bus, *app;
    guint name, object;
    GDBusNodeInfo *description;
    GVariant *told; /* the properties of the last Publish or Update */
} Stage;

static const char interface[] = "<node><interface name='org.batonproject.Baton1.Activities'>"
                                "<method name='Publish'><arg type='s'/><arg type='a{sv}'/><arg type='s' direction='out'/></method>"
                                "<method name='Update'><arg type='s'/><arg type='a{sv}'/></method>"
                                "<method name='BecomeCurrent'><arg type='s'/></method>"
                                "<method name='ResignCurrent'><arg type='s'/></method>"
                                "<method name='Invalidate'><arg type='s'/></method>"
                                "</interface></node>";

static void called(GDBusConnection *bus, const char *sender, const char *path, const char *name, const char *method, GVariant *arguments,
                   GDBusMethodInvocation *invocation, gpointer data) {
    Stage *stage = data;
    if (g_str_equal(method, "Publish") || g_str_equal(method, "Update")) {
        g_clear_pointer(&stage->told, g_variant_unref);
        stage->told = g_variant_get_child_value(arguments, 1);
    }
    g_dbus_method_invocation_return_value(invocation, g_str_equal(method, "Publish") ? g_variant_new("(s)", "the-activity") : NULL);
}

static void has_name(GDBusConnection *bus, const char *name, gpointer data) {
    *(gboolean *)data = TRUE;
}

static void set_up(Stage *stage, gconstpointer data) {
    static const GDBusInterfaceVTable table = {.method_call = called};
    gboolean is_owned = FALSE;
    g_autoptr(GError) error = NULL;
    stage->bus = connect_to("STAGE");
    stage->app = connect_to("STAGE");
    stage->description = g_dbus_node_info_new_for_xml(interface, &error);
    g_assert_no_error(error);
    stage->object = g_dbus_connection_register_object(stage->bus, "/org/batonproject/Baton", stage->description->interfaces[0], &table, stage, NULL,
                                                      &error);
    g_assert_no_error(error);
    stage->name = g_bus_own_name_on_connection(stage->bus, "org.batonproject.Baton", G_BUS_NAME_OWNER_FLAGS_NONE, has_name, NULL, &is_owned, NULL);
    UNTIL(is_owned);
}

static void tear_down(Stage *stage, gconstpointer data) {
    g_bus_unown_name(stage->name);
    g_dbus_connection_unregister_object(stage->bus, stage->object);
    g_dbus_node_info_unref(stage->description);
    g_clear_pointer(&stage->told, g_variant_unref);
    g_object_unref(stage->app);
    g_object_unref(stage->bus);
}

/* Whether a flag was told, and as what. */
static const char *flag(Stage *stage, const char *key) {
    gboolean value;
    if (!g_variant_lookup(stage->told, key, "b", &value)) return "not told";
    return value ? "true" : "false";
}

static void the_background_is_told_only_where_it_is_set(Stage *stage, gconstpointer data) {
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", stage->app, "activity-type", TYPE, NULL);
    baton_activity_set_background(activity, FALSE);
    baton_activity_become_current(activity);
    flush(activity);
    g_assert_cmpstr(flag(stage, "background"), ==, "not told");
    baton_activity_set_title(activity, "in front");
    flush(activity);
    g_assert_cmpstr(flag(stage, "background"), ==, "not told");
    g_object_set(activity, "background", TRUE, NULL);
    g_assert_true(baton_activity_get_background(activity));
    flush(activity);
    g_assert_cmpstr(flag(stage, "background"), ==, "true");
    g_object_set(activity, "background", FALSE, NULL);
    flush(activity);
    g_assert_cmpstr(flag(stage, "background"), ==, "false");

    g_autoptr(BatonActivity) music = g_object_new(BATON_TYPE_ACTIVITY, "connection", stage->app, "activity-type", TYPE, "background", TRUE, NULL);
    baton_activity_become_current(music);
    flush(music);
    g_assert_cmpstr(flag(stage, "background"), ==, "true");
    g_assert_cmpstr(flag(stage, "supportsContinuationStreams"), ==, "not told");
}

void add_recorded_tests(void) {
    g_test_add("/recorded/the-background-is-told-only-where-it-is-set", Stage, NULL, set_up, the_background_is_told_only_where_it_is_set, tear_down);
}
