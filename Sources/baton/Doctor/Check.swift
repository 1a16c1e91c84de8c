// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis

/// A check of one part that a handoff to another device depends on.
struct Check: Sendable {
    let name: String
    /// The question that the check answers, as a phrase such as "whether the clocks agree".
    let subject: String
    let codes: Set<FindingCode>
    var needsDaemon = true
    var limit = Check.usualLimit
    /// The time limit of most checks, and of the daemon's first answer.
    static let usualLimit = Duration.seconds(10)
    /// The function that does the check.
    let look: @Sendable (Patient) async throws -> [Finding]

    /// Runs the check. A failure or a timeout becomes a finding, so that the other checks still
    /// run.
    func findings(in patient: Patient) async -> [Finding] {
        if needsDaemon, case .failure(let error) = patient.status {
            let values = ["check": Reason.Value.text(name), "reason": BatonError.reason(error)]
            return [Finding(.checkFailed, values, command: "baton doctor daemon")]
        }
        let look = look
        let outcome = await Deadline.run(limit) { try await look(patient) }
        switch outcome {
        case .success(let findings)?: return findings
        case .failure(let error)?:
            return [Finding(.checkFailed, ["check": .text(name), "reason": BatonError.reason(error)])]
        case nil:
            return [Finding(.checkHung, ["check": .text(name)])]
        }
    }
}

/// The subject of the checks: the daemon and its status.
struct Patient: Sendable {
    /// The connection to the daemon, or `nil` without a session bus.
    let bus: BatonBusClient?
    /// The daemon's status, or the reason why there is none.
    let status: Result<DaemonStatus, any Error>

    /// Returns the daemon's findings that have one of these codes.
    func reported(_ codes: Set<FindingCode>) -> [Finding] {
        (try? status.get())?.findings.filter { FindingCode(rawValue: $0.code).map(codes.contains) ?? false } ?? []
    }
}
