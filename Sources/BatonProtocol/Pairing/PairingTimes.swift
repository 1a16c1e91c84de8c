// SPDX-License-Identifier: Apache-2.0

/// How long the parts of a pairing may take.
public struct PairingTimes: Sendable {
    /// How long a device that pairs looks for another one, and advertises itself.
    public let search: Duration
    /// How long after the first other device one more may show up before any is dialled.
    public let settling: Duration
    /// How long the users have to compare the digits.
    public let comparison: Duration
    /// How long, then, the other side's yes may be on its way.
    public let passage: Duration
    /// How long, once both users have said yes, the one that was dialled waits for the channel that
    /// proves the keys.
    public let knock: Duration
    /// How long after that the one that dialled may begin to knock again if the connection breaks.
    public let knocks: Duration
    /// How long it waits before each of these.
    public let pause: Duration

    /// Times.
    public init(
        search: Duration, settling: Duration, comparison: Duration, passage: Duration, knock: Duration,
        knocks: Duration, pause: Duration
    ) {
        self.search = search
        self.settling = settling
        self.comparison = comparison
        self.passage = passage
        self.knock = knock
        self.knocks = knocks
        self.pause = pause
    }
}
