// SPDX-License-Identifier: Apache-2.0

import * as drafts from "./drafts.js";
import { Host } from "./host.js";
import * as messages from "./messages.js";
import { load } from "./settings.js";

const LOOK_PAUSE = 250; // milliseconds between two looks
const PATIENCE = 3_000; // milliseconds that Thunderbird may take to say what it shows
const LONGEST_TITLE = 500; // characters
const host = new Host(receive, () => look());
let isLooking = false, looksAgain = false;
let reading = null; // the tab that last showed a message

// --- What is in front

// Tells the adapters what the user writes or reads. All changes during a call lead to one more call.
async function look() {
    if (isLooking) {
        looksAgain = true;
        return;
    }
    isLooking = true;
    looksAgain = false;
    await lookOnce().catch(console.warn);
    setTimeout(() => {
        isLooking = false;
        if (looksAgain) look();
    }, LOOK_PAUSE);
}

async function lookOnce() {
    await ready;
    host.open();
    const tab = await tabInFront();
    // While another program is in front, the last message stays offered.
    if (tab) host.send({ state: await inTime(stateOf(tab)) });
}

// Returns a value, or null if it does not come in time. Thunderbird may never finish displaying a
// damaged message.
function inTime(value) {
    return Promise.race([value, new Promise((resolve) => setTimeout(resolve, PATIENCE, null))]);
}

async function tabInFront() {
    const windows = await messenger.windows.getAll({ populate: true });
    return windows.find(({ focused }) => focused)?.tabs?.find(({ active }) => active);
}

async function stateOf(tab) {
    const isDraft = tab.type === "messageCompose";
    const state = isDraft ? await drafts.stateOf(tab.id) : await messages.stateOf(await displayed(tab));
    if (state && !isDraft) reading = tab.id;
    return state && { ...state, title: state.title.slice(0, LONGEST_TITLE) };
}

// Returns the one message that a tab shows, or null.
async function displayed({ id, type }) {
    if (!["mail", "messageDisplay"].includes(type)) return null;
    const shown = await messenger.messageDisplay.getDisplayedMessages(id).catch(() => null);
    const list = Array.isArray(shown) ? shown : shown?.messages ?? [];
    return list.length === 1 ? list[0] : null;
}

// --- Messages from the adapters

async function receive(message) {
    if (Number.isInteger(message?.ask)) return answer(message);
    if (typeof message?.open !== "string") return;
    try {
        host.send(await opened(message));
    } catch (error) {
        console.warn(error);
        host.send({ failed: message.open, why: String(error.message ?? error).slice(0, LONGEST_TITLE) });
    }
}

// Answers with the message that was asked for, which need not be in front any more.
async function answer(message) {
    const found = { answer: message.ask, state: null };
    try {
        const tab = await messenger.tabs.get(message.draft ? drafts.tabOf(message.draft) : reading);
        found.state = await stateOf(tab);
        if (found.state) found.sent = await contents(tab, message, found.state);
    } catch (error) {
        console.warn(error);
    }
    host.send(found);
}

// Writes the contents of the message that `state` is about. Returns whether they were written. The
// user may have opened another message meanwhile, which may be encrypted, so the message is judged
// again.
async function contents(tab, message, state) {
    if (tab.type === "messageCompose") return drafts.write(tab.id, host, message);
    const end = Date.now() + message.within;
    const shown = await displayed(tab);
    if (shown?.headerMessageId !== state.message || !await messages.stateOf(shown)) return false;
    const file = await messages.fileOf(shown, message.limit);
    if (!file) return false;
    await host.write(message.data, file, () => Date.now() < end);
    return true;
}

async function opened(message) {
    const ticket = message.open;
    if (message.message) return await messages.show(message.message) ? { opened: ticket, notes: [] } : { missing: ticket };
    if (message.copy) {
        await messages.showCopy(await host.readAll(message.copy, message.limit));
        return { opened: ticket, notes: [] };
    }
    return { opened: ticket, notes: await drafts.open(host, message) };
}

// --- Thunderbird

const sent = new Set(); // tabs whose message was sent
const ready = load();
messenger.composeScripts.register({ js: [{ file: "caret.js" }] });
messenger.windows.onFocusChanged.addListener(look);
messenger.tabs.onActivated.addListener(look);
messenger.compose.onComposeStateChanged.addListener(look);
messenger.messageDisplay.onMessagesDisplayed.addListener(look);
messenger.mailTabs.onSelectedMessagesChanged.addListener(look); // also for a message that cannot be displayed
messenger.compose.onAfterSend.addListener(({ id }, { mode, error }) => {
    if (!error && ["sendNow", "sendLater"].includes(mode)) sent.add(id);
});
messenger.tabs.onRemoved.addListener((tab) => {
    const draft = drafts.forget(tab);
    if (draft) host.send({ ended: draft, sent: sent.delete(tab) });
    look();
});
look();
