/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-continuation-private.h"

enum {
    PROPERTY_ACTIVITY_TYPE = 1,
    PROPERTY_TITLE,
    PROPERTY_USER_INFO,
    PROPERTY_WEBPAGE_URL,
    PROPERTY_REFERRER_URL,
    PROPERTY_EXPIRATION_DATE,
    PROPERTY_REQUIRED_USER_INFO_KEYS,
    PROPERTY_TARGET_CONTENT_IDENTIFIER,
    PROPERTY_PERSISTENT_IDENTIFIER,
    PROPERTY_SUPPORTS_CONTINUATION_STREAMS,
    PROPERTY_DEVICE,
    PROPERTY_DEVICE_NAME,
    PROPERTY_TRANSPORT,
    PROPERTY_PROPERTIES,
    PROPERTY_DOCUMENT_URL,
    PROPERTIES
};
static GParamSpec *properties[PROPERTIES];

static const char *find_string(BatonContinuation *self, const char *key) {
    const char *text = NULL;
    g_variant_lookup(self->properties, key, "&s", &text);
    return text;
}

/**
 * baton_continuation_get_activity_type: (get-property activity-type)
 * @self: a continuation
 *
 * Gets the type of the activity.
 *
 * Returns: the type
 *
 * Since: 1.0
 */
const char *baton_continuation_get_activity_type(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    const char *type = find_string(self, "type");
    return type != NULL ? type : "";
}

/**
 * baton_continuation_get_title: (get-property title)
 * @self: a continuation
 *
 * Gets the name to show to the user.
 *
 * Returns: (nullable): the title
 *
 * Since: 1.0
 */
const char *baton_continuation_get_title(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_string(self->values[BATON_CONTENT_TITLE]);
}

/**
 * baton_continuation_get_webpage_url: (get-property webpage-url)
 * @self: a continuation
 *
 * Gets the web page that shows the same content, with the scheme http or https.
 *
 * Returns: (nullable): the URL
 *
 * Since: 1.0
 */
const char *baton_continuation_get_webpage_url(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_string(self->values[BATON_CONTENT_WEBPAGE_URL]);
}

/**
 * baton_continuation_get_referrer_url: (get-property referrer-url)
 * @self: a continuation
 *
 * Gets the page that led to the web page.
 *
 * Returns: (nullable): the URL
 *
 * Since: 1.0
 */
const char *baton_continuation_get_referrer_url(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_string(self->values[BATON_CONTENT_REFERRER_URL]);
}

/**
 * baton_continuation_get_target_content_identifier: (get-property target-content-identifier)
 * @self: a continuation
 *
 * Gets the identifier of the part of the app's content that the activity is about.
 *
 * Returns: (nullable): the identifier
 *
 * Since: 1.0
 */
const char *baton_continuation_get_target_content_identifier(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_string(self->values[BATON_CONTENT_TARGET_CONTENT]);
}

/**
 * baton_continuation_get_persistent_identifier: (get-property persistent-identifier)
 * @self: a continuation
 *
 * Gets the app's own name for the activity.
 *
 * Returns: (nullable): the identifier
 *
 * Since: 1.0
 */
const char *baton_continuation_get_persistent_identifier(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_string(self->values[BATON_CONTENT_PERSISTENT_IDENTIFIER]);
}

/**
 * baton_continuation_get_device: (get-property device)
 * @self: a continuation
 *
 * Gets the id of the device that the activity comes from.
 *
 * Returns: (nullable): the device's id
 *
 * Since: 1.0
 */
const char *baton_continuation_get_device(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return find_string(self, "device");
}

/**
 * baton_continuation_get_device_name: (get-property device-name)
 * @self: a continuation
 *
 * Gets the name of the device that the activity comes from, for people.
 *
 * Returns: (nullable): the device's name
 *
 * Since: 1.0
 */
const char *baton_continuation_get_device_name(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return find_string(self, "deviceName");
}

/**
 * baton_continuation_get_transport: (get-property transport)
 * @self: a continuation
 *
 * Gets the transport that carried the activity: `l2cap`, `tcp` or `simulated`.
 *
 * Returns: (nullable): the transport
 *
 * Since: 1.0
 */
const char *baton_continuation_get_transport(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return find_string(self, "transport");
}

/**
 * baton_continuation_get_user_info: (get-property user-info)
 * @self: a continuation
 *
 * Gets the activity's state, an `a{sv}` in the form of Documentation/DBus/UserInfo.md. It is empty
 * if there is no state, or if some of its keys are not strings.
 *
 * Returns: (transfer none): the state
 *
 * Since: 1.0
 */
GVariant *baton_continuation_get_user_info(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return self->user_info;
}

/**
 * baton_continuation_get_expiration_date: (get-property expiration-date)
 * @self: a continuation
 *
 * Gets the time at which the activity expires.
 *
 * Returns: (transfer full) (nullable): the date in UTC
 *
 * Since: 1.0
 */
GDateTime *baton_continuation_get_expiration_date(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_date(self->values[BATON_CONTENT_EXPIRATION_DATE]);
}

/**
 * baton_continuation_get_required_user_info_keys: (get-property required-user-info-keys)
 * @self: a continuation
 *
 * Gets the keys of the state that an app must have to continue the activity.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the keys
 *
 * Since: 1.0
 */
char **baton_continuation_get_required_user_info_keys(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return baton_content_get_strings(self->values[BATON_CONTENT_REQUIRED_KEYS]);
}

/**
 * baton_continuation_get_supports_continuation_streams: (get-property supports-continuation-streams)
 * @self: a continuation
 *
 * Gets whether streams may be opened.
 *
 * Returns: %TRUE if they may
 *
 * Since: 1.0
 */
gboolean baton_continuation_get_supports_continuation_streams(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), FALSE);
    return baton_content_get_boolean(self->values[BATON_CONTENT_STREAMS]);
}

/**
 * baton_continuation_get_properties: (get-property properties)
 * @self: a continuation
 *
 * Gets everything that the daemon handed over, an `a{sv}` in the form of the bus. This includes a
 * userInfo with keys that are not strings.
 *
 * Returns: (transfer none): the activity's properties
 *
 * Since: 1.0
 */
GVariant *baton_continuation_get_properties(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return self->properties;
}

/* --- For GObject -------------------------------------------------------------------------------- */

void baton_continuation_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonContinuation *self = BATON_CONTINUATION(object);
    switch (id) {
    case PROPERTY_ACTIVITY_TYPE: g_value_set_string(value, baton_continuation_get_activity_type(self)); break;
    case PROPERTY_TITLE: g_value_set_string(value, baton_continuation_get_title(self)); break;
    case PROPERTY_USER_INFO: g_value_set_variant(value, self->user_info); break;
    case PROPERTY_WEBPAGE_URL: g_value_set_string(value, baton_continuation_get_webpage_url(self)); break;
    case PROPERTY_REFERRER_URL: g_value_set_string(value, baton_continuation_get_referrer_url(self)); break;
    case PROPERTY_EXPIRATION_DATE: g_value_take_boxed(value, baton_continuation_get_expiration_date(self)); break;
    case PROPERTY_REQUIRED_USER_INFO_KEYS: g_value_take_boxed(value, baton_continuation_get_required_user_info_keys(self)); break;
    case PROPERTY_TARGET_CONTENT_IDENTIFIER: g_value_set_string(value, baton_continuation_get_target_content_identifier(self)); break;
    case PROPERTY_PERSISTENT_IDENTIFIER: g_value_set_string(value, baton_continuation_get_persistent_identifier(self)); break;
    case PROPERTY_SUPPORTS_CONTINUATION_STREAMS: g_value_set_boolean(value, baton_continuation_get_supports_continuation_streams(self)); break;
    case PROPERTY_DEVICE: g_value_set_string(value, baton_continuation_get_device(self)); break;
    case PROPERTY_DEVICE_NAME: g_value_set_string(value, baton_continuation_get_device_name(self)); break;
    case PROPERTY_TRANSPORT: g_value_set_string(value, baton_continuation_get_transport(self)); break;
    case PROPERTY_PROPERTIES: g_value_set_variant(value, self->properties); break;
    case PROPERTY_DOCUMENT_URL: g_value_set_string(value, self->document_url); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void baton_continuation_install_properties(GObjectClass *object_class) {
    GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    /**
     * BatonContinuation:activity-type: (getter get_activity_type)
     *
     * The type of the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ACTIVITY_TYPE] = g_param_spec_string("activity-type", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:title: (getter get_title)
     *
     * The name to show to the user.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TITLE] = g_param_spec_string("title", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:user-info: (getter get_user_info)
     *
     * The activity's state, an `a{sv}`. It is empty if there is none.
     *
     * Since: 1.0
     */
    properties[PROPERTY_USER_INFO] = g_param_spec_variant("user-info", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
    /**
     * BatonContinuation:webpage-url: (getter get_webpage_url)
     *
     * The web page that shows the same content.
     *
     * Since: 1.0
     */
    properties[PROPERTY_WEBPAGE_URL] = g_param_spec_string("webpage-url", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:referrer-url: (getter get_referrer_url)
     *
     * The page that led to the web page.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REFERRER_URL] = g_param_spec_string("referrer-url", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:expiration-date: (getter get_expiration_date)
     *
     * The time at which the activity expires.
     *
     * Since: 1.0
     */
    properties[PROPERTY_EXPIRATION_DATE] = g_param_spec_boxed("expiration-date", NULL, NULL, G_TYPE_DATE_TIME, flags);
    /**
     * BatonContinuation:required-user-info-keys: (getter get_required_user_info_keys)
     *
     * The keys of the state that an app must have to continue the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REQUIRED_USER_INFO_KEYS] = g_param_spec_boxed("required-user-info-keys", NULL, NULL, G_TYPE_STRV, flags);
    /**
     * BatonContinuation:target-content-identifier: (getter get_target_content_identifier)
     *
     * The identifier of the part of the app's content that the activity is about.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TARGET_CONTENT_IDENTIFIER] = g_param_spec_string("target-content-identifier", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:persistent-identifier: (getter get_persistent_identifier)
     *
     * The app's own name for the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_PERSISTENT_IDENTIFIER] = g_param_spec_string("persistent-identifier", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:supports-continuation-streams: (getter get_supports_continuation_streams)
     *
     * Whether streams may be opened.
     *
     * Since: 1.0
     */
    properties[PROPERTY_SUPPORTS_CONTINUATION_STREAMS] = g_param_spec_boolean("supports-continuation-streams", NULL, NULL, FALSE, flags);
    /**
     * BatonContinuation:device: (getter get_device)
     *
     * The id of the device that the activity comes from.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE] = g_param_spec_string("device", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:device-name: (getter get_device_name)
     *
     * The name of the device that the activity comes from, for people.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE_NAME] = g_param_spec_string("device-name", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:transport: (getter get_transport)
     *
     * The transport that carried the activity: `l2cap`, `tcp` or `simulated`.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TRANSPORT] = g_param_spec_string("transport", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:properties: (getter get_properties)
     *
     * Everything that the daemon handed over, an `a{sv}` in the form of the bus.
     *
     * Since: 1.0
     */
    properties[PROPERTY_PROPERTIES] = g_param_spec_variant("properties", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
    /**
     * BatonContinuation:document-url: (getter get_document_url)
     *
     * The URL under which the other device sent the document that the activity is about.
     *
     * Since: 1.1
     */
    properties[PROPERTY_DOCUMENT_URL] = g_param_spec_string("document-url", NULL, NULL, NULL, flags);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}
