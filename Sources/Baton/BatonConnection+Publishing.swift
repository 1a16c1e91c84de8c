// SPDX-License-Identifier: Apache-2.0

import BatonBus
import UserActivity

/// What activities ask for, and what the daemon says about them.
extension BatonConnection {
    static let daemonEnded = BatonBusError(
        .daemonNotRunning, "the daemon has ended; start it again (batond), then repeat the command")

    func carryOut(_ command: Command) async {
        switch command {
        case .becameCurrent(let activity): await attempt(activity) { try await self.becomeCurrent(activity) }
        case .resigned(let activity): await attempt(activity) { try await self.resign(activity) }
        case .changed(let activity): await attempt(activity) { try await self.change(activity) }
        case .invalidated(let activity): await attempt(activity) { try await self.invalidate(activity) }
        case .event(let event): await receive(event)
        case .presence(let isThere):
            if !isThere { daemonLeft() }
        }
    }

    private func attempt(_ activity: UserActivity, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            fail(activity, with: error as? BatonBusError ?? BatonBusError(.failed, String(describing: error)))
        }
    }

    private func fail(_ activity: UserActivity, with error: BatonBusError) {
        let key = ObjectIdentifier(activity)
        publications[key] = nil
        observers.send(.failed(error), of: key)
        observers.finish(key)
    }

    private func becomeCurrent(_ activity: UserActivity) async throws {
        // It may have resigned or ended while this waited for its turn.
        guard activity.isCurrent else { return }
        let key = ObjectIdentifier(activity)
        let identifier: String
        if let known = publications[key]?.identifier {
            identifier = known
            try await save(activity, as: identifier)
        } else {
            publications[key] = Publication(activity: activity)
            identifier = try await bus.publish(activity.savedState())
            publications[key]?.identifier = identifier
        }
        try await bus.becomeCurrent(activity: identifier)
        observers.send(.becameCurrent, of: key)
    }

    private func resign(_ activity: UserActivity) async throws {
        guard let identifier = identifier(of: activity), !activity.isCurrent else { return }
        try await bus.resignCurrent(activity: identifier)
        observers.send(.resignedCurrent, of: ObjectIdentifier(activity))
    }

    /// Takes all changes since the last one together: the state is read now, not when it changed.
    private func change(_ activity: UserActivity) async throws {
        changes.remove(ObjectIdentifier(activity))
        guard let identifier = identifier(of: activity) else { return }
        let needsSave = activity.needsSave
        try await bus.update(
            activity: identifier, properties: ActivityProperties(activity.currentState, needsSave: needsSave))
    }

    private func invalidate(_ activity: UserActivity) async throws {
        let key = ObjectIdentifier(activity)
        if let identifier = publications[key]?.identifier { try await bus.invalidate(activity: identifier) }
        publications[key] = nil
        observers.send(.invalidated, of: key)
        observers.finish(key)
    }

    private func save(_ activity: UserActivity, as identifier: String) async throws {
        let state = activity.savedState()
        try await bus.update(activity: identifier, properties: ActivityProperties(state, needsSave: false))
    }

    private func receive(_ event: ActivityEvent) async {
        switch event {
        case .willSave(let identifier):
            guard let activity = activity(identifier) else { return }
            await attempt(activity) {
                try await self.save(activity, as: identifier)
                self.observers.send(.saved, of: ObjectIdentifier(activity))
            }
        case .wasContinued(let identifier, let device):
            guard let activity = activity(identifier) else { return }
            activity.wasContinued()
            observers.send(.continued(device: device), of: ObjectIdentifier(activity))
        case .streamsOpened(let identifier, let device, let opened):
            // Without a taker the descriptor is closed, which the other device sees as a reset.
            guard let activity = activity(identifier), let streams = streams.adopt(opened, device: device) else {
                return
            }
            if !activity.didReceive(streams) { StreamOutcomes.discard(streams) }
        case .warning(let identifier, let text):
            guard let activity = activity(identifier) else { return }
            observers.send(.warning(text), of: ObjectIdentifier(activity))
        case .streamEnded(let stream, let complete, let error):
            streams.ended(stream, complete: complete, error: error)
        }
    }

    private func daemonLeft() {
        for publication in publications.values where publication.identifier != nil {
            fail(publication.activity, with: Self.daemonEnded)
        }
        streams.failAll(Self.daemonEnded)
    }

    private func identifier(of activity: UserActivity) -> String? {
        publications[ObjectIdentifier(activity)]?.identifier
    }

    private func activity(_ identifier: String) -> UserActivity? {
        publications.values.first { $0.identifier == identifier }?.activity
    }
}
