// SPDX-License-Identifier: Apache-2.0

import { cleaned } from "./clean.js";
import { find, isEncrypted } from "./messages.js";
import { settings } from "./settings.js";

const RECIPIENTS = ["to", "cc", "bcc", "replyTo"];
const TRIES = 40, PAUSE = 50; // until the editor of a new window listens, in milliseconds
const MOST_TEXT = 32 * 1024 * 1024; // bytes of a draft without its attachments

// The messages that are being written, by tab: their ids, and how they looked when they last went from laptop to
// laptop.
const known = new Map();

// A promise that is settled while no window is being opened for a draft from another laptop.
let opening = Promise.resolve();

export function idOf(tab) {
    if (!known.has(tab)) known.set(tab, { id: newID(), mark: null });
    return known.get(tab).id;
}

// Forgets the draft in a tab that has gone. Returns its id; undefined if it was no draft.
export function forget(tab) {
    const id = known.get(tab)?.id;
    known.delete(tab);
    return id;
}

export function tabOf(id) {
    return [...known].find(([, each]) => each.id === id)?.[0];
}

function newID() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Returns the description of the draft in a tab; null for a draft that is not handed over.
export async function stateOf(tab) {
    // Thunderbird reports a new window before the draft's id is known for its tab.
    if (!known.has(tab)) await opening;
    const details = await messenger.compose.getComposeDetails(tab);
    if (await stays(details)) return null;
    return { kind: "draft", draft: idOf(tab), title: details.subject };
}

async function stays(details) {
    return !settings.encrypted && isSecret(details);
}

// Returns whether a draft will be encrypted, or answers an encrypted message, which a reply quotes.
async function isSecret({ selectedEncryptionTechnology: chosen, relatedMessageId: related }) {
    return Boolean(chosen?.encryptBody) || typeof related === "number" && await isEncrypted(related);
}

// --- Offers

// Writes a draft to two files for the adapters: the details, and the attachments one after the other. Attachments that
// are too large, or come too late, stay on this laptop. Returns false if the draft must not leave any more, for example
// because it is encrypted now.
export async function write(tab, host, { text, data, limit, within }) {
    const end = Date.now() + within;
    const details = await messenger.compose.getComposeDetails(tab);
    if (await stays(details)) return false;
    const found = {
        ...Object.fromEntries(RECIPIENTS.map((key) => [key, addresses(details[key])])),
        subject: details.subject, isPlain: details.isPlainText, body: details.isPlainText ? details.plainTextBody : details.body,
        from: (await identity(details.identityId))?.email ?? "", caret: await ask(tab, { type: "caret" }, 1), related: await related(details),
        attachments: [], isCut: false,
    };
    let left = limit;
    for (const attachment of await messenger.compose.listAttachments(tab)) {
        const file = attachment.size > left ? null : await messenger.compose.getAttachmentFile(attachment.id).catch(() => null);
        if (!file || file.size > left) {
            found.isCut = true;
            continue;
        }
        try {
            if (file.size) await host.write(data, file, () => Date.now() < end);
        } catch (error) {
            console.warn(error);
            found.isCut = true;
            break; // the adapters' file has a part of it, so no other one can follow
        }
        found.attachments.push({ name: attachment.name, type: file.type, size: file.size });
        left -= file.size;
    }
    await host.write(text, new Blob([JSON.stringify(found)]));
    known.get(tab).mark = await markOf(tab);
    return !await stays(await messenger.compose.getComposeDetails(tab));
}

function addresses(given) {
    return [given ?? []].flat().filter((each) => typeof each === "string");
}

async function identity(id) {
    return id ? messenger.identities.get(id).catch(() => null) : null;
}

// The Message-ID of the message that this one answers.
async function related({ type, relatedMessageId }) {
    const isReply = type === "reply" && typeof relatedMessageId === "number";
    return isReply ? (await messenger.messages.get(relatedMessageId).catch(() => null))?.headerMessageId ?? null : null;
}

// Returns how a draft looks now.
async function markOf(tab) {
    const details = await messenger.compose.getComposeDetails(tab);
    const attachments = await messenger.compose.listAttachments(tab);
    const kept = [...RECIPIENTS.map((key) => details[key]), details.subject, details.isPlainText ? details.plainTextBody : details.body,
        attachments.map(({ name, size }) => [name, size])];
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(kept)));
    return new Uint8Array(digest).join();
}

// --- Arrivals

// Opens a draft from another laptop in a window. Returns notes for the user, as codes.
export async function open(host, { text, data, draft: id }) {
    const draft = JSON.parse(await (await host.readAll(text, MOST_TEXT)).text());
    const files = [];
    let at = 0;
    for (const { name, type, size } of draft.attachments) {
        files.push({ name, file: new File([await host.read(data, at, size)], name, { type }) });
        at += size;
    }
    const { html, isCut } = draft.isPlain ? {} : cleaned(draft.body);
    const mine = await identityWith(draft.from);
    const details = {
        ...Object.fromEntries(RECIPIENTS.map((key) => [key, draft[key]])), subject: draft.subject,
        isPlainText: draft.isPlain, ...draft.isPlain ? { plainTextBody: draft.body } : { body: html }, ...mine && { identityId: mine.id },
    };
    const opened = windowFor(id, draft, details, files);
    opening = Promise.allSettled([opening, opened]).then(() => {});
    const { tab, isBeside } = await opened;
    if (draft.caret !== null) await ask(tab, { type: "go", place: draft.caret }, TRIES);
    known.get(tab).mark = await markOf(tab);
    return [isCut && "pictures", draft.from && !mine && "identity", isBeside && "beside"].filter(Boolean);
}

// Uses the window that has the draft, if nothing was changed there since it went to the other laptop. Otherwise opens a
// new window. Sets the id of the draft in the window's tab.
async function windowFor(id, draft, details, files) {
    const here = tabOf(id);
    if (here !== undefined && known.get(here).mark === await markOf(here)) {
        await messenger.compose.setComposeDetails(here, details);
        for (const { id: old } of await messenger.compose.listAttachments(here)) await messenger.compose.removeAttachment(here, old);
        for (const file of files) await messenger.compose.addAttachment(here, file);
        await messenger.windows.update((await messenger.tabs.get(here)).windowId, { focused: true });
        known.set(here, { id, mark: null });
        return { tab: here, isBeside: false };
    }
    const answered = draft.related ? await find(draft.related) : null;
    const everything = files.length ? { ...details, attachments: files } : details;
    const opened = answered ? await messenger.compose.beginReply(answered.id, "replyToSender", everything)
        : await messenger.compose.beginNew(everything);
    known.set(opened.id, { id, mark: null });
    return { tab: opened.id, isBeside: here !== undefined };
}

async function identityWith(address) {
    const wanted = address.toLowerCase();
    return wanted ? (await messenger.identities.list()).find(({ email }) => email?.toLowerCase() === wanted) ?? null : null;
}

// Asks the script in the editor of a tab, which may still be loading.
async function ask(tab, message, tries) {
    for (let count = 0; count < tries; count++) {
        try {
            return await messenger.tabs.sendMessage(tab, message) ?? null;
        } catch {
            await new Promise((resolve) => setTimeout(resolve, PAUSE));
        }
    }
    return null;
}
