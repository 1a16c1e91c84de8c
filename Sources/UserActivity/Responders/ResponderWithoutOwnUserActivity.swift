// SPDX-License-Identifier: Apache-2.0

/// Finds responders that declare a `userActivity` of their own, which hides the one of
/// ``UserActivityResponder``.
///
/// The property of such a class belongs to the main actor, as the class does, and so it cannot be
/// what this protocol asks for: the compiler refuses the class in Swift 6, and warns in Swift 5.
/// Where it does not see it, the ``ResponderCoordinator`` warns when it meets the responder. Remove
/// the declaration; what its `didSet` did goes where the property is set.
public protocol ResponderWithoutOwnUserActivity: AnyObject {
    /// The activity of a class that declares one itself; nil for all others.
    @_disfavoredOverload nonisolated var userActivity: UserActivity? { get }
}

extension UserActivityResponder {
    /// Nothing: the responder's activity is ``ResponderMembers/userActivity``.
    @_disfavoredOverload public nonisolated var userActivity: UserActivity? { nil }
}

/// Tells the app's developer, once for a class, of a `userActivity` that hides the responder's.
@MainActor
enum OwnUserActivities {
    private static var told: Set<ObjectIdentifier> = []

    static func warn(of responder: any UserActivityResponder) {
        guard let own = (responder as any ResponderWithoutOwnUserActivity).userActivity,
            told.insert(ObjectIdentifier(type(of: responder))).inserted
        else { return }
        DeveloperWarning.tell(
            "\(type(of: responder)) declares userActivity itself, which hides the one of UserActivityResponder: "
                + "its updateUserActivityState is never called; remove the declaration",
            host: own.host)
    }
}
