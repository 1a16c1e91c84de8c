// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth
internal import Glibc

/// LE credit-based channels (Core Specification, volume 3, part A, 10.1) as the kernel's sockets.
///
/// Every descriptor that comes from here is a `SOCK_STREAM` socket, non-blocking and closed on
/// exec, and belongs to the caller. One `write` sends one SDU of at most ``sendMTU(of:)`` bytes; a
/// `read` may return part of one. All channels are of the lowest security level: what travels on
/// them must be protected above, and no pairing ever happens because of them.
public enum L2CAPSocket {
    /// The PSMs that the kernel hands out and that need no privilege.
    public static let dynamicPSMs: ClosedRange<UInt16> = 0x80...0xFF

    /// The SDU sizes that ``listen(on:psm:backlog:receiveMTU:)`` and
    /// ``startConnecting(from:to:psm:receiveMTU:)`` take.
    public static let receiveMTUs: ClosedRange<Int> = 23...65_535

    /// Accepts channels on a PSM.
    ///
    /// - Parameters:
    ///   - address: The adapter's own address; `nil` for every adapter, those that appear later
    ///     included.
    ///   - psm: A PSM of ``dynamicPSMs``, or below with privilege; `nil` to be given a free dynamic
    ///     one.
    ///   - backlog: How many channels may wait to be accepted.
    ///   - receiveMTU: The largest SDU that a peer may send.
    /// - Returns: The listening descriptor and its PSM.
    /// - Throws: ``L2CAPError``.
    public static func listen(
        on address: BluetoothAddress?, psm: UInt16?, backlog: Int = 16, receiveMTU: Int
    ) throws(L2CAPError) -> (descriptor: CInt, psm: UInt16) {
        let operation = "listen on " + (psm.map { "PSM \($0)" } ?? "a PSM of its own")
        guard psm.map({ (1...0xFF).contains($0) }) ?? true, (1...4_096).contains(backlog) else {
            throw L2CAPError(.invalidArgument, operation)
        }
        let descriptor = try open(address, psm: psm ?? 0, receiveMTU: receiveMTU, operation)
        return try closingOnError(descriptor) { () throws(L2CAPError) in
            guard Glibc.listen(descriptor, CInt(backlog)) == 0 else {
                throw L2CAPError(errno: errno, operation)
            }
            return (descriptor, try name(of: descriptor, getsockname, operation).psm)
        }
    }

    /// Takes one channel that waits on a listening descriptor.
    ///
    /// - Returns: Its descriptor and who dialled; `nil` when none waits.
    /// - Throws: ``L2CAPError``.
    public static func accept(
        on listener: CInt
    ) throws(L2CAPError) -> (descriptor: CInt, peer: BluetoothAddress)? {
        let operation = "accept a channel"
        while true {
            let descriptor = cbluetooth_accept(
                listener, CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
            if descriptor >= 0 {
                if let peer = try? name(of: descriptor, getpeername, operation).address { return (descriptor, peer) }
                // Who has gone again has no name, and must not keep those who come next waiting.
                close(descriptor)
                continue
            }
            switch errno {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED: continue
            default: throw L2CAPError(errno: errno, operation)
            }
        }
    }

    /// Begins to dial a peer; the descriptor becomes writable when the attempt has ended, and then
    /// ``finishConnecting(_:)`` tells how.
    ///
    /// The kernel waits, up to 40 s, for a connectable advertisement of exactly this address, or
    /// uses the link that is there. Closing the descriptor ends the attempt.
    ///
    /// - Parameters:
    ///   - source: The own address of the adapter to use; `nil` leaves the choice to the kernel.
    ///   - peer: Whom to dial.
    ///   - psm: The PSM that the peer listens on.
    ///   - receiveMTU: The largest SDU that the peer may send.
    /// - Throws: ``L2CAPError``.
    public static func startConnecting(
        from source: BluetoothAddress?, to peer: BluetoothAddress, psm: UInt16, receiveMTU: Int
    ) throws(L2CAPError) -> CInt {
        let operation = "connect to \(peer)"
        guard (1...0xFF).contains(psm) else { throw L2CAPError(.invalidArgument, operation) }
        let descriptor = try open(source, psm: 0, receiveMTU: receiveMTU, operation)
        return try closingOnError(descriptor) { () throws(L2CAPError) in
            var target = socketAddress(octets: peer.kernelOctets, kind: peer.kernelKind, psm: psm)
            let result = withSocketAddress(&target) { Glibc.connect(descriptor, $0, $1) }
            guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
                throw L2CAPError(errno: errno, operation)
            }
            return descriptor
        }
    }

    /// Tells how an attempt of ``startConnecting(from:to:psm:receiveMTU:)`` ended, once its
    /// descriptor is writable.
    ///
    /// - Throws: ``L2CAPError`` when it failed; the descriptor is still the caller's to close.
    public static func finishConnecting(_ descriptor: CInt, to peer: BluetoothAddress) throws(L2CAPError) {
        let operation = "connect to \(peer)"
        let error: CInt = try option(descriptor, SOL_SOCKET, SO_ERROR, operation)
        guard error == 0 else { throw L2CAPError(errno: error, operation) }
    }

    /// Dials a peer and waits for the outcome on the calling thread; for tools and tests.
    ///
    /// - Parameter timeout: How long it may take in all, in milliseconds.
    /// - Throws: ``L2CAPError``.
    public static func connect(
        from source: BluetoothAddress?, to peer: BluetoothAddress, psm: UInt16, receiveMTU: Int, timeout: Int
    ) throws(L2CAPError) -> CInt {
        let descriptor = try startConnecting(from: source, to: peer, psm: psm, receiveMTU: receiveMTU)
        return try closingOnError(descriptor) { () throws(L2CAPError) in
            let deadline = ContinuousClock.now + .milliseconds(timeout)
            while true {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
                switch poll(&entry, 1, CInt(clamping: Int(max(0, left).rounded(.up)))) {
                case 0: throw L2CAPError(.timedOut, "connect to \(peer)")
                case -1 where errno == EINTR: continue
                case -1: throw L2CAPError(errno: errno, "connect to \(peer)")
                default: break
                }
                try finishConnecting(descriptor, to: peer)
                return descriptor
            }
        }
    }

    /// Closes a descriptor that came from here; an attempt to connect that is under way ends.
    public static func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }

    /// The largest SDU that may be written to a connected channel, in bytes: what the peer has
    /// announced.
    ///
    /// - Throws: ``L2CAPError``.
    public static func sendMTU(of descriptor: CInt) throws(L2CAPError) -> Int {
        let mtu: UInt16 = try option(descriptor, SOL_BLUETOOTH, BT_SNDMTU, "read a channel's MTU")
        return Int(mtu)
    }

    /// The largest SDU that the peer may send, in bytes.
    ///
    /// - Throws: ``L2CAPError``.
    public static func receiveMTU(of descriptor: CInt) throws(L2CAPError) -> Int {
        let mtu: UInt16 = try option(descriptor, SOL_BLUETOOTH, BT_RCVMTU, "read a channel's MTU")
        return Int(mtu)
    }

    /// The address of the other end; `nil` when the channel is not of LE.
    ///
    /// - Throws: ``L2CAPError``.
    public static func peer(of descriptor: CInt) throws(L2CAPError) -> BluetoothAddress? {
        try name(of: descriptor, getpeername, "ask for a channel's peer").address
    }

    /// The own address of a connected channel, that is, of the adapter that carries it; `nil` when
    /// the channel is not of LE.
    ///
    /// - Throws: ``L2CAPError``.
    public static func adapter(of descriptor: CInt) throws(L2CAPError) -> BluetoothAddress? {
        try name(of: descriptor, getsockname, "ask for a channel's adapter").address
    }

    /// How many bytes may wait to be sent and to be read: `SO_SNDBUF` and `SO_RCVBUF`.
    ///
    /// - Throws: ``L2CAPError``.
    public static func bufferSizes(of descriptor: CInt) throws(L2CAPError) -> (send: Int, receive: Int) {
        let send: CInt = try option(descriptor, SOL_SOCKET, SO_SNDBUF, "read a channel's buffer sizes")
        let receive: CInt = try option(descriptor, SOL_SOCKET, SO_RCVBUF, "read a channel's buffer sizes")
        return (Int(send), Int(receive))
    }

    /// Asks for room for bytes that wait to be sent and to be read; the kernel doubles it, up to
    /// its own limits.
    ///
    /// - Throws: ``L2CAPError``.
    public static func setBufferSizes(
        of descriptor: CInt, send: Int, receive: Int
    ) throws(L2CAPError) {
        try setOption(descriptor, SOL_SOCKET, SO_SNDBUF, CInt(clamping: send), "set a channel's buffer sizes")
        try setOption(descriptor, SOL_SOCKET, SO_RCVBUF, CInt(clamping: receive), "set a channel's buffer sizes")
    }
}
