// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import SimulatedTransport

@testable import BatonProtocol
@testable import BatonService

/// A device made by hand, which admits whoever comes with its invitation, and says what a test has
/// it say.
final class HandMadeInviter: Sendable {
    let circle: Circle
    let identity: DeviceIdentity
    let clock = ManualClock()
    private let channels: SecureChannels
    private let radio: SimulatedRadio
    private let keyring = Keyring()
    private let joiners = Watched<[SecureChannel]>([])
    private let listener = Watched<(any Listener)?>(nil)

    /// A member of a circle that is given; else the founder of its own.
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

    /// A fresh invitation into its circle.
    func invite(at unixTime: Int64) async throws -> String {
        let endpoints = await listener.value?.endpoints() ?? []
        let invitation = Invitation(
            from: identity.keys, name: "host", to: circle.id, at: unixTime,
            endpoints: endpoints)
        keyring.setInvitations(["one": invitation])
        return try invitation.text()
    }

    /// The next device that comes, and its request.
    func joiner() async throws -> (channel: SecureChannel, request: JoinRequest) {
        let channel = try await joiners.wait("a joiner") { $0.isEmpty ? nil : $0.removeFirst() }
        guard case .join(let encoded) = try await channel.nextFrame(within: .seconds(30)) else {
            throw Missing(what: "Join")
        }
        return (channel, try JoinRequest(encoded: encoded, circle: circle.id))
    }

    /// The next device that comes, once it has been told the circle with it, and has agreed: only
    /// Joined is due to it.
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
