/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-streams.h>

#include "baton-pair-private.h"

G_BEGIN_DECLS

/* What an answer of the daemon hands over. `daemon` is of `baton_stream_ends_expect`. */
BatonStreams *baton_streams_adopt(BatonClient *client, guint64 daemon, const char *stream, const char *transport, GVariant *index,
                                  GUnixFDList *descriptors, GError **error);

/* Whose app is at the other end. */
void baton_streams_set_device(BatonStreams *self, const char *device, const char *device_name);

G_END_DECLS
