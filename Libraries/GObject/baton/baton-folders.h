/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

BATON_PUBLIC char *baton_folders_find_url(GFile *file, GError **error);
BATON_PUBLIC GFile *baton_folders_find_file(const char *url, GError **error);
BATON_PUBLIC GFile *baton_folders_find_directory(const char *url, GError **error);

G_END_DECLS
