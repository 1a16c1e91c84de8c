/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whether a regular file is there, below a folder, without a symbolic link on the way from there.
 *
 * It goes from directory to directory by descriptors, each of which stays what it is whatever is
 * renamed meanwhile, and opens nothing: a pipe holds nobody up. The folder itself may be a link, for
 * the user has named it. */
gboolean baton_folder_has_file(const char *folder, const char *below, GError **error);

G_END_DECLS
