/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-pair-streams-private.h"

#define BATON_TYPE_PAIR_INPUT (baton_pair_input_get_type())
G_DECLARE_FINAL_TYPE(BatonPairInput, baton_pair_input, BATON, PAIR_INPUT, GInputStream)

struct _BatonPairInput {
    GInputStream parent_instance;
    BatonPair *pair;
};

G_DEFINE_FINAL_TYPE(BatonPairInput, baton_pair_input, G_TYPE_INPUT_STREAM)

GInputStream *baton_pair_input_stream_new(BatonPair *pair) {
    BatonPairInput *self = g_object_new(BATON_TYPE_PAIR_INPUT, NULL);
    self->pair = baton_pair_ref(pair);
    return G_INPUT_STREAM(self);
}

static gssize read_and_wait(GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable, GError **error) {
    BatonPair *pair = BATON_PAIR_INPUT(stream)->pair;
    while (!g_cancellable_set_error_if_cancelled(cancellable, error)) {
        GError *failure = NULL;
        gssize found = baton_pair_read(pair, buffer, count, &failure);
        if (!g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
            if (failure != NULL) g_propagate_error(error, failure);
            return found;
        }
        g_error_free(failure);
        if (!baton_pair_wait(pair, G_IO_IN, cancellable, error)) return -1;
    }
    return -1;
}

typedef struct {
    void *buffer;
    gsize count;
} Reading;

static gboolean go_on(GTask *task) {
    BatonPairInput *self = g_task_get_source_object(task);
    Reading *reading = g_task_get_task_data(task);
    GError *failure = NULL;
    if (g_task_return_error_if_cancelled(task)) return TRUE;
    gssize found = baton_pair_read(self->pair, reading->buffer, reading->count, &failure);
    if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
        g_error_free(failure);
        return FALSE;
    }
    if (failure != NULL) g_task_return_error(task, failure);
    else g_task_return_int(task, found);
    return TRUE;
}

static void read_async(GInputStream *stream, void *buffer, gsize count, int priority, GCancellable *cancellable, GAsyncReadyCallback callback,
                       gpointer data) {
    g_autoptr(GTask) task = g_task_new(stream, cancellable, callback, data);
    Reading *reading = g_new(Reading, 1);
    *reading = (Reading){buffer, count};
    g_task_set_task_data(task, reading, g_free);
    g_task_set_priority(task, priority);
    baton_pair_go_on_when_ready(BATON_PAIR_INPUT(stream)->pair, G_IO_IN, task, go_on);
}

static gssize read_finish(GInputStream *stream, GAsyncResult *result, GError **error) {
    return g_task_propagate_int(G_TASK(result), error);
}

/* If bytes are left unread, the daemon notices it when both streams are closed. */
static gboolean close_input(GInputStream *stream, GCancellable *cancellable, GError **error) {
    baton_pair_close_input(BATON_PAIR_INPUT(stream)->pair);
    return TRUE;
}

static void baton_pair_input_finalize(GObject *object) {
    baton_pair_unref(BATON_PAIR_INPUT(object)->pair);
    G_OBJECT_CLASS(baton_pair_input_parent_class)->finalize(object);
}

static void baton_pair_input_class_init(BatonPairInputClass *class) {
    G_OBJECT_CLASS(class)->finalize = baton_pair_input_finalize;
    G_INPUT_STREAM_CLASS(class)->read_fn = read_and_wait;
    G_INPUT_STREAM_CLASS(class)->read_async = read_async;
    G_INPUT_STREAM_CLASS(class)->read_finish = read_finish;
    G_INPUT_STREAM_CLASS(class)->close_fn = close_input;
}

static void baton_pair_input_init(BatonPairInput *self) {}
