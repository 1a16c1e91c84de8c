// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// The settings that hold, and what is wrong with those that stand in the file.
struct SettingsInForce: Sendable {
    /// The last that could be read.
    private(set) var settings = Settings()
    /// What is wrong with the file, and what is in force then.
    private var mistake: String?
    /// Why nothing of the file is known; nil where something is.
    private(set) var unreadable: String?
    private var wasEverRead = false
    /// What is wrong with names of devices in rules.
    private var problems: [SettingsProblem] = []
    /// What was said of rules about devices that are not in the circle.
    private var toldStrays: [String] = []

    /// Reads the file. Returns what was not said of it before, one line each.
    mutating func read(_ file: SettingsFile, naming names: DeviceNames) -> [String] {
        do {
            return wasRead(try file.read(naming: names), naming: names)
        } catch {
            // In force or not, names in it are put into ids while they are known to be meant.
            return couldNotBeRead(error, naming: names, understood: file.understood(naming: names))
        }
    }

    /// The file was read.
    ///
    /// - Parameter names: What the other devices are called.
    /// - Returns: What was not said of it before, one line each.
    mutating func wasRead(_ read: SettingsFile.Reading, naming names: DeviceNames) -> [String] {
        (mistake, wasEverRead) = (nil, true)
        return take(read, naming: names)
    }

    /// The file could not be read, or has a mistake. What was configured before stays in force; at
    /// the beginning there is nothing before, and what can be understood is: a mistake in one line
    /// is not to show what another hides.
    ///
    /// - Parameters:
    ///   - names: What the other devices are called.
    ///   - understood: What can be understood of the file; nil where it cannot be read at all: it
    ///     may hide anything, and so all is hidden.
    /// - Returns: What was not said of it before, one line each.
    mutating func couldNotBeRead(
        _ error: any Error, naming names: DeviceNames, understood: SettingsFile.Reading?
    ) -> [String] {
        let news = mistake?.hasPrefix("\(error); ") == true ? [] : ["\(error)"]
        if wasEverRead {
            mistake = "\(error); what was configured before is in force"
        } else if let understood {
            mistake = "\(error); what can be understood of the other lines is in force"
            return news + take(understood, naming: names)
        } else {
            (settings, problems, toldStrays) = (.closed, [], [])
            mistake = "\(error); until it can be read, nothing is offered, and no offer is shown"
            unreadable = mistake
        }
        return news
    }

    /// Settings are in force from now on.
    ///
    /// - Returns: What was not said of them before.
    private mutating func take(_ read: SettingsFile.Reading, naming names: DeviceNames) -> [String] {
        let strays = read.settings.strayRules(among: names)
        let news =
            read.problems.filter { !problems.contains($0) }.map { $0.text(naming: names) }
            + strays.filter { !toldStrays.contains($0) }
        (settings, problems, toldStrays, unreadable) = (read.settings, read.problems, strays, nil)
        return news
    }

    /// Why an activity of this device is kept to itself, in words for whoever publishes it; nil
    /// where it is not.
    func whyHidden(type: String, app: String?) -> String? {
        unreadable
            ?? settings.hidingRule(type: type, app: app).map {
                "the rule '\($0)' keeps it on this device; see 'baton rules'"
            }
    }

    /// What is wrong now: devices come into the circle and leave it while the file stays as it is.
    /// Where what was configured before is in force, its lines and numbers are not the file's: they
    /// are told of once it can be read.
    ///
    /// - Parameter names: What the other devices are called.
    func findings(naming names: DeviceNames) -> [Finding] {
        let others = problems.map { $0.text(naming: names) } + settings.strayRules(among: names)
        let texts = mistake.map { [$0] + (wasEverRead ? [] : others) } ?? others
        return texts.map { Finding(.settingsMistake, $0) }
    }
}
