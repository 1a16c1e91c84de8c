/* SPDX-License-Identifier: Apache-2.0 */
#include "baton-error-private.h"

#define PREFIX "org.batonproject.Baton1.Error."

/* The table of Documentation/DBus/README.md. GDBus uses this table to convert between errors and
 * their names on the bus. */
static const GDBusErrorEntry names[] = {
    {BATON_ERROR_FAILED, PREFIX "Failed"},
    {BATON_ERROR_INVALID_ARGUMENT, PREFIX "InvalidArgument"},
    {BATON_ERROR_NOT_FOUND, PREFIX "NotFound"},
    {BATON_ERROR_NO_CIRCLE, PREFIX "NoCircle"},
    {BATON_ERROR_ALREADY_IN_CIRCLE, PREFIX "AlreadyInCircle"},
    {BATON_ERROR_HANDOFF_FAILED, PREFIX "HandoffFailed"},
    {BATON_ERROR_CONNECTION_UNAVAILABLE, PREFIX "ConnectionUnavailable"},
    {BATON_ERROR_REMOTE_APPLICATION_TIMED_OUT, PREFIX "RemoteApplicationTimedOut"},
    {BATON_ERROR_USER_INFO_TOO_LARGE, PREFIX "UserInfoTooLarge"},
    {BATON_ERROR_USER_CANCELLED, PREFIX "UserCancelled"},
    {BATON_ERROR_LIMIT_REACHED, PREFIX "LimitReached"},
    {BATON_ERROR_RADIO_UNAVAILABLE, PREFIX "RadioUnavailable"},
    {BATON_ERROR_INVITATION_INVALID, PREFIX "InvitationInvalid"},
    {BATON_ERROR_PAIRING_FAILED, PREFIX "PairingFailed"},
    {BATON_ERROR_NOT_ALLOWED, PREFIX "NotAllowed"},
    {BATON_ERROR_APPLICATION_FAILED, PREFIX "ApplicationFailed"},
    {BATON_ERROR_NOT_READY, PREFIX "NotReady"},
};

/**
 * baton_error_quark:
 *
 * Gets the domain of Baton's errors.
 *
 * Returns: the domain
 *
 * Since: 1.0
 */
GQuark baton_error_quark(void) {
    static gsize quark;
    g_dbus_error_register_error_domain("baton-error-quark", &quark, names, G_N_ELEMENTS(names));
    return (GQuark)quark;
}

static gboolean says_that_the_daemon_is_gone(const GError *error) {
    return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
           g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER) || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY);
}

GError *baton_error_of_call(GError *error) {
    g_autofree char *name = g_dbus_error_get_remote_error(error);
    g_dbus_error_strip_remote_error(error);
    int code;
    const char *message = error->message;
    if (says_that_the_daemon_is_gone(error)) {
        code = BATON_ERROR_NO_DAEMON;
        // The bus's own message names a connection, which does not help a user.
        message = "batond is not running, or has just ended; start it with `systemctl --user start batond`, or run `batond`";
    } else if (error->domain == G_IO_ERROR && name != NULL && g_str_has_prefix(name, PREFIX)) code = BATON_ERROR_FAILED;
    else return error;
    GError *found = g_error_new_literal(BATON_ERROR, code, message);
    g_error_free(error);
    return found;
}

GError *baton_error_named(const char *name, const char *message) {
    g_autofree char *full = g_strconcat(PREFIX, name, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(names[i].dbus_error_name, full) == 0) return g_error_new_literal(BATON_ERROR, names[i].error_code, message);
    return g_error_new_literal(BATON_ERROR, BATON_ERROR_FAILED, message);
}
