// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import L2CAP

/// A socket that accepts channels.
protocol Acceptor {
    /// The address of the adapter to which the socket is bound, or `nil` for every adapter.
    var address: BluetoothAddress? { get }
    /// The PSM that the kernel assigned.
    var psm: UInt16 { get }
}

/// A radio's only listener and its current socket.
///
/// The socket of a named adapter is opened when the adapter's address is known, and opened again
/// when the address changes. The socket stays open while the adapter is absent. All sockets use the
/// PSM that was assigned to the first socket.
struct ListenerSocket<Socket: Acceptor> {
    struct Opening {
        /// The PSM to ask for, or `nil` for any.
        let psm: UInt16?
        /// Called to prepare each accepted channel.
        let initializer: AcceptedChannelInitializer
    }

    private struct Listener {
        let id: UInt64
        let initializer: AcceptedChannelInitializer
        var socket: Socket?
        var psm: UInt16?
        var fault: TransportError?
    }

    private var listener: Listener?
    private var lastID: UInt64 = 0

    /// Begins to listen, at first without a socket.
    ///
    /// - Returns: The listener's id.
    /// - Throws: ``TransportError`` when there is a listener already.
    mutating func listen(_ initializer: @escaping AcceptedChannelInitializer) throws(TransportError) -> UInt64 {
        guard listener == nil else { throw TransportError(.invalidArgument, "the radio listens already") }
        lastID += 1
        listener = Listener(id: lastID, initializer: initializer)
        return lastID
    }

    /// Returns the socket to open on an address, or `nil` if none is needed.
    func opening(on address: BluetoothAddress?) -> Opening? {
        guard let listener else { return nil }
        if let socket = listener.socket, socket.address == address { return nil }
        return Opening(psm: listener.psm, initializer: listener.initializer)
    }

    /// Removes and returns the socket. The caller must close it.
    mutating func takeSocket() -> Socket? {
        defer { listener?.socket = nil }
        return listener?.socket
    }

    /// Records a socket that was opened.
    mutating func didOpen(_ socket: Socket) {
        listener?.socket = socket
        listener?.psm = socket.psm
        listener?.fault = nil
    }

    /// Records that a socket could not be opened.
    mutating func didFail(_ error: TransportError) { listener?.fault = error }

    /// The reason why the last attempt to open a socket failed, or `nil` if it succeeded.
    var fault: TransportError? { listener?.fault }

    /// Returns a listener's PSM, or `nil` if it has no socket or is closed.
    func psm(of id: UInt64) -> UInt16? { listener?.id == id ? listener?.socket?.psm : nil }

    /// Ends a listener. Without an id, ends the current listener.
    ///
    /// - Returns: The listener's socket, which the caller must close.
    mutating func close(_ id: UInt64? = nil) -> Socket? {
        guard id == nil || listener?.id == id else { return nil }
        defer { listener = nil }
        return listener?.socket
    }
}
