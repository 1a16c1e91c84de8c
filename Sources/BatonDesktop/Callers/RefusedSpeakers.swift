// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// The programs for which adapters were not let speak, so that the user can be told why nothing is
/// offered of them.
struct RefusedSpeakers: Sendable {
    /// How many programs are kept; of more, those that were refused last.
    static let maximum = 16

    private struct Refused: Hashable {
        let name: String
        let reason: SpeakerVerdict.Reason
    }

    /// The latest last.
    private var programs: [Refused] = []

    /// Notes that a program was refused.
    mutating func note(_ observed: ObservedProgram, _ reason: SpeakerVerdict.Reason) {
        let name = observed.program.isEmpty ? observed.command ?? "" : observed.program
        let refused = Refused(name: name, reason: reason)
        programs.removeAll { $0 == refused }
        programs = (programs + [refused]).suffix(Self.maximum)
    }

    /// What the user is told, for each reason in one line.
    var findings: [Finding] {
        var findings: [Finding] = []
        if let names = names(.unknown) {
            findings.append(
                Finding(
                    .speakerUnknown,
                    "batond cannot tell who these programs are, and offers nothing that they show: \(names); start them as your "
                        + "own user, without file capabilities"))
        }
        if let names = names(.sandboxed) {
            findings.append(
                Finding(
                    .speakerSandboxed,
                    "these programs run in a sandbox, and no adapter offers what they show: \(names); for that, install the "
                        + "apps from your distribution's packages"))
        }
        return findings
    }

    /// The names, quoted: a program chooses its own.
    private func names(_ reason: SpeakerVerdict.Reason) -> String? {
        let names = programs.filter { $0.reason == reason }.map {
            $0.name.isEmpty ? "a program without a name" : $0.name.debugDescription
        }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
