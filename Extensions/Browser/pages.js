// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";
import { isSame, pageBehind, refusal, siteOf } from "./address.js";
import { inPage } from "./place.js";
import { settings } from "./settings.js";

const LOADING = 10_000; // milliseconds that a page has before its place is looked for
const READING = 2_000; // milliseconds that a page has to say where its reader is
const LONGEST_TITLE = 1024; // UTF-16 units; the host keeps so many bytes

// Whether a window of this browser has the focus.
export async function hasFocus() {
    const window = await api.windows.getLastFocused().catch(() => null);
    return window?.focused === true;
}

// The tab of the window that has the focus, or had it last, whatever it shows; null without any. Its
// url is the page's, although the reader may see it in a view of the browser's own.
export async function tabInFront() {
    const window = await api.windows.getLastFocused().catch(() => null);
    if (!window) return null;
    const [tab] = await api.tabs.query({ active: true, windowId: window.id });
    return tab ? { ...tab, url: pageBehind(tab.url) } : null;
}

// Why a tab's page is not offered; null for one that is.
export function reasonAgainst(tab) {
    if (!settings.on) return "pages are not offered: the switch is off";
    if (tab.incognito) return "private windows are never handed over";
    return reasonAgainstAddress(tab.url ?? "");
}

function reasonAgainstAddress(address) {
    return refusal(address) ?? (settings.sitesOff.includes(siteOf(address)) ? "pages of this site are not offered" : null);
}

// The title, unless it is what browsers show for a page without one: its address. A page chooses how
// long it is, and may leave half a character in it, which the host would not read; no more bytes
// than these characters go on.
export function titleOf(tab) {
    const plain = (address) => address.replace(/^\w+:\/\//, "").replace(/\/$/, "");
    if (!tab.title || plain(tab.title) === plain(tab.url)) return undefined;
    return tab.title.slice(0, LONGEST_TITLE).toWellFormed();
}

// Where the reader of a tab's page is: { url, place }, and the page that led there as referrer, if
// it may be told; null when the page does not say.
export async function placeIn(tab) {
    const reading = run(tab.id, { func: inPage, args: [null], injectImmediately: true });
    const limit = new Promise((done) => setTimeout(done, READING, null));
    const found = await Promise.race([reading, limit]);
    if (found && reasonAgainstAddress(found.referrer)) delete found.referrer;
    return found;
}

// Shows a page that was read elsewhere, in the tab that has it already or in a new one; gives the
// tab once its page is there, and null when it does not come to be.
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

// The tab once its page is there, or has had its time; null when it is closed.
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
