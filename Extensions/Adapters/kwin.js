// SPDX-License-Identifier: Apache-2.0
// A script in KWin that tells the adapters which window is in front (kwin.py). KWin 5.27 calls
// windows clients.
const activated = workspace.windowActivated || workspace.clientActivated;
let front = null;

function tell() {
    callDBus("org.batonproject.Adapter.Documents", "/org/batonproject/Adapters/Front",
             "org.batonproject.Adapters.Front", "Activated",
             String(front ? front.pid : 0), String(front ? front.caption : ""));
}

function came(window) {
    try {
        front.captionChanged.disconnect(tell);
    } catch (error) {
        // There was no window in front before, or that window has been closed.
    }
    front = window;
    if (front) {
        front.captionChanged.connect(tell);
    }
    tell();
}

activated.connect(came);
came(workspace.activeWindow || workspace.activeClient);
