# SPDX-License-Identifier: Apache-2.0
"""Pages to be read: a server on loopback, which the browsers under test know by a name that is not loopback's."""

import http.server
import json
import threading
import time
import wave
from io import BytesIO

NAME = "page.test"
WORDS = "the difference engine is a machine that counts without being asked and never tires of it".split()


def line(number: int) -> str:
    """A paragraph like no other, of one line or many."""
    words = [WORDS[(number * 7 + index * (1 + number % 5)) % len(WORDS)] for index in range(20 + 13 * (number % 7))]
    return f'<p class="line" data-number="{number}">Paragraph {number}: {" ".join(words)}.</p>'


LINES = [line(number) for number in range(400)]
LONG = "".join(LINES)
# It comes in ten parts, each a fifth of a second after the one before.
GROWS = f"""<div id="text"></div><script>
const lines = {json.dumps(LINES)};
const timer = setInterval(() => {{
    for (const line of lines.splice(0, 40)) text.insertAdjacentHTML("beforeend", line);
    if (!lines.length) clearInterval(timer);
}}, 200);
</script>"""
FORM = f'<form><textarea style="width: 90vw; height: 95vh">a secret that is half written</textarea><p>{"a word on the form. " * 40}</p></form>' + LONG
# What a page can do to what an extension calls, were it to call the page's own.
HOSTILE = LONG + """<script>
const refuse = () => { throw new Error("no"); };
Document.prototype.elementFromPoint = Element.prototype.closest = Document.prototype.querySelectorAll = refuse;
Array.prototype.filter = Array.prototype.sort = JSON.stringify = refuse;
for (const name of ["scrollX", "scrollY", "innerHeight"]) Object.defineProperty(window, name, { get: refuse });
</script>"""
MEDIA = '<audio id="sound" src="/sound.wav" muted loop controls style="width: 300px"></audio>' + LONG
HANGS = LONG + """<script>
addEventListener("hang", () => setTimeout(() => { const end = Date.now() + 15_000; while (Date.now() < end); }, 500));
</script>"""
# It tells the server where its reader is.
REPORTS = LONG + """<script>
const atTop = () => [...document.getElementsByClassName("line")].find((line) => line.getBoundingClientRect().bottom > 1)?.dataset.number;
addEventListener("scroll", () => fetch(`/at?${atTop()}`), { passive: true });
</script>"""
BODIES = {"/grows": GROWS, "/form": FORM, "/hangs": HANGS, "/hostile": HOSTILE, "/media": MEDIA, "/reports": REPORTS}


def sound() -> bytes:
    """A minute of silence."""
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
        title = {"/untitled": "", "/name": "<title>name</title>"}.get(path, f"<title>{path[1:]} to read</title>")
        page = f'<!DOCTYPE html><meta charset="utf-8">{title}<style>p {{ margin: 1em; }}</style>{BODIES.get(path, LONG)}'
        self.answer("audio/wav", sound()) if path == "/sound.wav" else self.answer("text/html", page.encode())

    def answer(self, kind: str, body: bytes):
        """All of it, or from where the browser wants it: it seeks in nothing else."""
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
    """`address(path)` is where browsers find a page; `reports` is where readers of "/reports" were: when, in which browser, and the paragraph."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.reports = self.server.reports = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self, path: str, name: str = NAME) -> str:
        return f"http://{name}:{self.server.server_port}{path}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
