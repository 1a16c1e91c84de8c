/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-pair-private.h"

#include <unistd.h>

#include "baton-error.h"

/* How often a waiting thread checks whether the bus is still connected, in ms. A blocked main
 * loop cannot report that the connection has ended. */
#define LOOK_AFTER 1000

typedef enum {
    INPUT_OPEN,
    INPUT_UNDECIDED, /* no more bytes come; the daemon has yet to say whether they are complete */
    INPUT_ENDED,     /* the other side has ended its stream */
} Input;

struct BatonPair {
    gatomicrefcount references;
    BatonClient *client;
    char *name;
    BatonStreamEnd *end;
    GMutex mutex;
    GSocket *socket; /* NULL once both streams are closed and no bytes are left to read */
    Input input;
    gboolean output_is_ended, is_given_up;
    gboolean input_is_closed, output_is_closed, is_finishing;
    gboolean was_returned, is_with_daemon; /* the daemon was asked to take this side's end; the daemon has taken it */
};

BatonPair *baton_pair_new(BatonClient *client, const char *stream, int descriptor, BatonStreamEnd *end, GError **error) {
    GSocket *socket = g_socket_new_from_fd(descriptor, error);
    if (socket == NULL) {
        close(descriptor);
        return NULL;
    }
    g_socket_set_blocking(socket, FALSE);
    BatonPair *pair = g_new0(BatonPair, 1);
    g_atomic_ref_count_init(&pair->references);
    g_mutex_init(&pair->mutex);
    pair->client = g_object_ref(client);
    pair->name = g_strdup(stream);
    pair->socket = socket;
    pair->end = end;
    return pair;
}

BatonPair *baton_pair_ref(BatonPair *pair) {
    g_atomic_ref_count_inc(&pair->references);
    return pair;
}

const char *baton_pair_get_name(BatonPair *pair) {
    return pair->name;
}

BatonClient *baton_pair_get_client(BatonPair *pair) {
    return pair->client;
}

/* --- Reading and writing ------------------------------------------------------------------------ */

static gboolean is_cut(BatonPair *pair, GError **error) {
    const char *why;
    if (!baton_stream_end_is_known(pair->end, &why) || why == NULL) return FALSE;
    g_set_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT, "the streams were cut short: %s", why);
    return TRUE;
}

/* Decides what an end of file means. The daemon shuts down one direction if the stream ended well,
 * and closes both if it did not. The socket shows the difference only while this side still
 * writes. */
static Input after_end_of_file(BatonPair *pair) {
    gboolean is_hung_up = (g_socket_condition_check(pair->socket, G_IO_IN) & (G_IO_HUP | G_IO_ERR)) != 0;
    return pair->output_is_ended || is_hung_up ? INPUT_UNDECIDED : INPUT_ENDED;
}

static gssize read_undecided(BatonPair *pair, GError **error) {
    const char *why;
    if (is_cut(pair, error)) return -1;
    if (baton_stream_end_is_known(pair->end, &why)) {
        pair->input = INPUT_ENDED;
        return 0;
    }
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "the streams have not ended yet");
    return -1;
}

static gssize read_locked(BatonPair *pair, void *buffer, gsize count, GError **error) {
    if (pair->socket == NULL && pair->input == INPUT_OPEN) pair->input = INPUT_UNDECIDED;
    if (pair->input == INPUT_OPEN) {
        GError *failure = NULL;
        gssize found = g_socket_receive(pair->socket, buffer, count, NULL, &failure);
        if (found > 0) return found;
        if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
            g_propagate_error(error, failure);
            return -1;
        }
        g_clear_error(&failure);
        pair->input = found == 0 ? after_end_of_file(pair) : INPUT_UNDECIDED;
    }
    return pair->input == INPUT_ENDED ? 0 : read_undecided(pair, error);
}

gssize baton_pair_read(BatonPair *pair, void *buffer, gsize count, GError **error) {
    if (count == 0) return 0;
    g_mutex_lock(&pair->mutex);
    gssize found = read_locked(pair, buffer, count, error);
    g_mutex_unlock(&pair->mutex);
    return found;
}

gssize baton_pair_write(BatonPair *pair, const void *buffer, gsize count, GError **error) {
    if (is_cut(pair, error)) return -1;
    GError *failure = NULL;
    gssize sent = g_socket_send(pair->socket, buffer, count, NULL, &failure);
    if (sent >= 0) return sent;
    if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
        g_propagate_error(error, failure);
        return -1;
    }
    /* The daemon reports the reason a moment later. The system's own message does not help a
     * user. */
    if (!is_cut(pair, error)) g_set_error_literal(error, BATON_ERROR, BATON_ERROR_STREAM_CUT, "the streams were cut short before all was sent");
    g_error_free(failure);
    return -1;
}

/* --- Waiting ------------------------------------------------------------------------------------ */

int baton_pair_get_descriptor(BatonPair *pair, GIOCondition condition) {
    g_mutex_lock(&pair->mutex);
    gboolean is_undecided = condition == G_IO_IN && pair->input != INPUT_OPEN;
    g_mutex_unlock(&pair->mutex);
    return is_undecided ? baton_stream_end_get_descriptor(pair->end) : g_socket_get_fd(pair->socket);
}

/* If there is no descriptor, the result is known already. */
static gboolean wait_for(BatonPair *pair, GPollFD *polled, GCancellable *cancellable, GError **error) {
    if (polled->fd < 0) return TRUE;
    GPollFD fds[2] = {*polled};
    guint count = g_cancellable_make_pollfd(cancellable, &fds[1]) ? 2 : 1;
    gboolean is_there = TRUE;
    while (is_there && g_poll(fds, count, LOOK_AFTER) == 0) is_there = !g_dbus_connection_is_closed(baton_client_get_connection(pair->client));
    if (count == 2) g_cancellable_release_fd(cancellable);
    if (!is_there) g_set_error_literal(error, BATON_ERROR, BATON_ERROR_STREAM_CUT, "the streams were cut short: the session bus has ended");
    return is_there && !g_cancellable_set_error_if_cancelled(cancellable, error);
}

gboolean baton_pair_wait(BatonPair *pair, GIOCondition condition, GCancellable *cancellable, GError **error) {
    GPollFD polled = {.fd = baton_pair_get_descriptor(pair, condition), .events = condition};
    return wait_for(pair, &polled, cancellable, error);
}

/* --- Ending ------------------------------------------------------------------------------------- */

/* The caller holds the mutex. */
static void end_output(BatonPair *pair) {
    if (!pair->output_is_ended && !pair->is_given_up) g_socket_shutdown(pair->socket, FALSE, TRUE, NULL);
    pair->output_is_ended = TRUE;
}

/* Returns the socket when it is time to hand it to the daemon, once; otherwise NULL. The caller
 * owns the reference. */
static GSocket *socket_to_return(BatonPair *pair) {
    const char *why;
    g_mutex_lock(&pair->mutex);
    gboolean is_due = pair->output_is_ended && pair->socket != NULL && !pair->was_returned && !pair->is_given_up;
    is_due = is_due && !baton_stream_end_is_known(pair->end, &why);
    if (is_due) pair->was_returned = TRUE;
    GSocket *socket = is_due ? g_object_ref(pair->socket) : NULL;
    g_mutex_unlock(&pair->mutex);
    return socket;
}

/* Hands this side's end to the daemon, if this side has ended its output. Then the data arrives
 * even if the program ends now (decision 0015). The caller does not hold the mutex. */
static void return_to_daemon(BatonPair *pair) {
    g_autoptr(GSocket) socket = socket_to_return(pair);
    if (socket == NULL) return;
    gboolean is_taken = baton_client_close_streams(pair->client, pair->name, g_socket_get_fd(socket));
    g_mutex_lock(&pair->mutex);
    pair->is_with_daemon = is_taken;
    g_mutex_unlock(&pair->mutex);
}

/* Closes the descriptors when both streams are closed, because a closed stream has no call under
 * way. If bytes are left unread and the daemon does not have the socket, the socket stays open, so
 * that the other side learns that these bytes were not read. The caller holds the mutex. */
static void close_descriptors(BatonPair *pair) {
    const char *why;
    if (!pair->input_is_closed || !pair->output_is_closed || pair->is_finishing) return;
    gboolean is_needed = pair->input == INPUT_OPEN && !pair->is_with_daemon && !pair->is_given_up;
    if (is_needed && !baton_stream_end_is_known(pair->end, &why)) return;
    g_clear_object(&pair->socket);
    baton_stream_end_close_descriptor(pair->end);
}

/* Sets `is_closed` after one stream was closed. Hands the pair to the daemon if both are closed. */
static void stream_was_closed(BatonPair *pair, gboolean *is_closed) {
    g_mutex_lock(&pair->mutex);
    *is_closed = TRUE;
    if (pair->output_is_closed) end_output(pair);
    gboolean are_both = pair->input_is_closed && pair->output_is_closed;
    g_mutex_unlock(&pair->mutex);
    if (!are_both) return;
    return_to_daemon(pair);
    g_mutex_lock(&pair->mutex);
    close_descriptors(pair);
    g_mutex_unlock(&pair->mutex);
}

void baton_pair_close_output(BatonPair *pair) {
    stream_was_closed(pair, &pair->output_is_closed);
}

void baton_pair_close_input(BatonPair *pair) {
    stream_was_closed(pair, &pair->input_is_closed);
}

/* Waits for the end of the input. Bytes that still come are an error, because the program does not
 * read them. */
static gboolean reads_to_the_end(BatonPair *pair, GCancellable *cancellable, GError **error) {
    for (;;) {
        guint8 byte;
        GError *failure = NULL;
        gssize found = baton_pair_read(pair, &byte, 1, &failure);
        if (found == 0) return TRUE;
        if (found > 0) {
            g_set_error_literal(error, BATON_ERROR, BATON_ERROR_STREAM_CUT, "the streams were closed before all was read");
            return FALSE;
        }
        if (!g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
            g_propagate_error(error, failure);
            return FALSE;
        }
        g_clear_error(&failure);
        if (!baton_pair_wait(pair, G_IO_IN, cancellable, error)) return FALSE;
    }
}

static void set_finishing(BatonPair *pair, gboolean is_finishing) {
    g_mutex_lock(&pair->mutex);
    pair->is_finishing = is_finishing;
    close_descriptors(pair);
    g_mutex_unlock(&pair->mutex);
}

gboolean baton_pair_finish(BatonPair *pair, GCancellable *cancellable, GError **error) {
    set_finishing(pair, TRUE);
    return_to_daemon(pair);
    const char *why;
    gboolean is_whole = reads_to_the_end(pair, cancellable, error);
    while (is_whole && !baton_stream_end_is_known(pair->end, &why)) {
        GPollFD polled = {.fd = baton_stream_end_get_descriptor(pair->end), .events = G_IO_IN};
        is_whole = wait_for(pair, &polled, cancellable, error);
    }
    is_whole = is_whole && !is_cut(pair, error);
    if (!is_whole) baton_pair_give_up(pair);
    set_finishing(pair, FALSE);
    return is_whole;
}

/* Releases the socket only after the daemon has answered. An earlier close could look like a
 * regular end. */
static void heard(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(GSocket) socket = data;
    g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
}

static void cancel(GDBusConnection *connection, const char *stream, GSocket *socket) {
    g_dbus_connection_call(connection, BATON_NAME, BATON_PATH, BATON_OFFERS_INTERFACE, "Cancel", g_variant_new("(s)", stream), NULL,
                           G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, heard, socket != NULL ? g_object_ref(socket) : NULL);
}

void baton_pair_give_up(BatonPair *pair) {
    const char *why;
    g_mutex_lock(&pair->mutex);
    gboolean is_wanted = !pair->is_given_up && !baton_stream_end_is_known(pair->end, &why);
    pair->is_given_up = TRUE;
    if (is_wanted) cancel(baton_client_get_connection(pair->client), pair->name, pair->socket);
    g_mutex_unlock(&pair->mutex);
}

/* --- A pair without references whose socket is still needed ------------------------------------- */

typedef struct {
    GDBusConnection *connection;
    char *name;
} Left;

static void left_free(gpointer data) {
    Left *left = data;
    g_object_unref(left->connection);
    g_free(left->name);
    g_free(left);
}

static gboolean left_is_readable(GSocket *socket, GIOCondition condition, gpointer data) {
    Left *left = data;
    char byte;
    if (g_socket_receive(socket, &byte, 1, NULL, NULL) > 0) cancel(left->connection, left->name, socket);
    return G_SOURCE_REMOVE;
}

/* Keeps the socket until the other side has ended, too. Called for a pair whose data is still on
 * its way and whose socket the daemon has not taken. */
static void leave(BatonPair *pair) {
    Left *left = g_new(Left, 1);
    left->connection = g_object_ref(baton_client_get_connection(pair->client));
    left->name = g_strdup(pair->name);
    GSource *source = g_socket_create_source(pair->socket, G_IO_IN, NULL);
    g_source_set_callback(source, G_SOURCE_FUNC(left_is_readable), left, left_free);
    g_source_attach(source, baton_client_get_context(pair->client));
    g_source_unref(source);
}

void baton_pair_unref(BatonPair *pair) {
    if (!g_atomic_ref_count_dec(&pair->references)) return;
    const char *why;
    return_to_daemon(pair);
    gboolean is_whole = pair->output_is_ended && !pair->is_given_up;
    gboolean is_left = is_whole && pair->input == INPUT_OPEN && !pair->is_with_daemon && !baton_stream_end_is_known(pair->end, &why);
    if (!pair->output_is_ended) baton_pair_give_up(pair);
    else if (is_left) leave(pair);
    baton_stream_ends_forget(baton_client_get_stream_ends(pair->client), pair->name);
    baton_stream_end_unref(pair->end);
    g_clear_object(&pair->socket);
    g_object_unref(pair->client);
    g_mutex_clear(&pair->mutex);
    g_free(pair->name);
    g_free(pair);
}
