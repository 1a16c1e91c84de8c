// SPDX-License-Identifier: Apache-2.0

// Pages of other laptops that Baton has the default browser open, by its own command, which brings
// the window to the front: the new tab that shows one goes to the place in it.

import { api } from "./api.js";
import { isSame, refusal } from "./address.js";
import { loaded, restore } from "./pages.js";

const PATIENCE = 120_000; // milliseconds that a page is expected
const EARLY = 1_000; // milliseconds that its tab may be here before the news of it
const MAXIMUM = 8; // pages that are expected

// What is expected: the address, since when, and what to do once a tab shows it, by the page's name.
const expected = new Map();
// When each new tab came; the browser's first ones are new for all that is expected.
const fresh = new Map();
// Where a page is whose place has been asked for: a tab's id and the address, by the page's name.
const shown = new Map();

// The browser has just started, perhaps for a page: that is in front, and what it restored is not.
export async function begin() {
    const tabs = await api.tabs.query({});
    for (const tab of tabs.sort((one, other) => other.active - one.active)) came(tab, Infinity);
}

// A page is on its way to this browser, or to another; take(page) is called once it is here.
export async function expect(page, address, take) {
    if (refusal(address)) return;
    if (expected.size >= MAXIMUM) expected.delete(expected.keys().next().value);
    keep(expected, page, { url: address, since: Date.now(), take });
    for (const id of fresh.keys()) await api.tabs.get(id).then(compare, () => null);
}

// The place in a page that was taken is known.
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

// A page that was open before comes to the front, and its new tab goes; gives the tab that stays.
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
