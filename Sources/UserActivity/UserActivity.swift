// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that the user is doing, which another of their devices can continue.
///
/// Members and meaning are those of Foundation's `NSUserActivity`. It may be used from any thread.
///
/// - Note: `@unchecked Sendable`: every stored variable is read and written under `lock` alone.
public final class UserActivity: @unchecked Sendable {
    /// What kind of activity this is; fixed at creation.
    public let activityType: String

    private struct Stored {
        var state: ActivityState
        var needsSave = false
        var isCurrent = false
        /// The delegate is being asked: what changes meanwhile is in the state that is read afterwards.
        var isSaving = false
        var isInvalid = false
        weak var delegate: (any UserActivityDelegate)?
    }

    private let lock = NSLock()
    private var stored: Stored
    private let host: (any UserActivityHost)?

    /// An activity of a type, not current yet.
    ///
    /// - Parameters:
    ///   - activityType: Any non-empty string to 255 UTF-8 bytes, reverse-DNS by recommendation; anything else is a
    ///     programming error (``ActivityState/validate(activityType:)`` checks what comes from elsewhere).
    ///   - host: What carries the activity to other devices; without one it stays in this process.
    public convenience init(activityType: String, host: (any UserActivityHost)? = nil) {
        self.init(state: ActivityState(activityType: activityType), host: host)
    }

    /// An activity with a state, such as one that came from another device.
    ///
    /// - Parameters:
    ///   - state: The state; one that ``ActivityState/validated()`` refuses is a programming error.
    ///   - host: What carries the activity to other devices.
    public init(state: ActivityState, host: (any UserActivityHost)? = nil) {
        Self.require { _ = try state.validated() }
        activityType = state.activityType
        stored = Stored(state: state)
        self.host = host
    }

    /// A name to show to the user.
    public var title: String? {
        get { read(\.state.title) }
        set { change { $0.title = newValue } }
    }

    /// The state that the other device needs: Array, Data, Date, Dictionary, Null, Number, Set, String, UUID and URL.
    ///
    /// A value of another type is a programming error, whose message names the key.
    public var userInfo: [AnyHashable: Any]? {
        get { UserInfoValue.foundationDictionary(read(\.state.userInfo)) }
        set {
            let typed = Self.typed(newValue ?? [:])
            change { $0.userInfo = typed }
        }
    }

    /// Adds to ``userInfo``, replacing the values of keys that are there already.
    ///
    /// - Parameter otherDictionary: Keys and values of the types that ``userInfo`` holds.
    public func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        let typed = Self.typed(otherDictionary)
        change { $0.userInfo.merge(typed) { _, new in new } }
    }

    /// A web page that shows the same thing; another scheme than `http` or `https` is a programming error.
    public var webpageURL: URL? {
        get { read(\.state.webpageURL) }
        set {
            if let newValue { Self.require { try ActivityState.validate(webpageURL: newValue) } }
            change { $0.webpageURL = newValue }
        }
    }

    /// Whether the continuing app may ask for a pair of streams.
    public var supportsContinuationStreams: Bool {
        get { read(\.state.supportsContinuationStreams) }
        set { change { $0.supportsContinuationStreams = newValue } }
    }

    /// Whether the delegate has something to save: set it when the state has changed, and `userActivityWillSave` is
    /// called when the state is needed. Becoming current sets it too.
    public var needsSave: Bool {
        get { read(\.needsSave) }
        set {
            let rose = lock.withLock {
                let rose = newValue && !stored.needsSave && stored.isCurrent && !stored.isSaving
                stored.needsSave = newValue && !stored.isInvalid
                return rose
            }
            if rose { host?.activityChanged(self) }
        }
    }

    /// Whom the activity tells; not kept alive by it.
    public var delegate: (any UserActivityDelegate)? {
        get { lock.withLock { stored.delegate } }
        set { lock.withLock { stored.delegate = newValue } }
    }

    /// Makes this the activity that other devices can continue; the app's last one to become current is it.
    public func becomeCurrent() {
        let became = lock.withLock {
            guard !stored.isInvalid else { return false }
            stored.isCurrent = true
            stored.needsSave = true
            return true
        }
        if became { host?.activityBecameCurrent(self) }
    }

    /// Stops offering the activity without ending it.
    public func resignCurrent() {
        let resigned = lock.withLock {
            defer { stored.isCurrent = false }
            return stored.isCurrent
        }
        if resigned { host?.activityResignedCurrent(self) }
    }

    /// Ends the activity: it disappears from every device and cannot become current again.
    public func invalidate() {
        let ended = lock.withLock {
            defer {
                stored.isInvalid = true
                stored.isCurrent = false
                stored.needsSave = false
            }
            return !stored.isInvalid
        }
        if ended { host?.activityInvalidated(self) }
    }
}

/// What a host calls.
extension UserActivity {
    /// The state as it is, without asking the delegate.
    public var currentState: ActivityState { read(\.state) }

    /// Whether this is its app's current activity.
    public var isCurrent: Bool { read(\.isCurrent) }

    /// The state as another device should get it: asks the delegate first when ``needsSave`` is true.
    ///
    /// - Returns: The state after `userActivityWillSave`.
    public func savedState() -> ActivityState {
        let delegate = lock.withLock {
            stored.isSaving = true
            return stored.needsSave ? stored.delegate : nil
        }
        delegate?.userActivityWillSave(self)
        return lock.withLock {
            stored.needsSave = false
            stored.isSaving = false
            return stored.state
        }
    }

    /// Tells the delegate that another device has continued the activity.
    public func wasContinued() {
        delegate?.userActivityWasContinued(self)
    }

    /// Hands streams to the delegate.
    ///
    /// - Parameter streams: The streams, which become the delegate's.
    /// - Returns: Whether the delegate took them; if not, they are still the caller's.
    public func didReceive(_ streams: ContinuationStreams) -> Bool {
        delegate?.userActivity(self, didReceive: streams) ?? false
    }
}

extension UserActivity {
    private func read<Value>(_ path: KeyPath<Stored, Value>) -> Value {
        lock.withLock { stored[keyPath: path] }
    }

    private func change(_ body: (inout ActivityState) -> Void) {
        let changed = lock.withLock {
            let before = stored.state
            body(&stored.state)
            return stored.isCurrent && !stored.isSaving && stored.state != before
        }
        if changed { host?.activityChanged(self) }
    }

    private static func typed(_ dictionary: [AnyHashable: Any]) -> UserInfo {
        var typed: UserInfo = [:]
        require { typed = try UserInfoValue.userInfo(from: dictionary) }
        return typed
    }

    /// A refused value is the app's mistake: Foundation raises an exception there, Swift stops.
    private static func require(_ check: () throws -> Void) {
        do { try check() } catch { preconditionFailure("UserActivity: \(error)") }
    }
}
