// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Logging
import SimulatedTransport

@testable import BatonProtocol
@testable import BatonService

extension SecureChannels {
    /// Creates the channels of a device without a service.
    init(
        handMade identity: DeviceIdentity, keyring: Keyring = Keyring(), clock: any DeviceClock = ManualClock()
    ) throws {
        self.init(
            certificate: try DeviceCertificate(identity: identity), keyring: keyring,
            connectionLimiter: ConnectionLimiter(clock: clock), clock: clock,
            logger: Logger(label: "hand-made") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// A device without a service that agrees in a pairing as one identity and then presents any
/// certificate.
struct Impostor {
    let radio: SimulatedRadio
    /// The impostor's channels, which show the given certificate.
    let channels: SecureChannels

    init(_ radio: SimulatedRadio, certificate: DeviceIdentity) throws {
        self.radio = radio
        channels = try SecureChannels(handMade: certificate)
    }

    /// Dials a device that pairs, and agrees with it as `identity`. Returns the key for the knock
    /// that follows.
    func agree(as identity: DeviceIdentity, at door: Endpoint) async throws -> PairwiseKey {
        let wire = try await channels.dialToPair(door, over: radio, timeout: .seconds(30))
        var machine = PairingMachine(
            role: .initiator, transport: .simulated, identity: identity, name: "impostor", circle: nil,
            random: [UInt8](randomBytes: 32))
        var events = [PairingMachine.Event.opened]
        var incoming = wire.incoming.makeAsyncIterator()
        while true {
            while !events.isEmpty {
                for action in machine.handle(events.removeFirst()) {
                    switch action {
                    case .send(let bytes): wire.send(bytes)
                    case .show: events.append(.decided(true))
                    case .paired(_, let key): return key
                    case .fail(let failure): throw failure
                    }
                }
            }
            guard let bytes = await incoming.next() else { throw Missing(what: "an agreement") }
            events.append(.received(bytes))
        }
    }

    /// Dials the channel that follows the comparison, whichever certificate the other side shows.
    /// The other side advertises again after both users have agreed.
    func dial(_ door: Endpoint, key: PairwiseKey) async throws -> SecureChannel {
        var channel: SecureChannel?
        try await eventually("a radio that answers", within: .seconds(30)) {
            do {
                channel = try await channels.dial(
                    door, over: radio, credential: PeerCredential(peer: .paired, key: key) { _ in true },
                    timeout: .seconds(30))
            } catch let error as TransportError where error.code == .unreachable {
                return false
            }
            return true
        }
        guard let channel else { throw Missing(what: "a channel") }
        return channel
    }

    /// Dials the channel, and asks to join a circle. Returns the channel after the frame Welcome.
    func join(_ circle: CircleID, of device: Device, as said: DeviceIdentity, key: PairwiseKey) async throws
        -> SecureChannel
    {
        let channel = try await dial(device.door, key: key)
        channel.send(.join(try JoinRequest(said, name: "other", circle: circle).encoded()))
        try await channel.expectWelcome()
        return channel
    }
}

extension SecureChannel {
    /// Waits for the frame Welcome, which must be the next one.
    func expectWelcome() async throws {
        guard case .welcome = try await nextFrame(within: .seconds(30)) else { throw Missing(what: "Welcome") }
    }
}
