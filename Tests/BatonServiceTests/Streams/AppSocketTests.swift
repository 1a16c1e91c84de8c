// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import NIOCore
import NIOPosix
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests how much memory an app's socket uses for the bytes that pass through it.
    struct AppSocketTests {
        /// The allowed memory in bytes: enough for one read, for the socket's buffer at the app's
        /// end, and for rounding.
        private static let bound = 1 << 20

        /// Owns the socket, and records the memory for the app's bytes. It is used only on the
        /// event loop.
        private final class Reader {
            var socket: AppSocket?
            weak var watched: AppSocket?
            var received = 0
            var largest = 0
            let ended: EventLoopPromise<Void>

            init(on eventLoop: any EventLoop) { ended = eventLoop.makePromise() }

            func take(_ event: AppSocket.Event) {
                switch event {
                case .bytes(let bytes):
                    received += bytes.count
                    largest = max(largest, socket?.capacity ?? 0)
                    socket?.read(maximum: 1 << 20)
                case .ended: ended.succeed()
                case .hungUp, .failed: ended.fail(Missing(what: "the app's end"))
                case .written, .read: break
                }
            }
        }

        @Test("After 256 MB an app's socket keeps no more memory than after one read, and is released when closed")
        func keepsNothing() async throws {
            let total = 256 << 20
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let (own, other) = try #require(OwnedDescriptor.socketPair())
            let app = try AppEnd(OpenedStreams(stream: "", transport: "", descriptor: other))
            let reader = try await eventLoop.flatSubmit {
                let reader = NIOLoopBound(Reader(on: eventLoop), eventLoop: eventLoop)
                return AppSocket.open(own, on: eventLoop) { reader.value.take($0) }.map { socket in
                    reader.value.socket = socket.value
                    reader.value.watched = socket.value
                    socket.value.read(maximum: 1 << 20)
                    return reader
                }
            }.get()
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<total / piece.count { #expect(await app.write(piece) == piece.count) }
            app.finish()
            try await eventLoop.flatSubmit { reader.value.ended.futureResult }.get()
            let (received, largest) = try await eventLoop.submit { (reader.value.received, reader.value.largest) }.get()
            #expect(received == total)
            #expect(largest <= Self.bound)
            try await eventLoop.submit {
                reader.value.socket?.close()
                reader.value.socket = nil
            }.get()
            try await eventually("the socket has gone") {
                try await eventLoop.submit { reader.value.watched == nil }.get()
            }
            app.close()
        }

        @Test("If the app's socket cannot be opened, the streams fail, and nobody waits for them")
        func noSocket() async throws {
            try await World.withReachablePair { anna, berta in
                let channel = try await berta.dial(anna)
                let (own, other) = try #require(OwnedDescriptor.socketPair())
                own.close()
                let error = await #expect(throws: BatonError.self) {
                    _ = try await StreamEngine.start(
                        .initiator(token: [UInt8](repeating: 7, count: 16)), on: channel, first: nil, app: own,
                        clock: ManualClock(), isAppThere: { true })
                }
                #expect(error?.code == .limitReached)
                other.close()
                channel.close()
            }
        }

        /// Records the number of writes to the app and their results. It is used only on the event
        /// loop, except at the end.
        private final class Writer {
            enum End { case read, failed }

            var socket: AppSocket?
            var (writes, written) = (0, 0)
            let end: Watched<End?>

            init(_ end: Watched<End?>) { self.end = end }

            func take(_ event: AppSocket.Event) {
                switch event {
                case .written(let count):
                    writes += 1
                    written += count
                case .read: end.change { $0 = $0 ?? .read }
                case .failed: end.change { $0 = .failed }
                case .bytes, .ended, .hungUp: break
                }
            }
        }

        private func writer(
            on eventLoop: any EventLoop, _ end: Watched<Writer.End?>
        ) async throws -> (NIOLoopBound<Writer>, AppEnd) {
            let (own, other) = try #require(OwnedDescriptor.socketPair())
            let app = try AppEnd(OpenedStreams(stream: "", transport: "", descriptor: other))
            let writer = try await eventLoop.flatSubmit {
                let writer = NIOLoopBound(Writer(end), eventLoop: eventLoop)
                return AppSocket.open(own, on: eventLoop) { writer.value.take($0) }.map { socket in
                    writer.value.socket = socket.value
                    return writer
                }
            }.get()
            return (writer, app)
        }

        @Test("200,000 single bytes for an app that does not read wait together, and arrive in order with the end")
        func singleBytes() async throws {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let end = Watched<Writer.End?>(nil)
            let (writer, app) = try await writer(on: eventLoop, end)
            let bytes = pattern(200_000, seed: 9)
            try await eventLoop.submit {
                for index in bytes.indices { writer.value.socket?.write(bytes[index...index]) }
                writer.value.socket?.finish()
            }.get()
            #expect(await app.read() == bytes)
            let (writes, written) = try await eventLoop.submit { (writer.value.writes, writer.value.written) }.get()
            #expect(written == bytes.count)
            #expect(end.value != .failed)
            // The socket accepts some bytes in single writes, and the rest together.
            #expect(writes < 5_000)
            try await close(writer, on: eventLoop)
            app.close()
        }

        private func close(_ writer: NIOLoopBound<Writer>, on eventLoop: any EventLoop) async throws {
            try await eventLoop.submit {
                writer.value.socket?.close()
                writer.value.socket = nil
            }.get()
        }

        @Test(
            "Bytes for an app count as read when the app has read them, whether or not it still writes",
            arguments: [false, true])
        func reading(hasEnded: Bool) async throws {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let end = Watched<Writer.End?>(nil)
            let (writer, app) = try await writer(on: eventLoop, end)
            if hasEnded { app.finish() }
            try await eventLoop.submit {
                writer.value.socket?.write([1, 2, 3])
                writer.value.socket?.finish()
            }.get()
            #expect(await app.read(2) == [1, 2])
            #expect(try await eventLoop.submit { writer.value.written == 3 }.get() && end.value == nil)
            #expect(await app.read(1) == [3])
            #expect(app.isAtEnd)
            #expect(try await end.wait("the end") { $0 } == .read)
            try await close(writer, on: eventLoop)
            app.close()
        }

        @Test("Bytes in a socket that its app closes too early count as unread", arguments: [false, true])
        func closing(hasEnded: Bool) async throws {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let end = Watched<Writer.End?>(nil)
            let (writer, app) = try await writer(on: eventLoop, end)
            if hasEnded { app.finish() }
            try await eventLoop.submit {
                writer.value.socket?.write([1, 2, 3])
                writer.value.socket?.finish()
            }.get()
            #expect(await app.read(2) == [1, 2])
            app.close()
            #expect(try await end.wait("the end") { $0 } == .failed)
            try await close(writer, on: eventLoop)
        }
    }
}
