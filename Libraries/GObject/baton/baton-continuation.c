/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <gio/gunixfdlist.h>

#include "baton-contents-private.h"
#include "baton-continuation-private.h"
#include "baton-error-private.h"
#include "baton-streams-private.h"

/**
 * BatonContinuation:
 *
 * An activity that has come from another device.
 *
 * Take it over, and call [method@Baton.Continuation.accept]: only then the other device is told that
 * it was continued. One that is let go of without counts as declined. What came is another
 * device's, and may be anything: look at the type of each value of
 * [property@Baton.Continuation:user-info] before it is used.
 *
 * Since: 1.0
 */
struct _BatonContinuation {
    GObject parent_instance;
    BatonClient *client;
    char *id;
    GVariant *properties;
    GVariant *values[BATON_CONTENTS];
    GVariant *user_info;
    BatonAnswer answer;
    gpointer answer_data;
};

G_DEFINE_FINAL_TYPE(BatonContinuation, baton_continuation, G_TYPE_OBJECT)

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
    PROPERTIES
};
static GParamSpec *properties[PROPERTIES];

BatonContinuation *baton_continuation_new(BatonClient *client, const char *id, GVariant *activity, BatonAnswer answer, gpointer data) {
    BatonContinuation *self = g_object_new(BATON_TYPE_CONTINUATION, NULL);
    self->client = g_object_ref(client);
    self->id = g_strdup(id);
    self->properties = g_variant_ref(activity);
    for (BatonContent content = 0; content < BATON_CONTENTS; content++) self->values[content] = baton_content_find(activity, content);
    GVariant *user_info = self->values[BATON_CONTENT_USER_INFO];
    self->user_info = user_info != NULL ? g_variant_ref(user_info) : g_variant_ref_sink(g_variant_new("a{sv}", NULL));
    self->answer = answer;
    self->answer_data = data;
    return self;
}

BatonClient *baton_continuation_get_client(BatonContinuation *self) {
    return self->client;
}

const char *baton_continuation_get_id(BatonContinuation *self) {
    return self->id;
}

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
 * Gets a page that shows the same, of http or https.
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
 * Gets the page that led to the other.
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
 * Gets which part of the app's content it is about.
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
 * Gets the id of the device that it comes from.
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
 * Gets the name of the device that it comes from, for people.
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
 * Gets what has carried it: `l2cap`, `tcp` or `simulated`.
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
 * Gets the activity's state, an `a{sv}` in the form of
 * Documentation/DBus/UserInfo.md: empty when there is none, or when not all of its keys are
 * strings.
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
 * Gets when the activity expires.
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
 * Gets the keys without which the activity makes no sense.
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
 * Gets all that has come, an `a{sv}` as it stands on the bus: also a userInfo whose keys are not
 * all strings.
 *
 * Returns: (transfer none): what has come
 *
 * Since: 1.0
 */
GVariant *baton_continuation_get_properties(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return self->properties;
}

/* --- The answer --------------------------------------------------------------------------------- */

static void give_answer(BatonContinuation *self, gboolean is_taken, const char *message) {
    BatonAnswer answer = self->answer;
    self->answer = NULL;
    if (answer != NULL) answer(self, is_taken, message, self->answer_data);
}

/**
 * baton_continuation_accept:
 * @self: a continuation
 *
 * Says that the app has taken the activity over; the other device is told. Only the first answer
 * counts, and within a minute.
 *
 * Since: 1.0
 */
void baton_continuation_accept(BatonContinuation *self) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    give_answer(self, TRUE, NULL);
}

/**
 * baton_continuation_decline:
 * @self: a continuation
 * @message: (nullable): why, in one line for the user, who is told if Baton has brought the activity
 *
 * Says that the app does not take the activity over.
 *
 * Since: 1.0
 */
void baton_continuation_decline(BatonContinuation *self, const char *message) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    give_answer(self, FALSE, message);
}

/* --- Streams ------------------------------------------------------------------------------------ */

typedef struct {
    guint64 daemon;     /* of baton_stream_ends_expect */
    GSource *cancelled; /* NULL when the call cannot be cancelled */
} Opening;

static void opening_free(gpointer data) {
    Opening *opening = data;
    g_clear_pointer(&opening->cancelled, g_source_unref);
    g_free(opening);
}

/* Who gave up waits no longer; streams that come all the same are given up when they do. */
static gboolean opening_was_cancelled(GCancellable *cancellable, gpointer data) {
    g_task_return_error_if_cancelled(data);
    return G_SOURCE_REMOVE;
}

static void streams_opened(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(GTask) task = data;
    BatonContinuation *self = g_task_get_source_object(task);
    Opening *opening = g_task_get_task_data(task);
    g_autofree char *stream = NULL, *transport = NULL;
    g_autoptr(GVariant) index = NULL;
    g_autoptr(GUnixFDList) descriptors = NULL;
    g_autoptr(BatonStreams) streams = NULL;
    GError *error = NULL;
    if (!baton_bus_offers_call_open_streams_finish(BATON_BUS_OFFERS(source), &stream, &transport, &index, &descriptors, result, &error)) {
        baton_stream_ends_claim(baton_client_get_stream_ends(self->client), opening->daemon, NULL);
        error = baton_error_of_call(error);
    } else {
        streams = baton_streams_adopt(self->client, opening->daemon, stream, transport, index, descriptors, &error);
        if (streams == NULL) baton_client_cancel(self->client, stream);
        else baton_streams_set_device(streams, baton_continuation_get_device(self), baton_continuation_get_device_name(self));
    }
    gboolean is_over = opening->cancelled != NULL && g_source_is_destroyed(opening->cancelled);
    if (opening->cancelled != NULL) g_source_destroy(opening->cancelled);
    if (is_over) g_clear_error(&error);
    else if (error != NULL) g_task_return_error(task, error);
    else g_task_return_pointer(task, g_steal_pointer(&streams), g_object_unref);
}

static void open_streams(GTask *task) {
    BatonContinuation *self = g_task_get_source_object(task);
    Opening *opening = g_new0(Opening, 1);
    opening->daemon = baton_stream_ends_expect(baton_client_get_stream_ends(self->client));
    g_task_set_task_data(task, opening, opening_free);
    if (g_task_get_cancellable(task) != NULL) {
        opening->cancelled = g_cancellable_source_new(g_task_get_cancellable(task));
        g_task_attach_source(task, opening->cancelled, G_SOURCE_FUNC(opening_was_cancelled));
    }
    baton_bus_offers_call_open_streams(baton_client_get_offers(self->client), self->id, G_DBUS_CALL_FLAGS_NO_AUTO_START, BATON_PATIENCE, NULL, NULL,
                                       streams_opened, task);
}

/**
 * baton_continuation_open_streams_async:
 * @self: a continuation
 * @cancellable: (nullable): gives up
 * @callback: (scope async): called with the answer
 * @user_data: for @callback
 *
 * Opens a pair of streams to the app that published the activity, which may take a minute and a
 * half.
 *
 * Since: 1.0
 */
void baton_continuation_open_streams_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    GTask *task = g_task_new(self, cancellable, callback, user_data);
    g_task_set_source_tag(task, baton_continuation_open_streams_async);
    baton_client_when_ready(self->client, task, open_streams);
}

/**
 * baton_continuation_open_streams_finish:
 * @self: a continuation
 * @result: what the callback got
 * @error: why not
 *
 * Ends [method@Baton.Continuation.open_streams_async].
 *
 * Returns: (transfer full): the streams
 *
 * Since: 1.0
 */
BatonStreams *baton_continuation_open_streams_finish(BatonContinuation *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), NULL);
    return g_task_propagate_pointer(G_TASK(result), error);
}

/* --- The object --------------------------------------------------------------------------------- */

static void baton_continuation_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
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
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void baton_continuation_dispose(GObject *object) {
    give_answer(BATON_CONTINUATION(object), FALSE, NULL);
    G_OBJECT_CLASS(baton_continuation_parent_class)->dispose(object);
}

static void baton_continuation_finalize(GObject *object) {
    BatonContinuation *self = BATON_CONTINUATION(object);
    for (BatonContent content = 0; content < BATON_CONTENTS; content++) g_clear_pointer(&self->values[content], g_variant_unref);
    g_variant_unref(self->user_info);
    g_variant_unref(self->properties);
    g_object_unref(self->client);
    g_free(self->id);
    G_OBJECT_CLASS(baton_continuation_parent_class)->finalize(object);
}

static void baton_continuation_class_init(BatonContinuationClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_continuation_get_property;
    object_class->dispose = baton_continuation_dispose;
    object_class->finalize = baton_continuation_finalize;

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
     * A name to show to the user.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TITLE] = g_param_spec_string("title", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:user-info: (getter get_user_info)
     *
     * The activity's state, an `a{sv}`; empty when there is none.
     *
     * Since: 1.0
     */
    properties[PROPERTY_USER_INFO] = g_param_spec_variant("user-info", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
    /**
     * BatonContinuation:webpage-url: (getter get_webpage_url)
     *
     * A page that shows the same.
     *
     * Since: 1.0
     */
    properties[PROPERTY_WEBPAGE_URL] = g_param_spec_string("webpage-url", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:referrer-url: (getter get_referrer_url)
     *
     * The page that led to the other.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REFERRER_URL] = g_param_spec_string("referrer-url", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:expiration-date: (getter get_expiration_date)
     *
     * When the activity expires.
     *
     * Since: 1.0
     */
    properties[PROPERTY_EXPIRATION_DATE] = g_param_spec_boxed("expiration-date", NULL, NULL, G_TYPE_DATE_TIME, flags);
    /**
     * BatonContinuation:required-user-info-keys: (getter get_required_user_info_keys)
     *
     * The keys without which the activity makes no sense.
     *
     * Since: 1.0
     */
    properties[PROPERTY_REQUIRED_USER_INFO_KEYS] = g_param_spec_boxed("required-user-info-keys", NULL, NULL, G_TYPE_STRV, flags);
    /**
     * BatonContinuation:target-content-identifier: (getter get_target_content_identifier)
     *
     * Which part of the app's content it is about.
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
     * The id of the device that it comes from.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE] = g_param_spec_string("device", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:device-name: (getter get_device_name)
     *
     * The name of the device that it comes from, for people.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE_NAME] = g_param_spec_string("device-name", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:transport: (getter get_transport)
     *
     * What has carried it: `l2cap`, `tcp` or `simulated`.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TRANSPORT] = g_param_spec_string("transport", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:properties: (getter get_properties)
     *
     * All that has come, an `a{sv}` as it stands on the bus.
     *
     * Since: 1.0
     */
    properties[PROPERTY_PROPERTIES] = g_param_spec_variant("properties", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}

static void baton_continuation_init(BatonContinuation *self) {}
