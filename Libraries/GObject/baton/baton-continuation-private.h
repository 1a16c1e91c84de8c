/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-continuation.h>

#include "baton-client-private.h"

G_BEGIN_DECLS

/* How a continuation's answer reaches the daemon. `message` is for the user, or NULL. */
typedef void (*BatonAnswer)(BatonContinuation *self, gboolean is_taken, const char *message, gpointer data);

/* `activity` is that of Documentation/DBus/Offers.md. `answer` is called once. */
BatonContinuation *baton_continuation_new(BatonClient *client, const char *id, GVariant *activity, BatonAnswer answer, gpointer data);

BatonClient *baton_continuation_get_client(BatonContinuation *self);
const char *baton_continuation_get_id(BatonContinuation *self);

G_END_DECLS
