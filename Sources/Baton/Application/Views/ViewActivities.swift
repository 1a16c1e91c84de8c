// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// What one view of a declarative toolkit offers and continues: SwiftUI's modifiers for activities
/// as functions, which a toolkit's own modifiers can call.
///
/// The toolkit keeps one of these for as long as the view is on the screen, calls the functions
/// each time that it builds the view, and ``disappear()`` in the end. One that is released offers
/// and continues nothing any more.
@preconcurrency @MainActor
public final class ViewActivities {
    private let application: Application
    private let host: (any UserActivityHost)?
    private let coordinator: ResponderCoordinator
    private var offered: [String: ViewResponder] = [:]

    /// A view that offers and continues nothing yet.
    ///
    /// - Parameters:
    ///   - application: The application, which is told what the view continues.
    ///   - host: What carries the view's activities; `UserActivity.defaultHost` unless given.
    ///   - coordinator: Who looks after them.
    public init(
        in application: Application, host: (any UserActivityHost)? = nil, coordinator: ResponderCoordinator? = nil
    ) {
        self.application = application
        self.host = host
        self.coordinator = coordinator ?? .shared
    }

    /// Offers an activity, as `userActivity(_:isActive:_:)` does in SwiftUI. It becomes current
    /// when the view begins to offer it.
    ///
    /// - Parameters:
    ///   - activityType: Its type. A view offers one activity of each type.
    ///   - isActive: Whether it is offered; false ends one that was.
    ///   - update: Fills it, now and whenever it is saved.
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
    ///   - activityType: Its type.
    ///   - element: What it is about; nil offers none, and ends one that was offered.
    ///   - update: Fills it, now and whenever it is saved.
    public func userActivity<Element>(
        _ activityType: String, element: Element?, _ update: @escaping (Element, UserActivity) -> Void
    ) {
        userActivity(activityType, isActive: element != nil) { activity in
            if let element { update(element, activity) }
        }
    }

    /// Continues activities of a type, as `onContinueUserActivity(_:perform:)` does in SwiftUI. The
    /// application's delegate and scenes are not asked about them. One that came before the view
    /// (``Application/openScene``) is given to it at once.
    ///
    /// - Parameters:
    ///   - activityType: The type, which the application's declaration has to name.
    ///   - action: Takes the activity over. Each view that continues the type gets it.
    public func onContinueUserActivity(_ activityType: String, perform action: @escaping (UserActivity) -> Void) {
        application.receivers.setAction(of: self, for: activityType, action)
    }

    /// Ends what the view offers, and continues nothing any more.
    public func disappear() {
        application.receivers.removeActions(of: self)
        for responder in offered.values { responder.userActivity = nil }
        offered = [:]
    }
}

/// Fills a view's activity when it is saved.
private final class ViewResponder: UserActivityResponder {
    let activityCoordinator: ResponderCoordinator
    var update: (UserActivity) -> Void

    init(_ coordinator: ResponderCoordinator, _ update: @escaping (UserActivity) -> Void) {
        activityCoordinator = coordinator
        self.update = update
    }

    func updateUserActivityState(_ activity: UserActivity) { update(activity) }
}
