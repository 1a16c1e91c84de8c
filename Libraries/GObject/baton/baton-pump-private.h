/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-patience-private.h"

G_BEGIN_DECLS

/* Copies a stream of known length to another one. Fewer bytes give BATON_ERROR_STREAM_CUT, and more
 * give BATON_ERROR_HANDOFF_FAILED. The pump holds one piece in memory at a time, and does not close
 * the streams. The caller keeps ownership of `patience`. */
void baton_pump_async(GInputStream *from, GOutputStream *to, guint64 count, BatonPatience *patience, GAsyncReadyCallback callback, gpointer data);
gboolean baton_pump_finish(GAsyncResult *result, GError **error);

/* Returns the error for a document that was cut short. */
GError *baton_pump_cut(void);

G_END_DECLS
