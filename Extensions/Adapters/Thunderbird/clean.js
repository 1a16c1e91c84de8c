// SPDX-License-Identifier: Apache-2.0

// HTML from another laptop. Only known elements and attributes get into the editor, so that nothing runs, and nothing
// is loaded from the network. Thunderbird itself would load the pictures of a new message.

const ELEMENTS = new Set((
    "a abbr address b big blockquote br caption center cite code col colgroup dd del dfn div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins kbd "
    + "li ol p pre q s samp small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var").split(" "));
// The elements that are removed with everything in them.
const GONE = new Set((
    "applet audio base canvas embed frame frameset head iframe link math meta noembed noframes noscript object picture script source style svg "
    + "template textarea title track video xmp").split(" "));
const ATTRIBUTES = new Set((
    "align alt border cellpadding cellspacing cite class color cols colspan dir face height href lang rowspan size span start style type valign "
    + "width").split(" "));
const LINKS = /^(https?|mailto):/i;
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[a-z0-9+/=\s]*$/i;
const STYLE = /^[-\w\s#%.,;:()"'!]*$/; // no backslash, so that nothing is hidden by escapes
const LOADING = /url|image|src|expression|behavior|binding|@|position/i;
const MOST = 100_000; // nodes

// Returns the HTML of a body, and whether something was left out.
export function cleaned(html) {
    // A document of this kind runs and loads nothing.
    const source = new DOMParser().parseFromString(html, "text/html");
    const target = document.implementation.createHTMLDocument("");
    const state = { left: MOST, isCut: false };
    copy(source.body, target.body, state, 0);
    return { html: target.body.innerHTML, isCut: state.isCut };
}

const DEEPEST = 200;

function copy(from, to, state, depth) {
    for (const node of from.childNodes) {
        if (--state.left < 0 || depth > DEEPEST) {
            state.isCut = true;
            return;
        }
        if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
        else if (node.nodeType === Node.ELEMENT_NODE) copyElement(node, to, state, depth);
    }
}

function copyElement(element, to, state, depth) {
    const name = element.localName;
    if (GONE.has(name)) {
        state.isCut = true;
        return;
    }
    if (name === "img" && !PICTURE.test(element.getAttribute("src") ?? "")) {
        state.isCut = true;
        to.append(element.getAttribute("alt") ?? "");
        return;
    }
    const isKnown = ELEMENTS.has(name) && element.namespaceURI === "http://www.w3.org/1999/xhtml";
    const kept = isKnown ? to.appendChild(to.ownerDocument.createElement(name)) : to;
    if (isKnown) {
        for (const { name: key, value } of element.attributes) if (isHarmless(key, value)) kept.setAttribute(key, value);
        if (name === "img") kept.setAttribute("src", element.getAttribute("src"));
    }
    copy(element, kept, state, depth + 1);
}

function isHarmless(key, value) {
    if (!ATTRIBUTES.has(key)) return false;
    if (key === "href" || key === "cite") return LINKS.test(value);
    return key !== "style" || STYLE.test(value) && !LOADING.test(value);
}
