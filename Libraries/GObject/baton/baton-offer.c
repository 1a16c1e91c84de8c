/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-offer-private.h"

/**
 * BatonOffer:
 *
 * An activity that another device offers. An offer's properties may become known only later, so
 * listen to `notify`.
 *
 * Get offers from [class@Baton.Offers] and [signal@Baton.Application::will-continue]. An offer that
 * a program creates by itself is empty.
 *
 * Since: 1.0
 */
struct _BatonOffer {
    GObject parent_instance;
    GVariant *details;
};

G_DEFINE_FINAL_TYPE(BatonOffer, baton_offer, G_TYPE_OBJECT)

enum {
    PROPERTY_ID = 1,
    PROPERTY_ACTIVITY_TYPE,
    PROPERTY_TITLE,
    PROPERTY_DEVICE,
    PROPERTY_DEVICE_NAME,
    PROPERTY_APPLICATION,
    PROPERTY_TEAM,
    PROPERTY_HAS_WEBPAGE,
    PROPERTY_HAS_STREAMS,
    PROPERTIES
};
static GParamSpec *properties[PROPERTIES];

/* The properties' names on the bus. */
static const char *const keys[PROPERTIES] = {
    [PROPERTY_ID] = "offer",
    [PROPERTY_ACTIVITY_TYPE] = "type",
    [PROPERTY_TITLE] = "title",
    [PROPERTY_DEVICE] = "device",
    [PROPERTY_DEVICE_NAME] = "deviceName",
    [PROPERTY_APPLICATION] = "application",
    [PROPERTY_TEAM] = "team",
    [PROPERTY_HAS_WEBPAGE] = "webpage",
    [PROPERTY_HAS_STREAMS] = "streams",
};

char *baton_offer_find_id(GVariant *details) {
    char *id = NULL;
    g_variant_lookup(details, keys[PROPERTY_ID], "s", &id);
    return id;
}

BatonOffer *baton_offer_new(GVariant *details) {
    BatonOffer *self = g_object_new(BATON_TYPE_OFFER, NULL);
    g_variant_unref(self->details);
    self->details = g_variant_ref(details);
    return self;
}

static gboolean is_changed(GVariant *before, GVariant *after, guint property) {
    g_autoptr(GVariant) one = g_variant_lookup_value(before, keys[property], NULL), other = g_variant_lookup_value(after, keys[property], NULL);
    return one == NULL || other == NULL ? one != other : !g_variant_equal(one, other);
}

void baton_offer_update(BatonOffer *self, GVariant *details) {
    g_autoptr(GVariant) before = g_steal_pointer(&self->details);
    self->details = g_variant_ref(details);
    g_object_freeze_notify(G_OBJECT(self));
    for (guint property = 1; property < PROPERTIES; property++)
        if (is_changed(before, details, property)) g_object_notify_by_pspec(G_OBJECT(self), properties[property]);
    g_object_thaw_notify(G_OBJECT(self));
}

static const char *get_string(BatonOffer *self, guint property) {
    const char *text = NULL;
    g_variant_lookup(self->details, keys[property], "&s", &text);
    return text;
}

static gboolean get_flag(BatonOffer *self, guint property) {
    gboolean flag = FALSE;
    g_variant_lookup(self->details, keys[property], "b", &flag);
    return flag;
}

/**
 * baton_offer_get_id: (get-property id)
 * @self: an offer
 *
 * Gets the offer's id, which does not change while the offer lasts.
 *
 * Returns: the id
 *
 * Since: 1.0
 */
const char *baton_offer_get_id(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    const char *id = get_string(self, PROPERTY_ID);
    return id != NULL ? id : "";
}

/**
 * baton_offer_get_activity_type: (get-property activity-type)
 * @self: an offer
 *
 * Gets the type of the activity.
 *
 * Returns: (nullable): the type
 *
 * Since: 1.0
 */
const char *baton_offer_get_activity_type(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    return get_string(self, PROPERTY_ACTIVITY_TYPE);
}

/**
 * baton_offer_get_title: (get-property title)
 * @self: an offer
 *
 * Gets the activity's title, to show to the user.
 *
 * Returns: (nullable): the title
 *
 * Since: 1.0
 */
const char *baton_offer_get_title(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    return get_string(self, PROPERTY_TITLE);
}

/**
 * baton_offer_get_device: (get-property device)
 * @self: an offer
 *
 * Gets the id of the device that offers the activity.
 *
 * Returns: (nullable): the device's id
 *
 * Since: 1.0
 */
const char *baton_offer_get_device(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    return get_string(self, PROPERTY_DEVICE);
}

/**
 * baton_offer_get_device_name: (get-property device-name)
 * @self: an offer
 *
 * Gets the name of the device that offers the activity, for people.
 *
 * Returns: (nullable): the device's name
 *
 * Since: 1.0
 */
const char *baton_offer_get_device_name(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    return get_string(self, PROPERTY_DEVICE_NAME);
}

/**
 * baton_offer_get_application: (get-property application)
 * @self: an offer
 *
 * Gets the id of the app on this device that would continue the activity.
 *
 * Returns: (nullable): the app's id
 *
 * Since: 1.0
 */
const char *baton_offer_get_application(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    return get_string(self, PROPERTY_APPLICATION);
}

/**
 * baton_offer_get_team: (get-property team)
 * @self: an offer
 *
 * Gets the team whose apps exchange the activity.
 *
 * Returns: (nullable): the team
 *
 * Since: 1.0
 */
const char *baton_offer_get_team(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), NULL);
    return get_string(self, PROPERTY_TEAM);
}

/**
 * baton_offer_get_has_webpage: (get-property has-webpage)
 * @self: an offer
 *
 * Gets whether the activity has a web page.
 *
 * Returns: %TRUE if it has one
 *
 * Since: 1.0
 */
gboolean baton_offer_get_has_webpage(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), FALSE);
    return get_flag(self, PROPERTY_HAS_WEBPAGE);
}

/**
 * baton_offer_get_has_streams: (get-property has-streams)
 * @self: an offer
 *
 * Gets whether the activity supports continuation streams.
 *
 * Returns: %TRUE if it does
 *
 * Since: 1.0
 */
gboolean baton_offer_get_has_streams(BatonOffer *self) {
    g_return_val_if_fail(BATON_IS_OFFER(self), FALSE);
    return get_flag(self, PROPERTY_HAS_STREAMS);
}

static void baton_offer_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonOffer *self = BATON_OFFER(object);
    if (id == PROPERTY_HAS_WEBPAGE || id == PROPERTY_HAS_STREAMS) g_value_set_boolean(value, get_flag(self, id));
    else g_value_set_string(value, id == PROPERTY_ID ? baton_offer_get_id(self) : get_string(self, id));
}

static void baton_offer_finalize(GObject *object) {
    g_variant_unref(BATON_OFFER(object)->details);
    G_OBJECT_CLASS(baton_offer_parent_class)->finalize(object);
}

static void baton_offer_class_init(BatonOfferClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_offer_get_property;
    object_class->finalize = baton_offer_finalize;

    GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    /**
     * BatonOffer:id: (getter get_id)
     *
     * The offer's id, which does not change while the offer lasts.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ID] = g_param_spec_string("id", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:activity-type: (getter get_activity_type)
     *
     * The type of the activity. %NULL stands for a type that is not known yet.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ACTIVITY_TYPE] = g_param_spec_string("activity-type", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:title: (getter get_title)
     *
     * The activity's title, to show to the user. %NULL stands for a title that is not known.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TITLE] = g_param_spec_string("title", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:device: (getter get_device)
     *
     * The id of the device that offers the activity. %NULL stands for an id that is not known.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE] = g_param_spec_string("device", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:device-name: (getter get_device_name)
     *
     * The name of the device that offers the activity, for people.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE_NAME] = g_param_spec_string("device-name", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:application: (getter get_application)
     *
     * The id of the app on this device that would continue the activity. %NULL stands for no app.
     *
     * Since: 1.0
     */
    properties[PROPERTY_APPLICATION] = g_param_spec_string("application", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:team: (getter get_team)
     *
     * The team whose apps exchange the activity. An empty string stands for no team, %NULL for a
     * team that is not known yet.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TEAM] = g_param_spec_string("team", NULL, NULL, NULL, flags);
    /**
     * BatonOffer:has-webpage: (getter get_has_webpage)
     *
     * Whether the activity has a web page.
     *
     * Since: 1.0
     */
    properties[PROPERTY_HAS_WEBPAGE] = g_param_spec_boolean("has-webpage", NULL, NULL, FALSE, flags);
    /**
     * BatonOffer:has-streams: (getter get_has_streams)
     *
     * Whether the activity supports continuation streams.
     *
     * Since: 1.0
     */
    properties[PROPERTY_HAS_STREAMS] = g_param_spec_boolean("has-streams", NULL, NULL, FALSE, flags);
    g_object_class_install_properties(object_class, PROPERTIES, properties);
}

/* Bindings can create an object of any class. An offer that a binding created has no details and is
 * empty. */
static void baton_offer_init(BatonOffer *self) {
    self->details = g_variant_ref_sink(g_variant_new("a{sv}", NULL));
}
