/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "baton-bus.h"
#include "baton-names-private.h"
#include "baton-stream-ends-private.h"

G_BEGIN_DECLS

/* The daemon, as one connection to the session bus sees it; activities and offers that were made
 * in one main context share one, and are called back there.
 *
 * Signals: `came` and `went`, when a daemon has come and gone; `failed`, when there is no bus;
 * `settled`, when it has turned out whether the current activity is advertised: it has that one, or
 * NULL. */
#define BATON_TYPE_CLIENT (baton_client_get_type())
G_DECLARE_FINAL_TYPE(BatonClient, baton_client, BATON, CLIENT, GObject)

/* For a connection, or the session bus if it is NULL, and the thread's main context. */
BatonClient *baton_client_get(GDBusConnection *connection);

GDBusConnection *baton_client_get_connection(BatonClient *client);
GMainContext *baton_client_get_context(BatonClient *client);
BatonStreamEnds *baton_client_get_stream_ends(BatonClient *client);

/* NULL until the bus is there. */
BatonBusActivities *baton_client_get_activities(BatonClient *client);
BatonBusOffers *baton_client_get_offers(BatonClient *client);

/* Whether a daemon runs, as far as it is known. */
gboolean baton_client_has_daemon(BatonClient *client);

/* Why there is no bus; NULL while nothing has failed. */
const GError *baton_client_get_failure(BatonClient *client);

/* Goes on with a task once the bus is there; the task fails where there is none. Takes the task. */
void baton_client_when_ready(BatonClient *client, GTask *task, void (*go_on)(GTask *task));

/* What is current of the program's activities, which is not referred to; NULL for none. */
gpointer baton_client_get_current(BatonClient *client);
void baton_client_set_current(BatonClient *client, gpointer current);
void baton_client_settle(BatonClient *client, gpointer advertised);

/* Calls that nobody waits for. */
void baton_client_tell_activity(BatonClient *client, const char *method, const char *activity);
void baton_client_cancel(BatonClient *client, const char *name);

/* Asks the daemon to take this side's end of a pair of streams that was closed: from then on it sees
 * to what is still on its way, and what still comes breaks the streams. Waits for the answer, for 2 s
 * at most; on any thread. Returns whether the daemon has it: an older one does not know the call. */
gboolean baton_client_close_streams(BatonClient *client, const char *stream, int descriptor);

G_END_DECLS
