/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The ends of all pairs of streams on one connection to the bus.
 *
 * The daemon's signals arrive here on GDBus's own thread. Therefore a read that waits for an end
 * neither blocks a main loop nor needs one. All functions may be called on any thread. */
typedef struct BatonStreamEnds BatonStreamEnds;

/* The end of one pair: whether and how it has ended. */
typedef struct BatonStreamEnd BatonStreamEnd;

BatonStreamEnds *baton_stream_ends_of(GDBusConnection *connection);
BatonStreamEnds *baton_stream_ends_ref(BatonStreamEnds *ends);
void baton_stream_ends_unref(BatonStreamEnds *ends);

/* Begin and end a watch. During a watch the connection gets signals about the owner of the daemon's
 * name. */
void baton_stream_ends_watch(BatonStreamEnds *ends);
void baton_stream_ends_unwatch(BatonStreamEnds *ends);

/* Sets the owner that the daemon's name had when the watch began. */
void baton_stream_ends_begin(BatonStreamEnds *ends, const char *owner);

/* Announces a call whose answer names a pair. The report of the pair's end is kept even if it
 * arrives before that answer. Returns which daemon is asked, for `baton_stream_ends_claim`. */
guint64 baton_stream_ends_expect(BatonStreamEnds *ends);

/* Ends what `baton_stream_ends_expect` began. Returns the end of the pair; NULL if `stream` is NULL
 * because the call failed. */
BatonStreamEnd *baton_stream_ends_claim(BatonStreamEnds *ends, guint64 daemon, const char *stream);

/* Stops waiting for the end of a pair. */
void baton_stream_ends_forget(BatonStreamEnds *ends, const char *stream);

void baton_stream_end_unref(BatonStreamEnd *end);

/* Returns whether the pair has ended. `why` becomes NULL if all data arrived. */
gboolean baton_stream_end_is_known(BatonStreamEnd *end, const char **why);

/* Returns a descriptor that is readable when the pair has ended. If the process has no more
 * descriptors, the function returns -1, and the pair ends with that error. */
int baton_stream_end_get_descriptor(BatonStreamEnd *end);

/* Closes the descriptor, because no thread waits on it any more. A later wait gets a new descriptor. */
void baton_stream_end_close_descriptor(BatonStreamEnd *end);

G_END_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BatonStreamEnd, baton_stream_end_unref)
