/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-activity-properties-private.h"

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
G_DEFINE_FINAL_TYPE(BatonActivity, baton_activity, G_TYPE_OBJECT)

enum { SAVE, CONTINUED, NOT_CONTINUED, STREAMS, WARNING, ENDED, FAILED, SIGNALS };
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
 * Waits until the daemon knows all that was set so far, and for a daemon if there is none. After
 * [method@Baton.Activity.invalidate] there is nothing left to tell: it succeeds at once.
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

/* What is told when it is published, and never again; an older daemon does not know each name. */
static GVariant *first_properties(BatonActivity *self) {
    GVariantBuilder properties;
    g_variant_builder_init(&properties, G_VARIANT_TYPE_VARDICT);
    if (self->team != NULL) g_variant_builder_add(&properties, "{sv}", "team", g_variant_new_string(self->team));
    if (self->application != NULL) g_variant_builder_add(&properties, "{sv}", "application", g_variant_new_string(self->application));
    if (self->speaker != NULL) g_variant_builder_add(&properties, "{sv}", "speaker", g_variant_new_string(self->speaker));
    if (self->is_background) g_variant_builder_add(&properties, "{sv}", "background", g_variant_new_boolean(TRUE));
    return g_variant_builder_end(&properties);
}

/* Properties that are set where the activity is made come after this. */
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
    signals[CONTINUED] = g_signal_new("continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, text, text);
    /**
     * BatonActivity::not-continued:
     * @self: the activity
     * @device: the id of the other device
     * @device_name: its name, for people
     * @reason: one line, for people
     *
     * Another device has fetched the activity, and nothing came of it: no app there took it over,
     * or the connection broke before it could be said. It is offered as before. After a broken
     * connection [signal@Baton.Activity::continued] may still follow, within two minutes.
     *
     * Since: 1.1
     */
    signals[NOT_CONTINUED] = g_signal_new("not-continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3, text, text, text);
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
    signals[WARNING] = g_signal_new("warning", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, text);
    /**
     * BatonActivity::ended:
     * @self: the activity
     * @reason: one line
     *
     * The daemon has ended the activity: the user has taken back what the app was granted, or the
     * program that an adapter spoke for, [property@Baton.Activity:speaker], has left the bus or is
     * no longer admitted.
     *
     * Since: 1.0
     */
    signals[ENDED] = g_signal_new("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, text);
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
    baton_activity_install_properties(object_class);
    add_signals(G_TYPE_FROM_CLASS(class));
}

static void baton_activity_init(BatonActivity *self) {
    self->contents_fd = -1;
}
