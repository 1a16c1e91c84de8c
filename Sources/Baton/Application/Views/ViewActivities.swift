// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// The activities that one view of a declarative toolkit offers and continues.
///
/// The functions correspond to SwiftUI's modifiers for activities. A toolkit's own modifiers can
/// call these functions. The toolkit keeps one object for as long as the view is on the screen. The
/// toolkit calls the functions each time it builds the view, and ``disappear()`` at the end. When
/// the object is released, it stops offering and continuing activities.
@preconcurrency @MainActor
public final class ViewActivities {
    private let application: Application
    private let host: (any UserActivityHost)?
    private let coordinator: ResponderCoordinator
    private var offered: [String: ViewResponder] = [:]

    /// Creates an object for a view that offers and continues nothing yet.
    ///
    /// - Parameters:
    ///   - application: The application that receives activities for the view.
    ///   - host: The host that carries the view's activities, or nil for
    ///     `UserActivity.defaultHost`.
    ///   - coordinator: The coordinator that manages the view's activities.
    public init(
        in application: Application, host: (any UserActivityHost)? = nil, coordinator: ResponderCoordinator? = nil
    ) {
        self.application = application
        self.host = host
        self.coordinator = coordinator ?? .shared
    }

    /// Offers an activity, as `userActivity(_:isActive:_:)` does in SwiftUI.
    ///
    /// The activity becomes current when the view begins to offer it.
    ///
    /// - Parameters:
    ///   - activityType: The activity's type. A view offers one activity of each type.
    ///   - isActive: Whether to offer the activity. If it is false, an activity that was offered
    ///     ends.
    ///   - update: Called to fill the activity, now and whenever the activity is saved.
    public func userActivity(
        _ activityType: String, isActive: Bool = true, _ update: @escaping (UserActivity) -> Void
    ) {
        guard isActive else {
            offered.removeValue(forKey: activityType)?.userActivity = nil
            return
        }
        if let responder = offered[activityType], let activity = responder.userActivity {
            responder.update = update
            update(activity)
            activity.needsSave = true
            return
        }
        let responder = ViewResponder(coordinator, update)
        let activity = UserActivity(activityType: activityType, host: host ?? UserActivity.defaultHost)
        offered[activityType] = responder
        responder.userActivity = activity
        update(activity)
        activity.becomeCurrent()
    }

    /// Offers an activity about an element, as `userActivity(_:element:_:)` does in SwiftUI.
    ///
    /// - Parameters:
    ///   - activityType: The activity's type.
    ///   - element: The element that the activity is about. If it is nil, an activity that was
    ///     offered ends.
    ///   - update: Called to fill the activity, now and whenever the activity is saved.
    public func userActivity<Element>(
        _ activityType: String, element: Element?, _ update: @escaping (Element, UserActivity) -> Void
    ) {
        userActivity(activityType, isActive: element != nil) { activity in
            if let element { update(element, activity) }
        }
    }

    /// Continues activities of a type, as `onContinueUserActivity(_:perform:)` does in SwiftUI.
    ///
    /// The application's delegate and scenes do not get these activities. If an activity waits
    /// because of ``Application/openScene``, the view gets it at once.
    ///
    /// - Parameters:
    ///   - activityType: The type, which the application's declaration must contain.
    ///   - action: Called to take an activity over. Every view that continues the type gets the
    ///     activity.
    public func onContinueUserActivity(_ activityType: String, perform action: @escaping (UserActivity) -> Void) {
        application.receivers.setAction(of: self, for: activityType, action)
    }

    /// Ends the activities that the view offers, and stops continuing activities.
    public func disappear() {
        application.receivers.removeActions(of: self)
        for responder in offered.values { responder.userActivity = nil }
        offered = [:]
    }
}

/// A responder that fills a view's activity when it is saved.
private final class ViewResponder: UserActivityResponder {
    let activityCoordinator: ResponderCoordinator
    var update: (UserActivity) -> Void

    init(_ coordinator: ResponderCoordinator, _ update: @escaping (UserActivity) -> Void) {
        activityCoordinator = coordinator
        self.update = update
    }

    func updateUserActivityState(_ activity: UserActivity) { update(activity) }
}
