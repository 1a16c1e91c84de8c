// SPDX-License-Identifier: Apache-2.0

public import BatonTransport

/// What every ``Radio`` must do, as two radios that hear each other can tell.
public struct RadioConformance: Sendable {
    /// The two radios that a check works with, made but not started.
    public struct Pair: Sendable {
        /// One radio.
        public var first: any Radio
        /// Another in its range.
        public var second: any Radio
        /// Puts away what was made, after both were stopped.
        public var tearDown: @Sendable () async -> Void

        /// Two radios, not yet started.
        public init(
            first: any Radio, second: any Radio, tearDown: @escaping @Sendable () async -> Void = {}
        ) {
            self.first = first
            self.second = second
            self.tearDown = tearDown
        }
    }

    /// How long things may take: BlueZ sees a change only in the next scan window of 10 s, and forgets after 30 s.
    public struct Limits: Sendable {
        /// From a change of what is advertised until it is sighted.
        public var sighted: Duration
        /// From silence until the peer is lost.
        public var lost: Duration
        /// For a channel to be connected.
        public var connected: Duration

        /// Limits; the defaults suit BlueZ.
        public init(
            sighted: Duration = .seconds(30), lost: Duration = .seconds(60), connected: Duration = .seconds(40)
        ) {
            self.sighted = sighted
            self.lost = lost
            self.connected = connected
        }
    }

    /// One thing that must hold.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        case sightsExactBytes
    }

    /// All checks, in a sensible order.
    public static let checks = Check.allCases

    let limits: Limits
    let make: @Sendable () async throws -> Pair

    /// A suite over what `make` makes, anew for each check.
    public init(limits: Limits = Limits(), make: @escaping @Sendable () async throws -> Pair) {
        self.limits = limits
        self.make = make
    }

    /// Runs one check.
    ///
    /// - Throws: ``ConformanceFailure``, or what the implementation threw.
    public func run(_ check: Check) async throws {}

    /// Runs all checks, one after the other, up to the first failure.
    public func run() async throws {
        for check in Self.checks { try await run(check) }
    }
}
