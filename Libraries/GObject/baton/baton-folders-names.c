/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-folders-private.h"

#include "baton-document-url-private.h"


/* --- The configuration -------------------------------------------------------------------------- */

/* Unicode's White_Space, the same characters that the Swift library uses. */
static gboolean is_space(gunichar character) {
    return g_unichar_isspace(character) || character == 0x0B || character == 0x85;
}

static char *trimmed(const char *begin, const char *end) {
    while (begin < end && is_space(g_utf8_get_char(begin))) begin = g_utf8_next_char(begin);
    while (begin < end && is_space(g_utf8_get_char(g_utf8_prev_char(end)))) end = g_utf8_prev_char(end);
    return g_strndup(begin, (gsize)(end - begin));
}

static gboolean add(GHashTable *folders, const char *line) {
    const char *equals = strchr(line, '=');
    if (equals == NULL) return FALSE;
    g_autofree char *name = trimmed(line, equals), *path = trimmed(equals + 1, equals + strlen(equals));
    if (*name == '\0' || strchr(name, '/') != NULL || *path != '/' || g_hash_table_contains(folders, name)) return FALSE;
    g_autofree char *canonical = g_canonicalize_filename(path, "/");
    g_hash_table_insert(folders, g_steal_pointer(&name), g_steal_pointer(&canonical));
    return TRUE;
}

/* Adds the folder that a line names, if any. Returns FALSE if the line has a mistake. */
static gboolean read_line(GHashTable *folders, const char *begin, const char *end) {
    if (!g_utf8_validate(begin, end - begin, NULL)) return FALSE;
    g_autofree char *line = trimmed(begin, end);
    return *line == '\0' || *line == '#' || add(folders, line);
}

GHashTable *baton_folders_parse(const char *text, gsize length, GError **mistake) {
    GHashTable *folders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    const char *end = text + length;
    for (guint number = 1; text <= end; number++) {
        const char *newline = memchr(text, '\n', (gsize)(end - text)), *line_end = newline != NULL ? newline : end;
        if (!read_line(folders, text, line_end) && mistake != NULL && *mistake == NULL)
            g_set_error(mistake, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "line %u is not NAME = /PATH with a name of its own, in UTF-8", number);
        text = line_end + 1;
    }
    return folders;
}

/* --- From a path to a URL ----------------------------------------------------------------------- */

/* Returns the part of a path below a folder; NULL if it is the folder itself or outside of it. */
static const char *below(const char *path, const char *folder) {
    gsize length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] != '\0' ? path + length + 1 : NULL;
}

static guint depth(const char *folder) {
    guint count = 0;
    for (; *folder != '\0'; folder++) count += *folder == '/' && folder[1] != '\0';
    return count;
}

static gboolean is_better(const char *folder, const char *name, const char *best, const char *best_name) {
    return best == NULL || depth(folder) > depth(best) || (depth(folder) == depth(best) && strcmp(name, best_name) < 0);
}

char *baton_folders_name(GHashTable *folders, const char *path) {
    g_autofree char *canonical = g_canonicalize_filename(path, "/");
    GHashTableIter each;
    gpointer name, folder;
    const char *best = NULL, *best_name = NULL;
    g_hash_table_iter_init(&each, folders);
    while (g_hash_table_iter_next(&each, &name, &folder)) {
        if (below(canonical, folder) == NULL || !is_better(folder, name, best, best_name)) continue;
        best = folder;
        best_name = name;
    }
    if (best == NULL) return NULL;
    g_autofree char *named = g_strconcat(best_name, "/", below(canonical, best), NULL);
    g_auto(GStrv) parts = g_strsplit(named, "/", -1);
    return baton_document_make_url(BATON_FOLDER_SCHEME, (const char *const *)parts);
}

/* --- From a URL to a path ----------------------------------------------------------------------- */

static gboolean is_safe(const char *part) {
    return part != NULL && *part != '\0' && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

/* The message does not repeat the refused text because it comes from another device. */
static gboolean refuse(GError **error, int code, const char *message) {
    g_set_error_literal(error, G_IO_ERROR, code, message);
    return FALSE;
}

static char *joined(char **encoded, char *(*decode)(const char *)) {
    GString *path = g_string_new(NULL);
    for (guint i = 0; encoded[i] != NULL; i++) {
        g_autofree char *part = decode(encoded[i]);
        if (!is_safe(part)) {
            g_string_free(path, TRUE);
            return NULL;
        }
        g_string_append_printf(path, i == 0 ? "%s" : "/%s", part);
    }
    return g_string_free(path, FALSE);
}

gboolean baton_folders_locate(GHashTable *folders, const char *url, char **folder, char **below_it, GError **error) {
    g_autofree char *bytes = baton_document_bytes_of(url, BATON_FOLDER_SCHEME);
    g_autofree char *path = bytes != NULL ? g_strdup(bytes) : baton_document_path_of(url, BATON_FOLDER_SCHEME);
    char *(*decode)(const char *) = bytes != NULL ? baton_document_decode_bytes : baton_document_decode;
    if (path == NULL) return refuse(error, G_IO_ERROR_INVALID_ARGUMENT, "the URL names no file of a shared folder");
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    gboolean has_both = parts[0] != NULL && parts[1] != NULL;
    g_autofree char *name = has_both ? baton_document_decode(parts[0]) : NULL, *found = has_both ? joined(parts + 1, decode) : NULL;
    if (name == NULL || found == NULL) return refuse(error, G_IO_ERROR_INVALID_FILENAME, "the URL leads out of its shared folder");
    const char *known = g_hash_table_lookup(folders, name);
    if (known == NULL) return refuse(error, G_IO_ERROR_NOT_SUPPORTED, "the document is in a shared folder that this device does not have");
    *folder = g_strdup(known);
    *below_it = g_steal_pointer(&found);
    return TRUE;
}
