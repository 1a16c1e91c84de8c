// SPDX-License-Identifier: Apache-2.0

extension StreamMachine {
    /// The times that a machine waits, and how much it keeps; the defaults are the protocol's.
    public struct Limits: Hashable, Sendable {
        /// How long an attachment may take.
        public var attach = Duration.seconds(10)
        /// How long streams without a channel can be resumed; zero: a break ends them.
        public var resume = Duration.seconds(60)
        /// How long the peer may take to close a channel that has done its work.
        public var linger = Duration.seconds(5)
        /// How many bytes are kept at most until the peer has acknowledged them, however large its
        /// window is. At least a quarter of the largest one, for a receiver acknowledges no sooner.
        public var unacknowledged = 1_048_576

        /// The protocol's limits.
        public init() {}
    }
}
