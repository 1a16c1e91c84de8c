/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "baton-client-private.h"

G_BEGIN_DECLS

/* The part that the two streams of a pair share: the socket and the daemon's report of the pair's
 * end. When the last reference is dropped and the output was not closed, the library abandons the
 * pair. */
typedef struct BatonPair BatonPair;

/* Creates a pair and takes the descriptor. Returns NULL, with an error, if the descriptor is not a
 * socket. */
BatonPair *baton_pair_new(BatonClient *client, const char *stream, int descriptor, BatonStreamEnd *end, GError **error);
BatonPair *baton_pair_ref(BatonPair *pair);
void baton_pair_unref(BatonPair *pair);

const char *baton_pair_get_name(BatonPair *pair);
BatonClient *baton_pair_get_client(BatonPair *pair);

/* Read or write without waiting. G_IO_ERROR_WOULD_BLOCK means that there is nothing to read, or no
 * room. A read returns 0 only if the other side ended its stream; otherwise it fails. */
gssize baton_pair_read(BatonPair *pair, void *buffer, gsize count, GError **error);
gssize baton_pair_write(BatonPair *pair, const void *buffer, gsize count, GError **error);

/* Returns the descriptor to poll before a read (G_IO_IN) or a write (G_IO_OUT) that would block; -1
 * if there is nothing to wait for. */
int baton_pair_get_descriptor(BatonPair *pair, GIOCondition condition);

/* Polls that descriptor on this thread. Returns FALSE, with an error, if the wait was cancelled. */
gboolean baton_pair_wait(BatonPair *pair, GIOCondition condition, GCancellable *cancellable, GError **error);

/* Close one stream. No call on that stream may be in progress, and none may follow. Closing the
 * output ends the data that this side sends: it counts as complete, unless the pair was abandoned.
 * When both streams are closed, the pair goes to the daemon, if the daemon takes it. Then the data
 * arrives even if this program ends. */
void baton_pair_close_input(BatonPair *pair);
void baton_pair_close_output(BatonPair *pair);

/* Waits until both sides have read everything. Close the output first. Returns FALSE, with an
 * error, if they have not. */
gboolean baton_pair_finish(BatonPair *pair, GCancellable *cancellable, GError **error);

/* Tells the daemon that the sent data is incomplete, or that the received data is not wanted. */
void baton_pair_give_up(BatonPair *pair);

G_END_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BatonPair, baton_pair_unref)
