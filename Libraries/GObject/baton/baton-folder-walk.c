/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "baton-folder-walk-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baton-regular-file-private.h"

#define PLACE (O_PATH | O_NOFOLLOW | O_CLOEXEC)

static gboolean is_regular(int descriptor, GError **error) {
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return TRUE;
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "the document is not a regular file, or is behind a symbolic link");
    return FALSE;
}

gboolean baton_folder_has_file(const char *folder, const char *below, GError **error) {
    g_auto(GStrv) parts = g_strsplit(below, "/", -1);
    int place = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (guint i = 0; place >= 0 && parts[i] != NULL; i++) {
        int next = openat(place, parts[i], parts[i + 1] != NULL ? PLACE | O_DIRECTORY : PLACE);
        int number = errno;
        close(place);
        place = next;
        errno = number;
    }
    if (place < 0) {
        baton_regular_file_fail(error, errno, "the document is not in its shared folder");
        return FALSE;
    }
    gboolean is_there = is_regular(place, error);
    close(place);
    return is_there;
}
