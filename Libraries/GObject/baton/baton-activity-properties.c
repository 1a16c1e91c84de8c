/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-activity-properties-private.h"

static void set(BatonActivity *self, BatonContent content, GVariant *value, guint property) {
    if (baton_publication_set(self->publication, content, value)) baton_activity_notify(self, property);
}

static const char *get_string(BatonActivity *self, BatonContent content) {
    return baton_content_get_string(baton_publication_get(self->publication, content));
}

/**
 * baton_activity_get_activity_type: (get-property activity-type)
 * @self: an activity
 *
 * Gets the activity's type, which says what the user is doing.
 *
 * Returns: the type
 *
 * Since: 1.0
 */
const char *baton_activity_get_activity_type(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return self->activity_type;
}

/**
 * baton_activity_get_title: (get-property title)
 * @self: an activity
 *
 * Gets the name to show to the user.
 *
 * Returns: (nullable): the title
 *
 * Since: 1.0
 */
const char *baton_activity_get_title(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return get_string(self, BATON_CONTENT_TITLE);
}

/**
 * baton_activity_set_title: (set-property title)
 * @self: an activity
 * @title: (nullable): the title, at most 1,024 bytes
 *
 * Sets the name to show to the user. If it is longer, the daemon refuses the whole activity and
 * [signal@Baton.Activity::failed] is emitted.
 *
 * Since: 1.0
 */
void baton_activity_set_title(BatonActivity *self, const char *title) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(title == NULL || g_utf8_validate(title, -1, NULL));
    set(self, BATON_CONTENT_TITLE, baton_content_new_string(title), PROPERTY_TITLE);
}

/**
 * baton_activity_get_webpage_url: (get-property webpage-url)
 * @self: an activity
 *
 * Gets the web page that shows the same content.
 *
 * Returns: (nullable): the URL
 *
 * Since: 1.0
 */
const char *baton_activity_get_webpage_url(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return get_string(self, BATON_CONTENT_WEBPAGE_URL);
}

/**
 * baton_activity_set_webpage_url: (set-property webpage-url)
 * @self: an activity
 * @url: (nullable): the URL, http or https, at most 8,192 bytes
 *
 * Sets the web page that shows the same content.
 *
 * Since: 1.0
 */
void baton_activity_set_webpage_url(BatonActivity *self, const char *url) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(url == NULL || g_utf8_validate(url, -1, NULL));
    set(self, BATON_CONTENT_WEBPAGE_URL, baton_content_new_string(url), PROPERTY_WEBPAGE_URL);
}

/**
 * baton_activity_get_referrer_url: (get-property referrer-url)
 * @self: an activity
 *
 * Gets the page that led to the web page.
 *
 * Returns: (nullable): the URL
 *
 * Since: 1.0
 */
const char *baton_activity_get_referrer_url(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return get_string(self, BATON_CONTENT_REFERRER_URL);
}

/**
 * baton_activity_set_referrer_url: (set-property referrer-url)
 * @self: an activity
 * @url: (nullable): the URL, http or https, at most 8,192 bytes
 *
 * Sets the page that led to the web page.
 *
 * Since: 1.0
 */
void baton_activity_set_referrer_url(BatonActivity *self, const char *url) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(url == NULL || g_utf8_validate(url, -1, NULL));
    set(self, BATON_CONTENT_REFERRER_URL, baton_content_new_string(url), PROPERTY_REFERRER_URL);
}

/**
 * baton_activity_get_target_content_identifier: (get-property target-content-identifier)
 * @self: an activity
 *
 * Gets the identifier of the part of the app's content that the activity is about.
 *
 * Returns: (nullable): the identifier
 *
 * Since: 1.0
 */
const char *baton_activity_get_target_content_identifier(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return get_string(self, BATON_CONTENT_TARGET_CONTENT);
}

/**
 * baton_activity_set_target_content_identifier: (set-property target-content-identifier)
 * @self: an activity
 * @identifier: (nullable): the identifier, at most 4,096 bytes
 *
 * Sets the identifier of the part of the app's content that the activity is about.
 *
 * Since: 1.0
 */
void baton_activity_set_target_content_identifier(BatonActivity *self, const char *identifier) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(identifier == NULL || g_utf8_validate(identifier, -1, NULL));
    set(self, BATON_CONTENT_TARGET_CONTENT, baton_content_new_string(identifier), PROPERTY_TARGET_CONTENT_IDENTIFIER);
}

/**
 * baton_activity_get_persistent_identifier: (get-property persistent-identifier)
 * @self: an activity
 *
 * Gets the app's own name for the activity.
 *
 * Returns: (nullable): the identifier
 *
 * Since: 1.0
 */
const char *baton_activity_get_persistent_identifier(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return get_string(self, BATON_CONTENT_PERSISTENT_IDENTIFIER);
}

/**
 * baton_activity_set_persistent_identifier: (set-property persistent-identifier)
 * @self: an activity
 * @identifier: (nullable): the identifier, at most 4,096 bytes
 *
 * Sets the app's own name for the activity.
 *
 * Since: 1.0
 */
void baton_activity_set_persistent_identifier(BatonActivity *self, const char *identifier) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(identifier == NULL || g_utf8_validate(identifier, -1, NULL));
    set(self, BATON_CONTENT_PERSISTENT_IDENTIFIER, baton_content_new_string(identifier), PROPERTY_PERSISTENT_IDENTIFIER);
}

/**
 * baton_activity_get_user_info: (get-property user-info)
 * @self: an activity
 *
 * Gets the activity's state.
 *
 * Returns: (transfer none) (nullable): an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *baton_activity_get_user_info(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return self->user_info;
}

/**
 * baton_activity_set_user_info: (set-property user-info)
 * @self: an activity
 * @user_info: (nullable): an `a{sv}`, in the form of Documentation/DBus/UserInfo.md
 *
 * Sets the activity's state: the values that an app needs to continue where this app is. The state
 * may have at most 64 KiB. Keep it below 3 KB for a quick start, and send more through streams. If
 * it is larger than 64 KiB, nothing is handed over, and [signal@Baton.Activity::failed] is emitted
 * with %BATON_ERROR_USER_INFO_TOO_LARGE. For dates, URLs, UUIDs and bytes there are functions such
 * as [func@Baton.value_new_date].
 *
 * A value of another type than `a{sv}`, such as `a{ss}`, is a mistake in the program. The library
 * logs a warning and the state does not change.
 *
 * Since: 1.0
 */
void baton_activity_set_user_info(BatonActivity *self, GVariant *user_info) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_autoptr(GVariant) new = user_info != NULL ? g_variant_ref_sink(user_info) : NULL;
    if (new != NULL && !g_variant_is_of_type(new, G_VARIANT_TYPE_VARDICT)) {
        g_warning("user_info is a '%s' and has to be an 'a{sv}': the one before stays", g_variant_get_type_string(new));
        return;
    }
    if (new == self->user_info || (new != NULL && self->user_info != NULL && g_variant_equal(new, self->user_info))) return;
    g_clear_pointer(&self->user_info, g_variant_unref);
    self->user_info = g_steal_pointer(&new);
    baton_activity_tell_contents(self);
    baton_activity_notify(self, PROPERTY_USER_INFO);
}

/**
 * baton_activity_get_expiration_date: (get-property expiration-date)
 * @self: an activity
 *
 * Gets the time at which the activity expires.
 *
 * Returns: (transfer full) (nullable): the date in UTC; %NULL for never
 *
 * Since: 1.0
 */
GDateTime *baton_activity_get_expiration_date(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return baton_content_get_date(baton_publication_get(self->publication, BATON_CONTENT_EXPIRATION_DATE));
}

/**
 * baton_activity_set_expiration_date: (set-property expiration-date)
 * @self: an activity
 * @date: (nullable): the time at which it expires; %NULL for never
 *
 * Sets the time at which the activity expires.
 *
 * Since: 1.0
 */
void baton_activity_set_expiration_date(BatonActivity *self, GDateTime *date) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    set(self, BATON_CONTENT_EXPIRATION_DATE, baton_content_new_date(date), PROPERTY_EXPIRATION_DATE);
}

/**
 * baton_activity_get_required_user_info_keys: (get-property required-user-info-keys)
 * @self: an activity
 *
 * Gets the keys of the state that an app must have to continue the activity.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the keys
 *
 * Since: 1.0
 */
char **baton_activity_get_required_user_info_keys(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return baton_content_get_strings(baton_publication_get(self->publication, BATON_CONTENT_REQUIRED_KEYS));
}

/**
 * baton_activity_set_required_user_info_keys: (set-property required-user-info-keys)
 * @self: an activity
 * @keys: (nullable) (array zero-terminated=1): keys of [property@Baton.Activity:user-info]
 *
 * Sets the keys of the state that an app must have to continue the activity.
 *
 * Since: 1.0
 */
void baton_activity_set_required_user_info_keys(BatonActivity *self, const char *const *keys) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    set(self, BATON_CONTENT_REQUIRED_KEYS, baton_content_new_strings(keys), PROPERTY_REQUIRED_USER_INFO_KEYS);
}

/**
 * baton_activity_get_supports_continuation_streams: (get-property supports-continuation-streams)
 * @self: an activity
 *
 * Gets whether the app that continues the activity may open streams.
 *
 * Returns: %TRUE if it may
 *
 * Since: 1.0
 */
gboolean baton_activity_get_supports_continuation_streams(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), FALSE);
    return self->supports_streams;
}

/**
 * baton_activity_set_supports_continuation_streams: (set-property supports-continuation-streams)
 * @self: an activity
 * @supports: whether the app that continues the activity may open streams
 *
 * Sets whether the app that continues the activity may open streams.
 *
 * Since: 1.0
 */
void baton_activity_set_supports_continuation_streams(BatonActivity *self, gboolean supports) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    if (!supports == !self->supports_streams) return;
    self->supports_streams = supports;
    baton_activity_tell_contents(self);
    baton_activity_notify(self, PROPERTY_SUPPORTS_CONTINUATION_STREAMS);
}

/**
 * baton_activity_get_needs_save: (get-property needs-save)
 * @self: an activity
 *
 * Gets whether the app has newer values than the ones that were set.
 *
 * Returns: %TRUE if it has
 *
 * Since: 1.0
 */
gboolean baton_activity_get_needs_save(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), FALSE);
    return baton_content_get_boolean(baton_publication_get(self->publication, BATON_CONTENT_NEEDS_SAVE));
}

/**
 * baton_activity_set_needs_save: (set-property needs-save)
 * @self: an activity
 * @needs_save: whether the app has newer values than the ones that were set
 *
 * Sets whether the app has newer values than the ones that were set.
 *
 * Since: 1.0
 */
void baton_activity_set_needs_save(BatonActivity *self, gboolean needs_save) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    set(self, BATON_CONTENT_NEEDS_SAVE, g_variant_new_boolean(needs_save), PROPERTY_NEEDS_SAVE);
}

/**
 * baton_activity_get_is_current: (get-property is-current)
 * @self: an activity
 *
 * Gets whether the activity is the program's current one.
 *
 * Returns: %TRUE if it is
 *
 * Since: 1.0
 */
gboolean baton_activity_get_is_current(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), FALSE);
    return baton_publication_is_current(self->publication);
}
