/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "baton-client-private.h"

G_BEGIN_DECLS

/* A pair of streams: the socket, and what the daemon says of its end. What both streams share; who
 * has it last and has not ended it gives it up. */
typedef struct BatonPair BatonPair;

/* Takes over the descriptor. Returns NULL, with an error, when it is not a socket. */
BatonPair *baton_pair_new(BatonClient *client, const char *stream, int descriptor, BatonStreamEnd *end, GError **error);
BatonPair *baton_pair_ref(BatonPair *pair);
void baton_pair_unref(BatonPair *pair);

const char *baton_pair_get_name(BatonPair *pair);

/* Without waiting: G_IO_ERROR_WOULD_BLOCK says that there is nothing to read, or no room. An end
 * of the stream is one that the other side has made; anything else is an error. */
gssize baton_pair_read(BatonPair *pair, void *buffer, gsize count, GError **error);
gssize baton_pair_write(BatonPair *pair, const void *buffer, gsize count, GError **error);

/* What is waited for before a read (G_IO_IN) or a write (G_IO_OUT) that would block; -1 when there
 * is nothing to wait for. */
int baton_pair_get_descriptor(BatonPair *pair, GIOCondition condition);

/* Waits for it on this thread; FALSE, with an error, when it was cancelled. */
gboolean baton_pair_wait(BatonPair *pair, GIOCondition condition, GCancellable *cancellable, GError **error);

/* The streams are closed: no call on them is under way, and none comes. Closing the output ends what
 * this side sends: what was written is whole, unless the pair was given up. With both closed the pair
 * is the daemon's, if it takes it, and what was written arrives though this program ends. */
void baton_pair_close_input(BatonPair *pair);
void baton_pair_close_output(BatonPair *pair);

/* Once the output is closed, waits until both sides have read everything; FALSE, with an error, when
 * they have not. */
gboolean baton_pair_finish(BatonPair *pair, GCancellable *cancellable, GError **error);

/* Says that what was sent is not whole, or that what came is not wanted. */
void baton_pair_give_up(BatonPair *pair);

G_END_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BatonPair, baton_pair_unref)
