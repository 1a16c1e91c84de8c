/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Time limits for another device: a cancellable that is cancelled if nothing moves for a time, if
 * the whole operation takes too long, or if the caller's own cancellable is cancelled. Use it in
 * one main context. */
typedef struct BatonPatience BatonPatience;

/* Creates the limits, in ms, on the thread's default main context. */
BatonPatience *baton_patience_new(guint between, guint in_all, GCancellable *cancellable);
void baton_patience_free(BatonPatience *patience);

GCancellable *baton_patience_get_cancellable(BatonPatience *patience);

/* Restarts the time between two pieces because one has arrived. */
void baton_patience_renew(BatonPatience *patience);

/* Takes the error of a call. If a time limit cancelled the call, returns an error that says that
 * the other device's app did not answer in time. Otherwise returns the same error. */
GError *baton_patience_explain(BatonPatience *patience, GError *error);

G_END_DECLS
