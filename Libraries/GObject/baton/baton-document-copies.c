/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baton-document-copy-private.h"

/* How long a copy is kept after it was last written, in seconds. */
#define LIFETIME (30 * 24 * 3600)

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

char *baton_document_copies_directory(void) {
    return g_build_filename(g_get_user_cache_dir(), "baton", "documents", NULL);
}

static DIR *open_directory(int parent, const char *name) {
    int descriptor = openat(parent, name, DIRECTORY);
    DIR *directory = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (directory == NULL && descriptor >= 0) close(descriptor);
    return directory;
}

/* The next name in a directory; NULL at its end. */
static const char *next_name(DIR *directory) {
    struct dirent *entry;
    do entry = readdir(directory);
    while (entry != NULL && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry != NULL ? entry->d_name : NULL;
}

/* When a copy was last written. */
static gint64 last_written(DIR *copy) {
    const char *name;
    struct stat status;
    gint64 latest = fstat(dirfd(copy), &status) == 0 ? status.st_mtime : G_MAXINT64;
    while ((name = next_name(copy)) != NULL)
        if (fstatat(dirfd(copy), name, &status, AT_SYMLINK_NOFOLLOW) == 0) latest = MAX(latest, status.st_mtime);
    rewinddir(copy);
    return latest;
}

static void remove_files(DIR *copy) {
    const char *name;
    while ((name = next_name(copy)) != NULL) unlinkat(dirfd(copy), name, 0);
}

void baton_document_copies_remove_forgotten(const char *path, gint64 now) {
    DIR *directory = open_directory(AT_FDCWD, path);
    const char *name;
    while (directory != NULL && (name = next_name(directory)) != NULL) {
        DIR *copy = g_uuid_string_is_valid(name) ? open_directory(dirfd(directory), name) : NULL;
        if (copy == NULL) continue;
        gboolean is_forgotten = now - last_written(copy) > LIFETIME;
        if (is_forgotten) remove_files(copy);
        closedir(copy);
        if (is_forgotten) unlinkat(dirfd(directory), name, AT_REMOVEDIR);
    }
    if (directory != NULL) closedir(directory);
}
