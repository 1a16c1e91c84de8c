// SPDX-License-Identifier: Apache-2.0

// Runs in the editor of a message that is being written. Reports the caret's place, and moves the
// caret. A place is the number of characters before the caret, where a line break counts as one.
"use strict";

function* pieces() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.nodeType === Node.TEXT_NODE) yield { node, size: node.length };
        else if (node.localName === "br") yield { node, size: 1 };
    }
}

function caret() {
    const { focusNode, focusOffset } = getSelection();
    if (!focusNode || !document.body.contains(focusNode)) return null;
    const before = document.createRange();
    before.setStart(document.body, 0);
    before.setEnd(focusNode, focusOffset);
    let count = 0;
    for (const { node, size } of pieces()) {
        if (node === focusNode) return count + focusOffset;
        if (before.comparePoint(node.parentNode, [...node.parentNode.childNodes].indexOf(node)) > 0) break;
        if (node.nodeType !== Node.TEXT_NODE && node.parentNode === focusNode && [...focusNode.childNodes].indexOf(node) >= focusOffset) break;
        count += size;
    }
    return count;
}

function go(place) {
    let left = place;
    for (const { node, size } of pieces()) {
        if (left <= size && node.nodeType === Node.TEXT_NODE) return getSelection().collapse(node, left);
        if (left < size) return getSelection().collapse(node.parentNode, [...node.parentNode.childNodes].indexOf(node));
        left -= size;
    }
    getSelection().collapse(document.body, document.body.childNodes.length);
}

messenger.runtime.onMessage.addListener((message) => {
    if (message?.type === "caret") return Promise.resolve(caret());
    if (message?.type !== "go") return undefined;
    go(message.place);
    window.focus();
    document.body.focus();
    return Promise.resolve(true);
});
