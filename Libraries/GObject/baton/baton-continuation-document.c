/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-continuation-private.h"
#include "baton-document-copy-private.h"
#include "baton-document-url-private.h"

/**
 * baton_continuation_get_document_url: (get-property document-url)
 * @self: a continuation
 *
 * Gets the URL under which the other device sent the document that the activity is about:
 * `baton-folder:/NAME/PATH` or `baton-document:/NAME`.
 * [method@Baton.Continuation.load_document_async] makes a file of it.
 *
 * Returns: (nullable): the URL; %NULL if there is none or if it is of another kind
 *
 * Since: 1.1
 */
const char *baton_continuation_get_document_url(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return self->document_url;
}

/* --- A document in a shared folder -------------------------------------------------------------- */

static void find_file(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
    GError *error = NULL;
    GFile *file = baton_folders_find_file(data, &error);
    if (file != NULL) g_task_return_pointer(task, file, g_object_unref);
    else g_task_return_error(task, error);
}

/* --- A document through streams ----------------------------------------------------------------- */

static void has_copy(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(GTask) task = data;
    BatonStreams *streams = g_task_get_task_data(task);
    GError *error = NULL;
    GFile *file = baton_document_copy_finish(result, &error);
    if (file != NULL) {
        g_task_return_pointer(task, file, g_object_unref);
        return;
    }
    /* The call tells the other side that the document did not arrive. */
    baton_streams_give_up(streams);
    g_task_return_error(task, error);
}

static void has_streams(GObject *source, GAsyncResult *result, gpointer data) {
    GTask *task = data;
    BatonContinuation *self = BATON_CONTINUATION(source);
    GError *error = NULL;
    BatonStreams *streams = baton_continuation_open_streams_finish(self, result, &error);
    if (streams == NULL) {
        g_task_return_error(task, error);
        g_object_unref(task);
        return;
    }
    g_task_set_task_data(task, streams, g_object_unref);
    g_output_stream_close(g_io_stream_get_output_stream(G_IO_STREAM(streams)), NULL, NULL);
    g_autofree char *name = baton_document_name_of(self->document_url), *directory = baton_document_copies_directory();
    baton_document_copy_async(g_io_stream_get_input_stream(G_IO_STREAM(streams)), name, directory, &baton_document_copy_limits,
                              g_task_get_cancellable(task), has_copy, task);
}

/* Opens streams and copies the document from them. Takes the task. */
static void fetch(BatonContinuation *self, GTask *task) {
    g_autofree char *name = self->document_url != NULL ? baton_document_name_of(self->document_url) : NULL;
    if (name != NULL) {
        baton_continuation_open_streams_async(self, g_task_get_cancellable(task), has_streams, task);
        return;
    }
    g_task_return_new_error(task, BATON_ERROR, BATON_ERROR_NOT_FOUND, "the activity is about no document");
    g_object_unref(task);
}

/**
 * baton_continuation_load_document_async:
 * @self: a continuation
 * @cancellable: (nullable): cancels the operation
 * @callback: (scope async): called with the result
 * @user_data: for @callback
 *
 * Loads the document that the activity is about into a file on this device.
 *
 * For a document in a shared folder the result is the file itself, as
 * [func@Baton.folders_find_file] finds it. Any other document, of at most 64 MiB, is copied from
 * the other device. The copy gets a directory of its own below `~/.local/share/baton/documents`.
 * The copy has the document's name, with replacements for characters that cannot be shown, and `_`
 * for a dot at the beginning. The copy stays until somebody removes it, so ask the user where to
 * keep the document.
 *
 * The operation fails if the other device's app sends nothing for 30 seconds, or if it needs more
 * than half an hour. A failure leaves no copy behind. The errors are %BATON_ERROR_STREAM_CUT if the
 * document was cut short, %BATON_ERROR_USER_INFO_TOO_LARGE if it is too large,
 * %BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT, %BATON_ERROR_NOT_FOUND if the activity has no
 * document, and a %G_IO_ERROR for the file.
 *
 * Since: 1.1
 */
void baton_continuation_load_document_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    GTask *task = g_task_new(self, cancellable, callback, user_data);
    g_task_set_source_tag(task, baton_continuation_load_document_async);
    /* Otherwise a late cancellation would lose the path of a copy that has already arrived. */
    g_task_set_check_cancellable(task, FALSE);
    if (self->document_url == NULL || baton_document_is_streamed(self->document_url)) {
        fetch(self, task);
        return;
    }
    g_task_set_task_data(task, g_strdup(self->document_url), g_free);
    g_task_run_in_thread(task, find_file);
    g_object_unref(task);
}

/**
 * baton_continuation_load_contents_async:
 * @self: a continuation
 * @cancellable: (nullable): cancels the operation
 * @callback: (scope async): called with the result
 * @user_data: for @callback
 *
 * Copies the document's current contents from the other device.
 *
 * The function works like [method@Baton.Continuation.load_document_async] for a document that is in
 * no shared folder, with the same limits and errors. The contents of a document in a shared folder
 * are available only if the other device offers them with [property@Baton.Activity:contents]. Then
 * [property@Baton.Continuation:supports-continuation-streams] is %TRUE.
 *
 * Since: 1.1
 */
void baton_continuation_load_contents_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    GTask *task = g_task_new(self, cancellable, callback, user_data);
    g_task_set_source_tag(task, baton_continuation_load_contents_async);
    g_task_set_check_cancellable(task, FALSE);
    fetch(self, task);
}

/**
 * baton_continuation_load_contents_finish:
 * @self: a continuation
 * @result: the result that the callback got
 * @error: why there is no copy
 *
 * Finishes [method@Baton.Continuation.load_contents_async].
 *
 * Returns: (transfer full): the copy
 *
 * Since: 1.1
 */
GFile *baton_continuation_load_contents_finish(BatonContinuation *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), NULL);
    return g_task_propagate_pointer(G_TASK(result), error);
}

/**
 * baton_continuation_load_document_finish:
 * @self: a continuation
 * @result: the result that the callback got
 * @error: why there is no file
 *
 * Finishes [method@Baton.Continuation.load_document_async].
 *
 * Returns: (transfer full): the file
 *
 * Since: 1.1
 */
GFile *baton_continuation_load_document_finish(BatonContinuation *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), NULL);
    return g_task_propagate_pointer(G_TASK(result), error);
}
