// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// An activity that the user has chosen and that is on its way: the arguments of
/// `Application1.WillContinue`.
public struct ComingActivity: Hashable, Sendable {
    /// The activity's type.
    public var type: String
    /// The id of the offer. `Offers.Cancel` takes it to cancel the continuation.
    public var offer: String
    /// The name of the device that offers the activity.
    public var deviceName: String
    /// The activity's title, if it is known already.
    public var title: String?
    /// The desktop's activation token, which lets the app's window come to the front, if there is
    /// one.
    public var activationToken: String?

    /// Creates a description of an activity that is on its way.
    public init(type: String, offer: String, deviceName: String, title: String? = nil, activationToken: String? = nil) {
        self.type = type
        self.offer = offer
        self.deviceName = deviceName
        self.title = title
        self.activationToken = activationToken
    }

    var bus: [String: DBusValue] {
        var details = ["offer": plain(offer), "deviceName": plain(deviceName)]
        details["title"] = title.map(plain)
        details["activation-token"] = activationToken.map(plain)
        return details
    }

    init(type: String, bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            type: type, offer: try properties.required("offer"), deviceName: try properties.required("deviceName"),
            title: properties.text("title"), activationToken: properties.text("activation-token"))
    }
}
