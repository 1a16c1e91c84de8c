/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-continuation.h>

#include "baton-client-private.h"
#include "baton-contents-private.h"

G_BEGIN_DECLS

/* Sends a continuation's answer to the daemon. `message` is for the user, or NULL. */
typedef void (*BatonAnswer)(BatonContinuation *self, gboolean is_taken, const char *message, gpointer data);

/* The state that the source files of the class share. */
struct _BatonContinuation {
    GObject parent_instance;
    BatonClient *client;
    char *id;
    GVariant *properties;
    GVariant *values[BATON_CONTENTS];
    char *document_url; /* the URL that the other device sent; NULL if there is none */
    BatonAnswer answer;
    gpointer answer_data;
};

/* Creates a continuation from an activity of Documentation/DBus/Offers.md. `answer` is called
 * once. */
BatonContinuation *baton_continuation_new(BatonClient *client, const char *id, GVariant *activity, BatonAnswer answer, gpointer data);

BatonClient *baton_continuation_get_client(BatonContinuation *self);
const char *baton_continuation_get_id(BatonContinuation *self);

/* Reads a value of `fields`. */
GVariant *baton_continuation_get_content(BatonContinuation *self, BatonContent content);

/* Made by `fields`: read and declare the properties of its list. */
void baton_continuation_get_field(BatonContinuation *self, BatonContent content, GValue *value);
void baton_continuation_make_specs(GParamSpec **specs);

/* Read and declare the properties. */
void baton_continuation_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec);
void baton_continuation_install_properties(GObjectClass *object_class);

G_END_DECLS
