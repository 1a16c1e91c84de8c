// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries
import Diagnosis
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
        ConfigurationFile(url: url, limit: Settings.maximumLength)
    }

    /// The contents of the file at one time.
    enum Contents {
        case valid(Reading)
        /// The file has a mistake or cannot be read. Its valid lines follow, or nil if it cannot be
        /// read at all.
        case mistaken(BatonError, understood: Reading?)

        /// The valid lines, or nil if the file cannot be read at all.
        var reading: Reading? {
            switch self {
            case .valid(let reading): reading
            case .mistaken(_, let understood): understood
            }
        }
    }

    /// Reads the file once, because it may be replaced at any time. Also replaces device names in
    /// rules with ids, even in the file, and even if it has mistakes. No file means the default
    /// settings.
    ///
    /// - Parameter names: The names of the other devices in the circle.
    func contents(naming names: DeviceNames) -> Contents {
        let lines: [ArraySlice<UInt8>]
        do { lines = try file.lines() } catch { return .mistaken(BatonError(anyError: error), understood: nil) }
        let texts = lines.map { String(bytes: $0, encoding: .utf8) }
        let foreign = texts.firstIndex(of: nil).map { $0 + 1 }
        let text = texts.map { $0 ?? "" }.joined(separator: "\n")
        let reading = settings(understoodOf: text, naming: names, foreign: foreign)
        if let foreign { return .mistaken(file.notText(foreign), understood: reading) }
        do { _ = try Settings(text) } catch { return .mistaken(mistaken(.fileMistaken, error), understood: reading) }
        return .valid(reading)
    }

    /// Reads the settings as ``contents(naming:)`` does.
    ///
    /// - Returns: The settings, and the problems with names that stay.
    /// - Throws: ``BatonError`` with a message that names the file and the line.
    public func read(naming names: DeviceNames) throws -> Reading {
        switch contents(naming: names) {
        case .valid(let reading): return reading
        case .mistaken(let error, _): throw error
        }
    }

    /// - Parameter foreign: The number of a line that is not UTF-8, or nil if there is none. The
    ///   text lacks that line, so the text must not be written back.
    private func settings(
        understoodOf text: String, naming names: DeviceNames, foreign: Int? = nil
    ) -> Reading {
        let named = NamedRules(text, naming: names)
        let problems = named.unknown.map { unknown in
            SettingsProblem.name(unknown.name, line: unknown.line, isInForce: unknown.isInForce)
        }
        guard named.text != text else { return (Settings(understoodOf: text), problems) }
        do {
            if let line = foreign { throw file.notText(line) }
            try file.replace(by: named.text)
            return (Settings(understoodOf: named.text), problems)
        } catch {
            // Warn, because another device may have that name at the next start.
            return (Settings(understoodOf: text), problems + [.unwritten(BatonError.reason(error))])
        }
    }

    /// Adds a rule, by default after all others.
    ///
    /// - Parameter number: The position of the rule, from 1. Comments directly above the rule that
    ///   had this position stay with that rule.
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func add(_ rule: Rule, at number: Int? = nil) throws {
        let before = try file.text()
        var lines = Settings.lines(before)
        let rules = Self.ruleLines(in: lines)
        guard rules.count < Settings.maximumRules else {
            guard rules.count > Settings.maximumRules else {
                throw BatonError(.limitReached, .tooManyRules, ["count": .count(rules.count)])
            }
            throw BatonError(
                .limitReached, .tooManyRulesInFile,
                [
                    "file": .text(url.path), "count": .count(rules.count), "limit": .count(Settings.maximumRules),
                ])
        }
        let number = number ?? rules.count + 1
        guard (1...rules.count + 1).contains(number) else {
            throw BatonError(
                .notFound, .ruleNumber, ["number": .count(number), "greatest": .count(rules.count + 1)])
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
    /// - Throws: ``BatonError``. After an error, nothing has changed.
    public func removeRule(_ number: Int) throws {
        let before = try file.text()
        var lines = Settings.lines(before)
        let rules = Self.ruleLines(in: lines)
        guard rules.indices.contains(number - 1) else {
            throw BatonError(.notFound, .ruleMissing, ["number": .count(number)])
        }
        lines.remove(at: rules[number - 1])
        try write(lines.joined(separator: "\n"), over: before)
    }

    /// Sets the value of a key that may occur once. Replaces the key's line, or adds one at the
    /// end. An empty value removes the line.
    ///
    /// - Throws: ``BatonError``. After an error, nothing has changed.
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

    private func mistaken(_ failure: FailureCode, _ mistake: Settings.Mistake) -> BatonError {
        BatonError(.failed, failure, ["file": .text(url.path), "mistake": .reason(mistake.reason)])
    }

    /// Replaces the file if the new text is valid. If the old text already has a mistake, the error
    /// names the line of that mistake.
    private func write(_ text: String, over before: String) throws {
        do { _ = try Settings(text) } catch {
            do { _ = try Settings(before) } catch {
                throw mistaken(.fileMistakenBefore, error)
            }
            throw mistaken(.changeMistaken, error)
        }
        try file.replace(by: text)
    }
}
