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
    private var mistake: (value: Reason.Value, inForce: InForce)?
    private var wasEverRead = false
    /// The problems with device names in rules.
    private var problems: [SettingsProblem] = []
    /// The findings about devices that are not in the circle, which were reported already.
    private var toldStrays: [Finding] = []

    /// Reads the file. Returns the new problems, one line each.
    mutating func read(_ file: SettingsFile, naming names: DeviceNames) -> [String] {
        switch file.contents(naming: names) {
        case .valid(let reading): wasRead(reading, naming: names)
        case .mistaken(let error, let understood): couldNotBeRead(error, naming: names, understood: understood)
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
    /// The previous settings stay in force. At the start there are no previous settings. Then the
    /// valid lines take effect, because a mistake in one line must not show what another line
    /// hides.
    ///
    /// - Parameters:
    ///   - names: The names of the other devices.
    ///   - understood: The valid lines of the file, or nil if it cannot be read at all. Such a file
    ///     may hide anything, so everything is hidden.
    /// - Returns: The new problems, one line each.
    mutating func couldNotBeRead(
        _ error: any Error, naming names: DeviceNames, understood: SettingsFile.Reading?
    ) -> [String] {
        let value = Self.value(error)
        let news = mistake?.value == value ? [] : ["\(error)"]
        mistake = (value, wasEverRead ? .former : understood == nil ? .unreadable : .partly)
        if !wasEverRead, let understood {
            return news + take(understood, naming: names)
        } else if !wasEverRead {
            (settings, problems, toldStrays) = (.closed, [], [])
        }
        return news
    }

    /// Returns the mistake in the file, or the reason why it cannot be read.
    private static func value(_ error: any Error) -> Reason.Value {
        (error as? BatonError)?.reason?.values["mistake"] ?? BatonError.reason(error)
    }

    /// Puts settings in force.
    ///
    /// - Returns: The new problems, one line each.
    private mutating func take(_ read: SettingsFile.Reading, naming names: DeviceNames) -> [String] {
        let strays = read.settings.strayRules(among: names)
        let news =
            read.problems.filter { !problems.contains($0) }.map { $0.finding(naming: names) }
            + strays.filter { !toldStrays.contains($0) }
        (settings, problems, toldStrays) = (read.settings, read.problems, strays)
        return news.map { $0.text(on: .terminal, in: .english) }
    }

    /// Returns the reason why an activity of this device is hidden, or nil if it is not hidden. The
    /// reason is sent to the publisher.
    ///
    /// - Parameter names: Further ids by which a rule may name the app.
    func whyHidden(type: String, app: String?, names: OwnAppNames = OwnAppNames()) -> Reason? {
        unreadable?.reason
            ?? settings.hidingRule(type: type, app: app, or: names.ids(ofType: type, app: app)).map {
                Reason(.hiddenByRule, ["rule": .text("\($0)")])
            }
    }

    /// Returns the current problems. The problems change when devices join or leave the circle,
    /// even if the file does not.
    ///
    /// While previous settings are in force, their lines and numbers do not match the file.
    /// Problems in the file are reported once it can be read again.
    ///
    /// - Parameter names: The names of the other devices.
    func findings(naming names: DeviceNames) -> [Finding] {
        let others = problems.map { $0.finding(naming: names) } + settings.strayRules(among: names)
        guard let mistake else { return others }
        return [finding(mistake)] + (wasEverRead ? [] : others)
    }

    /// The reason why everything is hidden: the file could not be read at all, and no earlier
    /// settings are in force. Nil otherwise.
    var unreadable: Finding? {
        guard let mistake, mistake.inForce == .unreadable else { return nil }
        return finding(mistake)
    }

    private func finding(_ mistake: (value: Reason.Value, inForce: InForce)) -> Finding {
        Finding(.settingsMistake, [mistake.inForce.rawValue: mistake.value])
    }
}
