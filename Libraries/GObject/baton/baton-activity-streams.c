/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <gio/gunixfdlist.h>

#include "baton-activity-private.h"
#include "baton-error-private.h"
#include "baton-streams-private.h"

/* A pair of streams that the daemon is handing over. The struct holds only a weak reference to the
 * activity. */
typedef struct {
    GWeakRef activity;
    BatonClient *client;
    guint64 daemon; /* from baton_stream_ends_expect */
    char *stream, *device, *device_name;
} Taking;

static void taking_free(Taking *taking) {
    g_weak_ref_clear(&taking->activity);
    g_object_unref(taking->client);
    g_free(taking->stream);
    g_free(taking->device);
    g_free(taking->device_name);
    g_free(taking);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Taking, taking_free)

static void streams_taken(GObject *source, GAsyncResult *result, gpointer data) {
    g_autoptr(Taking) taking = data;
    g_autoptr(BatonActivity) self = g_weak_ref_get(&taking->activity);
    g_autofree char *transport = NULL;
    g_autoptr(GVariant) index = NULL;
    g_autoptr(GUnixFDList) descriptors = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(BatonStreams) streams = NULL;
    if (!baton_bus_activities_call_take_streams_finish(BATON_BUS_ACTIVITIES(source), &transport, &index, &descriptors, result, &error)) {
        baton_stream_ends_claim(baton_client_get_stream_ends(taking->client), taking->daemon, NULL);
        error = baton_error_of_call(g_steal_pointer(&error));
    } else {
        streams = baton_streams_adopt(taking->client, taking->daemon, taking->stream, transport, index, descriptors, &error);
        if (streams == NULL) baton_client_cancel(taking->client, taking->stream);
    }
    if (self == NULL) return;
    if (streams == NULL) {
        /* Streams that ended before the app took them are not a failure of the activity. */
        g_autofree char *text = g_strdup_printf("streams from %s are not to be had: %s", taking->device_name, error->message);
        baton_activity_emit_warning(self, text);
        return;
    }
    baton_streams_set_device(streams, taking->device, taking->device_name);
    if (baton_activity_sends_document(self)) baton_activity_send_document(self, streams);
    else baton_activity_emit_streams(self, streams);
}

void baton_activity_take_streams(BatonActivity *self, const char *stream, const char *device, const char *device_name) {
    if (!baton_activity_sends_document(self) && !baton_activity_has_streams_handler(self)) {
        baton_client_cancel(self->client, stream);
        return;
    }
    Taking *taking = g_new0(Taking, 1);
    g_weak_ref_init(&taking->activity, self);
    taking->client = g_object_ref(self->client);
    taking->daemon = baton_stream_ends_expect(baton_client_get_stream_ends(self->client));
    taking->stream = g_strdup(stream);
    taking->device = g_strdup(device);
    taking->device_name = g_strdup(device_name);
    baton_bus_activities_call_take_streams(baton_client_get_activities(self->client), stream, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL,
                                           streams_taken, taking);
}
