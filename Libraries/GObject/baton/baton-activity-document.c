/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "baton-activity-properties-private.h"
#include "baton-document-url-private.h"
#include "baton-file-stream-private.h"
#include "baton-pump-private.h"
#include "baton-regular-file-private.h"

/* The most devices that may fetch the document at once, and the longest that one may take, in
 * ms. */
#define MOST_SENDERS 8
#define LONGEST (30 * 60 * 1000)

/* --- Values for the daemon ---------------------------------------------------------------------- */

void baton_activity_tell_contents(BatonActivity *self) {
    GVariant *user_info = self->user_info;
    gboolean streams = baton_activity_get_supports_continuation_streams(self) || baton_activity_sends_document(self);
    if (self->document_url != NULL) user_info = baton_document_add_url(user_info, self->document_url);
    baton_publication_set(self->publication, BATON_CONTENT_USER_INFO, user_info);
    if (streams != baton_content_get_boolean(baton_publication_get(self->publication, BATON_CONTENT_SUPPORTS_CONTINUATION_STREAMS)))
        baton_publication_set(self->publication, BATON_CONTENT_SUPPORTS_CONTINUATION_STREAMS, g_variant_new_boolean(streams));
}

static char *find_url(BatonActivity *self, GError **error) {
    g_autoptr(GError) failure = NULL;
    char *url = baton_folders_find_url(self->document, &failure);
    if (url != NULL) return url;
    g_autofree char *path = g_file_get_path(self->document), *name = path != NULL ? g_path_get_basename(path) : NULL;
    url = name != NULL ? baton_document_url_of_name(name) : NULL;
    if (path == NULL) g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "the document is not a file of this device: set one that has a path");
    else if (url == NULL)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "the document cannot be named on another device: give it a name of 1 to %d bytes",
                    BATON_DOCUMENT_LONGEST_NAME);
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
 * Gets the file whose contents are sent instead of the document's own.
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
 * @contents: (nullable): a file on this device
 *
 * Sets the file whose contents are sent instead of the document's own.
 *
 * Since: 1.1
 */
void baton_activity_set_contents(BatonActivity *self, GFile *contents) {
    g_return_if_fail(BATON_IS_ACTIVITY(self));
    g_return_if_fail(contents == NULL || g_file_peek_path(contents) != NULL);
    gboolean was_open = baton_activity_close_contents(self);
    if (!was_open && (contents == self->contents || (contents != NULL && self->contents != NULL && g_file_equal(contents, self->contents)))) return;
    g_set_object(&self->contents, contents);
    baton_activity_tell_contents(self);
    baton_activity_notify(self, PROPERTY_CONTENTS);
}

gboolean baton_activity_close_contents(BatonActivity *self) {
    int descriptor = self->contents_fd;
    self->contents_fd = -1;
    return descriptor >= 0 && close(descriptor) == 0;
}

/* Returns another descriptor for the same open file, or -1 with an error. */
static int duplicate(int fd, GError **error) {
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0) baton_regular_file_fail(error, errno, "the file cannot be kept open");
    return own;
}

static gboolean can_be_sent(int fd, GError **error) {
    guint64 size;
    if (!baton_regular_file_is_fit(fd, G_MAXUINT64, &size, error)) return FALSE;
    if (pread(fd, NULL, 0, 0) == 0) return TRUE;
    baton_regular_file_fail(error, errno, "the file cannot be read");
    return FALSE;
}

/**
 * baton_activity_set_contents_fd:
 * @self: an activity
 * @fd: a regular file that is open for reading; -1 for none
 * @error: why it cannot be sent
 *
 * Sends the contents of an open file instead of those of [property@Baton.Activity:document].
 *
 * The library opens no path. The other device therefore gets the file that the caller checked, even
 * if the file's path now names another file. The library reads the file from its beginning when a
 * device asks for it. The file may have at most 64 MiB at that time.
 *
 * The library duplicates the descriptor. The duplicate is closed when other contents are set and
 * when the activity is finalized. [property@Baton.Activity:contents] becomes %NULL. After an error
 * nothing has changed.
 *
 * Returns: %TRUE if the file's contents are now the ones to send
 *
 * Since: 1.1
 */
gboolean baton_activity_set_contents_fd(BatonActivity *self, int fd, GError **error) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), FALSE);
    if (fd < 0 && self->contents_fd < 0 && self->contents == NULL) return TRUE;
    int own = fd >= 0 && can_be_sent(fd, error) ? duplicate(fd, error) : -1;
    if (fd >= 0 && own < 0) return FALSE;
    gboolean had_file = self->contents != NULL;
    baton_activity_close_contents(self);
    g_clear_object(&self->contents);
    self->contents_fd = own;
    baton_activity_tell_contents(self);
    if (had_file) baton_activity_notify(self, PROPERTY_CONTENTS);
    return TRUE;
}

/* --- Sending the contents ----------------------------------------------------------------------- */

/* A document on its way to another device. The struct holds only a weak reference to the
 * activity. */
typedef struct {
    GWeakRef activity;
    BatonStreams *streams;
    GInputStream *file;
    char *path;     /* path of the file to open; NULL if the app gave an open file */
    int descriptor; /* the app's open file; -1 if there is none, or after `file` has taken it */
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
    if (sending->descriptor >= 0) close(sending->descriptor);
    g_free(sending->path);
    g_free(sending);
}

/* Cuts the streams off, and emits a warning. Takes the error. */
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

static gboolean is_open(Sending *sending, GError **error) {
    if (sending->descriptor >= 0) return baton_regular_file_is_fit(sending->descriptor, BATON_DOCUMENT_LIMIT, &sending->size, error);
    sending->descriptor = baton_regular_file_open(sending->path, BATON_DOCUMENT_LIMIT, &sending->size, error);
    return sending->descriptor >= 0;
}

/* Runs on a thread of its own because the file may be on a network. */
static void open_file(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
    Sending *sending = data;
    GError *error = NULL;
    if (!is_open(sending, &error)) {
        g_task_return_error(task, error);
        return;
    }
    sending->file = baton_file_stream_new(sending->descriptor);
    sending->descriptor = -1;
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
    gboolean has_contents = self->contents != NULL || self->contents_fd >= 0;
    return baton_document_is_streamed(self->document_url) || (self->document_url != NULL && has_contents);
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
    sending->patience = baton_patience_new(LONGEST, LONGEST, NULL);
    sending->descriptor = -1;
    GError *error = NULL;
    if (self->contents_fd < 0) sending->path = g_file_get_path(self->contents != NULL ? self->contents : self->document);
    else if ((sending->descriptor = duplicate(self->contents_fd, &error)) < 0) {
        give_up(sending, error);
        return;
    }
    g_autoptr(GTask) task = g_task_new(NULL, NULL, file_opened, sending);
    g_task_set_task_data(task, sending, NULL);
    g_task_run_in_thread(task, open_file);
}
