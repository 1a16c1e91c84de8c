// SPDX-License-Identifier: Apache-2.0

/// Manages the activities of responders, and decides which activity is current.
///
/// In Apple's frameworks the toolkit does this. The coordinator manages every activity that a
/// responder was given. When an activity is saved, the coordinator asks all responders that share
/// the activity, before the delegate. The coordinator makes activities current according to the
/// responder chain, and invalidates an activity that no responder holds any more.
@preconcurrency @MainActor
public final class ResponderCoordinator {
    /// The program's coordinator.
    public static let shared = ResponderCoordinator()

    /// The starting points of the responder chain.
    ///
    /// The first is the responder that has the user's attention in the main window. The responders
    /// of the main window controller's document follow. Set this property whenever the main window,
    /// its tab, the view that it presents or its document changes.
    public var mainChain: [any UserActivityResponder] {
        get { starts.compactMap(\.responder) }
        set {
            starts = newValue.map { Weak($0) }
            reevaluate()
        }
    }

    /// Whether the app is in the foreground.
    ///
    /// In the background, the chain makes no activity current. An activity that became current in
    /// another way stays current.
    public var isForeground = true { didSet { if isForeground != oldValue { reevaluate() } } }

    struct Weak {
        weak var responder: (any UserActivityResponder)?
        init(_ responder: any UserActivityResponder) { self.responder = responder }
    }

    private struct Managed {
        let activity: UserActivity
        var holders: [Weak]
    }

    private var managed: [UserActivity.Identity: Managed] = [:]
    private var holdings: [ObjectIdentifier: (responder: Weak, activity: UserActivity.Identity)] = [:]
    private var starts: [Weak] = []
    private var current: UserActivity.Identity?
    private var transitions = 0
    private var changedInTransition = false

    /// Called after an activity was updated and before it is handed over.
    ///
    /// The function may add to the activity.
    ///
    /// This is the app delegate's `didUpdate`.
    public var didUpdate: ((UserActivity) -> Void)?

    /// Creates a separate coordinator for a second app in one process.
    ///
    /// Other programs use ``shared``.
    public init() {}

    /// Decides again which activity is current.
    ///
    /// Call this when the responders that ``mainChain`` leads to have changed. During a transition,
    /// the decision waits for the end of the transition.
    public func reevaluate() {
        guard transitions == 0 else {
            changedInTransition = true
            return
        }
        releaseUnheld()
        let found = isForeground ? currentByChain() : nil
        // Decide again if the activity is not current although it should be. Another activity,
        // which became current without the responders, may have ended.
        guard found?.identity != current || found?.isPassedOver == true else { return }
        let before = current.flatMap { managed[$0]?.activity }
        current = found?.identity
        if let found { found.becomeCurrent() } else { before?.resignCurrent() }
    }

    /// Begins a transition from one screen to another.
    ///
    /// Until the transition ends, no activity becomes current and none is invalidated.
    public func beginTransition() { transitions += 1 }

    /// Ends a transition. Transitions may be nested.
    public func endTransition() {
        guard transitions > 0 else { return }
        transitions -= 1
        guard transitions == 0, changedInTransition else { return }
        changedInTransition = false
        reevaluate()
    }

    func activity(of responder: any ResponderMembers) -> UserActivity? {
        guard let holding = holdings[ObjectIdentifier(responder)], holding.responder.responder != nil else {
            return nil
        }
        return managed[holding.activity]?.activity
    }

    func setActivity(_ activity: UserActivity?, of responder: any UserActivityResponder) {
        let key = ObjectIdentifier(responder)
        if let holding = holdings.removeValue(forKey: key) {
            managed[holding.activity]?.holders.removeAll { $0.responder == nil || $0.responder === responder }
        }
        if let activity {
            var entry = managed[activity.identity] ?? manage(activity)
            entry.holders.append(Weak(responder))
            managed[activity.identity] = entry
            holdings[key] = (Weak(responder), activity.identity)
            // The first save must not depend on the app setting needsSave (requirement 34).
            activity.needsSave = true
        }
        reevaluate()
    }

    /// Asks all responders that hold an activity to fill it.
    func update(_ activity: UserActivity) {
        guard let holders = managed[activity.identity]?.holders.compactMap(\.responder) else { return }
        guard !holders.isEmpty else { return reevaluate() }
        activity.emptyUserInfo()
        for holder in holders { holder.updateUserActivityState(activity) }
        if let didUpdate { activity.adding(didUpdate) }
    }

    private func manage(_ activity: UserActivity) -> Managed {
        activity.manager = ManagedActivitySaver(coordinator: self)
        return Managed(activity: activity, holders: [])
    }

    /// Forgets released responders, and ends activities that no responder holds.
    private func releaseUnheld() {
        holdings = holdings.filter { $0.value.responder.responder != nil }
        for (identity, entry) in managed {
            managed[identity]?.holders.removeAll { $0.responder == nil }
            if managed[identity]?.holders.isEmpty == true {
                managed[identity] = nil
                if current == identity { current = nil }
                entry.activity.manager = nil
                entry.activity.invalidate()
            }
        }
    }

    /// Returns the first activity in the main window's chain, or else in its document's; nil if
    /// there is none.
    ///
    /// Responders that are not on the screen are skipped.
    private func currentByChain() -> UserActivity? {
        for start in starts {
            var next = start.responder
            // The limit ends a chain that contains a cycle.
            var steps = 0
            while let responder = next, steps < 1_024 {
                OwnUserActivities.warn(of: responder)
                if responder.isVisible, let activity = activity(of: responder), !activity.isInvalidated {
                    return activity
                }
                next = responder.nextResponder
                steps += 1
            }
        }
        return nil
    }
}
