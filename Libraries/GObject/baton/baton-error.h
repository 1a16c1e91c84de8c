/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

/**
 * BATON_ERROR:
 *
 * The domain of Baton's errors. What GIO itself reports, a cancelled call say, keeps its own.
 *
 * Since: 1.0
 */
#define BATON_ERROR (baton_error_quark())

/**
 * BatonError:
 * @BATON_ERROR_FAILED: Anything else, and what this version of the library does not know.
 * @BATON_ERROR_INVALID_ARGUMENT: An argument has the wrong type or value.
 * @BATON_ERROR_NOT_FOUND: There is no such activity, offer, continuation, pair of streams or
 *   document.
 * @BATON_ERROR_NO_CIRCLE: This device is in no circle.
 * @BATON_ERROR_ALREADY_IN_CIRCLE: This device is in a circle.
 * @BATON_ERROR_HANDOFF_FAILED: The other device refused, or broke off.
 * @BATON_ERROR_CONNECTION_UNAVAILABLE: The other device cannot be reached.
 * @BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT: The app on the other device did not answer in time.
 * @BATON_ERROR_USER_INFO_TOO_LARGE: The contents are more than 64 KiB.
 * @BATON_ERROR_USER_CANCELLED: The user or the caller cancelled it.
 * @BATON_ERROR_LIMIT_REACHED: There are too many of them, or they come too fast.
 * @BATON_ERROR_RADIO_UNAVAILABLE: The radio cannot be used.
 * @BATON_ERROR_INVITATION_INVALID: The invitation is malformed or too old, or nobody answers to it.
 * @BATON_ERROR_PAIRING_FAILED: Two devices were not paired.
 * @BATON_ERROR_NOT_ALLOWED: A sandboxed app would speak for another, or manage the device.
 * @BATON_ERROR_APPLICATION_FAILED: No app here continues it, or the app did not take it over.
 * @BATON_ERROR_NOT_READY: An app cannot continue anything just now.
 * @BATON_ERROR_STREAM_CUT: The streams broke off before their end: what came is not whole.
 * @BATON_ERROR_NO_DAEMON: The daemon does not run, or ended before it answered.
 *
 * What went wrong. Later versions may add some: treat an unknown one as %BATON_ERROR_FAILED. The
 * message is one line for the user.
 *
 * Since: 1.0
 */
typedef enum {
    BATON_ERROR_FAILED,
    BATON_ERROR_INVALID_ARGUMENT,
    BATON_ERROR_NOT_FOUND,
    BATON_ERROR_NO_CIRCLE,
    BATON_ERROR_ALREADY_IN_CIRCLE,
    BATON_ERROR_HANDOFF_FAILED,
    BATON_ERROR_CONNECTION_UNAVAILABLE,
    BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT,
    BATON_ERROR_USER_INFO_TOO_LARGE,
    BATON_ERROR_USER_CANCELLED,
    BATON_ERROR_LIMIT_REACHED,
    BATON_ERROR_RADIO_UNAVAILABLE,
    BATON_ERROR_INVITATION_INVALID,
    BATON_ERROR_PAIRING_FAILED,
    BATON_ERROR_NOT_ALLOWED,
    BATON_ERROR_APPLICATION_FAILED,
    BATON_ERROR_NOT_READY,
    BATON_ERROR_STREAM_CUT,
    BATON_ERROR_NO_DAEMON,
} BatonError;

BATON_PUBLIC GQuark baton_error_quark(void);

G_END_DECLS
