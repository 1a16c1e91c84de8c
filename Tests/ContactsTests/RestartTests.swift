// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing

extension ContactsTests {
    /// Skips an app's output so far. The app answers once to an unknown command.
    private func passOver(_ app: Program) async throws {
        try app.type("mark")
        try await app.line("error: there is no command \"mark\" here")
    }

    @Test("An app publishes again when its daemon is restarted")
    func daemonIsRestarted() async throws {
        try await withLaptops { desk, sofa in
            try JSONEncoder().encode([Contact(firstname: "Ada"), Contact(firstname: "Grace")]).write(to: desk.store)
            let (here, there) = (try await desk.contacts(), try await sofa.contacts())
            try await here.line("screen list (2 contacts)")
            // The offer may be printed before the screen.
            try await there.line("offer: list-contacts from desk")

            // The offer disappears with the daemon, and comes back with the next one, without any
            // action of the app.
            await desk.daemon.end()
            try await there.line("gone: list-contacts from desk")
            let again = try await desk.withNewDaemon()
            try await there.line("offer: list-contacts from desk")
            try there.type("continue list")
            try await there.line("received 2 contacts")
            try await here.line("sent 2 contacts")

            // The offer also comes back if the continuing app ran before its daemon.
            await sofa.daemon.end()
            try await passOver(there)
            let anew = try await sofa.withNewDaemon()
            try await there.line("offer: list-contacts from desk")
            try there.type("continue list")
            try await there.line("received 2 contacts")
            await here.end()
            await there.end()
            await again.daemon.end()
            await anew.daemon.end()
        }
    }
}
