// SPDX-License-Identifier: Apache-2.0

import Diagnosis

/// The state of a unit of the user's systemd.
struct UserUnit: Hashable {
    /// Whether the unit starts with the session, or `nil` if systemd does not know.
    let isEnabled: Bool?
    /// How often systemd restarted the unit after a failure.
    let restarts: Int

    /// Parses the output of `systemctl show`.
    init(parsing text: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[line[..<equals]] = line[line.index(after: equals)...]
        }
        let isKnown = values["LoadState"] == "loaded"
        isEnabled =
            switch values["UnitFileState"] {
            case "enabled", "enabled-runtime", "static", "alias", "linked": isKnown ? true : nil
            case "disabled": isKnown ? false : nil
            default: nil
            }
        restarts = values["NRestarts"].flatMap { Int($0) } ?? 0
    }

    /// Returns the state of batond's unit, or `nil` if the session has no systemd.
    static func batond() async throws -> UserUnit? {
        let properties = "LoadState,UnitFileState,NRestarts"
        return try await CommandOutput.of("systemctl --user show --property=\(properties) batond.service")
            .map(UserUnit.init(parsing:))
    }

    var findings: [Finding] {
        var findings: [Finding] = []
        if isEnabled == false {
            findings.append(Finding(.daemonNotEnabled, command: "systemctl --user enable --now batond"))
        }
        if restarts > 0 {
            findings.append(
                Finding(.daemonRestarted, ["count": .count(restarts)], command: "journalctl --user -u batond"))
        }
        return findings
    }
}
