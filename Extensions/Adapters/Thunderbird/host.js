// SPDX-License-Identifier: Apache-2.0

const NAME = "org.batonproject.mail_host";
const VERSION = 1; // of the protocol (Documentation/Mail.md)
const FIRST_PAUSE = 500, LONGEST_PAUSE = 60_000; // milliseconds until the host is started again
const LONG_LIFE = 60_000; // milliseconds; if the host ran longer, its end is not a sign of a fault
const SOON = 10_000; // milliseconds between two starts that the user's doing causes
const OUT = 1_572_864, IN = 393_216; // bytes of a file in a message; Thunderbird accepts 1 MiB

// The connection to the adapters on this laptop, through a program that Thunderbird starts.
export class Host {
    #port = null;
    #pause = FIRST_PAUSE;
    #timer = null;
    #began = 0;
    #last = 0;
    #waiting = new Map(); // by number: what to call with the answer about a file
    #receive;
    #connected;

    // receive(message) is called for each message of the adapters, connected() after each start of the host.
    constructor(receive, connected) {
        this.#receive = receive;
        this.#connected = connected;
    }

    // Starts the host unless it runs. Tries again repeatedly if there is no socket yet.
    open() {
        if (this.#port) return;
        if (this.#timer !== null && Date.now() - this.#began < SOON) return;
        clearTimeout(this.#timer);
        this.#timer = null;
        const port = messenger.runtime.connectNative(NAME);
        this.#port = port;
        this.#began = Date.now();
        port.onMessage.addListener((message) => this.#heard(message));
        port.onDisconnect.addListener(() => this.#hasGone());
        this.send({ version: VERSION, mail: "Thunderbird" });
        this.#connected();
    }

    // A message is lost while no host runs.
    send(message) {
        this.#port?.postMessage(message);
    }

    // Appends a blob to a file of this name, piece by piece, while isInTime().
    async write(name, blob, isInTime = () => true) {
        let written = Promise.resolve();
        for (let at = 0; at < blob.size || at === 0; at += OUT) {
            const data = await encoded(blob.slice(at, at + OUT)); // while the host writes the piece before
            await written;
            if (!isInTime()) throw new Error("it takes too long");
            written = this.#ask({ file: name, data });
        }
        await written;
    }

    // Reads bytes of a file of this name.
    async read(name, from, size) {
        const pieces = [];
        for (let at = from; at < from + size; at += IN) {
            const wanted = Math.min(IN, from + size - at);
            const piece = await decoded((await this.#ask({ file: name, from: at, size: wanted })).data);
            if (piece.size !== wanted) throw new Error("a file is too short");
            pieces.push(piece);
        }
        return new Blob(pieces);
    }

    // Reads a whole file that has at most the given number of bytes.
    async readAll(name, most) {
        const { size } = await this.#ask({ file: name, from: 0, size: 0 });
        if (!(size <= most)) throw new Error("a file is too large");
        return this.read(name, 0, size);
    }

    #ask(message) {
        return new Promise((resolve, reject) => {
            if (!this.#port) return reject(new Error("there is no host"));
            const number = ++this.#last;
            this.#waiting.set(number, { resolve, reject });
            this.#port.postMessage({ ...message, number });
        });
    }

    #heard(message) {
        const waiting = this.#waiting.get(message?.number);
        if (!waiting) return this.#receive(message);
        this.#waiting.delete(message.number);
        if (message.failed) waiting.reject(new Error(message.failed));
        else waiting.resolve(message);
    }

    #hasGone() {
        this.#port = null;
        for (const { reject } of this.#waiting.values()) reject(new Error("the host has ended"));
        this.#waiting.clear();
        if (Date.now() - this.#began > LONG_LIFE) this.#pause = FIRST_PAUSE;
        this.#timer = setTimeout(() => {
            this.#timer = null;
            this.open();
        }, this.#pause);
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    }
}

function encoded(blob) {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(blob);
    });
}

// Thunderbird's own decoder is many times faster than one in JavaScript.
async function decoded(text) {
    return (await fetch(`data:application/octet-stream;base64,${text}`)).blob();
}
