/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <gio/gunixinputstream.h>

#include "baton-activity-properties-private.h"
#include "baton-document-url-private.h"
#include "baton-pump-private.h"
#include "baton-regular-file-private.h"

/* How many devices may fetch the document at once, and how long one may take, in ms. */
#define MOST_SENDERS 8
#define LONGEST (30 * 60 * 1000)

/* --- What the daemon is told -------------------------------------------------------------------- */

void baton_activity_tell_contents(BatonActivity *self) {
    GVariant *user_info = self->user_info;
    gboolean streams = self->supports_streams || baton_activity_sends_document(self);
    if (self->document_url != NULL) user_info = baton_document_add_url(user_info, self->document_url);
    baton_publication_set(self->publication, BATON_CONTENT_USER_INFO, user_info);
    if (streams != baton_content_get_boolean(baton_publication_get(self->publication, BATON_CONTENT_STREAMS)))
        baton_publication_set(self->publication, BATON_CONTENT_STREAMS, g_variant_new_boolean(streams));
}

static char *find_url(BatonActivity *self, GError **error) {
    g_autoptr(GError) failure = NULL;
    char *url = baton_folders_find_url(self->document, &failure);
    if (url != NULL) return url;
    g_autofree char *path = g_file_get_path(self->document), *name = path != NULL ? g_path_get_basename(path) : NULL;
    url = name != NULL ? baton_document_url_of_name(name) : NULL;
    if (url == NULL) g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "the document is not a file of this device with a name in UTF-8");
    else if (!g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)) g_propagate_error(error, g_steal_pointer(&failure));
    return url;
}

void baton_activity_name_document(BatonActivity *self) {
    g_autoptr(GError) error = NULL;
    g_clear_pointer(&self->document_url, g_free);
    if (self->document != NULL) self->document_url = find_url(self, &error);
    if (error != NULL) baton_activity_emit_warning(self, error->message);
    baton_activity_tell_contents(self);
}

/**
 * baton_activity_get_document: (get-property document)
 * @self: an activity
 *
 * Gets the document that the activity is about.
 *
 * Returns: (transfer none) (nullable): the file
 *
 * Since: 1.1
 */
GFile *baton_activity_get_document(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return self->document;
}

/**
 * baton_activity_set_document: (set-property document)
 * @self: an activity
 * @document: (nullable): the file
 *
 * Sets the document that the activity is about.
 *
 * Since: 1.1
 */
void baton_activity_set_document(BatonActivity *self, GFile *document) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(document == NULL || G_IS_FILE(document));
    if (document == self->document || (document != NULL && self->document != NULL && g_file_equal(document, self->document))) return;
    g_set_object(&self->document, document);
    baton_activity_name_document(self);
    baton_activity_notify(self, PROPERTY_DOCUMENT);
}

/**
 * baton_activity_get_contents: (get-property contents)
 * @self: an activity
 *
 * Gets the file with the document's contents that are sent.
 *
 * Returns: (transfer none) (nullable): the file
 *
 * Since: 1.1
 */
GFile *baton_activity_get_contents(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return self->contents;
}

/**
 * baton_activity_set_contents: (set-property contents)
 * @self: an activity
 * @contents: (nullable): a file of this device
 *
 * Sets the file with the document's contents that are sent.
 *
 * Since: 1.1
 */
void baton_activity_set_contents(BatonActivity *self, GFile *contents) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(contents == NULL || g_file_peek_path(contents) != NULL);
    if (contents == self->contents || (contents != NULL && self->contents != NULL && g_file_equal(contents, self->contents))) return;
    g_set_object(&self->contents, contents);
    baton_activity_tell_contents(self);
    baton_activity_notify(self, PROPERTY_CONTENTS);
}

/* --- Its contents ------------------------------------------------------------------------------- */

/* Contents on their way to another device. They keep no activity alive. */
typedef struct {
    GWeakRef activity;
    BatonStreams *streams;
    GInputStream *file;
    char *path;
    guint64 size;
    guint8 header[BATON_DOCUMENT_HEADER];
    BatonPatience *patience;
} Sending;

static void sending_free(gpointer data) {
    Sending *sending = data;
    g_autoptr(BatonActivity) self = g_weak_ref_get(&sending->activity);
    if (self != NULL) self->senders--;
    g_weak_ref_clear(&sending->activity);
    g_object_unref(sending->streams);
    g_clear_object(&sending->file);
    baton_patience_free(sending->patience);
    g_free(sending->path);
    g_free(sending);
}

/* Takes the error. */
static void give_up(Sending *sending, GError *error) {
    g_autoptr(BatonActivity) self = g_weak_ref_get(&sending->activity);
    g_autoptr(GError) failure = baton_patience_explain(sending->patience, error);
    g_autofree char *text = g_strdup_printf("the document was not sent: %s", failure->message);
    baton_streams_give_up(sending->streams);
    if (self != NULL) baton_activity_emit_warning(self, text);
    sending_free(sending);
}

static GOutputStream *output(Sending *sending) {
    return g_io_stream_get_output_stream(G_IO_STREAM(sending->streams));
}

static void contents_sent(GObject *source, GAsyncResult *result, gpointer data) {
    Sending *sending = data;
    GError *error = NULL;
    if (!baton_pump_finish(result, &error) || !g_output_stream_close(output(sending), NULL, &error)) give_up(sending, error);
    else sending_free(sending);
}

static void header_sent(GObject *source, GAsyncResult *result, gpointer data) {
    Sending *sending = data;
    GError *error = NULL;
    if (!g_output_stream_write_all_finish(output(sending), result, NULL, &error)) give_up(sending, error);
    else baton_pump_async(sending->file, output(sending), sending->size, sending->patience, contents_sent, sending);
}

/* On a thread of its own: the file may be on a network. */
static void open_file(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
    Sending *sending = data;
    GError *error = NULL;
    int descriptor = baton_regular_file_open(sending->path, BATON_DOCUMENT_LIMIT, &sending->size, &error);
    if (descriptor < 0) {
        g_task_return_error(task, error);
        return;
    }
    sending->file = g_unix_input_stream_new(descriptor, TRUE);
    g_task_return_boolean(task, TRUE);
}

static void file_opened(GObject *source, GAsyncResult *result, gpointer data) {
    Sending *sending = data;
    GError *error = NULL;
    if (!g_task_propagate_boolean(G_TASK(result), &error)) {
        give_up(sending, error);
        return;
    }
    baton_document_write_header(sending->header, sending->size);
    g_output_stream_write_all_async(output(sending), sending->header, BATON_DOCUMENT_HEADER, G_PRIORITY_DEFAULT,
                                    baton_patience_get_cancellable(sending->patience), header_sent, sending);
}

gboolean baton_activity_sends_document(BatonActivity *self) {
    return baton_document_is_streamed(self->document_url) || (self->document_url != NULL && self->contents != NULL);
}

void baton_activity_send_document(BatonActivity *self, BatonStreams *streams) {
    if (self->senders == MOST_SENDERS) {
        baton_streams_give_up(streams);
        baton_activity_emit_warning(self, "the document was not sent: too many ask for it at once");
        return;
    }
    self->senders++;
    Sending *sending = g_new0(Sending, 1);
    g_weak_ref_init(&sending->activity, self);
    sending->streams = g_object_ref(streams);
    sending->path = g_file_get_path(self->contents != NULL ? self->contents : self->document);
    sending->patience = baton_patience_new(LONGEST, LONGEST, NULL);
    g_autoptr(GTask) task = g_task_new(NULL, NULL, file_opened, sending);
    g_task_set_task_data(task, sending, NULL);
    g_task_run_in_thread(task, open_file);
}
