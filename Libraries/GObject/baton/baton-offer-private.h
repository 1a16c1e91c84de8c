/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-offer.h>

G_BEGIN_DECLS

/* An offer of Documentation/DBus/Offers.md, or the details of Application.md's WillContinue. */
BatonOffer *baton_offer_new(GVariant *details);

/* Takes over what has changed. */
void baton_offer_update(BatonOffer *self, GVariant *details);

/* The id in an offer; NULL when it has none. */
char *baton_offer_find_id(GVariant *details);

G_END_DECLS
