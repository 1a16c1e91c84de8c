# SPDX-License-Identifier: Apache-2.0
"""Pages to read: a server on loopback, under a name that is not loopback's for the browsers."""

import http.server
import json
import threading
import time
import wave
from io import BytesIO

NAME = "page.test"
WORDS = "the difference engine is a machine that counts without being asked and never tires of it".split()


def line(number: int) -> str:
    """Returns a unique paragraph of one or many lines."""
    words = [WORDS[(number * 7 + index * (1 + number % 5)) % len(WORDS)] for index in range(20 + 13 * (number % 7))]
    return f'<p class="line" data-number="{number}">Paragraph {number}: {" ".join(words)}.</p>'


LINES = [line(number) for number in range(400)]
LONG = "".join(LINES)
# A page that arrives in ten parts, a fifth of a second apart.
GROWS = f"""<div id="text"></div><script>
const lines = {json.dumps(LINES)};
const timer = setInterval(() => {{
    for (const line of lines.splice(0, 40)) text.insertAdjacentHTML("beforeend", line);
    if (!lines.length) clearInterval(timer);
}}, 200);
</script>"""
FORM = f'<form><textarea style="width: 90vw; height: 95vh">a secret that is half written</textarea><p>{"a word on the form. " * 40}</p></form>' + LONG
# Readers also write outside of forms.
SECRET = "a secret that is half written"
TALL = 'style="display: block; width: 90vw; height: 250px"'
WRITTEN = f"""<textarea id="area" {TALL}>{SECRET}</textarea><output id="sum" {TALL}>{SECRET}</output>
<div id="box" role="textbox" {TALL}>{SECRET}</div><div id="rich" contenteditable {TALL}>{SECRET}</div>
<p>{SECRET} <textarea>{SECRET}</textarea></p>""" + LONG
DESIGNED = f'<p id="first">{SECRET}</p>' + LONG + "<script>document.designMode = 'on'</script>"
HEADER = '<header id="header" style="position: {position}; top: 0; left: 0; right: 0; height: 90px; background: white"><p id="banner">{text}</p></header>'
STICKY = HEADER.format(position="sticky", text="A header that stays") + LONG
FIXED = HEADER.format(position="fixed", text="A header that stays") + '<div style="height: 90px"></div>' + LONG
# An element that fills the document scrolls, not the document.
INNER = f'<style>html, body {{ margin: 0; height: 100%; overflow: hidden }}</style><main style="height: 100%; overflow-y: auto">{LONG}</main>'
# Elements with ids and wide gaps. The top of the window may be in a gap.
SECTIONS = "<style>p.line { margin: 90px 0 }</style>" + "".join(
    f'<section id="section{number}">{"".join(LINES[number:number + 20])}</section>' for number in range(0, 400, 20))
ITEMS = "<ul>" + "".join(f'<li class="line" data-number="{number}">{"An item that is there again and again. " * (number % 3 + 2)}</li>' for number in range(400)) + "</ul>"
DIVISIONS = "<div><div>" + LONG.replace("<p ", "<div style='margin: 1em' ").replace("</p>", "</div>") + "</div></div>"
# An id that another page uses for something else.
ELSEWHERE = '<p id="header">Something else has this id here.</p>' + LONG
# A page that changes the functions that an extension would call, if it called the page's own.
HOSTILE = LONG + """<audio controls></audio><script>
const refuse = () => { throw new Error("no"); };
Document.prototype.elementFromPoint = Element.prototype.closest = Document.prototype.querySelectorAll = refuse;
Array.prototype.filter = Array.prototype.sort = JSON.stringify = refuse;
for (const name of ["scrollX", "scrollY", "innerHeight"]) Object.defineProperty(window, name, { get: refuse });
</script>"""
# A page whose elements have the names of functions that scripts call.
TRAPS = "".join(f'<form name="{name}"><input name="closest"></form>' for name in ("scrollingElement", "elementFromPoint", "elementsFromPoint", "getElementById")) + LONG
# A title longer than any message, of characters that must not be cut in two.
ENDLESS = "x" + 100_000 * "\U0001f600"
TITLES = {"/untitled": "", "/name": "<title>name</title>", "/endless": f"<title>{ENDLESS}</title>"}
MEDIA = '<audio id="sound" src="/sound.wav" muted loop controls style="width: 300px"></audio>' + LONG
# A paused film is larger than the playing sound.
TWO = '<video id="film" src="/sound.wav" style="width: 600px; height: 300px"></video>' + MEDIA
# A script adds the player a moment after the reader's place was reached.
LATE = LONG + """<script>
addEventListener("scroll", () => setTimeout(() => {
    document.body.insertAdjacentHTML("beforeend", '<audio id="sound" src="/sound.wav" muted controls></audio>');
}, 1_500), { once: true });
</script>"""
# Each paragraph has an id.
NAMED = "".join(text.replace("<p ", f'<p id="a{number}" ', 1) for number, text in enumerate(LINES))
# Paragraphs with characters of four bytes in UTF-8.
FACES = "".join(f'<p class="line" data-number="{number}">Paragraph {number}: x {60 * (number % 7 + 1) * chr(0x1f600)}</p>'
                for number in range(400))
# A page that scrolls back to its beginning whenever it is scrolled, or gets longer.
FIGHTS = LONG + "<script>var rounds = 0; onscroll = () => { rounds++; scrollTo(0, 0); }</script>"
GROWING = LONG + """<script>
var rounds = 0; onscroll = () => { rounds++; document.body.insertAdjacentHTML("beforeend", "<p>More.</p>"); };
</script>"""
HANGS = LONG + """<script>
addEventListener("hang", () => setTimeout(() => { const end = Date.now() + 15_000; while (Date.now() < end); }, 500));
</script>"""
# The page tells the server where its reader is.
REPORTS = LONG + """<script>
const atTop = () => [...document.getElementsByClassName("line")].find((line) => line.getBoundingClientRect().bottom > 1)?.dataset.number;
addEventListener("scroll", () => fetch(`/at?${atTop()}`), { passive: true });
</script>"""
BODIES = {
    "/grows": GROWS, "/form": FORM, "/hangs": HANGS, "/hostile": HOSTILE, "/media": MEDIA, "/reports": REPORTS, "/written": WRITTEN, "/designed": DESIGNED,
    "/sticky": STICKY, "/fixed": FIXED, "/inner": INNER, "/sections": SECTIONS, "/items": ITEMS, "/divisions": DIVISIONS, "/elsewhere": ELSEWHERE, "/traps": TRAPS,
    "/two": TWO, "/late": LATE, "/named": NAMED, "/faces": FACES, "/fights": FIGHTS, "/growing": GROWING,
}


def sound() -> bytes:
    """Returns a minute of silence."""
    target = BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8_000)
        file.writeframes(bytes([128]) * 60 * 8_000)
    return target.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/at":
            self.server.reports.append((time.monotonic(), self.headers["User-Agent"], int(query)))
            return self.answer("text/plain", b"")
        title = TITLES.get(path, f"<title>{path[1:]} to read</title>")
        page = f'<!DOCTYPE html><meta charset="utf-8">{title}<style>p {{ margin: 1em; }}</style>{BODIES.get(path, LONG)}'
        self.answer("audio/wav", sound()) if path == "/sound.wav" else self.answer("text/html", page.encode())

    def answer(self, kind: str, body: bytes):
        """Sends everything, or the range that the browser requests, because the browser can seek only with ranges."""
        begin = int(self.headers.get("Range", "bytes=0-").split("=")[1].split("-")[0])
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
        self.send_header("Accept-Ranges", "bytes")
        body = body[begin:]
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server:
    """`address(path)` is where browsers find a page. `reports` has the places of readers of "/reports": time, browser and paragraph."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.reports = self.server.reports = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self, path: str, name: str = NAME) -> str:
        return f"http://{name}:{self.server.server_port}{path}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
