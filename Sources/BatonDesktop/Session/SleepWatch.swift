// SPDX-License-Identifier: Apache-2.0

import DBus

/// Follows the machine's sleep, and delays it briefly so that offers can be withdrawn first.
/// Otherwise other laptops would show offers that nobody can fetch.
///
/// Source: org.freedesktop.login1(5), and "Inhibitor Locks" of systemd's documentation. logind
/// waits for holders of a delay lock, for 5 s by default.
///
/// When the machine goes to sleep, the kernel ends advertising and connections without a notice to
/// programs. Streams stay open, because those over TCP may survive a short sleep. If logind ends or
/// restarts, the machine counts as awake.
struct SleepWatch: Sendable {
    private let bus: DBusConnection

    private static let name = "org.freedesktop.login1"
    private static let root = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"

    private enum News: Sendable {
        case isAboutToSleep(Bool)
        /// Whether logind runs now. If logind has just started, a new lock is needed.
        case owner(Bool)
    }

    init(systemBus bus: DBusConnection) { self.bus = bus }

    /// Reports when the machine is about to sleep and when it is awake again. Each sleep is delayed
    /// until the report that announces it was handled. Runs until the task is cancelled or the bus
    /// connection ends.
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
                // Take the new lock before releasing the old one, so that one is always held.
                let former = lock
                lock = isThere ? await inhibit() : nil
                former?.close()
                // logind sends no resume signal after a restart.
                await changed(false)
            }
        }
        lock?.close()
        for watch in watches { watch.cancel() }
        // Without the bus, no signal would report the end of a sleep.
        if !Task.isCancelled { await changed(false) }
    }

    /// Takes the lock that delays the next sleep. Returns nil if there is no logind, or it refuses.
    private func inhibit() async -> OwnedDescriptor? {
        guard (try? await bus.owner(of: Self.name)) != nil else { return nil }
        let reply = try? await bus.call(
            destination: Self.name, path: Self.root, interface: Self.manager, member: "Inhibit",
            arguments: [
                .string("sleep"), .string("Baton"), .string("Baton withdraws its offers first"), .string("delay"),
            ])
        guard case .unixFD(let lock) = reply?.first else { return nil }
        return lock
    }
}
