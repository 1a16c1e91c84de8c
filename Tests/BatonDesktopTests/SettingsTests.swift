// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Diagnosis
import Foundation
import Glibc
import Testing
import Wording

@testable import BatonDesktop

@Suite struct SettingsTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-settings-\(UUID().uuidString)")
    private var file: SettingsFile { SettingsFile(root.appending(path: "baton/baton.conf")) }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file.url)
    }

    @Test("Without a file the defaults apply")
    func withoutAFile() throws {
        #expect(try file.read(naming: DeviceNames([])).settings == Settings())
    }

    @Test("A key that is in the file once is changed in its line, and any other key is added at the end")
    func settingAKey() throws {
        try write("# mine\nadapters = on\nrule = ask")
        try file.set("adapters", to: "off")
        try file.set("adapters.org.example.Music", to: "off")
        try file.set("adapters.org.example.Music", to: "on")
        let text = try String(contentsOf: file.url, encoding: .utf8)
        #expect(text == "# mine\nadapters = off\nrule = ask\nadapters.org.example.Music = on\n")
    }

    @Test("An impossible value is not set")
    func impossibleValue() throws {
        try write("rule = ask\n")
        #expect(throws: BatonError.self) { try file.set("adapters", to: "maybe") }
        #expect(try String(contentsOf: file.url, encoding: .utf8) == "rule = ask\n")
    }

    @Test("Every key of the configuration is read")
    func everyKeyIsRead() throws {
        let settings = try Settings(
            """
            # What I like
            notifications = off
            notifications.on-lock-screen=hide

            default-app.org.example.note = org.example.Notes
            rule = ask
            domains = off
            domains.private = intranet.example.com  WIKI.example.com
            history = 12h
            lan = always
            titles = ask
            adapters = off
            adapters.org.example.Music = off
            adapters.org.example.Mail = on
            """)
        #expect(!settings.notifies)
        #expect(!settings.asksDomains)
        #expect(settings.privateDomains == ["intranet.example.com", "wiki.example.com"])
        #expect(settings.adapters == AdapterSwitches(areAllOff: true, off: ["org.example.Music"]))
        #expect(settings.historyLength == .seconds(12 * 3_600))
        #expect(settings.lan == .always && !settings.tellsTitles)
        #expect(settings.onLockScreen == .hide)
        #expect(settings.defaultApps == ["org.example.note": "org.example.Notes"])
        #expect(settings.rules.count == 1)
        // The values that clients can read describe the same settings.
        let told = settings.values.map { "\($0) = \($1)" } + settings.rules.map { "rule = \($0)" }
        #expect(try Settings(told.joined(separator: "\n")) == settings)
    }

    @Test(
        "The setting for the history accepts minutes, hours, days and off, and its default is a day",
        arguments: [("off", 0), ("0", 0), ("0m", 0), ("30m", 1_800), ("12h", 43_200), ("30d", 2_592_000)])
    func historyLength(value: String, seconds: Int) throws {
        #expect(try Settings("history = \(value)").historyLength == .seconds(seconds))
        #expect(Settings().historyLength == .seconds(86_400))
        // An unreadable file must not make the history lose entries.
        #expect(Settings.closed.historyLength == HistoryStore.longestLength)
    }

    @Test(
        "A mistake in the configuration is named with its line",
        arguments: [
            ("notifications = maybe", 1, FailureCode.argumentChoice, "notifications"),
            ("\nnotifications.on-lock-screen = x", 2, .argumentChoice, "notifications.on-lock-screen"),
            ("colour = red", 1, .keyUnknown, "colour"), ("nonsense", 1, .pairForm, "nonsense"),
            ("rule = nonsense", 1, .ruleAction, nil),
            ("default-app.org.example.note =", 1, .argumentEmpty, "default-app.org.example.note"),
            ("default-app. = org.example.N", 1, .keyUnfinished, "default-app."),
            ("default-app.t = org.example.N org.example.M", 1, .idSpaces, "default-app.t"),
            ("notifications = on\n\nnotifications = off", 3, .keyTwice, "notifications"),
            ("default-app.t = a\ndefault-app.t = a", 2, .keyTwice, "default-app.t"),
            ("adapters = maybe", 1, .argumentChoice, "adapters"),
            ("adapters.a = 1", 1, .argumentChoice, "adapters.a"),
            ("adapters. = off", 1, .keyUnfinished, "adapters."),
            (
                (1...65).map { "adapters.a\($0) = off" }.joined(separator: "\n"), 65, .tooManyLines, "adapters.ID"
            ), ("history = 31d", 1, .historyForm, "history"), ("history = on", 1, .historyForm, "history"),
            ("history = 7", 1, .historyForm, "history"), ("history = -1d", 1, .historyForm, "history"),
            ("history = d", 1, .historyForm, "history"),
            ("history = 99999999999999999999d", 1, .historyForm, "history"),
            ("lan = here", 1, .argumentChoice, "lan"), ("titles = on", 1, .argumentChoice, "titles"),
            ("domains = maybe", 1, .argumentChoice, "domains"),
            ("domains.private =", 1, .domainsCount, "domains.private"),
            ("domains.private = example.com localhost", 1, .domainForm, "localhost"),
            (
                "domains.private = " + (1...65).map { "a\($0).com" }.joined(separator: " "), 1, .domainsCount,
                "domains.private"
            ), (String(repeating: "rule = ask\n", count: 257), 257, .tooManyLines, "rule"),
        ] as [(String, Int, FailureCode, Reason.Value?)])
    func mistakeIsNamedWithItsLine(text: String, line: Int, failure: FailureCode, subject: Reason.Value?) throws {
        let reason = try #require(mistake(in: text))
        #expect(reason.failure == .lineMistaken && reason.values["line"] == .count(line))
        let inner = try #require(reason.inner("mistake"))
        #expect(inner.failure == failure)
        #expect(["argument", "key", "word"].compactMap { inner.values[$0] }.first == subject)
        // The mistake has all values of its sentence.
        #expect(inner.text(on: .terminal) != nil)
    }

    @Test(
        "A comment at the end of a line is a mistake that is named",
        arguments: [
            ("notifications = on # always", FailureCode.argumentChoice), ("default-app.t = a\t# mine", .idSpaces),
            ("rule = never type=t # mail", .pairForm),
        ])
    func commentBehind(text: String, failure: FailureCode) throws {
        let comment = try #require(mistake(in: text)?.inner("mistake"))
        #expect(comment.failure == .commentBehind && comment.inner("mistake")?.failure == failure)
    }

    @Test("The first of several mistakes is named, with the lines of ten others and the number of the rest")
    func severalMistakes() {
        let values = ["line": Reason.Value.count(1), "mistake": .reason(Reason(.pairForm, ["word": "x"]))]
        #expect(mistake(in: "x\nrule = ask\ny") == Reason(.linesMistaken, values).with("others", .list(["3"])))
        let ten = Reason(.linesMistaken, values).with("others", .list((2...11).map(String.init)))
        #expect(mistake(in: "x\n" + String(repeating: "y\n", count: 10)) == ten)
        #expect(
            mistake(in: "x\n" + String(repeating: "y\n", count: 12))
                == Reason(.manyLinesMistaken, ten.values).with("more", .count(2)))
    }

    private func mistake(in text: String) -> Reason? {
        #expect(throws: Settings.Mistake.self) { try Settings(text) }?.reason
    }

    @Test("Rules can be added and removed without changing the other lines")
    func addAndRemoveRules() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let text = "# mine\nnotifications = off\nrule = ask device=desk\n\n# the end"
        try write(text)
        try file.add(Rule("never"))
        #expect(
            try file.read(naming: DeviceNames([])).settings.rules.map(\.description) == ["ask device=desk", "never"])
        try file.removeRule(1)
        #expect(
            try String(contentsOf: file.url, encoding: .utf8)
                == "# mine\nnotifications = off\n\n# the end\nrule = never\n")
        #expect(throws: BatonError.self) { try file.removeRule(2) }
        #expect(throws: BatonError.self) { try file.removeRule(0) }
    }

    @Test("If there are too many rules, the error advises using an editor, because removing a rule would fail")
    func tooManyRules() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        for (count, failure) in [(256, FailureCode.tooManyRules), (300, .tooManyRulesInFile)] {
            try write(String(repeating: "rule = ask\n", count: count))
            let error = #expect(throws: BatonError.self) { try file.add(Rule("never")) }
            #expect(error?.reason?.failure == failure)
        }
    }

    @Test("A rule is inserted before another, whose comments stay with it")
    func ruleBeforeAnother() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("notifications = off\n\n# for meetings\n# and at night\nrule = never\nrule = ask\n")
        try file.add(Rule("hide"), at: 1)
        try file.add(Rule("near"), at: 3)
        try file.add(Rule("ask app=b"), at: 5)
        #expect(
            try String(contentsOf: file.url, encoding: .utf8)
                == "notifications = off\n\nrule = hide\n# for meetings\n# and at night\nrule = never\nrule = near signal=-60\nrule = ask\nrule = ask app=b\n"
        )
        for number in [0, 7] {
            let error = #expect(throws: BatonError.self) { try file.add(Rule("never"), at: number) }
            #expect(error?.code == .notFound)
        }
    }

    @Test("Lines may end with CR and LF")
    func linesMayEndAsWindowsEndsThem() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("notifications = off\r\nrule = ask\r\nrule = never\r\n")
        #expect(try !file.read(naming: DeviceNames([])).settings.notifies)
        try file.removeRule(1)
        try file.add(Rule("near"))
        #expect(
            try String(contentsOf: file.url, encoding: .utf8)
                == "notifications = off\r\nrule = never\r\nrule = near signal=-60\n")
    }

    private static let names = DeviceNames([
        CircleMember(device: "0a1b2c3d", name: "desk"), CircleMember(device: "11111111", name: "old laptop"),
        CircleMember(device: "22222222", name: "twin"), CircleMember(device: "33333333", name: "twin"),
        CircleMember(device: "44444444", name: "0a1b2c3d"), CircleMember(device: "55555555", name: "deadbeef"),
    ])

    @Test("Device names are replaced by ids once, and the rest of the file is unchanged")
    func namesBecomeIDs() throws {
        try write(
            "# rule = never device=desk\r\n  rule =  never   device=desk\ttype=device=desk \r\nrule = ask device=desk\r\n\n"
                + "rule=near device=\"old laptop\" signal=-50\n"
                + "rule = ask \"device=old laptop\"\nrule = never device=0a1b2c3d\nrule = never device=deadbeef\n# end")
        let (settings, problems) = try file.read(naming: Self.names)
        #expect(problems.isEmpty)
        #expect(
            settings.rules.map(\.device) == ["0a1b2c3d", "0a1b2c3d", "11111111", "11111111", "0a1b2c3d", "deadbeef"])
        let after =
            "# rule = never device=desk\r\n  rule =  never   device=0a1b2c3d\ttype=device=desk \r\n"
            + "rule = ask device=0a1b2c3d\r\n\nrule=near device=11111111 signal=-50\n"
            + "rule = ask device=11111111\nrule = never device=0a1b2c3d\nrule = never device=deadbeef\n# end"
        #expect(try String(contentsOf: file.url, encoding: .utf8) == after)
        // A device that takes this name later is another device.
        let renamed = DeviceNames([CircleMember(device: "99999999", name: "desk")])
        #expect(try file.read(naming: renamed).settings == settings)
    }

    @Test("A name that no device or several devices have is reported with file and line")
    func ambiguousNames() throws {
        let text = "rule = ask\nrule = near device=twin\nrule = never device=nobody\nrule = near device=desk\n"
        try write(text)
        let (settings, found) = try file.read(naming: Self.names)
        let problems = found.map { $0.finding(naming: Self.names).reason }
        try #require(problems.count == 2)
        #expect(problems[0].values["idle"] == .count(2) && problems[1].values["named"] == .count(3))
        #expect(problems.map { $0.values["reason"]?.failure } == [.laptopAmbiguous, .laptopUnknown])
        #expect(settings.rules.map(\.device) == [nil, "twin", "nobody", "0a1b2c3d"])
        #expect(settings.rules.map(\.isInForce) == [true, false, true, true])
        #expect(
            try String(contentsOf: file.url, encoding: .utf8)
                == text.replacingOccurrences(of: "desk", with: "0a1b2c3d"))
    }

    @Test("If the file cannot be written, names stay in it, and their rules match no device")
    func unwritableNames() throws {
        // The file has the maximum size. An id is longer than the name, so not even root can
        // write the id into the file.
        let rule = "rule = near device=desk\n"
        try write(rule + "#" + String(repeating: "x", count: Settings.maximumLength - rule.utf8.count - 1))
        let (settings, found) = try file.read(naming: Self.names)
        let problems = found.map { $0.finding(naming: Self.names).reason }
        #expect(settings.rules.map(\.isInForce) == [false])
        #expect(problems.map { $0.values["unwritten"]?.failure } == [.fileFull])
    }

    @Test("A rule cannot add other lines to the file")
    func ruleBringsNoLines() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        for text in [
            "never type=a\nnotifications = off", "never device=\"a\r\nb\"", "ask type=a\u{85}b", "hide type=\0",
        ] {
            let error = #expect(throws: Rule.Mistake.self) { try Rule(text) }
            #expect(error?.reason == Reason(.ruleUnreadable))
        }
    }

    @Test("The file is created if there is none")
    func fileIsMadeWhenThereIsNone() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try file.add(Rule("never"))
        #expect(try file.read(naming: DeviceNames([])).settings.rules.count == 1)
    }

    @Test("A file keeps its permissions, a new file is readable only by the user, and a read-only file is not changed")
    func permissions() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.url.path)[.posixPermissions] as? Int
        }
        try file.add(Rule("never"))
        #expect(try mode() == 0o600)
        for permissions in [0o644, 0o640, 0o666] {
            try #require(chmod(file.url.path, mode_t(permissions)) == 0)
            try file.add(Rule("never"))
            #expect(try mode() == permissions)
        }
        try #require(chmod(file.url.path, 0o400) == 0)
        let before = try Data(contentsOf: file.url)
        let error = #expect(throws: BatonError.self) { try file.add(Rule("never")) }
        #expect(error?.reason?.inner("reason") == Reason(errno: EACCES))
        #expect(try mode() == 0o400 && Data(contentsOf: file.url) == before)
    }

    @Test("A file with a mistake is not changed, and the error names the line")
    func fileWithAMistakeIsNotChanged() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("nonsense\n")
        #expect(throws: BatonError.self) { try file.add(Rule("never")) }
        #expect(try String(contentsOf: file.url, encoding: .utf8) == "nonsense\n")
        let error = #expect(throws: BatonError.self) { try file.read(naming: DeviceNames([])).settings }
        #expect(error?.reason?.failure == .fileMistaken)
        #expect(error?.reason?.inner("mistake")?.values["line"] == .count(1))
    }

    @Test("An error names the line of a mistake in the present file, and a rule with a mistake can be removed")
    func lineAsItStands() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("rule = never type=a\nrule = never type=b\nnonsense\n")
        let changes: [@Sendable (SettingsFile) throws -> Void] = [
            { try $0.add(Rule("ask"), at: 1) }, { try $0.add(Rule("ask")) }, { try $0.removeRule(1) },
            { try $0.set("notifications", to: "on") },
        ]
        for change in changes {
            let error = #expect(throws: BatonError.self) { try change(file) }
            let mistake = Settings.mistake(3, .pairForm, ["word": "nonsense"])
            #expect(error?.reason?.values["mistake"] == .reason(mistake), "\(String(describing: error))")
        }
        try write("rule = ask\nrule = nonsense\n")
        try file.removeRule(2)
        #expect(try String(contentsOf: file.url, encoding: .utf8) == "rule = ask\n")
    }

    @Test("A path that is not a file is refused, and so is a file that is too large or not text")
    func refusedFiles() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write(String(repeating: "#", count: 65_537))
        #expect(throws: BatonError.self) { try file.read(naming: DeviceNames([])).settings }
        try Data([0xff, 0xfe]).write(to: file.url)
        #expect(throws: BatonError.self) { try file.read(naming: DeviceNames([])).settings }
        try FileManager.default.removeItem(at: file.url)
        #expect(mkfifo(file.url.path, 0o600) == 0)
        #expect(throws: BatonError.self) { try file.read(naming: DeviceNames([])).settings }
    }

    @Test("A line that is not UTF-8 is reported with its number, and the others are read")
    func notUTF8() throws {
        try FileManager.default.createDirectory(
            at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try Data(
            "rule = hide type=diary\r\n# caf\u{e9}\nadapters = off\n".utf8 + [0xE9, 0x0A] + Data("rule = never".utf8)
        )
        .write(to: file.url)
        let error = #expect(throws: BatonError.self) { try file.read(naming: DeviceNames([])) }
        #expect(error?.reason == Reason(.fileNotText, ["file": .text(file.url.path), "line": .count(4)]))
        #expect(throws: BatonError.self) { try file.add(try Rule("never")) }
        let understood = try #require(file.contents(naming: DeviceNames([])).reading).settings
        #expect(understood.rules == [try Rule("hide type=diary"), try Rule("never")])
        #expect(understood.adapters.areAllOff)
    }

    @Test("Names become ids despite a mistake in another line, but not if a line is not UTF-8")
    func namesBesideAMistake() throws {
        let sofa = DeviceNames([CircleMember(device: "0a1b2c3d", name: "sofa")])
        defer { try? FileManager.default.removeItem(at: root) }
        try write("rule = near device=sofa\nfoo = 1\nrule = never device=den\n")
        let understood = try #require(file.contents(naming: sofa).reading)
        let text = "rule = near device=0a1b2c3d\nfoo = 1\nrule = never device=den\n"
        #expect(try String(contentsOf: file.url, encoding: .utf8) == text)
        #expect(understood.settings.rules.map(\.device) == ["0a1b2c3d", "den"])
        #expect(understood.problems == [.name("den", line: 3, isInForce: true)])
        let bytes = Data("rule = near device=sofa\n".utf8 + [0xE9, 0x0A])
        try bytes.write(to: file.url)
        let problems = try #require(file.contents(naming: sofa).reading).problems
        #expect(try Data(contentsOf: file.url) == bytes)
        guard case .unwritten(let reason)? = problems.first else { throw Missing(what: "what could not be written") }
        #expect(reason.failure == .fileNotText)
    }

    @Test("An unreadable file yields no settings, and a missing file gives the default settings")
    func unreadable() throws {
        #expect(file.contents(naming: DeviceNames([])).reading?.settings == Settings())
        try FileManager.default.createDirectory(at: file.url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        #expect(file.contents(naming: DeviceNames([])).reading == nil)
        try FileManager.default.removeItem(at: file.url)
        try Data(repeating: 0x23, count: Settings.maximumLength + 1).write(to: file.url)
        #expect(file.contents(naming: DeviceNames([])).reading == nil)
    }

    @Test("If the file is a link, its target is written even if it does not exist yet, and the link stays")
    func linkStays() throws {
        try withDirectory { root in
            let file = root.appending(path: "baton.conf")
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "kept/elsewhere.conf")
            for count in 1...2 {
                try SettingsFile(file).add(try Rule("never"))
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "kept/elsewhere.conf")
                let text = try String(contentsOf: root.appending(path: "kept/elsewhere.conf"), encoding: .utf8)
                #expect(text == String(repeating: "rule = never\n", count: count))
            }
        }
    }

    @Test("The configuration is watched in the directory of each of its links")
    func watchedDirectories() throws {
        let root = URL(filePath: "/tmp/bdw-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        defer { try? FileManager.default.removeItem(at: root) }
        for directory in ["config", "a", "b"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: directory), withIntermediateDirectories: true)
        }
        let file = root.appending(path: "config/baton.conf")
        #expect(SettingsFile(file).directories == ["\(root.path)/config"])
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "../a/link")
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "a/link").path, withDestinationPath: "\(root.path)/b/baton.conf")
        // The target does not exist yet.
        #expect(SettingsFile(file).directories == ["config", "a", "b"].map { "\(root.path)/\($0)" })
        // The links form a cycle.
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "b/baton.conf").path, withDestinationPath: file.path)
        #expect(SettingsFile(file).directories.count == 3)
    }
}

extension Reason {
    /// The reason that is the value of a place.
    fileprivate func inner(_ place: String) -> Reason? {
        if case .reason(let reason)? = values[place] { reason } else { nil }
    }
}
