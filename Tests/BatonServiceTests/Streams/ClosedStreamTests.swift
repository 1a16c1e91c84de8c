// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests streams of an app that closes both directions and then ends.
    struct ClosedStreamTests {
        /// A pair of streams between a device whose app ends early and another device.
        private struct Streams {
            let here: Device
            let there: Device
            let gone: AppEnd
            let left: AppEnd
            let app: App
        }

        /// The app that ends early.
        private final class App: Sendable {
            private let hasEnded = Watched(false)

            /// Waits until the app has ended, and returns false. So the daemon asks while the app
            /// may still run, and gets the answer after the app's end.
            func isPresent() async -> Bool {
                (try? await hasEnded.wait("the app's end") { $0 ? () : nil }) == nil
            }

            /// Ends the app. Its descriptors are closed afterwards, because those of a real process
            /// are closed one by one.
            func end() { hasEnded.change { $0 = true } }
        }

        private func open(_ world: World, onOrigin: Bool) async throws -> Streams {
            let app = App()
            let anna = try await world.device("anna", isPresent: { _ in onOrigin ? await app.isPresent() : true })
            let berta = try await world.device("berta", isPresent: { _ in onOrigin ? true : await app.isPresent() })
            try await anna.makeCircle(with: berta)
            let ends = try await StreamEnds(anna, berta)
            return onOrigin
                ? Streams(here: anna, there: berta, gone: ends.origin, left: ends.other, app: app)
                : Streams(here: berta, there: anna, gone: ends.other, left: ends.origin, app: app)
        }

        /// Closes both directions of the app, returns its socket, and ends the app.
        ///
        /// If the other side had ended first, the daemon asks whether the app runs as soon as the
        /// output ends. It may ask before it has the socket.
        private func giveBack(_ streams: Streams, discards: Bool = true) async throws {
            streams.gone.finish()
            try await streams.here.service.closeStreams(
                streams.gone.id, end: streams.gone.copy, discards: discards, client: Device.app)
            streams.app.end()
            streams.gone.close()
        }

        private func endedWhole(_ streams: Streams) async throws {
            #expect(try await streams.here.streamEnd(streams.gone) == nil)
            #expect(try await streams.there.streamEnd(streams.left) == nil)
            streams.left.close()
        }

        @Test(
            "Bytes that an app wrote before it closed the streams arrive even after the app has ended",
            arguments: [false, true])
        func drained(onOrigin: Bool) async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: onOrigin)
                let all = pattern(400_027, seed: 6)
                #expect(await streams.gone.write(all) == all.count)
                try await giveBack(streams)
                #expect(await streams.left.read() == all)
                streams.left.finish()
                try await endedWhole(streams)
            }
        }

        @Test(
            "Bytes that an app wrote before it closed the streams arrive even if the other side had ended first",
            arguments: [false, true])
        func drainedAfterTheOthersEnd(onOrigin: Bool) async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: onOrigin)
                streams.left.finish()
                #expect(await streams.gone.read() == [])
                let all = pattern(400_027, seed: 7)
                #expect(await streams.gone.write(all) == all.count)
                try await giveBack(streams)
                #expect(await streams.left.read() == all)
                try await endedWhole(streams)
            }
        }

        @Test("Bytes for an app that has never read are discarded, without an error", arguments: [false, true])
        func thrownAway(onOrigin: Bool) async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: onOrigin)
                await streams.gone.write([1, 2, 3])
                try await giveBack(streams)
                // These are more bytes than sockets and windows hold, so the daemon must read them.
                let late = pattern(4_000_000, seed: 8)
                #expect(await streams.left.write(late) == late.count)
                streams.left.finish()
                #expect(await streams.left.read() == [1, 2, 3])
                try await endedWhole(streams)
            }
        }

        @Test("Bytes for an app that had begun to read break the streams", arguments: [false, true])
        func unwanted(onOrigin: Bool) async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: onOrigin)
                await streams.left.write([1])
                #expect(await streams.gone.read(1) == [1])
                try await giveBack(streams, discards: false)
                await streams.left.write([2])
                #expect(try await streams.here.streamEnd(streams.gone) == Reason(.streamsClosedHere))
                #expect(try await streams.there.streamEnd(streams.left) == Reason(.streamsClosedThere))
                streams.left.close()
            }
        }

        @Test("If an app had begun to read and no more bytes come, no data is lost", arguments: [false, true])
        func nothingMoreComes(onOrigin: Bool) async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: onOrigin)
                await streams.left.write([1])
                #expect(await streams.gone.read(1) == [1])
                let all = pattern(400_027, seed: 9)
                #expect(await streams.gone.write(all) == all.count)
                try await giveBack(streams, discards: false)
                #expect(await streams.left.read() == all)
                streams.left.finish()
                try await endedWhole(streams)
            }
        }

        @Test(
            "The streams break if an app has finished sending and is killed before it has closed them",
            arguments: [false, true])
        func killedBeforeItClosed(afterTheOthersEnd: Bool) async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: true)
                if afterTheOthersEnd {
                    streams.left.finish()
                    #expect(await streams.gone.read() == [])
                }
                await streams.gone.write(pattern(400_027, seed: 10))
                streams.app.end()
                streams.gone.finish()
                streams.gone.close()
                _ = await streams.left.read()
                #expect(try await streams.here.streamEnd(streams.gone) != nil)
                #expect(try await streams.there.streamEnd(streams.left) != nil)
                streams.left.close()
            }
        }

        @Test("Streams can be given back once, by their program, with their own descriptor")
        func refused() async throws {
            try await World.with { world in
                let streams = try await open(world, onOrigin: true)
                let service = streams.here.service
                let (id, end) = (streams.gone.id, streams.gone.copy)
                let other = try #require(OwnedDescriptor.socketPair())
                let wrong = await #expect(throws: BatonError.self) {
                    try await service.closeStreams(id, end: other.0, discards: true, client: Device.app)
                }
                #expect(wrong?.code == .invalidArgument)
                for (id, client) in [(id, ClientID(rawValue: ":1.99")), ("another", Device.app)] {
                    let error = await #expect(throws: BatonError.self) {
                        try await service.closeStreams(id, end: end, discards: true, client: client)
                    }
                    #expect(error?.code == .notFound)
                }
                try await giveBack(streams)
                let again = await #expect(throws: BatonError.self) {
                    try await service.closeStreams(id, end: end, discards: true, client: Device.app)
                }
                #expect(again?.code == .notFound)
                end.close()
                streams.left.finish()
                #expect(await streams.left.read() == [])
                try await endedWhole(streams)
            }
        }
    }
}
