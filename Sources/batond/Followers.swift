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
    /// The maximum number of programs that follow a value.
    static var maximum: Int { 32 }
    /// The shortest time between two values for a program.
    static var pace: Duration { .milliseconds(300) }

    /// The programs, each with the value that it got last; nil while it gets its first one.
    private var clients: [ClientID: Value?] = [:]
    private let changes: [ChangeNotice]
    /// The notice that a program perhaps lacks the present value.
    private let news = ChangeNotice()
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
        news.want(true)
    }

    /// Adds a program, and returns the present value.
    ///
    /// - Throws: ``BatonError/Code/limitReached``.
    func follow(_ client: ClientID) async throws -> Value {
        guard clients.keys.contains(client) || clients.count < Self.maximum else {
            throw BatonError(.limitReached, .tooManyFollowers)
        }
        clients.updateValue(nil, forKey: client)
        for change in changes { change.want(true) }
        let value = await read()
        // The program may have left meanwhile, and the value may have changed.
        if clients.keys.contains(client) { clients[client] = value }
        news.note()
        return value
    }

    /// Forgets a program that has left.
    func left(_ client: ClientID) {
        clients[client] = nil
        guard clients.isEmpty else { return }
        for change in changes { change.want(false) }
    }

    /// Sends the value after each change, until the task is cancelled.
    nonisolated func run() async {
        await withTaskGroup { group in
            for change in changes {
                group.addTask { for await _ in change.notices { self.news.note() } }
            }
            group.addTask {
                for await _ in self.news.notices {
                    await self.look()
                    try? await Task.sleep(for: Self.pace)
                }
            }
        }
    }

    private func look() async {
        guard !clients.isEmpty else { return }
        let value = await read()
        for case (let client, let told?) in clients where told != value {
            clients[client] = value
            send(value, client)
        }
    }
}
