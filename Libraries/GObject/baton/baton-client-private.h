/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "baton-bus.h"
#include "baton-names-private.h"
#include "baton-stream-ends-private.h"

G_BEGIN_DECLS

/* One connection's view of the daemon. Activities and offers that were created in the same main
 * context share a client, and get their callbacks in that context.
 *
 * Signals: `came` and `went` when a daemon starts and ends; `failed` when there is no bus;
 * `settled` when a change of the current activity is complete. The argument of `settled` is the
 * activity that is now advertised, or NULL. */
#define BATON_TYPE_CLIENT (baton_client_get_type())
G_DECLARE_FINAL_TYPE(BatonClient, baton_client, BATON, CLIENT, GObject)

/* Returns the client for a connection and the thread's main context. NULL stands for the session
 * bus. */
BatonClient *baton_client_get(GDBusConnection *connection);

GDBusConnection *baton_client_get_connection(BatonClient *client);
GMainContext *baton_client_get_context(BatonClient *client);
BatonStreamEnds *baton_client_get_stream_ends(BatonClient *client);

/* The following functions return NULL until the bus is connected. */
BatonBusActivities *baton_client_get_activities(BatonClient *client);
BatonBusOffers *baton_client_get_offers(BatonClient *client);

/* Returns whether a daemon runs, as far as the client knows. */
gboolean baton_client_has_daemon(BatonClient *client);

/* Returns why there is no bus, or NULL if nothing has failed. */
const GError *baton_client_get_failure(BatonClient *client);

/* Continues a task when the bus is connected. The task fails if there is no bus. Takes the task. */
void baton_client_when_ready(BatonClient *client, GTask *task, void (*go_on)(GTask *task));

/* The program's current activity; NULL if there is none. The client holds no reference to the
 * activity. */
gpointer baton_client_get_current(BatonClient *client);
void baton_client_set_current(BatonClient *client, gpointer current);
void baton_client_settle(BatonClient *client, gpointer advertised);

/* Method calls whose answers are ignored. */
void baton_client_tell_activity(BatonClient *client, const char *method, const char *activity);
void baton_client_cancel(BatonClient *client, const char *name);

/* Hands this side's end of a closed pair of streams to the daemon. The daemon then delivers the
 * bytes that are still on their way. If more bytes come from the other side, the streams break.
 * Waits at most 2 s for the answer, on any thread. Returns whether the daemon took the end; an
 * older daemon does not know the call. */
gboolean baton_client_close_streams(BatonClient *client, const char *stream, int descriptor);

G_END_DECLS
