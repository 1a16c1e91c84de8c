// SPDX-License-Identifier: Apache-2.0

/// An object that fills an activity before its delegate does, for responders or a document.
protocol UserActivityManager: AnyObject, Sendable {
    /// Asks the responders or the document to fill the activity. Called on the main actor, before
    /// the delegate is asked.
    func save(_ activity: UserActivity)
}

/// A manager that asks the responders of an activity for its state, on the main actor.
final class ManagedActivitySaver: UserActivityManager {
    private let coordinator: ResponderCoordinator

    init(coordinator: ResponderCoordinator) { self.coordinator = coordinator }

    func save(_ activity: UserActivity) {
        MainActor.assumeIsolated { coordinator.update(activity) }
    }
}
