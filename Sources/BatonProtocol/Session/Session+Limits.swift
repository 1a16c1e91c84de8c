// SPDX-License-Identifier: Apache-2.0

extension Session {
    /// The limits of a session; the defaults are the protocol's.
    public struct Limits: Hashable, Sendable {
        /// The greatest number of unfinished requests of each side.
        public var requests = 16
        /// How long the peer's hello may take.
        public var hello = Duration.seconds(10)
        /// How long a channel stays open without unfinished requests.
        public var idle = Duration.seconds(30)
        /// How long this side's answer may take.
        public var service = Duration.seconds(60)
        /// How long the receiving app may take to accept an activity.
        ///
        /// Afterwards it counts as not accepted.
        ///
        /// The app may first have to start and to open a document.
        public var report = Duration.seconds(120)
        /// How long a goodbye may take. It waits for the reports of apps.
        public var drain = Duration.seconds(120)

        /// Creates the protocol's limits.
        public init() {}
    }
}
