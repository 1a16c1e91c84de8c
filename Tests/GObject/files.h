/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

/* What `~/.config/baton/folders` says; NULL: it is not there. */
void set_folders(const char *text);

/* Removes a directory with all that is in it; frees nothing. */
void remove_tree(const char *path);

/* The copies of documents that this user has. */
guint count_copies(void);

/* A resource limit on the size of files, as a disk that is full: begins and ends. */
void fill_disk(gsize largest);
void empty_disk(void);
