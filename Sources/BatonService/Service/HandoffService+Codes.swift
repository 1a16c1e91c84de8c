// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Pairing by a code that one device shows and the other reads. The code is an invitation that ends
/// with the program that shows it.
///
/// A device without a circle founds one with the device that reads the code. Nothing of that circle
/// is stored before the other device has joined.
extension HandoffService {
    /// The greatest number of this device's endpoints in a code, so that the code fits a terminal.
    static let maximumCodeEndpoints = 4

    /// The circle that this device advertises for: its own, or the one that a code may found; nil
    /// without either.
    var prospectiveCircle: Circle? { circle ?? pairings.openCode?.prospect }

    /// Opens an invitation for the one device that reads its code. The invitation ends after ten
    /// minutes.
    ///
    /// - Parameter client: The program that shows the code. The code ends when the program leaves.
    /// - Returns: The pairing's id, for ``paired(_:client:)``; the code, which is an invitation's
    ///   text; and the Unix second at which it ends.
    public func pairByCode(client: ClientID) async throws -> (pairing: String, code: String, expires: Int64) {
        guard pairings.openCode == nil else {
            throw BatonError(.limitReached, .codeShown)
        }
        try refuseUnprovedCircle()
        let target = try circle ?? Circle(foundedBy: identity, name: store.state.name)
        let run = CodeRun(
            client: client, device: identity.id, circle: target.id, prospect: circle == nil ? target : nil)
        pairings.begin(run)
        do {
            if run.prospect != nil { adoptCircle() }
            let (name, invitation) = try await openInvitation(
                to: target.id, maximumEndpoints: Self.maximumCodeEndpoints)
            run.invitation = name
            guard !run.isOver else {
                endInvitation(name, because: Self.withdrawn)
                throw CancellationError()
            }
            return (run.id, try invitation.text(), invitation.expires)
        } catch {
            end(run, error as? BatonError ?? Self.withdrawn)
            throw error
        }
    }

    /// Waits until a device has joined by a code. If the caller is cancelled, withdraws the code.
    func paired(_ run: CodeRun) async throws {
        let (outcome, client) = (run.outcome, run.client)
        try await withTaskCancellationHandler {
            try await outcome.value
        } onCancel: {
            Task { await self.codeAbandoned(by: client) }
        }
    }

    static var withdrawn: BatonError { BatonError(.userCancelled, .codeWithdrawn) }

    /// Withdraws the code that a program shows, because the program has left or was cancelled.
    func codeAbandoned(by client: ClientID) {
        if let run = pairings.openCode, run.client == client { end(run, Self.withdrawn) }
    }

    /// Ends the code if this device's circle or identity is no longer the one that the code was
    /// made for.
    func checkCode() {
        guard let run = pairings.openCode, prospectiveCircle?.id != run.circle || identity.id != run.device else {
            return
        }
        end(run, BatonError(.alreadyInCircle, .codeWorthless))
    }

    /// Ends the code whose invitation has ended, with the same outcome.
    func codeEnded(invitation name: String, _ failure: BatonError?) {
        if let run = pairings.openCode, run.invitation == name { end(run, failure) }
    }

    private func end(_ run: CodeRun, _ failure: BatonError?) {
        guard !run.isOver else { return }
        run.finish(failure)
        if let name = run.invitation { endInvitation(name, because: failure ?? Self.withdrawn) }
        if let failure { logger.notice("no device was paired by the code: \(failure)") }
        // Stop advertising for the circle that this device no longer founds.
        if run.prospect != nil, circle == nil, !lifecycle.isStopping { adoptCircle() }
    }
}
