/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-pair-streams-private.h"

#include <glib-unix.h>

typedef struct {
    BatonPair *pair;
    GIOCondition condition;
    GTask *task;
    gboolean (*go_on)(GTask *task);
} Wait;

static void wait_free(gpointer data) {
    Wait *wait = data;
    baton_pair_unref(wait->pair);
    g_object_unref(wait->task);
    g_free(wait);
}

/* The next wait may need another descriptor, so each wait has a source of its own. */
static gboolean ready(int descriptor, GIOCondition condition, gpointer data) {
    Wait *wait = data;
    baton_pair_go_on_when_ready(wait->pair, wait->condition, wait->task, wait->go_on);
    return G_SOURCE_REMOVE;
}

static void attach(Wait *wait, int descriptor) {
    GSource *source = g_unix_fd_source_new(descriptor, wait->condition);
    GCancellable *cancellable = g_task_get_cancellable(wait->task);
    if (cancellable != NULL) {
        g_autoptr(GSource) cancelled = g_cancellable_source_new(cancellable);
        g_source_set_dummy_callback(cancelled);
        g_source_add_child_source(source, cancelled);
    }
    g_source_set_callback(source, G_SOURCE_FUNC(ready), wait, wait_free);
    g_source_set_priority(source, g_task_get_priority(wait->task));
    g_source_attach(source, g_task_get_context(wait->task));
    g_source_unref(source);
}

void baton_pair_go_on_when_ready(BatonPair *pair, GIOCondition condition, GTask *task, gboolean (*go_on)(GTask *task)) {
    int descriptor = -1;
    while (descriptor < 0) {
        if (go_on(task)) return;
        descriptor = baton_pair_get_descriptor(pair, condition);
    }
    Wait *wait = g_new(Wait, 1);
    *wait = (Wait){baton_pair_ref(pair), condition, g_object_ref(task), go_on};
    attach(wait, descriptor);
}
