// SPDX-License-Identifier: Apache-2.0

extension StreamMachine {
    /// The time and memory limits of a machine. The defaults are the limits that the protocol
    /// prescribes.
    public struct Limits: Hashable, Sendable {
        /// How long an attachment may take.
        public var attach = Duration.seconds(10)
        /// How long streams without a channel can be resumed. If this is zero, they fail when their
        /// channel breaks.
        public var resume = Duration.seconds(60)
        /// How long the peer may take to close a finished channel.
        public var linger = Duration.seconds(5)
        /// The maximum number of unacknowledged bytes to keep, whatever the peer's window.
        ///
        /// The number must be at least a quarter of the largest window, because a receiver only
        /// acknowledges after a quarter of its window.
        public var unacknowledged = 1_048_576

        /// How often the peer may ask for another channel. Further requests are ignored.
        var asks = RateLimit(burst: 4, interval: .seconds(5))

        /// Creates the protocol's limits.
        public init() {}
    }
}
