/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

/* Writes `~/.config/baton/folders`; NULL removes it. */
void set_folders(const char *text);

/* Removes a directory with everything in it. Frees nothing. */
void remove_tree(const char *path);

/* Returns the number of this user's copies of documents. */
guint count_copies(void);

/* Begin and end a resource limit on the size of files, which acts like a full disk. */
void fill_disk(gsize largest);
void empty_disk(void);
