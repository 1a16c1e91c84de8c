/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-file-stream-private.h"

#include <errno.h>
#include <unistd.h>

#include "baton-regular-file-private.h"

#define BATON_TYPE_FILE_STREAM (baton_file_stream_get_type())
G_DECLARE_FINAL_TYPE(BatonFileStream, baton_file_stream, BATON, FILE_STREAM, GInputStream)

struct _BatonFileStream {
    GInputStream parent_instance;
    int descriptor;
    off_t offset;
};

G_DEFINE_FINAL_TYPE(BatonFileStream, baton_file_stream, G_TYPE_INPUT_STREAM)

GInputStream *baton_file_stream_new(int descriptor) {
    BatonFileStream *self = g_object_new(BATON_TYPE_FILE_STREAM, NULL);
    self->descriptor = descriptor;
    return G_INPUT_STREAM(self);
}

/* For asynchronous reads GInputStream calls this function on a thread of its own. */
static gssize read_file(GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable, GError **error) {
    BatonFileStream *self = BATON_FILE_STREAM(stream);
    gssize found;
    do {
        if (g_cancellable_set_error_if_cancelled(cancellable, error)) return -1;
        found = pread(self->descriptor, buffer, count, self->offset);
    } while (found < 0 && errno == EINTR);
    if (found < 0) baton_regular_file_fail(error, errno, "the file cannot be read");
    else self->offset += found;
    return found;
}

static gboolean close_file(GInputStream *stream, GCancellable *cancellable, GError **error) {
    close(BATON_FILE_STREAM(stream)->descriptor);
    return TRUE;
}

static void baton_file_stream_class_init(BatonFileStreamClass *class) {
    G_INPUT_STREAM_CLASS(class)->read_fn = read_file;
    G_INPUT_STREAM_CLASS(class)->close_fn = close_file;
}

static void baton_file_stream_init(BatonFileStream *self) {
    self->descriptor = -1;
}
