// SPDX-License-Identifier: Apache-2.0

import DBus

/// Follows the machine's sleep, and has it wait for a moment: what is on offer is withdrawn before,
/// so that no other laptop offers what cannot be had.
///
/// Source: org.freedesktop.login1(5), and "Inhibitor Locks" of systemd's documentation. logind
/// waits for who holds a delay lock, for 5 s unless it is configured otherwise.
///
/// On its way to sleep the kernel ends advertising and connections and tells no program. Streams
/// are left alone, because those over TCP may survive a short sleep. A logind that goes, or is
/// restarted, counts as awake.
struct SleepWatch: Sendable {
    private let bus: DBusConnection

    private static let name = "org.freedesktop.login1"
    private static let root = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"

    private enum News: Sendable {
        case isAboutToSleep(Bool)
        /// A logind that comes, or comes anew, knows of no lock.
        case owner(Bool)
    }

    /// A watch on the system bus.
    init(systemBus bus: DBusConnection) { self.bus = bus }

    /// Says when the machine is about to sleep, which waits until that is dealt with, and when it
    /// is awake again, until the task is cancelled or the bus goes.
    func run(_ changed: @Sendable (_ isAboutToSleep: Bool) async -> Void) async {
        let match = DBusMatch(sender: Self.name, path: Self.root, interface: Self.manager, member: "PrepareForSleep")
        guard let signals = try? await bus.signals(matching: match, buffer: 16),
            let owners = try? await bus.nameOwnerChanges(of: Self.name)
        else { return }
        let (news, new) = AsyncStream.makeStream(of: News.self)
        let watches = [
            Task {
                for await signal in signals {
                    if let isAboutToSleep = signal.arguments.first?.boolValue {
                        new.yield(.isAboutToSleep(isAboutToSleep))
                    }
                }
                new.finish()
            },
            Task { for await change in owners { new.yield(.owner(change.newOwner != nil)) } },
        ]
        var lock = await inhibit()
        for await event in news {
            switch event {
            case .isAboutToSleep(true):
                await changed(true)
                lock?.close()
                lock = nil
            case .isAboutToSleep(false):
                lock = await inhibit()
                await changed(false)
            case .owner(let isThere):
                // Without a moment in which there is none.
                let former = lock
                lock = isThere ? await inhibit() : nil
                former?.close()
                // One that was restarted while the machine slept tells of no end.
                await changed(false)
            }
        }
        lock?.close()
        for watch in watches { watch.cancel() }
        // Nobody tells of the end of a sleep any more.
        if !Task.isCancelled { await changed(false) }
    }

    /// The lock that delays the next sleep; nil where there is no logind, or it gives none.
    private func inhibit() async -> OwnedDescriptor? {
        guard (try? await bus.owner(of: Self.name)) != nil else { return nil }
        let reply = try? await bus.call(
            destination: Self.name, path: Self.root, interface: Self.manager, member: "Inhibit",
            arguments: [
                .string("sleep"), .string("Baton"), .string("What is on offer is withdrawn first"), .string("delay"),
            ])
        guard case .unixFD(let lock) = reply?.first else { return nil }
        return lock
    }
}
