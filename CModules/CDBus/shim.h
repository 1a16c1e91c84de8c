// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dbus/dbus.h>
#include <sys/eventfd.h>

/// A descriptor that wakes the thread which owns a connection; its flags are macros that Swift does not import.
static inline int cdbus_wakeup_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
