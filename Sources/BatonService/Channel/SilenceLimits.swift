// SPDX-License-Identifier: Apache-2.0

/// The limits on another device's silence. ``SignsOfLife`` records when the device was last heard.
enum SilenceLimits {
    /// After this silence, this device stops waiting for the other device. The silence counts from
    /// the last sign of life or from the request, whichever is later.
    static let device = Duration.seconds(15)

    /// After this silence in a handshake, the dialling side drops the channel. This leaves the
    /// device time to answer on another channel before waiting callers give up.
    static let handshake = Duration.seconds(7)

    /// After this silence a device that owes an answer is pinged. The device's app may take long to
    /// answer, but the device answers a ping at any time.
    static let doubt = Duration.seconds(5)
    /// The time that a device has to answer such a ping. Without an answer the link counts as dead.
    static let certainty = Duration.seconds(5)
}
