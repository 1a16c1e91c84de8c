// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import FoundationEssentials

/// One pairing by digits, from the user's wish to its end. It belongs to the service's actor: what
/// happens is told to its procedure at once, and what that wants done is done in order.
final class PairingRun {
    typealias Procedure = PairingProcedure<PairingWire>

    /// What is to be done.
    enum Step: Sendable {
        case act(Procedure.Action)
        /// Take the other device in, or join it, on the channel on which both prove the keys that
        /// they told each other.
        case complete(SecureChannel)
    }

    /// What both users have agreed to.
    struct Agreement {
        let member: Member
        /// What a knock is made with, and who is expected to answer.
        let credential: PeerCredential
        /// The circle that the other device joins; nil when this one joins.
        let host: Circle?
        /// The circle that this device joins otherwise.
        let joins: CircleID
    }

    let id = UUID().uuidString.lowercased()
    let client: ClientID
    /// The device that this one is to come back as; nil when it pairs as what it is.
    let returning: DeviceIdentity?
    var procedure: Procedure
    /// Few: a procedure wants little of any event, and the other side's come by a channel that
    /// takes few bytes.
    let steps: AsyncStream<Step>
    let step: AsyncStream<Step>.Continuation
    /// Where the digits go, or why there are none.
    let shown: AsyncThrowingStream<String, any Error>.Continuation
    var task: Task<Void, any Error>?
    var agreement: Agreement?
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

    /// It is over; it is kept for who asks how it ended, without its channels and its keys.
    func forget() {
        procedure.forget()
        agreement = nil
    }
}
