/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Opens a regular file to read, whose descriptor is returned, and gives its size; -1, with an
 * error, for one of more than `limit` bytes, and for pipes and devices, which would hold up who
 * reads them. */
int baton_regular_file_open(const char *path, guint64 limit, guint64 *size, GError **error);

/* Looks at a file that is open already, by the same rules. */
gboolean baton_regular_file_is_fit(int descriptor, guint64 limit, guint64 *size, GError **error);

/* All that a small regular file has, with a NUL behind it. */
char *baton_regular_file_read(const char *path, gsize limit, gsize *length, GError **error);

/* The error of a call of the system's, in one line that names no file. */
void baton_regular_file_fail(GError **error, int number, const char *what);

G_END_DECLS
