/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Limits for a copy. */
typedef struct {
    guint64 bytes;
    guint between, in_all; /* in ms: the longest pause between two pieces, and the longest time for all of it */
} BatonCopyLimits;

extern const BatonCopyLimits baton_document_copy_limits;

/* Copies a document from a stream into a new file. The stream contains the length and then the
 * contents. The file is called `name`, which comes from baton_document_name_in_url(), and is in a
 * directory of its own below `directory`. A failure leaves nothing behind. */
void baton_document_copy_async(GInputStream *input, const char *name, const char *directory, const BatonCopyLimits *limits,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GFile *baton_document_copy_finish(GAsyncResult *result, GError **error);

/* Returns the directory for copies, which only the user removes: $XDG_DATA_HOME/baton/documents. */
char *baton_document_copies_directory(void);

G_END_DECLS
