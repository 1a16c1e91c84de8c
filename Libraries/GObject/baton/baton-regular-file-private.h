/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Opens a regular file for reading, and returns its descriptor and its size. Returns -1, with an
 * error, if the file has more than `limit` bytes, or if it is a pipe or a device, which could block
 * the reader. */
int baton_regular_file_open(const char *path, guint64 limit, guint64 *size, GError **error);

/* Checks a file that is already open by the same rules. */
gboolean baton_regular_file_is_fit(int descriptor, guint64 limit, guint64 *size, GError **error);

/* Returns the contents of a small regular file, with a NUL after them. */
char *baton_regular_file_read(const char *path, gsize limit, gsize *length, GError **error);

/* Sets the error of a system call, in one line that names no file. */
void baton_regular_file_fail(GError **error, int number, const char *what);

G_END_DECLS
