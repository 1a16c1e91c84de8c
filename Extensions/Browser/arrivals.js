// SPDX-License-Identifier: Apache-2.0

// Pages from other laptops that Baton opens in the default browser with its own command, because
// that brings the window to the front. The new tab with such a page then goes to the reader's place.

import { api } from "./api.js";
import { isSame, refusal } from "./address.js";
import { loaded, restore } from "./pages.js";

const PATIENCE = 120_000; // milliseconds for which a page is expected
const EARLY = 1_000; // milliseconds by which a tab may come before the message about it
const MAXIMUM = 8; // pages that are expected

// The expected pages: the address, the time of the message, and the function to call when a tab
// shows it, by the page's name.
const expected = new Map();
// When each new tab came. The browser's first tabs count as new for every expected page.
const fresh = new Map();
// The tab with each page whose place has been requested: the tab's id and the address, by the page's
// name.
const shown = new Map();

// Handles the start of the browser. It may have been started for a page. That page is in the front
// tab, and not in a restored one.
export async function begin() {
    const tabs = await api.tabs.query({});
    for (const tab of tabs.sort((one, other) => other.active - one.active)) came(tab, Infinity);
}

// Records that a page is on its way to this browser or to another one. take(page) is called once a
// tab here shows it.
export async function expect(page, address, take) {
    if (refusal(address)) return;
    if (expected.size >= MAXIMUM) expected.delete(expected.keys().next().value);
    keep(expected, page, { url: address, since: Date.now(), take });
    for (const id of fresh.keys()) await api.tabs.get(id).then(compare, () => null);
}

// Goes to the place in a page when the host has sent it.
export async function goTo(page, place) {
    const { id, url } = shown.get(page) ?? {};
    shown.delete(page);
    const tab = id !== undefined && await loaded(await withoutTwin(id, url));
    if (tab && isSame(tab.url, url)) await restore(tab, place);
}

function came(tab, time) {
    keep(fresh, tab.id, time);
    compare(tab);
}

function compare(tab) {
    if (tab.incognito) return;
    for (const [page, { url, since, take }] of expected) {
        if (!isSame(tab.url, url) || !(fresh.get(tab.id) > since - EARLY)) continue;
        expected.delete(page);
        keep(shown, page, { id: tab.id, url });
        return take(page);
    }
}

// If a page was open before, brings its old tab to the front and closes the new one. Returns the id
// of the tab that stays.
async function withoutTwin(id, url) {
    const tabs = await api.tabs.query({});
    const twin = tabs.find((tab) => isSame(tab.url, url) && tab.id !== id && !tab.incognito);
    if (!twin) return id;
    await api.tabs.update(twin.id, { active: true });
    await api.windows.update(twin.windowId, { focused: true }).catch(() => null);
    await api.tabs.remove(id).catch(() => null);
    return twin.id;
}

function keep(map, key, value) {
    map.set(key, value);
    setTimeout(() => map.get(key) === value && map.delete(key), PATIENCE);
}

api.tabs.onCreated.addListener((tab) => came(tab, Date.now()));
api.tabs.onUpdated.addListener((id, change, tab) => compare(tab));
api.tabs.onRemoved.addListener((id) => fresh.delete(id));
