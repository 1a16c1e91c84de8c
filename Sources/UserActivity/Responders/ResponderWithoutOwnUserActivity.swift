// SPDX-License-Identifier: Apache-2.0

/// Detects responders whose own `userActivity` hides ``ResponderMembers/userActivity``.
///
/// Such a property belongs to the main actor, as its class does, so it cannot fulfil this
/// protocol's requirement. The compiler therefore rejects the class in Swift 6, and warns in
/// Swift 5. If the compiler does not notice, the ``ResponderCoordinator`` warns when it meets the
/// responder. Remove the declaration, and move the work of its `didSet` to the places that set the
/// property.
public protocol ResponderWithoutOwnUserActivity: AnyObject {
    /// The activity of a class that declares its own property, or nil for all other classes.
    @_disfavoredOverload nonisolated var userActivity: UserActivity? { get }
}

extension UserActivityResponder {
    /// Always nil, because the responder's activity is ``ResponderMembers/userActivity``.
    @_disfavoredOverload public nonisolated var userActivity: UserActivity? { nil }
}

/// Warns the app's developer, once for each class, of a `userActivity` that hides the responder's.
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
