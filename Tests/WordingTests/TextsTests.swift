// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import Diagnosis
import Foundation
import Testing

@testable import Wording

@Suite("Texts in the session's language")
struct TextsTests {
    @Test("A text without a translation is shown in English, with its values in their places")
    func english() {
        #expect(tr("{app} from \"{laptop}\"", ["app": "Notes", "laptop": "{app}"]) == "Notes from \"{app}\"")
        #expect(tr("") == "")
        // Without a translation gettext returns its argument, which must still be in memory.
        for length in 1...2_000 {
            let text = String(repeating: "a", count: length)
            #expect(tr(text) == text && ntr(text, text, 2) == text)
        }
    }

    @Test(
        "A number chooses the plural form",
        arguments: [(0, "0 laptops of A"), (1, "1 laptop of A"), (5, "5 laptops of A")])
    func plural(count: Int, text: String) {
        #expect(ntr("{count} laptop of {who}", "{count} laptops of {who}", count, ["who": "A"]) == text)
    }

    @Test("The texts of a German session are German")
    func german() async throws {
        let directory = try await compiled("de", from: root.appending(path: "po/de.po"))
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            use(language: "de", from: directory)
            #expect(tr("Baton is not running.") == "Baton läuft nicht.")
            #expect(
                tr("This is a copy from \"{laptop}\". Changes stay on this laptop.", ["laptop": "desk"])
                    == "Das ist eine Kopie von „desk“. Änderungen bleiben auf diesem Laptop.")
            func behind(_ count: Int) -> String {
                ntr("This clone is {count} commit behind.", "This clone is {count} commits behind.", count)
            }
            #expect(behind(1) == "Dieser Klon liegt 1 Commit zurück.")
            #expect(behind(3) == "Dieser Klon liegt 3 Commits zurück.")
            #expect(tr("") == "")
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test("Sentences and lists are joined as the language joins them")
    func joined() async throws {
        #expect(JoinedText.sentences("One.", "", "Two.", "Three.") == "One. Two. Three.")
        #expect(JoinedText.list(["a", "b", "c"]) == "a, b, c")
        #expect(JoinedText.list([]) == "")
        let directory = try await compiled("ja", from: root.appending(path: "po/ja.po"))
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            use(language: "ja", from: directory)
            #expect(JoinedText.sentences("一。", "二。") == "一。二。")
            #expect(JoinedText.sentences("One.", "Two.", in: .english) == "One. Two.")
            #expect(JoinedText.list(["a", "b", "c"]) == "a、b、c")
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test("A time has its date if it is not today, or its weekday if it is within a week")
    func moments() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "UTC0", 1)
            let noon: Int64 = 1_780_401_600  // Tuesday, 2 June 2026
            func text(_ seconds: Int64, in language: Language = .session) -> String {
                LocalMoment(seconds).text(now: LocalMoment(noon), in: language)
            }
            #expect(text(noon + 61) == "12:01")
            #expect(text(noon - 86_400) == "Monday, 12:00")
            #expect(text(noon + 5 * 86_400) == "Sunday, 12:00")
            #expect(text(noon - 6 * 86_400) == "05/27/26, 12:00")
            #expect(text(noon - 86_400, in: .english) == "2026-06-01 12:00")
            // Another device's wrong clock is always shown with its date, even if that looks like
            // today's.
            #expect(LocalMoment(noon).text(now: nil) == "06/02/26, 12:00")
            let shown = Int64(Date().timeIntervalSince1970)
            let wrong = Reason(code: FindingCode.clockWrong.rawValue, values: ["clock": .time(shown)])
            #expect(wrong.text(on: .window)?.contains("/") == true)
        }
    }

    @Test("A translation with a placeholder that has no value is not used")
    func wrongPlaces() async throws {
        let catalogue = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).po")
        try Data("msgid \"from {laptop}\"\nmsgstr \"von {device}\"\n".utf8).write(to: catalogue)
        let directory = try await compiled("xx", from: catalogue)
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            use(language: "xx", from: directory)
            #expect(tr("from {laptop}", ["laptop": "desk"]) == "from desk")
        }
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.removeItem(at: catalogue)
    }

    @Test("Catalogues are found beside each installed program")
    func installed() {
        for (program, directory) in [
            ("/usr/bin/baton", "/usr/share/locale"), ("/opt/b/lib/baton/browser-host", "/opt/b/share/locale"),
            ("/usr/lib/x86_64-linux-gnu/baton/domain-fetcher", "/usr/share/locale"),
        ] {
            #expect(SessionLanguage.installedDirectory(ofProgram: program) { $0 == directory } == directory)
        }
        #expect(SessionLanguage.installedDirectory(ofProgram: "/baton") { _ in true } == nil)
        #expect(SessionLanguage.installedDirectory(ofProgram: "/a/b/c/d/e/baton") { $0 == "/a/share/locale" } == nil)
    }
}

private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

/// Returns a directory of catalogues with one language.
private func compiled(_ language: String, from catalogue: URL) async throws -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let messages = directory.appending(path: "\(language)/LC_MESSAGES")
    try FileManager.default.createDirectory(at: messages, withIntermediateDirectories: true)
    let msgfmt = try await ChildProcess(
        "/usr/bin/msgfmt", ["--output-file", messages.appending(path: "baton.mo").path, catalogue.path])
    try #require(try await msgfmt.end == .exited(0))
    return directory.path
}

/// Makes this process use a language.
private func use(language: String, from directory: String) {
    setenv("LC_ALL", "C.UTF-8", 1)
    setenv("LANGUAGE", language, 1)
    setenv("TEXTDOMAINDIR", directory, 1)
    SessionLanguage.use()
}
