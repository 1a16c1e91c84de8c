/* SPDX-License-Identifier: Apache-2.0 */
#include <baton.h>
#include <gio/gunixfdlist.h>

#include "baton-pair-streams-private.h"
#include "baton-progress-private.h"
#include "baton-streams-private.h"

/**
 * BatonStreams:
 *
 * A pair of byte streams between an app and the app that continues its activity.
 *
 * A read reaches the end of the stream only if all data from the other side has arrived. If the
 * data was cut short, because a program crashed or a laptop went out of range, the read fails with
 * %BATON_ERROR_STREAM_CUT.
 *
 * Close the output stream when everything is written. The close tells the other side that the data
 * is complete. [method@Gio.IOStream.close] does this, too. [method@Gio.IOStream.close] then waits
 * until both sides have read everything, and fails if they do not. The wait lasts as long as the
 * other side needs, so prefer [method@Gio.IOStream.close_async].
 *
 * A program that does not want to wait closes both streams, or closes the output and drops its
 * references to the pair. The last of these calls hands the pair to the daemon, and waits for the
 * daemon's answer for at most 2 s. After that, the program may end, and the other side still gets
 * all written data. If the other side then sends more data, the streams break, because nobody reads
 * that data. If the program ends before the last call, the streams are cut short.
 *
 * The streams are cut short for the other side in these cases:
 *
 * - The last reference to the pair is dropped before its output is closed.
 * - [method@Baton.Streams.give_up] is called.
 * - A splice that should close the output (%G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET) fails or is
 *   cancelled.
 * - A close of the output is cancelled through its [class@Gio.Cancellable].
 *
 * GIO streams that wrap the output, such as [class@Gio.DataOutputStream],
 * [class@Gio.BufferedOutputStream] and [class@Gio.ConverterOutputStream], close the output when
 * they are finalized, even after an error. A splice into such a stream closes the output whether
 * the splice fails or not. For the other side that is a regular end, and incomplete data looks
 * complete. So on every error call [method@Baton.Streams.give_up] first, or unset
 * [property@Gio.FilterOutputStream:close-base-stream] and close the output itself.
 * [method@Gio.IOStream.splice_async] closes its streams after an error, too, if its flags say so.
 *
 * A receiver that saves the data writes it to a new file beside the old one, reads to the end,
 * renames the file, and closes the streams only then. If anything fails, the receiver abandons the
 * streams before it closes anything, so that the sender learns of the failure. Do not use
 * [method@Gio.File.replace] with a splice that closes its target: this call would replace the
 * user's file with incomplete data.
 *
 * The streams may be used on any thread, but each stream only on one thread at a time.
 *
 * Since: 1.0
 */
struct _BatonStreams {
    GIOStream parent_instance;
    /* This and the following members are NULL if a binding created the object by itself. */
    BatonPair *pair;
    GInputStream *input;
    GOutputStream *output;
    char *device, *device_name, *transport;
    gboolean is_let_go;
    BatonProgress *progress; /* NULL unless the app follows the progress */
};

G_DEFINE_FINAL_TYPE(BatonStreams, baton_streams, G_TYPE_IO_STREAM)

enum { PROPERTY_DEVICE = 1, PROPERTY_DEVICE_NAME, PROPERTY_TRANSPORT, PROPERTIES };
static GParamSpec *properties[PROPERTIES];

enum { PROGRESS, SIGNALS };
static guint signals[SIGNALS];

static int descriptor_at(GVariant *index, GUnixFDList *descriptors, GError **error) {
    gint32 number = g_variant_get_handle(index);
    if (descriptors == NULL || number < 0 || number >= g_unix_fd_list_get_length(descriptors)) {
        g_set_error_literal(error, BATON_ERROR, BATON_ERROR_FAILED, "batond has handed over no descriptor");
        return -1;
    }
    return g_unix_fd_list_get(descriptors, number, error);
}

BatonStreams *baton_streams_adopt(BatonClient *client, guint64 daemon, const char *stream, const char *transport, GVariant *index,
                                  GUnixFDList *descriptors, GError **error) {
    g_autoptr(BatonStreamEnd) end = baton_stream_ends_claim(baton_client_get_stream_ends(client), daemon, stream);
    int descriptor = descriptor_at(index, descriptors, error);
    BatonPair *pair = descriptor >= 0 ? baton_pair_new(client, stream, descriptor, end, error) : NULL;
    if (pair == NULL) {
        baton_stream_ends_forget(baton_client_get_stream_ends(client), stream);
        return NULL;
    }
    g_steal_pointer(&end);
    BatonStreams *self = g_object_new(BATON_TYPE_STREAMS, NULL);
    self->pair = pair;
    self->input = baton_pair_input_stream_new(pair);
    self->output = baton_pair_output_stream_new(pair);
    self->transport = g_strdup(transport);
    return self;
}

void baton_streams_set_device(BatonStreams *self, const char *device, const char *device_name) {
    self->device = g_strdup(device);
    self->device_name = g_strdup(device_name);
}

/**
 * baton_streams_get_device: (get-property device)
 * @self: the streams
 *
 * Gets the id of the device at the other end.
 *
 * Returns: the id
 *
 * Since: 1.0
 */
const char *baton_streams_get_device(BatonStreams *self) {
    g_return_val_if_fail(BATON_IS_STREAMS(self), NULL);
    return self->device;
}

/**
 * baton_streams_get_device_name: (get-property device-name)
 * @self: the streams
 *
 * Gets the name of the device at the other end, for people.
 *
 * Returns: the name
 *
 * Since: 1.0
 */
const char *baton_streams_get_device_name(BatonStreams *self) {
    g_return_val_if_fail(BATON_IS_STREAMS(self), NULL);
    return self->device_name;
}

/**
 * baton_streams_get_transport: (get-property transport)
 * @self: the streams
 *
 * Gets the transport that carried the streams when they were opened: `l2cap`, `tcp` or `simulated`.
 *
 * Returns: the transport
 *
 * Since: 1.0
 */
const char *baton_streams_get_transport(BatonStreams *self) {
    g_return_val_if_fail(BATON_IS_STREAMS(self), NULL);
    return self->transport;
}

static void progressed(gpointer streams, guint64 sent, guint64 received, const char *transport, gboolean is_waiting) {
    g_signal_emit(streams, signals[PROGRESS], 0, sent, received, transport, is_waiting);
}

/**
 * baton_streams_follow:
 * @self: the streams
 *
 * Begins to report the progress of the streams with the signal [signal@Baton.Streams::progress].
 * Connect to the signal first.
 *
 * Without this call, nothing is reported, and the daemon never wakes the program. A second call
 * does nothing. Batond 0.2 reports no progress: the signal is never emitted.
 *
 * Since: 1.1
 */
void baton_streams_follow(BatonStreams *self) {
    g_return_if_fail(BATON_IS_STREAMS(self));
    if (self->pair == NULL || self->progress != NULL) return;
    self->progress = baton_progress_new(self->pair, G_OBJECT(self), progressed);
}

/**
 * baton_streams_give_up:
 * @self: the streams
 *
 * Gives the streams up, so that the other side learns that they were cut short.
 *
 * Call this function if the sent data is incomplete, or if the received data cannot be used, for
 * example because the disk is full. Call this function before you close the output stream.
 *
 * Since: 1.0
 */
void baton_streams_give_up(BatonStreams *self) {
    g_return_if_fail(BATON_IS_STREAMS(self));
    if (self->pair != NULL) baton_pair_give_up(self->pair);
}

static GInputStream *get_input_stream(GIOStream *stream) {
    return BATON_STREAMS(stream)->input;
}

static GOutputStream *get_output_stream(GIOStream *stream) {
    return BATON_STREAMS(stream)->output;
}

static gboolean close_both(GIOStream *stream, GCancellable *cancellable, GError **error) {
    BatonStreams *self = BATON_STREAMS(stream);
    if (self->is_let_go || self->pair == NULL) return TRUE;
    gboolean is_whole = g_output_stream_close(self->output, cancellable, error) && baton_pair_finish(self->pair, cancellable, error);
    g_input_stream_close(self->input, NULL, NULL);
    return is_whole;
}

static void baton_streams_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    BatonStreams *self = BATON_STREAMS(object);
    switch (id) {
    case PROPERTY_DEVICE: g_value_set_string(value, self->device); break;
    case PROPERTY_DEVICE_NAME: g_value_set_string(value, self->device_name); break;
    case PROPERTY_TRANSPORT: g_value_set_string(value, self->transport); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

/* GIO closes a pair when it is disposed, although one of its streams may still be in use. */
static void baton_streams_dispose(GObject *object) {
    BATON_STREAMS(object)->is_let_go = TRUE;
    G_OBJECT_CLASS(baton_streams_parent_class)->dispose(object);
}

static void baton_streams_finalize(GObject *object) {
    BatonStreams *self = BATON_STREAMS(object);
    g_clear_pointer(&self->progress, baton_progress_free);
    g_clear_object(&self->input);
    g_clear_object(&self->output);
    g_clear_pointer(&self->pair, baton_pair_unref);
    g_free(self->device);
    g_free(self->device_name);
    g_free(self->transport);
    G_OBJECT_CLASS(baton_streams_parent_class)->finalize(object);
}

static void baton_streams_class_init(BatonStreamsClass *class) {
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    object_class->get_property = baton_streams_get_property;
    object_class->dispose = baton_streams_dispose;
    object_class->finalize = baton_streams_finalize;
    G_IO_STREAM_CLASS(class)->get_input_stream = get_input_stream;
    G_IO_STREAM_CLASS(class)->get_output_stream = get_output_stream;
    G_IO_STREAM_CLASS(class)->close_fn = close_both;

    GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    /**
     * BatonStreams:device: (getter get_device)
     *
     * The id of the device at the other end.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE] = g_param_spec_string("device", NULL, NULL, NULL, flags);
    /**
     * BatonStreams:device-name: (getter get_device_name)
     *
     * The name of the device at the other end, for people.
     *
     * Since: 1.0
     */
    properties[PROPERTY_DEVICE_NAME] = g_param_spec_string("device-name", NULL, NULL, NULL, flags);
    /**
     * BatonStreams:transport: (getter get_transport)
     *
     * The transport that carried the streams when they were opened.
     *
     * Since: 1.0
     */
    properties[PROPERTY_TRANSPORT] = g_param_spec_string("transport", NULL, NULL, NULL, flags);
    g_object_class_install_properties(object_class, PROPERTIES, properties);

    /**
     * BatonStreams::progress:
     * @self: the streams
     * @sent: how many bytes the other device's app has got. The other device reports them in steps
     *     of up to 256 KiB, and the last ones with the end of the output
     * @received: how many bytes have arrived in this program's socket, also those that are not read
     *     yet
     * @transport: the transport that carries the streams, or carried them last: `l2cap`, `tcp` or
     *     `simulated`
     * @waiting: whether the connection has broken or stalled. The streams go on over the same
     *     connection or another one, or are cut short
     *
     * Emitted with the present progress after [method@Baton.Streams.follow], and then at most every
     * 300 ms, while something changes.
     *
     * The numbers are for people. They do not prove that the data is complete: the last report may
     * be older than the end of the streams. Only the program that has the streams gets the signal.
     * It is emitted in the main context that was the thread's default when the activity or the
     * offers were created.
     *
     * Since: 1.1
     */
    signals[PROGRESS] = g_signal_new("progress", BATON_TYPE_STREAMS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4, G_TYPE_UINT64,
                                     G_TYPE_UINT64, G_TYPE_STRING, G_TYPE_BOOLEAN);
}

static void baton_streams_init(BatonStreams *self) {}
