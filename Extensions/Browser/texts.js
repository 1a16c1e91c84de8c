// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";

// The user's texts in the browser's language: _locales, made from po/ (Documentation/Translating.md).

export const isRightToLeft = api.i18n.getMessage("direction") === "rtl";

// The scripts that are written from right to left.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// The text with this name, with values for its placeholders. A value whose own direction of writing could move the words
// around it stands between isolates (Unicode Standard Annex 9).
export function say(name, ...places) {
    return api.i18n.getMessage(name, places.map((place) =>
        isRightToLeft || RIGHT_TO_LEFT.test(place) ? `\u2068${place}\u2069` : place));
}

// The names of the sentences for the codes of reasons, of this extension and of the host.
const REASONS = {
    "address-unclear": "reasonUnclear",
    "not-web": "reasonNotWeb",
    "user-in-address": "reasonUser",
    "this-computer": "reasonThisComputer",
    "address-too-long": "reasonTooLong",
    "switched-off": "reasonSwitchedOff",
    "private-window": "reasonPrivate",
    "site-off": "reasonSiteOff",
    "other-activity": "reasonOtherActivity",
    "under-way": "reasonUnderWay",
    "page-not-opened": "reasonNotOpened",
};

// Returns the sentence for a reason's code. For a code that is unknown here, returns the host's own words.
export function sentence(code, words) {
    return Object.hasOwn(REASONS, code) ? say(REASONS[code]) : words ?? null;
}

// Fills a page's texts in: each element names its own in data-text.
export function fillIn(page) {
    page.documentElement.lang = api.i18n.getMessage("language");
    page.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
    for (const element of page.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
}
