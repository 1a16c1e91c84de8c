// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>
#include <sys/socket.h>

// GNU extensions of glibc (2.32 or later), whose prototypes Swift's Glibc module leaves out.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern const char *strerrorname_np(int error);

// Calls `accept4`, under a name that no other module can shadow.
static inline int cbluetooth_accept(int listener, int flags) {
    return accept4(listener, 0, 0, flags);
}

// Returns an errno's symbolic name, or null.
static inline const char *cbluetooth_errno_name(int error) {
    return strerrorname_np(error);
}
