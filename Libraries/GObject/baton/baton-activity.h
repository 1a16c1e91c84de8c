/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

#define BATON_TYPE_ACTIVITY (baton_activity_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonActivity, baton_activity, BATON, ACTIVITY, GObject)

BATON_PUBLIC BatonActivity *baton_activity_new(const char *activity_type);

BATON_PUBLIC const char *baton_activity_get_activity_type(BatonActivity *self);
BATON_PUBLIC GFile *baton_activity_get_contents(BatonActivity *self);
BATON_PUBLIC void baton_activity_set_contents(BatonActivity *self, GFile *contents);
BATON_PUBLIC gboolean baton_activity_set_contents_fd(BatonActivity *self, int fd, GError **error);
BATON_PUBLIC GFile *baton_activity_get_document(BatonActivity *self);
BATON_PUBLIC void baton_activity_set_document(BatonActivity *self, GFile *document);
BATON_PUBLIC gboolean baton_activity_get_is_current(BatonActivity *self);

BATON_PUBLIC void baton_activity_become_current(BatonActivity *self);
BATON_PUBLIC void baton_activity_resign_current(BatonActivity *self);
BATON_PUBLIC void baton_activity_invalidate(BatonActivity *self);

BATON_PUBLIC void baton_activity_flush_async(BatonActivity *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
BATON_PUBLIC gboolean baton_activity_flush_finish(BatonActivity *self, GAsyncResult *result, GError **error);

G_END_DECLS
