// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";

// The user's settings, which the browser keeps. Without the user's agreement no page is
// read.
const UNSAID = { agreed: false, on: true, closes: false, sitesOff: [] };

export const settings = { ...UNSAID };

export async function load() {
    Object.assign(settings, UNSAID, await api.storage.local.get(UNSAID));
}

export async function set(change) {
    Object.assign(settings, change);
    await api.storage.local.set(change);
}

export async function setSite(site, on) {
    const others = settings.sitesOff.filter((each) => each !== site);
    await set({ sitesOff: on ? others : [...others, site] });
}
