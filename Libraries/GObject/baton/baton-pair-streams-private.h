/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-pair-private.h"

G_BEGIN_DECLS

/* Create the two streams of a pair. Each stream holds a reference to the pair. */
GInputStream *baton_pair_input_stream_new(BatonPair *pair);
GOutputStream *baton_pair_output_stream_new(BatonPair *pair);

/* Continues a task when a descriptor is ready or when the task is cancelled. */
void baton_pair_go_on_when_ready(BatonPair *pair, GIOCondition condition, GTask *task, gboolean (*go_on)(GTask *task));

G_END_DECLS
