/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Shared folders: where this device has each, by the name that all devices use. The rules are those
 * of Documentation/ActivityModel.md, and the cases in Tests/Vectors/documents.json. */

/* Reads lines `NAME = /PATH`. Lines with a mistake do not count; the error names the first of them. */
GHashTable *baton_folders_parse(const char *text, gsize length, GError **mistake);

/* The URL of a path on this device; NULL when it is in none of the folders. */
char *baton_folders_name(GHashTable *folders, const char *path);

/* The folder that a URL names, and the path below it, which has no `..`. Looks at no file. */
gboolean baton_folders_locate(GHashTable *folders, const char *url, char **folder, char **below, GError **error);

G_END_DECLS
