// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``ChannelPurpose``.
struct ChannelPurposeTests {
    private static let device = DeviceIdentity().id
    private static let attach = Attach(
        token: [UInt8](repeating: 7, count: 16), generation: 1, nextOffset: 0, window: 1)
    private static let frames: [Frame] = [
        .hello(Hello(name: "anna", unixTime: 0, sequence: 0)), .attach(attach), .trial, .join([1]), .welcome([1]),
        .joined([]), .continueRequest(ContinueRequest(id: 1, activity: [1, 2, 3, 4, 5])),
        .probeRequest(ProbeRequest(id: 1)), .goodbye(Goodbye(reason: .idle)), .endAck,
    ]

    private func purposes(of peer: ChannelPeer) -> [ChannelPurpose] {
        Self.frames.compactMap { ChannelPurpose(of: peer, first: $0) }
    }

    @Test("A member begins a channel with Hello, Attach or Trial, and with no other frame")
    func member() {
        #expect(
            purposes(of: .member(Self.device))
                == [.control(Self.device), .streams(Self.attach, Self.device), .trial])
    }

    @Test("A device with an invitation begins a channel with Join, and with no other frame")
    func invited() {
        #expect(purposes(of: .invited(invitation: "code")) == [.joining([1], invitation: "code")])
    }

    @Test("No frame begins an accepted channel of the other device of a pairing, or of an inviter")
    func others() {
        #expect(purposes(of: .paired) == [] && purposes(of: .inviter) == [])
    }
}
