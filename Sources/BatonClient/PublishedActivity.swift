// SPDX-License-Identifier: Apache-2.0

package import ActivityModel

/// An activity of this program, as far as its connection to the daemon has to know it.
package protocol PublishedActivity: AnyObject, Sendable {
    /// Tells it apart from all others.
    var identity: ActivityIdentity { get }
    /// Whether other devices may see it now: it is the program's current one, and is for them.
    var isOfferedNow: Bool { get }
    /// Whether it has ended for good.
    var isInvalidated: Bool { get }
    /// Whether it has something newer than ``currentState``, which ``saved()`` gives.
    var needsSave: Bool { get }
    /// Its state, without anybody being asked for something newer.
    var currentState: ActivityState { get }

    /// Its state as another device should get it. Who makes it may be asked first, and take long.
    func saved() async -> ActivityState

    /// A state of it as it travels, without what nobody here would serve.
    func outgoing(_ state: ActivityState) -> ActivityState

    /// Another device has continued it: the app there has accepted.
    func wasContinued() async

    /// Another device has opened streams.
    ///
    /// - Parameters:
    ///   - streams: The streams, which become the taker's.
    ///   - connection: Knows how they end.
    /// - Returns: Whether somebody takes them; if not, they are still the caller's.
    func receive(_ streams: ContinuationStreams, by connection: DaemonConnection) async -> Bool
}
