/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#if !defined(BATON_INSIDE) && !defined(BATON_COMPILATION)
#error "Include <baton.h> only."
#endif

#include <gio/gio.h>

/**
 * BATON_PUBLIC: (skip)
 *
 * What the library exports; all else is hidden.
 *
 * Since: 1.0
 */
#define BATON_PUBLIC __attribute__((visibility("default"))) extern
