/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <dirent.h>

#define MUCH (5u << 20)

/* --- Complete streams --------------------------------------------------------------------------- */

static GBytes *noise(guint32 seed) {
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    guint32 *words = g_malloc(MUCH);
    for (gsize i = 0; i < MUCH / sizeof *words; i++) words[i] = g_rand_int(random);
    return g_bytes_new_take(words, MUCH);
}

static void splice(GOutputStream *to, GInputStream *from, GAsyncResult **answer) {
    g_output_stream_splice_async(to, from, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, G_PRIORITY_DEFAULT, NULL, keep, answer);
}

static void expect_spliced(GOutputStream *to, GAsyncResult **answer) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GAsyncResult) result = wait_for(answer);
    g_assert_cmpint(g_output_stream_splice_finish(to, result, &error), ==, MUCH);
    g_assert_no_error(error);
}

static void much_goes_both_ways_at_once(Pair *pair, gconstpointer data) {
    GAsyncResult *answers[4] = {NULL};
    BatonStreams *ends[2] = {pair->here, pair->there};
    GOutputStream *received[2] = {g_memory_output_stream_new_resizable(), g_memory_output_stream_new_resizable()};
    GBytes *sent[2] = {noise(1), noise(2)};
    for (int i = 0; i < 2; i++) {
        g_autoptr(GInputStream) source = g_memory_input_stream_new_from_bytes(sent[i]);
        splice(output(ends[i]), source, &answers[i]);
        splice(received[i], input(ends[i]), &answers[2 + i]);
    }
    for (int i = 0; i < 2; i++) {
        expect_spliced(output(ends[i]), &answers[i]);
        expect_spliced(received[i], &answers[2 + i]);
    }
    for (int i = 0; i < 2; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GBytes) found = g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(received[i]));
        g_assert_true(g_bytes_equal(found, sent[1 - i]));
        g_assert_true(close_streams(ends[i], &error));
        g_assert_no_error(error);
        g_object_unref(received[i]);
    }
    for (int i = 0; i < 2; i++) g_bytes_unref(sent[i]);
}

static void a_question_that_has_ended_is_answered(Pair *pair, gconstpointer data) {
    send_all(pair->there, "how much?");
    end(pair->there);
    expect(pair->here, "how much?");
    expect_end(pair->here);
    send_all(pair->here, "34");
    end(pair->here);
    expect(pair->there, "34");
    expect_end(pair->there);
    expect_end(pair->here);
}

static void closing_says_that_all_was_read(Pair *pair, gconstpointer data) {
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    send_all(pair->here, "a letter");
    g_io_stream_close_async(G_IO_STREAM(pair->here), G_PRIORITY_DEFAULT, NULL, keep, &answer);
    expect(pair->there, "a letter");
    expect_end(pair->there);
    g_assert_null(answer);
    end(pair->there);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_assert_true(g_io_stream_close_finish(G_IO_STREAM(pair->here), result, &error));
    g_assert_no_error(error);
}

/* An app that has closed the output need not keep a reference to the streams. */
static void what_was_ended_and_let_go_of_is_whole(Pair *pair, gconstpointer data) {
    send_all(pair->here, "a letter");
    end(pair->here);
    g_clear_object(&pair->here);
    expect(pair->there, "a letter");
    expect_end(pair->there);
    end(pair->there);
    expect_end(pair->there);
}

/* The waiting thread blocks the main loop, so waiting must not need it. */
static void waiting_needs_no_main_loop(Pair *pair, gconstpointer data) {
    char buffer[16];
    gsize count;
    g_autoptr(GError) error = NULL;
    send_all(pair->here, "a letter");
    end(pair->here);
    end(pair->there);
    g_assert_true(g_input_stream_read_all(input(pair->there), buffer, sizeof buffer, &count, NULL, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(count, ==, 8);
    g_assert_true(g_io_stream_close(G_IO_STREAM(pair->here), NULL, &error));
    g_assert_no_error(error);
}

static void one_stream_is_enough_to_keep_the_pair(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GOutputStream) kept = g_object_ref(output(pair->here));
    g_clear_object(&pair->here);
    g_output_stream_write_all(kept, "late", 4, NULL, NULL, &error);
    g_assert_no_error(error);
    g_output_stream_close(kept, NULL, NULL);
    expect(pair->there, "late");
    expect_end(pair->there);
}

/* --- Descriptors -------------------------------------------------------------------------------- */

static guint open_descriptors(void) {
    guint count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

static void let_close(BatonActivity *activity, BatonStreams *streams, GPtrArray *kept) {
    g_ptr_array_add(kept, g_object_ref(streams));
    g_io_stream_close_async(G_IO_STREAM(streams), G_PRIORITY_DEFAULT, NULL, NULL, NULL);
}

/* Closed streams must keep no descriptor even while there are references to them, because an app
 * may hold hundreds until its garbage collector runs. */
static void closed_streams_keep_no_descriptors(Pair *pair, gconstpointer data) {
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_object_unref);
    g_signal_handlers_disconnect_by_data(pair->activity, &pair->here);
    g_signal_connect(pair->activity, "streams", G_CALLBACK(let_close), kept);
    guint before = open_descriptors();
    for (guint i = 0; i < 5; i++) {
        g_autoptr(GError) error = NULL;
        g_ptr_array_add(kept, open_streams(pair->continuation));
        g_assert_true(close_streams(kept->pdata[kept->len - 1], &error));
        g_assert_no_error(error);
    }
    UNTIL(kept->len == 10 && open_descriptors() <= before);
}

/* Each stream is closed separately, and does not count as complete. */
static void streams_that_are_given_up_and_closed_keep_no_descriptors(Pair *pair, gconstpointer data) {
    guint before = open_descriptors();
    send_all(pair->here, "half a let");
    baton_streams_give_up(pair->here);
    end(pair->here);
    g_input_stream_close(input(pair->here), NULL, NULL);
    expect_cut(pair->there);
    end(pair->there);
    g_input_stream_close(input(pair->there), NULL, NULL);
    UNTIL(open_descriptors() <= before - 2);
    g_autoptr(GError) error = NULL;
    g_assert_false(close_streams(pair->here, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
}

/* --- Progress ----------------------------------------------------------------------------------- */

typedef struct {
    guint count;
    guint64 sent, received;
    gboolean is_waiting;
} Progress;

static void keep_progress(BatonStreams *streams, guint64 sent, guint64 received, const char *transport, gboolean is_waiting, Progress *kept) {
    expect_transport(transport);
    g_assert_cmpuint(sent, >=, kept->sent);
    g_assert_cmpuint(received, >=, kept->received);
    *kept = (Progress){.count = kept->count + 1, .sent = sent, .received = received, .is_waiting = is_waiting};
}

static void who_follows_learns_the_progress(Pair *pair, gconstpointer data) {
    Progress here = {0}, there = {0};
    g_signal_connect(pair->here, "progress", G_CALLBACK(keep_progress), &here);
    g_signal_connect(pair->there, "progress", G_CALLBACK(keep_progress), &there);
    baton_streams_follow(pair->there);
    baton_streams_follow(pair->there);
    UNTIL(there.count > 0 && !there.is_waiting);
    g_assert_cmpuint(there.received, ==, 0);
    send_all(pair->here, "a letter");
    expect(pair->there, "a letter");
    UNTIL(there.received == 8);
    send_all(pair->there, "an answer");
    expect(pair->here, "an answer");
    /* The desk's program has not followed its streams. */
    g_assert_cmpuint(here.count, ==, 0);
    baton_streams_follow(pair->here);
    UNTIL(here.received == 9);
    g_signal_handlers_disconnect_by_data(pair->here, &here);
    g_signal_handlers_disconnect_by_data(pair->there, &there);
}

static void what_was_sent_is_counted_when_it_has_arrived(Pair *pair, gconstpointer data) {
    Progress here = {0};
    GAsyncResult *answers[2] = {NULL};
    g_autoptr(GBytes) sent = noise(3);
    g_autoptr(GInputStream) source = g_memory_input_stream_new_from_bytes(sent);
    g_autoptr(GOutputStream) received = g_memory_output_stream_new_resizable();
    g_signal_connect(pair->here, "progress", G_CALLBACK(keep_progress), &here);
    baton_streams_follow(pair->here);
    g_output_stream_splice_async(output(pair->here), source, G_OUTPUT_STREAM_SPLICE_NONE, G_PRIORITY_DEFAULT, NULL, keep, &answers[0]);
    splice(received, input(pair->there), &answers[1]);
    expect_spliced(output(pair->here), &answers[0]);
    /* The last quarter of a window is confirmed only with the end. */
    UNTIL(here.sent > MUCH / 2);
    g_assert_cmpuint(here.sent, <=, MUCH);
    end(pair->here);
    expect_spliced(received, &answers[1]);
    g_signal_handlers_disconnect_by_data(pair->here, &here);
}

static void streams_that_are_followed_can_be_let_go_of(Pair *pair, gconstpointer data) {
    Progress here = {0};
    gpointer streams = pair->here;
    g_signal_connect(pair->here, "progress", G_CALLBACK(keep_progress), &here);
    baton_streams_follow(pair->here);
    UNTIL(here.count > 0);
    guint count = here.count;
    g_object_add_weak_pointer(G_OBJECT(pair->here), &streams);
    g_clear_object(&pair->here);
    UNTIL(streams == NULL);
    expect_cut(pair->there);
    g_assert_cmpuint(here.count, ==, count);
}

/* --- Streams that are cut short ----------------------------------------------------------------- */

static void what_was_let_go_of_is_cut(Pair *pair, gconstpointer data) {
    send_all(pair->here, "half a let");
    g_clear_object(&pair->here);
    expect_cut(pair->there);
    g_autoptr(GError) error = NULL;
    g_assert_false(close_streams(pair->there, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
}

/* The receiver has already ended its own output, so the socket alone does not show that the data is
 * cut short. */
static void what_was_given_up_is_cut_for_who_only_receives(Pair *pair, gconstpointer data) {
    end(pair->there);
    expect_end(pair->here);
    send_all(pair->here, "half a let");
    expect(pair->there, "half");
    baton_streams_give_up(pair->here);
    expect_cut(pair->there);
    expect_cut(pair->there);
    g_autoptr(GError) error = NULL;
    UNTIL(g_output_stream_write(output(pair->here), "x", 1, NULL, &error) < 0);
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
}

static void what_is_closed_before_it_was_read_is_cut(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    send_all(pair->here, "a letter that nobody reads");
    end(pair->here);
    expect(pair->there, "a");
    g_assert_false(close_streams(pair->there, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
    expect_cut(pair->here);
}

static void streams_that_nobody_wants_are_cut(void) {
    g_autoptr(BatonActivity) activity = publish(TYPE);
    baton_activity_set_supports_continuation_streams(activity, TRUE);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    baton_continuation_open_streams_async(continuation, NULL, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    /* The error comes when the streams are opened, or when they are read. */
    g_autoptr(BatonStreams) streams = baton_continuation_open_streams_finish(continuation, result, &error);
    if (streams != NULL) expect_cut(streams);
    else g_assert_cmpuint(error->domain, ==, BATON_ERROR);
}

static void a_program_that_has_left_the_bus_has_cut_its_streams(void) {
    BatonStreams *here = NULL;
    g_autoptr(GDBusConnection) leaving = connect_to("DESK");
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", leaving, "activity-type", TYPE, NULL);
    g_signal_connect(activity, "streams", G_CALLBACK(keep_streams), &here);
    baton_activity_set_supports_continuation_streams(activity, TRUE);
    baton_activity_become_current(activity);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_autoptr(BatonStreams) there = open_streams(continuation);
    UNTIL(here != NULL);
    end(there);
    send_all(here, "half a let");
    expect(there, "half a let");
    g_dbus_connection_close_sync(leaving, NULL, NULL);
    g_object_unref(here);
    expect_cut(there);
}

static void who_gives_up_waits_no_longer(Pair *pair, gconstpointer data) {
    char byte;
    GAsyncResult *answers[2] = {NULL};
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(GError) read_error = NULL, open_error = NULL;
    g_input_stream_read_async(input(pair->here), &byte, 1, G_PRIORITY_DEFAULT, cancellable, keep, &answers[0]);
    baton_continuation_open_streams_async(pair->continuation, cancellable, keep, &answers[1]);
    g_cancellable_cancel(cancellable);
    g_autoptr(GAsyncResult) read = wait_for(&answers[0]), opened = wait_for(&answers[1]);
    g_assert_cmpint(g_input_stream_read_finish(input(pair->here), read, &read_error), ==, -1);
    g_assert_error(read_error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_assert_null(baton_continuation_open_streams_finish(pair->continuation, opened, &open_error));
    g_assert_error(open_error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    /* The pair whose opening was cancelled was given up when it arrived. The first pair still
     * works. */
    send_all(pair->there, "x");
    expect(pair->here, "x");
}

void add_stream_tests(void) {
    static const PairTest tests[] = {
        {"much-goes-both-ways-at-once", much_goes_both_ways_at_once},
        {"a-question-that-has-ended-is-answered", a_question_that_has_ended_is_answered},
        {"closing-says-that-all-was-read", closing_says_that_all_was_read},
        {"what-was-ended-and-let-go-of-is-whole", what_was_ended_and_let_go_of_is_whole},
        {"waiting-needs-no-main-loop", waiting_needs_no_main_loop},
        {"one-stream-is-enough-to-keep-the-pair", one_stream_is_enough_to_keep_the_pair},
        {"who-follows-learns-the-progress", who_follows_learns_the_progress},
        {"what-was-sent-is-counted-when-it-has-arrived", what_was_sent_is_counted_when_it_has_arrived},
        {"that-are-followed-can-be-let-go-of", streams_that_are_followed_can_be_let_go_of},
        {"what-was-let-go-of-is-cut", what_was_let_go_of_is_cut},
        {"what-was-given-up-is-cut-for-who-only-receives", what_was_given_up_is_cut_for_who_only_receives},
        {"what-is-closed-before-it-was-read-is-cut", what_is_closed_before_it_was_read_is_cut},
        {"closed-ones-keep-no-descriptors", closed_streams_keep_no_descriptors},
        {"given-up-and-closed-ones-keep-no-descriptors", streams_that_are_given_up_and_closed_keep_no_descriptors},
        {"who-gives-up-waits-no-longer", who_gives_up_waits_no_longer},
    };
    add_pair_tests("streams", tests, G_N_ELEMENTS(tests));
    g_test_add_func("/streams/that-nobody-wants-are-cut", streams_that_nobody_wants_are_cut);
    g_test_add_func("/streams/of-a-program-that-has-left-are-cut", a_program_that_has_left_the_bus_has_cut_its_streams);
}
