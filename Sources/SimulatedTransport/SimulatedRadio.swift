// SPDX-License-Identifier: Apache-2.0

public import BatonTransport
import DirectoryWatching
public import NIOCore
public import NIOPosix

/// A radio made of Unix sockets in a directory that several daemons of one user share.
///
/// `Documentation/SimulatedRadio.md` describes the directory, the datagrams and the conditions.
public actor SimulatedRadio: Radio {
    /// What can be chosen about a simulated radio.
    public struct Configuration: Sendable {
        /// How often a payload is sent while advertising, and how often the conditions are looked
        /// at; at least 1 ms.
        public var interval: Duration = .milliseconds(100)
        /// After how long without an advertisement a peer is lost.
        public var lostAfter: Duration = .seconds(3)
        /// Makes repeatable which advertisements are lost; `nil` is different each time.
        public var seed: UInt64?

        /// The defaults: 100 ms, 3 s, no seed.
        public init(
            interval: Duration = .milliseconds(100), lostAfter: Duration = .seconds(3), seed: UInt64? = nil
        ) {
            self.interval = interval
            self.lostAfter = lostAfter
            self.seed = seed
        }
    }

    enum Phase { case made, running, stopped }

    /// A radio on which memory alone limits streams.
    public nonisolated let traits = TransportTraits(
        kind: .simulated, range: .radio, streamWindow: 1_048_576, streamChunk: 65_536, pauseBetweenDials: .seconds(4),
        dialAttempts: 3)
    /// The radio's name in the directory: what ``Endpoint/address`` and ``Sighting/address`` say of
    /// it.
    public nonisolated let address: String

    let place: SocketDirectory
    let clock: any DeviceClock
    let configuration: Configuration
    nonisolated let group: any EventLoopGroup
    private nonisolated let queue = RadioEventQueue()
    /// Tells of radios that come and go, and of conditions that change; nil before the start, and
    /// where the system has no more watches.
    var watch: DirectoryWatch?
    /// Since when it is never to listen.
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

    /// A radio in a directory; nothing is opened before ``start()``.
    ///
    /// - Parameters:
    ///   - directory: Owned by the user, and nobody else's to write to; created, 0700, when it does
    ///     not exist.
    ///   - address: 1 to 32 letters, digits, `-` and `_`; `nil` takes a random one.
    ///   - clock: By what advertisements are sent, delayed and missed.
    ///   - group: Whose event loops the channels run on.
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

    /// What is heard; one stream, for one consumer.
    public nonisolated func events() -> AsyncStream<RadioEvent> { queue.events }

    /// Sends a payload to the radios in range at every interval, the first time at once.
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

    /// Hears nothing while it is never to listen; for all else its air is free.
    public func scan(_ listening: Listening) async {
        if listening == .never {
            deafSince = deafSince ?? clock.uptime
        } else if let since = deafSince {
            deafSince = nil
            hearing.skip(clock.uptime - since)
            // Who is on the air is heard at its next interval: now, for nothing waits here.
            let onAir = hearing.takeMissed(since: clock.uptime - configuration.interval * 2)
            for reception in onAir { receive(reception) }
        }
    }

    /// Closes every channel with a peer.
    public func disconnect(_ endpoint: Endpoint) async {
        for link in links.values where link.peer == endpoint.address { try? await link.channel.close() }
    }

    /// Opens the directory and begins to hear.
    ///
    /// - Throws: `TransportError` that says what to do when the directory or the address cannot be
    ///   used, or the radio was stopped.
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
                        // After a suspend there is nothing to catch up with.
                        next = max(next + interval, clock.uptime)
                        do { try await clock.sleep(until: next) } catch { return }
                    } while await self?.tick() == true
                }
            },
        ]
    }

    /// Falls silent, closes the listener and ends the events; channels stay open.
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

    /// Says that the radio works, and what is to be known beside.
    func report(_ warning: String? = nil) {
        var summary = "simulated radio \(address) in \(place.path)"
        if let warning { summary += "; \(warning)" }
        emit(.status(RadioStatus(condition: .ready, summary: summary, adapters: [address])))
    }
}
