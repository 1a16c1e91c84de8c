// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// A short-range transport that also advertises and scans.
///
/// Implementations keep advertising and scanning through every change of the adapter below them
/// (removed, powered off, bluetoothd restarted) and say what happened with
/// ``RadioEvent/status(_:)``.
public protocol Radio: ChannelTransport {
    /// What is heard, from the first call on. One consumer; when it is too slow, it is told the
    /// latest of each address and of the radio (``RadioEventQueue``).
    func events() -> AsyncStream<RadioEvent>

    /// Replaces what is advertised, on every adapter; `nil` falls silent. The advertisement is
    /// connectable.
    ///
    /// Returns once the radio has taken it, or remembered it for when an adapter appears.
    ///
    /// - Parameter payload: At most 24 bytes, the value of the manufacturer data.
    /// - Throws: ``TransportError`` for a payload that can never be advertised.
    func advertise(_ payload: [UInt8]?) async throws

    /// Listens so much from now on, on every adapter; from the start it is ``Listening/always``.
    func scan(_ listening: Listening) async

    /// Drops the link to a peer, with every channel on it; what does not exist is not an error.
    func disconnect(_ endpoint: Endpoint) async

    /// Begins work: scanning starts, and ``events()`` yield.
    ///
    /// - Throws: ``TransportError`` when the radio can never work here (no simulated directory, no
    ///   system bus).
    func start() async throws

    /// Stops advertising and scanning, closes the listener and ends ``events()``.
    func stop() async
}

/// Something heard by a radio.
public enum RadioEvent: Hashable, Sendable {
    /// An advertisement with Baton's company identifier.
    case sighted(Sighting)
    /// A peer that was sighted has not been heard for a while (BlueZ: 30 s), or its adapter is
    /// gone.
    case lost(address: String)
    /// The radio's own condition changed.
    case status(RadioStatus)
}

/// One advertisement, as received.
public struct Sighting: Hashable, Sendable {
    /// The advertiser, in the form of ``Endpoint/address``; says nothing of who it is.
    public var address: String
    /// The value of the manufacturer data, unchecked.
    public var payload: [UInt8]
    /// Received signal strength in dBm, when known.
    public var signal: Int?

    /// A sighting of an advertisement.
    public init(address: String, payload: [UInt8], signal: Int?) {
        self.address = address
        self.payload = payload
        self.signal = signal
    }
}

/// What a radio can do just now.
public struct RadioStatus: Hashable, Sendable {
    /// Whether it can advertise and scan.
    public enum Condition: String, Hashable, Sendable {
        /// Working.
        case ready
        /// There is an adapter, but it is switched or blocked off.
        case off
        /// There is no adapter.
        case absent
        /// What drives the adapter is not running, or does not do its work.
        case unavailable
    }

    /// Whether it can advertise and scan.
    public var condition: Condition
    /// One line for the user: what is so, and, when not ready, what to do about it.
    public var summary: String
    /// The adapters in use, by name.
    public var adapters: [String]
    /// Why it is not ready, and what works and yet the user should know of.
    public var findings: [Finding]

    /// A condition with its explanation.
    ///
    /// - Parameter findings: Nil for the summary, where it is not ready, and for none otherwise.
    public init(condition: Condition, summary: String, adapters: [String], findings: [Finding]? = nil) {
        self.condition = condition
        self.summary = summary
        self.adapters = adapters
        self.findings = findings ?? (condition == .ready ? [] : [Finding(.radioNotReady, summary)])
    }

    /// A radio that cannot be used, for one reason.
    public init(_ condition: Condition, because finding: Finding, adapters: [String] = []) {
        self.init(condition: condition, summary: finding.text, adapters: adapters, findings: [finding])
    }
}
