/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-progress-private.h"

struct BatonProgress {
    BatonClient *client;
    gulong handler;
};

/* The part that outlives the owner, which other threads may drop at any time. */
typedef struct {
    gatomicrefcount references;
    BatonClient *client;
    char *name;
    GWeakRef owner;
    BatonProgressFunc report;
} Follower;

static Follower *follower_ref(Follower *follower) {
    g_atomic_ref_count_inc(&follower->references);
    return follower;
}

static void follower_unref(gpointer data) {
    Follower *follower = data;
    if (!g_atomic_ref_count_dec(&follower->references)) return;
    g_weak_ref_clear(&follower->owner);
    g_object_unref(follower->client);
    g_free(follower->name);
    g_free(follower);
}

static void follower_closed(gpointer data, GClosure *closure) {
    follower_unref(data);
}

static void report(Follower *follower, GVariant *progress) {
    g_autoptr(GObject) owner = g_weak_ref_get(&follower->owner);
    if (owner == NULL) return;
    guint64 sent = 0, received = 0;
    const char *transport = "";
    gboolean is_waiting = FALSE;
    g_variant_lookup(progress, "sent", "t", &sent);
    g_variant_lookup(progress, "received", "t", &received);
    g_variant_lookup(progress, "transport", "&s", &transport);
    g_variant_lookup(progress, "waiting", "b", &is_waiting);
    follower->report(owner, sent, received, transport, is_waiting);
}

/* The proxy emits this signal only for messages of the daemon. */
static void changed(BatonBusActivities *activities, const char *stream, GVariant *progress, gpointer data) {
    Follower *follower = data;
    if (g_strcmp0(stream, follower->name) == 0) report(follower, progress);
}

/* A daemon that reports no progress answers with an error, and so does one for which the streams
 * have ended. Neither error needs a report. */
static void answered(GObject *source, GAsyncResult *result, gpointer data) {
    Follower *follower = data;
    g_autoptr(GVariant) progress = NULL;
    if (baton_bus_activities_call_follow_streams_finish(BATON_BUS_ACTIVITIES(source), &progress, result, NULL)) report(follower, progress);
    follower_unref(follower);
}

/* Runs in the client's main context, in which the answer then arrives, too. */
static gboolean ask(gpointer data) {
    Follower *follower = data;
    GMainContext *context = baton_client_get_context(follower->client);
    g_main_context_push_thread_default(context);
    baton_bus_activities_call_follow_streams(baton_client_get_activities(follower->client), follower->name, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
                                             NULL, answered, follower_ref(follower));
    g_main_context_pop_thread_default(context);
    return G_SOURCE_REMOVE;
}

BatonProgress *baton_progress_new(BatonPair *pair, GObject *owner, BatonProgressFunc report_to) {
    Follower *follower = g_new0(Follower, 1);
    g_atomic_ref_count_init(&follower->references);
    follower->client = g_object_ref(baton_pair_get_client(pair));
    follower->name = g_strdup(baton_pair_get_name(pair));
    g_weak_ref_init(&follower->owner, owner);
    follower->report = report_to;
    BatonProgress *progress = g_new0(BatonProgress, 1);
    progress->client = g_object_ref(follower->client);
    progress->handler = g_signal_connect_data(baton_client_get_activities(follower->client), "stream-progress", G_CALLBACK(changed),
                                              follower_ref(follower), follower_closed, 0);
    g_main_context_invoke_full(baton_client_get_context(follower->client), G_PRIORITY_DEFAULT, ask, follower, follower_unref);
    return progress;
}

void baton_progress_free(BatonProgress *progress) {
    g_signal_handler_disconnect(baton_client_get_activities(progress->client), progress->handler);
    g_object_unref(progress->client);
    g_free(progress);
}
