// SPDX-License-Identifier: Apache-2.0

/// How long another device may be silent; ``SignsOfLife`` notes when it was heard last.
enum SilenceLimits {
    /// After which a device is given up, from its last sign of life or from the question.
    static let device = Duration.seconds(15)

    /// In a handshake, after which whoever dialled drops the channel: so short that one that is
    /// dialled instead has answered before somebody who waits gives the device up.
    static let handshake = Duration.seconds(7)

    /// After which a device is pinged while it owes an answer: its app may take long, and it
    /// answers a ping all the same.
    static let doubt = Duration.seconds(5)
    /// How long it has for that; then the link counts as dead.
    static let certainty = Duration.seconds(5)
}
