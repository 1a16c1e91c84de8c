/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "baton-fields-private.h"

G_BEGIN_DECLS

/* The name of a value on the bus, and its type there. */
typedef struct {
    const char *key, *type;
} BatonContentName;

extern const BatonContentName baton_content_names[BATON_CONTENTS];

/* Finds a value in an activity's properties. Returns NULL if the value is missing or has another
 * type. */
GVariant *baton_content_find(GVariant *properties, BatonContent content);

/* Returns the value to send to the daemon. A userInfo that is far too large is replaced with a
 * small one that the daemon refuses, too. Otherwise the daemon could not report the error: the bus
 * does not deliver more than 1 MiB, and at more than 128 MiB it closes the program's connection. A
 * new value is floating. */
GVariant *baton_content_for_the_bus(BatonContent content, GVariant *value);

/* Returns the error of a call that sent the values, with the size of the userInfo that was replaced.
 * Takes the error. */
GError *baton_content_explain(GVariant *const *values, GError *error);

/* Replaces a value, and returns whether the new value differs. Takes a floating value. */
gboolean baton_content_replace(GVariant **place, GVariant *value);

/* Returns whether a userInfo may have this value's type. If not, logs a warning. */
gboolean baton_content_is_state(GVariant *value);

/* Return a value as a C type; NULL, FALSE or nothing if there is no value. */
const char *baton_content_get_string(GVariant *value);
GVariant *baton_content_get_state(GVariant *value);
gboolean baton_content_get_boolean(GVariant *value);
GDateTime *baton_content_get_date(GVariant *value);
char **baton_content_get_strings(GVariant *value);

/* Return a floating value; NULL for NULL. */
GVariant *baton_content_new_string(const char *text);
GVariant *baton_content_new_state(GVariant *value);
GVariant *baton_content_new_boolean(gboolean value);
GVariant *baton_content_new_date(GDateTime *date);
GVariant *baton_content_new_strings(const char *const *texts);

G_END_DECLS
