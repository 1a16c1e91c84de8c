// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing

struct Contact: Codable, Equatable {
    var firstname: String?
    var lastname: String?
    var phonenumber: String?
    var email: String?
}

/// A laptop: a bus with a daemon and the contacts app.
struct Laptop {
    let bus: PrivateBus
    let daemon: Program
    let store: URL
    private let arguments: [String]

    static func start(_ name: String, in root: URL) async throws -> Laptop {
        let home = root.appending(path: name)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let bus = try await PrivateBus.start()
        let arguments = [
            "--radio", "simulated", "--radio-directory", root.appending(path: "radio").path, "--state-directory",
            home.appending(path: "state").path, "--log-level", "debug",
        ]
        let daemon = try await Program("batond", arguments, bus: bus.address)
        return Laptop(bus: bus, daemon: daemon, store: home.appending(path: "contacts.json"), arguments: arguments)
    }

    /// Returns the same laptop with a new daemon. The old daemon must have ended.
    func withNewDaemon() async throws -> Laptop {
        let daemon = try await Program("batond", arguments, bus: bus.address)
        return Laptop(bus: bus, daemon: daemon, store: store, arguments: arguments)
    }

    func baton(_ arguments: String...) async throws { try await Program.run("baton", arguments, bus: bus.address) }

    func contacts() async throws -> Program {
        try await Program("contacts", ["--store", store.path], bus: bus.address)
    }

    var stored: [Contact] { get throws { try JSONDecoder().decode([Contact].self, from: Data(contentsOf: store)) } }

    func stop() async {
        await daemon.end()
        await bus.stop()
    }
}

/// Tests the contacts app on two daemons with the simulated radio.
@Suite(.timeLimit(.minutes(3))) struct ContactsTests {
    func withLaptops(_ body: (Laptop, Laptop) async throws -> Void) async throws {
        // The path of a Unix socket must be short.
        let root = URL(filePath: "/tmp/contacts-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: root) }
        let desk = try await Laptop.start("desk", in: root)
        let sofa = try await Laptop.start("sofa", in: root)
        do {
            for laptop in [desk, sofa] {
                try await laptop.daemon.line("its service") { $0.contains("serving org.batonproject.Baton") }
            }
            let invitation = root.appending(path: "invitation").path
            try await desk.baton("circle", "create", "--name", "desk")
            try await desk.baton("circle", "invite", invitation)
            try await sofa.baton("circle", "join", invitation)
            try await body(desk, sofa)
        } catch {
            print("\(error)", "batond on desk:", desk.daemon.tail, "batond on sofa:", sofa.daemon.tail, separator: "\n")
            await desk.stop()
            await sofa.stop()
            throw error
        }
        await desk.stop()
        await sofa.stop()
    }

    /// Continues until the latest state of the other screen arrives. The daemon there learns of
    /// changes a little later, so the first continuation may bring the previous state.
    func fresh(_ what: String, _ continuing: () async throws -> Bool) async throws {
        try await eventually(what) {
            if try await continuing() { return true }
            // Pause, because a program may continue at most sixteen activities in a minute.
            try await Task.sleep(for: .milliseconds(200))
            return false
        }
    }

    @Test("All three activities are handed over: the list, an edit and a view")
    func allThreeActivities() async throws {
        try await withLaptops { desk, sofa in
            let list = (1...500).map { number in
                Contact(
                    firstname: "First \(number)", lastname: number % 7 == 0 ? nil : "Last é \(number)",
                    phonenumber: "+49 \(number)", email: number % 3 == 0 ? nil : "\(number)@example.org")
            }
            try JSONEncoder().encode(list).write(to: desk.store)
            try JSONEncoder().encode([Contact(firstname: "Replaced")]).write(to: sofa.store)
            let (here, there) = (try await desk.contacts(), try await sofa.contacts())
            try await here.line("screen list (500 contacts)")
            try await there.line("screen list (1 contacts)")

            // The whole list arrives through the streams. The new list replaces the former one, and
            // is shown.
            try there.type("continue list")
            try await there.line("500 contacts are coming")
            try await there.line("received 500 contacts")
            try await there.line("screen list (500 contacts)")
            try await here.line("sent 500 contacts")
            #expect(try sofa.stored == list)

            // A half-typed contact continues where the user stopped.
            try here.type("add")
            try await here.line("screen edit")
            try here.type("first Ada")
            try here.type("email ada@exam")
            try await here.line("> email: ada@exam")
            try await fresh("the name as it was typed") {
                try there.type("continue edit")
                try await there.line("screen edit")
                let first = try await there.line("the first name") { $0.dropFirst(2).hasPrefix("first:") }
                if first == "> first: " { try there.type("back") }
                return first == "  first: Ada"
            }
            try await there.line("> email: ada@exam")
            try there.type("email ada@example.org")
            try there.type("save")
            try await there.line("screen list (501 contacts)")
            #expect(try sofa.stored.last == Contact(firstname: "Ada", email: "ada@example.org"))

            // Now a contact is only viewed. The edit is no longer offered.
            try here.type("back")
            try await there.line("gone: edit-contact from desk")
            try here.type("view 2")
            try await here.line("screen view")
            try there.type("continue view")
            try await there.line("screen view")
            try await there.line("  first: First 2")
            try await there.line("  last: Last é 2")
            try await there.line("  phone: +49 2")
            try await there.line("  email: 2@example.org")

            // The list has changed since it was offered, so its contents are asked for again. A
            // list that arrives while a contact is open does not replace the open contact by
            // another.
            try here.type("back")
            try await here.line("screen list (500 contacts)")
            try here.type("delete 500")
            try await here.line("screen list (499 contacts)")
            try there.type("back")
            try there.type("view 501")
            try await there.line("  first: Ada")
            try await fresh("the list without the contact") {
                try there.type("continue list")
                let number = try await there.line("the number") { $0.hasSuffix(" contacts are coming") }
                try await there.line("received 499 contacts")
                return number == "499 contacts are coming"
            }
            try there.type("delete")
            try await there.line("error: this contact is not in this device's list")
            await here.end()
            await there.end()
        }
    }

    @Test("Contacts are added, edited, deleted and kept")
    func addedEditedDeletedAndKept() async throws {
        try await PrivateBus.with { bus in
            let store = URL(filePath: "/tmp/contacts-\(UUID().uuidString.prefix(8)).json")
            defer { try? FileManager.default.removeItem(at: store) }
            // Without a daemon the app also works, but hands nothing over.
            let app = try await Program("contacts", ["--store", store.path], bus: bus.address)
            try await app.line("screen list (0 contacts)")
            for line in ["add", "first Ada", "last Lovelace", "phone 1", "email ada@example.org", "save"] {
                try app.type(line)
            }
            try await app.line("screen list (1 contacts)")
            try await app.line("  1. Ada Lovelace")
            for line in ["view 1", "edit", "last King", "save"] { try app.type(line) }
            try await app.line("  1. Ada King")
            try app.type("view 7")
            try await app.line("error: there is no contact 7")
            try app.type("dance")
            try await app.line("error: there is no command \"dance\" here")
            try app.type("quit")
            await app.end()

            let again = try await Program("contacts", ["--store", store.path], bus: bus.address)
            try await again.line("  1. Ada King")
            try again.type("delete 1")
            try await again.line("screen list (0 contacts)")
            await again.end()
        }
    }
}
