// SPDX-License-Identifier: Apache-2.0

public import BatonTransport

/// The rules that every ``Radio`` must follow, as checks of two radios that hear each other.
public struct RadioConformance: Sendable {
    /// The two radios of a check, created but not started.
    public struct Pair: Sendable {
        /// The first of the two radios.
        public var first: any Radio
        /// Another radio in the range of the first.
        public var second: any Radio
        /// Called after both radios were stopped, to release everything that was made for them.
        public var tearDown: @Sendable () async -> Void

        /// Creates a pair of radios that are not started yet.
        public init(first: any Radio, second: any Radio, tearDown: @escaping @Sendable () async -> Void = {}) {
            self.first = first
            self.second = second
            self.tearDown = tearDown
        }
    }

    /// The time limits of the checks. BlueZ sees a change only in the next scan window of 10 s, and
    /// forgets a device after 30 s.
    public struct Limits: Sendable {
        /// The longest time from a change of an advertisement to its sighting.
        public var sighted: Duration
        /// The longest time from the end of an advertisement to the report that the peer is lost.
        public var lost: Duration
        /// The longest time to connect a channel.
        public var connected: Duration

        /// Creates limits. The defaults suit BlueZ.
        public init(
            sighted: Duration = .seconds(30), lost: Duration = .seconds(60), connected: Duration = .seconds(40)
        ) {
            self.sighted = sighted
            self.lost = lost
            self.connected = connected
        }
    }

    /// The name of a check, which tests one rule.
    public enum Check: String, Hashable, Sendable, CaseIterable {
        /// An advertisement of 24 bytes is sighted with exactly these bytes, from an address that
        /// can be dialled.
        case sightsExactBytes
        /// A replaced advertisement is sighted with its new bytes.
        case sightsReplacement
        /// When a peer stops advertising, it is reported as lost.
        case silenceIsLost
        /// A payload of 25 bytes is refused with `.invalidArgument`, and the previous payload stays
        /// on the air.
        case tooLongIsRefused
        /// Two radios advertise at the same time, and each sights the other.
        case bothAdvertise
        /// A radio never reports its own advertisement.
        case doesNotSightItself
        /// A payload that is set before the radio starts is advertised after the start.
        case advertisesWhatWasAskedBefore
        /// Stopping a radio ends its stream of events.
        case stopEndsEvents
        /// A sighted radio accepts a channel at its address and PSM, and learns the address of the
        /// other radio.
        case channelThroughPSM
        /// Disconnecting a peer closes its channels.
        case disconnectClosesChannels
    }

    /// All checks, in the order in which ``run()`` runs them.
    public static let checks = Check.allCases

    let limits: Limits
    let make: @Sendable () async throws -> Pair

    /// Creates a suite that makes new radios for each check.
    public init(limits: Limits = Limits(), make: @escaping @Sendable () async throws -> Pair) {
        self.limits = limits
        self.make = make
    }

    /// Runs one check.
    ///
    /// - Throws: ``ConformanceFailure``, or the implementation's error.
    public func run(_ check: Check) async throws {
        let pair = try await make()
        let result: Result<Void, any Error>
        do {
            result = .success(try await perform(check, pair))
        } catch {
            result = .failure(error)
        }
        await pair.first.stop()
        await pair.second.stop()
        await pair.tearDown()
        try result.get()
    }

    /// Runs all checks, one after another, up to the first failure.
    public func run() async throws {
        for check in Self.checks { try await run(check) }
    }

    private func perform(_ check: Check, _ pair: Pair) async throws {
        switch check {
        case .sightsExactBytes: try await sightsExactBytes(check, pair)
        case .sightsReplacement: try await sightsReplacement(check, pair)
        case .silenceIsLost: try await silenceIsLost(check, pair)
        case .tooLongIsRefused: try await tooLongIsRefused(check, pair)
        case .bothAdvertise: try await bothAdvertise(check, pair)
        case .doesNotSightItself: try await doesNotSightItself(check, pair)
        case .advertisesWhatWasAskedBefore: try await advertisesWhatWasAskedBefore(check, pair)
        case .stopEndsEvents: try await stopEndsEvents(check, pair)
        case .channelThroughPSM: try await channelThroughPSM(check, pair)
        case .disconnectClosesChannels: try await disconnectClosesChannels(check, pair)
        }
    }
}
