// SPDX-License-Identifier: Apache-2.0
// A sender in GJS that fails in the middle, between the two laptops whose buses are in the environment. It prints "well" at the end.

import Baton from 'gi://Baton?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

Gio._promisify(Baton.Activity.prototype, 'flush_async');
Gio._promisify(Baton.Offers.prototype, 'continue_async');
Gio._promisify(Baton.Continuation.prototype, 'open_streams_async');
Gio._promisify(Gio.InputStream.prototype, 'read_bytes_async');
Gio._promisify(Gio.OutputStream.prototype, 'splice_async');

const TYPE = 'org.example.cuts';
const {CLOSE_TARGET} = Gio.OutputStreamSpliceFlags;
const loop = new GLib.MainLoop(null, false);

function connect(name) {
    const {AUTHENTICATION_CLIENT, MESSAGE_BUS_CONNECTION} = Gio.DBusConnectionFlags;
    return Gio.DBusConnection.new_for_address_sync(GLib.getenv(`BATON_TEST_${name}`), AUTHENTICATION_CLIENT | MESSAGE_BUS_CONNECTION, null, null);
}

function heard(object, signal) {
    return new Promise(resolve => {
        const handler = object.connect(signal, (_, ...values) => {
            object.disconnect(handler);
            resolve(values);
        });
    });
}

async function failure(promise) {
    try {
        await promise;
    } catch (error) {
        return error;
    }
    throw new Error('it did not fail');
}

async function readToEnd(streams) {
    while ((await streams.get_input_stream().read_bytes_async(65536, GLib.PRIORITY_DEFAULT, null)).get_size() > 0) continue;
}

/** Reading a process's memory from its beginning fails, like reading a broken disk. */
async function aSourceThatFails(streams) {
    const broken = Gio.File.new_for_path('/proc/self/mem').read(null);
    streams.get_output_stream().write_all('half a let', null);
    const error = await failure(streams.get_output_stream().splice_async(broken, CLOSE_TARGET, GLib.PRIORITY_DEFAULT, null));
    if (!error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.FAILED)) throw error;
}

async function aSpliceThatIsCancelled(streams) {
    const cancellable = new Gio.Cancellable();
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => cancellable.cancel());
    const endless = Gio.File.new_for_path('/dev/zero').read(null);
    const error = await failure(streams.get_output_stream().splice_async(endless, CLOSE_TARGET, GLib.PRIORITY_DEFAULT, cancellable));
    if (!error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED)) throw error;
}

/** Calls `give_up()` before the garbage collector finalizes the outer stream, as the documentation says. */
async function aFunctionThatThrows(streams) {
    try {
        const around = new Gio.DataOutputStream({base_stream: streams.get_output_stream()});
        around.put_string('half a let', null);
        throw new Error('the other half is not to be had');
    } catch {
        streams.give_up();
    }
    System.gc();
}

async function main() {
    const activity = new Baton.Activity({connection: connect('DESK'), activity_type: TYPE, supports_continuation_streams: true});
    const offers = new Baton.Offers({connection: connect('SOFA'), activity_type: TYPE});
    activity.become_current();
    await activity.flush_async(null);
    while (offers.get_n_items() === 0) await heard(offers, 'items-changed');
    const continuation = await offers.continue_async(offers.get_item(0), null);
    continuation.accept();
    for (const fails of [aSourceThatFails, aSpliceThatIsCancelled, aFunctionThatThrows]) {
        const opened = heard(activity, 'streams');
        const there = await continuation.open_streams_async(null), [here] = await opened;
        there.get_output_stream().close(null);
        const [cut] = await Promise.all([failure(readToEnd(there)), fails(here)]);
        if (!cut.matches(Baton.Error, Baton.Error.STREAM_CUT)) throw cut;
    }
    print('well');
}

let status = 0;
main().catch(error => {
    printerr(error, error.stack);
    status = 1;
}).finally(() => loop.quit());
loop.run();
System.exit(status);
