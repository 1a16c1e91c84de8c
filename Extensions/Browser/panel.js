// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";
import { fillIn, say } from "./texts.js";

// The background has the state. The panel shows it and sends the user's clicks.
const background = api.runtime.connect({ name: "panel" });
const element = (id) => document.getElementById(id);
let site = null;
let offered = ""; // what the list shows
fillIn(document);

function show(view) {
    element("consent").hidden = view.agreed;
    element("main").hidden = !view.agreed;
    showText("reason", view.reason);
    showText("news", view.news);
    showOffers(view);
    element("none").hidden = view.offers.length > 0 || view.reason !== null;
    // Hide the heading if a reason explains why there are no offers. A heading above an empty
    // list would promise some.
    element("elsewhere").hidden = view.offers.length === 0 && view.reason !== null;
    element("page").textContent = whatIsOffered(view);
    element("on").checked = view.on;
    element("closes").checked = view.closes;
    site = view.site?.name ?? null;
    element("site-row").hidden = site === null;
    element("site-text").textContent = site === null ? "" : say("offerSite", site);
    element("site").checked = view.site?.on ?? false;
}

function whatIsOffered({ isOffered, pageReason }) {
    if (isOffered) return say("pageOffered");
    return pageReason ? say("nothingOfferedBecause", pageReason) : say("nothingOffered");
}

// Screen readers speak a changed element only if it existed before, without content.
function showText(id, text) {
    if (element(id).textContent !== (text ?? "")) element(id).textContent = text ?? "";
}

// The list is built again only when it changes, so that the keyboard focus stays on its offer.
function showOffers({ offers, icons }) {
    const now = JSON.stringify([offers, icons]);
    if (now === offered) return;
    offered = now;
    const focused = document.activeElement?.dataset.offer;
    element("offers").replaceChildren(...offers.map((offer) => item(offer, icons)));
    const again = [...element("offers").querySelectorAll("button")].find((button) => button.dataset.offer === focused);
    if (focused !== undefined) again?.focus();
}

function item({ offer, deviceName, title, application, applicationName }, icons) {
    const icon = document.createElement("img");
    icon.src = icons[application] ?? (applicationName ? "icon.svg" : "page.svg");
    icon.alt = "";
    icon.addEventListener("error", () => icon.src = "icon.svg", { once: true });
    // The text has its own writing direction, but begins at the side where the panel's lines begin.
    const name = document.createElement("bdi");
    name.textContent = title ?? applicationName ?? say("page");
    const from = document.createElement("small");
    from.textContent = title && applicationName ? say("fromAppOnLaptop", applicationName, deviceName) : say("fromLaptop", deviceName);
    const text = document.createElement("span");
    text.append(name, from);
    const button = document.createElement("button");
    button.dataset.offer = offer;
    button.append(icon, text);
    button.addEventListener("click", () => background.postMessage({ type: "continue", offer }));
    const row = document.createElement("li");
    row.append(button);
    return row;
}

background.onMessage.addListener(show);
background.onDisconnect.addListener(() => showText("reason", say("reopenPanel")));
element("agree").addEventListener("click", () => background.postMessage({ type: "agree" }));
for (const id of ["on", "closes"]) {
    element(id).addEventListener("change", ({ target }) => background.postMessage({ type: id, on: target.checked }));
}
element("site").addEventListener("change", ({ target }) => {
    background.postMessage({ type: "site", site, on: target.checked });
});
