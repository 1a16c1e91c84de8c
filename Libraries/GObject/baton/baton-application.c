/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-application-bus.h"
#include "baton-continuation-private.h"
#include "baton-error-private.h"
#include "baton-offer-private.h"

/**
 * BatonApplication:
 *
 * Receives the activities that Baton brings to an app: those that the user chose in a notification
 * or with `baton open`, and those that a rule chose.
 *
 * Call [method@Baton.Application.serve] before the app owns its name on the bus. In a
 * [class@Gio.Application] that is before [method@Gio.Application.run]. A program that starts the
 * app calls the app as soon as the name has an owner. The app's desktop entry lists the types that
 * the app continues (`X-Baton-ActivityTypes`).
 *
 * Since: 1.0
 */
struct _BatonApplication {
    GObject parent_instance;
    char *application_id, *not_ready;
    BatonClient *client;
    BatonBusApplication1 *skeleton;
};

G_DEFINE_FINAL_TYPE(BatonApplication, baton_application, G_TYPE_OBJECT)

enum { PROPERTY_APPLICATION_ID = 1, PROPERTY_NOT_READY, PROPERTIES };
static GParamSpec *properties[PROPERTIES];

enum { WILL_CONTINUE, CONTINUE, DID_FAIL, SIGNALS };
static guint signals[SIGNALS];

/**
 * baton_application_new:
 * @application_id: the name of the app's desktop entry, without `.desktop`
 *
 * Creates an object that receives activities for an app.
 *
 * Returns: the app
 *
 * Since: 1.0
 */
BatonApplication *baton_application_new(const char *application_id) {
    g_return_val_if_fail(application_id != NULL && g_application_id_is_valid(application_id), NULL);
    return g_object_new(BATON_TYPE_APPLICATION, "application-id", application_id, NULL);
}

/**
 * baton_application_get_application_id: (get-property application-id)
 * @self: an app
 *
 * Gets the app's id.
 *
 * Returns: the id
 *
 * Since: 1.0
 */
const char *baton_application_get_application_id(BatonApplication *self) {
    g_return_val_if_fail(BATON_IS_APPLICATION(self), NULL);
    return self->application_id;
}

/**
 * baton_application_get_not_ready: (get-property not-ready)
 * @self: an app
 *
 * Gets the reason why the app cannot continue anything at the moment.
 *
 * Returns: (nullable): one line for the user; %NULL while it can
 *
 * Since: 1.0
 */
const char *baton_application_get_not_ready(BatonApplication *self) {
    g_return_val_if_fail(BATON_IS_APPLICATION(self), NULL);
    return self->not_ready;
}

/**
 * baton_application_set_not_ready: (set-property not-ready)
 * @self: an app
 * @message: (nullable): one line for the user; %NULL when it can
 *
 * Sets the reason why the app cannot continue anything at the moment. Baton shows the reason to the
 * user and brings no activity.
 *
 * Since: 1.0
 */
void baton_application_set_not_ready(BatonApplication *self, const char *message) {
    g_return_if_fail(BATON_IS_APPLICATION(self));
    if (g_strcmp0(message, self->not_ready) == 0) return;
    g_free(self->not_ready);
    self->not_ready = g_strdup(message);
    g_object_notify_by_pspec(G_OBJECT(self), properties[PROPERTY_NOT_READY]);
}

/**
 * baton_application_cancel:
 * @self: an app
 * @offer: the offer from [signal@Baton.Application::will-continue]
 *
 * Cancels an activity that is being fetched because the user no longer wants it.
 * [signal@Baton.Application::did-fail] follows.
 *
 * Since: 1.0
 */
void baton_application_cancel(BatonApplication *self, BatonOffer *offer) {
    g_return_if_fail(BATON_IS_APPLICATION(self));
    g_return_if_fail(BATON_IS_OFFER(offer));
    const char *id = baton_offer_get_id(offer);
    if (self->client != NULL && *id != '\0') baton_client_cancel(self->client, id);
}

/* --- Accepting calls from the daemon only ------------------------------------------------------- */

/* A method call that waits until the bus has named the owner of the daemon's name. The struct holds
 * only a weak reference to the application. */
typedef struct {
    GWeakRef application;
    GDBusMethodInvocation *invocation;
    void (*go_on)(BatonApplication *self, GDBusMethodInvocation *invocation, GVariant *arguments);
} Call;

static void call_free(Call *call) {
    g_weak_ref_clear(&call->application);
    g_free(call);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Call, call_free)

static gboolean is_from_the_daemon(GDBusMethodInvocation *invocation, GVariant *reply) {
    const char *owner;
    if (reply == NULL) return FALSE;
    g_variant_get(reply, "(&s)", &owner);
    return g_strcmp0(owner, g_dbus_method_invocation_get_sender(invocation)) == 0;
}

static void asked(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(Call) call = data;
    g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);
    g_autoptr(BatonApplication) self = g_weak_ref_get(&call->application);
    if (self == NULL) g_dbus_method_invocation_return_error_literal(call->invocation, BATON_ERROR, BATON_ERROR_FAILED, "the app has ended");
    else if (is_from_the_daemon(call->invocation, reply))
        call->go_on(self, call->invocation, g_dbus_method_invocation_get_parameters(call->invocation));
    else g_dbus_method_invocation_return_error_literal(call->invocation, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED, "only Baton may call this");
}

/* Handles a call only if it comes from the daemon, because any program on the bus can call.
 * The calls keep their order because the bus answers in order. */
static gboolean ask(BatonApplication *self, GDBusMethodInvocation *invocation,
                    void (*go_on)(BatonApplication *self, GDBusMethodInvocation *invocation, GVariant *arguments)) {
    Call *call = g_new0(Call, 1);
    g_weak_ref_init(&call->application, self);
    call->invocation = invocation;
    call->go_on = go_on;
    GDBusConnection *bus = g_dbus_method_invocation_get_connection(invocation);
    g_dbus_connection_call(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
                           g_variant_new("(s)", BATON_NAME), G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, asked, call);
    return TRUE;
}

/* --- Methods that the daemon calls -------------------------------------------------------------- */

static void will_continue(BatonApplication *self, GDBusMethodInvocation *invocation, GVariant *arguments) {
    g_autoptr(GVariant) details = g_variant_get_child_value(arguments, 1);
    g_autoptr(GVariant) type = g_variant_get_child_value(arguments, 0);
    const char *token = NULL;
    gboolean is_shown = FALSE;
    if (self->not_ready != NULL) {
        g_dbus_method_invocation_return_error_literal(invocation, BATON_ERROR, BATON_ERROR_NOT_READY, self->not_ready);
        return;
    }
    g_autoptr(GVariantDict) dictionary = g_variant_dict_new(details);
    g_variant_dict_insert_value(dictionary, "type", type);
    g_autoptr(GVariant) complete = g_variant_ref_sink(g_variant_dict_end(dictionary));
    g_autoptr(BatonOffer) offer = baton_offer_new(complete);
    g_variant_lookup(details, "activation-token", "&s", &token);
    g_signal_emit(self, signals[WILL_CONTINUE], 0, offer, token, &is_shown);
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(b)", is_shown));
}

/* Baton shows the error's message to the user. */
static void answer(BatonContinuation *continuation, gboolean is_taken, const char *message, gpointer data) {
    GDBusMethodInvocation *invocation = data;
    if (message != NULL) g_dbus_method_invocation_return_error_literal(invocation, BATON_ERROR, BATON_ERROR_FAILED, message);
    else g_dbus_method_invocation_return_value(invocation, g_variant_new("(b)", is_taken));
}

static void continues(BatonApplication *self, GDBusMethodInvocation *invocation, GVariant *arguments) {
    const char *id;
    g_autoptr(GVariant) activity = NULL;
    g_variant_get(arguments, "(&s@a{sv})", &id, &activity);
    g_autoptr(BatonContinuation) continuation = baton_continuation_new(self->client, id, activity, answer, invocation);
    g_signal_emit(self, signals[CONTINUE], 0, continuation);
}

/* The method's result says whether the app showed the failure. If the app did not, Baton shows the
 * failure. */
static void did_fail(BatonApplication *self, GDBusMethodInvocation *invocation, GVariant *arguments) {
    const char *type, *name, *message;
    gboolean is_shown = FALSE;
    g_variant_get(arguments, "(&s&s&s)", &type, &name, &message);
    g_autoptr(GError) error = baton_error_named(name, message);
    g_signal_emit(self, signals[DID_FAIL], 0, type, error, &is_shown);
    if (is_shown) g_dbus_method_invocation_return_value(invocation, NULL);
    else g_dbus_method_invocation_return_error_literal(invocation, BATON_ERROR, BATON_ERROR_FAILED, "the app does not show it");
}

static gboolean handle_will_continue(BatonApplication *self, GDBusMethodInvocation *invocation) {
    return ask(self, invocation, will_continue);
}

static gboolean handle_continue(BatonApplication *self, GDBusMethodInvocation *invocation) {
    return ask(self, invocation, continues);
}

static gboolean handle_did_fail(BatonApplication *self, GDBusMethodInvocation *invocation) {
    return ask(self, invocation, did_fail);
}

/* Returns `/org/example/Notes` for `org.example.Notes`, the same path that GApplication uses. */
static char *object_path(const char *application_id) {
    char *path = g_strconcat("/", application_id, NULL);
    g_strdelimit(path, ".", '/');
    return g_strdelimit(path, "-", '_');
}

/**
 * baton_application_serve:
 * @self: an app
 * @connection: (nullable): a connection to the session bus; %NULL for the program's shared
 * connection, which is opened if necessary
 * @error: why Baton cannot bring activities
 *
 * Exports the object through which Baton brings activities to the app. Baton uses this object once
 * the app owns its id as a name on the bus. A [class@Gio.Application] owns this name by itself.
 * Other programs call [func@Gio.bus_own_name_on_connection] after this function.
 *
 * Returns: %TRUE if the object was exported
 *
 * Since: 1.0
 */
gboolean baton_application_serve(BatonApplication *self, GDBusConnection *connection, GError **error) {
    g_return_val_if_fail(BATON_IS_APPLICATION(self), FALSE);
    g_return_val_if_fail(self->client == NULL, FALSE);
    g_autoptr(GDBusConnection) bus = connection != NULL ? g_object_ref(connection) : g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, error);
    if (bus == NULL) return FALSE;
    g_autofree char *path = object_path(self->application_id);
    if (!g_dbus_interface_skeleton_export(G_DBUS_INTERFACE_SKELETON(self->skeleton), bus, path, error)) return FALSE;
    self->client = baton_client_get(bus);
    return TRUE;
}

/* --- The object --------------------------------------------------------------------------------- */

static void baton_application_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonApplication *self = BATON_APPLICATION(object);
    switch (id) {
    case PROPERTY_APPLICATION_ID: g_value_set_string(value, self->application_id); break;
    case PROPERTY_NOT_READY: g_value_set_string(value, self->not_ready); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void baton_application_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    BatonApplication *self = BATON_APPLICATION(object);
    switch (id) {
    case PROPERTY_APPLICATION_ID: self->application_id = g_value_dup_string(value); break;
    case PROPERTY_NOT_READY: baton_application_set_not_ready(self, g_value_get_string(value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void baton_application_dispose(GObject *object) {
    GDBusInterfaceSkeleton *skeleton = G_DBUS_INTERFACE_SKELETON(BATON_APPLICATION(object)->skeleton);
    if (skeleton != NULL && g_dbus_interface_skeleton_get_connection(skeleton) != NULL) g_dbus_interface_skeleton_unexport(skeleton);
    G_OBJECT_CLASS(baton_application_parent_class)->dispose(object);
}

static void baton_application_finalize(GObject *object) {
    BatonApplication *self = BATON_APPLICATION(object);
    g_clear_object(&self->skeleton);
    g_clear_object(&self->client);
    g_free(self->application_id);
    g_free(self->not_ready);
    G_OBJECT_CLASS(baton_application_parent_class)->finalize(object);
}

static void add_signals(GType type) {
    /**
     * BatonApplication::will-continue:
     * @self: the app
     * @offer: the activity that is being fetched, as far as it is known
     * @activation_token: (nullable): the token that lets the app's window come to the front
     *
     * Emitted when the user has chosen an activity and Baton fetches it.
     *
     * Returns: %TRUE if the app shows that an activity is on its way; otherwise Baton shows it
     *
     * Since: 1.0
     */
    signals[WILL_CONTINUE] = g_signal_new("will-continue", type, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL, NULL,
                                          G_TYPE_BOOLEAN, 2, BATON_TYPE_OFFER, G_TYPE_STRING);
    /**
     * BatonApplication::continue:
     * @self: the app
     * @continuation: the activity that has arrived
     *
     * Emitted when an activity has arrived. Take the values that you need from its state, then call
     * [method@Baton.Continuation.accept] within a minute, in the handler or later. Open streams
     * only after you have accepted. Call [method@Baton.Continuation.decline] if the app cannot use
     * the activity.
     *
     * Since: 1.0
     */
    signals[CONTINUE] = g_signal_new("continue", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, BATON_TYPE_CONTINUATION);
    /**
     * BatonApplication::did-fail:
     * @self: the app
     * @activity_type: the type of the activity
     * @error: why it failed, from [error@Baton.Error]; its message is for the user
     *
     * Emitted when the activity that [signal@Baton.Application::will-continue] announced does not
     * arrive or was not taken over.
     *
     * Returns: %TRUE if the app shows the failure; otherwise Baton shows it
     *
     * Since: 1.0
     */
    signals[DID_FAIL] = g_signal_new("did-fail", type, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL, NULL, G_TYPE_BOOLEAN, 2,
                                     G_TYPE_STRING, G_TYPE_ERROR);
}

static void baton_application_class_init(BatonApplicationClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_application_get_property;
    object_class->set_property = baton_application_set_property;
    object_class->dispose = baton_application_dispose;
    object_class->finalize = baton_application_finalize;
    /**
     * BatonApplication:application-id: (getter get_application_id)
     *
     * The name of the app's desktop entry, without `.desktop`.
     *
     * Since: 1.0
     */
    properties[PROPERTY_APPLICATION_ID] =
        g_param_spec_string("application-id", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
    /**
     * BatonApplication:not-ready: (getter get_not_ready) (setter set_not_ready)
     *
     * The reason why the app cannot continue anything at the moment, in one line for the user.
     * %NULL stands for an app that can.
     *
     * Since: 1.0
     */
    properties[PROPERTY_NOT_READY] =
        g_param_spec_string("not-ready", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
    add_signals(G_TYPE_FROM_CLASS(class));
}

static void baton_application_init(BatonApplication *self) {
    self->skeleton = baton_bus_application1_skeleton_new();
    g_signal_connect_object(self->skeleton, "handle-will-continue", G_CALLBACK(handle_will_continue), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->skeleton, "handle-continue", G_CALLBACK(handle_continue), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->skeleton, "handle-did-fail", G_CALLBACK(handle_did_fail), self, G_CONNECT_SWAPPED);
}
