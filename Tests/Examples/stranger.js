// SPDX-License-Identifier: Apache-2.0
// A program on GJS that takes its streams over the session bus alone, as Documentation/DBus/Activities.md says: gjs -m stranger.js TYPE
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const NAME = 'org.batonproject.Baton';
const PATH = '/org/batonproject/Baton';
const ACTIVITIES = 'org.batonproject.Baton1.Activities';

const loop = GLib.MainLoop.new(null, false);
const bus = Gio.DBus.session;
let received = 0;

function call(method, signature, ...values) {
    return bus.call_sync(NAME, PATH, ACTIVITIES, method, new GLib.Variant(signature, values), null, Gio.DBusCallFlags.NONE, -1, null).deepUnpack();
}

function take(stream) {
    const [reply, descriptors] = bus.call_with_unix_fd_list_sync(
        NAME, PATH, ACTIVITIES, 'TakeStreams', new GLib.Variant('(s)', [stream]), new GLib.VariantType('(sh)'), Gio.DBusCallFlags.NONE, -1, null, null);
    const [, index] = reply.deepUnpack();
    const socket = Gio.Socket.new_from_fd(descriptors.get(index));
    const connection = socket.connection_factory_create_connection();
    connection.output_stream.write_all('Dear Grace,', null);
    socket.shutdown(false, true);
    for (let size; (size = connection.input_stream.read_bytes(65536, null).get_size()) > 0;)
        received += size;
}

bus.signal_subscribe(NAME, ACTIVITIES, null, PATH, null, Gio.DBusSignalFlags.NONE, (_bus, _sender, _path, _interface, signal, values) => {
    if (signal === 'StreamsOpened') {
        take(values.deepUnpack()[1]);
    } else if (signal === 'StreamEnded') {
        const [, complete, error] = values.deepUnpack();
        print(complete ? `whole: ${received}` : `cut short: ${error}`);
        loop.quit();
    }
});

const [activity] = call('Publish', '(sa{sv})', ARGV[0], {supportsContinuationStreams: new GLib.Variant('b', true)});
call('BecomeCurrent', '(s)', activity);
loop.run();
