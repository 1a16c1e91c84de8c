/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-activity-private.h"

G_BEGIN_DECLS

typedef enum {
    PROPERTY_CONNECTION = 1,
    PROPERTY_ACTIVITY_TYPE,
    PROPERTY_TEAM,
    PROPERTY_TITLE,
    PROPERTY_USER_INFO,
    PROPERTY_WEBPAGE_URL,
    PROPERTY_REFERRER_URL,
    PROPERTY_EXPIRATION_DATE,
    PROPERTY_REQUIRED_USER_INFO_KEYS,
    PROPERTY_TARGET_CONTENT_IDENTIFIER,
    PROPERTY_PERSISTENT_IDENTIFIER,
    PROPERTY_SUPPORTS_CONTINUATION_STREAMS,
    PROPERTY_NEEDS_SAVE,
    PROPERTY_IS_CURRENT,
    PROPERTY_DOCUMENT,
    PROPERTIES
} BatonActivityProperty;

/* Says that one has changed. */
void baton_activity_notify(BatonActivity *self, BatonActivityProperty property);

G_END_DECLS
