/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* How the pairs of streams of one connection to the bus have ended.
 *
 * It hears so on GDBus's own thread: a read that waits for it holds up no main loop, and needs
 * none. All functions may be called on any thread. */
typedef struct BatonStreamEnds BatonStreamEnds;

/* How one pair has ended, or that it has not yet. */
typedef struct BatonStreamEnd BatonStreamEnd;

BatonStreamEnds *baton_stream_ends_of(GDBusConnection *connection);
BatonStreamEnds *baton_stream_ends_ref(BatonStreamEnds *ends);
void baton_stream_ends_unref(BatonStreamEnds *ends);

/* Between these two the connection hears who owns the daemon's name. */
void baton_stream_ends_watch(BatonStreamEnds *ends);
void baton_stream_ends_unwatch(BatonStreamEnds *ends);

/* Says who owned the daemon's name when the watch began. */
void baton_stream_ends_begin(BatonStreamEnds *ends, const char *owner);

/* Before a call whose answer names a pair: an end that overtakes the answer is kept. Returns which
 * daemon is asked, for `baton_stream_ends_claim`. */
guint64 baton_stream_ends_expect(BatonStreamEnds *ends);

/* After such a call: the end of the pair, or NULL when there is no pair to claim. */
BatonStreamEnd *baton_stream_ends_claim(BatonStreamEnds *ends, guint64 daemon, const char *stream);

/* No end is waited for any more. */
void baton_stream_ends_forget(BatonStreamEnds *ends, const char *stream);

void baton_stream_end_unref(BatonStreamEnd *end);

/* Whether the pair has ended; `why` is NULL when it is whole. */
gboolean baton_stream_end_is_known(BatonStreamEnd *end, const char **why);

/* A descriptor that is readable once the pair has ended. Where there are no more to be had it is -1,
 * and the pair has ended, with that. */
int baton_stream_end_get_descriptor(BatonStreamEnd *end);

/* Nobody waits any more; who does later gets another one. */
void baton_stream_end_close_descriptor(BatonStreamEnd *end);

G_END_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BatonStreamEnd, baton_stream_end_unref)
