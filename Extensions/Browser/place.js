// SPDX-License-Identifier: Apache-2.0

// Finds or restores the reader's place in a page. It runs in the page, in a world of its own that the
// page's scripts cannot see. The browser copies only this function's text, so it uses nothing outside of
// itself. It never reads what the reader has typed into the page. It never runs anything from a place, and
// only compares it as plain text.
//
// Without a place it returns the reader's place. With a place it goes there, and again while the page
// grows, until the reader does something.
export function inPage(wanted) {
    const TEXT = "p, li, h1, h2, h3, h4, h5, h6, pre, td, dd, dt, blockquote, figcaption";
    const OTHER = "div, section, article, [id]"; // blocks of text that contain no other block
    const WRITTEN = "form, input, textarea, select, output, [contenteditable], [role=textbox], [role=searchbox], [role=combobox]";
    const LIMIT = 15_000, ROUND = 200, CALM = 5; // milliseconds; rounds without a change
    const between = (number, most) => Math.min(Math.max(number, 0), most);

    // --- The visible part ---

    // Returns the element that scrolls, and its position in the window. It is the document, or an element
    // that fills the window and scrolls instead.
    function whatScrolls() {
        const root = document.scrollingElement ?? document.documentElement;
        if (root.scrollHeight - innerHeight < innerHeight / 5) {
            let box = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
            for (; box && box !== root; box = box.parentElement) {
                const { left, top } = box.getBoundingClientRect();
                if (box.clientHeight > innerHeight / 2 && box.scrollHeight > box.clientHeight + 1
                    && /auto|scroll/.test(getComputedStyle(box).overflowY)) {
                    return { box, left, top, width: box.clientWidth, height: box.clientHeight };
                }
            }
        }
        return { box: root, left: 0, top: 0, width: innerWidth, height: innerHeight };
    }

    // Returns whether an element stays in place while the rest scrolls, as a header does.
    function isPinned(element, box) {
        for (; element && element !== box; element = element.parentElement) {
            if (/fixed|sticky/.test(getComputedStyle(element).position)) return true;
        }
        return false;
    }

    // Returns where the visible part begins: below a header.
    function edge({ box, left, top, width, height }) {
        for (let y = top; y < top + height / 2; y += 4) {
            const element = document.elementFromPoint(left + width / 2, y + 1);
            if (element && !isPinned(element, box)) return y;
        }
        return top;
    }

    function range({ box, height }) {
        return Math.max(box.scrollHeight - height, 0);
    }

    // --- Reading the place -----

    function read() {
        const view = whatScrolls(), { box } = view;
        const place = {
            x: Math.max(box.scrollLeft, 0), y: Math.max(box.scrollTop, 0), height: box.scrollHeight,
            fraction: range(view) > 0 ? between(box.scrollTop / range(view), 1) : 0,
        };
        const from = edge(view), block = blockAtTop(view, from);
        if (block) {
            const frame = block.getBoundingClientRect();
            place.offset = frame.height > 0 ? between((from - frame.top) / frame.height, 1) : 0;
            Object.assign(place, nameOf(block));
        }
        const [medium] = largestFirst(media().filter((each) => !each.paused && !each.ended));
        if (medium && Number.isFinite(medium.currentTime)) {
            Object.assign(place, { mediaTime: medium.currentTime, medium: media().indexOf(medium) });
        }
        return { url: location.href, referrer: document.referrer, place };
    }

    // Returns the first visible block of text. If none is near, returns an element that fits into the
    // window and has text.
    function blockAtTop(view, from) {
        let container = null;
        for (let y = from + 1; y < view.top + view.height; y += 16) {
            if (container && y > from + view.height / 4) break;
            for (const share of [1 / 2, 1 / 3, 2 / 3]) {
                const block = blockAt(view, view.left + view.width * share, y);
                if (block && !block.querySelector(TEXT)) return block;
                if (block && block.getBoundingClientRect().height <= view.height) container ??= block;
            }
        }
        return container;
    }

    function blockAt({ box }, x, y) {
        const element = document.elementsFromPoint(x, y).find((each) => box.contains(each) && !isPinned(each, box));
        const block = element?.closest(TEXT) ?? element?.closest(OTHER);
        const isOne = block && block !== box && box.contains(block) && !mayBeWritten(block);
        return isOne && Object.keys(nameOf(block)).length ? block : null;
    }

    // Returns whether the reader may have typed the block's text.
    function mayBeWritten(block) {
        return document.designMode === "on" || block.isContentEditable || block.closest(WRITTEN) !== null
            || block.querySelector(WRITTEN) !== null;
    }

    function nameOf(block) {
        const name = {};
        if (block.id && block.id.length <= 60 && block.id.isWellFormed()) name.anchor = block.id;
        const text = cut(block.textContent.trim(), 200);
        if (text.length >= 8) name.text = text;
        return name;
    }

    // Cut off half a character at the end, because the host cannot read it.
    function cut(text, bytes) {
        let result = text.slice(0, bytes);
        while (new TextEncoder().encode(result).length > bytes || !result.isWellFormed()) result = result.slice(0, -1);
        return result;
    }

    // Returns the media elements in the page's order.
    function media() {
        return [...document.querySelectorAll("video, audio")];
    }

    function largestFirst(media) {
        const area = (medium) => medium.clientWidth * medium.clientHeight;
        return media.sort((one, other) => area(other) - area(one));
    }

    // --- Restoring the place ---

    async function go(place) {
        let hasActed = false;
        for (const event of ["wheel", "keydown", "pointerdown", "touchstart"]) {
            addEventListener(event, () => { hasActed = true; }, { once: true, passive: true, capture: true });
        }
        const end = performance.now() + LIMIT;
        let calm = 0, before = null, block = null, plays = false;
        const approach = () => {
            const view = whatScrolls(), { box } = view, isComplete = document.readyState === "complete";
            if (!isComplete || !block?.isConnected) block = find(place, view);
            const top = target(place, view, block);
            if (top !== null) box.scrollTo({ left: place.x ?? 0, top, behavior: "instant" });
            const now = `${box.scrollHeight} ${Math.round(box.scrollTop)}`;
            calm = now === before && isComplete ? calm + 1 : 0;
            before = now;
        };
        // A page that has stopped growing is not scrolled again, even if its medium is still missing.
        while ((calm < CALM || !plays) && !hasActed && performance.now() < end) {
            if (calm < CALM) approach();
            plays ||= play(place);
            await new Promise((done) => setTimeout(done, ROUND));
        }
    }

    function target(place, view, block) {
        if (place.y !== undefined && place.height === view.box.scrollHeight) return place.y;
        if (block) {
            const frame = block.getBoundingClientRect();
            return view.box.scrollTop + frame.top + (place.offset ?? 0) * frame.height - edge(view);
        }
        return place.fraction === undefined ? null : place.fraction * range(view);
    }

    // Finds the block that a place names. The id may belong to another block by now, and the text may occur
    // twice.
    function find({ anchor, text, y = 0, height }, view) {
        const begins = (element) => !text || element.textContent.trim().startsWith(text);
        const named = anchor ? document.getElementById(anchor) : null;
        if (named && begins(named)) return named;
        const all = text ? [...view.box.querySelectorAll(`${TEXT}, ${OTHER}`)].filter(begins) : [];
        // A block that contains another one comes right before it.
        const inner = all.filter((each, index) => !each.contains(all[index + 1] ?? null) && !isPinned(each, view.box));
        const wanted = height > 0 ? y / height * view.box.scrollHeight - view.box.scrollTop : 0;
        const distance = (element) => Math.abs(element.getBoundingClientRect().top - wanted);
        return inner.sort((one, other) => distance(one) - distance(other))[0] ?? named;
    }

    // Sets the playing time of a video or audio: the one that the place names, or else the largest one.
    // Returns false if there is none yet, because the page may get it later.
    function play({ mediaTime, medium: index }) {
        if (mediaTime === undefined) return true;
        const medium = index === undefined ? largestFirst(media())[0] : media()[index];
        if (!medium) return false;
        const seek = () => { medium.currentTime = mediaTime; };
        if (medium.readyState >= 1) seek();
        else medium.addEventListener("loadedmetadata", seek, { once: true });
        return true;
    }

    return wanted ? go(wanted) : read();
}
