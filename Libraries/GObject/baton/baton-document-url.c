/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-document-url-private.h"

#include <baton.h>

/* The separator before the path in bytes. A library that does not know this separator sees a query
 * and uses the path before it. */
#define BYTES "?bytes=/"

char *baton_document_path_of(const char *url, const char *scheme) {
    if (!g_str_has_prefix(url, scheme)) return NULL;
    const char *path = url + strlen(scheme);
    if (path[0] != '/' || path[1] == '/') return NULL;
    return g_strndup(path + 1, strcspn(path + 1, "?#"));
}

char *baton_document_decode(const char *part) {
    g_autofree char *decoded = g_uri_unescape_string(part, "/");
    return decoded != NULL && g_utf8_validate(decoded, -1, NULL) ? g_steal_pointer(&decoded) : NULL;
}

char *baton_document_bytes_of(const char *url, const char *scheme) {
    g_autofree char *shown = baton_document_path_of(url, scheme);
    const char *query = shown != NULL ? strchr(url, '?') : NULL;
    if (query == NULL || !g_str_has_prefix(query, BYTES)) return NULL;
    const char *path = query + strlen(BYTES);
    return g_strndup(path, strcspn(path, "&#"));
}

char *baton_document_decode_bytes(const char *part) {
    return g_uri_unescape_string(part, "/");
}

/* --- Names -------------------------------------------------------------------------------------- */

/* Replaces each byte that is not UTF-8 and each control character. */
static char *replace_bad(const char *name, const char *instead) {
    GString *found = g_string_new(NULL);
    while (*name != '\0') {
        gunichar character = g_utf8_get_char_validated(name, -1);
        gboolean is_utf8 = character != (gunichar)-1 && character != (gunichar)-2;
        const char *next = is_utf8 ? g_utf8_next_char(name) : name + 1;
        if (!is_utf8 || g_unichar_iscntrl(character)) g_string_append(found, instead);
        else g_string_append_len(found, name, next - name);
        name = next;
    }
    return g_string_free(found, FALSE);
}

/* Returns a name that can be shown and that is not longer than a file name may be. */
static char *repair(const char *name) {
    char *found = replace_bad(name, "\uFFFD");
    if (strlen(found) <= BATON_DOCUMENT_LONGEST_NAME || strcmp(found, name) == 0) return found;
    g_free(found);
    return replace_bad(name, "_");
}

static gboolean is_plain(const char *name) {
    g_autofree char *repaired = repair(name);
    return strcmp(name, repaired) == 0;
}

static gboolean is_name(const char *name) {
    gsize length = strlen(name);
    return length > 0 && length <= BATON_DOCUMENT_LONGEST_NAME && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void append_path(GString *url, const char *const *parts, char *(*change)(const char *)) {
    for (gsize i = 0; parts[i] != NULL; i++) {
        g_autofree char *part = change(parts[i]), *encoded = g_uri_escape_string(part, NULL, FALSE);
        g_string_append_printf(url, i == 0 ? "%s" : "/%s", encoded);
    }
}

char *baton_document_make_url(const char *scheme, const char *const *parts) {
    GString *url = g_string_new(scheme);
    gboolean are_plain = TRUE;
    for (gsize i = 0; parts[i] != NULL; i++) are_plain = are_plain && is_plain(parts[i]);
    g_string_append_c(url, '/');
    append_path(url, parts, repair);
    if (!are_plain) {
        g_string_append(url, BYTES);
        append_path(url, parts, g_strdup);
    }
    return g_string_free(url, FALSE);
}

char *baton_document_url_of_name(const char *name) {
    const char *const parts[] = {name, NULL};
    return is_name(name) ? baton_document_make_url(BATON_DOCUMENT_SCHEME, parts) : NULL;
}

/* Decodes a name from another device so that it can be shown. */
static char *decode_name(const char *encoded) {
    g_autofree char *name = baton_document_decode(encoded);
    return name != NULL && is_name(name) && is_plain(name) ? g_steal_pointer(&name) : NULL;
}

char *baton_document_name_in_url(const char *url) {
    g_autofree char *path = baton_document_path_of(url, BATON_DOCUMENT_SCHEME);
    return path != NULL ? decode_name(path) : NULL;
}

char *baton_document_name_of(const char *url) {
    g_autofree char *path = baton_document_path_of(url, BATON_FOLDER_SCHEME);
    if (path == NULL) return baton_document_name_in_url(url);
    const char *slash = strrchr(path, '/');
    return slash != NULL ? decode_name(slash + 1) : NULL;
}

char *baton_document_name_of_copy(const char *name) {
    char *found = g_strdup(name);
    if (found[0] == '.') found[0] = '_';
    return found;
}

gboolean baton_document_is_streamed(const char *url) {
    return url != NULL && g_str_has_prefix(url, BATON_DOCUMENT_SCHEME);
}

char *baton_document_url_in(GVariant *user_info) {
    g_autoptr(GVariant) value = g_variant_lookup_value(user_info, BATON_DOCUMENT_KEY, NULL);
    g_autofree char *url = value != NULL ? baton_value_get_url(value) : NULL;
    if (url == NULL) return NULL;
    g_autofree char *in_folder = baton_document_path_of(url, BATON_FOLDER_SCHEME), *name = baton_document_name_in_url(url);
    return in_folder != NULL || name != NULL ? g_steal_pointer(&url) : NULL;
}

GVariant *baton_document_add_url(GVariant *user_info, const char *url) {
    GVariantBuilder entries;
    GVariantIter each;
    const char *key;
    GVariant *value;
    g_variant_builder_init(&entries, G_VARIANT_TYPE_VARDICT);
    if (user_info != NULL) {
        g_variant_iter_init(&each, user_info);
        while (g_variant_iter_loop(&each, "{&sv}", &key, &value))
            if (strcmp(key, BATON_DOCUMENT_KEY) != 0) g_variant_builder_add(&entries, "{sv}", key, value);
    }
    g_variant_builder_add(&entries, "{sv}", BATON_DOCUMENT_KEY, baton_value_new_url(url));
    return g_variant_builder_end(&entries);
}

void baton_document_write_header(guint8 *header, guint64 length) {
    for (guint i = 0; i < BATON_DOCUMENT_HEADER; i++) header[i] = (guint8)(length >> (8 * (BATON_DOCUMENT_HEADER - 1 - i)));
}

guint64 baton_document_read_header(const guint8 *header) {
    guint64 length = 0;
    for (guint i = 0; i < BATON_DOCUMENT_HEADER; i++) length = length << 8 | header[i];
    return length;
}
