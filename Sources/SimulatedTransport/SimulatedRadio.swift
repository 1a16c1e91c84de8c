// SPDX-License-Identifier: Apache-2.0

public import BatonProtocol
public import BatonTransport
public import NIOCore
public import NIOPosix

/// A radio made of Unix sockets in a directory that several daemons of one user share.
///
/// `Documentation/SimulatedRadio.md` describes the directory, the datagrams and the conditions.
public actor SimulatedRadio: Radio {
    /// What can be chosen about a simulated radio.
    public struct Configuration: Sendable {
        /// How often a payload is sent while advertising.
        public var interval: Duration = .milliseconds(100)
        /// After how long without an advertisement a peer is lost.
        public var lostAfter: Duration = .seconds(3)
        /// Makes what chance decides (loss, the address) repeatable; `nil` is different each time.
        public var seed: UInt64?

        /// The defaults.
        public init() {}
    }

    /// Simulated.
    public nonisolated let kind = TransportKind.simulated
    /// The radio's name in the directory: what ``Endpoint/address`` and ``Sighting/address`` say of it.
    public nonisolated let address: String
    let directory: String
    let clock: any DeviceClock
    let configuration: Configuration
    let group: any EventLoopGroup

    /// A radio in a directory; nothing is opened before ``start()``.
    ///
    /// - Parameters:
    ///   - directory: owned by the user, mode 0700; created so when it does not exist.
    ///   - address: 1 to 32 letters, digits, `-` and `_`; `nil` takes a random one.
    ///   - clock: by what advertisements are sent, delayed and missed.
    ///   - group: whose event loops the channels run on.
    public init(
        directory: String, address: String? = nil, clock: any DeviceClock = SystemClock(),
        configuration: Configuration = Configuration(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.directory = directory
        self.address = address ?? "sim"
        self.clock = clock
        self.configuration = configuration
        self.group = group
    }

    /// What is heard; one stream, for one consumer.
    public nonisolated func events() -> AsyncStream<RadioEvent> { AsyncStream { $0.finish() } }
    /// Sends a payload to the radios in range at every interval, the first time at once.
    public func advertise(_ payload: [UInt8]?) async throws {}
    /// Closes every channel with a peer.
    public func disconnect(_ endpoint: Endpoint) async {}
    /// Opens the directory and begins to hear.
    public func start() async throws {}
    /// Falls silent, closes the listener and ends the events.
    public func stop() async {}

    /// Dials a radio that advertises and is in range.
    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        throw TransportError(.unreachable, "not yet")
    }

    /// Accepts channels while the radio advertises, on a PSM of 0x80 to 0xFF.
    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        throw TransportError(.unreachable, "not yet")
    }
}
