// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Something that the user is doing, which another of their devices can continue.
///
/// Members and meaning are those of Foundation's `NSUserActivity`, which does not exist on Linux.
/// It may be used from any thread; ``UserActivityHost/callbackDelivery`` says where the delegate is
/// called. Keep a reference while the activity is to be offered: one that is released ends.
///
/// - Note: `@unchecked Sendable`: every stored variable is read and written under `lock` alone.
public final class UserActivity: @unchecked Sendable {
    /// Tells activities apart, those that are gone included.
    public typealias Identity = ActivityIdentity

    /// What kind of activity this is; fixed at creation.
    public let activityType: String
    /// Which activity of this process this is; Foundation's class has no such member.
    public let identity = Identity()

    struct Stored {
        var state: ActivityState
        var attributes = LocalAttributes()
        var needsSave: Bool
        /// The end of the last call of the app that was asked for; the next begins when it has
        /// ended.
        var lastCall: Task<Void, Never>?
        /// The app is being asked: what changes meanwhile is in the state that is read afterwards.
        var isSaving = false
        /// The thread on which it is being asked.
        var askedThread: ObjectIdentifier?
        var isInvalid = false
        weak var delegate: (any UserActivityDelegate)?
        /// The responders or the document that fill it before it is saved.
        var manager: (any UserActivityManager)?
        /// Where the document is on this device, if it is about one.
        var documentFile: URL?
        /// How often something had been deleted when it became current.
        var deletionsBefore = 0
        /// The userInfo that was set outside of updates.
        var directUserInfo: UserInfo
        /// An update emptied userInfo, and neither a responder nor the delegate has put anything
        /// there since.
        var isEmptied = false
        /// Where it came from, if it came from another device.
        var origin: (any ContinuationOrigin)?
        /// What carries it: the one that it was made with, or that was the program's when it first
        /// became current.
        var host: (any UserActivityHost)?
        /// It is the host's, and has to end there.
        var isKnownToHost = false
    }

    private let lock = NSLock()
    private var stored: Stored

    /// An activity of a type, not current yet.
    ///
    /// - Parameters:
    ///   - activityType: Any non-empty string to 255 UTF-8 bytes, reverse-DNS by recommendation;
    ///     anything else is a programming error (``ActivityState/validate(activityType:)`` checks
    ///     what comes from elsewhere).
    ///   - host: What carries the activity to other devices; ``defaultHost`` unless another is
    ///     given. Where there is none yet, it is the one that is set when the activity becomes
    ///     current; without any then, the activity stays in this process until there is one, and a
    ///     line on standard error says so.
    public convenience init(activityType: String, host: (any UserActivityHost)? = UserActivity.defaultHost) {
        self.init(state: ActivityState(activityType: activityType), host: host)
        withLock { $0.needsSave = true }
    }

    /// An activity of the first type in ``declaredActivityTypes``; without one it is a programming
    /// error.
    @available(*, deprecated, message: "Use init(activityType:) instead")
    public convenience init() {
        guard let type = UserActivity.declaredActivityTypes.first else {
            preconditionFailure("UserActivity: init() needs a declared activity type, and there is none")
        }
        self.init(activityType: type)
    }

    /// An activity with a state, such as one that came from another device.
    ///
    /// - Parameters:
    ///   - state: The state; one that ``ActivityState/validated()`` refuses is a programming error.
    ///   - host: What carries the activity to other devices.
    ///   - origin: Whom it came from, if it came from another device.
    public init(
        state: ActivityState, host: (any UserActivityHost)? = UserActivity.defaultHost,
        origin: (any ContinuationOrigin)? = nil
    ) {
        Self.require { _ = try state.validated() }
        activityType = state.activityType
        stored = Stored(
            state: state, needsSave: false, directUserInfo: state.userInfo, origin: origin, host: host)
        if let host { warnOfType(to: host) }
    }

    deinit {
        _ = CurrentActivities.resign(identity, of: app)
        guard stored.isKnownToHost, !stored.isInvalid else { return }
        stored.host?.activityWarning("an activity of type \(activityType) was released without invalidate()")
        stored.host?.activityReleased(identity)
    }

    /// Whether the delegate has something to save: set it when the state has changed, and
    /// `userActivityWillSave` is called when the state is needed. It is true for a new activity,
    /// and for one that becomes current.
    public var needsSave: Bool {
        get { read(\.needsSave) }
        set {
            let rose = withLock { stored in
                // What is set where the app is being asked is about what is being saved; elsewhere
                // it is about the next save.
                guard stored.askedThread != ObjectIdentifier(Thread.current), !stored.isInvalid else { return false }
                defer { stored.needsSave = newValue }
                return newValue && !stored.needsSave
            }
            guard rose else { return }
            if isOffered { host?.activityChanged(self) }
            saveForSearch()
        }
    }

    /// Whom the activity tells; not kept alive by it.
    public var delegate: (any UserActivityDelegate)? {
        get { read(\.delegate) }
        set {
            let changed = withLock { stored in
                defer { stored.delegate = newValue }
                return stored.state.supportsContinuationStreams && (stored.delegate == nil) != (newValue == nil)
            }
            // Streams that nobody takes are not offered.
            if changed, isOffered { host?.activityChanged(self) }
        }
    }

    /// Makes this the activity that other devices can continue; the app's last one to become
    /// current is it. For one that is current already nothing more needs to be saved.
    public func becomeCurrent() {
        let host = resolvedHost()
        let app = app
        let wasCurrent = isCurrent
        let (isOffered, tookPlace) = withLock { stored -> (Bool?, Bool) in
            guard !stored.isInvalid else { return (nil, false) }
            let tookPlace = CurrentActivities.becomeCurrent(identity, of: app)
            stored.deletionsBefore = StoreQueue.deletions
            if !wasCurrent { stored.needsSave = true }
            guard stored.attributes.isEligibleForHandoff else { return (false, tookPlace) }
            stored.isKnownToHost = host != nil
            return (true, tookPlace)
        }
        switch isOffered {
        case true: if let host { host.activityBecameCurrent(self) } else { MissingHost.wait(self) }
        // What was offered until now is not current any more.
        case false where tookPlace: host?.activityResignedCurrent(self)
        default: break
        }
        keep()
        saveForSearch()
    }

    /// Stops offering the activity without ending it.
    public func resignCurrent() {
        guard CurrentActivities.resign(identity, of: app) else { return }
        if isEligibleForHandoff { host?.activityResignedCurrent(self) }
        // Nobody asks for it from now on, but a search may find it, unless it may just have been
        // deleted.
        let deletions = read(\.deletionsBefore)
        if needsSave, isEligibleForSearch { Task { _ = await saved(deletions) } }
    }

    /// Ends the activity: it disappears from every device and cannot become current again.
    public func invalidate() {
        let ended = withLock { stored in
            defer {
                stored.isInvalid = true
                stored.needsSave = false
            }
            return !stored.isInvalid
        }
        guard ended else { return }
        _ = CurrentActivities.resign(identity, of: app)
        host?.activityInvalidated(self)
    }

    /// Whether this is its app's current activity; Foundation's class has no such member.
    public var isCurrent: Bool { CurrentActivities.isCurrent(identity, of: app) }

    /// Whether it came from another device, whose word its contents are; Foundation's class has no
    /// such member.
    public var isFromAnotherDevice: Bool { withLock { $0.origin != nil } }

    /// Whether it has ended; Foundation's class has no such member.
    public var isInvalidated: Bool { read(\.isInvalid) }
}

/// What the other files of the class use.
extension UserActivity {
    var app: CurrentActivities.App { host.map { ObjectIdentifier($0) } }

    var host: (any UserActivityHost)? { read(\.host) }

    /// The host; from now on the program's, for an activity that was made before there was one.
    private func resolvedHost() -> (any UserActivityHost)? {
        if let host { return host }
        guard let host = UserActivity.defaultHost else { return nil }
        let isNew = withLock { stored in
            guard !stored.isInvalid, stored.host == nil else { return false }
            stored.host = host
            return true
        }
        if isNew {
            _ = CurrentActivities.resign(identity, of: nil)
            warnOfType(to: host)
        }
        return self.host
    }

    private func warnOfType(to host: any UserActivityHost) {
        guard !isFromAnotherDevice, let warning = ActivityTypeStyle.warning(for: activityType) else { return }
        host.activityWarning(warning)
    }

    var manager: (any UserActivityManager)? {
        get { read(\.manager) }
        set { withLock { $0.manager = newValue } }
    }

    /// Whether it is not current, and no other of its app is.
    var isPassedOver: Bool { CurrentActivities.isNone(of: app) && !isInvalidated }

    var isOffered: Bool { isCurrent && isEligibleForHandoff }

    func withLock<Value>(_ body: (inout Stored) -> Value) -> Value { lock.withLock { body(&stored) } }

    func read<Value>(_ path: KeyPath<Stored, Value>) -> Value { lock.withLock { stored[keyPath: path] } }

    /// Changes the state, and tells the host when that is news to it.
    func change(_ body: (inout ActivityState) -> Void) {
        let changed = withLock { stored in
            let before = stored.state
            body(&stored.state)
            return !stored.isSaving && !stored.isInvalid && stored.state != before
        }
        guard changed else { return }
        if isOffered { host?.activityChanged(self) }
        changedForSearch()
    }

    /// A refused value is the app's mistake: Foundation raises an exception there, Swift stops.
    static func require(_ check: () throws -> Void) {
        do { try check() } catch { preconditionFailure("UserActivity: \(error)") }
    }
}
