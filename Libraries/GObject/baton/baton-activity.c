/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-activity-properties-private.h"

/**
 * BatonActivity:
 *
 * An activity of the user in an app, which Baton offers to the user's other devices while it is
 * current.
 *
 * Set the activity's properties, then call [method@Baton.Activity.become_current]. Or set
 * [property@Baton.Activity:needs-save] at each change, and the other properties in
 * [signal@Baton.Activity::save]. Then nothing is copied until another device wants the activity.
 * The daemon gets all changes of one main loop iteration together.
 *
 * An activity needs no running daemon. The activity waits for a daemon, and is published again when
 * a daemon restarts. The activity ends when its last reference is dropped.
 *
 * Use the activity only in the main context that was the thread's default when it was created.
 *
 * Since: 1.0
 */
G_DEFINE_FINAL_TYPE(BatonActivity, baton_activity, G_TYPE_OBJECT)

enum { SAVE, CONTINUED, NOT_CONTINUED, STREAMS, WARNING, ENDED, FAILED, SIGNALS };
static guint signals[SIGNALS];

/**
 * baton_activity_new:
 * @activity_type: what the user is doing, such as `org.example.notes.edit`; 1 to 255 bytes
 *
 * Creates an activity that is published on the session bus.
 *
 * Returns: the activity
 *
 * Since: 1.0
 */
BatonActivity *baton_activity_new(const char *activity_type) {
    g_return_val_if_fail(activity_type != NULL, NULL);
    return g_object_new(BATON_TYPE_ACTIVITY, "activity-type", activity_type, NULL);
}

/* --- Methods ------------------------------------------------------------------------------------ */

/**
 * baton_activity_become_current:
 * @self: an activity
 *
 * Offers the activity to the user's other devices. This activity replaces the program's previous
 * current activity.
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
 * Stops offering the activity. The activity may become current again. Streams reach the activity
 * for another minute.
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
 * Ends the activity for good. No more streams can be opened, either.
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
 * @cancellable: (nullable): cancels the wait
 * @callback: (scope async): called when the daemon has all values that were set
 * @user_data: for @callback
 *
 * Waits until the daemon has all values that were set so far. If no daemon runs, the call waits for
 * one. After [method@Baton.Activity.invalidate] the call succeeds at once because there is nothing
 * left to send.
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
 * @result: the result that the callback got
 * @error: why the daemon refused the values
 *
 * Finishes [method@Baton.Activity.flush_async].
 *
 * Returns: %TRUE if the daemon has all values
 *
 * Since: 1.0
 */
gboolean baton_activity_flush_finish(BatonActivity *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), FALSE);
    return g_task_propagate_boolean(G_TASK(result), error);
}

/* --- Signals from the publication --------------------------------------------------------------- */

static void save(BatonActivity *self) {
    g_object_ref(self);
    g_signal_emit(self, signals[SAVE], 0);
    if (self->document != NULL) baton_activity_name_document(self);
    baton_activity_set_needs_save(self, FALSE);
    baton_publication_saved(self->publication);
    g_object_unref(self);
}

static void continued(BatonActivity *self, const char *device, const char *device_name) {
    g_signal_emit(self, signals[CONTINUED], 0, device, device_name);
}

static void not_continued(BatonActivity *self, const char *device, const char *device_name, const char *reason) {
    g_signal_emit(self, signals[NOT_CONTINUED], 0, device, device_name, reason);
}

static void ended(BatonActivity *self, const char *reason) {
    g_signal_emit(self, signals[ENDED], 0, reason);
}

static void failed(BatonActivity *self, const GError *error) {
    g_signal_emit(self, signals[FAILED], 0, error);
}

static void current_changed(BatonActivity *self) {
    baton_activity_notify(self, PROPERTY_IS_CURRENT);
}

gboolean baton_activity_has_streams_handler(BatonActivity *self) {
    return g_signal_has_handler_pending(self, signals[STREAMS], 0, TRUE);
}

void baton_activity_emit_streams(BatonActivity *self, BatonStreams *streams) {
    g_signal_emit(self, signals[STREAMS], 0, streams);
}

void baton_activity_emit_warning(BatonActivity *self, const char *text) {
    g_signal_emit(self, signals[WARNING], 0, text);
}

/* --- The object --------------------------------------------------------------------------------- */

/* Returns the properties that are sent only when the activity is published. A property that is not
 * set is left out because an older daemon perhaps does not know its name. */
static GVariant *first_properties(BatonActivity *self) {
    GVariantBuilder properties;
    g_variant_builder_init(&properties, G_VARIANT_TYPE_VARDICT);
    if (self->team != NULL) g_variant_builder_add(&properties, "{sv}", "team", g_variant_new_string(self->team));
    if (self->application != NULL) g_variant_builder_add(&properties, "{sv}", "application", g_variant_new_string(self->application));
    if (self->speaker != NULL) g_variant_builder_add(&properties, "{sv}", "speaker", g_variant_new_string(self->speaker));
    if (self->is_background) g_variant_builder_add(&properties, "{sv}", "background", g_variant_new_boolean(TRUE));
    return g_variant_builder_end(&properties);
}

/* GObject sets the construct-only properties before this call and all others after it. */
static void baton_activity_constructed(GObject *object) {
    BatonActivity *self = BATON_ACTIVITY(object);
    G_OBJECT_CLASS(baton_activity_parent_class)->constructed(object);
    self->client = baton_client_get(self->bus);
    self->publication = baton_publication_new(self->client, self->activity_type, first_properties(self));
    g_signal_connect_object(self->publication, "will-save", G_CALLBACK(save), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "was-continued", G_CALLBACK(continued), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "not-continued", G_CALLBACK(not_continued), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "streams-opened", G_CALLBACK(baton_activity_take_streams), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->publication, "warned", G_CALLBACK(baton_activity_emit_warning), self, G_CONNECT_SWAPPED);
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
    g_clear_object(&self->document);
    g_clear_object(&self->contents);
    baton_activity_close_contents(self);
    g_clear_pointer(&self->user_info, g_variant_unref);
    g_clear_pointer(&self->streams, g_variant_unref);
    g_free(self->document_url);
    g_free(self->activity_type);
    g_free(self->team);
    g_free(self->application);
    g_free(self->speaker);
    G_OBJECT_CLASS(baton_activity_parent_class)->finalize(object);
}

static void add_signals(GType type) {
    GType text = G_TYPE_STRING;
    /**
     * BatonActivity::save:
     * @self: the activity
     *
     * Emitted when another device wants the activity and [property@Baton.Activity:needs-save] is
     * set. Set the other properties to their newest values in the handler. The properties are
     * handed over when all handlers have returned.
     *
     * Since: 1.0
     */
    signals[SAVE] = g_signal_new("save", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    /**
     * BatonActivity::continued:
     * @self: the activity
     * @device: the id of the other device
     * @device_name: the other device's name, for people
     *
     * Emitted when an app on another device has taken the activity over. The activity stays current
     * here until [method@Baton.Activity.resign_current] is called.
     *
     * Since: 1.0
     */
    signals[CONTINUED] = g_signal_new("continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, text, text);
    /**
     * BatonActivity::not-continued:
     * @self: the activity
     * @device: the id of the other device
     * @device_name: the other device's name, for people
     * @reason: one line, for people
     *
     * Emitted when another device fetched the activity but did not continue it. Either no app there
     * took it over, or the connection broke before the other device could answer. The activity is
     * still offered. After a broken connection [signal@Baton.Activity::continued] may still follow
     * within two minutes.
     *
     * Since: 1.1
     */
    signals[NOT_CONTINUED] = g_signal_new("not-continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3, text, text, text);
    /**
     * BatonActivity::streams:
     * @self: the activity
     * @streams: the streams
     *
     * Emitted when the app that continues the activity opens streams. Keep a reference to the
     * streams while they are used. If the activity has no handler, the library abandons the
     * streams.
     *
     * Since: 1.0
     */
    signals[STREAMS] = g_signal_new("streams", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, BATON_TYPE_STREAMS);
    /**
     * BatonActivity::warning:
     * @self: the activity
     * @text: one line
     *
     * Emitted when there is a problem that the developer should know of, such as a state of more
     * than 3 KB.
     *
     * Since: 1.0
     */
    signals[WARNING] = g_signal_new("warning", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, text);
    /**
     * BatonActivity::ended:
     * @self: the activity
     * @reason: one line
     *
     * Emitted when the daemon has ended the activity. Either the user has withdrawn the app's
     * grant, or the program that an adapter speaks for, [property@Baton.Activity:speaker], has left
     * the bus or is no longer admitted.
     *
     * Since: 1.0
     */
    signals[ENDED] = g_signal_new("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, text);
    /**
     * BatonActivity::failed:
     * @self: the activity
     * @error: why
     *
     * Emitted when the daemon refuses the values that were set, for example because they are too
     * large, or when there is no session bus. A device that continues the activity meanwhile gets
     * an error, too. The next change is tried again.
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
    baton_activity_install_properties(object_class);
    add_signals(G_TYPE_FROM_CLASS(class));
}

static void baton_activity_init(BatonActivity *self) {
    self->contents_fd = -1;
    self->streams = g_variant_ref_sink(g_variant_new_boolean(FALSE));
}
