/* SPDX-License-Identifier: Apache-2.0 */
#include "documents.h"

static void note(BatonActivity *activity, const char *text, GPtrArray *warnings) {
    g_ptr_array_add(warnings, g_strdup(text));
}

static void set_up(Desk *this, gconstpointer data) {
    this->root = g_dir_make_tmp("baton-documents-XXXXXX", NULL);
    this->warnings = g_ptr_array_new_with_free_func(g_free);
    this->activity = publish(TYPE);
    g_signal_connect(this->activity, "warning", G_CALLBACK(note), this->warnings);
}

static void tear_down(Desk *this, gconstpointer data) {
    set_folders(NULL);
    g_object_unref(this->activity);
    g_ptr_array_unref(this->warnings);
    remove_tree(this->root);
    g_free(this->root);
}

GFile *write_file(Desk *this, const char *name, const char *contents, gssize length) {
    g_autofree char *path = g_build_filename(this->root, name, NULL), *directory = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(directory, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, contents, length, NULL));
    return g_file_new_for_path(path);
}

GFile *load_contents(BatonContinuation *continuation, GError **error) {
    GAsyncResult *answer = NULL;
    baton_continuation_load_contents_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return baton_continuation_load_contents_finish(continuation, result, error);
}

void expect_copy(GFile *copy, const char *name, const char *contents) {
    g_autofree char *own_name = g_file_get_basename(copy), *found = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_cmpstr(own_name, ==, name);
    g_file_load_contents(copy, NULL, &found, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(found, ==, contents);
}

void add_desk_tests(const char *group, const DeskTest *tests, gsize count) {
    for (gsize i = 0; i < count; i++) {
        g_autofree char *path = g_strconcat("/", group, "/", tests[i].name, NULL);
        g_test_add(path, Desk, NULL, set_up, tests[i].test, tear_down);
    }
}
