/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>

#include "baton-continuation-private.h"

enum {
    PROPERTY_ACTIVITY_TYPE = 1,
    PROPERTY_DEVICE,
    PROPERTY_DEVICE_NAME,
    PROPERTY_TRANSPORT,
    PROPERTY_PROPERTIES,
    PROPERTY_DOCUMENT_URL,
    PROPERTY_FIELDS
};
/* The properties of `fields` follow the others. A continuation lacks the last one, `needs-save`. */
static GParamSpec *properties[PROPERTY_FIELDS + BATON_CONTENTS - 1];

GVariant *baton_continuation_get_content(BatonContinuation *self, BatonContent content) {
    return self->values[content];
}

static const char *find_string(BatonContinuation *self, const char *key) {
    const char *text = NULL;
    g_variant_lookup(self->properties, key, "&s", &text);
    return text;
}

/**
 * baton_continuation_get_activity_type: (get-property activity-type)
 * @self: a continuation
 *
 * Gets the type of the activity.
 *
 * Returns: the type
 *
 * Since: 1.0
 */
const char *baton_continuation_get_activity_type(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    const char *type = find_string(self, "type");
    return type != NULL ? type : "";
}

/**
 * baton_continuation_get_device: (get-property device)
 * @self: a continuation
 *
 * Gets the id of the device that the activity comes from.
 *
 * Returns: (nullable): the device's id
 *
 * Since: 1.0
 */
const char *baton_continuation_get_device(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return find_string(self, "device");
}

/**
 * baton_continuation_get_device_name: (get-property device-name)
 * @self: a continuation
 *
 * Gets the name of the device that the activity comes from, for people.
 *
 * Returns: (nullable): the device's name
 *
 * Since: 1.0
 */
const char *baton_continuation_get_device_name(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return find_string(self, "deviceName");
}

/**
 * baton_continuation_get_transport: (get-property transport)
 * @self: a continuation
 *
 * Gets the transport that carried the activity: `l2cap`, `tcp` or `simulated`.
 *
 * Returns: (nullable): the transport
 *
 * Since: 1.0
 */
const char *baton_continuation_get_transport(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return find_string(self, "transport");
}

/**
 * baton_continuation_get_properties: (get-property properties)
 * @self: a continuation
 *
 * Gets everything that the daemon handed over, an `a{sv}` in the form of the bus. The dictionary
 * includes a userInfo with keys that are not strings.
 *
 * Returns: (transfer none): the activity's properties
 *
 * Since: 1.0
 */
GVariant *baton_continuation_get_properties(BatonContinuation *self) {
    g_return_val_if_fail(BATON_IS_CONTINUATION(self), NULL);
    return self->properties;
}

/* --- For GObject -------------------------------------------------------------------------------- */

void baton_continuation_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonContinuation *self = BATON_CONTINUATION(object);
    if (id >= PROPERTY_FIELDS) {
        baton_continuation_get_field(self, id - PROPERTY_FIELDS, value);
        return;
    }
    switch (id) {
    case PROPERTY_ACTIVITY_TYPE: g_value_set_string(value, baton_continuation_get_activity_type(self)); break;
    case PROPERTY_DEVICE: g_value_set_string(value, baton_continuation_get_device(self)); break;
    case PROPERTY_DEVICE_NAME: g_value_set_string(value, baton_continuation_get_device_name(self)); break;
    case PROPERTY_TRANSPORT: g_value_set_string(value, baton_continuation_get_transport(self)); break;
    case PROPERTY_PROPERTIES: g_value_set_variant(value, self->properties); break;
    case PROPERTY_DOCUMENT_URL: g_value_set_string(value, self->document_url); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void baton_continuation_install_properties(GObjectClass *object_class) {
    GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    /**
     * BatonContinuation:activity-type: (getter get_activity_type)
     *
     * The type of the activity.
     *
     * Since: 1.0
     */
    properties[PROPERTY_ACTIVITY_TYPE] = g_param_spec_string("activity-type", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:device: (getter get_device)
     *
     * The id of the device that the activity comes from.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE] = g_param_spec_string("device", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:device-name: (getter get_device_name)
     *
     * The name of the device that the activity comes from, for people.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE_NAME] = g_param_spec_string("device-name", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:transport: (getter get_transport)
     *
     * The transport that carried the activity: `l2cap`, `tcp` or `simulated`.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TRANSPORT] = g_param_spec_string("transport", NULL, NULL, NULL, flags);
    /**
     * BatonContinuation:properties: (getter get_properties)
     *
     * Everything that the daemon handed over, an `a{sv}` in the form of the bus.
     *
     * Since: 1.0
     */
    properties[PROPERTY_PROPERTIES] = g_param_spec_variant("properties", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags);
    /**
     * BatonContinuation:document-url: (getter get_document_url)
     *
     * The URL under which the other device sent the document that the activity is about.
     *
     * Since: 1.1
     */
    properties[PROPERTY_DOCUMENT_URL] = g_param_spec_string("document-url", NULL, NULL, NULL, flags);
    baton_continuation_make_specs(properties + PROPERTY_FIELDS);
    g_object_class_install_properties(object_class, G_N_ELEMENTS(properties), properties);
}
