// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonDesktop
import Foundation
import Glibc
import Testing

@Suite struct SettingsTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-settings-\(UUID().uuidString)")
    private var file: SettingsFile { SettingsFile(root.appending(path: "baton/baton.conf")) }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file.url)
    }

    @Test func withoutAFileEverythingIsAsUsual() throws {
        #expect(try file.read() == Settings())
    }

    @Test func everyKeyIsRead() throws {
        let settings = try Settings(
            """
            # What I like
            notifications = off
            notifications.on-lock-screen=hide

            default-app.org.example.note = org.example.Notes
            rule = ask
            """)
        #expect(!settings.notifies)
        #expect(settings.onLockScreen == .hide)
        #expect(settings.defaultApps == ["org.example.note": "org.example.Notes"])
        #expect(settings.rules.count == 1)
    }

    @Test(arguments: [
        ("notifications = maybe", "line 1 wants on or off"),
        ("\nnotifications.on-lock-screen = x", "line 2 wants hide"),
        ("colour = red", "unknown key \"colour\""), ("nonsense", "KEY = VALUE"), ("rule = nonsense", "does not begin"),
        ("default-app.org.example.note =", "names no app"),
        (String(repeating: "rule = ask\n", count: 257), "line 257 is one rule too many"),
    ])
    func mistakeIsNamedWithItsLine(text: String, says: String) {
        let error = #expect(throws: Settings.Mistake.self) { try Settings(text) }
        #expect(error?.description.contains(says) == true)
    }

    @Test func rulesAreAddedAndRemovedAndTheRestIsLeftAsItIs() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let text = "# mine\nnotifications = off\nrule = ask device=desk\n\n# the end"
        try write(text)
        try file.add(Rule("never"))
        #expect(try file.read().rules.map(\.description) == ["ask device=desk", "never"])
        try file.removeRule(1)
        #expect(
            try String(contentsOf: file.url, encoding: .utf8)
                == "# mine\nnotifications = off\n\n# the end\nrule = never\n")
        #expect(throws: BatonBusError.self) { try file.removeRule(2) }
        #expect(throws: BatonBusError.self) { try file.removeRule(0) }
    }

    @Test func linesMayEndAsWindowsEndsThem() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("notifications = off\r\nrule = ask\r\nrule = never\r\n")
        #expect(try !file.read().notifies)
        try file.removeRule(1)
        try file.add(Rule("near"))
        #expect(
            try String(contentsOf: file.url, encoding: .utf8)
                == "notifications = off\r\nrule = never\r\nrule = near signal=-60\n")
    }

    @Test func ruleCannotBringOtherLinesAlong() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        for text in [
            "never type=a\nnotifications = off", "never device=\"a\r\nb\"", "ask type=a\u{85}b", "hide type=\0",
        ] {
            let error = #expect(throws: Rule.Mistake.self) { try Rule(text) }
            #expect(error?.description.contains("control character") == true)
        }
    }

    @Test func fileIsMadeWhenThereIsNone() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try file.add(Rule("never"))
        #expect(try file.read().rules.count == 1)
    }

    @Test func fileWithAMistakeIsNotChanged() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("nonsense\n")
        #expect(throws: BatonBusError.self) { try file.add(Rule("never")) }
        #expect(try String(contentsOf: file.url, encoding: .utf8) == "nonsense\n")
        let error = #expect(throws: BatonBusError.self) { try file.read() }
        #expect(error?.message.contains("baton.conf, line 1") == true)
    }

    @Test func fileThatIsNoneOrTooLargeOrNoTextIsRefused() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write(String(repeating: "#", count: 65_537))
        #expect(throws: BatonBusError.self) { try file.read() }
        try Data([0xff, 0xfe]).write(to: file.url)
        #expect(throws: BatonBusError.self) { try file.read() }
        try FileManager.default.removeItem(at: file.url)
        #expect(mkfifo(file.url.path, 0o600) == 0)
        #expect(throws: BatonBusError.self) { try file.read() }
    }
}
