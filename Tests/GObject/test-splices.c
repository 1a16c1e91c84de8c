/* SPDX-License-Identifier: Apache-2.0 */
/* Splices of GIO into a pair's output, and GIO's streams around it. */
#include "pairs.h"

/* --- A source that returns a number of bytes and then fails, like a disk --------------------------- */

typedef struct {
    GInputStream parent_instance;
    gsize rest;
} Source;

typedef GInputStreamClass SourceClass;
G_DEFINE_TYPE(Source, source, G_TYPE_INPUT_STREAM)

static gssize give_some(GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable, GError **error) {
    Source *self = (Source *)stream;
    count = MIN(count, self->rest);
    if (count == 0) g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "the disk is gone");
    if (count == 0) return -1;
    memset(buffer, 'x', count);
    self->rest -= count;
    return (gssize)count;
}

static gboolean close_source(GInputStream *stream, GCancellable *cancellable, GError **error) {
    return TRUE;
}

static void source_class_init(SourceClass *class) {
    class->read_fn = give_some;
    class->close_fn = close_source;
}

static void source_init(Source *self) {}

static GInputStream *source_new(gsize count) {
    Source *self = g_object_new(source_get_type(), NULL);
    self->rest = count;
    return G_INPUT_STREAM(self);
}

static gssize splice_by_the_main_loop(GOutputStream *to, GInputStream *from, GOutputStreamSpliceFlags flags, GCancellable *cancellable, GError **error) {
    GAsyncResult *answer = NULL;
    g_output_stream_splice_async(to, from, flags, G_PRIORITY_DEFAULT, cancellable, keep, &answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    return g_output_stream_splice_finish(to, result, error);
}

/* --- Splices ------------------------------------------------------------------------------------ */

static const GOutputStreamSpliceFlags BOTH = G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE | G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET;

static void a_source_that_fails_cuts(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GInputStream) source = source_new(10000);
    g_assert_cmpint(g_output_stream_splice(output(pair->here), source, BOTH, NULL, &error), ==, -1);
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
    g_assert_true(g_input_stream_is_closed(source));
    g_assert_true(g_output_stream_is_closed(output(pair->here)));
    expect_cut(pair->there);
}

/* The receiver has already ended its own output, so the socket alone does not show that the data is
 * cut short. */
static void a_source_that_fails_by_the_main_loop_cuts(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL, close_error = NULL;
    g_autoptr(GInputStream) source = source_new(10000);
    end(pair->there);
    g_assert_cmpint(splice_by_the_main_loop(output(pair->here), source, BOTH, NULL, &error), ==, -1);
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
    g_assert_true(g_input_stream_is_closed(source));
    g_assert_true(g_output_stream_is_closed(output(pair->here)));
    expect_cut(pair->there);
    g_assert_false(close_streams(pair->here, &close_error));
    g_assert_error(close_error, BATON_ERROR, BATON_ERROR_STREAM_CUT);
}

static gboolean cancel(gpointer cancellable) {
    g_cancellable_cancel(cancellable);
    return G_SOURCE_REMOVE;
}

/* No program reads, so the splice is waiting for free space when it is cancelled. */
static void one_that_is_cancelled_cuts(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GInputStream) source = source_new(G_MAXSIZE);
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    end(pair->there);
    g_timeout_add(200, cancel, cancellable);
    g_assert_cmpint(splice_by_the_main_loop(output(pair->here), source, BOTH, cancellable, &error), ==, -1);
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    expect_cut(pair->there);
}

static gpointer cancel_soon(gpointer cancellable) {
    g_usleep(200000);
    g_cancellable_cancel(cancellable);
    return NULL;
}

static void one_that_another_thread_cancels_cuts(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GInputStream) source = source_new(G_MAXSIZE);
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
    g_assert_cmpint(g_output_stream_splice(output(pair->here), source, BOTH, cancellable, &error), ==, -1);
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_thread_join(thread);
    expect_cut(pair->there);
}

static void one_that_was_whole_has_ended(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GInputStream) source = g_memory_input_stream_new_from_data("a letter", 8, NULL);
    g_assert_cmpint(g_output_stream_splice(output(pair->here), source, BOTH, NULL, &error), ==, 8);
    g_assert_no_error(error);
    g_assert_true(g_output_stream_is_closed(output(pair->here)));
    expect(pair->there, "a letter");
    expect_end(pair->there);
}

/* Without the flag to close the target, the caller decides how the stream ends. */
static void one_that_does_not_close_the_target_leaves_it_open(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GInputStream) failing = source_new(3);
    g_assert_cmpint(splice_by_the_main_loop(output(pair->here), failing, G_OUTPUT_STREAM_SPLICE_NONE, NULL, &error), ==, -1);
    g_assert_false(g_output_stream_is_closed(output(pair->here)));
    send_all(pair->here, " and the rest");
    end(pair->here);
    expect(pair->there, "xxx and the rest");
    expect_end(pair->there);
}

/* --- Closes that do not count as an end --------------------------------------------------------- */

static void a_close_that_was_cancelled_cuts(Pair *pair, gconstpointer data) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    send_all(pair->here, "half a let");
    g_cancellable_cancel(cancellable);
    g_assert_false(g_output_stream_close(output(pair->here), cancellable, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    expect_cut(pair->there);
}

/* GIO's streams close the stream below when they are finalized. The library cannot tell that from
 * an intended close. But if the app gave a pair up before, the pair stays given up. */
static void a_stream_around_it_that_is_let_go_of_after_giving_up_cuts(Pair *pair, gconstpointer data) {
    GDataOutputStream *around = g_data_output_stream_new(output(pair->here));
    end(pair->there);
    g_assert_true(g_data_output_stream_put_string(around, "half a let", NULL, NULL));
    baton_streams_give_up(pair->here);
    g_object_unref(around);
    g_assert_true(g_output_stream_is_closed(output(pair->here)));
    expect_cut(pair->there);
}

static void a_stream_around_it_that_closes_nothing_cuts(Pair *pair, gconstpointer data) {
    g_autoptr(GOutputStream) around = g_buffered_output_stream_new(output(pair->here));
    g_filter_output_stream_set_close_base_stream(G_FILTER_OUTPUT_STREAM(around), FALSE);
    g_assert_true(g_output_stream_write_all(around, "half a let", 10, NULL, NULL, NULL));
    g_clear_object(&around);
    g_assert_false(g_output_stream_is_closed(output(pair->here)));
    g_clear_object(&pair->here);
    expect_cut(pair->there);
}

void add_splice_tests(void) {
    static const PairTest tests[] = {
        {"a-source-that-fails-cuts", a_source_that_fails_cuts},
        {"a-source-that-fails-by-the-main-loop-cuts", a_source_that_fails_by_the_main_loop_cuts},
        {"one-that-is-cancelled-cuts", one_that_is_cancelled_cuts},
        {"one-that-another-thread-cancels-cuts", one_that_another_thread_cancels_cuts},
        {"one-that-was-whole-has-ended", one_that_was_whole_has_ended},
        {"one-that-does-not-close-the-target-leaves-it-open", one_that_does_not_close_the_target_leaves_it_open},
        {"a-close-that-was-cancelled-cuts", a_close_that_was_cancelled_cuts},
        {"a-stream-around-it-after-giving-up-cuts", a_stream_around_it_that_is_let_go_of_after_giving_up_cuts},
        {"a-stream-around-it-that-closes-nothing-cuts", a_stream_around_it_that_closes_nothing_cuts},
    };
    add_pair_tests("splices", tests, G_N_ELEMENTS(tests));
}
