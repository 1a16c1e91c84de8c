/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-contents-private.h"

/* Returns the value in a pair of this kind, without its variant; NULL for anything else and for
 * NULL. */
static GVariant *held(GVariant *value, const char *kind) {
    if (value == NULL || !g_variant_type_is_tuple(g_variant_get_type(value)) || g_variant_n_children(value) != 2) return NULL;
    g_autoptr(GVariant) name = g_variant_get_child_value(value, 0), second = g_variant_get_child_value(value, 1);
    if (!g_variant_is_of_type(name, G_VARIANT_TYPE_STRING) || strcmp(g_variant_get_string(name, NULL), kind) != 0) return NULL;
    if (g_variant_is_of_type(second, G_VARIANT_TYPE_VARIANT)) return g_variant_get_variant(second);
    return g_steal_pointer(&second);
}

static char *held_string(GVariant *value, const char *kind) {
    g_autoptr(GVariant) text = held(value, kind);
    return text != NULL && g_variant_is_of_type(text, G_VARIANT_TYPE_STRING) ? g_variant_dup_string(text, NULL) : NULL;
}

/**
 * baton_value_new_date:
 * @date: a moment
 *
 * Creates a date value for [property@Baton.Activity:user-info], with a precision of one
 * microsecond.
 *
 * Returns: (transfer floating): the value
 *
 * Since: 1.0
 */
GVariant *baton_value_new_date(GDateTime *date) {
    g_return_val_if_fail(date != NULL, NULL);
    double fraction = g_date_time_get_microsecond(date) / (double)G_TIME_SPAN_SECOND;
    return g_variant_new("(sv)", "date", g_variant_new("(dd)", (double)g_date_time_to_unix(date), fraction));
}

/**
 * baton_value_get_date:
 * @value: (nullable): a value of userInfo; %NULL if there is none, as from
 * [method@GLib.Variant.lookup_value]
 *
 * Gets the date from a value.
 *
 * Returns: (transfer full) (nullable): the date in UTC; %NULL if the value has another kind, is
 * %NULL, or has a year that a [struct@GLib.DateTime] does not support
 *
 * Since: 1.0
 */
GDateTime *baton_value_get_date(GVariant *value) {
    g_autoptr(GVariant) date = held(value, "date");
    if (date == NULL) return NULL;
    if (g_variant_is_of_type(date, G_VARIANT_TYPE_DOUBLE)) return baton_content_get_date(date);
    double seconds, fraction = 0;
    if (g_variant_is_of_type(date, G_VARIANT_TYPE_INT64)) seconds = (double)g_variant_get_int64(date);
    else if (g_variant_is_of_type(date, G_VARIANT_TYPE("(dd)"))) g_variant_get(date, "(dd)", &seconds, &fraction);
    else return NULL;
    g_autoptr(GVariant) whole = g_variant_ref_sink(g_variant_new_double(seconds));
    g_autoptr(GDateTime) found = baton_content_get_date(whole);
    if (found == NULL || !(fraction > -1 && fraction < 1)) return NULL;
    double microseconds = fraction * G_TIME_SPAN_SECOND;
    return g_date_time_add(found, (GTimeSpan)(microseconds < 0 ? microseconds - 0.5 : microseconds + 0.5));
}

/**
 * baton_value_new_url:
 * @url: a URL in ASCII, with all other characters percent-encoded
 *
 * Creates a URL value for [property@Baton.Activity:user-info].
 *
 * Returns: (transfer floating) (nullable): the value; %NULL if the text is not ASCII
 *
 * Since: 1.0
 */
GVariant *baton_value_new_url(const char *url) {
    g_return_val_if_fail(url != NULL, NULL);
    if (!g_str_is_ascii(url)) return NULL;
    return g_variant_new("(sv)", "url", g_variant_new_string(url));
}

/**
 * baton_value_get_url:
 * @value: (nullable): a value of userInfo; %NULL if there is none, as from
 * [method@GLib.Variant.lookup_value]
 *
 * Gets the URL from a value. The URL comes from another device, so check its scheme before you use
 * it.
 *
 * Returns: (transfer full) (nullable): the URL; %NULL if the value has another kind or is %NULL
 *
 * Since: 1.0
 */
char *baton_value_get_url(GVariant *value) {
    return held_string(value, "url");
}

/**
 * baton_value_new_uuid:
 * @uuid: a UUID in the form of [func@GLib.uuid_string_random]
 *
 * Creates a UUID value for [property@Baton.Activity:user-info].
 *
 * Returns: (transfer floating) (nullable): the value; %NULL if the text is not a UUID
 *
 * Since: 1.0
 */
GVariant *baton_value_new_uuid(const char *uuid) {
    g_return_val_if_fail(uuid != NULL, NULL);
    if (!g_uuid_string_is_valid(uuid)) return NULL;
    return g_variant_new("(sv)", "uuid", g_variant_new_take_string(g_ascii_strup(uuid, -1)));
}

/**
 * baton_value_get_uuid:
 * @value: (nullable): a value of userInfo; %NULL if there is none, as from
 * [method@GLib.Variant.lookup_value]
 *
 * Gets the UUID from a value.
 *
 * Returns: (transfer full) (nullable): the UUID in lower case, as GLib writes it; %NULL if the
 * value has another kind or is %NULL
 *
 * Since: 1.0
 */
char *baton_value_get_uuid(GVariant *value) {
    g_autofree char *uuid = held_string(value, "uuid");
    return uuid != NULL && g_uuid_string_is_valid(uuid) ? g_ascii_strdown(uuid, -1) : NULL;
}

/**
 * baton_value_new_data:
 * @data: bytes
 *
 * Creates a value of bytes for [property@Baton.Activity:user-info].
 *
 * Returns: (transfer floating): the value
 *
 * Since: 1.0
 */
GVariant *baton_value_new_data(GBytes *data) {
    g_return_val_if_fail(data != NULL, NULL);
    return g_variant_new_from_bytes(G_VARIANT_TYPE_BYTESTRING, data, TRUE);
}

/**
 * baton_value_get_data:
 * @value: (nullable): a value of userInfo; %NULL if there is none, as from
 * [method@GLib.Variant.lookup_value]
 *
 * Gets the bytes from a value.
 *
 * Returns: (transfer full) (nullable): the bytes; %NULL if the value has another kind or is %NULL
 *
 * Since: 1.0
 */
GBytes *baton_value_get_data(GVariant *value) {
    return value != NULL && g_variant_is_of_type(value, G_VARIANT_TYPE_BYTESTRING) ? g_variant_get_data_as_bytes(value) : NULL;
}
