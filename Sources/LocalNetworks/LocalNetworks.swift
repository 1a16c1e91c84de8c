// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Tells which networks this machine is in, and tells again after each change.
///
/// Baton sends nothing into a network for it. The kernel learns the link-layer address of a gateway
/// when any program uses the gateway, or when an IPv6 router advertises itself. Until then the
/// gateway has none, and this type waits for the kernel's word. Only a privileged program can have
/// the kernel ask.
///
/// A router that is replaced while the interface keeps its carrier and its routes is noticed at the
/// next change of either.
public final class LocalNetworks: Sendable {
    /// The networks now, and after each change. A reader that is slow gets the latest state only.
    /// The stream ends with this object.
    public let states: AsyncStream<[LocalNetwork]>
    private let reader: NetworkReader

    /// Begins to read. Keep this object while you read ``states``.
    public init() {
        let (states, continuation) = AsyncStream.makeStream(
            of: [LocalNetwork].self, bufferingPolicy: .bufferingNewest(1))
        self.states = states
        reader = NetworkReader {
            continuation.yield($0)
        } ended: {
            continuation.finish()
        }
        reader.start()
    }

    deinit { reader.stop() }
}

/// Carries out what a ``NetworkSurvey`` decides, on a queue of its own.
///
/// Safe to share, because all that changes is used on the queue only.
private final class NetworkReader: @unchecked Sendable {
    private let queue = DispatchQueue(label: "org.batonproject.Baton.networks")
    private let tell: @Sendable ([LocalNetwork]) -> Void
    private let ended: @Sendable () -> Void
    private var survey = NetworkSurvey()
    private var socket: NetlinkSocket?
    private var source: (any DispatchSourceRead)?
    private var told: [LocalNetwork]?
    private var failures = 0
    private var isStopped = false

    /// How long a second failure in succession is let rest, in seconds: the kernel has no socket to
    /// give, or tells more than can be read.
    private static let pause = 1
    /// How many datagrams are read before the queue turns to something else.
    private static let maximumAtOnce = 64

    init(tell: @escaping @Sendable ([LocalNetwork]) -> Void, ended: @escaping @Sendable () -> Void) {
        (self.tell, self.ended) = (tell, ended)
    }

    func start() { queue.async { self.open() } }

    func stop() {
        queue.async {
            self.isStopped = true
            self.close()
            self.ended()
        }
    }

    private func open() {
        guard !isStopped else { return }
        guard let socket = NetlinkSocket() else { return fail() }
        self.socket = socket
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        let descriptor = socket.descriptor
        source.setCancelHandler { Glibc.close(descriptor) }
        self.source = source
        source.activate()
        carryOut(survey.begin(port: socket.port))
    }

    /// The descriptor is closed once nothing reads from it any more.
    private func close() {
        source?.cancel()
        (source, socket) = (nil, nil)
    }

    private func read() {
        for _ in 0..<Self.maximumAtOnce {
            switch socket?.receive() {
            case .datagram(let datagram): carryOut(survey.handle(datagram))
            case .lost: fail()
            case .nothing, nil: return
            }
        }
    }

    private func carryOut(_ actions: [NetworkSurvey.Action]) {
        for action in actions {
            switch action {
            case .send(let request):
                if socket?.send(request) != true { return fail() }
            case .hearNeighbours(let hears): socket?.hearNeighbours(hears)
            case .tell(let networks):
                failures = 0
                if told != networks { tell(networks) }
                told = networks
            case .beginAgain: return fail()
            }
        }
    }

    /// Begins again with a new socket, so that no answer to an old question comes.
    private func fail() {
        close()
        failures += 1
        guard failures > 1 else { return open() }
        queue.asyncAfter(deadline: .now() + .seconds(Self.pause)) { self.open() }
    }
}
