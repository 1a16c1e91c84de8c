// SPDX-License-Identifier: Apache-2.0

/// Why a channel to a peer could not be made secure, or ended; for logs and for choosing what the
/// user is told.
enum ChannelFailure: Error, Hashable, Sendable {
    /// TLS or what surrounds it went wrong.
    case handshake(String)
    /// The other side closed before the channel was secure: the usual answer to a knock that it
    /// does not know.
    case refused
    /// A step took too long.
    case timedOut
    /// The other side broke a rule of the protocol.
    case violation(String)

    /// Whether nothing was said against it: the connection may have broken.
    var isBreak: Bool { self == .refused || self == .timedOut }
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
