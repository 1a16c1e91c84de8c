/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-activity-properties-private.h"

/* The properties of `fields` follow the others. */
static GParamSpec *properties[PROPERTY_FIELDS + BATON_CONTENTS];

void baton_activity_notify(BatonActivity *self, guint property) {
    g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
}

void baton_activity_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonActivity *self = BATON_ACTIVITY(object);
    if (id >= PROPERTY_FIELDS) {
        baton_activity_get_field(self, id - PROPERTY_FIELDS, value);
        return;
    }
    switch (id) {
    case PROPERTY_CONNECTION: g_value_set_object(value, self->bus); break;
    case PROPERTY_ACTIVITY_TYPE: g_value_set_string(value, self->activity_type); break;
    case PROPERTY_TEAM: g_value_set_string(value, self->team); break;
    case PROPERTY_APPLICATION: g_value_set_string(value, self->application); break;
    case PROPERTY_SPEAKER: g_value_set_string(value, self->speaker); break;
    case PROPERTY_BACKGROUND: g_value_set_boolean(value, self->is_background); break;
    case PROPERTY_IS_CURRENT: g_value_set_boolean(value, baton_activity_get_is_current(self)); break;
    case PROPERTY_DOCUMENT: g_value_set_object(value, self->document); break;
    case PROPERTY_CONTENTS: g_value_set_object(value, self->contents); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void baton_activity_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    BatonActivity *self = BATON_ACTIVITY(object);
    if (id >= PROPERTY_FIELDS) {
        baton_activity_set_field(self, id - PROPERTY_FIELDS, value);
        return;
    }
    switch (id) {
    case PROPERTY_CONNECTION: self->bus = g_value_dup_object(value); break;
    case PROPERTY_ACTIVITY_TYPE: self->activity_type = g_value_dup_string(value); break;
    case PROPERTY_TEAM: self->team = g_value_dup_string(value); break;
    case PROPERTY_APPLICATION: self->application = g_value_dup_string(value); break;
    case PROPERTY_SPEAKER: self->speaker = g_value_dup_string(value); break;
    case PROPERTY_BACKGROUND: self->is_background = g_value_get_boolean(value); break;
    case PROPERTY_DOCUMENT: baton_activity_set_document(self, g_value_get_object(value)); break;
    case PROPERTY_CONTENTS: baton_activity_set_contents(self, g_value_get_object(value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void baton_activity_install_properties(GObjectClass *object_class) {
    GParamFlags once = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;
    GParamFlags often = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    /**
     * BatonActivity:connection:
     *
     * The connection to the session bus. %NULL stands for the program's shared connection.
     *
     * Since: 1.0
     */
    properties[PROPERTY_CONNECTION] = g_param_spec_object("connection", NULL, NULL, G_TYPE_DBUS_CONNECTION, once);
    /**
     * BatonActivity:activity-type: (getter get_activity_type)
     *
     * The activity's type, which says what the user is doing, such as `org.example.notes.edit`.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ACTIVITY_TYPE] = g_param_spec_string("activity-type", NULL, NULL, "", once);
    /**
     * BatonActivity:team:
     *
     * The team whose apps may continue the activity. An empty string stands for all apps, %NULL for
     * the team in the app's desktop entry.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TEAM] = g_param_spec_string("team", NULL, NULL, NULL, once);
    /**
     * BatonActivity:application:
     *
     * The id of the app that the user works in, for an adapter that publishes activities of other
     * apps. %NULL stands for the program's own id. The user's rules use this id. Only a program
     * that owns the name of a desktop entry which lists the app in `X-Baton-Adapter` may set it, on
     * the connection that owns the name. If :application is set, :team is empty by default.
     *
     * Since: 1.1
     */
    properties[PROPERTY_APPLICATION] = g_param_spec_string("application", NULL, NULL, NULL, once);
    /**
     * BatonActivity:speaker:
     *
     * The unique bus name of the program that an adapter speaks for, such as `:1.42`. %NULL stands
     * for a program without a connection, and for an app that speaks for itself. The daemon checks
     * the program when the activity is published, and each time that another device fetches the
     * activity. For a program in a sandbox, and for one that the daemon cannot identify,
     * [signal@Baton.Activity::failed] is emitted. When the program leaves the bus or is no longer
     * admitted, [signal@Baton.Activity::ended] is emitted. If this property is set, :application
     * must be the id that the daemon's `Adapters.Judge` returns.
     *
     * Since: 1.1
     */
    properties[PROPERTY_SPEAKER] = g_param_spec_string("speaker", NULL, NULL, NULL, once);
    /**
     * BatonActivity:background:
     *
     * Whether this is a background activity. A background activity is offered only while all
     * current activities of this device are background activities. For example, music does not hide
     * the document in front.
     *
     * Since: 1.1
     */
    properties[PROPERTY_BACKGROUND] = g_param_spec_boolean("background", NULL, NULL, FALSE, once);
    /**
     * BatonActivity:is-current: (getter get_is_current)
     *
     * Whether the activity is the program's current one.
     *
     * Since: 1.0
     */
    properties[PROPERTY_IS_CURRENT] = g_param_spec_boolean("is-current", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
    /**
     * BatonActivity:document: (getter get_document) (setter set_document)
     *
     * The document that the activity is about: a file on this device.
     *
     * If the document is in a folder that all of the user's devices have, as
     * `~/.config/baton/folders` says, the other device gets its place in that folder. For any other
     * document the other device gets its name, and then its saved contents when it asks for them.
     * Such a document may have at most 64 MiB. The document goes through streams for which
     * [signal@Baton.Activity::streams] is not emitted. If the document cannot be sent,
     * [signal@Baton.Activity::warning] is emitted.
     *
     * The document is not in [property@Baton.Activity:user-info]; the library adds it when it
     * publishes the activity. On the other device [method@Baton.Continuation.load_document_async]
     * makes a file of it.
     *
     * Since: 1.1
     */
    properties[PROPERTY_DOCUMENT] = g_param_spec_object("document", NULL, NULL, G_TYPE_FILE, often);
    /**
     * BatonActivity:contents: (getter get_contents) (setter set_contents)
     *
     * A file whose contents are sent instead of those of [property@Baton.Activity:document], for
     * example because the user has not saved them yet. This property also makes the contents of a
     * document in a shared folder available, because the file is perhaps not on the other device
     * yet: see [method@Baton.Continuation.load_contents_async]. If it is %NULL, the document itself is
     * sent unless it is in a shared folder. The property is also %NULL while
     * [method@Baton.Activity.set_contents_fd] has set an open file.
     *
     * Since: 1.1
     */
    properties[PROPERTY_CONTENTS] = g_param_spec_object("contents", NULL, NULL, G_TYPE_FILE, often);
    baton_activity_make_specs(properties + PROPERTY_FIELDS);
    g_object_class_install_properties(object_class, G_N_ELEMENTS(properties), properties);
}
