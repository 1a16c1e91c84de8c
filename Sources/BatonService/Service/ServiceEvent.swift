// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import BatonProtocol

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
}

/// What a service tells everyone. It is the state of things, so that who is slow need not hear of
/// all that has become of them meanwhile.
public enum ServiceEvent: Hashable, Sendable {
    case offerAppeared(OfferInformation)
    case offerChanged(OfferInformation)
    case offerDisappeared(id: String)
    /// The condition of the service as a whole has changed, or is told for the first time.
    case conditionChanged(ServiceCondition)
}

/// What keeps a service from its work.
public struct ServiceCondition: Hashable, Sendable {
    /// Why this device is in no circle, and what to do, in one line; nil when it is in one.
    public let withoutCircle: String?
    /// Why the radio cannot be used, and what to do, in one line; nil when it can be.
    public let withoutRadio: String?
}

/// A pair of streams, as an app gets it.
public struct ServiceStreams: Sendable {
    /// Names the pair.
    public let id: String
    /// `l2cap`, `tcp` or `simulated`.
    public let transport: String
    /// One Unix stream socket for both directions; half-closed by shutdown.
    public let descriptor: OwnedDescriptor
}

/// An activity that a program of this device publishes.
public struct PublishedActivity: Hashable, Sendable {
    /// Names the activity on the bus.
    public let id: String
    /// Whose it is.
    public let client: ClientID
    /// The team whose apps may continue it; empty for none.
    public let team: String
    /// Its type.
    public let type: String
}

/// An offer, as apps and users see it.
public struct OfferInformation: Hashable, Sendable {
    /// Names the offer while it lasts.
    public let id: String
    /// The device's id, eight hexadecimal digits.
    public let device: String
    /// What the device is called.
    public let deviceName: String
    /// The team whose apps exchange the activity, empty for none; once known.
    public let team: String?
    /// The activity's type, once known.
    public let type: String?
    /// The activity's title, once known.
    public let title: String?
    /// In dBm, when the radio says.
    public let signal: Int?
    /// Whether there is a web page for a device without the app.
    public let hasWebPage: Bool
    /// Whether the activity takes streams.
    public let supportsStreams: Bool
}

/// An activity that was fetched from another device.
public struct ContinuedInformation: Sendable {
    /// Names the continuation.
    public let id: String
    /// What the other device handed over.
    public let state: ActivityState
    /// The device's id, eight hexadecimal digits.
    public let device: String
    /// What the device is called.
    public let deviceName: String
    /// `l2cap`, `tcp` or `simulated`.
    public let transport: String
    /// Whether this device gave the activity away, or has it open: then no rule may take it over,
    /// only the user.
    public let isFromHere: Bool
}

/// A device of the circle.
public struct MemberInformation: Hashable, Sendable {
    /// The device's id, eight hexadecimal digits.
    public let device: String
    /// What the device is called.
    public let name: String
    /// Whether it is this one.
    public let isThisDevice: Bool
    /// The ids of those that took it in, be they members still or not; none for the circle's
    /// founder.
    public let takenInBy: [String]
    /// Whether it is in the radio's range.
    public let isNear: Bool
    /// When it was last heard, or connected, in Unix seconds; nil for not since this service began.
    public let lastSeen: Int64?
    /// What it is connected over now.
    public let transports: [String]
}

/// That another device answers.
public struct PingAnswer: Hashable, Sendable {
    /// The device's id, eight hexadecimal digits.
    public let device: String
    /// What the device is called.
    public let deviceName: String
    /// `l2cap`, `tcp` or `simulated`.
    public let transport: String
    /// From the question to the answer.
    public let roundTrip: Duration
    /// How long it took to connect; nil when there was a connection.
    public let connecting: Duration?
}

/// What a device and this one find of each other.
public struct ProbeAnswer: Hashable, Sendable {
    /// That it answers.
    public let ping: PingAnswer
    /// What this device finds of the other.
    public let here: ProbeReport
    /// What the other finds of this one.
    public let there: ProbeReport
}
