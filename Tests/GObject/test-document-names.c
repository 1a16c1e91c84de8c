/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"
#include "laptops.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The library does not export these functions. */
#include "../../Libraries/GObject/baton/baton-document-url-private.h"
#include "../../Libraries/GObject/baton/baton-folders-private.h"

/* Runs the cases that test the Swift library, too. The file is JSON, which is also valid text of a
 * GVariant. */
static void for_each_case(const char *name, void (*check)(const char *const *row, gpointer data), gpointer data) {
    g_autofree char *path = g_build_filename(g_getenv("BATON_TEST_VECTORS"), "documents.json", NULL), *text = NULL;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(GVariant) all = g_variant_parse(G_VARIANT_TYPE("a{saas}"), text, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(GVariant) rows = g_variant_lookup_value(all, name, G_VARIANT_TYPE("aas"));
    g_assert_cmpuint(g_variant_n_children(rows), >, 0);
    for (gsize i = 0; i < g_variant_n_children(rows); i++) {
        g_autoptr(GVariant) child = g_variant_get_child_value(rows, i);
        g_autofree const char **row = g_variant_get_strv(child, NULL);
        check(row, data);
    }
}

/* In the JSON file an empty text stands for a missing value. */
static void expect(const char *const *row, char *found) {
    if (g_strcmp0(found != NULL ? found : "", row[1]) != 0) g_error("'%s' gave '%s', not '%s'", row[0], found, row[1]);
    g_free(found);
}

static GHashTable *parse(const char *text) {
    g_autoptr(GError) mistake = NULL;
    GHashTable *folders = baton_folders_parse(text, strlen(text), &mistake);
    g_assert_no_error(mistake);
    return folders;
}

static void read_folders(const char *const *row, gpointer data) {
    *(GHashTable **)data = parse(row[0]);
}

/* --- The configuration -------------------------------------------------------------------------- */

static void check_folder(const char *const *row, gpointer folders) {
    g_assert_cmpstr(g_hash_table_lookup(folders, row[0]), ==, row[1]);
    g_hash_table_remove(folders, row[0]);
}

static void check_mistake(const char *const *row, gpointer data) {
    g_autoptr(GError) mistake = NULL;
    g_autofree char *line = g_strdup_printf("line %s ", row[1]);
    g_autoptr(GHashTable) folders = baton_folders_parse(row[0], strlen(row[0]), &mistake);
    g_assert_error(mistake, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
    g_assert_nonnull(strstr(mistake->message, line));
    /* The lines without a mistake still count. */
    g_auto(GStrv) names = g_strsplit(row[2], " ", -1);
    g_assert_cmpuint(g_hash_table_size(folders), ==, g_strv_length(names));
    for (guint i = 0; names[i] != NULL; i++) g_assert_true(g_hash_table_contains(folders, names[i]));
}

static void folders_are_read_and_mistakes_name_their_line(void) {
    g_autoptr(GHashTable) folders = NULL;
    for_each_case("configuration", read_folders, &folders);
    for_each_case("folders", check_folder, folders);
    g_assert_cmpuint(g_hash_table_size(folders), ==, 0);
    for_each_case("mistakes", check_mistake, NULL);
    /* Test bytes that JSON cannot contain. */
    static const char bytes[] = "a = /a\nb = /\xFF\nc = /\0d\ne = /e";
    g_autoptr(GError) mistake = NULL;
    g_autoptr(GHashTable) good = baton_folders_parse(bytes, sizeof bytes - 1, &mistake);
    g_assert_error(mistake, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
    g_assert_nonnull(strstr(mistake->message, "line 2 "));
    g_assert_cmpuint(g_hash_table_size(good), ==, 2);
    g_assert_true(g_hash_table_contains(good, "a") && g_hash_table_contains(good, "e"));
}

/* --- Names -------------------------------------------------------------------------------------- */

static void check_url(const char *const *row, gpointer folders) {
    expect(row, baton_folders_name(folders, row[0]));
}

static void check_path(const char *const *row, gpointer folders) {
    g_autofree char *folder = NULL, *below = NULL;
    g_autoptr(GError) error = NULL;
    gboolean is_found = baton_folders_locate(folders, row[0], &folder, &below, &error);
    g_assert_true(is_found == (error == NULL));
    expect(row, is_found ? g_build_filename(folder, below, NULL) : NULL);
}

/* In the JSON file, bytes that are not UTF-8 are percent-encoded. */
static char *bytes_of(const char *const *row) {
    char *bytes = g_uri_unescape_string(row[0], NULL);
    g_assert_nonnull(bytes);
    return bytes;
}

static void check_url_of_bytes(const char *const *row, gpointer folders) {
    g_autofree char *path = bytes_of(row);
    expect(row, baton_folders_name(folders, path));
}

static void check_bytes_of_path(const char *const *row, gpointer folders) {
    g_autofree char *folder = NULL, *below = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_true(baton_folders_locate(folders, row[0], &folder, &below, &error));
    g_autofree char *path = g_build_filename(folder, below, NULL);
    expect(row, g_uri_escape_string(path, "/", FALSE));
}

static void files_in_shared_folders_have_names(void) {
    g_autoptr(GHashTable) folders = NULL;
    for_each_case("shared", read_folders, &folders);
    for_each_case("paths to URLs", check_url, folders);
    for_each_case("URLs to paths", check_path, folders);
    for_each_case("paths in bytes to URLs", check_url_of_bytes, folders);
    for_each_case("URLs to paths in bytes", check_bytes_of_path, folders);
}

static void check_url_of_name(const char *const *row, gpointer data) {
    expect(row, baton_document_url_of_name(row[0]));
}

static void check_url_of_name_in_bytes(const char *const *row, gpointer data) {
    g_autofree char *name = bytes_of(row);
    expect(row, baton_document_url_of_name(name));
}

static void check_name_in_url(const char *const *row, gpointer data) {
    expect(row, baton_document_name_in_url(row[0]));
}

static void check_name_of_copy(const char *const *row, gpointer data) {
    expect(row, baton_document_name_of_copy(row[0]));
}

static void a_copy_is_not_hidden(void) {
    for_each_case("names to names of copies", check_name_of_copy, NULL);
}

static void other_documents_have_names(void) {
    for_each_case("names to URLs", check_url_of_name, NULL);
    for_each_case("URLs to names", check_name_in_url, NULL);
    for_each_case("names in bytes to URLs", check_url_of_name_in_bytes, NULL);
    /* A name that would become too long with the usual replacement is repaired with shorter
     * signs. */
    g_autofree char *name = g_strnfill(BATON_DOCUMENT_LONGEST_NAME, '\xE9'), *url = baton_document_url_of_name(name);
    g_autofree char *shown = baton_document_name_in_url(url), *signs = g_strnfill(BATON_DOCUMENT_LONGEST_NAME, '_');
    g_assert_cmpstr(shown, ==, signs);
}

static void check_length(const char *const *row, gpointer data) {
    guint8 header[BATON_DOCUMENT_HEADER], written[BATON_DOCUMENT_HEADER];
    g_assert_cmpuint(strlen(row[0]), ==, 2 * sizeof header);
    for (guint i = 0; i < sizeof header; i++) header[i] = (guint8)(g_ascii_xdigit_value(row[0][2 * i]) << 4 | g_ascii_xdigit_value(row[0][2 * i + 1]));
    guint64 length = baton_document_read_header(header);
    baton_document_write_header(written, length);
    g_assert_cmpmem(header, sizeof header, written, sizeof written);
    expect(row, length <= BATON_DOCUMENT_LIMIT ? g_strdup_printf("%" G_GUINT64_FORMAT, length) : NULL);
}

static void a_length_has_eight_bytes_and_a_limit(void) {
    for_each_case("lengths", check_length, NULL);
}

/* --- Existing files ----------------------------------------------------------------------------- */

static void make(const char *const *row, gpointer root) {
    g_autofree char *path = g_build_filename(root, row[1], NULL);
    if (strcmp(row[0], "directory") == 0) g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
    else if (strcmp(row[0], "link") == 0) g_assert_cmpint(symlink(row[2], path), ==, 0);
    else if (strcmp(row[0], "pipe") == 0) g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    else g_assert_true(g_file_set_contents(path, row[1], -1, NULL));
}

static void check_file(const char *const *row, gpointer root) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GFile) file = baton_folders_find_file(row[0], &error);
    g_assert_true((file != NULL) == (error == NULL));
    g_autofree char *path = file != NULL ? g_file_get_path(file) : NULL;
    expect(row, path != NULL ? g_strdup(path + strlen(root) + 1) : NULL);
}

static void nothing_leads_out_of_a_folder(void) {
    g_autofree char *root = g_dir_make_tmp("baton-tree-XXXXXX", NULL), *line = g_strdup_printf("in = %s/in\n", root);
    for_each_case("tree", make, root);
    set_folders(line);
    for_each_case("files in the tree", check_file, root);
    /* The Swift library does not refuse these: pipes, directories, and links that stay inside. */
    static const char *const refused[] = {"baton-folder:/in/pipe", "baton-folder:/in/d", "baton-folder:/in/here/b.txt", "baton-folder:/in/a.txt/b"};
    g_autofree char *here = g_build_filename(root, "in", "here", NULL);
    g_assert_cmpint(symlink("d", here), ==, 0);
    for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(baton_folders_find_file(refused[i], &error));
        g_assert_cmpuint(error->domain, ==, G_IO_ERROR);
    }
    g_autoptr(GFile) directory = baton_folders_find_directory("baton-folder:/in/d", NULL);
    g_autofree char *found = directory != NULL ? g_file_get_path(directory) : NULL, *wanted = g_build_filename(root, "in", "d", NULL);
    g_assert_cmpstr(found, ==, wanted);
    static const char *const no_directories[] = {"baton-folder:/in/pipe", "baton-folder:/in/a.txt", "baton-folder:/in/here", "baton-folder:/in/../out", "baton-folder:/in"};
    for (gsize i = 0; i < G_N_ELEMENTS(no_directories); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(baton_folders_find_directory(no_directories[i], &error));
        g_assert_cmpuint(error->domain, ==, G_IO_ERROR);
    }
    set_folders(NULL);
    remove_tree(root);
}

static void expect_no_url(const char *path, int code) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GFile) file = g_file_new_for_path(path);
    g_assert_null(baton_folders_find_url(file, &error));
    g_assert_error(error, G_IO_ERROR, code);
}

static void a_line_with_a_mistake_takes_no_other_away(void) {
    g_autofree char *much = g_strnfill(70000, '#'), *path = g_build_filename(g_get_user_config_dir(), "baton", "folders", NULL);
    expect_no_url("/home/ada/a", G_IO_ERROR_NOT_FOUND);
    set_folders("nonsense\nhome = /home/ada\n");
    g_autoptr(GFile) file = g_file_new_for_path("/home/ada/a");
    g_autofree char *beside = baton_folders_find_url(file, NULL);
    g_assert_cmpstr(beside, ==, "baton-folder:/home/a");
    /* The file may be in the folder that the invalid line names, so that line is the error. */
    expect_no_url("/home/bob/a", G_IO_ERROR_INVALID_DATA);
    set_folders(much);
    expect_no_url("/home/ada/a", G_IO_ERROR_MESSAGE_TOO_LARGE);
    set_folders(NULL);
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    expect_no_url("/home/ada/a", G_IO_ERROR_NOT_REGULAR_FILE);
    set_folders("home = /home/ada\n");
    g_autofree char *url = baton_folders_find_url(file, NULL);
    g_assert_cmpstr(url, ==, "baton-folder:/home/a");
    set_folders(NULL);
}

void add_document_name_tests(void) {
    g_test_add_func("/documents/folders-are-read-and-mistakes-name-their-line", folders_are_read_and_mistakes_name_their_line);
    g_test_add_func("/documents/files-in-shared-folders-have-names", files_in_shared_folders_have_names);
    g_test_add_func("/documents/other-documents-have-names", other_documents_have_names);
    g_test_add_func("/documents/a-copy-is-not-hidden", a_copy_is_not_hidden);
    g_test_add_func("/documents/a-length-has-eight-bytes-and-a-limit", a_length_has_eight_bytes_and_a_limit);
    g_test_add_func("/documents/nothing-leads-out-of-a-folder", nothing_leads_out_of_a_folder);
    g_test_add_func("/documents/a-line-with-a-mistake-takes-no-other-away", a_line_with_a_mistake_takes_no_other_away);
}
