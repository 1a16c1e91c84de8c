// SPDX-License-Identifier: Apache-2.0

/// What the daemon tells one client about its activities and streams: the signals of the Activities
/// interface.
public enum ActivityEvent: Sendable {
    /// Fresh contents are wanted: answer with an update whose `needsSave` is false.
    case willSave(activity: String)
    /// The activity was continued on another device: its id, and its name.
    case wasContinued(activity: String, device: String, deviceName: String)
    /// The device with this id and name fetched the activity, and nothing came of it;
    /// `wasContinued` may follow all the same, where it could not be told before.
    case notContinued(activity: String, device: String, deviceName: String, reason: String)
    /// The continuing app, on the device with this id and name, opened a pair of streams: to be had
    /// by ``BatonBusClient/takeStreams(_:)``, within 30 s.
    case streamsOpened(activity: String, stream: String, device: String, deviceName: String)
    /// Something about the activity that its developer should know, such as contents that are
    /// large.
    case warning(activity: String, text: String)
    /// Another program's activity has taken this one's place as the one that is offered, or this
    /// one is it again.
    case currentChanged(activity: String, isCurrent: Bool)
    /// A pair of streams that this client holds ended; `error` is set when it did not end well.
    case streamEnded(stream: String, complete: Bool, error: String?)
    /// The daemon has ended the activity, for a reason such as that the user has taken back what
    /// the app was granted.
    case ended(activity: String, reason: String)
}

/// How the offers of other devices change: the signals of the Offers interface.
public enum OfferEvent: Hashable, Sendable {
    case appeared(OfferSummary)
    case changed(OfferSummary)
    /// The offer with this id is gone.
    case disappeared(offer: String)
}
