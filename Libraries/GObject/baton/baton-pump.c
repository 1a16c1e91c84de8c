/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-pump-private.h"

#include <baton.h>

#define PIECE 32768

typedef struct {
    GInputStream *from;
    GOutputStream *to;
    guint64 rest;
    BatonPatience *patience;
    guint8 piece[PIECE];
} Pump;

static void pump_free(gpointer data) {
    Pump *pump = data;
    g_object_unref(pump->from);
    g_object_unref(pump->to);
    g_free(pump);
}

GError *baton_pump_cut(void) {
    return g_error_new_literal(BATON_ERROR, BATON_ERROR_STREAM_CUT, "the document was cut short");
}

static void read_next(GTask *task);

static void fail(GTask *task, GError *error) {
    Pump *pump = g_task_get_task_data(task);
    g_task_return_error(task, baton_patience_explain(pump->patience, error));
    g_object_unref(task);
}

static void written(GObject *source, GAsyncResult *result, gpointer data) {
    GTask *task = data;
    Pump *pump = g_task_get_task_data(task);
    GError *error = NULL;
    if (!g_output_stream_write_all_finish(G_OUTPUT_STREAM(source), result, NULL, &error)) {
        fail(task, error);
        return;
    }
    baton_patience_renew(pump->patience);
    read_next(task);
}

static void came_to_the_end(GTask *task) {
    Pump *pump = g_task_get_task_data(task);
    if (pump->rest > 0) {
        fail(task, baton_pump_cut());
        return;
    }
    g_task_return_boolean(task, TRUE);
    g_object_unref(task);
}

static void has_read(GObject *source, GAsyncResult *result, gpointer data) {
    GTask *task = data;
    Pump *pump = g_task_get_task_data(task);
    GError *error = NULL;
    gssize count = g_input_stream_read_finish(G_INPUT_STREAM(source), result, &error);
    if (count < 0) {
        fail(task, error);
    } else if (count == 0) {
        came_to_the_end(task);
    } else if ((guint64)count > pump->rest) {
        fail(task, g_error_new_literal(BATON_ERROR, BATON_ERROR_HANDOFF_FAILED, "the document has more bytes than it was said to have"));
    } else {
        pump->rest -= (guint64)count;
        g_output_stream_write_all_async(pump->to, pump->piece, (gsize)count, G_PRIORITY_DEFAULT, baton_patience_get_cancellable(pump->patience),
                                        written, task);
    }
}

static void read_next(GTask *task) {
    Pump *pump = g_task_get_task_data(task);
    g_input_stream_read_async(pump->from, pump->piece, PIECE, G_PRIORITY_DEFAULT, baton_patience_get_cancellable(pump->patience), has_read, task);
}

void baton_pump_async(GInputStream *from, GOutputStream *to, guint64 count, BatonPatience *patience, GAsyncReadyCallback callback, gpointer data) {
    GTask *task = g_task_new(from, NULL, callback, data);
    Pump *pump = g_new(Pump, 1);
    pump->from = g_object_ref(from);
    pump->to = g_object_ref(to);
    pump->rest = count;
    pump->patience = patience;
    g_task_set_task_data(task, pump, pump_free);
    read_next(task);
}

gboolean baton_pump_finish(GAsyncResult *result, GError **error) {
    return g_task_propagate_boolean(G_TASK(result), error);
}
