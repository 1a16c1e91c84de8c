/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

#define BATON_TYPE_STREAMS (baton_streams_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonStreams, baton_streams, BATON, STREAMS, GIOStream)

BATON_PUBLIC const char *baton_streams_get_device(BatonStreams *self);
BATON_PUBLIC const char *baton_streams_get_device_name(BatonStreams *self);
BATON_PUBLIC const char *baton_streams_get_transport(BatonStreams *self);
BATON_PUBLIC void baton_streams_follow(BatonStreams *self);
BATON_PUBLIC void baton_streams_give_up(BatonStreams *self);

G_END_DECLS
