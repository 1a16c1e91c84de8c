/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Creates a stream that reads an open regular file from its beginning. The stream has an offset of
 * its own, so other readers of the same open file do not disturb it. Closing the stream closes the
 * descriptor. */
GInputStream *baton_file_stream_new(int descriptor);

G_END_DECLS
