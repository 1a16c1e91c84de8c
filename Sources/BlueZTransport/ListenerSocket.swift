// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import L2CAP

/// A socket that accepts channels.
protocol Acceptor {
    /// The adapter's address that it is bound to; `nil` for every adapter.
    var address: BluetoothAddress? { get }
    /// The PSM that it was given.
    var psm: UInt16 { get }
}

/// The one listener of a radio, and the socket that it has just now.
///
/// The socket of a named adapter is opened once that adapter's address is known, and anew when the
/// address is another. Such a socket outlives the adapter's absence. The PSM stays the one that was
/// given first.
struct ListenerSocket<Socket: Acceptor> {
    /// A socket that should be opened.
    struct Opening {
        /// The PSM to ask for; `nil` for any.
        let psm: UInt16?
        /// What accepted channels are prepared with.
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

    /// Begins to listen; there is no socket yet.
    ///
    /// - Returns: The listener's id.
    /// - Throws: ``TransportError`` when there is a listener already.
    mutating func listen(_ initializer: @escaping AcceptedChannelInitializer) throws(TransportError) -> UInt64 {
        guard listener == nil else { throw TransportError(.invalidArgument, "the radio listens already") }
        lastID += 1
        listener = Listener(id: lastID, initializer: initializer)
        return lastID
    }

    /// Which socket should be opened on an address; `nil` when there is none to open.
    func opening(on address: BluetoothAddress?) -> Opening? {
        guard let listener else { return nil }
        if let socket = listener.socket, socket.address == address { return nil }
        return Opening(psm: listener.psm, initializer: listener.initializer)
    }

    /// Gives up the socket, for the caller to close.
    mutating func takeSocket() -> Socket? {
        defer { listener?.socket = nil }
        return listener?.socket
    }

    /// A socket was opened.
    mutating func didOpen(_ socket: Socket) {
        listener?.socket = socket
        listener?.psm = socket.psm
        listener?.fault = nil
    }

    /// A socket could not be opened.
    mutating func didFail(_ error: TransportError) { listener?.fault = error }

    /// Why there is no socket, from when one could not be opened until one is.
    var fault: TransportError? { listener?.fault }

    /// Where a listener can be dialled; `nil` while it has no socket, and once it is closed.
    func psm(of id: UInt64) -> UInt16? { listener?.id == id ? listener?.socket?.psm : nil }

    /// Ends a listener, or whichever there is.
    ///
    /// - Returns: Its socket, for the caller to close.
    mutating func close(_ id: UInt64? = nil) -> Socket? {
        guard id == nil || listener?.id == id else { return nil }
        defer { listener = nil }
        return listener?.socket
    }
}
