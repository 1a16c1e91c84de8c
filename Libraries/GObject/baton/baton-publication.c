/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-publication-private.h"

#include "baton-error-private.h"

/* The seconds before the next attempt after the daemon refused too many requests, forgot the
 * activity or went away. */
#define LATER 1

/* The most warnings that are kept while an activity is being published. */
#define EARLY 16

#define ALL ((1u << BATON_CONTENTS) - 1)

/* The kinds of calls that the daemon may refuse. */
#define CONTENTS 1
#define PLACE 2

struct _BatonPublication {
    GObject parent_instance;
    BatonClient *client;
    char *type;
    GVariant *first; /* properties that are sent only when it is published */

    /* The wanted state. */
    GVariant *values[BATON_CONTENTS];
    gboolean is_current, is_over;

    /* The state that the daemon knows. */
    char *identifier; /* NULL while the daemon does not know the activity */
    guint changed;    /* a bit for each value that the daemon does not have yet */
    gboolean is_advertised;

    guint sent; /* the values in the call that is under way */
    gboolean is_calling;
    guint refused; /* the kinds of calls that the daemon refused; a change is tried again */
    GSource *next;       /* the next step */
    GQueue flushes;      /* tasks that wait until the daemon has all values */
    GQueue early;        /* warnings that came during the call of Publish: activity and text in turn */
};

G_DEFINE_FINAL_TYPE(BatonPublication, baton_publication, G_TYPE_OBJECT)

enum { WILL_SAVE, WAS_CONTINUED, NOT_CONTINUED, STREAMS_OPENED, WARNED, ENDED, FAILED, CURRENT_CHANGED, SIGNALS };
static guint signals[SIGNALS];

static void plan(BatonPublication *self, guint seconds);
static void step(BatonPublication *self);

/* --- Waiting until the daemon has all values ---------------------------------------------------- */

static void flushed(BatonPublication *self, const GError *error) {
    GTask *task;
    /* A callback may release the activity. Then the task holds the last reference. */
    g_object_ref(self);
    while ((task = g_queue_pop_head(&self->flushes)) != NULL) {
        if (error != NULL) g_task_return_error(task, g_error_copy(error));
        else g_task_return_boolean(task, TRUE);
        g_object_unref(task);
    }
    g_object_unref(self);
}

static gboolean flush_was_cancelled(GCancellable *cancellable, gpointer data) {
    GTask *task = data;
    BatonPublication *self = g_task_get_task_data(task);
    if (g_queue_remove(&self->flushes, task)) {
        g_task_return_error_if_cancelled(task);
        g_object_unref(task);
    }
    return G_SOURCE_REMOVE;
}

void baton_publication_flush(BatonPublication *self, GTask *task) {
    g_task_set_task_data(task, g_object_ref(self), g_object_unref);
    const GError *failure = baton_client_get_failure(self->client);
    g_queue_push_tail(&self->flushes, task);
    /* An ended activity has nothing left to send. */
    if (failure != NULL || self->is_over) {
        flushed(self, self->is_over ? NULL : failure);
        return;
    }
    if (g_task_get_cancellable(task) != NULL) {
        g_autoptr(GSource) source = g_cancellable_source_new(g_task_get_cancellable(task));
        g_task_attach_source(task, source, G_SOURCE_FUNC(flush_was_cancelled));
        g_signal_connect_data(task, "notify::completed", G_CALLBACK(g_source_destroy), g_source_ref(source),
                              (GClosureNotify)(void (*)(void))g_source_unref, G_CONNECT_SWAPPED);
    }
    plan(self, 0);
}

/* --- Calls, one at a time ----------------------------------------------------------------------- */

/* A new publication leaves FALSE out. FALSE is the daemon's default, and an older daemon perhaps does
 * not know the name of the property. */
static gboolean goes_without_saying(BatonPublication *self, GVariant *value) {
    return self->identifier == NULL && g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN) && !g_variant_get_boolean(value);
}

static void add_what_is_told_first(BatonPublication *self, GVariantBuilder *properties) {
    GVariantIter iterator;
    GVariant *property;
    g_variant_iter_init(&iterator, self->first);
    while ((property = g_variant_iter_next_value(&iterator)) != NULL) {
        g_variant_builder_add_value(properties, property);
        g_variant_unref(property);
    }
}

static GVariant *told(BatonPublication *self, guint contents) {
    GVariantBuilder properties, cleared;
    gboolean clears = FALSE;
    g_variant_builder_init(&properties, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_init(&cleared, G_VARIANT_TYPE_STRING_ARRAY);
    for (BatonContent content = 0; content < BATON_CONTENTS; content++) {
        if (!(contents & 1u << content)) continue;
        const char *key = baton_content_names[content].key;
        GVariant *value = self->values[content];
        if (value == NULL) g_variant_builder_add(&cleared, "s", key);
        else if (!goes_without_saying(self, value)) g_variant_builder_add(&properties, "{sv}", key, baton_content_for_the_bus(content, value));
        clears = clears || value == NULL;
    }
    GVariant *keys = g_variant_ref_sink(g_variant_builder_end(&cleared));
    if (self->identifier != NULL && clears) g_variant_builder_add(&properties, "{sv}", "clear", keys);
    if (self->identifier == NULL) add_what_is_told_first(self, &properties);
    g_variant_unref(keys);
    return g_variant_builder_end(&properties);
}

static void forget_what_the_daemon_knows(BatonPublication *self) {
    g_clear_pointer(&self->identifier, g_free);
    self->changed = ALL;
    self->is_advertised = FALSE;
    self->refused = 0;
}

static void was_refused(BatonPublication *self, const GError *error) {
    self->refused |= self->sent != 0 ? CONTENTS : PLACE;
    flushed(self, error);
    g_signal_emit(self, signals[FAILED], 0, error);
    if (baton_client_get_current(self->client) == self) baton_client_settle(self->client, NULL);
    plan(self, 0);
}

/* Handles the result of a call. Takes the error. */
static void called(BatonPublication *self, GError *failure) {
    self->is_calling = FALSE;
    if (failure == NULL) {
        step(self);
        return;
    }
    g_autoptr(GError) error = baton_content_explain(self->values, baton_error_of_call(failure));
    self->changed |= self->sent;
    gboolean is_forgotten = self->identifier != NULL && g_error_matches(error, BATON_ERROR, BATON_ERROR_NOT_FOUND);
    if (is_forgotten) forget_what_the_daemon_knows(self);
    if (is_forgotten || g_error_matches(error, BATON_ERROR, BATON_ERROR_LIMIT_REACHED) || g_error_matches(error, BATON_ERROR, BATON_ERROR_NO_DAEMON))
        plan(self, LATER);
    else was_refused(self, error);
}

/* The daemon sends warnings before it answers Publish, so the id is known only now. */
static void warn_of_what_came_early(BatonPublication *self) {
    char *activity;
    while ((activity = g_queue_pop_head(&self->early)) != NULL) {
        char *text = g_queue_pop_head(&self->early);
        if (g_strcmp0(activity, self->identifier) == 0) g_signal_emit(self, signals[WARNED], 0, text);
        g_free(activity);
        g_free(text);
    }
}

static void published(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonPublication) self = data;
    g_autofree char *identifier = NULL;
    GError *error = NULL;
    if (baton_bus_activities_call_publish_finish(BATON_BUS_ACTIVITIES(source), &identifier, result, &error)) {
        if (self->is_over) baton_client_tell_activity(self->client, "Invalidate", identifier);
        else self->identifier = g_steal_pointer(&identifier);
    }
    warn_of_what_came_early(self);
    called(self, error);
}

static void updated(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonPublication) self = data;
    GError *error = NULL;
    baton_bus_activities_call_update_finish(BATON_BUS_ACTIVITIES(source), result, &error);
    called(self, error);
}

static void became_current(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonPublication) self = data;
    GError *error = NULL;
    if (baton_bus_activities_call_become_current_finish(BATON_BUS_ACTIVITIES(source), result, &error)) {
        self->is_advertised = TRUE;
        baton_client_settle(self->client, self);
    }
    called(self, error);
}

static void resigned(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonPublication) self = data;
    GError *error = NULL;
    if (baton_bus_activities_call_resign_current_finish(BATON_BUS_ACTIVITIES(source), result, &error)) self->is_advertised = FALSE;
    called(self, error);
}

static void call_publish_or_update(BatonPublication *self, BatonBusActivities *bus) {
    self->sent = self->identifier != NULL ? self->changed : ALL;
    GVariant *properties = told(self, self->sent);
    self->changed = 0;
    self->is_calling = TRUE;
    if (self->identifier == NULL)
        baton_bus_activities_call_publish(bus, self->type, properties, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, published, g_object_ref(self));
    else
        baton_bus_activities_call_update(bus, self->identifier, properties, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, updated, g_object_ref(self));
}

static void call_become_current(BatonPublication *self, BatonBusActivities *bus) {
    self->sent = 0;
    self->is_calling = TRUE;
    baton_bus_activities_call_become_current(bus, self->identifier, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, became_current, g_object_ref(self));
}

static void call_resign_current(BatonPublication *self, BatonBusActivities *bus) {
    self->sent = 0;
    self->is_calling = TRUE;
    baton_bus_activities_call_resign_current(bus, self->identifier, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, resigned, g_object_ref(self));
}

/* Returns whether another activity is about to replace this one. Until then this activity stays
 * advertised. */
static gboolean has_successor(BatonPublication *self) {
    BatonPublication *current = baton_client_get_current(self->client);
    return current != NULL && current != self && !(current->refused & PLACE) && (current->identifier != NULL || !current->refused);
}

static void step(BatonPublication *self) {
    if (self->is_calling || self->next != NULL || self->is_over || !baton_client_has_daemon(self->client)) return;
    BatonBusActivities *bus = baton_client_get_activities(self->client);
    gboolean is_known = self->identifier != NULL;
    if (!(self->refused & CONTENTS) && (is_known ? self->changed != 0 : self->is_current)) call_publish_or_update(self, bus);
    else if (is_known && !(self->refused & PLACE) && self->is_current && !self->is_advertised) call_become_current(self, bus);
    else if (is_known && !(self->refused & PLACE) && !self->is_current && self->is_advertised && !has_successor(self)) call_resign_current(self, bus);
    else flushed(self, NULL);
}

static gboolean next_step(gpointer data) {
    BatonPublication *self = data;
    g_clear_pointer(&self->next, g_source_unref);
    step(self);
    return G_SOURCE_REMOVE;
}

static void drop_plan(BatonPublication *self) {
    if (self->next != NULL) g_source_destroy(self->next);
    g_clear_pointer(&self->next, g_source_unref);
}

/* Plans the next step for the end of the current main loop iteration, so that values set together
 * are sent together. */
static void plan(BatonPublication *self, guint seconds) {
    if (self->next != NULL || self->is_over) return;
    self->next = seconds > 0 ? g_timeout_source_new_seconds(seconds) : g_idle_source_new();
    g_source_set_priority(self->next, G_PRIORITY_DEFAULT);
    g_source_set_callback(self->next, next_step, self, NULL);
    g_source_attach(self->next, baton_client_get_context(self->client));
}

/* --- The wanted state --------------------------------------------------------------------------- */

GVariant *baton_publication_get(BatonPublication *self, BatonContent content) {
    return self->values[content];
}

gboolean baton_publication_set(BatonPublication *self, BatonContent content, GVariant *value) {
    if (!baton_content_replace(&self->values[content], value)) return FALSE;
    self->changed |= 1u << content;
    self->refused &= ~CONTENTS;
    plan(self, 0);
    return TRUE;
}

void baton_publication_saved(BatonPublication *self) {
    baton_publication_set(self, BATON_CONTENT_NEEDS_SAVE, g_variant_new_boolean(FALSE));
    self->changed |= 1u << BATON_CONTENT_NEEDS_SAVE;
    self->refused &= ~CONTENTS;
    /* Do not wait for the planned step because the other device waits for the answer. */
    drop_plan(self);
    step(self);
}

gboolean baton_publication_is_current(BatonPublication *self) {
    return self->is_current;
}

static void change_current(BatonPublication *self, gboolean is_current) {
    if (self->is_current == is_current) return;
    self->is_current = is_current;
    g_signal_emit(self, signals[CURRENT_CHANGED], 0);
    plan(self, 0);
}

void baton_publication_set_current(BatonPublication *self, gboolean is_current) {
    BatonPublication *before = baton_client_get_current(self->client);
    if (self->is_over) return;
    if (is_current || before == self) baton_client_set_current(self->client, is_current ? self : NULL);
    if (is_current) self->refused = 0;
    change_current(self, is_current);
    if (is_current && before != NULL && before != self) change_current(before, FALSE);
    plan(self, 0);
}

void baton_publication_end(BatonPublication *self) {
    if (self->is_over) return;
    baton_publication_set_current(self, FALSE);
    drop_plan(self);
    self->is_over = TRUE;
    if (self->identifier != NULL) baton_client_tell_activity(self->client, "Invalidate", self->identifier);
    g_clear_pointer(&self->identifier, g_free);
    flushed(self, NULL);
}

/* --- Signals from the daemon -------------------------------------------------------------------- */

static gboolean is_meant(BatonPublication *self, const char *activity) {
    return !self->is_over && g_strcmp0(activity, self->identifier) == 0;
}

static void will_save(BatonPublication *self, const char *activity) {
    if (is_meant(self, activity)) g_signal_emit(self, signals[WILL_SAVE], 0);
}

static void was_continued(BatonPublication *self, const char *activity, const char *device, const char *device_name) {
    if (is_meant(self, activity)) g_signal_emit(self, signals[WAS_CONTINUED], 0, device, device_name);
}

static void not_continued(BatonPublication *self, const char *activity, const char *device, const char *device_name, const char *reason) {
    if (is_meant(self, activity)) g_signal_emit(self, signals[NOT_CONTINUED], 0, device, device_name, reason);
}

static void streams_opened(BatonPublication *self, const char *activity, const char *stream, const char *device, const char *device_name) {
    if (is_meant(self, activity)) g_signal_emit(self, signals[STREAMS_OPENED], 0, stream, device, device_name);
}

static void warned(BatonPublication *self, const char *activity, const char *text) {
    if (is_meant(self, activity)) {
        g_signal_emit(self, signals[WARNED], 0, text);
    } else if (self->identifier == NULL && self->is_calling && self->early.length < 2 * EARLY) {
        g_queue_push_tail(&self->early, g_strdup(activity));
        g_queue_push_tail(&self->early, g_strdup(text));
    }
}

static void ended(BatonPublication *self, const char *activity, const char *reason) {
    if (!is_meant(self, activity)) return;
    forget_what_the_daemon_knows(self);
    baton_publication_set_current(self, FALSE);
    g_signal_emit(self, signals[ENDED], 0, reason);
}

static void came(BatonPublication *self) {
    forget_what_the_daemon_knows(self);
    plan(self, 0);
}

static void settled(BatonPublication *self, gpointer advertised) {
    if (advertised == self) return;
    /* The daemon now advertises the other activity in place of this one. */
    if (advertised != NULL) self->is_advertised = FALSE;
    plan(self, 0);
}

static void bus_failed(BatonPublication *self) {
    was_refused(self, baton_client_get_failure(self->client));
}

static void listen_to_the_bus(GTask *task) {
    BatonPublication *self = g_task_get_source_object(task);
    BatonBusActivities *bus = baton_client_get_activities(self->client);
    g_signal_connect_object(bus, "will-save", G_CALLBACK(will_save), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "was-continued", G_CALLBACK(was_continued), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "not-continued", G_CALLBACK(not_continued), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "streams-opened", G_CALLBACK(streams_opened), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "warning", G_CALLBACK(warned), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "ended", G_CALLBACK(ended), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->client, "came", G_CALLBACK(came), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->client, "went", G_CALLBACK(forget_what_the_daemon_knows), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->client, "settled", G_CALLBACK(settled), self, G_CONNECT_SWAPPED);
    plan(self, 0);
    g_task_return_boolean(task, TRUE);
    g_object_unref(task);
}

/* --- The object --------------------------------------------------------------------------------- */

BatonPublication *baton_publication_new(BatonClient *client, const char *type, GVariant *first) {
    BatonPublication *self = g_object_new(BATON_TYPE_PUBLICATION, NULL);
    self->client = g_object_ref(client);
    self->type = g_strdup(type);
    self->first = g_variant_ref_sink(first);
    g_signal_connect_object(client, "failed", G_CALLBACK(bus_failed), self, G_CONNECT_SWAPPED);
    baton_client_when_ready(client, g_task_new(self, NULL, NULL, NULL), listen_to_the_bus);
    return self;
}

static void baton_publication_finalize(GObject *object) {
    BatonPublication *self = BATON_PUBLICATION(object);
    for (BatonContent content = 0; content < BATON_CONTENTS; content++) g_clear_pointer(&self->values[content], g_variant_unref);
    g_queue_clear_full(&self->early, g_free);
    g_clear_object(&self->client);
    g_clear_pointer(&self->first, g_variant_unref);
    g_free(self->type);
    G_OBJECT_CLASS(baton_publication_parent_class)->finalize(object);
}

static void baton_publication_class_init(BatonPublicationClass *class) {
    G_OBJECT_CLASS(class)->finalize = baton_publication_finalize;
    GType type = G_TYPE_FROM_CLASS(class);
    GType text = G_TYPE_STRING;
    signals[WILL_SAVE] = g_signal_new("will-save", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    signals[WAS_CONTINUED] = g_signal_new("was-continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, text, text);
    signals[NOT_CONTINUED] = g_signal_new("not-continued", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3, text, text, text);
    signals[STREAMS_OPENED] = g_signal_new("streams-opened", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3, text, text, text);
    signals[WARNED] = g_signal_new("warned", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, text);
    signals[ENDED] = g_signal_new("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, text);
    signals[FAILED] = g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
    signals[CURRENT_CHANGED] = g_signal_new("current-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void baton_publication_init(BatonPublication *self) {
    self->changed = ALL;
    g_queue_init(&self->flushes);
    g_queue_init(&self->early);
}
