// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

/// Tests that contents that cannot be written here are not accepted, so the other device keeps
/// them.
@Suite(.timeLimit(.minutes(5))) struct ToolOutputTests {
    private static let offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa", type: "t")

    @Test("Times are in the wall clock's zone, with the offset from UTC")
    func localTimes() async throws {
        let times = [
            "XXX-5:45": "2033-05-18 09:18:20+05:45", "XXX4:30": "2033-05-17 23:03:20-04:30",
            "UTC0": "2033-05-18 03:33:20Z",
        ]
        try await FakeDaemon.with { _, bus in
            for (zone, time) in times {
                let result = try await Tool.run(
                    on: bus, script: "d=$(mktemp -d); export TZ=\(zone); baton circle invite $d/i; rm -r $d")
                #expect(result.output.hasSuffix("valid until \(time)\n"), "\(zone): \(result)")
            }
        }
    }

    @Test(
        "Contents that cannot be written are not accepted, because publish --once would lose them",
        arguments: [
            ("--json >/dev/full", 74), (">/dev/full", 74), (">&-", 74),
            ("--json | its reader is gone", 0),
        ])
    func unwritten(line: String, status: Int32) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer, activity: ActivityState(activityType: "t", title: "T"))
            // The reader is gone before the output begins.
            let script =
                line.contains("|")
                ? #"""
                d=$(mktemp -d)
                { until [ -e "$d/gone" ]; do sleep 0.01; done; baton continue 1 --json; } | { exec <&-; >"$d/gone"; }
                rm -r "$d"
                """# : "baton continue 1 \(line)"
            let result = try await Tool.run(on: bus, script: script)
            #expect(result.status == status, "\(result)")
            var calls = daemon.calls.makeAsyncIterator()
            #expect(try await calls.required() == .continued("1"))
            #expect(try await calls.required() == .accepted("c1", status == 0 && !line.contains("|")))
        }
    }

    @Test("Contents that were written are accepted")
    func written() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer, activity: ActivityState(activityType: "t", title: "T"))
            let result = try await Tool.run(on: bus, ["continue", "1"])
            #expect(result.status == 0, "\(result)")
            var calls = daemon.calls.makeAsyncIterator()
            #expect(try await calls.required() == .continued("1"))
            #expect(try await calls.required() == .accepted("c1", true))
        }
    }

    /// Sends until the other side has closed. A pipe accepts some bytes before it notices that its
    /// reader is gone.
    ///
    /// The sending blocks, so it runs on its own thread. Tasks share only a few threads.
    private static func sendUntilItIsClosed(_ socket: Int32) async {
        await withCheckedContinuation { ended in
            Thread.detachNewThread {
                let bytes = [UInt8](repeating: 1, count: 65_536)
                while bytes.withUnsafeBytes({ send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0 {}
                close(socket)
                ended.resume()
            }
        }
    }

    @Test(
        "Streams to standard output fail with status 74 if it cannot be written, and end quietly if its reader is gone",
        arguments: [(">/dev/full; exit $?", Int32(74), true), ("| { exec <&-; wait; }; exit 0", 0, false)])
    func unwrittenStream(line: String, status: Int32, isSaid: Bool) async throws {
        try await FakeDaemon.with { daemon, bus in
            var state = ActivityState(activityType: "t")
            state.supportsContinuationStreams = true
            await daemon.appear(Self.offer, activity: state)
            let tool = try await Tool(on: bus, script: "baton continue 1 --stream-to - \(line)")
            var calls = daemon.calls.makeAsyncIterator()
            while try await calls.required() != .openedStreams("c1") {}
            let end = try #require(await daemon.streamEnds["sc1"])
            await Self.sendUntilItIsClosed(end)
            await daemon.endStream("sc1", error: "given up")
            let result = await tool.result
            #expect(result.status == status, "\(result)")
            #expect(result.error.contains("cannot write to standard output") == isSaid, "\(result)")
            #expect(result.error.isEmpty != isSaid, "\(result)")
        }
    }

    @Test("If the start of streams cannot be reported, they are abandoned and leave no file")
    func unsaidStreams() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                var state = ActivityState(activityType: "t")
                state.supportsContinuationStreams = true
                await daemon.appear(Self.offer, activity: state)
                let result = try await Tool.run(
                    on: bus, script: "baton continue 1 --stream-to '\(directory.path())/to' >/dev/full")
                #expect(result.status == 74 && result.failedInOneLine, "\(result)")
                #expect(result.error.contains("cannot write to standard output"), "\(result)")
                var given = daemon.cancelled.makeAsyncIterator()
                #expect(await given.next() == "sc1")
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path()).isEmpty)
            }
        }
    }

    @Test("A device that could not join keeps its former name")
    func nameAfterAFailedJoin() async throws {
        try await FakeDaemon.with { daemon, bus in
            let wrong = try await Tool.run(on: bus, ["circle", "join", "-", "--name", "attic"], input: "not it")
            #expect(wrong.status == 65, "\(wrong)")
            let nothing = try await Tool.run(on: bus, ["circle", "join", "-"], input: "")
            #expect(nothing.error.hasPrefix("baton: standard input is not an invitation; "), "\(nothing)")
            #expect(await daemon.names == ["attic", "desk"])
            let right = try await Tool.run(on: bus, ["circle", "join", "-", "--name", "attic"], input: "secret\n")
            #expect(right.status == 0, "\(right)")
            #expect(await daemon.names == ["attic", "desk", "attic"])
        }
    }
}
