// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Something that the user is doing, which another of the user's devices can continue.
///
/// The members have the names and the meaning of Foundation's `NSUserActivity`, which does not
/// exist on Linux. An activity may be used from any thread. ``UserActivityHost/callbackDelivery``
/// says where the activity's delegate is called. Keep a reference for as long as the activity is on
/// offer, because an activity ends when it is released.
///
/// - Note: `@unchecked Sendable`: every stored variable is read and written under `lock` only.
public final class UserActivity: @unchecked Sendable {
    /// An identifier that is never reused, not even after its activity is gone.
    public typealias Identity = ActivityIdentity

    /// The kind of this activity, which never changes.
    public let activityType: String
    /// The identifier of this activity in this process. Foundation's class has no such member.
    public let identity = Identity()

    struct Stored {
        var state: ActivityState
        var attributes = LocalAttributes()
        var needsSave: Bool
        /// The last requested call of the app, which ends before the next call begins.
        var lastCall: Task<Void, Never>?
        /// Whether the app is being asked for changes.
        ///
        /// The state is read after the app has answered. It then includes the changes that the app
        /// made in between, so these changes are not reported to the host.
        var isSaving = false
        /// The thread on which the app is being asked for changes, or nil at other times.
        var askedThread: ObjectIdentifier?
        var isInvalid = false
        weak var delegate: (any UserActivityDelegate)?
        /// The responders or the document that fill the activity before it is saved, or nil if
        /// there are none.
        var manager: (any UserActivityManager)?
        /// The place of the document on this device, if the activity is about a document.
        var documentFile: URL?
        /// The number of deletions from stores when the activity became current.
        var deletionsBefore = 0
        /// The userInfo that the app set outside of updates.
        var directUserInfo: UserInfo
        /// Whether an update emptied userInfo, and neither the responders nor the delegate have
        /// added anything since.
        var isEmptied = false
        /// The app on another device that the activity came from, if any.
        var origin: (any ContinuationOrigin)?
        /// The host that carries the activity.
        ///
        /// The host was given to `init`, or was the default when the activity first became current.
        /// Nil before that.
        var host: (any UserActivityHost)?
        /// Whether the host knows the activity, and must hear when it ends.
        var isKnownToHost = false
    }

    private let lock = NSLock()
    private var stored: Stored

    /// Creates an activity of a type, which is not current yet.
    ///
    /// - Parameters:
    ///   - activityType: A non-empty string of visible characters and at most 255 UTF-8 bytes,
    ///     preferably in reverse-DNS form. Anything else is a programming error.
    ///     ``ActivityState/validate(activityType:)`` checks strings from elsewhere.
    ///   - host: The host that carries the activity to other devices, by default ``defaultHost``.
    ///     If there is no host yet, the activity takes the default host when it becomes current. If
    ///     there is no default host at that time, the activity stays in this process until the
    ///     program sets a host, and a warning is printed.
    public convenience init(activityType: String, host: (any UserActivityHost)? = UserActivity.defaultHost) {
        self.init(state: ActivityState(activityType: activityType), host: host)
        withLock { $0.needsSave = true }
    }

    /// Creates an activity of the first type in ``declaredActivityTypes``, which must not be empty.
    @available(*, deprecated, message: "Use init(activityType:) instead")
    public convenience init() {
        guard let type = UserActivity.declaredActivityTypes.first else {
            preconditionFailure("UserActivity: init() needs a declared activity type, and there is none")
        }
        self.init(activityType: type)
    }

    /// Creates an activity with a state, for example one from another device.
    ///
    /// - Parameters:
    ///   - state: The state. A state that ``ActivityState/validated()`` rejects is a programming
    ///     error.
    ///   - host: The host that carries the activity to other devices.
    ///   - origin: The app on another device that the activity came from, if any.
    public init(
        state: ActivityState, host: (any UserActivityHost)? = UserActivity.defaultHost,
        origin: (any ContinuationOrigin)? = nil
    ) {
        Self.require { _ = try state.validated() }
        activityType = state.activityType
        stored = Stored(state: state, needsSave: false, directUserInfo: state.userInfo, origin: origin, host: host)
        if let host { warnOfType(to: host) }
    }

    deinit {
        _ = CurrentActivities.resign(identity, of: app)
        guard stored.isKnownToHost, !stored.isInvalid else { return }
        stored.host?.activityWarning("an activity of type \(activityType) was released without invalidate()")
        stored.host?.activityReleased(identity)
    }

    /// Whether the app has changes to save.
    ///
    /// Set this to true when the state has changed. Baton then calls `userActivityWillSave` when it
    /// needs the state. The value is true for a new activity, and for one that becomes current.
    public var needsSave: Bool {
        get { read(\.needsSave) }
        set {
            let rose = withLock { stored in
                // A value that is set on the thread on which the app is being asked concerns this
                // save. A value from another thread concerns the next save.
                guard stored.askedThread != ObjectIdentifier(Thread.current), !stored.isInvalid else { return false }
                defer { stored.needsSave = newValue }
                return newValue && !stored.needsSave
            }
            guard rose else { return }
            if isOffered { host?.activityChanged(self) }
            saveForSearch()
        }
    }

    /// The object that the activity calls. The activity has only a weak reference to its delegate.
    public var delegate: (any UserActivityDelegate)? {
        get { read(\.delegate) }
        set {
            let changed = withLock { stored in
                defer { stored.delegate = newValue }
                return stored.state.supportsContinuationStreams && (stored.delegate == nil) != (newValue == nil)
            }
            // Without a delegate nobody receives streams, so the host must stop offering them.
            if changed, isOffered { host?.activityChanged(self) }
        }
    }

    /// Makes this the activity that other devices can continue.
    ///
    /// The app's last activity to become current is the one on offer. For an activity that is
    /// already current, ``needsSave`` does not change.
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
        // This activity is not eligible for Handoff, but the activity that it replaced must no
        // longer be offered.
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
        // No device asks for the activity from now on, but a search may find it. Save the activity,
        // unless the app may just have deleted its saved copy.
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

    /// Whether this is its app's current activity. Foundation's class has no such member.
    public var isCurrent: Bool { CurrentActivities.isCurrent(identity, of: app) }

    /// Whether the activity came from another device, which alone vouches for its contents.
    ///
    /// Foundation's class has no such member.
    public var isFromAnotherDevice: Bool { withLock { $0.origin != nil } }

    /// Whether the activity has ended. Foundation's class has no such member.
    public var isInvalidated: Bool { read(\.isInvalid) }
}

/// Members for the other files of this class.
extension UserActivity {
    var app: CurrentActivities.App { host.map { ObjectIdentifier($0) } }

    var host: (any UserActivityHost)? { read(\.host) }

    /// Returns the host.
    ///
    /// An activity that was made before there was a host takes the default host now. Returns nil if
    /// there is still no host.
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

    /// Whether the activity is not current, and its app has no other current activity.
    var isPassedOver: Bool { CurrentActivities.isNone(of: app) && !isInvalidated }

    var isOffered: Bool { isCurrent && isEligibleForHandoff }

    func withLock<Value>(_ body: (inout Stored) -> Value) -> Value { lock.withLock { body(&stored) } }

    func read<Value>(_ path: KeyPath<Stored, Value>) -> Value { lock.withLock { stored[keyPath: path] } }

    /// Changes the state, and informs the host if the state differs afterwards.
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

    /// Stops the program if a check fails, because an invalid value is the app's mistake.
    ///
    /// Foundation raises an exception instead.
    static func require(_ check: () throws -> Void) {
        do { try check() } catch { preconditionFailure("UserActivity: \(error)") }
    }
}
