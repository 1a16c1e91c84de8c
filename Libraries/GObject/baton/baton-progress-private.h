/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-pair-private.h"

G_BEGIN_DECLS

/* Follows the progress of a pair of streams. */
typedef struct BatonProgress BatonProgress;

/* Called with each report, in the client's main context. */
typedef void (*BatonProgressFunc)(gpointer owner, guint64 sent, guint64 received, const char *transport, gboolean is_waiting);

/* Asks the daemon for reports about a pair. The reports end when `owner` is finalized. */
BatonProgress *baton_progress_new(BatonPair *pair, GObject *owner, BatonProgressFunc report);
void baton_progress_free(BatonProgress *progress);

G_END_DECLS
