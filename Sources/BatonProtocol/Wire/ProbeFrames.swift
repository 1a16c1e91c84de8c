// SPDX-License-Identifier: Apache-2.0

/// Asks a device what it hears of the asking one by radio, and over which transports it reaches it
/// (`Documentation/Protocol/Session.md`, "Probe").
public struct ProbeRequest: Hashable, Sendable {
    /// The asking side's number of this request.
    public var id: UInt64

    /// A request for a report.
    public init(id: UInt64) { self.id = id }
}

/// Answers a ``ProbeRequest``.
public struct ProbeReply: Hashable, Sendable {
    /// The number of the request.
    public var id: UInt64
    /// What was found, or why nothing was looked for.
    public var result: Result<ProbeReport, HandoffError>

    /// An answer to a request.
    public init(id: UInt64, result: Result<ProbeReport, HandoffError>) {
        self.id = id
        self.result = result
    }
}

/// What one device finds of another: whether it hears it, and how it reaches it.
public struct ProbeReport: Hashable, Sendable {
    /// That beacons of the other device are heard.
    public struct Heard: Hashable, Sendable {
        /// How strong they are, in dBm; -128 to 127, nil where the radio does not say.
        public var signal: Int?

        /// A device is heard.
        public init(signal: Int?) { self.signal = signal }
    }

    /// The other device over one transport.
    public struct Way: Hashable, Sendable {
        /// The transport, as in ``EndpointRecord/transport``.
        public var transport: String
        /// How many milliseconds it took until the channel was secure and had carried a frame each
        /// way; or why it did not come to that.
        public var outcome: Result<UInt32, HandoffError>

        /// What became of a transport.
        public init(transport: String, outcome: Result<UInt32, HandoffError>) {
            self.transport = transport
            self.outcome = outcome
        }
    }

    /// How many transports a report has at most.
    public static let maximumWays = 8
    /// How long a way took at most, in milliseconds: an hour.
    public static let maximumMilliseconds: UInt32 = 3_600_000

    /// Nil where the other device is not heard.
    public var heard: Heard?
    /// The transports that the device has, at most ``maximumWays``.
    public var ways: [Way]
    /// Whether the device advertises nothing now, as its user has paused Baton or locked the
    /// screen, or its state cannot be written, so that it cannot be heard.
    public var isMuted: Bool

    /// A report.
    public init(heard: Heard?, ways: [Way], isMuted: Bool = false) {
        self.heard = heard
        self.ways = ways
        self.isMuted = isMuted
    }
}
