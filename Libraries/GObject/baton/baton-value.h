/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

BATON_PUBLIC GVariant *baton_value_new_date(GDateTime *date);
BATON_PUBLIC GDateTime *baton_value_get_date(GVariant *value);
BATON_PUBLIC GVariant *baton_value_new_url(const char *url);
BATON_PUBLIC char *baton_value_get_url(GVariant *value);
BATON_PUBLIC GVariant *baton_value_new_uuid(const char *uuid);
BATON_PUBLIC char *baton_value_get_uuid(GVariant *value);
BATON_PUBLIC GVariant *baton_value_new_data(GBytes *data);
BATON_PUBLIC GBytes *baton_value_get_data(GVariant *value);

G_END_DECLS
