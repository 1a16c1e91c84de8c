// SPDX-License-Identifier: Apache-2.0
// Runs the extension for Thunderbird with a messenger of the test: gjs -m messenger.js EXTENSION SHOWN. SHOWN has what
// Thunderbird shows at each question, in JSON; the last one stays. Asks the extension for the contents, and prints its
// messages to the host.

const [directory, shown] = ARGV;
const steps = JSON.parse(shown), said = [], heard = [];
const isDraft = "isPlainText" in steps[0];
const tab = { id: 1, active: true, type: isDraft ? "messageCompose" : "mail" };
let wake = () => {};

function show() {
    return steps.length > 1 ? steps.shift() : steps[0];
}

const port = {
    onMessage: { addListener: (listener) => heard.push(listener) },
    onDisconnect: { addListener() {} },
    postMessage(message) {
        said.push(message);
        wake();
        if ("number" in message) Promise.resolve().then(() => tell({ number: message.number }));
    },
};
const functions = {
    "storage.local.get": (values) => values,
    "runtime.connectNative": () => port,
    "windows.getAll": async () => [{ focused: true, tabs: [tab] }],
    "tabs.get": async () => tab,
    "messageDisplay.getDisplayedMessages": async () => [show()],
    "messages.getFull": async (id) => ({ contentType: id === "secret" ? "multipart/encrypted" : "text/plain" }),
    "messages.getRaw": async (id) => new Blob([id]),
    "compose.getComposeDetails": async () => show(),
    "compose.listAttachments": async () => [],
};

function part(name) {
    return new Proxy(() => undefined, {
        get: (_, key) => part(name ? `${name}.${key}` : key),
        apply: (_, self, words) => functions[name]?.(...words),
    });
}

function tell(message) {
    for (const listener of heard) listener(message);
}

// Returns the first message that has a key.
async function until(key) {
    while (!said.some((message) => key in message)) await new Promise((resolve) => wake = resolve);
    return said.find((message) => key in message);
}

Object.assign(globalThis, {
    messenger: part(""),
    Blob: class {
        constructor([contents]) {
            Object.assign(this, { contents, size: contents.length });
        }

        slice() {
            return this;
        }
    },
    FileReader: class {
        readAsDataURL({ contents }) {
            this.result = `data:,${contents}`;
            this.onload();
        }
    },
    crypto: { getRandomValues: (bytes) => bytes, subtle: { digest: async () => new ArrayBuffer(4) } },
});
await import(`file://${directory}/background.js`);
const { state } = await until("state");
tell({ ask: 1, draft: state.draft ?? null, text: "text", data: "data", limit: 1000, within: 10_000 });
await until("answer");
print(JSON.stringify(said));
