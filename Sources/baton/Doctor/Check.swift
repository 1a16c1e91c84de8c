// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis

/// One link of the chain from this device to another, and how it is looked at.
struct Check: Sendable {
    /// What it is called on the command line.
    let name: String
    /// What is looked at, in a phrase.
    let subject: String
    /// What it may find.
    let codes: Set<FindingCode>
    /// Whether it is the daemon that is asked: without one the check cannot be made.
    var needsDaemon = true
    /// How long it may take.
    var limit = Check.usualLimit
    /// How long most may take, and the daemon to answer before the first of them.
    static let usualLimit = Duration.seconds(10)
    /// Looks.
    let look: @Sendable (Patient) async throws -> [Finding]

    /// Looks, however that goes: a check that fails or hangs is a finding, and not the end of the
    /// others.
    func findings(in patient: Patient) async -> [Finding] {
        if needsDaemon, case .failure(let error) = patient.status {
            let reason = ToolFailure.oneLine(error, message: "\(error)")
            return [Finding(.checkFailed, "\(name) could not be checked: \(reason)", command: "baton doctor daemon")]
        }
        let look = look
        let outcome = await Deadline.run(limit) { try await look(patient) }
        switch outcome {
        case .success(let findings)?: return findings
        case .failure(let error)?:
            let reason = ToolFailure.oneLine(error, message: "\(error)")
            return [Finding(.checkFailed, "the check of \(name) failed: \(reason)")]
        case nil:
            return [Finding(.checkHung, "the check of \(name) had not ended after \(limit.inSeconds) s")]
        }
    }
}

/// What the checks look at.
struct Patient: Sendable {
    /// The way to the daemon; nil without a session bus.
    let bus: BatonBusClient?
    /// What the daemon says of itself, or why it says nothing.
    let status: Result<DaemonStatus, any Error>

    /// What the daemon warns of with one of these codes.
    func reported(_ codes: Set<FindingCode>) -> [Finding] {
        (try? status.get())?.findings.filter { FindingCode(rawValue: $0.code).map(codes.contains) ?? false } ?? []
    }
}
