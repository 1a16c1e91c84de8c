// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// The limits of a session. The protocol defines the defaults.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of unfinished requests of each side.
        public var requests = 16
        /// How long the peer's hello may take.
        public var hello = Duration.seconds(10)
        /// How long a channel that is not kept stays open without unfinished requests.
        public var idle = Duration.seconds(30)
        /// How long this side's answer to a request may take.
        public var service = Duration.seconds(60)
        /// How long the receiving app may take to accept an activity.
        ///
        /// The app may first have to start and to open a document. After this time, the activity
        /// counts as not accepted.
        public var report = Duration.seconds(120)
        /// How long draining may take. Draining waits for unfinished requests, such as for an app
        /// that has yet to accept an activity.
        public var drain = Duration.seconds(120)

        /// How often an offer may be sent over a kept link.
        var offers = RateLimit(burst: 16, interval: .milliseconds(100))
        /// How often the peer may send an offer.
        ///
        /// The burst is larger than the burst of ``offers``, because a network may delay offers and
        /// deliver them together.
        var peerOffers = RateLimit(burst: 64, interval: .milliseconds(100))
        /// How often this side asks for another channel for streams.
        ///
        /// All pairs of a device may stall at the same time. If the network delivers nothing for 20
        /// s, fewer Reattach frames arrive together than ``peerReattaches`` allows, and fewer than
        /// the channel's limit of waiting frames.
        var reattaches = RateLimit(burst: StreamLimits.maximumPerDevice, interval: .seconds(1))
        /// How often the peer may ask for another channel for streams. Further requests are
        /// ignored.
        var peerReattaches = RateLimit(burst: 64, interval: .milliseconds(100))
        /// How long the peer may be silent before a kept link is checked.
        public var keepAlive = Duration.seconds(270)
        /// How long the peer may be silent before the link is checked when somebody wants to use
        /// the peer's offer.
        public var offerTrust = Duration.seconds(60)
        /// How long a check may take before the offer of the link is withdrawn.
        public var doubt = Duration.seconds(2)
        /// How long a check may take before the channel is closed.
        public var certainty = Duration.seconds(5)

        /// Creates the protocol's limits.
        public init() {}
    }
}
