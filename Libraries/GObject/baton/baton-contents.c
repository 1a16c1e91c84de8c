/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-contents-private.h"

#include "baton-error.h"

/* The daemon's limit of a userInfo, in bytes as it sends them. Only the daemon can check the size of
 * a userInfo. */
#define MOST_BYTES 65536

/* A GVariant of more bytes is certainly too large: 16,384 values of up to 40 bytes, and the
 * texts. */
#define NEVER (768 << 10)

GVariant *baton_content_find(GVariant *properties, BatonContent content) {
    const BatonContentName *name = &baton_content_names[content];
    return g_variant_lookup_value(properties, name->key, G_VARIANT_TYPE(name->type));
}

static gboolean can_never_go(GVariant *user_info) {
    return user_info != NULL && g_variant_get_size(user_info) > NEVER;
}

GVariant *baton_content_for_the_bus(BatonContent content, GVariant *value) {
    if (content != BATON_CONTENT_USER_INFO || !can_never_go(value)) return value;
    g_autofree char *much = g_strnfill(MOST_BYTES + 1, 'x');
    return g_variant_new_parsed("{'too large': <%s>}", much);
}

GError *baton_content_explain(GVariant *const *values, GError *error) {
    GVariant *user_info = values[BATON_CONTENT_USER_INFO];
    if (!can_never_go(user_info) || !g_error_matches(error, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE)) return error;
    g_error_free(error);
    return g_error_new(BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE, "userInfo of %" G_GSIZE_FORMAT " bytes; at most %u are allowed", g_variant_get_size(user_info), MOST_BYTES);
}

gboolean baton_content_replace(GVariant **place, GVariant *value) {
    g_autoptr(GVariant) new = value != NULL ? g_variant_ref_sink(value) : NULL;
    if (*place == new || (*place != NULL && new != NULL && g_variant_equal(*place, new))) return FALSE;
    g_clear_pointer(place, g_variant_unref);
    *place = g_steal_pointer(&new);
    return TRUE;
}

gboolean baton_content_is_state(GVariant *value) {
    if (value == NULL || g_variant_is_of_type(value, G_VARIANT_TYPE_VARDICT)) return TRUE;
    g_warning("user_info is a '%s' and has to be an 'a{sv}': the one before stays", g_variant_get_type_string(value));
    g_variant_unref(g_variant_ref_sink(value));
    return FALSE;
}

const char *baton_content_get_string(GVariant *value) {
    return value != NULL ? g_variant_get_string(value, NULL) : NULL;
}

GVariant *baton_content_get_state(GVariant *value) {
    return value;
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

GVariant *baton_content_new_state(GVariant *value) {
    return value;
}

GVariant *baton_content_new_boolean(gboolean value) {
    return g_variant_new_boolean(value);
}

GVariant *baton_content_new_date(GDateTime *date) {
    if (date == NULL) return NULL;
    return g_variant_new_double((double)g_date_time_to_unix(date) + g_date_time_get_microsecond(date) / (double)G_TIME_SPAN_SECOND);
}

GVariant *baton_content_new_strings(const char *const *texts) {
    return texts != NULL ? g_variant_new_strv(texts, -1) : NULL;
}
