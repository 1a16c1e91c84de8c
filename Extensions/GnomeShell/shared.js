// SPDX-License-Identifier: GPL-2.0-or-later
// Baton in GNOME Shell: a toggle in Quick Settings, and an icon in the top bar while there is an offer.
// It follows org.batonproject.Baton1.Panel and Offers, and never starts the daemon. The entry for each version of the shell hands over
// the shell's own modules, because their addresses differ.

import Gettext from 'gettext';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Pango from 'gi://Pango';
import Shell from 'gi://Shell';

const {gettext: _} = Gettext.domain('baton');

const NAME = 'org.batonproject.Baton';
const PATH = '/org/batonproject/Baton';
const PANEL = `${NAME}1.Panel`;
const OFFERS = `${NAME}1.Offers`;
const RULES = `${NAME}1.Rules`;
const PROPERTIES = 'org.freedesktop.DBus.Properties';
// Baton's window, which is in a package of its own.
const WINDOW = 'org.batonproject.BatonWindow.desktop';
const ICON = 'org.batonproject.Baton';
const SYMBOLIC_ICON = `${ICON}-symbolic`;
const WEB_PAGE_ICON = `${ICON}.WebPage`;
// The longest title, and the longest name of a laptop or an app, in characters.
const MAXIMUM_TITLE = 80;
const MAXIMUM_NAME = 63;
// The longest reason that the daemon gives, in characters.
const MAXIMUM_REASON = 240;
// The number of offers that fit into the menu on a small screen.
const MAXIMUM_ROWS = 8;
// The longest activation token that is handed over, in characters.
const MAXIMUM_TOKEN = 1024;
// No pause lasts longer, in seconds.
const WEEK = 7 * 86400;
const DAY = 86400;
// The timeout of a call, in milliseconds: none, because the daemon has its own limits.
const NO_LIMIT = GLib.MAXINT32;

/**
 * Returns one short line of a text that may come from another laptop. The line has no invisible
 * characters, and none that change the direction of writing. The shell's labels show it unchanged,
 * without markup.
 *
 * @param {*} text the text; everything else counts as empty
 * @param {number} limit how many characters it has at most
 * @param {RegExp} hidden the characters that are left out
 * @returns {string}
 */
export function plain(text, limit, hidden = /\p{C}/gu) {
    if (typeof text !== 'string')
        return '';
    // Read only the beginning of a text that is far too long.
    const shown = Array.from(text.slice(0, 4 * limit).replace(/\s+/gu, ' ').replace(hidden, '').trim());
    return shown.length <= limit ? shown.join('') : `${shown.slice(0, limit - 1).join('').trimEnd()}…`;
}

/** Replaces each placeholder of a sentence, such as {laptop}, with its value, which keeps its own direction of writing. */
function fill(sentence, values) {
    return sentence.replace(/\{(\w+)\}/g, (place, name) => name in values ? `\u2068${values[name]}\u2069` : place);
}

/** Returns the sentence about the offer that a click continues. An offer may lack a title, or the laptop's name. */
function sentence(kind, hasTitle, hasLaptop) {
    if (!hasLaptop)
        return hasTitle ? _('Continue “{title}” from another laptop') : _('Continue what is open on another laptop');
    switch (kind) {
    case 'page':
        return hasTitle ? _('Continue the web page “{title}” from “{laptop}”') : _('Continue the web page from “{laptop}”');
    case 'org.batonproject.Adapter.Documents':
    case 'org.batonproject.Adapter.Office':
        return hasTitle ? _('Continue the document “{title}” from “{laptop}”') : _('Continue the document from “{laptop}”');
    case 'org.batonproject.Adapter.Editors':
        return hasTitle ? _('Continue the text “{title}” from “{laptop}”') : _('Continue the text from “{laptop}”');
    case 'org.batonproject.Adapter.Media':
        return hasTitle ? _('Continue the music or video “{title}” from “{laptop}”') : _('Continue the music or video from “{laptop}”');
    default:
        return hasTitle ? _('Continue “{title}” from “{laptop}” in {app}') : _('Continue from “{laptop}” in {app}');
    }
}

/** When a pause ends by itself; empty if the user must end it. */
function clock(seconds) {
    const left = seconds - Date.now() / 1000;
    if (!(left > 0 && left <= WEEK))
        return '';
    const moment = GLib.DateTime.new_from_unix_local(seconds);
    const time = moment.format('%H:%M');
    return left < DAY ? time : fill(_('{day}, {time}'), {day: moment.format('%A'), time});
}

/** The daemon's sentence about its state. The daemon isolates names in its sentences. */
function daemonSentence(reason) {
    return plain(reason, MAXIMUM_REASON, /[^\P{C}\u2068\u2069]/gu);
}

/** The sentence that the menu shows while there is no offer. */
function stateSentence({State: state, Reason: reason, PausedUntil: until}) {
    switch (state) {
    case undefined:
        return _('Baton is not running.');
    case 'starting':
        return _('Baton is starting.');
    case 'running':
        return _('Nothing to continue now. Open something on another laptop that is near.');
    case 'paused': {
        const time = clock(Number(until));
        return time ? fill(_('Baton is paused until {time}.'), {time}) : _('Baton is paused.');
    }
    case 'no-circle':
        // Another laptop may have removed this one, which only the reason says.
        return daemonSentence(reason) || _('Baton does not know another laptop yet. Add your other laptop.');
    case 'no-radio':
        return _('Other laptops cannot find this one. Turn Bluetooth on.');
    case 'unusable':
        return _('Baton cannot use its keys, so it does nothing.');
    default:
        return daemonSentence(reason) || _('Baton does not work now.');
    }
}

/** The daemon on the session bus, if it runs. */
class Daemon {
    constructor(changed) {
        this._changed = changed;
        this._cancellable = new Gio.Cancellable();
        this._owner = null;
        this._subscriptions = [];
        this._opening = new Set();
        this._reported = null; // the offers that signals were about since the list was requested
        this.values = {};
        this.offers = new Map();
        // Without the flag AUTO_START, this call does not start the daemon.
        this._watch = Gio.bus_watch_name(Gio.BusType.SESSION, NAME, Gio.BusNameWatcherFlags.NONE,
            (bus, name, owner) => this._came(owner), () => this._went());
    }

    destroy() {
        Gio.bus_unwatch_name(this._watch);
        this._cancellable.cancel();
        this._changed = () => {};
        this._went();
    }

    _came(owner) {
        this._went();
        this._owner = owner;
        const bus = Gio.DBus.session;
        for (const [face, heard] of [
            [PROPERTIES, (signal, [face_, values]) => this._propertiesChanged(face_, values)],
            [OFFERS, (signal, [offer]) => this._offerChanged(signal, offer)],
        ]) {
            this._subscriptions.push(bus.signal_subscribe(owner, face, null, PATH, null, Gio.DBusSignalFlags.NONE,
                (bus_, sender, path, face_, signal, values) => heard(signal, values.recursiveUnpack())));
        }
        this._call(PROPERTIES, 'GetAll', new GLib.Variant('(s)', [PANEL]), ([values]) => this._propertiesChanged(PANEL, values));
        // The daemon may send a signal between the moment at which it makes the list and the one at which it sends the list.
        const reported = this._reported = new Set();
        this._call(OFFERS, 'List', null, ([offers]) => {
            for (const offer of offers) {
                if (!reported.has(offer.offer))
                    this.offers.set(offer.offer, offer);
            }
            this._changed();
        }, () => (this._reported = null));
    }

    _went() {
        for (const subscription of this._subscriptions.splice(0))
            Gio.DBus.session.signal_unsubscribe(subscription);
        this._owner = null;
        this._opening.clear();
        this.values = {};
        this.offers = new Map();
        this._changed();
    }

    _propertiesChanged(face, values) {
        if (face !== PANEL)
            return;
        this.values = {...this.values, ...values};
        this._changed();
    }

    _offerChanged(signal, offer) {
        this._reported?.add(offer?.offer ?? offer);
        if (signal === 'Appeared' || signal === 'Changed')
            this.offers.set(offer.offer, offer);
        else if (signal === 'Disappeared')
            this.offers.delete(offer);
        else
            return;
        this._changed();
    }

    /** Continues an offer that is not being continued already. The daemon tells the user about failures. */
    open(offer, token) {
        if (this._opening.has(offer))
            return;
        this._opening.add(offer);
        const options = token ? {'activation-token': new GLib.Variant('s', token)} : {};
        this._call(OFFERS, 'Open', new GLib.Variant('(sa{sv})', [offer, options]), () => {}, () => this._opening.delete(offer));
    }

    /** Says that the user looks for offers. */
    look() {
        this._call(OFFERS, 'Look', null);
    }

    pause() {
        this._call(RULES, 'Pause', new GLib.Variant('(u)', [0]));
    }

    resume() {
        this._call(RULES, 'Resume', null);
    }

    /** Calls the daemon that runs now. A daemon that starts later would not know this daemon's offers. */
    _call(face, method, values, answered = () => {}, ended = () => {}) {
        const owner = this._owner;
        if (!owner)
            return;
        Gio.DBus.session.call(owner, PATH, face, method, values, null, Gio.DBusCallFlags.NO_AUTO_START, NO_LIMIT, this._cancellable,
            (bus, result) => {
                let answer = null;
                try {
                    answer = bus.call_finish(result);
                } catch (error) {
                    if (!this._cancellable.is_cancelled())
                        console.warn(`Baton: ${method}: ${plain(error.message, MAXIMUM_REASON)}`);
                }
                if (owner !== this._owner)
                    return;
                ended();
                if (answer)
                    answered(answer.recursiveUnpack());
            });
    }
}

/** Everything that the extension adds to the shell. `destroy` removes all of this again. */
export class Baton {
    /**
     * @param {object} shell the shell's modules Main, PopupMenu and QuickSettings, and `show(indicator)`, which puts an indicator into the panel
     */
    constructor({Main, PopupMenu, QuickSettings, show}) {
        this._main = Main;
        this._popupMenu = PopupMenu;
        this._rows = new Map();

        this._indicator = new QuickSettings.SystemIndicator();
        this._icon = this._indicator._addIndicator();
        this._icon.icon_name = SYMBOLIC_ICON;
        this._icon.visible = false;

        this._toggle = new QuickSettings.QuickMenuToggle({icon_name: SYMBOLIC_ICON});
        // GNOME 43 has no title yet.
        this._toggle['title' in this._toggle ? 'title' : 'label'] = 'Baton';
        this._toggle.connect('clicked', () => this._toggled());
        this._fillMenu();
        this._indicator.quickSettingsItems.push(this._toggle);
        show(this._indicator);

        this._apps = Shell.AppSystem.get_default();
        this._appsHandler = this._apps.connect('installed-changed', () => this._sync());
        this._daemon = new Daemon(() => this._sync());
        this._sync();
    }

    destroy() {
        this._daemon.destroy();
        this._apps.disconnect(this._appsHandler);
        // The toggle does not destroy its menu, which would keep listening to the shell.
        this._toggle.menu.destroy();
        this._toggle.destroy();
        this._indicator.destroy();
    }

    _fillMenu() {
        const {menu} = this._toggle;
        menu.setHeader(SYMBOLIC_ICON, 'Baton');
        menu.connect('open-state-changed', (menu_, isOpen) => {
            if (isOpen)
                this._daemon.look();
        });
        this._offerSection = new this._popupMenu.PopupMenuSection();
        menu.addMenuItem(this._offerSection);
        // The label can have the focus, so that a screen reader reads it.
        this._state = new this._popupMenu.PopupMenuItem('', {activate: false});
        wrap(this._state.label);
        menu.addMenuItem(this._state);
        this._separator = new this._popupMenu.PopupSeparatorMenuItem();
        menu.addMenuItem(this._separator);
        this._window = menu.addAction(_('Open Baton'), () => this._openWindow());
    }

    /** Shows the daemon's state. */
    _sync() {
        if (!this._daemon)
            return;
        const {values} = this._daemon;
        const offers = this._offers();
        this._toggle.checked = ['starting', 'running', 'no-radio'].includes(values.State);
        this._syncRows(offers);
        this._state.visible = !offers.length;
        this._state.label.text = stateSentence(values);
        this._icon.visible = offers.length > 0;
        this._icon.accessible_name = offers.length ? _('Baton has something to continue') : '';
        this._window.visible = !!this._apps.lookup_app(WINDOW);
        this._separator.visible = this._window.visible;
    }

    /** The offers that a click can continue, oldest first, so that none moves under the pointer when another one comes. */
    _offers() {
        const {values, offers} = this._daemon;
        if (values.State === undefined || values.State === 'paused')
            return [];
        return [...offers.values()].filter(offer => !offer.hidden && (offer.application || offer.webpage)).slice(0, MAXIMUM_ROWS);
    }

    _syncRows(offers) {
        const ids = new Set(offers.map(offer => offer.offer));
        for (const [id, row] of this._rows) {
            if (!ids.has(id)) {
                row.destroy();
                this._rows.delete(id);
            }
        }
        for (const offer of offers) {
            let row = this._rows.get(offer.offer);
            if (!row) {
                row = new this._popupMenu.PopupImageMenuItem('', WEB_PAGE_ICON);
                wrap(row.label);
                row.connect('activate', () => this._open(offer.offer));
                this._offerSection.addMenuItem(row);
                this._rows.set(offer.offer, row);
            }
            const {icon, text} = this._describe(offer);
            row.setIcon(icon);
            if (row.label.text !== text)
                row.label.text = text;
        }
    }

    /** The icon and the sentence of an offer. */
    _describe({application, deviceName, title}) {
        const app = application ? this._apps.lookup_app(`${application}.desktop`) : null;
        const values = {
            laptop: plain(deviceName, MAXIMUM_NAME),
            app: plain(app?.get_name(), MAXIMUM_NAME) || plain(application, MAXIMUM_NAME),
            title: plain(title, MAXIMUM_TITLE),
        };
        const icon = application ? app?.get_icon() ?? ICON : WEB_PAGE_ICON;
        const text = fill(sentence(application || 'page', values.title !== '', values.laptop !== ''), values);
        return {icon, text};
    }

    _open(id) {
        const offer = this._daemon.offers.get(id);
        if (!offer)
            return;
        this._close();
        const info = offer.application
            ? this._apps.lookup_app(`${offer.application}.desktop`)?.get_app_info()
            : Gio.AppInfo.get_default_for_uri_scheme('https');
        this._daemon.open(id, activationToken(info));
    }

    _toggled() {
        if (this._daemon.values.State === 'paused')
            this._daemon.resume();
        else if (this._toggle.checked)
            this._daemon.pause();
        else
            this._toggle.menu.open();
    }

    _openWindow() {
        this._close();
        this._apps.lookup_app(WINDOW)?.activate();
    }

    _close() {
        this._main.overview.hide();
        this._main.panel.closeQuickSettings();
    }
}

/** Lets a label have several lines, and cuts off everything outside of them. */
function wrap(label) {
    label.clutter_text.line_wrap = true;
    label.clutter_text.line_wrap_mode = Pango.WrapMode.WORD_CHAR;
    label.clutter_text.ellipsize = Pango.EllipsizeMode.NONE;
    label.clip_to_allocation = true;
    label.x_expand = true;
}

/** The token with which an app may come to the front; empty if the shell gives none. */
function activationToken(info) {
    if (!info)
        return '';
    const token = global.create_app_launch_context(global.get_current_time(), -1).get_startup_notify_id(info, []) ?? '';
    return token.length <= MAXIMUM_TOKEN ? token : '';
}
