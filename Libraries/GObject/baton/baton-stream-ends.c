/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-stream-ends-private.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "baton-names-private.h"

struct BatonStreamEnd {
    gatomicrefcount references;
    GMutex mutex;
    int descriptor; /* -1 while nobody waits */
    gint is_known;  /* atomic; `why` does not change after it is set */
    char *why;      /* NULL if all data was complete */
};

struct BatonStreamEnds {
    gatomicrefcount references;
    GMutex mutex;
    GHashTable *ends;  /* by the pair's name: open pairs, and early ends while answers are expected */
    guint expected;    /* number of calls whose answers may name a pair */
    guint watches;
    guint64 daemon;    /* number of daemons that have gone */
    gboolean is_begun; /* the owner is known */
    char *owner;       /* the owner of the daemon's bus name */
};

static void end_locked(BatonStreamEnd *end, const char *why) {
    if (g_atomic_int_get(&end->is_known)) return;
    end->why = g_strdup(why);
    g_atomic_int_set(&end->is_known, TRUE);
    if (end->descriptor >= 0) eventfd_write(end->descriptor, 1);
}

static void end_with(BatonStreamEnd *end, const char *why) {
    g_mutex_lock(&end->mutex);
    end_locked(end, why);
    g_mutex_unlock(&end->mutex);
}

static BatonStreamEnd *end_new(void) {
    BatonStreamEnd *end = g_new0(BatonStreamEnd, 1);
    g_atomic_ref_count_init(&end->references);
    g_mutex_init(&end->mutex);
    end->descriptor = -1;
    return end;
}

static BatonStreamEnd *end_ref(BatonStreamEnd *end) {
    g_atomic_ref_count_inc(&end->references);
    return end;
}

void baton_stream_end_unref(BatonStreamEnd *end) {
    if (!g_atomic_ref_count_dec(&end->references)) return;
    baton_stream_end_close_descriptor(end);
    g_mutex_clear(&end->mutex);
    g_free(end->why);
    g_free(end);
}

gboolean baton_stream_end_is_known(BatonStreamEnd *end, const char **why) {
    if (!g_atomic_int_get(&end->is_known)) return FALSE;
    *why = end->why;
    return TRUE;
}

int baton_stream_end_get_descriptor(BatonStreamEnd *end) {
    g_mutex_lock(&end->mutex);
    if (end->descriptor < 0) {
        end->descriptor = eventfd(g_atomic_int_get(&end->is_known), EFD_CLOEXEC | EFD_NONBLOCK);
        if (end->descriptor < 0) end_locked(end, g_strerror(errno));
    }
    int descriptor = end->descriptor;
    g_mutex_unlock(&end->mutex);
    return descriptor;
}

void baton_stream_end_close_descriptor(BatonStreamEnd *end) {
    g_mutex_lock(&end->mutex);
    if (end->descriptor >= 0) close(end->descriptor);
    end->descriptor = -1;
    g_mutex_unlock(&end->mutex);
}

/* --- Signals from the bus, on GDBus's thread; the caller holds the mutex ------------------------ */

static void ended(BatonStreamEnds *ends, const char *stream, const char *why) {
    BatonStreamEnd *end = g_hash_table_lookup(ends->ends, stream);
    if (end == NULL && ends->expected > 0) {
        end = end_new();
        g_hash_table_insert(ends->ends, g_strdup(stream), end);
    }
    if (end == NULL) return;
    end_with(end, why);
    if (ends->expected == 0) g_hash_table_remove(ends->ends, stream);
}

/* Ends all pairs, because a daemon that has gone sends no more signals. */
static void all_ended(BatonStreamEnds *ends, const char *why) {
    GHashTableIter each;
    gpointer end;
    g_hash_table_iter_init(&each, ends->ends);
    while (g_hash_table_iter_next(&each, NULL, &end)) {
        end_with(end, why);
        g_hash_table_iter_remove(&each);
    }
    ends->daemon++;
}

static void owner_changed(BatonStreamEnds *ends, const char *owner) {
    if (g_strcmp0(owner, ends->owner) != 0) all_ended(ends, "batond has ended");
    g_free(ends->owner);
    ends->owner = g_strdup(owner);
    ends->is_begun = TRUE;
}

static void heard(BatonStreamEnds *ends, GDBusMessage *message) {
    const char *sender = g_dbus_message_get_sender(message), *interface = g_dbus_message_get_interface(message);
    const char *member = g_dbus_message_get_member(message);
    GVariant *body = g_dbus_message_get_body(message);
    if (sender == NULL || body == NULL) return;
    if (g_strcmp0(interface, BATON_ACTIVITIES_INTERFACE) == 0 && g_strcmp0(member, "StreamEnded") == 0) {
        /* Any program can send this signal, so accept it only from the daemon. */
        if (g_strcmp0(sender, ends->owner) != 0 || !g_variant_is_of_type(body, G_VARIANT_TYPE("(sbs)"))) return;
        const char *stream, *error;
        gboolean complete;
        g_variant_get(body, "(&sb&s)", &stream, &complete, &error);
        ended(ends, stream, complete ? NULL : error);
    } else if (strcmp(sender, "org.freedesktop.DBus") == 0 && g_strcmp0(member, "NameOwnerChanged") == 0) {
        const char *name, *owner;
        if (!g_variant_is_of_type(body, G_VARIANT_TYPE("(sss)"))) return;
        g_variant_get(body, "(&s&s&s)", &name, NULL, &owner);
        if (strcmp(name, BATON_NAME) == 0) owner_changed(ends, owner);
    }
}

static GDBusMessage *filter(GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data) {
    BatonStreamEnds *ends = data;
    if (incoming && g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL) {
        g_mutex_lock(&ends->mutex);
        heard(ends, message);
        g_mutex_unlock(&ends->mutex);
    }
    return message;
}

static void bus_closed(GDBusConnection *connection, gboolean vanished, GError *error, gpointer data) {
    BatonStreamEnds *ends = data;
    g_mutex_lock(&ends->mutex);
    all_ended(ends, "the session bus has ended");
    g_mutex_unlock(&ends->mutex);
}

/* --- Ends of pairs ------------------------------------------------------------------------------ */

BatonStreamEnds *baton_stream_ends_ref(BatonStreamEnds *ends) {
    g_atomic_ref_count_inc(&ends->references);
    return ends;
}

void baton_stream_ends_unref(BatonStreamEnds *ends) {
    if (!g_atomic_ref_count_dec(&ends->references)) return;
    g_hash_table_unref(ends->ends);
    g_mutex_clear(&ends->mutex);
    g_free(ends->owner);
    g_free(ends);
}

static BatonStreamEnds *ends_new(GDBusConnection *connection) {
    BatonStreamEnds *ends = g_new0(BatonStreamEnds, 1);
    g_atomic_ref_count_init(&ends->references);
    g_mutex_init(&ends->mutex);
    ends->ends = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)baton_stream_end_unref);
    g_dbus_connection_add_filter(connection, filter, baton_stream_ends_ref(ends), (GDestroyNotify)baton_stream_ends_unref);
    g_signal_connect_data(connection, "closed", G_CALLBACK(bus_closed), baton_stream_ends_ref(ends),
                          (GClosureNotify)(void (*)(void))baton_stream_ends_unref, 0);
    return ends;
}

/* The connection keeps the ends as long as it lives. So the connection has one filter, however many
 * pairs there are. */
BatonStreamEnds *baton_stream_ends_of(GDBusConnection *connection) {
    static GMutex making;
    static const char key[] = "baton-stream-ends";
    g_mutex_lock(&making);
    BatonStreamEnds *ends = g_object_get_data(G_OBJECT(connection), key);
    if (ends == NULL) {
        ends = ends_new(connection);
        g_object_set_data_full(G_OBJECT(connection), key, ends, (GDestroyNotify)baton_stream_ends_unref);
    }
    baton_stream_ends_ref(ends);
    g_mutex_unlock(&making);
    return ends;
}

void baton_stream_ends_watch(BatonStreamEnds *ends) {
    g_mutex_lock(&ends->mutex);
    if (ends->watches++ == 0) ends->is_begun = FALSE;
    g_mutex_unlock(&ends->mutex);
}

void baton_stream_ends_unwatch(BatonStreamEnds *ends) {
    g_mutex_lock(&ends->mutex);
    ends->watches--;
    g_mutex_unlock(&ends->mutex);
}

void baton_stream_ends_begin(BatonStreamEnds *ends, const char *owner) {
    g_mutex_lock(&ends->mutex);
    /* The bus may have sent a newer owner since the watch began. */
    if (!ends->is_begun) owner_changed(ends, owner != NULL ? owner : "");
    g_mutex_unlock(&ends->mutex);
}

guint64 baton_stream_ends_expect(BatonStreamEnds *ends) {
    g_mutex_lock(&ends->mutex);
    ends->expected++;
    guint64 daemon = ends->daemon;
    g_mutex_unlock(&ends->mutex);
    return daemon;
}

static gboolean is_early(gpointer stream, gpointer end, gpointer data) {
    return g_atomic_int_get(&((BatonStreamEnd *)end)->is_known);
}

BatonStreamEnd *baton_stream_ends_claim(BatonStreamEnds *ends, guint64 daemon, const char *stream) {
    BatonStreamEnd *end = NULL;
    g_mutex_lock(&ends->mutex);
    ends->expected--;
    if (stream != NULL) {
        end = g_hash_table_lookup(ends->ends, stream);
        if (end == NULL) {
            end = end_new();
            g_hash_table_insert(ends->ends, g_strdup(stream), end);
        }
        end_ref(end);
        if (daemon != ends->daemon) end_with(end, "batond has ended");
    }
    if (ends->expected == 0) g_hash_table_foreach_remove(ends->ends, is_early, NULL);
    g_mutex_unlock(&ends->mutex);
    return end;
}

void baton_stream_ends_forget(BatonStreamEnds *ends, const char *stream) {
    g_mutex_lock(&ends->mutex);
    g_hash_table_remove(ends->ends, stream);
    g_mutex_unlock(&ends->mutex);
}
