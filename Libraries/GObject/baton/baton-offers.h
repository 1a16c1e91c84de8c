/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-continuation.h>
#include <baton-offer.h>

G_BEGIN_DECLS

#define BATON_TYPE_OFFERS (baton_offers_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonOffers, baton_offers, BATON, OFFERS, GObject)

BATON_PUBLIC BatonOffers *baton_offers_new(const char *activity_type);
BATON_PUBLIC const char *baton_offers_get_activity_type(BatonOffers *self);

BATON_PUBLIC void baton_offers_continue_async(BatonOffers *self, BatonOffer *offer, GCancellable *cancellable, GAsyncReadyCallback callback,
                                              gpointer user_data);
BATON_PUBLIC BatonContinuation *baton_offers_continue_finish(BatonOffers *self, GAsyncResult *result, GError **error);

G_END_DECLS
