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
        abstract: "A list of contacts that you can continue on your other laptop.",
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
            // Start again whenever the daemon starts, because it may be restarted.
            for await isThere in try await connection.bus.daemonPresence() where isThere {
                try? await Self.tellOffers(connection, to: app)
            }
        }
        await app.run(commands: Self.lines())
        watch.cancel()
        await connection.close()
    }

    /// Prints each offer once, when its type is known, and its end, until the daemon ends.
    private static func tellOffers(_ connection: BatonConnection, to app: ContactsApp) async throws {
        var told: [String: String] = [:]
        for try await event in try await connection.watchOffers() {
            switch event {
            case .appeared(let offer), .changed(let offer):
                guard told[offer.offer] == nil, let type = offer.type, ActivityType.all.contains(type) else { continue }
                let text = "\(type.split(separator: ".").last ?? "") from \(offer.deviceName)"
                told[offer.offer] = text
                await app.say("offer: \(text)")
            case .disappeared(let offer):
                if let text = told.removeValue(forKey: offer) { await app.say("gone: \(text)") }
            }
        }
    }

    private var file: URL {
        if let store { return URL(filePath: store) }
        let environment = ProcessInfo.processInfo.environment
        // Foundation returns the home directory of the account, regardless of $HOME.
        let home = environment["HOME"].map { URL(filePath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser
        let data = environment["XDG_DATA_HOME"].map { URL(filePath: $0) } ?? home.appending(path: ".local/share")
        return data.appending(path: "baton-contacts/contacts.json")
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
