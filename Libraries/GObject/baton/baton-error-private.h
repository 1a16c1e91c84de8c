/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-error.h>

G_BEGIN_DECLS

/* Converts the error of a call to the daemon into this library's error. Takes the error. */
GError *baton_error_of_call(GError *error);

/* Returns the error with this bus name, given without the prefix; `FAILED` for an unknown name. */
GError *baton_error_named(const char *name, const char *message);

G_END_DECLS
