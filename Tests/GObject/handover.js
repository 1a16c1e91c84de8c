// SPDX-License-Identifier: Apache-2.0
// libbaton in GJS, between the two laptops whose buses are in the environment. It prints "well" at the end.

import Baton from 'gi://Baton?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

Gio._promisify(Baton.Activity.prototype, 'flush_async');
Gio._promisify(Baton.Offers.prototype, 'continue_async');
Gio._promisify(Baton.Continuation.prototype, 'open_streams_async');
Gio._promisify(Baton.Continuation.prototype, 'load_document_async');
Gio._promisify(Gio.IOStream.prototype, 'close_async');
Gio._promisify(Gio.InputStream.prototype, 'read_bytes_async');
Gio._promisify(Gio.OutputStream.prototype, 'splice_async');

const TYPE = 'org.example.gjs';
const MUCH = 1_000_000;
const loop = new GLib.MainLoop(null, false);

function connect(name) {
    const {AUTHENTICATION_CLIENT, MESSAGE_BUS_CONNECTION} = Gio.DBusConnectionFlags;
    return Gio.DBusConnection.new_for_address_sync(GLib.getenv(`BATON_TEST_${name}`), AUTHENTICATION_CLIENT | MESSAGE_BUS_CONNECTION, null, null);
}

function assert(condition, what) {
    if (!condition) throw new Error(`not so: ${what}`);
}

function heard(object, signal) {
    return new Promise(resolve => {
        const handler = object.connect(signal, (_, ...values) => {
            object.disconnect(handler);
            resolve(values);
        });
    });
}

async function firstOffer(offers) {
    while (offers.get_n_items() === 0) await heard(offers, 'items-changed');
    return offers.get_item(0);
}

async function readToEnd(streams) {
    let count = 0;
    for (;;) {
        const piece = await streams.get_input_stream().read_bytes_async(65536, GLib.PRIORITY_DEFAULT, null);
        if (piece.get_size() === 0) return count;
        count += piece.get_size();
    }
}

async function carryOn(activity, offers) {
    const continued = heard(activity, 'continued'), opened = heard(activity, 'streams');
    const continuation = await offers.continue_async(await firstOffer(offers), null);
    const info = continuation.user_info;
    assert(continuation.title === 'Dear Ada,', 'the title');
    assert(info.recursiveUnpack().cursor === 34, 'the cursor');
    assert(Baton.value_get_url(info.lookup_value('page', null)) === 'https://example.org/', 'the URL');
    continuation.accept();
    assert((await continued)[1] === 'sofa', 'where it was continued');
    const there = await continuation.open_streams_async(null), [here] = await opened;
    return {here, there};
}

async function main() {
    const desk = connect('DESK'), sofa = connect('SOFA');
    const activity = new Baton.Activity({connection: desk, activity_type: TYPE, supports_continuation_streams: true});
    const offers = new Baton.Offers({connection: sofa, activity_type: TYPE});
    activity.connect('save', () => {
        activity.title = 'Dear Ada,';
        activity.user_info = new GLib.Variant('a{sv}', {
            cursor: GLib.Variant.new_int64(34), page: Baton.value_new_url('https://example.org/'),
        });
    });
    activity.needs_save = true;
    activity.become_current();

    // Complete streams.
    let {here, there} = await carryOn(activity, offers);
    const source = Gio.MemoryInputStream.new_from_bytes(new GLib.Bytes(new Uint8Array(MUCH).fill(7)));
    there.get_output_stream().close(null);
    const [count] = await Promise.all([
        readToEnd(there),
        here.get_output_stream().splice_async(source, Gio.OutputStreamSpliceFlags.CLOSE_TARGET, GLib.PRIORITY_DEFAULT, null),
    ]);
    assert(count === MUCH, `all that was sent came, not ${count}`);
    await here.close_async(GLib.PRIORITY_DEFAULT, null);

    // Streams that are cut short.
    ({here, there} = await carryOn(activity, offers));
    there.get_output_stream().close(null);
    here.get_output_stream().write_all('half a let', null);
    here.give_up();
    let cut = null;
    await readToEnd(there).catch(error => (cut = error));
    assert(cut?.matches(Baton.Error, Baton.Error.STREAM_CUT), `an error, not ${cut}`);

    // A document that is sent with the state.
    activity.document = Gio.File.new_for_path(GLib.getenv('BATON_TEST_DOCUMENT'));
    await activity.flush_async(null);
    const continuation = await offers.continue_async(await firstOffer(offers), null);
    const copy = await continuation.load_document_async(null);
    assert(copy.get_basename() === 'letter.txt', 'the name of the copy');
    assert(new TextDecoder().decode(copy.load_contents(null)[1]) === 'Dear Ada,', 'its contents');
    activity.document = null;

    // Refused values.
    activity.user_info = new GLib.Variant('a{sv}', {much: GLib.Variant.new_string('x'.repeat(70_000))});
    let refusal = null;
    await activity.flush_async(null).catch(error => (refusal = error));
    assert(refusal?.matches(Baton.Error, Baton.Error.USER_INFO_TOO_LARGE), `an error, not ${refusal}`);
    activity.invalidate();
    print('well');
}

let status = 0;
main().catch(error => {
    printerr(error, error.stack);
    status = 1;
}).finally(() => loop.quit());
loop.run();
System.exit(status);
