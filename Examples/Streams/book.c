/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a book from one laptop to another, complete or not at all: `book give FILE` on one, `book take FILE` on the other.
 * Uses plain D-Bus with Gio, as Documentation/DBus describes it:
 *
 *     cc -o book book.c $(pkg-config --cflags --libs gio-unix-2.0)
 */
#include <errno.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME "org.batonproject.Baton"
#define PATH "/org/batonproject/Baton"
#define ACTIVITIES "org.batonproject.Baton1.Activities"
#define OFFERS "org.batonproject.Baton1.Offers"
#define TYPE "org.example.book"
#define PATIENCE 130000 /* how long the daemon may take to reach another laptop, in ms */
#define MAXIMUM_BYTES (64u << 20) /* the limit for a received book */

static GDBusConnection *bus;
static char *opened;       /* streams that are not yet used */
static gboolean gone;      /* whether the daemon has ended and sends no more signals */
static GHashTable *ended;  /* how streams ended: "" if they were complete, otherwise the reason */

static void heard(GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *signal,
                  GVariant *arguments, gpointer data) {
    if (strcmp(signal, "StreamsOpened") == 0 && opened == NULL) {
        g_variant_get_child(arguments, 1, "s", &opened);
    } else if (strcmp(signal, "StreamEnded") == 0) {
        char *stream, *error;
        gboolean complete;
        g_variant_get(arguments, "(sbs)", &stream, &complete, &error);
        g_hash_table_insert(ended, stream, complete ? g_strdup("") : error);
        if (complete) g_free(error);
    }
}

static void appeared(GDBusConnection *connection, const char *name, const char *owner, gpointer data) {
    gone = FALSE;
}

static void vanished(GDBusConnection *connection, const char *name, gpointer data) {
    gone = TRUE;
}

/* Calls the daemon. Unless `descriptor` is NULL, it receives the descriptor that is the answer's last value. */
static GVariant *call(const char *interface, const char *method, GVariant *arguments, int *descriptor, GError **error) {
    g_autoptr(GUnixFDList) descriptors = NULL;
    GVariant *reply = g_dbus_connection_call_with_unix_fd_list_sync(bus, NAME, PATH, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE,
                                                                    PATIENCE, NULL, &descriptors, NULL, error);
    if (reply != NULL && descriptor != NULL) {
        gint32 index;
        g_variant_get_child(reply, g_variant_n_children(reply) - 1, "h", &index);
        *descriptor = g_unix_fd_list_get(descriptors, index, error);
        if (*descriptor < 0) g_clear_pointer(&reply, g_variant_unref);
    }
    return reply;
}

static gboolean failed(GError **error, const char *why) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, why);
    return FALSE;
}

/* Sends one book and reads the other. Returns FALSE unless that is complete. Closes the descriptor. */
static gboolean exchange(const char *stream, int descriptor, const char *book, gsize length, GByteArray *received, GError **error) {
    gboolean good = TRUE;
    for (gsize sent = 0; good && sent < length;) {
        ssize_t count = send(descriptor, book + sent, length - sent, MSG_NOSIGNAL);
        if (count > 0) sent += (gsize)count;
        else if (errno != EINTR) good = failed(error, g_strerror(errno));
    }
    shutdown(descriptor, SHUT_WR);
    guint8 buffer[65536];
    while (good) {
        ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
        if (count == 0) break;
        if (count > 0) g_byte_array_append(received, buffer, (guint)count);
        else if (errno != EINTR) good = failed(error, g_strerror(errno));
        if (received->len > MAXIMUM_BYTES) good = failed(error, "the book is too long");
    }
    close(descriptor);
    if (!good) return FALSE;
    /* End of file does not mean that the book is complete. StreamEnded says that. */
    while (!g_hash_table_contains(ended, stream) && !gone) g_main_context_iteration(NULL, TRUE);
    const char *why = g_hash_table_lookup(ended, stream);
    if (why == NULL) why = "batond has ended";
    return *why == '\0' ? TRUE : failed(error, why);
}

/* Offers the book until another laptop has it. */
static gboolean give(const char *file, GError **error) {
    g_autofree char *book = NULL, *title = g_path_get_basename(file);
    gsize length;
    if (!g_file_get_contents(file, &book, &length, error)) return FALSE;
    GVariantBuilder properties;
    g_variant_builder_init(&properties, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&properties, "{sv}", "title", g_variant_new_string(title));
    g_variant_builder_add(&properties, "{sv}", "supportsContinuationStreams", g_variant_new_boolean(TRUE));
    g_autoptr(GVariant) published = call(ACTIVITIES, "Publish", g_variant_new("(sa{sv})", TYPE, &properties), NULL, error);
    if (published == NULL) return FALSE;
    const char *activity;
    g_variant_get(published, "(&s)", &activity);
    g_autoptr(GVariant) current = call(ACTIVITIES, "BecomeCurrent", g_variant_new("(s)", activity), NULL, error);
    if (current == NULL) return FALSE;
    while (opened == NULL) g_main_context_iteration(NULL, TRUE);
    int descriptor;
    g_autoptr(GVariant) taken = call(ACTIVITIES, "TakeStreams", g_variant_new("(s)", opened), &descriptor, error);
    g_autoptr(GByteArray) nothing = g_byte_array_new();
    return taken != NULL && exchange(opened, descriptor, book, length, nothing, error);
}

/* Returns the id of the first offered book, or "" while there is none. */
static char *offered(GError **error) {
    g_autoptr(GVariant) reply = call(OFFERS, "List", NULL, NULL, error);
    if (reply == NULL) return NULL;
    g_autoptr(GVariantIter) offers = NULL;
    g_variant_get(reply, "(aa{sv})", &offers);
    GVariant *offer;
    char *found = NULL;
    while (found == NULL && (offer = g_variant_iter_next_value(offers)) != NULL) {
        const char *type;
        if (g_variant_lookup(offer, "type", "&s", &type) && strcmp(type, TYPE) == 0) g_variant_lookup(offer, "offer", "s", &found);
        g_variant_unref(offer);
    }
    return found != NULL ? found : g_strdup("");
}

/* Takes the first offered book. The file appears when the book is complete. */
static gboolean take(const char *file, GError **error) {
    g_dbus_connection_signal_subscribe(bus, NAME, OFFERS, NULL, PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE, heard, NULL, NULL);
    g_autofree char *offer = offered(error);
    while (offer != NULL && *offer == '\0') {
        /* Look again after each signal of Offers. */
        g_main_context_iteration(NULL, TRUE);
        g_free(offer);
        offer = offered(error);
    }
    if (offer == NULL) return FALSE;
    g_autoptr(GVariant) fetched = call(OFFERS, "Continue", g_variant_new("(sa{sv})", offer, NULL), NULL, error);
    if (fetched == NULL) return FALSE;
    const char *continuation, *stream;
    g_variant_get_child(fetched, 0, "&s", &continuation);
    g_autoptr(GVariant) accepted = call(OFFERS, "Accept", g_variant_new("(sb)", continuation, TRUE), NULL, error);
    if (accepted == NULL) return FALSE;
    int descriptor;
    g_autoptr(GVariant) streams = call(OFFERS, "OpenStreams", g_variant_new("(s)", continuation), &descriptor, error);
    if (streams == NULL) return FALSE;
    g_variant_get_child(streams, 0, "&s", &stream);
    g_autoptr(GByteArray) book = g_byte_array_new();
    /* g_file_set_contents writes a temporary file and renames it. */
    return exchange(stream, descriptor, "", 0, book, error) && g_file_set_contents(file, (const char *)book->data, (gssize)book->len, error);
}

int main(int count, char **arguments) {
    gboolean gives = count == 3 && strcmp(arguments[1], "give") == 0;
    if (!gives && !(count == 3 && strcmp(arguments[1], "take") == 0)) {
        g_printerr("usage: book give FILE | take FILE\n");
        return 2;
    }
    g_autoptr(GError) error = NULL;
    ended = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    if (bus != NULL) {
        /* Subscribe before the first call, so that no signal is missed. */
        g_bus_watch_name_on_connection(bus, NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, appeared, vanished, NULL, NULL);
        g_dbus_connection_signal_subscribe(bus, NAME, ACTIVITIES, NULL, PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE, heard, NULL, NULL);
        if (gives ? give(arguments[2], &error) : take(arguments[2], &error)) return 0;
    }
    g_dbus_error_strip_remote_error(error);
    g_printerr("book: %s\n", error->message);
    return 1;
}
