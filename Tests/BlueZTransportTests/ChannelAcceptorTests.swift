// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Glibc
import L2CAP
import Logging
import Synchronization
import Testing

@testable import BlueZTransport

/// Tests the acceptor, with a Unix socket instead of Bluetooth.
@Suite(.timeLimit(.minutes(5))) struct ChannelAcceptorTests {
    private static let peer = BluetoothAddress("C0:FF:EE:00:00:01/public")

    /// Returns a listening socket with a name chosen by the kernel, and a socket that dials it.
    private static func dialled() throws -> (listener: CInt, dialler: CInt) {
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        let (listener, dialler) = (socket(AF_UNIX, type, 0), socket(AF_UNIX, type, 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Pass only the family, so that the kernel chooses a name.
        var length = socklen_t(MemoryLayout<sa_family_t>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                try #require(bind(listener, name, length) == 0 && listen(listener, 8) == 0)
                length = socklen_t(MemoryLayout<sockaddr_un>.size)
                try #require(getsockname(listener, name, &length) == 0)
                try #require(connect(dialler, name, length) == 0)
            }
        }
        return (listener, dialler)
    }

    @Test("If no descriptor is free, the acceptor tries again after a second, while the dialling side waits")
    func withoutDescriptors() async throws {
        let (listener, dialler) = try Self.dialled()
        defer { close(dialler) }
        let (clock, peer) = (ManualClock(), try #require(Self.peer))
        let tries = Mutex(0)
        let (accepted, sink) = AsyncStream.makeStream(of: CInt.self)
        let acceptor = ChannelAcceptor(
            on: nil, listening: (listener, 0x80), watcher: try #require(DescriptorWatcher()), clock: clock,
            logger: Logger(label: "door") { _ in SwiftLogNoOpLogHandler() },
            next: { listener in
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                guard number > 2 else { throw L2CAPError(errno: EMFILE, "accept a channel") }
                let descriptor = Glibc.accept(listener, nil, nil)
                return descriptor < 0 ? nil : (descriptor, peer)
            },
            accept: { descriptor, _ in sink.yield(descriptor) })
        for number in 1...2 {
            await clock.waitForSleepers()
            #expect(tries.withLock { $0 } == number)
            clock.advance(by: ChannelAcceptor.pause)
        }
        var channels = accepted.makeAsyncIterator()
        let descriptor = try #require(await channels.next())
        #expect(write(dialler, [7], 1) == 1)
        var byte: UInt8 = 0
        #expect(read(descriptor, &byte, 1) == 1 && byte == 7)
        close(descriptor)
        await acceptor.close()
    }
}
