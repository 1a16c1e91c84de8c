/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-streams.h>

G_BEGIN_DECLS

#define BATON_TYPE_CONTINUATION (baton_continuation_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonContinuation, baton_continuation, BATON, CONTINUATION, GObject)

BATON_PUBLIC const char *baton_continuation_get_activity_type(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_device(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_device_name(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_transport(BatonContinuation *self);
BATON_PUBLIC GVariant *baton_continuation_get_properties(BatonContinuation *self);

BATON_PUBLIC void baton_continuation_accept(BatonContinuation *self);
BATON_PUBLIC void baton_continuation_decline(BatonContinuation *self, const char *message);

BATON_PUBLIC void baton_continuation_open_streams_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                                        gpointer user_data);
BATON_PUBLIC BatonStreams *baton_continuation_open_streams_finish(BatonContinuation *self, GAsyncResult *result, GError **error);

BATON_PUBLIC const char *baton_continuation_get_document_url(BatonContinuation *self);
BATON_PUBLIC void baton_continuation_load_contents_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                                         gpointer user_data);
BATON_PUBLIC GFile *baton_continuation_load_contents_finish(BatonContinuation *self, GAsyncResult *result, GError **error);
BATON_PUBLIC void baton_continuation_load_document_async(BatonContinuation *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                                         gpointer user_data);
BATON_PUBLIC GFile *baton_continuation_load_document_finish(BatonContinuation *self, GAsyncResult *result, GError **error);

G_END_DECLS
