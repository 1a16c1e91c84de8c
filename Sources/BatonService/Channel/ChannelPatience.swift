// SPDX-License-Identifier: Apache-2.0

/// The time limits of a channel whose knock was proved. A stranger has three seconds
/// (``KnockLimiter``).
struct ChannelPatience: Sendable {
    /// The limit for the knock and the TLS handshake together, from the opening of the channel. It
    /// is generous because a poor radio link needs several seconds for their 3.7 kB.
    var handshake = Duration.seconds(15)
    var silence = SilenceLimits.handshake
    /// The limit for the peer's first frame, which states the channel's purpose.
    var firstFrame = Duration.seconds(15)
}
