/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <baton-macros.h>

G_BEGIN_DECLS

/**
 * BATON_ERROR:
 *
 * The domain of Baton's errors. Errors of GIO, such as a cancelled call, keep their own domain.
 *
 * Since: 1.0
 */
#define BATON_ERROR (baton_error_quark())

/**
 * BatonError:
 * @BATON_ERROR_FAILED: Any other error, and an error that this version of the library does not
 * know.
 * @BATON_ERROR_INVALID_ARGUMENT: An argument has the wrong type or value.
 * @BATON_ERROR_NOT_FOUND: There is no such activity, offer, continuation, pair of streams or
 * document.
 * @BATON_ERROR_NO_CIRCLE: This device is in no circle.
 * @BATON_ERROR_ALREADY_IN_CIRCLE: This device already is in a circle.
 * @BATON_ERROR_HANDOFF_FAILED: The other device refused the hand-over or broke it off.
 * @BATON_ERROR_CONNECTION_UNAVAILABLE: The other device cannot be reached.
 * @BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT: The app on the other device did not answer in time.
 * @BATON_ERROR_USER_INFO_TOO_LARGE: The state is larger than 64 KiB, or the document is larger than
 * 64 MiB.
 * @BATON_ERROR_USER_CANCELLED: The user or the caller cancelled the operation.
 * @BATON_ERROR_LIMIT_REACHED: There are too many requests or objects, or the requests come too
 * fast.
 * @BATON_ERROR_RADIO_UNAVAILABLE: The radio cannot be used.
 * @BATON_ERROR_INVITATION_INVALID: The invitation is malformed or too old, or no device answers it.
 * @BATON_ERROR_PAIRING_FAILED: The two devices were not paired.
 * @BATON_ERROR_NOT_ALLOWED: A sandboxed app tried to act for another app or to manage the device.
 * @BATON_ERROR_APPLICATION_FAILED: No app on this device can continue the activity, or the app did
 * not take it over.
 * @BATON_ERROR_NOT_READY: The app cannot continue anything at the moment.
 * @BATON_ERROR_STREAM_CUT: The streams broke before their end, so the data is incomplete.
 * @BATON_ERROR_NO_DAEMON: The daemon does not run, or it ended before it answered.
 *
 * The errors of Baton. Later versions may add errors: treat an unknown error as
 * %BATON_ERROR_FAILED. The message is one line for the user.
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
