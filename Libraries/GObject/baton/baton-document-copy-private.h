/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What a copy may have and take. */
typedef struct {
    guint64 bytes;
    guint between, in_all; /* in ms: how long nothing may come, and how long all of it may take */
} BatonCopyLimits;

extern const BatonCopyLimits baton_document_copy_limits;

/* Receives the length and the contents of a document into a file of this name, in a directory of
 * its own below `directory`; a name of baton_document_name_in_url(). Of what fails nothing stays. */
void baton_document_copy_async(GInputStream *input, const char *name, const char *directory, const BatonCopyLimits *limits,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GFile *baton_document_copy_finish(GAsyncResult *result, GError **error);

/* Where copies are, until the user removes them: $XDG_DATA_HOME/baton/documents. */
char *baton_document_copies_directory(void);

G_END_DECLS
