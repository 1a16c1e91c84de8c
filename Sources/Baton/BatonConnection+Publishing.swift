// SPDX-License-Identifier: Apache-2.0

import BatonBus
import UserActivity

/// What is done for activities at the daemon.
extension BatonConnection {
    static let daemonEnded = BatonBusError(
        .daemonNotRunning, "the daemon has ended; start it again (batond), then repeat the command")

    func carryOut(_ command: Command) {
        switch command {
        case .becameCurrent(let activity): perform(activity) { try await $0.becomeCurrent(activity) }
        case .resigned: resignWhatIsNotOffered()
        case .changed(let activity): perform(activity) { try await $0.change(activity) }
        case .invalidated(let activity): perform(activity) { try await $0.invalidate(activity.identity) }
        case .released(let identity): enqueue(identity) { try? await $0.invalidate(identity) }
        case .event(let event): receive(event)
        case .presence(let isThere): if isThere { daemonCame() } else { daemonLeft() }
        }
    }

    /// Does something for an activity after all that was asked for it before; other activities do not wait.
    func enqueue(
        _ activity: UserActivity.Identity, _ body: @escaping @Sendable (isolated BatonConnection) async -> Void
    ) {
        let before = work[activity]?.task
        workCount += 1
        let number = workCount
        let task = Task {
            await before?.value
            await body(self)
            if work[activity]?.number == number { work[activity] = nil }
        }
        work[activity] = (number, task)
    }

    func perform(
        _ activity: UserActivity, _ body: @escaping @Sendable (isolated BatonConnection) async throws -> Void
    ) {
        enqueue(activity.identity) { connection in
            do {
                try await body(connection)
            } catch {
                connection.fail(
                    activity.identity,
                    with: error as? BatonBusError ?? BatonBusError(.failed, String(describing: error)))
            }
        }
    }

    func fail(_ activity: UserActivity.Identity, with error: BatonBusError) {
        if publications[activity]?.identifier != nil, error.isAboutTheContents {
            // The daemon has it still, and takes the next contents.
            activityWarning(error.message)
            observers.send(.warning(error.message), of: activity)
        } else if reattaches, error.saysThatTheDaemonIsGone {
            publications[activity]?.identifier = nil
            observers.send(.detached(error), of: activity)
        } else {
            publications[activity] = nil
            observers.send(.failed(error), of: activity)
            observers.finish(activity)
        }
    }

    private func becomeCurrent(_ activity: UserActivity) async throws {
        let key = activity.identity
        // It may have resigned or ended, or be not for other devices any more, since this waits for its turn.
        guard activity.isOfferedNow else { return }
        let identifier: String
        if let known = publications[key]?.identifier {
            identifier = known
            try await save(activity, as: identifier)
        } else {
            publications[key] = Publication(activity: activity)
            let state = await activity.saved()
            identifier = try await bus.publish(sharedFolders.travelling(state), team: team)
            publications[key]?.identifier = identifier
            if let text = earlyWarnings.removeValue(forKey: identifier) { observers.send(.warning(text), of: key) }
            if !isPublishing { earlyWarnings = [:] }
        }
        // Another activity may have become current while the app was asked.
        guard activity.isOfferedNow else { return }
        try await bus.becomeCurrent(activity: identifier)
        observers.send(.becameCurrent, of: key)
    }

    private var isPublishing: Bool { publications.values.contains { $0.identifier == nil } }

    private func resignWhatIsNotOffered() {
        for activity in publications.values.compactMap(\.activity) where !activity.isOfferedNow {
            perform(activity) { try await $0.resign(activity) }
        }
    }

    private func resign(_ activity: UserActivity) async throws {
        guard let identifier = publications[activity.identity]?.identifier, !activity.isOfferedNow else { return }
        try await bus.resignCurrent(activity: identifier)
        observers.send(.resignedCurrent, of: activity.identity)
    }

    /// Takes all changes since the last one together: the state is read now, not when it changed.
    private func change(_ activity: UserActivity) async throws {
        changes.remove(activity.identity)
        guard let identifier = publications[activity.identity]?.identifier else { return }
        let needsSave = activity.needsSave
        let state = sharedFolders.travelling(activity.currentState)
        try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: needsSave))
    }

    private func invalidate(_ activity: UserActivity.Identity) async throws {
        let identifier = publications.removeValue(forKey: activity)?.identifier
        defer {
            observers.send(.invalidated, of: activity)
            observers.finish(activity)
        }
        if let identifier { try await bus.invalidate(activity: identifier) }
    }

    private func save(_ activity: UserActivity, as identifier: String) async throws {
        let state = sharedFolders.travelling(await activity.saved())
        try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: false))
    }
}

/// What the daemon says.
extension BatonConnection {
    private func receive(_ event: ActivityEvent) {
        switch event {
        case .willSave(let identifier):
            guard let activity = activity(identifier) else { return }
            perform(activity) { connection in
                try await connection.save(activity, as: identifier)
                connection.observers.send(.saved, of: activity.identity)
            }
        case .wasContinued(let identifier, let device):
            guard let activity = activity(identifier) else { return }
            perform(activity) { connection in
                await activity.wasContinued()
                connection.observers.send(.continued(device: device), of: activity.identity)
            }
        case .streamsOpened(let identifier, let device, let opened):
            // Without a taker the descriptor is closed, which the other device sees as a reset.
            guard let activity = activity(identifier), let streams = streams.adopt(opened, device: device) else {
                return
            }
            perform(activity) { connection in
                let isTaken = await activity.receive(streams) { connection.pair(of: $0) }
                if !isTaken { StreamOutcomes.discard(streams) }
            }
        case .warning(let identifier, let text):
            guard let activity = activity(identifier) else {
                // The daemon warns while it publishes, and its answer comes after that.
                if isPublishing { earlyWarnings[identifier] = text }
                return
            }
            observers.send(.warning(text), of: activity.identity)
        case .streamEnded(let stream, let complete, let error):
            streams.ended(stream, complete: complete, error: error)
        }
    }

    private func daemonLeft() {
        for (key, publication) in publications where publication.identifier != nil {
            fail(key, with: Self.daemonEnded)
        }
        streams.failAll(Self.daemonEnded)
    }

    /// Publishes again what the daemon does not know (any more).
    private func daemonCame() {
        for publication in publications.values where publication.identifier == nil {
            guard let activity = publication.activity else { continue }
            perform(activity) { connection in
                guard connection.publications[activity.identity]?.identifier == nil else { return }
                try await connection.becomeCurrent(activity)
            }
        }
    }

    private func activity(_ identifier: String) -> UserActivity? {
        publications.values.first { $0.identifier == identifier }?.activity
    }
}

extension UserActivity {
    fileprivate var isOfferedNow: Bool { isCurrent && isEligibleForHandoff }
}

extension BatonBusError {
    /// Whether other contents would do.
    fileprivate var isAboutTheContents: Bool { [.userInfoTooLarge, .invalidArgument].contains(code) }

    /// Whether there is nobody to answer, so that it may help to wait.
    fileprivate var saysThatTheDaemonIsGone: Bool {
        code == .daemonNotRunning || cause == "org.freedesktop.DBus.Error.NoReply"
    }
}
