// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Foundation
import Glibc
import Testing

@testable import baton

/// Tests that a stream for `baton serve --receive` arrives complete or not at all.
@Suite(.timeLimit(.minutes(5))) struct ReceivedStreamTests {
    /// Returns a pair of streams and the daemon's end, with some bytes to receive.
    private func streams(_ count: Int) throws -> (tool: ContinuationStreams, daemon: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        try Descriptor.writeAll([UInt8](repeating: 7, count: count)[...], to: ends[1], called: "daemon")
        return (
            ContinuationStreams(
                identifier: "1", descriptor: ends[0], device: "d", deviceName: "desk", transport: "tcp"), ends[1]
        )
    }

    /// Runs a closure with a directory, and checks that it is empty afterwards.
    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        try await BatonTesting.withDirectory { directory in
            try await body(directory)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A complete stream is a private file until it is removed")
    func wholeStreamIsAFile() async throws {
        let (tool, daemon) = try streams(1_000)
        shutdown(daemon, Int32(SHUT_WR))
        try await withDirectory { parent in
            let received = try await ReceivedStream(
                tool, room: StreamRoom(1_000), in: parent, giveUp: {}, waitForEnd: {})
            #expect(try Data(contentsOf: URL(filePath: received.path)) == Data(repeating: 7, count: 1_000))
            #expect(try mode(received.path) == 0o600)
            let directory = URL(filePath: received.path).deletingLastPathComponent()
            #expect(try mode(directory.path) == 0o700)
            #expect(directory.deletingLastPathComponent().path == parent.path)
            received.remove()
        }
        close(daemon)
    }

    @Test("A stream that is too large is aborted")
    func streamTooLarge() async throws {
        let (tool, daemon) = try streams(1_001)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await withDirectory { parent in
            let error = await #expect(throws: ToolFailure.self) {
                _ = try await ReceivedStream(tool, room: StreamRoom(1_000), in: parent, giveUp: { end.yield() }) {
                    for await _ in ends { break }
                }
            }
            #expect(
                error?.description
                    == "there is room for 1000 bytes from streams, with those that other commands still have")
        }
        close(daemon)
    }

    @Test("Streams share one limit until they are released")
    func streamsShareTheRoom() async throws {
        let room = StreamRoom(1_000)
        try await withDirectory { parent in
            func receive() async throws -> ReceivedStream {
                let (tool, daemon) = try streams(600)
                defer { close(daemon) }
                shutdown(daemon, Int32(SHUT_WR))
                return try await ReceivedStream(tool, room: room, in: parent, giveUp: {}, waitForEnd: {})
            }
            var first: ReceivedStream? = try await receive()
            await #expect(throws: ToolFailure.self) { try await receive() }
            first?.remove()
            first = nil
            // The threads that moved the bytes keep a reference to the released stream for a
            // moment.
            var second: ReceivedStream?
            try await eventually("there is room") {
                second = try? await receive()
                return second != nil
            }
            second?.remove()
        }
    }

    @Test("The error about a missing directory names the directory and the variable that sets it")
    func noFolder() async throws {
        let (tool, daemon) = try streams(1)
        let error = await #expect(throws: ToolFailure.self) {
            _ = try await ReceivedStream(tool, room: StreamRoom(), in: URL(filePath: "/nowhere"), giveUp: {}) {}
        }
        #expect(error?.description.contains("/nowhere") == true && error?.description.contains("TMPDIR") == true)
        close(daemon)
    }

    @Test("A stream that does not end is aborted")
    func streamDoesNotEnd() async throws {
        let (tool, daemon) = try streams(1)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await withDirectory { parent in
            let error = await #expect(throws: ToolFailure.self) {
                _ = try await ReceivedStream(
                    tool, room: StreamRoom(), in: parent, patience: .seconds(1), giveUp: { end.yield() }
                ) {
                    for await _ in ends { throw ToolFailure("it was given up") }
                }
            }
            #expect(error?.description == "the stream had not ended after 1 s")
        }
        close(daemon)
    }
}
