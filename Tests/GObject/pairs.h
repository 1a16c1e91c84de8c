/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "laptops.h"

/* An activity with streams on the desk, and both ends of one pair. */
typedef struct {
    BatonActivity *activity;
    BatonContinuation *continuation;
    BatonStreams *here, *there; /* the desk's and the sofa's */
} Pair;

void set_up_pair(Pair *pair, gconstpointer data);
void tear_down_pair(Pair *pair, gconstpointer data);

/* Keeps an activity's first pair, from the signal `streams`. Later pairs are dropped. */
void keep_streams(BatonActivity *activity, BatonStreams *streams, BatonStreams **kept);
BatonStreams *open_streams(BatonContinuation *continuation);

GInputStream *input(BatonStreams *streams);
GOutputStream *output(BatonStreams *streams);

void send_all(BatonStreams *streams, const char *text);
void end(BatonStreams *streams);

/* Read with the main loop: these bytes; the end; or anything until the stream turns out to be cut
 * short. */
void expect(BatonStreams *streams, const char *text);
void expect_end(BatonStreams *streams);
void expect_cut(BatonStreams *streams);

gboolean close_streams(BatonStreams *streams, GError **error);

/* A test, which is added as `/GROUP/NAME`. */
typedef struct {
    const char *name;
    void (*test)(Pair *pair, gconstpointer data);
} PairTest;
void add_pair_tests(const char *group, const PairTest *tests, gsize count);
