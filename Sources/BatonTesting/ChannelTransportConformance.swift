// SPDX-License-Identifier: Apache-2.0

public import BatonTransport

/// What every ``ChannelTransport`` must do.
///
/// Library code, for test targets (`@Test(arguments: ChannelTransportConformance.checks)`) and plain executables alike.
public struct ChannelTransportConformance: Sendable {
    /// The two ends that a check works with.
    public struct Ends: Sendable {
        /// What listens.
        public var listening: any ChannelTransport
        /// What dials.
        public var dialling: any ChannelTransport
        /// A well-formed endpoint where nobody answers.
        public var nobody: Endpoint
        /// Puts away what was made.
        public var tearDown: @Sendable () async -> Void

        /// Two ends, ready for use: radios are started and advertise.
        public init(
            listening: any ChannelTransport, dialling: any ChannelTransport, nobody: Endpoint,
            tearDown: @escaping @Sendable () async -> Void = {}
        ) {
            self.listening = listening
            self.dialling = dialling
            self.nobody = nobody
            self.tearDown = tearDown
        }
    }

    /// One thing that must hold.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        case echoOfManySizes
    }

    /// All checks, in a sensible order.
    public static let checks = Check.allCases

    let limit: Duration
    let make: @Sendable () async throws -> Ends

    /// A suite over what `make` makes, anew for each check.
    ///
    /// - Parameter limit: how long one check may take.
    public init(limit: Duration = .seconds(60), make: @escaping @Sendable () async throws -> Ends) {
        self.limit = limit
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
