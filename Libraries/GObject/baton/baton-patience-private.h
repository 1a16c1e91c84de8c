/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* How long another device may take: a cancellable that is cancelled when nothing has moved for a
 * time, when all of it has taken too long, and when the caller's own is. It is used in one main
 * context. */
typedef struct BatonPatience BatonPatience;

/* Times in ms, on the thread's default main context. */
BatonPatience *baton_patience_new(guint between, guint in_all, GCancellable *cancellable);
void baton_patience_free(BatonPatience *patience);

GCancellable *baton_patience_get_cancellable(BatonPatience *patience);

/* Something has moved. */
void baton_patience_renew(BatonPatience *patience);

/* What the error of a call that was cancelled says: takes the error, and returns it, or that the
 * other device's app did not answer in time. */
GError *baton_patience_explain(BatonPatience *patience, GError *error);

G_END_DECLS
