/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-patience-private.h"

G_BEGIN_DECLS

/* Moves all that a stream has to another one, which is as many bytes as it was said to have: fewer
 * are BATON_ERROR_STREAM_CUT, more BATON_ERROR_HANDOFF_FAILED. Holds a piece of it at a time, and
 * closes neither. The patience stays the caller's. */
void baton_pump_async(GInputStream *from, GOutputStream *to, guint64 count, BatonPatience *patience, GAsyncReadyCallback callback, gpointer data);
gboolean baton_pump_finish(GAsyncResult *result, GError **error);

/* Says that a document was cut short. */
GError *baton_pump_cut(void);

G_END_DECLS
