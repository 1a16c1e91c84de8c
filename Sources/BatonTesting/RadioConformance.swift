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

    /// How long things may take: BlueZ sees a change only in the next scan window of 10 s, and
    /// forgets after 30 s.
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
        /// An advertisement is sighted with exactly its bytes, 24 of them, by an address that can
        /// be dialled.
        case sightsExactBytes
        /// A replaced advertisement is sighted with its new bytes.
        case sightsReplacement
        /// Silence is noticed: the peer is lost.
        case silenceIsLost
        /// 25 bytes are refused with `.invalidArgument`, and what was advertised before still is.
        case tooLongIsRefused
        /// Two radios advertise at once, and each sights the other.
        case bothAdvertise
        /// Scanning never reports what the radio itself advertises.
        case doesNotSightItself
        /// What is asked for before the start is advertised after it.
        case advertisesWhatWasAskedBefore
        /// Stopping ends the events.
        case stopEndsEvents
        /// A sighted radio can be dialled at the sighted address and its PSM, and names the
        /// dialler.
        case channelThroughPSM
        /// Disconnecting closes the peer's channels.
        case disconnectClosesChannels
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

    /// Runs all checks, one after the other, up to the first failure.
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
