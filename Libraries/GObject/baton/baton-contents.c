/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-contents-private.h"

#include "baton-error.h"

/* The daemon's limits, in bytes as it sends them. Only the daemon can check the size of a
 * userInfo. */
#define MOST_BYTES 65536
#define LONGEST_TITLE 1024

/* A GVariant of more bytes is certainly too large: 16,384 values of up to 40 bytes, and the
 * texts. */
#define NEVER (768 << 10)

static const struct {
    const char *key, *type;
} contents[BATON_CONTENTS] = {
    [BATON_CONTENT_TITLE] = {"title", "s"},
    [BATON_CONTENT_USER_INFO] = {"userInfo", "a{sv}"},
    [BATON_CONTENT_WEBPAGE_URL] = {"webpageURL", "s"},
    [BATON_CONTENT_REFERRER_URL] = {"referrerURL", "s"},
    [BATON_CONTENT_EXPIRATION_DATE] = {"expirationDate", "d"},
    [BATON_CONTENT_REQUIRED_KEYS] = {"requiredUserInfoKeys", "as"},
    [BATON_CONTENT_TARGET_CONTENT] = {"targetContentIdentifier", "s"},
    [BATON_CONTENT_PERSISTENT_IDENTIFIER] = {"persistentIdentifier", "s"},
    [BATON_CONTENT_STREAMS] = {"supportsContinuationStreams", "b"},
    [BATON_CONTENT_NEEDS_SAVE] = {"needsSave", "b"},
};

const char *baton_content_get_key(BatonContent content) {
    return contents[content].key;
}

GVariant *baton_content_find(GVariant *properties, BatonContent content) {
    return g_variant_lookup_value(properties, contents[content].key, G_VARIANT_TYPE(contents[content].type));
}

static gboolean can_never_go(GVariant *user_info) {
    return user_info != NULL && g_variant_get_size(user_info) > NEVER;
}

GVariant *baton_content_for_the_bus(BatonContent content, GVariant *value) {
    if (content != BATON_CONTENT_USER_INFO || !can_never_go(value)) return value;
    g_autofree char *much = g_strnfill(MOST_BYTES + 1, 'x');
    return g_variant_new_parsed("{'too large': <%s>}", much);
}

static gboolean is_title_too_long(GVariant *title) {
    return title != NULL && strlen(g_variant_get_string(title, NULL)) > LONGEST_TITLE;
}

GError *baton_content_explain(GVariant *const *values, GError *error) {
    GVariant *user_info = values[BATON_CONTENT_USER_INFO];
    GError *better = NULL;
    if (can_never_go(user_info) && g_error_matches(error, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE))
        better = g_error_new(BATON_ERROR, error->code, "userInfo of %" G_GSIZE_FORMAT " bytes; at most %u are allowed", g_variant_get_size(user_info), MOST_BYTES);
    /* The daemon's message names the protocol's limit, which is higher. */
    if (is_title_too_long(values[BATON_CONTENT_TITLE]) && g_error_matches(error, BATON_ERROR, BATON_ERROR_INVALID_ARGUMENT))
        better = g_error_new(BATON_ERROR, error->code, "title: more than %u bytes", LONGEST_TITLE);
    if (better == NULL) return error;
    g_error_free(error);
    return better;
}

const char *baton_content_get_string(GVariant *value) {
    return value != NULL ? g_variant_get_string(value, NULL) : NULL;
}

gboolean baton_content_get_boolean(GVariant *value) {
    return value != NULL && g_variant_get_boolean(value);
}

GDateTime *baton_content_get_date(GVariant *value) {
    if (value == NULL) return NULL;
    double seconds = g_variant_get_double(value);
    /* GDateTime supports only the years 1 to 9999. */
    if (!(seconds >= -62135596800.0 && seconds < 253402300800.0)) return NULL;
    gint64 whole = (gint64)seconds;
    if ((double)whole > seconds) whole--;
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(whole);
    return g_date_time_add(date, (GTimeSpan)((seconds - (double)whole) * G_TIME_SPAN_SECOND + 0.5));
}

char **baton_content_get_strings(GVariant *value) {
    return value != NULL ? g_variant_dup_strv(value, NULL) : NULL;
}

GVariant *baton_content_new_string(const char *text) {
    return text != NULL ? g_variant_new_string(text) : NULL;
}

GVariant *baton_content_new_date(GDateTime *date) {
    if (date == NULL) return NULL;
    return g_variant_new_double((double)g_date_time_to_unix(date) + g_date_time_get_microsecond(date) / (double)G_TIME_SPAN_SECOND);
}

GVariant *baton_content_new_strings(const char *const *texts) {
    return texts != NULL ? g_variant_new_strv(texts, -1) : NULL;
}
