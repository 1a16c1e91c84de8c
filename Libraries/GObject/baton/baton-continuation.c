/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-continuation-private.h"
#include "baton-document-url-private.h"

/**
 * BatonContinuation:
 *
 * An activity that came from another device and waits for the app's answer.
 *
 * Take the values that you need from [property@Baton.Continuation:user-info], then call
 * [method@Baton.Continuation.accept]. Only then does the other device learn that the activity was
 * continued. The values come from another device and may be anything. Check the type of each one
 * before you use it, and call [method@Baton.Continuation.decline] if you cannot use them. A
 * continuation that is finalized without an answer counts as declined. In a language with a garbage
 * collector it may take a while until the object is finalized.
 *
 * Since: 1.0
 */
G_DEFINE_FINAL_TYPE(BatonContinuation, baton_continuation, G_TYPE_OBJECT)

BatonContinuation *baton_continuation_new(BatonClient *client, const char *id, GVariant *activity, BatonAnswer answer, gpointer data) {
    BatonContinuation *self = g_object_new(BATON_TYPE_CONTINUATION, NULL);
    self->client = g_object_ref(client);
    self->id = g_strdup(id);
    g_variant_unref(self->properties);
    self->properties = g_variant_ref(activity);
    for (BatonContent content = 0; content < BATON_CONTENTS; content++) {
        g_autoptr(GVariant) value = baton_content_find(activity, content);
        if (value != NULL) baton_content_replace(&self->values[content], value);
    }
    self->document_url = baton_document_url_in(self->values[BATON_CONTENT_USER_INFO]);
    self->answer = answer;
    self->answer_data = data;
    return self;
}

BatonClient *baton_continuation_get_client(BatonContinuation *self) {
    return self->client;
}

const char *baton_continuation_get_id(BatonContinuation *self) {
    return self->id;
}

/* --- The answer --------------------------------------------------------------------------------- */

static void give_answer(BatonContinuation *self, gboolean is_taken, const char *message) {
    BatonAnswer answer = self->answer;
    self->answer = NULL;
    if (answer != NULL) answer(self, is_taken, message, self->answer_data);
}

/**
 * baton_continuation_accept:
 * @self: a continuation
 *
 * Tells the other device that the app has taken the activity over. Only the first answer counts.
 * The answer must come within one minute after [signal@Baton.Application::continue], and within two
 * minutes after [method@Baton.Offers.continue_async]. After that time the activity counts as
 * declined.
 *
 * Accept before you open streams, because streams may take longer than that. Streams can be opened
 * for one more minute, and have no time limit.
 *
 * Since: 1.0
 */
void baton_continuation_accept(BatonContinuation *self) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    give_answer(self, TRUE, NULL);
}

/**
 * baton_continuation_decline:
 * @self: a continuation
 * @message: (nullable): why, in one line for the user, who sees it if Baton brought the activity
 *
 * Says that the app does not take the activity over. The message is only for the user of this
 * device. The other device learns that no app took the activity over.
 *
 * Since: 1.0
 */
void baton_continuation_decline(BatonContinuation *self, const char *message) {
    g_return_if_fail(BATON_IS_CONTINUATION(self));
    give_answer(self, FALSE, message);
}

/* --- The object --------------------------------------------------------------------------------- */

static void baton_continuation_dispose(GObject *object) {
    give_answer(BATON_CONTINUATION(object), FALSE, NULL);
    G_OBJECT_CLASS(baton_continuation_parent_class)->dispose(object);
}

static void baton_continuation_finalize(GObject *object) {
    BatonContinuation *self = BATON_CONTINUATION(object);
    for (BatonContent content = 0; content < BATON_CONTENTS; content++) g_clear_pointer(&self->values[content], g_variant_unref);
    g_variant_unref(self->properties);
    g_clear_object(&self->client);
    g_free(self->id);
    g_free(self->document_url);
    G_OBJECT_CLASS(baton_continuation_parent_class)->finalize(object);
}

static void baton_continuation_class_init(BatonContinuationClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_continuation_get_property;
    object_class->dispose = baton_continuation_dispose;
    object_class->finalize = baton_continuation_finalize;
    baton_continuation_install_properties(object_class);
}

/* Bindings can create an object of any class. A continuation that a binding created is empty, and
 * its answer goes nowhere. */
static void baton_continuation_init(BatonContinuation *self) {
    self->properties = g_variant_ref_sink(g_variant_new("a{sv}", NULL));
    self->values[BATON_CONTENT_USER_INFO] = g_variant_ref(self->properties);
}
