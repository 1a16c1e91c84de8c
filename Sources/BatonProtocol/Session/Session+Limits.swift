// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// The limits of a session; the defaults are the protocol's.
    public struct Limits: Hashable, Sendable {
        /// How many requests each side may have outstanding.
        public var requests = 16
        /// How long the peer may take to say hello.
        public var hello = Duration.seconds(10)
        /// How long a channel stays open when nothing is outstanding.
        public var idle = Duration.seconds(30)
        /// How long this side may take to answer.
        public var service = Duration.seconds(60)
        /// How long the app that an activity was fetched for may take to accept it, before it
        /// counts as not accepted: it may have to be started first, and to open a document.
        public var report = Duration.seconds(120)
        /// How long a goodbye may take, which waits for such a report.
        public var drain = Duration.seconds(120)

        /// The protocol's limits.
        public init() {}
    }
}
