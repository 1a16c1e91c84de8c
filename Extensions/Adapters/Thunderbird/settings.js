// SPDX-License-Identifier: Apache-2.0

// The user's settings, which Thunderbird keeps. Encrypted messages stay on this laptop unless the user says otherwise.
const UNSAID = { encrypted: false };

export const settings = { ...UNSAID };

export async function load() {
    Object.assign(settings, UNSAID, await messenger.storage.local.get(UNSAID));
}

export async function set(change) {
    Object.assign(settings, change);
    await messenger.storage.local.set(change);
}

// Another page of this extension has changed the settings.
messenger.storage.onChanged.addListener((changes) => {
    for (const [key, { newValue }] of Object.entries(changes)) if (key in UNSAID) settings[key] = newValue === true;
});
