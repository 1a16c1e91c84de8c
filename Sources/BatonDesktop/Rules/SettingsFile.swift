// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries
public import FoundationEssentials

/// The file with the ``Settings``: `$XDG_CONFIG_HOME/baton/baton.conf`. Changes keep all other
/// lines and comments as they are.
public struct SettingsFile: Sendable {
    /// Settings, and the problems with device names that stay in their rules.
    public typealias Reading = (settings: Settings, problems: [SettingsProblem])

    /// The location of the file.
    public let url: URL

    /// Creates a value for a file, by default the user's.
    public init(_ url: URL = SettingsFile.standard) { self.url = url }

    /// The location of the user's file.
    public static var standard: URL { BaseDirectories.configuration.appending(path: "baton/baton.conf") }

    /// The directories to watch for changes of the file. If the file is a symbolic link, the
    /// directories of all targets are included.
    var directories: [String] { file.directories }

    private var file: ConfigurationFile {
        ConfigurationFile(url: url, limit: Settings.maximumLength, remedy: "remove a rule first")
    }

    /// Reads the settings, or the default ones if there is no file. It replaces device names in
    /// rules with ids, also in the file.
    ///
    /// - Parameter names: The names of the other devices in the circle.
    /// - Returns: The settings, and the problems with names that stay.
    /// - Throws: ``BatonError`` with a message that names the file and the line.
    public func read(naming names: DeviceNames) throws -> Reading {
        let text = try file.text()
        do {
            _ = try Settings(text)
        } catch {
            throw BatonError(.failed, "\(url.path), \(error)")
        }
        return settings(understoodOf: text, naming: names)
    }

    /// Reads the valid lines, or returns nil if the file cannot be read at all. It replaces device
    /// names with ids, even in a file with mistakes.
    func understood(naming names: DeviceNames) -> Reading? {
        guard let lines = try? file.lines() else { return nil }
        let texts = lines.map { String(bytes: $0, encoding: .utf8) }
        return settings(
            understoodOf: texts.map { $0 ?? "" }.joined(separator: "\n"), naming: names,
            isWritable: !texts.contains(nil))
    }

    /// - Parameter isWritable: Whether the text is the complete file, so that it may be written
    ///   back.
    private func settings(
        understoodOf text: String, naming names: DeviceNames, isWritable: Bool = true
    ) -> Reading {
        let named = NamedRules(text, naming: names)
        let problems = named.unknown.map { unknown in
            SettingsProblem.name(
                unknown.name, place: "\(url.path), line \(unknown.line)", isInForce: unknown.isInForce)
        }
        guard named.text != text else { return (Settings(understoodOf: text), problems) }
        do {
            guard isWritable else { throw BatonError(.failed, "\(url.path) has a line that is no UTF-8") }
            try file.replace(by: named.text)
            return (Settings(understoodOf: named.text), problems)
        } catch {
            // Warn, because another device may have that name at the next start.
            let advice =
                "\(error); its rules name devices that could not be put into ids: write them there as device=ID"
            return (Settings(understoodOf: text), problems + [.unwritten(advice)])
        }
    }

    /// Adds a rule, by default after all others.
    ///
    /// - Parameter number: The position of the rule, from 1. Comments directly above the rule that
    ///   had this position stay with that rule.
    /// - Throws: ``BatonError``. Nothing has changed in that case.
    public func add(_ rule: Rule, at number: Int? = nil) throws {
        let before = try file.text()
        var lines = Settings.lines(before)
        let rules = Self.ruleLines(in: lines)
        guard rules.count < Settings.maximumRules else {
            throw BatonError(
                .limitReached,
                rules.count > Settings.maximumRules
                    ? "\(url.path) has \(rules.count) rules, where \(Settings.maximumRules) may be; take the others out of it in an editor"
                    : "there are \(rules.count) rules, as many as there may be; remove one first")
        }
        let number = number ?? rules.count + 1
        guard (1...rules.count + 1).contains(number) else {
            throw BatonError(
                .notFound,
                "a rule can become number 1 to \(rules.count + 1), not \(number); see 'baton rules'")
        }
        guard number <= rules.count else {
            let isEnded = before.isEmpty || before.unicodeScalars.last == "\n"
            return try write(before + (isEnded ? "" : "\n") + "rule = \(rule)\n", over: before)
        }
        var index = rules[number - 1]
        while index > 0, Settings.isComment(lines[index - 1]) { index -= 1 }
        lines.insert("rule = \(rule)", at: index)
        try write(lines.joined(separator: "\n"), over: before)
    }

    /// Removes a rule.
    ///
    /// - Parameter number: The position of the rule, from 1.
    /// - Throws: ``BatonError``. Nothing has changed in that case.
    public func removeRule(_ number: Int) throws {
        let before = try file.text()
        var lines = Settings.lines(before)
        let rules = Self.ruleLines(in: lines)
        guard rules.indices.contains(number - 1) else {
            throw BatonError(.notFound, "there is no rule \(number); 'baton rules' lists those there are")
        }
        lines.remove(at: rules[number - 1])
        try write(lines.joined(separator: "\n"), over: before)
    }

    /// Sets the value of a key that may occur once. It replaces the key's line, or adds one at the
    /// end. An empty value removes the line.
    ///
    /// - Throws: ``BatonError``. Nothing has changed in that case.
    public func set(_ key: String, to value: String) throws {
        let before = try file.text()
        var lines = Settings.lines(before)
        let line = "\(key) = \(value)"
        if let index = lines.firstIndex(where: { (try? Settings.pair($0))??.key == key }) {
            if value.isEmpty { lines.remove(at: index) } else { lines[index] = line }
            return try write(lines.joined(separator: "\n"), over: before)
        }
        guard !value.isEmpty else { return }
        let isEnded = before.isEmpty || before.unicodeScalars.last == "\n"
        try write(before + (isEnded ? "" : "\n") + line + "\n", over: before)
    }

    /// Returns the indices of the lines that are rules.
    private static func ruleLines(in lines: [String]) -> [Int] {
        lines.indices.filter { (try? Settings.pair(lines[$0]))??.key == "rule" }
    }

    /// Replaces the file if the new text is valid. If the old text has a mistake already, the error
    /// names the line there.
    private func write(_ text: String, over before: String) throws {
        do { _ = try Settings(text) } catch {
            do { _ = try Settings(before) } catch {
                throw BatonError(.failed, "nothing was changed; mend first what is wrong: \(url.path), \(error)")
            }
            throw BatonError(.failed, "\(url.path), \(error)")
        }
        try file.replace(by: text)
    }
}
