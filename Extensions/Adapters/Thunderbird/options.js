// SPDX-License-Identifier: Apache-2.0

import { load, set, settings } from "./settings.js";

document.documentElement.lang = messenger.i18n.getMessage("language");
for (const element of document.querySelectorAll("[data-text]")) element.textContent = messenger.i18n.getMessage(element.dataset.text);
const encrypted = document.getElementById("encrypted");
await load();
encrypted.checked = settings.encrypted;
encrypted.addEventListener("change", () => set({ encrypted: encrypted.checked }));
