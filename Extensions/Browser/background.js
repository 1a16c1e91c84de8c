// SPDX-License-Identifier: Apache-2.0

import { api, action } from "./api.js";
import { isSame, refusal, siteOf } from "./address.js";
import { Host } from "./host.js";
import * as arrivals from "./arrivals.js";
import { hasFocus, open, placeIn, reasonAgainst, restore, tabInFront, titleOf } from "./pages.js";
import { load, set, setSite, settings } from "./settings.js";
import { say, sentence } from "./texts.js";

// The tab whose page the host knows; null if there is none.
let shown = null;
// The state that the host has sent, for the panel.
const heard = { offers: [], icons: {}, reason: null, isOffered: false, pageReason: null, news: null };
// The open panels, each as a port.
const panels = new Set();
const host = new Host(receive, (reason) => {
    shown = null;
    // The host's last message may contain the reason for its end.
    const why = reason ?? heard.reason ?? say("hostEnded");
    Object.assign(heard, { offers: [], icons: {}, reason: why, isOffered: false, news: null });
    tellPanels();
});

// --- The page in front --------

const FOCUS_WATCH = 2_000; // milliseconds
const LOOK_PAUSE = 250; // milliseconds between two looks, because a page may change its title without end
let isLooking = false, looksAgain = false, hadFocus = false;

// Tells the host which page the user looks at. All changes during a call lead to one more call.
async function look() {
    if (isLooking) {
        looksAgain = true;
        return;
    }
    isLooking = true;
    looksAgain = false;
    // If a tab or window has gone meanwhile, another event reports that.
    await lookOnce().catch(console.warn);
    setTimeout(lookEnded, LOOK_PAUSE);
}

function lookEnded() {
    isLooking = false;
    if (looksAgain) look();
}

async function lookOnce() {
    await ready;
    if (!settings.agreed) return;
    host.open();
    hadFocus = await hasFocus();
    // A panel that pops up takes the focus from its own window.
    const hasPopUp = [...panels].some((panel) => !panel.sender.tab);
    const tab = hadFocus || hasPopUp ? await tabInFront() : null;
    const reason = tab && reasonAgainst(tab);
    const page = tab && !reason ? { type: "page", url: tab.url, title: titleOf(tab) } : { type: "away" };
    shown = page.type === "page" ? tab : null;
    heard.pageReason = reason && sentence(reason);
    host.send(page);
    tellPanels();
}

// Chromium does not always report that its windows have lost or got the focus.
async function watchFocus() {
    if (settings.agreed && await hasFocus() !== hadFocus) await look();
}

// --- Messages from the host ---

async function receive(message) {
    switch (message?.type) {
    case "hello": return look();
    case "page": Object.assign(heard, { isOffered: message.offered, pageReason: sentence(message.code, message.reason) ?? heard.pageReason }); break;
    case "offers":
        Object.assign(heard, { offers: listed(message.offers), icons: message.icons ?? {}, reason: message.reason ?? null });
        break;
    case "save": return save(message.id);
    case "open": return proceed(message);
    case "coming": return arrivals.expect(message.page, message.url, take);
    case "place": return arrivals.goTo(message.page, message.place);
    case "taken": await taken(message); break;
    case "continued": heard.news = null; break;
    case "failed": heard.news = sentence(message.code, message.reason); break;
    case "error": heard.reason = message.reason; break;
    }
    tellPanels();
}

function listed(offers) {
    return Array.isArray(offers) ? offers.filter((offer) => offer instanceof Object) : [];
}

async function save(id) {
    const tab = shown;
    if (!tab) return host.send({ type: "saved", id, url: "" });
    const found = await placeIn(tab);
    host.send({ type: "saved", id, url: found?.url ?? tab.url, place: found?.place, referrer: found?.referrer });
}

async function proceed({ id, url, place }) {
    const tab = refusal(url) ? null : await open(url).catch(() => null);
    host.send({ type: "opened", id, opened: tab !== null });
    if (tab) await restore(tab, place);
}

function take(page) {
    host.send({ type: "take", page });
}

async function taken({ url, deviceName }) {
    heard.news = say("pageMoved", deviceName);
    if (!settings.closes || !shown || !isSame(shown.url, url)) return;
    await api.tabs.remove(shown.id).catch(() => null);
}

// --- The panel ---

async function view() {
    const tab = settings.agreed ? await tabInFront() : null;
    const site = tab && !tab.incognito ? siteOf(tab.url ?? "") : null;
    return {
        ...settings, ...heard,
        reason: heard.reason ?? (settings.agreed && !host.isOpen ? say("hostStarting") : null),
        site: site && { name: site, on: !settings.sitesOff.includes(site) },
    };
}

async function tellPanels() {
    const count = heard.offers.length;
    action.setBadgeText({ text: count ? String(count) : "" });
    if (!panels.size) return;
    const message = await view();
    for (const panel of panels) panel.postMessage(message);
}

async function obey(wish) {
    await ready;
    switch (wish.type) {
    case "agree": await set({ agreed: true }); break;
    case "on": await set({ on: wish.on === true }); break;
    case "closes": await set({ closes: wish.on === true }); break;
    case "site": await setSite(String(wish.site), wish.on === true); break;
    case "continue":
        heard.news = say("onItsWay");
        host.send({ type: "continue", offer: wish.offer });
        return tellPanels();
    }
    await look();
    await tellPanels();
}

api.runtime.onConnect.addListener((panel) => {
    const { id, url } = panel.sender ?? {};
    if (id !== api.runtime.id || url?.split(/[?#]/)[0] !== api.runtime.getURL("panel.html")) return panel.disconnect();
    panels.add(panel);
    panel.onMessage.addListener(obey);
    panel.onDisconnect.addListener(() => {
        panels.delete(panel);
        look();
    });
    ready.then(tellPanels);
});

// --- The browser ---

const ready = load();
api.tabs.onActivated.addListener(look);
api.tabs.onUpdated.addListener((id, change, tab) => {
    if (tab.active && (change.url || change.title || change.status)) look();
});
api.tabs.onRemoved.addListener(look);
api.windows.onFocusChanged.addListener(look);
setInterval(watchFocus, FOCUS_WATCH);
// These events wake a background that sleeps.
api.runtime.onStartup.addListener(look);
api.runtime.onInstalled.addListener(look);
// An extension that Chromium loads from a directory is installed again at each start.
api.runtime.onStartup.addListener(arrivals.begin);
api.runtime.onInstalled.addListener(arrivals.begin);
look();
