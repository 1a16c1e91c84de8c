/* SPDX-License-Identifier: Apache-2.0 */
/* A note that goes on on your other laptop, in C with GLib: no library of Baton's, only the session bus.
 *
 *     cc -Wall -o notes notes.c $(pkg-config --cflags --libs gio-2.0)
 *
 * Reads commands from standard input: type TEXT, move N, show, continue, quit. */

#include <errno.h>
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "org.batonproject.Baton"
#define PATH "/org/batonproject/Baton"
#define ACTIVITIES "org.batonproject.Baton1.Activities"
#define OFFERS "org.batonproject.Baton1.Offers"
#define TYPE "org.example.notes.edit"
#define MAXIMUM_BYTES 32768 /* half of what an activity may carry */
#define DIVIDER "\n\n--- What was here before: ---\n"
#define PATIENCE 90000      /* ms that the daemon may take to reach another laptop */

static struct {
    GMainLoop *loop;
    GDBusConnection *bus;
    GString *text;
    glong cursor;       /* in Unicode characters: every language can count those alike */
    char *asked;        /* the text that was last asked for */
    char *gone;         /* the one that has gone on elsewhere since, which is not to be kept here */
    char *activity;     /* its name at the daemon; NULL while there is none */
    gboolean is_wanted;  /* somebody has typed since it went on elsewhere */
    gboolean is_current;
    gboolean is_below;  /* what was here stands below what came last */
    GHashTable *offers; /* of notes: id -> name of the device */
    gboolean wants_offer; /* `continue` waits for one */
} app;

static void say(const char *format, ...) G_GNUC_PRINTF(1, 2);
static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

static void complain(GError *error)
{
    g_dbus_error_strip_remote_error(error);
    say("error: %s", error->message);
    g_error_free(error);
}

static void show(void)
{
    char **lines = g_strsplit(app.text->str, "\n", -1);
    char *one = g_strjoinv("\\n", lines);
    say("note %ld: %s", app.cursor, one);
    g_free(one);
    g_strfreev(lines);
}

/* --- Publishing ---------------------------------------------------------------------------------------------------- */

static void call(const char *interface, const char *method, GVariant *arguments, int timeout, GAsyncReadyCallback then)
{
    g_dbus_connection_call(app.bus, NAME, PATH, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, timeout, NULL, then, NULL);
}

static void done(GObject *source, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
    if (reply)
        g_variant_unref(reply);
    else
        complain(error);
}

static void shown(GObject *source, GAsyncResult *result, gpointer data)
{
    done(source, result, data);
    show();
}

/* The note as an activity's properties. */
static GVariant *properties(void)
{
    GVariantBuilder all, info;
    char *title = g_utf8_substring(app.text->str, 0, MIN(60, g_utf8_strlen(app.text->str, -1)));
    title[strcspn(title, "\n")] = '\0';
    g_free(app.asked);
    app.asked = g_strdup(app.text->str);
    g_variant_builder_init(&info, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&info, "{sv}", "text", g_variant_new_string(app.text->str));
    g_variant_builder_add(&info, "{sv}", "cursor", g_variant_new_int64(app.cursor));
    g_variant_builder_init(&all, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&all, "{sv}", "title", g_variant_new_string(*title ? title : "A note"));
    g_variant_builder_add(&all, "{sv}", "userInfo", g_variant_builder_end(&info));
    g_variant_builder_add(&all, "{sv}", "needsSave", g_variant_new_boolean(FALSE));
    g_free(title);
    return g_variant_builder_end(&all);
}

/* Offers the note: the daemon asks for what is in it when somebody wants it (WillSave), not at each key. */
static void offer_note(void)
{
    GVariantBuilder change;
    g_variant_builder_init(&change, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&change, "{sv}", "needsSave", g_variant_new_boolean(TRUE));
    call(ACTIVITIES, "Update", g_variant_new("(s@a{sv})", app.activity, g_variant_builder_end(&change)), -1, done);
    if (!app.is_current)
        call(ACTIVITIES, "BecomeCurrent", g_variant_new("(s)", app.activity), -1, done);
    app.is_current = TRUE;
}

static void published(GObject *source, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
    if (!reply) {
        complain(error);
        return;
    }
    g_variant_get(reply, "(s)", &app.activity);
    g_variant_unref(reply);
    if (app.is_wanted)
        offer_note();
}

/* Publishes what is there: at first, and when a daemon has come. */
static void publish(void)
{
    call(ACTIVITIES, "Publish", g_variant_new("(s@a{sv})", TYPE, properties()), -1, published);
}

/* The note has changed. While there is no daemon, or it has not answered yet, `published` goes on. */
static void changed(void)
{
    show();
    app.is_wanted = TRUE;
    if (app.activity)
        offer_note();
}

static void activity_signal(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal,
                            GVariant *arguments, gpointer data)
{
    const char *activity = NULL;
    /* The activity comes first in each of them; what follows is not needed here. */
    if (g_str_has_prefix(g_variant_get_type_string(arguments), "(s"))
        g_variant_get_child(arguments, 0, "&s", &activity);
    if (!activity || g_strcmp0(activity, app.activity) != 0)
        return;
    if (strcmp(signal, "WillSave") == 0) {
        call(ACTIVITIES, "Update", g_variant_new("(s@a{sv})", app.activity, properties()), -1, done);
    } else if (strcmp(signal, "WasContinued") == 0) {
        /* It goes on elsewhere: what is left here is offered again when somebody types. */
        call(ACTIVITIES, "ResignCurrent", g_variant_new("(s)", app.activity), -1, done);
        app.is_current = app.is_wanted = FALSE;
        g_free(app.gone);
        app.gone = g_strdup(app.asked);
        say("it goes on on another laptop");
    }
}

/* --- Continuing ---------------------------------------------------------------------------------------------------- */

/* Whether there is text here that is neither what comes nor what has gone on elsewhere: it is the user's, too. */
static gboolean is_kept(const char *coming)
{
    return app.text->len > 0 && strcmp(app.text->str, coming) != 0 && g_strcmp0(app.text->str, app.gone) != 0;
}

/* Takes a note in, with the one that is here below it if need be; says what keeps it out, or NULL. */
static const char *take(GVariant *activity)
{
    const char *text = NULL;
    gint64 cursor = 0;
    GVariant *info = g_variant_lookup_value(activity, "userInfo", G_VARIANT_TYPE_VARDICT);
    const char *hindrance = NULL;
    /* What comes from another laptop can be anything. */
    if (!info || !g_variant_lookup(info, "text", "&s", &text) || !g_variant_lookup(info, "cursor", "x", &cursor) || strlen(text) > MAXIMUM_BYTES) {
        hindrance = "that is no note";
    } else if (is_kept(text) && strlen(text) + strlen(DIVIDER) + app.text->len > MAXIMUM_BYTES) {
        hindrance = "both notes are too long for one: continue this one elsewhere first";
    } else {
        app.is_below = is_kept(text);
        if (app.is_below)
            g_string_prepend(app.text, DIVIDER);
        else
            g_string_truncate(app.text, 0);
        g_string_prepend(app.text, text);
        g_clear_pointer(&app.gone, g_free);
        app.cursor = CLAMP(cursor, 0, g_utf8_strlen(text, -1));
    }
    if (info)
        g_variant_unref(info);
    return hindrance;
}

static void continued(GObject *source, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error), *activity;
    const char *continuation, *device = "";
    if (!reply) {
        complain(error);
        return;
    }
    g_variant_get(reply, "(&s@a{sv})", &continuation, &activity);
    const char *hindrance = take(activity);
    g_variant_lookup(activity, "deviceName", "&s", &device);
    if (hindrance) {
        say("error: %s", hindrance);
    } else {
        say("continued from %s", device);
        if (app.is_below)
            say("what was here before stands below it");
        changed();
    }
    /* After the change: who is told that it goes on here may want it back at once. */
    call(OFFERS, "Accept", g_variant_new("(sb)", continuation, !hindrance), -1, done);
    g_variant_unref(activity);
    g_variant_unref(reply);
}

static void continue_an_offer(void)
{
    GHashTableIter offers;
    gpointer offer;
    g_hash_table_iter_init(&offers, app.offers);
    app.wants_offer = !g_hash_table_iter_next(&offers, &offer, NULL);
    if (!app.wants_offer)
        call(OFFERS, "Continue", g_variant_new("(s@a{sv})", offer, g_variant_new("a{sv}", NULL)), PATIENCE, continued);
}

static void see(GVariant *offer)
{
    const char *id, *type, *device = "";
    if (!g_variant_lookup(offer, "offer", "&s", &id) || !g_variant_lookup(offer, "type", "&s", &type) || strcmp(type, TYPE) != 0 ||
        g_hash_table_contains(app.offers, id))
        return;
    g_variant_lookup(offer, "deviceName", "&s", &device);
    g_hash_table_insert(app.offers, g_strdup(id), g_strdup(device));
    say("offer: %s", device);
    if (app.wants_offer)
        continue_an_offer();
}

static void offer_signal(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *signal,
                         GVariant *arguments, gpointer data)
{
    if (g_variant_is_of_type(arguments, G_VARIANT_TYPE("(a{sv})"))) {
        GVariant *offer = g_variant_get_child_value(arguments, 0);
        see(offer);
        g_variant_unref(offer);
    } else if (strcmp(signal, "Disappeared") == 0 && g_variant_is_of_type(arguments, G_VARIANT_TYPE("(s)"))) {
        const char *id, *device;
        g_variant_get(arguments, "(&s)", &id);
        if ((device = g_hash_table_lookup(app.offers, id)))
            say("gone: %s", device);
        g_hash_table_remove(app.offers, id);
    }
}

static void listed(GObject *source, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
    if (!reply) {
        complain(error);
        return;
    }
    GVariant *offers = g_variant_get_child_value(reply, 0);
    for (gsize i = 0; i < g_variant_n_children(offers); i++) {
        GVariant *offer = g_variant_get_child_value(offers, i);
        see(offer);
        g_variant_unref(offer);
    }
    g_variant_unref(offers);
    g_variant_unref(reply);
}

/* --- The daemon and the user --------------------------------------------------------------------------------------- */

/* A daemon that was started anew knows nothing: all that was published is published again. */
static void daemon_came(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
    publish();
    call(OFFERS, "List", NULL, -1, listed);
}

static void daemon_went(GDBusConnection *bus, const char *name, gpointer data)
{
    g_clear_pointer(&app.activity, g_free);
    app.is_current = FALSE;
    g_hash_table_remove_all(app.offers);
}

static void perform(char *line)
{
    char *argument = strchr(line, ' ');
    if (argument)
        *argument++ = '\0';
    if (strcmp(line, "type") == 0 && argument) {
        if (app.text->len + strlen(argument) > MAXIMUM_BYTES || !g_utf8_validate(argument, -1, NULL)) {
            say("error: the note is full, or that is no UTF-8");
            return;
        }
        g_string_insert(app.text, g_utf8_offset_to_pointer(app.text->str, app.cursor) - app.text->str, argument);
        app.cursor += g_utf8_strlen(argument, -1);
        changed();
    } else if (strcmp(line, "move") == 0 && argument) {
        char *end;
        errno = 0;
        gint64 position = g_ascii_strtoll(argument, &end, 10);
        if (end == argument || *end || errno) {
            say("error: move where? A number");
            return;
        }
        app.cursor = CLAMP(position, 0, g_utf8_strlen(app.text->str, -1));
        changed();
    } else if (strcmp(line, "show") == 0) {
        /* What is shown can be continued: an answer means that the daemon has all that was said before. */
        if (app.activity)
            call(ACTIVITIES, "Update", g_variant_new("(s@a{sv})", app.activity, g_variant_new("a{sv}", NULL)), -1, shown);
        else
            show();
    } else if (strcmp(line, "continue") == 0) {
        continue_an_offer();
    } else if (strcmp(line, "quit") == 0) {
        g_main_loop_quit(app.loop);
    } else if (*line) {
        say("error: there is no command \"%s\"", line);
    }
}

static gboolean input(GIOChannel *channel, GIOCondition condition, gpointer data)
{
    char *line = NULL;
    gsize end = 0;
    if (g_io_channel_read_line(channel, &line, NULL, &end, NULL) != G_IO_STATUS_NORMAL) {
        g_main_loop_quit(app.loop);
        return G_SOURCE_REMOVE;
    }
    line[end] = '\0';
    perform(line);
    g_free(line);
    return G_SOURCE_CONTINUE;
}

int main(void)
{
    GError *error = NULL;
    app.bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    if (!app.bus) {
        complain(error);
        return EXIT_FAILURE;
    }
    app.text = g_string_new("");
    app.offers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    app.loop = g_main_loop_new(NULL, FALSE);
    /* The signals first: what comes between them and the list is not missed. */
    g_dbus_connection_signal_subscribe(app.bus, NAME, ACTIVITIES, NULL, PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE, activity_signal, NULL, NULL);
    g_dbus_connection_signal_subscribe(app.bus, NAME, OFFERS, NULL, PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE, offer_signal, NULL, NULL);
    g_bus_watch_name_on_connection(app.bus, NAME, G_BUS_NAME_WATCHER_FLAGS_AUTO_START, daemon_came, daemon_went, NULL, NULL);
    GIOChannel *channel = g_io_channel_unix_new(0);
    g_io_channel_set_encoding(channel, NULL, NULL); /* lines are bytes here: what is no UTF-8 is refused when it is typed */
    g_io_add_watch(channel, G_IO_IN | G_IO_HUP | G_IO_ERR, input, NULL);
    g_main_loop_run(app.loop);
    return EXIT_SUCCESS;
}
