/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The values of an activity: the properties of Documentation/DBus/UserInfo.md, as the bus carries
 * them. NULL stands for a value that is not set. */
typedef enum {
    BATON_CONTENT_TITLE,
    BATON_CONTENT_USER_INFO,
    BATON_CONTENT_WEBPAGE_URL,
    BATON_CONTENT_REFERRER_URL,
    BATON_CONTENT_EXPIRATION_DATE,
    BATON_CONTENT_REQUIRED_KEYS,
    BATON_CONTENT_TARGET_CONTENT,
    BATON_CONTENT_PERSISTENT_IDENTIFIER,
    BATON_CONTENT_STREAMS,
    BATON_CONTENT_NEEDS_SAVE,
} BatonContent;

#define BATON_CONTENTS (BATON_CONTENT_NEEDS_SAVE + 1)

/* Returns the property's name on the bus. */
const char *baton_content_get_key(BatonContent content);

/* Finds a value in an activity's properties. Returns NULL if it is missing or has another type. */
GVariant *baton_content_find(GVariant *properties, BatonContent content);

/* Returns the value to send to the daemon. A userInfo that is far too large is replaced with a
 * small one that the daemon refuses, too. Otherwise the daemon could not report the error: the bus
 * does not deliver more than 1 MiB, and at more than 128 MiB it closes the program's connection. A
 * new value is floating. */
GVariant *baton_content_for_the_bus(BatonContent content, GVariant *value);

/* Replaces the error of a call that sent the values with one about the values that were set. Takes
 * the error. */
GError *baton_content_explain(GVariant *const *values, GError *error);

/* Return a value as a C type; NULL, FALSE or nothing if there is no value. */
const char *baton_content_get_string(GVariant *value);
gboolean baton_content_get_boolean(GVariant *value);
GDateTime *baton_content_get_date(GVariant *value);
char **baton_content_get_strings(GVariant *value);

/* Return a new floating value; NULL for NULL. */
GVariant *baton_content_new_string(const char *text);
GVariant *baton_content_new_date(GDateTime *date);
GVariant *baton_content_new_strings(const char *const *texts);

G_END_DECLS
