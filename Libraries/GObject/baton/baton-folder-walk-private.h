/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* Returns whether a regular file (`S_IFREG`) or a directory (`S_IFDIR`) is below a folder, without a
 * symbolic link on the way from there.
 *
 * The function walks from directory to directory by descriptors. A descriptor stays valid even if a
 * directory is renamed meanwhile. The function does not open the file, so a pipe cannot block it.
 * The folder itself may be a link because the user configured it. */
gboolean baton_folder_has(const char *folder, const char *below, mode_t kind, GError **error);

G_END_DECLS
