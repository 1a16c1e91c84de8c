// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// An event of a published activity, for its developer. The delegate's calls are separate.
public enum PublicationEvent: Sendable {
    /// The daemon has the activity and offers it.
    case becameCurrent
    /// The daemon keeps the activity, but no longer offers it.
    case resignedCurrent
    /// Another program's activity is offered instead of this one, or this one is offered again.
    case currentChanged(isCurrent: Bool)
    /// The daemon received the activity's new contents.
    case saved
    /// The app on the device with this id and name accepted the activity.
    case continued(device: String, deviceName: String)
    /// The device with this id and name fetched the activity, but did not continue it.
    ///
    /// The activity is offered as before. `continued` may follow if the other device could not
    /// report its success earlier.
    case notContinued(device: String, deviceName: String, reason: String)
    /// A warning for the developer, for example about large contents.
    case warning(String)
    /// The daemon rejects the contents because of their size or their values.
    ///
    /// The daemon still offers the previous contents. If it has no previous contents, it offers the
    /// activity once it has accepted other contents.
    case refused(BatonError)
    /// The daemon is not running, as the error says. The activity is published when the daemon runs
    /// again.
    case detached(BatonError)
    /// The daemon rejected the activity, or the daemon ended and the connection does not publish
    /// activities at the next one.
    ///
    /// No event follows.
    case failed(BatonError)
    /// The activity has ended at the daemon. No event follows.
    case invalidated
}
