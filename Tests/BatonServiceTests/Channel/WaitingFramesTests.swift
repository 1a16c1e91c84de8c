// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import Synchronization
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests the limits on received frames that wait to be handled.
    struct WaitingFramesTests {
        /// The two ends of a channel between members, without a service at either end.
        private struct Ends {
            let sender: SecureChannel
            let receiver: SecureChannel
            let listener: any Listener
        }

        private static let large = 900_000

        private func ends(_ world: World) async throws -> Ends {
            let (anna, berta) = try await world.pair(clock: ManualClock())
            let accepted = Watched<SecureChannel?>(nil)
            let tcp = TCPTransport(sharesMachine: true)
            let listener = try await anna.service.channels.listen(on: tcp) { channel in
                accepted.change { $0 = channel }
            }
            let endpoint = try #require(await listener.endpoints().first { $0.address == "127.0.0.1" })
            let sender = try await berta.service.channels.dial(
                endpoint, over: tcp, credential: berta.credential(of: anna), timeout: .seconds(30))
            let receiver = try await accepted.wait("the channel") { $0 }
            return Ends(sender: sender, receiver: receiver, listener: listener)
        }

        private func withEnds(_ body: (Ends) async throws -> Void) async throws {
            try await World.with { world in
                let ends = try await ends(world)
                try await body(ends)
                await ends.listener.close()
            }
        }

        private func hello(_ number: Int, _ count: Int = large) -> Frame {
            .hello(Hello(name: "\(number)", unixTime: 0, sequence: 0, circle: [UInt8](repeating: 7, count: count)))
        }

        /// Sends some frames of the maximum length, with a short frame right after the last one,
        /// and closes the channel.
        private func send(_ count: Int, _ sender: SecureChannel) async throws {
            for number in 0..<count - 1 { try await sender.channel.writeAndFlush(hello(number)).get() }
            sender.channel.write(hello(count - 1), promise: nil)
            sender.send(hello(count, 1))
            sender.close()
        }

        private func number(_ frame: Frame) -> Int? {
            if case .hello(let hello) = frame { Int(hello.name) } else { nil }
        }

        private func numbers(_ frames: some AsyncSequence<Frame, Never>) async -> [Int?] {
            var numbers: [Int?] = []
            for await frame in frames { numbers.append(number(frame)) }
            return numbers
        }

        @Test("Before a consumer takes a channel's frames, at most two of the longest frames may wait")
        func beforeTheFirst() async throws {
            try await withEnds { ends in
                try await send(3, ends.sender)
                try? await ends.receiver.channel.closeFuture.get()
                // After the first dropped frame no other frame arrives, however short it is.
                #expect(await numbers(ends.receiver.frames()) == [0, 1])
                #expect(await ends.receiver.failure() is ChannelFailure)
            }
        }

        @Test("At most four of the longest frames may wait while the consumer handles one")
        func whileOneIsJudged() async throws {
            try await withEnds { ends in
                let frames = ends.receiver.frames()
                try await send(5, ends.sender)
                try? await ends.receiver.channel.closeFuture.get()
                #expect(await numbers(frames) == [0, 1, 2, 3])
            }
        }

        @Test("An ended channel leaves no data behind, even if its frames were never read")
        func nothingIsLeft() async throws {
            try await World.with { world in
                let line = try await lineOfAnEndedChannel(world)
                try await eventually("the line is gone") { line.isGone }
            }
        }

        private func lineOfAnEndedChannel(_ world: World) async throws -> Weak<WaitingLine> {
            let ends = try await ends(world)
            let frames = ends.receiver.frames()
            try await send(5, ends.sender)
            try? await ends.receiver.channel.closeFuture.get()
            for await _ in frames.prefix(1) {}
            await ends.listener.close()
            let receiver = ends.receiver
            return try await receiver.channel.eventLoop.submit { Weak(receiver.loopBoundInbox.line) }.get()
        }

        private final class Weak<Object: AnyObject & Sendable>: Sendable {
            private let object: Mutex<WeakReference>
            private struct WeakReference { weak var object: Object? }

            init(_ object: Object) { self.object = Mutex(WeakReference(object: object)) }

            var isGone: Bool { object.withLock { $0.object == nil } }
        }

        /// Sends bytes as a frame.
        private func send(raw body: [UInt8], _ sender: SecureChannel) async throws {
            let context = try await sender.channel.pipeline.context(handlerType: FrameCodec.self).map {
                NIOLoopBound($0, eventLoop: sender.channel.eventLoop)
            }.get()
            let bytes = ByteBuffer(bytes: [0, 0, 0, UInt8(body.count)] + body)
            try await sender.channel.eventLoop.submit {
                context.value.writeAndFlush(NIOAny(bytes), promise: nil)
            }.get()
        }

        private static let broken: [UInt8] = [0xFF]
        /// A message with an unassigned number.
        private static let unknown: [UInt8] = [0xFA, 0x7F, 0]

        @Test("A waiting frame is parsed only when it is read, and no frame after a broken one is read")
        func broken() async throws {
            try await withEnds { ends in
                ends.sender.send(hello(0, 1))
                try await send(raw: Self.broken, ends.sender)
                ends.sender.send(hello(1, 1))
                ends.sender.close()
                #expect(await ends.receiver.failure() == nil)
                #expect(await numbers(ends.receiver.frames()) == [0])
                #expect(await ends.receiver.failure() is ChannelFailure)
            }
        }

        @Test("No frame after a broken first frame is read")
        func brokenFirst() async throws {
            try await withEnds { ends in
                try await send(raw: Self.broken, ends.sender)
                ends.sender.send(hello(1, 1))
                ends.sender.close()
                try? await ends.receiver.channel.closeFuture.get()
                await #expect(throws: ChannelFailure.refused) {
                    try await ends.receiver.nextFrame(within: .seconds(30))
                }
            }
        }

        @Test("Frames of unknown kinds are ignored, even the first one")
        func unknown() async throws {
            try await withEnds { ends in
                try await send(raw: Self.unknown, ends.sender)
                ends.sender.send(hello(0, 1))
                try await send(raw: Self.unknown, ends.sender)
                ends.sender.send(hello(1, 1))
                ends.sender.close()
                #expect(number(try await ends.receiver.nextFrame(within: .seconds(30))) == 0)
                #expect(await numbers(ends.receiver.frames()) == [1])
            }
        }

        @Test("Frames that were read no longer count, so 200 of the longest can arrive one after the other")
        func taken() async throws {
            try await withEnds { ends in
                var numbers = 0..<200
                ends.sender.send(hello(numbers.removeFirst()))
                var count = 0
                for await frame in ends.receiver.frames() {
                    #expect(number(frame) == count)
                    count += 1
                    if let next = numbers.popFirst() { ends.sender.send(hello(next)) } else { ends.sender.close() }
                }
                #expect(count == 200)
            }
        }
    }
}
