// SPDX-License-Identifier: Apache-2.0

/// An event about a client's own activities and streams: a signal of the Activities interface.
public enum ActivityEvent: Sendable {
    /// The daemon asks for the activity's newest contents. Answer with an update whose `needsSave`
    /// is false.
    case willSave(activity: String)
    /// The device with this id and name continued the activity.
    case wasContinued(activity: String, device: String, deviceName: String)
    /// The device with this id and name fetched the activity, but did not continue it.
    /// `wasContinued` may still follow if that device could only report its success later.
    case notContinued(activity: String, device: String, deviceName: String, reason: String)
    /// The continuing app on the device with this id and name opened a pair of streams. Take the
    /// pair with ``BatonBusClient/takeStreams(_:)`` within 30 s.
    case streamsOpened(activity: String, stream: String, device: String, deviceName: String)
    /// A warning about the activity for its developer, for example about large contents.
    case warning(activity: String, text: String)
    /// The activity is offered again, or another program's activity is offered instead.
    case currentChanged(activity: String, isCurrent: Bool)
    /// A pair of this client's streams ended. `error` is set if the streams broke.
    case streamEnded(stream: String, complete: Bool, error: String?)
    /// The daemon ended the activity for this reason, for example because the user revoked the
    /// app's grant.
    case ended(activity: String, reason: String)
}

/// A change of the offers of other devices: a signal of the Offers interface.
public enum OfferEvent: Hashable, Sendable {
    case appeared(OfferSummary)
    case changed(OfferSummary)
    /// The offer with this id no longer exists.
    case disappeared(offer: String)
}
