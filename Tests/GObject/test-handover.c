/* SPDX-License-Identifier: Apache-2.0 */
#include "laptops.h"

static void count(guint *counter) {
    (*counter)++;
}

static void note_device(BatonActivity *activity, const char *device, const char *device_name, char **found) {
    g_free(*found);
    *found = g_strdup(device_name);
}

static void all_properties_arrive(void) {
    const char *const keys[] = {"cursor", NULL};
    g_autofree char *continued_on = NULL;
    g_autoptr(GDateTime) expires = g_date_time_new_utc(2100, 1, 2, 3, 4, 5.25);
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect(activity, "continued", G_CALLBACK(note_device), &continued_on);
    GVariant *info = g_variant_new_parsed("{'cursor': <int64 34>, 'zoom': <1.25>, 'is-new': <true>, 'labels': <['a', 'b']>, 'page': %v}",
                                          baton_value_new_url("https://example.org/7"));
    g_object_set(activity, "title", "Dear \xC3\x84" "da", "user-info", info, "webpage-url", "https://example.org/", NULL);
    g_object_set(activity, "referrer-url", "http://example.org/r", "target-content-identifier", "page-7", NULL);
    g_object_set(activity, "persistent-identifier", "letter-7", "expiration-date", expires, "required-user-info-keys", keys, NULL);
    flush(activity);

    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_cmpstr(baton_continuation_get_activity_type(continuation), ==, TYPE);
    g_assert_cmpstr(baton_continuation_get_title(continuation), ==, "Dear \xC3\x84" "da");
    g_assert_cmpstr(baton_continuation_get_webpage_url(continuation), ==, "https://example.org/");
    g_assert_cmpstr(baton_continuation_get_referrer_url(continuation), ==, "http://example.org/r");
    g_assert_cmpstr(baton_continuation_get_target_content_identifier(continuation), ==, "page-7");
    g_assert_cmpstr(baton_continuation_get_persistent_identifier(continuation), ==, "letter-7");
    g_assert_cmpstr(baton_continuation_get_device_name(continuation), ==, "desk");
    expect_transport(baton_continuation_get_transport(continuation));
    g_assert_false(baton_continuation_get_supports_continuation_streams(continuation));
    g_auto(GStrv) required = baton_continuation_get_required_user_info_keys(continuation);
    g_assert_cmpstrv(required, keys);
    g_autoptr(GDateTime) date = baton_continuation_get_expiration_date(continuation);
    g_assert_true(g_date_time_equal(date, expires));

    gint64 cursor;
    gboolean is_new;
    g_autoptr(GVariant) page = g_variant_lookup_value(baton_continuation_get_user_info(continuation), "page", NULL);
    g_autofree char *url = baton_value_get_url(page);
    g_assert_true(g_variant_lookup(baton_continuation_get_user_info(continuation), "cursor", "x", &cursor));
    g_assert_true(g_variant_lookup(baton_continuation_get_user_info(continuation), "is-new", "b", &is_new));
    g_assert_cmpint(cursor, ==, 34);
    g_assert_true(is_new);
    g_assert_cmpstr(url, ==, "https://example.org/7");

    g_assert_null(continued_on);
    baton_continuation_accept(continuation);
    UNTIL(continued_on != NULL);
    g_assert_cmpstr(continued_on, ==, "sofa");
}

static void cleared_properties_are_gone(void) {
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_object_set(activity, "title", "a title", "user-info", g_variant_new_parsed("{'a': <1>}"), NULL);
    flush(activity);
    g_object_set(activity, "title", NULL, "user-info", NULL, NULL);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_null(baton_continuation_get_title(continuation));
    g_assert_cmpuint(g_variant_n_children(baton_continuation_get_user_info(continuation)), ==, 0);
}

static void write_down(BatonActivity *activity, guint *counter) {
    g_autofree char *title = g_strdup_printf("saved %u", ++*counter);
    baton_activity_set_title(activity, title);
}

static void contents_are_asked_for_when_somebody_wants_them(void) {
    guint saves = 0;
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect(activity, "save", G_CALLBACK(write_down), &saves);
    for (guint i = 1; i <= 2; i++) {
        baton_activity_set_needs_save(activity, TRUE);
        flush(activity);
        g_assert_cmpuint(saves, ==, i - 1);
        g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
        g_autofree char *expected = g_strdup_printf("saved %u", i);
        g_assert_cmpstr(baton_continuation_get_title(continuation), ==, expected);
        g_assert_false(baton_activity_get_needs_save(activity));
    }
    /* The app has not set needs-save again, so it is not asked to save. */
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_cmpuint(saves, ==, 2);
}

static void one_that_becomes_current_takes_the_place_of_the_one_before(void) {
    guint changes = 0;
    g_autoptr(BatonActivity) first = publish(own_type(".first"));
    g_signal_connect_swapped(first, "notify::is-current", G_CALLBACK(count), &changes);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, NULL);
    g_autoptr(BatonActivity) second = publish(own_type(".second"));
    g_assert_false(baton_activity_get_is_current(first));
    g_assert_true(baton_activity_get_is_current(second));
    g_assert_cmpuint(changes, ==, 1);
    g_autoptr(BatonContinuation) continuation = carry_on(own_type(".second"));
    baton_activity_become_current(first);
    flush(first);
    g_autoptr(BatonContinuation) back = carry_on(own_type(".first"));
    baton_activity_resign_current(first);
    flush(first);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 0);
}

static void quick_changes_of_the_current_one_end_as_the_last_wants(void) {
    g_autoptr(BatonActivity) first = publish(own_type(".first"));
    g_autoptr(BatonActivity) second = publish(own_type(".second"));
    for (guint i = 0; i < 50; i++) {
        baton_activity_become_current(i % 2 ? second : first);
        for (guint j = 0; j < i % 5; j++) g_main_context_iteration(NULL, FALSE);
    }
    flush(first);
    flush(second);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, NULL);
    UNTIL(is_all_there_is(offers, own_type(".second")));
    g_autoptr(BatonContinuation) continuation = carry_on(own_type(".second"));
}

static void note_reason(BatonActivity *activity, const char *device, const char *device_name, const char *reason, GPtrArray *reasons) {
    g_assert_cmpstr(device_name, ==, "sofa");
    g_assert_cmpstr(device, !=, "");
    g_ptr_array_add(reasons, g_strdup(reason));
}

static void what_nobody_takes_over_was_not_continued(void) {
    guint continued = 0;
    g_autoptr(GPtrArray) reasons = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect_swapped(activity, "continued", G_CALLBACK(count), &continued);
    g_signal_connect(activity, "not-continued", G_CALLBACK(note_reason), reasons);
    BatonContinuation *let_go = carry_on(TYPE), *declined = carry_on(TYPE);
    g_object_unref(let_go);
    UNTIL(reasons->len == 1);
    baton_continuation_decline(declined, "not now");
    baton_continuation_accept(declined);
    g_object_unref(declined);
    UNTIL(reasons->len == 2);
    for (guint i = 0; i < 2; i++) g_assert_cmpstr(reasons->pdata[i], !=, "");
    g_autoptr(BatonContinuation) taken = carry_on(TYPE);
    baton_continuation_accept(taken);
    UNTIL(continued > 0);
    g_assert_cmpuint(continued, ==, 1);
    g_assert_cmpuint(reasons->len, ==, 2);
}

static void note_error(BatonActivity *activity, GError *error, GError **found) {
    g_clear_error(found);
    *found = g_error_copy(error);
}

static void what_is_too_large_fails_on_both_sides_and_what_is_smaller_does_not(void) {
    g_autoptr(GError) failure = NULL, error = NULL, error_there = NULL;
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect(activity, "failed", G_CALLBACK(note_error), &failure);
    g_autofree char *much = g_strnfill(70000, 'x');
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'much': <%s>}", much));
    g_assert_false(try_to_flush(activity, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE);
    g_assert_null(strstr(error->message, "GDBus"));
    g_assert_error(failure, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE);
    g_assert_null(try_to_carry_on(TYPE, &error_there));
    g_assert_error(error_there, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE);
    g_object_set(activity, "user-info", g_variant_new_parsed("{'little': <'x'>}"), NULL);
    flush(activity);
    g_autoptr(BatonContinuation) after = carry_on(TYPE);
    g_assert_cmpuint(g_variant_n_children(baton_continuation_get_user_info(after)), ==, 1);
}

static void expect_too_large(BatonActivity *activity, gsize count) {
    char *much = g_strnfill(count, 'x');
    GVariant *text = g_variant_new_take_string(much);
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'much': <%@s>}", text));
    expect_not_flushed(activity, BATON_ERROR_USER_INFO_TOO_LARGE);
}

/* Sizes around the limits of the daemon's messages and of the bus's, which would end the
 * connection. */
static void however_large_it_is_it_is_too_large(void) {
    static const gsize counts[] = {66000, 700 << 10, 800 << 10, 1 << 20, 2 << 20, 130 << 20};
    g_autoptr(BatonActivity) activity = publish(TYPE);
    for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) expect_too_large(activity, counts[i]);
    g_assert_false(g_dbus_connection_is_closed(desk));
    baton_activity_set_user_info(activity, NULL);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_cmpuint(g_variant_n_children(baton_continuation_get_user_info(continuation)), ==, 0);
}

static void save_too_much(BatonActivity *activity) {
    g_autofree char *much = g_strnfill(2 << 20, 'x');
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'much': <%s>}", much));
}

/* A device that waits for the contents gets this error at once, not the one for an app that does
 * not answer. */
static void what_is_saved_and_is_far_too_large_fails_on_both_sides(void) {
    g_autoptr(GError) error = NULL, failure = NULL;
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_signal_connect(activity, "save", G_CALLBACK(save_too_much), NULL);
    g_signal_connect(activity, "failed", G_CALLBACK(note_error), &failure);
    baton_activity_set_needs_save(activity, TRUE);
    flush(activity);
    g_assert_null(try_to_carry_on(TYPE, &error));
    g_assert_error(error, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE);
    UNTIL(failure != NULL);
    g_assert_error(failure, BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE);
}

static void a_title_that_is_too_long_says_how_long_it_may_be(void) {
    static const gsize counts[] = {1025, 5000};
    g_autoptr(BatonActivity) activity = publish(TYPE);
    for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *title = g_strnfill(counts[i], 'x');
        baton_activity_set_title(activity, title);
        g_assert_false(try_to_flush(activity, &error));
        g_assert_error(error, BATON_ERROR, BATON_ERROR_INVALID_ARGUMENT);
        g_assert_nonnull(strstr(error->message, "0 to 1024"));
    }
}

static void a_user_info_of_another_type_is_warned_of(void) {
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", TYPE, NULL);
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'a': <1>}"));
    g_test_expect_message("Baton", G_LOG_LEVEL_WARNING, "*a 's' and has to be an 'a{sv}'*");
    baton_activity_set_user_info(activity, g_variant_new_string("a"));
    g_test_expect_message("Baton", G_LOG_LEVEL_WARNING, "*a 'a{ss}' and has to be an 'a{sv}'*");
    g_object_set(activity, "user-info", g_variant_new_parsed("{'a': 'b'}"), NULL);
    g_test_assert_expected_messages();
    g_assert_cmpuint(g_variant_n_children(baton_activity_get_user_info(activity)), ==, 1);
    g_assert_true(g_variant_is_of_type(baton_activity_get_user_info(activity), G_VARIANT_TYPE_VARDICT));
}

static void note_text(BatonActivity *activity, const char *text, char **found) {
    g_free(*found);
    *found = g_strdup(text);
}

static void warnings_are_told_also_those_that_come_before_it_is_published(void) {
    g_autofree char *warning = NULL, *much = g_strnfill(5000, 'x');
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", TYPE, NULL);
    g_signal_connect(activity, "warning", G_CALLBACK(note_text), &warning);
    baton_activity_set_user_info(activity, g_variant_new_parsed("{'much': <%s>}", much));
    baton_activity_become_current(activity);
    UNTIL(warning != NULL);
    g_assert_nonnull(strstr(warning, "bytes"));
}

static void who_gives_up_waits_no_longer(void) {
    GAsyncResult *answer = NULL, *flushed = NULL;
    g_autoptr(GError) error = NULL, flush_error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(BatonActivity) activity = publish(TYPE);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", TYPE, NULL);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) > 0);
    g_autoptr(BatonOffer) offer = g_list_model_get_item(G_LIST_MODEL(offers), 0);
    g_assert_cmpstr(baton_offer_get_activity_type(offer), ==, TYPE);
    g_assert_cmpstr(baton_offer_get_device_name(offer), ==, "desk");
    baton_offers_continue_async(offers, offer, cancellable, keep, &answer);
    baton_activity_set_title(activity, "newer");
    baton_activity_flush_async(activity, cancellable, keep, &flushed);
    g_cancellable_cancel(cancellable);
    g_autoptr(GAsyncResult) result = wait_for(&answer), flush_result = wait_for(&flushed);
    g_assert_null(baton_offers_continue_finish(offers, result, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_assert_false(baton_activity_flush_finish(activity, flush_result, &flush_error));
    g_assert_error(flush_error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void expect_flushed(BatonActivity *activity) {
    GAsyncResult *answer = NULL;
    g_autoptr(GError) error = NULL;
    baton_activity_flush_async(activity, NULL, keep, &answer);
    g_assert_null(answer);
    g_autoptr(GAsyncResult) result = wait_for(&answer);
    g_assert_true(baton_activity_flush_finish(activity, result, &error));
    g_assert_no_error(error);
}

static void one_that_has_ended_has_nothing_left_to_tell(void) {
    g_autoptr(BatonActivity) activity = publish(TYPE);
    baton_activity_invalidate(activity);
    expect_flushed(activity);
    baton_activity_set_title(activity, "too late");
    expect_flushed(activity);
    g_autoptr(BatonActivity) never = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", TYPE, NULL);
    baton_activity_invalidate(never);
    expect_flushed(never);
}

static void an_activity_that_is_let_go_of_ends(void) {
    BatonActivity *activity = publish(TYPE);
    g_autoptr(BatonOffers) offers = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", TYPE, NULL);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 1);
    g_object_add_weak_pointer(G_OBJECT(activity), (gpointer *)&activity);
    g_object_unref(activity);
    g_assert_null(activity);
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(offers)) == 0);
    /* An activity that ends before it was published leaves nothing behind, either. */
    BatonActivity *brief = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", TYPE, NULL);
    baton_activity_become_current(brief);
    g_main_context_iteration(NULL, FALSE);
    g_object_unref(brief);
    g_autoptr(BatonActivity) other = publish(own_type(".other"));
    g_autoptr(BatonContinuation) continuation = carry_on(own_type(".other"));
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(offers)), ==, 0);
}

static void let_go(GObject *activity, GAsyncResult *result, gpointer data) {
    g_autoptr(GError) error = NULL;
    g_assert_true(baton_activity_flush_finish(BATON_ACTIVITY(activity), result, &error));
    g_assert_no_error(error);
    g_object_unref(activity);
}

/* A use of what is gone shows under valgrind and with the sanitizers. */
static void an_activity_may_be_let_go_of_when_all_is_told(void) {
    BatonActivity *activity = publish(TYPE);
    g_object_add_weak_pointer(G_OBJECT(activity), (gpointer *)&activity);
    baton_activity_flush_async(activity, NULL, let_go, NULL);
    UNTIL(activity == NULL);
}

static void has_name(GDBusConnection *bus, const char *name, gpointer data) {
    *(gboolean *)data = TRUE;
}

static void music_does_not_hide_the_document_in_front(void) {
    g_autoptr(GDBusConnection) player = connect_to("DESK");
    g_autoptr(BatonOffers) documents = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", own_type(".document"), NULL);
    g_autoptr(BatonOffers) songs = g_object_new(BATON_TYPE_OFFERS, "connection", sofa, "activity-type", own_type(".song"), NULL);
    g_autoptr(BatonActivity) document = publish(own_type(".document"));
    g_autoptr(BatonActivity) song = g_object_new(BATON_TYPE_ACTIVITY, "connection", player, "activity-type", own_type(".song"), "background", TRUE, NULL);
    UNTIL(is_all_there_is(documents, own_type(".document")));
    baton_activity_become_current(song);
    flush(song);
    /* Offers arrive in order, so after this one it is certain that the song was not offered. */
    g_autoptr(BatonContinuation) continuation = carry_on(own_type(".document"));
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(songs)), ==, 0);
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(documents)), ==, 1);
    baton_activity_resign_current(document);
    UNTIL(is_all_there_is(songs, own_type(".song")));
    baton_activity_become_current(document);
    UNTIL(is_all_there_is(documents, own_type(".document")));
    UNTIL(g_list_model_get_n_items(G_LIST_MODEL(songs)) == 0);
}

static void an_adapter_alone_publishes_for_an_app(void) {
    gboolean is_owned = FALSE;
    g_autoptr(GDBusConnection) adapter = connect_to("DESK");
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", adapter, "activity-type", TYPE, "application", "org.example.Player", NULL);
    baton_activity_become_current(activity);
    expect_not_flushed(activity, BATON_ERROR_NOT_ALLOWED);
    guint name = g_bus_own_name_on_connection(adapter, "org.example.Adapter", 0, has_name, NULL, &is_owned, NULL);
    UNTIL(is_owned);
    baton_activity_become_current(activity);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_nonnull(continuation);
    g_bus_unown_name(name);
}

static void note_end(BatonActivity *activity, const char *reason, char **found) {
    *found = g_strdup(reason);
}

static void what_an_adapter_heard_ends_with_the_program_that_said_it(void) {
    gboolean is_owned = FALSE;
    g_autofree char *reason = NULL;
    g_autoptr(GDBusConnection) adapter = connect_to("DESK"), player = connect_to("DESK");
    guint name = g_bus_own_name_on_connection(adapter, "org.example.Adapter", 0, has_name, NULL, &is_owned, NULL);
    UNTIL(is_owned);
    const char *speaker = g_dbus_connection_get_unique_name(player);
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", adapter, "activity-type", TYPE, "speaker", speaker, NULL);
    g_autofree char *said = NULL;
    g_object_get(activity, "speaker", &said, NULL);
    g_assert_cmpstr(said, ==, speaker);
    g_signal_connect(activity, "ended", G_CALLBACK(note_end), &reason);
    baton_activity_become_current(activity);
    flush(activity);
    g_autoptr(BatonContinuation) continuation = carry_on(TYPE);
    g_assert_nonnull(continuation);
    g_assert_null(reason);
    g_dbus_connection_close_sync(player, NULL, NULL);
    UNTIL(reason != NULL);
    g_assert_nonnull(strstr(reason, "has ended"));
    g_bus_unown_name(name);
}

static void only_an_adapter_names_a_speaker(void) {
    g_autoptr(BatonActivity) activity = g_object_new(BATON_TYPE_ACTIVITY, "connection", desk, "activity-type", TYPE,
                                                     "speaker", g_dbus_connection_get_unique_name(desk), NULL);
    baton_activity_become_current(activity);
    expect_not_flushed(activity, BATON_ERROR_NOT_ALLOWED);
}

void add_handover_tests(void) {
    g_test_add_func("/handover/all-properties-arrive", all_properties_arrive);
    g_test_add_func("/handover/cleared-properties-are-gone", cleared_properties_are_gone);
    g_test_add_func("/handover/contents-are-asked-for-when-somebody-wants-them", contents_are_asked_for_when_somebody_wants_them);
    g_test_add_func("/handover/one-that-becomes-current-takes-the-place", one_that_becomes_current_takes_the_place_of_the_one_before);
    g_test_add_func("/handover/quick-changes-end-as-the-last-wants", quick_changes_of_the_current_one_end_as_the_last_wants);
    g_test_add_func("/handover/music-does-not-hide-the-document-in-front", music_does_not_hide_the_document_in_front);
    g_test_add_func("/handover/an-adapter-alone-publishes-for-an-app", an_adapter_alone_publishes_for_an_app);
    g_test_add_func("/handover/what-an-adapter-heard-ends-with-the-program-that-said-it", what_an_adapter_heard_ends_with_the_program_that_said_it);
    g_test_add_func("/handover/only-an-adapter-names-a-speaker", only_an_adapter_names_a_speaker);
    g_test_add_func("/handover/what-nobody-takes-over-was-not-continued", what_nobody_takes_over_was_not_continued);
    g_test_add_func("/handover/what-is-too-large-fails", what_is_too_large_fails_on_both_sides_and_what_is_smaller_does_not);
    g_test_add_func("/handover/however-large-it-is-it-is-too-large", however_large_it_is_it_is_too_large);
    g_test_add_func("/handover/what-is-saved-and-is-far-too-large-fails", what_is_saved_and_is_far_too_large_fails_on_both_sides);
    g_test_add_func("/handover/a-title-that-is-too-long", a_title_that_is_too_long_says_how_long_it_may_be);
    g_test_add_func("/handover/a-user-info-of-another-type", a_user_info_of_another_type_is_warned_of);
    g_test_add_func("/handover/warnings-are-told", warnings_are_told_also_those_that_come_before_it_is_published);
    g_test_add_func("/handover/who-gives-up-waits-no-longer", who_gives_up_waits_no_longer);
    g_test_add_func("/handover/one-that-has-ended-has-nothing-left-to-tell", one_that_has_ended_has_nothing_left_to_tell);
    g_test_add_func("/handover/an-activity-that-is-let-go-of-ends", an_activity_that_is_let_go_of_ends);
    g_test_add_func("/handover/an-activity-may-be-let-go-of-when-all-is-told", an_activity_may_be_let_go_of_when_all_is_told);
}
