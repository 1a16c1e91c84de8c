// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import SimulatedTransport

@testable import BatonProtocol
@testable import BatonService

/// An inviting device without a service. It admits every device that has its invitation, and sends
/// the messages that a test chooses.
final class HandMadeInviter: Sendable {
    let circle: Circle
    let identity: DeviceIdentity
    let clock = ManualClock()
    private let channels: SecureChannels
    private let radio: SimulatedRadio
    private let keyring = Keyring()
    private let joiners = Watched<[SecureChannel]>([])
    private let listener = Watched<(any Listener)?>(nil)

    /// Creates a member of the given circle, or the founder of a circle of its own.
    init(_ radio: SimulatedRadio, as identity: DeviceIdentity = DeviceIdentity(), in circle: Circle? = nil) throws {
        self.radio = radio
        self.identity = identity
        self.circle = try circle ?? Circle(foundedBy: identity, name: "host")
        channels = try SecureChannels(handMade: identity, keyring: keyring, clock: clock)
    }

    func open() async throws {
        try await radio.advertise([0])
        let opened = try await channels.listen(on: radio) { [joiners] channel in
            joiners.change { $0.append(channel) }
        }
        listener.change { $0 = opened }
    }

    /// Returns a new invitation to the inviter's circle.
    func invite(at unixTime: Int64) async throws -> String {
        let endpoints = await listener.value?.endpoints() ?? []
        let invitation = Invitation(
            from: identity.keys, name: "host", to: circle.id, at: unixTime,
            endpoints: endpoints)
        keyring.setInvitations(["one": invitation])
        return try invitation.text()
    }

    /// Waits for the next device that comes. Returns its channel and its request.
    func joiner() async throws -> (channel: SecureChannel, request: JoinRequest) {
        let channel = try await joiners.wait("a joiner") { $0.isEmpty ? nil : $0.removeFirst() }
        guard case .join(let encoded) = try await channel.nextFrame(within: .seconds(30)) else {
            throw Missing(what: "Join")
        }
        return (channel, try JoinRequest(encoded: encoded, circle: circle.id))
    }

    /// Waits until the next device has received the circle and agreed. Then only the frame Joined
    /// remains to be sent.
    func agreedJoiner() async throws -> SecureChannel {
        let (channel, request) = try await joiner()
        var grown = circle
        try grown.add(request, by: identity)
        channel.send(.welcome(try grown.encoded()))
        guard case .joined = try await channel.nextFrame(within: .seconds(30)) else {
            throw Missing(what: "the joiner's Joined")
        }
        return channel
    }
}
