/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>

void set_folders(const char *text) {
    g_autofree char *directory = g_build_filename(g_get_user_config_dir(), "baton", NULL), *path = g_build_filename(directory, "folders", NULL);
    g_mkdir_with_parents(directory, 0700);
    g_unlink(path);
    if (text != NULL) g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

void remove_tree(const char *path) {
    g_autoptr(GDir) directory = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
    const char *name;
    while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        remove_tree(below);
    }
    g_assert_cmpint(g_remove(path), ==, 0);
}

guint count_copies(void) {
    g_autofree char *path = g_build_filename(g_get_user_data_dir(), "baton", "documents", NULL);
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    guint count = 0;
    while (directory != NULL && g_dir_read_name(directory) != NULL) count++;
    return count;
}

static struct rlimit before;

void fill_disk(gsize largest) {
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    struct rlimit limit = {.rlim_cur = largest, .rlim_max = before.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
}

void empty_disk(void) {
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
}
