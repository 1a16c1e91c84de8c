/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

#define BATON_TYPE_OFFER (baton_offer_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonOffer, baton_offer, BATON, OFFER, GObject)

BATON_PUBLIC const char *baton_offer_get_id(BatonOffer *self);
BATON_PUBLIC const char *baton_offer_get_activity_type(BatonOffer *self);
BATON_PUBLIC const char *baton_offer_get_title(BatonOffer *self);
BATON_PUBLIC const char *baton_offer_get_device(BatonOffer *self);
BATON_PUBLIC const char *baton_offer_get_device_name(BatonOffer *self);
BATON_PUBLIC const char *baton_offer_get_application(BatonOffer *self);
BATON_PUBLIC const char *baton_offer_get_team(BatonOffer *self);
BATON_PUBLIC gboolean baton_offer_get_has_webpage(BatonOffer *self);
BATON_PUBLIC gboolean baton_offer_get_has_streams(BatonOffer *self);

G_END_DECLS
