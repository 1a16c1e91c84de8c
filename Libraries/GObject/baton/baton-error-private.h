/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-error.h>

G_BEGIN_DECLS

/* Makes an error of a call to the daemon one of this library: takes it, and returns it. */
GError *baton_error_of_call(GError *error);

/* The error that has this name on the bus, without the prefix; `FAILED` for an unknown one. */
GError *baton_error_named(const char *name, const char *message);

G_END_DECLS
