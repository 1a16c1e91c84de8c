/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"
#include "laptops.h"

#include <gio/gunixinputstream.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The library does not export these functions. */
#include "../../Libraries/GObject/baton/baton-document-copy-private.h"

/* A pipe in place of a stream, and a directory for copies. */
typedef struct {
    char *root;
    int writing;
    GInputStream *input;
    BatonCopyLimits limits;
} Place;

static void set_up(Place *place, gconstpointer data) {
    int ends[2];
    place->root = g_dir_make_tmp("baton-copies-XXXXXX", NULL);
    g_assert_cmpint(pipe(ends), ==, 0);
    place->writing = ends[1];
    place->input = g_unix_input_stream_new(ends[0], TRUE);
    place->limits = (BatonCopyLimits){.bytes = 1 << 20, .between = 60 * 1000, .in_all = 60 * 1000};
}

static void tear_down(Place *place, gconstpointer data) {
    if (place->writing >= 0) close(place->writing);
    g_object_unref(place->input);
    remove_tree(place->root);
    g_free(place->root);
}

static void send_bytes(Place *place, const void *bytes, gsize count) {
    g_assert_cmpint(write(place->writing, bytes, count), ==, (gssize)count);
}

static void end(Place *place) {
    close(place->writing);
    place->writing = -1;
}

static GFile *receive(Place *place, GCancellable *cancellable, GError **error) {
    GAsyncResult *answer = NULL;
    baton_document_copy_async(place->input, "letter.txt", place->root, &place->limits, cancellable, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return baton_document_copy_finish(result, error);
}

static void expect_nothing_left(Place *place) {
    g_autoptr(GDir) left = g_dir_open(place->root, 0, NULL);
    g_assert_null(g_dir_read_name(left));
}

static void expect_failure(Place *place, GQuark domain, int code) {
    g_autoptr(GError) error = NULL;
    g_assert_null(receive(place, NULL, &error));
    g_assert_error(error, domain, code);
    expect_nothing_left(place);
}

#define HEADER(length) "\0\0\0\0\0\0\0" length

static void a_document_is_a_file_that_only_its_user_can_open(Place *place, gconstpointer data) {
    struct stat status;
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    send_bytes(place, HEADER("\x08") "Dear Ada", 16);
    end(place);
    g_autoptr(GFile) file = receive(place, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_load_contents(file, NULL, &text, NULL, NULL, NULL));
    g_assert_cmpstr(text, ==, "Dear Ada");
    g_autoptr(GFile) folder = g_file_get_parent(file), above = g_file_get_parent(folder);
    g_assert_cmpstr(g_file_peek_path(above), ==, place->root);
    g_assert_cmpint(g_stat(g_file_peek_path(file), &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 0777, ==, 0600);
    g_assert_cmpint(g_stat(g_file_peek_path(folder), &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 0777, ==, 0700);
}

static void an_empty_document_is_one(Place *place, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    send_bytes(place, HEADER("\0"), 8);
    end(place);
    g_autoptr(GFile) file = receive(place, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_query_exists(file, NULL));
}

static void what_ends_early_is_cut(Place *place, gconstpointer data) {
    send_bytes(place, HEADER("\x08") "Dear", 12);
    end(place);
    expect_failure(place, BATON_ERROR, BATON_ERROR_STREAM_CUT);
}

static void a_header_that_ends_early_is_cut(Place *place, gconstpointer data) {
    send_bytes(place, HEADER(""), 7);
    end(place);
    expect_failure(place, BATON_ERROR, BATON_ERROR_STREAM_CUT);
}

static void what_has_more_than_it_says_fails(Place *place, gconstpointer data) {
    send_bytes(place, HEADER("\x04") "Dear Ada", 16);
    end(place);
    expect_failure(place, BATON_ERROR, BATON_ERROR_HANDOFF_FAILED);
}

static void what_never_ends_fails_when_it_is_more(Place *place, gconstpointer data) {
    g_autofree char *much = g_strnfill(60000, 'x');
    send_bytes(place, HEADER("\x04"), 8);
    send_bytes(place, much, 60000);
    expect_failure(place, BATON_ERROR, BATON_ERROR_HANDOFF_FAILED);
}

static void what_says_too_much_is_refused_before_it_comes(Place *place, gconstpointer data) {
    send_bytes(place, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
    expect_failure(place, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE);
}

static void what_is_silent_fails(Place *place, gconstpointer data) {
    place->limits.between = 100;
    send_bytes(place, HEADER("\x08") "Dear", 12);
    expect_failure(place, BATON_ERROR, BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT);
}

static gboolean trickle(gpointer data) {
    send_bytes(data, "x", 1);
    return G_SOURCE_CONTINUE;
}

/* Each byte arrives within its time limit, but the whole transfer exceeds its limit. */
static void what_trickles_fails(Place *place, gconstpointer data) {
    place->limits.in_all = 500;
    send_bytes(place, "\0\0\0\0\0\x01\0\0", 8);
    guint timer = g_timeout_add(20, trickle, place);
    expect_failure(place, BATON_ERROR, BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT);
    g_source_remove(timer);
}

static gboolean give_up(gpointer cancellable) {
    g_cancellable_cancel(cancellable);
    return G_SOURCE_REMOVE;
}

static void who_gives_up_waits_no_longer(Place *place, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    send_bytes(place, HEADER("\x08") "Dear", 12);
    g_timeout_add(10, give_up, cancellable);
    g_assert_null(receive(place, cancellable, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    expect_nothing_left(place);
}

static void what_the_disk_has_no_room_for_fails(Place *place, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    send_bytes(place, "\0\0\0\0\0\x08\0\0", 8);
    place->limits.bytes = 1 << 20;
    fill_disk(65536);
    GFile *file = receive(place, NULL, &error);
    empty_disk();
    g_assert_null(file);
    g_assert_cmpuint(error->domain, ==, G_IO_ERROR);
    expect_nothing_left(place);
}

void add_document_copy_tests(void) {
    static const struct {
        const char *name;
        void (*test)(Place *place, gconstpointer data);
    } tests[] = {
        {"a-document-is-a-file-that-only-its-user-can-open", a_document_is_a_file_that_only_its_user_can_open},
        {"an-empty-document-is-one", an_empty_document_is_one},
        {"what-ends-early-is-cut", what_ends_early_is_cut},
        {"a-header-that-ends-early-is-cut", a_header_that_ends_early_is_cut},
        {"what-has-more-than-it-says-fails", what_has_more_than_it_says_fails},
        {"what-never-ends-fails-when-it-is-more", what_never_ends_fails_when_it_is_more},
        {"what-says-too-much-is-refused-before-it-comes", what_says_too_much_is_refused_before_it_comes},
        {"what-is-silent-fails", what_is_silent_fails},
        {"what-trickles-fails", what_trickles_fails},
        {"who-gives-up-waits-no-longer", who_gives_up_waits_no_longer},
        {"what-the-disk-has-no-room-for-fails", what_the_disk_has_no_room_for_fails},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_autofree char *path = g_strconcat("/copies/", tests[i].name, NULL);
        g_test_add(path, Place, NULL, set_up, tests[i].test, tear_down);
    }
}
