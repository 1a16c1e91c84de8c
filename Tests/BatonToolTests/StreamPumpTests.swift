// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import Foundation
import Glibc
import Synchronization
import Testing

@testable import baton

/// Returns a connected pair of Unix sockets: the tool's end, and the daemon's end for the test.
private func socketPair() throws -> (tool: ContinuationStreams, daemon: Int32) {
    var descriptors: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    return (
        ContinuationStreams(
            identifier: "1", descriptor: descriptors[0], device: "d", deviceName: "desk", transport: "tcp"),
        descriptors[1]
    )
}

private func readToEnd(_ descriptor: Int32) async -> [UInt8] {
    await withCheckedContinuation { waiting in
        Thread.detachNewThread {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 { all += buffer[..<count] }
            waiting.resume(returning: all)
        }
    }
}

private func options(_ arguments: String...) throws -> StreamOptions { try StreamOptions.parse(arguments) }

@Suite(.timeLimit(.minutes(5))) struct StreamPumpTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "pump-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { directory.appending(path: name).path() }
    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted()
    }

    @Test("A file that becomes shorter while it is sent aborts the streams")
    func shrunk() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data(count: 100_000).write(to: directory.appending(path: "from"))
        let (tool, daemon) = try socketPair()
        let pump = StreamPump(
            streams: tool, source: try options("--stream-from", path("from")).openSource(), target: .nowhere)
        #expect(truncate(path("from"), 10) == 0)
        shutdown(daemon, Int32(SHUT_WR))
        let isGivenUp = Mutex(false)
        let error = await #expect(throws: ToolFailure.self) {
            try await pump.run(giveUp: { isGivenUp.withLock { $0 = true } }) {
                try await Task.sleep(for: .seconds(86_400))
            }
        }
        #expect(error?.description.contains("has become shorter") == true && isGivenUp.withLock { $0 })
        close(daemon)
    }

    @Test("Both directions move at once, and the file appears complete")
    func bothWaysMoveAtOnce() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let sent = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let received = [UInt8]((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })
        try sent.write(to: directory.appending(path: "from"))
        let (tool, daemon) = try socketPair()
        let ends = try options("--stream-from", path("from"), "--stream-to", path("to"))
        let pump = StreamPump(streams: tool, source: try ends.openSource(), target: try ends.openTarget())
        let got = Task { await readToEnd(daemon) }
        Thread.detachNewThread {
            try? Descriptor.writeAll(received[...], to: daemon, called: "daemon")
            shutdown(daemon, Int32(SHUT_WR))
        }
        let totals = try await pump.run { _ = await got.value }
        #expect(totals == StreamPump.Totals(sent: sent.count, received: received.count))
        #expect(await Data(got.value) == sent)
        #expect(try Data(contentsOf: directory.appending(path: "to")) == Data(received))
        #expect(try names() == ["from", "to"])
        close(daemon)
    }

    @Test("Without a source this side's direction ends at once, and without a target received data is discarded")
    func withoutSourceOrTarget() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let (tool, daemon) = try socketPair()
        let pump = StreamPump(streams: tool, source: nil, target: .nowhere)
        let totals = Task { try await pump.run {} }
        #expect(await readToEnd(daemon).isEmpty)
        try Descriptor.writeAll([1, 2, 3], to: daemon, called: "daemon")
        close(daemon)
        #expect(try await totals.value == StreamPump.Totals(sent: 0, received: 3))
    }

    @Test("No partial file stays when the daemon reports an incomplete stream")
    func nothingHalfWrittenStays() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("old".utf8).write(to: directory.appending(path: "to"))
        let (tool, daemon) = try socketPair()
        let pump = StreamPump(
            streams: tool, source: nil, target: try options("--stream-to", path("to"), "--force").openTarget())
        try Descriptor.writeAll([1, 2, 3], to: daemon, called: "daemon")
        let error = await #expect(throws: ToolFailure.self) {
            try await pump.run {
                _ = await readToEnd(daemon)
                throw ToolFailure("the other device is gone")
            }
        }
        #expect(error?.description == "the other device is gone")
        #expect(try names() == ["to"])
        #expect(try String(contentsOfFile: path("to"), encoding: .utf8) == "old")
        close(daemon)
    }

    @Test("The daemon's reason replaces the error of the broken pipe")
    func daemonsReasonOutweighs() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data(count: 4_000_000).write(to: directory.appending(path: "from"))
        let (tool, daemon) = try socketPair()
        let pump = StreamPump(
            streams: tool, source: try options("--stream-from", path("from")).openSource(), target: .nowhere)
        close(daemon)
        let error = await #expect(throws: ToolFailure.self) {
            try await pump.run { throw ToolFailure("the reason") }
        }
        #expect(error?.description == "the reason")
    }

    @Test("Cancellation ends a pump whose source never ends")
    func cancellationEndsIt() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        let (tool, daemon) = try socketPair()
        let source = StreamSource(descriptor: OpenDescriptor(pipe[0]), name: "pipe")
        let pump = StreamPump(
            streams: tool, source: source, target: try options("--stream-to", path("to")).openTarget())
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        let task = Task { try await pump.run { for await _ in never {} } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names().isEmpty)
        hold.finish()
        close(pipe[1])
        close(daemon)
    }

    /// If a thread kept waiting, it would take the first data of the next pair.
    @Test("A broken stream releases a source that does not end")
    func brokenStreamLetsGo() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        let (tool, daemon) = try socketPair()
        do {
            let source = StreamSource(descriptor: OpenDescriptor(pipe[0]), name: "pipe")
            let pump = StreamPump(streams: tool, source: source, target: .nowhere)
            await #expect(throws: ToolFailure.self) {
                try await pump.run { throw ToolFailure("the other device is gone") }
            }
        }
        // The pipe has no reader any more.
        let events = await withCheckedContinuation { waiting in
            Thread.detachNewThread { [end = pipe[1]] in
                var entry = pollfd(fd: end, events: 0, revents: 0)
                // Stay below the test's time limit.
                _ = poll(&entry, 1, 240_000)
                waiting.resume(returning: Int32(entry.revents))
            }
        }
        #expect(events & POLLERR != 0)
        close(pipe[1])
        close(daemon)
    }

    @Test("A target in a missing directory is refused before anything is sent")
    func targetInMissingDirectory() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(throws: ToolFailure.self) { try options("--stream-to", path("missing/to")).openTarget() }
        #expect(throws: ToolFailure.self) { try options("--stream-from", path("missing")).openSource() }
        #expect(throws: ToolFailure.self) { try options("--stream-from", directory.path()).openSource() }
    }
}
