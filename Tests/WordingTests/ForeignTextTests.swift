// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Testing

@testable import Wording

@Suite("Names from other laptops and apps inside sentences")
struct ForeignTextTests {
    @Test(
        "A name is isolated if its letters are written from right to left",
        arguments: [
            ("desk", "desk"), ("C++", "C++"), ("Küche", "Küche"), ("書斎", "書斎"), ("", ""),
            ("דנה", "\u{2068}דנה\u{2069}"), ("desk של דנה", "\u{2068}desk של דנה\u{2069}"),
            ("مكتب 3", "\u{2068}مكتب 3\u{2069}"), ("\u{10A00}", "\u{2068}\u{10A00}\u{2069}"),
        ])
    func isolated(name: String, shown: String) {
        #expect(ForeignText.isolated(name, inRightToLeft: false) == shown)
        #expect(ForeignText.isolated(name) == shown)
    }

    @Test("In a language that is written from right to left each name is isolated")
    func inRightToLeft() {
        #expect(ForeignText.isolated("C++", inRightToLeft: true) == "\u{2068}C++\u{2069}")
        #expect(ForeignText.isolated("", inRightToLeft: true) == "")
    }

    @Test(
        "A name neither changes the direction of writing nor ends its isolate or its line",
        arguments: ["\u{202E}", "\u{202B}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{200F}", "\u{61C}", "\n", "\u{1B}"])
    func withoutControls(control: String) {
        #expect(ForeignText.isolated("a\(control)b", inRightToLeft: false) == "a b")
        #expect(ForeignText.isolated("ד\(control)נ", inRightToLeft: false) == "\u{2068}ד נ\u{2069}")
        #expect(tr("from {laptop}", isolating: ["laptop": "a\(control)\(control)b"]) == "from a b")
    }

    @Test(
        "A text stays a text where markup is read, even with marks after its characters",
        arguments: [
            ("<b>Ada</b> & co", "&lt;b&gt;Ada&lt;/b&gt; &amp; co"), ("<\u{338}b>\u{301}", "&lt;\u{338}b&gt;\u{301}"),
            ("&\u{FE0F}lt;", "&amp;\u{FE0F}lt;"), ("", ""),
        ])
    func inMarkup(text: String, escaped: String) { #expect(ForeignText.inMarkup(text) == escaped) }

    @Test("A long name is cut, and a name is isolated only once")
    func short() {
        let name = tr(
            "{app} from {laptop}", isolating: ["app": String(repeating: "ד", count: 9_000), "laptop": "desk"])
        #expect(name.hasSuffix("…\u{2069} from desk") && name.count == 63 + " from desk".count + 2)
        let line = ForeignText.line("דנה", limit: 9)
        #expect(ForeignText.line(line, limit: 9) == line)
        #expect(ForeignText.isolated("\u{2069}ד\u{2068}", inRightToLeft: false) == "\u{2068} ד \u{2069}")
    }

    @Test("A sentence that begins with a name has the direction of its language")
    func sentence() {
        let name = ForeignText.isolated("דנה")
        #expect(ForeignText.sentence("Desk has gone.", inRightToLeft: false) == "Desk has gone.")
        #expect(ForeignText.sentence("\(name) has gone.", inRightToLeft: false) == "\u{2066}\(name) has gone.\u{2069}")
        #expect(ForeignText.sentence("desk הלך\u{202E}", inRightToLeft: true) == "\u{2067}desk הלך \u{2069}")
    }

    @Test("Names in a reason are isolated where only a graphical surface shows the text")
    func reasons() {
        let finding = Finding(.removed, ["laptop": "דנה"])
        func text(_ surface: Surface, in language: Language = .session) -> String {
            finding.text(on: surface, in: language)
        }
        for surface in [Surface.notification, .ownWindow] {
            #expect(text(surface).contains("\"\u{2068}דנה\u{2069}\""))
            #expect(text(surface, in: .english).contains("\"דנה\""))
        }
        for surface in [Surface.terminal, .window] { #expect(text(surface).contains("\"דנה\"")) }
    }

    @Test("Names in lists and in a reason inside of another one are isolated")
    func nested() {
        let reason = Reason.Value.reason(Reason(.programExited, ["program": "דנה", "status": .count(3)]))
        let shown = "\u{2068}דנה\u{2069}"
        #expect(reason.text(at: "reason", in: .session, isolating: true) == "\(shown) ended with status 3")
        #expect(Reason.Value.list(["a", "דנה"]).text(at: "others", in: .session, isolating: true) == "a, \(shown)")
    }
}
