/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-pair-streams-private.h"

#define BATON_TYPE_PAIR_OUTPUT (baton_pair_output_get_type())
G_DECLARE_FINAL_TYPE(BatonPairOutput, baton_pair_output, BATON, PAIR_OUTPUT, GOutputStream)

struct _BatonPairOutput {
    GOutputStream parent_instance;
    BatonPair *pair;
    gboolean is_let_go;
};

G_DEFINE_FINAL_TYPE(BatonPairOutput, baton_pair_output, G_TYPE_OUTPUT_STREAM)

GOutputStream *baton_pair_output_stream_new(BatonPair *pair) {
    BatonPairOutput *self = g_object_new(BATON_TYPE_PAIR_OUTPUT, NULL);
    self->pair = baton_pair_ref(pair);
    return G_OUTPUT_STREAM(self);
}

static gssize write_and_wait(GOutputStream *stream, const void *buffer, gsize count, GCancellable *cancellable, GError **error) {
    BatonPair *pair = BATON_PAIR_OUTPUT(stream)->pair;
    while (!g_cancellable_set_error_if_cancelled(cancellable, error)) {
        GError *failure = NULL;
        gssize sent = baton_pair_write(pair, buffer, count, &failure);
        if (!g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
            if (failure != NULL) g_propagate_error(error, failure);
            return sent;
        }
        g_error_free(failure);
        if (!baton_pair_wait(pair, G_IO_OUT, cancellable, error)) return -1;
    }
    return -1;
}

typedef struct {
    const void *buffer;
    gsize count;
} Writing;

static gboolean go_on(GTask *task) {
    BatonPairOutput *self = g_task_get_source_object(task);
    Writing *writing = g_task_get_task_data(task);
    GError *failure = NULL;
    if (g_task_return_error_if_cancelled(task)) return TRUE;
    gssize sent = baton_pair_write(self->pair, writing->buffer, writing->count, &failure);
    if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
        g_error_free(failure);
        return FALSE;
    }
    if (failure != NULL) g_task_return_error(task, failure);
    else g_task_return_int(task, sent);
    return TRUE;
}

static void write_async(GOutputStream *stream, const void *buffer, gsize count, int priority, GCancellable *cancellable, GAsyncReadyCallback callback,
                        gpointer data) {
    g_autoptr(GTask) task = g_task_new(stream, cancellable, callback, data);
    Writing *writing = g_new(Writing, 1);
    *writing = (Writing){buffer, count};
    g_task_set_task_data(task, writing, g_free);
    g_task_set_priority(task, priority);
    baton_pair_go_on_when_ready(BATON_PAIR_OUTPUT(stream)->pair, G_IO_OUT, task, go_on);
}

static gssize write_finish(GOutputStream *stream, GAsyncResult *result, GError **error) {
    return g_task_propagate_int(G_TASK(result), error);
}

/* A cancelled close breaks the streams, so that the other side does not consider the data complete.
 * In the same way, a cancelled close of a file discards the file. */
static gboolean close_output(GOutputStream *stream, GCancellable *cancellable, GError **error) {
    BatonPairOutput *self = BATON_PAIR_OUTPUT(stream);
    if (self->is_let_go) return TRUE;
    gboolean is_wanted = !g_cancellable_set_error_if_cancelled(cancellable, error);
    if (!is_wanted) baton_pair_give_up(self->pair);
    baton_pair_close_output(self->pair);
    return is_wanted;
}

/* --- Splices ------------------------------------------------------------------------------------ */

/* Closes the stream after a splice, if the caller asked for it. GIO's own splice would close the
 * stream even after a failure, and half of the data would pass for the whole. Therefore GIO only
 * copies. The close happens while the splice still counts as pending. */
static void close_after(BatonPairOutput *self, GOutputStreamSpliceFlags flags, gboolean is_whole) {
    if (!(flags & G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET)) return;
    GOutputStream *stream = G_OUTPUT_STREAM(self);
    if (!is_whole) baton_pair_give_up(self->pair);
    g_output_stream_clear_pending(stream);
    g_output_stream_close(stream, NULL, NULL);
    g_output_stream_set_pending(stream, NULL);
}

static GOutputStreamSpliceFlags copying(GOutputStreamSpliceFlags flags) {
    return flags & ~G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET;
}

static gssize splice(GOutputStream *stream, GInputStream *source, GOutputStreamSpliceFlags flags, GCancellable *cancellable, GError **error) {
    gssize count = G_OUTPUT_STREAM_CLASS(baton_pair_output_parent_class)->splice(stream, source, copying(flags), cancellable, error);
    close_after(BATON_PAIR_OUTPUT(stream), flags, count >= 0);
    return count;
}

static void spliced(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(GTask) task = data;
    GOutputStream *stream = G_OUTPUT_STREAM(source);
    GError *error = NULL;
    gssize count = G_OUTPUT_STREAM_CLASS(baton_pair_output_parent_class)->splice_finish(stream, result, &error);
    close_after(BATON_PAIR_OUTPUT(stream), GPOINTER_TO_UINT(g_task_get_task_data(task)), count >= 0);
    if (count < 0) g_task_return_error(task, error);
    else g_task_return_int(task, count);
}

static void splice_async(GOutputStream *stream, GInputStream *source, GOutputStreamSpliceFlags flags, int priority, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data) {
    GTask *task = g_task_new(stream, cancellable, callback, data);
    g_task_set_task_data(task, GUINT_TO_POINTER(flags), NULL);
    g_task_set_priority(task, priority);
    /* A splice that has just completed does not fail because of a late cancellation. */
    g_task_set_check_cancellable(task, FALSE);
    G_OUTPUT_STREAM_CLASS(baton_pair_output_parent_class)->splice_async(stream, source, copying(flags), priority, cancellable, spliced, task);
}

/* --- The object --------------------------------------------------------------------------------- */

/* GIO closes a stream when it is disposed. GIO's close must not end the output, because the app did
 * not close it. */
static void baton_pair_output_dispose(GObject *object) {
    BATON_PAIR_OUTPUT(object)->is_let_go = TRUE;
    G_OBJECT_CLASS(baton_pair_output_parent_class)->dispose(object);
}

static void baton_pair_output_finalize(GObject *object) {
    baton_pair_unref(BATON_PAIR_OUTPUT(object)->pair);
    G_OBJECT_CLASS(baton_pair_output_parent_class)->finalize(object);
}

static void baton_pair_output_class_init(BatonPairOutputClass *class) {
    G_OBJECT_CLASS(class)->dispose = baton_pair_output_dispose;
    G_OBJECT_CLASS(class)->finalize = baton_pair_output_finalize;
    G_OUTPUT_STREAM_CLASS(class)->write_fn = write_and_wait;
    G_OUTPUT_STREAM_CLASS(class)->write_async = write_async;
    G_OUTPUT_STREAM_CLASS(class)->write_finish = write_finish;
    G_OUTPUT_STREAM_CLASS(class)->close_fn = close_output;
    G_OUTPUT_STREAM_CLASS(class)->splice = splice;
    G_OUTPUT_STREAM_CLASS(class)->splice_async = splice_async;
    G_OUTPUT_STREAM_CLASS(class)->splice_finish = write_finish;
}

static void baton_pair_output_init(BatonPairOutput *self) {}
