// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Foundation
import UserActivity

/// `notes`
@main
struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A note that you can continue on your other laptop, in Swift.",
        discussion: "Reads commands from standard input: type TEXT, move N, show, continue, quit.")

    func run() async throws {
        let connection = try await BatonConnection.open(delivery: .mainActor)
        let editor = await Editor(connection: connection)
        let watch = Task {
            // Start again whenever the daemon starts, because it may be restarted.
            for await isThere in try await connection.bus.daemonPresence() where isThere {
                try? await editor.tellOffers()
            }
        }
        for await line in Self.lines() {
            if line == "quit" { break }
            await editor.perform(line)
        }
        watch.cancel()
        await editor.close()
        await connection.close()
    }

    /// Returns the lines of standard input, read on their own thread.
    private static func lines() -> AsyncStream<String> {
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { sink.yield(line) }
            sink.finish()
        }
        return lines
    }
}
