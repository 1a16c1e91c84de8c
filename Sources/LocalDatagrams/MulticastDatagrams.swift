// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import LocalNetworks
import Synchronization

/// Sends and receives datagrams by the multicast addresses to which all hosts listen: 224.0.0.1 and
/// ff02::1.
///
/// No group is joined, so that no router learns of a listener.
public final class MulticastDatagrams: DatagramCarrier {
    /// The datagrams of other hosts.
    public let received: AsyncStream<ReceivedDatagram>
    private let sockets: SocketKeeper

    /// How many datagrams wait for a reader.
    static let maximumWaiting = 128

    /// Creates a carrier that does not listen yet.
    ///
    /// - Parameters:
    ///   - port: The UDP port, which all hosts must share.
    ///   - length: The length of each datagram, in bytes. Datagrams of other lengths are ignored.
    public init(port: UInt16, length: Int) {
        let (received, continuation) = AsyncStream.makeStream(
            of: ReceivedDatagram.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        self.received = received
        sockets = SocketKeeper(port: port, length: length) {
            continuation.yield($0)
        } ended: {
            continuation.finish()
        }
    }

    deinit { sockets.stop() }

    /// Whether the kernel has refused a socket, and none could be opened since.
    public var isRefused: Bool { sockets.isRefused.load(ordering: .relaxed) }

    /// Receives datagrams in these networks, and in no others.
    public func listen(in networks: [LocalNetwork]) { sockets.listen(in: networks) }

    /// Sends a datagram into one of the networks.
    public func send(_ datagram: [UInt8], by family: AddressFamily, in interface: UInt32) {
        sockets.send(datagram, by: family, in: interface)
    }
}

/// Opens and closes the sockets, on a queue of its own.
///
/// An instance can be shared between threads, because only the queue uses its mutable state.
private final class SocketKeeper: @unchecked Sendable {
    private struct Key: Hashable {
        let interface: UInt32
        let family: AddressFamily
    }

    private let port: UInt16
    private let length: Int
    private let tell: @Sendable (ReceivedDatagram) -> Void
    private let ended: @Sendable () -> Void
    private let queue = DispatchQueue(label: "org.batonproject.Baton.datagrams")
    private var networks: [UInt32: LocalNetwork] = [:]
    private var readers: [Key: SocketReader] = [:]
    /// Whether the kernel has refused a socket, and none could be opened since. Any thread may read
    /// it.
    let isRefused = Atomic(false)

    init(
        port: UInt16, length: Int, tell: @escaping @Sendable (ReceivedDatagram) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        (self.port, self.length, self.tell, self.ended) = (port, length, tell, ended)
    }

    func listen(in networks: [LocalNetwork]) { queue.async { self.use(networks) } }

    func send(_ datagram: [UInt8], by family: AddressFamily, in interface: UInt32) {
        queue.async { self.readers[Key(interface: interface, family: family)]?.socket.send(datagram) }
    }

    func stop() {
        queue.async {
            self.use([])
            self.ended()
        }
    }

    private func use(_ networks: [LocalNetwork]) {
        self.networks = Dictionary(networks.map { ($0.interface, $0) }) { first, _ in first }
        let wanted = Set(
            networks.flatMap { network in
                AddressFamily.allCases.filter { family in
                    network.addresses.contains { $0.bytes.count == family.addressLength }
                }.map { Key(interface: network.interface, family: $0) }
            })
        if wanted.isEmpty { isRefused.store(false, ordering: .relaxed) }
        for key in readers.keys where !wanted.contains(key) { readers.removeValue(forKey: key)?.end() }
        for key in wanted where readers[key] == nil { open(key) }
    }

    private func open(_ key: Key) {
        do throws(MulticastSocket.OpeningError) {
            let socket = try MulticastSocket(key.family, interface: key.interface, port: port, length: length)
            readers[key] = SocketReader(socket, queue: queue) { [weak self] in self?.received($0, over: key.interface) }
            isRefused.store(false, ordering: .relaxed)
        } catch {
            // Without a socket, laptops find each other in other ways.
            if error == .refused { isRefused.store(true, ordering: .relaxed) }
        }
    }

    private func received(_ arrival: MulticastSocket.Arrival, over interface: UInt32) {
        guard let network = networks[interface], arrival.isFromNeighbour(in: network) else { return }
        tell(ReceivedDatagram(bytes: arrival.bytes, source: arrival.source, interface: interface))
    }
}

/// Reads one socket, a limited number of datagrams in each second.
///
/// An instance can be shared between threads, because only the queue uses its mutable state.
private final class SocketReader: @unchecked Sendable {
    let socket: MulticastSocket
    private let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private let tell: (MulticastSocket.Arrival) -> Void
    private var second: DispatchTime = .now()
    private var count = 0
    private var isPaused = false

    init(_ socket: MulticastSocket, queue: DispatchQueue, tell: @escaping (MulticastSocket.Arrival) -> Void) {
        (self.socket, self.queue, self.tell) = (socket, queue, tell)
        source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        source.setCancelHandler { socket.close() }
        source.activate()
    }

    /// Ends reading. The source closes the socket after it has stopped using it.
    func end() {
        source.cancel()
        if isPaused { source.resume() }
        isPaused = false
    }

    private func read() {
        let now = DispatchTime.now()
        if now >= second + .seconds(1) { (second, count) = (now, 0) }
        while count < MulticastSocket.maximumPerSecond {
            switch socket.receive() {
            case .datagram(let arrival): tell(arrival)
            case .ignored: break
            case .nothing: return
            }
            count += 1
        }
        pause()
    }

    /// Reads nothing for a second. The kernel drops the datagrams that do not fit into the socket.
    private func pause() {
        isPaused = true
        source.suspend()
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.resume() }
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        source.resume()
    }
}
