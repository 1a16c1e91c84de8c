/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-activity-properties-private.h"

/* Returns where the activity itself keeps a value, which the daemon gets together with the
 * document; NULL for a value that the publication keeps. */
static GVariant **own_place(BatonActivity *self, BatonContent content) {
    switch (content) {
    case BATON_CONTENT_USER_INFO: return &self->user_info;
    case BATON_CONTENT_SUPPORTS_CONTINUATION_STREAMS: return &self->streams;
    default: return NULL;
    }
}

GVariant *baton_activity_get_content(BatonActivity *self, BatonContent content) {
    GVariant **place = own_place(self, content);
    return place != NULL ? *place : baton_publication_get(self->publication, content);
}

void baton_activity_set_content(BatonActivity *self, BatonContent content, GVariant *value) {
    GVariant **place = own_place(self, content);
    gboolean is_new = place != NULL ? baton_content_replace(place, value) : baton_publication_set(self->publication, content, value);
    if (!is_new) return;
    if (place != NULL) baton_activity_tell_contents(self);
    baton_activity_notify(self, PROPERTY_FIELDS + content);
}

/**
 * baton_activity_get_activity_type: (get-property activity-type)
 * @self: an activity
 *
 * Gets the activity's type, which says what the user is doing.
 *
 * Returns: the type
 *
 * Since: 1.0
 */
const char *baton_activity_get_activity_type(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), NULL);
    return self->activity_type;
}

/**
 * baton_activity_get_is_current: (get-property is-current)
 * @self: an activity
 *
 * Gets whether the activity is the program's current one.
 *
 * Returns: %TRUE if it is
 *
 * Since: 1.0
 */
gboolean baton_activity_get_is_current(BatonActivity *self) {
    g_return_val_if_fail(BATON_IS_ACTIVITY(self), FALSE);
    return baton_publication_is_current(self->publication);
}
