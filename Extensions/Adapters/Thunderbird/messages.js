// SPDX-License-Identifier: Apache-2.0

import { settings } from "./settings.js";

const MOST_FOUND = 10; // messages with the same Message-ID that are looked at
const PATIENCE = 5_000; // milliseconds for the search in all folders
const ENCRYPTED = /^(multipart\/encrypted|application\/(x-)?pkcs7-mime)\b/i;
const ARMOUR = "-----BEGIN PGP MESSAGE-----";

// Returns the description of a message that is being read; null for a message that is not handed over.
export async function stateOf(message) {
    if (!message || !message.headerMessageId || !settings.encrypted && await isEncrypted(message.id)) return null;
    return { kind: "message", message: message.headerMessageId, title: message.subject ?? "" };
}

// Returns the file with a message; null if it is too large.
export async function fileOf(message, limit) {
    return message.size > limit ? null : messenger.messages.getRaw(message.id, { data_format: "File" });
}

// Returns whether a message is encrypted. A message that cannot be examined counts as encrypted.
export async function isEncrypted(id) {
    try {
        const found = await messenger.messages.getFull(id, { decrypt: false });
        return !["none", undefined].includes(found.decryptionStatus) || hasSecret(found);
    } catch {
        return true;
    }
}

function hasSecret(part) {
    const type = part.headers?.["content-type"]?.[0] ?? part.contentType ?? "";
    return ENCRYPTED.test(type) || ENCRYPTED.test(part.contentType ?? "") || (part.body ?? "").includes(ARMOUR)
        || (part.parts ?? []).some(hasSecret);
}

// Shows the message with a Message-ID, if an account here has it. Returns whether an account has it.
export async function show(headerMessageId) {
    const found = await find(headerMessageId);
    if (!found) return false;
    await messenger.messageDisplay.open({ messageId: found.id, location: "tab", active: true });
    return true;
}

// Shows a copy of a message.
export async function showCopy(blob) {
    const file = new File([blob], "message.eml", { type: "message/rfc822" });
    await messenger.messageDisplay.open({ file, location: "tab", active: true });
}

// Returns the message with a Message-ID, or null. Messages in the trash and in junk folders come last.
export async function find(headerMessageId) {
    const search = messenger.messages.query({ headerMessageId, messagesPerPage: MOST_FOUND }).catch(() => null);
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, null));
    const found = (await Promise.race([search, late]))?.messages ?? [];
    return found.sort((one, other) => isAside(one) - isAside(other))[0] ?? null;
}

function isAside({ folder, junk }) {
    return Number(Boolean(junk) || ["trash", "junk"].some((use) => folder?.specialUse?.includes(use) || folder?.type === use));
}
