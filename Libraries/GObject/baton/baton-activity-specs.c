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
     * The connection to the session bus; %NULL for the one that the program has anyway.
     *
     * Since: 1.0
     */
    properties[PROPERTY_CONNECTION] = g_param_spec_object("connection", NULL, NULL, G_TYPE_DBUS_CONNECTION, once);
    /**
     * BatonActivity:activity-type: (getter get_activity_type)
     *
     * What the user is doing, such as `org.example.notes.edit`.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ACTIVITY_TYPE] = g_param_spec_string("activity-type", NULL, NULL, "", once);
    /**
     * BatonActivity:team:
     *
     * Whose apps may continue it: empty for all, %NULL for the team of the app's desktop entry.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TEAM] = g_param_spec_string("team", NULL, NULL, NULL, once);
    /**
     * BatonActivity:application:
     *
     * The id of the app that does it, where an adapter speaks for one that does not know Baton;
     * %NULL for the program's own. The user's rules go by it. Only a program that owns the name of
     * a desktop entry which lists the app in `X-Baton-Adapter` may say it, on the connection that
     * owns the name; then :team is empty unless it is set.
     *
     * Since: 1.1
     */
    properties[PROPERTY_APPLICATION] = g_param_spec_string("application", NULL, NULL, NULL, once);
    /**
     * BatonActivity:speaker:
     *
     * The unique bus name of the program that an adapter speaks for, such as `:1.42`; %NULL for a
     * program without a connection, and for an app that speaks for itself. The daemon judges the
     * program when the activity is published, and each time that another device fetches it. A
     * program in a sandbox, or one that the daemon cannot find out, is refused:
     * [signal@Baton.Activity::failed] says so. When the program leaves the bus, or is no longer
     * admitted, [signal@Baton.Activity::ended] follows. With it, :application must be the id that
     * the daemon's `Adapters.Judge` gives.
     *
     * Since: 1.1
     */
    properties[PROPERTY_SPEAKER] = g_param_spec_string("speaker", NULL, NULL, NULL, once);
    /**
     * BatonActivity:background:
     *
     * Whether the activity, while it is current, is offered only as long as no other one of this
     * device is that has not set this: music does not hide the document in front.
     *
     * Since: 1.1
     */
    properties[PROPERTY_BACKGROUND] = g_param_spec_boolean("background", NULL, NULL, FALSE, once);
    /**
     * BatonActivity:title: (getter get_title) (setter set_title)
     *
     * A name to show to the user, of at most 1,024 bytes.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TITLE] = g_param_spec_string("title", NULL, NULL, NULL, often);
    /**
     * BatonActivity:user-info: (getter get_user_info) (setter set_user_info)
     *
     * The state, an `a{sv}`: what an app needs to go on where this one is.
     *
     * Since: 1.0
     */
    /* The setter says what is wrong with any other type, and better than GObject. */
    properties[PROPERTY_USER_INFO] = g_param_spec_variant("user-info", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, often);
    /**
     * BatonActivity:webpage-url: (getter get_webpage_url) (setter set_webpage_url)
     *
     * A page that shows the same, where no app can continue the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_WEBPAGE_URL] = g_param_spec_string("webpage-url", NULL, NULL, NULL, often);
    /**
     * BatonActivity:referrer-url: (getter get_referrer_url) (setter set_referrer_url)
     *
     * The page that led to the other.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REFERRER_URL] = g_param_spec_string("referrer-url", NULL, NULL, NULL, often);
    /**
     * BatonActivity:expiration-date: (getter get_expiration_date) (setter set_expiration_date)
     *
     * When the activity expires; %NULL for never.
     *
     * Since: 1.0
     */
    properties[PROPERTY_EXPIRATION_DATE] = g_param_spec_boxed("expiration-date", NULL, NULL, G_TYPE_DATE_TIME, often);
    /**
     * BatonActivity:required-user-info-keys: (getter get_required_user_info_keys) (setter set_required_user_info_keys)
     *
     * The keys without which the activity makes no sense.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REQUIRED_USER_INFO_KEYS] = g_param_spec_boxed("required-user-info-keys", NULL, NULL, G_TYPE_STRV, often);
    /**
     * BatonActivity:target-content-identifier: (getter get_target_content_identifier) (setter set_target_content_identifier)
     *
     * Which part of the app's content it is about.
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
     * Whether the app that continues the activity may open streams, for which
     * [signal@Baton.Activity::streams] is emitted.
     *
     * Since: 1.0
     */
    properties[PROPERTY_SUPPORTS_CONTINUATION_STREAMS] = g_param_spec_boolean("supports-continuation-streams", NULL, NULL, FALSE, often);
    /**
     * BatonActivity:needs-save: (getter get_needs_save) (setter set_needs_save)
     *
     * Whether there are newer contents than those that were set: [signal@Baton.Activity::save] asks
     * for them when somebody wants the activity, and then it is %FALSE again.
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
     * The document that the activity is about: a file of this device.
     *
     * One in a folder that all of the user's devices have, as `~/.config/baton/folders` says,
     * travels by its place there. Any other travels by its name, and is sent, as it is saved then,
     * to a device that asks for it: at most 64 MiB, through streams of which
     * [signal@Baton.Activity::streams] does not tell. What cannot be sent is told by
     * [signal@Baton.Activity::warning].
     *
     * The document is no part of [property@Baton.Activity:user-info], and joins it on its way. On
     * the other device [method@Baton.Continuation.load_document_async] makes a file of it.
     *
     * Since: 1.1
     */
    properties[PROPERTY_DOCUMENT] = g_param_spec_object("document", NULL, NULL, G_TYPE_FILE, often);
    /**
     * BatonActivity:contents: (getter get_contents) (setter set_contents)
     *
     * A file with the contents of [property@Baton.Activity:document] that are sent: what the user
     * has not saved yet, say. With it they can be had of a document in a shared folder, too, which
     * may not have come to the other device yet: [method@Baton.Continuation.load_contents_async].
     * %NULL for the document itself, where it is in no shared folder, and for a file that was handed
     * over open, by [method@Baton.Activity.set_contents_fd].
     *
     * Since: 1.1
     */
    properties[PROPERTY_CONTENTS] = g_param_spec_object("contents", NULL, NULL, G_TYPE_FILE, often);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}
