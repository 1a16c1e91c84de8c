// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// The programs for which adapters were not allowed to publish. The findings tell the user why
/// these programs offer nothing.
struct RefusedSpeakers: Sendable {
    /// The maximum number of programs. If more programs are refused, only the latest are kept.
    static let maximum = 16

    private struct Refused: Hashable {
        let name: String
        let reason: SpeakerVerdict.Reason
    }

    /// The refused programs, the latest last.
    private var programs: [Refused] = []

    mutating func note(_ observed: ObservedProgram, _ reason: SpeakerVerdict.Reason) {
        let name = observed.program.isEmpty ? observed.command ?? "" : observed.program
        let refused = Refused(name: name, reason: reason)
        programs.removeAll { $0 == refused }
        programs = (programs + [refused]).suffix(Self.maximum)
    }

    /// The findings for the user, one for each reason.
    var findings: [Finding] {
        [(FindingCode.speakerUnknown, SpeakerVerdict.Reason.unknown), (.speakerSandboxed, .sandboxed)].compactMap {
            code, reason in finding(code, about: programs.filter { $0.reason == reason }.map(\.name))
        }
    }

    /// Returns the finding about some programs, or nil if there are none. The names are quoted,
    /// because a program chooses its own name.
    private func finding(_ code: FindingCode, about programs: [String]) -> Finding? {
        guard !programs.isEmpty else { return nil }
        let names = programs.filter { !$0.isEmpty }.map(\.debugDescription)
        return Finding(code, names.isEmpty ? [:] : ["programs": .list(names)])
    }
}
