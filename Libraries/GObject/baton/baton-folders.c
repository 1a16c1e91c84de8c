/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-folder-walk-private.h"
#include "baton-folders-private.h"
#include "baton-regular-file-private.h"

#define LARGEST_CONFIGURATION 65536

/* Reads the user's configuration. Returns NULL, with an error, if that is impossible. `mistake`
 * names the first line that was skipped. */
static GHashTable *read_configuration(GError **mistake, GError **error) {
    g_autofree char *path = g_build_filename(g_get_user_config_dir(), "baton", "folders", NULL);
    gsize length;
    g_autoptr(GError) failure = NULL;
    g_autofree char *text = baton_regular_file_read(path, LARGEST_CONFIGURATION, &length, &failure);
    if (text == NULL && (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) || g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY)))
        return baton_folders_parse("", 0, NULL);
    if (text == NULL) {
        g_set_error(error, failure->domain, failure->code, "%s names no folders: %s", path, failure->message);
        return NULL;
    }
    GHashTable *folders = baton_folders_parse(text, length, mistake);
    if (*mistake != NULL) g_prefix_error(mistake, "%s: ", path);
    return folders;
}

/**
 * baton_folders_find_url:
 * @file: a file on this device, which need not exist
 * @error: why there is no URL
 *
 * Finds the URL that a file in a shared folder has on all of the user's devices.
 *
 * A shared folder has the same files on all of the user's devices, through synchronisation or a
 * network mount. The user lists these folders in `~/.config/baton/folders`, which is read at each
 * call. If one folder contains another, the inner one counts. [property@Baton.Activity:document]
 * does all of this by itself.
 *
 * A path may contain a name that is not UTF-8 or has control characters. Then the URL contains the
 * path with replacements, and the real path after `?bytes=`.
 *
 * Returns: (transfer full): `baton-folder:/NAME/PATH`; %NULL, with %G_IO_ERROR_NOT_FOUND, for a
 * file that is in no shared folder. Another error means that the configuration cannot be read, or
 * that it has a line with a mistake which might name the file's folder
 *
 * Since: 1.1
 */
char *baton_folders_find_url(GFile *file, GError **error) {
    g_return_val_if_fail(G_IS_FILE(file), NULL);
    g_autoptr(GError) mistake = NULL;
    g_autoptr(GHashTable) folders = read_configuration(&mistake, error);
    if (folders == NULL) return NULL;
    g_autofree char *path = g_file_get_path(file);
    char *url = path != NULL ? baton_folders_name(folders, path) : NULL;
    if (url != NULL) return url;
    if (mistake != NULL) g_propagate_error(error, g_steal_pointer(&mistake));
    else g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "the file is in no shared folder");
    return NULL;
}

static GFile *find(const char *url, mode_t kind, GError **error) {
    g_autoptr(GError) mistake = NULL, failure = NULL;
    g_autoptr(GHashTable) folders = read_configuration(&mistake, error);
    if (folders == NULL) return NULL;
    g_autofree char *folder = NULL, *below = NULL;
    if (!baton_folders_locate(folders, url, &folder, &below, &failure)) {
        gboolean is_unknown = g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
        g_propagate_error(error, is_unknown && mistake != NULL ? g_steal_pointer(&mistake) : g_steal_pointer(&failure));
        return NULL;
    }
    if (!baton_folder_has(folder, below, kind, error)) return NULL;
    return g_file_new_build_filename(folder, below, NULL);
}

/**
 * baton_folders_find_file:
 * @url: a URL from another device
 * @error: why there is no file
 *
 * Finds the file in a shared folder that another device has named with a URL.
 *
 * The result is a regular file that exists now and is inside the folder. A path with `..` or with a
 * symbolic link below the folder is refused. The file may change before it is opened, like every
 * file in a folder that others write to.
 *
 * A folder on a network may block this call. For such folders call it on a thread of its own, or
 * use [method@Baton.Continuation.load_document_async].
 *
 * Returns: (transfer full): the file; %NULL, with %G_IO_ERROR_NOT_FOUND, if it has not arrived yet,
 * with %G_IO_ERROR_NOT_SUPPORTED if the user has no folder of this name, or with another error,
 * such as %G_IO_ERROR_INVALID_DATA if a line with a mistake might name that folder
 *
 * Since: 1.1
 */
GFile *baton_folders_find_file(const char *url, GError **error) {
    g_return_val_if_fail(url != NULL, NULL);
    return find(url, S_IFREG, error);
}

/**
 * baton_folders_find_directory:
 * @url: a URL from another device
 * @error: why there is no directory
 *
 * Finds the directory in a shared folder that another device has named with a URL.
 *
 * The rules and the errors of [func@Baton.folders_find_file] apply, with %G_IO_ERROR_NOT_DIRECTORY
 * if the URL leads to something other than a directory.
 *
 * Returns: (transfer full): the directory; %NULL if there is none
 *
 * Since: 1.1
 */
GFile *baton_folders_find_directory(const char *url, GError **error) {
    g_return_val_if_fail(url != NULL, NULL);
    return find(url, S_IFDIR, error);
}
