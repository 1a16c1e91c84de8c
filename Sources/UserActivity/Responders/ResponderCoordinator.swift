// SPDX-License-Identifier: Apache-2.0

/// Which responder has which activity, and which of these is current: the toolkit's part in Apple's
/// frameworks.
///
/// It manages every activity that a responder was given: it asks all its responders when it is
/// saved, before its delegate, makes it current by the responder chain, and invalidates it when
/// nobody holds it any more.
@preconcurrency @MainActor
public final class ResponderCoordinator {
    /// The program's coordinator.
    public static let shared = ResponderCoordinator()

    /// Where a chain begins: the responder that has the user's attention in the main window, and
    /// then the responders of the main window controller's document. Set it whenever the main
    /// window, its tab, what it presents or its document changes.
    public var mainChain: [any UserActivityResponder] {
        get { starts.compactMap(\.responder) }
        set {
            starts = newValue.map { Weak($0) }
            reevaluate()
        }
    }

    /// Whether the app is in front. In the background none is current by the chain; what became
    /// current otherwise stays it.
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

    /// Told when an activity was updated and is about to be handed over: the app delegate's
    /// `didUpdate`, which may add to it.
    public var didUpdate: ((UserActivity) -> Void)?

    /// A coordinator of its own, for a second app in one process; a program needs ``shared`` only.
    public init() {}

    /// Looks again which activity is current; call it when what ``mainChain`` leads to has changed
    /// by itself. In a transition it waits until the transition is over.
    public func reevaluate() {
        guard transitions == 0 else {
            changedInTransition = true
            return
        }
        releaseUnheld()
        let found = isForeground ? currentByChain() : nil
        // What was current beside the responders may have ended.
        guard found?.identity != current || found?.isPassedOver == true else { return }
        let before = current.flatMap { managed[$0]?.activity }
        current = found?.identity
        if let found { found.becomeCurrent() } else { before?.resignCurrent() }
    }

    /// Begins a transition from one screen to another: until it ends nothing becomes current and
    /// nothing is invalidated.
    public func beginTransition() { transitions += 1 }

    /// Ends a transition. Transitions may stand inside each other.
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
            // The first save needs no needsSave (requirement 34).
            activity.needsSave = true
        }
        reevaluate()
    }

    /// Has an activity saved by all that hold it.
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

    /// Forgets responders that have gone, and ends activities that nobody holds.
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

    /// The first activity of the main window's chain, then of its document, passing over what is
    /// not on the screen.
    private func currentByChain() -> UserActivity? {
        for start in starts {
            var next = start.responder
            // A chain that runs in circles ends after as many steps as a chain may have.
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
