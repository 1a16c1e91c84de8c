// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Synchronization
import Testing

@testable import BatonDesktop

/// Tests two users of one laptop, and a locked screen, with a fake logind on a bus of the test's
/// own.
extension DesktopTests {
    private static let own = FakeLogind.Session(name: "c1")
    private static let theirs = FakeLogind.Session(name: "c2", isOwn: false)
    private static let greeter = FakeLogind.Session(name: "c3", isOwn: false, kind: "greeter")

    private func withLogind(
        _ configuration: String = "",
        _ body: @Sendable (Desktop, FakeLogind, FakeNotificationServer, FakeHost) async throws -> Void
    ) async throws {
        let bus = { @Sendable (world: HandoverWorld) in SystemBus { try await .open(address: world.bus) } }
        try await withDesktop(configuration, systemBus: bus) { desktop, world, server, host in
            let logind = try await FakeLogind(bus: world.bus, sessions: [Self.own, Self.theirs, Self.greeter])
            try logind.user("active", display: Self.own)
            try logind.foreground(Self.own)
            try await body(desktop, logind, server, host)
            logind.connection.close()
        }
    }

    private func wait(until isActive: Bool, _ desktop: Desktop, _ host: FakeHost) async throws {
        // Whether the device advertises follows from this state.
        try await host.until("a session that is \(isActive ? "" : "in")active") {
            await desktop.presence.session.isActive == isActive
        }
    }

    @Test("Another user in the foreground stops advertising and withdraws notifications")
    func otherUserWithdraws() async throws {
        try await withLogind { desktop, logind, server, host in
            _ = await desktop.offered(offer())
            let id = try #require(await server.nextShown()).id
            #expect(host.advertises("org.example.note"))
            try logind.foreground(Self.theirs)
            try logind.user("online", display: Self.own)
            #expect(await server.nextClosed() == id)
            try await host.advertises("org.example.note", becomes: false)
            try logind.user("active", display: Self.own)
            try logind.foreground(Self.own)
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
            try await host.advertises("org.example.note", becomes: true)
        }
    }

    @Test("A user without a session counts as present unless another user is in the foreground")
    func userWithoutSession() async throws {
        try await withLogind { desktop, logind, _, host in
            try logind.user("lingering", display: nil)
            try logind.foreground(Self.theirs)
            try await wait(until: false, desktop, host)
            try await host.advertises("org.example.note", becomes: false)
            // The login screen does not count as a user.
            try logind.foreground(Self.greeter)
            try await wait(until: true, desktop, host)
            try logind.foreground(Self.theirs)
            try await wait(until: false, desktop, host)
            try logind.foreground(nil)
            try await wait(until: true, desktop, host)
        }
    }

    @Test("A session over the network does not count as in the foreground")
    func sessionByNetwork() async throws {
        try await withLogind { desktop, logind, _, host in
            // logind reports a user as active even if the user's session has no seat.
            try logind.foreground(Self.theirs)
            try await wait(until: false, desktop, host)
            #expect(await !desktop.presence.session.isActive)
        }
    }

    @Test("A locked screen shows only the app's name")
    func lockedShowsAppsName() async throws {
        try await withLogind { desktop, logind, server, _ in
            _ = await desktop.offered(offer(title: "Diary"))
            let open = try #require(await server.nextShown { $0.body == "Diary" })
            try logind.lock(true)
            let locked = try #require(await server.nextShown())
            #expect(locked.id == open.id && locked.summary == "Notes" && locked.body.isEmpty)
            try logind.lock(false)
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
        }
    }

    @Test("With notifications.on-lock-screen = hide, a locked screen shows no offers")
    func lockedShowsNothing() async throws {
        try await withLogind("notifications.on-lock-screen = hide") { desktop, logind, server, _ in
            _ = await desktop.offered(offer())
            let id = try #require(await server.nextShown()).id
            try logind.lock(true)
            #expect(await server.next() == .closed(id))
            try logind.lock(false)
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
        }
    }

    @Test("Sleep waits until advertising has stopped, and advertising resumes afterwards")
    func sleep() async throws {
        try await withLogind { _, logind, _, host in
            for _ in 0..<3 {
                try await logind.sleepBecomes(delayed: true)
                try await host.advertises("org.example.note", becomes: true)
                try logind.prepareForSleep(true)
                try await logind.sleepBecomes(delayed: false)
                #expect(!host.advertises("org.example.note"))
                try logind.prepareForSleep(false)
            }
            try await host.advertises("org.example.note", becomes: true)
        }
    }

    @Test("A restarted logind gets an inhibitor again, and advertising resumes when logind ends")
    func sleepWithoutLogind() async throws {
        try await withLogind { _, logind, _, host in
            try await logind.sleepBecomes(delayed: true)
            try logind.prepareForSleep(true)
            try await host.advertises("org.example.note", becomes: false)
            logind.connection.close()
            try await host.advertises("org.example.note", becomes: true)
        }
    }

    @Test("After logind has ended, the user counts as present")
    func logindGoes() async throws {
        try await withLogind { desktop, logind, _, host in
            try logind.foreground(Self.theirs)
            try await wait(until: false, desktop, host)
            logind.connection.close()
            try await wait(until: true, desktop, host)
        }
    }

    @Test("After the system bus was restarted, its signals are followed again")
    func restartedSystemBus() async throws {
        let address = Address("unix:path=/nonexistent/bus")
        let bus = SystemBus(pauses: .milliseconds(1)...(.milliseconds(10))) { try await .open(address: address.value) }
        try await withDesktop(systemBus: { _ in bus }) { desktop, _, _, host in
            for isActive in [false, true, false] {
                try await PrivateBus.with { bus in
                    let logind = try await FakeLogind(bus: bus.address, sessions: [Self.own, Self.theirs])
                    try logind.user("active", display: Self.own)
                    try logind.foreground(isActive ? Self.own : Self.theirs)
                    address.value = bus.address
                    try await wait(until: isActive, desktop, host)
                    logind.connection.close()
                }
            }
        }
    }
}

/// An address that can change.
private final class Address: Sendable {
    private let current: Mutex<String>

    init(_ address: String) { current = Mutex(address) }

    var value: String {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
