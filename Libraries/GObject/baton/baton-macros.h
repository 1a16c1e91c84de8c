/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#if !defined(BATON_INSIDE) && !defined(BATON_COMPILATION)
#error "Include <baton.h> only."
#endif

#include <gio/gio.h>

/**
 * BATON_PUBLIC: (skip)
 *
 * Marks a function that the library exports. All other functions are hidden.
 *
 * Since: 1.0
 */
#define BATON_PUBLIC __attribute__((visibility("default"))) extern
