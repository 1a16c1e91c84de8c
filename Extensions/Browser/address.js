// SPDX-License-Identifier: Apache-2.0

// The rules for pages that may go from laptop to laptop. The host and the adapters have the same rules
// (WebAddress.swift, addresses.py). Browsers do not know this computer's own names, but the host does.

export const MAXIMUM_LENGTH = 8192; // bytes of an address, as sent

// Names of this computer in the /etc/hosts of distributions.
const LOOPBACK = [
    "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6", "localhost6.localdomain6",
    "ip6-localhost", "ip6-loopback",
];

function isThisMachine(host) {
    const name = host.replace(/\.$/, "");
    return LOOPBACK.includes(name) || name.endsWith(".localhost") || /^(127|0)(\.\d+){3}$/.test(name)
        || /^\[::(1|(ffff:)?(7f[\da-f]{2}|0):[\da-f]+)?\]$/.test(name);
}

// The browsers' own views of a page: Firefox's reader, which has the address as a parameter, and the source
// view.
const READER = "about:reader?";
const SOURCE = "view-source:";

// Returns the address of the page in a tab, even if the tab shows it in one of the browser's own views.
export function pageBehind(address) {
    if (address?.startsWith(SOURCE)) return address.slice(SOURCE.length);
    if (address?.startsWith(READER)) return new URLSearchParams(address.slice(READER.length)).get("url") ?? address;
    return address;
}

// Returns the code of the reason why an address is not handed over; null if it may be handed over.
export function refusal(address) {
    let url;
    try {
        url = new URL(address);
    } catch {
        return "address-unclear";
    }
    if (!["http:", "https:"].includes(url.protocol)) return "not-web";
    if (url.username || url.password) return "user-in-address";
    if (isThisMachine(url.hostname)) return "this-computer";
    return new TextEncoder().encode(url.href).length > MAXIMUM_LENGTH ? "address-too-long" : null;
}

// Returns an address in the characters that the host accepts. Browsers leave other characters in addresses.
export function encoded(address) {
    const [rest, ...fragment] = address.replace(/%(?![\da-f]{2})/gi, "%25").split("#");
    return [rest, ...fragment.length ? [fragment.join("%23")] : []].join("#")
        .replace(/["<>\\^`{|}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

// Returns whether two addresses are the same page, one from a tab and one from the host.
export function isSame(one, other) {
    const plain = (address) => encoded(URL.canParse(address) ? new URL(address).href : "");
    return plain(one) === plain(other) && plain(one) !== "";
}

// Returns the site that the switch in the panel is about; null if the address is not a page.
export function siteOf(address) {
    try {
        const url = new URL(address);
        return ["http:", "https:"].includes(url.protocol) ? url.hostname : null;
    } catch {
        return null;
    }
}
