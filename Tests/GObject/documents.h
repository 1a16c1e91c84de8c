/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "files.h"
#include "laptops.h"

/* An activity about a document on the desk, and a directory for files. */
typedef struct {
    char *root;
    BatonActivity *activity;
    GPtrArray *warnings;
} Desk;

/* Writes a file below the directory. With a length of -1, the contents end with a NUL. */
GFile *write_file(Desk *this, const char *name, const char *contents, gssize length);

GFile *load_contents(BatonContinuation *continuation, GError **error);

/* Checks the name and the contents of a file. */
void expect_copy(GFile *copy, const char *name, const char *contents);

/* A test, which is added as `/GROUP/NAME`. */
typedef struct {
    const char *name;
    void (*test)(Desk *this, gconstpointer data);
} DeskTest;
void add_desk_tests(const char *group, const DeskTest *tests, gsize count);
