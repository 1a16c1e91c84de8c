# SPDX-License-Identifier: Apache-2.0
"""Hands messages over in the real Thunderbird, on two laptops with the simulated radio and a display each."""

from __future__ import annotations

import contextlib
import email.header
import http.server
import json
import os
import pathlib
import socket
import subprocess
import threading
import time

from apps import LIMIT, Adapted, Display
from mailing import QUIET, READING, WRITING, MailServer, Thunderbird, make_extension

LOOK = """
if (!composer?.gMsgCompose?.editor) return { drafts: 0 };
const window = composer, editor = window.gMsgCompose.editor;
const selection = editor.selection;
const before = selection && window.document.createRange ? (() => {
    const range = editor.document.createRange();
    range.setStart(editor.rootElement, 0);
    range.setEnd(selection.focusNode, selection.focusOffset);
    return range.toString();
})() : null;
return { drafts: composers.length, subject: window.document.getElementById("msgSubject").value, to: pills(window, "to"), cc: pills(window, "cc"),
         bcc: pills(window, "bcc"), body: editor.rootElement.innerHTML, text: editor.rootElement.innerText, before,
         isPlain: !window.gMsgCompose.composeHTML, from: window.gCurrentIdentity?.email,
         attachments: bucket(window).map((each) => [each.name, each.size, each.contentType]) };
"""
WRITE = """
const [values] = arguments;
const fields = Cc["@mozilla.org/messengercompose/composefields;1"].createInstance(Ci.nsIMsgCompFields);
const parameters = Cc["@mozilla.org/messengercompose/composeparams;1"].createInstance(Ci.nsIMsgComposeParams);
Object.assign(fields, values.fields);
for (const [name, path] of values.attachments ?? []) {
    const attachment = Cc["@mozilla.org/messengercompose/attachment;1"].createInstance(Ci.nsIMsgAttachment);
    attachment.name = name;
    attachment.url = "file://" + encodeURI(path);
    attachment.size = values.size ?? 0;
    fields.addAttachment(attachment);
}
parameters.composeFields = fields;
parameters.type = Ci.nsIMsgCompType.New;
parameters.format = values.isPlain ? Ci.nsIMsgCompFormat.PlainText : Ci.nsIMsgCompFormat.HTML;
MailServices.compose.OpenComposeWindowWithParams(null, parameters);
"""


ATTACHED = """
const file = await IOUtils.read(Services.io.newURI(bucket(composer)[0].url).QueryInterface(Ci.nsIFileURL).file.path);
return [...file];
"""
SEND_NOW = "Ci.nsIMsgCompDeliverMode.Now"
SHOW = """
const root = MailServices.accounts.localFoldersServer.rootFolder;
if (!root.containsChildNamed("Letters")) root.createSubfolder("Letters", null);
const folder = root.getChildNamed("Letters").QueryInterface(Ci.nsIMsgLocalMailFolder);
let message;
for (const each of arguments[0]) message = folder.addMessage(each);
const { MailUtils } = ChromeUtils.importESModule("resource:///modules/MailUtils.sys.mjs");
MailUtils.displayMessageInFolderTab(message);
front.focus();
"""
REPLY = """
const [message] = front.document.getElementById("tabmail").currentAbout3Pane.gDBView.getSelectedMsgHdrs();
MailServices.compose.OpenComposeWindow(null, message, message.folder.getUriForMsg(message), Ci.nsIMsgCompType.ReplyToSender, Ci.nsIMsgCompFormat.HTML,
                                       MailServices.accounts.allIdentities[0], "", null);
"""
SHOWN = """
const tab = front.document.getElementById("tabmail").currentTabInfo;
const about = tab.chromeBrowser?.contentWindow;
const pane = about?.messageBrowser?.contentWindow ?? about;
const message = pane?.gMessage;
return message ? { subject: message.mime2DecodedSubject, folder: message.folder?.name ?? null,
                   text: pane.getMessagePaneBrowser().contentDocument?.body?.textContent ?? "" } : null;
"""
PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ENCRYPTED = """--b
Content-Type: application/pgp-encrypted

Version: 1
--b
Content-Type: application/octet-stream

-----BEGIN PGP MESSAGE-----
-----END PGP MESSAGE-----
--b--
"""
HOSTILE = """<p>kept</p><script>fetch("{page}/script")</script><img src="{page}/picture.png" onerror="fetch('{page}/e')"><p style="background:url({page}/style)">x</p>
<table background="{page}/table"><tr><td>y</td></tr></table><svg><image href="{page}/svg"/></svg><iframe src="{page}/frame"></iframe><link rel="stylesheet" href="{page}/link">
<video poster="{page}/poster"></video><img srcset="{page}/set 1x"><a href="javascript:fetch('{page}/link')">z</a><object data="{page}/object"></object>
<style>@import "{page}/import";</style><p style="background:u\\72l({page}/escape)">w</p>"""


def letter(subject: str, identifier: str, kind: str = "text/plain; charset=utf-8", body: str | None = None) -> str:
    """Returns a message for a local folder, whose characters are bytes."""
    text = (f"From - Thu Jan  1 00:00:00 2026\nFrom: bo@example.org\nTo: ada@example.org\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: "
            f"{email.header.Header(subject, 'utf-8').encode()}\nMessage-ID: {identifier}\nMIME-Version: 1.0\nContent-Type: {kind}\n\n"
            f"{body or f'body of {subject}'}\n")
    return text.replace("\n", "\r\n").encode().decode("latin-1")


class Stranger:
    """Acts as Thunderbird's extension on a laptop, and offers a draft that Thunderbird would never offer."""

    def __init__(self, test, laptop, head: dict, data: bytes):
        self.directory = pathlib.Path(laptop.environment["XDG_RUNTIME_DIR"]) / "baton" / "mail"
        test.eventually((self.directory / "socket").exists)
        self.head, self.data = head, data
        self.end_of_socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.end_of_socket.connect(str(self.directory / "socket"))
        self.state = {"kind": "draft", "draft": "0" * 32, "title": "Hostile"}
        self.send({"version": 1, "mail": "Thunderbird"})
        self.send({"state": self.state})
        threading.Thread(target=self.listen, daemon=True).start()

    def send(self, message: dict):
        self.end_of_socket.sendall(json.dumps(message).encode() + b"\n")

    def listen(self):
        for line in self.end_of_socket.makefile("rb"):
            message = json.loads(line)
            if "ask" in message:
                (self.directory / message["text"]).write_text(json.dumps(self.head), encoding="utf-8")
                (self.directory / message["data"]).write_bytes(self.data)
                self.send({"answer": message["ask"], "state": self.state, "sent": True})

    def end(self):
        with contextlib.suppress(OSError):
            self.end_of_socket.shutdown(socket.SHUT_RDWR)
        self.end_of_socket.close()


class Mail(Adapted):
    def prepare(self, laptop):
        super().prepare(laptop)
        laptop.server = MailServer()
        self.addCleanup(laptop.server.end)
        laptop.mail = Thunderbird(laptop, "thunderbird", self.extension(laptop), laptop.server, "ada@example.org")
        display = Display()
        self.addCleanup(display.end)
        laptop.environment |= {"DISPLAY": display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
                               "MOZ_DISABLE_CONTENT_SANDBOX": "1", "MOZ_ENABLE_WAYLAND": "0"}

    def extension(self, laptop) -> pathlib.Path | None:
        return make_extension(laptop.home / "made")

    def begin(self, laptop):
        laptop.spawn(["openbox"], **QUIET)
        super().begin(laptop)

    def start_mail(self):
        """Starts Thunderbird on both laptops."""
        for laptop in (self.desk, self.sofa):
            laptop.mail.start()

    def look(self, laptop, **expected) -> dict:
        """Waits until the newest window for writing shows what is expected. Returns what it shows."""
        return self.until_shown(lambda: laptop.mail.run(LOOK), expected)

    def write(self, laptop, **values):
        """Opens a window for writing a message."""
        laptop.mail.run(WRITE, values)
        self.look(laptop, subject=values["fields"]["subject"])

    def go(self, laptop, paragraph: int, offset: int):
        """Puts the caret into a paragraph, counted from 1."""
        laptop.mail.run("const root = composer.gMsgCompose.editor.rootElement; const [paragraph, offset] = arguments;"
                        "composer.gMsgCompose.editor.selection.collapse(root.children[paragraph - 1].firstChild, offset);", paragraph, offset)

    def file(self, name: str, contents: bytes) -> pathlib.Path:
        path = self.desk.home / name
        path.write_bytes(contents)
        return path

    def notes(self, laptop) -> pathlib.Path:
        """Returns a file that receives the adapters' messages to the user."""
        return laptop.adapters_log

    def watched(self):
        """Waits until each laptop has asked the other one to report what becomes of a draft. The first streams carried the draft."""
        for laptop in (self.desk, self.sofa):
            self.eventually(lambda log=laptop.home / "batond.log": log.read_text(encoding="utf-8", errors="replace").count(" go over ") > 1)
        time.sleep(1)  # until the adapters have the streams

    def web(self) -> tuple:
        """Starts a web server. Returns its address, and the list of requests."""
        hits = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                hits.append(self.path)
                self.send_error(404)
            do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}", hits


class Drafts(Mail):
    def test_draft_continues_with_its_place_and_attachments(self):
        self.start_mail()
        file = self.file("plan é.bin", bytes(range(256)) * 5000)
        self.write(self.desk, fields={"subject": "Tea é 😀", "to": "Bo <bo@example.org>", "cc": "cy@example.org", "bcc": "di@example.org",
                                      "body": "<p>One <b>two</b></p><p>Three<br>four</p>"},
                   attachments=[["plan é.bin", str(file)]], size=1_280_000)
        self.go(self.desk, 2, 3)
        self.open(self.sofa, WRITING)
        found = self.look(self.sofa, subject="Tea é 😀", before="One twoThr", drafts=1)
        self.assertEqual((found["to"], found["cc"], found["bcc"], found["from"], found["isPlain"]),
                         (["Bo <bo@example.org>"], ["cy@example.org"], ["di@example.org"], "ada@example.org", False))
        self.assertEqual(found["body"], "<p>One <b>two</b></p><p>Three<br>four</p>")
        self.assertEqual(found["attachments"], [["plan é.bin", 1_280_000, "application/octet-stream"]])
        self.assertEqual(bytes(self.sofa.mail.run(ATTACHED)), file.read_bytes())
        self.assertEqual(self.desk.server.messages + self.sofa.server.messages, [])
        # The draft returns to the window in which it was begun.
        self.sofa.mail.run("composer.gMsgCompose.editor.insertText('!');")
        self.open(self.desk, WRITING)
        self.look(self.desk, drafts=1, before="One twoThr!", body="<p>One <b>two</b></p><p>Thr!ee<br>four</p>",
                  attachments=[["plan é.bin", 1_280_000, "application/octet-stream"]])

    def test_plain_text_continues_as_plain_text(self):
        self.start_mail()
        self.write(self.desk, isPlain=True, fields={"subject": "Plain", "to": "bo@example.org", "body": "1 < 2\n<b>no</b>\n"})
        self.open(self.sofa, WRITING)
        found = self.look(self.sofa, subject="Plain", isPlain=True)
        self.assertEqual(found["text"].strip(), "1 < 2\n<b>no</b>")

    def test_picture_in_the_text_continues(self):
        self.start_mail()
        self.write(self.desk, fields={"subject": "Picture", "to": "bo@example.org", "body": f'<p style="color: red">see <img src="{PICTURE}" alt="dot"></p>'})
        self.open(self.sofa, WRITING)
        found = self.look(self.sofa, subject="Picture", drafts=1)
        self.assertIn(f'src="{PICTURE}"', found["body"])
        self.assertIn("color: red", found["body"])

    def test_signature_is_not_added_again(self):
        for laptop in (self.desk, self.sofa):
            laptop.mail.start()
            laptop.mail.run("MailServices.accounts.allIdentities[0].htmlSigText = 'Yours, Ada';")
        self.write(self.desk, fields={"subject": "Signed", "to": "bo@example.org", "body": "<p>one</p>"})
        self.assertIn("Yours, Ada", self.look(self.desk, subject="Signed")["text"])
        self.open(self.sofa, WRITING)
        self.assertEqual(self.look(self.sofa, subject="Signed")["text"].count("Yours, Ada"), 1)

    def test_thunderbird_that_is_not_running_is_started(self):
        self.desk.mail.start()
        self.write(self.desk, fields={"subject": "Wake up", "to": "bo@example.org", "body": "x"})
        self.open(self.sofa, WRITING)
        self.sofa.mail.attach()
        self.look(self.sofa, subject="Wake up", drafts=1)

    def test_changes_on_both_sides_are_kept(self):
        self.start_mail()
        self.write(self.desk, fields={"subject": "Both", "to": "bo@example.org", "body": "<p>start</p>"})
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Both", drafts=1)
        self.desk.mail.run("composer.gMsgCompose.editor.insertText('here ');")
        self.sofa.mail.run("composer.gMsgCompose.editor.insertText('there ');")
        notes = self.notes(self.desk)
        self.open(self.desk, WRITING)
        self.look(self.desk, drafts=2, body="<p>there start</p>")
        self.assertIn("here start", self.desk.mail.run("return composers[0].gMsgCompose.editor.rootElement.innerHTML"))
        self.eventually(lambda: "has other changes. Both are open now" in notes.read_text())

    def test_sender_without_an_account_here_is_reported(self):
        self.start_mail()
        self.desk.mail.run("MailServices.accounts.allIdentities[0].email = 'other@example.org';")
        self.write(self.desk, fields={"subject": "Who", "to": "bo@example.org", "body": "x"})
        notes = self.notes(self.sofa)
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Who", **{"from": "ada@example.org"})
        self.eventually(lambda: "No account here has the address" in notes.read_text())

    def test_attachment_of_100_mb_is_left_out_and_the_draft_continues(self):
        self.start_mail()
        large, small = self.file("large.bin", os.urandom(1 << 20) * 100), self.file("small.bin", b"small")
        self.write(self.desk, fields={"subject": "Large", "to": "bo@example.org", "body": "x"},
                   attachments=[["large.bin", str(large)], ["small.bin", str(small)]], size=0)
        notes = self.notes(self.sofa)
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Large", attachments=[["small.bin", 5, "application/octet-stream"]])
        self.eventually(lambda: "Attachments stayed on" in notes.read_text())

    def test_large_attachment_continues(self):
        self.start_mail()
        file = self.file("video.bin", os.urandom(1 << 20) * 20)
        self.write(self.desk, fields={"subject": "Video", "to": "bo@example.org", "body": "x"}, attachments=[["video.bin", str(file)]], size=0)
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Video", attachments=[["video.bin", 20 << 20, "application/octet-stream"]])


class Ends(Mail):
    def setUp(self):
        super().setUp()
        self.start_mail()
        self.write(self.desk, fields={"subject": "Once", "to": "bo@example.org", "body": "<p>once</p>"})

    def send(self, laptop):
        laptop.mail.run(f"composer.GenericSendMessage({SEND_NOW});")
        self.eventually(lambda: laptop.server.messages)

    def close(self, laptop):
        laptop.mail.run("composer.gMsgCompose.bodyModified = false; composer.gContentChanged = false; composer.close();")
        self.look(laptop, drafts=0)

    def test_offer_of_a_draft_ends_when_it_is_sent(self):
        self.eventually(lambda: self.offer(self.sofa, WRITING))
        self.send(self.desk)
        self.eventually(lambda: self.offer(self.sofa, WRITING) is None)

    def test_offer_of_a_draft_ends_when_it_is_closed(self):
        self.eventually(lambda: self.offer(self.sofa, WRITING))
        self.close(self.desk)
        self.eventually(lambda: self.offer(self.sofa, WRITING) is None)

    def test_continued_draft_stays_open_and_the_first_laptop_learns_of_its_sending(self):
        here, there = self.notes(self.desk), self.notes(self.sofa)
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Once", drafts=1)
        self.look(self.desk, subject="Once", drafts=1)
        self.send(self.sofa)
        self.eventually(lambda: '"sofa" has sent this message' in here.read_text().replace("&quot;", '"'))
        self.look(self.desk, subject="Once", drafts=1)
        self.send(self.desk)
        self.eventually(lambda: "was sent twice" in here.read_text())
        self.eventually(lambda: "was sent twice" in there.read_text())

    def test_draft_that_was_closed_after_a_hand_over_reports_no_sending(self):
        here = self.notes(self.desk)
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Once", drafts=1)
        self.watched()
        self.close(self.desk)
        self.send(self.sofa)
        self.eventually(lambda: self.look(self.sofa)["drafts"] == 0)
        time.sleep(1)
        self.assertNotIn("sent", here.read_text())


class Reading(Mail):
    def show(self, laptop, *messages: str):
        """Puts messages into a local folder, and shows the last one."""
        laptop.mail.run(SHOW, list(messages))

    def test_reply_stays_a_reply(self):
        for laptop in (self.desk, self.sofa):
            laptop.mail.start()
            self.show(laptop, letter("Question", "<question@example.org>"))
        self.desk.mail.run(REPLY)
        self.look(self.desk, subject="Re: Question")
        self.desk.mail.run("composer.gMsgCompose.editor.insertText('Answer.');")
        self.open(self.sofa, WRITING)
        found = self.look(self.sofa, subject="Re: Question", to=["bo@example.org"], drafts=1)
        self.assertEqual((found["text"].count("Answer."), found["text"].count("body of Question")), (1, 1))
        self.sofa.mail.run(f"composer.GenericSendMessage({SEND_NOW});")
        self.eventually(lambda: self.sofa.server.messages)
        self.assertIn(b"In-Reply-To: <question@example.org>", self.sofa.server.messages[0])

    def shown(self, laptop, **expected) -> dict:
        return self.until_shown(lambda: laptop.mail.run(SHOWN), expected)

    def test_message_is_found_by_its_message_id(self):
        self.start_mail()
        self.sofa.mail.run(SHOW, [letter("Hello", "<one@example.org>"), letter("Other", "<two@example.org>")])
        self.show(self.desk, letter("Hello", "<one@example.org>"))
        self.shown(self.desk, subject="Hello")
        self.open(self.sofa, READING)
        self.shown(self.sofa, subject="Hello", folder="Letters")

    def test_missing_message_opens_as_a_copy(self):
        self.start_mail()
        notes = self.notes(self.sofa)
        self.show(self.desk, letter("Only here é", "<only@example.org>"))
        self.open(self.sofa, READING)
        found = self.shown(self.sofa, subject="Only here é", folder=None)
        self.assertIn("body of Only here é", found["text"])
        self.eventually(lambda: "This is a copy from" in notes.read_text())

    def test_encrypted_message_is_offered_only_if_the_user_agrees(self):
        self.start_mail()
        self.show(self.desk, letter("Open", "<open@example.org>"))
        self.eventually(lambda: self.offer(self.sofa, READING))
        for name, kind, body in (("mime", 'multipart/encrypted; protocol="application/pgp-encrypted"; boundary="b"', ENCRYPTED),
                                 ("smime", "application/pkcs7-mime; smime-type=enveloped-data", "AAAA\n"),
                                 ("inline", "text/plain", "-----BEGIN PGP MESSAGE-----\n\nAAAA\n-----END PGP MESSAGE-----\n")):
            with self.subTest(name=name):
                self.show(self.desk, letter("Open", "<open@example.org>"))
                self.eventually(lambda: self.offer(self.sofa, READING))
                self.show(self.desk, letter(name, f"<{name}@example.org>", kind, body))
                self.eventually(lambda: self.offer(self.sofa, READING) is None)
        self.desk.mail.switch_first_setting()
        self.show(self.desk, letter("Secret", "<secret@example.org>", "text/plain", "-----BEGIN PGP MESSAGE-----\n"))
        self.eventually(lambda: self.offer(self.sofa, READING))

    def test_copy_loads_no_picture_and_runs_no_script(self):
        page, hits = self.web()
        self.start_mail()
        self.show(self.desk, letter("Hostile", "<hostile@example.org>", "text/html", HOSTILE.format(page=page)))
        self.open(self.sofa, READING)
        self.shown(self.sofa, subject="Hostile", folder=None)
        time.sleep(2)
        self.assertEqual(hits, [])


class Troubles(Mail):
    def test_draft_that_will_be_encrypted_is_not_handed_over(self):
        self.start_mail()
        self.desk.mail.run("MailServices.accounts.allIdentities[0].setUnicharAttribute('openpgp_key_id', '0123456789ABCDEF');")
        self.write(self.desk, fields={"subject": "Soon secret", "to": "bo@example.org", "body": "x"})
        offer = self.eventually(lambda: self.offer(self.sofa, WRITING))
        self.desk.mail.run("composer.gSendEncrypted = true;")
        said = self.sofa.spawn([self.sofa.binaries / "baton", "open", offer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        out = said.communicate(timeout=LIMIT)[0]
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("encrypted", out)
        self.look(self.sofa, drafts=0)

    def test_restarted_daemon_offers_the_draft(self):
        self.start_mail()
        self.write(self.desk, fields={"subject": "Again", "to": "bo@example.org", "body": "x"})
        self.eventually(lambda: self.offer(self.sofa, WRITING))
        self.desk.daemon.kill()
        self.desk.daemon.wait(LIMIT)
        self.desk.start_daemon(self.root / "radio")
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Again", drafts=1)

    def test_draft_survives_the_end_of_the_daemon_during_a_hand_over(self):
        self.start_mail()
        file = self.file("video.bin", os.urandom(1 << 20) * 8)
        self.write(self.desk, fields={"subject": "Middle", "to": "bo@example.org", "body": "x"}, attachments=[["video.bin", str(file)]], size=0)
        offer = self.eventually(lambda: self.offer(self.sofa, WRITING))
        copies = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "baton" / "documents"
        click = self.sofa.spawn([self.sofa.binaries / "baton", "open", offer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.eventually(lambda: [path for path in copies.rglob("*") if path.is_file()])
        self.desk.daemon.kill()
        self.desk.daemon.wait(LIMIT)
        out = click.communicate(timeout=2 * LIMIT)[0]
        self.assertNotEqual(click.returncode, 0)
        self.assertIn("did not come", out)
        self.assertEqual([path for path in copies.rglob("*") if path.is_file()], [])
        self.look(self.sofa, drafts=0)
        self.look(self.desk, subject="Middle", drafts=1)
        self.desk.start_daemon(self.root / "radio")
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Middle", drafts=1)

    def test_restarted_service_knows_the_draft(self):
        self.start_mail()
        self.write(self.desk, fields={"subject": "Back", "to": "bo@example.org", "body": "x"})
        self.eventually(lambda: self.offer(self.sofa, WRITING))
        self.desk.adapters.terminate()
        self.desk.adapters.wait(LIMIT)
        self.eventually(lambda: self.offer(self.sofa, WRITING) is None)
        self.start_adapters(self.desk)
        self.open(self.sofa, WRITING)
        self.look(self.sofa, subject="Back", drafts=1)

    def test_hostile_draft_runs_and_loads_nothing(self):
        page, hits = self.web()
        self.sofa.mail.start()
        body = HOSTILE.format(page=page)
        stranger = Stranger(self, self.desk, {
            "to": ["bo@example.org\r\nBcc: eve@example.org", 7], "subject": "S" * 100_000 + "\r\nX: y", "body": body, "from": "eve@example.org",
            "caret": 1e30, "related": "a b", "attachments": [{"name": "../../.bashrc\u0000", "type": "text/html; charset=x", "size": 3}]}, b"abc")
        self.addCleanup(stranger.end)
        notes = self.notes(self.sofa)
        self.open(self.sofa, WRITING)
        found = self.look(self.sofa, drafts=1)
        self.assertLessEqual(len(found["subject"]), 1000)
        self.assertNotIn("\n", found["subject"])
        self.assertEqual((found["bcc"], found["attachments"][0][0], found["from"]), ([], ".._.._.bashrc\N{REPLACEMENT CHARACTER}", "ada@example.org"))
        for word in ("script", "onerror", "http://127", "url(", "iframe", "svg", "javascript"):
            self.assertNotIn(word, found["body"])
        self.assertIn("kept", found["body"])
        self.eventually(lambda: "Pictures and other parts were left out" in notes.read_text())
        time.sleep(2)
        self.assertEqual(hits, [])
        self.assertEqual(self.sofa.server.messages, [])
