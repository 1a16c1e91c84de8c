// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import FoundationEssentials

/// A pairing by digits, from the user's request to its end. Only the service's actor uses this
/// object.
///
/// The run's procedure gets each event at once. The service performs the resulting steps in order.
final class PairingRun {
    typealias Procedure = PairingProcedure<PairingWire>

    /// A step that the service performs.
    enum Step: Sendable {
        case act(Procedure.Action)
        /// Add the other device to this device's circle, or join the other's circle. On this
        /// channel each device has proved that it owns the key that it sent during the pairing.
        case complete(SecureChannel)
    }

    /// The peer and the circle that both users have confirmed.
    struct Agreement {
        let member: Member
        /// The key for the knock, and the check of the peer's certificate.
        let credential: PeerCredential
        /// The circle that the other device joins; nil if this device joins the other's circle.
        let host: Circle?
        /// The circle that this device joins if `host` is nil.
        let joins: CircleID
    }

    let id = UUID().uuidString.lowercased()
    let client: ClientID
    /// The new identity with which this device comes back to its circle; nil if it keeps its
    /// identity.
    let returning: DeviceIdentity?
    var procedure: Procedure
    /// The steps to perform. Few steps wait at any time, because an event causes few steps and the
    /// peer's channel accepts few bytes.
    let steps: AsyncStream<Step>
    let step: AsyncStream<Step>.Continuation
    /// The stream through which a program gets the digits, or the reason why there are none.
    let shown: AsyncThrowingStream<String, any Error>.Continuation
    var task: Task<Void, any Error>?
    var agreement: Agreement?
    var hasDigits = false
    var isOver = false

    init(
        client: ClientID, returning: DeviceIdentity?, procedure: Procedure,
        shown: AsyncThrowingStream<String, any Error>.Continuation
    ) {
        self.client = client
        self.returning = returning
        self.procedure = procedure
        self.shown = shown
        (steps, step) = AsyncStream.makeStream()
    }

    /// Drops the run's channels and keys. The run itself stays for programs that ask how it ended.
    func forget() {
        procedure.forget()
        agreement = nil
    }
}
