// SPDX-License-Identifier: Apache-2.0

/// What carries activities to the other devices: `Baton` has two, one to the daemon and one inside
/// a process.
///
/// The calls come from whatever thread the app uses, outside all locks, and must return soon. There
/// is one host to an app: of the activities of one host one is current, the last to become it.
public protocol UserActivityHost: AnyObject, Sendable {
    /// Where the callbacks of this host's activities run.
    var callbackDelivery: CallbackDelivery { get }

    /// The activity is now the one that the user is busy with: offer it, in place of the one before
    /// it.
    func activityBecameCurrent(_ activity: UserActivity)

    /// The activity is no longer the one that the user is busy with, or one that is not to be
    /// offered has taken the place of another: offer what is not current no more, but keep it.
    func activityResignedCurrent(_ activity: UserActivity)

    /// A property has changed, or `needsSave` has become true. Changes that follow each other
    /// closely are to be taken together.
    func activityChanged(_ activity: UserActivity)

    /// The activity has ended for good: it disappears from every device.
    func activityInvalidated(_ activity: UserActivity)

    /// The activity was released, and had not been invalidated: it ends all the same.
    func activityReleased(_ identity: UserActivity.Identity)

    /// Something that the app's developer should know, one line; told once.
    func activityWarning(_ text: String)
}

extension UserActivityHost {
    /// On the host's own task.
    public var callbackDelivery: CallbackDelivery { .immediate }
    /// Does nothing.
    public func activityReleased(_ identity: UserActivity.Identity) {}
    /// Does nothing.
    public func activityWarning(_ text: String) {}
}

/// The app on another device that a continued activity came from.
public protocol ContinuationOrigin: AnyObject, Sendable {
    /// Opens a pair of streams to it.
    ///
    /// - Returns: The streams, not opened yet.
    /// - Throws: A `CocoaError` with one of the `userActivity…` codes.
    func openStreams() async throws -> ContinuationPair
}
