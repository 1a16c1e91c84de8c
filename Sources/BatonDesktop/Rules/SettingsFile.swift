// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries
public import Foundation

/// The file that holds the ``Settings``: `$XDG_CONFIG_HOME/baton/baton.conf`. What it holds besides rules, comments too, is left as it is.
public struct SettingsFile: Sendable {
    /// Where it is.
    public let url: URL

    /// The file at a place, the user's unless it is said.
    public init(_ url: URL = SettingsFile.standard) { self.url = url }

    /// The user's.
    public static var standard: URL { BaseDirectories.configuration.appending(path: "baton/baton.conf") }

    /// Where something changes when the file does: its directory, and, where it is a link, those of all that it leads to.
    var directories: [String] {
        var (file, directories) = (url, [url.deletingLastPathComponent().path])
        // As many links as Linux follows.
        for _ in 0..<40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else { break }
            file = URL(filePath: target, relativeTo: file.deletingLastPathComponent()).standardizedFileURL
            let directory = file.deletingLastPathComponent().path
            if !directories.contains(directory) { directories.append(directory) }
        }
        return directories
    }

    /// The settings; those without any configuration when there is no file. Names of devices in rules are put into ids, also in the file.
    ///
    /// - Parameter names: What the other devices of the circle are called.
    /// - Returns: The settings, and what is wrong with names that stay: one line each, with file and line.
    /// - Throws: ``BatonBusError`` with `invalidArgument`, whose message names file and line.
    public func read(naming names: DeviceNames) throws -> (settings: Settings, problems: [String]) {
        do {
            let text = try text()
            let settings = try Settings(text)
            let named = NamedRules(text, naming: names)
            let problems = named.problems.map { "\(url.path), line \($0.line): \($0.reason)" }
            guard named.text != text else { return (settings, problems) }
            do {
                try write(named.text)
                return (try Settings(named.text), problems)
            } catch {
                // Not to be found out anew at each start: by then another device may be called so.
                let advice =
                    "\(error); its rules name devices that could not be put into ids: write them there as device=ID"
                return (settings, problems + [advice])
            }
        } catch let mistake as Settings.Mistake {
            throw BatonBusError(.invalidArgument, "\(url.path), \(mistake)")
        }
    }

    /// Adds a rule after all others.
    ///
    /// - Throws: ``BatonBusError``; nothing has changed then.
    public func add(_ rule: Rule) throws {
        let before = try text()
        let isEnded = before.isEmpty || before.unicodeScalars.last == "\n"
        try write(before + (isEnded ? "" : "\n") + "rule = \(rule)\n")
    }

    /// Removes a rule.
    ///
    /// - Parameter number: Its number among the rules, from 1.
    /// - Throws: ``BatonBusError``; nothing has changed then.
    public func removeRule(_ number: Int) throws {
        var lines = Settings.lines(try text())
        let rules = lines.indices.filter { (try? Settings.pair(lines[$0]))??.key == "rule" }
        guard rules.indices.contains(number - 1) else {
            throw BatonBusError(.notFound, "there is no rule \(number); 'baton rules' lists those there are")
        }
        lines.remove(at: rules[number - 1])
        try write(lines.joined(separator: "\n"))
    }

    private func text() throws -> String {
        let data: Data
        do {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
            else { return "" }
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                attributes[.size] as? Int ?? .max <= Settings.maximumLength
            else { throw BatonBusError(.invalidArgument, "\(url.path) is no file, or larger than 64 KiB") }
            data = try Data(contentsOf: url)
        } catch let error as CocoaError {
            throw BatonBusError(.failed, "\(url.path) cannot be read: \(error.localizedDescription)")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw BatonBusError(.invalidArgument, "\(url.path) is no UTF-8")
        }
        return text
    }

    /// Replaces the file as a whole, and only by one that can be read again.
    private func write(_ text: String) throws {
        do {
            _ = try Settings(text)
            guard text.utf8.count <= Settings.maximumLength else {
                throw BatonBusError(.limitReached, "\(url.path) would be larger than 64 KiB; remove a rule first")
            }
            let target = url.resolvingSymlinksInPath()
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(text.utf8).write(to: target, options: .atomic)
        } catch let mistake as Settings.Mistake {
            throw BatonBusError(.invalidArgument, "\(url.path), \(mistake)")
        } catch let error as CocoaError {
            throw BatonBusError(.failed, "\(url.path) cannot be written: \(error.localizedDescription)")
        }
    }
}
