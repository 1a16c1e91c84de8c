// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import L2CAP
import NIOCore
import Testing

@testable import BlueZTransport

private struct Socket: Acceptor, Equatable {
    var address: BluetoothAddress?
    var psm: UInt16
}

@Suite struct ListenerSocketTests {
    private var listener = ListenerSocket<Socket>()
    private let address = BluetoothAddress(value: 1, kind: .public)
    private let initializer: AcceptedChannelInitializer = { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }

    @Test("Without a listener no socket is opened")
    func nobodyListens() {
        #expect(listener.opening(on: nil) == nil)
        #expect(listener.opening(on: address) == nil)
    }

    @Test("Only one listener is open at a time")
    mutating func thereIsOneListenerAtATime() throws {
        let id = try listener.listen(initializer)
        #expect(throws: TransportError.self) { _ = try listener.listen(initializer) }
        #expect(listener.close(id) == nil)
        #expect(try listener.listen(initializer) != id)
    }

    @Test("The socket for every adapter is opened once")
    mutating func socketForEveryAdapter() throws {
        let id = try listener.listen(initializer)
        #expect(listener.psm(of: id) == nil)
        let opening = try #require(listener.opening(on: nil))
        #expect(opening.psm == nil)
        listener.didOpen(Socket(address: nil, psm: 0x81))
        #expect(listener.opening(on: nil) == nil)
        #expect(listener.psm(of: id) == 0x81)
        #expect(listener.psm(of: id + 1) == nil)
    }

    @Test("A new address gets a new socket with the same PSM")
    mutating func anotherAddress() throws {
        let id = try listener.listen(initializer)
        let first = Socket(address: address, psm: 0x90)
        listener.didOpen(first)
        #expect(listener.opening(on: address) == nil)
        let other = BluetoothAddress(value: 2, kind: .public)
        #expect(listener.opening(on: other)?.psm == 0x90)
        #expect(listener.takeSocket() == first)
        // After a failure a socket is opened again with the same PSM.
        #expect(listener.psm(of: id) == nil)
        #expect(listener.takeSocket() == nil)
        #expect(listener.opening(on: other)?.psm == 0x90)
        listener.didOpen(Socket(address: other, psm: 0x90))
        #expect(listener.psm(of: id) == 0x90)
    }

    @Test("Closing a listener returns its socket, and no other")
    mutating func closedListener() throws {
        let first = try listener.listen(initializer)
        listener.didOpen(Socket(address: nil, psm: 0x80))
        #expect(listener.close(first) == Socket(address: nil, psm: 0x80))
        let second = try listener.listen(initializer)
        #expect(listener.opening(on: nil)?.psm == nil)
        listener.didOpen(Socket(address: nil, psm: 0x82))
        #expect(listener.close(first) == nil)
        #expect(listener.psm(of: second) == 0x82)
        #expect(listener.close() == Socket(address: nil, psm: 0x82))
        #expect(listener.close() == nil)
    }
}
