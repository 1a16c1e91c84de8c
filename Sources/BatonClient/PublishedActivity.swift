// SPDX-License-Identifier: Apache-2.0

package import ActivityModel

/// The view of an activity that a connection to the daemon needs.
package protocol PublishedActivity: AnyObject, Sendable {
    var identity: ActivityIdentity { get }
    /// Whether other devices may see the activity now, because it is current and eligible for
    /// hand-over.
    var isOfferedNow: Bool { get }
    /// Whether ``saved()`` would return a newer state than ``currentState``.
    var needsSave: Bool { get }
    /// The present state, without asking the app for changes.
    var currentState: ActivityState { get }

    /// Returns the state for another device. This may take long, because the app may be asked for
    /// changes.
    func saved() async -> ActivityState

    /// Returns a state without features that this program does not serve.
    func outgoing(_ state: ActivityState) -> ActivityState

    /// Tells the app that another device's app has accepted the activity.
    func wasContinued() async

    /// Gives streams from another device to the app.
    ///
    /// - Parameters:
    ///   - streams: The streams. The receiver then owns them.
    ///   - connection: The connection that reports how they end.
    /// - Returns: Whether the app took them. If not, the caller still owns the streams.
    func receive(_ streams: ContinuationStreams, by connection: DaemonConnection) async -> Bool
}
