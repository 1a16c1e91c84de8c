/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Returns whether a regular file is below a folder, without a symbolic link on the way from there.
 *
 * It walks from directory to directory by descriptors. A descriptor stays valid even if a directory
 * is renamed meanwhile. It does not open the file, so a pipe cannot block it. The folder itself may
 * be a link because the user configured it. */
gboolean baton_folder_has_file(const char *folder, const char *below, GError **error);

G_END_DECLS
