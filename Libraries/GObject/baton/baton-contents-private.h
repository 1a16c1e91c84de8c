/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What an activity has: the properties of Documentation/DBus/UserInfo.md, as they stand on the
 * bus. A value that is NULL is not set. */
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

/* Its name on the bus. */
const char *baton_content_get_key(BatonContent content);

/* Its value among properties of an activity; NULL when it is not there, or of another type. */
GVariant *baton_content_find(GVariant *properties, BatonContent content);

/* What the daemon is told of a value: itself, or in the place of a userInfo that can never be handed
 * over a small one that is refused as well. The bus would carry more than 1 MiB to no answer that says
 * so, and ends the program's connection for more than 128 MiB. Floating, where it is new. */
GVariant *baton_content_for_the_bus(BatonContent content, GVariant *value);

/* The error of a call that told them: takes it, and returns it, about the values that were set. */
GError *baton_content_explain(GVariant *const *values, GError *error);

/* Values as C has them; NULL, FALSE or none when there is no value. */
const char *baton_content_get_string(GVariant *value);
gboolean baton_content_get_boolean(GVariant *value);
GDateTime *baton_content_get_date(GVariant *value);
char **baton_content_get_strings(GVariant *value);

/* A new value, floating; NULL for NULL. */
GVariant *baton_content_new_string(const char *text);
GVariant *baton_content_new_date(GDateTime *date);
GVariant *baton_content_new_strings(const char *const *texts);

G_END_DECLS
