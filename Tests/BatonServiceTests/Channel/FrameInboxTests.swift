// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import BatonService

/// Tests ``FrameInbox``, the end of a channel's pipeline.
struct FrameInboxTests {
    @Test("When a channel ends, its inbox releases the consumer, although the consumer refers to the inbox")
    func keepsNoConsumer() throws {
        weak var left: FrameInbox?
        do {
            let inbox = FrameInbox(in: WaitingFrames())
            left = inbox
            let channel = EmbeddedChannel(handler: inbox)
            _ = try channel.finish()
            var isClosed = false
            inbox.setConsumer { [inbox] event in
                if case .closed = event, inbox.failure == nil { isClosed = true }
            }
            #expect(isClosed)
        }
        #expect(left == nil)
    }
}
