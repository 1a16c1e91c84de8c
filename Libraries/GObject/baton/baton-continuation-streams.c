/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <gio/gunixfdlist.h>

#include "baton-continuation-private.h"
#include "baton-error-private.h"
#include "baton-streams-private.h"

typedef struct {
    guint64 daemon;     /* from baton_stream_ends_expect */
    GSource *cancelled; /* NULL when the call cannot be cancelled */
} Opening;

static void opening_free(gpointer data) {
    Opening *opening = data;
    g_clear_pointer(&opening->cancelled, g_source_unref);
    g_free(opening);
}

/* The caller's task ends at once. If the streams arrive later, the library abandons them. */
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
 * @cancellable: (nullable): cancels the operation
 * @callback: (scope async): called with the streams
 * @user_data: for @callback
 *
 * Opens a pair of streams to the app that published the activity. The call may take a minute and
 * a half. Call [method@Baton.Continuation.accept] first, because an answer that waits for the end
 * of the streams may be too late. Streams can be opened for a minute after that call.
 *
 * Since: 1.0
 */
void baton_continuation_open_streams_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    GTask *task = g_task_new(self, cancellable, callback, user_data);
    g_task_set_source_tag(task, baton_continuation_open_streams_async);
    if (self->client != NULL) {
        baton_client_when_ready(self->client, task, open_streams);
        return;
    }
    g_task_return_new_error(task, BATON_ERROR, BATON_ERROR_NOT_FOUND, "the continuation has not come from another device");
    g_object_unref(task);
}

/**
 * baton_continuation_open_streams_finish:
 * @self: a continuation
 * @result: the result that the callback got
 * @error: why there are no streams
 *
 * Finishes [method@Baton.Continuation.open_streams_async].
 *
 * Returns: (transfer full): the streams
 *
 * Since: 1.0
 */
BatonStreams *baton_continuation_open_streams_finish(BatonContinuation *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), NULL);
    return g_task_propagate_pointer(G_TASK(result), error);
}
