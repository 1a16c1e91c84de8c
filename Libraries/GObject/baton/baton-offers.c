/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-continuation-private.h"
#include "baton-error-private.h"
#include "baton-offer-private.h"

/**
 * BatonOffers:
 *
 * A list of the activities that other devices offer. The list is a [iface@Gio.ListModel] of
 * [class@Baton.Offer]s, and is empty while no daemon runs.
 *
 * Since: 1.0
 */
struct _BatonOffers {
    GObject parent_instance;
    GDBusConnection *bus;
    char *activity_type;
    BatonClient *client;
    GPtrArray *offers;
    GHashTable *reported; /* the ids in signals that came since the list was requested; NULL once the list is here */
};

static void list_model(GListModelInterface *interface);
G_DEFINE_FINAL_TYPE_WITH_CODE(BatonOffers, baton_offers, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model))

enum { PROPERTY_CONNECTION = 1, PROPERTY_ACTIVITY_TYPE, PROPERTIES };
static GParamSpec *properties[PROPERTIES];

/**
 * baton_offers_new:
 * @activity_type: (nullable): the type of the offers in the list; %NULL for all types
 *
 * Creates a list of the activities that other devices offer, on the session bus.
 *
 * Returns: the list
 *
 * Since: 1.0
 */
BatonOffers *baton_offers_new(const char *activity_type) {
    return g_object_new(BATON_TYPE_OFFERS, "activity-type", activity_type, NULL);
}

/**
 * baton_offers_get_activity_type: (get-property activity-type)
 * @self: offers
 *
 * Gets the type of the offers in the list.
 *
 * Returns: (nullable): the type; %NULL for all types
 *
 * Since: 1.0
 */
const char *baton_offers_get_activity_type(BatonOffers *self) {
    g_return_val_if_fail(BATON_IS_OFFERS(self), NULL);
    return self->activity_type;
}

/* --- The list ----------------------------------------------------------------------------------- */

static GType get_item_type(GListModel *list) {
    return BATON_TYPE_OFFER;
}

static guint get_n_items(GListModel *list) {
    return BATON_OFFERS(list)->offers->len;
}

static gpointer get_item(GListModel *list, guint position) {
    GPtrArray *offers = BATON_OFFERS(list)->offers;
    return position < offers->len ? g_object_ref(g_ptr_array_index(offers, position)) : NULL;
}

static void list_model(GListModelInterface *interface) {
    interface->get_item_type = get_item_type;
    interface->get_n_items = get_n_items;
    interface->get_item = get_item;
}

static gboolean find(BatonOffers *self, const char *id, guint *position) {
    for (*position = 0; *position < self->offers->len; (*position)++)
        if (strcmp(baton_offer_get_id(g_ptr_array_index(self->offers, *position)), id) == 0) return TRUE;
    return FALSE;
}

static void drop(BatonOffers *self, guint position) {
    g_ptr_array_remove_index(self->offers, position);
    g_list_model_items_changed(G_LIST_MODEL(self), position, 1, 0);
}

static gboolean is_wanted(BatonOffers *self, GVariant *details) {
    const char *type = NULL;
    g_variant_lookup(details, "type", "&s", &type);
    return self->activity_type == NULL || g_strcmp0(type, self->activity_type) == 0;
}

/* The type of an offer may become known only after the offer has appeared, and it may change. */
static void see(BatonOffers *self, GVariant *details) {
    guint position;
    g_autofree char *id = baton_offer_find_id(details);
    if (id == NULL) return;
    gboolean is_there = find(self, id, &position);
    if (is_there && is_wanted(self, details)) {
        baton_offer_update(g_ptr_array_index(self->offers, position), details);
    } else if (is_there) {
        drop(self, position);
    } else if (is_wanted(self, details)) {
        g_ptr_array_add(self->offers, baton_offer_new(details));
        g_list_model_items_changed(G_LIST_MODEL(self), position, 0, 1);
    }
}

/* The daemon may send a signal between the moment at which it makes a list and the one at which it
 * sends the list. So a list says nothing about an offer that a signal was about meanwhile. */
static void note(BatonOffers *self, const char *id) {
    if (self->reported != NULL) g_hash_table_add(self->reported, g_strdup(id));
}

static void reported(BatonOffers *self, GVariant *details) {
    g_autofree char *id = baton_offer_find_id(details);
    if (id != NULL) note(self, id);
    see(self, details);
}

static void disappeared(BatonOffers *self, const char *id) {
    guint position;
    note(self, id);
    if (find(self, id, &position)) drop(self, position);
}

/* --- The daemon --------------------------------------------------------------------------------- */

typedef struct {
    GWeakRef offers;
    GHashTable *reported;
} Asking;

static void see_unless_reported(BatonOffers *self, GVariant *details, GHashTable *reported) {
    g_autofree char *id = baton_offer_find_id(details);
    if (id != NULL && !g_hash_table_contains(reported, id)) see(self, details);
}

static void listed(GObject *source, GAsyncResult *result, gpointer data) {
    Asking *asking = data;
    g_autoptr(BatonOffers) self = g_weak_ref_get(&asking->offers);
    g_autoptr(GHashTable) reported = asking->reported;
    g_autoptr(GVariant) offers = NULL;
    g_weak_ref_clear(&asking->offers);
    g_free(asking);
    if (self != NULL && self->reported == reported) g_clear_pointer(&self->reported, g_hash_table_unref);
    /* The call fails only when the daemon has gone. The next daemon is asked again. */
    if (!baton_bus_offers_call_list_finish(BATON_BUS_OFFERS(source), &offers, result, NULL)) return;
    if (self == NULL || !baton_client_has_daemon(self->client)) return;
    GVariantIter each;
    GVariant *details;
    g_variant_iter_init(&each, offers);
    while ((details = g_variant_iter_next_value(&each)) != NULL) {
        see_unless_reported(self, details, reported);
        g_variant_unref(details);
    }
}

static void came(BatonOffers *self) {
    Asking *asking = g_new0(Asking, 1);
    g_weak_ref_init(&asking->offers, self);
    g_clear_pointer(&self->reported, g_hash_table_unref);
    self->reported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    asking->reported = g_hash_table_ref(self->reported);
    baton_bus_offers_call_list(baton_client_get_offers(self->client), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, listed, asking);
}

static void went(BatonOffers *self) {
    guint count = self->offers->len;
    g_ptr_array_set_size(self->offers, 0);
    if (count > 0) g_list_model_items_changed(G_LIST_MODEL(self), 0, count, 0);
}

/* Connect the signals before the list is requested, so that no change between the two is missed. */
static void listen_and_list(GTask *task) {
    BatonOffers *self = g_task_get_source_object(task);
    BatonBusOffers *bus = baton_client_get_offers(self->client);
    g_signal_connect_object(bus, "appeared", G_CALLBACK(reported), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "changed", G_CALLBACK(reported), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(bus, "disappeared", G_CALLBACK(disappeared), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->client, "came", G_CALLBACK(came), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->client, "went", G_CALLBACK(went), self, G_CONNECT_SWAPPED);
    if (baton_client_has_daemon(self->client)) came(self);
    g_task_return_boolean(task, TRUE);
    g_object_unref(task);
}

/* --- Continuing --------------------------------------------------------------------------------- */

static void accepted(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(BatonClient) client = data;
    baton_bus_offers_call_accept_finish(BATON_BUS_OFFERS(source), result, NULL);
}

/* The daemon tells the other device. If the daemon has gone, there is nothing to do. */
static void answer(BatonContinuation *continuation, gboolean is_taken, const char *message, gpointer data) {
    BatonClient *client = baton_continuation_get_client(continuation);
    baton_bus_offers_call_accept(baton_client_get_offers(client), baton_continuation_get_id(continuation), is_taken, G_DBUS_CALL_FLAGS_NO_AUTO_START,
                                 BATON_PATIENCE, NULL, accepted, g_object_ref(client));
}

static void fetched(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(GTask) task = data;
    BatonOffers *self = g_task_get_source_object(task);
    g_autofree char *id = NULL;
    g_autoptr(GVariant) activity = NULL;
    GError *error = NULL;
    if (!baton_bus_offers_call_continue_finish(BATON_BUS_OFFERS(source), &id, &activity, result, &error)) {
        /* Without this call the daemon would continue to fetch. */
        if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) baton_client_cancel(self->client, g_task_get_task_data(task));
        g_task_return_error(task, baton_error_of_call(error));
        return;
    }
    g_task_return_pointer(task, baton_continuation_new(self->client, id, activity, answer, NULL), g_object_unref);
}

static void fetch(GTask *task) {
    BatonOffers *self = g_task_get_source_object(task);
    baton_bus_offers_call_continue(baton_client_get_offers(self->client), g_task_get_task_data(task), g_variant_new("a{sv}", NULL),
                                   G_DBUS_CALL_FLAGS_NONE, BATON_PATIENCE, g_task_get_cancellable(task), fetched, task);
}

/**
 * baton_offers_continue_async:
 * @self: offers
 * @offer: an offer from the list
 * @cancellable: (nullable): cancels the operation
 * @callback: (scope async): called with the continuation
 * @user_data: for @callback
 *
 * Fetches an activity from the other device. Take the activity over, and call
 * [method@Baton.Continuation.accept] within two minutes.
 *
 * Since: 1.0
 */
void baton_offers_continue_async(BatonOffers *self, BatonOffer *offer, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data) {
    g_return_if_fail(BATON_IS_OFFERS(self));
    g_return_if_fail(BATON_IS_OFFER(offer));
    GTask *task = g_task_new(self, cancellable, callback, user_data);
    g_task_set_source_tag(task, baton_offers_continue_async);
    g_task_set_task_data(task, g_strdup(baton_offer_get_id(offer)), g_free);
    baton_client_when_ready(self->client, task, fetch);
}

/**
 * baton_offers_continue_finish:
 * @self: offers
 * @result: the result that the callback got
 * @error: why the activity was not fetched
 *
 * Finishes [method@Baton.Offers.continue_async].
 *
 * Returns: (transfer full): the fetched activity
 *
 * Since: 1.0
 */
BatonContinuation *baton_offers_continue_finish(BatonOffers *self, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, self), NULL);
    return g_task_propagate_pointer(G_TASK(result), error);
}

/* --- The object --------------------------------------------------------------------------------- */

static void baton_offers_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonOffers *self = BATON_OFFERS(object);
    switch (id) {
    case PROPERTY_CONNECTION: g_value_set_object(value, self->bus); break;
    case PROPERTY_ACTIVITY_TYPE: g_value_set_string(value, self->activity_type); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void baton_offers_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    BatonOffers *self = BATON_OFFERS(object);
    switch (id) {
    case PROPERTY_CONNECTION: self->bus = g_value_dup_object(value); break;
    case PROPERTY_ACTIVITY_TYPE: self->activity_type = g_value_dup_string(value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void baton_offers_constructed(GObject *object) {
    BatonOffers *self = BATON_OFFERS(object);
    G_OBJECT_CLASS(baton_offers_parent_class)->constructed(object);
    self->client = baton_client_get(self->bus);
    baton_client_when_ready(self->client, g_task_new(self, NULL, NULL, NULL), listen_and_list);
}

static void baton_offers_finalize(GObject *object) {
    BatonOffers *self = BATON_OFFERS(object);
    g_ptr_array_unref(self->offers);
    g_clear_pointer(&self->reported, g_hash_table_unref);
    g_clear_object(&self->client);
    g_clear_object(&self->bus);
    g_free(self->activity_type);
    G_OBJECT_CLASS(baton_offers_parent_class)->finalize(object);
}

static void baton_offers_class_init(BatonOffersClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_offers_get_property;
    object_class->set_property = baton_offers_set_property;
    object_class->constructed = baton_offers_constructed;
    object_class->finalize = baton_offers_finalize;

    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;
    /**
     * BatonOffers:connection:
     *
     * The connection to the session bus. %NULL stands for the program's shared connection.
     *
     * Since: 1.0
     */
    properties[PROPERTY_CONNECTION] = g_param_spec_object("connection", NULL, NULL, G_TYPE_DBUS_CONNECTION, flags);
    /**
     * BatonOffers:activity-type: (getter get_activity_type)
     *
     * The type of the offers in the list. %NULL stands for all types.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ACTIVITY_TYPE] = g_param_spec_string("activity-type", NULL, NULL, NULL, flags);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}

static void baton_offers_init(BatonOffers *self) {
    self->offers = g_ptr_array_new_with_free_func(g_object_unref);
}
