// SPDX-License-Identifier: Apache-2.0

// Both functions run in the page, in a world of their own that its scripts do not see. Each stands
// alone: the browser carries over its text, and nothing around it.

// Where the reader of this page is. Nothing of forms is read.
export function readPlace() {
    const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, pre, td, dd, dt, blockquote, figcaption, [id]";
    const between = (number, most) => Math.min(Math.max(number, 0), most);
    const cut = (text, bytes) => {
        let result = text.slice(0, bytes);
        while (new TextEncoder().encode(result).length > bytes) result = result.slice(0, -1);
        return result;
    };

    function blockAtTop() {
        for (let y = 1; y < innerHeight; y += 16) {
            const block = document.elementFromPoint(innerWidth / 2, y)?.closest(BLOCKS);
            if (block && !block.closest("form, [contenteditable]") && !block.querySelector("form, [contenteditable]")
                && block.getBoundingClientRect().height < 10 * innerHeight) return block;
        }
        return null;
    }

    const root = document.scrollingElement ?? document.documentElement;
    const range = root.scrollHeight - innerHeight;
    const place = {
        x: Math.max(scrollX, 0), y: Math.max(scrollY, 0), height: root.scrollHeight,
        fraction: range > 0 ? between(scrollY / range, 1) : 0,
    };
    const block = blockAtTop();
    if (block) {
        const frame = block.getBoundingClientRect();
        place.offset = frame.height > 0 ? between(-frame.top / frame.height, 1) : 0;
        if (block.id && block.id.length <= 60) place.anchor = block.id;
        const text = cut(block.textContent.trim(), 200);
        if (text.length >= 8) place.text = text;
    }
    const area = (medium) => medium.clientWidth * medium.clientHeight;
    const [medium] = [...document.querySelectorAll("video, audio")].filter((each) => !each.paused && !each.ended)
        .sort((one, other) => area(other) - area(one));
    if (medium && Number.isFinite(medium.currentTime)) place.mediaTime = medium.currentTime;
    return { url: location.href, place };
}

// Goes to a place, and again while the page grows, until the reader does something. All of it is
// looked up as plain text: nothing is run, and no selector is made of it.
export async function restorePlace(place) {
    const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, pre, td, dd, dt, blockquote, figcaption, [id]";
    const LIMIT = 15_000, ROUND = 200, CALM = 5; // milliseconds; rounds without a change
    const root = document.scrollingElement ?? document.documentElement;

    function block() {
        if (place.anchor) {
            const element = document.getElementById(place.anchor);
            if (element) return element;
        }
        if (!place.text) return null;
        return [...document.querySelectorAll(BLOCKS)].find((each) => each.textContent.trim().startsWith(place.text));
    }

    function target() {
        if (place.y !== undefined && place.height === root.scrollHeight) return place.y;
        const element = block();
        if (element) {
            const frame = element.getBoundingClientRect();
            return scrollY + frame.top + (place.offset ?? 0) * frame.height;
        }
        return place.fraction === undefined ? null : place.fraction * Math.max(root.scrollHeight - innerHeight, 0);
    }

    function restoreMedia() {
        if (place.mediaTime === undefined) return;
        const area = (medium) => medium.clientWidth * medium.clientHeight;
        const [medium] = [...document.querySelectorAll("video, audio")].sort((one, other) => area(other) - area(one));
        if (!medium) return;
        const go = () => { medium.currentTime = place.mediaTime; };
        if (medium.readyState >= 1) go();
        else medium.addEventListener("loadedmetadata", go, { once: true });
    }

    let hasActed = false;
    for (const event of ["wheel", "keydown", "pointerdown", "touchstart"]) {
        addEventListener(event, () => { hasActed = true; }, { once: true, passive: true, capture: true });
    }
    restoreMedia();
    const end = performance.now() + LIMIT;
    for (let calm = 0, before = null; calm < CALM && !hasActed && performance.now() < end;) {
        const top = target();
        if (top !== null) scrollTo({ left: place.x ?? 0, top, behavior: "instant" });
        const now = `${root.scrollHeight} ${Math.round(scrollY)}`;
        calm = now === before && document.readyState === "complete" ? calm + 1 : 0;
        before = now;
        await new Promise((done) => setTimeout(done, ROUND));
    }
    return { x: scrollX, y: scrollY };
}
