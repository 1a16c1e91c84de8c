/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-client-private.h"

#include <gio/gunixfdlist.h>

#include "baton-error-private.h"

/* The time for the daemon to take closed streams, in ms. The time is short because the daemon only
 * notes that they are closed. */
#define CLOSING_PATIENCE 2000

#define PROXY_FLAGS (G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START_AT_CONSTRUCTION)

typedef struct {
    GTask *task;
    void (*go_on)(GTask *task);
} Waiting;

/* A client's entry in the list of all clients. The client owns it. */
typedef struct {
    GDBusConnection *key; /* the connection that was asked for; NULL for the session bus */
    GMainContext *context;
    GWeakRef client;
} Known;

struct _BatonClient {
    GObject parent_instance;
    Known known;
    GDBusConnection *connection;
    BatonBusActivities *activities;
    BatonBusOffers *offers;
    BatonStreamEnds *ends;
    char *owner; /* the owner of the daemon's bus name; NULL while no daemon runs */
    GError *failure;
    GArray *waiting;
    gpointer current;
};

G_DEFINE_FINAL_TYPE(BatonClient, baton_client, G_TYPE_OBJECT)

enum { CAME, WENT, FAILED, SETTLED, SIGNALS };
static guint signals[SIGNALS];

/* --- One client for each connection and context ------------------------------------------------- */

static GMutex known_mutex;
static GList *known;

static BatonClient *find(GDBusConnection *key, GMainContext *context) {
    for (GList *each = known; each != NULL; each = each->next) {
        Known *one = each->data;
        /* A client that another thread is about to finalize does not count. */
        BatonClient *client = one->key == key && one->context == context ? g_weak_ref_get(&one->client) : NULL;
        if (client != NULL) return client;
    }
    return NULL;
}

static BatonClient *make(GDBusConnection *key, GMainContext *context) {
    BatonClient *client = g_object_new(BATON_TYPE_CLIENT, NULL);
    g_set_object(&client->known.key, key);
    client->known.context = g_main_context_ref(context);
    known = g_list_prepend(known, &client->known);
    return client;
}

static void start(BatonClient *self);

BatonClient *baton_client_get(GDBusConnection *connection) {
    g_autoptr(GMainContext) context = g_main_context_ref_thread_default();
    g_mutex_lock(&known_mutex);
    BatonClient *client = find(connection, context);
    gboolean is_new = client == NULL;
    if (is_new) client = make(connection, context);
    g_mutex_unlock(&known_mutex);
    if (is_new) start(client);
    return client;
}

/* --- Reaching the bus --------------------------------------------------------------------------- */

static void go_on_with(BatonClient *self, Waiting *waiting) {
    if (self->failure == NULL) {
        waiting->go_on(waiting->task);
    } else {
        g_task_return_error(waiting->task, g_error_copy(self->failure));
        g_object_unref(waiting->task);
    }
}

static void settle(BatonClient *self) {
    for (guint i = 0; i < self->waiting->len; i++) go_on_with(self, &g_array_index(self->waiting, Waiting, i));
    g_array_set_size(self->waiting, 0);
}

static void fail(BatonClient *self, GError *error) {
    self->failure = baton_error_of_call(error);
    settle(self);
    g_signal_emit(self, signals[FAILED], 0);
}

static void daemon_changed(BatonClient *self) {
    g_autofree char *owner = g_dbus_proxy_get_name_owner(G_DBUS_PROXY(self->activities));
    if (g_strcmp0(owner, self->owner) == 0) return;
    g_object_ref(self);
    if (self->owner != NULL) {
        g_clear_pointer(&self->owner, g_free);
        g_signal_emit(self, signals[WENT], 0);
    }
    if (owner != NULL) {
        self->owner = g_steal_pointer(&owner);
        g_signal_emit(self, signals[CAME], 0);
    }
    g_object_unref(self);
}

/* Starts the daemon if the bus can. The answer is ignored because the bus also signals the new
 * owner. */
static void start_the_daemon(BatonClient *self) {
    g_dbus_connection_call(self->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
                           g_variant_new("(su)", BATON_NAME, 0), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

static void has_offers(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonClient) self = data;
    GError *error = NULL;
    self->offers = baton_bus_offers_proxy_new_finish(result, &error);
    if (self->offers == NULL) {
        fail(self, error);
        return;
    }
    g_dbus_proxy_set_default_timeout(G_DBUS_PROXY(self->offers), BATON_PATIENCE);
    g_signal_connect_object(self->activities, "notify::g-name-owner", G_CALLBACK(daemon_changed), self, G_CONNECT_SWAPPED);
    g_autofree char *owner = g_dbus_proxy_get_name_owner(G_DBUS_PROXY(self->activities));
    baton_stream_ends_begin(self->ends, owner);
    if (owner == NULL) start_the_daemon(self);
    settle(self);
    daemon_changed(self);
}

/* A proxy emits its signals in the main context in which it was created, so create it here. */
static void has_activities(GObject *source, GAsyncResult *result, gpointer data) {
    BatonClient *self = data;
    GError *error = NULL;
    self->activities = baton_bus_activities_proxy_new_finish(result, &error);
    if (self->activities == NULL) {
        fail(self, error);
        g_object_unref(self);
        return;
    }
    g_main_context_push_thread_default(self->known.context);
    baton_bus_offers_proxy_new(self->connection, PROXY_FLAGS, BATON_NAME, BATON_PATH, NULL, has_offers, self);
    g_main_context_pop_thread_default(self->known.context);
}

static void has_bus(BatonClient *self, GDBusConnection *connection) {
    self->connection = g_object_ref(connection);
    self->ends = baton_stream_ends_of(connection);
    baton_stream_ends_watch(self->ends);
    g_main_context_push_thread_default(self->known.context);
    baton_bus_activities_proxy_new(connection, PROXY_FLAGS, BATON_NAME, BATON_PATH, NULL, has_activities, g_object_ref(self));
    g_main_context_pop_thread_default(self->known.context);
}

static void got_bus(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonClient) self = data;
    GError *error = NULL;
    g_autoptr(GDBusConnection) connection = g_bus_get_finish(result, &error);
    if (connection != NULL) has_bus(self, connection);
    else fail(self, error);
}

static void start(BatonClient *self) {
    baton_error_quark();
    if (self->known.key != NULL) has_bus(self, self->known.key);
    else g_bus_get(G_BUS_TYPE_SESSION, NULL, got_bus, g_object_ref(self));
}

void baton_client_when_ready(BatonClient *client, GTask *task, void (*go_on)(GTask *task)) {
    Waiting waiting = {task, go_on};
    if (client->offers != NULL || client->failure != NULL) go_on_with(client, &waiting);
    else g_array_append_val(client->waiting, waiting);
}

/* --- Properties --------------------------------------------------------------------------------- */

GDBusConnection *baton_client_get_connection(BatonClient *client) {
    return client->connection;
}

GMainContext *baton_client_get_context(BatonClient *client) {
    return client->known.context;
}

BatonStreamEnds *baton_client_get_stream_ends(BatonClient *client) {
    return client->ends;
}

BatonBusActivities *baton_client_get_activities(BatonClient *client) {
    return client->activities;
}

BatonBusOffers *baton_client_get_offers(BatonClient *client) {
    return client->offers;
}

gboolean baton_client_has_daemon(BatonClient *client) {
    return client->owner != NULL;
}

const GError *baton_client_get_failure(BatonClient *client) {
    return client->failure;
}

gpointer baton_client_get_current(BatonClient *client) {
    return client->current;
}

void baton_client_set_current(BatonClient *client, gpointer current) {
    client->current = current;
}

void baton_client_settle(BatonClient *client, gpointer advertised) {
    g_signal_emit(client, signals[SETTLED], 0, advertised);
}

void baton_client_tell_activity(BatonClient *client, const char *method, const char *activity) {
    g_dbus_connection_call(client->connection, BATON_NAME, BATON_PATH, BATON_ACTIVITIES_INTERFACE, method, g_variant_new("(s)", activity), NULL,
                           G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

void baton_client_cancel(BatonClient *client, const char *name) {
    g_dbus_connection_call(client->connection, BATON_NAME, BATON_PATH, BATON_OFFERS_INTERFACE, "Cancel", g_variant_new("(s)", name), NULL,
                           G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

gboolean baton_client_close_streams(BatonClient *client, const char *stream, int descriptor) {
    g_autoptr(GUnixFDList) descriptors = g_unix_fd_list_new();
    int index = g_unix_fd_list_append(descriptors, descriptor, NULL);
    return index >= 0 && baton_bus_activities_call_close_streams_sync(client->activities, stream, FALSE, g_variant_new_handle(index),
                                                                      G_DBUS_CALL_FLAGS_NO_AUTO_START, CLOSING_PATIENCE, descriptors, NULL, NULL, NULL);
}

static void baton_client_finalize(GObject *object) {
    BatonClient *self = BATON_CLIENT(object);
    g_mutex_lock(&known_mutex);
    known = g_list_remove(known, &self->known);
    g_mutex_unlock(&known_mutex);
    g_weak_ref_clear(&self->known.client);
    if (self->ends != NULL) {
        baton_stream_ends_unwatch(self->ends);
        baton_stream_ends_unref(self->ends);
    }
    g_clear_object(&self->offers);
    g_clear_object(&self->activities);
    g_clear_object(&self->connection);
    g_clear_object(&self->known.key);
    g_clear_error(&self->failure);
    g_free(self->owner);
    g_array_unref(self->waiting);
    g_main_context_unref(self->known.context);
    G_OBJECT_CLASS(baton_client_parent_class)->finalize(object);
}

static void baton_client_class_init(BatonClientClass *class) {
    G_OBJECT_CLASS(class)->finalize = baton_client_finalize;
    GType type = G_TYPE_FROM_CLASS(class);
    signals[CAME] = g_signal_new("came", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[WENT] = g_signal_new("went", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[SETTLED] = g_signal_new("settled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
    signals[FAILED] = g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void baton_client_init(BatonClient *self) {
    g_weak_ref_init(&self->known.client, self);
    self->waiting = g_array_new(FALSE, FALSE, sizeof(Waiting));
}
