/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton.h>

/* Two laptops of one circle, each a connection to its session bus. `test_library.py` has started
 * them. */
extern GDBusConnection *desk, *sofa;

/* Returns another connection to the bus of a laptop. */
GDBusConnection *connect_to(const char *laptop);

/* Makes the test's driver do something: "kill desk", "start desk". */
void ask(const char *what);

/* Runs the main loop until a condition holds. */
#define UNTIL(condition)                                                         \
    do {                                                                         \
        guint limit = g_timeout_add_seconds(60, it_takes_too_long, (gpointer)#condition); \
        while (!(condition)) g_main_context_iteration(NULL, TRUE);               \
        g_source_remove(limit);                                                  \
    } while (0)
gboolean it_takes_too_long(gpointer condition);

/* Returns an activity type that no other test uses, so that leftovers of other tests have
 * no effect. */
#define TYPE own_type("")
const char *own_type(const char *suffix);

/* Wait for an answer. `keep` is the callback. `wait_for` returns the result, which the caller must
 * unreference. */
void keep(GObject *source, GAsyncResult *result, gpointer answer);
GAsyncResult *wait_for(GAsyncResult **answer);

/* Publish an activity on the desk, which is current and known to its daemon, and continue it on the
 * sofa. */
BatonActivity *publish(const char *type);
void flush(BatonActivity *activity);
gboolean try_to_flush(BatonActivity *activity, GError **error);
void expect_not_flushed(BatonActivity *activity, int code);
BatonContinuation *carry_on(const char *type);
BatonContinuation *try_to_carry_on(const char *type, GError **error);

/* Checks that a transport is one of the two between the laptops. The fastest wins, and streams may
 * move at any time. */
void expect_transport(const char *transport);

/* Returns whether exactly one activity is offered, and it has this type. */
gboolean is_all_there_is(BatonOffers *offers, const char *type);

/* Calls a daemon as any program can. `interface` has no prefix. */
GVariant *call(GDBusConnection *bus, const char *interface, const char *method, GVariant *arguments, GError **error);

/* Register the tests of each file. */
void add_value_tests(void);
void add_handover_tests(void);
void add_stream_tests(void);
void add_splice_tests(void);
void add_restart_tests(void);
void add_hostile_tests(void);
void add_document_name_tests(void);
void add_document_copy_tests(void);
void add_document_tests(void);
void add_document_descriptor_tests(void);
void add_application_tests(void);
