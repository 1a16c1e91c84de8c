// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Testing

/// Tests that Baton gives the same answers as GIO. Baton and GIO read the same generated files,
/// with all kinds of errors.
@Suite struct GioTests {
    /// The number of generated desktops. Each desktop has about ten entries and as many lists.
    private static let worlds = 150

    @Test("GIO and Baton know the same apps, names, icons, command lines and defaults", .timeLimit(.minutes(10)))
    func sameAnswers() throws {
        // Set the seed to repeat a failure.
        let said = ProcessInfo.processInfo.environment["BATON_TEST_SEED"].flatMap { UInt64($0) }
        let seed = said ?? UInt64.random(in: 0...UInt64.max)
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-gio-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let worlds = (0..<Self.worlds).map { DesktopWorld(seed: seed &+ UInt64($0) &* 2) }
        for (number, world) in worlds.enumerated() { try world.write(in: root.appending(path: "\(number)")) }
        let answers = try Gio.answers(about: worlds, in: root)
        for (number, (world, answer)) in zip(worlds, answers).enumerated() {
            let differences = Self.differences(world.index(in: root.appending(path: "\(number)")), answer)
            #expect(differences.isEmpty, "BATON_TEST_SEED=\(seed), world \(number)")
        }
    }

    /// Returns the differences between Baton's and GIO's answers.
    static func differences(_ index: DesktopEntryIndex, _ answer: Gio.Answer) -> [String] {
        answer.apps.sorted { $0.key < $1.key }.flatMap { differences(index.entries[$0], of: $0, $1) }
            + answer.types.sorted { $0.key < $1.key }.flatMap { differences(index.mimeDefaults, for: $0, $1) }
    }

    private static func differences(_ entry: DesktopEntry?, of identifier: String, _ app: Gio.App?) -> [String] {
        // Baton ignores an app that cannot be started, but may use an entry in a later directory.
        guard let app, app.canBeStarted else {
            return entry == nil || app != nil ? [] : ["\(identifier): no app for GIO"]
        }
        guard let entry else { return ["\(identifier): no app for Baton"] }
        let name = app.name.flatMap { $0.isEmpty ? nil : $0 } ?? identifier
        let icon = app.icon.flatMap { $0.isEmpty ? nil : $0 }
        var differences: [String] = []
        func compare(_ what: String, _ ours: String?, _ theirs: String?) {
            if ours.map({ Array($0.utf8) }) != theirs.map({ Array($0.utf8) }) {
                differences.append("\(identifier): \(what) \(ours ?? "-") for Baton, \(theirs ?? "-") for GIO")
            }
        }
        compare("name", entry.name, name)
        compare("icon", entry.icon.flatMap { $0.isEmpty ? nil : $0 }, icon)
        compare("terminal", "\(entry.needsTerminal)", "\(app.isTerminal)")
        if let words = app.words, app.name == name {
            compare("words", entry.arguments?.joined(separator: "\0"), words.joined(separator: "\0"))
        }
        return differences
    }

    private static func differences(_ defaults: MimeDefaults, for type: String, _ kind: Gio.Kind) -> [String] {
        func identifier(_ name: String) -> String { String(name.dropLast(".desktop".count)) }
        let ours = defaults.application(for: type)
        let usual = kind.usual.map(identifier)
        guard kind.usual == nil || kind.isUsualAnApp else {
            // GIO also opens a type with a deleted app.
            return ours == usual ? ["\(type): \(usual ?? "") is no app"] : []
        }
        guard ours == usual else { return ["\(type): \(ours ?? "-") for Baton, \(usual ?? "-") for GIO"] }
        let all = (usual.map { [$0] } ?? []) + kind.recommended.map(identifier).filter { $0 != usual }
        let known = defaults.applications(for: type)
        return known == all ? [] : ["\(type): \(known) for Baton, \(all) for GIO"]
    }
}
