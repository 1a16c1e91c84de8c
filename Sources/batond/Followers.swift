// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import Diagnosis

/// The programs that follow a part of the daemon's state.
protocol FollowingClients: Sendable {
    /// Forgets a program that has left.
    func left(_ client: ClientID) async
    /// Tells the programs of changes, until the task is cancelled.
    func run() async
}

/// The programs that follow a value of the daemon. Each program gets the value again when it has
/// changed.
actor Followers<Value: Hashable & Sendable>: FollowingClients {
    /// The greatest number of programs that follow a value.
    static var maximum: Int { 32 }
    /// The shortest time between two reads of the value.
    private static var pace: Duration { .milliseconds(300) }

    private var clients: Set<ClientID> = []
    private var told: Value?
    /// The number of reads that have begun.
    private var reads = 0
    /// The number of the latest read that has ended.
    private var latestRead = 0
    private let changes: [ChangeNotice]
    private let read: @Sendable () async -> Value
    private let send: @Sendable (Value, ClientID) -> Void

    /// Creates an empty set of followers of a value.
    ///
    /// - Parameters:
    ///   - changes: The notices that the value may have changed.
    ///   - read: Returns the present value.
    ///   - send: Called to send a value to a program.
    init(
        of changes: [ChangeNotice], read: @escaping @Sendable () async -> Value,
        send: @escaping @Sendable (Value, ClientID) -> Void
    ) {
        (self.changes, self.read, self.send) = (changes, read, send)
    }

    /// Adds a program, and returns the present value.
    ///
    /// - Throws: ``BatonError/Code/limitReached``.
    func follow(_ client: ClientID) async throws -> Value {
        guard clients.contains(client) || clients.count < Self.maximum else {
            throw BatonError(.limitReached, .tooManyFollowers)
        }
        clients.insert(client)
        for change in changes { change.want(true) }
        // Send the value to the other followers too, because they may not have it yet.
        await look()
        return await read()
    }

    /// Forgets a program that has left.
    func left(_ client: ClientID) {
        clients.remove(client)
        guard clients.isEmpty else { return }
        told = nil
        for change in changes { change.want(false) }
    }

    /// Sends the value after each change, until the task is cancelled.
    nonisolated func run() async {
        await withTaskGroup { group in
            for change in changes {
                group.addTask {
                    for await _ in change.notices {
                        await self.look()
                        try? await Task.sleep(for: Self.pace)
                    }
                }
            }
        }
    }

    private func look() async {
        guard !clients.isEmpty else { return }
        reads += 1
        let number = reads
        let value = await read()
        // Drop this value if a read that began later has already ended.
        guard number > latestRead, !clients.isEmpty else { return }
        latestRead = number
        guard value != told else { return }
        told = value
        for client in clients { send(value, client) }
    }
}
