// SPDX-License-Identifier: Apache-2.0

public import BatonTransport
import Diagnosis
import DirectoryWatching
public import NIOCore
public import NIOPosix

/// A radio made of Unix sockets in a directory that several daemons of one user share.
///
/// `Documentation/SimulatedRadio.md` describes the directory, the datagrams and the conditions.
public actor SimulatedRadio: Radio {
    /// The settings of a simulated radio.
    public struct Configuration: Sendable {
        /// The time between two transmissions, and between two checks of the conditions.
        ///
        /// The time is at least 1 ms.
        public var interval: Duration = .milliseconds(100)
        /// The time without an advertisement after which a peer is lost.
        public var lostAfter: Duration = .seconds(3)
        /// The seed that makes random losses repeatable. If nil, they differ each time.
        public var seed: UInt64?

        /// Creates a configuration, by default with 100 ms, 3 s and no seed.
        public init(
            interval: Duration = .milliseconds(100), lostAfter: Duration = .seconds(3), seed: UInt64? = nil
        ) {
            self.interval = interval
            self.lostAfter = lostAfter
            self.seed = seed
        }
    }

    enum Phase { case made, running, stopped }

    /// The traits of a radio on which only memory limits streams.
    public nonisolated let traits = TransportTraits(
        kind: .simulated, range: .radio, streamWindow: 1_048_576, streamChunk: 65_536, pauseBetweenDials: .seconds(4),
        dialAttempts: 3)
    /// The radio's name in the directory, used in ``Endpoint/address`` and ``Sighting/address``.
    public nonisolated let address: String

    let place: SocketDirectory
    let clock: any DeviceClock
    let configuration: Configuration
    nonisolated let group: any EventLoopGroup
    private nonisolated let queue = RadioEventQueue()
    /// Reports changes of the radios and of the conditions in the directory.
    ///
    /// Nil before the start, and if the system has no more watches.
    var watch: DirectoryWatch?
    /// The uptime since which the radio does not listen, or nil if it listens.
    var deafSince: Duration?

    var phase = Phase.made
    var conditionsFile: ConditionsFile
    var payload: [UInt8]?
    var socket: AirSocket?
    var tasks: [Task<Void, Never>] = []
    var hearing: Hearing
    var pace = Pace()
    var links: [ObjectIdentifier: Link] = [:]
    var listener: SimulatedListener?
    var nextPSM: UInt16 = 0x80
    var nextDial: UInt32 = 0

    /// Creates a radio in a directory. Nothing is opened before ``start()``.
    ///
    /// - Parameters:
    ///   - directory: A directory that belongs to the user and that no other user can write to. A
    ///     missing directory is created with mode 0700.
    ///   - address: 1 to 32 letters, digits, `-` and `_`. If nil, the radio chooses a random
    ///     address.
    ///   - clock: The clock that measures intervals, delays and losses.
    ///   - group: The event loops on which the channels run.
    public init(
        directory: String, address: String? = nil, clock: any DeviceClock = SystemClock(),
        configuration: Configuration = Configuration(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.place = SocketDirectory(path: directory)
        self.address = address ?? "sim-" + String(UInt64.random(in: (1 << 60)...UInt64.max), radix: 16)
        self.clock = clock
        self.configuration = configuration
        self.group = group
        self.conditionsFile = ConditionsFile(path: SocketDirectory(path: directory).conditionsPath)
        self.hearing = Hearing(lostAfter: configuration.lostAfter, seed: configuration.seed)
    }

    /// Returns the radio's events as one stream for one consumer.
    public nonisolated func events() -> AsyncStream<RadioEvent> { queue.events }

    /// Sends a payload to the radios in range now and at every interval.
    ///
    /// - Throws: `TransportError(.invalidArgument)` for more than 24 bytes.
    public func advertise(_ payload: [UInt8]?) async throws {
        guard payload?.count ?? 0 <= AirDatagram.maximumPayload else {
            throw TransportError(.invalidArgument, "an advertisement carries at most 24 bytes")
        }
        self.payload = payload
        transmit()
        keepPace()
    }

    /// Stops listening if `listening` is ``Listening/never``. Otherwise listens all of the time.
    ///
    /// Listening costs nothing here, so the other values make no difference.
    public func scan(_ listening: Listening) async {
        if listening == .never {
            deafSince = deafSince ?? clock.uptime
        } else if let since = deafSince {
            deafSince = nil
            hearing.skip(clock.uptime - since)
            // Receive the latest missed advertisements now, and do not wait for the next interval.
            let onAir = hearing.takeMissed(since: clock.uptime - configuration.interval * 2)
            for reception in onAir { receive(reception) }
        }
    }

    /// Closes every channel with a peer.
    public func disconnect(_ endpoint: Endpoint) async {
        for link in links.values where link.peer == endpoint.address { try? await link.channel.close() }
    }

    /// Opens the directory and begins to listen.
    ///
    /// - Throws: `TransportError` that says what to do if the directory or the address cannot be
    ///   used, or if the radio was stopped.
    public func start() async throws {
        guard phase == .made else {
            if phase == .stopped { throw TransportError(.radioUnavailable, "a stopped radio does not start again") }
            return
        }
        guard SocketDirectory.isValid(address) else {
            throw TransportError(.invalidArgument, "a radio's address is 1 to 32 letters, digits, - and _")
        }
        try place.checkLength(for: address)
        try place.prepare()
        let socket = try place.withLock {
            place.removeStale()
            return try AirSocket(path: place.airPath(address))
        }
        self.socket = socket
        phase = .running
        watch = DirectoryWatch([place.path], isOfInterest: SocketDirectory.isOfAll)
        report()
        lookAround()
        tasks = [
            Task { [weak self] in
                for await reception in socket.receptions { await self?.receive(reception) }
            },
            Task { [weak self, watch] in
                guard let watch else { return }
                for await _ in watch.changes { await self?.lookAround() }
            },
            Task { [weak self, clock, begins = pace.begins, interval = max(configuration.interval, .milliseconds(1))] in
                for await _ in begins {
                    var next = clock.uptime
                    repeat {
                        // Do not catch up on missed intervals after a suspend.
                        next = max(next + interval, clock.uptime)
                        do { try await clock.sleep(until: next) } catch { return }
                    } while await self?.tick() == true
                }
            },
        ]
    }

    /// Stops advertising, closes the listener and ends the events. Channels stay open.
    public func stop() async {
        guard phase != .stopped else { return }
        let wasRunning = phase == .running
        phase = .stopped
        payload = nil
        for task in tasks { task.cancel() }
        tasks = []
        watch = nil
        await listener?.close()
        if let socket {
            self.socket = nil
            await socket.close()
        }
        if wasRunning { place.removeSockets(of: address) }
        queue.finish()
    }

    func emit(_ event: RadioEvent) { queue.tell(event) }

    /// Reports that the radio works, with an optional warning.
    func report(_ warning: Finding? = nil) {
        emit(.status(RadioStatus(.ready, adapters: [address], findings: [warning].compactMap(\.self))))
    }
}
