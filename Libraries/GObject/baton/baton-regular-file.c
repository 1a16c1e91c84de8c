/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-regular-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void baton_regular_file_fail(GError **error, int number, const char *what) {
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(number), "%s: %s", what, g_strerror(number));
}

gboolean baton_regular_file_is_fit(int descriptor, guint64 limit, guint64 *size, GError **error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) baton_regular_file_fail(error, errno, "the file cannot be read");
    else if (!S_ISREG(status.st_mode)) g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "it is not a regular file");
    else if ((guint64)status.st_size > limit)
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE, "the file has more than %" G_GUINT64_FORMAT " bytes", limit);
    else {
        *size = (guint64)status.st_size;
        return TRUE;
    }
    return FALSE;
}

int baton_regular_file_open(const char *path, guint64 limit, guint64 *size, GError **error) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        baton_regular_file_fail(error, errno, "the file cannot be opened");
        return -1;
    }
    if (baton_regular_file_is_fit(descriptor, limit, size, error)) return descriptor;
    close(descriptor);
    return -1;
}

/* Reads until the end of the file, because the file may grow meanwhile. */
static gboolean read_to_the_end(int descriptor, char *buffer, gsize room, gsize *length, GError **error) {
    gssize found;
    *length = 0;
    do {
        found = read(descriptor, buffer + *length, room - *length);
        if (found > 0) *length += (gsize)found;
    } while ((found > 0 && *length < room) || (found < 0 && errno == EINTR));
    if (found < 0) baton_regular_file_fail(error, errno, "the file cannot be read");
    else if (*length == room) g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE, "the file is too large");
    else return TRUE;
    return FALSE;
}

char *baton_regular_file_read(const char *path, gsize limit, gsize *length, GError **error) {
    guint64 size;
    int descriptor = baton_regular_file_open(path, limit, &size, error);
    if (descriptor < 0) return NULL;
    g_autofree char *buffer = g_malloc(limit + 1);
    gboolean is_read = read_to_the_end(descriptor, buffer, limit + 1, length, error);
    close(descriptor);
    if (!is_read) return NULL;
    buffer[*length] = '\0';
    return g_steal_pointer(&buffer);
}
