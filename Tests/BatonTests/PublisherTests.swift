// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import BatonClient
import BatonTesting
import Foundation
import Glibc
import Testing
import UnixSignals

@testable import baton

/// Tests cases of `baton publish` in which the order of a signal and a time limit matters.
@Suite(.timeLimit(.minutes(5))) struct PublisherTests {
    @Test("An interrupted publisher ends the save command first, and reports no end")
    func interruptedPublisher() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let file = directory.appending(path: "number")
                let script = "echo $$ >'\(file.path)~'; mv '\(file.path)~' '\(file.path)'; exec sleep 1000"
                let contents = SaveCommand(ShellCommand(text: script), patience: .seconds(1_000))
                let connection = try await DaemonConnection.open(address: bus.address, options: .fleeting) { _ in }
                let activity = PublisherActivity(
                    ActivityState(activityType: "org.example.t"), on: connection, contents: contents)
                let said = Pipe()
                let (signals, signal) = AsyncStream.makeStream(of: UnixSignal.self)
                let run = Task {
                    var publisher = Publisher(
                        activity: activity, connection: connection, streams: try StreamOptions.parse([]), once: false,
                        output: Output(descriptor: said.fileHandleForWriting.fileDescriptor, name: "the pipe"))
                    try await publisher.run(until: signals)
                }
                try await untilFiles(in: directory, "the command is run") {
                    FileManager.default.fileExists(atPath: file.path)
                }
                let number = try #require(try Int32(String(contentsOf: file, encoding: .utf8).dropLast()))
                signal.yield(.sigint)
                let failure = await #expect(throws: ToolFailure.self) { try await run.value }
                #expect(failure?.status == .interrupted)
                #expect(kill(number, 0) == -1 && errno == ESRCH)
                #expect(await daemon.activities.isEmpty)
                try said.fileHandleForWriting.close()
                #expect(try said.fileHandleForReading.readToEnd() == nil)
                await connection.close()
            }
        }
    }
}
