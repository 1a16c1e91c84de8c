// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";

// The user's texts in the browser's language: _locales, made from po/ (Documentation/Translating.md).

export const isRightToLeft = api.i18n.getMessage("direction") === "rtl";

// The text with this name, with values in its places. In a text that is written from right to left, a name that is
// written from left to right moves nothing around it.
export function say(name, ...places) {
    return api.i18n.getMessage(name, places.map((place) => isRightToLeft ? `\u2068${place}\u2069` : place));
}

// The names of the sentences for reasons that the host and address.js give in the same words.
const REASONS = {
    "the page's address cannot be read": "reasonUnclear",
    "only pages of http and https are handed over": "reasonNotWeb",
    "the page's address has a user name or a password in it": "reasonUser",
    "the page is this computer's own": "reasonThisComputer",
    "the page's address has more than 8192 bytes": "reasonTooLong",
    "pages are not offered: the switch is off": "reasonSwitchedOff",
    "private windows are never handed over": "reasonPrivate",
    "pages of this site are not offered": "reasonSiteOff",
};

// Returns the sentence for a reason. For a reason that is unknown here, returns the host's own words.
export function sentence(reason) {
    return Object.hasOwn(REASONS, reason) ? say(REASONS[reason]) : reason;
}

// Fills a page's texts in: each element names its own in data-text.
export function fillIn(page) {
    page.documentElement.lang = api.i18n.getMessage("language");
    page.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
    for (const element of page.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
}
