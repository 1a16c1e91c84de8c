/* SPDX-License-Identifier: Apache-2.0 */
/* A note that you can continue on your other laptop, in C with libbaton:
 *
 *     cc -Wall -o notes notes.c $(pkg-config --cflags --libs baton-1)
 *
 * Reads commands from standard input: type TEXT, move N, show, continue, quit. */

#include <baton.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE "org.example.notes.edit"
#define MAXIMUM_BYTES 32768 /* half of what an activity may carry */
#define DIVIDER "\n\n--- What was here before: ---\n"

static struct {
    GMainLoop *loop;
    GString *text;
    glong cursor;       /* in Unicode characters, because every language can count those */
    char *asked;        /* the text that was last asked for */
    char *gone;         /* the text that was continued elsewhere since, which must not be kept here */
    gboolean is_below;  /* the previous text is below the received one */
    BatonActivity *activity;
    BatonOffers *offers;
    gboolean wants_offer; /* `continue` waits for an offer */
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

static void show(void)
{
    char **lines = g_strsplit(app.text->str, "\n", -1);
    char *one = g_strjoinv("\\n", lines);
    say("note %ld: %s", app.cursor, one);
    g_free(one);
    g_strfreev(lines);
}

/* --- Offering the note --------------------------------------------------------------------------------------------- */

/* Copies the note when another laptop wants it, not at each key. */
static void save(BatonActivity *activity, gpointer data)
{
    char *title = g_utf8_substring(app.text->str, 0, MIN(60, g_utf8_strlen(app.text->str, -1)));
    title[strcspn(title, "\n")] = '\0';
    g_free(app.asked);
    app.asked = g_strdup(app.text->str);
    baton_activity_set_title(activity, *title ? title : "A note");
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'text': <%s>, 'cursor': <%x>}", app.text->str, (gint64)app.cursor));
    g_free(title);
}

static void changed(void)
{
    show();
    baton_activity_set_needs_save(app.activity, TRUE);
    baton_activity_become_current(app.activity);
}

/* The note continues elsewhere. The note on this laptop is offered again when the user types. */
static void continued(BatonActivity *activity, const char *device, const char *device_name, gpointer data)
{
    baton_activity_resign_current(activity);
    g_free(app.gone);
    app.gone = g_strdup(app.asked);
    say("it continues on another laptop");
}

static void failed(BatonActivity *activity, const GError *error, gpointer data)
{
    say("error: %s", error->message);
}

/* --- Continuing a note --------------------------------------------------------------------------------------------- */

/* Returns whether there is text here that was neither received nor continued elsewhere, and must not be lost. */
static gboolean is_kept(const char *coming)
{
    return app.text->len > 0 && strcmp(app.text->str, coming) != 0 && g_strcmp0(app.text->str, app.gone) != 0;
}

/* Takes a received note, with the present one below it if needed. Returns the reason why not, or NULL. */
static const char *take(GVariant *info)
{
    const char *text = NULL;
    gint64 cursor = 0;
    /* Another laptop may send anything. */
    if (!g_variant_lookup(info, "text", "&s", &text) || !g_variant_lookup(info, "cursor", "x", &cursor) || strlen(text) > MAXIMUM_BYTES)
        return "that is no note";
    app.is_below = is_kept(text);
    if (app.is_below && strlen(text) + strlen(DIVIDER) + app.text->len > MAXIMUM_BYTES)
        return "both notes are too long for one: continue this one elsewhere first";
    if (app.is_below)
        g_string_prepend(app.text, DIVIDER);
    else
        g_string_truncate(app.text, 0);
    g_string_prepend(app.text, text);
    g_clear_pointer(&app.gone, g_free);
    app.cursor = CLAMP(cursor, 0, g_utf8_strlen(text, -1));
    return NULL;
}

static void fetched(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(BatonContinuation) continuation = baton_offers_continue_finish(app.offers, result, &error);
    const char *hindrance = error ? error->message : take(baton_continuation_get_user_info(continuation));
    if (hindrance) {
        say("error: %s", hindrance);
        return;
    }
    say("continued from %s", baton_continuation_get_device_name(continuation));
    if (app.is_below)
        say("what was here before stands below it");
    changed();
    /* After the change, because the other laptop may want the note back at once. */
    baton_continuation_accept(continuation);
}

static void continue_an_offer(void)
{
    g_autoptr(BatonOffer) offer = g_list_model_get_item(G_LIST_MODEL(app.offers), 0);
    app.wants_offer = !offer;
    if (offer)
        baton_offers_continue_async(app.offers, offer, NULL, fetched, NULL);
}

static void offers_changed(GListModel *offers, guint position, guint removed, guint added, gpointer data)
{
    for (guint i = position; i < position + added; i++) {
        g_autoptr(BatonOffer) offer = g_list_model_get_item(offers, i);
        say("offer: %s", baton_offer_get_device_name(offer));
    }
    if (app.wants_offer)
        continue_an_offer();
}

/* --- The user ------------------------------------------------------------------------------------------------------ */

/* A note that is shown can be continued, so wait until the daemon has it. */
static void flushed(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    if (!baton_activity_flush_finish(app.activity, result, &error))
        say("error: %s", error->message);
    show();
}

static void type(const char *text)
{
    if (app.text->len + strlen(text) > MAXIMUM_BYTES || !g_utf8_validate(text, -1, NULL)) {
        say("error: the note is full, or that is no UTF-8");
        return;
    }
    g_string_insert(app.text, g_utf8_offset_to_pointer(app.text->str, app.cursor) - app.text->str, text);
    app.cursor += g_utf8_strlen(text, -1);
    changed();
}

static void move(const char *where)
{
    char *end;
    errno = 0;
    gint64 position = g_ascii_strtoll(where, &end, 10);
    if (end == where || *end || errno) {
        say("error: move where? A number");
        return;
    }
    app.cursor = CLAMP(position, 0, g_utf8_strlen(app.text->str, -1));
    changed();
}

static void perform(char *line)
{
    char *argument = strchr(line, ' ');
    if (argument)
        *argument++ = '\0';
    if (strcmp(line, "type") == 0 && argument)
        type(argument);
    else if (strcmp(line, "move") == 0 && argument)
        move(argument);
    else if (strcmp(line, "show") == 0)
        baton_activity_flush_async(app.activity, NULL, flushed, NULL);
    else if (strcmp(line, "continue") == 0)
        continue_an_offer();
    else if (strcmp(line, "quit") == 0)
        g_main_loop_quit(app.loop);
    else if (*line)
        say("error: there is no command \"%s\"", line);
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
    app.text = g_string_new("");
    app.loop = g_main_loop_new(NULL, FALSE);
    app.activity = baton_activity_new(TYPE);
    g_signal_connect(app.activity, "save", G_CALLBACK(save), NULL);
    g_signal_connect(app.activity, "continued", G_CALLBACK(continued), NULL);
    g_signal_connect(app.activity, "failed", G_CALLBACK(failed), NULL);
    app.offers = baton_offers_new(TYPE);
    g_signal_connect(app.offers, "items-changed", G_CALLBACK(offers_changed), NULL);
    GIOChannel *channel = g_io_channel_unix_new(0);
    g_io_channel_set_encoding(channel, NULL, NULL); /* lines are bytes; `type` refuses a text that is not UTF-8 */
    g_io_add_watch(channel, G_IO_IN | G_IO_HUP | G_IO_ERR, input, NULL);
    g_main_loop_run(app.loop);
    return EXIT_SUCCESS;
}
