// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Foundation
import UserActivity

/// `contacts`
@main
struct Contacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A list of contacts that goes on on your other laptop.",
        discussion: """
            Reads commands from standard input. Everywhere: show, back, continue list|view|edit, quit. On the list: add, view N, \
            edit N, delete N. On a contact: edit, delete. While editing: first TEXT, last TEXT, phone TEXT, email TEXT, save.
            """)

    @Option(help: "The file with the contacts. (default: contacts.json in the data directory)")
    var store: String?

    func run() async throws {
        let connection = try await BatonConnection.open(delivery: .mainActor)
        UserActivity.defaultHost = connection
        let app = try await ContactsApp(store: ContactStore(file: file), connection: connection)
        let watch = Task {
            for try await event in try await connection.watchOffers() {
                guard case .appeared(let offer) = event, let type = offer.type, ActivityType.all.contains(type) else {
                    continue
                }
                await app.say("offer: \(type.split(separator: ".").last ?? "") from \(offer.deviceName)")
            }
        }
        await app.run(commands: Self.lines())
        watch.cancel()
        await connection.close()
    }

    private var file: URL {
        if let store { return URL(filePath: store) }
        let data =
            ProcessInfo.processInfo.environment["XDG_DATA_HOME"].map { URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share")
        return data.appending(path: "baton-contacts/contacts.json")
    }

    /// The lines of standard input, read on a thread of their own.
    private static func lines() -> AsyncStream<String> {
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { sink.yield(line) }
            sink.finish()
        }
        return lines
    }
}
