// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import TCPTransport

@Suite(.timeLimit(.minutes(5)))
struct AcceptPauseTests {
    /// A listener that runs on the test's thread.
    private final class Listener {
        let channel = EmbeddedChannel(handler: AcceptPause())

        func fail() { channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept")) }

        func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

        var reads: Bool {
            let option = channel.options.first { $0.option is ChannelOptions.Types.AutoReadOption }
            return option?.value as? Bool ?? true
        }
    }

    @Test("After a failed accept, a listener tries again after exactly a second")
    func pause() throws {
        let listener = Listener()
        listener.fail()
        #expect(!listener.reads)
        // Another failure does not make the pause longer.
        listener.pass(.milliseconds(500))
        listener.fail()
        listener.pass(.milliseconds(499))
        #expect(!listener.reads)
        listener.pass(.milliseconds(1))
        #expect(listener.reads)
        listener.fail()
        #expect(!listener.reads)
        try listener.channel.throwIfErrorCaught()
        _ = try listener.channel.finish()
    }

    @Test("A listener that was closed during its pause does not accept again after the pause")
    func end() throws {
        let listener = Listener()
        listener.fail()
        _ = try listener.channel.finish()
        listener.pass(AcceptPause.length)
        #expect(!listener.reads)
    }

    @Test("An error other than a failed accept causes no pause, and is passed on")
    func others() throws {
        let listener = Listener()
        listener.channel.pipeline.fireErrorCaught(ChannelError.operationUnsupported)
        #expect(throws: ChannelError.operationUnsupported) { try listener.channel.throwIfErrorCaught() }
        #expect(listener.reads)
        _ = try listener.channel.finish()
    }
}
