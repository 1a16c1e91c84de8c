// SPDX-License-Identifier: Apache-2.0

/// The durations of the parts of a pairing.
public struct PairingTimes: Sendable {
    /// How long a device searches for another one and advertises itself.
    public let search: Duration
    /// How long to listen for a third device after the first other device was heard.
    public let settling: Duration
    /// How long the users may compare the digits.
    public let comparison: Duration
    /// How long to wait for the other side's confirmation after the time for the comparison ran
    /// out.
    public let passage: Duration
    /// How long, after both confirmations, the dialled device waits for the proof of the keys.
    public let knock: Duration
    /// How long, after both confirmations, the dialling device may begin another knock.
    public let knocks: Duration
    /// The pause before each new knock.
    public let pause: Duration

    /// Creates a set of durations.
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
