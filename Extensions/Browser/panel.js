// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";

// The background knows all; this shows it, and says what was clicked.
const background = api.runtime.connect({ name: "panel" });
const element = (id) => document.getElementById(id);
let site = null;

function show(view) {
    element("consent").hidden = view.agreed;
    element("main").hidden = !view.agreed;
    showText("reason", view.reason);
    showText("news", view.news);
    element("offers").replaceChildren(...view.offers.map(item));
    element("none").hidden = view.offers.length > 0 || view.reason !== null;
    element("page").textContent = view.isOffered ? "This page is offered to your other laptops."
        : `Nothing is offered${view.pageReason ? `: ${view.pageReason}` : ""}.`;
    element("on").checked = view.on;
    element("closes").checked = view.closes;
    site = view.site?.name ?? null;
    element("site-row").hidden = site === null;
    element("site-name").textContent = site ?? "";
    element("site").checked = view.site?.on ?? false;
}

function showText(id, text) {
    element(id).hidden = !text;
    element(id).textContent = text ?? "";
}

function item({ offer, deviceName, title }) {
    const icon = document.createElement("img");
    icon.src = "icon.svg";
    icon.alt = "";
    const text = document.createElement("span");
    text.textContent = title ?? "A page";
    const from = document.createElement("small");
    from.textContent = `from ${deviceName}`;
    text.append(from);
    const button = document.createElement("button");
    button.dataset.offer = offer;
    button.append(icon, text);
    button.addEventListener("click", () => {
        button.disabled = true;
        background.postMessage({ type: "continue", offer });
    });
    const row = document.createElement("li");
    row.append(button);
    return row;
}

background.onMessage.addListener(show);
background.onDisconnect.addListener(() => showText("reason", "Open this panel again."));
element("agree").addEventListener("click", () => background.postMessage({ type: "agree" }));
for (const id of ["on", "closes"]) {
    element(id).addEventListener("change", ({ target }) => background.postMessage({ type: id, on: target.checked }));
}
element("site").addEventListener("change", ({ target }) => {
    background.postMessage({ type: "site", site, on: target.checked });
});
