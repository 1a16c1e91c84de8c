// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import FoundationEssentials

/// One pairing, from the user's wish to its end. It belongs to the service's actor.
final class PairingRun {
    /// What a run waits for.
    enum Input: Sendable {
        /// There is a channel to another device that pairs.
        case wire(PairingWire)
        case bytes([UInt8], PairingWire)
        case closed(PairingWire)
        /// The user compared the digits.
        case decided(Bool)
        /// The user or the program that pairs went away.
        case abandoned
        /// Another device was heard, and no third one for a while.
        case settled
        /// A third device pairs near here.
        case crowd
        /// The time to find another device is over.
        case late
        /// The time to compare digits is over.
        case tooLate
        /// Both users have said yes, and the other device did not come back.
        case noKnock
        case unreachable(String)
        /// The channel on which both prove the keys that they told each other.
        case secured(SecureChannel)
    }

    /// What both users have agreed to.
    struct Agreement {
        let member: Member
        /// The circle that the other device joins; nil when this one joins.
        let host: Circle?
        /// The circle that this device joins otherwise.
        let joins: CircleID
    }

    struct Heard {
        let advert: PairingAdvert
        let address: String
    }

    let id = UUID().uuidString.lowercased()
    let client: ClientID
    /// The device that this one is to come back as; nil when it pairs as what it is.
    let returning: DeviceIdentity?
    /// The uptime at which the search for another device ends.
    let deadline: Duration
    let inputs: AsyncStream<Input>
    let input: AsyncStream<Input>.Continuation
    /// Where the digits go, or why there are none.
    let shown: AsyncThrowingStream<String, any Error>.Continuation
    var task: Task<Void, any Error>?
    /// What others find this run by; nil when it dials an address.
    var advert: PairingAdvert?
    /// Whether that is what is advertised.
    var isOnAir = false
    var heard: [[UInt8]: Heard] = [:]
    /// What this side dialled.
    var endpoint: Endpoint?
    /// How often that is dialled anew when it hangs up before it has said anything.
    var dialsAnew = HandoffService.radioAttempts - 1
    var wire: PairingWire?
    /// Whether the other side has said anything.
    var isAnswered = false
    var machine: PairingMachine?
    var hasShown = false
    /// Whether this side's user has said yes.
    var hasSaidYes = false
    /// Whether the other side's yes, if it was in time, has had its time to come.
    var hasWaited = false
    var agreement: Agreement?
    var secured: SecureChannel?
    var isOver = false

    init(
        client: ClientID, returning: DeviceIdentity?, deadline: Duration,
        shown: AsyncThrowingStream<String, any Error>.Continuation
    ) {
        self.client = client
        self.returning = returning
        self.deadline = deadline
        self.shown = shown
        (inputs, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(256))
    }

    /// It is over; it is kept for who asks how it ended, without its channels and its keys.
    func forget() {
        heard = [:]
        wire = nil
        machine = nil
        agreement = nil
        secured = nil
    }
}

extension AsyncStream<PairingRun.Input>.Continuation {
    /// Has a run hear something at an uptime.
    func yield(_ input: PairingRun.Input, at uptime: Duration, _ clock: any DeviceClock) {
        Task {
            try? await clock.sleep(until: uptime)
            self.yield(input)
        }
    }
}
