// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// A test whether one transport leads to another device: a new channel, and a frame in each
/// direction (Session.md, "Probe").
///
/// The service makes a trial from what it knows of the device at that moment.
struct TransportTrial: Sendable {
    /// The endpoints to dial, and the credential that the device must prove.
    struct Target {
        let endpoints: [Endpoint]
        let credential: PeerCredential
    }

    /// How long a trial over a network may take. A trial over the radio may take as long as any
    /// dial.
    static let timeout = Duration.seconds(10)
    /// The error that another device gets for each transport that does not lead to it, whatever the
    /// reason. The other device has named the addresses, so the real errors would tell it about
    /// this device's network.
    static let unreached = HandoffError(.connectionUnavailable, .unanswered)

    let transport: TransportTraits
    let device: DeviceID
    /// The device's name, for the log.
    let name: String
    /// Where to dial, or the reason why the device cannot be dialled.
    let target: Result<Target, HandoffError>
    let dialler: Dialler
    let channels: TrialChannels

    /// Runs the trial for a program of this device.
    func way() async -> ProbeReport.Way { way(await outcome()) }

    /// Runs the trial for another device, which learns only whether it was reached. A failure is
    /// reported only when the trial's whole time has passed, so that the time reveals nothing. The
    /// log has the reason.
    func discreetWay() async -> ProbeReport.Way {
        let deadline = dialler.clock.uptime + limit
        let outcome = await outcome()
        guard case .failure(let error) = outcome else { return way(outcome) }
        dialler.logger.notice(
            "asked by \(name), it was not reached by \(transport.kind.rawValue): \(error)",
            metadata: [LogMetadata.cause: "\(device)"])
        try? await dialler.clock.sleep(until: deadline)
        return way(.failure(Self.unreached))
    }

    private func way(_ outcome: Result<UInt32, HandoffError>) -> ProbeReport.Way {
        ProbeReport.Way(transport: transport.kind.rawValue, outcome: outcome)
    }

    /// Opens a channel and exchanges a frame in each direction.
    ///
    /// - Returns: How many milliseconds the trial took, or the failure.
    private func outcome() async -> Result<UInt32, HandoffError> {
        let clock = dialler.clock
        let begun = clock.uptime
        let deadline = begun + limit
        switch target {
        case .failure(let error): return .failure(error)
        case .success(let target):
            do {
                let channel = try await dialler.race(target.endpoints, credential: target.credential) { _ in
                    try await clock.sleep(until: deadline)
                }
                let answer = try await channels.exchange(on: channel, within: max(deadline - clock.uptime, .zero))
                guard answer == .trial else { throw HandoffError(.handoffFailed, .notUnderstood) }
                return .success(UInt32(clamping: Int((clock.uptime - begun) / .milliseconds(1))))
            } catch {
                return .failure(failure(error))
            }
        }
    }

    /// How long the trial may take.
    private var limit: Duration { transport.range == .radio ? Dialler.timeout : Self.timeout }

    private func failure(_ error: any Error) -> HandoffError {
        let found = error as? HandoffError ?? HandoffError(unreachableBy: error)
        guard transport.range != .radio, found.isUnanswered else { return found }
        return HandoffError(.connectionUnavailable, .networkSilent)
    }
}
