// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// Reports the networks to which this machine is connected, now and after each change.
///
/// This type sends nothing into a network. The kernel learns the link-layer address of a gateway
/// when any program uses the gateway, or when an IPv6 router advertises itself. Until then this
/// type reports the gateway without a link-layer address, because only a privileged program can
/// make the kernel ask for it.
///
/// Suppose that a router is replaced while the interface keeps its carrier and its routes. Then
/// this type notices the new router only when the carrier or a route changes.
public final class LocalNetworks: Sendable {
    /// The present networks, then the networks after each change. A slow reader gets only the
    /// latest state. The stream ends when this object is released.
    public let states: AsyncStream<[LocalNetwork]>
    private let reader: NetworkReader

    /// Begins to read the networks. Keep this object while you read ``states``.
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

/// Carries out the actions of a ``NetworkSurvey``, on a queue of its own.
///
/// This class can be shared between threads, because only the queue uses its mutable state.
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

    /// The pause in seconds before the next attempt after two or more failures in succession.
    ///
    /// After such failures the kernel has no socket left, or sends more than this machine can read.
    private static let pause = 1
    /// How many datagrams are read before the queue does other work.
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

    /// Ends reading. The source closes the descriptor after it has stopped using it.
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

    /// Begins again with a new socket, on which no answer to an old request can arrive.
    private func fail() {
        close()
        failures += 1
        guard failures > 1 else { return open() }
        queue.asyncAfter(deadline: .now() + .seconds(Self.pause)) { self.open() }
    }
}
