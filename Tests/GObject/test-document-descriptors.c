/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_PATH */
#include "documents.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets an open file as the contents, and closes this program's descriptor. */
static void hand_over(Desk *this, GFile *file) {
    g_autoptr(GError) error = NULL;
    int descriptor = open(g_file_peek_path(file), O_RDONLY | O_CLOEXEC);
    g_assert_cmpint(descriptor, >=, 0);
    g_assert_true(baton_activity_set_contents_fd(this->activity, descriptor, &error));
    g_assert_no_error(error);
    close(descriptor);
}

/* Checks what another laptop gets of the document, by its name. */
static void expect_given(Desk *this, const char *name, const char *contents) {
    g_autoptr(GError) error = NULL;
    flush(this->activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(GFile) copy = load_contents(continuation, &error);
    g_assert_no_error(error);
    expect_copy(copy, name, contents);
}

/* Returns how often this program has a file open. */
static guint count_descriptors(GFile *file) {
    g_autoptr(GDir) directory = g_dir_open("/proc/self/fd", 0, NULL);
    guint count = 0;
    for (const char *name; (name = g_dir_read_name(directory)) != NULL;) {
        g_autofree char *path = g_build_filename("/proc/self/fd", name, NULL), *opened = g_file_read_link(path, NULL);
        if (g_strcmp0(opened, g_file_peek_path(file)) == 0) count++;
    }
    return count;
}

static void the_open_file_is_sent_whatever_is_at_its_path(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "letter.txt", "Dear Ada,", -1), secret = write_file(this, "secret", "secret", -1);
    baton_activity_set_document(this->activity, file);
    hand_over(this, file);
    g_unlink(g_file_peek_path(file));
    g_assert_cmpint(symlink(g_file_peek_path(secret), g_file_peek_path(file)), ==, 0);
    expect_given(this, "letter.txt", "Dear Ada,");
}

static void it_is_read_from_its_beginning_by_all_at_once(Desk *this, gconstpointer data) {
    GAsyncResult *answers[4] = {NULL};
    g_autoptr(GFile) file = write_file(this, "letter.txt", "Dear Ada,", -1);
    int descriptor = open(g_file_peek_path(file), O_RDONLY | O_CLOEXEC);
    g_assert_cmpint(lseek(descriptor, 5, SEEK_SET), ==, 5);
    baton_activity_set_document(this->activity, file);
    g_assert_true(baton_activity_set_contents_fd(this->activity, descriptor, NULL));
    flush(this->activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    for (guint i = 0; i < 4; i++) baton_continuation_load_contents_async(continuation, NULL, keep, &answers[i]);
    for (guint i = 0; i < 4; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GAsyncResult) result = wait_for(&answers[i]);
        g_autoptr(GFile) copy = baton_continuation_load_contents_finish(continuation, result, &error);
        g_assert_no_error(error);
        expect_copy(copy, "letter.txt", "Dear Ada,");
    }
    g_assert_cmpint(lseek(descriptor, 0, SEEK_CUR), ==, 5);
    close(descriptor);
}

static void a_file_and_an_open_file_take_each_others_place(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "letter.txt", "saved", -1), open_file = write_file(this, "open", "open", -1), other = write_file(this, "other", "other", -1);
    baton_activity_set_document(this->activity, file);
    baton_activity_set_contents(this->activity, other);
    hand_over(this, open_file);
    g_assert_null(baton_activity_get_contents(this->activity));
    expect_given(this, "letter.txt", "open");
    baton_activity_set_contents(this->activity, other);
    expect_given(this, "letter.txt", "other");
    hand_over(this, open_file);
    baton_activity_set_contents(this->activity, NULL);
    expect_given(this, "letter.txt", "saved");
    hand_over(this, open_file);
    g_assert_true(baton_activity_set_contents_fd(this->activity, -1, NULL));
    expect_given(this, "letter.txt", "saved");
}

static void expect_refusal(Desk *this, int descriptor, int code) {
    g_autoptr(GError) error = NULL;
    g_assert_false(baton_activity_set_contents_fd(this->activity, descriptor, &error));
    g_assert_error(error, G_IO_ERROR, code);
}

static void what_cannot_be_read_as_a_file_is_refused_and_changes_nothing(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "letter.txt", "Dear Ada,", -1);
    int ends[2], written = open(g_file_peek_path(file), O_WRONLY | O_CLOEXEC), place = open(g_file_peek_path(file), O_PATH | O_CLOEXEC);
    int directory = open(this->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(pipe(ends), ==, 0);
    baton_activity_set_document(this->activity, file);
    hand_over(this, file);
    expect_refusal(this, ends[0], G_IO_ERROR_NOT_REGULAR_FILE);
    expect_refusal(this, directory, G_IO_ERROR_NOT_REGULAR_FILE);
    expect_refusal(this, written, g_io_error_from_errno(EBADF));
    expect_refusal(this, place, g_io_error_from_errno(EBADF));
    expect_refusal(this, 1 << 20, g_io_error_from_errno(EBADF));
    for (guint i = 0; i < 2; i++) close(ends[i]);
    close(written);
    close(place);
    close(directory);
    expect_given(this, "letter.txt", "Dear Ada,");
}

static void an_open_file_that_has_become_too_large_is_not_sent(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "letter.txt", "Dear Ada,", -1);
    g_autoptr(GError) error = NULL;
    baton_activity_set_document(this->activity, file);
    hand_over(this, file);
    flush(this->activity);
    g_assert_cmpint(truncate(g_file_peek_path(file), (64 << 20) + 1), ==, 0);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_null(load_contents(continuation, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    UNTIL(this->warnings->len > 0);
    g_assert_nonnull(strstr(this->warnings->pdata[0], "more than 67108864 bytes"));
}

static void open_files_are_closed(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "letter.txt", "Dear Ada,", -1);
    baton_activity_set_document(this->activity, file);
    hand_over(this, file);
    expect_given(this, "letter.txt", "Dear Ada,");
    for (guint i = 0; i < 3; i++) expect_given(this, "letter.txt", "Dear Ada,");
    UNTIL(count_descriptors(file) == 1);
    for (guint i = 0; i < 2000; i++) hand_over(this, file);
    g_assert_cmpuint(count_descriptors(file), ==, 1);
    BatonActivity *other = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", TYPE, NULL);
    int descriptor = open(g_file_peek_path(file), O_RDONLY | O_CLOEXEC);
    g_assert_true(baton_activity_set_contents_fd(other, descriptor, NULL));
    close(descriptor);
    g_object_unref(other);
    g_assert_true(baton_activity_set_contents_fd(this->activity, -1, NULL));
    g_assert_cmpuint(count_descriptors(file), ==, 0);
}

void add_document_descriptor_tests(void) {
    static const DeskTest tests[] = {
        {"the-open-file-is-sent-whatever-is-at-its-path", the_open_file_is_sent_whatever_is_at_its_path},
        {"it-is-read-from-its-beginning-by-all-at-once", it_is_read_from_its_beginning_by_all_at_once},
        {"a-file-and-an-open-file-take-each-others-place", a_file_and_an_open_file_take_each_others_place},
        {"what-cannot-be-read-as-a-file-is-refused-and-changes-nothing", what_cannot_be_read_as_a_file_is_refused_and_changes_nothing},
        {"an-open-file-that-has-become-too-large-is-not-sent", an_open_file_that_has_become_too_large_is_not_sent},
        {"open-files-are-closed", open_files_are_closed},
    };
    add_desk_tests("document-descriptors", tests, G_N_ELEMENTS(tests));
}
