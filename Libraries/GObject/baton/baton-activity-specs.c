/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-activity-properties-private.h"

static GParamSpec *properties[PROPERTIES];

void baton_activity_notify(BatonActivity *self, BatonActivityProperty property) {
    g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
}

void baton_activity_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonActivity *self = BATON_ACTIVITY(object);
    switch (id) {
    case PROPERTY_CONNECTION: g_value_set_object(value, self->bus); break;
    case PROPERTY_ACTIVITY_TYPE: g_value_set_string(value, self->activity_type); break;
    case PROPERTY_TEAM: g_value_set_string(value, self->team); break;
    case PROPERTY_APPLICATION: g_value_set_string(value, self->application); break;
    case PROPERTY_SPEAKER: g_value_set_string(value, self->speaker); break;
    case PROPERTY_BACKGROUND: g_value_set_boolean(value, self->is_background); break;
    case PROPERTY_TITLE: g_value_set_string(value, baton_activity_get_title(self)); break;
    case PROPERTY_USER_INFO: g_value_set_variant(value, baton_activity_get_user_info(self)); break;
    case PROPERTY_WEBPAGE_URL: g_value_set_string(value, baton_activity_get_webpage_url(self)); break;
    case PROPERTY_REFERRER_URL: g_value_set_string(value, baton_activity_get_referrer_url(self)); break;
    case PROPERTY_EXPIRATION_DATE: g_value_take_boxed(value, baton_activity_get_expiration_date(self)); break;
    case PROPERTY_REQUIRED_USER_INFO_KEYS: g_value_take_boxed(value, baton_activity_get_required_user_info_keys(self)); break;
    case PROPERTY_TARGET_CONTENT_IDENTIFIER: g_value_set_string(value, baton_activity_get_target_content_identifier(self)); break;
    case PROPERTY_PERSISTENT_IDENTIFIER: g_value_set_string(value, baton_activity_get_persistent_identifier(self)); break;
    case PROPERTY_SUPPORTS_CONTINUATION_STREAMS: g_value_set_boolean(value, baton_activity_get_supports_continuation_streams(self)); break;
    case PROPERTY_NEEDS_SAVE: g_value_set_boolean(value, baton_activity_get_needs_save(self)); break;
    case PROPERTY_IS_CURRENT: g_value_set_boolean(value, baton_activity_get_is_current(self)); break;
    case PROPERTY_DOCUMENT: g_value_set_object(value, self->document); break;
    case PROPERTY_CONTENTS: g_value_set_object(value, self->contents); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void baton_activity_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    BatonActivity *self = BATON_ACTIVITY(object);
    switch (id) {
    case PROPERTY_CONNECTION: self->bus = g_value_dup_object(value); break;
    case PROPERTY_ACTIVITY_TYPE: self->activity_type = g_value_dup_string(value); break;
    case PROPERTY_TEAM: self->team = g_value_dup_string(value); break;
    case PROPERTY_APPLICATION: self->application = g_value_dup_string(value); break;
    case PROPERTY_SPEAKER: self->speaker = g_value_dup_string(value); break;
    case PROPERTY_BACKGROUND: self->is_background = g_value_get_boolean(value); break;
    case PROPERTY_TITLE: baton_activity_set_title(self, g_value_get_string(value)); break;
    case PROPERTY_USER_INFO: baton_activity_set_user_info(self, g_value_get_variant(value)); break;
    case PROPERTY_WEBPAGE_URL: baton_activity_set_webpage_url(self, g_value_get_string(value)); break;
    case PROPERTY_REFERRER_URL: baton_activity_set_referrer_url(self, g_value_get_string(value)); break;
    case PROPERTY_EXPIRATION_DATE: baton_activity_set_expiration_date(self, g_value_get_boxed(value)); break;
    case PROPERTY_REQUIRED_USER_INFO_KEYS: baton_activity_set_required_user_info_keys(self, g_value_get_boxed(value)); break;
    case PROPERTY_TARGET_CONTENT_IDENTIFIER: baton_activity_set_target_content_identifier(self, g_value_get_string(value)); break;
    case PROPERTY_PERSISTENT_IDENTIFIER: baton_activity_set_persistent_identifier(self, g_value_get_string(value)); break;
    case PROPERTY_SUPPORTS_CONTINUATION_STREAMS: baton_activity_set_supports_continuation_streams(self, g_value_get_boolean(value)); break;
    case PROPERTY_NEEDS_SAVE: baton_activity_set_needs_save(self, g_value_get_boolean(value)); break;
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
     * the connection that owns the name. Then :team is empty unless it is set.
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
     * activity. It refuses a program in a sandbox and one that it cannot identify:
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
     * Whether other activities go first. A current background activity is offered only while no
     * other activity of this device is current without this property. Music, for example, does not
     * hide the document in front.
     *
     * Since: 1.1
     */
    properties[PROPERTY_BACKGROUND] = g_param_spec_boolean("background", NULL, NULL, FALSE, once);
    /**
     * BatonActivity:title: (getter get_title) (setter set_title)
     *
     * The name to show to the user, at most 1,024 bytes.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TITLE] = g_param_spec_string("title", NULL, NULL, NULL, often);
    /**
     * BatonActivity:user-info: (getter get_user_info) (setter set_user_info)
     *
     * The state, an `a{sv}`: the values that an app needs to continue where this app is.
     *
     * Since: 1.0
     */
    /* Any type is allowed here because the setter's warning is clearer than GObject's. */
    properties[PROPERTY_USER_INFO] = g_param_spec_variant("user-info", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, often);
    /**
     * BatonActivity:webpage-url: (getter get_webpage_url) (setter set_webpage_url)
     *
     * The web page that shows the same content. It is opened where no app can continue the
     * activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_WEBPAGE_URL] = g_param_spec_string("webpage-url", NULL, NULL, NULL, often);
    /**
     * BatonActivity:referrer-url: (getter get_referrer_url) (setter set_referrer_url)
     *
     * The page that led to the web page.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REFERRER_URL] = g_param_spec_string("referrer-url", NULL, NULL, NULL, often);
    /**
     * BatonActivity:expiration-date: (getter get_expiration_date) (setter set_expiration_date)
     *
     * The time at which the activity expires. %NULL stands for never.
     *
     * Since: 1.0
     */
    properties[PROPERTY_EXPIRATION_DATE] = g_param_spec_boxed("expiration-date", NULL, NULL, G_TYPE_DATE_TIME, often);
    /**
     * BatonActivity:required-user-info-keys: (getter get_required_user_info_keys) (setter set_required_user_info_keys)
     *
     * The keys of the state that an app must have to continue the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REQUIRED_USER_INFO_KEYS] = g_param_spec_boxed("required-user-info-keys", NULL, NULL, G_TYPE_STRV, often);
    /**
     * BatonActivity:target-content-identifier: (getter get_target_content_identifier) (setter set_target_content_identifier)
     *
     * The identifier of the part of the app's content that the activity is about.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TARGET_CONTENT_IDENTIFIER] = g_param_spec_string("target-content-identifier", NULL, NULL, NULL, often);
    /**
     * BatonActivity:persistent-identifier: (getter get_persistent_identifier) (setter set_persistent_identifier)
     *
     * The app's own name for the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_PERSISTENT_IDENTIFIER] = g_param_spec_string("persistent-identifier", NULL, NULL, NULL, often);
    /**
     * BatonActivity:supports-continuation-streams: (getter get_supports_continuation_streams) (setter set_supports_continuation_streams)
     *
     * Whether the app that continues the activity may open streams. For each pair
     * [signal@Baton.Activity::streams] is emitted.
     *
     * Since: 1.0
     */
    properties[PROPERTY_SUPPORTS_CONTINUATION_STREAMS] = g_param_spec_boolean("supports-continuation-streams", NULL, NULL, FALSE, often);
    /**
     * BatonActivity:needs-save: (getter get_needs_save) (setter set_needs_save)
     *
     * Whether the app has newer values than the ones that were set. [signal@Baton.Activity::save]
     * asks for them when another device wants the activity. Then the property is %FALSE again.
     *
     * Since: 1.0
     */
    properties[PROPERTY_NEEDS_SAVE] = g_param_spec_boolean("needs-save", NULL, NULL, FALSE, often);
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
     * Such a document may have at most 64 MiB. It goes through streams for which
     * [signal@Baton.Activity::streams] is not emitted. If it cannot be sent,
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
     * example because the user has not saved them yet. It also makes the contents of a document in
     * a shared folder available, which may not be on the other device yet: see
     * [method@Baton.Continuation.load_contents_async]. If it is %NULL, the document itself is sent
     * unless it is in a shared folder. It is %NULL for an open file, too, that
     * [method@Baton.Activity.set_contents_fd] set.
     *
     * Since: 1.1
     */
    properties[PROPERTY_CONTENTS] = g_param_spec_object("contents", NULL, NULL, G_TYPE_FILE, often);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}
