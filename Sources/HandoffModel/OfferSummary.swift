// SPDX-License-Identifier: Apache-2.0

/// An activity that another device offers: one element of `Offers.List`.
public struct OfferSummary: Hashable, Sendable {
    /// The offer's id, which this daemon chose. The id stays the same for as long as the offer
    /// lasts.
    public var offer: String
    /// The id of the device that offers the activity.
    public var device: String
    /// The name of the device that offers the activity.
    public var deviceName: String
    /// The team whose apps exchange the activity. The text is empty if there is no team, and nil
    /// while this device does not know the team.
    public var team: String?
    /// The activity type, or nil while this device does not know it.
    public var type: String?
    /// The title, or nil if it is unknown.
    public var title: String?
    /// The signal strength in dBm, or nil if the radio does not report it.
    public var signal: Int?
    /// Whether the activity has a web page.
    public var hasWebpage: Bool
    /// Whether the activity supports continuation streams.
    public var supportsStreams: Bool
    /// The id of this device's app that would continue the activity, or nil if there is none.
    public var application: String?

    /// Whether one of the user's rules hides the offer.
    public var isHidden: Bool

    /// Creates an offer.
    public init(
        offer: String, device: String, deviceName: String, team: String? = nil, type: String? = nil,
        title: String? = nil, signal: Int? = nil, hasWebpage: Bool = false, supportsStreams: Bool = false,
        application: String? = nil, isHidden: Bool = false
    ) {
        self.offer = offer
        self.device = device
        self.deviceName = deviceName
        self.team = team
        self.type = type
        self.title = title
        self.signal = signal
        self.hasWebpage = hasWebpage
        self.supportsStreams = supportsStreams
        self.application = application
        self.isHidden = isHidden
    }
}
