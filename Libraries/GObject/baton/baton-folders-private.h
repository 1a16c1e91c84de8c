/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Shared folders: for each name that all devices use, the folder's path on this device. The rules
 * are in Documentation/ActivityModel.md, and the test cases in Tests/Vectors/documents.json. */

/* Reads lines `NAME = /PATH`. Lines with a mistake are skipped, and the error names the first of
 * them. */
GHashTable *baton_folders_parse(const char *text, gsize length, GError **mistake);

/* Returns the URL of a path on this device; NULL if the path is in none of the folders. */
char *baton_folders_name(GHashTable *folders, const char *path);

/* Finds the folder that a URL names and the path below it, which has no `..`. Does not check
 * whether a file exists. */
gboolean baton_folders_locate(GHashTable *folders, const char *url, char **folder, char **below, GError **error);

G_END_DECLS
