/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-patience-private.h"

#include <baton.h>

struct BatonPatience {
    GCancellable *cancellable, *of_caller;
    GSource *timer, *cancelled;
    gint64 between, end; /* in µs */
    gboolean is_over;
};

static gboolean time_is_over(gpointer data) {
    BatonPatience *patience = data;
    patience->is_over = TRUE;
    g_cancellable_cancel(patience->cancellable);
    return G_SOURCE_REMOVE;
}

static gboolean caller_cancelled(GCancellable *cancellable, gpointer data) {
    g_cancellable_cancel(((BatonPatience *)data)->cancellable);
    return G_SOURCE_REMOVE;
}

static GSource *attach(GSource *source, GSourceFunc function, BatonPatience *patience) {
    g_source_set_callback(source, function, patience, NULL);
    g_source_attach(source, g_main_context_get_thread_default());
    return source;
}

BatonPatience *baton_patience_new(guint between, guint in_all, GCancellable *cancellable) {
    BatonPatience *patience = g_new0(BatonPatience, 1);
    patience->cancellable = g_cancellable_new();
    patience->between = between * (gint64)1000;
    patience->end = g_get_monotonic_time() + in_all * (gint64)1000;
    patience->timer = attach(g_timeout_source_new(between), time_is_over, patience);
    if (cancellable != NULL) {
        patience->of_caller = g_object_ref(cancellable);
        patience->cancelled = attach(g_cancellable_source_new(cancellable), G_SOURCE_FUNC(caller_cancelled), patience);
    }
    return patience;
}

static void drop(GSource *source) {
    g_source_destroy(source);
    g_source_unref(source);
}

void baton_patience_free(BatonPatience *patience) {
    g_clear_pointer(&patience->timer, drop);
    g_clear_pointer(&patience->cancelled, drop);
    g_clear_object(&patience->of_caller);
    g_object_unref(patience->cancellable);
    g_free(patience);
}

GCancellable *baton_patience_get_cancellable(BatonPatience *patience) {
    return patience->cancellable;
}

void baton_patience_renew(BatonPatience *patience) {
    if (!patience->is_over) g_source_set_ready_time(patience->timer, MIN(g_get_monotonic_time() + patience->between, patience->end));
}

GError *baton_patience_explain(BatonPatience *patience, GError *error) {
    gboolean is_late = patience->is_over && !g_cancellable_is_cancelled(patience->of_caller);
    if (!is_late || !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) return error;
    g_error_free(error);
    return g_error_new_literal(BATON_ERROR, BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT, "the other device's app takes too long over the document");
}
