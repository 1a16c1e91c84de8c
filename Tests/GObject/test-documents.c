/* SPDX-License-Identifier: Apache-2.0 */
#include "documents.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define MUCH 300000
#define KEY "NSUserActivityDocumentURLKey"

static void set_document(Desk *this, GFile *file) {
    baton_activity_set_document(this->activity, file);
    flush(this->activity);
}

static GFile *load(BatonContinuation *continuation, GError **error) {
    GAsyncResult *answer = NULL;
    baton_continuation_load_document_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return baton_continuation_load_document_finish(continuation, result, error);
}

static void expect_contents(GFile *file, const char *contents, gsize length) {
    g_autofree char *found = NULL;
    gsize count;
    g_autoptr(GError) error = NULL;
    g_file_load_contents(file, NULL, &found, &count, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(found, count, contents, length);
}

static void expect_failure(Desk *this, GQuark domain, int code) {
    guint before = count_copies();
    g_autoptr(GError) error = NULL;
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_null(load(continuation, &error));
    g_assert_error(error, domain, code);
    g_assert_cmpuint(count_copies(), ==, before);
}

/* --- A document in a shared folder -------------------------------------------------------------- */

static void set_home(Desk *this, const char *directory) {
    g_autofree char *line = g_strdup_printf("home = %s/%s\n", this->root, directory);
    set_folders(line);
}

static void a_file_of_a_shared_folder_is_found_at_the_receivers_own_place(Desk *this, gconstpointer data) {
    g_autoptr(GFile) here = write_file(this, "here/a b/\xC3\xA9.txt", "here", -1), there = write_file(this, "there/a b/\xC3\xA9.txt", "there", -1);
    g_autoptr(GError) error = NULL;
    set_home(this, "here");
    set_document(this, here);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_document_url(continuation), ==, "baton-folder:/home/a%20b/%C3%A9.txt");
    g_assert_false(baton_continuation_get_supports_continuation_streams(continuation));
    set_home(this, "there");
    g_autoptr(GFile) found = load(continuation, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_equal(found, there));
}

static void a_file_that_has_not_come_yet_is_not_found(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "here/a.txt", "a", -1);
    set_home(this, "here");
    set_document(this, file);
    set_home(this, "there");
    expect_failure(this, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
    set_folders("other = /tmp\n");
    expect_failure(this, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
    set_folders("nonsense\n");
    expect_failure(this, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
}

static void a_file_that_has_become_a_link_or_a_pipe_is_none(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "here/a.txt", "a", -1);
    set_home(this, "here");
    set_document(this, file);
    g_unlink(g_file_peek_path(file));
    g_assert_cmpint(symlink("/etc/hostname", g_file_peek_path(file)), ==, 0);
    expect_failure(this, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
    g_unlink(g_file_peek_path(file));
    g_assert_cmpint(mkfifo(g_file_peek_path(file), 0600), ==, 0);
    expect_failure(this, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE);
}

/* --- A document through streams ----------------------------------------------------------------- */

static void its_contents_come_in_a_copy_of_the_same_name(Desk *this, gconstpointer data) {
    g_autofree char *contents = g_malloc(MUCH);
    for (guint i = 0; i < MUCH; i++) contents[i] = (char)(i * 31);
    g_autoptr(GFile) file = write_file(this, "Dear Ada \xC3\xA9.txt", contents, MUCH);
    set_document(this, file);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_document_url(continuation), ==, "baton-document:/Dear%20Ada%20%C3%A9.txt");
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GFile) copy = load(continuation, &error);
        g_assert_no_error(error);
        g_autofree char *name = g_file_get_basename(copy);
        g_assert_cmpstr(name, ==, "Dear Ada \xC3\xA9.txt");
        g_assert_true(g_str_has_prefix(g_file_peek_path(copy), g_get_user_data_dir()));
        expect_contents(copy, contents, MUCH);
    }
    g_assert_cmpuint(this->warnings->len, ==, 0);
}

static void several_are_fetched_at_once_as_the_file_is_then(Desk *this, gconstpointer data) {
    GAsyncResult *answers[4] = {NULL};
    g_autoptr(GFile) file = write_file(this, "a.txt", "before", -1);
    set_document(this, file);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(GFile) same = write_file(this, "a.txt", "after", -1);
    for (guint i = 0; i < 4; i++) baton_continuation_load_document_async(continuation, NULL, keep, &answers[i]);
    for (guint i = 0; i < 4; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GAsyncResult) result = wait_for(&answers[i]);
        g_autoptr(GFile) copy = baton_continuation_load_document_finish(continuation, result, &error);
        g_assert_no_error(error);
        expect_contents(copy, "after", 5);
    }
}

static void put_cursor(BatonActivity *activity) {
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'cursor': <int64 34>}"));
}

static void the_document_is_apart_from_the_state(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "a.txt", "a", -1), other = write_file(this, "b.txt", "b", -1);
    gint64 cursor;
    set_document(this, file);
    g_signal_connect(this->activity, "save", G_CALLBACK(put_cursor), NULL);
    baton_activity_set_needs_save(this->activity, TRUE);
    flush(this->activity);
    g_autoptr(BatonContinuation) first = carry_on(TYPE);
    g_assert_true(g_variant_lookup(baton_continuation_get_user_info(first), "cursor", "x", &cursor));
    g_assert_cmpint(cursor, ==, 34);
    g_assert_cmpstr(baton_continuation_get_document_url(first), ==, "baton-document:/a.txt");
    g_assert_true(baton_continuation_get_supports_continuation_streams(first));
    g_assert_cmpuint(g_variant_n_children(baton_activity_get_user_info(this->activity)), ==, 1);
    g_assert_false(baton_activity_get_supports_continuation_streams(this->activity));

    g_object_set(this->activity, "document", other, NULL);
    g_assert_true(baton_activity_get_document(this->activity) == other);
    flush(this->activity);
    g_autoptr(BatonContinuation) second = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_document_url(second), ==, "baton-document:/b.txt");

    set_document(this, NULL);
    g_autoptr(BatonContinuation) third = carry_on(TYPE);
    g_assert_null(baton_continuation_get_document_url(third));
    g_assert_false(baton_continuation_get_supports_continuation_streams(third));
    g_autoptr(GError) error = NULL;
    g_assert_null(load(third, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_NOT_FOUND);
}

static void who_gives_up_waits_no_longer(Desk *this, gconstpointer data) {
    GAsyncResult *answer = NULL;
    guint before = count_copies();
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(GFile) file = write_file(this, "a.txt", "a", -1);
    set_document(this, file);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    baton_continuation_load_document_async(continuation, cancellable, keep, &answer);
    g_cancellable_cancel(cancellable);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_assert_null(baton_continuation_load_document_finish(continuation, result, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_assert_cmpuint(count_copies(), ==, before);
}

static void contents_go_beside_the_name_in_a_shared_folder(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "here/a b.txt", "saved", -1), unsaved = write_file(this, "unsaved", "not saved yet", -1);
    g_autoptr(GError) error = NULL;
    set_home(this, "here");
    baton_activity_set_contents(this->activity, unsaved);
    g_assert_true(baton_activity_get_contents(this->activity) == unsaved);
    set_document(this, file);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_document_url(continuation), ==, "baton-folder:/home/a%20b.txt");
    g_assert_true(baton_continuation_get_supports_continuation_streams(continuation));
    g_autoptr(GFile) found = load(continuation, &error), copy = load_contents(continuation, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_equal(found, file));
    expect_copy(copy, "a b.txt", "not saved yet");

    baton_activity_set_contents(this->activity, NULL);
    flush(this->activity);
    g_autoptr(BatonContinuation) without = carry_on(TYPE);
    g_assert_false(baton_continuation_get_supports_continuation_streams(without));
    g_assert_null(load_contents(without, &error));
    g_assert_nonnull(error);
}

static void contents_take_the_place_of_the_file(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "a.txt", "saved", -1), unsaved = write_file(this, "unsaved", "not saved yet", -1);
    g_autoptr(GError) error = NULL;
    set_document(this, file);
    baton_activity_set_contents(this->activity, unsaved);
    flush(this->activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(GFile) copy = load(continuation, &error);
    g_assert_no_error(error);
    expect_copy(copy, "a.txt", "not saved yet");
}

static void contents_without_a_document_go_nowhere(Desk *this, gconstpointer data) {
    g_autoptr(GFile) unsaved = write_file(this, "unsaved", "not saved yet", -1);
    g_autoptr(GError) error = NULL;
    baton_activity_set_contents(this->activity, unsaved);
    flush(this->activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_false(baton_continuation_get_supports_continuation_streams(continuation));
    g_assert_null(load_contents(continuation, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_NOT_FOUND);
}

/* A copy that the user has not removed stays, however old it is. */
static void a_copy_stays_until_it_is_removed(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "a.txt", "a", -1);
    g_autoptr(GError) error = NULL;
    struct utimbuf long_ago = {0, 0};
    set_document(this, file);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(GFile) first = load(continuation, &error);
    g_assert_no_error(error);
    g_autofree char *folder = g_path_get_dirname(g_file_peek_path(first));
    g_assert_cmpint(utime(g_file_peek_path(first), &long_ago), ==, 0);
    g_assert_cmpint(utime(folder, &long_ago), ==, 0);
    guint before = count_copies();
    g_autoptr(GFile) second = load(continuation, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(count_copies(), ==, before + 1);
    expect_contents(first, "a", 1);
}

/* --- Documents that cannot be sent -------------------------------------------------------------- */

static void expect_warning(Desk *this, const char *says) {
    UNTIL(this->warnings->len > 0);
    g_assert_nonnull(strstr(this->warnings->pdata[0], says));
    g_ptr_array_set_size(this->warnings, 0);
}

static void a_file_that_is_too_large_is_not_sent(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "a.txt", "a", -1);
    set_document(this, file);
    g_assert_cmpint(truncate(g_file_peek_path(file), (64 << 20) + 1), ==, 0);
    expect_failure(this, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    expect_warning(this, "more than 67108864 bytes");
}

static void a_file_that_is_a_pipe_or_gone_is_not_sent(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "a.txt", "a", -1);
    set_document(this, file);
    g_unlink(g_file_peek_path(file));
    expect_failure(this, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    expect_warning(this, "the document was not sent");
    g_assert_cmpint(mkfifo(g_file_peek_path(file), 0600), ==, 0);
    expect_failure(this, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    expect_warning(this, "not a regular file");
}

static void a_name_that_is_not_utf_8_is_the_files_and_no_copys(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "here/a\xFF\n.txt", "a", -1);
    g_autoptr(GError) error = NULL;
    set_document(this, file);
    g_autoptr(BatonContinuation) elsewhere = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_document_url(elsewhere), ==, "baton-document:/a%EF%BF%BD%EF%BF%BD.txt?bytes=/a%FF%0A.txt");
    g_autoptr(GFile) copy = load(elsewhere, &error);
    g_assert_no_error(error);
    expect_copy(copy, "a\uFFFD\uFFFD.txt", "a");

    set_home(this, "here");
    baton_activity_set_needs_save(this->activity, TRUE);
    flush(this->activity);
    g_autoptr(BatonContinuation) shared = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_document_url(shared), ==, "baton-folder:/home/a%EF%BF%BD%EF%BF%BD.txt?bytes=/home/a%FF%0A.txt");
    g_autoptr(GFile) found = load(shared, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_equal(found, file));
}

static void a_file_that_has_no_name_for_others_stays_here(Desk *this, gconstpointer data) {
    g_autofree char *name = g_strnfill(256, 'a'), *path = g_build_filename("/", name, NULL);
    g_autoptr(GFile) file = g_file_new_for_path(path), elsewhere = g_file_new_for_uri("sftp://example.org/a.txt");
    set_document(this, file);
    expect_warning(this, "a name of 1 to 255 bytes");
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_null(baton_continuation_get_document_url(continuation));
    set_document(this, elsewhere);
    expect_warning(this, "not a file of this device");
}

static BatonStreams *open_streams(BatonContinuation *continuation) {
    GAsyncResult *answer = NULL;
    baton_continuation_open_streams_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return baton_continuation_open_streams_finish(continuation, result, NULL);
}

/* A device that asks for the document and does not read takes up memory for a piece of the file.
 * Beyond eight such devices, a further one gets nothing. */
static void those_that_do_not_read_have_a_limit(Desk *this, gconstpointer data) {
    g_autoptr(GFile) file = write_file(this, "a.txt", "a", -1);
    g_assert_cmpint(truncate(g_file_peek_path(file), 32 << 20), ==, 0);
    set_document(this, file);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(GPtrArray) open = g_ptr_array_new_with_free_func(g_object_unref);
    for (guint i = 0; i < 9; i++) {
        BatonStreams *streams = open_streams(continuation);
        if (streams != NULL) g_ptr_array_add(open, streams);
    }
    g_assert_cmpuint(open->len, >=, 8);
    expect_warning(this, "too many");
}

/* --- A device that breaks the rules ------------------------------------------------------------- */

typedef struct {
    const char *bytes;
    gsize count;
    gboolean is_cut;
} Sent;

static void send_something(BatonActivity *activity, BatonStreams *streams, Sent *sent) {
    GOutputStream *output = g_io_stream_get_output_stream(G_IO_STREAM(streams));
    g_output_stream_write_all(output, sent->bytes, sent->count, NULL, NULL, NULL);
    if (sent->is_cut) baton_streams_give_up(streams);
    else g_output_stream_close(output, NULL, NULL);
}

static void publish_url(Desk *this, const char *url) {
    g_object_set(this->activity, "supports-continuation-streams", TRUE, "user-info",
                 g_variant_new_parsed("{%s: %v}", KEY, baton_value_new_url(url)), NULL);
    flush(this->activity);
}

static void contents_that_are_not_what_they_say_fail(Desk *this, gconstpointer data) {
    Sent sent = {NULL, 0, FALSE};
    static const struct {
        Sent sent;
        int code;
    } cases[] = {
        {{"", 0, FALSE}, BATON_ERROR_STREAM_CUT},
        {{"\0\0\0\0", 4, FALSE}, BATON_ERROR_STREAM_CUT},
        {{"\0\0\0\0\0\0\0\x08" "Dear", 12, FALSE}, BATON_ERROR_STREAM_CUT},
        {{"\0\0\0\0\0\0\0\x04" "Dear", 12, TRUE}, BATON_ERROR_STREAM_CUT},
        {{"\0\0\0\0\0\0\0\x02" "Dear", 12, FALSE}, BATON_ERROR_HANDOFF_FAILED},
        {{"\0\0\0\0\x04\0\0\x01" "Dear", 12, FALSE}, BATON_ERROR_USER_INFO_TOO_LARGE},
        {{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8, FALSE}, BATON_ERROR_USER_INFO_TOO_LARGE},
    };
    g_signal_connect(this->activity, "streams", G_CALLBACK(send_something), &sent);
    publish_url(this, "baton-document:/a.txt");
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        sent = cases[i].sent;
        expect_failure(this, BATON_ERROR, cases[i].code);
    }
}

static void urls_of_other_kinds_are_no_documents(Desk *this, gconstpointer data) {
    static const char *const urls[] = {"file:///etc/passwd",         "baton-document:/..",    "baton-document:/%2E%2E%2Fa", "baton-document:/a%0Ab",
                                       "baton-document://host/a",    "baton-folder://home/a", "https://example.org/a.txt",  "baton-document:/a/b"};
    for (gsize i = 0; i < G_N_ELEMENTS(urls); i++) {
        publish_url(this, urls[i]);
        g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
        g_assert_null(baton_continuation_get_document_url(continuation));
    }
    g_object_set(this->activity, "user-info", g_variant_new_parsed("{%s: <'baton-document:/a.txt'>}", KEY), NULL);
    flush(this->activity);
    expect_failure(this, BATON_ERROR, BATON_ERROR_NOT_FOUND);
    publish_url(this, "baton-folder:/home/../secret");
    set_home(this, "here");
    expect_failure(this, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME);
}

void add_document_tests(void) {
    static const DeskTest tests[] = {
        {"a-file-of-a-shared-folder-is-found-at-the-receivers-own-place", a_file_of_a_shared_folder_is_found_at_the_receivers_own_place},
        {"a-file-that-has-not-come-yet-is-not-found", a_file_that_has_not_come_yet_is_not_found},
        {"a-file-that-has-become-a-link-or-a-pipe-is-none", a_file_that_has_become_a_link_or_a_pipe_is_none},
        {"its-contents-come-in-a-copy-of-the-same-name", its_contents_come_in_a_copy_of_the_same_name},
        {"several-are-fetched-at-once-as-the-file-is-then", several_are_fetched_at_once_as_the_file_is_then},
        {"the-document-is-apart-from-the-state", the_document_is_apart_from_the_state},
        {"contents-go-beside-the-name-in-a-shared-folder", contents_go_beside_the_name_in_a_shared_folder},
        {"contents-take-the-place-of-the-file", contents_take_the_place_of_the_file},
        {"contents-without-a-document-go-nowhere", contents_without_a_document_go_nowhere},
        {"a-copy-stays-until-it-is-removed", a_copy_stays_until_it_is_removed},
        {"who-gives-up-waits-no-longer", who_gives_up_waits_no_longer},
        {"a-file-that-is-too-large-is-not-sent", a_file_that_is_too_large_is_not_sent},
        {"a-file-that-is-a-pipe-or-gone-is-not-sent", a_file_that_is_a_pipe_or_gone_is_not_sent},
        {"a-name-that-is-not-utf-8-is-the-files-and-no-copys", a_name_that_is_not_utf_8_is_the_files_and_no_copys},
        {"a-file-that-has-no-name-for-others-stays-here", a_file_that_has_no_name_for_others_stays_here},
        {"those-that-do-not-read-have-a-limit", those_that_do_not_read_have_a_limit},
        {"contents-that-are-not-what-they-say-fail", contents_that_are_not_what_they_say_fail},
        {"urls-of-other-kinds-are-no-documents", urls_of_other_kinds_are_no_documents},
    };
    add_desk_tests("documents", tests, G_N_ELEMENTS(tests));
}
