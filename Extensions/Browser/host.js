// SPDX-License-Identifier: Apache-2.0

import { api } from "./api.js";
import { say } from "./texts.js";

const NAME = "org.batonproject.browser_host";
export const VERSION = 1; // version of the messages
const FIRST_PAUSE = 500, LONGEST_PAUSE = 60_000; // milliseconds
const LONG_LIFE = 60_000; // milliseconds; if the host ran longer, its end is not a sign of a fault

// The connection to the program on this computer that talks to Baton's daemon. The open port keeps the background
// alive. When the port closes, it is opened again after a pause that grows.
export class Host {
    #port = null;
    #pause = FIRST_PAUSE;
    #timer = null;
    #began = 0;
    #receive;
    #lost;

    // receive(message) is called for each message of the host. lost(reason) is called when the
    // host has gone, with the reason if the browser knows one.
    constructor(receive, lost) {
        this.#receive = receive;
        this.#lost = lost;
    }

    get isOpen() {
        return this.#port !== null;
    }

    open() {
        if (this.#port || this.#timer !== null) return;
        const port = api.runtime.connectNative(NAME);
        this.#port = port;
        this.#began = Date.now();
        port.onMessage.addListener(this.#receive);
        port.onDisconnect.addListener(() => this.#hasGone(port.error ?? api.runtime.lastError));
        this.send({ type: "hello", version: VERSION });
    }

    // A message is lost while no host runs. When the host answers hello, the background sends
    // its state again.
    send(message) {
        this.#port?.postMessage(message);
    }

    #hasGone(error) {
        this.#port = null;
        if (Date.now() - this.#began > LONG_LIFE) this.#pause = FIRST_PAUSE;
        this.#timer = setTimeout(() => {
            this.#timer = null;
            this.open();
        }, this.#pause);
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
        this.#lost(reasonOf(error?.message ?? ""));
    }
}

function reasonOf(message) {
    if (/not found|no such native application/i.test(message)) {
        return say("hostMissing");
    }
    if (/forbidden|not allowed/i.test(message)) {
        return say("hostForbidden");
    }
    return null;
}
