/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-document-url-private.h"

#include <baton.h>

#define LONGEST_NAME 255

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

static gboolean is_name(const char *name) {
    gsize length = strlen(name);
    if (length == 0 || length > LONGEST_NAME || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return FALSE;
    if (!g_utf8_validate(name, -1, NULL)) return FALSE;
    for (const char *each = name; *each != '\0'; each = g_utf8_next_char(each))
        if (*each == '/' || g_unichar_iscntrl(g_utf8_get_char(each))) return FALSE;
    return TRUE;
}

char *baton_document_url_of_name(const char *name) {
    if (!is_name(name)) return NULL;
    g_autofree char *encoded = g_uri_escape_string(name, NULL, FALSE);
    return g_strconcat(BATON_DOCUMENT_SCHEME "/", encoded, NULL);
}

char *baton_document_name_in_url(const char *url) {
    g_autofree char *path = baton_document_path_of(url, BATON_DOCUMENT_SCHEME);
    g_autofree char *name = path != NULL ? baton_document_decode(path) : NULL;
    return name != NULL && is_name(name) ? g_steal_pointer(&name) : NULL;
}

char *baton_document_name_of(const char *url) {
    g_autofree char *path = baton_document_path_of(url, BATON_FOLDER_SCHEME);
    if (path == NULL) return baton_document_name_in_url(url);
    const char *slash = strrchr(path, '/');
    g_autofree char *name = slash != NULL ? baton_document_decode(slash + 1) : NULL;
    return name != NULL && is_name(name) ? g_steal_pointer(&name) : NULL;
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
