/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <gio/gunixfdlist.h>

#include "baton-error-private.h"
#include "baton-publication-private.h"
#include "baton-streams-private.h"

/**
 * BatonActivity:
 *
 * What the user is doing, offered to their other devices while it is current.
 *
 * Set its properties, and let it become current. Or set [property@Baton.Activity:needs-save] at
 * each change, and the others in [signal@Baton.Activity::save]: then nothing is copied before
 * somebody wants it. Changes are told the daemon together, at the end of what the program is doing
 * in the main loop.
 *
 * An activity needs no daemon: it waits for one, and when a daemon is started anew, it is published
 * again. One that is let go of ends.
 *
 * It belongs to the main context that was the thread's default where it was made; use it there.
 *
 * Since: 1.0
 */
struct _BatonActivity {
    GObject parent_instance;
    GDBusConnection *bus;
    char *activity_type, *team;
    BatonClient *client;
    BatonPublication *publication;
};

G_DEFINE_FINAL_TYPE(BatonActivity, baton_activity, G_TYPE_OBJECT)

enum {
    PROPERTY_CONNECTION = 1,
    PROPERTY_ACTIVITY_TYPE,
    PROPERTY_TEAM,
    PROPERTY_TITLE,
    PROPERTY_USER_INFO,
    PROPERTY_WEBPAGE_URL,
    PROPERTY_REFERRER_URL,
    PROPERTY_EXPIRATION_DATE,
    PROPERTY_REQUIRED_USER_INFO_KEYS,
    PROPERTY_TARGET_CONTENT_IDENTIFIER,
    PROPERTY_PERSISTENT_IDENTIFIER,
    PROPERTY_SUPPORTS_CONTINUATION_STREAMS,
    PROPERTY_NEEDS_SAVE,
    PROPERTY_IS_CURRENT,
    PROPERTIES
};
static GParamSpec *properties[PROPERTIES];

enum { SAVE, CONTINUED, STREAMS, WARNING, ENDED, FAILED, SIGNALS };
static guint signals[SIGNALS];

/**
 * baton_activity_new:
 * @activity_type: what the user is doing, such as `org.example.notes.edit`: 1 to 255 bytes
 *
 * Makes an activity, on the session bus.
 *
 * Returns: the activity
 *
 * Since: 1.0
 */
BatonActivity *baton_activity_new(const char *activity_type) {
    g_return_val_if_fail(activity_type != NULL, NULL);
    return g_object_new(BATON_TYPE_ACTIVITY, "activity-type", activity_type, NULL);
}

/* --- Properties --------------------------------------------------------------------------------- */

static void set(BatonActivity *self, BatonContent content, GVariant *value, guint property) {
    if (baton_publication_set(self->publication, content, value)) g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
}

static const char *get_string(BatonActivity *self, BatonContent content) {
    return baton_content_get_string(baton_publication_get(self->publication, content));
}

/**
 * baton_activity_get_activity_type: (get-property activity-type)
 * @self: an activity
 *
 * Gets what the user is doing.
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
 * Sets the name to show to the user.
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
 * Gets a page that shows the same.
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
 * Sets a page that shows the same.
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
 * Gets the page that led to the other.
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
 * Sets the page that led to the other.
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
 * Gets which part of the app's content it is about.
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
 * Sets which part of the app's content it is about.
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
 * Gets the state.
 *
 * Returns: (transfer none) (nullable): an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *baton_activity_get_user_info(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return baton_publication_get(self->publication, BATON_CONTENT_USER_INFO);
}

/**
 * baton_activity_set_user_info: (set-property user-info)
 * @self: an activity
 * @user_info: (nullable): an `a{sv}`, in the form of Documentation/DBus/UserInfo.md
 *
 * Sets the state: what an app needs to go on where this one is. At most 64 KiB; keep it below 3 KB
 * for a quick start, and send more by streams. For dates, URLs, UUIDs and bytes there are functions,
 * such as [func@Baton.value_new_date].
 *
 * Since: 1.0
 */
void baton_activity_set_user_info(BatonActivity *self, GVariant *user_info) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(user_info == NULL || g_variant_is_of_type(user_info, G_VARIANT_TYPE_VARDICT));
    set(self, BATON_CONTENT_USER_INFO, user_info, PROPERTY_USER_INFO);
}

/**
 * baton_activity_get_expiration_date: (get-property expiration-date)
 * @self: an activity
 *
 * Gets when the activity expires.
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
 * @date: (nullable): when it expires; %NULL for never
 *
 * Sets when the activity expires.
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
 * Gets the keys without which the activity makes no sense.
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
 * Sets the keys without which the activity makes no sense.
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
    return baton_content_get_boolean(baton_publication_get(self->publication, BATON_CONTENT_STREAMS));
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
    set(self, BATON_CONTENT_STREAMS, g_variant_new_boolean(supports), PROPERTY_SUPPORTS_CONTINUATION_STREAMS);
}

/**
 * baton_activity_get_needs_save: (get-property needs-save)
 * @self: an activity
 *
 * Gets whether there are newer contents than those that were set.
 *
 * Returns: %TRUE if there are
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
 * @needs_save: whether there are newer contents than those that were set
 *
 * Sets whether there are newer contents than those that were set.
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

/* --- What it does ------------------------------------------------------------------------------- */

/**
 * baton_activity_become_current:
 * @self: an activity
 *
 * Offers the activity to the user's other devices, in the place of the one of this program that was
 * current before.
 *
 * Since: 1.0
 */
void baton_activity_become_current(BatonActivity *self) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    baton_publication_set_current(self->publication, TRUE);
}

/**
 * baton_activity_resign_current:
 * @self: an activity
 *
 * Offers the activity no longer; it may become current again. Streams reach it for another minute.
 *
 * Since: 1.0
 */
void baton_activity_resign_current(BatonActivity *self) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    baton_publication_set_current(self->publication, FALSE);
}

/**
 * baton_activity_invalidate:
 * @self: an activity
 *
 * Ends the activity for good, for streams too.
 *
 * Since: 1.0
 */
void baton_activity_invalidate(BatonActivity *self) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    baton_publication_end(self->publication);
}

/**
 * baton_activity_flush_async:
 * @self: an activity
 * @cancellable: (nullable): ends the wait
 * @callback: (scope async): called when the daemon knows all that was set
 * @user_data: for @callback
 *
 * Waits until the daemon knows all that was set so far, and for a daemon if there is none.
 *
 * Since: 1.0
 */
void baton_activity_flush_async(BatonActivity *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    GTask *task = g_task_new(self, cancellable, callback, user_data);
    g_task_set_source_tag(task, baton_activity_flush_async);
    baton_publication_flush(self->publication, task);
}

/**
 * baton_activity_flush_finish:
 * @self: an activity
 * @result: what the callback got
 * @error: why the daemon does not take it
 *
 * Ends [method@Baton.Activity.flush_async].
 *
 * Returns: %TRUE if the daemon knows it
 *
 * Since: 1.0
 */
gboolean baton_activity_flush_finish(BatonActivity *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), FALSE);
    return g_task_propagate_boolean(G_TASK(result), error);
}

/* --- What happens to it ------------------------------------------------------------------------- */

static void save(BatonActivity *self) {
    g_object_ref(self);
    g_signal_emit(self, signals[SAVE], 0);
    set(self, BATON_CONTENT_NEEDS_SAVE, g_variant_new_boolean(FALSE), PROPERTY_NEEDS_SAVE);
    baton_publication_saved(self->publication);
    g_object_unref(self);
}

static void continued(BatonActivity *self, const char *device, const char *device_name) {
    g_signal_emit(self, signals[CONTINUED], 0, device, device_name);
}

static void warned(BatonActivity *self, const char *text) {
    g_signal_emit(self, signals[WARNING], 0, text);
}

static void ended(BatonActivity *self, const char *reason) {
    g_signal_emit(self, signals[ENDED], 0, reason);
}

static void failed(BatonActivity *self, const GError *error) {
    g_signal_emit(self, signals[FAILED], 0, error);
}

static void current_changed(BatonActivity *self) {
    g_object_notify_by_pspec(G_OBJECT(self), properties[PROPERTY_IS_CURRENT]);
}

/* A pair of streams on its way from the daemon. It keeps no activity alive. */
typedef struct {
    GWeakRef activity;
    BatonClient *client;
    guint64 daemon; /* of baton_stream_ends_expect */
    char *stream, *device, *device_name;
} Taking;

static void taking_free(Taking *taking) {
    g_weak_ref_clear(&taking->activity);
    g_object_unref(taking->client);
    g_free(taking->stream);
    g_free(taking->device);
    g_free(taking->device_name);
    g_free(taking);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Taking, taking_free)

static gboolean wants_streams(BatonActivity *self) {
    return g_signal_has_handler_pending(self, signals[STREAMS], 0, TRUE);
}

static void streams_taken(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(Taking) taking = data;
    g_autoptr(BatonActivity) self = g_weak_ref_get(&taking->activity);
    g_autofree char *transport = NULL;
    g_autoptr(GVariant) index = NULL;
    g_autoptr(GUnixFDList) descriptors = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(BatonStreams) streams = NULL;
    if (!baton_bus_activities_call_take_streams_finish(BATON_BUS_ACTIVITIES(source), &transport, &index, &descriptors, result, &error)) {
        baton_stream_ends_claim(baton_client_get_stream_ends(taking->client), taking->daemon, NULL);
        error = baton_error_of_call(g_steal_pointer(&error));
    } else {
        streams = baton_streams_adopt(taking->client, taking->daemon, taking->stream, transport, index, descriptors, &error);
        if (streams == NULL) baton_client_cancel(taking->client, taking->stream);
    }
    if (self == NULL) return;
    if (streams == NULL) {
        /* Those that have gone before they were taken are no failure of the activity. */
        g_autofree char *text = g_strdup_printf("streams from %s are not to be had: %s", taking->device_name, error->message);
        g_signal_emit(self, signals[WARNING], 0, text);
        return;
    }
    baton_streams_set_device(streams, taking->device, taking->device_name);
    g_signal_emit(self, signals[STREAMS], 0, streams);
}

static void streams_opened(BatonActivity *self, const char *stream, const char *device, const char *device_name) {
    if (!wants_streams(self)) {
        baton_client_cancel(self->client, stream);
        return;
    }
    Taking *taking = g_new0(Taking, 1);
    g_weak_ref_init(&taking->activity, self);
    taking->client = g_object_ref(self->client);
    taking->daemon = baton_stream_ends_expect(baton_client_get_stream_ends(self->client));
    taking->stream = g_strdup(stream);
    taking->device = g_strdup(device);
    taking->device_name = g_strdup(device_name);
    baton_bus_activities_call_take_streams(baton_client_get_activities(self->client), stream, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL,
                                           streams_taken, taking);
}

/* --- The object --------------------------------------------------------------------------------- */

static void baton_activity_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonActivity *self = BATON_ACTIVITY(object);
    switch (id) {
    case PROPERTY_CONNECTION: g_value_set_object(value, self->bus); break;
    case PROPERTY_ACTIVITY_TYPE: g_value_set_string(value, self->activity_type); break;
    case PROPERTY_TEAM: g_value_set_string(value, self->team); break;
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
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void baton_activity_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    BatonActivity *self = BATON_ACTIVITY(object);
    switch (id) {
    case PROPERTY_CONNECTION: self->bus = g_value_dup_object(value); break;
    case PROPERTY_ACTIVITY_TYPE: self->activity_type = g_value_dup_string(value); break;
    case PROPERTY_TEAM: self->team = g_value_dup_string(value); break;
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
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

/* Properties that are set where the activity is made come after this. */
static void baton_activity_constructed(GObject *object) {
    BatonActivity *self = BATON_ACTIVITY(object);
    G_OBJECT_CLASS(baton_activity_parent_class)->constructed(object);
    self->client = baton_client_get(self->bus);
    self->publication = baton_publication_new(self->client, self->activity_type, self->team);
    g_signal_connect_object(self->publication, "will-save", G_CALLBACK(save), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "was-continued", G_CALLBACK(continued), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "streams-opened", G_CALLBACK(streams_opened), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "warned", G_CALLBACK(warned), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "ended", G_CALLBACK(ended), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "failed", G_CALLBACK(failed), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "current-changed", G_CALLBACK(current_changed), self, G_CONNECT_SWAPPED);
}

static void baton_activity_dispose(GObject *object) {
    BatonActivity *self = BATON_ACTIVITY(object);
    if (self->publication != NULL) baton_publication_end(self->publication);
    G_OBJECT_CLASS(baton_activity_parent_class)->dispose(object);
}

static void baton_activity_finalize(GObject *object) {
    BatonActivity *self = BATON_ACTIVITY(object);
    g_clear_object(&self->publication);
    g_clear_object(&self->client);
    g_clear_object(&self->bus);
    g_free(self->activity_type);
    g_free(self->team);
    G_OBJECT_CLASS(baton_activity_parent_class)->finalize(object);
}

static void install_properties(GObjectClass *object_class) {
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
     * BatonActivity:title: (getter get_title) (setter set_title)
     *
     * A name to show to the user.
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
    properties[PROPERTY_USER_INFO] = g_param_spec_variant("user-info", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, often);
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
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}

static void add_signals(GType type) {
    /**
     * BatonActivity::save:
     * @self: the activity
     *
     * Somebody wants the activity, and [property@Baton.Activity:needs-save] is set: set the other
     * properties to what is there now. When the handlers have returned, that is handed over.
     *
     * Since: 1.0
     */
    signals[SAVE] = g_signal_new("save", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    /**
     * BatonActivity::continued:
     * @self: the activity
     * @device: the id of the other device
     * @device_name: its name, for people
     *
     * An app on another device has taken the activity over. It stays current here until
     * [method@Baton.Activity.resign_current].
     *
     * Since: 1.0
     */
    signals[CONTINUED] = g_signal_new("continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
    /**
     * BatonActivity::streams:
     * @self: the activity
     * @streams: the streams
     *
     * The app that continues the activity has opened streams. Keep them as long as they are used;
     * those of an activity without a handler are given up.
     *
     * Since: 1.0
     */
    signals[STREAMS] = g_signal_new("streams", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, BATON_TYPE_STREAMS);
    /**
     * BatonActivity::warning:
     * @self: the activity
     * @text: one line
     *
     * Something that the developer should know, such as contents of more than 3 KB.
     *
     * Since: 1.0
     */
    signals[WARNING] = g_signal_new("warning", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    /**
     * BatonActivity::ended:
     * @self: the activity
     * @reason: one line
     *
     * The daemon has ended the activity, as the user has taken back what the app was granted.
     *
     * Since: 1.0
     */
    signals[ENDED] = g_signal_new("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    /**
     * BatonActivity::failed:
     * @self: the activity
     * @error: why
     *
     * The daemon does not take what was set, as it is too large say, or there is no session bus.
     * Who continues the activity meanwhile gets an error, too. The next change is tried again.
     *
     * Since: 1.0
     */
    signals[FAILED] = g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void baton_activity_class_init(BatonActivityClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_activity_get_property;
    object_class->set_property = baton_activity_set_property;
    object_class->constructed = baton_activity_constructed;
    object_class->dispose = baton_activity_dispose;
    object_class->finalize = baton_activity_finalize;
    install_properties(object_class);
    add_signals(G_TYPE_FROM_CLASS(class));
}

static void baton_activity_init(BatonActivity *self) {}
