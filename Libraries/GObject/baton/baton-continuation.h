/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-streams.h>

G_BEGIN_DECLS

#define BATON_TYPE_CONTINUATION (baton_continuation_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonContinuation, baton_continuation, BATON, CONTINUATION, GObject)

BATON_PUBLIC const char *baton_continuation_get_activity_type(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_title(BatonContinuation *self);
BATON_PUBLIC GVariant *baton_continuation_get_user_info(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_webpage_url(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_referrer_url(BatonContinuation *self);
BATON_PUBLIC GDateTime *baton_continuation_get_expiration_date(BatonContinuation *self);
BATON_PUBLIC char **baton_continuation_get_required_user_info_keys(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_target_content_identifier(BatonContinuation *self);
BATON_PUBLIC const char *baton_continuation_get_persistent_identifier(BatonContinuation *self);
BATON_PUBLIC gboolean baton_continuation_get_supports_continuation_streams(BatonContinuation *self);
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
