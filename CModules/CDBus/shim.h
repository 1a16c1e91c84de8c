// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dbus/dbus.h>
#include <sys/eventfd.h>

/// Returns a descriptor that wakes a connection's thread. Swift cannot import its flags, which are macros.
static inline int cdbus_wakeup_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
