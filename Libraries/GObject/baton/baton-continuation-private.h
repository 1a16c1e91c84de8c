/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-continuation.h>

#include "baton-client-private.h"
#include "baton-contents-private.h"

G_BEGIN_DECLS

/* How a continuation's answer reaches the daemon. `message` is for the user, or NULL. */
typedef void (*BatonAnswer)(BatonContinuation *self, gboolean is_taken, const char *message, gpointer data);

/* What the files of the class share. */
struct _BatonContinuation {
    GObject parent_instance;
    BatonClient *client;
    char *id;
    GVariant *properties;
    GVariant *values[BATON_CONTENTS];
    GVariant *user_info;
    char *document_url; /* as it travels; NULL for none */
    BatonAnswer answer;
    gpointer answer_data;
};

/* `activity` is that of Documentation/DBus/Offers.md. `answer` is called once. */
BatonContinuation *baton_continuation_new(BatonClient *client, const char *id, GVariant *activity, BatonAnswer answer, gpointer data);

BatonClient *baton_continuation_get_client(BatonContinuation *self);
const char *baton_continuation_get_id(BatonContinuation *self);

/* Reads and declares the properties. */
void baton_continuation_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec);
void baton_continuation_install_properties(GObjectClass *object_class);

G_END_DECLS
