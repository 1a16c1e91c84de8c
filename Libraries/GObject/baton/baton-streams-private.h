/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-streams.h>

#include "baton-pair-private.h"

G_BEGIN_DECLS

/* Creates the streams from an answer of the daemon. `daemon` comes from
 * `baton_stream_ends_expect`. */
BatonStreams *baton_streams_adopt(BatonClient *client, guint64 daemon, const char *stream, const char *transport, GVariant *index,
                                  GUnixFDList *descriptors, GError **error);

/* Sets the device whose app is at the other end. */
void baton_streams_set_device(BatonStreams *self, const char *device, const char *device_name);

G_END_DECLS
