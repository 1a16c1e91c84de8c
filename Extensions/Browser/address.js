// SPDX-License-Identifier: Apache-2.0

// Which pages may go from laptop to laptop; the host and the adapters have the same rules once more
// (WebAddress.swift, addresses.py). Browsers do not tell this computer's own names: the host knows them.

export const MAXIMUM_LENGTH = 8192; // bytes of an address, as on the wire

// What distributions' /etc/hosts call this computer.
const LOOPBACK = [
    "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6", "localhost6.localdomain6",
    "ip6-localhost", "ip6-loopback",
];

function isThisMachine(host) {
    const name = host.replace(/\.$/, "");
    return LOOPBACK.includes(name) || name.endsWith(".localhost") || /^(127|0)(\.\d+){3}$/.test(name)
        || /^\[::(1|(ffff:)?(7f[\da-f]{2}|0):[\da-f]+)?\]$/.test(name);
}

// The browsers' own views of a page: Firefox's reader, which has the address as a parameter, and the source.
const READER = "about:reader?";
const SOURCE = "view-source:";

// The address of the page that a tab shows, be it in a view of the browser's own.
export function pageBehind(address) {
    if (address?.startsWith(SOURCE)) return address.slice(SOURCE.length);
    if (address?.startsWith(READER)) return new URLSearchParams(address.slice(READER.length)).get("url") ?? address;
    return address;
}

// Why an address is not handed over; null for one that is.
export function refusal(address) {
    let url;
    try {
        url = new URL(address);
    } catch {
        return "the page's address cannot be read";
    }
    if (!["http:", "https:"].includes(url.protocol)) return "only pages of http and https are handed over";
    if (url.username || url.password) return "the page's address has a user name or a password in it";
    if (isThisMachine(url.hostname)) return "the page is this computer's own";
    if (new TextEncoder().encode(url.href).length > MAXIMUM_LENGTH) {
        return `the page's address has more than ${MAXIMUM_LENGTH} bytes`;
    }
    return null;
}

// An address in the characters that the host leaves in it; browsers leave more.
export function encoded(address) {
    const [rest, ...fragment] = address.replace(/%(?![\da-f]{2})/gi, "%25").split("#");
    return [rest, ...fragment.length ? [fragment.join("%23")] : []].join("#")
        .replace(/["<>\\^`{|}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

// Whether two addresses are the same page, one of a tab and one that has been at the host.
export function isSame(one, other) {
    const plain = (address) => encoded(URL.canParse(address) ? new URL(address).href : "");
    return plain(one) === plain(other) && plain(one) !== "";
}

// What the switch for a site is about; null for what is no page.
export function siteOf(address) {
    try {
        const url = new URL(address);
        return ["http:", "https:"].includes(url.protocol) ? url.hostname : null;
    } catch {
        return null;
    }
}
