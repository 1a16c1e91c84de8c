// SPDX-License-Identifier: Apache-2.0

/// What a service tells one program, which is the `client`.
public enum ClientEvent: Sendable {
    /// The app's fresh state is wanted: it answers with an update.
    case willSave(activity: String, client: ClientID)
    /// An app on another device took the activity over.
    case wasContinued(activity: String, client: ClientID, device: String, deviceName: String)
    /// Nothing came of it that another device fetched the activity; ``wasContinued`` may follow all
    /// the same, where the other device could not tell it before.
    case notContinued(activity: String, client: ClientID, device: String, deviceName: String, reason: String)
    /// Another device opened streams to the activity, which wait for the app:
    /// ``HandoffService/takeStreams(_:client:)``.
    case streamsOpened(activity: String, client: ClientID, stream: String, device: String, deviceName: String)
    /// A pair of streams ended; `error` says why when it did before its time.
    case streamEnded(stream: String, client: ClientID, error: String?)
    /// Something that the app's developer should know.
    case warning(activity: String, client: ClientID, text: String)
    /// Another program's activity has taken its place as the one that is advertised, or it is that
    /// one again.
    case currentChanged(activity: String, client: ClientID, isCurrent: Bool)
    /// The service has ended the activity, and why.
    case ended(activity: String, client: ClientID, reason: String)
}

/// What a service tells everyone. It is the state of things, so that who is slow need not hear of
/// all that has become of them meanwhile.
public enum ServiceEvent: Hashable, Sendable {
    case offerAppeared(OfferSummary)
    case offerChanged(OfferSummary)
    case offerDisappeared(id: String)
    /// The condition of the service as a whole has changed, or is told for the first time.
    case conditionChanged(ServiceCondition)
    /// A device fetches again and again, and takes nothing over.
    case fetchedInVain(RepeatedFetches)
}

/// An activity that another device has got.
public struct GivenActivity: Hashable, Sendable {
    /// The other device's id.
    public let device: String
    /// The other device's name.
    public let deviceName: String
    /// The id of the app that published it; nil where that is not known.
    public let application: String?
    /// The activity's type.
    public let type: String
}

/// What a device does that fetches again and again, and takes nothing over.
public struct RepeatedFetches: Hashable, Sendable {
    /// Its id.
    public let device: String
    /// Its name.
    public let deviceName: String
    /// How often it has fetched again.
    public let count: Int
}

/// What keeps a service from its work.
public struct ServiceCondition: Hashable, Sendable {
    /// Why this device is in no circle, and what to do, in one line; nil when it is in one.
    public let withoutCircle: String?
    /// Why the radio cannot be used, and what to do, in one line; nil when it can be.
    public let withoutRadio: String?
}

/// An activity that a program of this device publishes.
public struct ActivitySummary: Hashable, Sendable {
    /// Names the activity on the bus.
    public let id: String
    /// Whose it is.
    public let client: ClientID
    /// The team whose apps may continue it; empty for none.
    public let team: String
    /// Its type.
    public let type: String
}
