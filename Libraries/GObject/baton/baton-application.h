/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-continuation.h>
#include <baton-offer.h>

G_BEGIN_DECLS

#define BATON_TYPE_APPLICATION (baton_application_get_type())
BATON_PUBLIC G_DECLARE_FINAL_TYPE(BatonApplication, baton_application, BATON, APPLICATION, GObject)

BATON_PUBLIC BatonApplication *baton_application_new(const char *application_id);
BATON_PUBLIC const char *baton_application_get_application_id(BatonApplication *self);
BATON_PUBLIC const char *baton_application_get_not_ready(BatonApplication *self);
BATON_PUBLIC void baton_application_set_not_ready(BatonApplication *self, const char *message);

BATON_PUBLIC gboolean baton_application_serve(BatonApplication *self, GDBusConnection *connection, GError **error);
BATON_PUBLIC void baton_application_cancel(BatonApplication *self, BatonOffer *offer);

G_END_DECLS
