// SPDX-License-Identifier: Apache-2.0
// A sender for the streams of GJS.md, on the session bus. "patient" ends its output only after it was told that the activity was continued
// elsewhere. "broken" sends half of it, and gives up. It prints on which side the text has arrived.

import Baton from 'gi://Baton?version=1';
import GLib from 'gi://GLib';
import Gio from 'gi://Gio';
import System from 'system';

Gio._promisify(Gio.IOStream.prototype, 'close_async');

const [how, text] = ARGV;
const loop = new GLib.MainLoop(null, false);
const activity = new Baton.Activity({activity_type: 'org.example.book.read', supports_continuation_streams: true});
const continued = new Promise(resolve => activity.connect('continued', resolve));

async function send(streams) {
    streams.get_output_stream().write_all(text.slice(0, text.length / 2), null);
    if (how === 'broken') {
        streams.give_up();
        return 'given up';
    }
    await continued;
    streams.get_output_stream().write_all(text.slice(text.length / 2), null);
    await streams.close_async(GLib.PRIORITY_DEFAULT, null);
    return 'arrived';
}

activity.connect('streams', (_, streams) => send(streams).catch(error => error.message).then(print).finally(() => loop.quit()));
activity.become_current();
loop.run();
System.exit(0);
