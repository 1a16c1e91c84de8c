// SPDX-License-Identifier: GPL-3.0-or-later

internal import CBluetooth
internal import Glibc

/// LE credit-based channels (Core Specification, volume 3, part A, 10.1) as the kernel's sockets.
///
/// Every descriptor that this type returns is a non-blocking, close-on-exec `SOCK_STREAM` socket
/// and belongs to the caller. One `write` sends one SDU of at most ``sendMTU(of:)`` bytes. A `read`
/// may return part of an SDU. All channels have the lowest security level, so they never cause a
/// pairing, and the layers above must protect the data.
public enum L2CAPSocket {
    /// The PSMs that the kernel assigns and that need no privilege.
    public static let dynamicPSMs: ClosedRange<UInt16> = 0x80...0xFF

    /// The SDU sizes that ``listen(on:psm:backlog:receiveMTU:)`` and
    /// ``startConnecting(from:to:psm:receiveMTU:)`` accept.
    public static let receiveMTUs: ClosedRange<Int> = 23...65_535

    /// Opens a socket that accepts channels on a PSM.
    ///
    /// - Parameters:
    ///   - address: The adapter's own address, or `nil` for every adapter, including those that
    ///     appear later.
    ///   - psm: A PSM of ``dynamicPSMs``, a lower PSM if the process is privileged, or `nil` for
    ///     any free dynamic PSM.
    ///   - backlog: How many channels may wait to be accepted.
    ///   - receiveMTU: The largest SDU that a peer may send, in bytes.
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

    /// Accepts one waiting channel of a listening descriptor.
    ///
    /// - Returns: The channel's descriptor and the peer's address, or `nil` if no channel waits.
    /// - Throws: ``L2CAPError``.
    public static func accept(
        on listener: CInt
    ) throws(L2CAPError) -> (descriptor: CInt, peer: BluetoothAddress)? {
        let operation = "accept a channel"
        while true {
            let descriptor = cbluetooth_accept(listener, CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
            if descriptor >= 0 {
                if let peer = try? name(of: descriptor, getpeername, operation).address { return (descriptor, peer) }
                // A peer that has already disconnected has no address. Skip it, so that the next
                // channels do not wait.
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

    /// Starts to dial a peer. When the descriptor becomes writable, ``finishConnecting(_:to:)``
    /// gives the result.
    ///
    /// The kernel waits up to 40 s for a connectable advertisement from exactly this address, or
    /// uses an existing link. Closing the descriptor ends the attempt.
    ///
    /// - Parameters:
    ///   - source: The own address of the adapter to use, or `nil` to let the kernel choose.
    ///   - peer: The peer's address.
    ///   - psm: The PSM that the peer listens on.
    ///   - receiveMTU: The largest SDU that the peer may send, in bytes.
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

    /// Checks how ``startConnecting(from:to:psm:receiveMTU:)`` ended, when its descriptor is
    /// writable.
    ///
    /// - Throws: ``L2CAPError`` when the attempt failed. The caller must still close the
    ///   descriptor.
    public static func finishConnecting(_ descriptor: CInt, to peer: BluetoothAddress) throws(L2CAPError) {
        let operation = "connect to \(peer)"
        let error: CInt = try option(descriptor, SOL_SOCKET, SO_ERROR, operation)
        guard error == 0 else { throw L2CAPError(errno: error, operation) }
    }

    /// Closes a descriptor that this type has returned. This also ends an attempt to connect.
    public static func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }

    /// Returns the largest SDU that the peer accepts on a connected channel, in bytes.
    ///
    /// - Throws: ``L2CAPError``.
    public static func sendMTU(of descriptor: CInt) throws(L2CAPError) -> Int {
        let mtu: UInt16 = try option(descriptor, SOL_BLUETOOTH, BT_SNDMTU, "read a channel's MTU")
        return Int(mtu)
    }

    /// Returns the largest SDU that the peer may send, in bytes.
    ///
    /// - Throws: ``L2CAPError``.
    public static func receiveMTU(of descriptor: CInt) throws(L2CAPError) -> Int {
        let mtu: UInt16 = try option(descriptor, SOL_BLUETOOTH, BT_RCVMTU, "read a channel's MTU")
        return Int(mtu)
    }

    /// Sets the sizes of the send and receive buffers, in bytes. The kernel doubles them, up to its
    /// own limits.
    ///
    /// - Throws: ``L2CAPError``.
    public static func setBufferSizes(
        of descriptor: CInt, send: Int, receive: Int
    ) throws(L2CAPError) {
        try setOption(descriptor, SOL_SOCKET, SO_SNDBUF, CInt(clamping: send), "set a channel's buffer sizes")
        try setOption(descriptor, SOL_SOCKET, SO_RCVBUF, CInt(clamping: receive), "set a channel's buffer sizes")
    }
}
