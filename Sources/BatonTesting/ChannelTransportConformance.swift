// SPDX-License-Identifier: Apache-2.0

public import BatonTransport

/// The rules that every ``ChannelTransport`` must follow, as a suite of checks.
///
/// This is library code, for test targets (`@Test(arguments: ChannelTransportConformance.checks)`)
/// and for plain executables.
public struct ChannelTransportConformance: Sendable {
    /// The two ends that a check works with.
    public struct Ends: Sendable {
        /// The listening end.
        public var listening: any ChannelTransport
        /// The dialling end.
        public var dialling: any ChannelTransport
        /// A well-formed endpoint where nothing answers.
        public var nobody: Endpoint
        /// Called after the check to release everything that was made for the two ends.
        public var tearDown: @Sendable () async -> Void

        /// Creates a pair of ends that are ready for use: radios are started and advertise.
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

    /// The name of a check, which tests one rule.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        /// Data of sizes from one byte to 1 MiB is echoed unchanged. Each echo arrives before the
        /// next data is sent.
        case echoOfManySizes
        /// 1 MiB in one write is echoed unchanged.
        case largeSingleWrite
        /// 2,000 writes of 10 bytes arrive as 20,000 bytes in order.
        case manySmallWrites
        /// 1 MiB travels in each direction at the same time.
        case bothDirectionsAtOnce
        /// A reader that pauses in the middle of 1 MiB loses no bytes.
        case slowReaderLosesNothing
        /// A close by either side ends the other side's channel.
        case closeIsSeenByThePeer
        /// Dialling an endpoint where nothing answers fails with `.unreachable`.
        case nobodyIsUnreachable
        /// `channelActive` is fired once on each side, after the initializer is done.
        case becomesActiveOnce
        /// A dial whose task is cancelled leaves no descriptor open.
        case cancelledConnectLeaksNothing
        /// A closed listener accepts no more channels. The channels that it has accepted stay open,
        /// and a new listener can be opened.
        case closedListenerKeepsChannels
        /// A second listener is refused while the first is open.
        case oneListenerAtATime
        /// Many channels at once (32 by default) echo without mixing.
        case manyChannelsAtOnce
    }

    /// All checks, in the order in which ``run()`` runs them.
    public static let checks = Check.allCases

    let limit: Duration
    let connectLimit: Duration
    let channelCount: Int
    let make: @Sendable () async throws -> Ends

    /// Creates a suite that makes new ends for each check.
    ///
    /// - Parameters:
    ///   - limit: The time limit of one check.
    ///   - connectLimit: The timeout of each dial.
    ///   - channelCount: How many channels to open at once. A Bluetooth link can carry about 32
    ///     channels.
    ///   - make: Makes the two ends.
    public init(
        limit: Duration = .seconds(60), connectLimit: Duration = .seconds(10), channelCount: Int = 32,
        make: @escaping @Sendable () async throws -> Ends
    ) {
        self.limit = limit
        self.connectLimit = connectLimit
        self.channelCount = channelCount
        self.make = make
    }

    /// Runs one check.
    ///
    /// - Throws: ``ConformanceFailure``, or the implementation's error.
    public func run(_ check: Check) async throws {
        let ends = try await make()
        do {
            try await within(limit, check.rawValue, "the check") { try await perform(check, ends) }
        } catch {
            await ends.tearDown()
            throw error
        }
        await ends.tearDown()
    }

    /// Runs all checks, one after another, up to the first failure.
    public func run() async throws {
        for check in Self.checks { try await run(check) }
    }

    private func perform(_ check: Check, _ ends: Ends) async throws {
        switch check {
        case .echoOfManySizes:
            try await echoes(
                check, ends, sizes: [1, 2, 22, 23, 247, 251, 672, 2_047, 2_048, 2_049, 65_535, 65_536, 1 << 20])
        case .largeSingleWrite: try await echoes(check, ends, sizes: [bulk])
        case .manySmallWrites: try await manySmallWrites(check, ends)
        case .bothDirectionsAtOnce: try await bothDirectionsAtOnce(check, ends)
        case .slowReaderLosesNothing: try await slowReaderLosesNothing(check, ends)
        case .closeIsSeenByThePeer: try await closeIsSeenByThePeer(check, ends)
        case .nobodyIsUnreachable: try await nobodyIsUnreachable(check, ends)
        case .becomesActiveOnce: try await becomesActiveOnce(check, ends)
        case .cancelledConnectLeaksNothing: try await cancelledConnectLeaksNothing(check, ends)
        case .closedListenerKeepsChannels: try await closedListenerKeepsChannels(check, ends)
        case .oneListenerAtATime: try await oneListenerAtATime(check, ends)
        case .manyChannelsAtOnce: try await manyChannelsAtOnce(check, ends)
        }
    }
}
