// SPDX-License-Identifier: Apache-2.0

import Diagnosis

/// The reason why a channel to a peer could not be secured, or why it ended. Logs show the reason,
/// and it decides which message users see.
enum ChannelFailure: Error, Hashable, Sendable {
    /// TLS, or the code around it, failed.
    case handshake(String)
    /// The other side closed the channel without an answer. A device that does not know the key of
    /// the knock does so.
    case refused
    /// A step took too long.
    case timedOut
    /// The other side broke a rule of the protocol.
    case violation(String)

    /// Whether the reason may be only a broken connection, without any objection of the other side.
    var isBreak: Bool { self == .refused || self == .timedOut }
}

extension ChannelFailure: ExplainedError {
    var explanation: Reason {
        switch self {
        case .handshake, .violation: Reason(.dataInvalid)
        case .refused: Reason(.pairingBrokeOff)
        case .timedOut: Reason(.streamsSilent)
        }
    }
}

extension ChannelFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .handshake(let reason): "the handshake failed: \(reason)"
        case .refused: "it closed the channel without an answer"
        case .timedOut: "it did not answer in time"
        case .violation(let rule): "it broke the protocol: \(rule)"
        }
    }
}
