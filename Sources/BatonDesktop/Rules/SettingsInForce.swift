// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Wording

/// The settings in force, and the problems with the settings in the file.
struct SettingsInForce: Sendable {
    private(set) var settings = Settings()
    /// The settings that are in force while the file has a mistake.
    private enum InForce: String {
        /// The settings that were read before.
        case former
        /// The settings on the lines without mistakes.
        case partly
        /// Settings that hide everything, because the file could not be read at all.
        case unreadable
    }

    /// The mistake in the file, or nil if there is none.
    private var mistake: (text: String, inForce: InForce)?
    private var wasEverRead = false
    /// The problems with device names in rules.
    private var problems: [SettingsProblem] = []
    /// The warnings about devices that are not in the circle, which were reported already.
    private var toldStrays: [String] = []

    /// Reads the file. Returns the new problems, one line each.
    mutating func read(_ file: SettingsFile, naming names: DeviceNames) -> [String] {
        do {
            return wasRead(try file.read(naming: names), naming: names)
        } catch {
            // Replace names with ids even in a file with mistakes, while they still mean the right
            // devices.
            return couldNotBeRead(error, naming: names, understood: file.understood(naming: names))
        }
    }

    /// Records that the file was read.
    ///
    /// - Parameter names: The names of the other devices.
    /// - Returns: The new problems, one line each.
    mutating func wasRead(_ read: SettingsFile.Reading, naming names: DeviceNames) -> [String] {
        (mistake, wasEverRead) = (nil, true)
        return take(read, naming: names)
    }

    /// Records that the file could not be read or has a mistake.
    ///
    /// The former settings stay in force. At the start there are none. Then the valid lines take
    /// effect, because a mistake in one line must not show what another line hides.
    ///
    /// - Parameters:
    ///   - names: The names of the other devices.
    ///   - understood: The valid lines of the file, or nil if it cannot be read at all. Such a file
    ///     may hide anything, so everything is hidden.
    /// - Returns: The new problems, one line each.
    mutating func couldNotBeRead(
        _ error: any Error, naming names: DeviceNames, understood: SettingsFile.Reading?
    ) -> [String] {
        let text = Self.text(error)
        let news = mistake?.text == text ? [] : ["\(error)"]
        mistake = (text, wasEverRead ? .former : understood == nil ? .unreadable : .partly)
        if !wasEverRead, let understood {
            return news + take(understood, naming: names)
        } else if !wasEverRead {
            (settings, problems, toldStrays) = (.closed, [], [])
        }
        return news
    }

    /// Returns the mistake in the file, for a sentence that says which settings are in force.
    private static func text(_ error: any Error) -> String {
        guard let finding = (error as? BatonError)?.finding else { return "\(error)" }
        if case .text(let file)? = finding.reason.values["file"],
            case .text(let mistake)? = finding.reason.values["mistake"]
        {
            return "\(file), \(mistake)"
        }
        return String(finding.inWords(on: .terminal, in: .english).sentence.dropLast())
    }

    /// Puts settings in force.
    ///
    /// - Returns: The new problems, one line each.
    private mutating func take(_ read: SettingsFile.Reading, naming names: DeviceNames) -> [String] {
        let strays = read.settings.strayRules(among: names)
        let news =
            read.problems.filter { !problems.contains($0) }.map { $0.text(naming: names) }
            + strays.filter { !toldStrays.contains($0) }
        (settings, problems, toldStrays) = (read.settings, read.problems, strays)
        return news
    }

    /// Returns why an activity of this device is hidden, for its publisher, or nil.
    func whyHidden(type: String, app: String?) -> Reason? {
        unreadable?.reason
            ?? settings.hidingRule(type: type, app: app).map { Reason(.hiddenByRule, ["rule": .text("\($0)")]) }
    }

    /// Returns the current problems. They change when devices join or leave the circle, even if the
    /// file does not.
    ///
    /// While former settings are in force, their lines and numbers do not match the file. Problems
    /// in the file are reported once it can be read again.
    ///
    /// - Parameter names: The names of the other devices.
    func findings(naming names: DeviceNames) -> [Finding] {
        let others = problems.map { $0.text(naming: names) } + settings.strayRules(among: names)
        guard let mistake else { return others.map(Self.finding) }
        return [finding(mistake)]
            + (wasEverRead ? [] : others.map(Self.finding))
    }

    /// Returns the finding about one mistake that the daemon ignores.
    static func finding(_ mistake: String) -> Finding { Finding(.settingsMistake, ["mistake": .text(mistake)]) }

    /// Why the file could not be read at all; nil if at least some of its lines are known.
    var unreadable: Finding? {
        guard let mistake, mistake.inForce == .unreadable else { return nil }
        return finding(mistake)
    }

    private func finding(_ mistake: (text: String, inForce: InForce)) -> Finding {
        Finding(.settingsMistake, [mistake.inForce.rawValue: .text(mistake.text)])
    }
}
