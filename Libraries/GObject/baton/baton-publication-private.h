/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-client-private.h"
#include "baton-contents-private.h"

G_BEGIN_DECLS

/* An activity and its copy at the daemon. A publication has the wanted state and the state that the
 * daemon knows. After each change, the publication calls the daemon until both are equal, with one
 * call at a time. Changes that come during a call are sent together. When a new daemon starts,
 * everything is sent again.
 *
 * Signals: `will-save`, `was-continued` (device, its name), `not-continued` (device, its name,
 * reason), `streams-opened` (stream, device, its name), `warned` (text), `ended` (reason), `failed`
 * (error), `current-changed`. */
#define BATON_TYPE_PUBLICATION (baton_publication_get_type())
G_DECLARE_FINAL_TYPE(BatonPublication, baton_publication, BATON, PUBLICATION, GObject)

/* Creates a publication. `first` has the properties that are sent only when the activity is
 * published. Consumes a floating value. */
BatonPublication *baton_publication_new(BatonClient *client, const char *type, GVariant *first);

GVariant *baton_publication_get(BatonPublication *self, BatonContent content);

/* Sets a wanted value. Consumes a floating value. Returns whether the value has changed. */
gboolean baton_publication_set(BatonPublication *self, BatonContent content, GVariant *value);

/* Get and set whether the activity is the program's current one. A program has at most one current
 * activity. */
gboolean baton_publication_is_current(BatonPublication *self);
void baton_publication_set_current(BatonPublication *self, gboolean is_current);

/* Answers `will-save`, even if nothing has changed. */
void baton_publication_saved(BatonPublication *self);

/* Completes the task when the daemon has all values. Takes the task. */
void baton_publication_flush(BatonPublication *self, GTask *task);

/* Ends the activity for good. */
void baton_publication_end(BatonPublication *self);

G_END_DECLS
