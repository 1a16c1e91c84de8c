// SPDX-License-Identifier: Apache-2.0

/// What carries activities to the other devices: `Baton` is one, a test's recorder another.
///
/// The calls come from whatever thread the app uses, outside all locks, and must return soon.
public protocol UserActivityHost: AnyObject, Sendable {
    /// The activity is now the one that the user is busy with: offer it.
    func activityBecameCurrent(_ activity: UserActivity)

    /// The activity is no longer the one that the user is busy with: offer it no more, but keep it.
    func activityResignedCurrent(_ activity: UserActivity)

    /// A property has changed, or `needsSave` has become true. Changes that follow each other closely are to be taken together.
    func activityChanged(_ activity: UserActivity)

    /// The activity has ended for good: it disappears from every device.
    func activityInvalidated(_ activity: UserActivity)
}
