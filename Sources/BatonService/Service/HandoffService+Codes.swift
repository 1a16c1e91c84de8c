// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging

/// Pairing by a code that one device shows and the other reads: an invitation that ends with the
/// program that shows it.
///
/// A device without a circle founds one with whoever comes; before somebody has joined, nothing of
/// it is kept.
extension HandoffService {
    /// How many ways to reach this device a code names, so that it fits a terminal.
    static let maximumCodeEndpoints = 4

    /// The circle that is advertised for: the one there is, or the one that a code may found.
    var prospectiveCircle: Circle? { circle ?? openCode?.prospect }

    private var openCode: CodeRun? { pairings.code.flatMap { $0.isOver ? nil : $0 } }

    /// Opens the door for the one device that reads a code, for ten minutes.
    ///
    /// - Parameter client: The program that shows the code; when it leaves, the code is worth
    ///   nothing.
    /// - Returns: The pairing, for ``paired(_:client:)``; the code, an invitation's text; and the
    ///   Unix second at which it is over.
    public func pairByCode(client: ClientID) async throws -> (pairing: String, code: String, expires: Int64) {
        guard openCode == nil else {
            throw BatonError(.limitReached, "this device shows a code already; end that first")
        }
        try refuseUnprovedCircle()
        let target = try circle ?? Circle(foundedBy: identity, name: store.state.name)
        let run = CodeRun(
            client: client, device: identity.id, circle: target.id, prospect: circle == nil ? target : nil)
        pairings.code = run
        do {
            if run.prospect != nil { await adoptCircle() }
            let (name, invitation) = try await openInvitation(
                to: target.id, maximumEndpoints: Self.maximumCodeEndpoints)
            run.invitation = name
            guard !run.isOver else {
                await endInvitation(name, because: Self.withdrawn)
                throw CancellationError()
            }
            return (run.id, try invitation.text(), invitation.expires)
        } catch {
            await end(run, error as? BatonError ?? Self.withdrawn)
            throw error
        }
    }

    /// Returns once a device has joined by a code; a caller that is cancelled takes the code back.
    func paired(_ run: CodeRun) async throws {
        let (outcome, client) = (run.outcome, run.client)
        try await withTaskCancellationHandler {
            try await outcome.value
        } onCancel: {
            Task { await self.codeAbandoned(by: client) }
        }
    }

    static var withdrawn: BatonError { BatonError(.userCancelled, "the code was taken back") }

    /// The program that shows a code has left.
    func codeAbandoned(by client: ClientID) async {
        if let run = openCode, run.client == client { await end(run, Self.withdrawn) }
    }

    /// A code leads to one circle, and ends when this device comes into another one, leaves it, or
    /// comes back to it as a new device.
    func checkCode() async {
        guard let run = openCode, prospectiveCircle?.id != run.circle || identity.id != run.device else { return }
        await end(run, BatonError(.alreadyInCircle, "this device's circle changed, so the code is worth nothing"))
    }

    /// What becomes of an invitation becomes of the code that it was shown as.
    func codeEnded(invitation name: String, _ failure: BatonError?) async {
        if let run = openCode, run.invitation == name { await end(run, failure) }
    }

    private func end(_ run: CodeRun, _ failure: BatonError?) async {
        guard !run.isOver else { return }
        run.finish(failure)
        if let name = run.invitation { await endInvitation(name, because: failure ?? Self.withdrawn) }
        if let failure { logger.notice("no device was paired by the code: \(failure)") }
        // What was advertised for the circle that is not to be.
        if run.prospect != nil, circle == nil, !lifecycle.isStopping { await adoptCircle() }
    }
}
