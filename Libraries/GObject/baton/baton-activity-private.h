/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-activity.h>
#include <baton-streams.h>

#include "baton-publication-private.h"

G_BEGIN_DECLS

/* What the files of the class share. */
struct _BatonActivity {
    GObject parent_instance;
    GDBusConnection *bus;
    char *activity_type, *team, *application, *speaker;
    gboolean is_background;
    BatonClient *client;
    BatonPublication *publication;

    /* What the app has set; the daemon is told it together with the document. */
    GVariant *user_info;
    gboolean supports_streams;
    GFile *document, *contents;
    int contents_fd;    /* in the place of `contents`; -1 for none */
    char *document_url; /* as it travels; NULL for none */
    guint senders;      /* devices that are fetching it */
};

/* Reads, writes and declares the properties. */
void baton_activity_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec);
void baton_activity_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec);
void baton_activity_install_properties(GObjectClass *object_class);

/* Has the daemon told of the state, the document and the streams. */
void baton_activity_tell_contents(BatonActivity *self);

/* Finds out how the document travels: its folder may have become a shared one. */
void baton_activity_name_document(BatonActivity *self);

/* Whether streams are for the document, and its contents to such streams. */
gboolean baton_activity_sends_document(BatonActivity *self);
void baton_activity_send_document(BatonActivity *self, BatonStreams *streams);

/* Lets go of the open file that is sent; whether there was one. */
gboolean baton_activity_close_contents(BatonActivity *self);

/* Takes a pair of streams that the app on another device has opened. */
void baton_activity_take_streams(BatonActivity *self, const char *stream, const char *device, const char *device_name);

/* The signals `streams` and `warning`. */
gboolean baton_activity_has_streams_handler(BatonActivity *self);
void baton_activity_emit_streams(BatonActivity *self, BatonStreams *streams);
void baton_activity_emit_warning(BatonActivity *self, const char *text);

G_END_DECLS
