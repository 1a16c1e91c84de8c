/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-offer.h>

G_BEGIN_DECLS

/* Creates an offer from an entry of Documentation/DBus/Offers.md, or from the details of
 * WillContinue in Application.md. */
BatonOffer *baton_offer_new(GVariant *details);

/* Updates the properties and notifies of those that have changed. */
void baton_offer_update(BatonOffer *self, GVariant *details);

/* Returns the id in an offer's details; NULL if there is none. */
char *baton_offer_find_id(GVariant *details);

G_END_DECLS
