// SPDX-License-Identifier: Apache-2.0

/// What fills an activity before it is saved, beside its delegate: the responders that have it, or
/// its document.
protocol UserActivityManager: AnyObject, Sendable {
    /// Asks them; called where the host's callbacks belong, before the delegate.
    func save(_ activity: UserActivity)
}

/// Asks the responders of an activity, on the main actor.
final class ManagedActivitySaver: UserActivityManager {
    private let coordinator: ResponderCoordinator

    init(coordinator: ResponderCoordinator) { self.coordinator = coordinator }

    func save(_ activity: UserActivity) {
        MainActor.assumeIsolated { coordinator.update(activity) }
    }
}
