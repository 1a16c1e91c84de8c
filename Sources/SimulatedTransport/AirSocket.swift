// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Descriptors
@preconcurrency import Dispatch
import Glibc

/// A radio's datagram socket.
///
/// NIO's datagram channels close when a datagram comes from a socket without a name, and any
/// process can send one. So this type does not use NIO.
struct AirSocket: Sendable {
    /// An advertisement, and the radio whose socket sent it.
    struct Reception: Sendable {
        var sender: String
        var payload: [UInt8]
    }

    /// The type of a datagram socket that child processes do not inherit and that never blocks.
    static let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    /// The number of datagrams that are read before the queue does other work.
    static let drainLimit = 64
    /// The maximum number of valid advertisements that wait for the radio. A further advertisement
    /// replaces the oldest.
    static let backlog = 256

    /// The received advertisements. Malformed datagrams are left out.
    let receptions: AsyncStream<Reception>
    private let descriptor: CInt
    private let source: any DispatchSourceRead
    private let closed: AsyncStream<Never>

    /// Binds a socket at a path that does not exist yet.
    ///
    /// - Throws: `TransportError`.
    init(path: String) throws {
        let descriptor = socket(AF_UNIX, Self.type, 0)
        guard descriptor >= 0 else {
            throw TransportError(errno: errno, "cannot make a socket for the simulated radio")
        }
        let address = UnixAddress(path: path)
        guard address?.bind(descriptor) == 0 else {
            let cause = address == nil ? ENAMETOOLONG : errno
            Glibc.close(descriptor)
            throw TransportError(errno: cause, "cannot bind the simulated radio's socket \(path)")
        }
        let (receptions, continuation) = AsyncStream.makeStream(
            of: Reception.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let (closed, closure) = AsyncStream.makeStream(of: Never.self)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "simulated radio"))
        source.setEventHandler {
            for _ in 0..<Self.drainLimit {
                switch Self.receive(descriptor) {
                case .advertisement(let reception): continuation.yield(reception)
                case .noise: continue
                case .nothing: return
                }
            }
        }
        source.setCancelHandler {
            Glibc.close(descriptor)
            continuation.finish()
            closure.finish()
        }
        source.resume()
        self.descriptor = descriptor
        self.source = source
        self.receptions = receptions
        self.closed = closed
    }

    /// Sends a datagram. If the receiver's queue is full, the datagram is lost, as on the air.
    ///
    /// - Returns: Whether there is a receiver.
    func send(_ datagram: [UInt8], to path: String) -> Bool {
        guard let address = UnixAddress(path: path) else { return false }
        let sent = address.send(datagram, from: descriptor, flags: CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        return sent >= 0 || ![ECONNREFUSED, ENOENT].contains(errno)
    }

    /// Closes the socket, and returns once the descriptor is closed. Do not use the socket any
    /// more.
    func close() async {
        source.cancel()
        for await _ in closed {}
    }

    private enum Received {
        case advertisement(Reception)
        case noise
        case nothing
    }

    private static func receive(_ descriptor: CInt) -> Received {
        // The buffer is one byte longer than a valid datagram, so that a longer datagram is
        // recognised and refused.
        var buffer = [UInt8](repeating: 0, count: AirDatagram.maximumLength + 1)
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let count = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT), $0, &length)
            }
        }
        guard count >= 0 else { return errno == EINTR ? .noise : .nothing }
        guard let payload = AirDatagram.decode(buffer.prefix(count)), let name = address.fileName(length: length),
            let sender = SocketDirectory.address(inName: name, suffix: "air")
        else { return .noise }
        return .advertisement(Reception(sender: sender, payload: payload))
    }
}
