/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-pair-private.h"

G_BEGIN_DECLS

/* The two streams of a pair, each with the pair. */
GInputStream *baton_pair_input_stream_new(BatonPair *pair);
GOutputStream *baton_pair_output_stream_new(BatonPair *pair);

/* A task that a descriptor's readiness, or its own cancellation, goes on with. */
void baton_pair_go_on_when_ready(BatonPair *pair, GIOCondition condition, GTask *task, gboolean (*go_on)(GTask *task));

G_END_DECLS
