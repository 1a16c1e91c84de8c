/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "baton-client-private.h"
#include "baton-contents-private.h"

G_BEGIN_DECLS

/* An activity at the daemon: what it is to be there, and what the daemon knows of it. After each
 * change the one is brought closer to the other, one call at a time; changes that come meanwhile
 * go together. When a daemon comes, it knows nothing, and all begins again.
 *
 * Signals: `will-save`, `was-continued` (device, its name), `not-continued` (device, its
 * name, reason), `streams-opened` (stream, device, its
 * name), `warned` (text), `ended` (reason), `failed` (error). */
#define BATON_TYPE_PUBLICATION (baton_publication_get_type())
G_DECLARE_FINAL_TYPE(BatonPublication, baton_publication, BATON, PUBLICATION, GObject)

/* `first` are the properties that are told when it is published and never change; consumes a
 * floating value. */
BatonPublication *baton_publication_new(BatonClient *client, const char *type, GVariant *first);

GVariant *baton_publication_get(BatonPublication *self, BatonContent content);

/* Sets what it is to be; consumes a floating value. Returns whether it was anything else before. */
gboolean baton_publication_set(BatonPublication *self, BatonContent content, GVariant *value);

/* Whether it is to be the program's current one: of a program's, one is. */
gboolean baton_publication_is_current(BatonPublication *self);
void baton_publication_set_current(BatonPublication *self, gboolean is_current);

/* Answers `will-save`: even if nothing has changed. */
void baton_publication_saved(BatonPublication *self);

/* Completes the task once the daemon has all that was set; takes it. */
void baton_publication_flush(BatonPublication *self, GTask *task);

/* Ends it, for good. */
void baton_publication_end(BatonPublication *self);

G_END_DECLS
