// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// An event that a service sends to one program, its `client`.
public enum ClientEvent: Sendable {
    /// Another device wants the app's fresh state. The app answers with an update.
    case willSave(activity: String, client: ClientID)
    /// An app on another device took the activity over.
    case wasContinued(activity: String, client: ClientID, device: String, deviceName: String)
    /// Another device fetched the activity, but no app there took it over. ``wasContinued`` may
    /// still follow if the other device could not report earlier that an app did.
    case notContinued(activity: String, client: ClientID, device: String, deviceName: String, reason: Reason)
    /// Another device opened streams to the activity. The app gets the streams from
    /// ``HandoffService/takeStreams(_:client:)``.
    case streamsOpened(activity: String, client: ClientID, stream: String, device: String, deviceName: String)
    /// The progress of a pair of streams that the program follows.
    case streamProgress(stream: String, client: ClientID, StreamProgress)
    /// A pair of streams ended. `error` is the reason if it ended early.
    case streamEnded(stream: String, client: ClientID, error: Reason?)
    /// A warning for the app's developer.
    case warning(activity: String, client: ClientID, Reason)
    /// Another program's activity is now advertised instead of this activity, or this activity is
    /// advertised again.
    case currentChanged(activity: String, client: ClientID, isCurrent: Bool)
    /// The service ended the activity, for a reason.
    case ended(activity: String, client: ClientID, reason: Reason)
}

/// An event that a service sends to all programs. Each event contains the present state, so a slow
/// reader may miss the states in between.
public enum ServiceEvent: Hashable, Sendable {
    case offerAppeared(OfferSummary)
    case offerChanged(OfferSummary)
    case offerDisappeared(id: String)
    /// The condition of the service has changed, or is reported for the first time.
    case conditionChanged(ServiceCondition)
    /// A device fetches repeatedly and takes nothing over.
    case fetchedInVain(RepeatedFetches)
}

/// An activity that another device has fetched.
public struct GivenActivity: Hashable, Sendable {
    /// The other device's id.
    public let device: String
    /// The other device's name.
    public let deviceName: String
    /// The id of the app that published the activity; nil if it is unknown.
    public let application: String?
    /// The activity's type.
    public let type: String
}

/// A report on a device that fetches repeatedly and takes nothing over.
public struct RepeatedFetches: Hashable, Sendable {
    /// The device's id.
    public let device: String
    /// The device's name.
    public let deviceName: String
    /// The number of repeated fetches.
    public let count: Int
}

/// The reasons why a service cannot work: no circle, or no radio.
public struct ServiceCondition: Hashable, Sendable {
    /// Why this device is in no circle; nil if it is in one.
    public let withoutCircle: Finding?
    /// Why the radio cannot be used; nil if it can be used.
    public let withoutRadio: Finding?
}

/// An activity that a program of this device publishes.
public struct ActivitySummary: Hashable, Sendable {
    /// The activity's id on the bus.
    public let id: String
    /// The program that publishes the activity.
    public let client: ClientID
    /// The team whose apps may continue it; empty for none.
    public let team: String
    /// The activity's type.
    public let type: String
}
