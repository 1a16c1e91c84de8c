/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "baton-folder-walk-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baton-regular-file-private.h"

#define PLACE (O_PATH | O_NOFOLLOW | O_CLOEXEC)

static gboolean is_of_kind(int descriptor, mode_t kind, GError **error) {
    struct stat status;
    if (fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == kind) return TRUE;
    g_set_error(error, G_IO_ERROR, kind == S_IFDIR ? G_IO_ERROR_NOT_DIRECTORY : G_IO_ERROR_NOT_REGULAR_FILE, "the document is not a %s, or is behind a symbolic link",
                kind == S_IFDIR ? "directory" : "regular file");
    return FALSE;
}

gboolean baton_folder_has(const char *folder, const char *below, mode_t kind, GError **error) {
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
    gboolean is_there = is_of_kind(place, kind, error);
    close(place);
    return is_there;
}
