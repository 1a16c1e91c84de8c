/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-activity.h>
#include <baton-streams.h>

#include "baton-publication-private.h"

G_BEGIN_DECLS

/* The state that the source files of the class share. */
struct _BatonActivity {
    GObject parent_instance;
    GDBusConnection *bus;
    char *activity_type, *team, *application, *speaker;
    gboolean is_background;
    BatonClient *client;
    BatonPublication *publication;

    /* The values that the app set. The daemon gets them together with the document. */
    GVariant *user_info, *streams;
    GFile *document, *contents;
    int contents_fd;    /* used instead of `contents`; -1 if there is none */
    char *document_url; /* the URL that is sent for the document; NULL if there is none */
    guint senders;      /* devices that are fetching the document */
};

/* Read, write and declare the properties. */
void baton_activity_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec);
void baton_activity_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec);
void baton_activity_install_properties(GObjectClass *object_class);

/* Read and write a value of `fields`. Writing takes a floating value. */
GVariant *baton_activity_get_content(BatonActivity *self, BatonContent content);
void baton_activity_set_content(BatonActivity *self, BatonContent content, GVariant *value);

/* Made by `fields`: read, write and declare the properties of its list. */
void baton_activity_get_field(BatonActivity *self, BatonContent content, GValue *value);
void baton_activity_set_field(BatonActivity *self, BatonContent content, const GValue *value);
void baton_activity_make_specs(GParamSpec **specs);

/* Sends the state, the document and the streams flag to the daemon. */
void baton_activity_tell_contents(BatonActivity *self);

/* Determines the URL that is sent for the document. It can change when a folder becomes a shared
 * one. */
void baton_activity_name_document(BatonActivity *self);

/* Returns whether streams are meant for the document, and sends its contents through such streams. */
gboolean baton_activity_sends_document(BatonActivity *self);
void baton_activity_send_document(BatonActivity *self, BatonStreams *streams);

/* Closes the open file that is sent. Returns whether there was one. */
gboolean baton_activity_close_contents(BatonActivity *self);

/* Takes a pair of streams that the app on another device opened. */
void baton_activity_take_streams(BatonActivity *self, const char *stream, const char *device, const char *device_name);

/* Emit the signals `streams` and `warning`. */
gboolean baton_activity_has_streams_handler(BatonActivity *self);
void baton_activity_emit_streams(BatonActivity *self, BatonStreams *streams);
void baton_activity_emit_warning(BatonActivity *self, const char *text);

G_END_DECLS
