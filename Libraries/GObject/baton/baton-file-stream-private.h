/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Reads an open regular file from its beginning, whatever else reads by the same description of it:
 * the stream has an offset of its own. Closes the descriptor when it is closed. */
GInputStream *baton_file_stream_new(int descriptor);

G_END_DECLS
