// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The purpose of an accepted channel, which its first frame states (Session.md, "Frames").
enum ChannelPurpose: Hashable {
    /// A control channel to a member, which begins with the member's hello.
    case control(DeviceID)
    /// A channel for streams of a member.
    case streams(Attach, DeviceID)
    /// A channel that only tests a transport.
    case trial
    /// A device comes with an invitation.
    case joining([UInt8], invitation: String)

    /// Reads the purpose from the first frame; returns nil if the peer may not begin a channel with
    /// it.
    init?(of peer: ChannelPeer, first frame: Frame) {
        switch (peer, frame) {
        case (.member(let device), .hello): self = .control(device)
        case (.member(let device), .attach(let attach)): self = .streams(attach, device)
        case (.member, .trial): self = .trial
        case (.invited(let invitation), .join(let request)): self = .joining(request, invitation: invitation)
        default: return nil
        }
    }
}
