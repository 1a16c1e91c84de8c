// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";
import { isSame, pageBehind, refusal, siteOf } from "./address.js";
import { inPage } from "./place.js";
import { settings } from "./settings.js";

const LOADING = 10_000; // milliseconds that a page may take to load before its place is looked up
const READING = 2_000; // milliseconds that a page may take to return the reader's place
const LONGEST_TITLE = 1024; // UTF-16 units; the host keeps this number of bytes

// Returns whether a window of this browser has the focus.
export async function hasFocus() {
    const window = await api.windows.getLastFocused().catch(() => null);
    return window?.focused === true;
}

// Returns the front tab of the window that has the focus, or had it last; null if there is none. The tab's url
// is the address of the page, even if the tab shows it in one of the browser's own views.
export async function tabInFront() {
    const window = await api.windows.getLastFocused().catch(() => null);
    if (!window) return null;
    const [tab] = await api.tabs.query({ active: true, windowId: window.id });
    return tab ? { ...tab, url: pageBehind(tab.url) } : null;
}

// Returns the code of the reason why a tab's page is not offered; null if it is offered.
export function reasonAgainst(tab) {
    if (!settings.on) return "switched-off";
    if (tab.incognito) return "private-window";
    return reasonAgainstAddress(tab.url ?? "");
}

function reasonAgainstAddress(address) {
    return refusal(address) ?? (settings.sitesOff.includes(siteOf(address)) ? "site-off" : null);
}

// Returns the title, unless it is only the address, which browsers show for a page without a title.
// A page chooses the length of its title, and may leave half a character in it, which the host could
// not read. So the title is cut, and half characters are replaced.
export function titleOf(tab) {
    const plain = (address) => address.replace(/^\w+:\/\//, "").replace(/\/$/, "");
    if (!tab.title || plain(tab.title) === plain(tab.url)) return undefined;
    return tab.title.slice(0, LONGEST_TITLE).toWellFormed();
}

// Returns the reader's place in a tab's page, { url, place }, and as referrer the page that led
// there, if it may be told. Returns null if the page does not answer.
export async function placeIn(tab) {
    const reading = run(tab.id, { func: inPage, args: [null], injectImmediately: true });
    const limit = new Promise((done) => setTimeout(done, READING, null));
    const found = await Promise.race([reading, limit]);
    if (found && reasonAgainstAddress(found.referrer)) delete found.referrer;
    return found;
}

// Shows a page from another laptop, in the tab that already has it or in a new one. Returns the tab
// when its page is loaded; null if it does not load.
export async function open(url) {
    const tabs = await api.tabs.query({});
    const present = tabs.find((tab) => isSame(tab.url, url) && !tab.incognito);
    const tab = present
        ? await api.tabs.update(present.id, { active: true })
        : await api.tabs.create({ url, active: true });
    await api.windows.update(tab.windowId, { focused: true }).catch(() => null);
    return loaded(tab.id);
}

export async function restore(tab, place) {
    return run(tab.id, { func: inPage, args: [place] });
}

// Returns the tab when its page is loaded or its time is over; null if the tab is closed.
export async function loaded(tabId) {
    const end = Date.now() + LOADING;
    for (;;) {
        const tab = await api.tabs.get(tabId).catch(() => null);
        if (!tab || (tab.status === "complete" && tab.url !== "about:blank") || Date.now() > end) return tab;
        await new Promise((done) => setTimeout(done, 50));
    }
}

async function run(tabId, script) {
    const results = await api.scripting.executeScript({ target: { tabId }, ...script }).catch(() => []);
    return results[0]?.result ?? null;
}
