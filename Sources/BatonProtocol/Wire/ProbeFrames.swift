// SPDX-License-Identifier: Apache-2.0

/// A request to a device to report how it hears and reaches the requesting device.
///
/// Source: `Documentation/Protocol/Session.md`, "Probe".
public struct ProbeRequest: Hashable, Sendable {
    /// The requesting side's number for this request.
    public var id: UInt64

    /// Creates a request for a report.
    public init(id: UInt64) { self.id = id }
}

/// The answer to a ``ProbeRequest``.
public struct ProbeReply: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// The report, or the reason for the failure.
    public var result: Result<ProbeReport, HandoffError>

    /// Creates an answer to a request.
    public init(id: UInt64, result: Result<ProbeReport, HandoffError>) {
        self.id = id
        self.result = result
    }
}

/// A device's report on how it hears and reaches another device.
public struct ProbeReport: Hashable, Sendable {
    /// The reception of the other device's beacons.
    public struct Heard: Hashable, Sendable {
        /// The signal strength in dBm, -128 to 127; nil if the radio does not report it.
        public var signal: Int?

        /// Creates a reception.
        public init(signal: Int?) { self.signal = signal }
    }

    /// The result of testing one transport to the other device.
    public struct Way: Hashable, Sendable {
        /// The transport, as in ``EndpointRecord/transport``.
        public var transport: String
        /// The milliseconds until a frame had arrived in each direction, or the failure.
        ///
        /// The time includes dialling, the knock and the TLS handshake.
        public var outcome: Result<UInt32, HandoffError>

        /// Creates the result of a transport.
        public init(transport: String, outcome: Result<UInt32, HandoffError>) {
            self.transport = transport
            self.outcome = outcome
        }
    }

    /// The maximum number of transports in a report.
    public static let maximumWays = 8
    /// The maximum time of a transport, in milliseconds: an hour.
    public static let maximumMilliseconds: UInt32 = 3_600_000

    /// The reception of the other device's beacons; nil if none are heard.
    public var heard: Heard?
    /// The results of the device's transports, at most ``maximumWays``.
    public var ways: [Way]
    /// Whether the device advertises nothing now, so that it cannot be heard.
    ///
    /// The reason is that its user has paused Baton or is away, that the device is about to sleep,
    /// or that its state cannot be written.
    public var isMuted: Bool

    /// Creates a report.
    public init(heard: Heard?, ways: [Way], isMuted: Bool = false) {
        self.heard = heard
        self.ways = ways
        self.isMuted = isMuted
    }
}
