// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// A short-range transport that also advertises and scans.
///
/// Implementations resume advertising and scanning after every change of the adapter, such as a
/// removal or a restart of bluetoothd, and report the change with ``RadioEvent/status(_:)``.
public protocol Radio: ChannelTransport {
    /// Returns the radio's events, from the first call on, for one consumer.
    ///
    /// A consumer that is too slow receives only the latest event of each address and of the radio
    /// (``RadioEventQueue``).
    func events() -> AsyncStream<RadioEvent>

    /// Replaces the advertisement on every adapter, or stops advertising if the payload is nil. The
    /// advertisement is connectable.
    ///
    /// Returns once the radio has taken the payload. Without an adapter, the radio keeps the
    /// payload until one appears.
    ///
    /// - Parameter payload: At most 24 bytes, the value of the manufacturer data.
    /// - Throws: ``TransportError`` for a payload that can never be advertised.
    func advertise(_ payload: [UInt8]?) async throws

    /// Sets how much every adapter listens. A radio starts with ``Listening/always``.
    func scan(_ listening: Listening) async

    /// Drops the link to a peer, which ends every channel on it. Does nothing if there is no link.
    func disconnect(_ endpoint: Endpoint) async

    /// Starts scanning and yielding ``events()``.
    ///
    /// - Throws: ``TransportError`` if the radio can never work on this device, for example because
    ///   there is no system bus.
    func start() async throws

    /// Stops advertising and scanning, closes the listener and ends ``events()``.
    func stop() async
}

/// An event that a radio reports.
public enum RadioEvent: Hashable, Sendable {
    /// The radio received an advertisement with Baton's company identifier.
    case sighted(Sighting)
    /// The radio has not heard a peer for a while (BlueZ: 35 s), or the peer's adapter was removed.
    case lost(address: String)
    /// The radio's own condition changed.
    case status(RadioStatus)
}

/// One received advertisement.
public struct Sighting: Hashable, Sendable {
    /// The advertiser's address, in the form of ``Endpoint/address``. The address does not prove
    /// the advertiser's identity.
    public var address: String
    /// The value of the manufacturer data. It is unverified.
    public var payload: [UInt8]
    /// The received signal strength in dBm, if the radio knows it.
    public var signal: Int?

    /// Creates a sighting of an advertisement.
    public init(address: String, payload: [UInt8], signal: Int?) {
        self.address = address
        self.payload = payload
        self.signal = signal
    }
}

/// The present state of a radio.
public struct RadioStatus: Hashable, Sendable {
    /// Whether a radio can advertise and scan.
    public enum Condition: String, Hashable, Sendable {
        /// The radio works.
        case ready
        /// There is an adapter, but it is switched off or blocked.
        case off
        /// There is no adapter.
        case absent
        /// The adapter's driver or service is not running, or does not work.
        case unavailable
    }

    /// Whether the radio can advertise and scan.
    public var condition: Condition
    /// The reason why the radio is not ready or does not work fully; nil if it works.
    public var problem: Finding?
    /// The names of the adapters in use.
    public var adapters: [String]
    /// The reasons why the radio is not ready, and warnings about a radio that works.
    public var findings: [Finding]

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - problem: The value of ``problem``. This problem also becomes one of the ``findings``.
    ///   - findings: Warnings about a radio that works.
    public init(
        _ condition: Condition, because problem: Finding? = nil, adapters: [String] = [], findings: [Finding] = []
    ) {
        self.condition = condition
        self.problem = problem
        self.adapters = adapters
        self.findings = findings + [problem].compactMap(\.self)
    }
}
