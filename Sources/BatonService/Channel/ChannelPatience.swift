// SPDX-License-Identifier: Apache-2.0

/// How long a channel whose other end has knocked rightly may take. A stranger's has three seconds
/// (``KnockLimiter``).
struct ChannelPatience: Sendable {
    /// From a proved knock to the end of the TLS handshake; generous, because a poor radio link
    /// carries 3.7 kB in seconds.
    var handshake = Duration.seconds(15)
    var silence = SilenceLimits.handshake
    /// For a device to say what its channel is for.
    var firstFrame = Duration.seconds(15)
}
