// SPDX-License-Identifier: Apache-2.0
// A note that you can continue on your other laptop, in GJS with libbaton: gjs -m notes.js
//
// Reads commands from standard input: type TEXT, move N, show, continue, quit.

import Baton from 'gi://Baton?version=1';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

Gio._promisify(Baton.Activity.prototype, 'flush_async');
Gio._promisify(Baton.Offers.prototype, 'continue_async');
Gio._promisify(Gio.DataInputStream.prototype, 'read_line_async', 'read_line_finish_utf8');

const TYPE = 'org.example.notes.edit';
const MAXIMUM_BYTES = 32768; // half of what an activity may carry
const DIVIDER = '\n\n--- What was here before: ---\n';

const tell = error => print(`error: ${error.message}`);
const bytes = text => new TextEncoder().encode(text).length;

class Notes {
    constructor() {
        this.text = []; // in Unicode characters, because every language can count those
        this.cursor = 0;
        this.asked = null; // the text that was last asked for
        this.gone = null; // the text that was continued elsewhere since, which must not be kept here
        this.wantsOffer = false; // `continue` waits for an offer
        this.activity = Baton.Activity.new(TYPE);
        this.activity.connect('save', () => this.save());
        this.activity.connect('continued', () => this.wentOn());
        this.activity.connect('failed', (_, error) => tell(error));
        this.offers = Baton.Offers.new(TYPE);
        this.offers.connect('items-changed', () => this.wantsOffer && this.continue().catch(tell));
    }

    get note() {
        return this.text.join('');
    }

    show() {
        print(`note ${this.cursor}: ${this.note.replaceAll('\n', '\\n')}`);
    }

    // --- Offering the note

    changed() {
        this.show();
        this.activity.needs_save = true;
        this.activity.become_current();
    }

    save() {
        this.asked = this.note;
        this.activity.title = this.text.slice(0, 60).join('').split('\n')[0] || 'A note';
        this.activity.user_info = new GLib.Variant('a{sv}', {
            text: GLib.Variant.new_string(this.asked), cursor: GLib.Variant.new_int64(this.cursor),
        });
    }

    wentOn() {
        // The note on this laptop is offered again when the user types.
        this.activity.resign_current();
        this.gone = this.asked;
        print('it continues on another laptop');
    }

    // --- Continuing a note

    /** Takes a received note after checking it, because another laptop may send anything. */
    take(info) {
        const {text, cursor} = info.recursiveUnpack();
        if (typeof text !== 'string' || !Number.isInteger(cursor) || bytes(text) > MAXIMUM_BYTES) throw new Error('that is no note');
        const mine = this.note, isKept = ![text, this.gone, ''].includes(mine);
        const both = isKept ? text + DIVIDER + mine : text;
        if (bytes(both) > MAXIMUM_BYTES) throw new Error('both notes are too long for one: continue this one elsewhere first');
        this.gone = null;
        this.text = [...both];
        this.cursor = Math.min(Math.max(cursor, 0), [...text].length);
        return isKept;
    }

    async continue() {
        const offer = this.offers.get_item(0);
        this.wantsOffer = offer === null;
        if (offer === null) return;
        const continuation = await this.offers.continue_async(offer, null);
        try {
            const isKept = this.take(continuation.user_info);
            print(`continued from ${continuation.device_name}`);
            if (isKept) print('what was here before stands below it');
            this.changed();
            // After the change, because the other laptop may want the note back at once.
            continuation.accept();
        } catch (error) {
            continuation.decline(null);
            throw error;
        }
    }

    // --- The user

    type(text) {
        if (bytes(this.note) + bytes(text) > MAXIMUM_BYTES) throw new Error('the note is full');
        const typed = [...text];
        this.text.splice(this.cursor, 0, ...typed);
        this.cursor += typed.length;
        this.changed();
    }

    move(where) {
        const position = Number(where);
        if (!Number.isInteger(position)) throw new Error('move where? A number');
        this.cursor = Math.min(Math.max(position, 0), this.text.length);
        this.changed();
    }

    async perform(line) {
        const [, command, , argument] = line.match(/^(\S*)( (.*))?$/s);
        if (command === 'type' && argument) this.type(argument);
        else if (command === 'move' && argument) this.move(argument);
        else if (command === 'continue') await this.continue();
        else if (command === 'show') {
            // A note that is shown can be continued, so wait until the daemon has it.
            await this.activity.flush_async(null);
            this.show();
        } else if (command) throw new Error(`there is no command "${command}"`);
    }
}

const notes = new Notes();
const loop = new GLib.MainLoop(null, false);
const input = new Gio.DataInputStream({base_stream: new Gio.UnixInputStream({fd: 0, close_fd: false})});

async function readCommands() {
    for (;;) {
        const [line] = await input.read_line_async(GLib.PRIORITY_DEFAULT, null);
        if (line === null || line === 'quit') return;
        // Do not wait for the result, so that the user can type while an activity is fetched.
        notes.perform(line).catch(tell);
    }
}

readCommands().catch(tell).finally(() => loop.quit());
loop.run();
