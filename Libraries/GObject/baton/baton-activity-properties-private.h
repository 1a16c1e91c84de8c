/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-activity-private.h"

G_BEGIN_DECLS

typedef enum {
    PROPERTY_CONNECTION = 1,
    PROPERTY_ACTIVITY_TYPE,
    PROPERTY_TEAM,
    PROPERTY_APPLICATION,
    PROPERTY_SPEAKER,
    PROPERTY_BACKGROUND,
    PROPERTY_IS_CURRENT,
    PROPERTY_DOCUMENT,
    PROPERTY_CONTENTS,
    PROPERTY_FIELDS
} BatonActivityProperty;

/* Emits `notify` for a property. The number of a field is PROPERTY_FIELDS and its BatonContent. */
void baton_activity_notify(BatonActivity *self, guint property);

G_END_DECLS
