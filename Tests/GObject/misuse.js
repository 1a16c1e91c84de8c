// SPDX-License-Identifier: Apache-2.0
// Mistakes of a program in GJS that must do no harm, without a daemon. It prints "well" at the end.

import Baton from 'gi://Baton?version=1';
import GLib from 'gi://GLib';
import System from 'system';

Baton.Continuation.prototype.open_streams = promised('open_streams');
Baton.Continuation.prototype.load_document = promised('load_document');

const loop = new GLib.MainLoop(null, false);

function promised(name) {
    return function () {
        return new Promise((resolve, reject) => this[`${name}_async`](null, (self, result) => {
            try {
                resolve(self[`${name}_finish`](result));
            } catch (error) {
                reject(error);
            }
        }));
    };
}

function assertEqual(found, expected, what) {
    if (found !== expected) throw new Error(`${what} is ${found}, not ${expected}`);
}

/** Returns the value of each property. */
function properties(object) {
    return object.constructor.list_properties().map(({name}) => `${name} ${object[name.replaceAll('-', '_')]}`).join(', ');
}

/** Programs should get these objects from the library. An object that a program creates with `new`
 * is empty. */
async function objectsThatAProgramMakesAreEmpty() {
    const offer = new Baton.Offer();
    assertEqual(offer.id, '', 'the id');
    for (const name of ['activity_type', 'title', 'device', 'device_name', 'application', 'team'])
        assertEqual(offer[`get_${name}`](), null, name);
    assertEqual(offer.has_streams || offer.has_webpage, false, 'what it has');
    properties(offer);
    Baton.Application.new('org.example.Misuse').cancel(offer);

    const continuation = new Baton.Continuation();
    properties(continuation);
    assertEqual(continuation.user_info.n_children(), 0, 'the count of values');
    assertEqual(continuation.activity_type, '', 'the type');
    for (const call of ['open_streams', 'load_document']) {
        let failure = null;
        await continuation[call]().catch(error => (failure = error));
        assertEqual(failure?.matches(Baton.Error, Baton.Error.NOT_FOUND), true, `that ${call} fails (${failure})`);
    }
    continuation.accept();
    new Baton.Continuation().decline('not now');

    const streams = new Baton.Streams();
    properties(streams);
    assertEqual(streams.get_input_stream(), null, 'the input');
    streams.give_up();
    streams.close(null);
    new Baton.Streams();
    System.gc();
}

/** Looks up values as the pages say: `value_get_date(user_info.lookup_value(key, null))`. */
function aKeyThatIsNotThereHasNoValue() {
    const info = new GLib.Variant('a{sv}', {});
    for (const kind of ['date', 'url', 'uuid', 'data'])
        assertEqual(Baton[`value_get_${kind}`](info.lookup_value('no', null)), null, kind);
    assertEqual(Baton.value_new_url('https://example.org/ä'), null, 'a URL');
    assertEqual(Baton.value_new_uuid('zz'), null, 'a UUID');
}

let status = 0;
(async () => {
    await objectsThatAProgramMakesAreEmpty();
    aKeyThatIsNotThereHasNoValue();
    print('well');
})().catch(error => {
    printerr(error, error.stack);
    status = 1;
}).finally(() => loop.quit());
loop.run();
System.exit(status);
